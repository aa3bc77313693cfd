//! The programs of GNU coreutils with their algorithms and options.

/// A program of GNU coreutils.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    pub name: &'static str,
    /// Its algorithm, or its default: a name in
    /// [`truesum::manifest::original::coreutils::ALGORITHMS`].
    pub algorithm: &'static str,
    /// The standard or document that defines the algorithm.
    pub reference: &'static str,
    pub kind: Kind,
}

/// The set of options of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One algorithm with one length.
    Sum,
    /// `b2sum`: any length.
    B2sum,
    /// `cksum`: any algorithm.
    Cksum,
    /// `sum`: the two oldest algorithms.
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

pub(super) const PROGRAMS: &[Program] = &[
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
