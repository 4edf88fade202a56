//! The parameter of agents that use an abstraction hierarchy or a database of its states.

use super::spec::{Param, Values};
use crate::abstraction::Variant;

/// The variant of the hierarchy.
pub(super) const ABSTRACTION: Param = Param::choice(
    "abstraction",
    &["aligned", "free"],
    "cliques that become abstract states: squares of a grid first, or the first ones in the order of states",
);

/// The variant of the hierarchy.
pub(super) fn variant(values: &Values) -> Variant {
    Variant::named(values.word("abstraction")).expect("the parameter's words are the variants' names")
}
