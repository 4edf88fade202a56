//! MovingAI's `.scen` files, which list one problem per line, each with its map.

use super::Shape;
use super::map::{LineError, Lines, number, printable, words};
use thiserror::Error;

/// One line of a scenario file.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The bucket of problems with similar optimal lengths.
    pub bucket: u32,
    /// The path of the map, as in the file.
    pub map: String,
    /// The size to which the map is scaled.
    pub shape: Shape,
    /// Column and row of the start.
    pub start: (u32, u32),
    /// Column and row of the goal.
    pub goal: (u32, u32),
    /// The optimal length according to the file.
    pub length: f64,
    /// The number of its line, from 1.
    pub line: usize,
}

/// Reasons why a file is not a valid list of scenarios.
#[derive(Clone, Debug, PartialEq, Error)]
#[allow(missing_docs)]
pub enum ScenarioFault {
    #[error("the file is empty, but scenarios start with `version 1`; download it again")]
    Empty,
    #[error("found `{0}` instead of `version 1`, the only supported version; correct it or download the file again")]
    Version(String),
    #[error("these are scenarios of the voxel map `{0}`; permove supports flat maps of `type octile`")]
    Voxels(String),
    #[error(
        "found {0} fields instead of nine: bucket, map (without spaces), width, height, start x, start y, goal x, \
         goal y, length; correct the line or download the file again"
    )]
    Fields(usize),
    #[error("{field} is `{found}` instead of {expected}; correct the line or download the file again")]
    Number { field: &'static str, found: String, expected: &'static str },
    #[error("the {place} ({x}, {y}) is outside the map of {width} × {height} cells; correct the line")]
    Outside { place: &'static str, x: u32, y: u32, width: u32, height: u32 },
    #[error("a scenario file cannot contain the map name `{0}`; rename the map, without spaces")]
    MapName(String),
}

impl ScenarioFault {
    fn at(self, line: usize) -> LineError<ScenarioFault> {
        LineError { line, fault: self }
    }
}

/// Reads a file.
pub fn parse(text: &[u8]) -> Result<Vec<Scenario>, LineError<ScenarioFault>> {
    let mut lines = Lines::new(text).filter(|(_, text)| !text.is_empty());
    let Some((line, first)) = lines.next() else { return Err(ScenarioFault::Empty.at(1)) };
    let version: Vec<&[u8]> = words(first).collect();
    if !matches!(version[..], [b"version", b"1" | b"1.0"]) {
        return Err(ScenarioFault::Version(printable(first)).at(line));
    }
    lines.map(|(line, text)| parse_line(line, text)).collect()
}

fn parse_line(line: usize, text: &[u8]) -> Result<Scenario, LineError<ScenarioFault>> {
    let fields: Vec<&[u8]> = words(text).collect();
    let [bucket, map, width, height, start_x, start_y, goal_x, goal_y, length] = fields[..] else {
        let fault = match fields[..] {
            [map] if map.ends_with(b".3dmap") => ScenarioFault::Voxels(printable(map)),
            _ => ScenarioFault::Fields(fields.len()),
        };
        return Err(fault.at(line));
    };
    let fault =
        |field, found: &[u8], expected| ScenarioFault::Number { field, found: printable(found), expected }.at(line);
    let integer = |field, found: &[u8]| number(found).ok_or_else(|| fault(field, found, "an integer of at least 0"));
    let side = |field, found: &[u8]| match number(found) {
        Some(side) if (1..=Shape::LONGEST_SIDE).contains(&side) => Ok(side),
        _ => Err(fault(field, found, "an integer from 1 to 8192")),
    };
    let shape = Shape::new(side("the map's width", width)?, side("the map's height", height)?);
    let within = |place, x: u32, y: u32| match x < shape.width && y < shape.height {
        true => Ok((x, y)),
        false => Err(ScenarioFault::Outside { place, x, y, width: shape.width, height: shape.height }.at(line)),
    };
    Ok(Scenario {
        bucket: integer("the bucket", bucket)?,
        map: std::str::from_utf8(map).map_err(|_| fault("the map", map, "a name in UTF-8"))?.to_owned(),
        shape,
        start: within("start", integer("the start's x", start_x)?, integer("the start's y", start_y)?)?,
        goal: within("goal", integer("the goal's x", goal_x)?, integer("the goal's y", goal_y)?)?,
        length: number::<f64>(length)
            .filter(|length| length.is_finite() && *length >= 0.0)
            .ok_or_else(|| fault("the length", length, "a number of at least 0"))?,
        line,
    })
}

