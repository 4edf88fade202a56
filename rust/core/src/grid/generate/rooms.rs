//! Indoor maps: rooms of several shapes, corridors, doors one or two cells wide, and dead ends.
//!
//! Rooms are placed where they fit. Corridors follow the minimal spanning tree of the rooms, with a few more for
//! alternative paths. Each is routed through the rock with few turns, and avoids the walls of other rooms.

use super::canvas::{Canvas, GROUND, ROCK, Rectangle, is_free};
use super::join::{Passages, join};
use super::search::Search;
use super::{Kind, Settings, count, measure};
use crate::graph::NO_STATE;
use crate::grid::{DIRECTIONS, Shape};
use crate::rng::{Draw, Stream};
use std::collections::BTreeSet;

pub(super) const KIND: Kind = Kind {
    name: "rooms",
    about: "Rooms, corridors and doors, as on the indoor maps of role-playing games.",
    options: &[
        count("room", 24, (4, 128), "the longest side of a room, in cells; at most half the map"),
        count("gap", 4, (3, 32), "the minimal distance between two rooms, in cells"),
        count("corridor", 3, (1, 8), "the width of corridors, in cells"),
        count("door", 1, (1, 4), "the width of doors, in cells"),
        measure("loops", 0.25, (0.0, 1.0), "the share of rooms with one more corridor than needed to reach them"),
        measure("dead_ends", 0.4, (0.0, 2.0), "the number of dead ends per room"),
    ],
    draw,
};

/// The rock between rooms and the edge, which leaves space for a corridor.
const MARGIN: u32 = 2;

fn draw(shape: Shape, settings: &Settings, random: &mut Stream) -> Canvas {
    let rooms = place(shape, settings, random);
    let mut plan = Plan::new(shape, &rooms, random);
    for (one, other) in links(&rooms, settings.number("loops"), random) {
        plan.corridor(rooms[one], |plan, state| plan.room[state as usize] == other as u32);
    }
    for _ in 0..(rooms.len() as f64 * settings.number("dead_ends")) as u32 {
        plan.dead_end(&rooms, random);
    }
    let mut canvas = plan.built(settings.integer("corridor"), settings.integer("door"));
    // Furniture may have cut off a corner. All other parts are already connected.
    let passages = Passages { min_cells: 16, width: 1, max_hardness: 1, loops: 0.0 };
    join(&mut canvas, &passages, random, |_, _| ROCK, |_| GROUND);
    canvas
}

/// Places rooms at a distance from each other. The first one has the maximal size.
fn place(shape: Shape, settings: &Settings, random: &mut Stream) -> Vec<Rectangle> {
    let longest = |side: u32| settings.integer("room").min(side / 2).max(4);
    let (longest_width, longest_height) = (longest(shape.width), longest(shape.height));
    // The minimum of two draws gives many small rooms and a few large ones.
    let side = |longest: u32, random: &mut Stream| random.between(4, longest).min(random.between(4, longest));
    let far_enough = |room: Rectangle, other: Rectangle| {
        let (columns, rows) = room.gaps(other);
        columns.max(rows) >= settings.integer("gap")
    };
    let mut rooms: Vec<Rectangle> = Vec::new();
    for _ in 0..shape.cells() / 24 + 1 {
        let (width, height) = if rooms.is_empty() {
            (longest_width, longest_height)
        } else {
            (side(longest_width, random), side(longest_height, random))
        };
        let room = Rectangle {
            left: random.between(MARGIN, shape.width - width - MARGIN),
            top: random.between(MARGIN, shape.height - height - MARGIN),
            width,
            height,
        };
        if rooms.iter().all(|other| far_enough(room, *other)) {
            rooms.push(room);
        }
    }
    rooms
}

