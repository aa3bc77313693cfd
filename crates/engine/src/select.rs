//! Selects files by name, size, time and sample. Walks, checks and comparisons all use this type, so that an option has
//! the same meaning everywhere (docs/reference/check.md, "Selecting files").
//!
//! The facts about a file may come from the manifest or from the file itself, and the two may differ. Such a file is
//! excluded only if neither is selected, so that no file escapes a check by being truncated or by a changed time.

pub(crate) mod names;
pub(crate) mod rules;
mod sample;

use names::Names;
pub use names::Unmatched;
use rules::RuleSets;
pub use rules::rules_of;
pub use sample::{Sample, Share};
use std::ffi::OsString;
use std::sync::Arc;
use truesum_manifest::{Rule, Time};

options! {
    /// The requested selection. The default selects everything.
    #[derive(Clone, Debug, Default)]
    pub struct Wanted {
        /// Only files that match one of these globs, in the syntax of `.gitignore`.
        include: Vec<String>,
        /// No files or folders that match one of these globs.
        exclude: Vec<String>,
        /// Only these names: files, folders with everything below them, or globs. Each one must match something.
        only: Vec<OsString>,
        /// Only files modified after this time.
        newer: Option<Time>,
        /// Only files modified before this time.
        older: Option<Time>,
        /// Only files of at least this many bytes.
        min_size: Option<u64>,
        /// Only files of at most this many bytes.
        max_size: Option<u64>,
        /// Only a sample of the files.
        sample: Option<Sample>,
    }
}

/// A parsed selection. The default selects everything.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    inner: Option<Arc<Inner>>,
}

#[derive(Debug)]
struct Inner {
    names: Arc<Names>,
    newer: Option<Time>,
    older: Option<Time>,
    min_size: u64,
    max_size: u64,
    sample: Option<Sample>,
    /// The rules of manifests, which apply only to files found by a walk. At least one of them must be met, if there are
    /// any.
    rules: Vec<Arc<Names>>,
}

impl Selection {
    /// Parses the requested selection.
    ///
    /// # Errors
    /// Returns a message for an invalid glob, or for bounds that no file can satisfy.
    pub fn new(wanted: &Wanted) -> Result<Selection, String> {
        let Wanted { include, exclude, only, newer, older, min_size, max_size, sample } = wanted;
        let names = Names::new(include, exclude, only)?;
        if let (Some(newer), Some(older)) = (newer, older)
            && newer >= older
        {
            return Err(format!("no file can be newer than {newer} and older than {older}"));
        }
        let (least, most) = (min_size.unwrap_or(0), max_size.unwrap_or(u64::MAX));
        if least > most {
            return Err(format!("no file can have at least {least} and at most {most} bytes"));
        }
        let facts = newer.is_some() || older.is_some() || min_size.is_some() || max_size.is_some();
        if !facts && names.is_open() && sample.is_none() {
            return Ok(Selection::default());
        }
        let inner = Inner {
            names: Arc::new(names),
            newer: *newer,
            older: *older,
            min_size: least,
            max_size: most,
            sample: sample.clone(),
            rules: Vec::new(),
        };
        Ok(Selection { inner: Some(Arc::new(inner)) })
    }

    /// Returns the selection by rules.
    ///
    /// # Errors
    /// Returns a message for an invalid glob.
    pub(crate) fn of_rules(rules: &[Rule]) -> Result<Selection, String> {
        let names = rules::names(rules)?;
        if names.is_open() {
            return Ok(Selection::default());
        }
        let (names, min_size, max_size, rules) = (Arc::new(names), 0, u64::MAX, Vec::new());
        let inner = Inner { names, newer: None, older: None, min_size, max_size, sample: None, rules };
        Ok(Selection { inner: Some(Arc::new(inner)) })
    }

    /// Returns whether everything is selected.
    pub fn is_open(&self) -> bool {
        self.inner.is_none()
    }

    /// Returns the selection by name only, without bounds and sample.
    pub(crate) fn by_names(&self) -> Selection {
        let Some(inner) = self.inner.as_ref().filter(|inner| !inner.names.is_open()) else {
            return Selection::default();
        };
        let names = inner.names.clone();
        let (min_size, max_size) = (0, u64::MAX);
        let rules = Vec::new();
        let inner = Inner { names, newer: None, older: None, min_size, max_size, sample: None, rules };
        Selection { inner: Some(Arc::new(inner)) }
    }

