//! Problems from Python: rows of a structured array with a field for each column.

use crate::error::input_error;
use crate::grid::Grid;
use numpy::PyReadonlyArray1;
use permove_core::batch::Placed;
use permove_core::cost::Length;
use permove_core::problems::Problem;
use pyo3::prelude::*;
use std::ops::Deref;

pub const COLUMNS: [&str; 8] = ["grid", "start_x", "start_y", "goal_x", "goal_y", "cardinal", "diagonal", "ordinal"];

/// Reads all problems of an array.
pub fn problems(grids: &[impl Deref<Target = Grid>], rows: &Bound<'_, PyAny>) -> PyResult<Vec<Placed>> {
    let columns = fields(rows, |column| column.extract::<PyReadonlyArray1<'_, i64>>())?;
    let columns = columns.each_ref().map(|column| column.as_array());
    let row = |i: usize| placed(grids, columns.map(|column| column[i]));
    (0..columns[0].len()).map(row).collect()
}

/// Reads one row as a problem of this grid, and ignores its grid number.
pub fn problem(grid: &Grid, row: &Bound<'_, PyAny>) -> PyResult<Placed> {
    let [_, others @ ..] = fields(row, |field| field.extract::<i64>())?;
    let mut row = [0; COLUMNS.len()];
    row[1..].copy_from_slice(&others);
    placed(&[grid], row)
}

/// The fields of an array or of one of its rows.
fn fields<'py, T>(
    rows: &Bound<'py, PyAny>,
    read: impl Fn(Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<[T; COLUMNS.len()]> {
    let field = |name: &&str| {
        let found = rows.get_item(*name).and_then(&read);
        found.map_err(|error| input_error(format!("problems need a column '{name}' of 64-bit integers ({error})")))
    };
    let fields = COLUMNS.iter().map(field).collect::<PyResult<Vec<T>>>()?;
    Ok(fields.try_into().unwrap_or_else(|_| unreachable!("one field for each column")))
}

fn placed(
    grids: &[impl Deref<Target = Grid>],
    [grid, start_x, start_y, goal_x, goal_y, cardinal, diagonal, ordinal]: [i64; COLUMNS.len()],
) -> PyResult<Placed> {
    let unsigned = |value: i64| u64::try_from(value).map_err(|_| input_error("a problem has a negative number"));
    let number = unsigned(grid)? as usize;
    let grid =
        grids.get(number).ok_or_else(|| input_error(format!("a problem is on grid {number}, which does not exist")))?;
    let (start, goal) = (grid.state(start_x, start_y)?, grid.state(goal_x, goal_y)?);
    for state in [start, goal] {
        if !grid.0.is_free(state) {
            let (x, y) = grid.0.shape().xy(state);
            return Err(input_error(format!("the cell ({x}, {y}) is an obstacle; start and goal must be free")));
        }
    }
    let optimal = Length { cardinal: unsigned(cardinal)?, diagonal: unsigned(diagonal)? };
    Ok(Placed { grid: number as u32, ordinal: unsigned(ordinal)?, problem: Problem { start, goal, optimal } })
}
