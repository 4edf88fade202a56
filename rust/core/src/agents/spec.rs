//! Agent specs: `name(param=value, ...)`, checked against the catalogue and completed with defaults.
//!
//! The canonical spec is the agent's identity. Python expands sweeps over ranges and sets before it calls this module.

use super::{CATALOGUE, COMMON, Entry};
use crate::agent::Needs;
use crate::control::tree::{Tree, TreeError, TreeFile};
use crate::grid::Order;
use crate::world::runs::Runner;
use std::fmt::Write;
use std::sync::Arc;

type Text = &'static str;

/// A parameter of an agent.
#[derive(Clone, Copy)]
pub struct Param {
    /// Its name in specs.
    pub name: &'static str,
    /// The values that it accepts.
    pub kind: Kind,
    /// Its value if the spec does not set it.
    pub default: &'static str,
    /// Its description.
    pub about: &'static str,
}

impl Param {
    /// An integer from `min` to `max`.
    pub const fn integer(name: Text, min: u64, max: u64, default: Text, about: Text) -> Param {
        Param { name, kind: Kind::Integer { min, max }, default, about }
    }

    /// An integer from 1 to `max`, or one of these words; the default is 1.
    pub const fn integer_or(name: Text, max: u64, words: &'static [Text], about: Text) -> Param {
        Param { name, kind: Kind::IntegerOr { min: 1, max, words }, default: "1", about }
    }

    /// An integer of at least 1, or `inf`.
    pub const fn count(name: Text, default: Text, about: Text) -> Param {
        Param { name, kind: Kind::Count, default, about }
    }

    /// A number above 0 and at most 1.
    pub const fn share(name: Text, default: Text, about: Text) -> Param {
        Param { name, kind: Kind::Real { above: 0.0, max: 1.0 }, default, about }
    }

    /// A number from `min` to `max`; the default is 1.
    pub const fn between(name: Text, min: f64, max: f64, about: Text) -> Param {
        Param { name, kind: Kind::Between { min, max }, default: "1", about }
    }

    /// A number of at least 0, or `inf`.
    pub const fn amount(name: Text, default: Text, about: Text) -> Param {
        Param { name, kind: Kind::Amount, default, about }
    }

    /// One of these words; the default is the first.
    pub const fn choice(name: Text, words: &'static [Text], about: Text) -> Param {
        Param { name, kind: Kind::Choice(words), default: words[0], about }
    }

    /// `no` or `yes`; the default is `no`. See [`Values::is`].
    pub const fn flag(name: Text, about: Text) -> Param {
        Param::choice(name, &["no", "yes"], about)
    }

    /// A level of abstraction, or `auto`, which is the default.
    pub const fn level(name: Text, about: Text) -> Param {
        Param { name, kind: Kind::Level, default: "auto", about }
    }

    /// The same parameter with another default.
    pub const fn with_default(self, default: Text) -> Param {
        Param { default, ..self }
    }
}

/// The values that a parameter accepts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Kind {
    /// An integer in a range.
    Integer { min: u64, max: u64 },
    /// An integer in a range, or one of these words.
    IntegerOr { min: u64, max: u64, words: &'static [&'static str] },
    /// An integer of at least 1, or `inf`.
    Count,
    /// A number larger than `above` and at most `max`; fractions such as 1/15 are accepted.
    Real { above: f64, max: f64 },
    /// A number in a range that includes both ends.
    Between { min: f64, max: f64 },
    /// A number of at least 0, or `inf`.
    Amount,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A level of abstraction, or `auto`.
    Level,
    /// One [`Algorithm`] for each level from the ground up, or `auto`.
    Levels,
    /// The file of a decision tree, as `path` or `path#hash`, or `none`.
    Tree,
}

/// The reason why a value was rejected.
enum Rejected {
    OutOfRange,
    Tree(TreeError),
}

impl Kind {
    /// The accepted values, in words.
    pub fn range(self) -> String {
        match self {
            Kind::Integer { min, max } => format!("{min}..{max}"),
            Kind::IntegerOr { min, max, words } => format!("{min}..{max} | {}", words.join(" | ")),
            Kind::Count => "1.. or inf".to_owned(),
            Kind::Real { above, max } => format!("above {above}, at most {max}"),
            Kind::Between { min, max } => format!("{min} to {max}"),
            Kind::Amount => "0.. or inf".to_owned(),
            Kind::Choice(words) => words.join(" | "),
            Kind::Level => format!("auto, or 0..{MAX_LEVEL}"),
            Kind::Levels => format!("auto, or 1 to {} of the letters a, l and p", Levels::MAX),
            Kind::Tree => "none, or a file written by `permove train`".to_owned(),
        }
    }

