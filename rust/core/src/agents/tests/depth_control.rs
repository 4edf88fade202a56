//! Depth control on generated maps: features are compared with a naive count, labels with a search for every depth, and
//! agents with the claims of dynamic-control-2008.

use super::{SETTINGS, setting, watch};
use crate::agent::{Agent, Episode, Memory};
use crate::agents::lrta::{ControlledLrta, Lrta};
use crate::agents::single::Single;
use crate::agents::spec::Spec;
use crate::batch::collect::{Collection, Sample, Wanted};
use crate::batch::{DatabaseSet, Placed};
use crate::control::DepthControl;
use crate::control::features::{FeatureSet, Features, features};
use crate::control::goal::GoalControl;
use crate::control::oracle::Oracle;
use crate::control::tree::{Fault, Tree};
use crate::cost::{CARDINAL, Cost, Weight};
use crate::graph::{Graph, State};
use crate::grid::generate::{KINDS, generate};
use crate::grid::{DiagonalRule, Grid};
use crate::meter::{Effort, Meter};
use crate::problems::{Problem, in_range};
use crate::rng::Draw;
use crate::search::lookahead::{Lookahead, LookaheadContext};
use crate::search::ties::Ties;
use crate::testing::worlds;
use crate::world::runs::{Runner, Trials, World};
use crate::world::sensor::Sensor;
use crate::world::status::Status;
use crate::world::trial::Setting;
use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// The move, the value and the effort of a separate search to some depth, with the current heuristics.
fn search<G: Graph>(
    meter: &Meter<'_, G>,
    memory: &Memory,
    at: State,
    goal: State,
    depth: u32,
) -> (Option<State>, Cost, Effort) {
    let h0 = meter.heuristic(goal);
    let h = |state| memory.learned.or(state, h0.of(state));
    let mut lookahead = Lookahead::default();
    let context = LookaheadContext { from: at, goal, path_max: Some(h(at)), weigh: |cost| cost, heuristic: h };
    let mut meter = Meter::new(meter.graph(), None);
    let promise = lookahead.run(&mut meter, &mut Ties::First, depth, context);
    (lookahead.first(promise.state), promise.f, meter.effort())
}

/// The label as in the paper: searches with decreasing depth, up to the first one with another move.
fn label_by_searches<G: Graph>(meter: &Meter<'_, G>, memory: &Memory, at: State, goal: State, dmax: u32) -> u32 {
    let action = |depth| search(meter, memory, at, goal, depth).0;
    let best = action(dmax);
    (1..dmax).rev().take_while(|depth| action(*depth) == best).last().unwrap_or(dmax)
}

/// Checks each move of LRTA* with an oracle.
struct Guided {
    lrta: ControlledLrta,
    dmax: u32,
    faults: Vec<String>,
}

impl Agent for Guided {
    fn begin_trial(&mut self) {
        self.lrta.begin_trial();
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        let (best, ..) = search(meter, memory, at, goal, self.dmax);
        let label = label_by_searches(meter, memory, at, goal, self.dmax);
        let (_, f, effort) = search(meter, memory, at, goal, label);
        let before = memory.learned.or(at, meter.heuristic(goal).of(at));
        self.lrta.plan(Episode { meter, memory, at, goal, plan });
        if plan.last().copied() != best {
            self.faults.push(format!("from {at} to {plan:?}, not {best:?}"));
        }
        if meter.effort() != effort {
            self.faults.push(format!("{:?} counted for depth {label}, not {effort:?}", meter.effort()));
        }
        if memory.learned.or(at, before) != f {
            self.faults.push(format!("learned {}, not {f}", memory.learned.or(at, before)));
        }
    }
}

/// Compares the features of every move with a naive count over all moves.
struct Counting {
    set: FeatureSet,
    n: usize,
    presearch: u32,
    is_fresh: bool,
    /// All moves so far: from, to, and the increase of the heuristic.
    moves: Vec<(State, State, Cost)>,
    faults: Vec<String>,
}

