//! `truesum check --locate`: where a file that failed is damaged, by the stored tree beside it.
//!
//! A tree says more than a digest, never something else: the entry stays failed whatever its tree says, and a tree that
//! contradicts the manifest is told of as such.

use crate::drawing::{map, page};
use crate::findings;
use crate::options::threads;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use truesum::hash::{Digest, Spec};
use truesum::manifest::json;
use truesum::manifest::path::display_safe;
use truesum::tree::locate::{Comparison, Difference, Judgement};
use truesum::tree::reading::Reading;
use truesum::tree::store::{Header, Store, Unusable};
use truesum::{Mapping, Outcome, Progress, Root};

/// Where stored trees are looked for, and how files are read again.
pub struct Locate<'a> {
    /// Where the manifest's names lead from.
    pub root: &'a Root,
    /// Where `NAME.ftr` leads from, if not from `root`.
    pub trees: Option<&'a Root>,
    pub threads: usize,
    pub progress: &'a Progress,
}

impl<'a> Locate<'a> {
    /// As files are read in a check itself; `trees` is where stored trees are, if not beside the files.
    pub fn new(root: &'a Root, trees: Option<&'a Root>, asked: usize, progress: &'a Progress) -> Locate<'a> {
        Locate { root, trees, threads: threads(Some(asked)), progress }
    }
}

/// What can be said of one file that failed.
pub struct Located {
    /// Name of the stored tree, as it was looked for.
    pub tree: Vec<u8>,
    pub found: Found,
}

/// What a stored tree says.
pub enum Found {
    /// There is none.
    NoTree,
    /// It cannot be used: the verdict's name, and why.
    Unusable(&'static str, String),
    /// The file was compared with it.
    Compared(Box<Compared>),
}

/// A comparison.
pub struct Compared {
    pub report: Difference,
    /// What the tree says of itself.
    header: Header,
    /// What the manifest holds of this tree's digest: nothing, one that the file had, or one that it had not.
    listed: Option<bool>,
}

impl Locate<'_> {
    /// Compares the file of a failed entry with its stored tree.
    pub fn look(&self, outcome: &Outcome) -> Located {
        let name = outcome.job.path();
        // Beneath a folder of its own an absolute name has no place but the same one below it.
        let relative = match self.trees {
            Some(_) => &name[name.iter().take_while(|&&byte| byte == b'/').count()..],
            None => name,
        };
        let tree = [relative, b".ftr"].concat();
        let found = match Store::open_in(self.trees.unwrap_or(self.root), OsStr::from_bytes(&tree)) {
            Err(error) if error.is_missing() => Found::NoTree,
            Err(error) => Found::Unusable("cannot tell", error.to_string()),
            Ok(Err(refusal)) => {
                let damaged = matches!(refusal, Unusable::Damaged(_));
                Found::Unusable(if damaged { "tree damaged" } else { "cannot tell" }, refusal.to_string())
            }
            Ok(Ok(store)) => self.compare(outcome, &store),
        };
        Located { tree, found }
    }

    fn compare(&self, outcome: &Outcome, store: &Store) -> Found {
        let expected = listed(outcome, &store.header().spec);
        let comparison = Comparison { trusted: expected.map(|(expected, _)| expected), resume: false };
        let Locate { root, threads, progress, .. } = *self;
        let reading = Reading { root, threads, mapping: Mapping::Guarded, progress };
        match comparison.verify(OsStr::from_bytes(outcome.job.path()), store, &reading) {
            Ok(report) => {
                let listed = expected.map(|(expected, actual)| Some(expected) == actual);
                let header = store.header().clone();
                Found::Compared(Box::new(Compared { report, header, listed }))
            }
            Err(error) => Found::Unusable("cannot tell", error.to_string()),
        }
    }
}

/// The digest of this algorithm that the entry lists, and the one that was found.
fn listed<'a>(outcome: &'a Outcome, spec: &Spec) -> Option<(&'a Digest, Option<&'a Digest>)> {
    let at = outcome.job.specs.iter().position(|listed| listed == spec)?;
    let actual = outcome.result.as_ref().ok().and_then(|found| found.digests.get(at));
    Some((outcome.job.expected.get(at)?, actual))
}

