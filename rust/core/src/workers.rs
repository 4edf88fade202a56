//! Worker threads that send results. The caller can wait for them, watch their progress and stop them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// The progress of some work, with the means to cancel it.
#[derive(Default)]
pub struct Progress {
    finished: AtomicU64,
    cancelled: AtomicBool,
}

impl Progress {
    /// The number of finished units of work.
    pub fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Requests a stop: no further unit is started, and units in progress are abandoned.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The flag of a requested stop, for work that polls it.
    pub(crate) fn cancelled(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// Counts one more finished unit.
    pub(crate) fn advance(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }
}

/// The number of threads for `jobs`, where 0 means one per core.
pub fn threads(jobs: usize) -> usize {
    if jobs == 0 { std::thread::available_parallelism().map_or(1, |cores| cores.get()) } else { jobs }
}

/// Running workers. Dropping them cancels them and waits for them.
pub(crate) struct Workers<T> {
    progress: Arc<Progress>,
    results: Receiver<T>,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Send + 'static> Workers<T> {
    /// Starts `count` threads, each of which runs `work` and sends its results. Sending fails only after
    /// the workers were dropped, which also cancels them.
    pub(crate) fn start(
        count: usize,
        progress: Arc<Progress>,
        work: impl Fn(Sender<T>) + Clone + Send + 'static,
    ) -> Workers<T> {
        let (sender, results) = channel();
        let thread = |_| {
            let (work, sender) = (work.clone(), sender.clone());
            std::thread::spawn(move || work(sender))
        };
        Workers { progress, results, threads: (0..count).map(thread).collect() }
    }

    /// Waits up to `timeout` for a result and returns all available ones, or `None` after the last.
    ///
    /// # Panics
    /// If a worker panicked, which no input of a user can cause.
    pub(crate) fn next(&mut self, timeout: Duration) -> Option<Vec<T>> {
        match self.results.recv_timeout(timeout) {
            Ok(result) => Some(std::iter::once(result).chain(self.results.try_iter()).collect()),
            Err(RecvTimeoutError::Timeout) => Some(Vec::new()),
            Err(RecvTimeoutError::Disconnected) => {
                for thread in self.threads.drain(..) {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                }
                None
            }
        }
    }

    /// A handle on the progress, for threads other than the one that waits.
    pub(crate) fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }
}

impl<T> Drop for Workers<T> {
    fn drop(&mut self) {
        self.progress.cancel();
        for thread in self.threads.drain(..) {
            // A worker that panicked has already printed the reason.
            let _ = thread.join();
        }
    }
}
