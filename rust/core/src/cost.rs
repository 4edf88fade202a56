//! Costs as integers, so that sums are exact and rounding errors are neither ties nor learning.
//!
//! A cardinal move costs 5741 and a diagonal one 8119. Their ratio is a convergent of √2 with an error of 1e-8. The
//! length of a path is counted in moves of either kind ([`Length`]) and reported as `a + b√2`.

/// A cost in units of 1/5741 of a cell.
pub type Cost = u32;

/// The cost of a move north, east, south or west.
pub const CARDINAL: Cost = 5741;

/// The cost of a diagonal move, 5741·√2 to eight digits.
pub const DIAGONAL: Cost = 8119;

/// The cost of an unreachable state.
pub const INFINITY: Cost = Cost::MAX;

/// Returns `a + b`, or infinity if one of them is infinite.
#[inline(always)]
pub fn add(a: Cost, b: Cost) -> Cost {
    a.saturating_add(b)
}

/// A sum of costs that cannot overflow. All values of at least [`INFINITY`] mean infinity.
pub type Sum = u64;

/// A weight γ on costs, in units of 2⁻³². It is applied to each edge and rounded there, so that sums stay integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight(u64);

impl Weight {
    /// The weight that leaves costs unchanged.
    pub const ONE: Weight = Weight(1 << 32);

    /// Creates a weight above 0 and at most 1.
    pub fn new(gamma: f64) -> Weight {
        debug_assert!(gamma > 0.0 && gamma <= 1.0, "a weight of {gamma}");
        Weight((gamma * Weight::ONE.0 as f64).round() as u64)
    }

    /// The weighted cost of an edge. It is at least 1, since agents could run forever along edges without cost.
    #[inline(always)]
    pub fn of(self, cost: Cost) -> Cost {
        (((cost as u64 * self.0 + (1 << 31)) >> 32) as Cost).max(1)
    }
}

/// The length of a path as numbers of cardinal and diagonal moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Length {
    /// Moves of cost 1.
    pub cardinal: u64,
    /// Moves of cost √2.
    pub diagonal: u64,
}

impl Length {
    /// Returns the numbers of moves that add up to an integer cost; `None` if the cost does not determine them.
    ///
    /// It does below 5741 · 8119, since both are coprime: 8119 cardinal moves cost as much as 5741 diagonal ones.
    /// `search::tree::length` counts the moves of longer paths.
    pub fn of_cost(cost: Cost) -> Option<Length> {
        // 8119·b ≡ cost (mod 5741).
        const INVERSE: u64 = inverse(DIAGONAL as u64, CARDINAL as u64);
        let (cost, unit, diagonal_cost) = (cost as u64, CARDINAL as u64, DIAGONAL as u64);
        let diagonal = (cost % unit) * INVERSE % unit;
        debug_assert!(diagonal * diagonal_cost <= cost, "{cost} is not a sum of move costs");
        let length = Length { cardinal: (cost - diagonal * diagonal_cost) / unit, diagonal };
        (cost < unit * diagonal_cost).then_some(length)
    }

    /// The length in cells.
    pub fn cells(self) -> f64 {
        self.cardinal as f64 + self.diagonal as f64 * std::f64::consts::SQRT_2
    }

    /// The length in integer units. It is wider than [`Cost`], since agents can make any number of moves.
    pub fn units(self) -> u64 {
        self.cardinal * CARDINAL as u64 + self.diagonal * DIAGONAL as u64
    }

    /// The number of moves.
    pub fn moves(self) -> u64 {
        self.cardinal + self.diagonal
    }
}

/// A cost in cells, exact for all but very long paths, and with a relative error of 1e-8 for those.
pub fn cells(cost: Cost) -> f64 {
    Length::of_cost(cost).map_or(f64::from(cost) / f64::from(CARDINAL), Length::cells)
}

/// The inverse of `a` modulo a small `m` by trial, evaluated at compile time.
const fn inverse(a: u64, m: u64) -> u64 {
    let mut x = 1;
    while (a * x) % m != 1 {
        x += 1;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_diagonal_is_root_two_to_eight_digits() {
        let error = DIAGONAL as f64 / CARDINAL as f64 / std::f64::consts::SQRT_2 - 1.0;
        assert!(error.abs() < 1.1e-8, "{error}");
    }

    proptest! {
        #[test]
        fn a_cost_determines_its_moves_if_it_is_small(cardinal in 0u64..300_000, diagonal in 0u64..300_000) {
            let length = Length { cardinal, diagonal };
            prop_assume!(length.units() < INFINITY as u64);
            let is_small = length.units() < CARDINAL as u64 * DIAGONAL as u64;
            prop_assert_eq!(Length::of_cost(length.units() as Cost), is_small.then_some(length));
            prop_assert!((cells(length.units() as Cost) / length.cells().max(1e-9) - 1.0).abs() < 2e-8 || cardinal + diagonal == 0);
        }

        #[test]
        fn small_costs_determine_their_moves(cardinal in 0u64..8119, diagonal in 0u64..5741) {
            let length = Length { cardinal, diagonal };
            prop_assume!(length.units() < CARDINAL as u64 * DIAGONAL as u64);
            prop_assert_eq!(Length::of_cost(length.units() as Cost), Some(length));
        }

        #[test]
        fn weights_round_to_nearest_and_weight_one_changes_nothing(gamma in 1e-6..=1.0f64, cost in 1..=INFINITY) {
            let exact = cost as f64 * gamma;
            prop_assert!((Weight::new(gamma).of(cost) as f64 - exact.max(1.0)).abs() <= 1.0);
            prop_assert_eq!(Weight::new(gamma).of(CARDINAL), (CARDINAL as f64 * gamma).round().max(1.0) as Cost);
            prop_assert_eq!(Weight::ONE.of(cost), cost);
        }

        #[test]
        fn infinity_absorbs(a in 0..=INFINITY) {
            prop_assert_eq!(add(a, INFINITY), INFINITY);
            prop_assert_eq!(add(INFINITY, a), INFINITY);
        }
    }
}
