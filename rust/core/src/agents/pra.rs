//! Partial-Refinement A* (Sturtevant & Buro 2005), as graph-abstraction-2007 recalls it in Section 7.3.
//!
//! A* finds a path on some level of the abstraction, then on the level below it within the corridor that the path and the
//! states next to it leave, and so on down to the ground. With `l=auto` the first level is chosen anew for every search:
//! the highest of the lower half of the levels from the ground up to the lowest on which start and goal are one state, but
//! always one with a level of at least 2√n states above it, where n is the number of cells: fewer make detours. `k` bounds
//! how many states of each path are refined; the part of the way that comes out is walked before the next search. Where it
//! ends is the representative of the last state, as in PR LRTS. An agent that comes back to where it has planned before, with nothing discovered since, refines
//! the whole path: else it could go in circles, since nothing is learned.
//!
//! On abstract levels the Euclidean heuristic is consistent with the edges. With it the worst searches come out as
//! dynamic-control-2008 has them; `h0=octile`, which PR LRTS has, is not consistent, and makes A* re-open states.

use super::Entry;
use super::spec::{Param, Values};
use crate::abstraction::graph::AbstractGraph;
use crate::abstraction::{Hierarchy, Reading};
use crate::agent::{Agent, Discovery, Episode, Memory};
use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::search::best_first::{BestFirst, Rules};
use crate::search::marks::Marks;
use crate::search::ties::Ties;

pub const ENTRY: Entry = Entry {
    name: "pra",
    title: "PRA*",
    paper: "Sturtevant & Buro 2005; graph-abstraction-2007, Section 7.3",
    about: "Plans by A* on a level of the abstraction and refines the path level by level, each time within a corridor.",
    counts: "expanded: states of all levels; touched: their successors within the corridor; the neighbours that widen a \
             corridor and repair of the hierarchy are not counted",
    params: &[
        Param::level("l", "the level to begin with; auto chooses it from how far away the goal is"),
        Param::count("k", "inf", "how many states of an abstract path are refined before the agent moves; inf: all"),
        Param::choice(
            "corridor",
            &["wide", "narrow"],
            "what a path leaves to search below it: its states and those next to them, or its states alone",
        ),
        Param::choice(
            "h0",
            &["euclid", "octile"],
            "the heuristic of abstract states; euclid is consistent with the costs of their edges",
        ),
    ],
    label,
    build: |values| Ok(Box::new(Pra::new(values))),
    samples: &[
        "pra(l=1, ties=random)",
        "pra(l=2, k=3, h0=octile)",
        "pra(k=1, corridor=narrow)",
        "pra(k=1)",
        "pra(k=2)",
        "pra(l=2, k=1)",
    ],
    ..Entry::PLAIN
};

fn label(values: &Values) -> String {
    let label = match (values.get("l").to_string().as_str(), values.get("k").to_string().as_str()) {
        ("auto", "inf") => String::new(),
        ("auto", k) => format!("(k={k})"),
        (l, "inf") => format!("(ℓ={l})"),
        (l, k) => format!("(ℓ={l}, k={k})"),
    };
    label + &values.unusual(ENTRY.params, &["corridor", "h0"])
}

struct Pra {
    /// The first level; none where it is chosen.
    level: Option<usize>,
    /// How many states of a path are refined.
    most: u64,
    is_wide: bool,
    is_euclid: bool,
    /// Where it has planned in this trial since something was last discovered.
    planned: Marks,
    is_new: bool,
    /// The path found last, with the state that it begins at.
    path: Vec<State>,
    corridor: Marks,
}

impl Pra {
    fn new(values: &Values) -> Pra {
        Pra {
            level: values.level("l"),
            most: values.integer("k"),
            is_wide: values.is("corridor", "wide"),
            is_euclid: values.is("h0", "euclid"),
            planned: Marks::default(),
            is_new: true,
            path: Vec::new(),
            corridor: Marks::default(),
        }
    }

