//! Learning Real-Time Search: Figure 3 of graph-abstraction-2007, lines 1 to 9.
//!
//! Line 1: breadth-first plies with duplicate detection. Line 2 finds the state with the lowest f = γ·g + h of each
//! ply, without path-max; g is the minimum over the paths with the fewest moves, and γ applies to each edge. Line 3
//! raises the heuristic of the current state to the maximum of these f. Line 4 adds the increase to u. Lines 5 and 6:
//! if u ≤ T, the agent makes all d moves to the best state of the last ply. Line 8: otherwise u = T, and the agent
//! returns along its path to the state where it planned before; at the start it moves forward. Each trial starts with u
//! = 0.
//!
//! A goal within d plies ends the lookahead and represents its ply in line 3. If a ply is empty, the previous one is
//! the last. If a discovery cut a path short, the agent returns along the part that it has travelled.
//!
//! SLA*, SLA*T and γ-Trap (Section 6) are this agent with some parameters fixed.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Discovery, Episode, Memory};
use crate::cost::{CARDINAL, Weight};
use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::search::learned::Learned;
use crate::search::lookahead::{Lookahead, LookaheadContext};
use crate::search::neighbour::best_neighbour;
use crate::search::table::bytes;
use crate::search::ties::Ties;

pub const ENTRY: Entry = Entry {
    about: "Looks d moves ahead, raises the heuristic to the maximum over the plies of their minimal γ·g + h, and \
            makes all d moves. After it has learned more than T, it returns to the state where it planned before.",
    counts: COUNTS,
    learns: true,
    backtracks: |values| values.real("T").is_finite(),
    params: &[DEPTH, GAMMA, QUOTA],
    label: |values| format!("(d={}, γ={}, T={})", values.get("d"), values.get("gamma"), values.get("T")),
    samples: &["lrts(d=3, gamma=0.5, T=10)", "lrts(d=5, gamma=0.8, ties=random)", "lrts(d=2, T=0)"],
    shortest_samples: &["lrts"],
    ..Entry::new("lrts", "LRTS", "Bulitko and Lee 2006; graph-abstraction-2007, Figure 3", |values| {
        Ok(Box::new(Lrts::new(values.integer("d"), values.real("gamma"), values.real("T"))))
    })
};

pub(super) const COUNTS: &str = "expanded: states less than d moves away, (2d-1)² on open ground; touched: their \
                                 successors, and those of states on a return path that is checked after a discovery";

/// The depth of the lookahead.
pub(super) const DEPTH: Param = Param::integer("d", 1, 1000, "1", "lookahead depth, and number of moves to make");

/// The weight on costs.
pub(super) const GAMMA: Param = Param::share("gamma", "1", "optimality weight γ of the cost to the frontier");

/// The learning quota.
pub(super) const QUOTA: Param = Param::amount(
    "T",
    "inf",
    "learning quota: increase of heuristics per trial, in cells, after which learning makes the agent move back",
);

pub(super) struct Lrts {
    depth: u32,
    /// Whether it plans on a graph other than a grid, where a neighbour of the goal may have the goal's value.
    pub(super) is_any_graph: bool,
    weight: Weight,
    /// T, in units of cost; `None` if it is infinite.
    quota: Option<u64>,
    /// u.
    amount: u64,
    trail: Trail,
}

impl Lrts {
    pub(super) fn new(depth: u64, gamma: f64, quota: f64) -> Lrts {
        Lrts {
            depth: depth as u32,
            is_any_graph: false,
            weight: Weight::new(gamma),
            quota: quota.is_finite().then(|| (quota * CARDINAL as f64).round() as u64),
            amount: 0,
            trail: Trail::default(),
        }
    }
}

impl Agent for Lrts {
    fn begin_problem(&mut self) {
        self.trail = Trail::default();
    }

    fn peak_bytes(&self) -> Option<u64> {
        Some(self.trail.peak_bytes)
    }

    fn begin_trial(&mut self) {
        self.amount = 0;
        self.trail.clear();
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, lookahead, ties, .. } = memory;
        self.step(meter, Tools { learned, lookahead, ties }, at, goal, plan);
    }

    fn discovered(&mut self, _: Discovery<'_>) {
        self.trail.is_uncertain = true;
    }
}

/// The tables that LRTS uses, on any graph.
pub(super) struct Tools<'a> {
    pub(super) learned: &'a mut Learned,
    pub(super) lookahead: &'a mut Lookahead,
    pub(super) ties: &'a mut Ties,
}

impl Lrts {
    /// Figure 3: plans the next moves from `at` on the graph behind the meter, and learns.
    pub(super) fn step<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        tools: Tools<'_>,
        at: State,
        goal: State,
        plan: &mut Vec<State>,
    ) {
        let h0 = meter.heuristic(goal);
        let Tools { learned, lookahead, ties } = tools;
        let before = learned.or(at, h0.of(at));
        let is_one_move = self.depth == 1 && !self.is_any_graph;
        let (f, to) = if is_one_move {
            // The lookahead below without its tables.
            let best = match self.weight {
                Weight::ONE => best_neighbour(meter, learned, ties, &h0, at, |cost| cost),
                weight => best_neighbour(meter, learned, ties, &h0, at, |cost| weight.of(cost)),
            };
            let Some(best) = best else { return };
            best
        } else {
            let heuristic = |state| learned.or(state, h0.of(state));
            let weigh = |cost| self.weight.of(cost);
            let context = LookaheadContext { from: at, goal, path_max: None, weigh, heuristic };
            let promise = lookahead.run(meter, ties, self.depth, context);
            if promise.state == at {
                return;
            }
            (promise.max_of_min, promise.state)
        };
        learned.set(at, before, f.max(before));

        if let Some(quota) = self.quota {
            self.trail.arrive(at);
            self.amount += f.saturating_sub(before) as u64;
            if self.amount > quota {
                self.amount = quota;
                if self.trail.go_back(meter, plan) {
                    return;
                }
            }
        }
        let begin = plan.len();
        if is_one_move {
            plan.push(to);
        } else {
            lookahead.path(to, plan);
        }
        if self.quota.is_some() {
            self.trail.set_out(&plan[begin..]);
        }
    }
}

