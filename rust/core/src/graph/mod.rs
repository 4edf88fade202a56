//! Graphs that searches run on: dense `u32` states, successors with costs, and a heuristic.
//!
//! Ground grids, an agent's model of them, abstract graphs and corridors are all [`Graph`]s. Agents are generic over it by
//! monomorphization, so that the loop over successors is compiled for each kind.

mod corridor;

pub use corridor::Corridor;

use crate::cost::{Cost, INFINITY, Sum};

/// A state, an index into dense tables.
pub type State = u32;

/// A state that is none.
pub const NO_STATE: State = State::MAX;

/// The grain of a grid, see [`Graph::grain`]: a sixth of a cell.
pub const GRAIN: u32 = 10;

/// No state of a grid has more successors.
pub const MOST_SUCCESSORS: usize = 8;

/// A successor of a state.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Successor {
    /// Where it leads.
    pub state: State,
    /// What going there costs.
    pub cost: Cost,
    /// The heuristic of the successor: what was learned, or else the initial one.
    pub h: Cost,
}

/// What lies around a cell of a grid, clockwise from north.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around<'a> {
    /// The cell itself.
    pub at: State,
    /// A bit for each direction that leads to a successor.
    pub legal: u8,
    /// How many do.
    pub count: u32,
    /// The rank of each direction where ties break, and the direction itself below it, in three bits each.
    pub ranks: &'a [u64; 8],
    /// What to add to a state to move in each direction.
    pub offsets: &'a [i32; 8],
    /// The heuristic of where each direction leads; anything, where it is not legal.
    pub heuristics: [Cost; 8],
}

impl Around<'_> {
    /// Where a direction leads; anywhere, where it is not legal.
    #[inline(always)]
    pub fn state(&self, direction: usize) -> State {
        self.at.wrapping_add_signed(self.offsets[direction])
    }

    /// The entries of all directions in a table of states; anything, where they are not legal.
    #[inline(always)]
    pub fn entries<T: Copy + Default>(&self, table: &[T]) -> [T; 8] {
        let (at, width) = (self.at as usize, self.offsets[4] as usize);
        // Once for each row of three, and not for each entry, it is checked that they are there.
        let row = |middle: usize| table.get(middle.wrapping_sub(1)..)?.first_chunk::<3>();
        match (row(at.wrapping_sub(width)), row(at), row(at + width)) {
            (Some(&[nw, n, ne]), Some(&[w, _, e]), Some(&[sw, s, se])) => [n, ne, e, se, s, sw, w, nw],
            _ => self.entries_at_the_edge(table),
        }
    }

    /// The same, near the first and the last cells of a map.
    #[cold]
    #[inline(never)]
    fn entries_at_the_edge<T: Copy + Default>(&self, table: &[T]) -> [T; 8] {
        std::array::from_fn(|direction| table.get(self.state(direction) as usize).copied().unwrap_or_default())
    }
}

/// A search space with symmetric edges.
pub trait Graph {
    /// The heuristic to one goal, in the form that is fastest to evaluate.
    type GoalHeuristic: Copy;

    /// What every edge costs, where all cost the same, no state has more than four of them and no way of an odd number of
    /// edges leads back to where it began: there the lengths of all ways from one state to another differ by multiples
    /// of two edges.
    const UNIT: Option<Cost> = None;

    /// The heuristic to a goal.
    fn to_goal(&self, goal: State) -> Self::GoalHeuristic;

    /// States are below this number; not all of them need to be reachable.
    fn states(&self) -> usize;

    /// Calls `visit` with every successor of `state` and the cost of going there, in the order in which ties are to
    /// be broken, and returns how many there were.
    fn successors(&self, state: State, visit: impl FnMut(State, Cost)) -> u32;

    /// As [`Graph::successors`], but visits only those that pass `test`; the number returned is still that of all.
    ///
    /// `test` may be asked of states that are no successors, and what it says of them is ignored: that lets a grid ask
    /// of all eight neighbours without a branch, where most of them fail.
    #[inline(always)]
    fn successors_if(
        &self,
        state: State,
        test: impl Fn(State, Cost) -> bool,
        mut visit: impl FnMut(State, Cost),
    ) -> u32 {
        self.successors(state, |successor, cost| {
            if test(successor, cost) {
                visit(successor, cost);
            }
        })
    }

