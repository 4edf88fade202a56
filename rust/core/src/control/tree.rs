//! Decision trees: the file that `permove train` writes, read and checked, and walked as scikit-learn walks it.
//!
//! The file is JSON: `format`, `version`, the set of `features`, `n`, `presearch`, `dmax`, and `nodes`, of which the first
//! is the root. A node is a split (`feature`, `threshold`, `left`, `right`) or a leaf (`depth`). Whatever else is there is
//! for humans. Children come after their parents, so that every walk ends.

use super::features::{FeatureSet, Features, MAX_FEATURES};
use serde_json::{Map, Value};
use std::fmt;
use std::sync::Arc;

/// The greatest depth that a tree may choose.
pub const MAX_DEPTH: u64 = 1000;

/// The longest history.
pub const MAX_MOVES: u64 = 100_000;

const FORMAT: &str = "permove-tree";
const VERSION: u64 = 1;

/// The digits of a content hash in specs.
const HASH_DIGITS: usize = 8;

/// A node as files have it.
#[derive(Clone, Copy)]
enum Written {
    Split { feature: u32, threshold: f64, left: u32, right: u32 },
    Leaf { depth: u32 },
}

/// What a walk does in one turn: a node and both of its children are asked at once, and so half of the waiting for answers
/// falls away. Where a child is a leaf, both of its answers lead there.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Turn {
    /// Of the node, of its left child and of its right one, as [`rank`]s.
    thresholds: [i32; 3],
    features: [u8; 3],
    /// Where the answers left-left, left-right, right-left and right-right lead.
    next: [Next; 4],
}

/// Where a walk goes on: the number of a turn, or the depth of a leaf with [`Next::LEAF`] on top.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Next(u32);

impl Next {
    const LEAF: u32 = 1 << 31;
}

/// The place of a number among all numbers: comparing integers takes less time than comparing what they stand for.
#[inline(always)]
fn rank(number: f32) -> i32 {
    // The two zeros are equal.
    let bits = (number + 0.0).to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
}

/// The rank of the largest `f32` that is at most a threshold, which is `f64` in files: what is at most the one is at most
/// the other.
fn rank_of_threshold(threshold: f64) -> i32 {
    let nearest = threshold as f32;
    rank(if nearest as f64 > threshold { nearest.next_down() } else { nearest })
}

/// Where a walk begins, and the turns, those near the root first.
fn laid_out(written: &[Written]) -> (Next, Vec<Turn>) {
    // The number of the node that each turn begins with.
    let mut begins: Vec<u32> = Vec::new();
    let next = |number: u32, begins: &mut Vec<u32>| match written[number as usize] {
        Written::Leaf { depth } => Next(Next::LEAF | depth),
        Written::Split { .. } => {
            begins.push(number);
            Next(begins.len() as u32 - 1)
        }
    };
    let root = next(0, &mut begins);
    let mut turns = Vec::new();
    while let Some(&begin) = begins.get(turns.len()) {
        let asked = |number: u32| match written[number as usize] {
            Written::Leaf { .. } => (0, 0, [number; 2]),
            Written::Split { feature, threshold, left, right } => {
                (rank_of_threshold(threshold), feature as u8, [left, right])
            }
        };
        let node = asked(begin);
        let [left, right] = node.2.map(asked);
        turns.push(Turn {
            thresholds: [node.0, left.0, right.0],
            features: [node.1, left.1, right.1],
            next: [left.2[0], left.2[1], right.2[0], right.2[1]].map(|number| next(number, &mut begins)),
        });
    }
    (root, turns)
}

/// A decision tree that chooses depths.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    set: FeatureSet,
    n: u32,
    presearch: u32,
    dmax: u32,
    root: Next,
    turns: Vec<Turn>,
}

impl Tree {
    /// The features that it goes by.
    pub fn set(&self) -> FeatureSet {
        self.set
    }

    /// How many of the last moves its features look at.
    pub fn n(&self) -> u32 {
        self.n
    }

    /// How deep the pre-search goes; 0 where its features need none.
    pub fn presearch(&self) -> u32 {
        self.presearch
    }

