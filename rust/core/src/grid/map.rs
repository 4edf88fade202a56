//! MovingAI's `.map` files: reading, writing and scaling rectangles of letters.
//!
//! A [`TerrainRule`] determines the free letters and a [`DiagonalRule`] the legal diagonal moves. With both, a map
//! becomes a [`Grid`].

use super::{DiagonalRule, Grid, Shape};
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

/// Reasons why a file is not a valid map. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum MapError {
    /// Only whitespace.
    #[error("line 1: the file is empty, but a map starts with `type octile`; download it again")]
    Empty,
    /// A file of MovingAI's three-dimensional collections.
    #[error("line {line}: this is a three-dimensional voxel map; permove supports flat maps of `type octile`")]
    Voxels { line: usize },
    /// Heights at the corners of cells.
    #[error(
        "line {line}: this is an `octile-corner` map, with terrain and heights at the corners of cells; permove \
         supports `type octile`, with one letter for each cell"
    )]
    OctileCorner { line: usize },
    /// A type of map that permove does not know.
    #[error("line {line}: unknown map type `{found}`; permove supports `type octile`")]
    UnknownType { line: usize, found: String },
    /// An invalid header.
    #[error("line {line}: found `{found}`, but the header needs {expected}; correct it or download the file again")]
    Header { line: usize, found: String, expected: &'static str },
    /// A side outside the range of [`Shape`].
    #[error("line {line}: the map has {found} cells along one side; 1 to {} are supported", Shape::LONGEST_SIDE)]
    Side { line: usize, found: u64 },
    /// A row of the wrong length.
    #[error(
        "line {line}: the row has {found} letters, the header declares {declared}; correct the width or download the \
         file again"
    )]
    RowLength { line: usize, found: usize, declared: u32 },
    /// Rows are missing.
    #[error(
        "line {line}: the map ends after {found} rows, the header declares {declared}; correct the height or download \
         the file again"
    )]
    TooFewRows { line: usize, found: u32, declared: u32 },
    /// Something follows the last row.
    #[error(
        "line {line}: more lines follow the {declared} rows that the header declares; correct the height or download \
         the file again"
    )]
    TooManyRows { line: usize, declared: u32 },
    /// An unknown letter.
    #[error(
        "line {line}, column {column}: unknown terrain `{found}`; use . G S for free cells and @ O T W for obstacles"
    )]
    UnknownLetter { line: usize, column: usize, found: String },
}

impl MapError {
    /// The line of the error.
    pub fn line(&self) -> usize {
        match *self {
            MapError::Empty => 1,
            MapError::Voxels { line }
            | MapError::OctileCorner { line }
            | MapError::UnknownType { line, .. }
            | MapError::Header { line, .. }
            | MapError::Side { line, .. }
            | MapError::RowLength { line, .. }
            | MapError::TooFewRows { line, .. }
            | MapError::TooManyRows { line, .. }
            | MapError::UnknownLetter { line, .. } => line,
        }
    }
}

/// A map file: a rectangle of letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    shape: Shape,
    letters: Vec<u8>,
}

impl Map {
    /// Creates a map from its letters, row by row.
    ///
    /// # Panics
    /// If there is not one letter for every cell.
    pub fn new(shape: Shape, letters: Vec<u8>) -> Map {
        assert_eq!(letters.len(), shape.cells(), "one letter for every cell");
        Map { shape, letters }
    }

    /// Reads a file.
    pub fn parse(text: &[u8]) -> Result<Map, MapError> {
        let mut lines = Lines::new(text);
        let shape = read_header(&mut lines)?;
        let mut letters = Vec::with_capacity(shape.cells().min(text.len()));
        for found in 0..shape.height {
            let Some((line, row)) = lines.next() else {
                return Err(MapError::TooFewRows { line: lines.number, found, declared: shape.height });
            };
            if let Some(column) = row.iter().position(|letter| !LETTERS.contains(letter)) {
                let found = printable(&row[column..column + 1]);
                return Err(MapError::UnknownLetter { line, column: column + 1, found });
            }
            if row.len() != shape.width as usize {
                return Err(match lines.rest_is_blank() && row.is_empty() {
                    true => MapError::TooFewRows { line, found, declared: shape.height },
                    false => MapError::RowLength { line, found: row.len(), declared: shape.width },
                });
            }
            letters.extend_from_slice(row);
        }
        match lines.find(|(_, row)| !row.is_empty()) {
            Some((line, _)) => Err(MapError::TooManyRows { line, declared: shape.height }),
            None => Ok(Map { shape, letters }),
        }
    }

    /// The map as the text of a file for [`Map::parse`] and HOG2.
    pub fn text(&self) -> Vec<u8> {
        let Shape { width, height, .. } = self.shape;
        let mut text = format!("type octile\nheight {height}\nwidth {width}\nmap\n").into_bytes();
        text.reserve(self.letters.len() + height as usize);
        for row in self.letters.chunks(width as usize) {
            text.extend_from_slice(row);
            text.push(b'\n');
        }
        text
    }

    /// Its size.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Its letters, row by row.
    pub fn letters(&self) -> &[u8] {
        &self.letters
    }

    /// The map at another size. Each cell gets the letter under its centre.
    pub fn scaled(&self, shape: Shape) -> Map {
        let under = |i: u32, from: u32, to: u32| ((2 * i + 1) * from / (2 * to)) as usize;
        let columns: Vec<usize> = (0..shape.width).map(|x| under(x, self.shape.width, shape.width)).collect();
        let mut letters = Vec::with_capacity(shape.cells());
        for y in 0..shape.height {
            let start = under(y, self.shape.height, shape.height) * self.shape.width as usize;
            letters.extend(columns.iter().map(|x| self.letters[start + x]));
        }
        Map { shape, letters }
    }

