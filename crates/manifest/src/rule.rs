//! Rules of a manifest: comment lines that state which files were excluded when it was written, so
//! that they are not reported as missing from it (docs/spec/manifests.md, "Rules").

use std::fmt;
use std::io;

/// A rule about the files that a manifest covers: a glob in the syntax of `.gitignore`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The manifest contains only files that match this glob, or another one of this kind.
    Include(String),
    /// The manifest contains no files or folders that match this glob.
    Exclude(String),
}

/// The words after the mark of a comment.
const PREFIX: &str = " truesum: ";
/// The maximum number of rules that are read.
const MOST: usize = 1000;

impl Rule {
    /// Returns the glob.
    pub fn glob(&self) -> &str {
        match self {
            Rule::Include(glob) | Rule::Exclude(glob) => glob,
        }
    }

    /// Parses `include GLOB` or `exclude GLOB`. Returns `None` for anything else.
    pub fn parse(text: &str) -> Option<Rule> {
        let (kind, glob) = text.split_once(' ').filter(|(_, glob)| !glob.is_empty())?;
        match kind {
            "include" => Some(Rule::Include(glob.to_owned())),
            "exclude" => Some(Rule::Exclude(glob.to_owned())),
            _ => None,
        }
    }

    /// Returns whether the rule can be stored on a line of its own.
    pub fn fits_line(&self) -> bool {
        !self.glob().is_empty() && !self.glob().chars().any(char::is_control)
    }

    /// Appends the comment line without its terminator.
    pub(crate) fn append(&self, mark: &str, text: &mut Vec<u8>) {
        text.extend_from_slice(format!("{mark}{PREFIX}{self}").as_bytes());
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Include(glob) => write!(f, "include {glob}"),
            Rule::Exclude(glob) => write!(f, "exclude {glob}"),
        }
    }
}

/// The rules of a manifest. If some of them cannot be used, none is: without an include rule, the
/// others would hide the files that it includes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    all: Vec<Rule>,
    is_invalid: bool,
}

impl From<Vec<Rule>> for Rules {
    fn from(all: Vec<Rule>) -> Rules {
        Rules { all, is_invalid: false }
    }
}

impl Rules {
    /// Returns the rules in the order of their lines.
    pub fn all(&self) -> &[Rule] {
        if self.is_invalid { &[] } else { &self.all }
    }

