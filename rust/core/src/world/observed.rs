//! Trials in which the agent senses the map, or that are timed or traced.

use super::ledger::Planning;
use super::model::{Found, Model};
use super::runs::World;
use super::sensor::{Sensor, View};
use super::trace::Trace;
use super::trial::{MoveSource, Setting};
use crate::agent::{Agent, Discovery, Episode, Memory, Replan};
use crate::graph::{Graph, State};
use crate::grid::{DiagonalRule, Steps, Terrain};
use crate::histogram::Histogram;
use crate::meter::Meter;
use crate::problems::Problem;

/// The moves of an agent, and the observers of its trial.
pub(super) struct Observed<'a> {
    setting: Setting<'a>,
    world: &'a mut World,
    trace: Option<&'a mut Trace>,
    replan: Replan,
    /// The place of the next move in the plan.
    next: usize,
    /// The number of blocked cells discovered in this trial.
    pub(super) discovered: u64,
    /// Whether the agent has planned since its last move.
    has_planned: bool,
}

impl<'a> Observed<'a> {
    /// Begins a trial. The agent uses its sensor at the start.
    pub(super) fn new<A: Agent>(
        world: &'a mut World,
        setting: Setting<'a>,
        trace: Option<&'a mut Trace>,
        agent: &mut A,
        memory: &mut Memory,
        problem: Problem,
    ) -> Observed<'a> {
        world.plan.clear();
        world.stopwatch.begin_trial();
        let replan = agent.replan();
        let mut this = Observed { setting, world, trace, replan, next: 0, discovered: 0, has_planned: false };
        if let Some(trace) = &mut this.trace {
            let known = Terrain::new(setting.geometry, setting.grid.moves());
            **trace = Trace::new(problem, setting.hierarchy.is_none(), &known, memory);
            trace.discover(if this.setting.sensor == Sensor::All { &[] } else { this.world.model.found() });
        }
        if !this.knows_all() {
            this.sense(agent, memory, setting.sensor.from(problem.start));
        }
        if let Some(trace) = &mut this.trace {
            trace.end();
        }
        this
    }

    fn knows_all(&self) -> bool {
        self.setting.sensor == Sensor::All
    }

    /// Reports new obstacles in view to the agent. Returns whether they end the plan.
    fn sense<A: Agent>(&mut self, agent: &mut A, memory: &mut Memory, view: View) -> bool {
        let World { model, plan, discovered, .. } = &mut *self.world;
        let grid = self.setting.grid;
        discovered.clear();
        model.sense(grid, view, discovered);
        if discovered.count() == 0 {
            return false;
        }
        self.discovered += discovered.count() as u64;
        let Found { blocked, lost } = discovered;
        if let Some(trace) = &mut self.trace {
            trace.discover(blocked);
        }
        if self.setting.hierarchy.is_some() {
            memory.abstraction.discover(blocked, lost);
        }
        agent.discovered(Discovery { blocked, lost, shape: grid.shape() });
        let rest = &plan[self.next..];
        match (self.replan, grid.rule()) {
            (Replan::Discovered, _) => true,
            (Replan::NextBlocked, _) => false,
            // A blocked cell also forbids diagonal moves past it, as does a cliff under every rule.
            (Replan::Blocked, DiagonalRule::Free | DiagonalRule::None) if lost.is_empty() => {
                blocked.iter().any(|cell| rest.contains(cell))
            }
            (Replan::Blocked, _) => is_blocked(model, grid.steps(), view.at, rest),
        }
    }

    /// Records the end of an unsolved trial, with the planning of the move that was not made.
    pub(super) fn fail(&mut self, planning: Planning) {
        self.record(planning);
        if let Some(trace) = &mut self.trace {
            trace.end();
        }
    }

    /// Records the planning of a move, whether it was made or not.
    #[inline(always)]
    fn record(&mut self, planning: Planning) {
        if self.setting.clock.is_some() {
            let planned = std::mem::take(&mut self.has_planned).then_some(planning);
            self.world.stopwatch.record(planned);
        }
        if let Some(trace) = &mut self.trace {
            trace.planning.push(planning);
        }
    }
}

