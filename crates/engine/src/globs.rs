//! Globs in the syntax of `.gitignore` (gitignore(5)). The last glob that matches decides.

use gix_glob::Pattern;
use gix_glob::pattern::Case;
use gix_glob::wildmatch::Mode;

/// Globs in the order in which they were given.
#[derive(Debug, Default)]
pub(crate) struct Globs(Vec<Pattern>);

/// The maximum number of globs that the braces of one expand to.
const MAX_EXPANSIONS: usize = 1000;

impl Globs {
    /// Adds a glob after expanding its braces: `*.{jpg,png}` is two globs.
    ///
    /// # Errors
    /// Fails if the glob is invalid: a bracket or brace is not closed, or nothing follows a backslash.
    pub(crate) fn add(&mut self, glob: &str) -> Result<(), String> {
        self.add_each(glob, "")
    }

    /// Adds a glob whose files are excluded, as if `!` preceded it.
    ///
    /// # Errors
    /// Fails like [`Globs::add`].
    pub(crate) fn exclude(&mut self, glob: &str) -> Result<(), String> {
        self.add_each(glob, "!")
    }

    fn add_each(&mut self, glob: &str, not: &str) -> Result<(), String> {
        let globs = expanded(glob)?;
        self.0.extend(globs.iter().filter_map(|glob| pattern(anchored(&format!("{not}{glob}")).as_bytes())));
        Ok(())
    }

    /// Returns the globs of an ignore file. As in git, invalid globs match nothing, and braces are ordinary characters.
    pub(crate) fn of_ignore_file(text: &[u8]) -> Globs {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        Globs(
            lines.filter(|line| !line.starts_with(b"#")).filter_map(|line| pattern(trimmed(line))).collect(),
        )
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether there is a glob without `!`.
    pub(crate) fn any_takes(&self) -> bool {
        self.0.iter().any(|glob| !glob.is_negative())
    }

    /// Returns whether the last glob that matches one of these spellings of a path is one without `!` (`true`) or with it
    /// (`false`); `None` if none matches.
    pub(crate) fn takes(&self, spellings: &[&[u8]], is_folder: bool) -> Option<bool> {
        let matches = |glob: &&Pattern| {
            spellings.iter().any(|path| {
                let path = path.strip_prefix(b"/").unwrap_or(path);
                let base = path.iter().rposition(|&byte| byte == b'/').map(|slash| slash + 1);
                let mode = Mode::NO_MATCH_SLASH_LITERAL;
                glob.matches_repo_relative_path(path.into(), base, Some(is_folder), Case::Sensitive, mode)
            })
        };
        self.0.iter().rev().find(matches).map(|glob| !glob.is_negative())
    }
}

/// Returns a glob with `/` instead of `./` at its beginning: both stand for the folder that is searched.
fn anchored(glob: &str) -> String {
    let (not, rest) = glob.strip_prefix('!').map_or(("", glob), |rest| ("!", rest));
    let mut below = rest;
    while let Some(behind) = below.strip_prefix("./") {
        below = behind.trim_start_matches('/');
    }
    if below.len() == rest.len() || below.is_empty() { glob.to_owned() } else { format!("{not}/{below}") }
}

/// Parses one glob. Repeated `**/` are reduced to one, which is equivalent and bounds the matching time.
fn pattern(glob: &[u8]) -> Option<Pattern> {
    let mut plain: Vec<u8> = Vec::with_capacity(glob.len());
    for &byte in glob {
        plain.push(byte);
        let again = plain == b"**/**/" || plain.ends_with(b"/**/**/");
        if again {
            plain.truncate(plain.len() - b"**/".len());
        }
    }
    Pattern::from_bytes(&plain)
}

/// Returns a line without trailing blanks, except one that is escaped by a backslash.
fn trimmed(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1);
    let escaped = line[..end].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
    &line[..(end + usize::from(escaped)).min(line.len())]
}

/// Returns the brace-free expansions of a glob.
///
/// # Errors
/// Fails like [`Globs::add`].
pub(crate) fn expanded(glob: &str) -> Result<Vec<String>, String> {
    let mut expanded = Vec::new();
    expand(glob, String::new(), &mut expanded)
        .map_err(|why| format!("error parsing glob '{}': {why}", glob.escape_debug()))?;
    Ok(expanded)
}