    /// No depth is greater, nor is that of the searches that it was trained on.
    pub fn dmax(&self) -> u32 {
        self.dmax
    }

    /// The depth for a move with these features: left where a feature, as `f32`, is at most the threshold.
    #[inline]
    pub fn depth(&self, features: &Features) -> u32 {
        let mut ranks = [0; MAX_FEATURES.next_power_of_two()];
        for (rank_of, feature) in ranks.iter_mut().zip(features) {
            *rank_of = rank(*feature);
        }
        let mut at = self.root.0;
        while at < Next::LEAF {
            let turn = &self.turns[at as usize];
            let goes_right =
                |node: usize| (ranks[turn.features[node] as usize % ranks.len()] > turn.thresholds[node]) as usize;
            let [first, left, right] = [0, 1, 2].map(goes_right);
            // By a mask, not by a branch: which way a walk goes is nothing that a branch predictor can guess.
            let second = left ^ (left ^ right) & first.wrapping_neg();
            at = turn.next[first << 1 | second].0;
        }
        at & !Next::LEAF
    }

    /// Reads the content of a tree file.
    pub fn parse(content: &[u8]) -> Result<Tree, Fault> {
        let whole: Value = serde_json::from_slice(content)
            .map_err(|error| Fault::NotJson { line: error.line(), column: error.column() })?;
        let file = whole.as_object().filter(|file| file.get("format").is_some_and(|format| format == FORMAT));
        let file = file.ok_or(Fault::Foreign)?;
        match &file.get("version").unwrap_or(&Value::Null) {
            version if **version == VERSION => {}
            version => return Err(Fault::Version { version: version.to_string() }),
        }
        let features = file.get("features").unwrap_or(&Value::Null);
        let set = features.as_str().and_then(FeatureSet::named);
        let set = set.ok_or_else(|| Fault::Features { features: features.to_string() })?;
        let dmax = whole_number(file, "dmax", 1, MAX_DEPTH)?;
        let n = whole_number(file, "n", 1, MAX_MOVES)?;
        let (least, most) = if set.has_presearch() { (1, dmax) } else { (0, 0) };
        let presearch = whole_number(file, "presearch", least, most)?;
        let most = Next::LEAF as usize;
        let nodes = file.get("nodes").and_then(Value::as_array).filter(|nodes| (1..=most).contains(&nodes.len()));
        let nodes = nodes.ok_or_else(|| Fault::Field {
            name: "nodes",
            value: written(file, "nodes"),
            wanted: "a list of nodes".to_owned(),
        })?;
        let limits = Limits { features: set.features().len() as u64, nodes: nodes.len() as u64, dmax };
        let node = |(number, node): (usize, &Value)| {
            read_node(number as u64, node, &limits).map_err(|what| Fault::Node { number, what })
        };
        let nodes = nodes.iter().enumerate().map(node).collect::<Result<Vec<_>, _>>()?;
        only_children(&nodes)?;
        let (root, turns) = laid_out(&nodes);
        Ok(Tree { set, n: n as u32, presearch: presearch as u32, dmax: dmax as u32, root, turns })
    }
}

/// What nodes may refer to.
struct Limits {
    features: u64,
    nodes: u64,
    dmax: u64,
}

/// No node may have two parents: what is laid out is no larger than the file then.
fn only_children(nodes: &[Written]) -> Result<(), Fault> {
    let mut has_parent = vec![false; nodes.len()];
    for node in nodes {
        if let Written::Split { left, right, .. } = *node {
            for child in [left, right] {
                if std::mem::replace(&mut has_parent[child as usize], true) {
                    return Err(Fault::Node { number: child as usize, what: "two lead to it".to_owned() });
                }
            }
        }
    }
    Ok(())
}

