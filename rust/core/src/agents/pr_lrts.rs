//! Path Refinement Learning Real-Time Search: Figure 6 of graph-abstraction-2007, lines 1 to 13.
//!
//! Lines 1 to 4: the recursion starts at level l, so the path of the highest level is found first. Line 6: the end of a
//! path is replaced by one of its descendants, the goal if possible, otherwise a representative (footnote 3; `child`
//! selects the interpretation). Line 8: the corridor contains the states below the path, including pass-through levels
//! (footnote 4). Lines 9 to 13: within the corridor, A* finds a complete path to that state, and LRTS one of d moves.
//! The highest level has no corridor. By default LRTS plans on level l, A* on the ground, and the levels between them
//! are passed through, which Section 5 recommends; `levels` assigns other algorithms.
//!
//! The agent follows the ground path until it discovers that one of its moves is blocked, as Section 4.1 says and as
//! all other agents do. This reproduces Table 5. With `replan=next` it continues until the next move is blocked, and
//! plans less than in the paper. With `replan=discovery` every discovery ends the path, as another sentence of Section
//! 4.1 says.
//!
//! Discoveries repair the hierarchy before the next plan. Learned heuristics are kept as long as their abstract state
//! exists; `forget=all` is the literal Section 4.1, and `forget=changed` is between the two. In the abstract state of
//! the goal the path is that state alone, so that A* plans within it. An LRTS below another one learns for each of its
//! goals separately, since they change from plan to plan. Its heuristics on an abstract level are forgotten when that
//! level changes.

use super::Entry;
use super::hierarchy_params::{ABSTRACTION, variant};
use super::lrts::{DEPTH, GAMMA, Lrts, QUOTA, Tools};
use super::spec::{Algorithm, Conflict, Kind, MAX_LEVEL, Param, Values};
use crate::abstraction::graph::AbstractGraph;
use crate::abstraction::{Abstraction, Hierarchy, Reading, Variant};
use crate::agent::{Agent, Discovery, Episode, Memory, Needs, Replan, Table};
use crate::cost::Cost;
use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::search::best_first::{BestFirst, Rules};
use crate::search::learned::Learned;
use crate::search::marks::Marks;
use crate::search::table::bytes;
use std::collections::HashMap;

pub const ENTRY: Entry = Entry {
    about: "Plans and learns as LRTS does on level l of an abstraction of the map, and refines each path on the ground \
            with A* within the corridor below it.",
    counts: "expanded: states of all levels; touched: their successors, for A* only those within the corridor; repair \
             of the hierarchy is not counted",
    learns: true,
    backtracks: |values| values.real("T").is_finite(),
    params: &[
        Param::integer("l", 0, MAX_LEVEL, "1", "level on which LRTS plans; 0 is LRTS on the ground"),
        DEPTH,
        GAMMA,
        QUOTA,
        Param::choice(
            "child",
            &["descend", "direct"],
            "ground state for the end of an abstract path: level by level the child nearest to the average, or the \
             ground state nearest to the average of all",
        ),
        Param::choice(
            "forget",
            &["gone", "changed", "all"],
            "heuristics that a discovery deletes: of removed abstract states, of removed ones and those with changed \
             children, or of all states of a changed level",
        ),
        Param::choice(
            "replan",
            &["ahead", "next", "discovery"],
            "when to drop a path: when any of its moves is discovered to be blocked, when the next one is, or after \
             any discovery",
        ),
        H0,
        Param {
            name: "levels",
            kind: Kind::Levels,
            default: "auto",
            about: "algorithm of each level from the ground up: a for A*, l for LRTS, p to pass through; auto is A* on \
                    the ground and LRTS on level l",
        },
        ABSTRACTION,
    ],
    label,
    samples: &[
        "pr-lrts(l=0, d=2)",
        "pr-lrts(l=2, d=3, gamma=0.4)",
        "pr-lrts(l=2, d=2, T=10, child=direct, forget=changed, replan=next)",
        "pr-lrts(l=1, d=5, h0=euclid, replan=discovery, ties=random)",
        "pr-lrts(l=2, d=3, levels=aal)",
        "pr-lrts(l=2, d=3, gamma=0.4, abstraction=aligned)",
    ],
    ..Entry::new("pr-lrts", "PR LRTS", "graph-abstraction-2007, Figure 6", |values| Ok(Box::new(PrLrts::new(values)?)))
};

/// The initial heuristic of abstract states.
pub(super) const H0: Param = Param::choice(
    "h0",
    &["octile", "euclid"],
    "initial heuristic of abstract states; euclid is consistent with the costs of their edges",
);

fn label(values: &Values) -> String {
    let [l, d, gamma, quota] = ["l", "d", "gamma", "T"].map(|name| values.get(name));
    let unusual = values.unusual(ENTRY.params, &["child", "forget", "replan", "h0", "levels", "abstraction"]);
    format!("(ℓ={l}, d={d}, γ={gamma}, T={quota}){unusual}")
}

/// The heuristics that a discovery deletes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Forget {
    Removed,
    Changed,
    All,
}

struct PrLrts {
    /// ℓ.
    top: usize,
    /// The algorithm of each level up to ℓ.
    algorithms: Vec<Algorithm>,
    /// LRTS on its highest level. Only this one plans towards the goal itself and learns in [`Memory`].
    first: Lrts,
    /// LRTS on lower levels, by level.
    lower: HashMap<usize, Lower>,
    settings: (u64, f64, f64),
    reading: Reading,
    forget: Forget,
    replan: Replan,
    is_euclid: bool,
    variant: Variant,
    /// The last path, including its first state.
    path: Vec<State>,
    /// The abstract states of the path.
    corridor: Marks,
    peaks: Peaks,
}

