//! Agent specs: `name(param=value, ...)`, checked against the catalogue and written out with every default.
//!
//! The canonical spec is the agent's identity. Sweeps over ranges and sets are unfolded before they get here.

use super::{CATALOGUE, COMMON, Entry};
use crate::control::tree::{Tree, TreeError, TreeFile};
use crate::world::runs::Runner;
use std::fmt::Write;
use std::sync::Arc;

/// A parameter of an agent.
#[derive(Clone, Copy)]
pub struct Param {
    /// Its name in specs.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// Its value where the spec says nothing.
    pub default: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// What a parameter may be.
#[derive(Clone, Copy)]
pub enum Kind {
    /// A whole number in a range.
    Integer {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A whole number in a range, or one of these words.
    IntegerOr {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
        /// The words.
        words: &'static [&'static str],
    },
    /// A whole number from 1 up, or `inf`.
    Count,
    /// A number above `above` and at most `most`; fractions such as 1/15 are read.
    Real {
        /// All values are larger.
        above: f64,
        /// No value is larger.
        most: f64,
    },
    /// A number in a range, both ends included.
    Between {
        /// The least.
        least: f64,
        /// The most.
        most: f64,
    },
    /// A number from 0 up, or `inf`.
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

/// What is wrong with a value.
enum Fault {
    /// It is not what the parameter may be.
    Range,
    /// It names a file that cannot be used.
    Tree(TreeError),
}

impl Kind {
    /// What it may be, in words.
    pub fn range(self) -> String {
        match self {
            Kind::Integer { least, most } => format!("{least}..{most}"),
            Kind::IntegerOr { least, most, words } => format!("{least}..{most} | {}", words.join(" | ")),
            Kind::Count => "1.. or inf".to_owned(),
            Kind::Real { above, most } => format!("above {above}, at most {most}"),
            Kind::Between { least, most } => format!("{least} to {most}"),
            Kind::Amount => "0.. or inf".to_owned(),
            Kind::Choice(words) => words.join(" | "),
            Kind::Level => format!("auto, or 0..{}", Levels::MOST - 1),
            Kind::Levels => format!("auto, or 1 to {} letters a, l and p", Levels::MOST),
            Kind::Tree => "none, or a file that `permove train` wrote".to_owned(),
        }
    }

