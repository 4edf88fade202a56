//! Trials on a known map that are neither timed nor traced.

use super::ledger::Planning;
use super::trial::MoveSource;
use crate::agent::{Agent, Episode, Memory, SingleEpisode};
use crate::graph::{Graph, State};
use crate::meter::Meter;

/// The moves of an agent that knows the map. Agents that plan one move at a time plan it about as fast as a plan is
/// stored and read, so they use no plan.
pub(super) struct KnownMap<'a, G> {
    graph: &'a G,
    plan: &'a mut Vec<State>,
    /// The place of the next move in the plan.
    next: usize,
}

impl<'a, G: Graph> KnownMap<'a, G> {
    pub(super) fn new(graph: &'a G, plan: &'a mut Vec<State>) -> KnownMap<'a, G> {
        plan.clear();
        KnownMap { graph, plan, next: 0 }
    }
}

impl<A: Agent, G: Graph> MoveSource<A> for KnownMap<'_, G> {
    #[inline(always)]
    fn planned(&mut self, _at: State) -> Option<State> {
        if A::STEPS {
            return None;
        }
        let to = self.plan.get(self.next).copied();
        self.next += 1;
        to
    }

    #[inline(always)]
    fn plan(&mut self, agent: &mut A, memory: &mut Memory, at: State, goal: State) -> (Planning, Option<State>) {
        let mut meter = Meter::new(self.graph, None);
        let to = if A::STEPS {
            agent.single_move(SingleEpisode { meter: &mut meter, memory, at, goal })
        } else {
            self.plan.clear();
            self.next = 1;
            agent.plan(Episode { meter: &mut meter, memory, at, goal, plan: self.plan });
            self.plan.first().copied()
        };
        (Planning { effort: meter.effort(), ns: 0 }, to)
    }
}
