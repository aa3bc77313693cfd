//! Rules of manifests: globs that state which files a manifest does not cover. They apply only to files that are not in
//! it, so that they never exclude an entry from a check.

use crate::error::{Cause, Error};
use crate::globs::expanded;
use crate::select::names::Names;
use std::sync::Arc;
use truesum_manifest::{Rule, Rules, literal_glob};

/// The rules of all manifests that describe a folder. A file is excluded only if the rules of every manifest exclude it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleSets {
    sets: Vec<Arc<Names>>,
    rules: Vec<Rule>,
    /// Whether one of the manifests has no rules, so that no file is excluded.
    is_open: bool,
}

impl RuleSets {
    /// Adds the rules of a manifest with this name. Returns why its rules are ignored, if they cannot be used.
    pub(crate) fn add(&mut self, manifest: &[u8], rules: &Rules) -> Option<Error> {
        let parsed = match rules.is_invalid() {
            true => Err("there are too many, or one of them is not valid UTF-8".to_owned()),
            false => names(rules.all()),
        };
        match parsed {
            Ok(names) if !names.is_open() => {
                self.sets.push(Arc::new(names));
                self.rules.extend_from_slice(rules.all());
                None
            }
            parsed => {
                self.is_open = true;
                let why = parsed.err()?;
                let cause = Cause::Other(format!("the rules of the manifest are ignored: {why}"));
                Some(Error::new(manifest, "use", cause))
            }
        }
    }

    /// Returns the conditions, of which a file must meet at least one; empty if no file is excluded.
    pub(crate) fn active(&self) -> &[Arc<Names>] {
        if self.is_open { &[] } else { &self.sets }
    }

    /// Returns the rules that are applied, in the order of the manifests.
    pub(crate) fn applied(&self) -> &[Rule] {
        if self.is_open { &[] } else { &self.rules }
    }
}

/// Parses rules.
///
/// # Errors
/// Returns a message for an invalid glob.
pub(super) fn names(rules: &[Rule]) -> Result<Names, String> {
    Names::new(&globs(rules, true), &globs(rules, false), &[])
}

/// Returns the globs of the rules of one kind.
fn globs(rules: &[Rule], is_include: bool) -> Vec<String> {
    let is = |rule: &&Rule| matches!(rule, Rule::Include(_)) == is_include;
    rules.iter().filter(is).map(|rule| rule.glob().to_owned()).collect()
}

/// Returns the rules that select the same files by their names in a manifest as these globs selected in a walk. `folders`
/// are the folders that were searched, each with its path as it was given and its name in the manifest (empty for the
/// folder that names are relative to).
///
/// A glob with a slash matched the name relative to the folder, or the path as it was given, so there is a rule for each
/// of them.
///
/// # Errors
/// Returns a message for an invalid glob, or one that does not fit on a line.
pub fn rules_of(
    include: &[String],
    exclude: &[String],
    folders: &[(String, String)],
) -> Result<Vec<Rule>, String> {
    let mut rules = Vec::new();
    let kinds = [(include, Rule::Include as fn(String) -> Rule), (exclude, Rule::Exclude)];
    for (globs, rule) in kinds {
        for glob in globs {
            // The alternatives of braces may differ in whether they have a slash.
            let alternatives = expanded(glob)?;
            let moves = folders.iter().any(|(path, name)| !(name.is_empty() && path == "."));
            match moves && alternatives.iter().any(|glob| is_anchored(glob)) {
                false => rules.push(rule(glob.clone())),
                true => {
                    for glob in alternatives {
                        spellings(&glob, folders).into_iter().for_each(|glob| rules.push(rule(glob)));
                    }
                }
            }
        }
    }
    match rules.iter().find(|rule| !rule.fits_line()) {
        Some(rule) if rule.glob().is_empty() => Err("a glob is empty".to_owned()),
        Some(rule) => Err(format!("'{}' contains control characters", rule.glob().escape_debug())),
        None => Ok(rules),
    }
}

/// Returns whether a glob has a slash other than the last character, so that it matches complete paths.
fn is_anchored(glob: &str) -> bool {
    glob.strip_prefix('!').unwrap_or(glob).trim_end_matches('/').contains('/')
}

/// Returns the globs for names in the manifest that correspond to a glob without braces.
fn spellings(glob: &str, folders: &[(String, String)]) -> Vec<String> {
    if !is_anchored(glob) {
        return vec![glob.to_owned()];
    }
    let (not, path) = glob.strip_prefix('!').map_or(("", glob), |rest| ("!", rest));
    let mut path = path;
    while let Some(rest) = path.strip_prefix("./") {
        path = rest.trim_start_matches('/');
    }
    let path = path.strip_prefix('/').unwrap_or(path);
    let mut all: Vec<String> = Vec::new();
    for (given, name) in folders {
        let name: String =
            name.split('/').filter(|part| !part.is_empty()).map(|part| literal_glob(part) + "/").collect();
        let mut add = |path: &str| {
            let glob = format!("{not}/{name}{path}");
            if !all.contains(&glob) {
                all.push(glob);
            }
        };
        add(path);
        let given = given.trim_matches('/');
        if let Some(rest) = path.strip_prefix(given).and_then(|rest| rest.strip_prefix('/')) {
            add(rest);
        }
    }
    all
}