    fn parse(self, text: &str) -> Result<Value, Rejected> {
        let word = |words: &[&'static str]| words.iter().find(|word| **word == text).map(|word| Value::Word(word));
        let integer =
            |min: u64, max: u64| text.parse().ok().filter(|value| (min..=max).contains(value)).map(Value::Integer);
        // Adding 0 turns -0 into 0.
        let between = |min, max| number(text).filter(|v| (min..=max).contains(v)).map(|v| Value::Real(v + 0.0));
        let value = match self {
            Kind::Integer { min, max } => integer(min, max),
            Kind::IntegerOr { min, max, words } => word(words).or_else(|| integer(min, max)),
            Kind::Count if text == "inf" => Some(Value::Integer(u64::MAX)),
            Kind::Count => integer(1, u64::MAX - 1),
            Kind::Real { above, max } => number(text).filter(|v| *v > above && *v <= max).map(Value::Real),
            Kind::Between { min, max } => between(min, max),
            Kind::Amount if text == "inf" => Some(Value::Real(f64::INFINITY)),
            Kind::Amount => between(0.0, f64::MAX),
            Kind::Choice(words) => word(words),
            Kind::Level => word(&["auto"]).or_else(|| integer(0, MAX_LEVEL)),
            Kind::Levels => Levels::parse(text).map(Value::Levels),
            Kind::Tree if text == "none" => Some(Value::Word("none")),
            Kind::Tree => Some(Value::Tree(TreeFile::read(text).map_err(Rejected::Tree)?)),
        };
        value.ok_or(Rejected::OutOfRange)
    }
}

/// A number, or a fraction such as 1/15.
fn number(text: &str) -> Option<f64> {
    match text.split_once('/') {
        Some((numerator, denominator)) => {
            Some(numerator.trim().parse::<f64>().ok()? / denominator.trim().parse::<f64>().ok()?)
        }
        None => text.parse().ok(),
    }
}

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of [`Kind::Integer`], [`Kind::IntegerOr`], [`Kind::Level`] and [`Kind::Count`], whose infinity is the largest
    /// integer.
    Integer(u64),
    /// Of [`Kind::Real`], [`Kind::Between`] and [`Kind::Amount`].
    Real(f64),
    /// Of [`Kind::Choice`], [`Kind::IntegerOr`], [`Kind::Level`] and [`Kind::Tree`].
    Word(&'static str),
    /// Of [`Kind::Levels`].
    Levels(Levels),
    /// Of [`Kind::Tree`].
    Tree(TreeFile),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Integer(u64::MAX) => f.write_str("inf"),
            Value::Integer(value) => value.fmt(f),
            Value::Real(value) => value.fmt(f),
            Value::Word(word) => f.write_str(word),
            Value::Levels(levels) if levels.get().is_empty() => f.write_str("auto"),
            Value::Levels(levels) => levels.get().iter().try_for_each(|algorithm| f.write_char(algorithm.letter())),
            Value::Tree(file) => file.fmt(f),
        }
    }
}

/// The algorithm that plans on a level of abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// A* to the goal of the level.
    AStar,
    /// LRTS.
    Lrts,
    /// None: the level is passed through.
    PassThrough,
}

impl Algorithm {
    /// Its letter in specs.
    pub fn letter(self) -> char {
        match self {
            Algorithm::AStar => 'a',
            Algorithm::Lrts => 'l',
            Algorithm::PassThrough => 'p',
        }
    }
}

/// The highest level of abstraction that a parameter accepts.
pub const MAX_LEVEL: u64 = Levels::MAX as u64 - 1;

/// The algorithm of each level of abstraction, from the ground up; empty if the agent chooses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    algorithms: [Algorithm; Levels::MAX],
    count: usize,
}

impl Levels {
    /// The maximum number of levels of an agent, including the ground.
    pub const MAX: usize = 16;

    /// The algorithm of each level.
    pub fn get(&self) -> &[Algorithm] {
        &self.algorithms[..self.count]
    }

