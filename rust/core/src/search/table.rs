//! Tables of agents: what they have in common, and the tables that belong to a single agent.

use super::learned::Learning;
use crate::cost::Cost;
use crate::graph::State;
use std::any::{Any, TypeId};

/// A large table. A worker keeps it for all problems and agents, so that it is allocated once.
pub trait Table: Any + Send {
    /// A new problem with this many states begins: forget the last one. Takes time in proportion to what was written.
    fn reset(&mut self, _states: usize) {}

    /// Statistics of what was learned since the problem began, if the table holds learned heuristics.
    fn learning(&self) -> Learning {
        Learning::default()
    }

    /// The increase of a state's heuristic over its initial value, which `initial` returns for a goal: the maximum over
    /// the goal and all intermediate goals. Infinite if the learned value is, or if the state was removed.
    fn risen(&self, _state: State, _goal: State, _initial: &dyn Fn(State) -> Cost) -> f64 {
        0.0
    }
}

/// Tables that each belong to one agent, by their types.
#[derive(Default)]
pub struct OwnTables(Vec<(TypeId, Box<dyn Table>)>);

impl OwnTables {
    /// The table of a type, which is created when it is first used. Meant to be called once per planning episode.
    pub fn get<T: Table + Default>(&mut self) -> &mut T {
        let id = TypeId::of::<T>();
        let place = self.0.iter().position(|(known, _)| *known == id).unwrap_or_else(|| {
            self.0.push((id, Box::new(T::default())));
            self.0.len() - 1
        });
        let table: &mut dyn Any = &mut *self.0[place].1;
        table.downcast_mut().expect("the table has the type that it is stored under")
    }

    /// All tables.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Table> {
        self.0.iter().map(|(_, table)| &**table)
    }

    /// All tables, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut (dyn Table + 'static)> {
        self.0.iter_mut().map(|(_, table)| &mut **table)
    }
}
