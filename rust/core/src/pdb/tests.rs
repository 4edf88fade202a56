//! Databases compared with brute force, and invalid files.

use super::file::{CHECKSUM, HEADER, seal};
use super::{Build, Database, Halted, InvalidKey, Key, Kind, PathRule, Rejected};
use crate::abstraction::graph::AbstractGraph;
use crate::abstraction::{Hierarchy, Reading, Variant};
use crate::cost::{Cost, INFINITY};
use crate::graph::{Graph, State};
use crate::grid::generate::{KINDS, generate};
use crate::grid::{DiagonalRule, Grid, Terrain};
use crate::meter::Meter;
use crate::search::lookahead::{Lookahead, LookaheadContext};
use crate::search::ties::Ties;
use crate::testing::distances;
use crate::workers::Progress;
use proptest::prelude::*;
use std::io::Cursor;
use std::sync::Arc;

/// A key with the default variant and rule.
fn key(kind: Kind, base: usize, level: usize) -> Key {
    Key::new(kind, (base, level), Variant::Free, PathRule::Diagonal)
}

fn build(grid: &Arc<Grid>, key: Key, jobs: usize) -> Vec<u8> {
    let build = Build::new(grid, key).expect("the map has its levels");
    let progress = Progress::default();
    let bytes = build.write(Cursor::new(Vec::new()), jobs, &progress).expect("memory suffices").into_inner();
    assert_eq!(progress.finished(), build.total() as u64);
    bytes
}

/// The optimal depth, by separate lookaheads with the initial heuristic.
fn optimal_depth(graph: &impl Graph, (from, goal): (State, State), path_max: Option<Cost>) -> u32 {
    let to_goal = distances(graph, goal, |_| true);
    let mut lookahead = Lookahead::default();
    let mut first = |depth| {
        let mut meter = Meter::new(graph, None);
        let h0 = meter.heuristic(goal);
        let heuristic = |state| h0.of(state);
        let context = LookaheadContext { from, goal, path_max, weigh: |cost| cost, heuristic };
        let promise = lookahead.run(&mut meter, &mut Ties::First, depth, context);
        (lookahead.first(promise.state).expect("there is a move"), meter.effort().expanded)
    };
    let mut expanded = 0;
    for depth in 1.. {
        let (next, effort) = first(depth);
        let mut cost = INFINITY;
        graph.successors(from, |to, edge| {
            if to == next {
                cost = edge
            }
        });
        if cost.saturating_add(to_goal[next as usize]) == to_goal[from as usize] {
            return depth;
        }
        // Deeper searches expand no more states and have the same answer as the previous depth.
        if effort == expanded {
            return depth - 1;
        }
        expanded = effort;
    }
    unreachable!()
}