/// Collects the brace-free expansions of a glob; `before` is the text before it.
fn expand(glob: &str, mut before: String, all: &mut Vec<String>) -> Result<(), String> {
    let mut rest = glob.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            '\\' => {
                let (_, escaped) = rest.next().ok_or("nothing follows the last backslash")?;
                before.extend([c, escaped]);
            }
            '[' => {
                // The first character of a class belongs to it, even if it would otherwise close it.
                let class = &glob[at + 1..];
                let skip = class.find(|c| c != '!' && c != '^').unwrap_or(0).min(1);
                let first = class[skip..].chars().next().map_or(0, char::len_utf8);
                let end = class[skip + first..].find(']').ok_or("unclosed character class; missing ']'")?;
                let end = at + 1 + skip + first + end;
                before.push_str(&glob[at..=end]);
                rest = glob[..].char_indices();
                rest.by_ref().take_while(|(place, _)| *place < end).for_each(drop);
            }
            '{' => {
                let (choices, behind) = choices(&glob[at + 1..])?;
                for choice in choices {
                    expand(&format!("{choice}{behind}"), before.clone(), all)?;
                }
                return Ok(());
            }
            c => before.push(c),
        }
    }
    if all.len() == MAX_EXPANSIONS {
        return Err(format!("its braces expand to more than {MAX_EXPANSIONS} globs"));
    }
    all.push(before);
    Ok(())
}

/// Returns the alternatives in a brace and the text after it.
fn choices(text: &str) -> Result<(Vec<&str>, &str), String> {
    let (mut choices, mut from, mut depth) = (Vec::new(), 0, 0);
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            '\\' => drop(rest.next()),
            '{' => depth += 1,
            ',' if depth == 0 => {
                choices.push(&text[from..at]);
                from = at + 1;
            }
            '}' if depth == 0 => {
                choices.push(&text[from..at]);
                return Ok((choices, &text[at + 1..]));
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    Err("unclosed brace group: '}' is missing (write '\\{' for a literal '{')".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(all: &[&str]) -> Globs {
        let mut globs = Globs::default();
        all.iter().for_each(|glob| globs.add(glob).unwrap());
        globs
    }

    #[test]
    fn last_matching_glob_decides() {
        for (all, path, is_folder, takes) in [
            (&["*.jpg"][..], "a/b.jpg", false, Some(true)),
            (&["*.jpg", "!b.*"], "a/b.jpg", false, Some(false)),
            (&["*.{jpg,p{ng,df}}"], "a/b.pdf", false, Some(true)),
            (&["*.{jpg,png}"], "a/b.gif", false, None),
            (&["/b"], "a/b", false, None),
            (&["/a"], "/a", false, Some(true)),
            (&["./a"], "a", false, Some(true)),
            (&["./a"], "b/a", false, None),
            (&["!.//./a/*"], "a/b", false, Some(false)),
            (&["b/"], "a/b", false, None),
            (&["b/"], "a/b", true, Some(true)),
            (&["a/**/z"], "a/b/c/z", false, Some(true)),
            (&["a/*"], "a/b/c", false, None),
            (&["[!]a]"], "b", false, Some(true)),
            (&["[!]a]"], "]", false, None),
            (&["[{}]"], "}", false, Some(true)),
            (&["\\{a"], "{a", false, Some(true)),
            (&["a?"], "a\u{0}", false, Some(true)),
            (&["**/**/**/b"], "a/c/b", false, Some(true)),
            (&["a/**/**/**/b"], "a/b", false, Some(true)),
            (&["\\**/**/b"], "*c/d/b", false, Some(true)),
        ] {
            assert_eq!(globs(all).takes(&[path.as_bytes()], is_folder), takes, "{all:?} {path}");
        }
    }

    #[test]
    fn many_wildcards_match_quickly() {
        let (folders, stars) = (vec!["a"; 500].join("/"), "*a".repeat(30));
        for glob in ["**/".repeat(80) + "b", format!("/{}b", "**/".repeat(80)), format!("{stars}b")] {
            assert_eq!(globs(&[&glob]).takes(&[folders.as_bytes()], false), None, "{glob}");
        }
    }

    #[test]
    fn invalid_globs_are_errors_except_in_ignore_files() {
        for glob in ["[a", "[]", "[!]", "{a,b", "a\\", "{a,[b}"] {
            assert!(Globs::default().add(glob).is_err(), "{glob}");
        }
        assert!(Globs::default().add(&"{a,b}".repeat(10)).is_err());
        let file =
            Globs::of_ignore_file(b"\xef\xbb\xbf*.log\r\n# *.txt\n!keep.log \n[a\n{b,c}\n\\#d\ne\\ \n");
        for (path, takes) in [
            ("x.log", Some(true)),
            ("x.txt", None),
            ("keep.log", Some(false)),
            ("b", None),
            ("{b,c}", Some(true)),
            ("#d", Some(true)),
            ("e ", Some(true)),
            ("e", None),
        ] {
            assert_eq!(file.takes(&[path.as_bytes()], false), takes, "{path}");
        }
    }
}
