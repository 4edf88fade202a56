//! Problem sets: random starts and goals whose optimal cost lies where it is wanted.
