//! The incremental search of D* Lite (Koenig & Likhachev 2002, Figure 4, the optimized version).
//!
//! It runs from the goal to the agent. A vertex has a distance g and a one-step lookahead rhs, the minimal c(s, s') +
//! g(s') over its successors s'. If they differ, it is inconsistent and in the queue. When the agent has moved or edges
//! were lost, only the part that matters for the agent's shortest path is recomputed. The key modifier km keeps queued
//! keys from being too large, and keys that the agent's moves made too small are corrected when they are popped.
//!
//! Edges are only lost, since an agent that assumes unknown cells to be free never discovers new ones. Distances
//! therefore only grow, rhs never falls below a finite g, and one number per vertex suffices: if g is too small, rhs is
//! not needed before the vertex is popped, and otherwise g is rhs or infinite. A vertex also stores the successor of
//! its rhs: rhs is recomputed only if that is lost, and the path to the goal needs no successors.

use super::ring::{AHEAD, Ring};
use super::table::{Table, bytes};
use super::ties::{Minimum, Ranks, Ties};
use crate::cost::{Cost, INFINITY, add};
use crate::graph::{Graph, State};
use crate::meter::{Heuristic, Meter};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The order of two vertices with the same k1, the first component of their keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefer {
    /// Larger g first, after vertices with too small a g, as in rtaa-2006, where ties between equal f go to larger g.
    #[default]
    LargerG,
    /// The one nearer to the goal first, since k2 is min(g, rhs): as published in 2002.
    SmallerG,
}

/// The data of a state.
#[derive(Clone, Copy)]
struct Vertex {
    /// The minimum of g and rhs.
    value: Cost,
    /// The successor of rhs, and the marks.
    link: u32,
}

impl Vertex {
    /// rhs is below g, which is infinite.
    const OVERCONSISTENT: u32 = 1 << 31;
    /// rhs is above g.
    const UNDERCONSISTENT: u32 = 1 << 30;
    const MARKS: u32 = Self::OVERCONSISTENT | Self::UNDERCONSISTENT;
    /// No successor. All states are smaller.
    const NO_NEXT: u32 = !Self::MARKS;
    const UNSEEN: Vertex = Vertex { value: INFINITY, link: Self::NO_NEXT };

    #[inline(always)]
    fn is(self, mark: u32) -> bool {
        self.link & mark != 0
    }

    #[inline(always)]
    fn next(self) -> State {
        self.link & !Self::MARKS
    }

    /// Without a branch, as in the functions below, since the marks of vertices are unpredictable.
    #[inline(always)]
    fn g(self) -> Cost {
        self.value | (self.link as i32 >> 31) as u32
    }

    /// The second component of its key.
    ///
    /// Larger g first is correct only among overconsistent vertices: one with the same k1 and too small a g must
    /// precede all vertices that may depend on it.
    #[inline(always)]
    fn k2(self, prefer: Prefer) -> u32 {
        const HALF: u32 = u32::MAX >> 1;
        let complement = (prefer == Prefer::LargerG) & !self.is(Self::UNDERCONSISTENT);
        self.value.min(HALF) ^ (complement as u32).wrapping_neg()
    }
}

/// The search, with memory that is reused for all problems.
#[derive(Default)]
pub struct Incremental {
    vertices: Vec<Vertex>,
    /// The pages of vertices that were written and must be reset, as flags and as a list.
    is_written: Vec<bool>,
    written: Vec<u32>,
    queue: Queue,
    keys: Keys,
    goal: State,
    /// Vertices whose rhs must be recomputed.
    dependents: Vec<State>,
    /// Whether it was used for the current problem, with the maximum of the bytes of its vertices before they were
    /// reset, and that of its queue.
    is_used: bool,
    peak_vertices: u64,
    peak_queue: u64,
}

/// The number of vertices that are reset together.
const PAGE: usize = 64;

/// The parts of keys that do not depend on the vertex.
#[derive(Clone, Copy, Default)]
struct Keys {
    prefer: Prefer,
    km: Cost,
    /// The agent's state, the target of heuristics.
    at: State,
}

impl Keys {
    /// The key of a vertex: k1, then k2.
    #[inline(always)]
    fn of<G: Graph>(self, h: &Heuristic<'_, G>, state: State, vertex: Vertex) -> u64 {
        let k1 = add(add(vertex.value, h.of(state)), self.km);
        (k1 as u64) << 32 | vertex.k2(self.prefer) as u64
    }
}