    fn parse(text: &str) -> Option<Levels> {
        let mut levels = Levels { algorithms: [Algorithm::PassThrough; Levels::MAX], count: 0 };
        if text == "auto" {
            return Some(levels);
        }
        for letter in text.chars() {
            let known = [Algorithm::AStar, Algorithm::Lrts, Algorithm::PassThrough];
            let algorithm = known.into_iter().find(|algorithm| algorithm.letter() == letter)?;
            *levels.algorithms.get_mut(levels.count)? = algorithm;
            levels.count += 1;
        }
        (levels.count > 0).then_some(levels)
    }
}

/// The values of all parameters of one agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Values(Vec<(&'static str, Value)>);

impl Values {
    /// The value of a parameter.
    ///
    /// # Panics
    /// If the agent has no such parameter. The typed accessors also panic if it has another kind. Tests build all
    /// agents, so they find both mistakes.
    pub fn get(&self, name: &str) -> &Value {
        &self.0.iter().find(|(known, _)| *known == name).expect("agents read only their own parameters").1
    }

    /// The named parameters that differ from their default, as labels show them, each after a comma.
    pub fn unusual(&self, params: &[Param], names: &[&str]) -> String {
        let shown = |param: &&Param| names.contains(&param.name) && self.get(param.name).to_string() != param.default;
        params.iter().filter(shown).map(|param| format!(", {} {}", param.name, self.get(param.name))).collect()
    }

    /// The value of an integer parameter.
    pub fn integer(&self, name: &str) -> u64 {
        match self.get(name) {
            Value::Integer(value) => *value,
            other => panic!("{name} is {other:?}, not an integer"),
        }
    }

    /// The value of a real parameter.
    pub fn real(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Real(value) => *value,
            other => panic!("{name} is {other:?}, not a number"),
        }
    }

    /// The value of a level; `None` if the agent chooses it.
    pub fn level(&self, name: &str) -> Option<usize> {
        match self.get(name) {
            Value::Integer(level) => Some(*level as usize),
            _ => None,
        }
    }

    /// The algorithm of each level.
    pub fn levels(&self, name: &str) -> Levels {
        match self.get(name) {
            Value::Levels(levels) => *levels,
            other => panic!("{name} is {other:?}, not levels"),
        }
    }

    /// The decision tree; `None` if the spec has none.
    pub fn tree(&self, name: &str) -> Option<Arc<Tree>> {
        match self.get(name) {
            Value::Tree(file) => Some(Arc::clone(file.tree())),
            _ => None,
        }
    }

    /// The value of a choice.
    pub fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            Value::Word(value) => value,
            other => panic!("{name} is {other:?}, not a word"),
        }
    }

    /// Whether a parameter is a given word.
    pub fn is(&self, name: &str, word: &str) -> bool {
        matches!(self.get(name), Value::Word(value) if *value == word)
    }
}

/// Parameters that are incompatible with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The parameter to change; `None` if there are several.
    pub param: Option<&'static str>,
    /// The reason, as a clause that follows the agent's name.
    pub reason: String,
}

impl Conflict {
    /// A conflict that changing `param` resolves.
    pub fn of(param: &'static str, reason: impl Into<String>) -> Conflict {
        Conflict { param: Some(param), reason: reason.into() }
    }
}

/// An error in a spec.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs)]
pub enum SpecError {
    #[error("there is no agent '{agent}'; run 'permove agents' for a list")]
    UnknownAgent { agent: String },
    #[error("{agent} has no parameter '{param}'; it has {}", .known.join(", "))]
    UnknownParam { agent: &'static str, param: String, known: Vec<&'static str> },
    #[error("{agent}: {param}={value} is out of range; {param} is {}", .kind.range())]
    BadValue { agent: &'static str, param: &'static str, value: String, kind: Kind },
    #[error("{agent}: {error}")]
    BadTree { agent: &'static str, param: &'static str, error: TreeError },
    #[error("{agent}: {param} is set twice; set it once")]
    Twice { agent: &'static str, param: &'static str },
    #[error("{agent}: {}", .conflict.reason)]
    Incompatible { agent: &'static str, conflict: Conflict },
    #[error("'{text}' is not a valid agent; write name or name(param=value, ...)")]
    Malformed { text: String },
}

impl SpecError {
    /// The name of the agent, if the spec contains one.
    pub fn agent(&self) -> Option<&str> {
        use SpecError::*;
        match self {
            Malformed { .. } => None,
            UnknownAgent { agent } => Some(agent),
            UnknownParam { agent, .. } | BadValue { agent, .. } | BadTree { agent, .. } => Some(agent),
            Twice { agent, .. } | Incompatible { agent, .. } => Some(agent),
        }
    }

