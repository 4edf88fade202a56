//! Sensors: the part of the map that an agent sees from its current cell: cells, and the cliffs at their edges.

use crate::graph::State;
use crate::grid::Shape;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sensor {
    /// Shows the complete map from the start.
    All,
    /// Shows the cells within this radius in both coordinates.
    Square(u32),
    /// Shows the four cardinal neighbours.
    Cross,
}

/// The error for an invalid sensor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a sensor; use all, cross or square(R) with a radius R of 1 to {max}", max = Sensor::MAX_RADIUS)]
pub struct InvalidSensor(String);

impl Sensor {
    /// The maximum radius.
    pub const MAX_RADIUS: u32 = Shape::LONGEST_SIDE;

    /// The view from `at`.
    pub fn from(self, at: State) -> View {
        View { sensor: self, at, came_from: None }
    }

    /// The view from `at` without the view from the neighbouring cell that the agent came from.
    pub fn after(self, came_from: State, at: State) -> View {
        View { sensor: self, at, came_from: Some(came_from) }
    }
}

/// The view of a sensor from one cell.
#[derive(Clone, Copy, Debug)]
pub struct View {
    pub(super) sensor: Sensor,
    pub(super) at: State,
    came_from: Option<State>,
}

impl View {
    /// Calls `see` with every cell in view, row by row.
    #[inline]
    pub fn look(self, shape: Shape, mut see: impl FnMut(State)) {
        let (x, y) = shape.xy(self.at);
        match self.sensor {
            Sensor::All => (0..shape.cells() as State).for_each(see),
            Sensor::Square(radius) => {
                let within = |at: u32, end: u32| at.saturating_sub(radius)..(at + radius + 1).min(end);
                let (columns, rows) = (within(x, shape.width), within(y, shape.height));
                let Some(came_from) = self.came_from else {
                    for row in rows {
                        columns.clone().for_each(|column| see(shape.state(column, row)));
                    }
                    return;
                };
                // One step uncovers at most a column and a row.
                let (from_x, from_y) = shape.xy(came_from);
                let uncovered = |at: u32, from: u32, seen: &Range<u32>| match at.cmp(&from) {
                    Ordering::Less => at.checked_sub(radius),
                    Ordering::Equal => None,
                    Ordering::Greater => Some(at + radius).filter(|last| seen.contains(last)),
                };
                if let Some(row) = uncovered(y, from_y, &rows) {
                    columns.clone().for_each(|column| see(shape.state(column, row)));
                }
                if let Some(column) = uncovered(x, from_x, &columns) {
                    rows.for_each(|row| see(shape.state(column, row)));
                }
            }
            Sensor::Cross => {
                // The agent is on a free cell, so only the four cells around it can be new.
                (0..8).step_by(2).filter_map(|direction| shape.neighbour(self.at, direction)).for_each(see);
            }
        }
    }
}

impl fmt::Display for Sensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sensor::All => f.write_str("all"),
            Sensor::Square(radius) => write!(f, "square({radius})"),
            Sensor::Cross => f.write_str("cross"),
        }
    }
}

impl FromStr for Sensor {
    type Err = InvalidSensor;

    fn from_str(text: &str) -> Result<Sensor, InvalidSensor> {
        let radius = |text: &str| text.strip_prefix("square(")?.strip_suffix(')')?.trim().parse::<u32>().ok();
        match text.trim() {
            "all" => Ok(Sensor::All),
            "cross" => Ok(Sensor::Cross),
            square => match radius(square) {
                Some(radius) if (1..=Sensor::MAX_RADIUS).contains(&radius) => Ok(Sensor::Square(radius)),
                _ => Err(InvalidSensor(text.to_owned())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn sensors_parse_and_print() {
        for text in ["all", "cross", "square(10)"] {
            assert_eq!(text.parse::<Sensor>().map(|sensor| sensor.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "square", "square(0)", "square(-1)", "square(9999999)", "circle(3)"] {
            assert!(text.parse::<Sensor>().is_err(), "{text}");
        }
    }

    fn seen(shape: Shape, view: View) -> BTreeSet<State> {
        let mut seen = BTreeSet::new();
        view.look(shape, |state| {
            seen.insert(state);
        });
        seen
    }

    #[test]
    fn a_square_ends_at_the_border() {
        let shape = Shape::new(5, 4);
        let states = seen(shape, Sensor::Square(1).from(shape.state(0, 3)));
        assert_eq!(states.into_iter().map(|s| shape.xy(s)).collect::<Vec<_>>(), [(0, 2), (1, 2), (0, 3), (1, 3)]);
    }

    proptest! {
        #[test]
        fn a_step_shows_the_cells_that_were_not_in_view_before(
            width in 1u32..12, height in 1u32..12, place in any::<prop::sample::Index>(), direction in 0..8usize,
            radius in 1u32..14
        ) {
            let shape = Shape::new(width, height);
            let from = place.index(shape.cells()) as State;
            let Some(at) = shape.neighbour(from, direction) else { return Ok(()) };
            let sensor = Sensor::Square(radius);
            let (before, now) = (seen(shape, sensor.from(from)), seen(shape, sensor.from(at)));
            let fresh: BTreeSet<State> = now.difference(&before).copied().collect();
            prop_assert_eq!(seen(shape, sensor.after(from, at)), fresh);
        }
    }
}
