//! LRTA*: Figure 1 of dynamic-control-2008, lines 1 to 8. With a number for `d` and the global goal, line 3 is
//! constant; that is LRTA* (F, G), the algorithm of Korf 1990.
//!
//! Line 4: breadth-first plies with duplicate detection, and path-max, so that g + h never decreases along a branch.
//! Line 5 selects the frontier state with the lowest g + h. Line 6: that value becomes the heuristic of the current
//! state. Line 7 makes one move towards the selected state. A goal within d plies ends the lookahead at its ply and is
//! selected. If a ply is empty, the previous one is the frontier.
//!
//! With γ < 1 this is weighted LRTA* (Shimbo and Ishida 2003): f = γ·g + h in Figure 2 of graph-abstraction-2007, whose
//! tables use that name for LRTS(1, γ, ∞). The initial heuristic is inconsistent with weighted costs, and path-max from
//! the current state would make most of its neighbours equal, so path-max starts one ply later. The next state then has
//! a lower h than the current one after its update, so the agent learns in every cycle.
//!
//! Line 3 may also control the depth (DT, ORACLE, PDB) and the goal (PDB, and G+I of dynamic-control-2007), in any
//! combination: see [`crate::control`]. Each goal has its own table of learned heuristics. Values learned at different
//! depths are inconsistent with each other, so path-max is also needed at depth 1. The pre-search of a decision tree is
//! counted, since the lookahead continues it. The search of the oracle is not counted; only the one to the depth that
//! it chooses is.

use super::hierarchy_params::{ABSTRACTION, variant};
use super::single::{Single, Step};
use super::spec::{Conflict, Kind, Param, Value, Values};
use super::{Entry, goal_params};
use crate::abstraction::Variant;
use crate::agent::{Agent, Episode, Memory, Needs, SingleEpisode};
use crate::control::DepthControl;
use crate::control::goal::{Choice, GoalControl};
use crate::control::oracle::Oracle;
use crate::control::tree::MAX_DEPTH;
use crate::cost::{Cost, Sum, Weight};
use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::search::lookahead::LookaheadContext;
use crate::search::marks::Marks;
use crate::search::neighbour::best_neighbour;
use crate::search::ties::Ties;
use crate::world::runs::Runner;

pub const ENTRY: Entry = Entry {
    about: "Looks d moves ahead breadth first, raises the heuristic of the current state, and makes one move towards \
            the best state. With an intermediate goal, ties break in favour of cardinal moves by default.",
    counts: "expanded: states less than d moves away, (2d-1)² on open ground, including the pre-search of a decision \
             tree, excluding the search of an oracle; touched: their successors",
    learns: true,
    params: &[
        Param::integer_or(
            "d",
            MAX_DEPTH,
            &["dt", "oracle", "pdb"],
            "lookahead depth, in moves, or its control: a decision tree, an oracle, a pattern database",
        ),
        Param::share("gamma", "1", "weight γ of the cost to the frontier"),
        goal_params::GOAL,
        goal_params::LEVEL,
        goal_params::CAP,
        goal_params::ENTRY,
        goal_params::REENTRY,
        Param { name: "tree", kind: Kind::Tree, default: "none", about: "decision tree of d=dt" },
        Param::integer("dmax", 1, MAX_DEPTH, "20", "search depth of the oracle of d=oracle"),
        ABSTRACTION,
        goal_params::PATH,
    ],
    usual_ties: |values| (!values.is("goal", "global")).then_some("cardinal"),
    label,
    samples: &[
        "lrta(d=2)",
        "lrta(d=3, ties=e)",
        "lrta(d=5, ties=se)",
        "lrta(ties=random)",
        "lrta(d=3, ties=diagonal)",
        "lrta(ties=cardinal)",
        "lrta(gamma=0.4)",
        "lrta(d=3, gamma=0.4)",
        "lrta(d=oracle, dmax=4)",
        "lrta(d=oracle, dmax=7, gamma=0.4, ties=w)",
        "lrta(goal=pdb, l=1)",
        "lrta(d=3, goal=pdb, l=2, ties=random)",
        "lrta(goal=pdb, l=2, gamma=0.4)",
        "lrta(d=pdb, l=1, c=10)",
        "lrta(d=pdb, goal=pdb, l=0, c=inf)",
        "lrta(d=pdb, goal=pdb, l=2)",
        "lrta(d=pdb, goal=pdb, l=2, entry=centroid)",
        "lrta(d=pdb, goal=pdb, l=1, c=1000, reentry=pdb)",
        "lrta(d=pdb, goal=mixed, l=2, c=5)",
        "lrta(d=oracle, dmax=6, goal=pdb, l=2)",
        "lrta(d=pdb, goal=pdb, l=2, abstraction=aligned, path=cardinal, ties=diagonal)",
        "lrta(d=pdb, goal=mixed, l=1, c=5, abstraction=aligned)",
    ],
    shortest_samples: &["lrta", "lrta(ties=sw)"],
    ..Entry::new("lrta", "LRTA*", "Korf 1990; dynamic-control-2008, Figure 1; graph-abstraction-2007, Figure 2", build)
};

