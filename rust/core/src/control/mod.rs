//! Who chooses the depth and the goal of a move: line 3 of Figure 1 of dynamic-control-2008. The two are independent parts,
//! so that any depth control goes with any goal control.

pub mod goal;
