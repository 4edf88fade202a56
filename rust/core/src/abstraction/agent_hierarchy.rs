//! The hierarchy of an agent: the shared one of the map, or its own after discoveries.

use super::Hierarchy;
use crate::graph::State;
use crate::search::table::{Table, bytes};
use std::sync::Arc;

/// The hierarchy of an agent, with memory that is reused for all problems.
#[derive(Default)]
pub struct Abstraction {
    shared: Option<Arc<Hierarchy>>,
    own: Option<Hierarchy>,
    is_own: bool,
    /// Discoveries that the hierarchy does not know yet: blocked cells, and edges across cliffs.
    discovered: Discoveries,
    /// The maximum bytes of these.
    peak: u64,
    cache: RepairCache,
}

impl Table for Abstraction {
    fn reset(&mut self, _states: usize) {
        (self.is_own, self.peak) = (false, 0);
        self.discovered.clear();
    }

    /// The hierarchy counts only if the agent has its own; the shared one was built for the map. Repairs rarely remove
    /// entries.
    fn peak_bytes(&self) -> u64 {
        self.own.as_ref().filter(|_| self.is_own).map_or(0, Hierarchy::bytes_in_use) + self.peak
    }
}

/// Blocked cells and lost edges.
#[derive(Default, PartialEq, Eq)]
struct Discoveries {
    blocked: Vec<State>,
    lost: Vec<(State, State)>,
}

impl Discoveries {
    fn count(&self) -> usize {
        self.blocked.len() + self.lost.len()
    }

    fn bytes(&self) -> u64 {
        bytes::<State>(self.blocked.len()) + bytes::<(State, State)>(self.lost.len())
    }

    fn add(&mut self, blocked: &[State], lost: &[(State, State)]) {
        self.blocked.extend(blocked);
        self.lost.extend(lost);
    }

    fn clear(&mut self) {
        self.blocked.clear();
        self.lost.clear();
    }
}

/// The last large repair, as that of an agent which sees the complete map at the start. It is the same for all starts.
#[derive(Default)]
struct RepairCache {
    before: Option<Arc<Hierarchy>>,
    changes: Discoveries,
    after: Option<Hierarchy>,
}

impl Abstraction {
    /// Starts a new problem with this hierarchy.
    pub fn begin(&mut self, shared: &Arc<Hierarchy>) {
        self.shared = Some(Arc::clone(shared));
        self.is_own = false;
        self.discovered.clear();
    }

    /// Adds cells that turned out to be blocked, and edges across cliffs. [`Abstraction::repair`] applies them.
    pub(crate) fn discover(&mut self, blocked: &[State], lost: &[(State, State)]) {
        self.discovered.add(blocked, lost);
    }

    /// The current hierarchy.
    ///
    /// # Panics
    /// If the agent has not declared that it uses a hierarchy.
    pub fn get(&self) -> &Hierarchy {
        let hierarchy = if self.is_own { self.own.as_ref() } else { self.shared.as_deref() };
        hierarchy.expect("agents declare that they use a hierarchy")
    }

    /// Repairs and returns the hierarchy if there were discoveries, and records the changes on level `watched`.
    pub fn repair(&mut self, watched: usize) -> Option<&mut Hierarchy> {
        let Abstraction { shared, own, is_own, discovered, peak, cache } = self;
        if discovered.count() == 0 {
            return None;
        }
        *peak = discovered.bytes().max(*peak);
        let shared = shared.as_ref().expect("agents declare that they use a hierarchy");
        // Copying a repaired hierarchy takes as long as a few hundred repairs.
        let is_large = !*is_own && discovered.count() > 1000;
        let cached = cache.get(shared, discovered).filter(|_| is_large);
        if !*is_own {
            copy(own, cached.unwrap_or(shared));
            *is_own = true;
        }
        let hierarchy = own.as_mut().expect("it was copied");
        hierarchy.watch(watched);
        if cached.is_none() {
            for &cell in &discovered.blocked {
                hierarchy.block(cell);
            }
            for &(one, other) in &discovered.lost {
                hierarchy.remove_edge(one, other);
            }
            hierarchy.repair();
            if is_large {
                cache.store(shared, discovered, hierarchy, watched);
            }
        }
        discovered.clear();
        Some(hierarchy)
    }
}

impl RepairCache {
    /// The repaired hierarchy, if the repair was the same.
    fn get(&self, before: &Arc<Hierarchy>, changes: &Discoveries) -> Option<&Hierarchy> {
        let is_same = self.before.as_ref().is_some_and(|known| Arc::ptr_eq(known, before)) && self.changes == *changes;
        self.after.as_ref().filter(|_| is_same)
    }

    fn store(&mut self, before: &Arc<Hierarchy>, changes: &Discoveries, after: &Hierarchy, watched: usize) {
        self.before = Some(Arc::clone(before));
        self.changes.clear();
        self.changes.add(&changes.blocked, &changes.lost);
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
    use crate::abstraction::Variant;
    use crate::grid::generate::generate;
    use crate::grid::{DiagonalRule, Grid};

    fn check(abstraction: &Abstraction, grid: &Grid) {
        assert_eq!(abstraction.get().check(grid.moves(), |cell| grid.is_free(cell)), Ok(()));
    }

    #[test]
    fn discoveries_do_not_reach_the_next_agent() {
        let grid = generate("caves", 96, 96, 1, []).unwrap().grid(DiagonalRule::Strict);
        let open = Grid::new(grid.shape(), grid.rule(), vec![true; grid.shape().cells()]);
        let shared = Arc::new(Hierarchy::open(grid.shape(), grid.rule(), Variant::Aligned));
        let blocked: Vec<State> = (0..grid.shape().cells() as State).filter(|cell| !grid.is_free(*cell)).collect();
        assert!(blocked.len() > 1000, "enough to be cached");
        let mut abstraction = Abstraction::default();
        let mut counts = Vec::new();
        // All at once, which is cached; the same again from the cache; in parts; and all at once again.
        for pieces in [1, 1, 7, 1] {
            abstraction.begin(&shared);
            check(&abstraction, &open);
            for piece in blocked.chunks(blocked.len().div_ceil(pieces)) {
                abstraction.discover(piece, &[]);
                abstraction.repair(1);
            }
            check(&abstraction, &grid);
            let hierarchy = abstraction.get();
            counts.push((0..=hierarchy.top()).map(|level| hierarchy.count(level)).collect::<Vec<_>>());
        }
        assert_eq!((&counts[0], &counts[0]), (&counts[1], &counts[3]), "the cached hierarchy equals a repaired one");
        // Another hierarchy of the same size does not use the cache.
        abstraction.begin(&Arc::new(Hierarchy::open(grid.shape(), grid.rule(), Variant::Aligned)));
        abstraction.discover(&blocked[1..], &[]);
        abstraction.repair(1);
        assert!(abstraction.get().is_state(0, blocked[0]));
    }
}
