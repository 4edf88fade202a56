//! Caves by a cellular automaton. Cells start as rock or air at random, and then take the majority of their neighbours.

use super::canvas::{Canvas, GROUND, ROCK};
use super::join::{Passages, join};
use super::{Kind, SIDES, Settings, count, measure};
use crate::grid::Shape;
use crate::rng::{Draw, Stream};

pub(super) const KIND: Kind = Kind {
    name: "caves",
    about: "Caverns and winding passages, grown by a cellular automaton.",
    options: &[
        measure("rock", 0.49, (0.3, 0.5), "the initial share of rock: a low share gives halls, a high one tunnels"),
        count("rounds", 4, (1, 20), "the number of rounds of smoothing; few rounds leave rubble"),
        count("doublings", 1, (0, 4), "how often the caves are doubled in size and smoothed, fewer on small maps"),
        count("tunnel", 2, (1, 8), "the width of the tunnels between caves, in cells"),
        measure("loops", 0.2, (0.0, 1.0), "the probability of a tunnel between two caves that are already connected"),
    ],
    draw,
};

/// The minimal open share. Caves with less are grown again from less rock.
const MIN_OPEN: f64 = 0.25;

fn draw(shape: Shape, settings: &Settings, random: &mut Stream) -> Canvas {
    let smallest = shape.width.min(shape.height);
    let doublings =
        (0..settings.integer("doublings")).take_while(|times| smallest >> (times + 1) >= *SIDES.start()).count();
    let coarse = |side: u32| side.div_ceil(1 << doublings);
    let coarse = Shape::new(coarse(shape.width), coarse(shape.height));
    let mut share = settings.number("rock");
    let rock = loop {
        let mut rock = Rock::random(coarse, share, random);
        for _ in 0..settings.integer("rounds") {
            rock = rock.next();
        }
        for _ in 0..doublings {
            rock = rock.doubled(random).next().next();
        }
        if rock.openness() >= MIN_OPEN {
            break rock;
        }
        share *= 0.9;
    };

    let mut canvas = Canvas::filled(shape, ROCK);
    for state in 0..shape.cells() as u32 {
        let (x, y) = shape.xy(state);
        if !canvas.on_edge(x, y) && !rock.is_solid(x, y) {
            canvas.set(x, y, GROUND);
        }
    }
    let passages = Passages {
        min_cells: 12 << (2 * doublings),
        width: settings.integer("tunnel"),
        max_hardness: 8,
        loops: settings.number("loops"),
    };
    join(&mut canvas, &passages, random, |_, _| ROCK, |_| GROUND);
    canvas
}

struct Rock {
    shape: Shape,
    solid: Vec<bool>,
}

impl Rock {
    fn random(shape: Shape, share: f64, random: &mut Stream) -> Rock {
        Rock { shape, solid: (0..shape.cells()).map(|_| random.chance(share)).collect() }
    }

    fn is_solid(&self, x: u32, y: u32) -> bool {
        self.solid[self.shape.state(x, y) as usize]
    }

    /// The share of air.
    fn openness(&self) -> f64 {
        self.solid.iter().filter(|solid| !**solid).count() as f64 / self.solid.len() as f64
    }

    /// Applies the majority of the nine cells in and around each cell. Cells beyond the edge are rock.
    fn next(&self) -> Rock {
        let majority = |state| {
            let neighbour = |direction| self.shape.neighbour(state, direction);
            let is_solid = |direction: &usize| neighbour(*direction).is_none_or(|cell| self.solid[cell as usize]);
            (0..8).filter(is_solid).count() + self.solid[state as usize] as usize >= 5
        };
        Rock { shape: self.shape, solid: (0..self.shape.cells() as u32).map(majority).collect() }
    }

    /// Doubles the size. An eighth of the cells change, since smoothing would otherwise give squares.
    fn doubled(&self, random: &mut Stream) -> Rock {
        let shape = Shape::new(self.shape.width * 2, self.shape.height * 2);
        let solid = (0..shape.cells() as u32)
            .map(|state| {
                let (x, y) = shape.xy(state);
                self.is_solid(x / 2, y / 2) ^ random.chance(0.125)
            })
            .collect();
        Rock { shape, solid }
    }
}
