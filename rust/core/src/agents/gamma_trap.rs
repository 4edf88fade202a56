//! γ-Trap (Bulitko 2004), as graph-abstraction-2007 has it in Sections 6 and 7.2: LRTS(d, γ, 0), Figure 3, lines 1 to 9.
//! That covers it "to a large extent": the original also chooses its depth, up to d, from move to move.

use super::Entry;
use super::lrts::{COUNTS, DEPTH, GAMMA, Lrts};

pub const ENTRY: Entry = Entry {
    name: "gamma-trap",
    title: "γ-Trap",
    paper: "Bulitko 2004; graph-abstraction-2007, Section 6 and Figure 3",
    about: "Looks d moves ahead by γ·g + h and makes all of them, or, where it learned something, walks back to where it \
            planned before.",
    counts: COUNTS,
    learns: true,
    backtracks: |_| true,
    params: &[DEPTH.with_default("3"), GAMMA.with_default("0.4")],
    label: |values| format!("(d={}, γ={})", values.get("d"), values.get("gamma")),
    build: |values| Ok(Box::new(Lrts::new(values.integer("d"), values.real("gamma"), 0.0))),
    samples: &["gamma-trap(d=1, gamma=0.2)"],
    ..Entry::PLAIN
};
