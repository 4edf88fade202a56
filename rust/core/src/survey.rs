//! What can be told of a problem in microseconds, before anybody walks: for who chooses an algorithm by the problem at
//! hand (per-map-selection-2016 asks for that in Section 7).
//!
//! A map is prepared once: sums over all rectangles from a corner tell in four lookups how much of any rectangle is
//! blocked, how many walls it has and how narrow it is, and the clique abstraction stands in for the map where a way is
//! looked for. A problem then takes a line from start to goal, some lookups and one small search.

use crate::abstraction::Hierarchy;
use crate::abstraction::graph::AbstractGraph;
use crate::cost::CARDINAL;
use crate::graph::{Graph, State};
use crate::grid::Grid;
use crate::meter::Meter;
use crate::search::best_first::{BestFirst, Rules};
use crate::search::ties::Ties;

/// The names of the features, in order.
pub const FEATURES: [&str; 33] = [
    "distance",
    "slant",
    "abstract_distance",
    "detour",
    "climb",
    "highest_climb",
    "abstract_moves",
    "abstract_effort",
    "blocked_on_line",
    "walls_on_line",
    "longest_block",
    "sight_from_start",
    "sight_from_goal",
    "blocked_between",
    "walls_between",
    "narrow_between",
    "blocked_at_start_4",
    "blocked_at_start_16",
    "blocked_at_start_48",
    "walls_at_start_16",
    "narrow_at_start_16",
    "blocked_at_goal_4",
    "blocked_at_goal_16",
    "blocked_at_goal_48",
    "walls_at_goal_16",
    "narrow_at_goal_16",
    "exits_at_start",
    "exits_at_goal",
    "map_free",
    "map_blocked",
    "map_walls",
    "map_narrow",
    "map_side",
];

/// So many features has a problem.
pub const COUNT: usize = FEATURES.len();

/// The abstract search runs on the lowest level with no more states than this: some tens of microseconds.
const MOST_STATES: usize = 500;

/// Sums over all rectangles that begin in a corner of a map.
struct Sums {
    width: usize,
    sums: Vec<u32>,
}

impl Sums {
    fn new(grid: &Grid, value: impl Fn(State) -> u32) -> Sums {
        let shape = grid.shape();
        let width = shape.width as usize + 1;
        let mut sums = vec![0; width * (shape.height as usize + 1)];
        for y in 0..shape.height {
            let mut row = 0;
            for x in 0..shape.width {
                row += value(shape.state(x, y));
                let at = (y as usize + 1) * width + x as usize + 1;
                sums[at] = sums[at - width] + row;
            }
        }
        Sums { width, sums }
    }

    /// The sum over a rectangle.
    fn over(&self, window: Window) -> u32 {
        let at = |x: u32, y: u32| self.sums[y as usize * self.width + x as usize];
        let Window { left, top, right, bottom } = window;
        at(right, bottom) + at(left, top) - at(right, top) - at(left, bottom)
    }
}

/// A rectangle of cells, its right and lower ends excluded.
#[derive(Clone, Copy)]
struct Window {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

impl Window {
    fn cells(self) -> f32 {
        ((self.right - self.left) * (self.bottom - self.top)) as f32
    }
}

/// A map that problems are looked at on.
pub struct Survey<'a> {
    grid: &'a Grid,
    hierarchy: &'a Hierarchy,
    /// The level of the abstract search; 0 where the hierarchy has no other.
    level: usize,
    blocked: Sums,
    walls: Sums,
    narrow: Sums,
    search: BestFirst,
    path: Vec<State>,
}