/// The pairs of rooms to be linked: the minimal spanning tree (Prim), and some near neighbours.
fn links(rooms: &[Rectangle], loops: f64, random: &mut Stream) -> Vec<(usize, usize)> {
    let distance = |one: usize, other: usize| rooms[one].distance(rooms[other]);
    let mut links = Vec::new();
    let mut nearest: Vec<(u32, usize)> = (0..rooms.len()).map(|room| (distance(0, room), 0)).collect();
    let mut outside: Vec<usize> = (1..rooms.len()).collect();
    while let Some(at) = (0..outside.len()).min_by_key(|at| (nearest[outside[*at]], outside[*at])) {
        let room = outside.swap_remove(at);
        links.push((nearest[room].1, room));
        for other in &outside {
            nearest[*other] = nearest[*other].min((distance(room, *other), room));
        }
    }
    let mut linked: BTreeSet<(usize, usize)> = links.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]).collect();
    for room in 0..rooms.len() {
        if random.chance(loops) {
            let others = (0..rooms.len()).filter(|other| *other != room && !linked.contains(&(room, *other)));
            if let Some(other) = others.min_by_key(|other| distance(room, *other)) {
                linked.extend([(room, other), (other, room)]);
                links.push((room, other));
            }
        }
    }
    links
}

const NO_ROOM: u32 = u32::MAX;

/// Rooms with their furniture, and the middle lines of corridors.
struct Plan {
    canvas: Canvas,
    /// The room of each cell, without walls.
    room: Vec<u32>,
    /// Whether a cell is a wall of a room: rock next to its floor.
    wall: Vec<bool>,
    /// The middle lines of corridors.
    corridors: Vec<bool>,
    /// Over cells with directions of arrival.
    search: Search,
}

impl Plan {
    fn new(shape: Shape, rooms: &[Rectangle], random: &mut Stream) -> Plan {
        let mut canvas = Canvas::filled(shape, ROCK);
        let mut room = vec![NO_ROOM; shape.cells()];
        for (number, area) in rooms.iter().enumerate() {
            floor(&mut canvas, *area, random);
            for (x, y) in area.cells().filter(|(x, y)| is_free(canvas.get(*x, *y))) {
                room[shape.state(x, y) as usize] = number as u32;
            }
        }
        let wall = (0..shape.cells() as u32)
            .map(|state| {
                let is_floor =
                    |direction| shape.neighbour(state, direction).is_some_and(|cell| room[cell as usize] != NO_ROOM);
                room[state as usize] == NO_ROOM && (0..8).any(is_floor)
            })
            .collect();
        for area in rooms {
            furnish(&mut canvas, *area, random);
        }
        Plan { canvas, room, wall, corridors: vec![false; shape.cells()], search: Search::new(shape.cells() * 4) }
    }

    /// Adds the middle line of a corridor from a room to the nearest `wanted` cell, with few turns and away from walls.
    fn corridor(&mut self, from: Rectangle, wanted: impl Fn(&Plan, u32) -> bool) {
        const STRAIGHT: u32 = 2;
        const TURN: u32 = 14;
        const ALONG_A_WALL: u32 = 8;
        let shape = self.canvas.shape;
        let mut search = std::mem::take(&mut self.search);
        search.clear();
        for (x, y) in from.cells().filter(|(x, y)| is_free(self.canvas.get(*x, *y))) {
            (0..4).for_each(|quarter| _ = search.reach(shape.state(x, y) * 4 + quarter, 0, NO_STATE));
        }
        while let Some((reached, state)) = search.next() {
            let (cell, quarter) = (state / 4, state % 4);
            if wanted(self, cell) {
                search.path_to(state).for_each(|state| self.corridors[(state / 4) as usize] = true);
                break;
            }
            for turned in 0..4 {
                let Some(next) = shape.neighbour(cell, turned as usize * 2) else { continue };
                let (x, y) = shape.xy(next);
                let inside = self.room[next as usize] != NO_ROOM;
                if self.canvas.on_edge(x, y) || (inside && !(wanted(self, next) && is_free(self.canvas.get(x, y)))) {
                    continue;
                }
                let effort = match (self.corridors[next as usize], self.wall[next as usize]) {
                    (true, _) => STRAIGHT / 2,
                    (false, true) => STRAIGHT + ALONG_A_WALL,
                    (false, false) => STRAIGHT,
                };
                let total = reached + effort + if turned == quarter { 0 } else { TURN };
                search.reach(next * 4 + turned, total, state);
            }
        }
        self.search = search;
    }

