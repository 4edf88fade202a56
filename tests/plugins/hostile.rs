//! An agent that attacks the run at its fourth move and otherwise moves like LRTA*.

mod permove;

use permove::{Agent, Parameter, PastCutoff, Setup, World};
use std::ffi::CStr;

struct Hostile {
    what: usize,
    left: f64,
}

/// Recurses without end.
fn deep(depth: u64) -> u64 {
    let here = std::hint::black_box([depth; 64]);
    if here[0] == u64::MAX { 0 } else { deep(depth + 1) + here[(depth % 64) as usize] }
}

impl Agent for Hostile {
    const NAME: &'static CStr = c"hostile";
    const ABOUT: &'static CStr = c"Attacks the run.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::choice(c"what", c"kind of attack", c"abort deep thread panic memory", 0.0),
        Parameter::integer(c"after", c"number of moves before it", (0.0, f64::INFINITY), 3.0),
    ];

    fn new(setup: &Setup) -> Self {
        Hostile { what: setup.values[0] as usize, left: setup.values[1] }
    }

    fn plan(&mut self, world: &mut World) -> Result<(), PastCutoff> {
        self.left -= 1.0;
        if self.left < 0.0 {
            match self.what {
                0 => std::process::abort(),
                1 => world.go(deep(0) as u32),
                2 => {
                    let _ = std::thread::spawn(|| std::process::exit(5)).join();
                }
                3 => panic!("\u{1b}[31mred"),
                _ => {
                    let mut kept = Vec::new();
                    loop {
                        kept.push(std::hint::black_box(vec![0u8; 100_000_000]));
                    }
                }
            }
        }
        let at = world.at();
        let (f, best) = world.expand(at)?.iter().map(|next| (next.cost + next.h, next.state)).min().unwrap();
        world.learn(at, f);
        world.go(best);
        Ok(())
    }
}

permove::agents!(Hostile);
