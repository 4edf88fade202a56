//! A heartbeat that another process sees: which problem an agent is at, in which trial and which move.
//!
//! A few numbers in a file that both have mapped. Writing them costs no more than writing to memory, and they are still
//! there when the process that wrote them has crashed or does not answer any more.

#![allow(unsafe_code)]

use memmap2::{MmapOptions, MmapRaw};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// What the numbers are, in order.
#[derive(Clone, Copy)]
enum Place {
    /// The problem's number, from 1 up; 0 where no agent is at work.
    Problem,
    Trial,
    Move,
    /// Changes with every sign of life.
    Count,
}

/// A heartbeat.
pub struct Beat(MmapRaw);

impl Beat {
    /// How many bytes its file has.
    pub const BYTES: usize = 4 * size_of::<AtomicU64>();

    /// Shows itself in a file of at least [`Beat::BYTES`].
    pub fn new(file: &File) -> io::Result<Beat> {
        if file.metadata()?.len() < Beat::BYTES as u64 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        MmapOptions::new().len(Beat::BYTES).map_raw(file).map(Beat)
    }

    /// Shows itself to nobody.
    pub fn unseen() -> io::Result<Beat> {
        MmapOptions::new().len(Beat::BYTES).map_anon().map(MmapRaw::from).map(Beat)
    }

    #[inline(always)]
    fn at(&self, place: Place) -> &AtomicU64 {
        // SAFETY: the map begins at a page and is `BYTES` long, so all four numbers lie within it and are aligned; it lives
        // as long as `self`, and whoever else has mapped the file reads and writes whole numbers, too.
        unsafe { AtomicU64::from_ptr(self.0.as_mut_ptr().cast::<u64>().add(place as usize)) }
    }

    fn set(&self, place: Place, value: u64) {
        self.at(place).store(value, Ordering::Relaxed);
    }

    fn count(&self) {
        // Nobody else writes it.
        self.set(Place::Count, self.at(Place::Count).load(Ordering::Relaxed).wrapping_add(1));
    }

    /// A problem begins.
    pub fn problem(&self, number: u64) {
        self.set(Place::Trial, 1);
        self.set(Place::Move, 1);
        self.set(Place::Problem, number + 1);
        self.count();
    }

    /// A move is about to be planned.
    #[inline(always)]
    pub fn planning(&self, trial: u64, number: u64) {
        self.set(Place::Trial, trial);
        self.set(Place::Move, number);
        self.count();
    }

    /// No agent is at work any more.
    pub fn rest(&self) {
        self.set(Place::Problem, 0);
        self.count();
    }
}
