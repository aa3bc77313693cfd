//! What mapping does to the process: nothing unless requested, and nothing to an existing SIGBUS handler.
//!
//! Each case runs in its own process, another instance of this test program, because a signal handler belongs to the
//! whole process.
// Windows has no mappings and no SIGBUS.
#![cfg(unix)]
#![allow(unsafe_code)]

use std::ffi::c_int;
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use truesum::read::Guarded;
use truesum::tree::build::{Saving, save};
use truesum::tree::locate::{Diagnosis, verify};
use truesum::tree::outline::outline;
use truesum::tree::piece::hash_range;
use truesum::tree::prove::{Row, prove, read_row, verify_proof};
use truesum::tree::reading::Reading;
use truesum::tree::repair::{Mode, repair};
use truesum::{Config, Hashing, Mapping, Progress, Root, Special};
use truesum_fs::system::guarantees;

const CASE: &str = "TRUESUM_TEST_CASE";

static CALLS: AtomicU32 = AtomicU32::new(0);

/// The host's handler: counts its calls, and repairs the fault it may have been called for as the engine's handler
/// does.
extern "C" fn host(_: c_int, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    CALLS.fetch_add(1, SeqCst);
    // SAFETY: the kernel passes a valid siginfo; the page is one that the test mapped.
    unsafe {
        if (*info).si_code > 0 {
            let page = (*info).si_addr() as usize / 65536 * 65536;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            libc::mmap(page as *mut libc::c_void, 65536, libc::PROT_READ, flags, -1, 0);
        }
    }
}

extern "C" fn plain(_: c_int) {
    CALLS.fetch_add(1, SeqCst);
}

fn handle(handler: usize, flags: c_int) {
    // SAFETY: an all-zero sigaction is valid, and the functions above are handlers.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        (action.sa_sigaction, action.sa_flags) = (handler, flags);
        assert_eq!(libc::sigaction(libc::SIGBUS, &action, ptr::null_mut()), 0);
    }
}

fn handler() -> usize {
    // SAFETY: the call writes to the action only.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGBUS, ptr::null(), &mut action);
        action.sa_sigaction
    }
}

fn send() {
    // SAFETY: raises a signal in this thread, which is handled before the call returns.
    unsafe { libc::raise(libc::SIGBUS) };
}

/// Hashes a file whose pages are in memory. Returns whether it may be mapped.
fn hash(mapping: Mapping) -> bool {
    let file = tempfile::NamedTempFile::new().unwrap().into_temp_path();
    std::fs::write(&file, vec![7; 16 << 20]).unwrap();
    let name = file.as_os_str().as_encoded_bytes();
    let local = Guarded::open(&Root::Anywhere, name, Special::Refuse).unwrap().is_local();
    let may_be_mapped = local && guarantees().maps_files();
    let (config, progress) = (Config::default().mapping(mapping), Progress::default());
    let found = Hashing::new(&config, &progress).file(&file, &["sha256".parse().unwrap()]);
    assert_eq!(found.unwrap().size(), 16 << 20);
    may_be_mapped
}

/// Performs every operation with a tree of such a file.
fn trees(mapping: Mapping) {
    let folder = tempfile::tempdir().unwrap();
    let (file, target) = (folder.path().join("f"), folder.path().join("f.ftr"));
    let bytes = vec![7; 16 << 20];
    std::fs::write(&file, &bytes).unwrap();
    let (spec, progress) = ("sha256-tree".parse().unwrap(), Progress::default());
    let reading = Reading::new(&progress).mapping(mapping);
    let saving = Saving::new(&target).granule(1 << 20);
    let saved = save(&file, &spec, &saving, &reading).unwrap();
    let digest = &saved.found().digests()[0];
    assert_eq!(*digest, spec.digest(&bytes));
    assert_eq!(verify(&file, saved.store(), None, &reading).unwrap().diagnosis(), Diagnosis::Good);
    assert_eq!(outline(&file, &spec, 3, &reading).unwrap().digest(), digest);
    let row = read_row(&file, &spec, &reading).unwrap();
    let proof = prove(&file, &spec, &row, 5..9, &reading).unwrap();
    assert_eq!(proof, prove(&file, &spec, &Row::Stored(saved.store()), 5..9, &reading).unwrap());
    verify_proof(&file, &proof, digest, &reading).unwrap();
    hash_range(&file, &spec, 0..1 << 20, &reading).unwrap();
    let (found, repairs) = repair(&file, saved.store(), None, &file, Mode::DryRun, &reading).unwrap();
    assert!(found.diagnosis() == Diagnosis::Good && repairs.is_empty());
}

