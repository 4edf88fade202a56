//! The interface of agents' tables, and the collection of tables that belong to single agents.

use super::learned::Learning;
use crate::cost::Cost;
use crate::graph::State;
use std::any::{Any, TypeId};

/// A large table. A worker keeps it for all problems and agents, so that it is allocated once.
pub trait Table: Any + Send {
    /// Starts a new problem with this many states and resets the table, in time proportional to what was written.
    fn reset(&mut self, _states: usize) {}

    /// Statistics of learning since the start of the problem, if the table stores learned heuristics.
    fn learning(&self) -> Learning {
        Learning::default()
    }

    /// The bytes of the entries in use, at their peak since the start of the problem. Space for further entries does
    /// not count, so the result does not depend on earlier problems.
    fn peak_bytes(&self) -> u64 {
        0
    }

    /// The increase of a state's heuristic over its initial value, which `initial` returns for a goal: the maximum over
    /// the goal and all intermediate goals. It is infinite if the learned value is, or if the state was removed.
    fn risen(&self, _state: State, _goal: State, _initial: &dyn Fn(State) -> Cost) -> f64 {
        0.0
    }
}

/// The bytes of this many entries.
pub fn bytes<T>(entries: usize) -> u64 {
    (entries * size_of::<T>()) as u64
}

/// Tables that each belong to one agent, by type.
#[derive(Default)]
pub struct OwnTables(Vec<(TypeId, Box<dyn Table>)>);

impl OwnTables {
    /// Returns the table of a type and creates it on first use. Agents call this once per planning episode.
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

    /// All tables, mutable.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut (dyn Table + 'static)> {
        self.0.iter_mut().map(|(_, table)| &mut **table)
    }
}
