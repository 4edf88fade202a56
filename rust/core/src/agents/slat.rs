//! SLA*T (Shue, Li and Zamani 2001), as graph-abstraction-2007 has it in Sections 6 and 7.2: LRTS(1, 1, T), Figure 3, lines
//! 1 to 9. T = 0 is SLA*, T = ∞ is LRTA*.

use super::Entry;
use super::lrts::{COUNTS, Lrts, QUOTA};

pub const ENTRY: Entry = Entry {
    name: "slat",
    title: "SLA*T",
    paper: "Shue, Li and Zamani 2001; graph-abstraction-2007, Section 6 and Figure 3",
    about: "Looks at its neighbours and goes to the best; once it has learned more than T, learning leads it back.",
    counts: COUNTS,
    learns: true,
    backtracks: |values| values.real("T").is_finite(),
    params: &[QUOTA.with_default("100")],
    label: |values| format!("(T={})", values.get("T")),
    build: |values| Ok(Box::new(Lrts::new(1, 1.0, values.real("T")))),
    samples: &["slat(T=1)"],
    shortest_samples: &["slat", "slat(T=10)"],
    ..Entry::PLAIN
};