impl Table for Incremental {
    fn reset(&mut self, _states: usize) {
        (self.is_used, self.peak_vertices, self.peak_queue) = (false, 0, 0);
    }

    fn peak_bytes(&self) -> u64 {
        let now = if self.is_used { self.vertex_bytes() } else { 0 };
        self.peak_vertices.max(now) + self.peak_queue
    }
}

impl Incremental {
    /// Resets the search, from `goal` to an agent at `at`.
    pub fn begin<G: Graph>(&mut self, meter: &Meter<'_, G>, ties: &mut Ties, at: State, goal: State, prefer: Prefer) {
        let states = meter.states();
        assert!(states < Vertex::NO_NEXT as usize, "states leave room for marks");
        self.peak_vertices = self.peak_bytes() - self.peak_queue;
        self.is_used = true;
        for page in self.written.drain(..) {
            self.is_written[page as usize] = false;
            let page = self.vertices.chunks_mut(PAGE).nth(page as usize);
            page.expect("it was written").fill(Vertex::UNSEEN);
        }
        if self.vertices.len() < states {
            self.vertices = vec![Vertex::UNSEEN; states];
            self.is_written = vec![false; states.div_ceil(PAGE)];
        }
        self.keys = Keys { prefer, km: 0, at };
        self.goal = goal;
        let (h, vertex) = (meter.heuristic(at), Vertex { value: 0, link: Vertex::OVERCONSISTENT | Vertex::NO_NEXT });
        self.vertices[goal as usize] = vertex;
        self.queue.clear(ties.ranks(), self.keys.of(&h, goal, vertex));
        self.push(&h, goal);
    }

    /// The bytes of the vertices with a value, and of their pages.
    fn vertex_bytes(&self) -> u64 {
        let page = |page: &u32| self.vertices.chunks(PAGE).nth(*page as usize).unwrap_or_default();
        let vertices = self.written.iter().flat_map(page).filter(|vertex| vertex.value != INFINITY).count();
        bytes::<Vertex>(vertices) + bytes::<u32>(self.written.len()) + bytes::<bool>(self.written.len())
    }

    /// Updates the search for the agent's new state. Returns false if km is so large that keys might overflow. The
    /// search must then begin again.
    pub fn moved<G: Graph>(&mut self, meter: &Meter<'_, G>, at: State) -> bool {
        self.keys.km = add(self.keys.km, meter.heuristic(at).of(self.keys.at));
        self.keys.at = at;
        self.keys.km < INFINITY / 2
    }

    /// The successor on the path from a state, as far as known.
    #[inline(always)]
    pub fn next(&self, state: State) -> Option<State> {
        Some(self.vertices[state as usize].next()).filter(|next| *next != Vertex::NO_NEXT)
    }

    /// Recomputes rhs of a state that has lost the edge to its [`Incremental::next`].
    #[inline(always)]
    pub fn lost_next<G: Graph>(&mut self, meter: &mut Meter<'_, G>, ties: &mut Ties, state: State) {
        let vertex = self.vertices[state as usize];
        if state == self.goal || vertex.value == INFINITY || vertex.is(Vertex::UNDERCONSISTENT) {
            return;
        }
        let (mut min, vertices) = (Minimum::default(), &self.vertices);
        let visit = |next: State, cost| {
            min.offer(ties, add(vertices[next as usize].g(), cost), next);
        };
        meter.reread_if(state, |_, _| true, visit);
        let (rhs, next) = min.get().unwrap_or((INFINITY, Vertex::NO_NEXT));
        debug_assert!(rhs >= vertex.value, "edges are only lost");
        let now = if vertex.is(Vertex::OVERCONSISTENT) {
            overconsistent(rhs, next)
        } else if rhs == vertex.value {
            Vertex { link: next, ..vertex }
        } else {
            Vertex { link: Vertex::UNDERCONSISTENT | Vertex::NO_NEXT, ..vertex }
        };
        self.vertices[state as usize] = now;
        // If its value is unchanged, it is already in the queue.
        if now.is(Vertex::MARKS) && rhs != vertex.value {
            self.push(&meter.heuristic(self.keys.at), state);
        }
    }

    /// ComputeShortestPath.
    pub fn run<G: Graph>(&mut self, meter: &mut Meter<'_, G>, ties: &mut Ties) {
        self.search(meter, ties);
        self.peak_queue = self.peak_queue.max(self.queue.bytes());
    }

