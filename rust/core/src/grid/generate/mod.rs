//! Maps of our own, the same for the same seed on every machine.
//!
//! A kind of map is one file here and one line in [`KINDS`]: its name, its options with their ranges, and the
//! function that draws it. [`canvas`] is what they draw on, [`noise`] gives them hills, [`join`] makes one piece of
//! what they have drawn. All arithmetic is on integers or is the basic arithmetic of IEEE 754, which has one result.

mod canvas;
mod caves;
mod join;
mod maze;
mod noise;
mod outdoor;
mod random;
mod rooms;

use super::components::Components;
use super::{DiagonalRule, Map, Shape};
use crate::rng::{Stream, stream};
use canvas::Canvas;
use std::ops::RangeInclusive;

/// Every kind of map.
pub const KINDS: [&Kind; 5] = [&outdoor::KIND, &rooms::KIND, &caves::KIND, &maze::KIND, &random::KIND];

/// How long either side of a generated map may be.
pub const SIDES: RangeInclusive<u32> = 8..=1024;

/// A kind of map: what it is called, what can be set, and how it is drawn.
#[derive(Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What it looks like, in one sentence.
    pub about: &'static str,
    /// What can be set.
    pub options: &'static [Setting],
    draw: fn(Shape, &Settings, &mut Stream) -> Canvas,
}

/// A number that shapes a kind of map.
#[derive(Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// What it is where nothing is said.
    pub default: f64,
    /// The smallest it may be.
    pub least: f64,
    /// The largest it may be.
    pub most: f64,
    /// Whether it counts something, so that fractions make no sense.
    pub whole: bool,
    /// What it does.
    pub about: &'static str,
}

/// Why a map cannot be made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GenerateError {
    /// No kind has that name.
    #[error("there is no kind of map `{name}`; choose one of {}", names(KINDS.iter().map(|kind| kind.name)))]
    UnknownKind {
        /// The name that was asked for.
        name: String,
    },
    /// The kind has no such option.
    #[error("maps of kind `{}` have no option `{name}`; choose from {}", kind.name, names(kind.options.iter().map(|option| option.name)))]
    UnknownOption {
        /// The kind that was asked for.
        kind: &'static Kind,
        /// The name of the option.
        name: String,
    },
    /// The value is not one that the option takes.
    #[error("option `{}` of `{}` takes {} from {} to {}, not {value}", option.name, kind.name,
        if option.whole { "a whole number" } else { "a number" }, option.least, option.most)]
    OutOfRange {
        /// The kind that was asked for.
        kind: &'static Kind,
        /// The option.
        option: &'static Setting,
        /// The value that it was given.
        value: f64,
    },
    /// The map would be too small or too large.
    #[error("maps are made from {0} × {0} to {1} × {1} cells, not {width} × {height}", SIDES.start(), SIDES.end())]
    Size {
        /// The width that was asked for.
        width: u64,
        /// The height that was asked for.
        height: u64,
    },
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Makes the map of `kind` and this size that belongs to `seed`; options that are not given have their defaults.
pub fn generate<'a>(
    kind: &str,
    width: u64,
    height: u64,
    seed: u64,
    options: impl IntoIterator<Item = (&'a str, f64)>,
) -> Result<Map, GenerateError> {
    let kind: &Kind = KINDS
        .into_iter()
        .find(|candidate| candidate.name == kind)
        .ok_or_else(|| GenerateError::UnknownKind { name: kind.to_owned() })?;
    let mut settings = Settings { kind, values: kind.options.iter().map(|option| option.default).collect() };
    for (name, value) in options {
        settings.set(name, value)?;
    }
    let side = |side: u64| u32::try_from(side).ok().filter(|side| SIDES.contains(side));
    let (Some(width), Some(height)) = (side(width), side(height)) else {
        return Err(GenerateError::Size { width, height });
    };
    let mut random = stream(seed, &[kind.name.as_bytes(), &width.to_le_bytes(), &height.to_le_bytes()]);
    let mut draw = || (kind.draw)(Shape::new(width, height), &settings, &mut random).into_map();
    let mut map = draw();
    for _ in 1..DRAWS {
        if share_of_largest(&map) >= GOOD_PART {
            break;
        }
        map = draw();
    }
    Ok(map)
}

/// The share of its cells that the largest component of a map has where the options leave room for it.
const GOOD_PART: f64 = 0.15;

/// How often a map is drawn anew for that: small ones now and then come out as little more than rock.
const DRAWS: u32 = 50;

/// The share of a map's cells that lie in its largest component.
fn share_of_largest(map: &Map) -> f64 {
    let components = Components::new(&map.grid(DiagonalRule::Strict));
    let largest = components.largest().map_or(0, |largest| components.sizes[largest as usize]);
    largest as f64 / map.letters().len() as f64
}

/// The values of a kind's options.
struct Settings {
    kind: &'static Kind,
    values: Vec<f64>,
}

impl Settings {
    fn set(&mut self, name: &str, value: f64) -> Result<(), GenerateError> {
        let kind = self.kind;
        let at = kind
            .options
            .iter()
            .position(|option| option.name == name)
            .ok_or_else(|| GenerateError::UnknownOption { kind, name: name.to_owned() })?;
        let option = &kind.options[at];
        if !(option.least..=option.most).contains(&value) || (option.whole && value.fract() != 0.0) {
            return Err(GenerateError::OutOfRange { kind, option, value });
        }
        self.values[at] = value;
        Ok(())
    }

    /// The value of an option that the kind has.
    fn number(&self, name: &str) -> f64 {
        let at = self.kind.options.iter().position(|option| option.name == name);
        self.values[at.expect("a kind reads its own options")]
    }