/// The stack of the states where the agent planned in this trial, with the paths between them.
#[derive(Default)]
struct Trail {
    /// The concatenated paths. The last state is the current one or, after a plan, the end of that plan.
    states: Vec<State>,
    /// The places in `states` of the states where the agent planned and which it left.
    planned_from: Vec<usize>,
    /// Whether anything was discovered in this trial. A path on a grid stays legal, but an abstract graph may lose
    /// edges when it is repaired.
    is_uncertain: bool,
    /// The maximum of the bytes in use.
    peak_bytes: u64,
}

impl Trail {
    fn clear(&mut self) {
        self.states.clear();
        self.planned_from.clear();
        self.is_uncertain = false;
    }

    /// Records that the agent is at `at`, which may be before the end of its plan.
    fn arrive(&mut self, at: State) {
        let begin = self.planned_from.last().map_or(0, |begin| *begin);
        match self.states[begin..].iter().rposition(|state| *state == at) {
            Some(moves) => {
                self.states.truncate(begin + moves + 1);
                if moves == 0 {
                    self.planned_from.pop();
                }
            }
            None => {
                self.states.clear();
                self.planned_from.clear();
                self.states.push(at);
            }
        }
    }

    /// Records that the agent leaves the current state on this path.
    fn set_out(&mut self, path: &[State]) {
        self.planned_from.push(self.states.len() - 1);
        self.states.extend(path);
        let now = bytes::<State>(self.states.len()) + bytes::<usize>(self.planned_from.len());
        self.peak_bytes = self.peak_bytes.max(now);
    }

    /// Plans the path back to the state where the agent planned before. Returns whether it exists and is still legal.
    fn go_back<G: Graph>(&mut self, meter: &mut Meter<'_, G>, plan: &mut Vec<State>) -> bool {
        let Some(begin) = self.planned_from.pop() else { return false };
        let is_legal = |step: &[State]| {
            let mut is_edge = false;
            meter.reread_if(step[1], |successor, _| successor == step[0], |_, _| is_edge = true);
            is_edge
        };
        if self.is_uncertain && !self.states[begin..].windows(2).rev().all(is_legal) {
            let at = self.states.pop();
            self.states.clear();
            self.planned_from.clear();
            self.states.extend(at);
            return false;
        }
        self.states.pop();
        plan.extend(self.states.drain(begin + 1..).rev());
        plan.push(self.states[begin]);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{DiagonalRule, Grid, Terrain};

    /// The path back on a grid of one row with these walls.
    fn path_back(trail: &mut Trail, row: &str) -> Option<Vec<State>> {
        let grid = Grid::drawn(DiagonalRule::Strict, &[row]);
        let geometry = grid.geometry(0);
        let terrain = Terrain::new(&geometry, grid.moves());
        let mut plan = Vec::new();
        trail.go_back(&mut Meter::new(&terrain, None), &mut plan).then_some(plan)
    }

    fn travelled(at: State) -> Trail {
        let mut trail = Trail::default();
        trail.arrive(0);
        trail.set_out(&[1, 2]);
        trail.arrive(2);
        trail.set_out(&[3, 4, 5]);
        trail.arrive(at);
        trail
    }

    #[test]
    fn the_path_back_is_the_path_that_was_travelled() {
        let mut trail = travelled(5);
        assert_eq!(path_back(&mut trail, "......"), Some(vec![4, 3, 2]));
        trail.arrive(2);
        assert_eq!(path_back(&mut trail, "......"), Some(vec![1, 0]));
        trail.arrive(0);
        assert_eq!(path_back(&mut trail, "......"), None);
        // Moves after going back can also be undone.
        trail.set_out(&[1]);
        trail.arrive(1);
        assert_eq!(path_back(&mut trail, "......"), Some(vec![0]));
    }

    #[test]
    fn the_path_back_is_shorter_if_a_plan_was_cut_short() {
        assert_eq!(path_back(&mut travelled(3), "......"), Some(vec![2]));
        assert_eq!(path_back(&mut travelled(2), "......"), Some(vec![1, 0]));
    }

    #[test]
    fn a_path_back_that_a_discovery_blocked_is_not_planned() {
        let mut trail = travelled(5);
        trail.is_uncertain = true;
        assert_eq!(path_back(&mut trail, "...@.."), None);
        assert_eq!((&trail.states[..], &trail.planned_from[..]), (&[5][..], &[][..]));
        let mut trail = travelled(5);
        trail.is_uncertain = true;
        assert_eq!(path_back(&mut trail, ".@...."), Some(vec![4, 3, 2]));
    }
}
