//! Files in memory, mapped if possible. If a mapped file shrinks while it is in use, the system sends SIGBUS when its
//! end is read; a handler then prints one sentence and ends the process, as for other errors of files.

#![allow(unsafe_code)]

use memmap2::Mmap;
use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::{self, Read};
use std::mem::{MaybeUninit, zeroed};
use std::ops::Deref;
use std::path::Path;
use std::ptr::null_mut;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// The exit code of errors that a user can fix.
const EXIT_CODE: c_int = 2;

/// The maximum number of mapped files. Others are read.
const MAX_FILES: usize = 4096;

/// The mapped files.
static FILES: [Slot; MAX_FILES] = [const { Slot::UNUSED }; MAX_FILES];

/// The reaction to SIGBUS before the handler was installed.
static mut BEFORE: MaybeUninit<libc::sigaction> = MaybeUninit::uninit();

/// A mapped file, for the handler, which can read it at any time.
struct Slot {
    /// The address of the first byte; 0 if the slot is unused.
    begin: AtomicUsize,
    /// The address after the last byte; 0 unless the other fields are set.
    end: AtomicUsize,
    /// The sentence to print.
    sentence: AtomicPtr<u8>,
    length: AtomicUsize,
}

impl Slot {
    const UNUSED: Slot = Slot {
        begin: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        sentence: AtomicPtr::new(null_mut()),
        length: AtomicUsize::new(0),
    };
}

/// The bytes of a file.
pub(super) enum Bytes {
    Own(Vec<u8>),
    Mapped(Mapped),
}

/// A mapped file.
pub(super) struct Mapped {
    map: Mmap,
    slot: &'static Slot,
    /// The slot refers to its bytes.
    #[allow(dead_code)]
    sentence: String,
}

impl Bytes {
    pub(super) fn open(path: &Path) -> io::Result<Bytes> {
        let mut file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Bytes::Own(Vec::new())); // empty files cannot be mapped
        }
        // SAFETY: permove does not modify complete files; it writes to another name and renames. If another process
        // modifies the file anyway, only numbers change, and each use of one as an index is checked. If the file
        // shrinks, the handler ends the process.
        let map = unsafe { Mmap::map(&file)? };
        let begin = map.as_ptr() as usize;
        let reserve = |slot: &&Slot| slot.begin.compare_exchange(0, begin, Ordering::AcqRel, Ordering::Relaxed).is_ok();
        let Some(slot) = FILES.iter().find(reserve) else {
            let mut bytes = Vec::new();
            return file.read_to_end(&mut bytes).map(|_| Bytes::Own(bytes));
        };
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(install);
        let sentence = format!(
            "permove: {} was changed while it was in use; build it again with `permove pdb build`, and run the same \
             command again to resume\n",
            path.display()
        );
        slot.sentence.store(sentence.as_ptr().cast_mut(), Ordering::Relaxed);
        slot.length.store(sentence.len(), Ordering::Relaxed);
        slot.end.store(begin + map.len(), Ordering::Release);
        Ok(Bytes::Mapped(Mapped { map, slot, sentence }))
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Own(bytes) => bytes,
            Bytes::Mapped(mapped) => &mapped.map,
        }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.slot.end.store(0, Ordering::Release);
        self.slot.begin.store(0, Ordering::Release);
    }
}

fn install() {
    // SAFETY: the action is plain data, its handler calls only functions that signal handlers may call, and `BEFORE` is
    // written once, before the handler can run.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = handle;
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGBUS, &action, (&raw mut BEFORE).cast());
    }
}

extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    // SAFETY: the system passes valid information.
    let address = unsafe { (*info).si_addr() } as usize;
    let is_inside = |slot: &&Slot| {
        let end = slot.end.load(Ordering::Acquire);
        (slot.begin.load(Ordering::Relaxed)..end).contains(&address)
    };
    match FILES.iter().find(is_inside) {
        // SAFETY: the thread was reading the map, so it is in use, and so is its sentence.
        Some(slot) => unsafe {
            let (sentence, length) = (slot.sentence.load(Ordering::Relaxed), slot.length.load(Ordering::Relaxed));
            libc::write(libc::STDERR_FILENO, sentence.cast(), length);
            libc::_exit(EXIT_CODE);
        },
        // SAFETY: `BEFORE` was written when the handler was installed. The access is repeated and handled as before.
        None => unsafe {
            libc::sigaction(signal, (&raw const BEFORE).cast(), null_mut());
        },
    }
}
