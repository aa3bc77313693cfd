//! `Cargo.lock`: SHA-256 checksums of packages, whose archives are named `NAME-VERSION.crate`.

use crate::digest::{contains_like, tagged};
use crate::formats::prelude::*;

pub(crate) static CARGO_LOCK: Format = Format {
    name: "cargo-lock",
    file_names: &["cargo.lock"],
    summary: "Cargo.lock: checksums of .crate archives",
    capabilities: Capabilities { algorithms: Algorithms::Only(&["sha256"]), ..Capabilities::DIGESTS },
    sniff: |head| {
        let claim = head.marked(|line| line.starts_with(PACKAGE))?;
        head.lines(b'\n').any(|line| line.starts_with(b"checksum = \"")).then_some(claim)
    },
    syntax: Syntax::Toml,
    reading: Reading::lines(|options| {
        Box::new(Lock { options: options.clone(), package: Package::default(), other: true })
    }),
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
    /// True if the package is from a registry, which has a checksum for every archive.
    registry: bool,
}

struct Lock {
    options: Options,
    package: Package,
    /// True before the first package and inside any other table.
    other: bool,
}

impl Lock {
    /// Returns the entry of the package that ends here. A package from a directory or a Git
    /// repository has no checksum and yields no entry.
    fn entry(&mut self) -> Result<Option<Entry>, Reason> {
        let Package { name, version, checksum, registry } = std::mem::take(&mut self.package);
        if checksum.is_empty() {
            return if registry { Err(Reason::EmptyDigest) } else { Ok(None) };
        }
        if name.is_empty() || version.is_empty() {
            return Err(Reason::EmptyName);
        }
        let (spec, digest) = tagged("sha256", &checksum, &self.options)?;
        Ok(Some(Entry::new(&[name.as_slice(), b"-", &version, b".crate"].concat(), spec, digest)))
    }
}

impl Parse for Lock {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if line.starts_with(b"[") {
            self.other = line != PACKAGE;
            return self.entry();
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
        self.package.registry |= value(b"source")
            .is_some_and(|from| from.starts_with(b"registry+") || from.starts_with(b"sparse+"));
        let key = line.strip_suffix(b"\"").and_then(|line| scan::cut(line, b'='));
        match key {
            Some((key, _)) if !self.other && !KEYS.contains(&scan::trim_end(key)) => {
                Err(Reason::Part("an unknown key in a package"))
            }
            // Dependencies are indented, and lines in quotes.
            None if line.first().is_some_and(u8::is_ascii_alphanumeric) && contains_like(line) => {
                Err(Reason::NotALine)
            }
            _ => Ok(None),
        }
    }

    fn last(&mut self) -> Result<Option<Entry>, Reason> {
        self.entry()
    }
}
