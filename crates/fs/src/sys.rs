//! The backends: the system calls of each operating system, one file per concept.
//!
//! | folder | contains |
//! |---|---|
//! | `unix/` | calls that Linux, macOS and FreeBSD have in common |
//! | `linux/` | calls that only Linux has, or has in a better form |
//! | `bsd/` | calls in which macOS and FreeBSD differ |
//! | `windows/` | Windows |
//! | `portable/` | Linux with the calls of macOS and FreeBSD, to test them: `--cfg truesum_fs="portable"` |
//!
//! `linux.rs`, `bsd.rs`, `windows.rs` and `portable.rs` each list all concepts with the file that implements them, so a
//! question such as "how is a file replaced atomically on FreeBSD" is answered by the line `replace` in `bsd.rs`. The
//! files directly in this folder are the types that all backends return. Only code in this folder may depend on the
//! platform (`cfg`); everything above uses these functions:
//!
//! | concept | functions |
//! |---|---|
//! | `attributes` | `Attributes::of`, `give`, `lost`: what a new file inherits from the one it replaces |
//! | `clock` | `coarse_now`: a time that is never later than the timestamp of a write from now on |
//! | `console` | `width`, `locale_is_utf8` |
//! | `data` | `read`, `write`, `read_at`, `write_at`, `seek_data`, `seek_hole`, `advise_sequential`, `advise_soon` |
//! | `device` | `is_spinning` |
//! | `folder` | names in an open folder: `list`, `stat`, `make`, `is_writable`, and `rename` without replacing |
//! | `lease` | `writers`: whether a file is open for writing |
//! | `limits` | `open_files`, `stack`, `address_space_left`, `address_space_is_limited` |
//! | `lock` | `try_lock` |
//! | `machine` | `host`, `system`, `release`, `architecture`, `memory`, `settings_folder` |
//! | `mapped` | `Window`, `is_resident`, `is_partly_resident` |
//! | `mounts` | `absent`: file systems that should be mounted |
//! | `name` | `OsStrExt`, `OsStringExt`, `BACKSLASH_SEPARATES`: names as bytes and as paths; `check`, `explanation`, `argument`, `expanded`, `from_line`, `native`, `plain`, `of`, `entry_name`, `program`: paths as users, programs and manifests write them |
//! | `path` | `real_path`: the path of an open file (not on Windows) |
//! | `placement` | `first_extent`: the position of a file on its device |
//! | `placeholder` | `open`: the replacement for a closed standard stream (not on Windows) |
//! | `open` | `input`, `or_create`, `to_lock`, `wait_for_data`, `null` |
//! | `process` | `end_with_parent`, `use_one_heap`, `use_idle_io_priority`, `exit_at_once`, `is_program` |
//! | `replace` | `create_unnamed`, `link_unnamed`, `create_new`, `replace`, `remove`, `close`, `sync_folder`, `symlink`, `link_program`, `is_link` |
//! | `resolve` | `open`, `stat`, `read_link`: names of any length within their limits; `real_path`, `alias`, `PATH_MAX` |
//! | `signals` | `Signals`, `end_by_closed_pipe` (a feature) |
//! | `standard` | `open_closed_streams`, `was_closed`, `stdin`, `stdout`, `stderr`, `inherited`, `output_path`, `input_is_readable`, `replace_input` |
//! | `stat` | `of`, `at`, `MODES_ARE_KNOWN`: metadata |
//! | `temporary` | `Removal`, `remove_all`: files that are removed if the process is ended |
//! | `usage` | `run`, `thread_seconds`, `thread_user_seconds`, `process_seconds`: processor time and memory |
//! | `volume` | `of`: guarantees of the file system of an open file |
//! | `wait` | `WakePipe`, `Waker`, `until_readable`, `is_ready` |
//! | `waits` | `waited`: how often this thread waited for a device |
//! | `writeback` | `longest`: how long a page may stay dirty |
//! | `xattr` | `get`, `set`: extended attributes of an open file |

pub mod access;
pub mod accounting;
pub mod errno;
pub mod guarantees;
pub mod metadata;
pub mod writers;

#[cfg(any(target_os = "macos", target_os = "freebsd"))]
mod bsd;
#[cfg(all(target_os = "linux", not(truesum_fs = "portable")))]
mod linux;
#[cfg(all(target_os = "linux", truesum_fs = "portable"))]
#[path = "sys/portable.rs"]
mod linux;
#[cfg(unix)]
mod unix;
#[cfg(any(truesum_fs = "portable", not(target_os = "linux")))]
pub(crate) mod unmapped;
#[cfg(any(truesum_fs = "portable", not(target_os = "linux")))]
pub(crate) mod unplaced;
#[cfg(windows)]
mod windows;

#[cfg(any(target_os = "macos", target_os = "freebsd"))]
pub(crate) use bsd::*;
#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(windows)]
pub(crate) use windows::*;

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd", windows)))]
compile_error!("truesum-fs has backends for Linux, macOS, FreeBSD and Windows");
