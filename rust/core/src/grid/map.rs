//! MovingAI's `.map` files: a rectangle of letters, read, written and scaled.

use super::{DiagonalRule, Grid, Shape};

/// A map file: a rectangle of letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    shape: Shape,
    letters: Vec<u8>,
}

impl Map {
    /// A map from its letters, row by row.
    pub fn new(shape: Shape, letters: Vec<u8>) -> Map {
        assert_eq!(letters.len(), shape.cells(), "one letter for every cell");
        Map { shape, letters }
    }

    /// Its size.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Its letters, row by row.
    pub fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// The map as a search space.
    pub fn grid(&self, diagonal: DiagonalRule) -> Grid {
        Grid::new(
            self.shape,
            diagonal,
            self.letters.iter().map(|letter| matches!(letter, b'.' | b'G' | b'S')).collect(),
        )
    }
}
