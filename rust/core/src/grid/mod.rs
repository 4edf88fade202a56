//! Maps as search spaces: the free cells, and the legal moves of each.
//!
//! [`map`] and [`scenario`] read and write MovingAI's files, [`generate`] creates maps, and [`components`] finds the
//! connected cells. A map becomes a [`Grid`]. A [`Terrain`] is a grid, or an agent's model of it, as a [`Graph`].

pub mod components;
pub mod corners;
pub mod generate;
pub mod map;
pub mod scenario;

use crate::cost::{CARDINAL, Cost, DIAGONAL, INFINITY, Sum};
use crate::graph::{Graph, MAX_SUCCESSORS, Neighbourhood, State, Successor};
pub use map::Map;
use std::hint::select_unpredictable;
use std::sync::Arc;

/// The eight moves, clockwise from north, where odd ones are diagonal. Bit `i` of a mask of moves is `DIRECTIONS[i]`.
pub const DIRECTIONS: [(i32, i32); 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// When a diagonal move is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DiagonalRule {
    /// Both cardinal cells next to it must be free: MovingAI's rule, and the default.
    Strict,
    /// Always, even between two obstacles, as in per-map-selection-2016.
    Free,
    /// Never: a 4-connected grid, as in rtaa-2006.
    None,
}

impl DiagonalRule {
    /// Every rule with its name.
    pub const NAMES: [(&'static str, DiagonalRule); 3] =
        [("strict", DiagonalRule::Strict), ("free", DiagonalRule::Free), ("none", DiagonalRule::None)];

    /// The rule's name on the command line and in fingerprints.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, rule)| *rule == self).expect("every rule has a name").0
    }
}

/// Width and height, with the conversion between states and coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Cells in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// ⌈2⁴² / width⌉. It turns a division by the width into a multiplication, exact while cells · width < 2⁴².
    reciprocal: u64,
}

impl Shape {
    const SHIFT: u32 = 42;

    /// The maximal number of cells along one side.
    pub const LONGEST_SIDE: u32 = 1 << 13;

    /// Creates a shape with sides from 1 to [`Shape::LONGEST_SIDE`].
    ///
    /// # Panics
    /// If a side is outside that range, which readers of files check first.
    pub fn new(width: u32, height: u32) -> Shape {
        let sides = 1..=Self::LONGEST_SIDE;
        assert!(sides.contains(&width) && sides.contains(&height), "a grid of {width} × {height} cells");
        Shape { width, height, reciprocal: (1u64 << Self::SHIFT).div_ceil(width as u64) }
    }

