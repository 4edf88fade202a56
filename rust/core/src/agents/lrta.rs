//! LRTA* with a fixed depth: Figure 1 of dynamic-control-2008, lines 1 to 8, with line 3 choosing the same d and the
//! global goal every time, LRTA* (F, G).
//!
//! Line 4: breadth-first plies with duplicate detection; path-max, so that g + h never falls along a branch. Line 5: the
//! frontier state with the lowest g + h. Line 6: its value becomes the heuristic of the current state. Line 7: one step
//! towards it. A goal within d plies ends the lookahead at its ply and is gone to; where a ply is empty, the one before
//! it is the frontier.
//!
//! With γ < 1 it is weighted LRTA* (Shimbo and Ishida 2003): f = γ·g + h in Figure 2 of graph-abstraction-2007, whose
//! tables call LRTS(1, γ, ∞) by that name. The initial heuristic is not consistent with weighted costs, and path-max from
//! the current state on would make most of its neighbours equal. So it begins one ply later. That is enough: the state
//! moved to has a lower h than the current one now has, so no circle is walked without learning.

use super::spec::{Kind, Param, Value, Values};
use super::{Agent, Entry, Episode, Memory, Walker};
use crate::control::goal::{self, GoalControl};
use crate::cost::{Weight, add};
use crate::graph::Graph;
use crate::pdb::Key;
use crate::search::lookahead::Rules;
use crate::search::marks::Marks;
use crate::search::neighbour::best_neighbour;
use crate::search::ties::Ties;
use std::fmt::Write;

/// Its entry in the catalogue.
pub const ENTRY: Entry = Entry {
    name: "lrta",
    title: "LRTA*",
    paper: "Korf 1990; dynamic-control-2008, Figure 1; graph-abstraction-2007, Figure 2",
    about: "Looks d moves ahead breadth first, raises the heuristic of where it stands, makes one move to the best.",
    counts: "expanded: states less than d moves away, (2d-1)² on open ground; touched: their successors",
    complete: true,
    optimal: false,
    learns: true,
    params: &[
        Param {
            name: "d",
            kind: Kind::Depth(&["pdb"]),
            default: "1",
            about: "the depth of the lookahead, in moves, or what chooses it: a pattern database",
        },
        Param {
            name: "gamma",
            kind: Kind::Real { above: 0.0, most: 1.0 },
            default: "1",
            about: "the weight γ of the way to the frontier",
        },
        goal::GOAL,
        goal::LEVEL,
        goal::CAP,
        goal::ENTRY,
        goal::REENTRY,
    ],
    label,
    build,
};

fn label(values: &Values) -> String {
    let (name, mut depth) = match values.get("d") {
        Value::Word(_) => ("PDB", String::new()),
        depth => ("F", format!(" d={depth},")),
    };
    let goals = GoalControl::new(values, name == "PDB");
    if !goals.databases(0, 0).is_empty() {
        write!(depth, " ℓ={},", values.get("l")).expect("strings take everything");
        if name == "PDB" || values.word("goal") == "mixed" {
            write!(depth, " c={},", values.get("c")).expect("strings take everything");
        }
    }
    let gamma = values.real("gamma");
    let gamma = if gamma == 1.0 { String::new() } else { format!(", γ={gamma}") };
    let unusual = values.unusual(ENTRY.params, &["entry", "reentry"]);
    format!("({name}, {}){}{gamma}{unusual}", GoalControl::name(values), depth.trim_end_matches(','))
}

fn build(values: &Values) -> Box<dyn Walker> {
    let weight = Weight::new(values.real("gamma"));
    let depth = match values.get("d") {
        Value::Integer(depth) => Some(depth as u32),
        _ => None,
    };
    let goals = GoalControl::new(values, depth.is_none());
    match (depth, weight) {
        (Some(depth), Weight::ONE) if !goals.is_dynamic() => Box::new(Lrta { depth }),
        (Some(depth), weight) if !goals.is_dynamic() => Box::new(WeightedLrta { depth, weight }),
        (depth, weight) => Box::new(ControlledLrta {
            depth,
            goals,
            level: values.integer("l") as usize,
            weight,
            visited: Marks::default(),
            is_fresh: true,
        }),
    }
}

