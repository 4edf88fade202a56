//! An agent that makes three moves like LRTA* and then misbehaves.

mod permove;

use permove::{Agent, Parameter, PastCutoff, Setup, World};
use std::ffi::CStr;

struct Bad {
    what: usize,
    left: f64,
    width: u32,
}

impl Agent for Bad {
    const NAME: &'static CStr = c"bad";
    const ABOUT: &'static CStr = c"Misbehaves at its fourth move.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::choice(c"what", c"kind of misbehaviour", c"wall jump raise crash exit hang overplan", 2.0),
        Parameter::integer(c"after", c"number of moves before it", (0.0, f64::INFINITY), 3.0),
    ];

    fn new(setup: &Setup) -> Self {
        Bad { what: setup.values[0] as usize, left: setup.values[1], width: setup.width }
    }

    fn plan(&mut self, world: &mut World) -> Result<(), PastCutoff> {
        let at = world.at();
        let successors = world.expand(at)?.to_vec();
        self.left -= 1.0;
        if self.left < 0.0 {
            let adjacent = [at.wrapping_sub(1), at + 1, at.wrapping_sub(self.width), at + self.width];
            let wall = adjacent.into_iter().find(|state| successors.iter().all(|next| next.state != *state));
            match (self.what, wall) {
                (0, Some(wall)) => {
                    world.go(wall);
                    return Ok(());
                }
                (1, _) => {
                    world.go(world.goal());
                    return Ok(());
                }
                (2, _) => panic!("no idea"),
                (3, _) => unsafe { std::ptr::null_mut::<u32>().write_volatile(1) },
                (4, _) => std::process::exit(3),
                (5, _) => loop {
                    std::hint::spin_loop();
                },
                (6, _) => loop {
                    world.expand(at)?;
                },
                _ => {}
            }
        }
        let (f, best) = successors.iter().map(|next| (next.cost + next.h, next.state)).min().unwrap();
        world.learn(at, f);
        world.go(best);
        Ok(())
    }
}

permove::agents!(Bad);
