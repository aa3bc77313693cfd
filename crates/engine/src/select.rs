//! Which files a run is about: by name, size, time and sample. One type that walks, checks and comparisons ask, so that an
//! option means the same everywhere (docs/reference/check.md, "Selecting files").
//!
//! What is known of a file may be what is listed of it or what is found, and the two may differ: such a file is left out only if
//! neither fits. So no file escapes a check by having lost its bytes or its time.

pub(crate) mod names;
mod sample;

use names::Names;
pub use sample::{Sample, Share};
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use truesum_manifest::Time;

/// What is asked for. Everything that is not asked for leaves nothing out.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// Only files that match one of these globs, written as in `.gitignore`.
    pub include: Vec<String>,
    /// No files or folders that match one of these globs.
    pub exclude: Vec<String>,
    /// Only what is called so: names of files, of folders with all below them, or globs. Each has to match something.
    pub only: Vec<OsString>,
    /// Only files written after this.
    pub newer: Option<Time>,
    /// Only files written before this.
    pub older: Option<Time>,
    /// Only files of at least so many bytes.
    pub min_size: Option<u64>,
    /// Only files of at most so many bytes.
    pub max_size: Option<u64>,
    /// Only a sample of them.
    pub sample: Option<Sample>,
}

/// A selection that was understood. The default leaves nothing out.
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
}

impl Selection {
    /// Understands what is asked for.
    ///
    /// # Errors
    /// The sentence that says why: a glob that is none, or bounds that no file can keep.
    pub fn new(wanted: &Wanted) -> Result<Selection, String> {
        let Wanted { include, exclude, only, newer, older, min_size, max_size, sample } = wanted;
        let names = Names::new(include, exclude, only)?;
        if let (Some(newer), Some(older)) = (newer, older)
            && newer >= older
        {
            return Err(format!("no file is newer than {newer} and older than {older}"));
        }
        let (least, most) = (min_size.unwrap_or(0), max_size.unwrap_or(u64::MAX));
        if least > most {
            return Err(format!("no file has at least {least} and at most {most} bytes"));
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
        };
        Ok(Selection { inner: Some(Arc::new(inner)) })
    }

    /// Whether nothing is left out.
    pub fn is_open(&self) -> bool {
        self.inner.is_none()
    }

    /// What it says of names, without bounds and sample.
    pub(crate) fn by_names(&self) -> Selection {
        let Some(inner) = self.inner.as_ref().filter(|inner| !inner.names.is_open()) else {
            return Selection::default();
        };
        let names = inner.names.clone();
        let (min_size, max_size) = (0, u64::MAX);
        let inner = Inner { names, newer: None, older: None, min_size, max_size, sample: None };
        Selection { inner: Some(Arc::new(inner)) }
    }

    /// The same, for names below this folder only.
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
            })),
        }
    }

    /// Whether globs have a say: then a walk meets less than lies there.
    pub(crate) fn has_globs(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| inner.names.has_globs())
    }

    /// Whether globs let a walk have a file, or go into a folder, that it met on a way it was let go so far.
    pub(crate) fn passes(&self, path: &[u8], is_folder: bool) -> bool {
        self.inner.as_ref().is_none_or(|inner| inner.names.passes(path, is_folder))
    }

    /// Whether a name as manifests have it is selected, by globs for it and all folders on its way, and by those asked for.
    pub fn has_name(&self, name: &[u8]) -> bool {
        self.inner.as_ref().is_none_or(|inner| inner.names.has(name))
    }

    /// Whether a name is one of those asked for, if any are. It is not noted that it was.
    pub(crate) fn asks_for(&self, name: &[u8]) -> bool {
        self.inner.as_ref().is_none_or(|inner| inner.names.asks_for(name))
    }

    /// Whether size or time have a say.
    pub fn asks_facts(&self) -> bool {
        self.inner.as_ref().is_some_and(|inner| {
            inner.newer.is_some() || inner.older.is_some() || inner.min_size > 0 || inner.max_size < u64::MAX
        })
    }

    /// Whether a file of this size, written then, lies within bounds.
    pub fn fits(&self, size: u64, time: Time) -> bool {
        self.has_facts((Some(size), Some(time)), || None)
    }

    /// Whether a file is selected by what is listed of it and by what is found, each its size and its time. It is left out only
    /// if one of the two is known, and neither fits. What is found is asked for only where what is listed does not decide.
    pub fn has_facts(
        &self,
        listed: (Option<u64>, Option<Time>),
        found: impl FnOnce() -> Option<(u64, Time)>,
    ) -> bool {
        let Some(inner) = self.inner.as_ref().filter(|_| self.asks_facts()) else { return true };
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

    /// The sample asked for.
    pub fn sample(&self) -> Option<&Sample> {
        self.inner.as_ref()?.sample.as_ref()
    }

    /// Names asked for that matched nothing so far.
    pub fn unmatched(&self) -> Vec<&OsStr> {
        self.inner.as_ref().map_or_else(Vec::new, |inner| inner.names.unmatched())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Option<Time> {
        Some(Time { seconds, nanos: 0 })
    }

    #[test]
    fn a_file_is_left_out_only_if_nothing_known_of_it_fits() {
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
    fn what_no_file_can_be_is_refused_and_nothing_asked_leaves_nothing_out() {
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
