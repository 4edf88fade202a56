//! Fuzz targets for the files that the core reads, and for specs.
//!
//! Each target reads changed copies of the files in `tests/corpus/NAME` and checks that nothing panics, that accepted
//! input can be used, and that damage to files with a checksum is found. As a test, a fixed number of inputs takes a
//! moment. With `PERMOVE_FUZZ_SECONDS`, as in `make fuzz`, each target takes that time, with another seed each time.
//! Inputs that once were a finding belong in the corpus.

use permove_core::agents::spec::Spec;
use permove_core::checksum::seal_json;
use permove_core::control::tree::Tree;
use permove_core::grid::generate::generate;
use permove_core::grid::map::{Map, TerrainRule};
use permove_core::grid::{DiagonalRule, Grid, scenario};
use permove_core::pdb::file::{self, Facts};
use permove_core::pdb::{Build, Database, Key, Kind, PathRule};
use permove_core::rng::{Draw, Stream, stream};
use permove_core::workers::Progress;
use std::io::Cursor;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const TEXTS: [&str; 14] = [
    "0",
    "-1",
    "1",
    "8192",
    "8193",
    "65536",
    "2147483648",
    "4294967295",
    "18446744073709551616",
    "1e308",
    "NaN",
    "inf",
    "\u{202e}",
    "\n",
];

