//! Decision trees from files that `permove train` writes. They give the same results as in scikit-learn.
//!
//! The file is JSON: `format`, `version`, the set of `features`, `n`, `presearch`, `dmax`, `nodes`, of which the first
//! is the root, and a checksum, which files of version 1 do not have. A node is a split (`feature`, `threshold`,
//! `left`, `right`) or a leaf (`depth`). Other entries are ignored. Children come after their parents, so that every
//! descent ends.

use super::features::{FeatureSet, Features, MAX_FEATURES};
use crate::checksum::{self, Seal, checksum};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// The maximum depth that a tree may choose.
pub const MAX_DEPTH: u64 = 1000;

/// The maximum length of the history.
pub const MAX_MOVES: u64 = 100_000;

const FORMAT: &str = "permove-tree";
const VERSION: u64 = 2;
/// The last version without a checksum.
const UNSEALED_VERSION: u64 = 1;

/// The number of digits of a content hash in specs.
const HASH_DIGITS: usize = 8;

/// A node of a file.
#[derive(Clone, Copy)]
enum Node {
    Split { feature: u32, threshold: f64, left: u32, right: u32 },
    Leaf { depth: u32 },
}

/// Two levels of the tree: a node and both of its children are compared at once, which halves the chain of dependent
/// loads. If a child is a leaf, both of its results lead to it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    /// The thresholds of the node, its left child and its right child, as [`rank`]s.
    thresholds: [i32; 3],
    features: [u8; 3],
    /// The continuations for left-left, left-right, right-left and right-right.
    next: [Next; 4],
}

/// A continuation: the number of a step, or the depth of a leaf with the bit [`Next::LEAF`].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Next(u32);

impl Next {
    const LEAF: u32 = 1 << 31;
}

/// An integer that sorts like the number, since integers compare faster.
#[inline(always)]
fn rank(number: f32) -> i32 {
    // The two zeros are equal.
    let bits = (number + 0.0).to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// The rank of the largest `f32` that is at most a threshold, which is `f64` in files. Comparisons with either are the
/// same.
fn rank_of_threshold(threshold: f64) -> i32 {
    let nearest = threshold as f32;
    rank(if nearest as f64 > threshold { nearest.next_down() } else { nearest })
}

/// The first continuation and all steps, those near the root first.
fn compile(nodes: &[Node]) -> (Next, Vec<Step>) {
    // The number of the first node of each step.
    let mut begins: Vec<u32> = Vec::new();
    let next = |number: u32, begins: &mut Vec<u32>| match nodes[number as usize] {
        Node::Leaf { depth } => Next(Next::LEAF | depth),
        Node::Split { .. } => {
            begins.push(number);
            Next(begins.len() as u32 - 1)
        }
    };
    let root = next(0, &mut begins);
    let mut steps = Vec::new();
    while let Some(&begin) = begins.get(steps.len()) {
        let compared = |number: u32| match nodes[number as usize] {
            Node::Leaf { .. } => (0, 0, [number; 2]),
            Node::Split { feature, threshold, left, right } => {
                (rank_of_threshold(threshold), feature as u8, [left, right])
            }
        };
        let node = compared(begin);
        let [left, right] = node.2.map(compared);
        steps.push(Step {
            thresholds: [node.0, left.0, right.0],
            features: [node.1, left.1, right.1],
            next: [left.2[0], left.2[1], right.2[0], right.2[1]].map(|number| next(number, &mut begins)),
        });
    }
    (root, steps)
}

/// A decision tree that chooses depths.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The set of features that it uses.
    pub set: FeatureSet,
    /// The number of recent moves that its features use.
    pub n: u32,
    /// The depth of the pre-search; 0 if its features need none.
    pub presearch: u32,
    /// The maximum depth, also that of the searches that it was trained on.
    pub dmax: u32,
    root: Next,
    steps: Vec<Step>,
}

impl Tree {
    /// The depth for a move with these features. A split continues left if the feature, as `f32`, is at most the
    /// threshold.
    #[inline]
    pub fn depth(&self, features: &Features) -> u32 {
        let mut ranks = [0; MAX_FEATURES.next_power_of_two()];
        for (rank_of, feature) in ranks.iter_mut().zip(features) {
            *rank_of = rank(*feature);
        }
        let mut at = self.root.0;
        while at < Next::LEAF {
            let step = &self.steps[at as usize];
            let goes_right =
                |node: usize| (ranks[step.features[node] as usize % ranks.len()] > step.thresholds[node]) as usize;
            let [first, left, right] = [0, 1, 2].map(goes_right);
            // With a mask instead of a branch, which would be unpredictable.
            let second = left ^ (left ^ right) & first.wrapping_neg();
            at = step.next[first << 1 | second].0;
        }
        at & !Next::LEAF
    }

