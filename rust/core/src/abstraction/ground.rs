//! The ground of a hierarchy: the cells of a map, with their legal moves.

use super::Position;
use super::level::Layer;
use crate::graph::{NO_STATE, State};
use crate::grid::{DIRECTIONS, DiagonalRule, Grid, Shape, Steps, legal_moves};
use crate::search::table::bytes;

use std::sync::Arc;

/// Cells and moves.
///
/// To save memory on maps with few free cells, they have entries only for tiles with a cell that is or was free. Other
/// maps have an entry for every cell.
pub(super) struct Ground {
    shape: Shape,
    rule: DiagonalRule,
    steps: Steps,
    cliffs: Arc<[u8]>,
    /// The place of each tile's entries, row by row. Tiles without entries share the first place, which stays unused.
    /// Empty if every cell has an entry.
    tiles: Vec<u32>,
    moves: Vec<u8>,
    parents: Vec<State>,
    /// The offset of the next sibling: columns plus eight in the upper half, rows plus eight in the lower. Siblings are
    /// at most three cells apart. [`Ground::NO_CELL`] for blocked cells.
    siblings: Vec<u8>,
    count: usize,
}

impl Ground {
    const NO_CELL: u8 = 0;
    const ITSELF: u8 = 0x88;
    /// The side of a tile.
    const SIDE: u32 = 8;
    const TILE: usize = (Self::SIDE * Self::SIDE) as usize;
    /// Maps have tiles if less than one in this many cells is free.
    const MIN_CELLS_PER_FREE_CELL: usize = 4;

    pub(super) fn new(grid: &Grid) -> Ground {
        let shape = grid.shape();
        let is_tiled = grid.free_cells() * Self::MIN_CELLS_PER_FREE_CELL < shape.cells();
        let (tiles, entries) = match is_tiled {
            true => (Self::tiles_in_row(shape) * shape.height.div_ceil(Self::SIDE), Self::TILE),
            false => (0, shape.cells()),
        };
        let mut ground = Ground {
            shape,
            rule: grid.rule(),
            steps: Steps::new(shape),
            cliffs: Arc::clone(grid.cliffs()),
            tiles: vec![0; tiles as usize],
            moves: vec![0; entries],
            parents: vec![NO_STATE; entries],
            siblings: vec![Self::NO_CELL; entries],
            count: 0,
        };
        for cell in (0..shape.cells() as State).filter(|cell| grid.is_free(*cell)) {
            ground.add_cell(cell);
            *ground.moves_mut(cell) = grid.moves()[cell as usize];
        }
        ground.moves.shrink_to_fit();
        ground.parents.shrink_to_fit();
        ground.siblings.shrink_to_fit();
        ground
    }

    #[inline(always)]
    fn tiles_in_row(shape: Shape) -> u32 {
        shape.width.div_ceil(Self::SIDE)
    }

    /// The tile of a cell, and the place of the cell in it.
    #[inline(always)]
    fn tile(&self, cell: State) -> (usize, usize) {
        let (x, y) = self.shape.xy(cell);
        let tile = y / Self::SIDE * Self::tiles_in_row(self.shape) + x / Self::SIDE;
        (tile as usize, (y % Self::SIDE * Self::SIDE + x % Self::SIDE) as usize)
    }

    /// The place of the entry of a cell.
    #[inline(always)]
    fn entry(&self, cell: State) -> usize {
        if self.tiles.is_empty() {
            return cell as usize;
        }
        let (tile, place) = self.tile(cell);
        self.tiles[tile] as usize * Self::TILE + place
    }

    /// The legal moves of a cell.
    #[inline(always)]
    pub(super) fn moves(&self, cell: State) -> u8 {
        self.moves[self.entry(cell)]
    }

    #[inline(always)]
    fn moves_mut(&mut self, cell: State) -> &mut u8 {
        let entry = self.entry(cell);
        &mut self.moves[entry]
    }

    #[inline(always)]
    fn sibling_mut(&mut self, cell: State) -> &mut u8 {
        let entry = self.entry(cell);
        &mut self.siblings[entry]
    }

    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn is_linked(&self) -> bool {
        self.moves.iter().any(|moves| *moves != 0)
    }

    /// The direction of the legal move from one cell to another.
    #[inline]
    pub(super) fn direction(&self, from: State, to: State) -> Option<usize> {
        self.steps.direction(self.moves(from), from, to).map(|direction| direction as usize)
    }

    /// Adds a cell without moves and siblings.
    pub(super) fn add_cell(&mut self, cell: State) {
        if !self.tiles.is_empty() {
            let (tile, _) = self.tile(cell);
            if self.tiles[tile] == 0 {
                self.tiles[tile] = (self.moves.len() / Self::TILE) as u32;
                let entries = self.moves.len() + Self::TILE;
                self.moves.resize(entries, 0);
                self.parents.resize(entries, NO_STATE);
                self.siblings.resize(entries, Self::NO_CELL);
            }
        }
        *self.sibling_mut(cell) = Self::ITSELF;
        self.count += 1;
    }

    /// Removes a cell without moves and siblings.
    pub(super) fn remove_cell(&mut self, cell: State) {
        debug_assert!(self.moves(cell) == 0, "its moves were removed");
        *self.sibling_mut(cell) = Self::NO_CELL;
        self.count -= 1;
        self.set_parent(cell, NO_STATE);
    }

    /// Removes a legal move and its reverse.
    pub(super) fn remove_move(&mut self, cell: State, direction: usize) -> State {
        let to = self.steps.towards(cell, direction);
        *self.moves_mut(cell) &= !(1 << direction);
        *self.moves_mut(to) &= !(1 << ((direction + 4) % 8));
        to
    }

