//! The interface between permove and agents in shared libraries, version 2: `permove.h` in Rust.
//!
//! Implement [`Agent`] and pass it to [`agents!`]; do not change this file. States are the cells of the map, numbered
//! row by row from the top left. Costs and heuristics are integers, so that sums are exact: a cardinal move costs 5741
//! and a diagonal one 8119, a ratio that equals the square root of two to eight digits.

#![allow(dead_code)]

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{c_char, c_void, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

pub const ABI: u32 = 2;
pub const CARDINAL: u32 = 5741;
pub const DIAGONAL: u32 = 8119;
pub const INFINITY: u32 = u32::MAX;
pub const MAX_SUCCESSORS: usize = 8;
/// Old name, kept for existing plug-ins.
pub const MOST_SUCCESSORS: usize = MAX_SUCCESSORS;
const STOP: u32 = u32::MAX;

/// A successor of a state.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct Successor {
    pub state: u32,
    /// Cost of the move to it.
    pub cost: u32,
    /// Its heuristic: the learned value, or the initial one.
    pub h: u32,
}

#[repr(C)]
pub struct RawWorld {
    at: u32,
    goal: u32,
    h: u32,
    cutoff: u64,
    expand: extern "C" fn(*mut RawWorld, u32, *mut Successor) -> u32,
    reread: extern "C" fn(*mut RawWorld, u32, *mut Successor) -> u32,
    heuristic: extern "C" fn(*mut RawWorld, u32) -> u32,
    initial: extern "C" fn(*mut RawWorld, u32, u32) -> u32,
    learn: extern "C" fn(*mut RawWorld, u32, u32),
    go: extern "C" fn(*mut RawWorld, u32),
    expanded: extern "C" fn(*mut RawWorld) -> u64,
    access: *mut c_void,
    memory: extern "C" fn(*mut RawWorld, u64),
}

/// Access to the map during `plan`. Expansions are counted like those of built-in agents.
pub struct World<'a> {
    raw: &'a mut RawWorld,
    successors: [Successor; MAX_SUCCESSORS],
}

/// Error after ten times the cutoff: no more successors are available, so return from `plan`.
#[derive(Debug)]
pub struct PastCutoff;

impl World<'_> {
    /// Returns the current state.
    pub fn at(&self) -> u32 {
        self.raw.at
    }

    /// Returns the goal.
    pub fn goal(&self) -> u32 {
        self.raw.goal
    }

    /// Returns the heuristic of the current state when `plan` was called.
    pub fn h(&self) -> u32 {
        self.raw.h
    }

    /// Returns the maximum number of expanded states per move, or `u64::MAX` if there is no limit.
    pub fn cutoff(&self) -> u64 {
        self.raw.cutoff
    }

    /// Returns all successors of a state, in tie-breaking order. Counts as one expanded state.
    pub fn expand(&mut self, state: u32) -> Result<&[Successor], PastCutoff> {
        let count = (self.raw.expand)(self.raw, state, self.successors.as_mut_ptr());
        self.read(count)
    }

    /// Like `expand`, for a state that was already expanded in this call of `plan`. Counts only as touched.
    pub fn reread(&mut self, state: u32) -> Result<&[Successor], PastCutoff> {
        let count = (self.raw.reread)(self.raw, state, self.successors.as_mut_ptr());
        self.read(count)
    }

    fn read(&self, count: u32) -> Result<&[Successor], PastCutoff> {
        if count == STOP { Err(PastCutoff) } else { Ok(&self.successors[..count as usize]) }
    }

    /// Returns the heuristic of a state: the learned value, or the initial one.
    pub fn heuristic(&mut self, state: u32) -> u32 {
        (self.raw.heuristic)(self.raw, state)
    }

    /// Returns the initial heuristic between two states.
    pub fn initial(&mut self, state: u32, goal: u32) -> u32 {
        (self.raw.initial)(self.raw, state, goal)
    }

    /// Sets the heuristic of a state. Values below the initial heuristic have no effect.
    pub fn learn(&mut self, state: u32, value: u32) {
        (self.raw.learn)(self.raw, state, value);
    }

    /// Appends a move to the plan.
    pub fn go(&mut self, state: u32) {
        (self.raw.go)(self.raw, state);
    }

    /// Reports the bytes that the agent's own tables use now, without learned heuristics, which permove counts. permove
    /// records the maximum; without a report the memory of the agent is unknown.
    pub fn memory(&mut self, bytes: u64) {
        (self.raw.memory)(self.raw, bytes);
    }

    /// Returns the number of states expanded so far in this call of `plan`.
    pub fn expanded(&mut self) -> u64 {
        (self.raw.expanded)(self.raw)
    }
}

