//! Maps of our own, the same for the same seed.