    /// Adds a corridor from the nearest room to a random cell in the rock.
    fn dead_end(&mut self, rooms: &[Rectangle], random: &mut Stream) {
        let shape = self.canvas.shape;
        let (x, y) = (random.below(shape.width), random.below(shape.height));
        let end = shape.state(x, y);
        let place = Rectangle { left: x, top: y, width: 1, height: 1 };
        let solid = self.room[end as usize] == NO_ROOM && !self.wall[end as usize] && !self.canvas.on_edge(x, y);
        if let Some(nearest) = rooms.iter().min_by_key(|room| room.distance(place)).filter(|_| solid) {
            self.corridor(*nearest, |_, state| state == end);
        }
    }

    /// Digs the corridors, with doors in the walls of rooms.
    fn built(mut self, corridor: u32, door: u32) -> Canvas {
        let shape = self.canvas.shape;
        for state in (0..shape.cells() as u32).filter(|state| self.corridors[*state as usize]) {
            let (x, y) = shape.xy(state);
            let wall = self.wall[state as usize];
            for (near_x, near_y) in Rectangle::around(x, y, if wall { door } else { corridor }, shape).cells() {
                let near = shape.state(near_x, near_y) as usize;
                if self.room[near] == NO_ROOM && (wall || !self.wall[near]) {
                    self.canvas.letters[near] = GROUND;
                }
            }
        }
        self.canvas
    }
}

/// Draws the floor of a room: a rectangle, two crossing ones, or one without its corners.
fn floor(canvas: &mut Canvas, area: Rectangle, random: &mut Stream) {
    let small = area.width.min(area.height);
    match random.below(10) {
        0..3 if small >= 8 => {
            let narrower = random.between(area.width / 3, area.width * 2 / 3);
            let flatter = random.between(area.height / 3, area.height * 2 / 3);
            let left = area.left + random.between(0, area.width - narrower);
            let top = area.top + random.between(0, area.height - flatter);
            canvas.fill(Rectangle { left, width: narrower, ..area }, GROUND);
            canvas.fill(Rectangle { top, height: flatter, ..area }, GROUND);
        }
        3..5 if small >= 6 => {
            let cut = small / 3;
            for (x, y) in area.cells() {
                let to_side = (x - area.left).min(area.right() - 1 - x);
                let to_end = (y - area.top).min(area.bottom() - 1 - y);
                if to_side + to_end >= cut {
                    canvas.set(x, y, GROUND);
                }
            }
        }
        _ => canvas.fill(area, GROUND),
    }
}

/// Draws the obstacles of a room: pillars, a wall with a gap, a niche that opens to one side, or none.
fn furnish(canvas: &mut Canvas, area: Rectangle, random: &mut Stream) {
    let small = area.width.min(area.height);
    match random.below(8) {
        0 if small >= 7 => {
            let step = random.between(3, 5);
            for y in (area.top + 2..area.bottom() - 2).step_by(step as usize) {
                for x in (area.left + 2..area.right() - 2).step_by(step as usize) {
                    canvas.set(x, y, ROCK);
                }
            }
        }
        1 | 2 if small >= 8 => {
            let gap = random.between(1, 2);
            let (columns, rows) = (area.left..area.right(), area.top..area.bottom());
            let is_wide = area.width > area.height;
            let (longer, shorter) = if is_wide { (columns, rows) } else { (rows, columns) };
            let place = random.between(longer.start + 3, longer.end - 4);
            let open = random.between(shorter.start, shorter.end - gap);
            for along in shorter.filter(|along| !(open..open + gap).contains(along)) {
                let (x, y) = if is_wide { (place, along) } else { (along, place) };
                canvas.set(x, y, ROCK);
            }
        }
        3 if small >= 9 => {
            let niche =
                Rectangle { left: area.left + 2, top: area.top + 2, width: area.width - 4, height: area.height - 4 };
            let open = DIRECTIONS[random.below(4) as usize * 2];
            for (x, y) in niche.cells() {
                let sides = [
                    ((0, -1), y == niche.top),
                    ((1, 0), x + 1 == niche.right()),
                    ((0, 1), y + 1 == niche.bottom()),
                    ((-1, 0), x == niche.left),
                ];
                if sides.into_iter().any(|(side, on)| on && side != open) {
                    canvas.set(x, y, ROCK);
                }
            }
        }
        _ => {}
    }
}
