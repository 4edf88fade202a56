//! Weighted LRTA* (Rivera, Baier and Hernández 2015): LRTA* that learns w · c + h. In the space of
//! per-map-selection-2016 it is [`super::param`] with lop = min, b = 1 and wc = w. As in the paper's 7-daLRTA*, the
//! weight applies to the cost of a move.

use super::param::{COST_WEIGHT, EXPENDABLE, Parameters, READING, TIES};
use super::spec::Param;
use super::{Entry, param};

pub const ENTRY: Entry = Entry {
    about: "Plans as LRTA* does, but weights the cost of a move when it learns.",
    counts: param::ENTRY.counts,
    learns: true,
    params: &[Param { name: "w", ..COST_WEIGHT }, EXPENDABLE, READING, TIES],
    label: |values| {
        let expendable = if values.is("E", "yes") { "+E" } else { "" };
        format!("{}-LRTA*{expendable}{}", values.real("w"), values.unusual(ENTRY.params, &["reading"]))
    },
    untitled: true,
    samples: &["w-lrta(w=3)"],
    ..Entry::new("w-lrta", "wLRTA*", "Rivera, Baier and Hernández 2015; per-map-selection-2016, Section 3", |values| {
        Parameters { wc: values.real("w"), ..Parameters::PLAIN }.agent(values)
    })
};
