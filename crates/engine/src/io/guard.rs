//! The handler that turns a fault in a window of ours into a mark on it, and leaves every other SIGBUS to whom it was for.
//!
//! A fault counts as ours only if the kernel raised it (`si_code`) and its address lies in a window; a signal that a process
//! sent says nothing of memory. What is not ours goes to the handler that stood before, with its mask and flags, or has the
//! effect it would have had without one.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

/// A window that is in use, as the handler sees it.
pub(super) struct WindowSlot {
    /// Number of the first page and count of pages in one word, so that the handler never sees one of each of two
    /// windows; [`FREE`] where there is none, [`CLAIMED`] while it is being filled in.
    pages: AtomicU64,
    faulted: AtomicBool,
}

const FREE: u64 = 0;
const CLAIMED: u64 = 1;
/// Bits of the count of pages: windows of up to 64 GiB.
const COUNT_BITS: u32 = 24;

/// Enough for every thread to hold a window.
const SLOTS: usize = 1024;

static WINDOWS: [WindowSlot; SLOTS] =
    [const { WindowSlot { pages: AtomicU64::new(FREE), faulted: AtomicBool::new(false) } }; SLOTS];

/// Bytes of a page. Asked for once, and not in the handler.
static PAGE: AtomicU64 = AtomicU64::new(0);

/// What was to be done on SIGBUS before.
static FORMER: OnceLock<libc::sigaction> = OnceLock::new();
/// A former handler that wanted to be called once was.
static SPENT: AtomicBool = AtomicBool::new(false);

static INSTALLED: OnceLock<bool> = OnceLock::new();

impl WindowSlot {
    /// A free one; `None` where there is none, or where the guard does not stand.
    pub(super) fn claim() -> Option<&'static WindowSlot> {
        if !*INSTALLED.get_or_init(install) || !stands() {
            return None;
        }
        let claim = |slot: &&WindowSlot| slot.pages.compare_exchange(FREE, CLAIMED, SeqCst, SeqCst).is_ok();
        WINDOWS.iter().find(claim)
    }

    /// Guards these bytes, whole pages. False where they are more than a slot can name.
    pub(super) fn guard(&self, base: *mut c_void, len: usize) -> bool {
        let count = len as u64 / page();
        if count == 0 || count >= 1 << COUNT_BITS {
            return false;
        }
        self.faulted.store(false, SeqCst);
        self.pages.store((base as u64 / page()) << COUNT_BITS | count, SeqCst);
        true
    }

    /// Gives it back.
    pub(super) fn free(&self) {
        self.pages.store(FREE, SeqCst);
    }

    /// Whether a page could not be had.
    pub(super) fn faulted(&self) -> bool {
        self.faulted.load(SeqCst)
    }
}

/// Bytes of a page of this system.
pub(super) fn page() -> u64 {
    match PAGE.load(SeqCst) {
        0 => {
            let page = rustix::param::page_size() as u64;
            PAGE.store(page, SeqCst);
            page
        }
        page => page,
    }
}

/// Installs the handler; false where the system refuses.
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
        // As the former one would have run: its mask, and whether calls are begun again and it may interrupt itself.
        action.sa_mask = former.sa_mask;
        action.sa_flags =
            libc::SA_SIGINFO | libc::SA_ONSTACK | (former.sa_flags & (libc::SA_RESTART | libc::SA_NODEFER));
        // Known before the first signal can come.
        FORMER.set(former).is_ok() && libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()) == 0
    }
}

/// Whether the handler is still the one in force: who replaced it later would be given our faults.
fn stands() -> bool {
    // SAFETY: as above.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGBUS, ptr::null(), &mut now) == 0
            && now.sa_sigaction == on_fault as *const () as usize
    }
}

/// Uses only atomics and system calls, as a signal handler must.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes a valid siginfo to a handler that asked for one; codes above 0 are the kernel's own, and
    // only they come with an address.
    let (raised, address) = unsafe { ((*info).si_code > 0, (*info).si_addr() as u64) };
    if !(raised && mend(address)) {
        pass_on(signal, info, context, raised);
    }
}

/// Puts zero pages over the rest of the window that holds this address, and marks it; false if there is none.
fn mend(address: u64) -> bool {
    let size = PAGE.load(SeqCst);
    for slot in &WINDOWS {
        // Windows in use do not overlap, and the one that faults stays in use: only its slot can hold the address.
        let pages = slot.pages.load(SeqCst);
        let (first, count) = (pages >> COUNT_BITS, pages & ((1 << COUNT_BITS) - 1));
        let page = address / size;
        if pages <= CLAIMED || !(first..first + count).contains(&page) {
            continue;
        }
        slot.faulted.store(true, SeqCst);
        // The rest of the window at once: after a truncation every page of it would fault.
        // SAFETY: from the faulting page to the end of a window of ours, which is replaced by zero pages in place.
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

/// Does what would have been done without this handler.
fn pass_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void, raised: bool) {
    let former = FORMER.get();
    let handler = former.map_or(libc::SIG_DFL, |former| former.sa_sigaction);
    let flags = former.map_or(0, |former| former.sa_flags);
    // The kernel lets nobody ignore a fault, only a signal that was sent.
    if handler == libc::SIG_IGN && !raised {
        return;
    }
    let spent = flags & libc::SA_RESETHAND != 0 && SPENT.swap(true, SeqCst);
    if matches!(handler, libc::SIG_IGN | libc::SIG_DFL) || spent {
        // SAFETY: both calls may be made in a handler. A fault comes again when this returns, and ends the process as it
        // does by default; a signal that was sent must be sent again, and waits until this returns.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            if !raised {
                libc::raise(signal);
            }
        }
    } else if flags & libc::SA_SIGINFO != 0 {
        // SAFETY: whoever installed it with this flag gave a function of this type.
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
            unsafe { std::mem::transmute(handler) };
        handler(signal, info, context);
        resend(signal, raised);
    } else {
        // SAFETY: without the flag it is a function of one argument.
        let handler: extern "C" fn(c_int) = unsafe { std::mem::transmute(handler) };
        handler(signal);
        resend(signal, raised);
    }
}

/// A handler that restores the default and returns counts on the fault coming again, to end the process. A signal that was
/// sent does not by itself.
fn resend(signal: c_int, raised: bool) {
    // SAFETY: an all-zero sigaction is valid, and both calls may be made in a handler.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        let asked = libc::sigaction(signal, ptr::null(), &mut now) == 0;
        if asked && !raised && now.sa_sigaction == libc::SIG_DFL {
            libc::raise(signal);
        }
    }
}