    /// The invalid parameter, if it is a single one.
    pub fn param(&self) -> Option<&str> {
        use SpecError::*;
        match self {
            Malformed { .. } | UnknownAgent { .. } => None,
            UnknownParam { param, .. } => Some(param),
            BadValue { param, .. } | BadTree { param, .. } | Twice { param, .. } => Some(param),
            Incompatible { conflict, .. } => conflict.param,
        }
    }
}

/// The name of the parameter that all agents have.
const TIES: &str = "ties";

/// An agent with all its parameters.
#[derive(Clone)]
pub struct Spec {
    entry: &'static Entry,
    values: Values,
    /// See [`Spec::replica`].
    pub(crate) replica: u32,
}

impl Spec {
    /// Checks a name and parameters against the catalogue and fills in the defaults.
    pub fn new<'a>(name: &str, given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Spec, SpecError> {
        let entry = CATALOGUE.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| SpecError::UnknownAgent { agent: name.to_owned() })?;
        let (agent, params) = (entry.name, || entry.all_params());
        let mut values: Vec<(&'static Param, Option<Value>)> = params().map(|param| (param, None)).collect();
        for (name, text) in given {
            let (param, value) = values.iter_mut().find(|(param, _)| param.name == name).ok_or_else(|| {
                let known = params().map(|param| param.name).collect();
                SpecError::UnknownParam { agent, param: name.to_owned(), known }
            })?;
            let Param { name: param, kind, .. } = **param;
            let parsed = kind.parse(text).map_err(|rejected| match rejected {
                Rejected::OutOfRange => SpecError::BadValue { agent, param, value: text.to_owned(), kind },
                Rejected::Tree(error) => SpecError::BadTree { agent, param, error },
            })?;
            if value.replace(parsed).is_some() {
                return Err(SpecError::Twice { agent, param });
            }
        }
        let has_ties = values.iter().any(|(param, value)| param.name == TIES && value.is_some());
        let default = |param: &Param| param.kind.parse(param.default).ok().expect("defaults are in range");
        let values = values.into_iter().map(|(param, value)| (param.name, value.unwrap_or_else(|| default(param))));
        let mut values = Values(values.collect());
        if let (false, Some(ties)) = (has_ties, (entry.usual_ties)(&values)) {
            let (_, value) = values.0.iter_mut().find(|(name, _)| *name == TIES).expect("all agents have ties");
            *value = Value::Word(ties);
        }
        (entry.build)(&values).map_err(|conflict| SpecError::Incompatible { agent, conflict })?;
        Ok(Spec { entry, values, replica: 0 })
    }

    /// Reads `name` or `name(param=value, ...)`.
    pub fn parse(text: &str) -> Result<Spec, SpecError> {
        let malformed = || SpecError::Malformed { text: text.to_owned() };
        let (name, inside) = match text.trim().split_once('(') {
            None => (text.trim(), ""),
            Some((name, rest)) => (name.trim(), rest.strip_suffix(')').ok_or_else(malformed)?.trim()),
        };
        let params = inside.split(',').filter(|_| !inside.is_empty()).map(|param| {
            let (name, value) = param.split_once('=').ok_or_else(malformed)?;
            Ok((name.trim(), value.trim()))
        });
        Spec::new(name, params.collect::<Result<Vec<_>, _>>()?)
    }

    /// The catalogue's entry.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// The spec with every parameter: the agent's identity.
    pub fn canonical(&self) -> String {
        let params: Vec<_> = self.values.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        format!("{}({})", self.entry.name, params.join(", "))
    }

    /// The agent as the papers write it.
    pub fn label(&self) -> String {
        let params = (self.entry.label)(&self.values);
        let mut label = match self.entry.title {
            _ if self.entry.untitled => params,
            title if params.is_empty() => title.to_owned(),
            title => format!("{title} {params}"),
        };
        let default = self.entry.all_params().find(|param| param.name == TIES).map(|param| param.default);
        let usual = (self.entry.usual_ties)(&self.values).or(default);
        match self.values.word(TIES) {
            ties if usual == Some(ties) => {}
            ties => write!(label, ", ties {ties}").expect("writing to a string succeeds"),
        }
        label
    }

    /// The same agent, with the same identity, that breaks ties in another order: clockwise from another direction, or
    /// at random with another seed. There are eight directions; the first four differ on maps without diagonal moves,
    /// too.
    pub fn replica(self, replica: u32) -> Spec {
        Spec { replica, ..self }
    }

