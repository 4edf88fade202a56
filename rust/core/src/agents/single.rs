//! Agents that plan one move at a time.
//!
//! Such a move costs as little as the bookkeeping of plans, so walks ask for it without one: see `world/stroll.rs`.

use super::{Agent, Episode, Stance};
use crate::graph::{Graph, State};

/// An algorithm that plans one move.
pub(super) trait Step: Send {
    /// The next state; none means that there is no way.
    fn step<G: Graph>(&mut self, stance: Stance<'_, '_, G>) -> Option<State>;
}

/// The agent that goes by it.
pub(super) struct Single<S>(pub(super) S);

impl<S: Step> Agent for Single<S> {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        plan.extend(self.0.step(Stance { meter, memory, at, goal }));
    }

    const STEPS: bool = true;

    #[inline(always)]
    fn single_move<G: Graph>(&mut self, stance: Stance<'_, '_, G>) -> Option<State> {
        self.0.step(stance)
    }
}