    /// The number of cells.
    pub fn cells(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// The state of the cell in column `x` of row `y`.
    #[inline(always)]
    pub fn state(self, x: u32, y: u32) -> State {
        debug_assert!(x < self.width && y < self.height);
        y * self.width + x
    }

    /// Column and row of a state.
    #[inline(always)]
    pub fn xy(self, state: State) -> (u32, u32) {
        let y = ((state as u64 * self.reciprocal) >> Self::SHIFT) as u32;
        (state - y * self.width, y)
    }

    /// The neighbour of `state` in direction `direction`, if it is on the map.
    #[inline(always)]
    pub fn neighbour(self, state: State, direction: usize) -> Option<State> {
        let (x, y) = self.xy(state);
        let (dx, dy) = DIRECTIONS[direction];
        let (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
        (x < self.width && y < self.height).then(|| self.state(x, y))
    }

    /// Calls `visit` with the direction and state of every neighbour on the map.
    #[inline]
    pub fn around(self, state: State, mut visit: impl FnMut(usize, State)) {
        let (x, y) = self.xy(state);
        for (direction, (dx, dy)) in DIRECTIONS.into_iter().enumerate() {
            let (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            if x < self.width && y < self.height {
                visit(direction, self.state(x, y));
            }
        }
    }

    /// The difference of states for a move in each direction.
    pub fn offsets(self) -> [i32; 8] {
        DIRECTIONS.map(|(dx, dy)| dy * self.width as i32 + dx)
    }
}

/// A lookup of the direction of moves, for one size of map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Steps {
    offsets: [i32; 8],
    /// The direction of each step, from the one to the north-west to the one to the south-east, or [`NOWHERE`].
    directions: Box<[u8]>,
}

/// The direction of a step that does not lead to a neighbour: a bit that is never set in a mask of moves.
const NOWHERE: u8 = 8;

impl Steps {
    pub(crate) fn new(shape: Shape) -> Steps {
        let offsets = shape.offsets();
        let north_west = offsets[7];
        let mut directions = vec![NOWHERE; 2 * shape.width as usize + 3];
        for direction in 0..8 {
            directions[(offsets[direction] - north_west) as usize] = direction as u8;
        }
        Steps { offsets, directions: directions.into() }
    }

    /// The neighbour in a direction, if there is one.
    #[inline(always)]
    pub(crate) fn towards(&self, from: State, direction: usize) -> State {
        from.wrapping_add_signed(self.offsets[direction])
    }

    /// The direction of the legal move from one cell to another.
    #[inline(always)]
    pub(crate) fn direction(&self, moves: u8, from: State, to: State) -> Option<u32> {
        let (north_west, step) = (self.offsets[7] as u32, to.wrapping_sub(from));
        let direction = self.directions.get(step.wrapping_sub(north_west) as usize).copied().unwrap_or(NOWHERE);
        if u32::from(moves) >> direction & 1 == 1 {
            return Some(u32::from(direction));
        }
        self.shared_direction(moves, step)
    }

    /// [`Steps::direction`] for maps one or two cells wide, where several directions have the same step.
    #[cold]
    #[inline(never)]
    fn shared_direction(&self, moves: u8, step: u32) -> Option<u32> {
        (0..8).find(|&i| self.offsets[i as usize] as u32 == step && moves >> i & 1 == 1)
    }
}

/// The cardinal moves.
pub(crate) const CARDINALS: u8 = 0b0101_0101;

/// The mask of legal moves from `state`, given the free cells and the cliffs (see [`Grid::cliffs`]).
pub(crate) fn legal_moves(
    shape: Shape,
    rule: DiagonalRule,
    state: State,
    free: impl Fn(State) -> bool,
    cliffs: &[u8],
) -> u8 {
    if !free(state) {
        return 0;
    }
    let mut around = 0u8;
    for direction in 0..8 {
        if shape.neighbour(state, direction).is_some_and(&free) {
            around |= 1 << direction;
        }
    }
    let moves = match rule {
        DiagonalRule::Free => around,
        DiagonalRule::None => around & CARDINALS,
        DiagonalRule::Strict => {
            let cardinals = around & CARDINALS;
            let between = cardinals.rotate_left(1) & cardinals.rotate_right(1);
            cardinals | (around & between)
        }
    };
    if cliffs.is_empty() { moves } else { moves & !across_cliffs(shape, state, cliffs) }
}

/// The moves across a cliff: cardinal ones, and under every rule diagonal ones past one, on either way around.
fn across_cliffs(shape: Shape, state: State, cliffs: &[u8]) -> u8 {
    let has_cliff = |cell: State, direction: usize| cliffs[cell as usize] >> (direction & 7) & 1 == 1;
    let is_cliff_on_way = |first: usize, second: usize| {
        let next = shape.neighbour(state, first & 7);
        has_cliff(state, first) || next.is_some_and(|next| has_cliff(next, second))
    };
    let mut across = cliffs[state as usize];
    for diagonal in [1, 3, 5, 7] {
        let is_past = is_cliff_on_way(diagonal - 1, diagonal + 1) || is_cliff_on_way(diagonal + 1, diagonal - 1);
        across |= (is_past as u8) << diagonal;
    }
    across
}

/// A map as a search space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    shape: Shape,
    rule: DiagonalRule,
    free: Vec<bool>,
    /// See [`Grid::cliffs`].
    cliffs: Arc<[u8]>,
    moves: Vec<u8>,
    steps: Steps,
}

impl Grid {
    /// Creates a grid from its free cells, row by row.
    ///
    /// # Panics
    /// If there is not one entry for every cell.
    pub fn new(shape: Shape, rule: DiagonalRule, free: Vec<bool>) -> Grid {
        Grid::with_cliffs(shape, rule, free, Vec::new())
    }

    /// Creates a grid from its free cells and its [`Grid::cliffs`], of which only those between free cells are kept.
    ///
    /// # Panics
    /// If there is not one entry for every cell. `cliffs` may be empty.
    pub fn with_cliffs(shape: Shape, rule: DiagonalRule, free: Vec<bool>, mut cliffs: Vec<u8>) -> Grid {
        assert_eq!(free.len(), shape.cells(), "one entry for every cell");
        assert!(cliffs.is_empty() || cliffs.len() == free.len(), "one entry for every cell");
        for state in 0..cliffs.len() {
            let is_kept = |direction: usize| {
                let other = shape.neighbour(state as State, direction);
                free[state] && direction.is_multiple_of(2) && other.is_some_and(|other| free[other as usize])
            };
            let kept = (0..8).fold(0, |kept, direction| kept | (is_kept(direction) as u8) << direction);
            cliffs[state] &= kept;
            // A cliff blocks both ways.
            let blocked = cliffs[state];
            for direction in (0..8).filter(|direction| blocked >> direction & 1 == 1) {
                let other = shape.neighbour(state as State, direction).expect("it is free");
                cliffs[other as usize] |= 1 << ((direction + 4) % 8);
            }
        }
        if cliffs.iter().all(|cliffs| *cliffs == 0) {
            cliffs.clear();
        }
        let moves = |state| legal_moves(shape, rule, state, |cell| free[cell as usize], &cliffs);
        let moves = (0..free.len() as State).map(moves).collect();
        Grid { shape, rule, free, cliffs: cliffs.into(), moves, steps: Steps::new(shape) }
    }

