//! Databases as files: a header with a checksum, followed by little-endian tables.
//!
//! | offset | content |
//! | --- | --- |
//! | 0 | magic, version, kind, base, level, bytes per entry of the table |
//! | 16 | fingerprint of the map |
//! | 32 | number of states, of regions, of entries, of threads of the build |
//! | 48 | hash of the abstraction, number of computed depths, build time in nanoseconds, maximum depth |
//! | 76 | variant of the abstraction, rule of the path |
//! | 80 | checksum of everything else |
//! | 88 | region of each state, representative of each region, start of its entries, all entries (subgoals only) |
//! | next | table, one row per region: the goal's region for subgoals, the agent's for depths |
//! | last | for each entry the depth for it, and the depth for the representative of its region |

use super::mapped::Bytes;
use super::{Key, Kind, NO_PATH, PathRule};
use crate::abstraction::{Hierarchy, Variant};
use crate::graph::State;
use crate::grid::Grid;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The version of the format, which changes when files are read or built in another way.
pub const VERSION: u32 = 3;

/// The earlier version that can still be read. It has only databases with the variant and the rule whose numbers are 0,
/// as are its unused bytes.
const EARLIER_VERSION: u32 = 2;

/// The first bytes of every database.
pub const MAGIC: &[u8; 8] = b"permpdb\n";
pub(super) const CHECKSUM: usize = 80;
pub(super) const HEADER: usize = 88;

/// The content of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The identity of the database.
    pub key: Key,
    /// The [`Grid::fingerprint`] of its map.
    pub fingerprint: u128,
    /// A hash of the two levels of the map's abstraction.
    pub abstraction: u64,
    /// An upper bound of the states of the level on which agents plan.
    pub states: u32,
    /// The number of regions.
    pub regions: u32,
    /// The total number of entries of all regions; 0 in a database of depths.
    pub entries: u32,
    /// The number of bytes per entry of the table.
    pub width: u8,
    /// The number of threads of the build.
    pub jobs: u32,
    /// The number of computed depths.
    pub computed: u64,
    /// The build time.
    pub build_ns: u64,
    /// The maximum depth.
    pub max_depth: u32,
}

impl Facts {
    /// The number of pairs of regions.
    pub fn pairs(&self) -> u64 {
        self.regions as u64 * self.regions as u64
    }

    /// The header without its checksum.
    fn header(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        let mut at = 0;
        let mut put = |bytes: &[u8]| {
            header[at..at + bytes.len()].copy_from_slice(bytes);
            at += bytes.len();
        };
        put(MAGIC);
        put(&VERSION.to_le_bytes());
        put(&[self.key.kind as u8, self.key.base as u8, self.key.level as u8, self.width]);
        put(&self.fingerprint.to_le_bytes());
        for number in [self.states, self.regions, self.entries, self.jobs] {
            put(&number.to_le_bytes());
        }
        put(&self.abstraction.to_le_bytes());
        put(&self.computed.to_le_bytes());
        put(&self.build_ns.to_le_bytes());
        put(&self.max_depth.to_le_bytes());
        put(&[self.key.variant as u8, self.key.path as u8]);
        header
    }

    /// The complete header of a file whose remaining bytes have this checksum.
    pub(super) fn sealed(&self, rest: u64) -> [u8; HEADER] {
        let mut header = self.header();
        let checksum = seal(&header, rest);
        header[CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
        header
    }

    /// The sections of the file; `None` if the sizes overflow.
    fn sections(&self) -> Option<Sections> {
        let [states, regions, entries] = [self.states, self.regions, self.entries].map(|number| number as usize);
        let mut at = HEADER;
        let mut next = |bytes: Option<usize>| {
            let begin = at;
            at = at.checked_add(bytes?)?;
            Some(begin..at)
        };
        let words = |count: usize| count.checked_mul(4);
        Some(Sections {
            regions: next(words(states))?,
            representatives: next(words(regions))?,
            starts: next(words(regions + 1))?,
            entries: next(words(entries))?,
            table: next(regions.checked_mul(regions)?.checked_mul(self.width as usize))?,
            depths: next(words(entries)?.checked_mul(2))?,
        })
    }
}

pub(super) fn seal(header: &[u8; HEADER], rest: u64) -> u64 {
    let mut sealed = header.to_vec();
    sealed[CHECKSUM..].copy_from_slice(&rest.to_le_bytes());
    xxh3_64(&sealed)
}

/// The bytes of a file with a checksum that fits its other bytes, for tests; `None` if it has no header.
pub fn sealed(file: &[u8]) -> Option<Vec<u8>> {
    let (mut header, rest) = (*file.first_chunk::<HEADER>()?, &file[HEADER..]);
    header[CHECKSUM..].fill(0);
    let checksum = seal(&header, xxh3_64(rest));
    header[CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
    Some([&header[..], rest].concat())
}

struct Sections {
    regions: Range<usize>,
    representatives: Range<usize>,
    starts: Range<usize>,
    entries: Range<usize>,
    table: Range<usize>,
    depths: Range<usize>,
}

/// The reason why a file is not the expected database.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Rejected {
    #[error("this is not a pattern database; build one with `permove pdb build`")]
    UnknownFormat,
    #[error("version {found} of the format is not supported, only {VERSION}; build it again with `permove pdb build`")]
    Version { found: u32 },
    #[error("the file is damaged; build it again with `permove pdb build`")]
    Damaged,
    #[error("the file was built with another version of the abstraction; build it again with `permove pdb build`")]
    OtherAbstraction,
    #[error("the file belongs to another map, terrain rule or diagonal rule; use the database of this map")]
    OtherMap,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// An entry of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The state where the optimal path enters the next region.
    pub state: State,
    /// The optimal depth for it.
    pub depth: u32,
    /// The representative of its region.
    pub centroid: State,
    /// The optimal depth for the representative.
    pub centroid_depth: u32,
}

/// A checked pattern database.
pub struct Database {
    facts: Facts,
    regions: Vec<u32>,
    starts: Vec<u32>,
    entries: Vec<Entry>,
    bytes: Bytes,
    table: Range<usize>,
}

impl Database {
    /// Opens the database of a map, and checks all its bytes.
    pub fn open(path: &Path, grid: &Grid) -> Result<Database, Rejected> {
        Database::map(path)?.of(grid)
    }