/// As in Section 7 of dynamic-control-2008: the controls of depth and goal, then their parameters.
fn label(values: &Values) -> String {
    let (name, mut shown) = match values.get("d") {
        Value::Word("pdb") => ("PDB", Vec::new()),
        Value::Word("oracle") => ("ORACLE", vec![format!("dmax={}", values.integer("dmax"))]),
        Value::Word(_) => ("DT", vec![format!("dmax={}", values.tree("tree").map_or(0, |tree| tree.dmax))]),
        depth => ("F", vec![format!("d={depth}")]),
    };
    if goal_control(values).has_databases() {
        shown.push(format!("ℓ={}", values.get("l")));
        if name == "PDB" || values.is("goal", "mixed") {
            shown.push(format!("c={}", values.get("c")));
        }
    }
    if values.real("gamma") != 1.0 {
        shown.push(format!("γ={}", values.get("gamma")));
    }
    let unusual = values.unusual(ENTRY.params, &["entry", "reentry", "abstraction", "path"]);
    format!("({name}, {}) {}{unusual}", goal_params::name(values), shown.join(", "))
}

fn goal_control(values: &Values) -> GoalControl {
    goal_params::goal_control(values, *values.get("d") == Value::Word("pdb"))
}

fn build(values: &Values) -> Result<Box<dyn Runner>, Conflict> {
    let (weight, goals) = (Weight::new(values.real("gamma")), goal_control(values));
    let depth = match (values.get("d"), values.tree("tree")) {
        (Value::Integer(depth), None) => match (*depth as u32, weight) {
            (depth, Weight::ONE) if !goals.is_dynamic() => return Ok(Box::new(Single(Lrta::new(depth)))),
            (depth, weight) if !goals.is_dynamic() => return Ok(Box::new(Single(Lrta::<true> { depth, weight }))),
            (depth, _) => DepthControl::Fixed(depth),
        },
        (Value::Word("pdb"), None) => DepthControl::Stored,
        (Value::Word("dt"), Some(tree)) => DepthControl::Tree(tree),
        (Value::Word("dt"), None) => {
            return Err(Conflict::of("d", "d=dt needs a decision tree; add tree=FILE, written by `permove train`"));
        }
        (_, Some(_)) => return Err(Conflict::of("tree", "only d=dt uses a decision tree; omit tree, or set d=dt")),
        (_, None) => DepthControl::Oracle(Oracle::new(values.integer("dmax") as u32)),
    };
    if depth.known(1).is_none() && values.is("ties", "random") {
        let reason = "d=dt and d=oracle need a fixed order of ties; omit ties=random";
        return Err(Conflict { param: None, reason: reason.to_owned() });
    }
    let level = (values.integer("l") as usize, variant(values));
    Ok(Box::new(ControlledLrta::new(depth, goals, level, weight)))
}

/// LRTA* with a fixed depth and the global goal; `WEIGHTED` if γ < 1.
pub(super) struct Lrta<const WEIGHTED: bool> {
    depth: u32,
    weight: Weight,
}

impl Lrta<false> {
    pub(super) fn new(depth: u32) -> Self {
        Lrta { depth, weight: Weight::ONE }
    }
}

impl<const WEIGHTED: bool> Step for Lrta<WEIGHTED> {
    #[inline(always)]
    fn step<G: Graph>(&mut self, episode: SingleEpisode<'_, '_, G>) -> Option<State> {
        let SingleEpisode { meter, memory, at, goal } = episode;
        if self.depth > 1 {
            return self.look_ahead(meter, memory, at, goal);
        }
        let h0 = meter.heuristic(goal);
        let Memory { learned, ties, .. } = memory;
        let before = learned.or(at, h0.of(at));
        // The lookahead without its tables. A consistent heuristic needs no path-max.
        let (f, next) = best_neighbour(meter, learned, ties, &h0, at, |cost| self.weigh(cost))?;
        learned.set(at, before, if WEIGHTED { f.max(before) } else { f });
        Some(next)
    }
}