    /// Creates a grid from a drawing, one line per row, with `.` for a free cell.
    pub fn drawn(rule: DiagonalRule, rows: &[&str]) -> Grid {
        let shape = Shape::new(rows[0].len() as u32, rows.len() as u32);
        Grid::new(shape, rule, rows.iter().flat_map(|row| row.bytes().map(|letter| letter == b'.')).collect())
    }

    /// Its size.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Its diagonal rule.
    pub fn rule(&self) -> DiagonalRule {
        self.rule
    }

    /// Whether each cell is free, row by row.
    pub fn free(&self) -> &[bool] {
        &self.free
    }

    /// Whether the cell of `state` is free.
    pub fn is_free(&self, state: State) -> bool {
        self.free[state as usize]
    }

    /// For each cell the mask of cardinal moves to free cells that a cliff blocks, in both directions; empty if there
    /// is none.
    pub fn cliffs(&self) -> &Arc<[u8]> {
        &self.cliffs
    }

    /// The number of free cells.
    pub fn free_cells(&self) -> usize {
        self.free.iter().filter(|free| **free).count()
    }

    /// The masks of legal moves of all cells.
    pub fn moves(&self) -> &[u8] {
        &self.moves
    }

    /// The lookup of the direction of moves.
    pub(crate) fn steps(&self) -> &Steps {
        &self.steps
    }

    /// The same cells under another diagonal rule.
    pub fn with_rule(&self, rule: DiagonalRule) -> Grid {
        Grid::with_cliffs(self.shape, rule, self.free.clone(), self.cliffs.to_vec())
    }

    /// A hash of everything that defines this search space.
    pub fn fingerprint(&self) -> u128 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        hash.update(self.rule.name().as_bytes());
        hash.update(&self.shape.width.to_le_bytes());
        hash.update(&self.shape.height.to_le_bytes());
        let bytes: Vec<u8> = self.free.iter().map(|free| *free as u8).collect();
        hash.update(&bytes);
        hash.update(&self.cliffs);
        hash.digest128()
    }

    /// The geometry for [`Terrain::new`], with successors in an order.
    pub fn geometry(&self, order: impl Into<Order>) -> Geometry {
        Geometry::new(self.shape, self.rule, order)
    }
}

/// The order of the directions in which successors are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The first direction.
    pub first: u8,
    /// Whether all diagonal moves precede the others, or all cardinal ones; `None` for clockwise.
    pub diagonal_first: Option<bool>,
}

impl Order {
    /// The directions in this order: clockwise, or clockwise among diagonal and among cardinal ones.
    fn directions(self) -> [u8; 8] {
        let mut directions = std::array::from_fn(|place| (self.first + place as u8) & 7);
        if let Some(diagonal_first) = self.diagonal_first {
            directions.sort_by_key(|direction| (direction % 2 == 1) != diagonal_first);
        }
        directions
    }
}

/// Clockwise from a direction.
impl From<u8> for Order {
    fn from(first: u8) -> Order {
        Order { first, diagonal_first: None }
    }
}

/// Everything but the moves that makes a table of legal moves a graph: the offsets, costs and order of moves.
#[derive(Clone, Debug)]
pub struct Geometry {
    shape: Shape,
    /// The increase of the heuristic per cell along the shorter side: octile distance, or Manhattan without diagonals.
    shorter: Cost,
    /// The directions in the order of visits.
    directions: [u8; 8],
    /// The direction at place 0. Places are clockwise from there.
    first: u32,
    /// The places that are visited first, and those that are visited after them, as bits.
    turns: [u8; 2],
    /// The offsets of the moves clockwise from north.
    from_north: [i32; 8],
    /// The numbers of these in the order of visits, and below them their directions, in three bits each.
    ranks: [u64; 8],
    /// Offsets, columns and rows, and costs by place.
    offsets: [i32; 8],
    steps: [(i32, i32); 8],
    costs: [Cost; 8],
}

impl Geometry {
    /// Creates a geometry with successors in an order.
    pub fn new(shape: Shape, rule: DiagonalRule, order: impl Into<Order>) -> Geometry {
        let order: Order = order.into();
        let (directions, first, from_north) = (order.directions(), u32::from(order.first), shape.offsets());
        let places: [usize; 8] = std::array::from_fn(|place| (place + order.first as usize) & 7);
        let offsets = places.map(|direction| from_north[direction]);
        let steps = places.map(|direction| DIRECTIONS[direction]);
        let costs = places.map(|direction| [CARDINAL, DIAGONAL][direction % 2]);
        let shorter = if rule == DiagonalRule::None { CARDINAL } else { DIAGONAL - CARDINAL };
        let mut ranks = [0; 8];
        for (number, direction) in (0..).zip(directions) {
            ranks[direction as usize] = number << 3 | u64::from(direction);
        }
        let turns = match order.diagonal_first {
            None => [u8::MAX, 0],
            Some(true) => [!CARDINALS, CARDINALS],
            Some(false) => [CARDINALS, !CARDINALS],
        };
        let turns = turns.map(|directions| directions.rotate_right(first));
        Geometry { shape, shorter, directions, first, turns, from_north, ranks, offsets, steps, costs }
    }
}

