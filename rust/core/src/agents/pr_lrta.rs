//! Path Refinement LRTA*: dynamic-control-2008, Section 7.2 and Table 2. LRTA* (Figure 1 there, lines 1 to 8) plans on
//! level ℓ of the clique abstraction, and A* within a corridor refines its first move on the ground.
//!
//! Line 3 sets depth and goal. The depth is fixed (F) or comes from a pattern database for agents on level ℓ whose
//! regions are the states of level ℓ2 (PDB). The paper's version with one abstraction has ℓ2 = ℓ, the one with two ℓ2 >
//! ℓ. The goal is the abstract state of the global goal (G) or an intermediate goal from such a database (PDB), with
//! the re-entrance detector of Appendix D for ground states. Lines 4 to 6 weight g with γ.
//!
//! Line 7: A* searches within the current abstract state and the next one. Its target is the goal, if the next one
//! contains it, otherwise the nearest ground state of the next one by the heuristic. The paper does not name the
//! target. Representatives as in PR LRTS (`child`) cost 1 to 5% more on the maps of Table 3, and both are above the
//! published values. Within the abstract state of the goal, A* moves to the goal.
//!
//! The initial heuristic of abstract states is octile and their edges are Euclidean, so it is inconsistent, and
//! path-max starts one ply later, as with γ < 1 on the ground. In unknown terrain discoveries repair the hierarchy, and
//! heuristics of removed abstract states are forgotten. Databases exist for known maps only.

use super::hierarchy_params::{ABSTRACTION, variant};
use super::lrts::GAMMA;
use super::pr_lrts::H0;
use super::spec::{Conflict, MAX_LEVEL, Param, Value, Values};
use super::{Entry, goal_params};
use crate::abstraction::graph::AbstractGraph;
use crate::abstraction::{Reading, Variant};
use crate::agent::{Agent, Episode, Memory, Needs};
use crate::control::goal::{Choice, GoalControl};
use crate::cost::{Cost, Weight};
use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::search::best_first;
use crate::search::learned::Learned;
use crate::search::learned_by_goal::LearnedByGoal;
use crate::search::lookahead::{Lookahead, LookaheadContext};
use crate::search::marks::Marks;
use crate::search::ties::Ties;

pub const ENTRY: Entry = Entry {
    about: "Plans and learns as LRTA* does on level l of an abstraction of the map, and refines each move on the \
            ground with A* within two abstract states.",
    counts: "expanded: states of both levels; touched: their successors, for A* only those within the corridor; repair \
             of the hierarchy is not counted",
    learns: true,
    params: &[
        Param::integer("l", 1, MAX_LEVEL, "1", "level on which LRTA* plans"),
        Param::integer_or(
            "d",
            1000,
            &["pdb"],
            "lookahead depth, in abstract moves, or its control: a pattern database",
        ),
        GAMMA,
        Param::choice("goal", &["global", "pdb"], "target of a move: the goal, or a stored intermediate goal"),
        Param::level("l2", "level of the pattern database; auto is l"),
        goal_params::CAP,
        goal_params::ENTRY,
        goal_params::REENTRY,
        H0,
        Param::choice(
            "child",
            &["nearest", "direct", "descend"],
            "target in the next abstract state: its nearest ground state, the ground state nearest to their average, \
             or level by level the child nearest to the average",
        ),
        ABSTRACTION,
        goal_params::PATH,
    ],
    label,
    samples: &[
        "pr-lrta(l=2, d=3, gamma=0.4)",
        "pr-lrta(d=5, h0=euclid, child=direct, ties=random)",
        "pr-lrta(l=2, child=descend)",
        "pr-lrta(l=1, d=pdb, c=5)",
        "pr-lrta(l=1, d=pdb, goal=pdb, l2=2)",
        "pr-lrta(l=1, d=3, goal=pdb, l2=2, ties=random)",
        "pr-lrta(l=2, abstraction=aligned)",
        "pr-lrta(l=1, d=pdb, goal=pdb, l2=2, abstraction=aligned, path=cardinal)",
    ],
    ..Entry::new("pr-lrta", "PR LRTA*", "dynamic-control-2008, Section 7.2", |values| {
        let agent = PrLrta::new(values);
        let PrLrta { level, regions, .. } = agent;
        if regions < level {
            let reason = format!("l2={regions} is below l={level}; set l2 to {level} or higher");
            return Err(Conflict::of("l2", reason));
        }
        Ok(Box::new(agent))
    })
};

fn label(values: &Values) -> String {
    let (name, depth) = match values.get("d") {
        Value::Word(_) => ("PDB", String::new()),
        depth => ("F", format!(", d={depth}")),
    };
    let upper = if values.level("l2").is_some() { format!(", ℓ2={}", values.get("l2")) } else { String::new() };
    let cap = if name == "PDB" { format!(", c={}", values.get("c")) } else { String::new() };
    let unusual = values.unusual(ENTRY.params, &["entry", "reentry", "h0", "child", "abstraction", "path"]);
    let (l, goals, gamma) = (values.get("l"), goal_params::name(values), values.get("gamma"));
    format!("({name}, {goals}) ℓ={l}{upper}{depth}{cap}, γ={gamma}{unusual}")
}

/// The tables of LRTA* on the abstract level.
struct Tools<'a> {
    learned: &'a mut Learned,
    by_goal: &'a mut LearnedByGoal,
    lookahead: &'a mut Lookahead,
    ties: &'a mut Ties,
}