    /// Returns the selection with the rules of manifests, which only limit what a walk finds.
    pub(crate) fn with_rules(self, rules: &RuleSets) -> Selection {
        let rules = rules.active().to_vec();
        if rules.is_empty() {
            return self;
        }
        let inner = match self.inner.as_deref() {
            Some(&Inner { ref names, newer, older, min_size, max_size, ref sample, .. }) => {
                let (names, sample) = (names.clone(), sample.clone());
                Inner { names, newer, older, min_size, max_size, sample, rules }
            }
            None => {
                let (names, min_size, max_size) = (Arc::default(), 0, u64::MAX);
                Inner { names, newer: None, older: None, min_size, max_size, sample: None, rules }
            }
        };
        Selection { inner: Some(Arc::new(inner)) }
    }

    /// Returns the selection limited to names below this folder.
    pub(crate) fn below(self, folder: Option<&[u8]>) -> Selection {
        let Some(folder) = folder else { return self };
        let names = self.inner.map(|inner| inner.names.clone());
        let names = Arc::new(Names::below(names, folder));
        let (min_size, max_size) = (0, u64::MAX);
        Selection {
            inner: Some(Arc::new(Inner {
                names,
                newer: None,
                older: None,
                min_size,
                max_size,
                sample: None,
                rules: Vec::new(),
            })),
        }
    }

    /// Returns whether a name is below the folder that the selection is limited to, or is a folder above it.
    pub(crate) fn is_below(&self, name: &[u8], is_folder: bool) -> bool {
        self.inner.as_ref().is_none_or(|inner| inner.names.is_below(name, is_folder))
    }