/// A table of legal moves as a [`Graph`]: that of a grid, or of an agent's model.
///
/// `FOUR` is set if no move is diagonal, so that diagonals are skipped at compile time.
#[derive(Clone, Copy)]
pub struct Terrain<'a, const FOUR: bool = false> {
    geometry: &'a Geometry,
    moves: &'a [u8],
}

impl<'a> Terrain<'a> {
    /// Creates a view of `moves`, one mask for every cell.
    pub fn new(geometry: &'a Geometry, moves: &'a [u8]) -> Terrain<'a> {
        assert_eq!(moves.len(), geometry.shape.cells(), "one mask for every cell");
        Terrain { geometry, moves }
    }

    /// This view without diagonals, if the rule is [`DiagonalRule::None`].
    pub fn without_diagonals(self) -> Option<Terrain<'a, true>> {
        let Terrain { geometry, moves } = self;
        (geometry.shorter == CARDINAL).then_some(Terrain { geometry, moves })
    }
}

impl<const FOUR: bool> Terrain<'_, FOUR> {
    /// Calls `visit` with every direction, its neighbour and the cost of the move, legal or not. It starts at north,
    /// regardless of the order of ties, since the costs are then constants.
    #[inline(always)]
    fn neighbours(&self, state: State, mut visit: impl FnMut(usize, State, Cost)) {
        let offsets = &self.geometry.from_north;
        each_direction::<FOUR>(|direction, cost| visit(direction, state.wrapping_add_signed(offsets[direction]), cost));
    }

    /// The directions, legal or not, of the neighbours that pass `test`.
    #[inline(always)]
    fn passing(&self, state: State, test: impl Fn(State, Cost) -> bool) -> u8 {
        let mut passed = 0;
        self.neighbours(state, |direction, successor, cost| passed |= (test(successor, cost) as u8) << direction);
        passed
    }

    /// Calls `visit` for every direction in `moves`, with its place, in the order of visits.
    #[inline(always)]
    fn places(&self, state: State, moves: u8, mut visit: impl FnMut(usize, State, Cost)) {
        let Geometry { first, turns, offsets, costs, .. } = self.geometry;
        let moves = moves.rotate_right(*first);
        // Both turns in one integer, since a table of orders would have to be read for every state. Without diagonals
        // there is only one turn.
        let later = if FOUR { 0 } else { moves & turns[1] };
        let mut left = u32::from(moves ^ later) | u32::from(later) << 8;
        while left != 0 {
            let place = left.trailing_zeros() as usize & 7;
            left &= left - 1;
            let cost = if FOUR { CARDINAL } else { costs[place] };
            visit(place, state.wrapping_add_signed(offsets[place]), cost);
        }
    }

    #[inline(always)]
    fn neighbourhood(&self, state: State, to_goal: GoalHeuristic) -> Neighbourhood<'_> {
        let Geometry { ranks, from_north: offsets, .. } = self.geometry;
        let legal = self.moves[state as usize];
        Neighbourhood {
            at: state,
            legal,
            count: count_moves(legal),
            ranks,
            offsets,
            heuristics: self.heuristics_around(state, to_goal),
        }
    }

    /// The minimal value of a successor, its place in the order of visits and its direction, in one integer. `value`
    /// gets the direction and the arguments of [`Graph::min_towards`].
    #[inline(always)]
    fn min_key(around: &Neighbourhood<'_>, value: impl Fn(usize, State, Cost, Cost) -> Sum) -> u64 {
        // Two alternating minima do not wait for each other as one would, and take less space than eight.
        let mut min = [u64::MAX; 2];
        each_direction::<FOUR>(|direction, cost| {
            let value = value(direction, around.state(direction), cost, around.heuristics[direction]);
            let illegal = u64::from(around.legal >> direction & 1).wrapping_sub(1);
            let key = value << 6 | around.ranks[direction] | illegal;
            min[direction / 2 % 2] = min[direction / 2 % 2].min(key);
        });
        min[0].min(min[1])
    }

    /// The value and the state of a minimal key, and the number of successors.
    #[inline(always)]
    fn decode_min(around: &Neighbourhood<'_>, key: u64) -> (Option<(Cost, State)>, u32) {
        let min = ((key >> 6) as Cost, around.state(key as usize & 7));
        ((around.legal != 0).then_some(min), around.count)
    }

    /// [`Graph::min_towards`] if no value is finite. It recomputes everything, so that the fast path keeps nothing.
    #[cold]
    #[inline(never)]
    fn min_infinite(
        &self,
        state: State,
        to_goal: GoalHeuristic,
        value: &impl Fn(State, Cost, Cost) -> Sum,
    ) -> (Option<(Cost, State)>, u32) {
        let around = self.neighbourhood(state, to_goal);
        let key = Self::min_key(&around, |_, state, cost, h| value(state, cost, h).min(INFINITY.into()));
        Self::decode_min(&around, key)
    }

    /// The heuristics of the eight neighbours, clockwise from north, from one computation of coordinates.
    #[inline(always)]
    fn heuristics_around(&self, state: State, to_goal: GoalHeuristic) -> [Cost; 8] {
        let (dx, dy) = to_goal.away(state);
        // A distance is a sum of a part for the columns and one for the rows, plus the maximum of two such parts.
        let shorter = if FOUR { CARDINAL } else { to_goal.shorter };
        let parts = |away: i32| {
            [-1, 0, 1].map(|step| {
                let away = (away + step).unsigned_abs();
                (shorter * away, (CARDINAL - shorter) * away)
            })
        };
        let (columns, rows) = (parts(dx), parts(dy));
        DIRECTIONS.map(|(dx, dy)| {
            let (column, row) = (columns[(dx + 1) as usize], rows[(dy + 1) as usize]);
            column.0 + row.0 + column.1.max(row.1)
        })
    }
}

