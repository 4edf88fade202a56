//! Properties 1 to 8 of an abstraction hierarchy: graph-abstraction-2007, Section 4.2 and Appendix B.
//!
//! Everything is recomputed from the ground and the parents of states, and compared with the hierarchy.

use super::build::count_edge;
use super::level::{Edge, Layer, Level};
use super::{Hierarchy, average};
use crate::graph::{NO_STATE, State};
use std::collections::BTreeSet;

/// A violated property.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("property {property} does not hold for state {state} of level {level}: {reason}")]
pub struct Violation {
    /// The number of the property in the paper.
    pub property: u8,
    /// The level.
    pub level: usize,
    /// The state.
    pub state: State,
    /// The reason.
    pub reason: &'static str,
}

/// The maximal number of children of a state on a level, the bound of property 4.
///
/// The core has at most four states. Each represents a bounded number of cells, every cell has at most eight
/// neighbours, and each leaf takes one of them. This gives 36 children on level 1, and a constant on every level, for
/// maps of any size. Real maps have far fewer.
pub fn max_children(level: usize) -> u64 {
    let (mut cells, mut children) = (1u64, 1u64);
    for _ in 0..level {
        children = cells.saturating_mul(4 * 8).saturating_add(4);
        cells = cells.saturating_mul(children);
    }
    children
}

impl Hierarchy {
    /// Checks properties 1 to 7 of all levels, and property 8 for the moves and free cells that the agent knows.
    pub fn check(&self, moves: &[u8], is_free: impl Fn(State) -> bool) -> Result<(), Violation> {
        for state in 0..self.states(0) as State {
            let violation = |reason| Violation { property: 8, level: 0, state, reason };
            if self.is_state(0, state) != is_free(state) {
                return Err(violation("it is a state of a blocked cell, or a free cell without a state"));
            }
            if self.ground.moves(state) != moves[state as usize] {
                return Err(violation("its edges are not the legal moves"));
            }
        }
        let Some((first, rest)) = self.levels.split_first() else { return Ok(()) };
        check_level(&self.ground, first, 1)?;
        let mut below = first;
        for (level, number) in rest.iter().zip(2..) {
            check_level(below, level, number)?;
            below = level;
        }
        let (top, level) = (below, self.top());
        for state in (0..top.len() as State).filter(|state| top.is_state(*state)) {
            let violation = |property, reason| Violation { property, level, state, reason };
            if top.parent(state) != NO_STATE {
                return Err(violation(2, "it is at the top and has a parent"));
            }
            if top.degree(state) > 0 {
                return Err(violation(1, "it is at the top, but its component has other states"));
            }
        }
        Ok(())
    }
}

/// Checks an abstract level against the one below it.
fn check_level<L: Layer>(below: &L, level: &Level, number: usize) -> Result<(), Violation> {
    for state in (0..below.len() as State).filter(|state| below.is_state(*state)) {
        let violation = |property, reason| Err(Violation { property, level: number - 1, state, reason });
        if !level.is_state(below.parent(state)) {
            return violation(2, "it has no parent");
        }
        let mut is_child = false;
        below.each_sibling(level.child(below.parent(state)), |child| is_child |= child == state);
        if !is_child {
            return violation(2, "its parent does not have it as a child");
        }
    }
    let mut abstract_states = 0;
    for state in 0..level.len() as State {
        let violation = |property, reason| Err(Violation { property, level: number, state, reason });
        if !level.is_state(state) {
            if !level.is_spare(state) {
                return violation(3, "it has no children");
            }
            continue;
        }
        abstract_states += 1;
        let mut children = Vec::new();
        below.each_sibling(level.child(state), |child| children.push(child));
        if children.iter().any(|child| !below.is_state(*child) || below.parent(*child) != state) {
            return violation(2, "it has a child with another parent");
        }
        if !is_connected(below, &children) {
            return violation(7, "its children are not connected");
        }
        if let Some(reason) = not_core_and_leaves(below, &children) {
            return violation(4, reason);
        }
        if children.len() as u64 > max_children(number) {
            return violation(4, "it has too many children");
        }
        let mut edges: Vec<Edge> = Vec::new();
        for &child in &children {
            below.neighbours(child, |neighbour| count_edge(&mut edges, state, below.parent(neighbour)));
        }
        let as_set = |edges: &[Edge]| -> BTreeSet<(State, u32)> { edges.iter().map(|e| (e.to(), e.count())).collect() };
        let (expected, found) = (as_set(&edges), as_set(level.edges(state)));
        if found.len() != level.edges(state).len() {
            return violation(1, "an edge occurs twice");
        }
        if expected.iter().any(|(to, _)| !found.iter().any(|(other, _)| other == to)) {
            return violation(5, "an edge below has no edge here");
        }
        if found.iter().any(|(to, _)| !expected.iter().any(|(other, _)| other == to)) {
            return violation(6, "an edge here has no edge below");
        }
        if expected != found {
            return violation(6, "the count of an edge differs from the number of edges below");
        }
        for edge in level.edges(state) {
            if edge.to() == state || !level.is_state(edge.to()) {
                return violation(1, "an edge leads nowhere");
            }
            let is_back = |back: &Edge| back.to() == state && back.count() == edge.count();
            if !level.edges(edge.to()).iter().any(is_back) {
                return violation(1, "an edge has no reverse edge");
            }
        }
        if level.position(state) != average(children.iter().map(|child| below.position(*child))) {
            return violation(8, "its position is not the average of its children");
        }
    }
    if abstract_states != level.count() {
        return Err(Violation { property: 3, level: number, state: NO_STATE, reason: "the number of states is wrong" });
    }
    Ok(())
}

