//! γ-Trap (Bulitko 2004) in the form of graph-abstraction-2007, Sections 6 and 7.2: LRTS(d, γ, 0), Figure 3, lines 1 to
//! 9. The original algorithm also chooses its depth, up to d, for each move.

use super::Entry;
use super::lrts::{COUNTS, DEPTH, GAMMA, Lrts};

pub const ENTRY: Entry = Entry {
    about: "Looks d moves ahead by γ·g + h and makes all d moves. If the heuristic rose, it returns to the state where \
            it planned before.",
    counts: COUNTS,
    learns: true,
    backtracks: |_| true,
    params: &[DEPTH.with_default("3"), GAMMA.with_default("0.4")],
    label: |values| format!("(d={}, γ={})", values.get("d"), values.get("gamma")),
    samples: &["gamma-trap(d=1, gamma=0.2)"],
    ..Entry::new("gamma-trap", "γ-Trap", "Bulitko 2004; graph-abstraction-2007, Section 6 and Figure 3", |values| {
        Ok(Box::new(Lrts::new(values.integer("d"), values.real("gamma"), 0.0)))
    })
};
