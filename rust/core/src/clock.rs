//! The clock of timed runs: the processor's tick counter if its rate is constant, otherwise the system's clock.
//!
//! Reading it takes a few nanoseconds, which [`Clock::overhead_ns`] measures, so it can time moves of microseconds.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A time in ticks of this clock.
pub type Ticks = u64;

#[cfg(target_arch = "x86_64")]
mod counter {
    use super::Ticks;
    use std::arch::x86_64::{__cpuid, _rdtsc};

    /// Whether the counter's rate is independent of frequency changes and sleep states (CPUID's "invariant TSC").
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

/// The start of the clock in both units, which determines the length of a tick.
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

/// A calibrated clock.
#[derive(Clone, Copy)]
pub struct Clock {
    origin: &'static Origin,
    ns_per_tick: f64,
}

impl Clock {
    /// Calibrates against the system's clock, over the time since the first clock of the process but at least 20 ms.
    pub fn calibrated() -> Clock {
        let origin = origin();
        if !origin.counter {
            return Clock { origin, ns_per_tick: 1.0 };
        }
        let minimum = Duration::from_millis(20);
        while origin.instant.elapsed() < minimum {
            std::thread::sleep(minimum - origin.instant.elapsed().min(minimum));
        }
        let elapsed = origin.instant.elapsed().as_nanos() as f64;
        Clock { origin, ns_per_tick: elapsed / (counter::read() - origin.ticks) as f64 }
    }

    /// The current time.
    #[inline(always)]
    pub fn now(&self) -> Ticks {
        if self.origin.counter { counter::read() } else { self.origin.instant.elapsed().as_nanos() as Ticks }
    }

    /// Nanoseconds between two moments.
    #[inline(always)]
    pub fn ns(&self, from: Ticks, to: Ticks) -> u64 {
        (to.saturating_sub(from) as f64 * self.ns_per_tick) as u64
    }

    /// The time that one reading of this clock takes, in nanoseconds.
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
        let (actual, expected) = (clock.ns(ticks, clock.now()) as f64, system.elapsed().as_nanos() as f64);
        assert!((actual / expected - 1.0).abs() < 0.05, "{actual} ns against {expected} ns");
        assert!(clock.overhead_ns() > 0.0);
    }
}
