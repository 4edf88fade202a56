//! Threads that work side by side and hand over what they finish, for whoever waits, watches or stops them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

/// How far some work is, and the way to stop it.
#[derive(Default)]
pub struct Progress {
    finished: AtomicU64,
    cancelled: AtomicBool,
}

impl Progress {
    /// How many units of the work are done.
    pub fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Asks to stop: nothing further is started, and what is under way is abandoned.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether someone has asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The same as something to look at again and again.
    pub(crate) fn cancelled(&self) -> &AtomicBool {
        &self.cancelled
    }

    /// One more unit is done.
    pub(crate) fn advance(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }
}

/// One for every core, where nobody says how many.
pub fn threads(jobs: usize) -> usize {
    if jobs == 0 { std::thread::available_parallelism().map_or(1, |cores| cores.get()) } else { jobs }
}

/// Workers on their way. Dropped, they are cancelled and waited for.
pub(crate) struct Workers<T> {
    progress: Arc<Progress>,
    results: Receiver<T>,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Send + 'static> Workers<T> {
    /// Starts so many threads, each of which does `work` and sends what it finishes. Nobody listens any more only where the
    /// workers were dropped, which cancels them, too.
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

    /// Waits up to `timeout` for something and returns all that there is; none once everything was handed over.
    ///
    /// # Panics
    /// Where a worker did: nothing that a user gives makes one panic.
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

    /// A handle on the progress, for others than who waits.
    pub(crate) fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }
}

impl<T> Drop for Workers<T> {
    fn drop(&mut self) {
        self.progress.cancel();
        for thread in self.threads.drain(..) {
            // A worker that panicked has printed why.
            let _ = thread.join();
        }
    }
}
