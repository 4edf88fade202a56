//! Value noise: random heights on a lattice, smoothly interpolated, in octaves of halving size.

use crate::rng::Stream;
use rand::Rng;

/// A smooth landscape of heights in [0, 1).
pub(super) struct Noise {
    seed: u64,
    /// The size of the largest hills, in cells.
    grain: f64,
    octaves: u32,
}

impl Noise {
    pub fn new(grain: f64, octaves: u32, random: &mut Stream) -> Noise {
        Noise { seed: random.next_u64(), grain, octaves }
    }

    pub fn at(&self, x: f64, y: f64) -> f64 {
        let (mut sum, mut weight, mut weights) = (0.0, 1.0, 0.0);
        let (mut x, mut y) = (x / self.grain, y / self.grain);
        for octave in 0..self.octaves {
            sum += weight * self.octave(octave, x, y);
            weights += weight;
            // The rotation by the angle of the triangle 3, 4, 5 keeps the lattices of octaves from lining up.
            (weight, x, y) = (weight / 2.0, 2.0 * (0.8 * x - 0.6 * y), 2.0 * (0.6 * x + 0.8 * y));
        }
        sum / weights
    }

    fn octave(&self, octave: u32, x: f64, y: f64) -> f64 {
        let (left, top) = (x.floor(), y.floor());
        let (right_weight, bottom_weight) = (smooth(x - left), smooth(y - top));
        let corner = |dx: i64, dy: i64| lattice(self.seed, octave, left as i64 + dx, top as i64 + dy);
        let row = |dy| blend(corner(0, dy), corner(1, dy), right_weight);
        blend(row(0), row(1), bottom_weight)
    }
}

fn blend(a: f64, b: f64, weight: f64) -> f64 {
    a + (b - a) * weight
}

/// Interpolates from 0 to 1 with level ends, which hides the lattice.
fn smooth(t: f64) -> f64 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// The height at a point of the lattice, a hash of its coordinates.
fn lattice(seed: u64, octave: u32, x: i64, y: i64) -> f64 {
    let mut bits = seed ^ (octave as u64) << 58;
    for coordinate in [x, y] {
        bits = (bits ^ coordinate as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        bits ^= bits >> 29;
    }
    (bits >> 11) as f64 / (1u64 << 53) as f64
}
