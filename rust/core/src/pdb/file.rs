//! Databases as files: fixed little-endian tables behind a header, which says what they are of and has their checksum.
//!
//! | where | what |
//! | --- | --- |
//! | 0 | magic, version, kind, base, level, bytes of a table's entry |
//! | 16 | the fingerprint of the map |
//! | 32 | number of states, of regions, of entries, threads that built it |
//! | 48 | a hash of the abstraction, depths searched for, nanoseconds that it took, the largest depth |
//! | 80 | the checksum: of all that stands before it, and of all that follows |
//! | 88 | the region of each state, the representative of each region, where its entries begin, all entries (of subgoals) |
//! | then | the table, a row for each region; of subgoals by the goal's region, of depths by the agent's |
//! | last | of each entry the depth for it, and for the representative of its region |

use super::{Key, Kind, NO_WAY};
use crate::abstraction::Hierarchy;
use crate::graph::State;
use crate::grid::Grid;
use memmap2::Mmap;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Changed whenever a file of before would be read, or was built, in another way.
pub const VERSION: u32 = 2;

/// The first bytes of every database.
pub const MAGIC: &[u8; 8] = b"permpdb\n";
const CHECKSUM: usize = 80;
pub(super) const HEADER: usize = 88;

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What it is a database of.
    pub key: Key,
    /// The map that it belongs to, see [`Grid::fingerprint`](crate::grid::Grid::fingerprint).
    pub fingerprint: u128,
    /// A hash of the levels of the map's abstraction that it is of.
    pub abstraction: u64,
    /// The states of the level that agents plan on are below this number.
    pub states: u32,
    /// How many regions there are.
    pub regions: u32,
    /// How many entries all regions have together; none in a database of depths, which needs none.
    pub entries: u32,
    /// How many bytes an entry of the table has.
    pub width: u8,
    /// How many threads built it.
    pub jobs: u32,
    /// How many depths were searched for.
    pub computed: u64,
    /// How long all of it took.
    pub build_ns: u64,
    /// The largest depth in it.
    pub most_depth: u32,
}

impl Facts {
    /// How many pairs of regions there are.
    pub fn pairs(&self) -> u64 {
        self.regions as u64 * self.regions as u64
    }

    /// The header, without its checksum.
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
        put(&self.most_depth.to_le_bytes());
        header
    }

    /// The whole header, for a file whose rest has this checksum.
    pub(super) fn sealed(&self, rest: u64) -> [u8; HEADER] {
        let mut header = self.header();
        let checksum = seal(&header, rest);
        header[CHECKSUM..].copy_from_slice(&checksum.to_le_bytes());
        header
    }

    /// Where everything stands.
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

fn seal(header: &[u8; HEADER], rest: u64) -> u64 {
    let mut sealed = header.to_vec();
    sealed[CHECKSUM..].copy_from_slice(&rest.to_le_bytes());
    xxh3_64(&sealed)
}

struct Sections {
    regions: Range<usize>,
    representatives: Range<usize>,
    starts: Range<usize>,
    entries: Range<usize>,
    table: Range<usize>,
    depths: Range<usize>,
}

/// Why a file is not the database that is wanted.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Refused {
    #[error("this is no pattern database; `permove pdb build` makes one")]
    Foreign,
    #[error("it has version {found} of the format where {VERSION} is read; build it again with `permove pdb build`")]
    Version { found: u32 },
    #[error("it is damaged; build it again with `permove pdb build`")]
    Damaged,
    #[error("it is of another abstraction than this version makes; build it again with `permove pdb build`")]
    OtherAbstraction,
    #[error(
        "it belongs to another map, or to another terrain or diagonal rule; use the one that was built for this map"
    )]
    OtherMap,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The bytes of a database.
enum Bytes {
    Own(Vec<u8>),
    Mapped(Mmap),
}

impl Bytes {
    #[inline(always)]
    fn get(&self) -> &[u8] {
        match self {
            Bytes::Own(bytes) => bytes,
            Bytes::Mapped(bytes) => bytes,
        }
    }
}

/// What is stored for an entry of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The state where the optimal path enters the next region.
    pub state: State,
    /// The optimal depth for it.
    pub depth: u32,
    /// The representative of its region.
    pub centroid: State,
    /// The optimal depth for that.
    pub centroid_depth: u32,
}

/// A pattern database, checked.
pub struct Database {
    facts: Facts,
    regions: Vec<u32>,
    starts: Vec<u32>,
    entries: Vec<Entry>,
    bytes: Bytes,
    table: Range<usize>,
}

impl Database {
    /// Opens the database of a map in a file, after a look at every byte of it.
    pub fn open(path: &Path, grid: &Grid) -> Result<Database, Refused> {
        Database::map(path)?.of(grid)
    }

    /// What a file says of itself, after a look at every byte of it, whatever its map.
    pub fn check(path: &Path) -> Result<Facts, Refused> {
        Ok(Database::map(path)?.facts)
    }

    fn map(path: &Path) -> Result<Database, Refused> {
        let file = File::open(path)?;
        // SAFETY: nobody changes such a file: it is written under another name, and gets its own when it is whole. Who
        // writes into it all the same while it is in use changes what is read as numbers, and every number that is used
        // as an index is checked where it is used.
        #[allow(unsafe_code)]
        let bytes = unsafe { Mmap::map(&file)? };
        Database::read(Bytes::Mapped(bytes))
    }

