//! Processor time and memory of threads and processes. A command runs in a job, which counts the time of all its processes.
#![allow(unsafe_code)]

use super::failure::of_status;
use crate::sys::accounting::Usage;
use std::io;
use std::mem::zeroed;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::ptr;
use std::sync::OnceLock;
use std::time::Instant;
use windows_sys::Win32::Foundation::{FILETIME, HANDLE, NTSTATUS};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOBOBJECT_BASIC_ACCOUNTING_INFORMATION,
    JobObjectBasicAccountingInformation, QueryInformationJobObject,
};
use windows_sys::Win32::System::ProcessStatus::{GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    CREATE_SUSPENDED, GetCurrentProcess, GetCurrentThread, GetProcessTimes, GetThreadTimes,
};

#[link(name = "ntdll", kind = "raw-dylib")]
unsafe extern "system" {
    /// Resumes all threads of a process. The standard library does not return the handle of a child's first thread, which
    /// the documented call needs.
    fn NtResumeProcess(process: HANDLE) -> NTSTATUS;
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> io::Result<Usage> {
    let job = job()?;
    command.creation_flags(CREATE_SUSPENDED);
    let start = Instant::now();
    let mut child = command.spawn()?;
    // Otherwise it could start processes that are not in the job.
    if let Err(error) = begin(&child, &job) {
        child.kill()?;
        child.wait()?;
        return Err(error);
    }
    let status = child.wait()?;
    let seconds = start.elapsed().as_secs_f64();
    let (user, kernel) = times(GetProcessTimes, child.as_raw_handle());
    // Wine does not count the time of jobs.
    let processor = processor_seconds(&job)?.max(user + kernel);
    // Wine reports no memory of a process that has ended.
    let peak_memory = Some(peak_memory(&child)?).filter(|&bytes| bytes > 0);
    Ok(Usage { status, seconds, processor, peak_memory })
}

fn job() -> io::Result<OwnedHandle> {
    // SAFETY: no attributes and no name are valid arguments.
    let job = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
    if job.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call succeeded, so this is a new handle that nothing else owns.
    Ok(unsafe { OwnedHandle::from_raw_handle(job) })
}

/// Puts a suspended process into a job and lets it run.
fn begin(child: &Child, job: &OwnedHandle) -> io::Result<()> {
    // SAFETY: both handles are open.
    if unsafe { AssignProcessToJobObject(job.as_raw_handle(), child.as_raw_handle()) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open, and its owner may do everything with the process.
    match unsafe { NtResumeProcess(child.as_raw_handle()) } {
        status if status < 0 => Err(of_status(status).into()),
        _ => Ok(()),
    }
}

/// Returns the processor seconds of all processes that were in a job.
fn processor_seconds(job: &OwnedHandle) -> io::Result<f64> {
    // SAFETY: all-zero bytes are a valid value, a struct of integers.
    let mut counted: JOBOBJECT_BASIC_ACCOUNTING_INFORMATION = unsafe { zeroed() };
    let size = size_of_val(&counted) as u32;
    // SAFETY: the handle is open, and the call writes only to the struct, whose size it is given.
    let done = unsafe {
        QueryInformationJobObject(
            job.as_raw_handle(),
            JobObjectBasicAccountingInformation,
            (&raw mut counted).cast(),
            size,
            ptr::null_mut(),
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((counted.TotalUserTime + counted.TotalKernelTime) as f64 / 1e7)
}

/// Returns the peak resident memory of a process that has ended.
fn peak_memory(child: &Child) -> io::Result<u64> {
    // SAFETY: all-zero bytes are a valid value, a struct of integers.
    let mut counters: PROCESS_MEMORY_COUNTERS = unsafe { zeroed() };
    counters.cb = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    // SAFETY: the handle is open, and the call writes only to the struct, whose size it is given.
    match unsafe { GetProcessMemoryInfo(child.as_raw_handle(), &mut counters, counters.cb) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(counters.PeakWorkingSetSize as u64),
    }
}

/// Returns the seconds since the first call.
pub fn thread_seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Returns the processor seconds that this thread has used outside the kernel.
pub fn thread_user_seconds() -> f64 {
    // SAFETY: returns a constant that represents this thread.
    times(GetThreadTimes, unsafe { GetCurrentThread() }).0
}

/// Returns the processor seconds of this process.
pub fn process_seconds() -> f64 {
    // SAFETY: returns a constant that represents this process.
    let (user, kernel) = times(GetProcessTimes, unsafe { GetCurrentProcess() });
    user + kernel
}

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
