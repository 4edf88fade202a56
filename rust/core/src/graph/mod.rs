//! The graphs of searches: dense `u32` states, successors with costs, and a heuristic.
//!
//! Grids, an agent's model of them, abstract graphs and corridors are [`Graph`]s. Agents are generic over this trait,
//! so that the loop over successors is compiled separately for each of them.

mod corridor;

pub use corridor::Corridor;

use crate::cost::{Cost, INFINITY, Sum};

/// A state, an index into dense tables.
pub type State = u32;

/// A value that is not a state.
pub const NO_STATE: State = State::MAX;

/// The grain of a grid (see [`Graph::grain`]), a sixth of a cell.
pub const GRAIN: u32 = 10;

/// The maximal number of successors of a state of a grid.
pub const MAX_SUCCESSORS: usize = 8;

/// A successor of a state.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Successor {
    /// The successor itself.
    pub state: State,
    /// The cost of the edge to it.
    pub cost: Cost,
    /// The learned heuristic of the successor if there is one, otherwise the initial one.
    pub h: Cost,
}

/// The neighbours of a cell of a grid, clockwise from north. Entries of illegal directions are arbitrary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbourhood<'a> {
    /// The cell itself.
    pub at: State,
    /// A bit for each direction that leads to a successor.
    pub legal: u8,
    /// The number of these directions.
    pub count: u32,
    /// The rank of each direction in the order of ties, and below it the direction itself, in three bits each.
    pub ranks: &'a [u64; 8],
    /// The difference of states for a move in each direction.
    pub offsets: &'a [i32; 8],
    /// The heuristic of the neighbour in each direction.
    pub heuristics: [Cost; 8],
}

impl Neighbourhood<'_> {
    /// The neighbour in a direction.
    #[inline(always)]
    pub fn state(&self, direction: usize) -> State {
        self.at.wrapping_add_signed(self.offsets[direction])
    }

    /// The entries of all neighbours in a table of states.
    #[inline(always)]
    pub fn entries<T: Copy + Default>(&self, table: &[T]) -> [T; 8] {
        let (at, width) = (self.at as usize, self.offsets[4] as usize);
        // One bounds check for each row of three entries instead of one per entry.
        let row = |middle: usize| table.get(middle.wrapping_sub(1)..)?.first_chunk::<3>();
        match (row(at.wrapping_sub(width)), row(at), row(at + width)) {
            (Some(&[nw, n, ne]), Some(&[w, _, e]), Some(&[sw, s, se])) => [n, ne, e, se, s, sw, w, nw],
            _ => self.entries_at_edge(table),
        }
    }

    /// [`Neighbourhood::entries`] near the first and the last cells of a map.
    #[cold]
    #[inline(never)]
    fn entries_at_edge<T: Copy + Default>(&self, table: &[T]) -> [T; 8] {
        std::array::from_fn(|direction| table.get(self.state(direction) as usize).copied().unwrap_or_default())
    }
}

/// A search space with symmetric edges.
pub trait Graph {
    /// The heuristic to one goal, in the form that is fastest to evaluate.
    type GoalHeuristic: Copy;

    /// The cost of every edge, for graphs with edges of equal cost, at most four of them per state, and no cycle of odd
    /// length. The lengths of all paths between two states then differ by multiples of two edges.
    const UNIT: Option<Cost> = None;

    /// The heuristic to a goal.
    fn to_goal(&self, goal: State) -> Self::GoalHeuristic;

    /// The upper bound of the numbers of states. Not all of them need to be reachable.
    fn states(&self) -> usize;

    /// Calls `visit` with each successor of `state` and the cost of its edge, in the order of ties. Returns the number.
    fn successors(&self, state: State, visit: impl FnMut(State, Cost)) -> u32;

    /// As [`Graph::successors`], but visits only the successors that pass `test`. Returns the number of all successors.
    ///
    /// `test` may be called with states that are not successors, and its result for them is ignored. A grid can thus
    /// test all eight neighbours without a branch.
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

