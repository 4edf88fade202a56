//! LRTA* with a lookahead of one move (Korf 1990): an example as a starting point.
//!
//! Build it with `cargo build --release`, test it with `python -m unittest -v test_lrta`, and run it with
//! `permove run -a './target/release/liblrta.so:lrta(gamma={0.5,1})' astar`.

mod permove;

use permove::{Agent, Parameter, PastCutoff, Setup, World, CARDINAL, DIAGONAL};
use std::ffi::CStr;

/// State of the agent between moves. permove creates one instance per problem.
struct Lrta {
    /// Weighted costs of moves.
    cardinal: u32,
    diagonal: u32,
}

impl Agent for Lrta {
    const NAME: &'static CStr = c"lrta";
    const ABOUT: &'static CStr =
        c"Looks one move ahead, raises the heuristic of the current state, moves to the best neighbour.";
    /// Name, description, range, default. Specs can sweep them.
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::real(c"gamma", c"the weight of the cost of a move", (0.001, 1.0), 1.0)];

    /// Create an instance for a problem. The values are in the order of the parameters.
    fn new(setup: &Setup) -> Self {
        let weigh = |cost| (setup.values[0] * cost as f64 + 0.5) as u32;
        Lrta { cardinal: weigh(CARDINAL), diagonal: weigh(DIAGONAL) }
    }

    /// Plan one move.
    fn plan(&mut self, world: &mut World) -> Result<(), PastCutoff> {
        let at = world.at();
        // The best neighbour minimizes the weighted cost of the move plus its heuristic. Generating all neighbours
        // counts as one expanded state.
        let weigh = |cost| if cost == CARDINAL { self.cardinal } else { self.diagonal };
        let values = world.expand(at)?.iter().map(|next| (weigh(next.cost) + next.h, next.state));
        // `min_by_key` compares only f and returns the first neighbour on ties.
        let Some((f, best)) = values.min_by_key(|(f, _)| *f) else {
            return Ok(()); // no neighbour: the agent is stuck
        };
        // The heuristic of the current state rises to that value and never falls.
        world.learn(at, f.max(world.h()));
        world.go(best);
        // permove counts what the agent learns. It has no tables of its own, whose bytes it would report here.
        world.memory(0);
        Ok(())
    }
}

permove::agents!(Lrta);
