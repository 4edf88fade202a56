//! SLA* (Shue and Zamani 1993), as graph-abstraction-2007 has it in Sections 6 and 7.2: LRTS(1, 1, 0), Figure 3, lines 1
//! to 9. With a quota of nothing, whatever is learned (line 4) leads back (line 8).

use super::Entry;
use super::lrts::{COUNTS, Lrts};

pub const ENTRY: Entry = Entry {
    name: "sla",
    title: "SLA*",
    paper: "Shue and Zamani 1993; graph-abstraction-2007, Section 6 and Figure 3",
    about: "Looks at its neighbours and goes to the best, or, where that raised the heuristic, back where it came from.",
    counts: COUNTS,
    learns: true,
    backtracks: |_| true,
    build: |_| Ok(Box::new(Lrts::new(1, 1.0, 0.0))),
    shortest_samples: &["sla"],
    ..Entry::PLAIN
};
