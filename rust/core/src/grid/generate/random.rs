//! Independent random obstacles.

use super::canvas::{Canvas, GROUND, ROCK};
use super::{Kind, Settings, measure};
use crate::grid::Shape;
use crate::rng::{Draw, Stream};

pub(super) const KIND: Kind = Kind {
    name: "random",
    about: "Independent random obstacles on open ground.",
    // If more than 40.7% of a large grid is blocked, cardinal moves no longer connect its sides.
    options: &[measure("density", 0.25, (0.0, 0.4), "the probability that a cell is an obstacle")],
    draw,
};

fn draw(shape: Shape, settings: &Settings, random: &mut Stream) -> Canvas {
    let density = settings.number("density");
    let letters = (0..shape.cells()).map(|_| if random.chance(density) { ROCK } else { GROUND }).collect();
    Canvas { shape, letters }
}