    /// As [`Graph::successors`], with each successor's heuristic, for those who look at all of them.
    #[inline(always)]
    fn successors_towards(
        &self,
        state: State,
        to_goal: Self::GoalHeuristic,
        mut visit: impl FnMut(State, Cost, Cost),
    ) -> u32 {
        self.successors(state, |successor, cost| visit(successor, cost, self.heuristic_to(to_goal, successor)))
    }

    /// Writes all successors, in the order of [`Graph::successors`], each with the larger of its heuristic and its entry of
    /// `learned`; says how many there are. What stands behind them is anything.
    ///
    /// # Panics
    /// Where there are more than [`MOST_SUCCESSORS`].
    #[inline(always)]
    fn write_learned(
        &self,
        state: State,
        to_goal: Self::GoalHeuristic,
        learned: &[Cost],
        successors: &mut [Successor; MOST_SUCCESSORS],
    ) -> u32 {
        let mut room = successors.iter_mut();
        self.successors_towards(state, to_goal, |state, cost, h| {
            *room.next().expect("there is room") = Successor { state, cost, h: learned[state as usize].max(h) };
        })
    }

    /// As [`Graph::successors_if`], with the heuristic of each successor that is visited.
    #[inline(always)]
    fn successors_if_towards(
        &self,
        state: State,
        to_goal: Self::GoalHeuristic,
        test: impl Fn(State, Cost) -> bool,
        mut visit: impl FnMut(State, Cost, Cost),
    ) -> u32 {
        self.successors_if(state, test, |successor, cost| visit(successor, cost, self.heuristic_to(to_goal, successor)))
    }

    /// The least `value` of a successor, infinity where there is none, and how many successors there were. `value` may be
    /// asked of states that are no successors, as in [`Graph::successors_if`].
    #[inline(always)]
    fn least(&self, state: State, value: impl Fn(State, Cost) -> Cost) -> (Cost, u32) {
        let mut least = INFINITY;
        let count = self.successors(state, |successor, cost| least = least.min(value(successor, cost)));
        (least, count)
    }

    /// The successor with the least `value`, the first of equals, as value and state, and how many successors there were.
    /// `value` gets each successor, the cost of going there and its heuristic; it may be asked of states
    /// that are no successors, as in [`Graph::successors_if`], and may be the sum of two costs.
    #[inline(always)]
    fn least_towards(
        &self,
        state: State,
        to_goal: Self::GoalHeuristic,
        value: impl Fn(State, Cost, Cost) -> Sum,
    ) -> (Option<(Cost, State)>, u32) {
        let mut least: Option<(Cost, State)> = None;
        let count = self.successors_towards(state, to_goal, |successor, cost, h| {
            let value = value(successor, cost, h).min(Sum::from(INFINITY)) as Cost;
            if least.is_none_or(|(best, _)| value < best) {
                least = Some((value, successor));
            }
        });
        (least, count)
    }

    /// As [`Graph::least_towards`], where the value is what going there weighs, and the larger of the heuristic and an entry of
    /// `learned`.
    #[inline(always)]
    fn least_learned(
        &self,
        state: State,
        to_goal: Self::GoalHeuristic,
        learned: &[Cost],
        weigh: impl Fn(Cost) -> Cost,
    ) -> (Option<(Cost, State)>, u32) {
        self.least_towards(state, to_goal, |successor, cost, h| {
            Sum::from(weigh(cost)) + Sum::from(learned[successor as usize].max(h))
        })
    }

    /// The successors and their heuristics by their directions, for those to whom it matters which lie side by side; none
    /// where the graph is no grid.
    #[inline(always)]
    fn around(&self, _state: State, _to_goal: Self::GoalHeuristic) -> Option<Around<'_>> {
        None
    }

    /// An estimate of the cost from a state to the goal. On a grid it never exceeds it and is consistent; an abstract graph
    /// says of itself what it has.
    fn heuristic_to(&self, to_goal: Self::GoalHeuristic, state: State) -> Cost;

    /// The same, for those who ask once.
    #[inline(always)]
    fn heuristic(&self, state: State, goal: State) -> Cost {
        self.heuristic_to(self.to_goal(goal), state)
    }

    /// How many successors a state has where nothing is in the way.
    #[inline(always)]
    fn directions(&self) -> u32 {
        8
    }

    /// How coarsely searches may sort costs before they look at them closely, as a power of two: no edge adds more than
    /// some thirty times as much to a cost.
    #[inline(always)]
    fn grain(&self) -> u32 {
        GRAIN
    }
}
