//! The clock of timed runs: the processor's tick counter where it runs at a constant rate, the system's clock elsewhere.
//!
//! Reading it costs a few nanoseconds, which [`overhead_ns`] measures, so that a worst move of microseconds means
//! something.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A moment, in ticks of this clock.
pub type Ticks = u64;

#[cfg(target_arch = "x86_64")]
mod counter {
    use super::Ticks;
    use std::arch::x86_64::{__cpuid, _rdtsc};

    /// Whether the counter runs at one rate whatever the processor's frequency and sleep: CPUID's "invariant TSC".
    pub fn is_steady() -> bool {
        __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & (1 << 8) != 0
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn read() -> Ticks {
        // SAFETY: every x86-64 processor has the instruction, and it only reads a counter.
        unsafe { _rdtsc() }
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod counter {
    use super::Ticks;

    pub fn is_steady() -> bool {
        false
    }

    pub fn read() -> Ticks {
        unreachable!("only steady counters are read")
    }
}

/// When the clock started, in both measures, so that one tells how long a tick of the other is.
struct Origin {
    instant: Instant,
    ticks: Ticks,
    counter: bool,
}

fn origin() -> &'static Origin {
    static ORIGIN: OnceLock<Origin> = OnceLock::new();
    ORIGIN.get_or_init(|| {
        let counter = counter::is_steady();
        Origin { instant: Instant::now(), ticks: if counter { counter::read() } else { 0 }, counter }
    })
}

/// A clock that is ready to be read.
#[derive(Clone, Copy)]
pub struct Clock {
    origin: &'static Origin,
    ns_per_tick: f64,
}

impl Clock {
    /// Calibrates against the system's clock, over the time since the first clock of this process was made, but over
    /// 20 ms at least.
    pub fn calibrated() -> Clock {
        let origin = origin();
        if !origin.counter {
            return Clock { origin, ns_per_tick: 1.0 };
        }
        let shortest = Duration::from_millis(20);
        while origin.instant.elapsed() < shortest {
            std::thread::sleep(shortest - origin.instant.elapsed().min(shortest));
        }
        let elapsed = origin.instant.elapsed().as_nanos() as f64;
        Clock { origin, ns_per_tick: elapsed / (counter::read() - origin.ticks) as f64 }
    }

    /// Now.
    #[inline(always)]
    pub fn now(&self) -> Ticks {
        if self.origin.counter { counter::read() } else { self.origin.instant.elapsed().as_nanos() as Ticks }
    }

    /// Nanoseconds between two moments.
    #[inline(always)]
    pub fn ns(&self, from: Ticks, to: Ticks) -> u64 {
        (to.saturating_sub(from) as f64 * self.ns_per_tick) as u64
    }

    /// What reading this clock once costs, in nanoseconds.
    pub fn overhead_ns(&self) -> f64 {
        const READS: u32 = 10_000;
        let start = Instant::now();
        for _ in 0..READS {
            std::hint::black_box(self.now());
        }
        start.elapsed().as_nanos() as f64 / READS as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_the_system_clock() {
        let clock = Clock::calibrated();
        let (system, ticks) = (Instant::now(), clock.now());
        std::thread::sleep(Duration::from_millis(30));
        let (ours, theirs) = (clock.ns(ticks, clock.now()) as f64, system.elapsed().as_nanos() as f64);
        assert!((ours / theirs - 1.0).abs() < 0.05, "{ours} ns against {theirs} ns");
        assert!(clock.overhead_ns() > 0.0);
    }
}
