//! Outdoor terrain from smooth noise: water in hollows, forests along ridges, cliffs between terraces.
//!
//! Long forests and cliffs enclose basins, as on the maps of strategy games, with passes, ramps and fords between them.

use super::canvas::{Canvas, GROUND, ROCK, Rectangle, SWAMP, TREES, WATER};
use super::join::{Passages, join};
use super::noise::Noise;
use super::{Kind, Settings, measure};
use crate::grid::Shape;
use crate::rng::{Draw, Stream};

pub(super) const KIND: Kind = Kind {
    name: "outdoor",
    about: "Open ground with lakes, forests and cliffs, as on the maps of strategy games.",
    options: &[
        measure("grain", 48.0, (4.0, 256.0), "the size of hills and forests, in cells; at most half the map"),
        measure("water", 0.12, (0.0, 0.3), "the share of the map under water"),
        measure("trees", 0.25, (0.0, 0.4), "the share of the map under trees"),
        measure("terraces", 4.0, (1.0, 12.0), "the number of levels with cliffs between them"),
        measure("ramps", 0.4, (0.0, 1.0), "the share of cliffs that are ramps"),
    ],
    draw,
};

fn draw(shape: Shape, settings: &Settings, random: &mut Stream) -> Canvas {
    let grain = settings.number("grain").min(shape.width.min(shape.height) as f64 / 2.0);
    let land = Land::new(shape, grain, random);
    let mut canvas = Canvas::filled(shape, GROUND);

    cliffs(&mut canvas, &land, settings, grain, random);
    let forest = quantile(&land.woods, settings.number("trees"));
    let shore = quantile(&land.height, settings.number("water"));
    let marsh = quantile(&land.height, settings.number("water") * 1.5);
    for state in 0..shape.cells() {
        let letter = &mut canvas.letters[state];
        let height = land.height[state];
        if height < shore {
            *letter = WATER;
        } else if land.woods[state] < forest {
            *letter = TREES;
        } else if height < marsh && *letter == GROUND {
            *letter = SWAMP;
        } else if *letter == GROUND && random.chance(0.004) {
            *letter = TREES;
        }
    }
    for state in 0..shape.cells() as u32 {
        let (x, y) = shape.xy(state);
        if canvas.on_edge(x, y) {
            canvas.set(x, y, ROCK);
        }
    }

    let passages = Passages {
        min_cells: ((grain * grain / 12.0) as usize).min(shape.cells() / 200),
        width: (grain / 14.0) as u32 + 1,
        max_hardness: 4,
        loops: 0.35,
    };
    // The western neighbour of a pocket's cell is an obstacle, or a cell of the pocket that is already filled.
    let filled = |canvas: &Canvas, state: u32| canvas.letters[state as usize - 1];
    join(&mut canvas, &passages, random, filled, |letter| if letter == WATER { SWAMP } else { GROUND });
    canvas
}

/// The noise values of all cells.
struct Land {
    height: Vec<f64>,
    /// Low at trees, which follow winding lines and the edge of the map.
    woods: Vec<f64>,
}

impl Land {
    fn new(shape: Shape, grain: f64, random: &mut Stream) -> Land {
        let hills = Noise::new(grain * 1.5, 5, random);
        let rivers = Noise::new(grain * 2.0, 3, random);
        let ridges = Noise::new(grain * 0.8, 4, random);
        let groves = Noise::new(grain * 0.4, 3, random);
        let clearings = Noise::new(grain, 3, random);
        // Distorted coordinates make noise look like land.
        let (bend_x, bend_y) = (Noise::new(grain, 3, random), Noise::new(grain, 3, random));
        let margin = grain / 3.0;
        let (mut height, mut woods) = (Vec::with_capacity(shape.cells()), Vec::with_capacity(shape.cells()));
        for state in 0..shape.cells() as u32 {
            let (column, row) = shape.xy(state);
            let (x, y) = (column as f64, row as f64);
            let bend = |noise: &Noise| grain * 1.2 * (noise.at(x, y) - 0.5);
            let (bent_x, bent_y) = (x + bend(&bend_x), y + bend(&bend_y));
            let line = |noise: &Noise| (noise.at(bent_x, bent_y) - 0.5).abs();
            let bed = (0.06 - line(&rivers)).max(0.0);
            height.push(hills.at(bent_x, bent_y) - 4.0 * bed);
            let to_edge = column.min(row).min(shape.width - 1 - column).min(shape.height - 1 - row) as f64;
            let edge = (to_edge / margin).min(1.0) - 1.0;
            let trees = line(&ridges).min(line(&groves) + 0.05);
            woods.push(trees + 0.3 * clearings.at(bent_y, bent_x) + 0.3 * edge);
        }
        Land { height, woods }
    }
}

/// Draws cliffs between terraces, with ramps.
fn cliffs(canvas: &mut Canvas, land: &Land, settings: &Settings, grain: f64, random: &mut Stream) {
    let shape = canvas.shape;
    let thickness = (grain / 24.0) as u32 + 1;
    let ramps = Noise::new(grain / 2.0, 2, random);
    let openness: Vec<f64> = (0..shape.cells() as u32)
        .map(|state| {
            let (x, y) = shape.xy(state);
            ramps.at(x as f64, y as f64)
        })
        .collect();
    let open = quantile(&openness, settings.number("ramps"));
    let (bottom, top) = (quantile(&land.height, 0.0), quantile(&land.height, 1.0));
    let terrace = |state: u32| {
        ((land.height[state as usize] - bottom) / (top - bottom) * settings.number("terraces")).floor() as u32
    };
    for state in 0..shape.cells() as u32 {
        let steps_down = (0..8)
            .filter_map(|direction| shape.neighbour(state, direction))
            .any(|neighbour| terrace(neighbour) < terrace(state));
        let (x, y) = shape.xy(state);
        if steps_down && openness[state as usize] >= open && !canvas.on_edge(x, y) {
            let near = |(near_x, near_y): &(u32, u32)| near_x.abs_diff(x) + near_y.abs_diff(y) <= thickness * 2 / 3;
            let cells = Rectangle::around(x, y, thickness, shape).cells();
            cells.filter(near).for_each(|(x, y)| canvas.set(x, y, ROCK));
        }
    }
}

/// The quantile of a given share of the values.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    let rank = (share * (values.len() - 1) as f64) as usize;
    *sorted.select_nth_unstable_by(rank, f64::total_cmp).1
}
