//! SLA* (Shue and Zamani 1993) in the form of graph-abstraction-2007, Sections 6 and 7.2: LRTS(1, 1, 0), Figure 3,
//! lines 1 to 9. With a quota of 0, any learning (line 4) makes it backtrack (line 8).

use super::Entry;
use super::lrts::{COUNTS, Lrts};

pub const ENTRY: Entry = Entry {
    about: "Moves to the best neighbour. If that raised the heuristic, it moves back instead.",
    counts: COUNTS,
    learns: true,
    backtracks: |_| true,
    shortest_samples: &["sla"],
    ..Entry::new("sla", "SLA*", "Shue and Zamani 1993; graph-abstraction-2007, Section 6 and Figure 3", |_| {
        Ok(Box::new(Lrts::new(1, 1.0, 0.0)))
    })
};
