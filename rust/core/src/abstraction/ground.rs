//! The ground of a hierarchy: the cells of a map, with their legal moves.

use super::Position;
use super::level::Layer;
use crate::graph::{NO_STATE, State};
use crate::grid::{DIRECTIONS, DiagonalRule, Shape, Steps, legal_moves};

/// Cells and moves. Memory counts here, since there is an entry for every cell, free or not.
pub(super) struct Ground {
    shape: Shape,
    rule: DiagonalRule,
    steps: Steps,
    moves: Vec<u8>,
    parents: Vec<State>,
    /// The way to the next sibling, eight plus columns in the upper half, eight plus rows in the lower: siblings are never
    /// more than three cells apart. [`Ground::NO_CELL`] where a cell is blocked.
    siblings: Vec<u8>,
    count: usize,
}

impl Ground {
    const NO_CELL: u8 = 0;
    const ITSELF: u8 = 0x88;

    pub(super) fn new(shape: Shape, rule: DiagonalRule, moves: Vec<u8>, is_free: impl Fn(State) -> bool) -> Ground {
        let mark = |cell| if is_free(cell) { Self::ITSELF } else { Self::NO_CELL };
        let siblings: Vec<u8> = (0..shape.cells() as State).map(mark).collect();
        let count = siblings.iter().filter(|way| **way != Self::NO_CELL).count();
        Ground { shape, rule, steps: Steps::new(shape), moves, parents: vec![NO_STATE; shape.cells()], siblings, count }
    }

    pub(super) fn shape(&self) -> Shape {
        self.shape
    }

    pub(super) fn moves(&self) -> &[u8] {
        &self.moves
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
        self.steps.direction(self.moves[from as usize], from, to).map(|direction| direction as usize)
    }

    /// A cell that was none becomes one, with no moves and on its own.
    pub(super) fn add_cell(&mut self, cell: State) {
        self.siblings[cell as usize] = Self::ITSELF;
        self.count += 1;
    }

    /// A cell without moves and siblings is none any more.
    pub(super) fn remove_cell(&mut self, cell: State) {
        debug_assert!(self.moves[cell as usize] == 0, "its moves were taken away");
        self.siblings[cell as usize] = Self::NO_CELL;
        self.count -= 1;
        self.parents[cell as usize] = NO_STATE;
    }

    /// Takes a legal move and its way back.
    pub(super) fn remove_move(&mut self, cell: State, direction: usize) -> State {
        let to = self.steps.towards(cell, direction);
        self.moves[cell as usize] &= !(1 << direction);
        self.moves[to as usize] &= !(1 << ((direction + 4) % 8));
        to
    }

    /// Makes a move legal, with its way back.
    pub(super) fn add_move(&mut self, cell: State, direction: usize) -> State {
        let to = self.steps.towards(cell, direction);
        self.moves[cell as usize] |= 1 << direction;
        self.moves[to as usize] |= 1 << ((direction + 4) % 8);
        to
    }

    /// The cell and direction of every move that the rule makes depend on whether a cell is free: those from it, and, each
    /// once, those past its corners. Whatever changes meanwhile, they stay the same.
    pub(super) fn moves_about(&self, cell: State) -> impl Iterator<Item = (State, usize)> + use<> {
        let (shape, is_strict) = (self.shape, self.rule == DiagonalRule::Strict);
        let from = (0..8).filter(move |way| shape.neighbour(cell, *way).is_some()).map(move |way| (cell, way));
        let past = (0..8).step_by(2).filter(move |_| is_strict).filter_map(move |way| {
            // From the north of it to the east of it one goes south-east, and so on.
            shape.neighbour(cell, (way + 2) % 8).and(shape.neighbour(cell, way)).map(|north| (north, (way + 3) % 8))
        });
        from.chain(past)
    }

    /// Whether a move is legal now.
    #[inline]
    pub(super) fn has_move(&self, cell: State, direction: usize) -> bool {
        self.moves[cell as usize] >> direction & 1 == 1
    }

    /// Whether the rule allows a move between cells as they are.
    pub(super) fn allows(&self, cell: State, direction: usize) -> bool {
        legal_moves(self.shape, self.rule, cell, |cell| self.is_state(cell)) >> direction & 1 == 1
    }

    pub(super) fn bytes(&self) -> usize {
        self.moves.capacity() + self.siblings.capacity() + self.parents.capacity() * size_of::<State>()
    }
}

impl Layer for Ground {
    #[inline(always)]
    fn len(&self) -> usize {
        self.moves.len()
    }

    #[inline(always)]
    fn is_state(&self, state: State) -> bool {
        self.siblings.get(state as usize).is_some_and(|way| *way != Self::NO_CELL)
    }

    #[inline(always)]
    fn degree(&self, state: State) -> u32 {
        self.moves[state as usize].count_ones()
    }

    #[inline(always)]
    fn neighbours(&self, state: State, mut visit: impl FnMut(State)) {
        let mut left = self.moves[state as usize];
        while left != 0 {
            visit(self.steps.towards(state, left.trailing_zeros() as usize));
            left &= left - 1;
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
        self.parents[state as usize]
    }

    #[inline(always)]
    fn set_parent(&mut self, state: State, parent: State) {
        self.parents[state as usize] = parent;
    }

    #[inline(always)]
    fn sibling(&self, state: State) -> State {
        let way = self.siblings[state as usize];
        let (columns, rows) = ((way >> 4) as i32 - 8, (way & 15) as i32 - 8);
        state.wrapping_add_signed(rows * self.shape.width as i32 + columns)
    }

    #[inline(always)]
    fn set_sibling(&mut self, state: State, next: State) {
        let ((x, y), (next_x, next_y)) = (self.shape.xy(state), self.shape.xy(next));
        let (columns, rows) = (next_x as i32 - x as i32 + 8, next_y as i32 - y as i32 + 8);
        debug_assert!((1..16).contains(&columns) && (1..16).contains(&rows), "siblings are near each other");
        self.siblings[state as usize] = (columns << 4 | rows) as u8;
    }
}

impl Clone for Ground {
    fn clone(&self) -> Self {
        Ground { moves: self.moves.clone(), parents: self.parents.clone(), siblings: self.siblings.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        (self.shape, self.rule, self.steps, self.count) = (other.shape, other.rule, other.steps, other.count);
        self.moves.clone_from(&other.moves);
        self.parents.clone_from(&other.parents);
        self.siblings.clone_from(&other.siblings);
    }
}

/// The directions are in the order that [`Ground::moves_about`] and the ways back count on.
const _: () = assert!(matches!(DIRECTIONS, [(0, -1), _, (1, 0), _, (0, 1), _, (-1, 0), _]));
