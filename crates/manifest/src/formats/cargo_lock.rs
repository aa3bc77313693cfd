//! `Cargo.lock`: SHA-256 checksums of packages, whose archives are named `NAME-VERSION.crate`.

use crate::digest::{contains_like, tagged};
use crate::formats::prelude::*;
use std::collections::BTreeMap;

pub(crate) static CARGO_LOCK: Format = Format {
    name: "cargo-lock",
    file_names: &["cargo.lock"],
    summary: "Cargo.lock: checksums of .crate archives",
    capabilities: Capabilities { algorithms: Algorithms::Only(&["sha256"]), ..Capabilities::DIGESTS },
    sniff: |head| {
        let claim = head.marked(|line| line.starts_with(PACKAGE))?;
        let is_of_registry = |line: &[u8]| {
            let source = line.strip_prefix(b"source = \"");
            line.starts_with(b"checksum = \"") || source.is_some_and(is_registry)
        };
        head.lines(b'\n').any(is_of_registry).then_some(claim)
    },
    syntax: Syntax::Toml,
    reading: Reading::lines(|options| Box::new(Lock { options: options.clone(), ..Lock::default() })),
    ..Format::DEFAULT
};

const PACKAGE: &[u8] = b"[[package]]";

/// The keys that a package may have.
const KEYS: &[&[u8]] = &[b"name", b"version", b"source", b"checksum", b"dependencies", b"replace"];

/// A `[[package]]` table, as far as it has been read.
#[derive(Default)]
struct Package {
    name: Vec<u8>,
    version: Vec<u8>,
    checksum: Vec<u8>,
    /// The source in quotes. A registry has a checksum for every archive.
    source: Vec<u8>,
}

/// The table in which the first version of the file has all checksums.
const METADATA: &[u8] = b"[metadata]";

/// Returns whether a source is a registry.
fn is_registry(source: &[u8]) -> bool {
    source.starts_with(b"registry+") || source.starts_with(b"sparse+")
}

#[derive(Default)]
struct Lock {
    options: Options,
    /// The table whose lines are being read.
    table: Table,
    package: Package,
    /// The number of the current line.
    at: u64,
    /// Packages of registries without a checksum, which may be in a table below, and the line where each ends.
    awaited: BTreeMap<Vec<u8>, u64>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Table {
    /// Any other table, and the lines before the first.
    #[default]
    Other,
    Package,
    Metadata,
}

impl Lock {
    /// Returns the entry of the package that ends here. A package from a directory or a Git
    /// repository has no checksum and yields no entry.
    fn entry(&mut self) -> Result<Option<Entry>, Reason> {
        let Package { name, version, checksum, source } = std::mem::take(&mut self.package);
        if checksum.is_empty() {
            if is_registry(&source) {
                self.awaited.insert(key(&name, &version, &source), self.at);
            }
            return Ok(None);
        }
        self.archive(&name, &version, &checksum).map(Some)
    }

    fn archive(&self, name: &[u8], version: &[u8], checksum: &[u8]) -> Result<Entry, Reason> {
        if name.is_empty() || version.is_empty() {
            return Err(Reason::EmptyName);
        }
        let (spec, digest) = tagged("sha256", checksum, &self.options)?;
        Ok(Entry::new(&[name, b"-", version, b".crate"].concat(), spec, digest))
    }

    /// Returns the entry in a line of the table of all checksums: `"checksum NAME VERSION (SOURCE)" = "DIGEST"`.
    fn metadata(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let found = || {
            let rest = line.strip_prefix(b"\"checksum ")?.strip_suffix(b"\"")?;
            let (name, rest) = scan::cut(rest, b' ')?;
            let (version, rest) = scan::cut(rest, b' ')?;
            let (source, rest) = scan::cut(rest.strip_prefix(b"(")?, b')')?;
            Some((name, version, source, rest.strip_prefix(b"\" = \"")?))
        };
        let Some((name, version, source, checksum)) = found() else {
            let is_skipped = line.is_empty() || line.starts_with(b"#");
            return if is_skipped { Ok(None) } else { Err(Reason::NotALine) };
        };
        self.awaited.remove(&key(name, version, source));
        // A Git repository has no archive.
        if checksum == b"<none>" && !is_registry(source) {
            return Ok(None);
        }
        self.archive(name, version, checksum).map(Some)
    }
}

/// Returns the key of a package in [`Lock::awaited`].
fn key(name: &[u8], version: &[u8], source: &[u8]) -> Vec<u8> {
    [name, b" ", version, b" ", source].concat()
}

impl Parse for Lock {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if line.starts_with(b"[") {
            self.table = match line {
                PACKAGE => Table::Package,
                METADATA => Table::Metadata,
                _ => Table::Other,
            };
            return self.entry();
        }
        if self.table == Table::Metadata {
            return self.metadata(line);
        }
        let value = |key: &[u8]| line.strip_prefix(key)?.strip_prefix(b" = \"")?.strip_suffix(b"\"");
        let mut twice = false;
        for (key, place) in [
            (&b"name"[..], &mut self.package.name),
            (b"version", &mut self.package.version),
            (b"checksum", &mut self.package.checksum),
        ] {
            if let Some(value) = value(key) {
                twice |= !place.is_empty();
                *place = value.to_vec();
            }
        }
        if twice {
            return Err(Reason::Part("a duplicate key"));
        }
        if let Some(source) = value(b"source") {
            self.package.source = source.to_vec();
        }
        let key = line.strip_suffix(b"\"").and_then(|line| scan::cut(line, b'='));
        match key {
            Some((key, _)) if self.table == Table::Package && !KEYS.contains(&scan::trim_end(key)) => {
                Err(Reason::Part("an unknown key in a package"))
            }
            // Dependencies are indented, and lines in quotes.
            None if line.first().is_some_and(u8::is_ascii_alphanumeric) && contains_like(line) => {
                Err(Reason::NotALine)
            }
            _ => Ok(None),
        }
    }

    fn at(&mut self, place: Place) {
        self.at = place.number();
    }

    fn deferred(&mut self) -> Vec<LineResult> {
        let places = std::mem::take(&mut self.awaited).into_values().map(Place::Line);
        let mut missing: Vec<_> = places.map(|at| LineError { at, reason: Reason::EmptyDigest }).collect();
        missing.sort_by_key(|error| error.at);
        missing.into_iter().map(Err).collect()
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.entry()
    }
}
