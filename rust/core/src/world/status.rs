//! The ends of trials.

use crate::graph::State;
use crate::grid::Grid;

/// The kind of a trial's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The agent reached the goal.
    Solved,
    /// The planning of one move exceeded the cutoff.
    Cutoff,
    /// The agent travelled farther than α times the optimum.
    TravelCap,
    /// The agent still learned or discovered something in the last allowed trial.
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

/// The end of a trial, displayed as the reason in records. Moves are numbered from 1.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)]
pub enum End {
    #[error("solved")]
    Solved,
    #[error("move {number} expanded {expanded} states, over {cutoff}")]
    Cutoff { number: u64, expanded: u64, cutoff: u64 },
    #[error("move {number} took {ns} ns to plan, over {limit_ns}")]
    TimeLimit { number: u64, ns: u64, limit_ns: u64 },
    #[error("travelled more than {alpha} times the optimum")]
    TravelCap { alpha: f64 },
    #[error("still learning after {trials} trials")]
    TrialCap { trials: u32 },
    #[error("move {number} could not be planned")]
    NoMove { number: u64 },
    #[error("the goal is unreachable, checked after {moves} moves")]
    Unreachable { moves: u64 },
    #[error("move {number} from {x},{y} leads to {to}")]
    Illegal { number: u64, x: u32, y: u32, to: Destination },
    #[error("move {number}: {failure}")]
    Failed { number: u64, failure: String },
}

/// The destination of an invalid move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Destination {
    #[error("the state {0}, which is outside the map")]
    Outside(State),
    #[error("{0},{1}, which is a wall")]
    Wall(u32, u32),
    #[error("{0},{1}, which is not a neighbour")]
    Distant(u32, u32),
    #[error("{0},{1}, which no legal move reaches")]
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
            End::Illegal { .. } => Status::Illegal,
            End::Failed { .. } => Status::Error,
        }
    }

    /// The end after an invalid move. Cold, so that the loop of a trial does not contain it.
    #[cold]
    pub(super) fn illegal(grid: &Grid, number: u64, from: State, to: State) -> End {
        let shape = grid.shape();
        let ((x, y), (to_x, to_y)) = (shape.xy(from), shape.xy(to));
        let to = if to as usize >= shape.cells() {
            Destination::Outside(to)
        } else if !grid.is_free(to) {
            Destination::Wall(to_x, to_y)
        } else if x.abs_diff(to_x) > 1 || y.abs_diff(to_y) > 1 {
            Destination::Distant(to_x, to_y)
        } else {
            Destination::Forbidden(to_x, to_y)
        };
        End::Illegal { number, x, y, to }
    }
}
