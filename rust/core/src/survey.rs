//! Features of a problem that take microseconds to compute, for the selection of an algorithm per problem
//! (per-map-selection-2016, Section 7).
//!
//! Each map is prepared once. Sums over all rectangles from a corner give the blocked cells, the walls and the narrow
//! cells of any rectangle in four lookups, and a path is searched on the clique abstraction instead of the map. A
//! problem then takes a line from start to goal, some lookups and one small search.

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

/// The number of features of a problem.
pub const COUNT: usize = FEATURES.len();

/// The abstract search runs on the lowest level with at most this many states, which takes tens of microseconds.
const MAX_STATES: usize = 500;

/// Sums over all rectangles from the first corner of a map.
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

/// A rectangle of cells, with excluded right and lower ends.
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

/// A map, prepared for the features of its problems.
pub struct Survey<'a> {
    grid: &'a Grid,
    hierarchy: &'a Hierarchy,
    /// The level of the abstract search; 0 if the hierarchy has no other.
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
        let has_cliff = |state: State, direction: usize| {
            grid.cliffs().get(state as usize).is_some_and(|cliffs| cliffs >> direction & 1 == 1)
        };
        // Counts cliffs and changes between free and blocked on the eastern and southern side.
        let wall = |state: State| {
            let is_wall = |direction| {
                let is_edge = |to| grid.is_free(to) != grid.is_free(state) || has_cliff(state, direction);
                grid.shape().neighbour(state, direction).is_some_and(is_edge)
            };
            is_wall(2) as u32 + is_wall(4) as u32
        };
        let narrow = |state: State| (grid.is_free(state) && moves(state).count_ones() <= 4) as u32;
        let level = (1..=hierarchy.top()).find(|level| hierarchy.states(*level) <= MAX_STATES);
        Survey {
            grid,
            hierarchy,
            level: level.unwrap_or(hierarchy.top()),
            blocked: Sums::new(grid, |state| !grid.is_free(state) as u32),
            walls: Sums::new(grid, wall),
            narrow: Sums::new(grid, narrow),
            search: BestFirst::default(),
            path: Vec::new(),
        }
    }

    /// The features of the problem between two free cells. Distances are in cells, and 0 if there is no path.
    pub fn of(&mut self, start: State, goal: State) -> [f32; COUNT] {
        let shape = self.grid.shape();
        let ((x, y), (goal_x, goal_y)) = (shape.xy(start), shape.xy(goal));
        let (dx, dy) = (x.abs_diff(goal_x), y.abs_diff(goal_y));
        let longer = dx.max(dy) as f32;
        let distance = longer + dx.min(dy) as f32 * (std::f32::consts::SQRT_2 - 1.0);
        let path_features = self.path_features(start, goal);
        let line = self.line((x, y), (goal_x, goal_y));
        let between = self.window((x.min(goal_x), y.min(goal_y)), (x.max(goal_x), y.max(goal_y)), 4);
        let map = Window { left: 0, top: 0, right: shape.width, bottom: shape.height };
        let share = |sums: &Sums, window: Window| sums.over(window) as f32 / window.cells();
        let shares = |window| [&self.blocked, &self.walls, &self.narrow].map(|sums| share(sums, window));
        let near = |(x, y): (u32, u32)| {
            let window = |radius| self.window((x, y), (x, y), radius);
            let [near, middle, far] = [4, 16, 48].map(|radius| share(&self.blocked, window(radius)));
            [near, middle, far, share(&self.walls, window(16)), share(&self.narrow, window(16))]
        };
        let exits = |state: State| self.grid.moves()[state as usize].count_ones() as f32;
        let parts: [&[f32]; 9] = [
            &[distance, dx.min(dy) as f32 / longer.max(1.0)],
            &path_features,
            &line,
            &shares(between),
            &near((x, y)),
            &near((goal_x, goal_y)),
            &[exits(start), exits(goal), (map.cells() - self.blocked.over(map) as f32).sqrt()],
            &shares(map),
            &[shape.width.max(shape.height) as f32],
        ];
        let mut features = [0.0; COUNT];
        let all = parts.into_iter().flatten();
        features.iter_mut().zip(all).for_each(|(feature, value)| *feature = *value);
        features
    }

    /// The rectangle around two corners, enlarged by `margin` cells on each side.
    fn window(&self, (left, top): (u32, u32), (right, bottom): (u32, u32), margin: u32) -> Window {
        let shape = self.grid.shape();
        Window {
            left: left.saturating_sub(margin),
            top: top.saturating_sub(margin),
            right: (right + margin + 1).min(shape.width),
            bottom: (bottom + margin + 1).min(shape.height),
        }
    }

    /// Features of the abstract path: its length; its length, total climb and highest climb in units of the initial
    /// heuristic, where a climb leads away from the goal; its moves; and the expansions per move.
    fn path_features(&mut self, start: State, goal: State) -> [f32; 6] {
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

    /// Features of the straight line: its blocked share, the number of walls on it, the share of its longest blocked
    /// part, and the shares that are free at the start and at the goal.
    fn line(&self, (x, y): (u32, u32), (goal_x, goal_y): (u32, u32)) -> [f32; 5] {
        let steps = x.abs_diff(goal_x).max(y.abs_diff(goal_y)).max(1);
        let (mut blocked, mut walls, mut piece, mut longest) = (0, 0, 0u32, 0);
        let (mut first, mut last) = (steps, 0);
        for step in 0..=steps {
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
    use crate::abstraction::Variant;
    use crate::grid::DiagonalRule;
    use crate::testing::worlds;
    use proptest::prelude::*;

    fn of(grid: &Grid, start: (u32, u32), goal: (u32, u32)) -> impl Fn(&str) -> f32 {
        let hierarchy = Hierarchy::of(grid, Variant::default());
        let state = |(x, y)| grid.shape().state(x, y);
        let features = Survey::new(grid, &hierarchy).of(state(start), state(goal));
        move |name| features[FEATURES.iter().position(|known| *known == name).expect("it is a feature")]
    }

    #[test]
    fn a_wall_on_the_line_is_counted() {
        let rows = ["..........", "....@.....", "....@.....", "....@.....", ".........."];
        let grid = Grid::drawn(DiagonalRule::Free, &rows);
        let feature = of(&grid, (0, 2), (9, 2));
        assert_eq!((feature("distance"), feature("slant")), (9.0, 0.0));
        assert_eq!((feature("blocked_on_line"), feature("walls_on_line")), (1.0 / 9.0, 1.0));
        assert_eq!((feature("sight_from_start"), feature("sight_from_goal")), (4.0 / 9.0, 5.0 / 9.0));
        assert_eq!(feature("map_blocked"), 3.0 / 50.0);
        assert_eq!(feature("map_walls"), 8.0 / 50.0);
        let open = of(&grid, (0, 0), (9, 0));
        assert_eq!((open("blocked_on_line"), open("walls_on_line"), open("sight_from_start")), (0.0, 0.0, 1.0));
    }

    proptest! {
        #[test]
        fn features_are_numbers_and_windows_count_what_is_in_them(world in worlds(60), radius in 0..50u32) {
            let Some((grid, problem)) = world else { return Ok(()) };
            let hierarchy = Hierarchy::of(&grid, Variant::default());
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