    /// Returns whether a text may contain rules as comments, which is much faster than reading its entries. A text with zero
    /// bytes always may, because it can be UTF-16.
    ///
    /// # Errors
    /// Returns the error of `text`.
    pub fn may_be_in(mut text: impl io::Read) -> io::Result<bool> {
        let finder = memchr::memmem::Finder::new(PREFIX);
        let mut buffer = vec![0; 1 << 16];
        let mut kept = 0;
        loop {
            let read = match text.read(&mut buffer[kept..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            let end = kept + read;
            if read == 0 || finder.find(&buffer[..end]).is_some() || buffer[..end].contains(&0) {
                return Ok(read > 0);
            }
            // The prefix may continue in the next block.
            kept = end.min(PREFIX.len() - 1);
            buffer.copy_within(end - kept..end, 0);
        }
    }

    /// Returns whether there are rules that are ignored, because they are too many or not UTF-8.
    pub fn is_invalid(&self) -> bool {
        self.is_invalid
    }

    /// Reads a line. Returns false if it is not a rule.
    pub(crate) fn line(&mut self, line: &[u8]) -> bool {
        let Some(rule) = line
            .split_first()
            .filter(|(mark, _)| b"#;".contains(mark))
            .and_then(|(_, rest)| rest.strip_prefix(PREFIX.as_bytes()))
        else {
            return false;
        };
        if !rule.starts_with(b"include ") && !rule.starts_with(b"exclude ") {
            return false;
        }
        match std::str::from_utf8(rule).ok().and_then(Rule::parse) {
            Some(rule) => self.add(rule),
            None => self.is_invalid = true,
        }
        true
    }

    /// Adds a rule.
    pub(crate) fn add(&mut self, rule: Rule) {
        match self.all.len() < MOST {
            true => self.all.push(rule),
            false => self.is_invalid = true,
        }
    }
}

/// Returns a glob that matches only this name: special characters are escaped.
pub fn literal_glob(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        if "*?[]{}\\!".contains(c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FORMATS, Heading, Options, Reader, SfvStyle, Style, Writer};

    fn rules(text: &[u8]) -> (Vec<Vec<u8>>, Rules) {
        let mut reader = Reader::new(text, Options::default());
        let names = reader.by_ref().map(|line| line.unwrap().entry.path).collect();
        (names, reader.rules())
    }

    #[test]
    fn rules_are_found_at_every_place_of_a_text() {
        for before in (65_500..65_560).chain([0, 1]) {
            let text = [&b"x".repeat(before)[..], b"\n# truesum: exclude a\n"].concat();
            assert!(Rules::may_be_in(&text[..]).unwrap(), "{before}");
            let other = [&text[..before + 5], b"n", &text[before + 5..]].concat();
            assert!(!Rules::may_be_in(&other[..]).unwrap(), "{before}");
        }
        assert!(Rules::may_be_in(&b"#\0 \0t\0"[..]).unwrap(), "another encoding");
        assert!(!Rules::may_be_in(&b""[..]).unwrap());
    }

    #[test]
    fn rules_are_read_back_from_every_format_with_comments() {
        // Globs that resemble names of algorithms, headings, digests and comments.
        let globs =
            ["*.md5", "SHA512/", "md5:", "# x", "d41d8cd98f00b204e9800998ecf8427e", "[a-z] b ", "\u{e9}*"];
        let all: Vec<Rule> = globs
            .iter()
            .flat_map(|glob| [Rule::Exclude((*glob).to_owned()), Rule::Include((*glob).to_owned())])
            .collect();
        let mut formats = 0;
        for format in FORMATS.iter().filter(|format| format.comment().is_some()) {
            for sfv in [SfvStyle::Plain, SfvStyle::Cksfv, SfvStyle::Cfv, SfvStyle::Win] {
                let spec = format.capabilities().usual_algorithm();
                let heading = Heading::default().rules(all.clone()).style(Style::default().sfv(sfv));
                let mut writer = Writer::new(Vec::new(), format, &heading);
                for name in ["a", "b"] {
                    let digest = spec.digest(b"");
                    let digests = vec![(spec.clone(), digest)];
                    let entry =
                        crate::Entry { path: name.into(), size: Some(0), digests, ..Default::default() };
                    writer.write(&entry).unwrap();
                }
                let text = writer.finish().unwrap();
                let mut reader = Reader::new(&text[..], Options::default());
                let lines: Vec<_> = reader.by_ref().map(Result::unwrap).collect();
                assert_eq!(reader.format(), Some(*format));
                assert_eq!(reader.rules().all(), all, "{}", format.name());
                let names: Vec<&[u8]> = lines.iter().map(|line| &line.entry.path[..]).collect();
                assert_eq!(names, [b"a", b"b"]);
                assert!(lines.iter().all(|line| line.entry.digests[0].0 == spec), "{}", format.name());
            }
            formats += 1;
        }
        assert_eq!(formats, 4);
    }

    #[test]
    fn unusable_rules_disable_all_rules() {
        let entry = "d41d8cd98f00b204e9800998ecf8427e  a\n";
        let (names, found) =
            rules(format!("{entry}# truesum: exclude *.tmp\n# truesum: other x\n").as_bytes());
        assert_eq!(names, [b"a"]);
        assert_eq!(found.all(), [Rule::Exclude("*.tmp".to_owned())]);
        for bad in [
            &b"# truesum: include \xff\n"[..],
            b"# truesum: exclude \n",
            &b"# truesum: exclude a\n".repeat(1000),
        ] {
            let text = [entry.as_bytes(), b"# truesum: exclude b\n", bad].concat();
            let (names, found) = rules(&text);
            assert_eq!(names, [b"a"]);
            assert!(found.all().is_empty() && found.is_invalid());
        }
        // A name that begins like a rule is a name.
        let (names, found) = rules(b"d41d8cd98f00b204e9800998ecf8427e  # truesum: exclude b\n");
        assert_eq!((&names[0][..], found), (&b"# truesum: exclude b"[..], Rules::default()));
    }

    #[test]
    fn rules_outside_of_the_signed_text_are_not_read() {
        let text = b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n# truesum: exclude signed\nd41d8cd98f00b204e9800998ecf8427e  a\n-----BEGIN PGP SIGNATURE-----\n\n# truesum: exclude unsigned\n-----END PGP SIGNATURE-----\n# truesum: exclude after\n";
        let mut reader = Reader::new(&text[..], Options::default());
        reader.by_ref().for_each(drop);
        assert_eq!(reader.rules().all(), [Rule::Exclude("signed".to_owned())]);
    }
}