    /// The header of a file for any map, after a check of all its bytes.
    pub fn check(path: &Path) -> Result<Facts, Rejected> {
        Ok(Database::map(path)?.facts)
    }

    fn map(path: &Path) -> Result<Database, Rejected> {
        Database::read(Bytes::open(path)?)
    }

    /// The header of a file, without a check of anything else except its length.
    pub fn facts_of(path: &Path) -> Result<Facts, Rejected> {
        let (mut header, mut file) = ([0; HEADER], File::open(path)?);
        let facts = match io::Read::read_exact(&mut file, &mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Rejected::UnknownFormat),
            Err(error) => Err(error.into()),
            Ok(()) => facts(&header),
        }?;
        let length = file.metadata()?.len();
        let is_complete = facts.sections().is_some_and(|sections| sections.depths.end as u64 == length);
        if is_complete { Ok(facts) } else { Err(Rejected::Damaged) }
    }

    /// As [`Database::open`], from bytes in memory.
    pub fn from_bytes(bytes: Vec<u8>, grid: &Grid) -> Result<Database, Rejected> {
        Database::read(Bytes::Own(bytes))?.of(grid)
    }

    fn read(bytes: Bytes) -> Result<Database, Rejected> {
        let all = &*bytes;
        let header = all.first_chunk::<HEADER>().ok_or(Rejected::UnknownFormat)?;
        let facts = facts(header)?;
        let sections = facts.sections().filter(|sections| sections.depths.end == all.len()).ok_or(Rejected::Damaged)?;
        let mut unsealed = *header;
        unsealed[CHECKSUM..].fill(0);
        if header[CHECKSUM..] != seal(&unsealed, xxh3_64(&all[HEADER..])).to_le_bytes() {
            return Err(Rejected::Damaged);
        }
        let words = |range: Range<usize>| -> Vec<u32> {
            all[range].as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
        };
        let (regions, representatives) = (words(sections.regions), words(sections.representatives));
        let (starts, states, depths) = (words(sections.starts), words(sections.entries), words(sections.depths));
        let entry = |(&state, depths): (&State, &[u32; 2])| {
            let region = *regions.get(state as usize)?;
            let centroid = *representatives.get(region as usize)?;
            Some(Entry { state, depth: depths[0], centroid, centroid_depth: depths[1] })
        };
        let entries = states.iter().zip(depths.as_chunks().0).map(entry).collect::<Option<_>>();
        let (entries, table) = (entries.ok_or(Rejected::Damaged)?, sections.table);
        let database = Database { facts, regions, starts, entries, bytes, table };
        if database.is_consistent() { Ok(database) } else { Err(Rejected::Damaged) }
    }

    /// Whether all references between the sections are valid, so that no lookup can fail.
    fn is_consistent(&self) -> bool {
        let Facts { regions, entries, width, states, .. } = self.facts;
        let is_ordered = self.starts.is_sorted() && self.starts[0] == 0 && self.starts.last() == Some(&entries);
        let are_states = self.entries.iter().all(|entry| entry.state < states && entry.centroid < states);
        let count = |region: u32| self.starts[region as usize + 1] - self.starts[region as usize];
        let is_stored = |from, goal| match self.stored(goal, from) {
            NO_PATH => true,
            entry => entry < count(from),
        };
        let is_table = || (0..regions).all(|goal| (0..regions).all(|from| is_stored(from, goal)));
        matches!(width, 1 | 2 | 4) && is_ordered && are_states && (self.facts.key.kind == Kind::Depths || is_table())
    }