    /// The value of an option that counts something.
    fn whole(&self, name: &str) -> u32 {
        self.number(name) as u32
    }
}

/// An option that measures something.
const fn measure(name: &'static str, default: f64, range: (f64, f64), about: &'static str) -> Setting {
    Setting { name, default, least: range.0, most: range.1, whole: false, about }
}

/// An option that counts something.
const fn count(name: &'static str, default: u32, range: (u32, u32), about: &'static str) -> Setting {
    Setting { name, default: default as f64, least: range.0 as f64, most: range.1 as f64, whole: true, about }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Options drawn from their ranges.
    fn options(kind: &Kind, places: &[f64]) -> Vec<(&'static str, f64)> {
        let value = |option: &Setting, place: f64| {
            let value = option.least + (option.most - option.least) * place;
            if option.whole { value.round() } else { value }
        };
        kind.options.iter().zip(places).map(|(option, place)| (option.name, value(option, *place))).collect()
    }

    proptest! {
        #[test]
        fn every_size_and_option_gives_a_map_and_always_the_same(
            kind in 0..KINDS.len(), width in 8u64..80, height in 8u64..80, seed: u64,
            places in proptest::collection::vec(0.0..=1.0f64, 6)
        ) {
            let kind = KINDS[kind];
            let options = options(kind, &places);
            let map = generate(kind.name, width, height, seed, options.clone()).unwrap();
            prop_assert_eq!(map.shape(), Shape::new(width as u32, height as u32));
            prop_assert!(map.letters().iter().all(|letter| b".@TWS".contains(letter)));
            prop_assert_eq!(map, generate(kind.name, width, height, seed, options).unwrap());
        }

        #[test]
        fn a_good_part_of_every_map_hangs_together(
            kind in 0..KINDS.len(), width in 8u64..128, height in 8u64..128, seed: u64
        ) {
            let map = generate(KINDS[kind].name, width, height, seed, []).unwrap();
            prop_assert!(share_of_largest(&map) >= GOOD_PART, "{} of {}", share_of_largest(&map), KINDS[kind].name);
        }

        #[test]
        fn maps_that_are_joined_are_one_piece(
            kind in 0..4usize, width in 8u64..128, height in 8u64..128, seed: u64,
            places in proptest::collection::vec(0.0..=1.0f64, 6)
        ) {
            let map = generate(KINDS[kind].name, width, height, seed, options(KINDS[kind], &places)).unwrap();
            prop_assert_eq!(Components::new(&map.grid(DiagonalRule::Strict)).sizes.len(), 1);
        }
    }

    #[test]
    fn the_largest_maps_can_be_made() {
        for kind in KINDS {
            let map = generate(kind.name, 1024, 1024, 1, []).unwrap();
            assert!(share_of_largest(&map) > 0.2, "{} of {}", share_of_largest(&map), kind.name);
        }
    }

    #[test]
    fn another_seed_or_size_is_another_map() {
        for kind in KINDS {
            let map = |width, seed| generate(kind.name, width, 40, seed, []).unwrap();
            assert_ne!(map(40, 1), map(40, 2), "{}", kind.name);
            let middle_row =
                |map: Map| map.letters().chunks(map.shape().width as usize).nth(20).unwrap()[..40].to_vec();
            assert_ne!(middle_row(map(41, 1)), middle_row(map(40, 1)), "{}", kind.name);
        }
    }

    /// Maps that stand in files and in reports must not change: a change here changes the embedded suite.
    #[test]
    fn maps_are_what_they_always_were() {
        let expected = [
            ("outdoor", 0xabc9c12c8504d0ed),
            ("rooms", 0xed46bcd10c114f30),
            ("caves", 0x74a6251abf8ef5f2),
            ("maze", 0x320ef2c7f3cf1bb5),
            ("random", 0x20fa4feec457a38c),
        ];
        let found = KINDS.map(|kind| {
            let map = generate(kind.name, 96, 64, 1, []).unwrap();
            (kind.name, xxhash_rust::xxh3::xxh3_64(map.letters()))
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn defaults_lie_within_their_ranges() {
        for option in KINDS.iter().flat_map(|kind| kind.options) {
            assert!((option.least..=option.most).contains(&option.default), "{}", option.name);
            assert!(
                !option.whole || [option.default, option.least, option.most].iter().all(|value| value.fract() == 0.0)
            );
        }
    }

    #[test]
    fn what_cannot_be_made_is_told() {
        let sentence = |kind, width, options: &[(&'static str, f64)]| {
            generate(kind, width, 20, 1, options.iter().copied()).unwrap_err().to_string()
        };
        assert_eq!(
            sentence("mace", 20, &[]),
            "there is no kind of map `mace`; choose one of `outdoor`, `rooms`, `caves`, `maze`, `random`"
        );
        assert_eq!(
            sentence("random", 20, &[("dense", 0.1)]),
            "maps of kind `random` have no option `dense`; choose from `density`"
        );
        assert_eq!(
            sentence("random", 20, &[("density", 0.5)]),
            "option `density` of `random` takes a number from 0 to 0.4, not 0.5"
        );
        assert_eq!(
            sentence("maze", 20, &[("corridor", 1.5)]),
            "option `corridor` of `maze` takes a whole number from 1 to 32, not 1.5"
        );
        assert!(sentence("maze", 20, &[("corridor", f64::NAN)]).ends_with("not NaN"));
        assert_eq!(sentence("maze", 7, &[]), "maps are made from 8 × 8 to 1024 × 1024 cells, not 7 × 20");
        assert_eq!(sentence("maze", 1025, &[]), "maps are made from 8 × 8 to 1024 × 1024 cells, not 1025 × 20");
    }
}