/// Calls `visit` with every direction, clockwise from north, and the cost of the move.
#[inline(always)]
fn each_direction<const FOUR: bool>(mut visit: impl FnMut(usize, Cost)) {
    for direction in 0..8 {
        if !FOUR || direction % 2 == 0 {
            visit(direction, if direction % 2 == 0 { CARDINAL } else { DIAGONAL });
        }
    }
}

/// Writes the successors of a cell, in the order of `directions`, and returns their number. There is no branch, since
/// the legality of moves is unpredictable.
#[inline(always)]
fn write_ordered(
    directions: [u8; 8],
    around: &Neighbourhood<'_>,
    entries: &[Cost; 8],
    successors: &mut [Successor; MAX_SUCCESSORS],
) -> u32 {
    let mut count = 0;
    for direction in directions {
        let direction = direction as usize & 7;
        let cost = [CARDINAL, DIAGONAL][direction & 1];
        let h = entries[direction].max(around.heuristics[direction]);
        // The next entry overwrites this one if the move is illegal.
        successors[count & 7] = Successor { state: around.state(direction), cost, h };
        count += usize::from(around.legal >> direction & 1);
    }
    count as u32
}

/// The heuristic to one goal on a grid. It owns its values, so that the compiler can keep them across other writes.
#[derive(Clone, Copy)]
pub struct GoalHeuristic {
    shape: Shape,
    shorter: Cost,
    x: i32,
    y: i32,
}

impl GoalHeuristic {
    /// The columns and rows from the goal to a state.
    #[inline(always)]
    fn away(self, state: State) -> (i32, i32) {
        let (x, y) = self.shape.xy(state);
        (x as i32 - self.x, y as i32 - self.y)
    }

    /// Octile distance; Manhattan distance on 4-connected grids.
    #[inline(always)]
    fn distance<const FOUR: bool>(self, dx: i32, dy: i32) -> Cost {
        let (dx, dy) = (dx.unsigned_abs(), dy.unsigned_abs());
        if FOUR { CARDINAL * (dx + dy) } else { CARDINAL * dx.max(dy) + self.shorter * dx.min(dy) }
    }
}

/// The mask of cardinal moves that lead away from the goal, for a state at this offset from it.
#[inline(always)]
fn moves_away(dx: i32, dy: i32) -> u8 {
    (dy <= 0) as u8 | ((dx >= 0) as u8) << 2 | ((dy >= 0) as u8) << 4 | ((dx <= 0) as u8) << 6
}

/// The number of moves in a mask, from a table, since not all target processors have an instruction that counts bits.
#[inline(always)]
fn count_moves(moves: u8) -> u32 {
    const NUMBERS: [u8; 256] = {
        let mut numbers = [0; 256];
        let mut moves = 0;
        while moves < 256 {
            numbers[moves] = (moves as u8).count_ones() as u8;
            moves += 1;
        }
        numbers
    };
    NUMBERS[moves as usize] as u32
}