struct PrLrta {
    level: usize,
    /// ℓ2.
    regions: usize,
    /// `None` if it comes from a pattern database.
    depth: Option<u32>,
    goals: GoalControl,
    weight: Weight,
    /// `None` for the nearest state.
    reading: Option<Reading>,
    is_euclid: bool,
    variant: Variant,
    /// The cells that the agent visited in this trial.
    visited: Marks,
    is_fresh: bool,
}

impl PrLrta {
    fn new(values: &Values) -> PrLrta {
        let depth = match values.get("d") {
            Value::Integer(depth) => Some(*depth as u32),
            _ => None,
        };
        let level = values.integer("l") as usize;
        PrLrta {
            level,
            regions: values.level("l2").unwrap_or(level),
            depth,
            goals: goal_params::goal_control(values, depth.is_none()),
            weight: Weight::new(values.real("gamma")),
            reading: match values.word("child") {
                "nearest" => None,
                "direct" => Some(Reading::Direct),
                _ => Some(Reading::Descend),
            },
            is_euclid: values.is("h0", "euclid"),
            variant: variant(values),
            visited: Marks::default(),
            is_fresh: true,
        }
    }

    /// Lines 4 to 6 on the abstract level. Returns the next state; the goal may be the global one or an intermediate
    /// one.
    fn step<G: Graph>(
        &self,
        meter: &mut Meter<'_, G>,
        tools: Tools<'_>,
        at: State,
        choice: Choice,
        is_global: bool,
    ) -> Option<State> {
        let Tools { learned, by_goal, lookahead, ties } = tools;
        let Choice { goal, depth: stored } = choice;
        let depth = self.depth.unwrap_or(stored).min(meter.states() as u32);
        let h0 = meter.heuristic(goal);
        let heuristic = |state| match is_global {
            true => learned.or(state, h0.of(state)),
            false => by_goal.or(goal, state, h0.of(state)),
        };
        let before = heuristic(at);
        let weigh = |cost| self.weight.of(cost);
        let context = LookaheadContext { from: at, goal, path_max: Some(0), weigh, heuristic };
        let promise = lookahead.run(meter, ties, depth, context);
        let next = lookahead.first(promise.state)?;
        match is_global {
            true => learned.set(at, before, promise.f.max(before)),
            false => by_goal.set(goal, at, before, promise.f.max(before)),
        }
        Some(next)
    }
}

impl Agent for PrLrta {
    fn needs(&self) -> Needs {
        let PrLrta { level, regions, variant, .. } = *self;
        Needs { level: Some(level), variant, databases: self.goals.databases(level, regions, variant) }
    }

    fn begin_problem(&mut self) {
        self.visited.reset();
    }

    fn begin_trial(&mut self) {
        self.is_fresh = true;
    }

    fn peak_bytes(&self) -> Option<u64> {
        Some(self.visited.peak_bytes())
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, learned_by_goal, lookahead, best_first, ties, abstraction, databases, .. } = memory;
        let level = self.level;
        if std::mem::take(&mut self.is_fresh) {
            self.visited.clear(meter.states());
        }
        if let Some(hierarchy) = abstraction.repair(level) {
            learned.make_room(hierarchy.states(level));
            // A repair may add the goal to an abstract state, whose heuristic is 0 then.
            learned.forget(hierarchy.ancestor(0, goal, level));
            hierarchy.take_changes(level).removed.for_each(|state| learned.forget(state));
        }
        let hierarchy = abstraction.get();
        let (abstract_at, abstract_goal) = (hierarchy.ancestor(0, at, level), hierarchy.ancestor(0, goal, level));
        let next = if abstract_at == abstract_goal {
            abstract_at
        } else {
            learned.make_room(hierarchy.states(level));
            learned_by_goal.make_room(hierarchy.states(level));
            let choice = self.goals.choose(databases, abstract_at, abstract_goal, self.visited.has(at));
            let tools = Tools { learned, by_goal: learned_by_goal, lookahead, ties };
            let is_global = choice.goal == abstract_goal;
            let next = if self.is_euclid {
                let graph = AbstractGraph::<true>::new(hierarchy, level);
                meter.on(&graph, |meter| self.step(meter, tools, abstract_at, choice, is_global))
            } else {
                let graph = AbstractGraph::<false>::new(hierarchy, level);
                meter.on(&graph, |meter| self.step(meter, tools, abstract_at, choice, is_global))
            };
            let Some(next) = next else { return };
            next
        };
        // Line 7.
        let target = match self.reading {
            _ if next == abstract_goal => goal,
            Some(reading) => hierarchy.representative(level, next, 0, reading),
            None => {
                let (h0, mut nearest) = (meter.heuristic(at), (Cost::MAX, at));
                hierarchy.descendants(level, next, 0, &mut |cell| nearest = nearest.min((h0.of(cell), cell)));
                nearest.1
            }
        };
        let is_inside = |cell| {
            let state = hierarchy.ancestor(0, cell, level);
            state == abstract_at || state == next
        };
        meter.within(is_inside, |meter| {
            let rules = best_first::Rules::consistent(|_, h0| h0);
            best_first.find(meter, ties, at, target, rules, plan);
        });
        self.visited.mark(at);
        // The last cell is marked when the agent plans there.
        let passed = plan.len().saturating_sub(1);
        plan[..passed].iter().for_each(|cell| self.visited.mark(*cell));
    }
}
