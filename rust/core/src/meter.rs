//! Counts the effort of agents.
//!
//! Agents read graphs, the ground and its abstractions, only through a [`Meter`], which counts for all in the same way:
//!
//! * **expanded**: calls of [`Meter::expand`], which generates all successors of a state. Re-expansions count.
//! * **touched**: all successors generated, including duplicates and successors that the agent ignores.

use crate::cost::{Cost, Sum};
use crate::graph::{Corridor, Graph, MAX_SUCCESSORS, Neighbourhood, State, Successor};

/// The counted planning of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// States whose successors were generated.
    pub expanded: u64,
    /// Successors generated.
    pub touched: u64,
}

impl Effort {
    /// Adds `more`.
    pub fn add(&mut self, more: Effort) {
        self.expanded += more.expanded;
        self.touched += more.touched;
    }

    /// The effort since `earlier`.
    #[inline(always)]
    pub fn since(self, earlier: Effort) -> Effort {
        Effort { expanded: self.expanded - earlier.expanded, touched: self.touched - earlier.touched }
    }
}

/// Access to successors for one planning episode.
pub struct Meter<'a, G> {
    graph: &'a G,
    effort: Effort,
    log: Option<&'a mut Vec<State>>,
}

impl<'a, G: Graph> Meter<'a, G> {
    /// Creates a meter at zero. Every expanded state is appended to `log`.
    pub(crate) fn new(graph: &'a G, log: Option<&'a mut Vec<State>>) -> Meter<'a, G> {
        Meter { graph, effort: Effort::default(), log }
    }

    /// The graph itself, for tests.
    #[cfg(test)]
    pub(crate) fn graph(&self) -> &'a G {
        self.graph
    }

    /// See [`Graph::grain`].
    #[inline(always)]
    pub fn grain(&self) -> u32 {
        self.graph.grain()
    }

    /// See [`Graph::states`].
    pub fn states(&self) -> usize {
        self.graph.states()
    }

    /// Expands a state: visits every successor with the cost of its edge, in the order in which ties are broken.
    #[inline(always)]
    pub fn expand(&mut self, state: State, visit: impl FnMut(State, Cost)) {
        self.count(state);
        self.effort.touched += self.graph.successors(state, visit) as u64;
    }

    /// As [`Meter::expand`], with each successor's initial heuristic as well.
    #[inline(always)]
    pub fn expand_towards(&mut self, state: State, h: &Heuristic<'_, G>, visit: impl FnMut(State, Cost, Cost)) {
        self.count(state);
        self.effort.touched += self.graph.successors_towards(state, h.to_goal, visit) as u64;
    }

    /// As [`Meter::expand_towards`], but visits only the successors that pass `test`. All successors count. `test` is
    /// also called with states that are not successors.
    #[inline(always)]
    pub fn expand_if_towards(
        &mut self,
        state: State,
        h: &Heuristic<'_, G>,
        test: impl Fn(State, Cost) -> bool,
        visit: impl FnMut(State, Cost, Cost),
    ) {
        self.count(state);
        self.effort.touched += self.graph.successors_if_towards(state, h.to_goal, test, visit) as u64;
    }

    /// As [`Meter::expand`], but returns only the successor with the minimal value. See [`Graph::min_towards`].
    #[inline(always)]
    pub fn expand_to_min(
        &mut self,
        state: State,
        h: &Heuristic<'_, G>,
        value: impl Fn(State, Cost, Cost) -> Sum,
    ) -> Option<(Cost, State)> {
        self.count(state);
        let (min, count) = self.graph.min_towards(state, h.to_goal, value);
        self.effort.touched += count as u64;
        min
    }

    /// As [`Meter::expand_to_min`], for the weighted cost plus the learned heuristic. See [`Graph::min_learned`].
    #[inline(always)]
    pub fn expand_to_min_learned(
        &mut self,
        state: State,
        h: &Heuristic<'_, G>,
        learned: &[Cost],
        weigh: impl Fn(Cost) -> Cost,
    ) -> Option<(Cost, State)> {
        self.count(state);
        let (min, count) = self.graph.min_learned(state, h.to_goal, learned, weigh);
        self.effort.touched += count as u64;
        min
    }

    /// As [`Meter::expand`], but writes all successors to `successors`. See [`Graph::write_learned`].
    #[inline(always)]
    pub fn expand_into(
        &mut self,
        state: State,
        h: &Heuristic<'_, G>,
        learned: &[Cost],
        successors: &mut [Successor; MAX_SUCCESSORS],
    ) -> u32 {
        self.count(state);
        self.reread_into(state, h, learned, successors)
    }

    /// As [`Meter::expand_into`], for a state that was already expanded in this episode.
    #[inline(always)]
    pub fn reread_into(
        &mut self,
        state: State,
        h: &Heuristic<'_, G>,
        learned: &[Cost],
        successors: &mut [Successor; MAX_SUCCESSORS],
    ) -> u32 {
        let count = self.graph.write_learned(state, h.to_goal, learned, successors);
        self.effort.touched += count as u64;
        count
    }

    /// As [`Meter::expand`], but returns the successors by direction, or `None` if the graph is not a grid.
    #[inline(always)]
    pub fn expand_around(&mut self, state: State, h: &Heuristic<'_, G>) -> Option<Neighbourhood<'a>> {
        self.count(state);
        let around = self.graph.around(state, h.to_goal);
        self.effort.touched += around.map_or(0, |around| around.count as u64);
        around
    }

    #[inline(always)]
    fn count(&mut self, state: State) {
        if let Some(log) = &mut self.log {
            log.push(state);
        }
        self.effort.expanded += 1;
    }

    /// Reads the successors of a state that was expanded in this episode again, to update learned heuristics, and
    /// visits those that pass `test`, as [`Meter::expand_if_towards`] does.
    #[inline(always)]
    pub fn reread_if(&mut self, state: State, test: impl Fn(State, Cost) -> bool, visit: impl FnMut(State, Cost)) {
        self.effort.touched += self.graph.successors_if(state, test, visit) as u64;
    }

    /// As [`Meter::reread_if`], but returns only the minimal value of a successor, or infinity if there is none.
    #[inline(always)]
    pub fn reread_min(&mut self, state: State, value: impl Fn(State, Cost) -> Cost) -> Cost {
        let (min, count) = self.graph.min_value(state, value);
        self.effort.touched += count as u64;
        min
    }

    /// Plans on another graph, an abstraction of this one. The effort counts here.
    pub fn on<H: Graph, R>(&mut self, graph: &H, plan: impl FnOnce(&mut Meter<'_, H>) -> R) -> R {
        // The log contains only states of this graph.
        let mut meter = Meter { graph, effort: self.effort, log: None };
        let result = plan(&mut meter);
        self.effort = meter.effort;
        result
    }

    /// Plans in the part of the graph where `is_inside` holds. States outside are not successors and do not count.
    pub fn within<I: Fn(State) -> bool, R>(
        &mut self,
        is_inside: I,
        plan: impl FnOnce(&mut Meter<'_, Corridor<'_, G, I>>) -> R,
    ) -> R {
        let corridor = Corridor::new(self.graph, is_inside);
        let mut meter = Meter { graph: &corridor, effort: self.effort, log: self.log.as_deref_mut() };
        let result = plan(&mut meter);
        self.effort = meter.effort;
        result
    }

    /// Searches without counting. Only for oracles, whose lookahead is not part of the agent's planning.
    pub fn foresee<R>(&self, look: impl FnOnce(&mut Meter<'_, G>) -> R) -> R {
        look(&mut Meter { graph: self.graph, effort: Effort::default(), log: None })
    }

    /// See [`Graph::directions`].
    #[inline(always)]
    pub fn directions(&self) -> u32 {
        self.graph.directions()
    }

    /// The initial heuristic to a goal.
    #[inline(always)]
    pub fn heuristic(&self, goal: State) -> Heuristic<'a, G> {
        Heuristic { graph: self.graph, to_goal: self.graph.to_goal(goal) }
    }

    /// The effort so far.
    pub fn effort(&self) -> Effort {
        self.effort
    }
}

/// The initial heuristic to one goal. Reading it is not counted, since it reveals no successors.
pub struct Heuristic<'a, G: Graph> {
    graph: &'a G,
    to_goal: G::GoalHeuristic,
}

impl<G: Graph> Heuristic<'_, G> {
    /// The estimate for a state.
    #[inline(always)]
    pub fn of(&self, state: State) -> Cost {
        self.graph.heuristic_to(self.to_goal, state)
    }
}
