//! MovingAI's `octile-corner` maps: letters of cells and heights of their corners.
//!
//! A map of w × h corners has (w - 1) × (h - 1) cells. The file has h rows of heights, then h rows of letters; a cell
//! has the letter at its north-western corner. A lowercase letter is a slope, whose four corners have their own
//! heights. Any other cell is flat, at the height of its north-western corner. There is a cliff between two cells
//! unless both heights along their common edge agree.
//!
//! Maps are scaled as in the testbed of graph-abstraction-2007's authors, which made the maps of dynamic-control-2008:
//! a cell gets the letter and the heights of the cell over its north-western corner, and then, if that one is linked to
//! its northern or western neighbour, the heights that the scaled neighbour has along their common edge. Only the first
//! row or column of an enlarged slope therefore rises.

use super::Shape;

/// The letters of a corner map: ground, swamp, trees, water, out of bounds, and slopes of the first four.
pub const LETTERS: &[u8] = b"GSTWOgstw";

/// The sixteen characters of heights, from the lowest.
pub const HEIGHTS: std::ops::RangeInclusive<u8> = b'0'..=b'?';

/// The heights of a cell at its corners: north-west, north-east, south-west, south-east.
pub(super) type Heights = [u8; 4];

/// For each cell the mask of the moves east and south that a cliff blocks; empty without heights.
pub(super) fn cliffs(shape: Shape, heights: &[Heights]) -> Vec<u8> {
    if heights.is_empty() {
        return Vec::new();
    }
    let at = |x: u32, y: u32| heights[shape.state(x, y) as usize];
    let mask = |x: u32, y: u32| {
        let [_, north_east, south_west, south_east] = at(x, y);
        let is_east = x + 1 < shape.width && {
            let [north, _, south, _] = at(x + 1, y);
            (north, south) != (north_east, south_east)
        };
        let is_south = y + 1 < shape.height && {
            let [west, east, ..] = at(x, y + 1);
            (west, east) != (south_west, south_east)
        };
        (is_east as u8) << 2 | (is_south as u8) << 4
    };
    (0..shape.height).flat_map(|y| (0..shape.width).map(move |x| (x, y))).map(|(x, y)| mask(x, y)).collect()
}

/// The class of a letter. Cells of different classes are not linked.
fn class(letter: u8) -> u8 {
    if letter == b'S' { b'G' } else { letter }
}

/// Letters and heights of a map at another size.
pub(super) fn scaled(from: Shape, letters: &[u8], heights: &[Heights], to: Shape) -> (Vec<u8>, Vec<Heights>) {
    let under = |i: u32, from: u32, to: u32| (i as u64 * from as u64 / to as u64) as u32;
    let (mut new_letters, mut new_heights) =
        (Vec::with_capacity(to.cells()), Vec::<Heights>::with_capacity(to.cells()));
    let is_class = |one: usize, other: usize| class(letters[one]) == class(letters[other]);
    for (y, x) in (0..to.height).flat_map(|y| (0..to.width).map(move |x| (y, x))) {
        let (old_x, old_y) = (under(x, from.width, to.width), under(y, from.height, to.height));
        let at = from.state(old_x, old_y) as usize;
        let old = heights[at];
        let mut new = old;
        if old_y > 0 {
            let [north, above] = [at - from.width as usize, new_heights.len() - to.width as usize];
            if is_class(at, north) && old[..2] == heights[north][2..] {
                (new[0], new[1]) = (new_heights[above][2], new_heights[above][3]);
            }
        }
        if old_x > 0 {
            let (west, before) = (at - 1, new_heights.len() - 1);
            if is_class(at, west) && (old[0], old[2]) == (heights[west][1], heights[west][3]) {
                (new[0], new[2]) = (new_heights[before][1], new_heights[before][3]);
            }
        }
        new_letters.push(letters[at]);
        new_heights.push(new);
    }
    (new_letters, new_heights)
}

/// The rows of a file, one entry for every corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Corners {
    /// The number of corners in a row.
    pub width: u32,
    pub heights: Vec<u8>,
    pub letters: Vec<u8>,
}

