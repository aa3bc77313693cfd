//! Processor time and memory of threads and processes on Windows.
#![allow(unsafe_code)]

use std::io;
use std::os::windows::io::{AsRawHandle, RawHandle};
use std::process::Child;
use windows_sys::Win32::Foundation::{FILETIME, HANDLE};
use windows_sys::Win32::System::ProcessStatus::{GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes,
};

/// A call that stores the creation, exit, kernel and user time of an object.
type Times =
    unsafe extern "system" fn(HANDLE, *mut FILETIME, *mut FILETIME, *mut FILETIME, *mut FILETIME) -> i32;

/// Returns the seconds outside and inside the kernel.
fn times(call: Times, object: HANDLE) -> (f64, f64) {
    let zero = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    let [mut created, mut ended, mut kernel, mut user] = [zero; 4];
    // SAFETY: the handle is open, and the pointers refer to live values. A call that fails leaves zeros.
    unsafe { call(object, &mut created, &mut ended, &mut kernel, &mut user) };
    let seconds = |time: FILETIME| {
        (f64::from(time.dwHighDateTime) * 2_f64.powi(32) + f64::from(time.dwLowDateTime)) / 1e7
    };
    (seconds(user), seconds(kernel))
}

/// Returns the seconds that this thread has used outside and inside the kernel.
pub(super) fn of_thread() -> (f64, f64) {
    // SAFETY: returns a constant that stands for this thread.
    times(GetThreadTimes, unsafe { GetCurrentThread() })
}

/// Returns the seconds that this process has used.
pub(super) fn of_process() -> f64 {
    // SAFETY: returns a constant that stands for this process.
    let (user, kernel) = times(GetProcessTimes, unsafe { GetCurrentProcess() });
    user + kernel
}

/// Returns the processor seconds that a finished child has used, without its own children, and its peak memory in bytes.
pub(super) fn of_child(child: &Child) -> io::Result<(f64, u64)> {
    let (user, kernel) = times(GetProcessTimes, child.as_raw_handle());
    Ok((user + kernel, peak_memory(child.as_raw_handle())?))
}

fn peak_memory(process: RawHandle) -> io::Result<u64> {
    // SAFETY: all-zero bytes are a valid value, a struct of integers.
    let mut counters: PROCESS_MEMORY_COUNTERS = unsafe { std::mem::zeroed() };
    counters.cb = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    // SAFETY: the handle is open, and the call writes only to the struct, whose size it is given.
    match unsafe { GetProcessMemoryInfo(process, &mut counters, counters.cb) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(counters.PeakWorkingSetSize as u64),
    }
}