impl Located {
    /// Lines to stand below the failed one; `map` draws where the damage lies.
    pub fn text(&self, map: bool) -> String {
        let mut lines = String::new();
        if let Found::Compared(compared) = &self.found {
            let Compared { report, header, .. } = &**compared;
            lines += &findings::lines(report);
            if map {
                lines += &map::map(header.size, &report.damaged);
            }
        }
        lines += &self.words();
        lines.lines().map(|line| format!("  {line}\n")).collect()
    }

    /// The same for a page.
    pub fn section(&self, name: &[u8]) -> String {
        let compared = match &self.found {
            Found::Compared(compared) => Some((&compared.header, &compared.report)),
            _ => None,
        };
        page::section(name, &self.words(), compared)
    }

    /// What is said in one sentence.
    fn words(&self) -> String {
        let tree = display_safe(&self.tree);
        match &self.found {
            Found::NoTree => format!("not located: there is no stored tree {tree}"),
            Found::Unusable(verdict, why) => format!("{verdict}: {why}"),
            Found::Compared(compared) => compared.words(&tree),
        }
    }

    /// Appends the member `located` of an entry's JSON object.
    pub fn member(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"located\":{\"tree\":");
        json::string_into(&String::from_utf8_lossy(&self.tree), out);
        out.push(b',');
        let mut why = None;
        match &self.found {
            Found::NoTree => out.extend_from_slice(b"\"verdict\":\"no tree\""),
            Found::Unusable(verdict, reason) => {
                out.extend_from_slice(format!("\"verdict\":\"{verdict}\"").as_bytes());
                why = Some(reason.clone());
            }
            Found::Compared(compared) => {
                findings::members(&compared.report, out);
                why = compared.contradiction().map(str::to_owned);
            }
        }
        if let Some(why) = why {
            out.extend_from_slice(b",\"reason\":");
            json::string_into(&why, out);
        }
        out.push(b'}');
    }

    /// What the user can do now or next time.
    pub fn hint(&self) -> Option<&'static str> {
        match &self.found {
            Found::NoTree => Some(
                "truesum tree --save FILE, while FILE is good, keeps the tree that tells next time which bytes are damaged",
            ),
            Found::Compared(compared) if compared.report.can_be_mended() => Some(
                "truesum tree verify --repair-from COPY FILE.ftr writes the damaged ranges from a good copy",
            ),
            _ => None,
        }
    }
}

impl Compared {
    fn words(&self, tree: &str) -> String {
        match self.contradiction() {
            Some(what) => format!("{} by {tree}: {what}", findings::words(&self.report)),
            None if self.report.judgement == Judgement::OtherTree => {
                format!(
                    "not located: {tree} is of another state of the file, its digest is not the manifest's"
                )
            }
            None => findings::words(&self.report),
        }
    }

    /// What a good file says of an entry that failed.
    fn contradiction(&self) -> Option<&'static str> {
        match (self.report.judgement, self.listed) {
            (Judgement::Good, Some(false)) => Some(
                "read once more, the file has the digest that the manifest lists; the first time other bytes were read",
            ),
            (Judgement::Good, _) => {
                Some("the file is what its stored tree was made of, so the manifest and the tree disagree")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use truesum::tree::locate::Length;
    use truesum::tree::store::{GRANULE, Hints};

    #[test]
    fn a_good_file_that_failed_is_told_as_the_contradiction_it_is() {
        let said = |judgement, listed| {
            let header = Header::new(&"sha256-tree".parse().unwrap(), 9, GRANULE, Hints::default()).unwrap();
            let report = Difference {
                judgement,
                damaged: Vec::new(),
                length: Length::Same,
                shift: None,
                blemish: None,
                size: 9,
                before: 0,
            };
            Compared { report, header, listed }.words("x.ftr")
        };
        assert!(said(Judgement::Good, None).contains("the manifest and the tree disagree"));
        assert!(said(Judgement::Good, Some(true)).contains("the manifest and the tree disagree"));
        assert!(said(Judgement::Good, Some(false)).contains("the first time other bytes were read"));
        assert!(said(Judgement::OtherTree, Some(false)).contains("of another state of the file"));
        assert_eq!(said(Judgement::FileDamaged, Some(false)), "file damaged");
    }
}