/// Maxima since the start of the problem.
#[derive(Default)]
struct Peaks {
    /// States of a path.
    path: usize,
    /// Heuristics of the lower levels, before some were deleted.
    stored: usize,
    /// Heuristics of the current goal on a lower level.
    loaded: usize,
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
    /// The heuristics towards its current goal.
    learned: Learned,
    /// The heuristics towards each of its goals.
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
        first.is_any_graph = top > 0;
        Ok(PrLrts {
            top,
            algorithms,
            first,
            lower: HashMap::new(),
            settings,
            reading: if values.is("child", "descend") { Reading::Descend } else { Reading::Direct },
            forget: match values.word("forget") {
                "gone" => Forget::Removed,
                "changed" => Forget::Changed,
                _ => Forget::All,
            },
            replan: match values.word("replan") {
                "next" => Replan::NextBlocked,
                "ahead" => Replan::Blocked,
                _ => Replan::Discovered,
            },
            is_euclid: values.is("h0", "euclid"),
            variant: variant(values),
            path: Vec::new(),
            corridor: Marks::default(),
            peaks: Peaks::default(),
        })
    }

    /// Whether this is LRTS without abstraction.
    fn is_lrts(&self) -> bool {
        self.algorithms == [Algorithm::Lrts]
    }

    fn first_lrts(&self) -> Option<usize> {
        self.algorithms.iter().rposition(|algorithm| *algorithm == Algorithm::Lrts)
    }

    /// The number of heuristics of the lower levels.
    fn stored(&self) -> usize {
        self.lower.values().flat_map(|lower| lower.stored.values()).map(HashMap::len).sum()
    }

    /// Repairs the hierarchy after discoveries, and deletes heuristics that are no longer valid.
    fn repair(&mut self, abstraction: &mut Abstraction, learned: &mut Learned, goal: State) {
        let level = self.first_lrts().unwrap_or(0);
        let Some(hierarchy) = abstraction.repair(level) else { return };
        self.peaks.stored = self.peaks.stored.max(self.stored());
        // On the ground edges are only removed, so learned heuristics stay admissible.
        for (_, lower) in self.lower.iter_mut().filter(|(level, _)| **level > 0) {
            learned.forget_external(lower.stored.values().map(|stored| stored.len() as u64).sum());
            lower.stored.clear();
        }
        if level == 0 {
            return;
        }
        learned.make_room(hierarchy.states(level));
        // A repair may add the goal to an abstract state, whose heuristic is 0 then.
        learned.forget(hierarchy.ancestor(0, goal, level));
        let changes = hierarchy.take_changes(level);
        match self.forget {
            Forget::All if changes.is_updated => learned.forget_all(),
            Forget::Changed => changes.changed.for_each(|state| learned.forget(state)),
            Forget::Removed | Forget::All => changes.removed.for_each(|state| learned.forget(state)),
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
            lrts.is_any_graph = true;
            Lower { lrts, learned: Learned::default(), stored: HashMap::new() }
        });
        let stored = lower.stored.entry(goal).or_default();
        lower.learned.reset(meter.states());
        stored.iter().for_each(|(state, value)| lower.learned.store(*state, 0, *value));
        let before = lower.learned.learning();
        let own = Tools { learned: &mut lower.learned, ..tools };
        lower.lrts.step(meter, own, at, goal, &mut self.path);
        // LRTS changes only the heuristic of its current state.
        if let Some(value) = lower.learned.entry(at) {
            stored.insert(at, value);
        }
        let learning = lower.learned.learning();
        self.peaks.loaded = self.peaks.loaded.max(learning.entries as usize);
        tools.learned.count_external(before, learning);
    }

    /// Lines 9 to 13 on one level. Returns whether there is a path.
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
        self.peaks.path = self.peaks.path.max(self.path.len());
        self.path.len() > 1
    }

    /// Line 8: [`PrLrts::find`] within the corridor of the path above, if there is one.
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
        let (actual, expected) = (given.len(), top + 1);
        let reason = format!("levels={name} has {actual} letters, but l={top} needs {expected}, including the ground");
        return Err(Conflict::of("levels", reason));
    }
    if given[0] == Algorithm::PassThrough || given[top] == Algorithm::PassThrough {
        let reason = format!("levels={name} passes through the ground or level {top}; use a or l for both");
        return Err(Conflict::of("levels", reason));
    }
    Ok(given)
}

impl Agent for PrLrts {
    fn needs(&self) -> Needs {
        Needs { level: (self.top > 0).then_some(self.top), variant: self.variant, ..Needs::default() }
    }

    fn replan(&self) -> Replan {
        self.replan
    }

    fn begin_problem(&mut self) {
        self.first.begin_problem();
        self.lower.clear();
        self.corridor.reset();
        self.peaks = Peaks::default();
    }

    fn peak_bytes(&self) -> Option<u64> {
        let Peaks { path, stored, loaded } = self.peaks;
        let levels = [&self.first].into_iter().chain(self.lower.values().map(|lower| &lower.lrts));
        let own = levels.filter_map(Agent::peak_bytes).sum::<u64>() + self.corridor.peak_bytes();
        // A stored heuristic has a goal, a state and a value.
        let heuristics = bytes::<(State, State, Cost)>(stored.max(self.stored())) + bytes::<(State, Cost)>(loaded);
        Some(own + heuristics + bytes::<State>(path))
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
        // The level of the last path, which is above all others at first.
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
                let graph = AbstractGraph::<true>::new(hierarchy, level);
                meter.on(&graph, |meter| self.find_within(meter, hierarchy, tables, leg))
            } else {
                let graph = AbstractGraph::<false>::new(hierarchy, level);
                meter.on(&graph, |meter| self.find_within(meter, hierarchy, tables, leg))
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