    /// As [`Graph::successors`], with each successor's heuristic.
    #[inline(always)]
    fn successors_towards(
        &self,
        state: State,
        to_goal: Self::GoalHeuristic,
        mut visit: impl FnMut(State, Cost, Cost),
    ) -> u32 {
        self.successors(state, |successor, cost| visit(successor, cost, self.heuristic_to(to_goal, successor)))
    }

    /// Writes all successors in the order of [`Graph::successors`], each with the maximum of its heuristic and its
    /// entry of `learned`, and returns their number. The entries behind them are arbitrary.
    ///
    /// # Panics
    /// If there are more than [`MAX_SUCCESSORS`].
    #[inline(always)]
    fn write_learned(
        &self,
        state: State,
        to_goal: Self::GoalHeuristic,
        learned: &[Cost],
        successors: &mut [Successor; MAX_SUCCESSORS],
    ) -> u32 {
        let mut entries = successors.iter_mut();
        self.successors_towards(state, to_goal, |state, cost, h| {
            *entries.next().expect("a grid has at most eight successors") =
                Successor { state, cost, h: learned[state as usize].max(h) };
        })
    }

    /// As [`Graph::successors_if`], with the heuristic of each visited successor.
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

    /// The minimal `value` of a successor, or infinity if there is none, and the number of successors. `value` may be
    /// called with states that are not successors, as in [`Graph::successors_if`].
    #[inline(always)]
    fn min_value(&self, state: State, value: impl Fn(State, Cost) -> Cost) -> (Cost, u32) {
        let mut min = INFINITY;
        let count = self.successors(state, |successor, cost| min = min.min(value(successor, cost)));
        (min, count)
    }

    /// The minimal `value` of a successor with its state, the first one on ties, and the number of successors. `value`
    /// gets each successor, the cost of its edge and its heuristic, and may be the sum of two costs. It may be called
    /// with states that are not successors, as in [`Graph::successors_if`].
    #[inline(always)]
    fn min_towards(
        &self,
        state: State,
        to_goal: Self::GoalHeuristic,
        value: impl Fn(State, Cost, Cost) -> Sum,
    ) -> (Option<(Cost, State)>, u32) {
        let mut min: Option<(Cost, State)> = None;
        let count = self.successors_towards(state, to_goal, |successor, cost, h| {
            let value = value(successor, cost, h).min(Sum::from(INFINITY)) as Cost;
            if min.is_none_or(|(best, _)| value < best) {
                min = Some((value, successor));
            }
        });
        (min, count)
    }

    /// As [`Graph::min_towards`], for the weighted edge cost plus the maximum of heuristic and entry of `learned`.
    #[inline(always)]
    fn min_learned(
        &self,
        state: State,
        to_goal: Self::GoalHeuristic,
        learned: &[Cost],
        weigh: impl Fn(Cost) -> Cost,
    ) -> (Option<(Cost, State)>, u32) {
        self.min_towards(state, to_goal, |successor, cost, h| {
            Sum::from(weigh(cost)) + Sum::from(learned[successor as usize].max(h))
        })
    }

    /// The successors and their heuristics by direction, or `None` if the graph is not a grid.
    #[inline(always)]
    fn around(&self, _state: State, _to_goal: Self::GoalHeuristic) -> Option<Neighbourhood<'_>> {
        None
    }

    /// An estimate of the cost from a state to the goal, which is admissible and consistent on a grid.
    fn heuristic_to(&self, to_goal: Self::GoalHeuristic, state: State) -> Cost;

    /// [`Graph::heuristic_to`] for a goal that is used once.
    #[inline(always)]
    fn heuristic(&self, state: State, goal: State) -> Cost {
        self.heuristic_to(self.to_goal(goal), state)
    }

    /// The number of successors of a state without obstacles next to it.
    #[inline(always)]
    fn directions(&self) -> u32 {
        8
    }

    /// The precision with which searches presort costs, in bits: no edge adds more than about 30 · 2^grain to a cost.
    #[inline(always)]
    fn grain(&self) -> u32 {
        GRAIN
    }
}
