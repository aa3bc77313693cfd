//! Selection by name: globs in the syntax of `.gitignore`, and names that must exist.

use crate::globs::Globs;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use truesum_fs::name::{self, OsStringExt};

/// The conditions on names.
#[derive(Debug, Default)]
pub(crate) struct Names {
    globs: Globs,
    only: Vec<Only>,
    /// The folder that all names must be below, and further conditions on them.
    below: Option<(Vec<u8>, Option<Arc<Names>>)>,
}

/// A requested name.
#[derive(Debug)]
struct Only {
    requested: OsString,
    /// The name without redundant components: `./a//b/` is `a/b`.
    plain: Vec<u8>,
    /// The same as a glob, if it contains special characters.
    glob: Option<Globs>,
    /// Whether anything has this name.
    found: AtomicBool,
    /// Whether anything with this name was selected.
    selected: AtomicBool,
}

readable! {
    /// A requested name for which nothing was selected.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Unmatched<'s> {
        /// The name, as requested.
        name: &'s OsStr,
        /// Whether something has this name, and only the other conditions exclude it.
        excluded: bool,
    }
}

impl Names {
    /// Parses globs and names.
    ///
    /// # Errors
    /// Fails if a glob is invalid.
    pub(crate) fn new(include: &[String], exclude: &[String], only: &[OsString]) -> Result<Names, String> {
        if let Some(glob) = exclude.iter().find(|glob| glob.starts_with('!')) {
            let glob = glob.escape_debug();
            return Err(format!(
                "exclude '{glob}': to exclude names that begin with !, write \\!; otherwise, remove the !"
            ));
        }
        let mut globs = Globs::default();
        include.iter().try_for_each(|glob| globs.add(glob))?;
        exclude.iter().try_for_each(|glob| globs.exclude(glob))?;
        Ok(Names { globs, only: only.iter().map(Only::new).collect::<Result<_, _>>()?, below: None })
    }

    /// Returns conditions that require names to be below this folder and to satisfy `names`.
    pub(super) fn below(names: Option<Arc<Names>>, folder: &[u8]) -> Names {
        let folder = plain(folder).into_owned();
        Names { globs: Globs::default(), only: Vec::new(), below: Some((folder, names)) }
    }

    /// Returns whether a name is below the required folder; for a folder, whether it is above or below.
    pub(super) fn is_below(&self, name: &[u8], is_folder: bool) -> bool {
        let starts = |name: &[u8], with: &[u8]| {
            name.strip_prefix(with).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        self.below.as_ref().is_none_or(|(below, _)| {
            starts(name, below) && name != &below[..] || is_folder && starts(below, name)
        })
    }

    /// Returns whether every name is selected.
    pub(crate) fn is_open(&self) -> bool {
        self.globs.is_empty() && self.only.is_empty() && self.below.is_none()
    }

    pub(super) fn has_globs(&self) -> bool {
        !self.globs.is_empty() || self.below.is_some()
    }

    /// Returns whether globs select this, given that they selected every folder above it.
    pub(crate) fn passes(&self, spellings: &[&[u8]], is_folder: bool) -> bool {
        if let Some((_, others)) = &self.below {
            return spellings.iter().any(|path| self.is_below(path, is_folder))
                && others.as_ref().is_none_or(|others| others.passes(spellings, is_folder));
        }
        // A file that no glob matches is excluded if there are globs that include files; a folder may contain such
        // files.
        self.globs.takes(spellings, is_folder).unwrap_or(is_folder || !self.globs.any_takes())
    }

    /// Returns whether a complete name is selected and satisfies `others`, the conditions that do not concern names.
    /// `alias` is another spelling by which it may be requested, or the same name. All requested names that it matches
    /// are recorded for [`Names::unmatched`].
    pub(super) fn has(&self, name: &[u8], alias: &[u8], others: impl FnOnce() -> bool) -> bool {
        if self.is_open() {
            return others();
        }
        let (name, alias) = (plain(name), plain(alias));
        let is_requested = |only: &&Only| only.is(&name) || name != alias && only.is(&alias);
        let requested: Vec<&Only> = self.only.iter().filter(is_requested).collect();
        requested.iter().for_each(|only| only.found.store(true, Relaxed));
        let folders = (1..name.len()).filter(|&at| name[at] == b'/');
        let selected = requested.is_empty() == self.only.is_empty()
            && self.passes(&[&name], false)
            && folders.into_iter().all(|end| self.passes(&[&name[..end]], true))
            && others();
        if selected {
            requested.iter().for_each(|only| only.selected.store(true, Relaxed));
        }
        selected
    }

    /// Returns whether a name is one of the requested names, or none were requested.
    pub(super) fn requests(&self, name: &[u8]) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only.is(name))
    }

    /// Returns the requested names for which nothing was selected.
    pub(super) fn unmatched(&self) -> Vec<Unmatched<'_>> {
        let unmatched = self.only.iter().filter(|only| !only.selected.load(Relaxed));
        unmatched
            .map(|only| Unmatched { name: &only.requested, excluded: only.found.load(Relaxed) })
            .collect()
    }

    /// Returns whether this is one of the requested names, and only the other conditions excluded what has it.
    pub(super) fn excludes(&self, name: &[u8]) -> bool {
        let name = plain(name);
        let excluded = |only: &Only| only.found.load(Relaxed) && !only.selected.load(Relaxed);
        self.only.iter().any(|only| only.is(&name) && excluded(only))
    }
}