    /// Adds a move and its reverse.
    pub(super) fn add_move(&mut self, cell: State, direction: usize) -> State {
        let to = self.steps.towards(cell, direction);
        *self.moves_mut(cell) |= 1 << direction;
        *self.moves_mut(to) |= 1 << ((direction + 4) % 8);
        to
    }

    /// The cell and direction of every move that depends on whether a cell is free under the rule: those from it, and
    /// once each, those past its corners. Later changes do not affect the result.
    pub(super) fn affected_moves(&self, cell: State) -> impl Iterator<Item = (State, usize)> + use<> {
        let around: [Option<State>; 8] = std::array::from_fn(|direction| self.shape.neighbour(cell, direction));
        let corners = if self.rule == DiagonalRule::Strict { 8 } else { 0 };
        let from = (0..8).filter(move |direction| around[*direction].is_some()).map(move |direction| (cell, direction));
        let past = (0..corners).step_by(2).filter_map(move |direction| {
            // From its northern to its eastern neighbour a move leads south-east, and so on.
            around[(direction + 2) % 8].and(around[direction]).map(|north| (north, (direction + 3) % 8))
        });
        from.chain(past)
    }

    /// Whether a move is currently legal.
    #[inline]
    pub(super) fn has_move(&self, cell: State, direction: usize) -> bool {
        self.moves(cell) >> direction & 1 == 1
    }

    /// Whether the rule allows a move between the current cells.
    pub(super) fn allows(&self, cell: State, direction: usize) -> bool {
        legal_moves(self.shape, self.rule, cell, |cell| self.is_state(cell), &self.cliffs) >> direction & 1 == 1
    }

    pub(super) fn bytes(&self) -> usize {
        let words = self.parents.capacity() + self.tiles.capacity();
        self.moves.capacity() + self.siblings.capacity() + words * size_of::<u32>()
    }

    pub(super) fn bytes_in_use(&self) -> u64 {
        bytes::<u8>(self.moves.len() + self.siblings.len()) + bytes::<u32>(self.parents.len() + self.tiles.len())
    }
}

impl Layer for Ground {
    #[inline(always)]
    fn len(&self) -> usize {
        self.shape.cells()
    }

    #[inline(always)]
    fn is_state(&self, state: State) -> bool {
        (state as usize) < self.len() && self.siblings[self.entry(state)] != Self::NO_CELL
    }

    #[inline(always)]
    fn degree(&self, state: State) -> u32 {
        self.moves(state).count_ones()
    }

    #[inline(always)]
    fn neighbours(&self, state: State, mut visit: impl FnMut(State)) {
        let mut left = self.moves(state);
        while left != 0 {
            visit(self.steps.towards(state, left.trailing_zeros() as usize));
            left &= left - 1;
        }
    }

    #[inline]
    fn created_neighbours(&self, state: State, mut visit: impl FnMut(State)) {
        // Row by row, every cell has edges to the west, north, north-west and north-east.
        for direction in [6, 0, 7, 1, 2, 5, 4, 3] {
            if self.has_move(state, direction) {
                visit(self.steps.towards(state, direction));
            }
        }
    }

    #[inline(always)]
    fn is_edge(&self, one: State, other: State) -> bool {
        self.direction(one, other).is_some()
    }

    #[inline(always)]
    fn position(&self, state: State) -> Position {
        Position::of_cell(self.shape, state)
    }

    #[inline(always)]
    fn parent(&self, state: State) -> State {
        self.parents[self.entry(state)]
    }

    #[inline(always)]
    fn set_parent(&mut self, state: State, parent: State) {
        let entry = self.entry(state);
        self.parents[entry] = parent;
    }

    #[inline(always)]
    fn sibling(&self, state: State) -> State {
        let offset = self.siblings[self.entry(state)];
        let (columns, rows) = ((offset >> 4) as i32 - 8, (offset & 15) as i32 - 8);
        state.wrapping_add_signed(rows * self.shape.width as i32 + columns)
    }

    #[inline(always)]
    fn set_sibling(&mut self, state: State, next: State) {
        let ((x, y), (next_x, next_y)) = (self.shape.xy(state), self.shape.xy(next));
        let (columns, rows) = (next_x as i32 - x as i32 + 8, next_y as i32 - y as i32 + 8);
        debug_assert!((1..16).contains(&columns) && (1..16).contains(&rows), "siblings are near each other");
        *self.sibling_mut(state) = (columns << 4 | rows) as u8;
    }
}

impl Clone for Ground {
    fn clone(&self) -> Self {
        Ground {
            tiles: self.tiles.clone(),
            moves: self.moves.clone(),
            parents: self.parents.clone(),
            siblings: self.siblings.clone(),
            steps: self.steps.clone(),
            cliffs: Arc::clone(&self.cliffs),
            ..*self
        }
    }

    fn clone_from(&mut self, other: &Self) {
        (self.shape, self.rule, self.count) = (other.shape, other.rule, other.count);
        self.steps.clone_from(&other.steps);
        self.cliffs.clone_from(&other.cliffs);
        self.tiles.clone_from(&other.tiles);
        self.moves.clone_from(&other.moves);
        self.parents.clone_from(&other.parents);
        self.siblings.clone_from(&other.siblings);
    }
}

/// [`Ground::affected_moves`] and the reverse moves depend on this order of directions.
const _: () = assert!(matches!(DIRECTIONS, [(0, -1), _, (1, 0), _, (0, 1), _, (-1, 0), _]));