impl Counting {
    fn naive<G: Graph>(&self, meter: &Meter<'_, G>, memory: &Memory, at: State, goal: State, width: u32) -> Features {
        let cells = |units: u64| (units as f64 / CARDINAL as f64) as f32;
        let flag = |holds: bool| if holds { 1.0 } else { 0.0 };
        let h0 = meter.heuristic(goal);
        let h = |state: State| memory.learned.or(state, h0.of(state));
        let last = &self.moves[self.moves.len().saturating_sub(self.n)..];
        let long_ago = last.first().map_or(at, |(from, ..)| *from);
        let distinct = last.iter().map(|(from, ..)| *from).collect::<HashSet<_>>().len();
        let mut features = Features::default();
        features[0] = cells(h0.of(at) as u64);
        features[1] = cells(meter.heuristic(at).of(long_ago) as u64);
        if self.set == FeatureSet::Four {
            features[2] = (last.len() - distinct) as f32;
            features[3] = last.iter().filter(|(_, _, raised)| *raised > 0).count() as f32;
            return features;
        }
        features[2] = distinct as f32;
        features[3] = cells(last.iter().map(|(_, _, raised)| *raised as u64).sum());

        // Plies as sets. The last ply contains the goal or has no successors.
        let (mut seen, mut ply, mut depth) = (HashSet::from([at]), vec![at], 0);
        while depth < self.presearch && !ply.contains(&goal) {
            let mut next = Vec::new();
            for state in &ply {
                meter.graph().successors(*state, |successor, _| {
                    if seen.insert(successor) {
                        next.push(successor);
                    }
                });
            }
            if next.is_empty() {
                break;
            }
            (ply, depth) = (next, depth + 1);
        }
        let (Some(next), ..) = search(meter, memory, at, goal, self.presearch) else { return features };
        let updated = ply.iter().filter(|state| h(**state) > h0.of(**state)).count();
        features[4] = (ply.len() as f64 / (meter.directions() * depth) as f64) as f32;
        features[5] = (updated as f64 / ply.len() as f64) as f32;
        let last_time = self.moves.iter().rev().find(|(from, ..)| *from == at);
        features[6] = flag(last_time.is_some_and(|(_, to, _)| *to == next));
        let xy = |state: State| ((state % width) as i64, (state / width) as i64);
        let step = |from, to| (xy(to).0 - xy(from).0, xy(to).1 - xy(from).1);
        features[7] = flag(self.moves.last().is_some_and(|(from, to, _)| step(*from, *to) == step(at, next)));
        features[8] = (h(at) as f64 / if h(next) == 0 { 1.0 } else { h(next) as f64 }) as f32;
        features[9] = flag(h(next) > h0.of(next));
        features[10] = flag(h(at) > h(next));
        features
    }
}

/// The width of its grids.
const WIDTH: u32 = 24;

impl Agent for Counting {
    fn begin_trial(&mut self) {
        self.is_fresh = true;
    }

    fn plan<G: Graph>(&mut self, episode: Episode<'_, '_, G>) {
        let Episode { meter, memory, at, goal, plan } = episode;
        if std::mem::take(&mut self.is_fresh) {
            memory.history.begin_trial(meter.states(), self.n);
        }
        let naive = self.naive(meter, memory, at, goal, WIDTH);
        let h0 = meter.heuristic(goal);
        let before = memory.learned.or(at, h0.of(at));
        // A depth that changes from move to move.
        let depth = 1 + (self.moves.len() as u32 * 7 + at) % 4;
        let Memory { learned, lookahead, history, .. } = &mut *memory;
        let heuristic = |state| learned.or(state, h0.of(state));
        let context = LookaheadContext { from: at, goal, path_max: Some(before), weigh: |cost| cost, heuristic };
        lookahead.begin(meter.states(), self.presearch.max(depth), &context);
        lookahead.reach(meter, self.presearch, &context);
        let actual = features(self.set, meter, lookahead, history, &context, &h0);
        if actual != naive {
            self.faults.push(format!("move {}: {actual:?}, not {naive:?}", self.moves.len()));
        }
        let (next, f, _) = search(meter, memory, at, goal, depth);
        let Some(next) = next else { return };
        memory.learned.set(at, before, f);
        memory.history.record(at, next, f - before);
        self.moves.push((at, next, f - before));
        plan.push(next);
    }
}

