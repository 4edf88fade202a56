//! Path Refinement Learning Real-Time Search: Figure 6 of graph-abstraction-2007, lines 1 to 13.
//!
//! Lines 1 to 4: the recursion begins at level l, so the path of the highest level is found first. Line 6: the end of a
//! path stands for one of its descendants, the goal where that is one of them, else its representative (footnote 3; `child`
//! says how that is read). Line 8: the corridor is what lies below the path, pass-through levels included (footnote 4).
//! Lines 9 to 13: A* finds a whole path to that state within the corridor, LRTS one of d moves; the highest level has no
//! corridor. By default LRTS plans at level l, A* on the ground, and all levels between them are passed through, which
//! Section 5 calls best; `levels` assigns anything else.
//!
//! The ground path is walked until one of its moves is seen to be blocked (Section 4.1: "if a ground path proves invalid,
//! the execution stops"), as that of every other agent. Table 5 comes out so; with `replan=next`, which walks on until the
//! next move is blocked, PR LRTS plans less than the paper says. `replan=discovery` clears paths on every discovery, as the
//! sentence before that one says. Discoveries repair the hierarchy before the next plan. What was learned of an abstract state is kept as long as there is that state;
//! `forget=all` is what Section 4.1 says literally, `forget=changed` lies between.
//!
//! Where the agent is in the goal's own abstract state, the path there is that state alone, so that A* plans within it.
//! An LRTS below another one learns for each of its goals on its own, since they change from plan to plan; what it learned
//! on an abstract level is forgotten when that level changes.

use super::Entry;
use super::lrts::{DEPTH, GAMMA, Lrts, QUOTA, Tools};
use super::spec::{Algorithm, Conflict, Kind, MAX_LEVEL, Param, Values};
use crate::abstraction::graph::AbstractGraph;
use crate::abstraction::{Abstraction, Hierarchy, Reading};
use crate::agent::{Agent, Discovery, Episode, Memory, Replan, Table};
use crate::cost::Cost;
use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::search::best_first::{BestFirst, Rules};
use crate::search::learned::Learned;
use crate::search::marks::Marks;
use std::collections::HashMap;

pub const ENTRY: Entry = Entry {
    name: "pr-lrts",
    title: "PR LRTS",
    paper: "graph-abstraction-2007, Figure 6",
    about: "Plans and learns on level l of an abstraction of the map as LRTS does, and refines each of its paths on the \
            ground by A* within the corridor below it.",
    counts: "expanded: states of all levels that LRTS and A* expand; touched: their successors, in A* only those within \
             the corridor; repair of the hierarchy is not counted",
    learns: true,
    backtracks: |values| values.real("T").is_finite(),
    params: &[
        Param::integer("l", 0, MAX_LEVEL, "1", "the level of abstraction that LRTS plans on; 0 is LRTS on the ground"),
        DEPTH,
        GAMMA,
        QUOTA,
        Param::choice(
            "child",
            &["descend", "direct"],
            "what the end of an abstract path stands for: level by level the child nearest to the average, or \
             directly the ground state nearest to the average of all",
        ),
        Param::choice(
            "forget",
            &["gone", "changed", "all"],
            "whose learned heuristics a discovery wipes out: of abstract states that are gone, of those whose \
             children changed too, or of all where the level changed",
        ),
        Param::choice(
            "replan",
            &["ahead", "next", "discovery"],
            "when a path is given up: any of its moves is seen to be blocked, the next one is, or anything was \
             discovered",
        ),
        H0,
        Param {
            name: "levels",
            kind: Kind::Levels,
            default: "auto",
            about: "what plans on each level from the ground up: a for A*, l for LRTS, p to pass through; auto is A* on \
                    the ground and LRTS on level l",
        },
    ],
    label,
    build: |values| Ok(Box::new(PrLrts::new(values)?)),
    samples: &[
        "pr-lrts(l=0, d=2)",
        "pr-lrts(l=2, d=3, gamma=0.4)",
        "pr-lrts(l=2, d=2, T=10, child=direct, forget=changed, replan=next)",
        "pr-lrts(l=1, d=5, h0=euclid, replan=discovery, ties=random)",
        "pr-lrts(l=2, d=3, levels=aal)",
    ],
    ..Entry::PLAIN
};

/// The initial heuristic of abstract states.
pub(super) const H0: Param = Param::choice(
    "h0",
    &["octile", "euclid"],
    "the initial heuristic of abstract states; euclid is consistent with the costs of their edges",
);

fn label(values: &Values) -> String {
    let [l, d, gamma, quota] = ["l", "d", "gamma", "T"].map(|name| values.get(name));
    let unusual = values.unusual(ENTRY.params, &["child", "forget", "replan", "h0", "levels"]);
    format!("(ℓ={l}, d={d}, γ={gamma}, T={quota}){unusual}")
}

/// What a discovery makes the agent forget.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forget {
    Gone,
    Changed,
    All,
}

