//! Traces of trials, for replays.

use super::ledger::Planning;
use crate::agent::Memory;
use crate::graph::{Graph, State};
use crate::grid::Terrain;
use crate::problems::Problem;

/// A trial move by move.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The start, then the state after each move.
    pub states: Vec<State>,
    /// The planning of each move. If the trial was not solved, the last entry is that of the move that was not made.
    pub planning: Vec<Planning>,
    /// Every cell that was expanded, in order, without states of abstract levels.
    pub expansions: Vec<State>,
    /// Every change of a cell's heuristic from episode to episode, in order, without heuristics of abstract states.
    /// Changes from before the trial come first.
    pub rises: Vec<Rise>,
    /// Every cell that was found to be blocked, in order. Cells that were known before the trial come first.
    pub discovered: Vec<State>,
    /// The lengths of these three lists after the agent arrived at each of `states` and used its sensor. If the trial
    /// was not solved, the last entry also covers the planning of the move that was not made.
    pub ends: Vec<Ends>,
    /// The current increase of each cell's heuristic; empty if the agent learns heuristics of abstract states.
    risen: Vec<f64>,
}

/// A change of a cell's heuristic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rise {
    /// The cell.
    pub state: State,
    /// The new increase over the initial heuristic, in units of cost. Infinite if the cell was removed.
    pub to: f64,
}

/// Lengths of the lists of a [`Trace`] at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Ends {
    pub expansions: usize,
    pub rises: usize,
    pub discovered: usize,
}

/// All of this is cold, so that trials that are not traced do not contain it.
impl Trace {
    /// Starts a trace with everything that the agent learned in earlier trials.
    #[cold]
    pub(super) fn new(problem: Problem, learns_cells: bool, terrain: &Terrain<'_>, memory: &Memory) -> Trace {
        let risen = if learns_cells { vec![0.0; terrain.states()] } else { Vec::new() };
        let mut trace = Trace { states: vec![problem.start], risen, ..Trace::default() };
        if memory.learning().entries > 0 {
            (0..trace.risen.len() as State).for_each(|state| trace.record_rise(terrain, memory, state, problem.goal));
        }
        trace
    }

    /// Records the increase of a cell's heuristic if it has changed.
    fn record_rise<G: Graph>(&mut self, graph: &G, memory: &Memory, state: State, goal: State) {
        let Some(risen) = self.risen.get_mut(state as usize) else { return };
        let to = memory.risen(state, goal, |goal| graph.heuristic(state, goal));
        if to != *risen {
            *risen = to;
            self.rises.push(Rise { state, to });
        }
    }

    /// Records the learning of an episode. Agents change only heuristics of the current cell and of expanded cells, so
    /// it suffices to check these. `before` is the number of expansions before the episode.
    #[cold]
    pub(super) fn learn<G: Graph>(&mut self, graph: &G, memory: &Memory, at: State, goal: State, before: usize) {
        self.record_rise(graph, memory, at, goal);
        for number in before..self.expansions.len() {
            self.record_rise(graph, memory, self.expansions[number], goal);
        }
    }

    /// Records cells that were found to be blocked.
    #[cold]
    pub(super) fn discover(&mut self, blocked: &[State]) {
        self.discovered.extend_from_slice(blocked);
    }

    /// Records that the agent has arrived at a state and used its sensor, or that the trial has failed.
    #[cold]
    pub(super) fn end(&mut self) {
        let (expansions, rises, discovered) = (self.expansions.len(), self.rises.len(), self.discovered.len());
        self.ends.push(Ends { expansions, rises, discovered });
    }
}