impl<const WEIGHTED: bool> Lrta<WEIGHTED> {
    #[inline(always)]
    fn weigh(&self, cost: Cost) -> Cost {
        if WEIGHTED { self.weight.of(cost) } else { cost }
    }

    /// Never inlined, so that the loop of trials with depth 1 keeps its values in registers.
    #[inline(never)]
    fn look_ahead<G: Graph>(
        &self,
        meter: &mut Meter<'_, G>,
        memory: &mut Memory,
        at: State,
        goal: State,
    ) -> Option<State> {
        let h0 = meter.heuristic(goal);
        let Memory { learned, lookahead, ties, .. } = memory;
        let before = learned.or(at, h0.of(at));
        let heuristic = |state| learned.or(state, h0.of(state));
        let path_max = Some(if WEIGHTED { 0 } else { before });
        let context = LookaheadContext { from: at, goal, path_max, weigh: |cost| self.weigh(cost), heuristic };
        let promise = lookahead.run(meter, ties, self.depth, context);
        let next = lookahead.first(promise.state)?;
        learned.set(at, before, if WEIGHTED { promise.f.max(before) } else { promise.f });
        Some(next)
    }
}

/// LRTA* with a depth or a goal that is chosen for each move.
pub(super) struct ControlledLrta {
    depth: DepthControl,
    goals: GoalControl,
    /// The level of the pattern databases, and the variant of its hierarchy.
    level: (usize, Variant),
    weight: Weight,
    /// The states that the agent visited in this trial.
    visited: Marks,
    /// Whether the next move is the first of a trial.
    is_fresh: bool,
}

impl ControlledLrta {
    pub(super) fn new(
        depth: DepthControl,
        goals: GoalControl,
        level: (usize, Variant),
        weight: Weight,
    ) -> ControlledLrta {
        ControlledLrta { depth, goals, level, weight, visited: Marks::default(), is_fresh: true }
    }
}

impl Agent for ControlledLrta {
    fn needs(&self) -> Needs {
        let (level, variant) = self.level;
        Needs { databases: self.goals.databases(0, level, variant), ..Needs::default() }
    }

    fn begin_problem(&mut self) {
        self.visited.reset();
        self.depth.begin_problem();
    }

    fn begin_trial(&mut self) {
        self.is_fresh = true;
    }

    fn peak_bytes(&self) -> Option<u64> {
        Some(self.visited.peak_bytes() + self.depth.peak_bytes())
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal: global, plan } = episode;
        let Memory { learned, learned_by_goal, lookahead, history, ties, databases, .. } = memory;
        if std::mem::take(&mut self.is_fresh) {
            self.depth.begin_trial(history, meter.states());
            self.visited.clear(meter.states());
            learned_by_goal.make_room(meter.states());
        }
        // Line 3.
        let is_visited = self.visited.has(at);
        self.visited.mark(at);
        let Choice { goal, depth: stored } = self.goals.choose(databases, at, global, is_visited);
        let weight = self.weight;
        let h0 = meter.heuristic(goal);
        let value = |state, initial| match goal == global {
            true => learned.or_anywhere(state, initial),
            false => learned_by_goal.or(goal, state, initial),
        };
        let heuristic = |state| value(state, h0.of(state));
        let before = heuristic(at);
        let floor = if weight == Weight::ONE { before } else { 0 };
        // Lines 4 and 5.
        let best = if self.depth.known(stored) == Some(1) && matches!(ties, Ties::First) {
            // The lookahead below without its tables. A goal next to the agent is always the best state.
            meter.expand_to_min(at, &h0, |state, cost, initial| match state == goal {
                true => 0,
                false => (Sum::from(weight.of(cost)) + Sum::from(value(state, initial))).max(floor.into()),
            })
        } else {
            let context =
                LookaheadContext { from: at, goal, path_max: Some(floor), weigh: |cost| weight.of(cost), heuristic };
            let depth = self.depth.choose(meter, lookahead, history, &context, stored, &h0);
            lookahead.reach(meter, depth, &context);
            let promise = lookahead.promise(ties);
            lookahead.first(promise.state).map(|next| (promise.f, next))
        };
        // Lines 6 and 7.
        if let Some((f, next)) = best {
            let f = f.max(before);
            match goal == global {
                true => learned.set(at, before, f),
                false => learned_by_goal.set(goal, at, before, f),
            }
            self.depth.planned(history, at, next, f - before);
            plan.push(next);
        }
    }
}
