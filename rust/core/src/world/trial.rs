//! One trial: an agent moves from start to goal, planning in episodes, and all its planning is counted.
//!
//! A planning episode yields one or more moves; its effort is charged to the first of them, later moves of the same
//! plan cost nothing. The episode that passes the cutoff is finished and counted, then the trial ends.

use super::model::Model;
use super::runs::{Trials, World};
use super::sensor::{Sensor, View};
use super::single_moves;
use crate::abstraction::Hierarchy;
use crate::agent::{Agent, Discovery, Episode, Memory, Replan};
use crate::clock::Clock;
use crate::cost::{CARDINAL, DIAGONAL, Length};
use crate::graph::{Graph, State};
use crate::grid::components::Components;
use crate::grid::{DiagonalRule, Geometry, Grid, Steps, Terrain};
use crate::meter::{Effort, Meter};
use crate::pdb::Database;
use crate::problems::Problem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What bounds a trial.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// States that may be expanded for any one move.
    pub cutoff: Option<u64>,
    /// Nanoseconds that may pass planning any one move; only in timed trials.
    pub time_limit_ns: Option<u64>,
    /// Travel may be this many times the optimum, over all trials.
    pub alpha: Option<f64>,
}

impl Limits {
    /// How many units of cost may be walked after `before` was in earlier trials.
    pub(super) fn furthest(self, optimal: Length, before: Length) -> u64 {
        let furthest = self.alpha.map_or(u64::MAX, |alpha| (alpha * optimal.units() as f64) as u64);
        furthest.saturating_sub(before.units())
    }
}

/// How a trial ended, and why, unless it was solved. The reasons are cold, so that loops do not carry them about.
pub(super) type End = (Status, Option<String>);

/// How a trial ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The agent reached the goal.
    Solved,
    /// One move was planned past the cutoff.
    Cutoff,
    /// The agent travelled farther than α times the optimum.
    TravelCap,
    /// The trials came to their cap before one passed without learning or discovery.
    TrialCap,
    /// The agent found no move.
    Stuck,
    /// The agent named a move that is none.
    Illegal,
    /// The agent failed. Only plug-ins do.
    Error,
}

impl Status {
    /// The status as records spell it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Solved => "solved",
            Status::Cutoff => "cutoff",
            Status::TravelCap => "travel-cap",
            Status::TrialCap => "trial-cap",
            Status::Stuck => "stuck",
            Status::Illegal => "illegal",
            Status::Error => "error",
        }
    }

    /// The end of a trial that went past its travel cap.
    #[cold]
    pub(super) fn far(limits: Limits) -> End {
        let alpha = limits.alpha.unwrap_or_default();
        (Status::TravelCap, Some(format!("walked past {alpha} times the optimum")))
    }

    /// The end of a trial after so many moves, where no way leads to the goal.
    #[cold]
    pub(super) fn no_way(moves: u64) -> End {
        (Status::Stuck, Some(format!("walked {moves} moves where no way leads to the goal")))
    }

    /// The end of a trial that expanded more than it may for a move.
    #[cold]
    pub(super) fn past_cutoff(number: u64, expanded: u64, cutoff: u64) -> End {
        (Status::Cutoff, Some(format!("move {number} expanded {expanded} states, over {cutoff}")))
    }

    /// The end of a trial whose agent broke down.
    #[cold]
    pub(super) fn broken_down(number: u64, failure: String) -> End {
        (Status::Error, Some(format!("move {number}: {failure}")))
    }

    /// The end of a trial whose agent found no move.
    #[cold]
    pub(super) fn unplanned(number: u64) -> End {
        (Status::Stuck, Some(format!("move {number} could not be planned")))
    }

    /// The end of a trial whose agent named a move that is none.
    #[cold]
    pub(super) fn illegal(grid: &Grid, number: u64, at: State, to: State) -> End {
        (Status::Illegal, Some(illegal(grid, number, at, to)))
    }
}

/// Who looks a little ahead never finds out that there is no way. After so many moves a look at the whole map costs next to
/// nothing.
pub(super) fn doubtful(grid: &Grid) -> u64 {
    8 * grid.shape().cells() as u64
}

/// What one trial came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// How it ended.
    pub status: Status,
    /// Why, unless it was solved.
    pub reason: Option<String>,
    /// The distance that the agent travelled.
    pub travel: Length,
    /// How many times it planned.
    pub episodes: u64,
    /// All planning.
    pub effort: Effort,
    /// Planning before the first move.
    pub first: Planning,
    /// The most planning before any one move; expanded and touched each on its own.
    pub worst: Effort,
    /// Which move had the most states expanded before it, counted from 1 in the first trial on; 0 where there was none.
    pub worst_move: u64,
    /// How long the trial took, all of it.
    pub time_ns: u64,
    /// How many heuristic values changed.
    pub changes: u64,
    /// How many blocked cells were discovered.
    pub discovered: u64,
}