struct PrLrts {
    /// ℓ.
    top: usize,
    /// What plans on each level up to ℓ.
    algorithms: Vec<Algorithm>,
    /// LRTS on the highest level that has it: it alone plans towards the goal itself, and learns in [`Memory`].
    first: Lrts,
    /// LRTS on levels below that one, by level.
    lower: HashMap<usize, Lower>,
    settings: (u64, f64, f64),
    reading: Reading,
    forget: Forget,
    replan: Replan,
    is_euclid: bool,
    /// The path found last, with the state that it begins at.
    path: Vec<State>,
    /// The abstract states that it leads through.
    corridor: Marks,
}

/// A path to find on one level, below the last path, which is on the level `above`.
#[derive(Clone, Copy)]
struct Leg {
    level: usize,
    above: usize,
    at: State,
    goal: State,
}

/// The tables of both algorithms.
struct Tables<'a> {
    tools: Tools<'a>,
    best_first: &'a mut BestFirst,
}

/// LRTS below another LRTS.
struct Lower {
    lrts: Lrts,
    /// What it learned towards its goal of the moment.
    learned: Learned,
    /// What it learned towards each of its goals.
    stored: HashMap<State, HashMap<State, Cost>>,
}

impl PrLrts {
    fn new(values: &Values) -> Result<PrLrts, Conflict> {
        let top = values.integer("l") as usize;
        let settings = (values.integer("d"), values.real("gamma"), values.real("T"));
        let levels = values.levels("levels");
        let algorithms = match levels.get() {
            [] => {
                let mut algorithms = vec![Algorithm::PassThrough; top + 1];
                algorithms[0] = Algorithm::AStar;
                algorithms[top] = Algorithm::Lrts;
                algorithms
            }
            given => checked(given, top)?.to_vec(),
        };
        let mut first = Lrts::new(settings.0, settings.1, settings.2);
        if top > 0 {
            first.on_any_graph();
        }
        Ok(PrLrts {
            top,
            algorithms,
            first,
            lower: HashMap::new(),
            settings,
            reading: if values.is("child", "descend") { Reading::Descend } else { Reading::Direct },
            forget: match values.word("forget") {
                "gone" => Forget::Gone,
                "changed" => Forget::Changed,
                _ => Forget::All,
            },
            replan: match values.word("replan") {
                "next" => Replan::NextBlocked,
                "ahead" => Replan::Blocked,
                _ => Replan::Discovered,
            },
            is_euclid: values.is("h0", "euclid"),
            path: Vec::new(),
            corridor: Marks::default(),
        })
    }

    /// Whether this is LRTS and nothing else.
    fn is_lrts(&self) -> bool {
        self.algorithms == [Algorithm::Lrts]
    }

    fn first_lrts(&self) -> Option<usize> {
        self.algorithms.iter().rposition(|algorithm| *algorithm == Algorithm::Lrts)
    }

    /// Takes what was discovered into the hierarchy, and forgets what does not fit it any more.
    fn repair(&mut self, abstraction: &mut Abstraction, learned: &mut Learned, goal: State) {
        let level = self.first_lrts().unwrap_or(0);
        let Some(hierarchy) = abstraction.repair(level) else { return };
        // On the ground edges are only removed, so what was learned stays admissible.
        for (_, lower) in self.lower.iter_mut().filter(|(level, _)| **level > 0) {
            learned.forget_external(lower.stored.values().map(|stored| stored.len() as u64).sum());
            lower.stored.clear();
        }
        if level == 0 {
            return;
        }
        learned.make_room(hierarchy.states(level));
        // A state that has taken in the goal is at the goal, whatever was learned of it before.
        learned.forget(hierarchy.ancestor(0, goal, level));
        let changes = hierarchy.take_changes(level);
        match self.forget {
            Forget::All if changes.is_updated => learned.forget_all(),
            Forget::Changed => changes.changed.for_each(|state| learned.forget(state)),
            Forget::Gone | Forget::All => changes.removed.for_each(|state| learned.forget(state)),
        }
    }

    /// Line 11: LRTS on one level, within a corridor or not.
    fn lrts<G: Graph>(&mut self, meter: &mut Meter<'_, G>, tools: Tools<'_>, leg: Leg) {
        let Leg { level, at, goal, .. } = leg;
        self.path.push(at);
        if Some(level) == self.first_lrts() {
            self.first.step(meter, tools, at, goal, &mut self.path);
            return;
        }
        let (depth, gamma, quota) = self.settings;
        let lower = self.lower.entry(level).or_insert_with(|| {
            let mut lrts = Lrts::new(depth, gamma, quota);
            lrts.on_any_graph();
            Lower { lrts, learned: Learned::default(), stored: HashMap::new() }
        });
        let stored = lower.stored.entry(goal).or_default();
        lower.learned.reset(meter.states());
        stored.iter().for_each(|(state, value)| lower.learned.store(*state, 0, *value));
        let before = lower.learned.learning();
        let own = Tools { learned: &mut lower.learned, ..tools };
        lower.lrts.step(meter, own, at, goal, &mut self.path);
        // All that LRTS learns is the value of where it is.
        if let Some(value) = lower.learned.entry(at) {
            stored.insert(at, value);
        }
        tools.learned.count_external(before, lower.learned.learning());
    }

