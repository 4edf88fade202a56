//! Partial-Refinement A* (Sturtevant & Buro 2005), as in graph-abstraction-2007, Section 7.3.
//!
//! A* finds a path on one level of the abstraction. On each lower level it then searches only the corridor below that
//! path and the states next to it, down to the ground. `k` bounds the number of states of each path that are refined.
//! The agent moves along the resulting ground path, which ends in a representative as in PR LRTS, and searches again.
//!
//! With `l=auto` each search chooses its first level. Let m be the lowest level on which start and goal have the same
//! state; the first level is the highest one in the lower half of 0 to m whose next level has at least 2√n states, for
//! a map of n cells. Fewer states cause detours. If the agent returns to a state where it planned before, and has
//! discovered nothing since, it refines the complete path. It learns nothing, so it could otherwise run in circles.
//!
//! On abstract levels the Euclidean heuristic is consistent with the edges, and the worst searches are as large as in
//! dynamic-control-2008. `h0=octile`, the heuristic of PR LRTS, is not consistent and makes A* reopen states.

use super::Entry;
use super::hierarchy_params::{ABSTRACTION, variant};
use super::spec::{Param, Values};
use crate::abstraction::graph::AbstractGraph;
use crate::abstraction::{Hierarchy, Reading, Variant};
use crate::agent::{Agent, Discovery, Episode, Memory, Needs};
use crate::graph::{Graph, State};
use crate::meter::Meter;
use crate::search::best_first::{BestFirst, Rules};
use crate::search::marks::Marks;
use crate::search::table::bytes;
use crate::search::ties::Ties;

pub const ENTRY: Entry = Entry {
    about: "Plans with A* on one level of the abstraction and refines the path level by level, each time within a \
            corridor.",
    counts: "expanded: states of all levels; touched: their successors within the corridor; neighbours that widen a \
             corridor and repair of the hierarchy are not counted",
    params: &[
        Param::level("l", "first level; auto chooses it by the distance to the goal"),
        Param::count("k", "inf", "number of states of an abstract path to refine before moving"),
        Param::choice(
            "corridor",
            &["wide", "narrow"],
            "states to search below an abstract path: its states and their neighbours, or its states only",
        ),
        Param::choice(
            "h0",
            &["euclid", "octile"],
            "heuristic of abstract states; euclid is consistent with the costs of their edges",
        ),
        ABSTRACTION,
    ],
    label,
    samples: &[
        "pra(l=1, ties=random)",
        "pra(l=2, k=3, h0=octile)",
        "pra(k=1, corridor=narrow)",
        "pra(k=1)",
        "pra(k=2)",
        "pra(l=2, k=1)",
        "pra(abstraction=aligned)",
        "pra(l=2, k=3, abstraction=aligned)",
    ],
    ..Entry::new("pra", "PRA*", "Sturtevant & Buro 2005; graph-abstraction-2007, Section 7.3", |values| {
        Ok(Box::new(Pra::new(values)))
    })
};

fn label(values: &Values) -> String {
    let label = match (values.get("l").to_string().as_str(), values.get("k").to_string().as_str()) {
        ("auto", "inf") => String::new(),
        ("auto", k) => format!("(k={k})"),
        (l, "inf") => format!("(ℓ={l})"),
        (l, k) => format!("(ℓ={l}, k={k})"),
    };
    label + &values.unusual(ENTRY.params, &["corridor", "h0", "abstraction"])
}

struct Pra {
    /// The first level; `None` if each search chooses it.
    level: Option<usize>,
    /// The number of states of a path to refine.
    max_refined: u64,
    is_wide: bool,
    is_euclid: bool,
    variant: Variant,
    /// The states where it planned in this trial since the last discovery.
    planned: Marks,
    is_new: bool,
    /// The last path, including its first state.
    path: Vec<State>,
    /// The maximum number of its states.
    longest: usize,
    corridor: Marks,
}

impl Pra {
    fn new(values: &Values) -> Pra {
        Pra {
            level: values.level("l"),
            max_refined: values.integer("k"),
            is_wide: values.is("corridor", "wide"),
            is_euclid: values.is("h0", "euclid"),
            variant: variant(values),
            planned: Marks::default(),
            is_new: true,
            path: Vec::new(),
            longest: 0,
            corridor: Marks::default(),
        }
    }

