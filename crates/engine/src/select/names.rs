//! Selection by names: globs as `.gitignore` writes them, and names that have to be there.

use crate::globs::Globs;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// What names have to be like.
#[derive(Debug)]
pub(super) struct Names {
    globs: Globs,
    only: Vec<Only>,
    /// The folder that all names are below, and what else they have to be like.
    below: Option<(Vec<u8>, Option<Arc<Names>>)>,
}

/// One name asked for.
#[derive(Debug)]
struct Only {
    asked: OsString,
    /// Without what says nothing: `./a//b/` is `a/b`.
    plain: Vec<u8>,
    /// The same as a glob, where it has a character of one.
    glob: Option<Globs>,
    met: AtomicBool,
}

impl Names {
    /// Understands globs and names.
    ///
    /// # Errors
    /// A glob that cannot be understood.
    pub(super) fn new(include: &[String], exclude: &[String], only: &[OsString]) -> Result<Names, String> {
        let not = |glob: &String| format!("!{glob}");
        let all = include.iter().cloned().chain(exclude.iter().map(not));
        Ok(Names {
            globs: globs(all)?,
            only: only.iter().map(Only::new).collect::<Result<_, _>>()?,
            below: None,
        })
    }

    /// Only what is below this folder, and what `names` say.
    pub(super) fn below(names: Option<Arc<Names>>, folder: &[u8]) -> Names {
        let folder = plain(folder).into_owned();
        Names { globs: Globs::default(), only: Vec::new(), below: Some((folder, names)) }
    }

    /// Whether a name is below the folder that all must be below; of a folder, whether it is above or below.
    fn is_below(&self, name: &[u8], is_folder: bool) -> bool {
        let starts = |name: &[u8], with: &[u8]| {
            name.strip_prefix(with).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
        };
        self.below.as_ref().is_none_or(|(below, _)| {
            starts(name, below) && name != &below[..] || is_folder && starts(below, name)
        })
    }

    /// Whether every name will do.
    pub(super) fn is_open(&self) -> bool {
        self.globs.is_empty() && self.only.is_empty() && self.below.is_none()
    }

    pub(super) fn has_globs(&self) -> bool {
        !self.globs.is_empty() || self.below.is_some()
    }

    /// Whether globs let this through, where they did so with every folder above.
    pub(super) fn passes(&self, path: &[u8], is_folder: bool) -> bool {
        if let Some((_, others)) = &self.below {
            return self.is_below(path, is_folder)
                && others.as_ref().is_none_or(|others| others.passes(path, is_folder));
        }
        // A file that no glob speaks of is left out where some take files; a folder may hold such.
        self.globs.takes(path, is_folder).unwrap_or(is_folder || !self.globs.any_takes())
    }

    /// Whether a whole name is wanted. All that it matches is noted, for [`Names::unmatched`].
    pub(super) fn has(&self, name: &[u8]) -> bool {
        if self.is_open() {
            return true;
        }
        let name = plain(name);
        let folders = (1..name.len()).filter(|&at| name[at] == b'/');
        if !self.passes(&name, false) || folders.into_iter().any(|end| !self.passes(&name[..end], true)) {
            return false;
        }
        let mut wanted = self.only.is_empty();
        for only in self.only.iter().filter(|only| only.is(&name)) {
            only.met.store(true, Relaxed);
            wanted = true;
        }
        wanted
    }

    /// Whether a name is one of those asked for, if any are.
    pub(super) fn asks_for(&self, name: &[u8]) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only.is(name))
    }

    /// Names asked for that matched nothing.
    pub(super) fn unmatched(&self) -> Vec<&OsStr> {
        self.only.iter().filter(|only| !only.met.load(Relaxed)).map(|only| &*only.asked).collect()
    }
}

impl Only {
    fn new(asked: &OsString) -> Result<Only, String> {
        let bytes = asked.as_bytes();
        let glob = match asked.to_str() {
            Some(text) if text.contains(['*', '?', '[', '{']) => {
                Some(globs(std::iter::once(text.to_owned()))?)
            }
            _ => None,
        };
        Ok(Only { asked: asked.clone(), plain: plain(bytes).into_owned(), glob, met: AtomicBool::new(false) })
    }

    /// Whether the name is this one, lies below the folder of this name, or matches the glob.
    fn is(&self, name: &[u8]) -> bool {
        let below = |rest: &[u8]| rest.is_empty() || rest[0] == b'/';
        name.strip_prefix(&self.plain[..]).is_some_and(below)
            || self.glob.as_ref().is_some_and(|glob| {
                let matches = |path: &[u8]| glob.takes(path, false) == Some(true);
                matches(name) || (1..name.len()).any(|at| name[at] == b'/' && matches(&name[..at]))
            })
    }
}

fn globs(globs: impl Iterator<Item = String>) -> Result<Globs, String> {
    let mut all = Globs::default();
    for glob in globs {
        all.add(&glob)?;
    }
    Ok(all)
}

/// The components of a name that say something.
pub(crate) fn parts(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".")
}

/// A name without what says nothing: `./a//b` is `a/b`. What `..` leads to only the file system knows.
pub(crate) fn plain(name: &[u8]) -> Cow<'_, [u8]> {
    let rest = name.strip_prefix(b"/").unwrap_or(name);
    if rest.split(|&byte| byte == b'/').all(|part| !part.is_empty() && part != b".") {
        return Cow::Borrowed(name);
    }
    let path = parts(name).collect::<Vec<_>>().join(&b'/');
    Cow::Owned(if name.first() == Some(&b'/') { [b"/", &path[..]].concat() } else { path })
}

/// The same of a path.
pub(crate) fn plain_path(path: &OsStr) -> PathBuf {
    OsString::from_vec(plain(path.as_bytes()).into_owned()).into()
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
    fn whole_names_are_asked_as_a_walk_asks_them_step_by_step() {
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
                names(include, exclude, &[]).has(name.as_bytes()),
                has,
                "{include:?} {exclude:?} {name}"
            );
        }
    }

    #[test]
    fn a_name_asked_for_is_a_file_a_folder_or_a_glob_and_told_if_it_is_none() {
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
            assert_eq!(only.has(name.as_bytes()), has, "{name}");
        }
        assert_eq!(only.unmatched(), ["none", "x.tmp"]);
    }
}
