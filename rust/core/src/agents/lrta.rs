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
//!
//! Where a decision tree or an oracle chooses the depth, line 3 is theirs: LRTA* (DT, G) and LRTA* (ORACLE, G). Values
//! learned at different depths are not consistent with each other, so path-max matters at depth 1, too. The pre-search of
//! a decision tree counts: it is the beginning of the lookahead, which is no shallower. The oracle's foresight is no
//! planning of the agent: what counts is the search to the depth that it chose.

use super::spec::{Kind, Param, Value, Values};
use super::{Agent, Entry, Episode, Memory, Walker};
use crate::control::DepthControl;
use crate::control::oracle::Oracle;
use crate::cost::Weight;
use crate::graph::Graph;
use crate::search::lookahead::{Outlook, Rules};
use crate::search::neighbour::best_neighbour;

/// Its entry in the catalogue.
pub const ENTRY: Entry = Entry {
    name: "lrta",
    title: "LRTA*",
    paper: "Korf 1990; dynamic-control-2008, Figure 1; graph-abstraction-2007, Figure 2",
    about: "Looks d moves ahead breadth first, raises the heuristic of where it stands, makes one move to the best.",
    counts: "expanded: states less than d moves away, (2d-1)² on open ground, with what a decision tree looks at, and \
             without what an oracle foresees; touched: their successors",
    complete: true,
    optimal: false,
    learns: true,
    params: &[
        Param {
            name: "d",
            kind: Kind::IntegerOr { least: 1, most: MOST_DEPTH, words: &["dt", "oracle"] },
            default: "1",
            about: "the depth of the lookahead, in moves, or who chooses it: a decision tree, an oracle",
        },
        Param {
            name: "gamma",
            kind: Kind::Real { above: 0.0, most: 1.0 },
            default: "1",
            about: "the weight γ of the way to the frontier",
        },
        Param { name: "tree", kind: Kind::Tree, default: "none", about: "the decision tree of d=dt" },
        Param {
            name: "dmax",
            kind: Kind::Integer { least: 1, most: MOST_DEPTH },
            default: "20",
            about: "how far the oracle of d=oracle looks ahead",
        },
    ],
    label: |values: &Values| {
        let gamma = values.real("gamma");
        let gamma = if gamma == 1.0 { String::new() } else { format!(", γ={gamma}") };
        let depth = match values.get("d") {
            Value::Word("oracle") => format!("(ORACLE, G) dmax={}", values.integer("dmax")),
            Value::Word(_) => format!("(DT, G) dmax={}", values.tree("tree").map_or(0, |tree| tree.dmax())),
            depth => format!("(F, G) d={depth}"),
        };
        depth + &gamma
    },
    build,
};

/// The greatest depth of a lookahead.
const MOST_DEPTH: u64 = crate::control::tree::MOST_DEPTH;

fn build(values: &Values) -> Box<dyn Walker> {
    let weight = Weight::new(values.real("gamma"));
    let depth = match (values.get("d"), values.tree("tree")) {
        (Value::Integer(depth), None) => match weight {
            Weight::ONE => return Box::new(Lrta { depth: *depth as u32 }),
            weight => return Box::new(WeightedLrta { depth: *depth as u32, weight }),
        },
        (Value::Word("dt"), Some(tree)) => DepthControl::Tree(tree),
        (Value::Word("dt"), None) => {
            return unfit("d=dt needs a decision tree; add tree=FILE, which `permove train` writes");
        }
        (_, Some(_)) => return unfit("only d=dt uses a decision tree; leave out tree, or set d=dt"),
        (_, None) => DepthControl::Oracle(Oracle::new(values.integer("dmax") as u32)),
    };
    if values.word("ties") == "random" {
        return unfit("d=dt and d=oracle go by moves under a fixed rule for ties; leave out ties=random");
    }
    Box::new(ControlledLrta::new(depth, weight))
}

/// An agent that cannot be, since its parameters do not fit together.
struct Unfit(&'static str);

fn unfit(objection: &'static str) -> Box<dyn Walker> {
    Box::new(Unfit(objection))
}

impl Agent for Unfit {
    fn objection(&self) -> Option<String> {
        Some(self.0.to_owned())
    }

    fn plan<G: Graph>(&mut self, _: Episode<'_, '_, G>) {}
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

/// With a depth that is chosen anew for every move.
pub(super) struct ControlledLrta {
    depth: DepthControl,
    weight: Weight,
    /// Whether a trial begins.
    is_fresh: bool,
}

impl ControlledLrta {
    pub(super) fn new(depth: DepthControl, weight: Weight) -> ControlledLrta {
        ControlledLrta { depth, weight, is_fresh: true }
    }
}

impl Agent for ControlledLrta {
    fn begin_trial(&mut self) {
        self.is_fresh = true;
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let Memory { learned, lookahead, history, ties, .. } = memory;
        if std::mem::take(&mut self.is_fresh) {
            self.depth.begin_trial(history, meter.states());
        }
        let weight = self.weight;
        let h0 = meter.heuristic(goal);
        let heuristic = |state| learned.or(state, h0.of(state));
        let before = heuristic(at);
        let path_max = Some(if weight == Weight::ONE { before } else { 0 });
        let outlook = Outlook { from: at, goal, path_max, weigh: |cost| weight.of(cost), heuristic };
        let depth = self.depth.choose(meter, (lookahead, history), &outlook, &h0);
        lookahead.reach(meter, depth, &outlook);
        let promise = lookahead.promise(ties);
        if let Some(next) = lookahead.first(promise.state) {
            let f = promise.f.max(before);
            learned.set(at, before, f);
            self.depth.planned(history, at, next, f - before);
            plan.push(next);
        }
    }
}
