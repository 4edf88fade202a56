//! Connects the regions of a drawn map: fills small pockets and digs passages between larger regions.
//!
//! All regions grow through the obstacles, over cells of random hardness, until they meet. The cheapest passages that
//! connect everything are dug (Kruskal), and some more for alternative paths.

use super::canvas::{Canvas, Rectangle, is_free};
use super::search::Search;
use crate::graph::{NO_STATE, State};
use crate::rng::{Draw, Stream};
use std::collections::BTreeSet;

pub(super) struct Passages {
    /// Regions with fewer cells are filled.
    pub min_cells: usize,
    /// The width of passages.
    pub width: u32,
    /// The maximal hardness of a cell relative to the softest. Passages wind around hard cells.
    pub max_hardness: u32,
    /// The probability of a passage between neighbouring regions that are already connected.
    pub loops: f64,
}

/// Connects the regions of `canvas`. `filled` returns the letter of a filled pocket, `dug` that of a dug obstacle.
pub(super) fn join(
    canvas: &mut Canvas,
    passages: &Passages,
    random: &mut Stream,
    filled: impl Fn(&Canvas, State) -> u8,
    dug: impl Fn(u8) -> u8,
) {
    let components = canvas.components();
    let Some(largest) = components.largest() else { return };
    let kept = |region: u32| region == largest || components.sizes[region as usize] >= passages.min_cells;
    let mut owner = components.of.clone();
    for (state, region) in owner.iter_mut().enumerate() {
        if *region != NO_STATE && !kept(*region) {
            canvas.letters[state] = filled(canvas, state as State);
            *region = NO_STATE;
        }
    }

    let growth = Growth::new(canvas, owner, passages.max_hardness, random);
    let mut meetings = growth.meetings(canvas);
    meetings.sort_unstable();
    let mut joined = Union::new(components.sizes.len());
    let mut pairs = BTreeSet::new();
    for (_, a, b) in meetings {
        let (one, other) = (growth.owner[a as usize], growth.owner[b as usize]);
        if !pairs.insert((one.min(other), one.max(other))) {
            continue;
        }
        if joined.unite(one, other) || random.chance(passages.loops) {
            for end in [a, b] {
                dig(canvas, &growth, end, passages.width, &dug);
            }
        }
    }
}

/// Digs from `from` back to the region that grew there.
fn dig(canvas: &mut Canvas, growth: &Growth, from: State, width: u32, dug: impl Fn(u8) -> u8) {
    for state in growth.search.path_to(from).filter(|state| growth.search.before[*state as usize] != NO_STATE) {
        let (x, y) = canvas.shape.xy(state);
        for (x, y) in Rectangle::around(x, y, width, canvas.shape).cells() {
            let letter = canvas.get(x, y);
            if !is_free(letter) {
                canvas.set(x, y, dug(letter));
            }
        }
    }
}

/// The growth of regions: the owner of each cell, and the search that reached it.
struct Growth {
    owner: Vec<u32>,
    search: Search,
}

impl Growth {
    fn new(canvas: &Canvas, mut owner: Vec<u32>, max_hardness: u32, random: &mut Stream) -> Growth {
        let shape = canvas.shape;
        let hardness: Vec<u32> = (0..shape.cells()).map(|_| random.between(1, max_hardness)).collect();
        let mut search = Search::new(shape.cells());
        for state in (0..shape.cells() as State).filter(|state| owner[*state as usize] != NO_STATE) {
            search.reach(state, 0, NO_STATE);
        }
        while let Some((reached, state)) = search.next() {
            for next in [0, 2, 4, 6].into_iter().filter_map(|direction| shape.neighbour(state, direction)) {
                let (x, y) = shape.xy(next);
                if !canvas.on_edge(x, y) && search.reach(next, reached + hardness[next as usize], state) {
                    owner[next as usize] = owner[state as usize];
                }
            }
        }
        Growth { owner, search }
    }

    /// Pairs of neighbouring cells of two regions, with the effort to dig from one to the other.
    fn meetings(&self, canvas: &Canvas) -> Vec<(u32, State, State)> {
        let mut meetings = Vec::new();
        for state in 0..canvas.shape.cells() as State {
            for next in [2, 4].into_iter().filter_map(|direction| canvas.shape.neighbour(state, direction)) {
                let (one, other) = (self.owner[state as usize], self.owner[next as usize]);
                if one != NO_STATE && other != NO_STATE && one != other {
                    let effort = self.search.cost[state as usize] + self.search.cost[next as usize];
                    meetings.push((effort, state, next));
                }
            }
        }
        meetings
    }
}

/// The connected regions, as a disjoint-set forest.
struct Union {
    parent: Vec<u32>,
}

impl Union {
    fn new(regions: usize) -> Union {
        Union { parent: (0..regions as u32).collect() }
    }

    fn root(&mut self, mut region: u32) -> u32 {
        while self.parent[region as usize] != region {
            self.parent[region as usize] = self.parent[self.parent[region as usize] as usize];
            region = self.parent[region as usize];
        }
        region
    }

    /// Connects two regions. Returns false if they were already connected.
    fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a as usize] = b;
        a != b
    }
}
