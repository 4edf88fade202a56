//! MovingAI's `.scen` files.
