//! MovingAI's `.map` files: reading, writing and scaling rectangles of letters, which may have cliffs between cells
//! (see [`corners`]).
//!
//! With a [`TerrainRule`] for letters and a [`DiagonalRule`] for diagonal moves, a map becomes a [`Grid`].

use super::components::Components;
use super::corners::{self, Corners};
use super::{DiagonalRule, Grid, Shape};
use crate::graph::NO_STATE;
use thiserror::Error;

/// The letters of a map: ground, out of bounds, trees, swamp, water.
pub const LETTERS: &[u8] = b".G@OTSW";

/// The letters that are free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TerrainRule {
    /// Ground and swamp are free, water and all others are obstacles, as in the papers. This is the default.
    #[default]
    Land,
}

impl TerrainRule {
    /// Every rule with its name.
    pub const NAMES: [(&'static str, TerrainRule); 1] = [("land", TerrainRule::Land)];

    /// The rule's name in suites and fingerprints.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, rule)| *rule == self).expect("every rule has a name").0
    }

    /// Whether a cell with this letter is free.
    pub fn is_free(self, letter: u8) -> bool {
        match self {
            TerrainRule::Land => matches!(letter, b'.' | b'G' | b'S'),
        }
    }
}

/// An error in a line of a file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {fault}")]
pub struct LineError<F> {
    /// The line.
    pub line: usize,
    /// The reason.
    pub fault: F,
}

/// Reasons why a file is not a valid map.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum MapFault {
    #[error("the file is empty, but a map starts with `type octile` or `type octile-corner`; download it again")]
    Empty,
    #[error("this is a three-dimensional voxel map; permove supports maps of `type octile` and `type octile-corner`")]
    Voxels,
    #[error("unknown map type `{0}`; permove supports `type octile` and `type octile-corner`")]
    UnknownType(String),
    #[error("found `{found}`, but the header needs {expected}; correct it or download the file again")]
    Header { found: String, expected: &'static str },
    #[error("the map has {0} cells along one side; 1 to {max} are supported", max = Shape::LONGEST_SIDE)]
    Side(u64),
    #[error(
        "the row has {found} letters, the header declares {declared}; correct the width or download the file again"
    )]
    RowLength { found: usize, declared: u32 },
    #[error("the map has {found} rows, the header declares {declared}; correct the height or download the file again")]
    TooFewRows { found: u32, declared: u32 },
    #[error(
        "the map has more rows than the {0} that the header declares; correct the height or download the file again"
    )]
    TooManyRows(u32),
    #[error("unknown terrain `{found}` in column {column}; use . G S for free cells and @ O T W for obstacles")]
    UnknownLetter { column: usize, found: String },
    #[error(
        "a corner map of height {declared} has {declared} rows of heights and {declared} rows of letters, this one has \
         {found} rows in total; correct the height or download the file again"
    )]
    TooFewCorners { found: u32, declared: u32 },
    #[error("a corner map needs at least two corners along each side, for one cell; correct the header")]
    NoCells,
    #[error(
        "unknown terrain `{found}` in column {column}; use G S T W O, or g s t w for slopes, or download the file again"
    )]
    UnknownCornerLetter { column: usize, found: String },
    #[error(
        "unknown height `{found}` in column {column}; heights are the characters 0 to ?: correct it, or add missing \
         rows of heights"
    )]
    UnknownHeight { column: usize, found: String },
}

impl MapFault {
    fn at(self, line: usize) -> LineError<MapFault> {
        LineError { line, fault: self }
    }
}

/// A map file: a rectangle of letters, perhaps with cliffs between the cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    shape: Shape,
    letters: Vec<u8>,
    /// The heights of each cell at its corners; empty if the map has none.
    heights: Vec<corners::Heights>,
    /// The rows of a corner map, unless it was changed.
    pub(super) corners: Option<Corners>,
}

/// The type of a map file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Octile,
    Corner,
}

impl Map {
    /// Creates a map from its letters, row by row.
    ///
    /// # Panics
    /// If there is not one letter for every cell.
    pub fn new(shape: Shape, letters: Vec<u8>) -> Map {
        assert_eq!(letters.len(), shape.cells(), "one letter for every cell");
        Map { shape, letters, heights: Vec::new(), corners: None }
    }

    /// Reads a file.
    pub fn parse(text: &[u8]) -> Result<Map, LineError<MapFault>> {
        let mut lines = Lines::new(text);
        let (kind, (width, height)) = read_header(&mut lines)?;
        let map = match kind {
            Type::Octile => {
                let too_few = |found| MapFault::TooFewRows { found, declared: height };
                let unknown = |column, found| MapFault::UnknownLetter { column, found };
                let is_known = |letter: &u8| LETTERS.contains(letter);
                let letters = read_rows(&mut lines, (width, height), is_known, unknown, too_few)?;
                Map::new(Shape::new(width, height), letters)
            }
            Type::Corner => read_corners(&mut lines, (width, height))?,
        };
        match lines.find(|(_, row)| !row.is_empty()) {
            Some((line, _)) => {
                Err(MapFault::TooManyRows(if kind == Type::Octile { height } else { 2 * height }).at(line))
            }
            None => Ok(map),
        }
    }

