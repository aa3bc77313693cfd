//! Locates the damage in files that failed, using the piece digests of the manifest or the stored tree next to the file
//! (`truesum check --locate`, `truesum scrub --html`).
//!
//! A tree adds detail to a digest but never overrides it: the entry stays failed whatever its tree
//! shows, and a tree that contradicts the manifest is reported as such.

use crate::drawing::{map, page};
use crate::findings;
use crate::options::threads;
use crate::parity::ParityState;
use crate::words::path_word;
use std::cmp::Ordering;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::Path;
use truesum::hash::{Digest, Spec};
use truesum::manifest::json;
use truesum::manifest::path::display_safe;
use truesum::tree::locate::{Comparison, Diagnosis, Difference, Length};
use truesum::tree::parity::Parity;
use truesum::tree::reading::Reading;
use truesum::tree::store::{Header, Store, Unusable, with_suffix};
use truesum::{Damage, Mapping, Outcome, Progress, Root};
use truesum_fs::name::OsStrExt;

/// The folders that contain the files and their stored trees, and how files are read again.
pub struct Locate<'a> {
    /// The folder to which the names in the manifest are relative.
    pub root: &'a Root,
    /// The folder that contains the stored trees (`NAME.ftr`), if it is not `root`.
    pub trees: Option<&'a Root>,
    pub threads: usize,
    pub progress: &'a Progress,
}

impl<'a> Locate<'a> {
    /// Creates a locator that reads files with the options of the check. `trees` is the folder of
    /// stored trees, if they are not next to the files.
    pub fn new(
        root: &'a Root,
        trees: Option<&'a Root>,
        requested: usize,
        progress: &'a Progress,
    ) -> Locate<'a> {
        Locate { root, trees, threads: threads(Some(requested)), progress }
    }
}

/// Returns the expected digest of an algorithm and the one that the file has, if they are known.
pub type ListedDigests<'d> = dyn Fn(&Spec) -> Option<(&'d Digest, Option<&'d Digest>)> + 'd;

/// The result of locating damage in one file that failed.
pub struct Located {
    /// The name under which the stored tree was looked for.
    pub tree: Vec<u8>,
    pub found: LocateResult,
}

/// The result of an attempt to locate damage.
pub enum LocateResult {
    /// There is no stored tree.
    NoTree,
    /// The stored tree cannot be used: the verdict and the reason.
    Unusable(&'static str, String),
    /// The file was compared with its stored tree.
    Compared(Box<Compared>),
    /// The manifest itself contains digests of pieces, so no tree was needed.
    Pieces(Box<ByPieces>),
}

/// Damage located by digests of pieces.
pub struct ByPieces {
    report: Difference,
    /// Ranges for which the digests of pieces give no result.
    unknown: Vec<Range<u64>>,
    /// The names of the algorithms of the piece digests.
    by: String,
    /// Size in bytes according to the manifest, or that of the file if the manifest has no size.
    size: u64,
}

/// Damage located by a stored tree.
pub struct Compared {
    pub report: Difference,
    /// The header of the stored tree.
    header: Header,
    /// Whether the file has the digest that the manifest contains for this kind of tree; `None` if
    /// it contains none.
    listed: Option<bool>,
    /// The parity file of the tree.
    parity: ParityState,
}

impl Locate<'_> {
    /// Compares the file of a failed entry with its stored tree, unless the manifest contains
    /// digests of pieces that locate the damage.
    pub fn look(&self, outcome: &Outcome, manifest: &[u8]) -> Located {
        if let Some(pieces) = by_pieces(outcome) {
            return Located { tree: manifest.to_vec(), found: LocateResult::Pieces(Box::new(pieces)) };
        }
        self.by_tree(outcome.job.path(), &|spec| listed(outcome, spec))
    }

    /// Compares a file with its stored tree. `listed` returns the expected digest of an algorithm, and the one that the file
    /// has.
    pub fn by_tree<'d>(&self, name: &[u8], listed: &ListedDigests<'d>) -> Located {
        // Below a separate folder of trees, an absolute name is looked up without its leading
        // slashes.
        let relative = match self.trees {
            Some(_) => &name[name.iter().take_while(|&&byte| byte == b'/').count()..],
            None => name,
        };
        let tree = [relative, b".ftr"].concat();
        let found = match Store::open_in(self.trees.unwrap_or(self.root), OsStr::from_bytes(&tree)) {
            Err(error) if error.is_missing() => LocateResult::NoTree,
            Err(error) => LocateResult::Unusable("cannot tell", error.to_string()),
            Ok(Err(refusal)) => {
                let damaged = matches!(refusal, Unusable::Damaged(_));
                LocateResult::Unusable(
                    if damaged { "tree damaged" } else { "cannot tell" },
                    refusal.to_string(),
                )
            }
            Ok(Ok(store)) => self.compare(name, listed, &store),
        };
        Located { tree, found }
    }

    fn compare(&self, name: &[u8], listed: &ListedDigests<'_>, store: &Store) -> LocateResult {
        let expected = listed(store.header().spec());
        let comparison = Comparison::default().trusted(expected.map(|(expected, _)| expected));
        let Locate { root, threads, progress, .. } = *self;
        let reading = Reading::new(progress).root(root).threads(threads).mapping(Mapping::Guarded);
        match comparison.verify(OsStr::from_bytes(name), store, &reading) {
            Ok(report) => {
                let listed = expected.map(|(expected, actual)| Some(expected) == actual);
                let header = store.header().clone();
                let parity = Parity::open_in(self.trees.unwrap_or(root), store);
                let parity = ParityState::of(parity, report.damaged(), progress);
                LocateResult::Compared(Box::new(Compared { report, header, listed, parity }))
            }
            Err(error) => LocateResult::Unusable("cannot tell", error.to_string()),
        }
    }
}

