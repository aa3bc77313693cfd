//! A folder with files that have unusual names, and two programs to compare: the original, and truesum under its name.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The output of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandOutput {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

/// A folder to run commands in, and one with truesum under other names.
pub struct Sandbox {
    folder: TempDir,
    links: TempDir,
}

/// Names that have caused problems in tools.
const NAMES: &[&[u8]] = &[
    b"a",
    b"b",
    b"empty",
    b"with blank",
    b" leading",
    b"trailing ",
    b"tab\there",
    b"line\nfeed",
    b"carriage\rreturn",
    b"back\\slash",
    b"\\n",
    b"-b",
    b"--tag",
    b"*star",
    b"quote'd",
    b"double\"quote",
    b"both'\"",
    b"dollar$x",
    b"semi;colon",
    b"co:lon",
    b"#hash",
    b"~tilde",
    b"=equals",
    b"paren (x) = y",
    b"MD5 (a) = 00",
    b"\x01control",
    b"\x1b[31mred",
    b"\x7fdelete",
    b"not\xffutf8",
    b"\xc3\xa9t\xc3\xa9",
    b"\xe2\x80\xaebidi",
    b"{brace}",
    b"a  b",
    b"...",
    b"9dd4e461268c8034f5c8564e155c67a6",
];

impl Sandbox {
    /// Creates a folder with one file for each of many unusual names, `empty`, `big` (700 kB), `folder/`, `loop` (a
    /// link to itself) and `gone` (a link to a missing file).
    pub fn new(programs: impl IntoIterator<Item = &'static str>) -> Sandbox {
        let sandbox = Sandbox { folder: tempfile::tempdir().unwrap(), links: tempfile::tempdir().unwrap() };
        for (i, name) in NAMES.iter().enumerate() {
            let text = if *name == b"empty" { String::new() } else { format!("file {i}\n") };
            std::fs::write(sandbox.path().join(OsStr::from_bytes(name)), text).unwrap();
        }
        let big: Vec<u8> = (0..700_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        std::fs::write(sandbox.path().join("big"), big).unwrap();
        std::fs::create_dir(sandbox.path().join("folder")).unwrap();
        symlink("loop", sandbox.path().join("loop")).unwrap();
        symlink("nothing", sandbox.path().join("gone")).unwrap();
        for program in programs {
            symlink(env!("CARGO_BIN_EXE_truesum"), sandbox.links.path().join(program)).unwrap();
        }
        sandbox
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path().join(name), bytes).unwrap();
    }

    /// Returns the folder with truesum under other names.
    pub fn links(&self) -> &Path {
        self.links.path()
    }

    /// Returns a shell command that finds the programs of `from` first, with `some input` as standard input.
    pub fn shell(&self, from: &Path, locale: &str, command: &str) -> Command {
        let mut shell = Command::new("/bin/sh");
        let path = [from.as_os_str().as_bytes(), b":/usr/bin:/bin"].concat();
        shell.arg("-c").arg(command).current_dir(self.path());
        shell.env_clear().env("PATH", OsStr::from_bytes(&path)).env("LC_ALL", locale);
        shell
    }

    /// Runs a shell command. Bytes that are not UTF-8 are shown as `<ff>`.
    pub fn run(&self, from: &Path, locale: &str, command: &str) -> CommandOutput {
        let mut shell = self.shell(from, locale, command);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        // A command without input closes the pipe early, which is not a failure.
        let _ = child.stdin.take().unwrap().write_all(b"some input\n");
        let mut errors = child.stderr.take().unwrap();
        let reader = std::thread::spawn(move || {
            let mut stderr = Vec::new();
            errors.read_to_end(&mut stderr).unwrap();
            stderr
        });
        let output = child.wait_with_output().unwrap();
        let stderr = reader.join().unwrap();
        CommandOutput { stdout: text(&output.stdout), stderr: text(&stderr), code: output.status.code() }
    }

    /// Runs a command with the original's programs and with truesum's, with separate and with merged streams, and
    /// compares the results.
    pub fn compare(&self, original: &Path, locale: &str, command: &str) {
        for merged in [command.to_owned(), format!("{{ {command}\n}} 2>&1")] {
            let expected = self.run(original, locale, &merged);
            let found = self.run(self.links(), locale, &merged);
            assert_eq!(found, expected, "{merged}");
        }
    }
}

/// Returns bytes as text; bytes that are not UTF-8 are shown in hexadecimal.
pub fn text(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        chunk.invalid().iter().for_each(|byte| text.push_str(&format!("<{byte:02x}>")));
    }
    text
}

/// Returns the folder of an original program of this version, or reports a missing oracle.
pub fn oracle(program: &str, version: &str) -> Option<PathBuf> {
    for folder in ["/usr/bin", "/bin"] {
        let path = Path::new(folder).join(program);
        let Ok(output) = Command::new(&path).arg("--version").output() else { continue };
        if text(&output.stdout).contains(version) {
            return Some(folder.into());
        }
    }
    truesum_test_support::oracle::missing(&format!("{program} ({version})"));
    None
}

/// Returns the folder with this program from `tests/originals/fetch`, if `TRUESUM_ORIGINALS` names it and the program
/// is there.
pub fn newest_original(program: &str) -> Option<PathBuf> {
    let folder = Path::new(&std::env::var_os("TRUESUM_ORIGINALS")?).join("bin");
    folder.join(program).exists().then_some(folder)
}

/// Runs a transcript: lines `$ command`, the merged output of both streams, and `? status`. If the newest `program` is
/// available, its output must be the same.
pub fn check_transcript(sandbox: &Sandbox, transcript: &str, locale: &str, program: &str) {
    check_transcript_with(sandbox, sandbox.links(), transcript, locale);
    match newest_original(program) {
        Some(original) => check_transcript_with(&Sandbox::new([]), &original, transcript, locale),
        None => truesum_test_support::oracle::missing(&format!("the newest {program} (TRUESUM_ORIGINALS)")),
    }
}

fn check_transcript_with(sandbox: &Sandbox, programs: &Path, transcript: &str, locale: &str) {
    let mut commands = 0;
    let mut lines = transcript.lines().filter(|line| !line.starts_with("## ")).peekable();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("$ ") else {
            assert_eq!(line, "", "a line outside of a command");
            continue;
        };
        let mut expected = String::new();
        let code = loop {
            let line = lines.next().unwrap_or_else(|| panic!("no status for {command}"));
            match line.strip_prefix("? ") {
                Some(code) => break code.parse().unwrap(),
                None => expected.extend([line, "\n"]),
            }
        };
        let found = sandbox.run(programs, locale, &format!("{{ {command}\n}} 2>&1"));
        assert_eq!(
            (found.stdout.as_str(), found.code),
            (expected.as_str(), Some(code)),
            "{}: {command}",
            programs.display()
        );
        commands += 1;
    }
    assert!(commands > 0, "an empty transcript");
}
