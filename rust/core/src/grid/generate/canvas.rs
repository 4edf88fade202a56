//! The canvas of generated maps: letters that are read and written by column and row.

use crate::grid::components::Components;
use crate::grid::{DiagonalRule, Grid, Map, Shape};

pub(super) const GROUND: u8 = b'.';
pub(super) const ROCK: u8 = b'@';
pub(super) const SWAMP: u8 = b'S';
pub(super) const TREES: u8 = b'T';
pub(super) const WATER: u8 = b'W';

pub(super) fn is_free(letter: u8) -> bool {
    matches!(letter, GROUND | SWAMP)
}

pub(super) struct Canvas {
    pub shape: Shape,
    pub letters: Vec<u8>,
}

impl Canvas {
    pub fn filled(shape: Shape, letter: u8) -> Canvas {
        Canvas { shape, letters: vec![letter; shape.cells()] }
    }

    pub fn get(&self, x: u32, y: u32) -> u8 {
        self.letters[self.shape.state(x, y) as usize]
    }

    pub fn set(&mut self, x: u32, y: u32, letter: u8) {
        let at = self.shape.state(x, y) as usize;
        self.letters[at] = letter;
    }

    pub fn fill(&mut self, area: Rectangle, letter: u8) {
        for (x, y) in area.cells() {
            self.set(x, y, letter);
        }
    }

    /// Whether a cell is in the outermost ring, which stays solid.
    pub fn on_edge(&self, x: u32, y: u32) -> bool {
        x == 0 || y == 0 || x + 1 == self.shape.width || y + 1 == self.shape.height
    }

    /// The components by cardinal moves, which are also the components of the diagonal rule `strict`.
    pub fn components(&self) -> Components {
        let free = self.letters.iter().map(|letter| is_free(*letter)).collect();
        Components::new(&Grid::new(self.shape, DiagonalRule::None, free))
    }

    pub fn into_map(self) -> Map {
        Map::new(self.shape, self.letters)
    }
}

/// Columns from `left` and rows from `top`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub left: u32,
    pub top: u32,
    pub width: u32,
    pub height: u32,
}

impl Rectangle {
    /// One past the last column.
    pub fn right(self) -> u32 {
        self.left + self.width
    }

    /// One past the last row.
    pub fn bottom(self) -> u32 {
        self.top + self.height
    }

    /// The square of side `side` around a cell, without the cells on the edge of `shape`.
    pub fn around(x: u32, y: u32, side: u32, shape: Shape) -> Rectangle {
        let (before, after) = ((side - 1) / 2, side / 2);
        let (left, top) = (x.saturating_sub(before).max(1), y.saturating_sub(before).max(1));
        let (right, bottom) = ((x + after).min(shape.width - 2), (y + after).min(shape.height - 2));
        Rectangle { left, top, width: (right + 1).saturating_sub(left), height: (bottom + 1).saturating_sub(top) }
    }

    /// The columns and the rows between two rectangles.
    pub fn gaps(self, other: Rectangle) -> (u32, u32) {
        let columns = other.left.saturating_sub(self.right()).max(self.left.saturating_sub(other.right()));
        let rows = other.top.saturating_sub(self.bottom()).max(self.top.saturating_sub(other.bottom()));
        (columns, rows)
    }

    /// The number of cells between two rectangles, by cardinal moves.
    pub fn distance(self, other: Rectangle) -> u32 {
        let (columns, rows) = self.gaps(other);
        columns + rows
    }

    pub fn cells(self) -> impl Iterator<Item = (u32, u32)> {
        (self.top..self.bottom()).flat_map(move |y| (self.left..self.right()).map(move |x| (x, y)))
    }
}