    fn parse(self, text: &str) -> Result<Value, Fault> {
        let word = |words: &[&'static str]| words.iter().find(|word| **word == text).map(|word| Value::Word(word));
        let integer = |least: u64, most: u64| {
            text.parse().ok().filter(|value| (least..=most).contains(value)).map(Value::Integer)
        };
        let value = match self {
            Kind::Integer { least, most } => integer(least, most),
            Kind::IntegerOr { least, most, words } => word(words).or_else(|| integer(least, most)),
            Kind::Count if text == "inf" => Some(Value::Integer(u64::MAX)),
            Kind::Count => integer(1, u64::MAX - 1),
            Kind::Real { above, most } => {
                number(text).filter(|value| *value > above && *value <= most).map(Value::Real)
            }
            Kind::Between { least, most } => {
                number(text).filter(|value| (least..=most).contains(value)).map(|value| Value::Real(value + 0.0))
            }
            Kind::Amount if text == "inf" => Some(Value::Real(f64::INFINITY)),
            // Adding 0 makes -0 the same amount as 0.
            Kind::Amount => number(text).filter(|value| (0.0..=f64::MAX).contains(value)).map(|v| Value::Real(v + 0.0)),
            Kind::Choice(words) => word(words),
            Kind::Level => word(&["auto"]).or_else(|| integer(0, Levels::MOST as u64 - 1)),
            Kind::Levels => Levels::parse(text).map(Value::Levels),
            Kind::Tree if text == "none" => Some(Value::Word("none")),
            Kind::Tree => Some(Value::Tree(TreeFile::read(text).map_err(Fault::Tree)?)),
        };
        value.ok_or(Fault::Range)
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

/// What plans on a level of abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// A* to the goal of the level.
    AStar,
    /// LRTS.
    Lrts,
    /// Nothing.
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

/// What plans on each level of abstraction, from the ground up; nothing said stands for the agent's own choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    algorithms: [Algorithm; Levels::MOST],
    count: usize,
}

impl Levels {
    /// How many levels an agent can have, the ground included.
    pub const MOST: usize = 16;

    /// What plans on each level.
    pub fn get(&self) -> &[Algorithm] {
        &self.algorithms[..self.count]
    }

    fn parse(text: &str) -> Option<Levels> {
        let mut levels = Levels { algorithms: [Algorithm::PassThrough; Levels::MOST], count: 0 };
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
    /// Where the agent has no such parameter, as the typed accessors do for a parameter of another kind: both are
    /// slips in an agent's file that building it once shows.
    pub fn get(&self, name: &str) -> &Value {
        &self.0.iter().find(|(known, _)| *known == name).expect("an agent asks for parameters it has").1
    }

    /// Those of some parameters that are not at their default, as labels tell them: a comma before each.
    pub fn unusual(&self, params: &[Param], names: &[&str]) -> String {
        let told = |param: &&Param| names.contains(&param.name) && self.get(param.name).to_string() != param.default;
        params.iter().filter(told).map(|param| format!(", {} {}", param.name, self.get(param.name))).collect()
    }

    /// The value of a whole-number parameter.
    pub fn integer(&self, name: &str) -> u64 {
        match self.get(name) {
            Value::Integer(value) => *value,
            other => panic!("{name} is {other:?}, not a whole number"),
        }
    }

    /// The value of a real parameter.
    pub fn real(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Real(value) => *value,
            other => panic!("{name} is {other:?}, not a number"),
        }
    }

    /// A level; none where the agent chooses it.
    pub fn level(&self, name: &str) -> Option<usize> {
        match self.get(name) {
            Value::Integer(level) => Some(*level as usize),
            _ => None,
        }
    }

    /// What plans on each level.
    pub fn levels(&self, name: &str) -> Levels {
        match self.get(name) {
            Value::Levels(levels) => *levels,
            other => panic!("{name} is {other:?}, not levels"),
        }
    }

    /// A decision tree; none where there is none.
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
}

/// What is wrong with a spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum SpecError {
    #[error("there is no agent '{name}'; 'permove agents' lists them all")]
    UnknownAgent { name: String },
    #[error("{agent} has no parameter '{param}'; it has {known}")]
    UnknownParam { agent: &'static str, param: String, known: String },
    #[error("{agent}: {param}={value} is out of range; {param} is {range}")]
    BadValue { agent: &'static str, param: &'static str, value: String, range: String },
    #[error("{agent}: {error}")]
    BadTree { agent: &'static str, error: TreeError },
    #[error("{agent}: {param} is given twice; give it once")]
    Twice { agent: &'static str, param: &'static str },
    #[error("{agent}: {objection}")]
    Unfit { agent: &'static str, objection: String },
    #[error("'{text}' is not an agent; write name or name(param=value, ...)")]
    Malformed { text: String },
}

/// An agent with all its parameters.
#[derive(Clone)]
pub struct Spec {
    entry: &'static Entry,
    values: Values,
}

impl Spec {
    /// Checks a name and parameters against the catalogue and fills in the defaults.
    pub fn new<'a>(name: &str, given: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Spec, SpecError> {
        let entry = CATALOGUE
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| SpecError::UnknownAgent { name: name.to_owned() })?;
        let params = || entry.all_params();
        let mut values: Vec<(&'static Param, Option<Value>)> = params().map(|param| (param, None)).collect();
        for (name, text) in given {
            let (param, value) = values.iter_mut().find(|(param, _)| param.name == name).ok_or_else(|| {
                let known: Vec<_> = params().map(|param| param.name).collect();
                SpecError::UnknownParam { agent: entry.name, param: name.to_owned(), known: known.join(", ") }
            })?;
            let parsed = param.kind.parse(text).map_err(|fault| match fault {
                Fault::Range => SpecError::BadValue {
                    agent: entry.name,
                    param: param.name,
                    value: text.to_owned(),
                    range: param.kind.range(),
                },
                Fault::Tree(error) => SpecError::BadTree { agent: entry.name, error },
            })?;
            if value.replace(parsed).is_some() {
                return Err(SpecError::Twice { agent: entry.name, param: param.name });
            }
        }
        let default = |param: &Param| param.kind.parse(param.default).ok().expect("defaults are in range");
        let values = values.into_iter().map(|(param, value)| (param.name, value.unwrap_or_else(|| default(param))));
        let spec = Spec { entry, values: Values(values.collect()) };
        match spec.build().objection() {
            Some(objection) => Err(SpecError::Unfit { agent: entry.name, objection }),
            None => Ok(spec),
        }
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
        let usual = self.entry.all_params().find(|param| param.name == "ties").map(|param| param.default);
        match self.values.word("ties") {
            ties if usual == Some(ties) => {}
            ties => write!(label, ", ties {ties}").expect("strings take everything"),
        }
        label
    }

    /// Makes the agent.
    pub fn build(&self) -> Box<dyn Runner> {
        (self.entry.build)(&self.values)
    }

    /// The direction from which successors are visited, and whether ties break at random instead.
    pub fn order(&self) -> (u8, bool) {
        let Kind::Choice(words) = COMMON[0].kind else { unreachable!("ties is a choice") };
        let word = self.values.word("ties");
        match words.iter().position(|known| *known == word) {
            Some(direction @ 0..8) => (direction as u8, false),
            _ => (0, true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_canonical_spec_has_every_default_and_reads_as_itself() {
        for entry in CATALOGUE {
            let spec = Spec::parse(entry.name).expect("every agent has defaults");
            let canonical = spec.canonical();
            for param in entry.all_params() {
                assert!(canonical.contains(&format!("{}=", param.name)), "{canonical}");
            }
            assert_eq!(Spec::parse(&canonical).map(|spec| spec.canonical()), Ok(canonical));
            assert!(entry.untitled || spec.label().starts_with(entry.title));
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
    fn what_is_wrong_is_said() {
        let error = |text| Spec::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error("lrtaa").contains("no agent 'lrtaa'"));
        assert!(error("lrta(depth=3)").contains("no parameter 'depth'"));
        assert!(error("lrta(d=0)").contains("d=0 is out of range"));
        assert!(error("lrta(d=1, d=2)").contains("twice"));
        assert!(error("lrta(d)").contains("not an agent"));
        assert!(error("lrta(d=1").contains("not an agent"));
    }

    #[test]
    fn fractions_are_read() {
        let canonical = |text| Spec::parse(text).map(|spec| spec.canonical());
        assert_eq!(canonical("wastar(gamma=1/4)"), canonical("wastar(gamma=0.25)"));
        assert!(canonical("wastar(gamma=1/0)").is_err());
    }

    #[test]
    fn amounts_are_numbers_from_0_up_or_infinite() {
        let canonical = |text| Spec::parse(text).map(|spec| spec.canonical());
        assert_eq!(canonical("slat(T=inf)"), Ok("slat(T=inf, ties=n)".to_owned()));
        assert_eq!(canonical("slat(T=-0)"), Ok("slat(T=0, ties=n)".to_owned()));
        assert_eq!(canonical("slat(T=5/2)"), Ok("slat(T=2.5, ties=n)".to_owned()));
        for text in ["slat(T=-1)", "slat(T=nan)", "slat(T=infinity)", "slat(T=1e999)", "slat(T=1/0)", "slat(T=)"] {
            assert!(canonical(text).is_err(), "{text}");
        }
    }
}