impl Only {
    fn new(requested: &OsString) -> Result<Only, String> {
        let name = name::of(Path::new(requested));
        let glob = match requested.to_str() {
            Some(text) if text.contains(['*', '?', '[', '{']) => {
                let mut globs = Globs::default();
                globs.add(text)?;
                Some(globs)
            }
            _ => None,
        };
        Ok(Only {
            requested: requested.clone(),
            plain: plain(&name).into_owned(),
            glob,
            found: AtomicBool::new(false),
            selected: AtomicBool::new(false),
        })
    }

    /// Returns whether the name is this one, is below the folder with this name, or matches the glob.
    fn is(&self, name: &[u8]) -> bool {
        let below = |rest: &[u8]| rest.is_empty() || rest[0] == b'/';
        name.strip_prefix(&self.plain[..]).is_some_and(below)
            || self.glob.as_ref().is_some_and(|glob| {
                let matches = |path: &[u8]| glob.takes(&[path], false) == Some(true);
                matches(name) || (1..name.len()).any(|at| name[at] == b'/' && matches(&name[..at]))
            })
    }
}

/// Returns the significant components of a name.
pub(crate) fn parts(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".")
}

/// Returns a name without redundant components: `./a//b` is `a/b`. `..` is kept, because only the file system knows
/// where it leads.
pub(crate) fn plain(name: &[u8]) -> Cow<'_, [u8]> {
    let rest = name.strip_prefix(b"/").unwrap_or(name);
    if rest.split(|&byte| byte == b'/').all(|part| !part.is_empty() && part != b".") {
        return Cow::Borrowed(name);
    }
    let path = parts(name).collect::<Vec<_>>().join(&b'/');
    Cow::Owned(if name.first() == Some(&b'/') { [b"/", &path[..]].concat() } else { path })
}

/// Returns a path without redundant components, as [`plain`] does for names.
pub(crate) fn plain_path(path: &OsStr) -> PathBuf {
    OsString::from_vec(plain(&name::of(Path::new(path))).into_owned()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(include: &[&str], exclude: &[&str], only: &[&str]) -> Names {
        let own = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let only: Vec<OsString> = only.iter().map(OsString::from).collect();
        Names::new(&own(include), &own(exclude), &only).unwrap()
    }

    #[test]
    fn full_paths_are_filtered_like_a_walk_step_by_step() {
        for (include, exclude, name, has) in [
            (&["*.txt"][..], &[][..], "d/a.txt", true),
            (&["*.txt"], &[], "./d//a.bin", false),
            (&[], &["skip"], "d/skip/a", false),
            (&[], &["skip/"], "d/skip", true),
            (&["*.txt"], &["d/skip"], "d/skip/a.txt", false),
            (&["/a"], &[], "d/a", false),
            (&["/a"], &[], "./a", true),
        ] {
            assert_eq!(
                names(include, exclude, &[]).has(name.as_bytes(), name.as_bytes(), || true),
                has,
                "{include:?} {exclude:?} {name}"
            );
        }
    }

    #[test]
    fn only_accepts_files_folders_and_globs_and_reports_unmatched() {
        let only = names(&[], &["*.tmp"], &["./a", "d/", "*.iso", "odd[1]", "none", "x.tmp"]);
        for (name, has) in [
            ("a", true),
            ("ab", false),
            ("d/b/c", true),
            ("x/d", false),
            ("x/y.iso", true),
            ("odd[1]", true),
            ("odd1", true),
            ("x.tmp", false),
        ] {
            assert_eq!(only.has(name.as_bytes(), name.as_bytes(), || true), has, "{name}");
        }
        assert!(names(&[], &[], &["s\\x"]).has(b"s/x", b"s\\x", || true));
        let unmatched: Vec<_> = only.unmatched().iter().map(|one| (one.name, one.excluded)).collect();
        assert_eq!(unmatched, [(OsStr::new("none"), false), (OsStr::new("x.tmp"), true)]);
        assert!(only.excludes(b"./x.tmp") && !only.excludes(b"none") && !only.excludes(b"a"));
    }
}
