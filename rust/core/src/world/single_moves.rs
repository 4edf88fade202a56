//! A trial of an agent that plans one move at a time on a known map: [`super::trial`] without plans, sensors, clocks and
//! traces.
//!
//! Such agents plan a move about as fast as the general loop does its bookkeeping. The results are the same.

use super::trial::{Planning, Setting, Status, Trial, doubtful};
use crate::agent::{Agent, Memory, SingleEpisode};
use crate::cost::{CARDINAL, DIAGONAL, Length};
use crate::graph::Graph;
use crate::grid::Terrain;
use crate::grid::components::Components;
use crate::meter::{Effort, Meter};
use crate::problems::Problem;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Runs one trial of `agent` from start to goal, after it has travelled `before` in earlier trials; `None` if the trial
/// was cancelled.
pub(super) fn trial<A: Agent>(
    agent: &mut A,
    memory: &mut Memory,
    legs: (Problem, Length),
    setting: Setting<'_>,
) -> Option<Trial> {
    // Our own copy, which nothing that is learned can overwrite, so that it need not be read again after every move.
    let geometry = setting.geometry.clone();
    let terrain = Terrain::new(&geometry, setting.grid.moves());
    match terrain.without_diagonals() {
        Some(terrain) => trial_on(&terrain, agent, memory, legs, setting),
        None => trial_on(&terrain, agent, memory, legs, setting),
    }
}

#[inline(always)]
fn trial_on<A: Agent, G: Graph>(
    graph: &G,
    agent: &mut A,
    memory: &mut Memory,
    (Problem { start, goal, optimal }, before): (Problem, Length),
    Setting { grid, limits, cancelled, .. }: Setting<'_>,
) -> Option<Trial> {
    let begun = Instant::now();
    let (steps, legal) = (grid.steps(), grid.moves());
    let furthest = limits.furthest(optimal, before);
    let cutoff = limits.cutoff.unwrap_or(u64::MAX);
    let doubtful = doubtful(grid);
    let changes_before = memory.learning().changes;
    agent.begin_trial();

    let mut meter = Meter::new(graph, None);
    let mut at = start;
    let (mut moves, mut diagonal, mut travelled, mut episodes) = (0u64, 0u64, 0u64, 0u64);
    let mut peaks = Peaks::default();
    let (status, reason) = loop {
        if at == goal {
            break (Status::Solved, None);
        }
        if travelled > furthest {
            break Status::far(limits);
        }
        if moves == doubtful && !Components::new(grid).connected(at, goal) {
            break Status::no_way(doubtful);
        }
        if cancelled.load(Ordering::Relaxed) {
            return None;
        }
        let counted = meter.effort();
        agent.begin_episode(moves + 1);
        let next = agent.single_move(SingleEpisode { meter: &mut meter, memory, at, goal });
        let planned = meter.effort().since(counted);
        episodes = moves + 1;
        if moves == 0 || planned.expanded > peaks.worst.expanded || planned.touched > peaks.worst.touched {
            peaks.rise(planned, before.moves() + episodes);
        }
        if planned.expanded > cutoff {
            break Status::past_cutoff(moves + 1, planned.expanded, cutoff);
        }
        if let Some(failure) = agent.failure() {
            break Status::broken_down(moves + 1, failure);
        }
        let Some(to) = next else { break Status::unplanned(moves + 1) };
        let Some(direction) = steps.direction(legal[at as usize], at, to) else {
            break Status::illegal(grid, moves + 1, at, to);
        };
        at = to;
        // Without a branch: which it is, is nothing that a branch predictor can guess.
        let is_diagonal = u64::from(direction & 1);
        moves += 1;
        diagonal += is_diagonal;
        travelled += u64::from(CARDINAL) + is_diagonal * u64::from(DIAGONAL - CARDINAL);
    };
    Some(Trial {
        status,
        reason,
        travel: Length { cardinal: moves - diagonal, diagonal },
        episodes,
        effort: meter.effort(),
        first: Planning { effort: peaks.first.unwrap_or_default(), ns: 0 },
        worst: peaks.worst,
        worst_move: peaks.worst_move,
        time_ns: begun.elapsed().as_nanos() as u64,
        changes: memory.learning().changes - changes_before,
        discovered: 0,
    })
}

/// The moves that took more planning than those before them.
#[derive(Default)]
struct Peaks {
    first: Option<Effort>,
    worst: Effort,
    worst_move: u64,
}

impl Peaks {
    /// Records the effort of a move. Cold, since few moves of a trial set a new maximum.
    #[cold]
    fn rise(&mut self, planned: Effort, number: u64) {
        self.first.get_or_insert(planned);
        if planned.expanded > self.worst.expanded {
            (self.worst.expanded, self.worst_move) = (planned.expanded, number);
        }
        self.worst.touched = self.worst.touched.max(planned.touched);
    }
}
