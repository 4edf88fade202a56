//! A search that is repaired, not repeated: that of D* Lite (Koenig & Likhachev 2002, Figure 4, the optimized version).
//!
//! It runs from the goal towards the agent. A vertex has a distance g and a one-step lookahead rhs, the least
//! c(s, s') + g(s') over its successors s'; where the two differ it is inconsistent and waits in the queue. When the
//! agent has moved or edges were lost, only what matters for the agent's shortest way is worked on again. Queued keys
//! are never too large, thanks to the key modifier km, and one that the agent's moves made too small is put right when
//! it comes out.
//!
//! Edges are only ever lost: an agent that takes unknown cells to be free never finds more of them. So distances only
//! grow, rhs never falls below a finite g, and one number a vertex is enough: where g is too small, rhs is not needed
//! before the vertex comes out of the queue, and where it is not, g is rhs or infinite. A vertex also remembers the
//! successor that its rhs comes from: only where that is lost rhs is worked out anew, and the way to the goal is read
//! off without looking at successors again.

use super::ring::{AHEAD, Ring};
use super::table::Table;
use super::ties::{Least, Ranks, Ties};
use crate::cost::{Cost, INFINITY, add};
use crate::graph::{Graph, State};
use crate::meter::{Heuristic, Meter};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which of two vertices with the same k1, the first component of their keys, comes out first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefer {
    /// The one that is farther from the goal, once those whose g is too small are out of the way: as in rtaa-2006, where
    /// ties between equal f go to the larger g.
    #[default]
    LargerG,
    /// The one that is nearer, since k2 is min(g, rhs): as published in 2002.
    SmallerG,
}

/// What is known of a state.
#[derive(Clone, Copy)]
struct Vertex {
    /// The smaller of g and rhs.
    value: Cost,
    /// The successor that rhs comes from, and the marks.
    link: u32,
}

impl Vertex {
    /// rhs is below g, which is infinite.
    const OVERCONSISTENT: u32 = 1 << 31;
    /// rhs is above g.
    const UNDERCONSISTENT: u32 = 1 << 30;
    const MARKS: u32 = Self::OVERCONSISTENT | Self::UNDERCONSISTENT;
    /// The successor that is none: states are fewer than this.
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

    /// By arithmetic, as in what follows: which mark a vertex has is nothing a branch predictor can guess.
    #[inline(always)]
    fn g(self) -> Cost {
        self.value | (self.link as i32 >> 31) as u32
    }

    /// The second component of its key.
    ///
    /// Larger g first is safe only among vertices that are overconsistent: one with the same k1 whose g is too small
    /// has to come before all that may lean on it.
    #[inline(always)]
    fn k2(self, prefer: Prefer) -> u32 {
        const HALF: u32 = u32::MAX >> 1;
        let complement = (prefer == Prefer::LargerG) & !self.is(Self::UNDERCONSISTENT);
        self.value.min(HALF) ^ (complement as u32).wrapping_neg()
    }
}

/// The search and its memory, used again from problem to problem.
#[derive(Default)]
pub struct Incremental {
    vertices: Vec<Vertex>,
    /// Which pages of vertices were written to, and a list of them: what there is to forget.
    is_written: Vec<bool>,
    written: Vec<u32>,
    queue: Queue,
    keys: Keys,
    goal: State,
    /// Vertices whose rhs is to be worked out anew.
    leaning: Vec<State>,
}

/// How many vertices are forgotten together.
const PAGE: usize = 64;