/// Checks everything that is stored for a pair of regions.
fn check_pair(
    graph: &impl Graph,
    hierarchy: &Hierarchy,
    (subgoals, depths): (&Database, &Database),
    (state, goal_state): (State, State),
) -> Result<(), TestCaseError> {
    let Key { base, level, .. } = subgoals.facts().key;
    let representative = |state| hierarchy.representative(level, state, base, Reading::Direct);
    let (from, goal) = (representative(state), representative(goal_state));
    let path_max = if base == 0 { None } else { Some(0) };
    let (region, other) = (subgoals.region(from), subgoals.region(goal));
    prop_assert_eq!((region, other), (depths.region(from), depths.region(goal)));
    let from_here = distances(graph, from, |_| true);
    let stored = subgoals.subgoal(region, other);
    if state == goal_state || from_here[goal as usize] == INFINITY {
        prop_assert_eq!((stored, depths.depth(region, other)), (None, 1));
        return Ok(());
    }
    let entry = stored.expect("there is a path");
    // It is on an optimal path, which leaves the region exactly there.
    let to_goal = distances(graph, goal, |_| true);
    prop_assert_eq!(from_here[entry.state as usize] + to_goal[entry.state as usize], from_here[goal as usize]);
    let inside = distances(graph, from, |state| subgoals.region(state) == region);
    prop_assert_eq!(inside[entry.state as usize], from_here[entry.state as usize]);
    prop_assert_ne!(subgoals.region(entry.state), region);
    let next = hierarchy.ancestor(base, entry.state, level);
    prop_assert_eq!(entry.centroid, representative(next));
    prop_assert_eq!(entry.depth, optimal_depth(graph, (from, entry.state), path_max));
    prop_assert_eq!(entry.centroid_depth, optimal_depth(graph, (from, entry.centroid), path_max));
    prop_assert_eq!(depths.depth(region, other), optimal_depth(graph, (from, goal), path_max));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn databases_equal_brute_force(
        kind in 0..KINDS.len(), side in 8u64..40, rule in 0..3usize, seed: u64, base in 0usize..3, above in 0usize..3,
        (_, variant) in prop::sample::select(Variant::NAMES.to_vec()),
        (_, path) in prop::sample::select(PathRule::NAMES.to_vec()),
        pairs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 12)
    ) {
        let map = generate(KINDS[kind].name, side, side, seed, []).expect("sizes and kinds are valid");
        let grid = Arc::new(map.grid(DiagonalRule::NAMES[rule].1));
        let (hierarchy, level) = (Hierarchy::of(&grid, variant), base + above);
        let key = |kind| Key::new(kind, (base, level), variant, path);
        if level > hierarchy.top() {
            let error = Build::new(&grid, key(Kind::Depths)).err();
            prop_assert_eq!(error, Some(InvalidKey::Level { level, top: hierarchy.top() }));
            return Ok(());
        }
        let database = |kind| Database::from_bytes(build(&grid, key(kind), 2), &grid).expect("it is complete");
        let (subgoals, depths) = (database(Kind::Subgoals), database(Kind::Depths));
        let regions: Vec<State> =
            (0..hierarchy.states(level) as State).filter(|state| hierarchy.is_state(level, *state)).collect();
        prop_assert_eq!(subgoals.facts().regions as usize, regions.len());
        for (first, second) in pairs {
            let pair = (*first.get(&regions), *second.get(&regions));
            if base == 0 {
                let geometry = grid.geometry(0);
                check_pair(&Terrain::new(&geometry, grid.moves()), &hierarchy, (&subgoals, &depths), pair)?;
            } else {
                check_pair(&AbstractGraph::<false>::new(&hierarchy, base), &hierarchy, (&subgoals, &depths), pair)?;
            }
        }
    }
}

fn cave() -> Arc<Grid> {
    Arc::new(generate("caves", 24, 24, 3, []).expect("caves exist").grid(DiagonalRule::Strict))
}

#[test]
fn a_file_with_any_changed_byte_is_rejected() {
    let grid = cave();
    for kind in [Kind::Subgoals, Kind::Depths] {
        let complete = build(&grid, key(kind, 0, 2), 1);
        assert!(Database::from_bytes(complete.clone(), &grid).is_ok());
        for at in 0..complete.len() {
            let mut changed = complete.clone();
            changed[at] ^= 1 << (at % 8);
            let rejected = Database::from_bytes(changed, &grid).err().expect("a byte was changed");
            let is_expected = match at {
                0..=7 => matches!(rejected, Rejected::UnknownFormat),
                9..=11 => matches!(rejected, Rejected::Version { .. }),
                _ => matches!(rejected, Rejected::Damaged),
            };
            assert!(is_expected, "byte {at}: {rejected}");
        }
        for length in (0..complete.len()).step_by(7) {
            assert!(Database::from_bytes(complete[..length].to_vec(), &grid).is_err(), "{length} bytes of it");
        }
        let more: Vec<u8> = complete.iter().copied().chain([0]).collect();
        assert!(matches!(Database::from_bytes(more, &grid), Err(Rejected::Damaged)));
    }
}