    /// Returns whether there are globs. A walk then visits only part of the tree.
    pub(crate) fn has_globs(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.names.has_globs() || !inner.rules.is_empty())
    }

    /// Returns whether globs select a file, or let a walk enter a folder, given that they selected all folders above
    /// it. A glob matches if it matches one of the spellings of the path.
    pub(crate) fn passes(&self, spellings: &[&[u8]], is_folder: bool) -> bool {
        self.inner.as_ref().is_none_or(|inner| {
            inner.names.passes(spellings, is_folder)
                && (inner.rules.is_empty()
                    || inner.rules.iter().any(|names| names.passes(spellings, is_folder)))
        })
    }

    /// Returns whether a name in a manifest is selected, by the globs for it and all folders above it, and by the
    /// requested names.
    pub fn has_name(&self, name: &[u8]) -> bool {
        self.has_alias(name, name)
    }

    /// Returns the same for an entry whose name in the manifest, `alias`, is another spelling of the name of its file.
    pub(crate) fn has_alias(&self, name: &[u8], alias: &[u8]) -> bool {
        self.inner.as_ref().is_none_or(|inner| inner.names.has(name, alias, || true))
    }

    /// Returns whether an entry is selected by its name, or the name of its file and the one in the manifest, and by the facts
    /// about its file, given as for [`Selection::has_facts`].
    pub fn selects(
        &self,
        [name, alias]: [&[u8]; 2],
        listed: (Option<u64>, Option<Time>),
        found: impl FnOnce() -> Option<(u64, Time)>,
    ) -> bool {
        let facts = || self.has_facts(listed, found);
        self.inner.as_ref().is_none_or(|inner| inner.names.has(name, alias, facts))
    }

    /// Returns whether a name is one of the requested names, or none were requested. The match is not recorded.
    pub(crate) fn requests(&self, name: &[u8]) -> bool {
        self.inner.as_ref().is_none_or(|inner| inner.names.requests(name))
    }

    /// Returns whether a walk with this selection finds the file with this name, which need not be in a file system.
    pub(crate) fn finds(&self, name: &[u8]) -> bool {
        let mut folders = (1..name.len()).filter(|&at| name[at] == b'/');
        self.requests(name)
            && folders.all(|end| self.passes(&[&name[..end]], true))
            && self.passes(&[name], false)
    }

    /// Returns whether there are bounds on size or time.
    pub fn needs_facts(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| {
            inner.newer.is_some() || inner.older.is_some() || inner.min_size > 0 || inner.max_size < u64::MAX
        })
    }

    /// Returns whether a file with this size and modification time is within the bounds.
    pub fn fits(&self, size: u64, time: Time) -> bool {
        self.has_facts((Some(size), Some(time)), || None)
    }

    /// Returns whether a file is selected, given size and time in the manifest and those found. It is excluded only if
    /// at least one of the two is known and none is within the bounds. The facts found are only determined if those in
    /// the manifest do not decide.
    pub fn has_facts(
        &self,
        listed: (Option<u64>, Option<Time>),
        found: impl FnOnce() -> Option<(u64, Time)>,
    ) -> bool {
        let Some(inner) = self.inner.as_ref().filter(|_| self.needs_facts()) else { return true };
        let sized = |size: Option<u64>| size.map(|size| (inner.min_size..=inner.max_size).contains(&size));
        let timed = |time: Option<Time>| {
            time.map(|time| {
                inner.newer.is_none_or(|newer| time > newer) && inner.older.is_none_or(|older| time < older)
            })
        };
        let by_size = inner.min_size > 0 || inner.max_size < u64::MAX;
        let by_time = inner.newer.is_some() || inner.older.is_some();
        let listed = (sized(listed.0), timed(listed.1));
        if (!by_size || listed.0 == Some(true)) && (!by_time || listed.1 == Some(true)) {
            return true;
        }
        let found = found().map_or((None, None), |(size, time)| (sized(Some(size)), timed(Some(time))));
        let keeps = |listed: Option<bool>, found: Option<bool>| {
            listed == Some(true) || found == Some(true) || (listed, found) == (None, None)
        };
        (!by_size || keeps(listed.0, found.0)) && (!by_time || keeps(listed.1, found.1))
    }

    /// Returns the requested sample.
    pub fn sample(&self) -> Option<&Sample> {
        self.inner.as_ref()?.sample.as_ref()
    }

    /// Returns the requested names for which nothing has been selected so far.
    pub fn unmatched(&self) -> Vec<Unmatched<'_>> {
        self.inner.as_ref().map_or_else(Vec::new, |inner| inner.names.unmatched())
    }

    /// Returns whether this is one of the requested names, and only other conditions have excluded what has it.
    pub(crate) fn excludes(&self, name: &[u8]) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.names.excludes(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Option<Time> {
        Some(Time { seconds, nanos: 0 })
    }

    #[test]
    fn file_is_excluded_only_if_no_known_fact_matches() {
        let wanted = Wanted { min_size: Some(10), newer: at(100), ..Wanted::default() };
        let select = Selection::new(&wanted).unwrap();
        let found = |size, seconds| Some((size, at(seconds).unwrap()));
        for (listed, found, kept) in [
            ((Some(10), at(101)), None, true),
            ((Some(9), at(101)), None, false),
            ((Some(10), at(100)), None, false),
            ((Some(10), at(100)), found(10, 101), true),
            ((Some(9), at(101)), found(10, 0), true),
            ((None, None), None, true),
            ((None, None), found(10, 101), true),
            ((None, None), found(9, 101), false),
            ((Some(10), at(101)), found(0, 0), true),
            ((Some(0), at(0)), found(0, 0), false),
        ] {
            assert_eq!(select.has_facts(listed, || found), kept, "{listed:?} {found:?}");
        }
        assert!(select.fits(10, at(101).unwrap()) && !select.fits(9, at(101).unwrap()));
    }

    #[test]
    fn impossible_selections_are_rejected_and_default_selects_all() {
        assert!(Selection::new(&Wanted::default()).unwrap().is_open());
        for wanted in [
            Wanted { newer: at(5), older: at(5), ..Wanted::default() },
            Wanted { min_size: Some(2), max_size: Some(1), ..Wanted::default() },
            Wanted { include: vec!["[".to_owned()], ..Wanted::default() },
            Wanted { only: vec!["a[".into()], ..Wanted::default() },
        ] {
            assert!(Selection::new(&wanted).is_err(), "{wanted:?}");
        }
        assert!(!Selection::new(&Wanted { min_size: Some(1), ..Wanted::default() }).unwrap().is_open());
    }
}