/// A parameter of an agent.
#[repr(C)]
pub struct Parameter {
    name: *const c_char,
    about: *const c_char,
    kind: u32,
    words: *const c_char,
    min: f64,
    max: f64,
    default: f64,
}

impl Parameter {
    /// An integer in a range, whose end may be infinite.
    pub const fn integer(name: &'static CStr, about: &'static CStr, (min, max): (f64, f64), default: f64) -> Self {
        Parameter { name: name.as_ptr(), about: about.as_ptr(), kind: 0, words: std::ptr::null(), min, max, default }
    }

    /// A number in a range.
    pub const fn real(name: &'static CStr, about: &'static CStr, (min, max): (f64, f64), default: f64) -> Self {
        Parameter { name: name.as_ptr(), about: about.as_ptr(), kind: 1, words: std::ptr::null(), min, max, default }
    }

    /// One of several words, separated by spaces. The value is the index of the word, starting at 0.
    pub const fn choice(name: &'static CStr, about: &'static CStr, words: &'static CStr, default: f64) -> Self {
        let (min, max) = (0.0, 0.0);
        Parameter { name: name.as_ptr(), about: about.as_ptr(), kind: 2, words: words.as_ptr(), min, max, default }
    }
}

#[repr(C)]
pub struct RawSetup {
    values: *const f64,
    seed: u64,
    width: u32,
    height: u32,
}

/// Data for the creation of an agent.
pub struct Setup<'a> {
    /// One value per parameter, in their order.
    pub values: &'a [f64],
    /// A seed for random choices, derived from the seed of the run, the agent and the problem.
    pub seed: u64,
    /// The size of the map.
    pub width: u32,
    pub height: u32,
}

/// An agent, with one instance per problem.
pub trait Agent: Sized {
    /// The name in specs.
    const NAME: &'static CStr;
    /// A description in one sentence.
    const ABOUT: &'static CStr;
    /// The parameters, which specs can sweep.
    const PARAMETERS: &'static [Parameter];

    /// Creates an instance for a problem.
    fn new(setup: &Setup) -> Self;

    /// Called when the agent is at the start, before each trial. Learned heuristics are kept.
    fn begin_trial(&mut self) {}

    /// Called with the cells that were assumed to be free and discovered to be blocked since the last plan.
    fn discovered(&mut self, _states: &[u32]) {}

    /// Plans one or more moves from `world.at()`; no move means that there is no path.
    fn plan(&mut self, world: &mut World) -> Result<(), PastCutoff>;
}

