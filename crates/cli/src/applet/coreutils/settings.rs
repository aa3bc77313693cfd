//! The settings of a command line, tested in GNU's order so that the same message is printed first.

use super::options::{OptionMeaning, Options};
use super::program::{Kind, Program};
use super::{help, quote};
use crate::applet::files;
use crate::applet::streams::{Done, Streams};
use std::ffi::OsString;
use truesum::hash::Spec;
use truesum::manifest::original::coreutils::{ALGORITHMS, Checksum, DigestForm, by_name};
use truesum_fs::name::OsStringExt;

/// The settings of a command line.
#[derive(Debug)]
pub(super) struct Settings {
    pub program: &'static Program,
    pub algorithm: &'static Checksum,
    /// Whether `-a` selected the algorithm.
    pub chosen: bool,
    /// The digest length in bits; 0 only if a check determines it.
    pub bits: usize,
    pub binary: bool,
    pub tagged: bool,
    pub zero: bool,
    pub base64: bool,
    pub raw: bool,
    pub debug: bool,
    pub check: bool,
    pub ignore_missing: bool,
    pub strict: bool,
    pub verbosity: Verbosity,
    /// The operands, or `-` if there are none.
    pub names: Vec<Vec<u8>>,
    /// Whether there are operands.
    pub named: bool,
}

/// The amount of output of a check. The last of `--quiet`, `--status` and `--warn` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verbosity {
    /// A line for each file, and counts.
    Normal,
    /// No line for files that match.
    Quiet,
    /// Only errors.
    Status,
    /// Also each improperly formatted line.
    Warn,
}

/// The reason why a program ends before it processes any file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EarlyExit {
    /// `--help` or `--version`: a text for standard output.
    Text(String),
    /// The C library's message for an invalid option, which contains the name by which the program
    /// was called. A hint at `--help` follows.
    Option(Vec<u8>),
    /// Messages, and whether they are followed by a hint at `--help`.
    Fail(Vec<Vec<u8>>, Hint),
}

/// Whether messages are followed by a hint at `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    Help,
    None,
}

impl EarlyExit {
    /// Prints the text or the messages.
    pub(super) fn print(self, streams: &mut Streams) -> Done {
        match self {
            EarlyExit::Text(text) => streams.write(text.as_bytes()).map(|()| true),
            EarlyExit::Option(message) => {
                streams.error_as_called(&message)?;
                streams.hint()?;
                Ok(false)
            }
            EarlyExit::Fail(messages, hint) => {
                for message in messages {
                    streams.error(&message)?;
                }
                if hint == Hint::Help {
                    streams.hint()?;
                }
                Ok(false)
            }
        }
    }
}

fn fail(message: impl Into<Vec<u8>>) -> EarlyExit {
    EarlyExit::Fail(vec![message.into()], Hint::None)
}

fn usage(message: impl Into<Vec<u8>>) -> EarlyExit {
    EarlyExit::Fail(vec![message.into()], Hint::Help)
}

impl Settings {
    /// Parses and tests the arguments of `program`, called by the name `called`.
    ///
    /// # Errors
    /// Returns the reason to stop if help was requested or an argument is invalid.
    pub(super) fn new(
        program: &'static Program,
        called: &[u8],
        args: &[Vec<u8>],
    ) -> Result<Settings, EarlyExit> {
        let mut algorithm = by_name(program.algorithm.as_bytes()).unwrap_or(&ALGORITHMS[0]);
        let mut length: Option<(usize, &[u8])> = None;
        let (mut chosen, mut check, mut ignore_missing, mut strict) = (false, false, false, false);
        let (mut zero, mut base64, mut raw, mut debug) = (false, false, false, false);
        let mut verbosity = Verbosity::Normal;
        // `None` if neither was given.
        let (mut binary, mut tagged) = (None, None);
        let posix = std::env::var_os("POSIXLY_CORRECT").is_some();
        let mut options = Options::new(program.kind, args, posix);
        for option in &mut options {
            let (ask, value) = option.map_err(EarlyExit::Option)?;
            let value = value.unwrap_or_default();
            match ask {
                OptionMeaning::Algorithm => {
                    algorithm = by_name(value).ok_or_else(|| unknown(value))?;
                    chosen = true;
                }
                OptionMeaning::Length => length = Some((number(value)?, value)),
                OptionMeaning::Bsd => algorithm = by_name(b"bsd").unwrap_or(algorithm),
                OptionMeaning::Sysv => algorithm = by_name(b"sysv").unwrap_or(algorithm),
                OptionMeaning::Base64 => base64 = true,
                OptionMeaning::Raw => raw = true,
                OptionMeaning::Debug => debug = true,
                OptionMeaning::Zero => zero = true,
                OptionMeaning::Binary => binary = Some(true),
                OptionMeaning::Text => binary = Some(false),
                OptionMeaning::Tag => tagged = Some(true),
                OptionMeaning::Untagged => tagged = Some(false),
                OptionMeaning::Check => check = true,
                OptionMeaning::IgnoreMissing => ignore_missing = true,
                OptionMeaning::Strict => strict = true,
                OptionMeaning::Quiet => verbosity = Verbosity::Quiet,
                OptionMeaning::Status => verbosity = Verbosity::Status,
                OptionMeaning::Warn => verbosity = Verbosity::Warn,
                OptionMeaning::Help => return Err(EarlyExit::Text(help::help(program, called))),
                OptionMeaning::Version => return Err(EarlyExit::Text(help::version(program))),
            }
        }
        let names: Vec<Vec<u8>> = files(options.operands().into_iter().map(OsString::from_vec)).collect();
        let bits = bits(algorithm, length, check)?;
        if check && chosen && algorithm.form() != DigestForm::Digest {
            return Err(fail("--check is not supported with --algorithm={bsd,sysv,crc,crc32b}"));
        }
        if base64 && raw {
            return Err(usage("--base64 and --raw are mutually exclusive"));
        }
        let cksum = program.kind == Kind::Cksum;
        if zero && check {
            return Err(usage("the --zero option is not supported when verifying checksums"));
        }
        if tagged == Some(true) && check {
            return Err(usage("the --tag option is meaningless when verifying checksums"));
        }
        if binary.is_some() && check {
            return Err(usage("the --binary and --text options are meaningless when verifying checksums"));
        }
        let only_checking = [
            (ignore_missing, "ignore-missing"),
            (verbosity == Verbosity::Status, "status"),
            (verbosity == Verbosity::Warn, "warn"),
            (verbosity == Verbosity::Quiet, "quiet"),
            (strict, "strict"),
        ];
        if let Some((_, name)) = only_checking.iter().find(|(set, _)| *set && !check) {
            return Err(usage(format!("the --{name} option is meaningful only when verifying checksums")));
        }
        let tagged = tagged.unwrap_or(cksum);
        if tagged && binary == Some(false) {
            return Err(usage(if cksum {
                "--text mode is only supported with --untagged"
            } else {
                "--tag does not support --text mode"
            }));
        }
        if raw && names.len() > 1 {
            return Err(fail("the --raw option is not supported with multiple files"));
        }
        let named = !names.is_empty();
        Ok(Settings {
            program,
            algorithm,
            chosen,
            bits,
            binary: binary == Some(true),
            tagged,
            zero,
            base64,
            raw,
            debug,
            check,
            ignore_missing,
            strict,
            verbosity,
            names: if named { names } else { vec![b"-".to_vec()] },
            named,
        })
    }

