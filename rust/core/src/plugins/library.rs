//! Plug-ins in shared libraries, behind a small versioned C interface: `permove.h` in Rust.
//!
//! Calling a library is unsafe, since its description may be wrong. Runs therefore load libraries in separate
//! processes.

#![allow(unsafe_code)]

use super::{Access, Plugin};
use crate::cost::Cost;
use crate::graph::{MAX_SUCCESSORS, State, Successor};
use crate::grid::Shape;
use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};

/// The version of the interface. Version 2 has added `memory` at the end of the world.
pub const ABI: u32 = 2;

/// The versions of libraries that can be used.
const ABIS: std::ops::RangeInclusive<u32> = 1..=ABI;

/// The return value of metered calls beyond ten times the cutoff.
const STOP: u32 = u32::MAX;

/// The kind of a parameter's values.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// An integer.
    Integer,
    /// A number.
    Real,
    /// One of these words; the value is its number.
    Choice(Vec<String>),
}

/// A parameter of an agent in a library.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in specs.
    pub name: String,
    /// Its description.
    pub about: String,
    /// The kind of its values.
    pub kind: Kind,
    /// The minimum.
    pub min: f64,
    /// The maximum.
    pub max: f64,
    /// The default.
    pub default: f64,
}

/// An agent of a library, as the library describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Its name in specs.
    pub name: String,
    /// Its description.
    pub about: String,
    /// Its parameters, in the order of its values.
    pub parameters: Vec<Parameter>,
}