    /// Creates the agent.
    pub fn build(&self) -> Box<dyn Runner> {
        (self.entry.build)(&self.values).expect("conflicts are rejected when the spec is read")
    }

    /// See [`Agent::needs`](crate::agent::Agent::needs).
    pub fn needs(&self) -> Needs {
        self.build().needs()
    }

    /// See [`Entry::backtracks`].
    pub fn backtracks(&self) -> bool {
        (self.entry.backtracks)(&self.values)
    }

    /// The order in which successors are visited, and whether ties break at random instead.
    pub fn order(&self) -> (Order, bool) {
        let Kind::Choice(words) = COMMON[0].kind else { unreachable!("ties is a choice") };
        let clockwise = |from: usize| (from as u32 + 2 * self.replica + self.replica / 4) as u8 % 8;
        let diagonal_first = match self.values.word(TIES) {
            "random" => return (Order::default(), true),
            "diagonal" => Some(true),
            "cardinal" => Some(false),
            word => {
                let direction = words.iter().position(|known| *known == word).expect("other words are directions");
                return (clockwise(direction).into(), false);
            }
        };
        (Order { first: clockwise(0), diagonal_first }, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_canonical_spec_contains_every_default_and_parses_to_itself() {
        for entry in CATALOGUE {
            let spec = Spec::parse(entry.name).expect("every agent has defaults");
            let canonical = spec.canonical();
            for param in entry.all_params() {
                assert!(canonical.contains(&format!("{}=", param.name)), "{canonical}");
            }
            assert_eq!(Spec::parse(&canonical).map(|spec| spec.canonical()), Ok(canonical));
            assert!(entry.untitled || spec.label().starts_with(entry.title));
            assert!(!entry.about.is_empty() && !entry.counts.is_empty(), "{}", entry.name);
            spec.build();
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = CATALOGUE.iter().map(|entry| entry.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CATALOGUE.len());
    }

    #[test]
    fn errors_name_the_invalid_part() {
        let error = |text| Spec::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error("lrtaa").contains("no agent 'lrtaa'"));
        assert!(error("lrta(depth=3)").contains("no parameter 'depth'"));
        assert!(error("lrta(d=0)").contains("d=0 is out of range"));
        assert!(error("lrta(d=1, d=2)").contains("twice"));
        assert!(error("lrta(d)").contains("not a valid agent"));
        assert!(error("lrta(d=1").contains("not a valid agent"));
    }

    #[test]
    fn errors_contain_the_agent_and_the_parameter() {
        let facts = |text| {
            let error = Spec::parse(text).err().expect("the spec is invalid");
            (error.agent().map(str::to_owned), error.param().map(str::to_owned))
        };
        let lrta = |param: &str| (Some("lrta".to_owned()), Some(param.to_owned()));
        assert_eq!(facts("lrtaa"), (Some("lrtaa".to_owned()), None));
        assert_eq!(facts("lrta(depth=3)"), lrta("depth"));
        assert_eq!(facts("lrta(c=3, d=0)"), lrta("d"));
        assert_eq!(facts("lrta(d=1, d=2)"), lrta("d"));
        assert_eq!(facts("lrta(d=dt)"), lrta("d"));
        assert_eq!(facts("lrta(tree=no/where.tree)"), lrta("tree"));
        assert_eq!(facts("lrta(d=oracle, ties=random)"), (Some("lrta".to_owned()), None));
        assert_eq!(facts("lrta(d"), (None, None));
    }

    #[test]
    fn fractions_are_read() {
        let canonical = |text| Spec::parse(text).map(|spec| spec.canonical());
        assert_eq!(canonical("wastar(gamma=1/4)"), canonical("wastar(gamma=0.25)"));
        assert!(canonical("wastar(gamma=1/0)").is_err());
    }

    #[test]
    fn amounts_are_nonnegative_or_infinite() {
        let canonical = |text| Spec::parse(text).map(|spec| spec.canonical());
        assert_eq!(canonical("slat(T=inf)"), Ok("slat(T=inf, ties=n)".to_owned()));
        assert_eq!(canonical("slat(T=-0)"), Ok("slat(T=0, ties=n)".to_owned()));
        assert_eq!(canonical("slat(T=5/2)"), Ok("slat(T=2.5, ties=n)".to_owned()));
        for text in ["slat(T=-1)", "slat(T=nan)", "slat(T=infinity)", "slat(T=1e999)", "slat(T=1/0)", "slat(T=)"] {
            assert!(canonical(text).is_err(), "{text}");
        }
    }
}