pub(super) struct Lrta {
    pub(super) depth: u32,
}

impl Agent for Lrta {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let h0 = meter.heuristic(goal);
        let Memory { learned, lookahead, ties, .. } = memory;
        let before = learned.or(at, h0.of(at));
        let (f, next) = if self.depth == 1 {
            // The lookahead below, without its tables: the heuristic is consistent, so path-max changes nothing.
            match best_neighbour(meter, (learned, ties), &h0, at, |cost| cost) {
                Some((f, next)) => (f, Some(next)),
                None => (before, None),
            }
        } else {
            let h = |state| learned.or(state, h0.of(state));
            let rules = Rules { depth: self.depth, path_max: Some(before), weigh: |cost| cost };
            let promise = lookahead.run(meter, ties, (at, goal, None), rules, h);
            (promise.f, lookahead.first(promise.state))
        };
        if let Some(next) = next {
            learned.set(at, before, f);
            plan.push(next);
        }
    }
}

/// With γ < 1.
struct WeightedLrta {
    depth: u32,
    weight: Weight,
}

impl Agent for WeightedLrta {
    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let h0 = meter.heuristic(goal);
        let Memory { learned, lookahead, ties, .. } = memory;
        let before = learned.or(at, h0.of(at));
        let best = if self.depth == 1 {
            best_neighbour(meter, (learned, ties), &h0, at, |cost| self.weight.of(cost))
        } else {
            let h = |state| learned.or(state, h0.of(state));
            let rules = Rules { depth: self.depth, path_max: Some(0), weigh: |cost| self.weight.of(cost) };
            let promise = lookahead.run(meter, ties, (at, goal, None), rules, h);
            lookahead.first(promise.state).map(|next| (promise.f, next))
        };
        if let Some((f, next)) = best {
            learned.set(at, before, f.max(before));
            plan.push(next);
        }
    }
}

/// With a depth or a goal that is chosen anew for every move.
struct ControlledLrta {
    depth: Option<u32>,
    goals: GoalControl,
    level: usize,
    weight: Weight,
    /// The states that the agent has been to in this trial.
    visited: Marks,
    /// Whether a trial begins.
    is_fresh: bool,
}

impl Agent for ControlledLrta {
    fn databases(&self) -> Vec<Key> {
        self.goals.databases(0, self.level)
    }

    fn begin_trial(&mut self) {
        self.is_fresh = true;
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, learned_by_goal, lookahead, ties, databases, .. } = memory;
        if std::mem::take(&mut self.is_fresh) {
            self.visited.clear(meter.states());
            learned_by_goal.make_room(meter.states());
        }
        // Line 3.
        let was_here = self.visited.has(at);
        self.visited.mark(at);
        let choice = self.goals.choose(databases, (at, goal), was_here);
        let depth = self.depth.unwrap_or(choice.depth).min(meter.states() as u32);
        let (aim, is_global) = (choice.goal, choice.goal == goal);
        // Lines 4 and 5.
        let (h0, weight) = (meter.heuristic(aim), self.weight);
        let h = |state, initial| match is_global {
            true => learned.or_anywhere(state, initial),
            false => learned_by_goal.or(aim, state, initial),
        };
        let before = h(at, h0.of(at));
        let floor = if weight == Weight::ONE { before } else { 0 };
        let best = if depth == 1 && matches!(ties, Ties::First) {
            let value = |state, cost, initial| match state == aim {
                true => 0,
                false => add(weight.of(cost), h(state, initial)).max(floor),
            };
            meter.expand_to_least(at, &h0, value)
        } else {
            let rules = Rules { depth, path_max: Some(floor), weigh: |cost| weight.of(cost) };
            let promise = lookahead.run(meter, ties, (at, aim, None), rules, |state| h(state, h0.of(state)));
            lookahead.first(promise.state).map(|next| (promise.f, next))
        };
        // Lines 6 and 7. Values learned at different depths are not consistent with each other.
        if let Some((f, next)) = best {
            match is_global {
                true => learned.set(at, before, f.max(before)),
                false => learned_by_goal.set(aim, at, before, f.max(before)),
            }
            plan.push(next);
        }
    }
}