/// What one move cost to plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Planning {
    /// In states.
    pub effort: Effort,
    /// In nanoseconds, in timed trials.
    pub ns: u64,
}

/// A trial move by move.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The start, then where each move led.
    pub states: Vec<State>,
    /// Planning before each move, and last for the move that was not made where the trial was not solved.
    pub planning: Vec<Planning>,
    /// Every cell that was expanded, in order; states of abstract levels are not among them.
    pub expansions: Vec<State>,
    /// Every change of a cell's heuristic from episode to episode, in order; what is learned of abstract states is not
    /// among them. What was known before the trial comes first.
    pub rises: Vec<Rise>,
    /// Every cell that was found to be blocked, in order; those that were known before the trial come first.
    pub discovered: Vec<State>,
    /// How far these three lists had come when the agent stood at each of `states` and had looked around, and last when
    /// it had planned the move that was not made where the trial was not solved.
    pub ends: Vec<Ends>,
    /// By how much the heuristic of each cell has risen so far; empty where the agent learns of abstract states.
    risen: Vec<f64>,
}

/// A change of a cell's heuristic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rise {
    /// The cell.
    pub state: State,
    /// How far its heuristic is above the initial one now, in units of cost. Infinite where the cell is gone for good.
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

/// All of this is cold, so that walks that are not traced do not carry it about.
impl Trace {
    /// A trial begins, with all that the agent has learned and discovered before.
    #[cold]
    fn begin(start: State, learns_of_cells: bool, terrain: &Terrain<'_>, goal: State, memory: &Memory) -> Trace {
        let risen = if learns_of_cells { vec![0.0; terrain.states()] } else { Vec::new() };
        let mut trace = Trace { states: vec![start], risen, ..Trace::default() };
        if memory.learning().entries > 0 {
            (0..trace.risen.len() as State).for_each(|state| trace.look(terrain, memory, state, goal));
        }
        trace
    }

    /// Notes how far the heuristic of a cell has risen, where that is news.
    fn look<G: Graph>(&mut self, graph: &G, memory: &Memory, state: State, goal: State) {
        let Some(risen) = self.risen.get_mut(state as usize) else { return };
        let to = memory.risen(state, goal, |goal| graph.heuristic(state, goal));
        if to != *risen {
            *risen = to;
            self.rises.push(Rise { state, to });
        }
    }

    /// An episode has ended: nobody learns of a cell that it neither stands on nor has expanded, so that tables need not
    /// tell what they write. `before` is how many expansions there were before the episode.
    #[cold]
    fn learn<G: Graph>(&mut self, graph: &G, memory: &Memory, (at, goal): (State, State), before: usize) {
        self.look(graph, memory, at, goal);
        for number in before..self.expansions.len() {
            self.look(graph, memory, self.expansions[number], goal);
        }
    }

    /// Cells were found to be blocked.
    #[cold]
    fn discover(&mut self, blocked: &[State]) {
        self.discovered.extend_from_slice(blocked);
    }

    /// The agent has arrived somewhere and looked around, or given up.
    #[cold]
    fn end(&mut self) {
        let (expansions, rises, discovered) = (self.expansions.len(), self.rises.len(), self.discovered.len());
        self.ends.push(Ends { expansions, rises, discovered });
    }
}

/// The circumstances of a trial.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// The map.
    pub grid: &'a Grid,
    /// The map's geometry, with successors in the order in which the agent breaks ties.
    pub geometry: &'a Geometry,
    /// What the agent sees.
    pub sensor: Sensor,
    /// The hierarchy of the map, or of an open one where the agent does not see all; for agents that need one.
    pub hierarchy: Option<&'a Arc<Hierarchy>>,
    /// The pattern databases that the agent asked for.
    pub databases: &'a [Arc<Database>],
    /// What bounds the trial.
    pub limits: Limits,
    /// Whether the agent runs once or until it has nothing left to learn.
    pub trials: Trials,
    /// The clock of timed trials.
    pub clock: Option<Clock>,
    /// Raised to abandon the trial.
    pub cancelled: &'a AtomicBool,
}

impl World {
    /// Lets `agent` walk from start to goal once, after it has walked `before` in earlier trials; none where the trial
    /// was abandoned.
    pub(super) fn trial<A: Agent>(
        &mut self,
        agent: &mut A,
        memory: &mut Memory,
        legs: (Problem, Length),
        setting: Setting<'_>,
        trace: Option<&mut Trace>,
    ) -> Option<Trial> {
        // Agents that plan next to nothing would spend most of their time on questions that are answered here once.
        let is_plain = setting.sensor == Sensor::All && setting.clock.is_none() && trace.is_none();
        if is_plain && A::STEPS {
            single_moves::trial(agent, memory, legs, setting)
        } else if is_plain {
            self.trial_with::<A, false>(agent, memory, legs, setting, None)
        } else {
            self.trial_with::<A, true>(agent, memory, legs, setting, trace)
        }
    }

