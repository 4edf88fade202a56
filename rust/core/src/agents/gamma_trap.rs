//! γ-Trap (Bulitko 2004), as graph-abstraction-2007 has it in Sections 6 and 7.2: LRTS(d, γ, 0), Figure 3, lines 1 to 9.
//! That covers it "to a large extent": the original also chooses its depth, up to d, from move to move.

use super::Entry;
use super::lrts::{COUNTS, DEPTH, GAMMA, Lrts};
use super::spec::{Param, Values};

/// Its entry in the catalogue.
pub const ENTRY: Entry = Entry {
    name: "gamma-trap",
    title: "γ-Trap",
    paper: "Bulitko 2004; graph-abstraction-2007, Section 6 and Figure 3",
    about: "Looks d moves ahead by γ·g + h and makes all of them, or, where it learned something, walks back to where it \
            planned before.",
    counts: COUNTS,
    complete: true,
    optimal: false,
    learns: true,
    params: &[Param { default: "3", ..DEPTH }, Param { default: "0.4", ..GAMMA }],
    label: |values: &Values| format!("(d={}, γ={})", values.get("d"), values.get("gamma")),
    untitled: false,
    build: |values| Box::new(Lrts::new(values.integer("d"), values.real("gamma"), 0.0)),
};
