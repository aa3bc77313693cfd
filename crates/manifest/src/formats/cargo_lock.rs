//! `Cargo.lock`: the archive of a package is `NAME-VERSION.crate`, and its checksum is SHA-256.

use crate::digest::tagged;
use crate::entry::Entry;
use crate::format::{Algorithms, Claim, Format, Head, Holds, Options, Parse, Reading, Sign, Writing};
use crate::line::{Found, Line, LineError, Place, Reason};
use crate::scan;

pub(crate) static CARGO_LOCK: Format = Format {
    name: "cargo-lock",
    file_names: &["cargo.lock"],
    summary: "checksums of .crate archives in a Cargo.lock",
    holds: Holds { algorithms: Algorithms::Only(&["sha256"]), ..Holds::DIGESTS },
    sniff: |head: &Head<'_>| {
        let at = head.lines(b'\n').position(|line| line.starts_with(PACKAGE))?;
        let sums = head.lines(b'\n').any(|line| line.starts_with(b"checksum = \""));
        sums.then_some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::Lines {
        terminator: b'\n',
        parser: |options| {
            Box::new(Lock { options: options.clone(), place: Place::Line(1), package: Package::default() })
        },
    },
    writing: Writing::No,
    tagged: None,
};

const PACKAGE: &[u8] = b"[[package]]";

/// One package.
#[derive(Default)]
struct Package {
    name: Vec<u8>,
    version: Vec<u8>,
    checksum: Vec<u8>,
}

struct Lock {
    options: Options,
    place: Place,
    package: Package,
}

impl Lock {
    /// The archive of the package that ends here; one without a checksum comes from a folder or a repository.
    fn entry(&mut self) -> Result<Option<Entry>, Reason> {
        let Package { name, version, checksum } = std::mem::take(&mut self.package);
        if checksum.is_empty() {
            return Ok(None);
        }
        if name.is_empty() || version.is_empty() {
            return Err(Reason::EmptyName);
        }
        let (spec, digest) = tagged("sha256", &checksum, &self.options)?;
        Ok(Some(Entry::new(&[name.as_slice(), b"-", &version, b".crate"].concat(), spec, digest)))
    }
}

impl Parse for Lock {
    fn at(&mut self, place: Place) {
        self.place = place;
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        if scan::find(line, |byte| byte == 0).is_some() {
            return Err(Reason::Nul);
        }
        if line.starts_with(b"[") {
            return self.entry();
        }
        let value = |key: &[u8]| line.strip_prefix(key)?.strip_prefix(b" = \"")?.strip_suffix(b"\"");
        for (key, place) in [
            (&b"name"[..], &mut self.package.name),
            (b"version", &mut self.package.version),
            (b"checksum", &mut self.package.checksum),
        ] {
            if let Some(value) = value(key) {
                *place = value.to_vec();
            }
        }
        Ok(None)
    }

    fn end(&mut self) -> Vec<Found> {
        let at = self.place;
        let last = self.entry().transpose().map(|found| match found {
            Ok(entry) => Ok(Line { at, entry }),
            Err(reason) => Err(LineError { at, reason }),
        });
        last.into_iter().collect()
    }
}
