//! D* Lite (Koenig & Likhachev 2002, Figure 4, optimized version), as compared in rtaa-2006, Section 8 and Table 1.
//!
//! One search from the goal serves all trials of a problem: [`Incremental`] repairs it for the current state and for
//! blocked cells. Discoveries are collected until one blocks the path. On 2500 mazes, as many as in Table 1, expansions
//! and travel are within one standard error of the table (1.3 with `prefer=smaller-g`). States that only get a new key
//! while they are in the queue are not counted, because that generates no successors.

use super::Entry;
use super::spec::Param;
use crate::agent::{Agent, Discovery, Episode};
use crate::graph::{Graph, State};
use crate::grid::Shape;
use crate::meter::Meter;
use crate::search::incremental::{Incremental, Prefer};
use crate::search::table::bytes;
use crate::search::ties::Ties;

pub const ENTRY: Entry = Entry {
    about: "Plans a shortest path by a search from the goal, and repairs that search when a discovery blocks the path.",
    counts: "expanded: states taken from the queue; touched: their successors, and again when rhs is recomputed",
    optimal: true,
    params: &[Param::choice(
        "prefer",
        &["larger-g", "smaller-g"],
        "which g comes first among equal keys: the larger as in rtaa-2006, or the smaller as in the original",
    )],
    label: |values| if values.is("prefer", "larger-g") { "" } else { " (smaller g)" }.to_owned(),
    samples: &["dstar-lite(prefer=smaller-g)", "dstar-lite(ties=random)"],
    ..Entry::new("dstar-lite", "D* Lite", "Koenig & Likhachev 2002; rtaa-2006, Section 8", |values| {
        let prefer = if values.is("prefer", "larger-g") { Prefer::LargerG } else { Prefer::SmallerG };
        Ok(Box::new(DStarLite::new(prefer)))
    })
};

pub(super) struct DStarLite {
    prefer: Prefer,
    /// Whether a search exists that can be repaired.
    has_searched: bool,
    /// Cells discovered to be blocked since the last search, and the size of the map.
    blocked: Vec<State>,
    /// The lost moves that the search does not know yet.
    lost: Vec<(State, State)>,
    shape: Option<Shape>,
    /// The maximum bytes of `blocked` and `lost`.
    peak: u64,
}

impl DStarLite {
    pub(super) fn new(prefer: Prefer) -> DStarLite {
        DStarLite { prefer, has_searched: false, blocked: Vec::new(), lost: Vec::new(), shape: None, peak: 0 }
    }
}

impl Agent for DStarLite {
    fn begin_problem(&mut self) {
        (self.has_searched, self.peak) = (false, 0);
        self.blocked.clear();
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let (search, ties) = (memory.own.get::<Incremental>(), &mut memory.ties);
        if self.has_searched && search.moved(meter, at) {
            if let Some(shape) = self.shape {
                for &cell in &self.blocked {
                    block(search, meter, ties, cell, shape);
                }
                for &(one, other) in &self.lost {
                    for (from, to) in [(one, other), (other, one)] {
                        if search.next(from) == Some(to) {
                            search.lost_next(meter, ties, from);
                        }
                    }
                }
            }
        } else {
            search.begin(meter, ties, at, goal, self.prefer);
            self.has_searched = true;
        }
        let waiting = bytes::<State>(self.blocked.len()) + bytes::<(State, State)>(self.lost.len());
        self.peak = self.peak.max(waiting);
        self.blocked.clear();
        self.lost.clear();
        search.run(meter, ties);
        search.path(plan);
    }

    fn discovered(&mut self, discovery: Discovery<'_>) {
        self.blocked.extend(discovery.blocked);
        self.lost.extend(discovery.lost);
        self.shape = Some(discovery.shape);
    }

    fn peak_bytes(&self) -> Option<u64> {
        Some(self.peak)
    }
}

/// Removes the moves out of a blocked cell, into it and past its corners.
fn block<G: Graph>(search: &mut Incremental, meter: &mut Meter<'_, G>, ties: &mut Ties, cell: State, shape: Shape) {
    search.lost_next(meter, ties, cell);
    let (x, y) = shape.xy(cell);
    shape.around(cell, |_, neighbour| {
        let Some(next) = search.next(neighbour) else { return };
        let ((from_x, from_y), (to_x, to_y)) = (shape.xy(neighbour), shape.xy(next));
        if next == cell || (x, y) == (from_x, to_y) || (x, y) == (to_x, from_y) {
            search.lost_next(meter, ties, neighbour);
        }
    });
}
