//! RTAA* (Koenig and Likhachev 2006): an example with a search and plans of several moves.
//!
//! Build it with `cargo build --release`, test it with `python -m unittest -v test_rtaa`, and run it with
//! `permove run -a './target/release/librtaa.so:rtaa(k={10,100})' astar`.

mod permove;

use permove::{Agent, Parameter, PastCutoff, Setup, World};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ffi::CStr;
use std::mem::size_of;

/// Search data of a state.
#[derive(Clone, Copy, Default)]
struct Node {
    /// The number of the search that generated it; entries of earlier searches are invalid.
    search: u32,
    g: u32,
    h: u32,
    parent: u32,
}

struct Rtaa {
    lookahead: f64,
    max_moves: f64,
    search: u32,
    nodes: Vec<Node>,
    /// Smallest f first, then largest g, then the oldest entry: f and the complement of g, the serial number, the
    /// state.
    open: BinaryHeap<Reverse<(u64, u32, u32)>>,
    closed: Vec<u32>,
    path: Vec<u32>,
}

impl Agent for Rtaa {
    const NAME: &'static CStr = c"rtaa";
    const ABOUT: &'static CStr =
        c"Expands k states like A*, raises their heuristics, moves towards the state that A* would expand next.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::integer(c"k", c"the lookahead: number of states to expand", (1.0, f64::INFINITY), 10.0),
        Parameter::integer(c"moves", c"the maximum number of moves per plan", (1.0, f64::INFINITY), f64::INFINITY),
    ];

    fn new(setup: &Setup) -> Self {
        Rtaa {
            lookahead: setup.values[0],
            max_moves: setup.values[1],
            search: 0,
            nodes: vec![Node::default(); (setup.width * setup.height) as usize],
            open: BinaryHeap::new(),
            closed: Vec::new(),
            path: Vec::new(),
        }
    }

    fn plan(&mut self, world: &mut World) -> Result<(), PastCutoff> {
        let Rtaa { nodes, open, closed, path, .. } = self;
        let (start, goal) = (world.at(), world.goal());

        // A* from the current state, until the goal or the (k+1)th state is about to be expanded.
        self.search += 1;
        open.clear();
        closed.clear();
        let h = world.heuristic(start);
        nodes[start as usize] = Node { search: self.search, g: 0, h, parent: start };
        let key = |f: u32, g: u32| (f as u64) << 32 | !g as u64;
        let mut serial = 0;
        open.push(Reverse((key(h, 0), serial, start)));
        let end = loop {
            let Some(Reverse((first, _, state))) = open.pop() else {
                return Ok(()); // no path
            };
            let g = nodes[state as usize].g;
            if !(first as u32) != g {
                continue; // a cheaper path was found later
            }
            if state == goal || closed.len() as f64 == self.lookahead {
                break state;
            }
            closed.push(state);
            for next in world.expand(state)? {
                let (node, g) = (&mut nodes[next.state as usize], g + next.cost);
                if node.search == self.search && node.g <= g {
                    continue;
                }
                *node = Node { search: self.search, g, h: next.h, parent: state };
                serial += 1;
                open.push(Reverse((key(g + next.h, g), serial, next.state)));
            }
        };

        // Report the bytes of the tables in use: every entry of the open list has a node, and there may be a path.
        let entry = size_of::<Node>() + size_of::<Reverse<(u64, u32, u32)>>();
        world.memory(((serial as usize + 1) * entry + 2 * closed.len() * size_of::<u32>()) as u64);
        // Set the heuristic of each expanded state to f(end) - g.
        let Node { g, h, .. } = nodes[end as usize];
        for &state in closed.iter() {
            world.learn(state, g + h - nodes[state as usize].g);
        }
        // Follow the parents from the end, then append the first moves of the path to the plan.
        path.clear();
        let mut state = end;
        while state != start {
            path.push(state);
            state = nodes[state as usize].parent;
        }
        for (made, &state) in path.iter().rev().enumerate() {
            if made as f64 == self.max_moves {
                break;
            }
            world.go(state);
        }
        Ok(())
    }
}

permove::agents!(Rtaa);