/// Returns the rule for names relative to a folder (empty, or with a slash at the end) that corresponds to a rule for names
/// that begin with this folder. `None` if the glob may match other names as well.
pub(crate) fn below(rule: &Rule, folder: &str) -> Option<Rule> {
    let glob = rule.glob();
    if folder.is_empty() || !is_anchored(glob) {
        return Some(rule.clone());
    }
    let (not, path) = glob.strip_prefix('!').map_or(("", glob), |rest| ("!", rest));
    let rest = path.strip_prefix('/').unwrap_or(path).strip_prefix(&literal_glob(folder))?;
    let glob = format!("{not}/{rest}");
    Some(match rule {
        Rule::Include(_) => Rule::Include(glob),
        Rule::Exclude(_) => Rule::Exclude(glob),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_is_made_relative_only_to_a_folder_that_its_glob_names() {
        for (glob, expected) in [
            ("*.tmp", Some("*.tmp")),
            ("cache/", Some("cache/")),
            ("/a b/[d]/x", Some("/x")),
            ("a b/[d]/*/y/", Some("/*/y/")),
            ("!/a b/[d]/x", Some("!/x")),
            ("/a b/d/x", None),
            ("/x", None),
            ("**/x", None),
            ("{/a b,c/d}", None),
        ] {
            let glob = glob.replace("[d]", "\\[d\\]");
            let found = below(&Rule::Exclude(glob.clone()), "a b/[d]/");
            assert_eq!(found, expected.map(|glob| Rule::Exclude(glob.to_owned())), "{glob}");
        }
        assert_eq!(below(&Rule::Include("/x".to_owned()), ""), Some(Rule::Include("/x".to_owned())));
    }

    fn rules(globs: &[&str], folders: &[(&str, &str)]) -> Vec<String> {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        let own = |(path, name): &(&str, &str)| ((*path).to_owned(), (*name).to_owned());
        let folders: Vec<_> = folders.iter().map(own).collect();
        let rules = rules_of(&[], &globs, &folders).unwrap();
        rules.iter().map(|rule| rule.glob().to_owned()).collect()
    }

    #[test]
    fn globs_with_a_slash_are_stored_for_names_in_the_manifest() {
        for (globs, folders, expected) in [
            (&["*.tmp", "cache/"][..], &[("photos", "photos")][..], &["*.tmp", "cache/"][..]),
            (&["/a", "b/c"], &[(".", "")], &["/a", "b/c"]),
            (&["/a"], &[("photos", "")], &["/a"]),
            (&["./raw"], &[("photos", "photos")], &["/photos/raw"]),
            (&["photos/raw"], &[("photos", "")], &["/photos/raw", "/raw"]),
            (&["photos/raw"], &[("photos", "photos")], &["/photos/photos/raw", "/photos/raw"]),
            (&["a/b"], &[("x", "x"), ("y", "y")], &["/x/a/b", "/y/a/b"]),
            (&["{a,b/c}"], &[("x", "x")], &["a", "/x/b/c"]),
            (&["/a"], &[("[x]", "[x]")], &["/\\[x\\]/a"]),
        ] {
            assert_eq!(rules(globs, folders), expected, "{globs:?} {folders:?}");
        }
        assert!(rules_of(&[], &["a\nb".to_owned()], &[]).is_err());
    }

    #[test]
    fn file_is_excluded_only_if_all_manifests_exclude_it() {
        let lines = |text: &str| {
            let mut reader = truesum_manifest::Reader::new(text.as_bytes(), Default::default());
            reader.by_ref().for_each(drop);
            reader.rules()
        };
        let mut sets = RuleSets::default();
        assert!(sets.add(b"M", &lines("# truesum: exclude *.tmp\n")).is_none());
        let passes = |sets: &RuleSets, name: &[u8]| {
            sets.active().is_empty() || sets.active().iter().any(|names| names.passes(&[name], false))
        };
        assert!(!passes(&sets, b"a.tmp") && passes(&sets, b"a"));
        assert!(sets.add(b"N", &lines("# truesum: exclude *.bak\n")).is_none());
        assert!(passes(&sets, b"a.tmp") && passes(&sets, b"a.bak"));
        assert_eq!(sets.applied().len(), 2);
        assert!(sets.add(b"O", &lines("")).is_none());
        assert!(sets.active().is_empty() && sets.applied().is_empty());
        let mut sets = RuleSets::default();
        let why = sets.add(b"M", &lines("# truesum: exclude [\n")).unwrap();
        assert!(why.to_string().contains("the rules of the manifest are ignored: "), "{why}");
        assert!(sets.active().is_empty());
    }
}
