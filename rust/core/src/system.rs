//! Services of the operating system for timed runs: the use of a core by a thread, pinning, and untouched memory.
//!
//! On a system that lacks a service, threads look as if they were never interrupted.

/// The use of a core by the current thread since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The time on a core, in nanoseconds; `None` if the system does not measure it.
    pub cpu_ns: Option<u64>,
    /// How often the system took the core away while the thread was running.
    pub interruptions: u64,
}

#[cfg(target_os = "linux")]
mod services {
    #![allow(unsafe_code)]

    use super::Usage;
    use std::mem::{MaybeUninit, zeroed};

    pub fn usage() -> Usage {
        let (mut time, mut resources) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: both calls fill the structure that they are given if they return 0, and it is read only then.
        unsafe {
            let timed = libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr()) == 0;
            let counted = libc::getrusage(libc::RUSAGE_THREAD, resources.as_mut_ptr()) == 0;
            Usage {
                cpu_ns: timed.then(|| {
                    let time = time.assume_init();
                    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
                }),
                interruptions: if counted { resources.assume_init().ru_nivcsw as u64 } else { 0 },
            }
        }
    }

    #[cfg(target_env = "gnu")]
    pub fn map_large_blocks() {
        // SAFETY: the call sets a parameter of the allocator, which may change at any time.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, 128 * 1024) };
    }

    #[cfg(not(target_env = "gnu"))]
    pub fn map_large_blocks() {}

    pub fn pin(place: Option<usize>) -> bool {
        let size = size_of::<libc::cpu_set_t>();
        // SAFETY: the sets are plain data of this size, and the numbers of cores are below that of their bits.
        unsafe {
            let mut allowed: libc::cpu_set_t = zeroed();
            if libc::sched_getaffinity(0, size, &mut allowed) != 0 {
                return false;
            }
            let cores = (0..libc::CPU_SETSIZE as usize).filter(|core| libc::CPU_ISSET(*core, &allowed));
            let core = match place {
                None => usize::try_from(libc::sched_getcpu()).ok().filter(|core| *core < libc::CPU_SETSIZE as usize),
                Some(place) => cores.clone().nth(place % cores.count()),
            };
            let mut set: libc::cpu_set_t = zeroed();
            let Some(core) = core else { return false };
            libc::CPU_SET(core, &mut set);
            libc::sched_setaffinity(0, size, &set) == 0
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod services {
    pub fn usage() -> super::Usage {
        super::Usage::default()
    }

    pub fn map_large_blocks() {}

    pub fn pin(_place: Option<usize>) -> bool {
        false
    }
}

/// The use of a core by the current thread so far.
pub fn usage() -> Usage {
    services::usage()
}

/// Keeps the current thread on one core: the one on which it runs now or, for one of several threads, the one at a
/// place among the cores that the process may use. Returns whether the system allows that.
pub fn pin(place: Option<usize>) -> bool {
    services::pin(place)
}

/// Makes large blocks of memory come from the system, untouched, whenever they are allocated. Without this, glibc
/// reuses blocks of tables that were dropped, and a new table would not be as cold as it is in a new process.
pub fn map_large_blocks() {
    services::map_large_blocks();
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn waiting_takes_no_time_on_a_core_and_work_does() {
        let before = usage().cpu_ns.expect("Linux measures it");
        std::thread::sleep(Duration::from_millis(30));
        let waited = usage().cpu_ns.expect("Linux measures it");
        assert!(waited - before < 20_000_000, "{} ns", waited - before);
        let started = Instant::now();
        while usage().cpu_ns.expect("Linux measures it") < waited + 2_000_000 {
            assert!(started.elapsed() < Duration::from_secs(60), "work takes time on a core");
        }
    }

    #[test]
    fn a_pinned_thread_stays_on_its_core() {
        for place in [None, Some(0), Some(9999)] {
            let worker = std::thread::spawn(move || {
                assert!(pin(place));
                std::thread::available_parallelism().map_or(0, |cores| cores.get())
            });
            assert_eq!(worker.join().expect("it does not panic"), 1);
        }
    }
}