    #[inline(always)]
    fn search<G: Graph>(&mut self, meter: &mut Meter<'_, G>, ties: &mut Ties) {
        let (keys, h) = (self.keys, meter.heuristic(self.keys.at));
        loop {
            let vertices = &self.vertices;
            let start = vertices[keys.at as usize];
            let limit = if start.is(Vertex::UNDERCONSISTENT) { u64::MAX } else { keys.of(&h, keys.at, start) };
            let key_of = |k2, state: State| {
                let vertex = vertices[state as usize];
                let is_queued = vertex.is(Vertex::MARKS) & (vertex.k2(keys.prefer) == k2);
                is_queued.then(|| keys.of(&h, state, vertex))
            };
            let Some(state) = self.queue.pop(limit, key_of) else { return };
            let vertex = &mut self.vertices[state as usize];
            let g = vertex.value;
            if vertex.is(Vertex::OVERCONSISTENT) {
                vertex.link &= !Vertex::MARKS;
                meter.expand(state, |neighbour, cost| {
                    let (vertex, rhs) = (&mut self.vertices[neighbour as usize], add(g, cost));
                    if rhs < vertex.value {
                        debug_assert!(vertex.g() == INFINITY, "distances only grow");
                        *vertex = overconsistent(rhs, state);
                        self.push(&h, neighbour);
                    } else if rhs == vertex.value && vertex.is(Vertex::UNDERCONSISTENT) {
                        vertex.link = state;
                    }
                });
            } else {
                *vertex = Vertex::UNSEEN;
                self.dependents.clear();
                let mut min = Minimum::default();
                meter.expand(state, |neighbour, cost| {
                    let vertex = self.vertices[neighbour as usize];
                    if vertex.next() == state {
                        self.dependents.push(neighbour);
                    }
                    min.offer(ties, add(vertex.g(), cost), neighbour);
                });
                if let Some((rhs, next)) = min.get().filter(|(rhs, _)| *rhs != INFINITY) {
                    self.vertices[state as usize] = overconsistent(rhs, next);
                    self.push(&h, state);
                }
                for i in 0..self.dependents.len() {
                    self.lost_next(meter, ties, self.dependents[i]);
                }
            }
        }
    }

    #[inline(always)]
    fn push<G: Graph>(&mut self, h: &Heuristic<'_, G>, state: State) {
        // Every vertex is pushed when it is first written.
        let page = state as usize / PAGE;
        if !self.is_written[page] {
            self.is_written[page] = true;
            self.written.push(page as u32);
        }
        self.queue.push(self.keys.of(h, state, self.vertices[state as usize]), state);
    }

    /// Appends the moves from the agent to the goal to `plan`, or none if the goal is unreachable. It must follow
    /// [`Incremental::run`], when all vertices on the path are consistent, so that each move leads nearer to the goal.
    pub fn path(&self, plan: &mut Vec<State>) {
        let mut state = self.keys.at;
        if self.vertices[state as usize].value == INFINITY {
            return;
        }
        while state != self.goal {
            let vertex = self.vertices[state as usize];
            state = vertex.next();
            debug_assert!(self.vertices[state as usize].g() < vertex.value, "the path leads nearer to the goal");
            plan.push(state);
        }
    }
}

/// A vertex whose g is infinite.
#[inline(always)]
fn overconsistent(rhs: Cost, next: State) -> Vertex {
    if rhs == INFINITY { Vertex::UNSEEN } else { Vertex { value: rhs, link: Vertex::OVERCONSISTENT | next } }
}

/// A queue by key, smallest first, with ties in the order of [`Ranks`].
///
/// No entry is removed from its middle: an entry with a k2 that its vertex no longer has is dropped when it is popped.
/// Entries are distributed over buckets by k1, and only the current bucket is sorted, since most of the border of the
/// search is far from the agent's path and is never popped.
struct Queue {
    /// The current bucket and all before it: key, rank among ties and state in one integer.
    near: BinaryHeap<Reverse<u128>>,
    /// The number of the current bucket.
    at: u32,
    /// The buckets after it.
    ahead: Ring<Waiting>,
    /// The smallest key of each of those, by number modulo [`AHEAD`].
    min: [u64; AHEAD as usize],
    /// The entries beyond with their keys, and the smallest key.
    far: Vec<(u64, State)>,
    min_far: u64,
    /// The number of entries pushed to `near`, and their order.
    serial: u32,
    ranks: Ranks,
}