    /// The map as the text of a file for [`Map::parse`] and HOG2. `None` if it is a changed map with cliffs, for which
    /// there is no type of file.
    pub fn text(&self) -> Option<Vec<u8>> {
        if !self.heights.is_empty() {
            return self.corners.as_ref().map(Corners::text);
        }
        let Shape { width, height, .. } = self.shape;
        let mut text = format!("type octile\nheight {height}\nwidth {width}\nmap\n").into_bytes();
        text.reserve(self.letters.len() + height as usize);
        for row in self.letters.chunks(width as usize) {
            text.extend_from_slice(row);
            text.push(b'\n');
        }
        Some(text)
    }

    /// Its size.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Its letters, row by row.
    pub fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// The map at another size. Each cell gets the letter under its centre, or, on a map with heights, letter and
    /// heights as described in [`corners`].
    pub fn scaled(&self, shape: Shape) -> Map {
        if shape == self.shape {
            return self.clone();
        }
        if !self.heights.is_empty() {
            let (letters, heights) = corners::scaled(self.shape, &self.letters, &self.heights, shape);
            return Map { shape, letters, heights, corners: None };
        }
        let under = |i: u32, from: u32, to: u32| ((2 * i + 1) * from / (2 * to)) as usize;
        let columns: Vec<usize> = (0..shape.width).map(|x| under(x, self.shape.width, shape.width)).collect();
        let mut letters = Vec::with_capacity(shape.cells());
        for y in 0..shape.height {
            let start = under(y, self.shape.height, shape.height) * self.shape.width as usize;
            letters.extend(columns.iter().map(|x| self.letters[start + x]));
        }
        Map::new(shape, letters)
    }

    /// The map with walls in place of the free cells outside its largest connected part.
    pub fn largest_part(&self, terrain: TerrainRule, diagonal: DiagonalRule) -> Map {
        let components = Components::new(&self.grid_under(terrain, diagonal));
        let largest = components.largest();
        let is_kept = |component: u32| component == NO_STATE || Some(component) == largest;
        let cells = self.letters.iter().zip(&components.of);
        let letters = cells.map(|(letter, component)| if is_kept(*component) { *letter } else { b'@' }).collect();
        Map { shape: self.shape, letters, heights: self.heights.clone(), corners: None }
    }

    /// The map as a search space under the default terrain rule.
    pub fn grid(&self, diagonal: DiagonalRule) -> Grid {
        self.grid_under(TerrainRule::default(), diagonal)
    }

    /// The map as a search space.
    pub fn grid_under(&self, terrain: TerrainRule, diagonal: DiagonalRule) -> Grid {
        let free = self.letters.iter().map(|letter| terrain.is_free(*letter)).collect();
        Grid::with_cliffs(self.shape, diagonal, free, corners::cliffs(self.shape, &self.heights))
    }
}

const END: &[u8] = b"the end of the file";

/// Reads rows of characters.
fn read_rows(
    lines: &mut Lines,
    (width, height): (u32, u32),
    is_known: impl Fn(&u8) -> bool,
    unknown: impl Fn(usize, String) -> MapFault,
    too_few: impl Fn(u32) -> MapFault,
) -> Result<Vec<u8>, LineError<MapFault>> {
    let mut rows = Vec::with_capacity((width as usize * height as usize).min(lines.rest.map_or(0, <[u8]>::len)));
    for found in 0..height {
        let Some((line, row)) = lines.next() else { return Err(too_few(found).at(lines.number)) };
        if let Some(column) = row.iter().position(|letter| !is_known(letter)) {
            return Err(unknown(column + 1, printable(&row[column..column + 1])).at(line));
        }
        if row.len() != width as usize {
            let fault = match lines.rest_is_blank() && row.is_empty() {
                true => too_few(found),
                false => MapFault::RowLength { found: row.len(), declared: width },
            };
            return Err(fault.at(line));
        }
        rows.extend_from_slice(row);
    }
    Ok(rows)
}