/// Returns the damage according to digests of pieces, or `None` if there are none.
fn by_pieces(outcome: &Outcome) -> Option<ByPieces> {
    let found = outcome.result.as_ref().ok()?;
    let pieces = found.pieces().filter(|pieces| !pieces.by().is_empty())?;
    let size = outcome.job.size().unwrap_or(found.size());
    let length = match found.size().cmp(&size) {
        Ordering::Equal => Length::Same,
        Ordering::Less => Length::Truncated(size - found.size()),
        Ordering::Greater => Length::Grown(found.size() - size),
    };
    let is_located = !pieces.damaged().is_empty() || length != Length::Same;
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for range in pieces.damaged().iter().map(Damage::range) {
        match ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range.clone()),
        }
    }
    let diagnosis = if is_located { Diagnosis::FileDamaged } else { Diagnosis::CannotTell };
    let report = Difference::new(diagnosis, ranges, length, found.size());
    Some(ByPieces { report, unknown: pieces.unknown().to_vec(), by: pieces.by().to_owned(), size })
}

/// Returns the digest of this algorithm in the manifest, and the one that the file has.
fn listed<'a>(outcome: &'a Outcome, spec: &Spec) -> Option<(&'a Digest, Option<&'a Digest>)> {
    let at = outcome.job.specs().iter().position(|listed| listed == spec)?;
    let actual = outcome.result.as_ref().ok().and_then(|found| found.digests().get(at));
    Some((outcome.job.expected().get(at)?, actual))
}

impl Located {
    /// Returns whether the file differs from its stored tree.
    pub fn has_ranges(&self) -> bool {
        match &self.found {
            LocateResult::Compared(compared) => compared.report.diagnosis() == Diagnosis::FileDamaged,
            _ => false,
        }
    }

    /// Returns the lines to print below the failed entry; `map` adds a map of the damage.
    pub fn text(&self, map: bool) -> String {
        let mut lines = String::new();
        if let LocateResult::Compared(compared) = &self.found {
            let Compared { report, header, .. } = &**compared;
            lines += &findings::lines(report);
            if map {
                lines += &map::map(header.size(), report.damaged());
            }
        }
        if let (LocateResult::Pieces(pieces), true) = (&self.found, map) {
            lines += &map::map(pieces.size, pieces.report.damaged());
        }
        lines += &self.words();
        lines.lines().map(|line| format!("  {line}\n")).collect()
    }

    /// Returns the same as a section of an HTML page.
    pub fn section(&self, name: &[u8]) -> String {
        let compared = match &self.found {
            LocateResult::Compared(compared) => {
                Some((page::Reference::Tree(&compared.header), &compared.report))
            }
            LocateResult::Pieces(pieces) => {
                Some((page::Reference::Pieces(pieces.size, &pieces.by), &pieces.report))
            }
            LocateResult::NoTree | LocateResult::Unusable(..) => None,
        };
        page::section(name, &self.words(), compared)
    }

    /// Returns the result as one sentence.
    fn words(&self) -> String {
        let tree = display_safe(&self.tree);
        match &self.found {
            LocateResult::NoTree => format!("damage not located, because there is no stored tree {tree}"),
            LocateResult::Unusable(_, why) => format!("damage not located: {why}"),
            LocateResult::Compared(compared) => match &compared.parity {
                ParityState::Unusable(error) => format!("{}\n{error}", compared.words(&tree)),
                _ => compared.words(&tree),
            },
            LocateResult::Pieces(pieces) => pieces.words(&tree),
        }
    }

