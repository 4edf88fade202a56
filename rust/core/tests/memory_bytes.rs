//! The bytes that agents report, compared with those that a counting allocator sees.

#![allow(unsafe_code)]

use permove_core::abstraction::{Hierarchy, Variant};
use permove_core::agent::Memory;
use permove_core::agents::CATALOGUE;
use permove_core::agents::spec::Spec;
use permove_core::grid::generate::generate;
use permove_core::grid::{DiagonalRule, Grid};
use permove_core::problems::{Problem, in_range};
use permove_core::rng;
use permove_core::search::ties::Ties;
use permove_core::world::runs::{Outcome, Runner, Trials, World};
use permove_core::world::sensor::Sensor;
use permove_core::world::trial::{Limits, Setting};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Counts two kinds of allocations separately. An array with an entry for each state, of the ground or of a level of
/// the hierarchy, counts with the entries that differ from the majority when it is released: those in use. All other
/// allocations are lists, which count with their capacity.
struct Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
/// The numbers of states of the levels, from the ground up.
static STATES: [AtomicUsize; 16] = [const { AtomicUsize::new(0) }; 16];
static IN_ARRAYS: AtomicUsize = AtomicUsize::new(0);
static IN_LISTS: AtomicIsize = AtomicIsize::new(0);
static PEAK_IN_LISTS: AtomicIsize = AtomicIsize::new(0);

/// The maximum size of an entry.
const MAX_ENTRY: usize = 16;

/// The size of an entry, if an allocation of `size` bytes is an array by state.
fn entry_size(size: usize) -> Option<usize> {
    let is_array =
        |states: &usize| *states > 64 && size.is_multiple_of(*states) && (1..=MAX_ENTRY).contains(&(size / states));
    STATES.iter().map(|states| states.load(Relaxed)).find(is_array).map(|states| size / states)
}

fn count_list(change: isize) {
    let now = IN_LISTS.fetch_add(change, Relaxed) + change;
    PEAK_IN_LISTS.fetch_max(now, Relaxed);
}

/// The bytes of the entries that differ from the majority.
fn used(array: &[u8], entry: usize) -> usize {
    let (mut majority, mut votes) = (&array[..entry], 0usize);
    for candidate in array.chunks_exact(entry) {
        if votes == 0 {
            majority = candidate;
        }
        votes = if candidate == majority { votes + 1 } else { votes - 1 };
    }
    entry * array.chunks_exact(entry).filter(|candidate| *candidate != majority).count()
}

impl Counting {
    fn begins(layout: Layout) {
        if IS_COUNTING.load(Relaxed) && entry_size(layout.size()).is_none() {
            count_list(layout.size() as isize);
        }
    }

    /// # Safety
    /// The pointer is an allocation with this layout.
    unsafe fn ends(pointer: *mut u8, layout: Layout) {
        if !IS_COUNTING.load(Relaxed) {
            return;
        }
        match entry_size(layout.size()) {
            Some(entry) => {
                // SAFETY: the caller guarantees the size, and all allocations are initialized.
                let array = unsafe { std::slice::from_raw_parts(pointer, layout.size()) };
                IN_ARRAYS.fetch_add(used(array, entry), Relaxed);
            }
            None => count_list(-(layout.size() as isize)),
        }
    }
}