/// What goes into keys beside the vertex.
#[derive(Clone, Copy, Default)]
struct Keys {
    prefer: Prefer,
    km: Cost,
    /// Where the agent stands: heuristics lead there.
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

impl Table for Incremental {}

impl Incremental {
    /// Forgets everything, for a search from `goal` to an agent that stands at `at`.
    pub fn begin<G: Graph>(&mut self, meter: &Meter<'_, G>, ties: &mut Ties, at: State, goal: State, prefer: Prefer) {
        let states = meter.states();
        assert!(states < Vertex::NO_NEXT as usize, "states leave room for marks");
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

    /// The agent stands somewhere else now. Tells whether the search can go on; once km has grown so large that keys
    /// might overflow it has to begin anew.
    pub fn moved<G: Graph>(&mut self, meter: &Meter<'_, G>, at: State) -> bool {
        self.keys.km = add(self.keys.km, meter.heuristic(at).of(self.keys.at));
        self.keys.at = at;
        self.keys.km < INFINITY / 2
    }

    /// The successor that the way from a state leads to, as far as is known.
    #[inline(always)]
    pub fn next(&self, state: State) -> Option<State> {
        Some(self.vertices[state as usize].next()).filter(|next| *next != Vertex::NO_NEXT)
    }

    /// Works out rhs anew, for a state that has lost the edge to its [`Incremental::next`].
    #[inline(always)]
    pub fn lost_next<G: Graph>(&mut self, meter: &mut Meter<'_, G>, ties: &mut Ties, state: State) {
        let vertex = self.vertices[state as usize];
        if state == self.goal || vertex.value == INFINITY || vertex.is(Vertex::UNDERCONSISTENT) {
            return;
        }
        let (mut least, vertices) = (Least::default(), &self.vertices);
        let visit = |next: State, cost| {
            least.offer(ties, add(vertices[next as usize].g(), cost), next);
        };
        meter.reread_if(state, |_, _| true, visit);
        let (rhs, next) = least.get().unwrap_or((INFINITY, Vertex::NO_NEXT));
        debug_assert!(rhs >= vertex.value, "edges are only ever lost");
        let now = if vertex.is(Vertex::OVERCONSISTENT) {
            overconsistent(rhs, next)
        } else if rhs == vertex.value {
            Vertex { link: next, ..vertex }
        } else {
            Vertex { link: Vertex::UNDERCONSISTENT | Vertex::NO_NEXT, ..vertex }
        };
        self.vertices[state as usize] = now;
        // Where it was queued by the same value before, it still is.
        if now.is(Vertex::MARKS) && rhs != vertex.value {
            self.push(&meter.heuristic(self.keys.at), state);
        }
    }

    /// ComputeShortestPath.
    pub fn run<G: Graph>(&mut self, meter: &mut Meter<'_, G>, ties: &mut Ties) {
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
                self.leaning.clear();
                let mut least = Least::default();
                meter.expand(state, |neighbour, cost| {
                    let vertex = self.vertices[neighbour as usize];
                    if vertex.next() == state {
                        self.leaning.push(neighbour);
                    }
                    least.offer(ties, add(vertex.g(), cost), neighbour);
                });
                if let Some((rhs, next)) = least.get().filter(|(rhs, _)| *rhs != INFINITY) {
                    self.vertices[state as usize] = overconsistent(rhs, next);
                    self.push(&h, state);
                }
                for i in 0..self.leaning.len() {
                    self.lost_next(meter, ties, self.leaning[i]);
                }
            }
        }
    }

    #[inline(always)]
    fn push<G: Graph>(&mut self, h: &Heuristic<'_, G>, state: State) {
        // Whatever is written for the first time is pushed.
        let page = state as usize / PAGE;
        if !self.is_written[page] {
            self.is_written[page] = true;
            self.written.push(page as u32);
        }
        self.queue.push(self.keys.of(h, state, self.vertices[state as usize]), state);
    }

    /// Appends the moves from the agent to the goal to `plan`; none where there is no way. Only after
    /// [`Incremental::run`]: every vertex on the way is consistent then, so that each is nearer to the goal.
    pub fn path(&self, plan: &mut Vec<State>) {
        let mut state = self.keys.at;
        if self.vertices[state as usize].value == INFINITY {
            return;
        }
        while state != self.goal {
            let vertex = self.vertices[state as usize];
            state = vertex.next();
            debug_assert!(self.vertices[state as usize].g() < vertex.value, "the way leads nearer");
            plan.push(state);
        }
    }
}