    /// What a file's header says, without a look at the rest but its length.
    pub fn facts_of(path: &Path) -> Result<Facts, Refused> {
        let (mut header, mut file) = ([0; HEADER], File::open(path)?);
        let facts = match io::Read::read_exact(&mut file, &mut header) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Refused::Foreign),
            Err(error) => Err(error.into()),
            Ok(()) => facts(&header),
        }?;
        let length = file.metadata()?.len();
        let is_whole = facts.sections().is_some_and(|sections| sections.depths.end as u64 == length);
        if is_whole { Ok(facts) } else { Err(Refused::Damaged) }
    }

    /// The same of bytes in memory.
    pub fn from_bytes(bytes: Vec<u8>, grid: &Grid) -> Result<Database, Refused> {
        Database::read(Bytes::Own(bytes))?.of(grid)
    }

    fn read(bytes: Bytes) -> Result<Database, Refused> {
        let all = bytes.get();
        let header = all.first_chunk::<HEADER>().ok_or(Refused::Foreign)?;
        let facts = facts(header)?;
        let sections = facts.sections().filter(|sections| sections.depths.end == all.len()).ok_or(Refused::Damaged)?;
        let mut unsealed = *header;
        unsealed[CHECKSUM..].fill(0);
        if header[CHECKSUM..] != seal(&unsealed, xxh3_64(&all[HEADER..])).to_le_bytes() {
            return Err(Refused::Damaged);
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
        Ok(Database { facts, entries: entries.ok_or(Refused::Damaged)?, regions, starts, table: sections.table, bytes })
    }

    /// The same, if it is the database of a map.
    fn of(self, grid: &Grid) -> Result<Database, Refused> {
        let Facts { key: Key { base, level, .. }, fingerprint, abstraction: known, .. } = self.facts;
        if grid.fingerprint() != fingerprint {
            return Err(Refused::OtherMap);
        }
        let hierarchy = Hierarchy::of(grid);
        if level > hierarchy.top() || base > level || abstraction(&hierarchy, base, level) != known {
            return Err(Refused::OtherAbstraction);
        }
        Ok(self)
    }

    /// What the header says.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// How many bytes it has.
    pub fn bytes(&self) -> u64 {
        self.bytes.get().len() as u64
    }

    /// The region of a state.
    #[inline(always)]
    pub fn region(&self, state: State) -> u32 {
        self.regions[state as usize]
    }

    #[inline(always)]
    fn stored(&self, row: u32, column: u32) -> u32 {
        let table = &self.bytes.get()[self.table.clone()];
        let place = row as usize * self.facts.regions as usize + column as usize;
        match self.facts.width {
            1 => match table[place] {
                u8::MAX => NO_WAY,
                stored => stored as u32,
            },
            2 => match u16::from_le_bytes([table[2 * place], table[2 * place + 1]]) {
                u16::MAX => NO_WAY,
                stored => stored as u32,
            },
            _ => u32::from_le_bytes([0, 1, 2, 3].map(|byte| table[4 * place + byte])),
        }
    }

    /// Of a database of subgoals: where to go from one region on the way to another; none within the goal's own, and where
    /// there is no way.
    #[inline(always)]
    pub fn subgoal(&self, from: u32, goal: u32) -> Option<Entry> {
        match self.stored(goal, from) {
            NO_WAY => None,
            entry => Some(self.entries[(self.starts[from as usize] + entry) as usize]),
        }
    }

    /// Of a database of depths: the optimal depth in one region for a goal in another; 1 where there is no way.
    #[inline(always)]
    pub fn depth(&self, from: u32, goal: u32) -> u32 {
        match self.stored(from, goal) {
            NO_WAY => 1,
            depth => depth,
        }
    }
}

/// A hash of which states of two levels the cells of a map belong to.
pub(super) fn abstraction(hierarchy: &Hierarchy, base: usize, level: usize) -> u64 {
    let mut hash = Xxh3::new();
    for cell in (0..hierarchy.states(0) as State).filter(|cell| hierarchy.is_state(0, *cell)) {
        let on_base = hierarchy.ancestor(0, cell, base);
        let ancestors = [cell, on_base, hierarchy.ancestor(base, on_base, level)];
        hash.update(ancestors.map(State::to_le_bytes).as_flattened());
    }
    hash.digest()
}

fn facts(header: &[u8; HEADER]) -> Result<Facts, Refused> {
    if header[..8] != *MAGIC {
        return Err(Refused::Foreign);
    }
    let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| header[at + byte]));
    let long = |at: usize| word(at) as u64 | (word(at + 4) as u64) << 32;
    match word(8) {
        VERSION => {}
        found => return Err(Refused::Version { found }),
    }
    let kind = [Kind::Subgoals, Kind::Depths].into_iter().find(|kind| *kind as u8 == header[12]);
    let facts = Facts {
        key: Key { kind: kind.ok_or(Refused::Damaged)?, base: header[13] as usize, level: header[14] as usize },
        width: header[15],
        fingerprint: long(16) as u128 | (long(24) as u128) << 64,
        states: word(32),
        regions: word(36),
        entries: word(40),
        jobs: word(44),
        abstraction: long(48),
        computed: long(56),
        build_ns: long(64),
        most_depth: word(72),
    };
    if matches!(facts.width, 1 | 2 | 4) { Ok(facts) } else { Err(Refused::Damaged) }
}

/// A writer that keeps the checksum of all that goes through it.
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
