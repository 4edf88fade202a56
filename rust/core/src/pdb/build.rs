//! Building databases: rows are computed on all cores and written directly to the file.

use super::file::{Facts, HEADER, Sum, abstraction};
use super::plane::{Distances, Plane};
use super::plies::Plies;
use super::{Key, Kind, NO_PATH};
use crate::abstraction::Hierarchy;
use crate::cost::{Cost, INFINITY};
use crate::grid::Grid;
use crate::workers::Progress;
use rayon::prelude::*;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// The error for a key that the map does not support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum InvalidKey {
    #[error("level {level} is above the top of the map's hierarchy, which is {top}; use {top} or lower")]
    Level { level: usize, top: usize },
    #[error("the base {base} is above the level {level} of the regions; use a base of {level} or lower")]
    Base { base: usize, level: usize },
}

/// The reason why a build was not finished.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Halted {
    #[error("the build was cancelled")]
    Cancelled,
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// A database to build.
pub struct Build {
    key: Key,
    fingerprint: u128,
    abstraction: u64,
    plane: Plane,
    width: u8,
    started: Instant,
}

/// The number of rows per thread that are computed before they are written. Many rows keep threads from waiting for
/// each other.
const ROWS: usize = 32;

impl Build {
    /// Divides the map into regions.
    pub fn new(grid: &Arc<Grid>, key: Key) -> Result<Build, InvalidKey> {
        let started = Instant::now();
        let Key { kind, base, level, variant, .. } = key;
        if base > level {
            return Err(InvalidKey::Base { base, level });
        }
        let hierarchy = Hierarchy::of(grid, variant);
        if level > hierarchy.top() {
            return Err(InvalidKey::Level { level, top: hierarchy.top() });
        }
        let plane = Plane::new(grid, &hierarchy, base, level);
        let plane = if kind == Kind::Subgoals { plane.with_entries() } else { plane };
        let max_entries = plane.entry_starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        let width = match (kind, max_entries) {
            (Kind::Subgoals, 0..0x100) => 1,
            (Kind::Subgoals, 0x100..0x1_0000) | (Kind::Depths, _) => 2,
            (Kind::Subgoals, _) => 4,
        };
        let abstraction = abstraction(&hierarchy, base, level);
        Ok(Build { key, fingerprint: grid.fingerprint(), abstraction, plane, width, started })
    }

    fn regions(&self) -> usize {
        self.plane.representatives.len()
    }

    /// The number of work units: one per row, and for subgoals one per region for its entries.
    pub fn total(&self) -> usize {
        match self.key.kind {
            Kind::Subgoals => 2 * self.regions(),
            Kind::Depths => self.regions(),
        }
    }