    /// The map as a search space under the default terrain rule.
    pub fn grid(&self, diagonal: DiagonalRule) -> Grid {
        self.grid_under(TerrainRule::default(), diagonal)
    }

    /// The map as a search space.
    pub fn grid_under(&self, terrain: TerrainRule, diagonal: DiagonalRule) -> Grid {
        Grid::new(self.shape, diagonal, self.letters.iter().map(|letter| terrain.is_free(*letter)).collect())
    }
}

/// Reads `type octile`, then height and width in either order, then `map`.
fn read_header(lines: &mut Lines) -> Result<Shape, MapError> {
    let Some((line, first)) = lines.find(|(_, text)| !text.is_empty()) else { return Err(MapError::Empty) };
    let mut words = words(first);
    match (words.next(), words.next(), words.next()) {
        (Some(b"type"), Some(b"octile"), None) => {}
        (Some(b"type"), Some(b"octile-corner"), None) => return Err(MapError::OctileCorner { line }),
        (Some(b"type"), Some(found), None) => return Err(MapError::UnknownType { line, found: printable(found) }),
        (Some(b"voxel"), _, _) => return Err(MapError::Voxels { line }),
        _ => return Err(MapError::Header { line, found: printable(first), expected: "`type octile`" }),
    }
    let (mut width, mut height) = (None, None);
    while width.is_none() || height.is_none() {
        let (line, text) = lines.next().unwrap_or((lines.number, b"the end of the file"));
        let mut words = self::words(text);
        let name = words.next();
        let side = match name {
            Some(b"height") if height.is_none() => &mut height,
            Some(b"width") if width.is_none() => &mut width,
            _ if height.is_some() => return Err(header(line, text, "`width` and a number")),
            _ if width.is_some() => return Err(header(line, text, "`height` and a number")),
            _ => return Err(header(line, text, "`height` or `width` and a number")),
        };
        let found = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse::<u64>().ok());
        match (found, words.next()) {
            (Some(found), None) if (1..=Shape::LONGEST_SIDE as u64).contains(&found) => *side = Some(found as u32),
            (Some(found), None) => return Err(MapError::Side { line, found }),
            _ => return Err(header(line, text, "`height` or `width` and one number")),
        }
    }
    match lines.next() {
        Some((_, b"map")) => {}
        Some((line, text)) => return Err(header(line, text, "`map`")),
        None => return Err(header(lines.number, b"the end of the file", "`map`")),
    }
    let (width, height) = width.zip(height).expect("both were read");
    Ok(Shape::new(width, height))
}

fn header(line: usize, text: &[u8], expected: &'static str) -> MapError {
    MapError::Header { line, found: printable(text), expected }
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

    fn error(text: &str) -> MapError {
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
        assert_eq!(error(""), MapError::Empty);
        assert_eq!(error(" \r\n\n"), MapError::Empty);
        assert_eq!(error("voxel 4 4 4\n0 0 1\n"), MapError::Voxels { line: 1 });
        assert_eq!(error(&SMALL.replace("octile", "octile-corner")), MapError::OctileCorner { line: 1 });
        assert_eq!(error(&SMALL.replace("octile", "hex")), MapError::UnknownType { line: 1, found: "hex".into() });
        assert!(matches!(error("version 1\n"), MapError::Header { line: 1, .. }));
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
            assert!(matches!(error(&text), MapError::Header { line, .. } if line == expected), "{text:?}");
        }
        assert_eq!(error(&SMALL.replace("width 3", "width 0")), MapError::Side { line: 3, found: 0 });
        assert_eq!(error(&SMALL.replace("width 3", "width 8193")), MapError::Side { line: 3, found: 8193 });
    }

    #[test]
    fn size_errors_contain_the_line() {
        let with = |from, to| error(&SMALL.replace(from, to));
        assert_eq!(with("height 2", "height 3"), MapError::TooFewRows { line: 6, found: 2, declared: 3 });
        assert_eq!(with("@TW\n", "\n\n"), MapError::TooFewRows { line: 6, found: 1, declared: 2 });
        assert_eq!(with("height 2", "height 1"), MapError::TooManyRows { line: 6, declared: 1 });
        assert_eq!(with("width 3", "width 4"), MapError::RowLength { line: 5, found: 3, declared: 4 });
        assert_eq!(with("@TW", "@T"), MapError::RowLength { line: 6, found: 2, declared: 3 });
    }

    #[test]
    fn errors_of_letters_contain_line_and_column() {
        assert_eq!(
            error(&SMALL.replace("@TW", "@xW")),
            MapError::UnknownLetter { line: 6, column: 2, found: "x".into() }
        );
        assert_eq!(
            error(&SMALL.replace(".GS", "ä")),
            MapError::UnknownLetter { line: 5, column: 1, found: "\u{fffd}".into() }
        );
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
            prop_assert_eq!(Map::parse(&map.text()), Ok(map));
        }

        #[test]
        fn scaling_up_by_an_integer_and_down_again_changes_nothing(map in maps(), factor in 1u32..5) {
            let Shape { width, height, .. } = map.shape();
            let large = map.scaled(Shape::new(width * factor, height * factor));
            prop_assert_eq!(large.scaled(map.shape()), map);
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), header: bool) {
            let mut text = if header { b"type octile\nheight 3\nwidth 3\nmap\n".to_vec() } else { Vec::new() };
            text.extend(bytes);
            let _ = Map::parse(&text);
        }
    }
}
