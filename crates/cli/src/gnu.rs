//! The programs truesum is when it is called by their names: `md5sum`, the `sha*sum`s, `b2sum`, `cksum`, `sum`, `b3sum`.
//!
//! Under such a name everything is as the original has it (GNU coreutils 9.11, b3sum 1.8): options and their order,
//! bytes of the output, messages, exit status, even where `truesum check` is stricter. One thing is not copied from
//! anybody: a file that could not be read to its end, or that changed while it was read, has no digest.

mod algorithm;
mod check;
mod hash;
mod help;
mod options;
mod quote;
mod settings;

use crate::streams::Streams;
use settings::Settings;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::process::ExitCode;

/// A program of GNU coreutils.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Program {
    name: &'static str,
    /// The algorithm it has, or starts with: a name of [`algorithm::ALGORITHMS`].
    algorithm: &'static str,
    /// Where that algorithm is defined.
    reference: &'static str,
    kind: Kind,
}

/// Which options a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// One algorithm of one length.
    Sum,
    /// `b2sum`: any length.
    B2sum,
    /// `cksum`: any algorithm.
    Cksum,
    /// `sum`: the two oldest.
    OldSum,
}

const fn program(
    name: &'static str,
    algorithm: &'static str,
    kind: Kind,
    reference: &'static str,
) -> Program {
    Program { name, algorithm, reference, kind }
}

static PROGRAMS: &[Program] = &[
    program("md5sum", "md5", Kind::Sum, "RFC 1321"),
    program("sha1sum", "sha1", Kind::Sum, "FIPS 180-4"),
    program("sha224sum", "sha224", Kind::Sum, "FIPS 180-4"),
    program("sha256sum", "sha256", Kind::Sum, "FIPS 180-4"),
    program("sha384sum", "sha384", Kind::Sum, "FIPS 180-4"),
    program("sha512sum", "sha512", Kind::Sum, "FIPS 180-4"),
    program("b2sum", "blake2b", Kind::B2sum, "RFC 7693"),
    program("cksum", "crc", Kind::Cksum, "POSIX.1-2017"),
    program("sum", "bsd", Kind::OldSum, "4.2BSD"),
];

/// A program to be, and the name it was called by.
#[derive(Debug)]
pub struct Personality {
    /// Nothing for `b3sum`.
    program: Option<&'static Program>,
    /// The name with its path, as messages begin with.
    called: Vec<u8>,
}

/// The names that change what truesum is: what links to it may be called.
pub fn names() -> impl Iterator<Item = &'static str> {
    PROGRAMS.iter().map(|program| program.name).chain(["b3sum"])
}

/// What to be, by the name of the call (with or without a path); nothing for truesum itself.
pub fn personality(argv0: &OsStr) -> Option<Personality> {
    let called = argv0.as_bytes();
    let base = called.rsplit(|&byte| byte == b'/').next()?;
    let program = PROGRAMS.iter().find(|program| program.name.as_bytes() == base);
    let known = program.is_some() || base == b"b3sum";
    known.then(|| Personality { program, called: called.to_vec() })
}

/// Runs the program with its arguments (without its own name) and returns its exit status.
pub fn run(personality: &Personality, args: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(program) = personality.program else { return crate::b3::run_b3sum(args) };
    let mut streams = Streams::new(&personality.called);
    let args: Vec<Vec<u8>> = args.map(OsString::into_vec).collect();
    let done = match Settings::new(program, &personality.called, &args) {
        Ok(settings) if settings.check => check::check(&settings, &mut streams),
        Ok(settings) => hash::hash(&settings, &mut streams),
        Err(stop) => stop.tell(&mut streams),
    };
    streams.end(done)
}
