//! The states that a plug-in has expanded, in this episode and in this problem, and its moves that leave other states.

use crate::graph::State;

/// The expanded states of the current problem.
#[derive(Default)]
pub(super) struct Expansions {
    /// The number of the last episode in which each state was expanded; 0 if there was none.
    episodes: Vec<u32>,
    /// The first episode of the problem.
    first: u32,
    /// The current episode.
    episode: u32,
    /// The number of the first move of the last plan.
    begin: u64,
    /// The moves of the last plan, from 0, that leave states which were not expanded. Mostly there are none.
    unexpanded: Vec<usize>,
    /// The moves of this problem that leave states which were never expanded in it.
    unexpanded_moves: u64,
}

impl Expansions {
    pub(super) fn begin_problem(&mut self) {
        if self.episode == u32::MAX {
            self.episodes.fill(0);
            self.episode = 0;
        }
        self.first = self.episode + 1;
        self.unexpanded_moves = 0;
        self.begin_trial();
    }

    pub(super) fn begin_trial(&mut self) {
        self.unexpanded.clear();
        self.begin = 1;
    }

    /// Begins the planning of a move. A discovery may have ended the last plan before all its moves were made.
    #[inline(always)]
    pub(super) fn begin_move(&mut self, number: u64) {
        if !self.unexpanded.is_empty() {
            self.forget_from((number - self.begin) as usize);
        }
        self.begin = number;
    }

    #[cold]
    fn forget_from(&mut self, made: usize) {
        self.unexpanded_moves -= self.unexpanded.drain(..).filter(|number| *number >= made).count() as u64;
    }

    /// Begins an episode on a map with this number of states.
    #[inline(always)]
    pub(super) fn begin_episode(&mut self, states: usize) {
        if self.episodes.len() < states || self.episode == u32::MAX {
            self.make_space(states);
        }
        self.episode += 1;
    }

    #[cold]
    fn make_space(&mut self, states: usize) {
        self.episodes.resize(states.max(self.episodes.len()), 0);
        if self.episode == u32::MAX {
            self.episodes.iter_mut().for_each(|episode| *episode = u32::from(*episode >= self.first));
            (self.first, self.episode) = (1, 1);
        }
    }

    #[inline(always)]
    pub(super) fn mark(&mut self, state: State) {
        self.episodes[state as usize] = self.episode;
    }

    /// Whether a state was expanded in this episode.
    #[inline(always)]
    pub(super) fn in_episode(&self, state: State) -> bool {
        self.episodes.get(state as usize).is_some_and(|episode| *episode == self.episode)
    }

    /// Counts the moves of a plan that leave states which were never expanded in this problem.
    #[inline(always)]
    pub(super) fn planned(&mut self, at: State, goal: State, plan: &[State]) {
        let mut from = at;
        for (number, &to) in plan.iter().enumerate() {
            if self.episodes.get(from as usize).is_none_or(|episode| *episode < self.first) {
                self.add(number);
            }
            from = to;
            if to == goal {
                break;
            }
        }
    }

    #[cold]
    fn add(&mut self, number: usize) {
        self.unexpanded.push(number);
        self.unexpanded_moves += 1;
    }

    pub(super) fn unexpanded_moves(&self) -> u64 {
        self.unexpanded_moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expansions after planning the moves 0 to 3, of which only 0 and 2 leave expanded states.
    fn planned() -> Expansions {
        let mut expansions = Expansions::default();
        expansions.begin_problem();
        expansions.begin_move(1);
        expansions.begin_episode(10);
        expansions.mark(0);
        expansions.mark(2);
        expansions.planned(0, 9, &[1, 2, 3, 4]);
        expansions
    }

    #[test]
    fn moves_that_leave_states_without_expanding_them_are_counted_once_made() {
        let mut expansions = planned();
        assert_eq!(expansions.unexpanded_moves(), 2);
        expansions.begin_move(4);
        assert_eq!(expansions.unexpanded_moves(), 1);
    }

    #[test]
    fn a_plan_counts_up_to_the_goal() {
        let mut expansions = planned();
        expansions.begin_trial();
        expansions.begin_move(1);
        expansions.begin_episode(10);
        expansions.planned(0, 9, &[9, 5, 6]);
        assert_eq!(expansions.unexpanded_moves(), 2);
    }

    #[test]
    fn expansions_count_in_later_episodes_and_trials_but_not_in_the_next_problem() {
        let mut expansions = planned();
        expansions.begin_trial();
        expansions.begin_move(1);
        expansions.begin_episode(10);
        assert!(!expansions.in_episode(2));
        expansions.planned(2, 9, &[0, 9]);
        assert_eq!(expansions.unexpanded_moves(), 2);
        expansions.begin_problem();
        expansions.begin_move(1);
        expansions.begin_episode(10);
        expansions.planned(2, 9, &[0, 9]);
        assert_eq!(expansions.unexpanded_moves(), 2);
    }

    #[test]
    fn a_new_numbering_of_episodes_keeps_the_expansions_of_the_problem() {
        let mut expansions = planned();
        expansions.episode = u32::MAX;
        expansions.begin_move(5);
        expansions.begin_episode(10);
        assert!(!expansions.in_episode(2));
        expansions.planned(2, 9, &[5, 6]);
        assert_eq!(expansions.unexpanded_moves(), 3);
    }
}