/// Files of version 2 are as those of version 3 with the abstraction and the path rule of that time.
#[test]
fn databases_of_the_earlier_version_can_be_read() {
    let grid = cave();
    let mut bytes = build(&grid, key(Kind::Subgoals, 0, 2), 1);
    assert_eq!(bytes[76..78], [0, 0]);
    bytes[8] = 2;
    let (header, rest) = bytes.split_first_chunk_mut::<HEADER>().expect("it has a header");
    header[CHECKSUM..].fill(0);
    let checksum = seal(header, xxhash_rust::xxh3::xxh3_64(rest));
    header[CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
    let earlier = Database::from_bytes(bytes, &grid).expect("it can be read");
    assert_eq!(earlier.facts().key, key(Kind::Subgoals, 0, 2));
}

#[test]
fn variants_and_paths_have_different_databases() {
    let grid = cave();
    let built = |variant, path| {
        let key = Key::new(Kind::Subgoals, (0, 2), variant, path);
        let database = Database::from_bytes(build(&grid, key, 1), &grid).expect("it is complete");
        assert_eq!(database.facts().key, key);
        let regions = 0..database.facts().regions;
        regions
            .clone()
            .flat_map(|from| regions.clone().map(move |to| (from, to)))
            .map(|(from, to)| database.subgoal(from, to))
            .collect::<Vec<_>>()
    };
    let [free, aligned] = [Variant::Free, Variant::Aligned].map(|variant| built(variant, PathRule::Diagonal));
    assert_ne!(free, aligned);
    assert_ne!(aligned, built(Variant::Aligned, PathRule::Cardinal));
    // Without paths there is nothing to choose.
    let depths = |path| Key::new(Kind::Depths, (0, 2), Variant::Free, path);
    assert_eq!(depths(PathRule::Diagonal), depths(PathRule::Cardinal));
}

#[test]
fn a_sealed_database_with_invalid_references_is_rejected() {
    let grid = cave();
    let complete = build(&grid, key(Kind::Subgoals, 0, 1), 1);
    let facts = *Database::from_bytes(complete.clone(), &grid).expect("it is intact").facts();
    let mut rejected = 0;
    for at in (super::file::HEADER..complete.len()).step_by(3) {
        let mut rest = complete[super::file::HEADER..].to_vec();
        rest[at - super::file::HEADER] ^= 0x80;
        let header = facts.sealed(xxhash_rust::xxh3::xxh3_64(&rest));
        let Ok(database) = Database::from_bytes([&header[..], &rest].concat(), &grid) else {
            rejected += 1;
            continue;
        };
        for from in 0..facts.regions {
            for goal in 0..facts.regions {
                let _ = database.subgoal(from, goal);
            }
        }
    }
    assert!(rejected > 0);
}

#[test]
fn a_database_of_another_map_is_rejected() {
    let grid = cave();
    let complete = build(&grid, key(Kind::Subgoals, 0, 1), 1);
    for other in [grid.with_rule(DiagonalRule::Free), Grid::drawn(DiagonalRule::Strict, &["...."])] {
        assert!(matches!(Database::from_bytes(complete.clone(), &other), Err(Rejected::OtherMap)));
    }
}

#[test]
fn the_number_of_threads_affects_only_the_time() {
    let grid = cave();
    for (kind, base) in [(Kind::Subgoals, 0), (Kind::Depths, 0), (Kind::Subgoals, 1), (Kind::Depths, 1)] {
        let rest = |jobs| build(&grid, key(kind, base, 2), jobs)[HEADER..].to_vec();
        assert!(rest(1) == rest(3), "{kind:?} {base}");
    }
}

/// A disk with little space.
struct SmallDisk(Cursor<Vec<u8>>);

impl std::io::Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.position() > 10_000 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl std::io::Seek for SmallDisk {
    fn seek(&mut self, to: std::io::SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_failed_build_reports_the_reason_and_leaves_no_file() {
    let grid = cave();
    let to_build = Build::new(&grid, key(Kind::Subgoals, 0, 0)).expect("level 0 exists");
    let full = to_build.write(SmallDisk(Cursor::default()), 1, &Progress::default()).err();
    assert!(matches!(full, Some(Halted::Io(error)) if error.kind() == std::io::ErrorKind::StorageFull));

    let folder = std::env::temp_dir().join(format!("permove-pdb-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the disk has space");
    let path = folder.join("cave.pdb");
    let cancelled = Progress::default();
    cancelled.cancel();
    assert!(matches!(to_build.save(&path, 1, &cancelled), Err(Halted::Cancelled)));
    assert_eq!(std::fs::read_dir(&folder).expect("the folder exists").count(), 0);
    to_build.save(&path, 1, &Progress::default()).expect("the disk has space");
    assert_eq!(std::fs::read_dir(&folder).expect("the folder exists").count(), 1);
    let opened = Database::open(&path, &grid).expect("it is complete");
    assert_eq!(Database::facts_of(&path).expect("it has a header"), *opened.facts());
    assert!(matches!(Database::open(&folder.join("other.pdb"), &grid), Err(Rejected::Io(_))));
    assert!(matches!(to_build.save(&folder.join("no/such/folder"), 1, &Progress::default()), Err(Halted::Io(_))));
    std::fs::remove_dir_all(&folder).expect("the folder exists");

    let error = Build::new(&grid, key(Kind::Depths, 2, 1)).err();
    assert_eq!(error, Some(InvalidKey::Base { base: 2, level: 1 }));
}