/// A vertex whose g is infinite.
#[inline(always)]
fn overconsistent(rhs: Cost, next: State) -> Vertex {
    if rhs == INFINITY { Vertex::UNSEEN } else { Vertex { value: rhs, link: Vertex::OVERCONSISTENT | next } }
}

/// A queue by key, smallest first, equal ones as [`Ranks`] say.
///
/// Nothing is ever taken out of its middle: an entry whose k2 is not its vertex's any more is dropped when it comes out.
/// Entries are spread over buckets by k1 and left as they come, only the bucket at hand is put in order: most of the
/// border of the search is far from the agent's way and just stays where it is.
struct Queue {
    /// The bucket at hand, and everything before it: key, rank among ties and state in one integer.
    near: BinaryHeap<Reverse<u128>>,
    /// Its number.
    at: u32,
    /// The buckets after it.
    ahead: Ring<Waiting>,
    /// The smallest key that was put into each of those, by its number modulo [`AHEAD`].
    least: [u64; AHEAD as usize],
    /// What lies beyond with its keys, and the smallest of them.
    far: Vec<(u64, State)>,
    least_far: u64,
    /// How many entries came near, and how they rank.
    serial: u32,
    ranks: Ranks,
}

/// An entry in a bucket ahead. Its k1 is worked out anew when the bucket's turn comes.
#[derive(Clone, Copy)]
struct Waiting {
    k2: u32,
    state: State,
}

/// The number of a key's bucket: buckets are less than a cell wide, on a 4-connected grid each has one k1. A ring of them
/// holds 45 cells of k1, so that few entries lie beyond.
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
            least: [0; AHEAD as usize],
            far: Vec::new(),
            least_far: u64::MAX,
            serial: 0,
            ranks: Ranks::Serial,
        }
    }
}

impl Queue {
    /// Empties it, for keys from `first` on.
    fn clear(&mut self, ranks: Ranks, first: u64) {
        self.ranks = ranks;
        self.near.clear();
        self.ahead.clear();
        self.far.clear();
        (self.at, self.least_far, self.serial) = (bucket_of(first), u64::MAX, 0);
    }

    #[inline(always)]
    fn push(&mut self, key: u64, state: State) {
        let bucket = bucket_of(key);
        if bucket <= self.at {
            self.serial = self.serial.wrapping_add(1);
            let rest = (self.ranks.of(self.serial) as u64) << 32 | state as u64;
            self.near.push(Reverse((key as u128) << 64 | rest as u128));
        } else if bucket - self.at < AHEAD {
            let least = &mut self.least[(bucket % AHEAD) as usize];
            *least = if self.ahead.is_filled(bucket) { key.min(*least) } else { key };
            self.ahead.push(bucket, Waiting { k2: key as u32, state });
        } else {
            self.far.push((key, state));
            self.least_far = self.least_far.min(key);
        }
    }

    /// Takes out the first state, if its key is below `limit`. `key_of` tells the key that a state has by now, given the
    /// k2 that it was queued by, and none where it is not queued by that any more.
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

    /// Goes to the next bucket, if it may have keys below `limit`, and brings them up to date. Tells whether it did.
    fn advance(&mut self, limit: u64, key_of: impl Fn(u32, State) -> Option<u64>) -> bool {
        let (ahead, least_ahead) = match self.ahead.next(self.at + 1) {
            Some(bucket) => (bucket, self.least[(bucket % AHEAD) as usize]),
            None => (u32::MAX, u64::MAX),
        };
        if least_ahead.min(self.least_far) >= limit {
            return false;
        }
        let far = bucket_of(self.least_far);
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
            self.least_far = u64::MAX;
            let mut entries = std::mem::take(&mut self.far);
            entries.retain(|&(key, state)| {
                let is_far = bucket_of(key) - next >= AHEAD;
                if is_far {
                    self.least_far = self.least_far.min(key);
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