    /// Appends the member `located` of an entry's JSON object.
    pub fn member(&self, out: &mut Vec<u8>) {
        let member = if matches!(self.found, LocateResult::Pieces(_)) { "list" } else { "tree" };
        out.extend_from_slice(format!(",\"located\":{{\"{member}\":").as_bytes());
        json::string_into(&String::from_utf8_lossy(&self.tree), out);
        out.push(b',');
        let mut why = None;
        match &self.found {
            LocateResult::NoTree => out.extend_from_slice(b"\"verdict\":\"no tree\""),
            LocateResult::Unusable(verdict, reason) => {
                out.extend_from_slice(format!("\"verdict\":\"{verdict}\"").as_bytes());
                why = Some(reason.clone());
            }
            LocateResult::Compared(compared) => {
                findings::members(&compared.report, out);
                compared.parity.member(out);
                why = compared.contradiction().map(str::to_owned);
            }
            LocateResult::Pieces(_) => {}
        }
        if let LocateResult::Pieces(pieces) = &self.found {
            findings::members(&pieces.report, out);
            out.extend_from_slice(b",\"by\":");
            json::string_into(&pieces.by, out);
            why = pieces.contradiction();
        }
        if let Some(why) = why {
            out.extend_from_slice(b",\"reason\":");
            json::string_into(&why, out);
        }
        out.push(b'}');
    }

    /// Returns a hint on what the user can do, now or to prepare for the next failure. `file` is the path of the file,
    /// `folder` that of the folder of its tree, and `manifest` that of the manifest.
    pub fn hint(&self, file: &Path, folder: &Path, manifest: &Path) -> Option<String> {
        let from_copy = "to repair the damaged ranges from an intact copy: truesum tree repair --from COPY";
        match &self.found {
            LocateResult::NoTree => Some(format!(
                "if there is an intact copy, store its tree: truesum tree --save COPY; then locate the damage: truesum tree verify COPY.ftr {}",
                path_word(file)
            )),
            LocateResult::Compared(compared) if compared.report.is_repairable() => {
                let tree = folder.join(OsStr::from_bytes(&self.tree));
                let of_file = match tree == with_suffix(file, ".ftr") {
                    true => path_word(tree),
                    false => format!("{} {}", path_word(tree), path_word(file)),
                };
                let parity = compared.parity.hint(&format!("truesum tree repair {of_file}"));
                parity.or_else(|| Some(format!("{from_copy} {of_file}")))
            }
            LocateResult::Pieces(pieces) if !pieces.report.damaged().is_empty() => {
                let is_stdin = manifest.as_os_str().as_bytes() == b"-";
                let list = if is_stdin { "LIST".to_owned() } else { path_word(manifest) };
                Some(format!("{from_copy} {list}"))
            }
            _ => None,
        }
    }
}

impl ByPieces {
    fn words(&self, list: &str) -> String {
        match self.contradiction() {
            Some(what) => format!("damage not located with {list}: {what}"),
            None => findings::words(&self.report),
        }
    }

    /// Returns why the damage cannot be located although the file is damaged.
    fn contradiction(&self) -> Option<String> {
        let is_damaged = self.report.diagnosis() == Diagnosis::FileDamaged;
        (!is_damaged).then(|| match self.unknown.is_empty() {
            true => "every piece matches, but the complete file does not, so the list contradicts itself"
                .to_owned(),
            false => "all data covered by the piece digests matches".to_owned(),
        })
    }
}

impl Compared {
    fn words(&self, tree: &str) -> String {
        match self.contradiction() {
            Some(what) => format!("{} according to {tree}: {what}", findings::words(&self.report)),
            None if self.report.diagnosis() == Diagnosis::OtherTree => {
                format!(
                    "damage not located, because the digest in {tree} is not in the manifest: the tree belongs to another version of the file"
                )
            }
            None => findings::words(&self.report),
        }
    }

    /// Returns an explanation if the file matches its tree although the entry failed.
    fn contradiction(&self) -> Option<&'static str> {
        match (self.report.diagnosis(), self.listed) {
            (Diagnosis::Good, Some(false)) => Some(
                "the second read matched the digest in the manifest, so the first read returned different bytes",
            ),
            (Diagnosis::Good, _) => {
                Some("the file matches its stored tree, so the manifest and the tree disagree")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use truesum::tree::store::{GRANULE, Hints};

    #[test]
    fn good_file_that_failed_is_reported_as_a_contradiction() {
        let describe = |diagnosis, listed| {
            let header = Header::new(&"sha256-tree".parse().unwrap(), 9, GRANULE, Hints::default()).unwrap();
            let report = Difference::new(diagnosis, Vec::new(), Length::Same, 9);
            Compared { report, header, listed, parity: ParityState::Missing }.words("x.ftr")
        };
        assert!(describe(Diagnosis::Good, None).contains("the manifest and the tree disagree"));
        assert!(describe(Diagnosis::Good, Some(true)).contains("the manifest and the tree disagree"));
        assert!(describe(Diagnosis::Good, Some(false)).contains("the first read returned different bytes"));
        assert!(
            describe(Diagnosis::OtherTree, Some(false)).contains("belongs to another version of the file")
        );
        assert_eq!(describe(Diagnosis::FileDamaged, Some(false)), "file damaged");
    }
}