/// Causes a fault that is the host's own: a mapping beyond the end of its file.
fn fault() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(65536).unwrap();
    // SAFETY: a new mapping; the page that is read is replaced by the handler.
    unsafe {
        let flags = libc::MAP_SHARED;
        let page = libc::mmap(ptr::null_mut(), 2 * 65536, libc::PROT_READ, flags, file.as_raw_fd(), 0);
        assert_ne!(page, libc::MAP_FAILED);
        file.set_len(0).unwrap();
        let page = (page as usize).next_multiple_of(65536) as *const u8;
        assert_eq!(ptr::read_volatile(page), 0);
    }
}

fn child(case: &str) {
    match case {
        "nothing" => {
            let before = handler();
            hash(Mapping::default());
            trees(Mapping::default());
            assert_eq!(handler(), before, "nothing was installed");
            handle(host as *const () as usize, libc::SA_SIGINFO);
            hash(Mapping::default());
            trees(Mapping::default());
            assert_eq!(handler(), host as *const () as usize, "the host's handler stands");
        }
        "host" => {
            handle(host as *const () as usize, libc::SA_SIGINFO);
            let mapped = hash(Mapping::Guarded);
            assert_eq!(handler() != host as *const () as usize, mapped, "the guard stands before it");
            send();
            assert_eq!(CALLS.load(SeqCst), 1, "a signal that was sent reaches the host");
            fault();
            assert_eq!(CALLS.load(SeqCst), 2, "and so does its own fault");
            assert!(hash(Mapping::Guarded) == mapped);
            assert_eq!(CALLS.load(SeqCst), 2, "but nothing of ours");
        }
        "trees" => {
            handle(host as *const () as usize, libc::SA_SIGINFO);
            trees(Mapping::Guarded);
            let mapped = handler() != host as *const () as usize;
            trees(Mapping::Never);
            send();
            fault();
            assert_eq!(CALLS.load(SeqCst), 2, "the host's own reaches it");
            assert_eq!(mapped, hash(Mapping::Guarded), "mapped where files can be");
        }
        "plain" => {
            handle(plain as *const () as usize, 0);
            hash(Mapping::Guarded);
            send();
            send();
            assert_eq!(CALLS.load(SeqCst), 2);
        }
        "later" => {
            hash(Mapping::Guarded);
            handle(host as *const () as usize, libc::SA_SIGINFO);
            hash(Mapping::Guarded);
            assert_eq!(handler(), host as *const () as usize, "who comes later is left alone");
        }
        "ignored" => {
            handle(libc::SIG_IGN, 0);
            hash(Mapping::Guarded);
            send();
        }
        "sent" => {
            handle(libc::SIG_DFL, 0);
            hash(Mapping::Guarded);
            send();
        }
        "fault" => {
            handle(libc::SIG_DFL, 0);
            hash(Mapping::Guarded);
            fault();
        }
        // Rust's own handler comes first: it resets itself and relies on the fault occurring again.
        "sent to rust" => {
            hash(Mapping::Guarded);
            send();
        }
        "fault of rust" => {
            hash(Mapping::Guarded);
            fault();
        }
        _ => unreachable!("{case}"),
    }
}

/// The body of each case, which runs in its own process.
#[test]
fn case() {
    if let Ok(case) = std::env::var(CASE) {
        child(&case);
    }
}

fn run(case: &str) -> ExitStatus {
    let mut program = Command::new(std::env::current_exe().unwrap());
    program.args(["--exact", "case", "--nocapture"]).env(CASE, case).status().unwrap()
}

#[test]
fn run_installs_no_signal_handler_unless_mapping_is_allowed() {
    assert!(run("nothing").success());
}

#[test]
fn host_handler_receives_foreign_signals() {
    for case in ["host", "trees", "plain", "later", "ignored"] {
        assert!(run(case).success(), "{case}");
    }
}

#[test]
fn signal_without_a_handler_still_kills_the_process() {
    for case in ["sent", "fault", "sent to rust", "fault of rust"] {
        // Without the guard, Rust's handler ignores the first signal that is no fault.
        let kills = case != "sent to rust" || guarantees().maps_files();
        assert_eq!(run(case).signal(), kills.then_some(libc::SIGBUS), "{case}");
    }
}
