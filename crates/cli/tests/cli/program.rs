//! Runs the program in a folder of its own.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, SystemTime};

/// A temporary folder to run the program in.
pub struct Folder {
    dir: tempfile::TempDir,
}

/// The result of a run.
#[derive(Debug)]
pub struct RunResult {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub out: Vec<u8>,
    pub err: String,
}

impl RunResult {
    pub fn out(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }
}

/// The time limit of a run. It is longer than any run takes on a busy machine, so a run that exceeds it hangs.
const RUN_TIMEOUT: Duration = Duration::from_secs(300);

/// Waits for the end of a run, whose standard input the caller may keep open. A run that hangs is killed and fails its
/// test.
pub fn wait_for(child: Child) -> RunResult {
    let id = rustix::process::Pid::from_child(&child);
    let (over, waited) = channel::<()>();
    let guard = std::thread::spawn(move || {
        let hangs = waited.recv_timeout(RUN_TIMEOUT) == Err(RecvTimeoutError::Timeout);
        if hangs {
            rustix::process::kill_process(id, rustix::process::Signal::KILL).expect("what hangs is killed");
        }
        hangs
    });
    let ran: RunResult = child.wait_with_output().expect("the program ends").into();
    drop(over);
    assert!(!guard.join().expect("a guard"), "a run did not end: {ran:?}");
    ran
}

/// Runs a command with only this input.
fn run_to_end(mut command: Command, input: Option<&[u8]>) -> RunResult {
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    if let Some(input) = input {
        let taken = std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), input);
        // A program that rejects its arguments does not read its input.
        if !taken.as_ref().is_err_and(|why| why.kind() == std::io::ErrorKind::BrokenPipe) {
            taken.expect("input taken");
        }
    }
    wait_for(child)
}

impl From<Output> for RunResult {
    fn from(output: Output) -> RunResult {
        RunResult {
            code: output.status.code(),
            signal: output.status.signal(),
            out: output.stdout,
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Folder {
    pub fn new() -> Folder {
        Folder { dir: tempfile::tempdir().expect("a temporary folder") }
    }

    /// Returns a folder with these files.
    pub fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder::new();
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    pub fn path(&self, name: impl AsRef<[u8]>) -> PathBuf {
        self.dir.path().join(OsStr::from_bytes(name.as_ref()))
    }

    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file, and creates the folders it is in.
    pub fn write(&self, name: impl AsRef<[u8]>, data: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder made");
        std::fs::write(path, data).expect("a file written");
    }

    /// Creates a named pipe.
    pub fn pipe(&self, name: &str) -> PathBuf {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let path = self.path(name);
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a named pipe made");
        path
    }

    pub fn read(&self, name: impl AsRef<[u8]>) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("a file read")
    }

    /// Returns the names in the folder, sorted.
    pub fn entries(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root()).expect("a folder listed");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_truesum"));
        command.current_dir(self.root()).stdin(Stdio::null());
        let ours = ["TRUESUM_CPU", "TRUESUM_KERNEL", "TRUESUM_OPTIONS"];
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"].into_iter().chain(ours) {
            command.env_remove(name);
        }
        // The settings of the user who runs the tests.
        command.env("TRUESUM_CONFIG", "");
        command
    }

    /// Runs the program with these arguments.
    pub fn run(&self, words: &[&str]) -> RunResult {
        let mut command = self.command();
        command.args(words);
        run_to_end(command, None)
    }

    /// Runs the program with these arguments, followed by a name of any bytes.
    pub fn run_on(&self, words: &[&str], name: &[u8]) -> RunResult {
        let mut command = self.command();
        command.args(words).arg(OsString::from_vec(name.to_vec()));
        run_to_end(command, None)
    }

    /// Runs the program with this standard input.
    pub fn feed(&self, words: &[&str], input: &[u8]) -> RunResult {
        let mut command = self.command();
        command.args(words);
        run_to_end(command, Some(input))
    }
}

/// A manifest that existed before.
pub const OLD_MANIFEST: &str = "MD5 (old) = d41d8cd98f00b204e9800998ecf8427e\n";
/// Text in the form of a detached OpenPGP signature.
pub const SIGNATURE: &str = "-----BEGIN PGP SIGNATURE-----\n\nabcd\n-----END PGP SIGNATURE-----\n";
/// SHA-256 of `abc` (FIPS 180-4, example B.1).
pub const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// SHA-256 of the empty message.
pub const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// Not the SHA-256 of any known message.
pub const OTHER: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Returns standard output, standard error and exit status.
pub fn result_of(ran: &RunResult) -> (String, &str, Option<i32>) {
    (ran.out(), &ran.err, ran.code)
}

/// Returns the lines of a manifest with these digests and names.
pub fn lines(entries: &[(&str, &str)]) -> String {
    entries.iter().map(|(digest, name)| format!("{digest}  {name}\n")).collect()
}

/// Sets the modification time of a file.
pub fn set_mtime(folder: &Folder, name: &str, time: SystemTime) {
    let file = std::fs::File::options().write(true).open(folder.path(name)).expect("a file opened");
    file.set_modified(time).expect("a time given");
}

/// Waits until the times of files that are modified now differ from those of files written before.
pub fn wait_for_next_tick() {
    std::thread::sleep(std::time::Duration::from_millis(20));
}