    /// Lines 9 to 13 on one level, which is not passed through; returns whether there is a path.
    fn find<G: Graph>(&mut self, meter: &mut Meter<'_, G>, tables: Tables<'_>, leg: Leg) -> bool {
        let (Tables { tools, best_first }, Leg { level, at, goal, .. }) = (tables, leg);
        self.path.clear();
        if at == goal {
            self.path.push(at);
            return true;
        }
        match self.algorithms[level] {
            Algorithm::Lrts => self.lrts(meter, tools, leg),
            _ => {
                self.path.push(at);
                let rules = Rules::consistent(|_, h0| h0);
                best_first.find(meter, tools.ties, at, goal, rules, &mut self.path);
            }
        }
        self.path.len() > 1
    }

    /// The same on an abstract level, in its own graph.
    fn find_above<const EUCLID: bool, G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        hierarchy: &Hierarchy,
        tables: Tables<'_>,
        leg: Leg,
    ) -> bool {
        let graph = AbstractGraph::<EUCLID>::new(hierarchy, leg.level);
        meter.on(&graph, |meter| self.find_within(meter, hierarchy, tables, leg))
    }

    /// Line 8: the same within the corridor of the path above, if there is one.
    fn find_within<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        hierarchy: &Hierarchy,
        tables: Tables<'_>,
        leg: Leg,
    ) -> bool {
        let Leg { level, above, .. } = leg;
        if above > self.top {
            return self.find(meter, tables, leg);
        }
        let corridor = std::mem::take(&mut self.corridor);
        let is_inside = |state| corridor.has(hierarchy.ancestor(level, state, above));
        let found = meter.within(is_inside, |meter| self.find(meter, tables, leg));
        self.corridor = corridor;
        found
    }

    /// Line 6: the end of a path on `level`, below the last path, which is on the level `above`.
    fn target(&self, hierarchy: &Hierarchy, level: usize, above: usize, goal: State) -> State {
        if above > self.top {
            return goal;
        }
        let end = *self.path.last().expect("a path has states");
        hierarchy.target(above, end, (level, goal), self.reading)
    }
}

/// Checks an assignment of algorithms to levels.
fn checked(given: &[Algorithm], top: usize) -> Result<&[Algorithm], Conflict> {
    let name: String = given.iter().map(|algorithm| algorithm.letter()).collect();
    if given.len() != top + 1 {
        let (have, need) = (given.len(), top + 1);
        let reason = format!("levels={name} has {have} letters where l={top} has {need} levels, the ground included");
        return Err(Conflict::of("levels", reason));
    }
    if given[0] == Algorithm::PassThrough || given[top] == Algorithm::PassThrough {
        let reason = format!("levels={name} passes through the ground or level {top}; both have to plan, with a or l");
        return Err(Conflict::of("levels", reason));
    }
    Ok(given)
}

impl Agent for PrLrts {
    fn highest_level(&self) -> Option<usize> {
        (self.top > 0).then_some(self.top)
    }

    fn replan(&self) -> Replan {
        self.replan
    }

    fn begin_problem(&mut self) {
        self.lower.clear();
    }

    fn begin_trial(&mut self) {
        self.first.begin_trial();
        self.lower.values_mut().for_each(|lower| lower.lrts.begin_trial());
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        if self.is_lrts() {
            return self.first.plan(episode);
        }
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, lookahead, best_first, ties, abstraction, .. } = memory;
        if self.top > 0 {
            self.repair(abstraction, learned, goal);
        }
        // The level of the path found last: above all at first.
        let mut above = self.top + 1;
        for level in (1..=self.top).rev() {
            if self.algorithms[level] == Algorithm::PassThrough {
                continue;
            }
            let hierarchy = abstraction.get();
            learned.make_room(hierarchy.states(level));
            let at = hierarchy.ancestor(0, at, level);
            let goal = self.target(hierarchy, level, above, hierarchy.ancestor(0, goal, level));
            let leg = Leg { level, above, at, goal };
            let tables = Tables { tools: Tools { learned, lookahead, ties }, best_first };
            let found = if self.is_euclid {
                self.find_above::<true, G>(meter, hierarchy, tables, leg)
            } else {
                self.find_above::<false, G>(meter, hierarchy, tables, leg)
            };
            if !found {
                return;
            }
            self.corridor.clear(hierarchy.states(level));
            self.path.iter().for_each(|state| self.corridor.mark(*state));
            above = level;
        }
        let tables = Tables { tools: Tools { learned, lookahead, ties }, best_first };
        let found = if self.top == 0 {
            self.find(meter, tables, Leg { level: 0, above, at, goal })
        } else {
            let hierarchy = abstraction.get();
            let goal = self.target(hierarchy, 0, above, goal);
            self.find_within(meter, hierarchy, tables, Leg { level: 0, above, at, goal })
        };
        if found {
            plan.extend(&self.path[1..]);
        }
    }

    fn discovered(&mut self, discovery: Discovery<'_>) {
        self.first.discovered(discovery);
        self.lower.values_mut().for_each(|lower| lower.lrts.discovered(discovery));
    }
}
