//! LRTA* with a lookahead of one move (Korf 1990): an example to start from.
//!
//! Build it with `cargo build --release`, test it with `python -m unittest -v test_lrta`, and run it with
//! `permove run -a './target/release/liblrta.so:lrta(gamma={0.5,1})' astar`.

mod permove;

use permove::{Agent, Parameter, PastCutoff, Setup, World, CARDINAL, DIAGONAL};
use std::ffi::CStr;

/// What an agent keeps from move to move. There is one for each problem.
struct Lrta {
    /// What moves cost, weighed.
    cardinal: u32,
    diagonal: u32,
}

impl Agent for Lrta {
    const NAME: &'static CStr = c"lrta";
    const ABOUT: &'static CStr =
        c"Looks one move ahead, raises the heuristic of where it stands, makes one move to the best.";
    /// They can be swept in specs: name, what it does, range, default.
    const PARAMETERS: &'static [Parameter] =
        &[Parameter::real(c"gamma", c"the weight of the cost of a move", (0.001, 1.0), 1.0)];

    /// A problem begins. The values come in the order of the parameters.
    fn new(setup: &Setup) -> Self {
        let weigh = |cost| (setup.values[0] * cost as f64 + 0.5) as u32;
        Lrta { cardinal: weigh(CARDINAL), diagonal: weigh(DIAGONAL) }
    }

    /// One move is planned.
    fn plan(&mut self, world: &mut World) -> Result<(), PastCutoff> {
        let at = world.at();
        // The best neighbour is the first with the least cost of going there plus heuristic. To look at all of them counts as
        // one state expanded.
        let weigh = |cost| if cost == CARDINAL { self.cardinal } else { self.diagonal };
        let values = world.expand(at)?.iter().map(|next| (weigh(next.cost) + next.h, next.state));
        // Of equals the first one: `min_by_key` looks at the value alone.
        let Some((f, best)) = values.min_by_key(|(f, _)| *f) else {
            return Ok(()); // no neighbour, no move: the agent is stuck
        };
        // The heuristic of where it stands rises to that, and never falls.
        world.learn(at, f.max(world.h()));
        world.go(best);
        Ok(())
    }
}

permove::agents!(Lrta);
