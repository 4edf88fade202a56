//! daLRTA* (Hernández and Baier 2012), also weighted (Rivera, Baier and Hernández 2015) and with expendable states
//! (Sharon, Sturtevant and Felner 2013). In the space of per-map-selection-2016 it is [`super::param`] with lop = min,
//! b = 1 and da. The 7-daLRTA* of that paper has wc = 7.

use super::param::{COST_WEIGHT, EXPENDABLE, Parameters, READING, TIES, WEIGHT};
use super::{Entry, param};

pub const ENTRY: Entry = Entry {
    about: "Plans as LRTA* does, but moves to the best of the neighbours whose heuristics have risen the least.",
    counts: param::ENTRY.counts,
    // With w > 1 all heuristics may become infinite.
    complete: false,
    learns: true,
    params: &[WEIGHT, COST_WEIGHT, EXPENDABLE, READING, TIES],
    label: |values| {
        let wc = Some(values.real("wc")).filter(|wc| *wc != 1.0).map(|wc| format!("{wc}-")).unwrap_or_default();
        let w = Some(values.real("w")).filter(|w| *w != 1.0).map(|w| format!(", w {w}")).unwrap_or_default();
        let expendable = if values.is("E", "yes") { "+E" } else { "" };
        format!("{wc}daLRTA*{expendable}{w}{}", values.unusual(ENTRY.params, &["reading"]))
    },
    untitled: true,
    incomplete_samples: &["da-lrta(wc=7, E=yes)", "da-lrta(w=3, E=yes)"],
    ..Entry::new("da-lrta", "daLRTA*", "Hernández and Baier 2012; per-map-selection-2016, Section 5", |values| {
        let (w, wc) = (values.real("w"), values.real("wc"));
        Parameters { w, wc, avoids: true, ..Parameters::PLAIN }.agent(values)
    })
};