    /// Returns the algorithm.
    ///
    /// # Errors
    /// Fails with a message if there is no such digest.
    pub(super) fn spec(&self) -> Result<Spec, String> {
        self.algorithm.spec(self.bits).map_err(|error| error.to_string())
    }
}

/// Parses the value of `-l`: a decimal number, which may be preceded by blanks and a sign. Numbers
/// that are too large are saturated.
fn number(text: &[u8]) -> Result<usize, EarlyExit> {
    let invalid = |why: &[u8]| Err(fail([b"invalid length: ", quote::word(text).as_slice(), why].concat()));
    let (negative, digits) = match text.trim_ascii_start() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return invalid(b"");
    }
    if negative && digits.iter().any(|&digit| digit != b'0') {
        return invalid(b": Value too large for defined data type");
    }
    let digit =
        |number: usize, digit: &u8| number.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
    Ok(digits.iter().fold(0, digit))
}

/// Returns the digest length in bits for the value of `-l`.
fn bits(algorithm: &Checksum, length: Option<(usize, &[u8])>, check: bool) -> Result<usize, EarlyExit> {
    let word = |text: &str| String::from_utf8_lossy(&quote::word(text.as_bytes())).into_owned();
    let invalid = |text: &[u8], why: String| {
        let first = [b"invalid length: ", quote::word(text).as_slice()].concat();
        Err(EarlyExit::Fail(vec![first, why.into_bytes()], Hint::None))
    };
    match (algorithm.name(), length) {
        ("sha2" | "sha3", None) if check => Ok(0),
        ("sha2" | "sha3", None) => Err(fail(format!(
            "--algorithm={} requires specifying --length 224, 256, 384, or 512",
            algorithm.name()
        ))),
        ("sha2" | "sha3", Some((bits @ (224 | 256 | 384 | 512), _))) => Ok(bits),
        ("sha2" | "sha3", Some((_, text))) => {
            let tag = word(algorithm.tag());
            invalid(text, format!("digest length for {tag} must be 224, 256, 384, or 512"))
        }
        ("blake2b", Some((bits, text))) if bits > 512 => {
            invalid(text, format!("maximum digest length for {} is 512 bits", word("BLAKE2b")))
        }
        ("blake2b", Some((bits, text))) if !bits.is_multiple_of(8) => {
            invalid(text, "length is not a multiple of 8".to_owned())
        }
        ("blake2b", Some((bits @ 1.., _))) => Ok(bits),
        (_, Some((1.., _))) => {
            Err(fail("--length is only supported with --algorithm blake2b, sha2, or sha3"))
        }
        _ => Ok(algorithm.bits()),
    }
}

fn unknown(value: &[u8]) -> EarlyExit {
    let word = quote::word;
    let first = [b"invalid argument ", word(value).as_slice(), b" for ", &word(b"--algorithm")].concat();
    let mut message = [first.as_slice(), b"\nValid arguments are:"].concat();
    for row in ALGORITHMS {
        message.extend_from_slice(&[b"\n  - ", word(row.name().as_bytes()).as_slice()].concat());
    }
    usage(message)
}