/// The reason why a library cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
pub enum LibraryError {
    #[error("{path} cannot be loaded ({reason}); build it as a shared library for this machine")]
    Unloadable { path: String, reason: String },
    #[error("{path} has no function {name}; include permove.h and define the functions that it requires")]
    Missing { path: String, name: &'static str },
    #[error("{path} was built for version {found} of the plug-in interface, not 1 to {ABI}; build it again")]
    Version { path: String, found: u32 },
    #[error("{path}: {what}; correct it and build it again")]
    Faulty { path: String, what: String },
    #[error("{path} has no agent '{name}'; it has {known}")]
    Unknown { path: String, name: String, known: String },
}

#[repr(C)]
struct RawParameter {
    name: *const c_char,
    about: *const c_char,
    kind: u32,
    words: *const c_char,
    min: f64,
    max: f64,
    fallback: f64,
}

#[repr(C)]
struct RawSetup {
    values: *const f64,
    seed: u64,
    width: u32,
    height: u32,
}

#[repr(C)]
struct RawWorld {
    at: State,
    goal: State,
    h: Cost,
    cutoff: u64,
    expand: extern "C" fn(*mut RawWorld, State, *mut Successor) -> u32,
    reread: extern "C" fn(*mut RawWorld, State, *mut Successor) -> u32,
    heuristic: extern "C" fn(*mut RawWorld, State) -> Cost,
    initial: extern "C" fn(*mut RawWorld, State, State) -> Cost,
    learn: extern "C" fn(*mut RawWorld, State, Cost),
    go: extern "C" fn(*mut RawWorld, State),
    expanded: extern "C" fn(*mut RawWorld) -> u64,
    /// A pointer to the [`Access`] that the functions above are made for, which outlives the call.
    access: *mut c_void,
    /// Since version 2.
    memory: extern "C" fn(*mut RawWorld, u64),
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct RawAgent {
    name: *const c_char,
    about: *const c_char,
    parameters: *const RawParameter,
    parameter_count: u32,
    create: Option<unsafe extern "C" fn(*const RawSetup) -> *mut c_void>,
    begin_trial: Option<unsafe extern "C" fn(*mut c_void)>,
    discovered: Option<unsafe extern "C" fn(*mut c_void, *const State, u32)>,
    plan: Option<unsafe extern "C" fn(*mut c_void, *mut RawWorld) -> *const c_char>,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// A loaded library. It is never unloaded, because its threads may still use its code.
#[derive(Debug)]
pub struct Library {
    path: PathBuf,
    agents: Vec<(Description, RawAgent)>,
}

// SAFETY: the descriptions in a library are constant, and each instance of an agent is used by one thread.
unsafe impl Send for Library {}
// SAFETY: as above.
unsafe impl Sync for Library {}

impl Library {
    /// Loads a library and reads the descriptions of its agents.
    pub fn open(path: &Path) -> Result<Library, LibraryError> {
        let shown = || path.display().to_string();
        let faulty = |what: &str| LibraryError::Faulty { path: shown(), what: what.to_owned() };
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // SAFETY: the initialization of the library is its author's responsibility.
        let library = unsafe { libloading::Library::new(&absolute) }
            .map_err(|error| LibraryError::Unloadable { path: shown(), reason: error.to_string() })?;
        // Its code may be in use until the process ends.
        let library = &*Box::leak(Box::new(library));
        let missing = |name| move |_| LibraryError::Missing { path: path.display().to_string(), name };
        // SAFETY: the function with this name has this type in every version of the interface.
        let version =
            unsafe { library.get::<extern "C" fn() -> u32>(c"permove_abi") }.map_err(missing("permove_abi"))?;
        // SAFETY: the function with this name has this type in the versions of the interface that are used below.
        let agents = unsafe { library.get::<extern "C" fn(*mut u32) -> *const RawAgent>(c"permove_agents") }
            .map_err(missing("permove_agents"))?;
        let version = version();
        if !ABIS.contains(&version) {
            return Err(LibraryError::Version { path: shown(), found: version });
        }
        let mut count = 0;
        let table = agents(&mut count);
        if table.is_null() || count == 0 {
            return Err(faulty("permove_agents returns no agents"));
        }
        let mut agents = Vec::new();
        for number in 0..count as usize {
            // SAFETY: the table has `count` agents, as the library says.
            let agent = unsafe { *table.add(number) };
            // SAFETY: the agent is from the library's table, so its pointers are as `permove.h` requires.
            agents.push((unsafe { describe(&agent) }.map_err(|what| faulty(&what))?, agent));
        }
        Ok(Library { path: path.to_owned(), agents })
    }

    /// Its agents.
    pub fn agents(&self) -> impl Iterator<Item = &Description> {
        self.agents.iter().map(|(description, _)| description)
    }

    /// One of its agents, with values for all its parameters.
    pub fn agent(&self, name: &str, values: Vec<f64>) -> Result<LibraryAgent, LibraryError> {
        let path = || self.path.display().to_string();
        let Some((description, agent)) = self.agents.iter().find(|(known, _)| known.name == name) else {
            let known: Vec<&str> = self.agents().map(|known| known.name.as_str()).collect();
            return Err(LibraryError::Unknown { path: path(), name: name.to_owned(), known: known.join(", ") });
        };
        let count = description.parameters.len();
        if count != values.len() {
            let what = format!("{name} has {count} parameters, not {}", values.len());
            return Err(LibraryError::Faulty { path: path(), what });
        }
        Ok(LibraryAgent { agent: *agent, values, instance: std::ptr::null_mut() })
    }
}

/// A C string as text; `None` for null.
///
/// # Safety
/// The pointer is null or a C string.
unsafe fn text(pointer: *const c_char) -> Option<String> {
    // SAFETY: the pointer is not null, and the caller guarantees a C string.
    (!pointer.is_null()).then(|| unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// The description of an agent in the library's table, or a fault in it.
///
/// # Safety
/// All pointers are null or as `permove.h` requires.
unsafe fn describe(agent: &RawAgent) -> Result<Description, String> {
    // SAFETY: the caller guarantees C strings.
    let (name, about) = unsafe { (text(agent.name), text(agent.about)) };
    let name = name.filter(|name| is_word(name)).ok_or("an agent has no valid name")?;
    if agent.create.is_none() || agent.plan.is_none() {
        return Err(format!("the agent {name} lacks create or plan"));
    }
    let mut parameters: Vec<Parameter> = Vec::new();
    let count = if agent.parameters.is_null() { 0 } else { agent.parameter_count };
    for number in 0..count as usize {
        // SAFETY: the caller guarantees this number of parameters.
        let raw = unsafe { &*agent.parameters.add(number) };
        // SAFETY: the caller guarantees C strings.
        let (param, about, words) = unsafe { (text(raw.name), text(raw.about), text(raw.words)) };
        let param = param.filter(|name| is_word(name)).ok_or(format!("a parameter of {name} has no valid name"))?;
        let words: Vec<String> = words.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
        let (kind, min, max) = match raw.kind {
            0 => (Kind::Integer, raw.min, raw.max),
            1 => (Kind::Real, raw.min, raw.max),
            2 if !words.is_empty() => (Kind::Choice(words.clone()), 0.0, (words.len() - 1) as f64),
            2 => return Err(format!("the parameter {param} of {name} is a choice without words")),
            kind => return Err(format!("the parameter {param} of {name} has the unknown kind {kind}")),
        };
        let is_integer = |value: f64| value.is_infinite() || value.fract() == 0.0;
        let default = raw.fallback;
        let in_range = min <= default && default <= max;
        if !in_range || kind != Kind::Real && ![min, max, default].into_iter().all(is_integer) {
            return Err(format!("the default {default} of the parameter {param} of {name} is not in {min} to {max}"));
        }
        if parameters.iter().any(|known| known.name == param) {
            return Err(format!("the parameter {param} of {name} is defined twice"));
        }
        parameters.push(Parameter { name: param, about: about.unwrap_or_default(), kind, min, max, default });
    }
    Ok(Description { name, about: about.unwrap_or_default(), parameters })
}

/// Whether a name is valid in a spec.
fn is_word(name: &str) -> bool {
    !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || "(){}=,:#".contains(letter))
}

/// An agent of a library.
pub struct LibraryAgent {
    agent: RawAgent,
    values: Vec<f64>,
    instance: *mut c_void,
}

// SAFETY: the owner of the agent creates, uses and destroys its instance, one thread at a time. `permove.h` allows
// different threads.
unsafe impl Send for LibraryAgent {}

impl Plugin for LibraryAgent {
    fn begin_problem(&mut self, seed: u64, shape: Shape) -> Result<(), String> {
        self.end_problem();
        let setup = RawSetup { values: self.values.as_ptr(), seed, width: shape.width, height: shape.height };
        let create = self.agent.create.ok_or("it lacks create")?;
        // SAFETY: the setup outlives the call and has one value for each parameter.
        self.instance = unsafe { create(&setup) };
        if self.instance.is_null() { Err("create returned NULL".to_owned()) } else { Ok(()) }
    }

    fn begin_trial(&mut self) -> Result<(), String> {
        if let Some(begin_trial) = self.agent.begin_trial {
            // SAFETY: the instance was created by this agent and not destroyed.
            unsafe { begin_trial(self.instance) };
        }
        Ok(())
    }

    fn discovered(&mut self, blocked: &[State]) -> Result<(), String> {
        if let Some(discovered) = self.agent.discovered {
            // SAFETY: as in `begin_trial`, and the states outlive the call.
            unsafe { discovered(self.instance, blocked.as_ptr(), blocked.len() as u32) };
        }
        Ok(())
    }

    fn plan<A: Access>(&mut self, access: &mut A) -> Result<(), String> {
        let plan = self.agent.plan.ok_or("it lacks plan")?;
        let mut world = RawWorld {
            at: access.at(),
            goal: access.goal(),
            h: access.heuristic(access.at()),
            cutoff: access.cutoff().unwrap_or(u64::MAX),
            expand: expand::<A>,
            reread: reread::<A>,
            heuristic: heuristic::<A>,
            initial: initial::<A>,
            learn: learn::<A>,
            go: go::<A>,
            expanded: expanded::<A>,
            access: (&raw mut *access).cast(),
            memory: memory::<A>,
        };
        // SAFETY: as in `begin_trial`. The world outlives the call, and `permove.h` forbids its use afterwards.
        let failure = unsafe { plan(self.instance, &mut world) };
        if failure.is_null() {
            return Ok(());
        }
        // SAFETY: `permove.h` requires a C string.
        Err(unsafe { text(failure) }.unwrap_or_default())
    }

    fn end_problem(&mut self) {
        if let (Some(destroy), false) = (self.agent.destroy, self.instance.is_null()) {
            // SAFETY: as in `begin_trial`. The instance is not used again.
            unsafe { destroy(self.instance) };
        }
        self.instance = std::ptr::null_mut();
    }
}

impl Drop for LibraryAgent {
    fn drop(&mut self) {
        self.end_problem();
    }
}

/// The access behind a world.
///
/// # Safety
/// The world is the argument of a call of `plan` that has not returned, for an access of this type.
#[inline(always)]
unsafe fn access<'a, A: Access>(world: *mut RawWorld) -> &'a mut A {
    // SAFETY: the caller guarantees that the world and its access are alive. Callbacks do not overlap.
    unsafe { &mut *(*world).access.cast::<A>() }
}

/// The caller's buffer for successors.
///
/// # Safety
/// It has room for [`MAX_SUCCESSORS`].
#[inline(always)]
unsafe fn buffer<'a>(successors: *mut Successor) -> &'a mut [Successor; MAX_SUCCESSORS] {
    // SAFETY: the caller guarantees its size.
    unsafe { &mut *successors.cast::<[Successor; MAX_SUCCESSORS]>() }
}

extern "C" fn expand<A: Access>(world: *mut RawWorld, state: State, successors: *mut Successor) -> u32 {
    // SAFETY: `permove.h` requires the world of the call and a buffer of this size.
    let (access, successors) = unsafe { (access::<A>(world), buffer(successors)) };
    access.expand(state, successors).map_or(STOP, |count| count as u32)
}

extern "C" fn reread<A: Access>(world: *mut RawWorld, state: State, successors: *mut Successor) -> u32 {
    // SAFETY: as in `expand`.
    let (access, successors) = unsafe { (access::<A>(world), buffer(successors)) };
    access.reread(state, successors).map_or(STOP, |count| count as u32)
}

extern "C" fn heuristic<A: Access>(world: *mut RawWorld, state: State) -> Cost {
    // SAFETY: `permove.h` requires the world of the call.
    unsafe { access::<A>(world) }.heuristic(state)
}

extern "C" fn initial<A: Access>(world: *mut RawWorld, state: State, goal: State) -> Cost {
    // SAFETY: as in `heuristic`.
    unsafe { access::<A>(world) }.initial(state, goal)
}

extern "C" fn learn<A: Access>(world: *mut RawWorld, state: State, value: Cost) {
    // SAFETY: as in `heuristic`.
    unsafe { access::<A>(world) }.learn(state, value);
}

extern "C" fn go<A: Access>(world: *mut RawWorld, state: State) {
    // SAFETY: as in `heuristic`.
    unsafe { access::<A>(world) }.go(state);
}

extern "C" fn memory<A: Access>(world: *mut RawWorld, bytes: u64) {
    // SAFETY: as in `heuristic`.
    unsafe { access::<A>(world) }.memory(bytes);
}

extern "C" fn expanded<A: Access>(world: *mut RawWorld) -> u64 {
    // SAFETY: as in `heuristic`.
    unsafe { access::<A>(world) }.effort().expanded
}