// SAFETY: the system's allocator does the work.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Counting::begins(layout);
        // Zeros, so that unused entries can be read.
        // SAFETY: as the caller guarantees.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller guarantees.
        unsafe { self.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller guarantees.
        unsafe {
            Counting::ends(pointer, layout);
            System.dealloc(pointer, layout);
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller guarantees. The new memory is counted after the old one was released.
        unsafe {
            let new = Layout::from_size_align_unchecked(size, layout.align());
            let moved = System.alloc_zeroed(new);
            if !moved.is_null() {
                std::ptr::copy_nonoverlapping(pointer, moved, size.min(layout.size()));
                self.dealloc(pointer, layout);
                Counting::begins(new);
            }
            moved
        }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Tests run one after the other, since they share the counts.
static TURN: Mutex<()> = Mutex::new(());

/// A map, with problems that do not cross all of it.
struct Place {
    grid: Grid,
    hierarchy: Arc<Hierarchy>,
    open: Arc<Hierarchy>,
    problems: Vec<Problem>,
}

fn place(kind: &str, seed: u64) -> Place {
    let grid = generate(kind, 149, 151, seed, []).expect("the generator exists").grid(DiagonalRule::Strict);
    let problems = in_range(&grid, 2, 20.0, 60.0, seed).expect("the map is large enough");
    let hierarchy = Arc::new(Hierarchy::of(&grid, Variant::Free));
    Place { open: Arc::new(Hierarchy::open(grid.shape(), grid.rule(), Variant::Free)), grid, hierarchy, problems }
}

fn places() -> Vec<Place> {
    ["caves", "rooms", "outdoor"].into_iter().zip(1..).map(|(kind, seed)| place(kind, seed)).collect()
}

/// The specs of the catalogue that need no databases.
fn specs() -> impl Iterator<Item = Spec> {
    let names = CATALOGUE.iter().flat_map(|entry| entry.all_samples());
    names.map(|name| Spec::parse(name).expect("samples exist")).filter(|spec| spec.needs().databases.is_empty())
}

/// An agent with all the memory of a worker.
struct Bench {
    runner: Box<dyn Runner>,
    memory: Memory,
}

impl Bench {
    fn new(spec: &Spec) -> Bench {
        Bench { runner: spec.build(), memory: Memory::default() }
    }

    fn run(&mut self, world: &mut World, place: &Place, problem: Problem, sensor: Sensor, limits: Limits) -> Outcome {
        self.memory.ties = Ties::Random(rng::stream(1, &[]));
        let setting = Setting {
            grid: &place.grid,
            geometry: &place.grid.geometry(0),
            sensor,
            hierarchy: Some(if sensor == Sensor::All { &place.hierarchy } else { &place.open }),
            databases: &[],
            limits,
            trials: Trials::Once,
            clock: None,
            too_slow: None,
            cancelled: &AtomicBool::new(false),
        };
        self.runner.run(world, &mut self.memory, problem, setting, None).expect("it is not cancelled")
    }
}

/// Runs an agent once with new memory. Returns what it reports, and what the allocator sees in arrays and in lists.
fn measured(spec: &Spec, place: &Place, problem: Problem, sensor: Sensor, limits: Limits) -> (u64, u64, u64) {
    let states = |level| if level <= place.hierarchy.top() { place.hierarchy.states(level) } else { 0 };
    STATES.iter().enumerate().for_each(|(level, number)| number.store(states(level), Relaxed));
    // The harness's own memory does not count.
    let mut world = World::default();
    Bench::new(&Spec::parse("lra").expect("it exists")).run(&mut world, place, problem, sensor, limits);
    IN_ARRAYS.store(0, Relaxed);
    IN_LISTS.store(0, Relaxed);
    PEAK_IN_LISTS.store(0, Relaxed);
    IS_COUNTING.store(true, Relaxed);
    let mut bench = Bench::new(spec);
    let outcome = bench.run(&mut world, place, problem, sensor, limits);
    drop(bench);
    IS_COUNTING.store(false, Relaxed);
    let reported = outcome.memory_bytes.expect("built-in agents report their memory");
    (reported, IN_ARRAYS.load(Relaxed) as u64, PEAK_IN_LISTS.load(Relaxed).max(0) as u64)
}

const CAPPED: Limits = Limits { cutoff: None, time_limit_ns: None, alpha: Some(20.0), cap_each_trial: false };

/// Limits under which a trial ends after its first planning episode.
const ONE_EPISODE: Limits = Limits { cutoff: Some(0), ..CAPPED };

/// The space that lists may have before they need more: up to four entries in each of 64 buckets, and small boxes.
const SPARE: u64 = 6144;

#[test]
fn reported_bytes_of_an_episode_are_those_in_use_by_the_allocator() {
    let _turn = TURN.lock();
    for place in places() {
        for spec in specs() {
            let (reported, arrays, lists) = measured(&spec, &place, place.problems[0], Sensor::All, ONE_EPISODE);
            let (name, allocated) = (spec.canonical(), arrays + lists);
            assert!(reported <= allocated, "{name} reports {reported} of {arrays} + {lists}");
            // Lists double when they are full, and some are resized to twice what they need.
            assert!(allocated <= 2 * reported + SPARE, "{name} reports {reported} of {arrays} + {lists}");
        }
    }
}

#[test]
fn reported_bytes_of_a_run_were_allocated() {
    let _turn = TURN.lock();
    for place in places() {
        for spec in specs() {
            let (reported, arrays, lists) = measured(&spec, &place, place.problems[1], Sensor::All, CAPPED);
            let name = spec.canonical();
            assert!(reported <= arrays + lists, "{name} reports {reported} of {arrays} + {lists}");
        }
    }
}

#[test]
fn reported_bytes_do_not_depend_on_earlier_problems() {
    let _turn = TURN.lock();
    let (small, large) = (place("rooms", 3), place("caves", 4));
    for sensor in [Sensor::All, Sensor::Square(4)] {
        let mut worker = (World::default(), Memory::default());
        for spec in specs() {
            let mut report = |memory: Memory| {
                let mut bench = Bench { memory, runner: spec.build() };
                let [first, _, last] = [(&large, 0), (&small, 1), (&large, 0)].map(|(place, problem)| {
                    bench.run(&mut worker.0, place, place.problems[problem], sensor, CAPPED).memory_bytes
                });
                assert_eq!(first, last, "{}", spec.canonical());
                (first, bench.memory)
            };
            let (fresh, _) = report(Memory::default());
            let (reused, memory) = report(std::mem::take(&mut worker.1));
            assert_eq!(fresh, reused, "{}", spec.canonical());
            worker.1 = memory;
        }
    }
}

#[test]
fn an_own_copy_of_the_hierarchy_counts() {
    let _turn = TURN.lock();
    let place = place("rooms", 5);
    for name in ["pr-lrts", "pra", "pr-lrta"] {
        let mut bench = Bench::new(&Spec::parse(name).expect("it exists"));
        let mut report = |sensor| {
            let outcome = bench.run(&mut World::default(), &place, place.problems[0], sensor, CAPPED);
            outcome.memory_bytes.expect("built-in agents report their memory")
        };
        let (known, discovered) = (report(Sensor::All), report(Sensor::Square(3)));
        let copy = place.open.bytes_in_use();
        assert!(known < copy && copy < discovered, "{name}: {known}, {copy}, {discovered}");
    }
}
