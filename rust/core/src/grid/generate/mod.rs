//! Generated maps, which are the same for the same seed on every machine.
//!
//! A kind of map is one file here and one line in [`KINDS`]: a name, options with ranges, and the function that draws
//! it. The functions draw on a [`canvas`], get hills from [`noise`] and connect regions with [`join`]. All arithmetic
//! is on integers or basic arithmetic of IEEE 754, which has one result.

mod canvas;
mod caves;
mod join;
mod maze;
mod noise;
mod outdoor;
mod random;
mod rooms;
mod search;

use super::components::Components;
use super::{DiagonalRule, Map, Shape};
use crate::rng::{Stream, stream};
use canvas::Canvas;
use std::ops::RangeInclusive;

/// All kinds of maps.
pub const KINDS: [&Kind; 5] = [&outdoor::KIND, &rooms::KIND, &caves::KIND, &maze::KIND, &random::KIND];

/// The range of the sides of generated maps.
pub const SIDES: RangeInclusive<u32> = 8..=1024;

/// A kind of map: its name, its options and the function that draws it.
#[derive(Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// A description in one sentence.
    pub about: &'static str,
    /// The options.
    pub options: &'static [Setting],
    draw: fn(Shape, &Settings, &mut Stream) -> Canvas,
}

/// A numeric option of a kind of map.
#[derive(Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// The default value.
    pub default: f64,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// Whether it is an integer.
    pub integer: bool,
    /// A description.
    pub about: &'static str,
}

/// Reasons why a map cannot be generated.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum GenerateError {
    #[error("unknown kind of map `{0}`; choose one of {names}", names = names(KINDS.iter().map(|kind| kind.name)))]
    UnknownKind(String),
    #[error("maps of kind `{}` have no option `{name}`; choose from {}", kind.name,
        names(kind.options.iter().map(|option| option.name)))]
    UnknownOption { kind: &'static Kind, name: String },
    #[error("option `{}` of `{}` must be {} from {} to {}, not {value}", option.name, kind.name,
        if option.integer { "an integer" } else { "a number" }, option.min, option.max)]
    OutOfRange { kind: &'static Kind, option: &'static Setting, value: f64 },
    #[error("maps must have from {0} × {0} to {1} × {1} cells, not {width} × {height}", SIDES.start(), SIDES.end())]
    Size { width: u64, height: u64 },
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Generates the map of `kind` with this size and seed. Options that are not given have their defaults.
pub fn generate<'a>(
    kind: &str,
    width: u64,
    height: u64,
    seed: u64,
    options: impl IntoIterator<Item = (&'a str, f64)>,
) -> Result<Map, GenerateError> {
    let known = KINDS.into_iter().find(|known| known.name == kind);
    let kind = known.ok_or_else(|| GenerateError::UnknownKind(kind.to_owned()))?;
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
    for _ in 1..MAX_DRAWS {
        if share_of_largest(&map) >= MIN_SHARE {
            break;
        }
        map = draw();
    }
    Ok(map)
}

/// The minimal share of a map's cells in its largest component, unless the options prevent it.
const MIN_SHARE: f64 = 0.15;

/// How often a map is redrawn to reach that share, since small maps sometimes consist mostly of rock.
const MAX_DRAWS: u32 = 50;

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
        let at = kind.options.iter().position(|option| option.name == name);
        let at = at.ok_or_else(|| GenerateError::UnknownOption { kind, name: name.to_owned() })?;
        let option = &kind.options[at];
        if !(option.min..=option.max).contains(&value) || (option.integer && value.fract() != 0.0) {
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

    /// The value of an integer option.
    fn integer(&self, name: &str) -> u32 {
        self.number(name) as u32
    }
}

/// Creates a real-valued option.
const fn measure(name: &'static str, default: f64, range: (f64, f64), about: &'static str) -> Setting {
    Setting { name, default, min: range.0, max: range.1, integer: false, about }
}