/// All neighbours are evaluated without branches if possible, since branches on their properties are unpredictable.
impl<const FOUR: bool> Graph for Terrain<'_, FOUR> {
    type GoalHeuristic = GoalHeuristic;

    const UNIT: Option<Cost> = if FOUR { Some(CARDINAL) } else { None };

    #[inline(always)]
    fn to_goal(&self, goal: State) -> GoalHeuristic {
        let &Geometry { shape, shorter, .. } = self.geometry;
        let (x, y) = shape.xy(goal);
        GoalHeuristic { shape, shorter, x: x as i32, y: y as i32 }
    }

    fn states(&self) -> usize {
        self.moves.len()
    }

    #[inline(always)]
    fn successors(&self, state: State, mut visit: impl FnMut(State, Cost)) -> u32 {
        let moves = self.moves[state as usize];
        self.places(state, moves, |_, successor, cost| visit(successor, cost));
        count_moves(moves)
    }

    #[inline(always)]
    fn successors_if(
        &self,
        state: State,
        test: impl Fn(State, Cost) -> bool,
        mut visit: impl FnMut(State, Cost),
    ) -> u32 {
        let moves = self.moves[state as usize];
        self.places(state, moves & self.passing(state, test), |_, successor, cost| visit(successor, cost));
        count_moves(moves)
    }

    /// The coordinates of a successor follow from the state and the direction.
    #[inline(always)]
    fn successors_if_towards(
        &self,
        state: State,
        to_goal: GoalHeuristic,
        test: impl Fn(State, Cost) -> bool,
        mut visit: impl FnMut(State, Cost, Cost),
    ) -> u32 {
        let moves = self.moves[state as usize];
        let (dx, dy) = to_goal.away(state);
        // Without diagonals a move changes the distance by its cost. A bit is set for each move that increases it.
        let distance = to_goal.distance::<FOUR>(dx, dy);
        let away = moves_away(dx, dy).rotate_right(self.geometry.first);
        self.places(state, moves & self.passing(state, test), |place, successor, cost| {
            let h = if FOUR {
                select_unpredictable(away >> place & 1 == 1, distance + CARDINAL, distance.wrapping_sub(CARDINAL))
            } else {
                let (step_x, step_y) = self.geometry.steps[place];
                to_goal.distance::<FOUR>(dx + step_x, dy + step_y)
            };
            visit(successor, cost, h);
        });
        count_moves(moves)
    }

    #[inline(always)]
    fn successors_towards(
        &self,
        state: State,
        to_goal: GoalHeuristic,
        mut visit: impl FnMut(State, Cost, Cost),
    ) -> u32 {
        let (moves, first) = (self.moves[state as usize], self.geometry.first as usize);
        let heuristics = self.heuristics_around(state, to_goal);
        let h = |place: usize| heuristics[(place + first) & 7];
        self.places(state, moves, |place, successor, cost| visit(successor, cost, h(place)));
        count_moves(moves)
    }

    #[inline(always)]
    fn write_learned(
        &self,
        state: State,
        to_goal: GoalHeuristic,
        learned: &[Cost],
        successors: &mut [Successor; MAX_SUCCESSORS],
    ) -> u32 {
        let around = self.neighbourhood(state, to_goal);
        let entries = around.entries(learned);
        const CLOCKWISE: [u8; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
        match self.geometry.directions {
            // The most frequent order. With constant places it takes half the time.
            CLOCKWISE => write_ordered(CLOCKWISE, &around, &entries, successors),
            directions => write_ordered(directions, &around, &entries, successors),
        }
    }

    #[inline(always)]
    fn min_value(&self, state: State, value: impl Fn(State, Cost) -> Cost) -> (Cost, u32) {
        let moves = self.moves[state as usize];
        let mut min = INFINITY;
        self.neighbours(state, |direction, successor, cost| {
            let illegal = (moves as Cost >> direction & 1).wrapping_sub(1);
            min = min.min(value(successor, cost) | illegal);
        });
        (min, count_moves(moves))
    }

    #[inline(always)]
    fn min_towards(
        &self,
        state: State,
        to_goal: GoalHeuristic,
        value: impl Fn(State, Cost, Cost) -> Sum,
    ) -> (Option<(Cost, State)>, u32) {
        let around = self.neighbourhood(state, to_goal);
        let key = Self::min_key(&around, |_, state, cost, h| value(state, cost, h));
        match key >> 6 < Sum::from(INFINITY) {
            true => Self::decode_min(&around, key),
            false => self.min_infinite(state, to_goal, &value),
        }
    }

    #[inline(always)]
    fn min_learned(
        &self,
        state: State,
        to_goal: GoalHeuristic,
        learned: &[Cost],
        weigh: impl Fn(Cost) -> Cost,
    ) -> (Option<(Cost, State)>, u32) {
        let around = self.neighbourhood(state, to_goal);
        let entries = around.entries(learned);
        let sum = |cost, entry: Cost, h| Sum::from(weigh(cost)) + Sum::from(entry.max(h));
        let key = Self::min_key(&around, |direction, _, cost, h| sum(cost, entries[direction], h));
        match key >> 6 < Sum::from(INFINITY) {
            true => Self::decode_min(&around, key),
            false => self.min_infinite(state, to_goal, &|state, cost, h| {
                sum(cost, learned.get(state as usize).copied().unwrap_or_default(), h)
            }),
        }
    }

    #[inline(always)]
    fn around(&self, state: State, to_goal: GoalHeuristic) -> Option<Neighbourhood<'_>> {
        Some(self.neighbourhood(state, to_goal))
    }

    #[inline(always)]
    fn heuristic_to(&self, to_goal: GoalHeuristic, state: State) -> Cost {
        let (dx, dy) = to_goal.away(state);
        to_goal.distance::<FOUR>(dx, dy)
    }

    #[inline(always)]
    fn directions(&self) -> u32 {
        if FOUR { 4 } else { 8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn successors(grid: &Grid, order: impl Into<Order>, x: u32, y: u32) -> Vec<(u32, u32, Cost)> {
        let mut found = Vec::new();
        let geometry = grid.geometry(order);
        Terrain::new(&geometry, grid.moves()).successors(grid.shape().state(x, y), |s, cost| {
            let (x, y) = grid.shape().xy(s);
            found.push((x, y, cost));
        });
        found
    }

    const CORNER: [&str; 3] = ["...", ".@.", "..."];

    #[test]
    fn strict_rule_forbids_cutting_corners() {
        let grid = Grid::drawn(DiagonalRule::Strict, &CORNER);
        assert_eq!(successors(&grid, 0, 1, 0), [(2, 0, CARDINAL), (0, 0, CARDINAL)]);
    }

    #[test]
    fn free_rule_allows_cutting_corners_and_moves_between_two_obstacles() {
        let grid = Grid::drawn(DiagonalRule::Free, &CORNER);
        assert_eq!(
            successors(&grid, 0, 1, 0),
            [(2, 0, CARDINAL), (2, 1, DIAGONAL), (0, 1, DIAGONAL), (0, 0, CARDINAL)]
        );
        let squeeze = Grid::drawn(DiagonalRule::Free, &[".@", "@."]);
        assert_eq!(successors(&squeeze, 0, 0, 0), [(1, 1, DIAGONAL)]);
    }

    #[test]
    fn none_rule_forbids_diagonals() {
        let grid = Grid::drawn(DiagonalRule::None, &["...", "...", "..."]);
        assert_eq!(
            successors(&grid, 0, 1, 1),
            [(1, 0, CARDINAL), (2, 1, CARDINAL), (1, 2, CARDINAL), (0, 1, CARDINAL)]
        );
    }

    #[test]
    fn visits_start_at_the_first_direction() {
        let grid = Grid::drawn(DiagonalRule::Strict, &["...", "...", "..."]);
        let from_north_west = successors(&grid, 7, 1, 1);
        assert_eq!(from_north_west[..2], [(0, 0, DIAGONAL), (1, 0, CARDINAL)]);
        assert_eq!(from_north_west.len(), 8);
    }

    #[test]
    fn diagonal_or_cardinal_moves_are_visited_first() {
        let grid = Grid::drawn(DiagonalRule::Strict, &["...", "...", "..."]);
        let visited = |first, diagonal_first| {
            let order = Order { first, diagonal_first: Some(diagonal_first) };
            successors(&grid, order, 1, 1).into_iter().map(|(x, y, _)| (x, y)).collect::<Vec<_>>()
        };
        let (diagonal, cardinal) = ([(2, 0), (2, 2), (0, 2), (0, 0)], [(1, 0), (2, 1), (1, 2), (0, 1)]);
        assert_eq!(visited(0, true), [diagonal, cardinal].concat());
        assert_eq!(visited(0, false), [cardinal, diagonal].concat());
        assert_eq!(visited(2, false)[..2], [(2, 1), (1, 2)]);
        let orders: std::collections::HashSet<_> = (0..8).map(|first| visited(first, true)).collect();
        assert_eq!(orders.len(), 8, "each replica has another order");
    }

    #[test]
    fn fingerprints_depend_on_rules_and_cells() {
        let grid = Grid::drawn(DiagonalRule::Strict, &CORNER);
        assert_ne!(grid.fingerprint(), grid.with_rule(DiagonalRule::Free).fingerprint());
        assert_ne!(grid.fingerprint(), Grid::drawn(DiagonalRule::Strict, &["...", "...", "..."]).fingerprint());
        assert_eq!(grid.fingerprint(), Grid::drawn(DiagonalRule::Strict, &CORNER).fingerprint());
    }

    fn with_heuristics(graph: &impl Graph, state: State, goal: State) -> Vec<(State, Cost, Cost)> {
        let mut found = Vec::new();
        graph.successors(state, |s, cost| found.push((s, cost, graph.heuristic(s, goal))));
        found
    }

    /// Asserts that all ways to read successors agree with [`Graph::successors`].
    fn assert_successors_agree(graph: impl Graph, state: State, goal: State) -> Result<(), TestCaseError> {
        let (plain, mut towards, mut some) = (with_heuristics(&graph, state, goal), Vec::new(), Vec::new());
        let count = plain.len() as u32;
        let to_goal = graph.to_goal(goal);
        let towards_count = graph.successors_towards(state, to_goal, |s, cost, h| towards.push((s, cost, h)));
        let some_count =
            graph.successors_if(state, |s, _| s % 2 == 1, |s, cost| some.push((s, cost, graph.heuristic(s, goal))));
        let odd: Vec<_> = plain.iter().copied().filter(|(s, ..)| s % 2 == 1).collect();
        let mut some_towards = Vec::new();
        graph.successors_if_towards(state, to_goal, |s, _| s % 2 == 1, |s, cost, h| some_towards.push((s, cost, h)));
        prop_assert_eq!(&some_towards, &odd);
        prop_assert_eq!((some_count, some), (count, odd));
        prop_assert_eq!((towards_count, &towards), (count, &plain));
        // Few different values cause ties.
        let small = |s: State, cost: Cost, h: Cost| Sum::from(s.wrapping_add(cost + h) % 3);
        let some =
            |s: State, cost: Cost, h: Cost| if s.is_multiple_of(5) { INFINITY.into() } else { small(s, cost, h) };
        let none = |s: State, cost: Cost, h: Cost| Sum::from(INFINITY) + small(s, cost, h);
        for value in [&small as &dyn Fn(State, Cost, Cost) -> Sum, &some, &none] {
            let bounded = |&(s, cost, h): &(State, Cost, Cost)| (value(s, cost, h).min(INFINITY.into()) as Cost, s);
            let min = plain.iter().map(bounded).min_by_key(|(value, _)| *value);
            prop_assert_eq!(graph.min_towards(state, to_goal, value), (min, count));
        }
        let few: Vec<Cost> = (0..35).map(|s| (s * s) % 7 * CARDINAL).collect();
        let large: Vec<Cost> = (0..35).map(|s| INFINITY - s % 3 * CARDINAL).collect();
        for learned in [few, large] {
            let sum = |&(s, cost, h): &(State, Cost, Cost)| (cost / 2).saturating_add(learned[s as usize].max(h));
            let min = plain.iter().map(|successor| (sum(successor), successor.0)).min_by_key(|(sum, _)| *sum);
            prop_assert_eq!(graph.min_learned(state, to_goal, &learned, |cost| cost / 2), (min, count));
            let mut written = [Successor::default(); MAX_SUCCESSORS];
            prop_assert_eq!(graph.write_learned(state, to_goal, &learned, &mut written), count);
            let risen = |&(s, cost, h): &(State, Cost, Cost)| (s, cost, learned[s as usize].max(h));
            let expected: Vec<_> = plain.iter().map(risen).collect();
            let written =
                written[..count as usize].iter().map(|successor| (successor.state, successor.cost, successor.h));
            prop_assert_eq!(written.collect::<Vec<_>>(), expected);
        }
        let around = graph.around(state, to_goal).expect("it is a grid");
        prop_assert_eq!(around.count, count);
        let mut directions: Vec<usize> = (0..8).collect();
        directions.sort_by_key(|direction| around.ranks[*direction]);
        prop_assert!(directions.iter().all(|direction| around.ranks[*direction] as usize & 7 == *direction));
        let legal = directions.into_iter().filter(|direction| around.legal >> direction & 1 == 1);
        let cost = |direction| if direction % 2 == 0 { CARDINAL } else { DIAGONAL };
        let states: Vec<State> = (0..35).collect();
        let entries = around.entries(&states);
        let ring = legal.map(|to| (around.state(to), cost(to), around.heuristics[to])).collect::<Vec<_>>();
        prop_assert_eq!(&ring, &plain);
        prop_assert!((0..8).all(|to| around.legal >> to & 1 == 0 || entries[to] == around.state(to)));
        let cheapest = plain.iter().map(|&(s, cost, _)| cost + s).min().unwrap_or(INFINITY);
        prop_assert_eq!(graph.min_value(state, |s, cost| cost.wrapping_add(s)), (cheapest, count));
        Ok(())
    }

    proptest! {
        #[test]
        fn all_visits_of_successors_agree(
            rule in 0..3usize, first in 0u8..8, diagonal_first: Option<bool>, blocked in 0u64..1 << 35,
            state in 0u32..35, goal in 0u32..35
        ) {
            let free = (0..35).map(|cell| blocked >> cell & 1 == 0).collect();
            let grid = Grid::new(Shape::new(7, 5), DiagonalRule::NAMES[rule].1, free);
            let geometry = grid.geometry(Order { first, diagonal_first });
            let terrain = Terrain::new(&geometry, grid.moves());
            assert_successors_agree(terrain, state, goal)?;
            if let Some(four) = terrain.without_diagonals() {
                prop_assert_eq!(with_heuristics(&four, state, goal), with_heuristics(&terrain, state, goal));
                assert_successors_agree(four, state, goal)?;
            }
        }

        #[test]
        fn coordinates_and_states_are_one_to_one(
            width in 1..=Shape::LONGEST_SIDE, height in 1..=Shape::LONGEST_SIDE, at in 0.0..1.0f64
        ) {
            let shape = Shape::new(width, height);
            let state = ((shape.cells() - 1) as f64 * at) as State;
            let (x, y) = shape.xy(state);
            prop_assert_eq!((x, y), (state % width, state / width));
            prop_assert_eq!(shape.state(x, y), state);
        }
    }
}