    /// Builds the database into a file, which is renamed when it is complete. A failed build leaves no file.
    pub fn save(&self, path: &Path, jobs: usize, progress: &Progress) -> Result<(), Halted> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let part = path.with_file_name(name);
        let write = || {
            self.write(BufWriter::new(File::create(&part)?), jobs, progress)?;
            Ok(fs::rename(&part, path)?)
        };
        let result = write();
        if result.is_err() {
            // Best effort: the build has already failed.
            let _ = fs::remove_file(&part);
        }
        result
    }

    /// Builds the database with `jobs` threads, or one per core if it is 0.
    pub fn write<W: Write + Seek>(&self, mut to: W, jobs: usize, progress: &Progress) -> Result<W, Halted> {
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
        let workspaces: Vec<Mutex<Workspace>> = (0..threads.current_num_threads()).map(|_| Mutex::default()).collect();
        // The workspace of the current thread.
        let workspace =
            || workspaces[rayon::current_thread_index().unwrap_or(0)].lock().expect("no thread panics with the lock");
        let Plane { regions, representatives, entry_starts, entries, .. } = &self.plane;
        to.write_all(&[0; HEADER])?;
        let mut sum = Sum::new(to);
        for words in [regions, representatives, entry_starts, entries] {
            sum.words(words.iter().copied())?;
        }
        let used: Vec<AtomicBool> = entries.iter().map(|_| AtomicBool::new(false)).collect();
        let (mut computed, mut max_depth) = (0, 1);
        let rows: Vec<u32> = (0..self.regions() as u32).collect();
        for chunk in rows.chunks(ROWS * threads.current_num_threads()) {
            let row = |region: &u32| {
                if progress.is_cancelled() {
                    return Row::default();
                }
                let row = match self.key.kind {
                    Kind::Subgoals => self.subgoals(&mut workspace(), *region, &used),
                    Kind::Depths => self.depths(&mut workspace(), *region),
                };
                progress.advance();
                row
            };
            let chunk: Vec<Row> = threads.install(|| chunk.par_iter().with_max_len(1).map(row).collect());
            if progress.is_cancelled() {
                return Err(Halted::Cancelled);
            }
            for row in chunk {
                sum.bytes(&row.bytes)?;
                computed += row.computed;
                max_depth = max_depth.max(row.max_depth);
            }
        }
        let depths: Vec<Vec<[u32; 2]>> = threads.install(|| {
            let depths = |region: &u32| self.entry_depths(&mut workspace(), *region, &used, progress);
            rows.par_iter().map(depths).collect()
        });
        if progress.is_cancelled() {
            return Err(Halted::Cancelled);
        }
        for depth in depths.iter().flatten().flatten() {
            computed += (*depth > 0) as u64;
            max_depth = max_depth.max(*depth);
        }
        sum.words(depths.into_iter().flatten().flatten())?;
        let (mut to, rest) = sum.finish();
        let facts = Facts {
            key: self.key,
            fingerprint: self.fingerprint,
            abstraction: self.abstraction,
            states: regions.len() as u32,
            regions: representatives.len() as u32,
            entries: entries.len() as u32,
            width: self.width,
            jobs: threads.current_num_threads() as u32,
            computed,
            build_ns: self.started.elapsed().as_nanos() as u64,
            max_depth,
        };
        to.seek(SeekFrom::Start(0))?;
        to.write_all(&facts.sealed(rest))?;
        to.flush()?;
        Ok(to)
    }

    fn store(&self, bytes: &mut Vec<u8>, value: u32) {
        bytes.extend(&value.to_le_bytes()[..self.width as usize]);
    }

    /// Lines 3 to 5a for all pairs with one goal region: the states where optimal paths enter the next region.
    fn subgoals(&self, workspace: &mut Workspace, goal: u32, used: &[AtomicBool]) -> Row {
        let Plane { representatives, entry_starts, .. } = &self.plane;
        let distances = workspace.distances.all(&self.plane, representatives[goal as usize]);
        let mut bytes = Vec::with_capacity(self.regions() * self.width as usize);
        for from in 0..self.regions() as u32 {
            let entry = if from == goal { None } else { self.plane.exit(distances, from, self.key.path) };
            if let Some(entry) = entry {
                let used = &used[(entry_starts[from as usize] + entry) as usize];
                // Most are set already, and reading keeps the cache line shared between cores.
                if !used.load(Ordering::Relaxed) {
                    used.store(true, Ordering::Relaxed);
                }
            }
            self.store(&mut bytes, entry.unwrap_or(NO_PATH));
        }
        Row { bytes, ..Row::default() }
    }

    /// Line 5b for each entry of a region that is used by a path: the optimal depths for it and for the representative
    /// of its region; 0 for other entries.
    fn entry_depths(
        &self,
        workspace: &mut Workspace,
        region: u32,
        used: &[AtomicBool],
        progress: &Progress,
    ) -> Vec<[u32; 2]> {
        if self.key.kind == Kind::Depths {
            return Vec::new();
        }
        let Plane { representatives, regions, entries, .. } = &self.plane;
        let from = representatives[region as usize];
        workspace.plies.begin(&self.plane, from);
        let mut depth = |goal| {
            let distances = workspace.distances.up_to(&self.plane, goal, from);
            let is_optimal = |first| self.plane.is_optimal(from, first, |state| distances[state as usize]);
            workspace.plies.depth(&self.plane, goal, is_optimal)
        };
        let depths = |at: usize| match used[at].load(Ordering::Relaxed) && !progress.is_cancelled() {
            true => [entries[at], representatives[regions[entries[at] as usize] as usize]].map(&mut depth),
            false => [0; 2],
        };
        let depths = self.plane.entries_of(region).map(depths).collect();
        progress.advance();
        depths
    }

    /// Line 5 for all pairs with one region of the agent: the optimal depth for each goal.
    fn depths(&self, workspace: &mut Workspace, region: u32) -> Row {
        let Plane { representatives, .. } = &self.plane;
        let Workspace { distances, plies, neighbours, from_here } = workspace;
        let from = representatives[region as usize];
        // Distances are symmetric, so those of this state and of its neighbours show which moves are optimal for a
        // goal.
        let at_goals = |distances: &[Cost], into: &mut Vec<Cost>| {
            into.clear();
            into.extend(representatives.iter().map(|goal| distances[*goal as usize]));
        };
        at_goals(distances.all(&self.plane, from), from_here);
        let edges = self.plane.edges(from);
        neighbours.resize_with(neighbours.len().max(edges.len()), Vec::new);
        neighbours.iter_mut().for_each(Vec::clear);
        plies.begin(&self.plane, from);
        let mut row = Row { bytes: Vec::with_capacity(2 * self.regions()), computed: 0, max_depth: 1 };
        for (goal, &state) in representatives.iter().enumerate() {
            let is_reached = from_here[goal] != INFINITY;
            let depth = if goal == region as usize || !is_reached {
                1
            } else {
                row.computed += 1;
                plies.depth(&self.plane, state, |first| {
                    let known = &mut neighbours[first as usize];
                    if known.is_empty() {
                        at_goals(distances.all(&self.plane, edges[first as usize].to), known);
                    }
                    let distance = |end| if end == from { from_here[goal] } else { known[goal] };
                    self.plane.is_optimal(from, first, distance)
                })
            };
            row.max_depth = row.max_depth.max(depth);
            // Larger depths do not fit and are beyond any practical cap.
            let stored = if is_reached { depth.min(u16::MAX as u32 - 1) } else { NO_PATH };
            self.store(&mut row.bytes, stored);
        }
        row
    }
}

/// A row of the table, with statistics of its computation.
#[derive(Default)]
struct Row {
    bytes: Vec<u8>,
    computed: u64,
    max_depth: u32,
}

/// The memory of a thread, reused for all rows.
#[derive(Default)]
struct Workspace {
    distances: Distances,
    plies: Plies,
    /// The distances of each neighbour to all goals, computed on demand.
    neighbours: Vec<Vec<Cost>>,
    from_here: Vec<Cost>,
}