/// Creates an integer option.
const fn count(name: &'static str, default: u32, range: (u32, u32), about: &'static str) -> Setting {
    Setting { name, default: default as f64, min: range.0 as f64, max: range.1 as f64, integer: true, about }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Options drawn from their ranges.
    fn options(kind: &Kind, places: &[f64]) -> Vec<(&'static str, f64)> {
        let value = |option: &Setting, place: f64| {
            let value = option.min + (option.max - option.min) * place;
            if option.integer { value.round() } else { value }
        };
        kind.options.iter().zip(places).map(|(option, place)| (option.name, value(option, *place))).collect()
    }

    proptest! {
        #[test]
        fn all_sizes_and_options_generate_maps_reproducibly(
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
        fn the_largest_component_has_the_minimal_share(
            kind in 0..KINDS.len(), width in 8u64..128, height in 8u64..128, seed: u64
        ) {
            let map = generate(KINDS[kind].name, width, height, seed, []).unwrap();
            prop_assert!(share_of_largest(&map) >= MIN_SHARE, "{} of {}", share_of_largest(&map), KINDS[kind].name);
        }

        #[test]
        fn joined_maps_have_one_component(
            kind in 0..4usize, width in 8u64..128, height in 8u64..128, seed: u64,
            places in proptest::collection::vec(0.0..=1.0f64, 6)
        ) {
            let map = generate(KINDS[kind].name, width, height, seed, options(KINDS[kind], &places)).unwrap();
            prop_assert_eq!(Components::new(&map.grid(DiagonalRule::Strict)).sizes.len(), 1);
        }
    }

    #[test]
    fn the_largest_maps_are_generated() {
        for kind in KINDS {
            let map = generate(kind.name, 1024, 1024, 1, []).unwrap();
            assert!(share_of_largest(&map) > 0.2, "{} of {}", share_of_largest(&map), kind.name);
        }
    }

    #[test]
    fn maps_depend_on_seed_and_size() {
        for kind in KINDS {
            let map = |width, seed| generate(kind.name, width, 40, seed, []).unwrap();
            assert_ne!(map(40, 1), map(40, 2), "{}", kind.name);
            let middle_row =
                |map: Map| map.letters().chunks(map.shape().width as usize).nth(20).unwrap()[..40].to_vec();
            assert_ne!(middle_row(map(41, 1)), middle_row(map(40, 1)), "{}", kind.name);
        }
    }

    /// Maps in files and reports must not change: a change here changes the embedded suite.
    #[test]
    fn generated_maps_do_not_change() {
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
    fn defaults_are_within_their_ranges() {
        for option in KINDS.iter().flat_map(|kind| kind.options) {
            assert!((option.min..=option.max).contains(&option.default), "{}", option.name);
            assert!(
                !option.integer || [option.default, option.min, option.max].iter().all(|value| value.fract() == 0.0)
            );
        }
    }

    #[test]
    fn errors_name_the_valid_values() {
        let error = |kind, width, option| generate(kind, width, 20, 1, option).unwrap_err().to_string();
        let kinds = "`outdoor`, `rooms`, `caves`, `maze`, `random`";
        assert_eq!(error("mace", 20, None), format!("unknown kind of map `mace`; choose one of {kinds}"));
        let unknown = error("random", 20, Some(("dense", 0.1)));
        assert_eq!(unknown, "maps of kind `random` have no option `dense`; choose from `density`");
        let density = error("random", 20, Some(("density", 0.5)));
        assert_eq!(density, "option `density` of `random` must be a number from 0 to 0.4, not 0.5");
        for value in [1.5, f64::NAN] {
            let corridor = error("maze", 20, Some(("corridor", value)));
            assert_eq!(corridor, format!("option `corridor` of `maze` must be an integer from 1 to 32, not {value}"));
        }
        for width in [7, 1025] {
            let size = format!("maps must have from 8 × 8 to 1024 × 1024 cells, not {width} × 20");
            assert_eq!(error("maze", width, None), size);
        }
    }
}
