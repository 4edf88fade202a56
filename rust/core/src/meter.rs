//! The only thing that counts.
//!
//! An agent searches graphs, the ground and its abstractions, through a [`Meter`] and in no other way, so any two agents
//! are measured alike:
//!
//! * **expanded**: calls of [`Meter::expand`], which generates all successors of a state; every call counts,
//!   re-expansions too;
//! * **touched**: edges, that is every successor generated, duplicates included, whether an
//!   agent looks at it or not.

use crate::cost::{Cost, Sum};
use crate::graph::{Around, Corridor, Graph, MOST_SUCCESSORS, State, Successor};

/// Planning, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// States whose successors were generated.
    pub expanded: u64,
    /// Successors generated.
    pub touched: u64,
}

impl Effort {
    /// Takes in more.
    pub fn add(&mut self, more: Effort) {
        self.expanded += more.expanded;
        self.touched += more.touched;
    }

    /// What was counted since `earlier`.
    #[inline(always)]
    pub fn since(self, earlier: Effort) -> Effort {
        Effort { expanded: self.expanded - earlier.expanded, touched: self.touched - earlier.touched }
    }
}

/// The way to successors, for one planning episode.
pub struct Meter<'a, G> {
    graph: &'a G,
    effort: Effort,
    log: Option<&'a mut Vec<State>>,
}

impl<'a, G: Graph> Meter<'a, G> {
    /// A meter at zero; every expanded state is appended to `log`.
    pub(crate) fn new(graph: &'a G, log: Option<&'a mut Vec<State>>) -> Meter<'a, G> {
        Meter { graph, effort: Effort::default(), log }
    }

    /// The graph itself, for tests that look for themselves.
    #[cfg(test)]
    pub(crate) fn graph(&self) -> &'a G {
        self.graph
    }

    /// How coarsely searches may sort costs, see [`Graph::grain`].
    #[inline(always)]
    pub fn grain(&self) -> u32 {
        self.graph.grain()
    }

    /// States are below this number.
    pub fn states(&self) -> usize {
        self.graph.states()
    }

    /// Expands a state: visits every successor with the cost of going there, in the order in which ties break.
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

    /// As [`Meter::expand_towards`], but visits only the successors that pass `test`, which may be asked of other states
    /// too; all successors count.
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

    /// As [`Meter::expand`], for those who want nothing but the successor with the least value, the first of equals;
    /// see [`Graph::least_towards`].
    #[inline(always)]
    pub fn expand_to_least(
        &mut self,
        state: State,
        h: &Heuristic<'_, G>,
        value: impl Fn(State, Cost, Cost) -> Sum,
    ) -> Option<(Cost, State)> {
        self.count(state);
        let (least, count) = self.graph.least_towards(state, h.to_goal, value);
        self.effort.touched += count as u64;
        least
    }

    /// As [`Meter::expand_to_least`], of what going there weighs and what is learned, see [`Graph::least_learned`].
    #[inline(always)]
    pub fn expand_to_least_learned(
        &mut self,
        state: State,
        h: &Heuristic<'_, G>,
        learned: &[Cost],
        weigh: impl Fn(Cost) -> Cost,
    ) -> Option<(Cost, State)> {
        self.count(state);
        let (least, count) = self.graph.least_learned(state, h.to_goal, learned, weigh);
        self.effort.touched += count as u64;
        least
    }

    /// As [`Meter::expand`], with all successors written where the caller wants them, see [`Graph::write_learned`].
    #[inline(always)]
    pub fn expand_into(
        &mut self,
        state: State,
        h: &Heuristic<'_, G>,
        learned: &[Cost],
        successors: &mut [Successor; MOST_SUCCESSORS],
    ) -> u32 {
        self.count(state);
        self.reread_into(state, h, learned, successors)
    }

    /// The same of a state that was expanded in this episode.
    #[inline(always)]
    pub fn reread_into(
        &mut self,
        state: State,
        h: &Heuristic<'_, G>,
        learned: &[Cost],
        successors: &mut [Successor; MOST_SUCCESSORS],
    ) -> u32 {
        let count = self.graph.write_learned(state, h.to_goal, learned, successors);
        self.effort.touched += count as u64;
        count
    }

    /// As [`Meter::expand`], for those to whom it matters which successors lie side by side; none where the graph is no
    /// grid.
    #[inline(always)]
    pub fn expand_around(&mut self, state: State, h: &Heuristic<'_, G>) -> Option<Around<'a>> {
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

    /// Reads the successors of a state that was expanded in this episode once more, to update what was learned, and
    /// visits those that pass `test`, as [`Meter::expand_if_towards`] does.
    #[inline(always)]
    pub fn reread_if(&mut self, state: State, test: impl Fn(State, Cost) -> bool, visit: impl FnMut(State, Cost)) {
        self.effort.touched += self.graph.successors_if(state, test, visit) as u64;
    }

    /// As [`Meter::reread_if`], for those who want nothing but the least value of a successor, infinity where there is
    /// none.
    #[inline(always)]
    pub fn reread_least(&mut self, state: State, value: impl Fn(State, Cost) -> Cost) -> Cost {
        let (least, count) = self.graph.least(state, value);
        self.effort.touched += count as u64;
        least
    }

    /// Plans on another graph, an abstraction of this one: what is done there counts here.
    pub fn on<H: Graph, R>(&mut self, graph: &H, plan: impl FnOnce(&mut Meter<'_, H>) -> R) -> R {
        // What is logged are states of this graph.
        let mut meter = Meter { graph, effort: self.effort, log: None };
        let result = plan(&mut meter);
        self.effort = meter.effort;
        result
    }

    /// Plans within the part of the graph where `is_inside` holds: nothing outside is a successor, or counts as one.
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

    /// Looks without counting: for an oracle, whose foresight is no planning of the agent, and for nobody else. What is
    /// expanded here is in no record; what the agent then plans itself counts as ever.
    pub fn foresee<R>(&self, look: impl FnOnce(&mut Meter<'_, G>) -> R) -> R {
        look(&mut Meter { graph: self.graph, effort: Effort::default(), log: None })
    }

    /// How many successors a state has where nothing is in the way.
    #[inline(always)]
    pub fn directions(&self) -> u32 {
        self.graph.directions()
    }

    /// The initial heuristic towards a goal.
    #[inline(always)]
    pub fn heuristic(&self, goal: State) -> Heuristic<'a, G> {
        Heuristic { graph: self.graph, to_goal: self.graph.to_goal(goal) }
    }

    /// What was counted so far.
    pub fn effort(&self) -> Effort {
        self.effort
    }
}

/// The initial heuristic towards one goal. It leads to no successors, so asking is free.
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