    /// Reads the content of a tree file.
    pub fn parse(content: &[u8]) -> Result<Tree, Fault> {
        let seal = checksum::check_json(content);
        let content: Value = serde_json::from_slice(content)
            .map_err(|error| Fault::NotJson { line: error.line(), column: error.column() })?;
        let file = content.as_object().filter(|file| file.get("format").is_some_and(|format| format == FORMAT));
        let file = file.ok_or(Fault::UnknownFormat)?;
        match &file.get("version").unwrap_or(&Value::Null) {
            version if **version == VERSION && seal == Seal::Intact => {}
            version if **version == UNSEALED_VERSION && seal == Seal::Missing => {}
            version if **version == VERSION || **version == UNSEALED_VERSION => return Err(Fault::Checksum),
            version => return Err(Fault::Version { version: version.to_string() }),
        }
        let features = file.get("features").unwrap_or(&Value::Null);
        let set = features.as_str().and_then(FeatureSet::named);
        let set = set.ok_or_else(|| Fault::Features { features: features.to_string() })?;
        let dmax = integer(file, "dmax", 1, MAX_DEPTH)?;
        let n = integer(file, "n", 1, MAX_MOVES)?;
        let (min, max) = if set.has_presearch() { (1, dmax) } else { (0, 0) };
        let presearch = integer(file, "presearch", min, max)?;
        let max = Next::LEAF as usize;
        let nodes = file.get("nodes").and_then(Value::as_array).filter(|nodes| (1..=max).contains(&nodes.len()));
        let nodes = nodes.ok_or_else(|| Fault::Field {
            name: "nodes",
            value: shown(file, "nodes"),
            expected: "a list of nodes".to_owned(),
        })?;
        let limits = Limits { features: set.features().len() as u64, nodes: nodes.len() as u64, dmax };
        let node = |(number, node): (usize, &Value)| {
            read_node(number as u64, node, &limits).map_err(|fault| Fault::Node { number, fault })
        };
        let nodes = nodes.iter().enumerate().map(node).collect::<Result<Vec<_>, _>>()?;
        check_parents(&nodes)?;
        let (root, steps) = compile(&nodes);
        Ok(Tree { set, n: n as u32, presearch: presearch as u32, dmax: dmax as u32, root, steps })
    }
}

/// The limits of references in nodes.
struct Limits {
    features: u64,
    nodes: u64,
    dmax: u64,
}

/// Rejects nodes with two parents, so that the compiled tree is not larger than the file.
fn check_parents(nodes: &[Node]) -> Result<(), Fault> {
    let mut has_parent = vec![false; nodes.len()];
    for node in nodes {
        if let Node::Split { left, right, .. } = *node {
            for child in [left, right] {
                if std::mem::replace(&mut has_parent[child as usize], true) {
                    return Err(Fault::Node { number: child as usize, fault: "it has two parents".to_owned() });
                }
            }
        }
    }
    Ok(())
}

fn read_node(number: u64, node: &Value, limits: &Limits) -> Result<Node, String> {
    let node = node.as_object().ok_or("it is neither a split nor a leaf")?;
    let integer = |name: &str, min: u64, max: u64, expected: &str| {
        let value = node.get(name).and_then(Value::as_u64).filter(|value| (min..=max).contains(value));
        value.map(|value| value as u32).ok_or_else(|| format!("its {name} is {}, not {expected}", shown(node, name)))
    };
    match (node.contains_key("depth"), node.contains_key("feature")) {
        (true, false) => {
            let depth = integer("depth", 1, limits.dmax, &format!("a depth from 1 to dmax={}", limits.dmax))?;
            Ok(Node::Leaf { depth })
        }
        (false, true) => {
            let last = limits.features - 1;
            let feature = integer("feature", 0, last, &format!("a feature from 0 to {last}"))?;
            // JSON has neither infinity nor NaN, but a number may be too large.
            let threshold = node.get("threshold").and_then(Value::as_f64).filter(|value| value.is_finite());
            let threshold =
                threshold.ok_or_else(|| format!("its threshold is {}, not a number", shown(node, "threshold")))?;
            let child = |name| integer(name, number + 1, limits.nodes - 1, "a node after it");
            Ok(Node::Split { feature, threshold, left: child("left")?, right: child("right")? })
        }
        _ => Err("it is neither a split nor a leaf".to_owned()),
    }
}

