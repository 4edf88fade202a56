//! Agents that plan one move at a time.
//!
//! Planning such a move takes about as long as storing a plan, so trials use no plan for them: see `world/trial.rs`.

use crate::agent::{Agent, Episode, SingleEpisode};
use crate::graph::{Graph, State};

/// An algorithm that plans one move.
pub(super) trait Step: Send {
    /// The next state; `None` means that there is no path.
    fn step<G: Graph>(&mut self, episode: SingleEpisode<'_, '_, G>) -> Option<State>;
}

/// An agent that makes the moves of a [`Step`].
pub(super) struct Single<S>(pub(super) S);

impl<S: Step> Agent for Single<S> {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        plan.extend(self.0.step(SingleEpisode { meter, memory, at, goal }));
    }

    const STEPS: bool = true;

    #[inline(always)]
    fn single_move<G: Graph>(&mut self, episode: SingleEpisode<'_, '_, G>) -> Option<State> {
        self.0.step(episode)
    }
}
