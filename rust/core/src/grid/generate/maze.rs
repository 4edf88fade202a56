//! Perfect mazes by depth-first search, as in rtaa-2006: exactly one path connects any two places.

use super::canvas::{Canvas, GROUND, ROCK, Rectangle};
use super::{Kind, Settings, count};
use crate::grid::{DIRECTIONS, Shape};
use crate::rng::{Draw, Stream};

pub(super) const KIND: Kind = Kind {
    name: "maze",
    about: "A perfect maze with walls one cell thick: exactly one path connects any two places.",
    options: &[
        count("corridor", 1, (1, 32), "the width of corridors in cells, less if two rooms would not fit"),
        count("border", 1, (0, 1), "whether a wall surrounds the maze (0 or 1)"),
    ],
    draw,
};

fn draw(shape: Shape, settings: &Settings, random: &mut Stream) -> Canvas {
    let corridor = settings.integer("corridor").min((shape.width.min(shape.height) - 3) / 2);
    let (pitch, border) = (corridor + 1, settings.integer("border"));
    // Each room includes a wall, except the last of a row, which ends at the border if there is one.
    let across = |cells: u32| (cells + 1 - 2 * border) / pitch;
    let rooms = Shape::new(across(shape.width), across(shape.height));
    let mut canvas = Canvas::filled(shape, ROCK);
    let dig = |canvas: &mut Canvas, room: u32, side: u32| {
        let (x, y) = rooms.xy(room);
        let area = Rectangle { left: border + x * pitch, top: border + y * pitch, width: corridor, height: corridor };
        // Also opens the wall towards `side`: the cells of the room moved by one.
        let (dx, dy) = DIRECTIONS[side as usize];
        let (left, top) = (area.left.wrapping_add_signed(dx), area.top.wrapping_add_signed(dy));
        canvas.fill(area, GROUND);
        canvas.fill(Rectangle { left, top, ..area }, GROUND);
    };

    let mut visited = vec![false; rooms.cells()];
    let first = random.below(rooms.cells() as u32);
    visited[first as usize] = true;
    let mut path = vec![first];
    while let Some(&room) = path.last() {
        let is_open = |side: &usize| rooms.neighbour(room, *side).is_some_and(|next| !visited[next as usize]);
        let mut open = [0, 2, 4, 6].into_iter().filter(is_open);
        let count = open.clone().count() as u32;
        if count == 0 {
            path.pop();
            continue;
        }
        let side = open.nth(random.below(count) as usize).expect("the draw is below the count");
        let next = rooms.neighbour(room, side).expect("the side was open");
        visited[next as usize] = true;
        dig(&mut canvas, room, side as u32);
        dig(&mut canvas, next, side as u32 ^ 4);
        path.push(next);
    }
    canvas
}

#[cfg(test)]
mod tests {
    use crate::grid::DiagonalRule;
    use crate::grid::components::Components;
    use crate::grid::generate::generate;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exactly_one_path_connects_two_cells(
            width in 8u64..100, height in 8u64..100, seed: u64, border in 0u64..2
        ) {
            let map = generate("maze", width, height, seed, [("border", border as f64)]).unwrap();
            let grid = map.grid(DiagonalRule::None);
            prop_assert_eq!(Components::new(&grid).sizes.len(), 1);
            let edges = grid.moves().iter().map(|moves| moves.count_ones()).sum::<u32>() / 2;
            prop_assert_eq!(edges as usize, grid.free_cells() - 1);
            let across = |cells: u64| if border == 1 { (cells - 1) / 2 } else { cells.div_ceil(2) };
            let rooms = (across(width) * across(height)) as usize;
            prop_assert_eq!(grid.free_cells(), 2 * rooms - 1, "rooms, and one opened wall less");
        }

        #[test]
        fn corridors_have_the_requested_width(corridor in 1u64..7, seed: u64) {
            let rooms = 6;
            let side = rooms * (corridor + 1) + 1;
            let map = generate("maze", side.max(8), side.max(8), seed, [("corridor", corridor as f64)]).unwrap();
            let grid = map.grid(DiagonalRule::None);
            prop_assert_eq!(Components::new(&grid).sizes.len(), 1);
            let walls_opened = rooms * rooms - 1;
            let cells = rooms * rooms * corridor * corridor + walls_opened * corridor;
            prop_assert_eq!(grid.free_cells() as u64, cells);
        }
    }
}
