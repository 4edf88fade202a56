//! SLA*T (Shue, Li and Zamani 2001) in the form of graph-abstraction-2007, Sections 6 and 7.2: LRTS(1, 1, T), Figure 3,
//! lines 1 to 9. T = 0 is SLA*, T = ∞ is LRTA*.

use super::Entry;
use super::lrts::{COUNTS, Lrts, QUOTA};

pub const ENTRY: Entry = Entry {
    about: "Moves to the best neighbour. After it has learned more than T in a trial, it moves back whenever it \
            learns.",
    counts: COUNTS,
    learns: true,
    backtracks: |values| values.real("T").is_finite(),
    params: &[QUOTA.with_default("100")],
    label: |values| format!("(T={})", values.get("T")),
    samples: &["slat(T=1)"],
    shortest_samples: &["slat", "slat(T=10)"],
    ..Entry::new(
        "slat",
        "SLA*T",
        "Shue, Li and Zamani 2001; graph-abstraction-2007, Section 6 and Figure 3",
        |values| Ok(Box::new(Lrts::new(1, 1.0, values.real("T")))),
    )
};
