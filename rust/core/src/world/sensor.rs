//! What an agent sees of the map from where it stands.

use crate::graph::State;
use crate::grid::Shape;
use std::fmt;
use std::str::FromStr;

/// A sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sensor {
    /// The whole map, from the start.
    All,
    /// The cells within this visibility radius, in both coordinates.
    Square(u32),
    /// The four neighbours.
    Cross,
}

/// A sensor's text that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a sensor: use all, cross or square(R) with a radius R of 1 to {most}", most = Sensor::LARGEST)]
pub struct NoSensor(String);

impl Sensor {
    /// The largest visibility radius.
    pub const LARGEST: u32 = Shape::LONGEST_SIDE;

    /// Calls `see` with every cell that is visible from `at`, itself included.
    pub fn look(self, shape: Shape, at: State, mut see: impl FnMut(State)) {
        let (x, y) = shape.xy(at);
        match self {
            Sensor::All => (0..shape.cells() as State).for_each(see),
            Sensor::Square(radius) => {
                for row in y.saturating_sub(radius)..(y + radius + 1).min(shape.height) {
                    for column in x.saturating_sub(radius)..(x + radius + 1).min(shape.width) {
                        see(shape.state(column, row));
                    }
                }
            }
            Sensor::Cross => {
                see(at);
                (0..8).step_by(2).filter_map(|direction| shape.neighbour(at, direction)).for_each(see);
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
    type Err = NoSensor;

    fn from_str(text: &str) -> Result<Sensor, NoSensor> {
        let radius = |text: &str| text.strip_prefix("square(")?.strip_suffix(')')?.trim().parse::<u32>().ok();
        match text.trim() {
            "all" => Ok(Sensor::All),
            "cross" => Ok(Sensor::Cross),
            square => match radius(square) {
                Some(radius) if (1..=Sensor::LARGEST).contains(&radius) => Ok(Sensor::Square(radius)),
                _ => Err(NoSensor(text.to_owned())),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensors_print_as_they_are_read() {
        for text in ["all", "cross", "square(10)"] {
            assert_eq!(text.parse::<Sensor>().map(|sensor| sensor.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "square", "square(0)", "square(-1)", "square(9999999)", "circle(3)"] {
            assert!(text.parse::<Sensor>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_square_ends_at_the_border() {
        let shape = Shape::new(5, 4);
        let mut seen = Vec::new();
        Sensor::Square(1).look(shape, shape.state(0, 3), |state| seen.push(shape.xy(state)));
        assert_eq!(seen, [(0, 2), (1, 2), (0, 3), (1, 3)]);
    }
}
