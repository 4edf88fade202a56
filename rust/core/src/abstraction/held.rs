//! The hierarchy that an agent goes by: the map's, shared with others, or that of what it knows, its own once it differs.

use super::Hierarchy;
use crate::graph::State;
use std::sync::Arc;

/// A hierarchy in the hands of an agent, whose memory is used again from problem to problem.
#[derive(Default)]
pub struct Abstraction {
    shared: Option<Arc<Hierarchy>>,
    own: Option<Hierarchy>,
    is_own: bool,
    /// What was seen to be blocked, and is not known to the hierarchy yet.
    discovered: Vec<State>,
    first_sight: FirstSight,
}

/// What the last agent saw that saw very much at once, and what came of it: with a sensor that shows the whole map that is
/// the same from every start.
#[derive(Default)]
struct FirstSight {
    before: Option<Arc<Hierarchy>>,
    blocked: Vec<State>,
    after: Option<Hierarchy>,
}

impl Abstraction {
    /// A new problem begins, with this hierarchy.
    pub fn begin(&mut self, shared: &Arc<Hierarchy>) {
        self.shared = Some(Arc::clone(shared));
        self.is_own = false;
        self.discovered.clear();
    }

    /// Cells turned out to be blocked; the hierarchy is told when it is next repaired.
    pub(crate) fn discover(&mut self, blocked: &[State]) {
        self.discovered.extend(blocked);
    }

    /// The hierarchy as it is.
    ///
    /// # Panics
    /// Where an agent asks that has not said that it needs one.
    pub fn get(&self) -> &Hierarchy {
        let hierarchy = if self.is_own { self.own.as_ref() } else { self.shared.as_deref() };
        hierarchy.expect("agents that use a hierarchy say so")
    }

    /// Repairs the hierarchy after discoveries, and hands it out; none where there were none. `watched` is a level whose
    /// changes will be asked for.
    pub fn repair(&mut self, watched: usize) -> Option<&mut Hierarchy> {
        let Abstraction { shared, own, is_own, discovered, first_sight } = self;
        if discovered.is_empty() {
            return None;
        }
        let shared = shared.as_ref().expect("agents that use a hierarchy say so");
        // Copying a repaired hierarchy takes as long as a few hundred repairs.
        let is_much = !*is_own && discovered.len() > 1000;
        let known = first_sight.after(shared, discovered).filter(|_| is_much);
        if !*is_own {
            copy(own, known.unwrap_or(shared));
            *is_own = true;
        }
        let hierarchy = own.as_mut().expect("it was copied");
        hierarchy.watch(watched);
        if known.is_none() {
            for &cell in discovered.iter() {
                hierarchy.block(cell);
            }
            hierarchy.repair();
            if is_much {
                first_sight.keep(shared, discovered, hierarchy, watched);
            }
        }
        discovered.clear();
        Some(hierarchy)
    }
}

impl FirstSight {
    /// What came of it, if it was this.
    fn after(&self, before: &Arc<Hierarchy>, blocked: &[State]) -> Option<&Hierarchy> {
        let is_same = self.before.as_ref().is_some_and(|known| Arc::ptr_eq(known, before)) && self.blocked == blocked;
        self.after.as_ref().filter(|_| is_same)
    }

    fn keep(&mut self, before: &Arc<Hierarchy>, blocked: &[State], after: &Hierarchy, watched: usize) {
        self.before = Some(Arc::clone(before));
        self.blocked.clear();
        self.blocked.extend(blocked);
        copy(&mut self.after, after);
        self.after.iter_mut().for_each(|after| after.unwatch(watched));
    }
}

fn copy(to: &mut Option<Hierarchy>, from: &Hierarchy) {
    match to {
        Some(to) => to.clone_from(from),
        None => *to = Some(from.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::generate::generate;
    use crate::grid::{DiagonalRule, Grid};

    fn check(abstraction: &Abstraction, grid: &Grid) {
        assert_eq!(abstraction.get().check(grid.moves(), |cell| grid.is_free(cell)), Ok(()));
    }

    #[test]
    fn what_one_agent_discovers_the_next_one_does_not_know() {
        let grid = generate("caves", 96, 96, 1, []).unwrap().grid(DiagonalRule::Strict);
        let open = Grid::new(grid.shape(), grid.rule(), vec![true; grid.shape().cells()]);
        let shared = Arc::new(Hierarchy::open(grid.shape(), grid.rule()));
        let blocked: Vec<State> = (0..grid.shape().cells() as State).filter(|cell| !grid.is_free(*cell)).collect();
        assert!(blocked.len() > 1000, "enough to be kept");
        let mut abstraction = Abstraction::default();
        let mut counts = Vec::new();
        // All at once, which is kept for the next; the same again; piece by piece; and all at once again.
        for pieces in [1, 1, 7, 1] {
            abstraction.begin(&shared);
            check(&abstraction, &open);
            for piece in blocked.chunks(blocked.len().div_ceil(pieces)) {
                abstraction.discover(piece);
                abstraction.repair(1);
            }
            check(&abstraction, &grid);
            let hierarchy = abstraction.get();
            counts.push((0..=hierarchy.top()).map(|level| hierarchy.count(level)).collect::<Vec<_>>());
        }
        assert_eq!((&counts[0], &counts[0]), (&counts[1], &counts[3]), "a copy is as good as a repair");
        // Another map of the same size is no reason to remember.
        abstraction.begin(&Arc::new(Hierarchy::open(grid.shape(), grid.rule())));
        abstraction.discover(&blocked[1..]);
        abstraction.repair(1);
        assert!(abstraction.get().is_state(0, blocked[0]));
    }
}