    /// The level to begin with.
    fn first_level(&self, hierarchy: &Hierarchy, at: State, goal: State) -> usize {
        if let Some(level) = self.level {
            return level;
        }
        let (mut one, mut other, mut common) = (at, goal, 0);
        while one != other && common < hierarchy.top() {
            (one, other) = (hierarchy.parent(common, one), hierarchy.parent(common, other));
            common += 1;
        }
        let few = 2.0 * (hierarchy.count(0) as f64).sqrt();
        (0..=common.div_ceil(2).saturating_sub(1))
            .rev()
            .find(|level| *level < hierarchy.top() && hierarchy.count(level + 1) as f64 >= few)
            .unwrap_or(0)
    }

    /// Keeps so many moves of the path, which is on `level`, and makes a corridor of it.
    fn open_corridor(&mut self, hierarchy: &Hierarchy, level: usize, most: u64) {
        let kept = most.saturating_add(1).min(self.path.len() as u64) as usize;
        self.path.truncate(kept);
        let Pra { corridor, path, is_wide, .. } = self;
        corridor.clear(hierarchy.states(level));
        for &state in path.iter() {
            corridor.mark(state);
            if *is_wide {
                hierarchy.neighbours(level, state, |neighbour| corridor.mark(neighbour));
            }
        }
    }

    /// Where a path on `level` is to lead, below a path on the level above it, if there is one.
    fn target(&self, hierarchy: &Hierarchy, level: usize, goal: State) -> State {
        let target = |end: &State| hierarchy.target(level + 1, *end, (level, goal), Reading::Descend);
        self.path.last().map_or(goal, target)
    }

    /// A* on a level's own graph, within the corridor unless it is the first level.
    fn find_above<const EUCLID: bool, G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        hierarchy: &Hierarchy,
        level: usize,
        best_first: &mut BestFirst,
        ties: &mut Ties,
        (at, goal): (State, State),
    ) -> bool {
        let graph = AbstractGraph::<EUCLID>::new(hierarchy, level);
        let Pra { path, corridor, .. } = self;
        let is_first = path.is_empty();
        let is_inside = |state| corridor.has(hierarchy.parent(level, state));
        meter.on(&graph, |meter| match is_first {
            true => find(meter, best_first, ties, at, goal, path),
            false => meter.within(is_inside, |meter| find(meter, best_first, ties, at, goal, path)),
        })
    }
}

/// A* from one state to another: the path replaces what `path` was. Tells whether there is one.
fn find<G: Graph>(
    meter: &mut Meter<'_, G>,
    best_first: &mut BestFirst,
    ties: &mut Ties,
    at: State,
    goal: State,
    path: &mut Vec<State>,
) -> bool {
    path.clear();
    path.push(at);
    best_first.find(meter, ties, at, goal, Rules::consistent(|_, h0| h0), path)
}

impl Agent for Pra {
    fn highest_level(&self) -> Option<usize> {
        Some(self.level.unwrap_or(0))
    }

    fn begin_trial(&mut self) {
        self.is_new = true;
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { best_first, ties, abstraction, .. } = memory;
        abstraction.repair(0);
        if std::mem::take(&mut self.is_new) {
            self.planned.clear(meter.states());
        }
        let most = if self.planned.has(at) { u64::MAX } else { self.most };
        self.planned.mark(at);
        let hierarchy = abstraction.get();
        let first = self.first_level(hierarchy, at, goal);
        self.path.clear();
        for level in (1..=first).rev() {
            let goal = self.target(hierarchy, level, hierarchy.ancestor(0, goal, level));
            let ends = (hierarchy.ancestor(0, at, level), goal);
            let found = if self.is_euclid {
                self.find_above::<true, G>(meter, hierarchy, level, best_first, ties, ends)
            } else {
                self.find_above::<false, G>(meter, hierarchy, level, best_first, ties, ends)
            };
            if !found {
                return;
            }
            self.open_corridor(hierarchy, level, most);
        }
        let found = if first == 0 {
            find(meter, best_first, ties, at, goal, &mut self.path)
        } else {
            let target = self.target(hierarchy, 0, goal);
            let Pra { path, corridor, .. } = self;
            let is_inside = |state| corridor.has(hierarchy.parent(0, state));
            meter.within(is_inside, |meter| find(meter, best_first, ties, at, target, path))
        };
        if found {
            plan.extend(&self.path[1..]);
        }
    }

    fn discovered(&mut self, _: Discovery<'_>) {
        self.is_new = true;
    }
}