    /// The first level of a search.
    fn first_level(&self, hierarchy: &Hierarchy, at: State, goal: State) -> usize {
        if let Some(level) = self.level {
            return level;
        }
        let (mut one, mut other, mut common) = (at, goal, 0);
        while one != other && common < hierarchy.top() {
            (one, other) = (hierarchy.parent(common, one), hierarchy.parent(common, other));
            common += 1;
        }
        let min_states = 2.0 * (hierarchy.count(0) as f64).sqrt();
        (0..=common.div_ceil(2).saturating_sub(1))
            .rev()
            .find(|level| *level < hierarchy.top() && hierarchy.count(level + 1) as f64 >= min_states)
            .unwrap_or(0)
    }

    /// Keeps at most `max_moves` moves of the path, which is on `level`, and creates its corridor.
    fn open_corridor(&mut self, hierarchy: &Hierarchy, level: usize, max_moves: u64) {
        let kept = max_moves.saturating_add(1).min(self.path.len() as u64) as usize;
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

    /// The end of a path on `level`, below the path on the level above it, if there is one.
    fn target(&self, hierarchy: &Hierarchy, level: usize, goal: State) -> State {
        let target = |end: &State| hierarchy.target(level + 1, *end, (level, goal), Reading::Descend);
        self.path.last().map_or(goal, target)
    }

    /// Replaces the path by one that A* finds on a level, within the corridor unless it is the first level. Returns
    /// whether there is one.
    fn find<G: Graph>(
        &mut self,
        meter: &mut Meter<'_, G>,
        (best_first, ties): (&mut BestFirst, &mut Ties),
        (at, goal): (State, State),
        parent: impl Fn(State) -> State,
    ) -> bool {
        let Pra { path, corridor, .. } = self;
        let (is_first, rules) = (path.is_empty(), Rules::consistent(|_, h0| h0));
        path.clear();
        path.push(at);
        let found = if is_first {
            best_first.find(meter, ties, at, goal, rules, path)
        } else {
            let is_inside = |state| corridor.has(parent(state));
            meter.within(is_inside, |meter| best_first.find(meter, ties, at, goal, rules, path))
        };
        self.longest = self.longest.max(self.path.len());
        found
    }
}

impl Agent for Pra {
    fn needs(&self) -> Needs {
        Needs { level: Some(self.level.unwrap_or(0)), variant: self.variant, ..Needs::default() }
    }

    fn begin_problem(&mut self) {
        self.planned.reset();
        self.corridor.reset();
        self.longest = 0;
    }

    fn begin_trial(&mut self) {
        self.is_new = true;
    }

    fn peak_bytes(&self) -> Option<u64> {
        Some(self.planned.peak_bytes() + self.corridor.peak_bytes() + bytes::<State>(self.longest))
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { best_first, ties, abstraction, .. } = memory;
        abstraction.repair(0);
        if std::mem::take(&mut self.is_new) {
            self.planned.clear(meter.states());
        }
        let max_refined = if self.planned.has(at) { u64::MAX } else { self.max_refined };
        self.planned.mark(at);
        let hierarchy = abstraction.get();
        let first = self.first_level(hierarchy, at, goal);
        self.path.clear();
        for level in (1..=first).rev() {
            let goal = self.target(hierarchy, level, hierarchy.ancestor(0, goal, level));
            let ends = (hierarchy.ancestor(0, at, level), goal);
            let (tools, parent) = ((&mut *best_first, &mut *ties), |state| hierarchy.parent(level, state));
            let found = if self.is_euclid {
                let graph = AbstractGraph::<true>::new(hierarchy, level);
                meter.on(&graph, |meter| self.find(meter, tools, ends, parent))
            } else {
                let graph = AbstractGraph::<false>::new(hierarchy, level);
                meter.on(&graph, |meter| self.find(meter, tools, ends, parent))
            };
            if !found {
                return;
            }
            self.open_corridor(hierarchy, level, max_refined);
        }
        let ends = (at, self.target(hierarchy, 0, goal));
        if self.find(meter, (best_first, ties), ends, |state| hierarchy.parent(0, state)) {
            plan.extend(&self.path[1..]);
        }
    }

    fn discovered(&mut self, _: Discovery<'_>) {
        self.is_new = true;
    }
}
