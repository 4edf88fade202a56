//! How trials end.

use crate::graph::State;
use crate::grid::Grid;
use std::fmt;

/// The kind of a trial's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The agent reached the goal.
    Solved,
    /// The planning of one move exceeded the cutoff.
    Cutoff,
    /// The agent travelled farther than α times the optimum.
    TravelCap,
    /// The maximum number of trials was reached before one passed without learning or discovery.
    TrialCap,
    /// The agent found no move.
    Stuck,
    /// The agent returned an invalid move.
    Illegal,
    /// The agent failed. Only plug-ins do.
    Error,
}

impl Status {
    /// The status as records spell it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Solved => "solved",
            Status::Cutoff => "cutoff",
            Status::TravelCap => "travel-cap",
            Status::TrialCap => "trial-cap",
            Status::Stuck => "stuck",
            Status::Illegal => "illegal",
            Status::Error => "error",
        }
    }
}

/// The end of a trial. Moves are numbered from 1. Displayed as the reason in records.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum End {
    Solved,
    /// The move took too many expansions.
    Cutoff {
        number: u64,
        expanded: u64,
        cutoff: u64,
    },
    /// The move took too much time.
    TimeLimit {
        number: u64,
        ns: u64,
        limit_ns: u64,
    },
    TravelCap {
        alpha: f64,
    },
    TrialCap {
        trials: u32,
    },
    /// The agent returned no move.
    NoMove {
        number: u64,
    },
    /// No path leads to the goal, which was checked after this many moves.
    Unreachable {
        moves: u64,
    },
    Illegal(IllegalMove),
    Failed {
        number: u64,
        failure: String,
    },
}

/// An invalid move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IllegalMove {
    number: u64,
    from: (u32, u32),
    to: Destination,
}

/// The cell that an invalid move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    Outside(State),
    Wall(u32, u32),
    /// A cell that is not adjacent.
    Far(u32, u32),
    /// An adjacent cell that the diagonal rule forbids to move to, or the current cell.
    Forbidden(u32, u32),
}

impl End {
    /// The kind of end.
    pub fn status(&self) -> Status {
        match self {
            End::Solved => Status::Solved,
            End::Cutoff { .. } | End::TimeLimit { .. } => Status::Cutoff,
            End::TravelCap { .. } => Status::TravelCap,
            End::TrialCap { .. } => Status::TrialCap,
            End::NoMove { .. } | End::Unreachable { .. } => Status::Stuck,
            End::Illegal(_) => Status::Illegal,
            End::Failed { .. } => Status::Error,
        }
    }

    /// The reason in words; `None` if the problem was solved.
    pub fn reason(&self) -> Option<String> {
        (*self != End::Solved).then(|| self.to_string())
    }

    /// The end of a trial whose agent returned an invalid move. Cold, so that the loop of a trial does not contain it.
    #[cold]
    pub(super) fn illegal(grid: &Grid, number: u64, from: State, to: State) -> End {
        let shape = grid.shape();
        let ((x, y), (to_x, to_y)) = (shape.xy(from), shape.xy(to));
        let to = if to as usize >= shape.cells() {
            Destination::Outside(to)
        } else if !grid.is_free(to) {
            Destination::Wall(to_x, to_y)
        } else if x.abs_diff(to_x) > 1 || y.abs_diff(to_y) > 1 {
            Destination::Far(to_x, to_y)
        } else {
            Destination::Forbidden(to_x, to_y)
        };
        End::Illegal(IllegalMove { number, from: (x, y), to })
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Solved => f.write_str("solved"),
            End::Cutoff { number, expanded, cutoff } => {
                write!(f, "move {number} expanded {expanded} states, over {cutoff}")
            }
            End::TimeLimit { number, ns, limit_ns } => {
                write!(f, "move {number} took {ns} ns to plan, over {limit_ns}")
            }
            End::TravelCap { alpha } => write!(f, "walked past {alpha} times the optimum"),
            End::TrialCap { trials } => write!(f, "still learning after {trials} trials"),
            End::NoMove { number } => write!(f, "move {number} could not be planned"),
            End::Unreachable { moves } => write!(f, "walked {moves} moves where no way leads to the goal"),
            End::Illegal(IllegalMove { number, from: (x, y), to }) => {
                write!(f, "move {number} from {x},{y} leads to ")?;
                match to {
                    Destination::Outside(state) => write!(f, "the state {state}, which lies outside of the map"),
                    Destination::Wall(x, y) => write!(f, "{x},{y}, which is a wall"),
                    Destination::Far(x, y) => write!(f, "{x},{y}, which is a jump"),
                    Destination::Forbidden(x, y) => write!(f, "{x},{y}, where no move leads from there"),
                }
            }
            End::Failed { number, failure } => write!(f, "move {number}: {failure}"),
        }
    }
}