    /// Checks that it is the database of a map.
    fn of(self, grid: &Grid) -> Result<Database, Rejected> {
        let Facts { key: Key { base, level, variant, .. }, fingerprint, abstraction: known, regions, .. } = self.facts;
        if grid.fingerprint() != fingerprint {
            return Err(Rejected::OtherMap);
        }
        let hierarchy = Hierarchy::of(grid, variant);
        if level > hierarchy.top() || base > level || abstraction(&hierarchy, base, level) != known {
            return Err(Rejected::OtherAbstraction);
        }
        let is_base = |state: &State| hierarchy.is_state(base, *state);
        let in_region = |state: State| self.regions.get(state as usize).is_some_and(|region| *region < regions);
        if !(0..hierarchy.states(base) as State).filter(is_base).all(in_region) {
            return Err(Rejected::Damaged);
        }
        Ok(self)
    }

    /// The header.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The region of a state.
    #[inline(always)]
    pub fn region(&self, state: State) -> u32 {
        self.regions[state as usize]
    }

    #[inline(always)]
    fn stored(&self, row: u32, column: u32) -> u32 {
        let table = &self.bytes[self.table.clone()];
        let place = row as usize * self.facts.regions as usize + column as usize;
        match self.facts.width {
            1 => match table[place] {
                u8::MAX => NO_PATH,
                stored => stored as u32,
            },
            2 => match u16::from_le_bytes([table[2 * place], table[2 * place + 1]]) {
                u16::MAX => NO_PATH,
                stored => stored as u32,
            },
            _ => u32::from_le_bytes([0, 1, 2, 3].map(|byte| table[4 * place + byte])),
        }
    }

    /// The next intermediate goal from one region to another, in a database of subgoals; `None` within the goal's
    /// region or without a path.
    #[inline(always)]
    pub fn subgoal(&self, from: u32, goal: u32) -> Option<Entry> {
        match self.stored(goal, from) {
            NO_PATH => None,
            // An entry may be missing only if another process has changed the mapped file.
            entry => self.entries.get(self.starts[from as usize].wrapping_add(entry) as usize).copied(),
        }
    }

    /// The optimal depth in one region for a goal in another, in a database of depths; 1 without a path.
    #[inline(always)]
    pub fn depth(&self, from: u32, goal: u32) -> u32 {
        match self.stored(from, goal) {
            NO_PATH => 1,
            depth => depth,
        }
    }
}

/// A hash of the states of two levels that contain each cell.
pub(super) fn abstraction(hierarchy: &Hierarchy, base: usize, level: usize) -> u64 {
    let mut hash = Xxh3::new();
    for cell in (0..hierarchy.states(0) as State).filter(|cell| hierarchy.is_state(0, *cell)) {
        let on_base = hierarchy.ancestor(0, cell, base);
        let ancestors = [cell, on_base, hierarchy.ancestor(base, on_base, level)];
        hash.update(ancestors.map(State::to_le_bytes).as_flattened());
    }
    hash.digest()
}

fn facts(header: &[u8; HEADER]) -> Result<Facts, Rejected> {
    if header[..8] != *MAGIC {
        return Err(Rejected::UnknownFormat);
    }
    let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| header[at + byte]));
    let long = |at: usize| word(at) as u64 | (word(at + 4) as u64) << 32;
    match word(8) {
        EARLIER_VERSION | VERSION => {}
        found => return Err(Rejected::Version { found }),
    }
    let kind = [Kind::Subgoals, Kind::Depths].into_iter().find(|kind| *kind as u8 == header[12]);
    let (_, variant) = *Variant::NAMES.get(header[76] as usize).ok_or(Rejected::Damaged)?;
    let (_, path) = *PathRule::NAMES.get(header[77] as usize).ok_or(Rejected::Damaged)?;
    let levels = (header[13] as usize, header[14] as usize);
    let facts = Facts {
        key: Key::new(kind.ok_or(Rejected::Damaged)?, levels, variant, path),
        width: header[15],
        fingerprint: long(16) as u128 | (long(24) as u128) << 64,
        states: word(32),
        regions: word(36),
        entries: word(40),
        jobs: word(44),
        abstraction: long(48),
        computed: long(56),
        build_ns: long(64),
        max_depth: word(72),
    };
    if matches!(facts.width, 1 | 2 | 4) { Ok(facts) } else { Err(Rejected::Damaged) }
}

/// A writer that computes the checksum of its output.
pub(super) struct Sum<W> {
    inner: W,
    hash: Xxh3,
}

impl<W: Write> Sum<W> {
    pub(super) fn new(inner: W) -> Sum<W> {
        Sum { inner, hash: Xxh3::new() }
    }

    pub(super) fn words(&mut self, words: impl IntoIterator<Item = u32>) -> io::Result<()> {
        let bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        self.bytes(&bytes)
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.inner.write_all(bytes)
    }

    pub(super) fn finish(self) -> (W, u64) {
        (self.inner, self.hash.digest())
    }
}
