//! A heartbeat for another process: the current problem, trial and move of an agent.
//!
//! It consists of a few numbers in a file that both processes have mapped. Writing them is as fast as writing to
//! memory, and they remain readable after the writing process has crashed or stopped responding.

#![allow(unsafe_code)]

use memmap2::{MmapOptions, MmapRaw};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// The numbers, in order.
#[derive(Clone, Copy)]
enum Place {
    /// The problem's number, from 1; 0 if no agent is running.
    Problem,
    Trial,
    Move,
    /// Changes with every heartbeat.
    Count,
}

/// A heartbeat.
pub struct Heartbeat(MmapRaw);

impl Heartbeat {
    /// The minimum size of its file.
    pub const BYTES: usize = 4 * size_of::<AtomicU64>();

    /// A heartbeat in a file of at least [`Heartbeat::BYTES`].
    pub fn new(file: &File) -> io::Result<Heartbeat> {
        if file.metadata()?.len() < Heartbeat::BYTES as u64 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        MmapOptions::new().len(Heartbeat::BYTES).map_raw(file).map(Heartbeat)
    }

    /// A heartbeat that no other process reads.
    pub fn unseen() -> io::Result<Heartbeat> {
        MmapOptions::new().len(Heartbeat::BYTES).map_anon().map(MmapRaw::from).map(Heartbeat)
    }

    #[inline(always)]
    fn at(&self, place: Place) -> &AtomicU64 {
        // SAFETY: the map starts at a page and has `BYTES` bytes, so all four numbers are inside and aligned. It lives
        // as long as `self`. Other processes also read and write complete numbers.
        unsafe { AtomicU64::from_ptr(self.0.as_mut_ptr().cast::<u64>().add(place as usize)) }
    }

    fn set(&self, place: Place, value: u64) {
        self.at(place).store(value, Ordering::Relaxed);
    }

    fn count(&self) {
        // No other process writes it.
        self.set(Place::Count, self.at(Place::Count).load(Ordering::Relaxed).wrapping_add(1));
    }

    /// Shows that a problem begins.
    pub fn problem(&self, number: u64) {
        self.set(Place::Trial, 1);
        self.set(Place::Move, 1);
        self.set(Place::Problem, number + 1);
        self.count();
    }

    /// Shows that a move is about to be planned.
    #[inline(always)]
    pub fn planning(&self, trial: u64, number: u64) {
        self.set(Place::Trial, trial);
        self.set(Place::Move, number);
        self.count();
    }

    /// Shows that no agent is running.
    pub fn rest(&self) {
        self.set(Place::Problem, 0);
        self.count();
    }
}