/// Reads heights and letters of a corner map.
fn read_corners(lines: &mut Lines, (width, height): (u32, u32)) -> Result<Map, LineError<MapFault>> {
    if width.min(height) < 2 {
        return Err(MapFault::NoCells.at(lines.number));
    }
    let too_few = |before: u32| move |found| MapFault::TooFewCorners { found: before + found, declared: height };
    let unknown_height = |column, found| MapFault::UnknownHeight { column, found };
    let is_height = |height: &u8| corners::HEIGHTS.contains(height);
    let heights = read_rows(lines, (width, height), is_height, unknown_height, too_few(0))?;
    let unknown_letter = |column, found| MapFault::UnknownCornerLetter { column, found };
    let is_letter = |letter: &u8| corners::LETTERS.contains(letter);
    let letters = read_rows(lines, (width, height), is_letter, unknown_letter, too_few(height))?;
    let corners = Corners { width, heights, letters };
    let (shape, letters, heights) = (corners.shape(), corners.cells(), corners.heights());
    Ok(Map { shape, letters, heights, corners: Some(corners) })
}

/// Reads the type, then height and width in either order, then `map`.
fn read_header(lines: &mut Lines) -> Result<(Type, (u32, u32)), LineError<MapFault>> {
    let Some((line, first)) = lines.find(|(_, text)| !text.is_empty()) else { return Err(MapFault::Empty.at(1)) };
    let kind = match words(first).collect::<Vec<_>>()[..] {
        [b"type", b"octile"] => Type::Octile,
        [b"type", b"octile-corner"] => Type::Corner,
        [b"type", found] => return Err(MapFault::UnknownType(printable(found)).at(line)),
        [b"voxel", ..] => return Err(MapFault::Voxels.at(line)),
        _ => return Err(header(line, first, "`type octile` or `type octile-corner`")),
    };
    let (mut width, mut height) = (None, None);
    while width.is_none() || height.is_none() {
        let (line, text) = lines.next().unwrap_or((lines.number, END));
        let invalid = || header(line, text, "`height` and `width`, each with one number");
        let (side, value) = match words(text).collect::<Vec<_>>()[..] {
            [b"height", value] if height.is_none() => (&mut height, value),
            [b"width", value] if width.is_none() => (&mut width, value),
            _ => return Err(invalid()),
        };
        let found = number(value).ok_or_else(invalid)?;
        if !(1..=Shape::LONGEST_SIDE as u64).contains(&found) {
            return Err(MapFault::Side(found).at(line));
        }
        *side = Some(found as u32);
    }
    match lines.next().unwrap_or((lines.number, END)) {
        (_, b"map") => {}
        (line, text) => return Err(header(line, text, "`map`")),
    }
    Ok((kind, width.zip(height).expect("both were read")))
}

fn header(line: usize, text: &[u8], expected: &'static str) -> LineError<MapFault> {
    MapFault::Header { found: printable(text), expected }.at(line)
}

/// A part of a file, shortened for error messages.
pub(super) fn printable(text: &[u8]) -> String {
    const MAX_LENGTH: usize = 40;
    let mut found: String = String::from_utf8_lossy(&text[..text.len().min(MAX_LENGTH)]).escape_debug().collect();
    if text.len() > MAX_LENGTH {
        found.push('…');
    }
    found
}

/// The words of a line, separated by whitespace.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