impl Corners {
    fn rows<'a>(&self, of: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        of.chunks(self.width as usize)
    }

    /// The size in cells.
    pub fn shape(&self) -> Shape {
        Shape::new(self.width - 1, self.heights.len() as u32 / self.width - 1)
    }

    /// The letters of the cells, in uppercase.
    pub fn cells(&self) -> Vec<u8> {
        let shape = self.shape();
        let rows = self.rows(&self.letters).take(shape.height as usize);
        rows.flat_map(|row| &row[..shape.width as usize]).map(u8::to_ascii_uppercase).collect()
    }

    /// The heights of the cells at their corners.
    pub fn heights(&self) -> Vec<Heights> {
        let Shape { width, height, .. } = self.shape();
        let row = self.width;
        let heights = |cell: u32| {
            let is_slope = self.letters[cell as usize].is_ascii_lowercase();
            [cell, cell + 1, cell + row, cell + row + 1].map(|corner| {
                let at = if is_slope { corner } else { cell };
                self.heights[at as usize]
            })
        };
        (0..height).flat_map(|y| y * row..y * row + width).map(heights).collect()
    }

    /// The text of a file.
    pub fn text(&self) -> Vec<u8> {
        let (width, height) = (self.width, self.heights.len() as u32 / self.width);
        let mut text = format!("type octile-corner\nheight {height}\nwidth {width}\nmap\n").into_bytes();
        for row in self.rows(&self.heights).chain(self.rows(&self.letters)) {
            text.extend_from_slice(row);
            text.push(b'\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::map::{LineError, Map, MapFault};
    use super::super::{DiagonalRule, Grid, Shape};
    use crate::graph::State;
    use proptest::prelude::*;

    /// A plateau in the east, three rows high, with a slope that leads up to its middle row.
    const PLATEAU: &str =
        "type octile-corner\nheight 4\nwidth 5\nmap\n22244\n22244\n22244\n22244\nGGTGO\nGGgGO\nGGTSW\nOOOOO\n";

    fn map(text: &str) -> Map {
        Map::parse(text.as_bytes()).expect("the map is valid")
    }

    fn are_linked(grid: &Grid, one: (u32, u32), other: (u32, u32)) -> bool {
        let state = |(x, y)| grid.shape().state(x, y);
        grid.steps().direction(grid.moves()[state(one) as usize], state(one), state(other)).is_some()
    }

    #[test]
    fn slopes_link_heights_and_cliffs_separate_them() {
        let map = map(PLATEAU);
        assert_eq!((map.shape(), map.letters()), (Shape::new(4, 3), &b"GGTGGGGGGGTS"[..]));
        let grid = map.grid(DiagonalRule::Strict);
        assert!(are_linked(&grid, (1, 1), (2, 1)) && are_linked(&grid, (2, 1), (3, 1)), "the slope");
        assert!(are_linked(&grid, (3, 1), (3, 2)), "ground and swamp of one height");
        // Without the slope the plateau is a separate component.
        let steep = Map::parse(PLATEAU.replace("GGgGO", "GGGGO").as_bytes()).expect("the map is valid");
        let steep = steep.grid(DiagonalRule::Strict);
        assert!(steep.is_free(6) && steep.is_free(7) && !are_linked(&steep, (2, 1), (3, 1)));
        assert_eq!(super::super::components::Components::new(&steep).sizes, [7, 3]);
        assert_ne!(steep.fingerprint(), Grid::new(steep.shape(), steep.rule(), steep.free().to_vec()).fingerprint());
        // A different rule has the same cliffs.
        assert!(!are_linked(&steep.with_rule(DiagonalRule::Free), (2, 1), (3, 1)));
    }

    #[test]
    fn diagonal_moves_pass_no_cliff_under_any_rule() {
        let raised = "type octile-corner\nheight 3\nwidth 3\nmap\n222\n232\n222\nGGO\nGGO\nOOO\n";
        for (_, rule) in DiagonalRule::NAMES {
            let grid = map(raised).grid(rule);
            assert!(!are_linked(&grid, (0, 0), (1, 1)) && !are_linked(&grid, (1, 0), (0, 1)), "{rule:?}");
            assert!(are_linked(&grid, (0, 0), (1, 0)) && are_linked(&grid, (0, 0), (0, 1)));
            assert!(!are_linked(&grid, (1, 0), (1, 1)) && !are_linked(&grid, (0, 1), (1, 1)));
        }
    }

    #[test]
    fn faults_contain_the_line() {
        let fault = |from: &str, to: &str| Map::parse(PLATEAU.replace(from, to).as_bytes()).expect_err("it is invalid");
        let at = |line, fault| LineError { line, fault };
        let found = || "x".to_owned();
        assert_eq!(fault("GGgGO", "GGxGO"), at(10, MapFault::UnknownCornerLetter { column: 3, found: found() }));
        assert_eq!(fault("map\n22244", "map\n2x244"), at(5, MapFault::UnknownHeight { column: 2, found: found() }));
        assert_eq!(fault("GGTSW\nOOOOO\n", ""), at(10, MapFault::TooFewCorners { found: 6, declared: 4 }));
        assert_eq!(fault("map\n22244\n", "map\n"), at(8, MapFault::UnknownHeight { column: 1, found: "G".to_owned() }));
        assert_eq!(fault("OOOOO\n", "OOOO\n"), at(12, MapFault::RowLength { found: 4, declared: 5 }));
        assert_eq!(fault("OOOOO\n", "OOOOO\nOOOOO\n"), at(13, MapFault::TooManyRows(8)));
        assert_eq!(fault("height 4", "height 1"), at(4, MapFault::NoCells));
    }

    prop_compose! {
        fn corner_maps()(width in 2u32..12, height in 2u32..12)(
            width in Just(width), height in Just(height),
            heights in prop::collection::vec(prop::sample::select(b"2233".to_vec()), (width * height) as usize),
            letters in prop::collection::vec(prop::sample::select(b"GGGSgsTWtwO".to_vec()), (width * height) as usize),
        ) -> Map {
            let text = super::Corners { width, heights, letters }.text();
            let map = Map::parse(&text).expect("the map is valid");
            assert!(map.shape() == Shape::new(width - 1, height - 1));
            map
        }
    }

    proptest! {
        #[test]
        fn written_corner_maps_load_again(map in corner_maps()) {
            let text = map.text().expect("it is not scaled");
            prop_assert_eq!(Map::parse(&text), Ok(map));
        }

        #[test]
        fn moves_are_legal_both_ways_and_scaling_keeps_them(map in corner_maps(), factor in 2u32..4, rule in 0..3usize) {
            let rule = DiagonalRule::NAMES[rule].1;
            let (grid, shape) = (map.grid(rule), map.shape());
            let is_legal = |grid: &Grid, from: State, direction: usize| grid.moves()[from as usize] >> direction & 1 == 1;
            for from in 0..shape.cells() as State {
                for direction in 0..8 {
                    let to = shape.neighbour(from, direction);
                    let back = to.is_some_and(|to| is_legal(&grid, to, (direction + 4) % 8));
                    prop_assert_eq!(is_legal(&grid, from, direction), back);
                }
            }
            let large = map.scaled(Shape::new(shape.width * factor, shape.height * factor)).grid(rule);
            let heights = map.corners.as_ref().expect("it is not scaled").heights();
            let is_flat = |cell: State| heights[cell as usize].iter().all(|height| *height == heights[cell as usize][0]);
            for from in 0..large.shape().cells() as State {
                for direction in 0..8 {
                    let to = large.shape().neighbour(from, direction);
                    let back = to.is_some_and(|to| is_legal(&large, to, (direction + 4) % 8));
                    prop_assert_eq!(is_legal(&large, from, direction), back);
                }
            }
            // Cells in the middle of neighbouring edges are linked as the flat cells under them are.
            let middle = |cell: State| {
                let (x, y) = shape.xy(cell);
                (x * factor + factor / 2, y * factor + factor / 2)
            };
            for from in (0..shape.cells() as State).filter(|from| is_flat(*from)) {
                for direction in [2usize, 4] {
                    let Some(to) = shape.neighbour(from, direction).filter(|to| is_flat(*to)) else { continue };
                    let (x, y) = middle(from);
                    let mut at = large.shape().state(x, y);
                    let steps = (0..factor).all(|_| {
                        let is_possible = is_legal(&large, at, direction);
                        at = large.shape().neighbour(at, direction).unwrap_or(at);
                        is_possible
                    });
                    prop_assert_eq!(steps, is_legal(&grid, from, direction), "{} to {}", from, to);
                }
            }
        }
    }
}