/// A tree file with these splits and depths.
fn tree_file(splits: &[(u32, f32)], depths: &[u32], dmax: u32, presearch: u32) -> String {
    let split = |(i, (feature, threshold)): (usize, &(u32, f32))| {
        format!(r#"{{"feature": {feature}, "threshold": {threshold}, "left": {}, "right": {}}}"#, 2 * i + 1, 2 * i + 2)
    };
    let leaf = |i: usize| format!(r#"{{"depth": {}}}"#, 1 + depths[i % depths.len()] % dmax);
    let nodes: Vec<String> = splits.iter().enumerate().map(split).chain((0..=splits.len()).map(leaf)).collect();
    file(7, presearch, dmax, &format!("[{}]", nodes.join(", ")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// dynamic-control-2008, Section 7.1: the oracle chooses a depth that yields the move of depth dmax. Planning and
    /// learning are those of the chosen depth.
    #[test]
    fn an_oracle_makes_the_moves_of_dmax_with_the_effort_of_the_label(world in worlds(32), dmax in 1u32..12) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let lrta = ControlledLrta::new(DepthControl::Oracle(Oracle::new(dmax)), GoalControl::default(), 0, Weight::ONE);
        let mut guided = Guided { lrta, dmax, faults: Vec::new() };
        watch(&mut guided, &grid, problem, |before, after| {
            prop_assert!(before.iter().zip(after).all(|(before, after)| before <= after));
            Ok(())
        })?;
        prop_assert!(guided.faults.is_empty(), "{:?}", guided.faults);
    }

    #[test]
    fn features_equal_a_naive_count(
        kind in 0..KINDS.len(), rule in 0..3usize, seed: u64, n in 1usize..30, presearch in 1u32..5, is_four: bool
    ) {
        let world = crate::testing::world(kind, WIDTH, DiagonalRule::NAMES[rule].1, seed);
        let Some((grid, problem)) = world else { return Ok(()) };
        let set = if is_four { FeatureSet::Four } else { FeatureSet::Eleven };
        let mut counting = Counting { set, n, presearch, is_fresh: true, moves: Vec::new(), faults: Vec::new() };
        watch(&mut counting, &grid, problem, |_, _| Ok(()))?;
        prop_assert!(counting.faults.is_empty(), "{:?}", counting.faults.first());
    }

    #[test]
    fn any_decision_tree_reaches_the_goal(
        world in worlds(32), splits in proptest::collection::vec((0u32..11, 0.0..12.0f32), 1..40),
        depths in proptest::collection::vec(0u32..100, 1..20), dmax in 1u32..9, gamma in 0..2usize
    ) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let presearch = 1 + splits.len() as u32 % dmax;
        let tree = Tree::parse(tree_file(&splits, &depths, dmax, presearch).as_bytes()).expect("the tree is valid");
        let (control, weight) = (DepthControl::Tree(Arc::new(tree)), [Weight::ONE, Weight::new(0.4)][gamma]);
        let mut agent = ControlledLrta::new(control, GoalControl::default(), 0, weight);
        let geometry = grid.geometry(0);
        let (sensor, trials) = ([Sensor::All, Sensor::Square(3)][splits.len() % 2], Trials::Converge { max: 1000 });
        let setting = Setting { sensor, trials, ..setting(&grid, &geometry) };
        let mut memory = Memory::default();
        let mut run = || agent.run(&mut World::default(), &mut memory, problem, setting, None).expect("not cancelled");
        let outcome = run();
        prop_assert_eq!(outcome.total.status(), Status::Solved);
        // A reused worker gives the same result as a new one.
        let again = run();
        prop_assert_eq!((again.total.travel, again.total.effort), (outcome.total.travel, outcome.total.effort));
    }

    /// The pre-search must not be deeper than that depth.
    #[test]
    fn a_tree_with_one_depth_equals_a_fixed_depth(world in worlds(32), depth in 1u32..6) {
        let Some((grid, problem)) = world else { return Ok(()) };
        let tree = Tree::parse(tree_file(&[], &[depth - 1], depth, 1).as_bytes()).expect("the tree is valid");
        let expected = heuristics(&mut Single(Lrta::new(depth)), &grid, problem)?;
        for control in [DepthControl::Tree(Arc::new(tree)), DepthControl::Fixed(depth)] {
            let mut agent = ControlledLrta::new(control, GoalControl::default(), 0, Weight::ONE);
            prop_assert_eq!(&heuristics(&mut agent, &grid, problem)?, &expected);
        }
    }
}

/// The heuristics after each episode of an agent.
fn heuristics<A: Agent>(agent: &mut A, grid: &Grid, problem: Problem) -> Result<Vec<Vec<Cost>>, TestCaseError> {
    let mut heuristics = Vec::new();
    watch(agent, grid, problem, |_, after| {
        heuristics.push(after.to_vec());
        Ok(())
    })?;
    Ok(heuristics)
}

fn collected(grid: &Arc<Grid>, problems: &[Problem], wanted: Wanted, jobs: usize) -> Vec<Vec<Sample>> {
    let placed = problems.iter().map(|problem| Placed { grid: 0, ordinal: 0, problem: *problem }).collect();
    let mut collection = Collection::start(vec![Arc::clone(grid)], placed, wanted, jobs);
    while !collection.wait(Duration::from_secs(1)) {}
    collection.samples().expect("the collection is not cancelled").into_iter().map(<[Sample]>::to_vec).collect()
}

#[test]
fn collected_samples_are_the_moves_of_the_oracle_on_any_number_of_threads() {
    let map = generate("outdoor", 96, 96, 3, []).expect("maps of that size exist");
    let grid = Arc::new(map.grid(DiagonalRule::Strict));
    let problems = in_range(&grid, 12, 30.0, 60.0, 5).expect("the map is large enough");
    let wanted = Wanted { set: FeatureSet::Eleven, n: 60, presearch: 2, dmax: 8, alpha: None };
    let samples = collected(&grid, &problems, wanted, 1);
    assert_eq!(samples, collected(&grid, &problems, wanted, 3));
    let spec = Spec::parse("lrta(d=oracle, dmax=8)").expect("the spec is valid");
    for (problem, samples) in problems.iter().zip(&samples) {
        let placed = Placed { grid: 0, ordinal: 0, problem: *problem };
        let (record, _) =
            crate::batch::solve(&grid, &spec, &DatabaseSet::default(), placed, SETTINGS).expect("it needs no levels");
        assert_eq!(record.outcome.total.travel.moves(), samples.len() as u64);
        assert!(samples.iter().all(|sample| (1..=8).contains(&sample.label)));
    }
    assert!(samples.iter().flatten().any(|sample| sample.label > 1));
    // Features over fewer moves differ.
    let shorter = collected(&grid, &problems, Wanted { n: 59, ..wanted }, 2);
    assert_ne!(samples, shorter);
}

#[test]
fn a_collection_can_be_cancelled() {
    let grid = Arc::new(Grid::drawn(DiagonalRule::Strict, &[".".repeat(40).as_str(); 40]));
    let problems = in_range(&grid, 500, 20.0, 30.0, 1).expect("the map is large enough");
    let wanted = Wanted { set: FeatureSet::Eleven, n: 60, presearch: 1, dmax: 20, alpha: None };
    let placed = problems.iter().map(|problem| Placed { grid: 0, ordinal: 0, problem: *problem }).collect();
    let mut collection = Collection::start(vec![grid], placed, wanted, 2);
    collection.progress().cancel();
    while !collection.wait(Duration::from_secs(1)) {}
    assert!(collection.samples().is_none());
}

#[test]
fn a_split_continues_left_if_the_feature_is_at_most_the_threshold() {
    let nodes = r#"[{"feature": 10, "threshold": 0.5, "left": 1, "right": 2}, {"depth": 3}, {"depth": 7}]"#;
    let tree = Tree::parse(file(60, 1, 9, nodes).as_bytes()).expect("the tree is valid");
    let depth = |value: f32| tree.depth(&std::array::from_fn(|i| if i == 10 { value } else { 9.0 }));
    assert_eq!([depth(0.0), depth(0.5), depth(0.500_000_1), depth(1.0)], [3, 3, 7, 7]);
    assert_eq!((tree.n, tree.presearch, tree.dmax), (60, 1, 9));
}

/// Includes zeros of either sign, and thresholds between two `f32`s.
#[test]
fn trees_of_any_shape_give_the_same_depth_as_a_descent_node_by_node() {
    let mut drawn = crate::rng::stream(1, &[b"trees"]);
    let values = [-2.5, -0.0, 0.0, 1e-40, 0.1, 0.5, 1.0 + 1e-9, 1.5, 3e38, 1e300, -1e300];
    for _ in 0..200 {
        // Random splits and leaves; the children of a split are the next two nodes without a parent.
        let (mut nodes, mut open) = (Vec::new(), 1);
        while nodes.len() < open {
            let is_leaf = drawn.below(3) == 0 || open > 60;
            nodes.push(if is_leaf { None } else { Some((drawn.below(11), values[drawn.below(11) as usize], open)) });
            open += if is_leaf { 0 } else { 2 };
        }
        let depth = |number: usize| number % 9 + 1;
        let written = nodes.iter().enumerate().map(|(number, node)| match node {
            None => format!(r#"{{"depth": {}}}"#, depth(number)),
            Some((feature, threshold, left)) => format!(
                r#"{{"feature": {feature}, "threshold": {threshold:e}, "left": {left}, "right": {}}}"#,
                left + 1
            ),
        });
        let written = format!("[{}]", written.collect::<Vec<_>>().join(", "));
        let tree = Tree::parse(file(60, 1, 9, &written).as_bytes()).expect("the tree is valid");
        for _ in 0..100 {
            let features = std::array::from_fn(|_| values[drawn.below(11) as usize] as f32);
            let mut at = 0;
            while let Some((feature, threshold, left)) = nodes[at] {
                at = if features[feature as usize] as f64 <= threshold { left } else { left + 1 };
            }
            assert_eq!(tree.depth(&features), depth(at) as u32, "{written} {features:?}");
        }
    }
}

/// The content of a tree file.
fn file(n: u32, presearch: u32, dmax: u32, nodes: &str) -> String {
    format!(
        r#"{{"format": "permove-tree", "version": 1, "features": "2008", "n": {n},
            "presearch": {presearch}, "dmax": {dmax}, "nodes": {nodes}}}"#
    )
}

#[test]
fn a_faulty_tree_is_rejected() {
    let fault = |content: &str| Tree::parse(content.as_bytes()).expect_err("the tree is faulty").to_string();
    let valid = file(60, 1, 9, r#"[{"depth": 3}]"#);
    assert!(Tree::parse(valid.as_bytes()).is_ok());
    assert!(fault("{").contains("not valid JSON (line 1"));
    assert_eq!(Tree::parse(b"[]"), Err(Fault::UnknownFormat));
    assert_eq!(Tree::parse(b"{\"format\": \"other\"}"), Err(Fault::UnknownFormat));
    for (old, new, words) in [
        ("\"version\": 1", "\"version\": 3", "version 3, but this permove reads versions 1 to 2"),
        ("\"version\": 1", "\"version\": 2", "does not match its checksum"),
        ("\"version\": 1", "\"version\": \"1\"", "version \"1\""),
        ("\"2008\"", "\"2012\"", "the unknown features \"2012\""),
        ("\"2008\"", "11", "the unknown features 11"),
        ("\"n\": 60", "\"n\": 0", "n is 0, not 1..100000"),
        ("\"n\": 60", "\"m\": 60", "n is missing"),
        ("\"n\": 60", "\"n\": 6.5", "n is 6.5"),
        ("\"presearch\": 1", "\"presearch\": 10", "presearch is 10, not 1..9"),
        ("\"presearch\": 1", "\"presearch\": 0", "presearch is 0, not 1..9"),
        ("\"2008\"", "\"2007\"", "presearch is 1, not 0..0"),
        ("\"dmax\": 9", "\"dmax\": 1001", "dmax is 1001, not 1..1000"),
        ("[{\"depth\": 3}]", "[]", "nodes is a list, not a list of nodes"),
        ("[{\"depth\": 3}]", "{}", "nodes is an object"),
        ("{\"depth\": 3}", "{\"depth\": 10}", "node 0: its depth is 10, not a depth from 1 to dmax=9"),
        ("{\"depth\": 3}", "{\"depth\": 0}", "its depth is 0"),
        ("{\"depth\": 3}", "{\"depth\": -1}", "its depth is -1"),
        ("{\"depth\": 3}", "3", "node 0: it is neither a split nor a leaf"),
        ("{\"depth\": 3}", "{}", "it is neither"),
    ] {
        let content = valid.replace(old, new);
        assert_ne!(content, valid);
        assert!(fault(&content).contains(words), "{} for {new}", fault(&content));
    }
    for (split, words) in [
        (r#"{"feature": 11, "threshold": 1, "left": 1, "right": 2}"#, "its feature is 11, not a feature from 0 to 10"),
        (r#"{"feature": 0, "threshold": 1e999, "left": 1, "right": 2}"#, "not valid JSON"),
        (r#"{"feature": 0, "threshold": "1", "left": 1, "right": 2}"#, "its threshold is \"1\", not a number"),
        (r#"{"feature": 0, "threshold": 1, "left": 0, "right": 2}"#, "its left is 0, not a node after it"),
        (r#"{"feature": 0, "threshold": 1, "left": 1, "right": 3}"#, "its right is 3, not a node after it"),
        (r#"{"feature": 0, "threshold": 1, "left": 1}"#, "its right is missing"),
        (r#"{"feature": 0, "threshold": 1, "left": 2, "right": 2}"#, "node 2: it has two parents"),
        (r#"{"feature": 0, "threshold": 1, "left": 1, "right": 2, "depth": 3}"#, "neither a split nor a leaf"),
    ] {
        let content = file(60, 1, 9, &format!(r#"[{split}, {{"depth": 1}}, {{"depth": 2}}]"#));
        assert!(fault(&content).contains(words), "{}", fault(&content));
    }
}

#[test]
fn incompatible_parameters_are_reported() {
    let error = |text| Spec::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error("lrta(d=dt)").contains("lrta: d=dt needs a decision tree; add tree=FILE"));
    assert!(error("lrta(d=oracle, ties=random)").contains("omit ties=random"));
    assert!(error("lrta(d=some)").contains("d=some is out of range; d is 1..1000 | dt | oracle"));
    assert!(error("lrta(d=dt, tree=no/where.tree)").contains("the tree file no/where.tree cannot be read"));
    assert!(error("lrta(d=dt, tree=Cargo.toml)").contains("the tree file Cargo.toml is not valid JSON"));
}