#[repr(C)]
pub struct RawAgent {
    name: *const c_char,
    about: *const c_char,
    parameters: *const Parameter,
    parameter_count: u32,
    create: Option<unsafe extern "C" fn(*const RawSetup) -> *mut c_void>,
    begin_trial: Option<unsafe extern "C" fn(*mut c_void)>,
    discovered: Option<unsafe extern "C" fn(*mut c_void, *const u32, u32)>,
    plan: Option<unsafe extern "C" fn(*mut c_void, *mut RawWorld) -> *const c_char>,
    destroy: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// The agents of a plug-in.
pub struct Table<const N: usize>(pub [RawAgent; N]);

// SAFETY: a table and everything it points to is constant.
unsafe impl<const N: usize> Sync for Table<N> {}

thread_local! {
    /// The last error message, valid until the next call.
    static FAILURE: RefCell<CString> = RefCell::default();
}

fn failure(panic: &(dyn Any + Send)) -> *const c_char {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    let text = CString::new(format!("panicked: {}", text.replace('\0', " "))).unwrap_or_default();
    FAILURE.with(|failure| {
        *failure.borrow_mut() = text;
        failure.borrow().as_ptr()
    })
}

/// An agent, or the panic that ended it.
type Made<A> = Result<A, Box<dyn Any + Send>>;

impl RawAgent {
    pub const fn new<A: Agent>() -> RawAgent {
        RawAgent {
            name: A::NAME.as_ptr(),
            about: A::ABOUT.as_ptr(),
            parameters: A::PARAMETERS.as_ptr(),
            parameter_count: A::PARAMETERS.len() as u32,
            create: Some(create::<A>),
            begin_trial: Some(begin_trial::<A>),
            discovered: Some(discovered::<A>),
            plan: Some(plan::<A>),
            destroy: Some(destroy::<A>),
        }
    }
}

unsafe extern "C" fn create<A: Agent>(setup: *const RawSetup) -> *mut c_void {
    // SAFETY: the setup is valid during the call and has one value per parameter.
    let made: Made<A> = catch_unwind(|| unsafe {
        let RawSetup { values, seed, width, height } = *setup;
        let values = if A::PARAMETERS.is_empty() { &[] } else { std::slice::from_raw_parts(values, A::PARAMETERS.len()) };
        A::new(&Setup { values, seed, width, height })
    });
    Box::into_raw(Box::new(made)).cast()
}

unsafe extern "C" fn begin_trial<A: Agent>(instance: *mut c_void) {
    // SAFETY: permove passes the pointer that `create` returned.
    let made = unsafe { &mut *instance.cast::<Made<A>>() };
    attempt(made, |agent| agent.begin_trial());
}

unsafe extern "C" fn discovered<A: Agent>(instance: *mut c_void, states: *const u32, count: u32) {
    // SAFETY: as in `begin_trial`, and `states` points to `count` states.
    let (made, states) =
        unsafe { (&mut *instance.cast::<Made<A>>(), std::slice::from_raw_parts(states, count as usize)) };
    attempt(made, |agent| agent.discovered(states));
}

unsafe extern "C" fn plan<A: Agent>(instance: *mut c_void, world: *mut RawWorld) -> *const c_char {
    // SAFETY: as in `begin_trial`, and the world is valid during the call.
    let (made, raw) = unsafe { (&mut *instance.cast::<Made<A>>(), &mut *world) };
    attempt(made, |agent| {
        // `PastCutoff` needs no report, since permove returned it.
        let _ = agent.plan(&mut World { raw, successors: Default::default() });
    });
    made.as_ref().err().map_or(std::ptr::null(), |panic| failure(panic.as_ref()))
}

unsafe extern "C" fn destroy<A: Agent>(instance: *mut c_void) {
    // SAFETY: as in `begin_trial`, and the pointer is not used again.
    let made = unsafe { Box::from_raw(instance.cast::<Made<A>>()) };
    let _ = catch_unwind(AssertUnwindSafe(|| drop(made)));
}

/// Calls a method of an agent. If it panics, the panic replaces the agent.
fn attempt<A: Agent>(made: &mut Made<A>, call: impl FnOnce(&mut A)) {
    if let Ok(agent) = made {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| call(agent))) {
            *made = Err(panic);
        }
    }
}

/// Declares the agents of the plug-in: `permove::agents!(Mine, Another);`
macro_rules! agents {
    ($($agent:ty),+ $(,)?) => {
        static AGENTS: $crate::permove::Table<{ [$(stringify!($agent)),+].len() }> =
            $crate::permove::Table([$($crate::permove::RawAgent::new::<$agent>()),+]);

        #[no_mangle]
        pub extern "C" fn permove_abi() -> u32 {
            $crate::permove::ABI
        }

        #[no_mangle]
        pub extern "C" fn permove_agents(count: &mut u32) -> *const $crate::permove::RawAgent {
            *count = AGENTS.0.len() as u32;
            AGENTS.0.as_ptr()
        }
    };
}
pub(crate) use agents;