/// Runs a target on changed copies of its corpus, `count` times or for the requested time.
fn fuzz(name: &str, count: u64, seeds: Vec<Vec<u8>>, target: impl Fn(&[u8]) + std::panic::RefUnwindSafe) {
    let seconds = std::env::var("PERMOVE_FUZZ_SECONDS").ok().and_then(|seconds| seconds.parse::<f64>().ok());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("the clock is set").as_nanos() as u64;
    let seed = if seconds.is_some() { now } else { 0 };
    let (mut random, begin) = (stream(seed, &[name.as_bytes()]), Instant::now());
    let is_over = |inputs: u64| match seconds {
        Some(seconds) => begin.elapsed() >= Duration::from_secs_f64(seconds),
        None => inputs >= count,
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(name);
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("it is a folder").map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut seeds = seeds;
    seeds.extend(files.iter().map(|path| std::fs::read(path).expect("it is a file")));
    let check = |input: &[u8]| {
        if catch_unwind(|| target(input)).is_err() {
            let path = std::env::temp_dir().join(format!("permove-fuzz-{name}"));
            std::fs::write(&path, input).expect("the folder can be written");
            panic!("{name}: the input {} failed, with seed {seed}", path.display());
        }
    };
    seeds.iter().for_each(|seed| check(seed));
    let mut inputs = 0;
    while !is_over(inputs) {
        let mut input = seeds[random.below(seeds.len() as u32) as usize].clone();
        for _ in 0..random.between(1, 4) {
            change(&mut input, &seeds, &mut random);
        }
        check(&input);
        inputs += 1;
    }
    println!("{name}: {inputs} inputs in {:.1} s, no finding", begin.elapsed().as_secs_f64());
}

/// Changes some bytes.
fn change(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Stream) {
    let length = input.len();
    let at = random.below(length as u32 + 1) as usize;
    let end = (at + random.between(1, 8) as usize).min(length);
    match random.below(8) {
        0 if at < length => input[at] ^= 1 << random.below(8),
        1 if at < length => input[at] = random.below(256) as u8,
        2 => drop(input.drain(at..end)),
        3 => input.truncate(at),
        4 => {
            let again = input[at..end].to_vec();
            input.splice(at..at, again);
        }
        5 => {
            let other = &seeds[random.below(seeds.len() as u32) as usize];
            let from = random.below(other.len() as u32 + 1) as usize;
            let to = (from + random.between(1, 64) as usize).min(other.len());
            input.splice(at..end, other[from..to].iter().copied());
        }
        6 => {
            let text = TEXTS[random.below(TEXTS.len() as u32) as usize];
            input.splice(at..end, text.bytes());
        }
        _ => {
            // Replace a number.
            let digits = input[at..].iter().position(u8::is_ascii_digit).map(|first| at + first);
            if let Some(first) = digits {
                let last = first + input[first..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let text = TEXTS[random.below(TEXTS.len() as u32) as usize];
                input.splice(first..last, text.bytes());
            }
        }
    }
}

#[test]
fn maps() {
    fuzz("map", 200_000, Vec::new(), |input| {
        let Ok(map) = Map::parse(input) else { return };
        let text = map.text().expect("a map that was read can be written");
        assert_eq!(Map::parse(&text).expect("a written map can be read"), map);
        if map.shape().cells() <= 1 << 12 {
            for (_, rule) in DiagonalRule::NAMES {
                map.grid_under(TerrainRule::Land, rule);
            }
        }
    });
}

#[test]
fn scenarios() {
    fuzz("scenario", 200_000, Vec::new(), |input| {
        let Ok(read) = scenario::parse(input) else { return };
        let text = scenario::text(&read).expect("scenarios that were read can be written");
        assert_eq!(scenario::text(&scenario::parse(&text).expect("they can be read again")).unwrap(), text);
    });
}

#[test]
fn specs() {
    let samples = permove_core::agents::CATALOGUE.iter().flat_map(|entry| entry.all_samples());
    fuzz("spec", 100_000, samples.map(|sample| sample.as_bytes().to_vec()).collect(), |input| {
        let Ok(spec) = Spec::parse(&String::from_utf8_lossy(input)) else { return };
        let canonical = spec.canonical();
        assert_eq!(Spec::parse(&canonical).expect("canonical specs are valid").canonical(), canonical);
        spec.build();
        assert!(!spec.label().is_empty());
    });
}

#[test]
fn trees() {
    let is_usable = |tree: &Tree| {
        for value in [f32::NEG_INFINITY, -1.0, 0.0, 1.5, f32::INFINITY] {
            assert!(tree.depth(&[value; _]) <= 10_000);
        }
    };
    fuzz("tree", 20_000, Vec::new(), |input| {
        if let Ok(tree) = Tree::parse(input) {
            is_usable(&tree);
        }
        // With a new checksum, so that the content is read. A seal may be nested in another one.
        let text = String::from_utf8_lossy(input);
        if text.trim_end().ends_with('}')
            && let Ok(tree) = Tree::parse(seal_json(&text).as_bytes())
        {
            is_usable(&tree);
        }
    });
}

fn small_grid() -> Arc<Grid> {
    Arc::new(generate("caves", 24, 24, 1, []).expect("the options are valid").grid(DiagonalRule::Strict))
}

#[test]
fn databases() {
    let grid = small_grid();
    let build = |kind, level| {
        let key = Key::new(kind, (0, level), permove_core::abstraction::Variant::Free, PathRule::Diagonal);
        let build = Build::new(&grid, key).expect("the map has this level");
        build.write(Cursor::new(Vec::new()), 1, &Progress::default()).expect("memory suffices").into_inner()
    };
    let seeds = vec![build(Kind::Subgoals, 1), build(Kind::Depths, 2)];
    let intact = seeds.clone();
    fuzz("database", 4_000, seeds, |input| {
        if Database::from_bytes(input.to_vec(), &grid).is_ok() {
            assert!(intact.iter().any(|seed| seed == input), "a damaged database was read");
        }
        let Some(sealed) = file::sealed(input) else { return };
        let Ok(database) = Database::from_bytes(sealed, &grid) else { return };
        let Facts { regions, .. } = *database.facts();
        for from in 0..regions {
            for goal in 0..regions {
                database.subgoal(from, goal);
                database.depth(from, goal);
            }
        }
        for cell in (0..grid.shape().cells() as u32).filter(|cell| grid.is_free(*cell)) {
            assert!(database.region(cell) < regions);
        }
    });
}