/// The scenarios as the text of a file for [`parse`] and HOG2. Their line numbers are ignored.
pub fn text(scenarios: &[Scenario]) -> Result<Vec<u8>, LineError<ScenarioFault>> {
    let mut text = String::from("version 1\n");
    for (i, scenario) in scenarios.iter().enumerate() {
        let Scenario { bucket, map, shape: Shape { width, height, .. }, start, goal, length, .. } = scenario;
        if map.is_empty() || map.contains(|letter: char| letter.is_ascii_whitespace()) {
            return Err(ScenarioFault::MapName(map.clone()).at(i + 2));
        }
        let ((start_x, start_y), (goal_x, goal_y)) = (start, goal);
        let fields =
            format!("{bucket}\t{map}\t{width}\t{height}\t{start_x}\t{start_y}\t{goal_x}\t{goal_y}\t{length}\n");
        text.push_str(&fields);
    }
    Ok(text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: &str = "version 1\n3\tmaps/dao/a.map\t8\t9\t1\t2\t7\t8\t12.41421\n0\tb.map\t8\t9\t1\t2\t1\t2\t0\n";

    fn error(text: &str) -> LineError<ScenarioFault> {
        parse(text.as_bytes()).expect_err("the file is invalid")
    }

    #[test]
    fn scenarios_are_read_in_every_variant() {
        let plain = parse(SMALL.as_bytes()).unwrap();
        let first = Scenario {
            bucket: 3,
            map: "maps/dao/a.map".into(),
            shape: Shape::new(8, 9),
            start: (1, 2),
            goal: (7, 8),
            length: 12.41421,
            line: 2,
        };
        assert_eq!((plain.len(), &plain[0], plain[1].line), (2, &first, 3));
        for variant in [
            SMALL.replace("version 1", "version 1.0"),
            SMALL.replace('\t', " "),
            SMALL.replace('\t', " \t "),
            SMALL.replace('\n', "\r\n"),
            SMALL.trim_end().to_owned(),
            format!("{SMALL}\n \r\n"),
        ] {
            assert_eq!(parse(variant.as_bytes()), Ok(plain.clone()), "{variant:?}");
        }
        assert_eq!(parse(SMALL.replacen('\n', "\n\n", 1).as_bytes()).unwrap()[0].line, 3, "blank lines count");
        assert_eq!(parse(b"version 1\n"), Ok(vec![]));
    }

    #[test]
    fn errors_contain_the_line() {
        assert_eq!(error("\n"), ScenarioFault::Empty.at(1));
        assert_eq!(error(&SMALL.replace("version 1", "version 2")), ScenarioFault::Version("version 2".into()).at(1));
        assert_eq!(error("type octile\n"), ScenarioFault::Version("type octile".into()).at(1));
        assert_eq!(
            error("version 1\nSimple.3dmap\n1 2 3 4 5 6 7.5 1.0\n"),
            ScenarioFault::Voxels("Simple.3dmap".into()).at(2)
        );
        assert_eq!(error(&SMALL.replace("\t0\n", "\n")), ScenarioFault::Fields(8).at(3));
        assert_eq!(error(&SMALL.replace("b.map", "b b.map")), ScenarioFault::Fields(10).at(3));
    }

    #[test]
    fn errors_of_fields_contain_line_and_name() {
        for (from, to, named) in [
            ("12.41421", "nan", "the length"),
            ("12.41421", "-1", "the length"),
            ("3\tmaps", "-3\tmaps", "the bucket"),
            ("\t9\t1\t2\t7", "\t8193\t1\t2\t7", "the map's height"),
            ("\t8\t9\t1\t2\t7", "\t0\t9\t1\t2\t7", "the map's width"),
            ("\t1\t2\t7", "\t1.5\t2\t7", "the start's x"),
        ] {
            let fault = error(&SMALL.replace(from, to));
            assert!(matches!(&fault.fault, ScenarioFault::Number { field, .. } if *field == named), "{fault}");
            assert_eq!(fault.line, 2);
        }
        let outside = error(&SMALL.replace("\t7\t8\t12", "\t7\t9\t12"));
        assert_eq!(outside, ScenarioFault::Outside { place: "goal", x: 7, y: 9, width: 8, height: 9 }.at(2));
    }

    #[test]
    fn map_names_that_cannot_be_read_again_are_errors() {
        let mut scenarios = parse(SMALL.as_bytes()).unwrap();
        scenarios[1].map = "two words.map".into();
        assert_eq!(text(&scenarios), Err(ScenarioFault::MapName("two words.map".into()).at(3)));
    }

    fn scenarios() -> impl Strategy<Value = Scenario> {
        let cell = (0u32..8, 0u32..8);
        (any::<u32>(), "[a-zA-Z0-9_/äß.-]{1,12}", cell.clone(), cell, 8u32..=8192, 8u32..=8192, 0.0..1e9f64).prop_map(
            |(bucket, map, start, goal, width, height, length)| Scenario {
                bucket,
                map,
                shape: Shape::new(width, height),
                start,
                goal,
                length,
                line: 0,
            },
        )
    }

    proptest! {
        #[test]
        fn writing_and_reading_are_inverse(mut list in proptest::collection::vec(scenarios(), 0..10)) {
            for (i, scenario) in list.iter_mut().enumerate() {
                scenario.line = i + 2;
            }
            prop_assert_eq!(parse(&text(&list).unwrap()), Ok(list));
        }

        #[test]
        fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let mut text = b"version 1\n".to_vec();
            text.extend(bytes);
            let _ = parse(&text);
        }
    }
}