pub(super) fn number<N: std::str::FromStr>(word: &[u8]) -> Option<N> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The lines of a file with their numbers, without whitespace and carriage returns at their ends.
pub(super) struct Lines<'a> {
    rest: Option<&'a [u8]>,
    /// The line that was read last.
    pub(super) number: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Lines<'a> {
        Lines { rest: Some(text), number: 0 }
    }

    fn rest_is_blank(&self) -> bool {
        self.rest.is_none_or(|rest| rest.trim_ascii().is_empty())
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|byte| *byte == b'\n');
        self.rest = end.map(|end| &rest[end + 1..]);
        self.number += 1;
        Some((self.number, rest[..end.unwrap_or(rest.len())].trim_ascii_end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: &str = "type octile\nheight 2\nwidth 3\nmap\n.GS\n@TW\n";

    fn error(text: &str) -> LineError<MapFault> {
        Map::parse(text.as_bytes()).expect_err("the map is invalid")
    }

    #[test]
    fn maps_are_read_with_any_line_ends_and_trailing_whitespace() {
        let plain = Map::parse(SMALL.as_bytes()).unwrap();
        assert_eq!((plain.shape(), plain.letters()), (Shape::new(3, 2), &b".GS@TW"[..]));
        for variant in [
            SMALL.replace('\n', "\r\n"),
            SMALL.replace('\n', " \t\n"),
            SMALL.trim_end().to_owned(),
            format!("{SMALL}\r\n  \n"),
            SMALL.replace("height 2\nwidth 3", "width 3\nheight 2"),
            SMALL.replace("type octile", "type\toctile"),
        ] {
            assert_eq!(Map::parse(variant.as_bytes()), Ok(plain.clone()), "{variant:?}");
        }
    }

    #[test]
    fn land_is_ground_and_swamp() {
        let map = Map::parse(b"type octile\nheight 1\nwidth 7\nmap\n.G@OTSW\n").unwrap();
        let free = map.grid(DiagonalRule::Strict).free().to_vec();
        assert_eq!(free, [true, true, false, false, false, true, false]);
        assert_eq!(TerrainRule::default().name(), "land");
    }

    #[test]
    fn other_files_are_errors() {
        assert_eq!(error(""), MapFault::Empty.at(1));
        assert_eq!(error(" \r\n\n"), MapFault::Empty.at(1));
        assert_eq!(error("voxel 4 4 4\n0 0 1\n"), MapFault::Voxels.at(1));
        assert_eq!(error(&SMALL.replace("octile", "hex")), MapFault::UnknownType("hex".into()).at(1));
        assert!(matches!(error("version 1\n"), LineError { line: 1, fault: MapFault::Header { .. } }));
    }

    #[test]
    fn header_errors_contain_the_line() {
        let faults = [
            (SMALL.replace("height 2\n", ""), 3),
            (SMALL.replace("height 2", "height"), 2),
            (SMALL.replace("height 2", "height -2"), 2),
            (SMALL.replace("height 2", "height 2 3"), 2),
            (SMALL.replace("width 3", "height 2"), 3),
            (SMALL.replace("map\n", ""), 4),
            ("type octile\nheight 2\n".to_owned(), 2),
            ("type octile\nheight 2\nwidth 3\n".to_owned(), 3),
        ];
        for (text, expected) in faults {
            assert!(
                matches!(error(&text), LineError { line, fault: MapFault::Header { .. } } if line == expected),
                "{text:?}"
            );
        }
        assert_eq!(error(&SMALL.replace("width 3", "width 0")), MapFault::Side(0).at(3));
        assert_eq!(error(&SMALL.replace("width 3", "width 8193")), MapFault::Side(8193).at(3));
    }

    #[test]
    fn size_errors_contain_the_line() {
        let with = |from, to| error(&SMALL.replace(from, to));
        assert_eq!(with("height 2", "height 3"), MapFault::TooFewRows { found: 2, declared: 3 }.at(6));
        assert_eq!(with("@TW\n", "\n\n"), MapFault::TooFewRows { found: 1, declared: 2 }.at(6));
        assert_eq!(with("height 2", "height 1"), MapFault::TooManyRows(1).at(6));
        assert_eq!(with("width 3", "width 4"), MapFault::RowLength { found: 3, declared: 4 }.at(5));
        assert_eq!(with("@TW", "@T"), MapFault::RowLength { found: 2, declared: 3 }.at(6));
    }

    #[test]
    fn errors_of_letters_contain_line_and_column() {
        assert_eq!(error(&SMALL.replace("@TW", "@xW")), MapFault::UnknownLetter { column: 2, found: "x".into() }.at(6));
        let not_ascii = MapFault::UnknownLetter { column: 1, found: "\u{fffd}".into() }.at(5);
        assert_eq!(error(&SMALL.replace(".GS", "ä")), not_ascii);
    }

    #[test]
    fn a_scaled_cell_takes_the_letter_under_its_centre() {
        let map = Map::new(Shape::new(3, 1), b".GS".to_vec());
        let letters = |width, height| map.scaled(Shape::new(width, height)).letters().to_vec();
        assert_eq!(letters(6, 1), b"..GGSS");
        assert_eq!(letters(1, 1), b"G");
        assert_eq!(letters(2, 2), b".S.S");
        assert_eq!(letters(5, 1), b"..GSS");
    }

    fn maps() -> impl Strategy<Value = Map> {
        (1u32..20, 1u32..20).prop_flat_map(|(width, height)| {
            let letters = proptest::collection::vec(proptest::sample::select(LETTERS), (width * height) as usize);
            letters.prop_map(move |letters| Map::new(Shape::new(width, height), letters))
        })
    }

    proptest! {
        #[test]
        fn writing_and_reading_are_inverse(map in maps()) {
            prop_assert_eq!(Map::parse(&map.text().expect("it has no cliffs")), Ok(map));
        }

        #[test]
        fn scaling_up_by_an_integer_and_down_again_changes_nothing(map in maps(), factor in 1u32..5) {
            let Shape { width, height, .. } = map.shape();
            let large = map.scaled(Shape::new(width * factor, height * factor));
            prop_assert_eq!(large.scaled(map.shape()), map);
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), header in 0..3usize) {
            let headers = ["", "type octile\nheight 3\nwidth 3\nmap\n", "type octile-corner\nheight 3\nwidth 3\nmap\n"];
            let mut text = headers[header].as_bytes().to_vec();
            text.extend(bytes);
            let _ = Map::parse(&text);
        }
    }
}