/// The reason why children are not a core with its leaves, if any.
fn not_core_and_leaves<L: Layer>(below: &L, children: &[State]) -> Option<&'static str> {
    let is_leaf = |state: State| below.degree(state) == 1;
    let core: Vec<State> = children.iter().copied().filter(|child| !is_leaf(*child)).collect();
    if core.is_empty() {
        let is_pair = matches!(children, [one, other] if below.is_edge(*one, *other));
        return (!is_pair).then_some("its children are leaves without a core");
    }
    if core.len() > 4 {
        return Some("its core has more than four states");
    }
    let adjacent = |one: &State, other: &State| one == other || below.is_edge(*one, *other);
    if !core.iter().all(|one| core.iter().all(|other| adjacent(one, other))) {
        return Some("its core is not a clique");
    }
    let is_next_to_core = |leaf: &State| core.contains(&below.only_neighbour(*leaf));
    let all_leaves_are = children.iter().filter(|child| is_leaf(**child)).all(is_next_to_core);
    (!all_leaves_are).then_some("a leaf is not adjacent to the core")
}

/// Whether states are connected by edges between them.
fn is_connected<L: Layer>(below: &L, states: &[State]) -> bool {
    let (mut reached, mut next) = (vec![states[0]], 0);
    while let Some(&state) = reached.get(next) {
        next += 1;
        below.neighbours(state, |neighbour| {
            if states.contains(&neighbour) && !reached.contains(&neighbour) {
                reached.push(neighbour);
            }
        });
    }
    reached.len() == states.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abstraction::Variant;
    use crate::grid::components::Components;
    use crate::grid::generate::{KINDS, generate};
    use crate::grid::{DiagonalRule, Grid, Shape};
    use crate::rng::stream;
    use crate::testing::random_grid;
    use proptest::prelude::*;
    use rand::RngExt;

    fn variants() -> impl Strategy<Value = Variant> {
        prop::sample::select(Variant::NAMES.map(|(_, variant)| variant).to_vec())
    }

    fn check(hierarchy: &Hierarchy, grid: &Grid) -> Result<(), TestCaseError> {
        hierarchy
            .check(grid.moves(), |cell| grid.is_free(cell))
            .map_err(|violation| TestCaseError::fail(violation.to_string()))
    }

    fn assert_top_is_components(hierarchy: &Hierarchy, grid: &Grid) -> Result<(), TestCaseError> {
        let components = Components::new(grid);
        prop_assert_eq!(hierarchy.count(hierarchy.top()), components.sizes.len());
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn properties_hold_for_random_maps(
            width in 1u32..40, height in 1u32..40, density in 0.0..0.9f64, rule in 0..3usize, variant in variants(), seed: u64
        ) {
            let mut random = stream(seed, &[]);
            let grid = random_grid(&mut random, width, height, density, DiagonalRule::NAMES[rule].1);
            let hierarchy = Hierarchy::of(&grid, variant);
            check(&hierarchy, &grid)?;
            assert_top_is_components(&hierarchy, &grid)?;
        }

        /// Cells are blocked and freed in any order, a few at a time.
        #[test]
        fn properties_hold_after_changes_of_cells(
            width in 1u32..24, height in 1u32..24, density in 0.0..0.95f64, rule in 0..3usize, variant in variants(), seed: u64,
            blocking in 0.05..0.95f64, batch in 1usize..6
        ) {
            let mut random = stream(seed, &[]);
            let grid = random_grid(&mut random, width, height, density, DiagonalRule::NAMES[rule].1);
            let mut hierarchy = Hierarchy::of(&grid, variant);
            let mut free = grid.free().to_vec();
            for _ in 0..60 {
                for _ in 0..batch {
                    let cell = random.random_range(0..free.len());
                    if random.random_bool(blocking) {
                        prop_assert_eq!(hierarchy.block(cell as State), free[cell]);
                        free[cell] = false;
                    } else {
                        prop_assert_eq!(hierarchy.unblock(cell as State), !free[cell]);
                        free[cell] = true;
                    }
                }
                hierarchy.repair();
                let now = Grid::new(grid.shape(), grid.rule(), free.clone());
                check(&hierarchy, &now)?;
                assert_top_is_components(&hierarchy, &now)?;
            }
        }

        /// Edges are removed and added again, independently of cells.
        #[test]
        fn properties_hold_after_changes_of_edges(
            width in 2u32..20, height in 2u32..20, density in 0.0..0.5f64, rule in 0..3usize, variant in variants(), seed: u64
        ) {
            let mut random = stream(seed, &[]);
            let grid = random_grid(&mut random, width, height, density, DiagonalRule::NAMES[rule].1);
            let mut hierarchy = Hierarchy::of(&grid, variant);
            let mut moves = grid.moves().to_vec();
            for _ in 0..80 {
                let cell = random.random_range(0..moves.len()) as State;
                let direction = random.random_range(0..8);
                let Some(other) = grid.shape().neighbour(cell, direction) else { continue };
                let (forward, back) = (1u8 << direction, 1u8 << ((direction + 4) % 8));
                let is_legal = grid.moves()[cell as usize] & forward != 0;
                if random.random_bool(0.7) {
                    prop_assert_eq!(hierarchy.remove_edge(cell, other), moves[cell as usize] & forward != 0);
                    moves[cell as usize] &= !forward;
                    moves[other as usize] &= !back;
                } else {
                    prop_assert_eq!(hierarchy.add_edge(cell, other), is_legal && moves[cell as usize] & forward == 0);
                    if is_legal {
                        moves[cell as usize] |= forward;
                        moves[other as usize] |= back;
                    }
                }
                hierarchy.repair();
                let checked = hierarchy.check(&moves, |cell| grid.is_free(cell));
                prop_assert_eq!(checked, Ok(()));
            }
        }

        /// Cells and edges are removed and added. An added cell also restores its edges and those past its corners.
        #[test]
        fn properties_hold_after_changes_of_cells_and_edges(
            width in 2u32..16, height in 2u32..16, density in 0.0..0.5f64, rule in 0..3usize, variant in variants(), seed: u64
        ) {
            let mut random = stream(seed, &[]);
            let grid = random_grid(&mut random, width, height, density, DiagonalRule::NAMES[rule].1);
            let mut hierarchy = Hierarchy::of(&grid, variant);
            let (mut free, mut removed) = (grid.free().to_vec(), BTreeSet::new());
            let edge = |cell: State, direction: usize| {
                let other = grid.shape().neighbour(cell, direction).expect("it lies within");
                if cell < other { (cell, direction) } else { (other, (direction + 4) % 8) }
            };
            for _ in 0..60 {
                let cell = random.random_range(0..free.len()) as State;
                let direction = random.random_range(0..8);
                let neighbour = grid.shape().neighbour(cell, direction);
                match (random.random_range(0..4), neighbour) {
                    (0, _) => {
                        hierarchy.block(cell);
                        free[cell as usize] = false;
                    }
                    (1, _) => {
                        if hierarchy.unblock(cell) {
                            for (from, direction) in hierarchy.ground.affected_moves(cell) {
                                removed.remove(&edge(from, direction));
                            }
                        }
                        free[cell as usize] = true;
                    }
                    (2, Some(other)) if hierarchy.remove_edge(cell, other) => {
                        removed.insert(edge(cell, direction));
                    }
                    (3, Some(other)) if hierarchy.add_edge(cell, other) => {
                        removed.remove(&edge(cell, direction));
                    }
                    _ => {}
                }
                hierarchy.repair();
                let mut moves = Grid::new(grid.shape(), grid.rule(), free.clone()).moves().to_vec();
                for &(from, direction) in &removed {
                    let to = grid.shape().neighbour(from, direction).expect("it lies within");
                    moves[from as usize] &= !(1 << direction);
                    moves[to as usize] &= !(1 << ((direction + 4) % 8));
                }
                prop_assert_eq!(hierarchy.check(&moves, |cell| free[cell as usize]), Ok(()));
            }
        }

        /// Generated maps are discovered cell by cell.
        #[test]
        fn properties_hold_for_discovered_maps(kind in 0..KINDS.len(), variant in variants(), seed: u64) {
            let grid = generate(KINDS[kind].name, 64, 64, seed, []).unwrap().grid(DiagonalRule::Strict);
            let mut hierarchy = Hierarchy::open(grid.shape(), grid.rule(), variant);
            for cell in (0..grid.shape().cells() as State).filter(|cell| !grid.is_free(*cell)) {
                hierarchy.block(cell);
                hierarchy.repair();
            }
            check(&hierarchy, &grid)?;
            assert_top_is_components(&hierarchy, &grid)?;
        }
    }

    /// The states of levels 1 to `levels` after cells were blocked and freed at random, and on a rebuilt hierarchy.
    fn churned(variant: Variant, changes: usize) -> Vec<(usize, usize)> {
        let grid = generate("outdoor", 64, 64, 5, []).expect("maps exist").grid(DiagonalRule::Strict);
        let mut random = stream(9, &[variant.name().as_bytes()]);
        let (mut hierarchy, mut free) = (Hierarchy::of(&grid, variant), grid.free().to_vec());
        for change in 1..=changes {
            let cell = random.random_range(0..free.len());
            // Half of the changes restore the map, so that it stays similar.
            free[cell] = if random.random_bool(0.5) { grid.free()[cell] } else { random.random_bool(0.7) };
            let changed = if free[cell] { hierarchy.unblock(cell as State) } else { hierarchy.block(cell as State) };
            if changed {
                hierarchy.repair();
            }
            if change % 199 == 0 || change == changes {
                let now = Grid::new(grid.shape(), grid.rule(), free.clone());
                assert_eq!(hierarchy.check(now.moves(), |cell| now.is_free(cell)), Ok(()), "{variant:?}, {change}");
            }
        }
        let rebuilt = Hierarchy::of(&Grid::new(grid.shape(), grid.rule(), free), variant);
        (1..=4).map(|level| (hierarchy.count(level), rebuilt.count(level))).collect()
    }

    /// A repaired hierarchy has at most a quarter more states per level than a rebuilt one.
    #[test]
    fn properties_hold_after_a_hundred_thousand_changes() {
        for (_, variant) in Variant::NAMES {
            for (repaired, rebuilt) in churned(variant, 100_000) {
                assert!(repaired * 4 <= rebuilt * 5, "{variant:?}: {repaired} states instead of {rebuilt}");
            }
        }
    }

    #[test]
    fn discovered_hierarchies_have_few_more_states_than_built_ones() {
        for (kind, (_, variant)) in KINDS.iter().flat_map(|kind| Variant::NAMES.map(|named| (kind, named))) {
            let grid = generate(kind.name, 128, 128, 3, []).expect("maps exist").grid(DiagonalRule::Strict);
            let (mut discovered, built) =
                (Hierarchy::open(grid.shape(), grid.rule(), variant), Hierarchy::of(&grid, variant));
            for cell in (0..grid.shape().cells() as State).filter(|cell| !grid.is_free(*cell)) {
                discovered.block(cell);
                discovered.repair();
            }
            for level in 1..=4 {
                let (discovered, built) = (discovered.count(level), built.count(level));
                assert!(discovered * 4 <= built * 5, "{} {variant:?}: {discovered} instead of {built}", kind.name);
            }
        }
    }

    #[test]
    fn missing_cells_and_edges_cannot_be_removed() {
        let grid = Grid::drawn(DiagonalRule::Strict, &["..@", "..."]);
        let mut hierarchy = Hierarchy::of(&grid, Variant::Free);
        assert!(!hierarchy.block(2) && !hierarchy.block(99) && !hierarchy.unblock(0) && !hierarchy.unblock(99));
        assert!(!hierarchy.remove_edge(1, 2) && !hierarchy.remove_edge(0, 5) && !hierarchy.add_edge(0, 1));
        hierarchy.repair();
        assert_eq!(hierarchy.check(grid.moves(), |cell| grid.is_free(cell)), Ok(()));
    }

    /// The example of Section 4.2: Figure 4's map, its abstractions of Figures 8 and 9, and the repair of a lost edge.
    #[test]
    fn the_example_of_the_paper_is_reproduced() {
        // s7 s8 sg
        //    s6
        // s1 s4 s5
        // s0 s2 s3
        let grid = Grid::drawn(DiagonalRule::Strict, &["...", "@.@", "...", "..."]);
        let mut hierarchy = Hierarchy::of(&grid, Variant::Free);
        assert_eq!([0, 1, 2, 3].map(|level| hierarchy.count(level)), [10, 4, 2, 1]);
        let parent = |hierarchy: &Hierarchy, cell| hierarchy.parent(0, cell);
        assert!([7, 9, 10].into_iter().all(|cell| parent(&hierarchy, cell) == parent(&hierarchy, 6)), "s'1");
        assert_eq!(parent(&hierarchy, 2), parent(&hierarchy, 0), "sg joins s7 and s8");
        assert!(hierarchy.remove_edge(4, 7), "(s6, s4)");
        hierarchy.repair();
        assert_eq!((hierarchy.count(1), parent(&hierarchy, 4)), (3, parent(&hierarchy, 1)), "s6 joins them, too");
        assert_eq!(hierarchy.count(hierarchy.top()), 2);
    }

    /// Section 8: on an empty map every level has a fourth of the states of the one below, and the same degrees.
    #[test]
    fn levels_of_an_empty_map_are_grids() {
        let levels = |level| Variant::NAMES.map(|(_, variant)| (level, variant));
        for (level, variant) in (0..6).flat_map(levels) {
            let hierarchy = Hierarchy::open(Shape::new(128, 128), DiagonalRule::Strict, variant);
            assert_eq!(hierarchy.count(level), (128 * 128) >> (2 * level));
            let degrees = (0..hierarchy.states(level) as State).map(|state| {
                let mut degree = 0;
                hierarchy.neighbours(level, state, |_| degree += 1);
                degree
            });
            assert_eq!(degrees.collect::<BTreeSet<_>>(), BTreeSet::from([3, 5, 8]), "level {level}");
        }
    }

    #[test]
    fn the_checker_reports_the_violated_property() {
        let grid = Grid::drawn(DiagonalRule::Strict, &["......", "......", "......", "......"]);
        let good = Hierarchy::of(&grid, Variant::Free);
        let property = |hierarchy: &Hierarchy| {
            hierarchy.check(grid.moves(), |cell| grid.is_free(cell)).map_err(|violation| violation.property)
        };
        assert_eq!(property(&good), Ok(()));

        let mut blocked = good.clone();
        blocked.block(0);
        assert_eq!(property(&blocked), Err(8));
        // With the obstacle on the map, only the repair is missing.
        let without = Grid::drawn(DiagonalRule::Strict, &["@.....", "......", "......", "......"]);
        let check = |hierarchy: &Hierarchy| hierarchy.check(without.moves(), |cell| without.is_free(cell));
        assert!(check(&blocked).is_err_and(|violation| violation.property != 8));
        blocked.repair();
        assert_eq!(check(&blocked), Ok(()));

        fn move_to_first(hierarchy: &mut Hierarchy, cell: State) {
            let (first, from) = (hierarchy.parent(0, 0), hierarchy.parent(0, cell));
            hierarchy.levels[0].remove_child(&mut hierarchy.ground, from, cell);
            hierarchy.levels[0].add_child(&mut hierarchy.ground, first, cell);
        }
        type Change = fn(&mut Hierarchy);
        let changes: [(u8, Change); 7] = [
            (2, |hierarchy| hierarchy.ground.set_parent(0, NO_STATE)),
            (3, |hierarchy| _ = hierarchy.levels[0].add_state(NO_STATE)),
            (4, |hierarchy| move_to_first(hierarchy, 2)),
            (5, |hierarchy| while !hierarchy.levels[0].decrease_count(0, 1, 1) {}),
            (6, |hierarchy| _ = hierarchy.levels[0].increase_count(0, 1, 1)),
            (6, |hierarchy| _ = hierarchy.levels[0].increase_count(0, 5, 1)),
            (7, |hierarchy| move_to_first(hierarchy, 9)),
        ];
        for (number, change) in changes {
            let mut hierarchy = good.clone();
            change(&mut hierarchy);
            assert_eq!(property(&hierarchy), Err(number));
        }
    }

    #[test]
    fn the_bound_of_property_4_is_constant() {
        assert_eq!([0, 1, 2].map(max_children), [1, 36, 36 * 32 + 4]);
        assert_eq!(max_children(40), u64::MAX);
    }
}
