//! The SIGBUS handler, which marks a window of this library in which a fault occurred and passes every other SIGBUS on.
//!
//! A fault belongs to this library only if the kernel raised it (`si_code`) and its address is in a window; a signal
//! sent by a process does not refer to memory. All others go to the previous handler, with its mask and flags, or have
//! the effect that they would have had without this handler.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

/// A window in use, as seen by the handler.
pub struct WindowSlot {
    /// The number of the first page and the page count in one word, so that the handler never sees a mixture of two
    /// windows; [`FREE`] if the slot is unused, [`RESERVED`] while it is being filled.
    pages: AtomicU64,
    faulted: AtomicBool,
}

const FREE: u64 = 0;
const RESERVED: u64 = 1;
/// The number of bits for the page count: windows of up to 64 GiB.
const COUNT_BITS: u32 = 24;

/// The number of slots, enough for one window per thread.
const SLOTS: usize = 1024;

static WINDOWS: [WindowSlot; SLOTS] =
    [const { WindowSlot { pages: AtomicU64::new(FREE), faulted: AtomicBool::new(false) } }; SLOTS];

/// The page size. It is determined once and not in the handler.
static PAGE: AtomicU64 = AtomicU64::new(0);

/// The previous action for SIGBUS.
static PREVIOUS_ACTION: OnceLock<libc::sigaction> = OnceLock::new();
/// Whether a previous one-shot handler was called.
static ONE_SHOT_CALLED: AtomicBool = AtomicBool::new(false);

static INSTALLED: OnceLock<bool> = OnceLock::new();

impl WindowSlot {
    /// Returns a free slot, or `None` if there is none or the handler is not installed.
    pub fn claim() -> Option<&'static WindowSlot> {
        if !*INSTALLED.get_or_init(install) || !is_installed() {
            return None;
        }
        let claim = |slot: &&WindowSlot| slot.pages.compare_exchange(FREE, RESERVED, SeqCst, SeqCst).is_ok();
        WINDOWS.iter().find(claim)
    }

    /// Guards these bytes, which must be complete pages. Returns false if a slot cannot represent them.
    pub fn guard(&self, base: *mut c_void, len: usize) -> bool {
        let count = len as u64 / page();
        if count == 0 || count >= 1 << COUNT_BITS {
            return false;
        }
        self.faulted.store(false, SeqCst);
        self.pages.store((base as u64 / page()) << COUNT_BITS | count, SeqCst);
        true
    }

    /// Frees the slot.
    pub fn free(&self) {
        self.pages.store(FREE, SeqCst);
    }

    /// Returns whether a page was not available.
    pub fn faulted(&self) -> bool {
        self.faulted.load(SeqCst)
    }
}

/// Returns the system's page size.
pub fn page() -> u64 {
    match PAGE.load(SeqCst) {
        0 => {
            let page = rustix::param::page_size() as u64;
            PAGE.store(page, SeqCst);
            page
        }
        page => page,
    }
}

/// Installs the handler. Returns false if the system refuses.
fn install() -> bool {
    page();
    // SAFETY: an all-zero sigaction is valid; the calls write only to it. The handler below is async-signal-safe.
    unsafe {
        let mut former: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGBUS, ptr::null(), &mut former) != 0 {
            return false;
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_fault as *const () as usize;
        // Run as the previous handler would have run: with its mask, and its flags for restarting calls and nested
        // signals.
        action.sa_mask = former.sa_mask;
        action.sa_flags =
            libc::SA_SIGINFO | libc::SA_ONSTACK | (former.sa_flags & (libc::SA_RESTART | libc::SA_NODEFER));
        // Set the previous action before the first signal can arrive.
        PREVIOUS_ACTION.set(former).is_ok() && libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) == 0
    }
}

/// Returns whether the handler is still installed. A handler installed later would receive this library's faults.
fn is_installed() -> bool {
    // SAFETY: as above.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGBUS, ptr::null(), &mut now) == 0
            && now.sa_sigaction == on_fault as *const () as usize
    }
}

/// The handler. It uses only atomics and system calls, as a signal handler must.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid siginfo to a handler installed with SA_SIGINFO; codes above
    // 0 are the kernel's own, and only they have an address.
    let (raised, address) = unsafe { ((*info).si_code > 0, (*info).si_addr() as u64) };
    if !(raised && repair(address)) {
        forward(signal, info, context, raised);
    }
}

/// Maps zero pages over the rest of the window that contains this address, and marks it. Returns false if there is no
/// such window.
fn repair(address: u64) -> bool {
    let size = PAGE.load(SeqCst);
    for slot in &WINDOWS {
        // Windows in use do not overlap, and the one that faulted remains in use: only its slot can contain the
        // address.
        let pages = slot.pages.load(SeqCst);
        let (first, count) = (pages >> COUNT_BITS, pages & ((1 << COUNT_BITS) - 1));
        let page = address / size;
        if pages <= RESERVED || !(first..first + count).contains(&page) {
            continue;
        }
        slot.faulted.store(true, SeqCst);
        // Replace the rest of the window at once, because every page of it would fault after a truncation. SAFETY: the
        // range from the faulting page to the end of a window of this library is replaced by zero pages in place.
        let result = unsafe {
            libc::mmap(
                (page * size) as *mut libc::c_void,
                ((first + count - page) * size) as usize,
                libc::PROT_READ,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        return result != libc::MAP_FAILED;
    }
    false
}

/// Handles a signal as if this handler were not installed.
fn forward(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void, raised: bool) {
    let former = PREVIOUS_ACTION.get();
    let handler = former.map_or(libc::SIG_DFL, |former| former.sa_sigaction);
    let flags = former.map_or(0, |former| former.sa_flags);
    // The kernel does not let a process ignore a fault, only a signal that was sent.
    if handler == libc::SIG_IGN && !raised {
        return;
    }
    let spent = flags & libc::SA_RESETHAND != 0 && ONE_SHOT_CALLED.swap(true, SeqCst);
    if matches!(handler, libc::SIG_IGN | libc::SIG_DFL) || spent {
        // SAFETY: both calls are async-signal-safe. A fault occurs again when this returns, and ends the process by
        // default. A signal that was sent must be sent again, and is pending until this returns.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            if !raised {
                libc::raise(signal);
            }
        }
    } else if flags & libc::SA_SIGINFO != 0 {
        // SAFETY: an action with this flag contains a function of this type.
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
            unsafe { std::mem::transmute(handler) };
        handler(signal, info, context);
        resend(signal, raised);
    } else {
        // SAFETY: without the flag it is a function with one argument.
        let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
        handler(signal);
        resend(signal, raised);
    }
}

/// Sends a signal again. A handler that restores the default action and returns relies on the fault occurring again to
/// end the process; a signal that was sent does not occur again by itself.
fn resend(signal: c_int, raised: bool) {
    // SAFETY: an all-zero sigaction is valid, and both calls are async-signal-safe.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        let requested = libc::sigaction(signal, ptr::null(), &mut now) == 0;
        if requested && !raised && now.sa_sigaction == libc::SIG_DFL {
            libc::raise(signal);
        }
    }
}