impl<'a> Survey<'a> {
    /// Prepares a map with its hierarchy.
    pub fn new(grid: &'a Grid, hierarchy: &'a Hierarchy) -> Survey<'a> {
        let moves = |state: State| grid.moves()[state as usize];
        // Free cells with a wall on their eastern or southern side, or the other way round.
        let wall = |state: State| {
            let is_wall = |direction| {
                grid.shape().neighbour(state, direction).is_some_and(|to| grid.is_free(to) != grid.is_free(state))
            };
            is_wall(2) as u32 + is_wall(4) as u32
        };
        let few = |state: State| (grid.is_free(state) && moves(state).count_ones() <= 4) as u32;
        let level = (1..=hierarchy.top()).find(|level| hierarchy.states(*level) <= MOST_STATES);
        Survey {
            grid,
            hierarchy,
            level: level.unwrap_or(hierarchy.top()),
            blocked: Sums::new(grid, |state| !grid.is_free(state) as u32),
            walls: Sums::new(grid, wall),
            narrow: Sums::new(grid, few),
            search: BestFirst::default(),
            path: Vec::new(),
        }
    }

    /// The features of the problem between two free cells. Distances are in cells, shares between 0 and 1; of what cannot be
    /// reached the distance is 0.
    pub fn of(&mut self, start: State, goal: State) -> [f32; COUNT] {
        let shape = self.grid.shape();
        let ((x, y), (goal_x, goal_y)) = (shape.xy(start), shape.xy(goal));
        let (dx, dy) = (x.abs_diff(goal_x), y.abs_diff(goal_y));
        let longer = dx.max(dy) as f32;
        let distance = longer + dx.min(dy) as f32 * (std::f32::consts::SQRT_2 - 1.0);
        let way = self.way(start, goal);
        let line = self.line((x, y), (goal_x, goal_y));
        let between = self.window((x.min(goal_x), y.min(goal_y)), (x.max(goal_x), y.max(goal_y)), 4);
        let whole = Window { left: 0, top: 0, right: shape.width, bottom: shape.height };
        let share = |sums: &Sums, window: Window| sums.over(window) as f32 / window.cells();
        let near = |(x, y): (u32, u32)| {
            let window = |radius| self.window((x, y), (x, y), radius);
            [
                share(&self.blocked, window(4)),
                share(&self.blocked, window(16)),
                share(&self.blocked, window(48)),
                share(&self.walls, window(16)),
                share(&self.narrow, window(16)),
            ]
        };
        let exits = |state: State| self.grid.moves()[state as usize].count_ones() as f32;
        let parts: [&[f32]; 8] = [
            &[distance, dx.min(dy) as f32 / longer.max(1.0)],
            &way,
            &line,
            &[&self.blocked, &self.walls, &self.narrow].map(|sums| share(sums, between)),
            &near((x, y)),
            &near((goal_x, goal_y)),
            &[exits(start), exits(goal), (whole.cells() - self.blocked.over(whole) as f32).sqrt()],
            &[
                share(&self.blocked, whole),
                share(&self.walls, whole),
                share(&self.narrow, whole),
                shape.width.max(shape.height) as f32,
            ],
        ];
        let mut features = [0.0; COUNT];
        let all = parts.into_iter().flatten();
        features.iter_mut().zip(all).for_each(|(feature, value)| *feature = *value);
        features
    }

    /// The rectangle around two corners, and `margin` cells more on each side.
    fn window(&self, (left, top): (u32, u32), (right, bottom): (u32, u32), margin: u32) -> Window {
        let shape = self.grid.shape();
        Window {
            left: left.saturating_sub(margin),
            top: top.saturating_sub(margin),
            right: (right + margin + 1).min(shape.width),
            bottom: (bottom + margin + 1).min(shape.height),
        }
    }

    /// The abstract way: its length, that over the straight one's, how far it leads away from the goal, all in all and at
    /// most, both over the straight one's length, its moves, and how many states were expanded for each.
    fn way(&mut self, start: State, goal: State) -> [f32; 6] {
        if self.level == 0 {
            return [0.0; 6];
        }
        let region = |state| self.hierarchy.ancestor(0, state, self.level);
        let (from, to) = (region(start), region(goal));
        let graph = AbstractGraph::<false>::new(self.hierarchy, self.level);
        let mut meter = Meter::new(&graph, None);
        self.path.clear();
        let rules = Rules::consistent(|_, h0| h0);
        if from == to || !self.search.find(&mut meter, &mut Ties::First, from, to, rules, &mut self.path) {
            return [0.0; 6];
        }
        let cells = |cost| cost as f32 / CARDINAL as f32;
        let to_goal = graph.to_goal(to);
        let straight = graph.heuristic_to(to_goal, from).max(CARDINAL);
        let (mut nearest, mut last, mut climb, mut highest) = (straight, straight, 0, 0);
        for state in &self.path {
            let h = graph.heuristic_to(to_goal, *state);
            climb += h.saturating_sub(last);
            highest = highest.max(h.saturating_sub(nearest));
            (nearest, last) = (nearest.min(h), h);
        }
        let (length, moves) = (self.search.g(to), self.path.len() as f32);
        let over = |cost| cost as f32 / straight as f32;
        [cells(length), over(length), over(climb), over(highest), moves, meter.effort().expanded as f32 / moves]
    }

    /// The straight line: the share of it that is blocked, how often it runs into a wall, the share of its longest blocked
    /// piece, and how much of it is free from the start on and from the goal on.
    fn line(&self, (x, y): (u32, u32), (goal_x, goal_y): (u32, u32)) -> [f32; 5] {
        let steps = x.abs_diff(goal_x).max(y.abs_diff(goal_y)).max(1);
        let (mut blocked, mut walls, mut piece, mut longest) = (0, 0, 0u32, 0);
        let (mut first, mut last) = (steps, 0);
        for step in 0..=steps {
            // The cell nearest to the line.
            let along = |from: u32, to: u32| {
                let twice = 2 * from as i64 * steps as i64 + 2 * (to as i64 - from as i64) * step as i64 + steps as i64;
                (twice / (2 * steps as i64)) as u32
            };
            let is_free = self.grid.is_free(self.grid.shape().state(along(x, goal_x), along(y, goal_y)));
            piece = if is_free { 0 } else { piece + 1 };
            longest = longest.max(piece);
            walls += (piece == 1) as u32;
            if !is_free {
                blocked += 1;
                (first, last) = (first.min(step), step);
            }
        }
        let share = |cells: u32| cells as f32 / steps as f32;
        [share(blocked), walls as f32, share(longest), share(first), share(steps - last)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::DiagonalRule;
    use crate::testing::worlds;
    use proptest::prelude::*;

    fn of(grid: &Grid, start: (u32, u32), goal: (u32, u32)) -> impl Fn(&str) -> f32 {
        let hierarchy = Hierarchy::of(grid);
        let state = |(x, y)| grid.shape().state(x, y);
        let features = Survey::new(grid, &hierarchy).of(state(start), state(goal));
        move |name| features[FEATURES.iter().position(|known| *known == name).expect("it is a feature")]
    }

    #[test]
    fn a_wall_in_the_way_is_seen() {
        let rows = ["..........", "....@.....", "....@.....", "....@.....", ".........."];
        let grid = Grid::drawn(DiagonalRule::Free, &rows);
        let told = of(&grid, (0, 2), (9, 2));
        assert_eq!((told("distance"), told("slant")), (9.0, 0.0));
        assert_eq!((told("blocked_on_line"), told("walls_on_line")), (1.0 / 9.0, 1.0));
        assert_eq!((told("sight_from_start"), told("sight_from_goal")), (4.0 / 9.0, 5.0 / 9.0));
        assert_eq!(told("map_blocked"), 3.0 / 50.0);
        assert_eq!(told("map_walls"), 8.0 / 50.0);
        let open = of(&grid, (0, 0), (9, 0));
        assert_eq!((open("blocked_on_line"), open("walls_on_line"), open("sight_from_start")), (0.0, 0.0, 1.0));
    }

    proptest! {
        #[test]
        fn features_are_numbers_and_windows_count_what_is_in_them(world in worlds(60), radius in 0..50u32) {
            let Some((grid, problem)) = world else { return Ok(()) };
            let hierarchy = Hierarchy::of(&grid);
            let mut survey = Survey::new(&grid, &hierarchy);
            let features = survey.of(problem.start, problem.goal);
            prop_assert!(features.iter().all(|feature| feature.is_finite() && *feature >= 0.0), "{:?}", features);
            prop_assert_eq!(features, survey.of(problem.start, problem.goal));
            let shape = grid.shape();
            let (x, y) = shape.xy(problem.start);
            let inside = |state: &State| {
                let (other_x, other_y) = shape.xy(*state);
                other_x.abs_diff(x).max(other_y.abs_diff(y)) <= radius
            };
            let cells: Vec<State> = (0..shape.cells() as State).filter(inside).collect();
            let window = survey.window((x, y), (x, y), radius);
            prop_assert_eq!(window.cells() as usize, cells.len());
            let blocked = cells.iter().filter(|state| !grid.is_free(**state)).count();
            prop_assert_eq!(survey.blocked.over(window) as usize, blocked);
        }
    }
}