/// An entry of a bucket ahead. Its k1 is recomputed when the bucket becomes current.
#[derive(Clone, Copy)]
struct Waiting {
    k2: u32,
    state: State,
}

/// The number of a key's bucket. Buckets are less than a cell wide, and on a 4-connected grid each has one k1. A ring
/// of them covers 45 cells of k1, so that few entries are beyond it.
#[inline(always)]
fn bucket_of(key: u64) -> u32 {
    (key >> (32 + 12)) as u32
}

impl Default for Queue {
    fn default() -> Self {
        Queue {
            near: BinaryHeap::new(),
            at: 0,
            ahead: Ring::default(),
            min: [0; AHEAD as usize],
            far: Vec::new(),
            min_far: u64::MAX,
            serial: 0,
            ranks: Ranks::Serial,
        }
    }
}

impl Queue {
    /// Empties the queue for keys of at least `first`.
    fn clear(&mut self, ranks: Ranks, first: u64) {
        self.ranks = ranks;
        self.near.clear();
        self.ahead.clear();
        self.far.clear();
        (self.at, self.min_far, self.serial) = (bucket_of(first), u64::MAX, 0);
    }

    /// The bytes of its entries.
    fn bytes(&self) -> u64 {
        let Queue { near, ahead, far, .. } = self;
        bytes::<u128>(near.len()) + bytes::<Waiting>(ahead.len()) + bytes::<(u64, State)>(far.len())
    }

    #[inline(always)]
    fn push(&mut self, key: u64, state: State) {
        let bucket = bucket_of(key);
        if bucket <= self.at {
            self.serial = self.serial.wrapping_add(1);
            let rest = (self.ranks.of(self.serial) as u64) << 32 | state as u64;
            self.near.push(Reverse((key as u128) << 64 | rest as u128));
        } else if bucket - self.at < AHEAD {
            let min = &mut self.min[(bucket % AHEAD) as usize];
            *min = if self.ahead.is_filled(bucket) { key.min(*min) } else { key };
            self.ahead.push(bucket, Waiting { k2: key as u32, state });
        } else {
            self.far.push((key, state));
            self.min_far = self.min_far.min(key);
        }
    }

    /// Removes and returns the first state if its key is below `limit`. `key_of` returns the current key of a state,
    /// given the k2 of its entry, or `None` if the entry is outdated.
    #[inline(always)]
    fn pop(&mut self, limit: u64, key_of: impl Fn(u32, State) -> Option<u64>) -> Option<State> {
        loop {
            while let Some(&Reverse(entry)) = self.near.peek() {
                let (key, state) = ((entry >> 64) as u64, entry as State);
                if key >= limit {
                    return None;
                }
                self.near.pop();
                match key_of(key as u32, state) {
                    Some(now) if now > key => self.push(now, state),
                    Some(_) => return Some(state),
                    None => {}
                }
            }
            if !self.advance(limit, &key_of) {
                return None;
            }
        }
    }

    /// Advances to the next bucket if it may have keys below `limit`, and updates its keys. Returns whether it did.
    fn advance(&mut self, limit: u64, key_of: impl Fn(u32, State) -> Option<u64>) -> bool {
        let (ahead, min_ahead) = match self.ahead.next(self.at + 1) {
            Some(bucket) => (bucket, self.min[(bucket % AHEAD) as usize]),
            None => (u32::MAX, u64::MAX),
        };
        if min_ahead.min(self.min_far) >= limit {
            return false;
        }
        let far = bucket_of(self.min_far);
        let next = ahead.min(far);
        self.at = next;
        if next == ahead {
            let mut bucket = self.ahead.take(next);
            for Waiting { k2, state } in bucket.drain(..) {
                if let Some(key) = key_of(k2, state) {
                    self.push(key, state);
                }
            }
            self.ahead.put_back(next, bucket);
        }
        if next == far {
            self.min_far = u64::MAX;
            let mut entries = std::mem::take(&mut self.far);
            entries.retain(|&(key, state)| {
                let is_far = bucket_of(key) - next >= AHEAD;
                if is_far {
                    self.min_far = self.min_far.min(key);
                } else {
                    self.push(key, state);
                }
                is_far
            });
            self.far = entries;
        }
        true
    }
}