    /// As [`World::trial`]. Without `MORE`, the agent sees all, no time is measured and nothing is traced.
    fn trial_with<A: Agent, const MORE: bool>(
        &mut self,
        agent: &mut A,
        memory: &mut Memory,
        (problem, before): (Problem, Length),
        setting: Setting<'_>,
        trace: Option<&mut Trace>,
    ) -> Option<Trial> {
        let Setting { grid, geometry, sensor, hierarchy, limits, clock, cancelled, .. } = setting;
        let (mut trace, clock) = (trace.filter(|_| MORE), clock.filter(|_| MORE));
        let World { model, plan, discovered, times } = self;
        let Problem { start, goal, optimal } = problem;
        let begun = Instant::now();
        let steps = grid.steps();
        let furthest = limits.furthest(optimal, before);
        let cutoff = limits.cutoff.unwrap_or(u64::MAX);
        let time_limit_ns = limits.time_limit_ns.unwrap_or(u64::MAX);
        let doubtful = doubtful(grid);
        let changes_before = memory.learning().changes;

        let mut at = start;
        let (mut travel, mut travelled, mut episodes) = (Length::default(), 0u64, 0);
        let (mut effort, mut first, mut worst, mut worst_move) = (Effort::default(), None, Effort::default(), 0);
        // Planning since the last move: what the next move costs.
        let mut pending = Planning::default();
        plan.clear();
        let mut next = 0;
        let mut found = 0;
        agent.begin_trial();
        let (knows_all, replan) = (!MORE || sensor == Sensor::All, agent.replan());
        let known = Terrain::new(geometry, grid.moves());
        if let Some(trace) = &mut trace {
            **trace = Trace::begin(start, hierarchy.is_none(), &known, goal, memory);
            if !knows_all {
                trace.discover(model.found());
            }
        }
        // What the sensor shows is told to the agent, where it is new. Tells whether that blocks the way that lies ahead.
        let mut sense = |model: &mut Model,
                         agent: &mut A,
                         memory: &mut Memory,
                         (view, way): (View, &[State]),
                         trace: &mut Option<&mut Trace>| {
            discovered.clear();
            model.sense(grid, view, discovered);
            if discovered.is_empty() {
                return false;
            }
            found += discovered.len() as u64;
            if let Some(trace) = trace {
                trace.discover(discovered);
            }
            if hierarchy.is_some() {
                memory.abstraction.discover(discovered);
            }
            agent.discovered(Discovery { blocked: discovered, shape: grid.shape() });
            match (replan, grid.rule()) {
                (Replan::Discovered, _) => true,
                (Replan::NextBlocked, _) => false,
                // A diagonal move past a blocked cell is lost as well.
                (Replan::Blocked, DiagonalRule::Strict) => is_blocked(model.moves(), steps, view.at, way),
                (Replan::Blocked, DiagonalRule::Free | DiagonalRule::None) => {
                    discovered.iter().any(|cell| way.contains(cell))
                }
            }
        };
        if !knows_all {
            sense(model, agent, memory, (sensor.from(at), &[]), &mut trace);
        }
        if let Some(trace) = &mut trace {
            trace.end();
        }

        let (status, reason) = loop {
            if at == goal {
                break (Status::Solved, None);
            }
            if travelled > furthest {
                break Status::far(limits);
            }
            if travel.moves() == doubtful && !Components::new(grid).connected(at, goal) {
                break Status::no_way(doubtful);
            }
            // A plan that is followed until its next move is blocked.
            if replan == Replan::NextBlocked && !knows_all && next < plan.len() {
                let is_known = steps.direction(model.moves()[at as usize], at, plan[next]).is_some();
                next = if is_known { next } else { plan.len() };
            }
            if next == plan.len() {
                if cancelled.load(Ordering::Relaxed) {
                    return None;
                }
                plan.clear();
                next = 0;
                agent.begin_episode(travel.moves() + 1);
                let terrain = if knows_all { known } else { Terrain::new(geometry, model.moves()) };
                let asked = clock.map(|clock| clock.now());
                let episode = match terrain.without_diagonals() {
                    Some(terrain) => plan_on(&terrain, trace.as_deref_mut(), agent, memory, (at, goal), plan),
                    None => plan_on(&terrain, trace.as_deref_mut(), agent, memory, (at, goal), plan),
                };
                if let (Some(clock), Some(asked)) = (clock, asked) {
                    pending.ns += clock.ns(asked, clock.now());
                }
                episodes += 1;
                effort.add(episode);
                pending.effort.add(episode);
                if pending.effort.expanded > worst.expanded {
                    (worst.expanded, worst_move) = (pending.effort.expanded, before.moves() + travel.moves() + 1);
                }
                worst.touched = worst.touched.max(pending.effort.touched);
                if pending.effort.expanded > cutoff {
                    break Status::past_cutoff(travel.moves() + 1, pending.effort.expanded, cutoff);
                }
                if pending.ns > time_limit_ns {
                    let (number, ns) = (travel.moves() + 1, pending.ns);
                    break (Status::Cutoff, Some(format!("move {number} took {ns} ns to plan, over {time_limit_ns}")));
                }
                if let Some(failure) = agent.failure() {
                    break Status::broken_down(travel.moves() + 1, failure);
                }
                if plan.is_empty() {
                    break Status::unplanned(travel.moves() + 1);
                }
            }

            let to = plan[next];
            let Some(direction) = steps.direction(grid.moves()[at as usize], at, to) else {
                if knows_all || steps.direction(model.moves()[at as usize], at, to).is_none() {
                    break Status::illegal(grid, travel.moves() + 1, at, to);
                }
                // A sensor too short to show what is in the way: the agent runs into it, knows it now, and plans anew.
                sense(model, agent, memory, (Sensor::Square(1).from(at), &[]), &mut trace);
                next = plan.len();
                continue;
            };
            next += 1;
            let view = sensor.after(at, to);
            at = to;
            // Without a branch: which it is, is nothing that a branch predictor can guess.
            let is_diagonal = u64::from(direction & 1);
            travel.cardinal += 1 - is_diagonal;
            travel.diagonal += is_diagonal;
            travelled += u64::from(CARDINAL) + is_diagonal * u64::from(DIAGONAL - CARDINAL);
            first.get_or_insert(pending);
            if clock.is_some() {
                times.push(pending.ns);
            }
            if let Some(trace) = &mut trace {
                trace.states.push(at);
                trace.planning.push(pending);
            }
            pending = Planning::default();
            // A plan that runs into what was discovered is abandoned.
            let is_familiar = knows_all || model.is_familiar(grid, view);
            if !is_familiar && sense(model, agent, memory, (view, &plan[next..]), &mut trace) {
                next = plan.len();
            }
            if let Some(trace) = &mut trace {
                trace.end();
            }
        };
        // What was planned for a move that was never made was planned all the same.
        if status != Status::Solved {
            first.get_or_insert(pending);
            if clock.is_some() {
                times.push(pending.ns);
            }
            if let Some(trace) = &mut trace {
                trace.planning.push(pending);
                trace.end();
            }
        }

        Some(Trial {
            status,
            reason,
            travel,
            episodes,
            effort,
            first: first.unwrap_or_default(),
            worst,
            worst_move,
            time_ns: begun.elapsed().as_nanos() as u64,
            changes: memory.learning().changes - changes_before,
            discovered: found,
        })
    }
}