fn integer(file: &Map<String, Value>, name: &'static str, min: u64, max: u64) -> Result<u64, Fault> {
    let value = file.get(name).and_then(Value::as_u64).filter(|value| (min..=max).contains(value));
    value.ok_or_else(|| Fault::Field { name, value: shown(file, name), expected: format!("{min}..{max}") })
}

/// A short description of a value.
fn shown(map: &Map<String, Value>, name: &str) -> String {
    match map.get(name) {
        None => "missing".to_owned(),
        Some(Value::Array(_)) => "a list".to_owned(),
        Some(Value::Object(_)) => "an object".to_owned(),
        Some(value) => value.to_string(),
    }
}

/// A fault in the content of a tree file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Fault {
    #[error("is not valid JSON (line {line}, column {column})")]
    NotJson { line: usize, column: usize },
    #[error("is not a decision tree of permove")]
    UnknownFormat,
    #[error("is of version {version}, but this permove reads versions {UNSEALED_VERSION} to {VERSION}")]
    Version { version: String },
    #[error("is damaged: its content does not match its checksum")]
    Checksum,
    #[error("is for the unknown features {features}, not \"2007\" or \"2008\"")]
    Features { features: String },
    #[error("is damaged: {name} is {value}, not {expected}")]
    Field { name: &'static str, value: String, expected: String },
    #[error("is damaged: node {number}: {fault}")]
    Node { number: usize, fault: String },
}

/// The reason why a tree file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum TreeError {
    #[error("the tree file {path} cannot be read: {reason}; use a file written by `permove train`")]
    Unreadable { path: String, reason: String },
    #[error("the tree file {path} {fault}; use a file written by `permove train`, or train again")]
    Faulty { path: String, fault: Fault },
    #[error(
        "the tree file {path} has changed: its hash is {actual}, not {expected}; omit #{expected} to use it anyway"
    )]
    Changed { path: String, expected: String, actual: String },
    #[error("the path '{path}' is not allowed in a spec; use one without whitespace, commas, brackets and equal signs")]
    UnsupportedPath { path: String },
}

impl TreeError {
    /// The path of the file.
    pub fn file(&self) -> &str {
        let (TreeError::Unreadable { path, .. }
        | TreeError::Faulty { path, .. }
        | TreeError::Changed { path, .. }
        | TreeError::UnsupportedPath { path }) = self;
        path
    }

    /// The line of the error, if it is known.
    pub fn line(&self) -> Option<usize> {
        match self {
            TreeError::Faulty { fault: Fault::NotJson { line, .. }, .. } => Some(*line),
            _ => None,
        }
    }
}

/// A tree with the file that it came from.
#[derive(Clone, Debug)]
pub struct TreeFile {
    path: String,
    hash: String,
    /// Whether the file has a checksum.
    is_sealed: bool,
    tree: Arc<Tree>,
}

impl TreeFile {
    /// Reads and checks a file named as in specs: `path`, or `path#hash`, which rejects a file with another hash.
    pub fn read(text: &str) -> Result<TreeFile, TreeError> {
        let is_hash = |hash: &str| hash.len() == HASH_DIGITS && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
        let (path, expected) = match text.rsplit_once('#') {
            Some((path, hash)) if is_hash(hash) => (path, Some(hash)),
            _ => (text, None),
        };
        let path = path.to_owned();
        if path.contains(|letter: char| letter.is_whitespace() || "(){}=,".contains(letter)) {
            return Err(TreeError::UnsupportedPath { path });
        }
        let content = match std::fs::read(&path) {
            Ok(content) => content,
            Err(error) => return Err(TreeError::Unreadable { path, reason: error.to_string() }),
        };
        let mut hash = checksum(&content);
        hash.truncate(HASH_DIGITS);
        if let Some(expected) = expected.filter(|expected| !expected.eq_ignore_ascii_case(&hash)) {
            return Err(TreeError::Changed { path, expected: expected.to_owned(), actual: hash });
        }
        match Tree::parse(&content) {
            Ok(tree) => {
                let is_sealed = checksum::check_json(&content) == Seal::Intact;
                Ok(TreeFile { path, hash, is_sealed, tree: Arc::new(tree) })
            }
            Err(fault) => Err(TreeError::Faulty { path, fault }),
        }
    }

    /// Whether the file has a checksum; those of older versions do not.
    pub fn is_sealed(&self) -> bool {
        self.is_sealed
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }
}

/// Files are equal if path and hash are.
impl PartialEq for TreeFile {
    fn eq(&self, other: &TreeFile) -> bool {
        (&self.path, &self.hash) == (&other.path, &other.hash)
    }
}

impl fmt::Display for TreeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.path, self.hash)
    }
}