fn read_node(number: u64, node: &Value, limits: &Limits) -> Result<Written, String> {
    let node = node.as_object().ok_or("it is neither a split nor a leaf")?;
    let whole = |name: &str, least: u64, most: u64, sense: &str| {
        let value = node.get(name).and_then(Value::as_u64).filter(|value| (least..=most).contains(value));
        value.map(|value| value as u32).ok_or_else(|| format!("its {name} is {}, not {sense}", written(node, name)))
    };
    match (node.contains_key("depth"), node.contains_key("feature")) {
        (true, false) => {
            let depth = whole("depth", 1, limits.dmax, &format!("a depth from 1 to dmax={}", limits.dmax))?;
            Ok(Written::Leaf { depth })
        }
        (false, true) => {
            let last = limits.features - 1;
            let feature = whole("feature", 0, last, &format!("a feature from 0 to {last}"))?;
            // JSON has neither infinity nor NaN, but a number may be too large for either.
            let threshold = node.get("threshold").and_then(Value::as_f64).filter(|value| value.is_finite());
            let threshold =
                threshold.ok_or_else(|| format!("its threshold is {}, not a number", written(node, "threshold")))?;
            let child = |name| whole(name, number + 1, limits.nodes - 1, "a node further down");
            Ok(Written::Split { feature, threshold, left: child("left")?, right: child("right")? })
        }
        _ => Err("it is neither a split nor a leaf".to_owned()),
    }
}

fn whole_number(file: &Map<String, Value>, name: &'static str, least: u64, most: u64) -> Result<u64, Fault> {
    let value = file.get(name).and_then(Value::as_u64).filter(|value| (least..=most).contains(value));
    value.ok_or_else(|| Fault::Field { name, value: written(file, name), wanted: format!("{least}..{most}") })
}

/// What stands in a file, in a few words.
fn written(map: &Map<String, Value>, name: &str) -> String {
    match map.get(name) {
        None => "missing".to_owned(),
        Some(Value::Array(_)) => "a list".to_owned(),
        Some(Value::Object(_)) => "an object".to_owned(),
        Some(value) => value.to_string(),
    }
}

/// What is wrong with the content of a tree file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum Fault {
    #[error("is no JSON (line {line}, column {column})")]
    NotJson { line: usize, column: usize },
    #[error("is no decision tree of permove")]
    Foreign,
    #[error("is a decision tree of version {version}, where this permove reads version {VERSION}")]
    Version { version: String },
    #[error("is a decision tree for the features {features}, where this permove has \"2007\" and \"2008\"")]
    Features { features: String },
    #[error("is damaged: {name} is {value}, not {wanted}")]
    Field { name: &'static str, value: String, wanted: String },
    #[error("is damaged: of node {number}, {what}")]
    Node { number: usize, what: String },
}

/// Why a tree file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum TreeError {
    #[error("the tree file {path} cannot be read: {reason}; name a file that `permove train` wrote")]
    Unreadable { path: String, reason: String },
    #[error("the tree file {path} {fault}; name a file that `permove train` wrote, or train anew")]
    Faulty { path: String, fault: Fault },
    #[error(
        "the tree file {path} has changed: its hash is {found}, not {wanted}; leave out #{wanted} to use what is there now"
    )]
    Changed { path: String, wanted: String, found: String },
    #[error("the path '{path}' cannot stand in a spec; use one without blanks, commas, brackets and equal signs")]
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
    tree: Arc<Tree>,
}

impl TreeFile {
    /// Reads and checks a file named as in specs: `path`, or `path#hash`, which is refused where the file is another one.
    pub fn read(text: &str) -> Result<TreeFile, TreeError> {
        let is_hash = |hash: &str| hash.len() == HASH_DIGITS && hash.bytes().all(|digit| digit.is_ascii_hexdigit());
        let (path, wanted) = match text.rsplit_once('#') {
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
        let mut hash = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&content));
        hash.truncate(HASH_DIGITS);
        if let Some(wanted) = wanted.filter(|wanted| !wanted.eq_ignore_ascii_case(&hash)) {
            return Err(TreeError::Changed { path, wanted: wanted.to_owned(), found: hash });
        }
        match Tree::parse(&content) {
            Ok(tree) => Ok(TreeFile { path, hash, tree: Arc::new(tree) }),
            Err(fault) => Err(TreeError::Faulty { path, fault }),
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }
}

/// The same content under the same name.
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