/// One planning episode on one kind of graph: how much was planned.
#[inline]
fn plan_on<A: Agent, G: Graph>(
    graph: &G,
    mut trace: Option<&mut Trace>,
    agent: &mut A,
    memory: &mut Memory,
    (at, goal): (State, State),
    plan: &mut Vec<State>,
) -> Effort {
    let before = trace.as_ref().map_or(0, |trace| trace.expansions.len());
    let mut meter = Meter::new(graph, trace.as_deref_mut().map(|trace| &mut trace.expansions));
    agent.plan(Episode { meter: &mut meter, memory, at, goal, plan });
    let effort = meter.effort();
    if let Some(trace) = trace {
        trace.learn(graph, memory, (at, goal), before);
    }
    effort
}

/// What is wrong with a move, in words.
fn illegal(grid: &Grid, number: u64, at: State, to: State) -> String {
    let shape = grid.shape();
    let (x, y) = shape.xy(at);
    let from = format!("move {number} from {x},{y}");
    if to as usize >= shape.cells() {
        return format!("{from} leads to the state {to}, which lies outside of the map");
    }
    let (to_x, to_y) = shape.xy(to);
    if !grid.is_free(to) {
        format!("{from} leads to {to_x},{to_y}, which is a wall")
    } else if x.abs_diff(to_x) > 1 || y.abs_diff(to_y) > 1 {
        format!("{from} leads to {to_x},{to_y}, which is a jump")
    } else {
        format!("{from} leads to {to_x},{to_y}, where no move leads from there")
    }
}

/// Whether a way has a move that is not legal any more.
fn is_blocked(moves: &[u8], steps: &Steps, from: State, way: &[State]) -> bool {
    let mut at = from;
    way.iter().any(|&to| {
        let legal = steps.direction(moves[at as usize], at, to).is_some();
        at = to;
        !legal
    })
}
