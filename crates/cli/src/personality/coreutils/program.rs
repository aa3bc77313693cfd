//! The programs of GNU coreutils: which algorithm and which options each has.

/// A program of GNU coreutils.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    pub name: &'static str,
    /// The algorithm it has, or starts with: a name of [`super::algorithm::ALGORITHMS`].
    pub algorithm: &'static str,
    /// Where that algorithm is defined.
    pub reference: &'static str,
    pub kind: Kind,
}

/// Which options a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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