impl<A: Agent> MoveSource<A> for Observed<'_> {
    #[inline(always)]
    fn histogram(&mut self) -> &mut Histogram {
        &mut self.world.histogram
    }

    #[inline(always)]
    fn planned(&mut self, at: State) -> Option<State> {
        let to = *self.world.plan.get(self.next)?;
        if self.replan == Replan::NextBlocked
            && !self.knows_all()
            && !is_legal(&self.world.model, self.setting.grid.steps(), at, to)
        {
            return None;
        }
        self.next += 1;
        Some(to)
    }

    #[inline(always)]
    fn plan(&mut self, agent: &mut A, memory: &mut Memory, at: State, goal: State) -> (Planning, Option<State>) {
        let Setting { grid, geometry, clock, .. } = self.setting;
        let moves = if self.knows_all() { grid.moves() } else { self.world.model.moves() };
        let (terrain, plan, trace) = (Terrain::new(geometry, moves), &mut self.world.plan, self.trace.as_deref_mut());
        plan.clear();
        self.next = 1;
        self.has_planned = true;
        let started = clock.map(|clock| (self.world.stopwatch.watch(), clock.now()));
        let mut planning = match terrain.without_diagonals() {
            Some(terrain) => plan_on(&terrain, trace, agent, memory, at, goal, plan),
            None => plan_on(&terrain, trace, agent, memory, at, goal, plan),
        };
        if let (Some(clock), Some((watched, started))) = (clock, started) {
            let ns = clock.ns(started, clock.now());
            planning.ns = self.world.stopwatch.time(watched, ns);
        }
        self.world.longest_plan = self.world.longest_plan.max(plan.len());
        (planning, plan.first().copied())
    }

    #[inline(always)]
    fn moved(&mut self, agent: &mut A, memory: &mut Memory, from: State, to: State, planning: Planning) {
        self.record(planning);
        let view = self.setting.sensor.after(from, to);
        let is_familiar = self.knows_all() || self.world.model.is_familiar(self.setting.grid, view);
        if !is_familiar && self.sense(agent, memory, view) {
            self.next = self.world.plan.len();
        }
        if let Some(trace) = &mut self.trace {
            trace.states.push(to);
            trace.end();
        }
    }

    fn bumped(&mut self, agent: &mut A, memory: &mut Memory, at: State, to: State) -> bool {
        if self.knows_all() || !is_legal(&self.world.model, self.setting.grid.steps(), at, to) {
            return false;
        }
        self.next = self.world.plan.len();
        self.sense(agent, memory, Sensor::Square(1).from(at));
        true
    }
}

/// Plans one episode on one kind of graph. All trials plan here, so that the compiler has one place to inline an
/// agent's `plan`, which then keeps the counts of the meter in registers.
#[inline]
pub(super) fn plan_on<A: Agent, G: Graph>(
    graph: &G,
    mut trace: Option<&mut Trace>,
    agent: &mut A,
    memory: &mut Memory,
    at: State,
    goal: State,
    plan: &mut Vec<State>,
) -> Planning {
    let before = trace.as_ref().map_or(0, |trace| trace.expansions.len());
    let mut meter = Meter::new(graph, trace.as_deref_mut().map(|trace| &mut trace.expansions));
    agent.plan(Episode { meter: &mut meter, memory, at, goal, plan });
    let effort = meter.effort();
    if let Some(trace) = trace {
        trace.learn(graph, memory, at, goal, before);
    }
    Planning { effort, ns: 0 }
}

/// Whether a move is legal as far as the agent knows.
fn is_legal(model: &Model, steps: &Steps, at: State, to: State) -> bool {
    steps.direction(model.moves()[at as usize], at, to).is_some()
}

/// Whether a move of a path is no longer legal.
fn is_blocked(model: &Model, steps: &Steps, from: State, path: &[State]) -> bool {
    let mut at = from;
    path.iter().any(|&to| !is_legal(model, steps, std::mem::replace(&mut at, to), to))
}
