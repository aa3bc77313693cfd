//! Output of `certutil -hashfile` (Windows): three lines per file, in the language of the system.
//! The digest is on the second line.

use crate::digest::{is_hex, is_long_hex, tagged, untagged};
use crate::entry::Entry;
use crate::format::{Claim, Format, Head, Options, Parse, Reading, Sign};
use crate::line::{Found, LineError, Place, Reason};
use crate::scan;

pub(crate) static CERTUTIL: Format = Format {
    name: "certutil",
    summary: "output of certutil -hashfile (Windows)",
    sniff: |head: &Head<'_>| {
        let at = head.lines(b'\n').position(|line| line.starts_with(LAST))?;
        let others = head.lines(b'\n').take(at).filter(|line| !scan::is_empty(line)).count();
        (others == 0 || others == 2).then_some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::lines(|options| {
        Box::new(Runs {
            options: options.clone(),
            place: Place::Line(1),
            title: None,
            entry: None,
            good: false,
            failed: false,
        })
    }),
    ..Format::DEFAULT
};

/// The beginning of the last line of a run, in every language.
const LAST: &[u8] = b"CertUtil:";

/// Marks the last line of a failed run, in every language.
const FAILED: &[u8] = b": 0x";

/// Text before and after the file name, without the algorithm: English, Spanish, German, French,
/// Japanese, two versions of simplified Chinese, and traditional Chinese.
const AROUND: &[(&str, &str)] = &[
    ("hash of file ", ""),
    ("hash of ", ""),
    ("hash de archivo ", ""),
    ("hash de ", ""),
    ("Hash der Datei ", ""),
    ("Hash von ", ""),
    ("du fichier ", ""),
    ("de ", ""),
    ("ハッシュ (対象 ", ")"),
    ("哈希(文件 ", ")"),
    ("的 ", " 哈希"),
    ("的 ", " 雜湊"),
];

/// The algorithms of certutil.
const TAGS: &[&str] = &["MD2", "MD4", "MD5", "SHA1", "SHA256", "SHA384", "SHA512"];

struct Runs {
    options: Options,
    place: Place,
    /// The title (first line) of the current run, and its place.
    title: Option<(Place, Vec<u8>)>,
    /// The entry of the current run, which becomes valid with the third line.
    entry: Option<Entry>,
    /// True if any run has produced a digest.
    good: bool,
    /// True if a run failed without a title before any run succeeded. It is reported only if
    /// another title follows; otherwise the manifest has no entries, which is an error anyway.
    failed: bool,
}

const NO_DIGEST: Reason = Reason::Part("certutil failed, so there is no digest");
const CUT: Reason = Reason::Part("the final line 'CertUtil:' is missing");

impl Runs {
    fn digest(&self, title: &[u8], line: &[u8]) -> Result<Entry, Reason> {
        let digest: Vec<u8> = line.iter().copied().filter(|&byte| !scan::is_blank(byte)).collect();
        if !is_hex(&digest) {
            return Err(Reason::NotHex);
        }
        let title =
            title.strip_suffix(b":").or(title.strip_suffix("\u{ff1a}".as_bytes())).ok_or(Reason::NotALine)?;
        // French has a space before the colon, which may be one that does not break.
        let spaces = ["\u{a0}", "\u{202f}", " "];
        let title = spaces.iter().find_map(|space| title.strip_suffix(space.as_bytes())).unwrap_or(title);
        let mut rest = title;
        let mut tag = None;
        while tag.is_none() && !rest.is_empty() {
            let (word, behind) = scan::word(rest);
            // German joins the algorithm and the word for a hash.
            let first = scan::cut(word, b'-').map_or(word, |(first, _)| first);
            tag = TAGS.iter().copied().find(|tag| tag.as_bytes() == first);
            rest = if first.len() < word.len() && tag.is_some() { &rest[first.len() + 1..] } else { behind };
        }
        let (first, behind) = scan::word(title);
        let (spec, digest) = match tag {
            None if behind.starts_with(b"hash of ") => {
                let other = std::str::from_utf8(first).ok().filter(|first| first.len() <= 32);
                tagged(other.ok_or(Reason::NotALine)?, &digest, &self.options)?
            }
            Some(tag) => tagged(tag, &digest, &self.options)?,
            None => untagged(&digest, &self.options)?,
        };
        let name = if tag.is_some() { rest } else { title };
        let known = AROUND.iter().find_map(|(before, behind)| {
            name.strip_prefix(before.as_bytes())?.strip_suffix(behind.as_bytes())
        });
        // In an unknown language, assume that the name follows the last blank.
        let last = || &name[scan::rfind(name, scan::is_blank).map_or(0, |at| at + 1)..];
        let name = known.unwrap_or_else(last);
        // Words after the name cannot be recognised either.
        if known.is_none() && name.ends_with(b")") && !name.contains(&b'(') {
            return Err(Reason::Part(
                "it is unclear where the file name ends, because the language of this line is unknown",
            ));
        }
        Ok(Entry::new(name, spec, digest))
    }
}

impl Parse for Runs {
    fn at(&mut self, place: Place) {
        self.place = place;
    }

    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let line = scan::trim(line);
        if line.is_empty() {
            return Ok(None);
        }
        if line.starts_with(LAST) {
            let failed = line.windows(FAILED.len()).any(|part| part == FAILED);
            scan::count(line.len());
            return match (self.title.take(), self.entry.take()) {
                (None, None) if failed && self.good => Err(NO_DIGEST),
                (None, None) if failed => {
                    self.failed = true;
                    Ok(None)
                }
                (_, Some(entry)) => {
                    self.good = true;
                    Ok(Some(entry))
                }
                (Some(_), None) => Err(Reason::EmptyDigest),
                (None, None) => Ok(None),
            };
        }
        if self.entry.take().is_some() {
            self.title = None;
            return Err(CUT);
        }
        let joined: Vec<u8> = line.iter().copied().filter(|&byte| byte != b' ').collect();
        match self.title.take() {
            Some((_, title)) if is_long_hex(&joined) || !line.ends_with(b":") => {
                self.entry = Some(self.digest(&title, line)?);
            }
            before => {
                // Otherwise the digest would be assigned to the next title.
                if is_long_hex(&joined) {
                    return Err(Reason::Part("a digest without a preceding line that names its file"));
                }
                self.title = Some((self.place, line.to_vec()));
                if before.is_some() {
                    return Err(Reason::EmptyDigest);
                }
                if std::mem::take(&mut self.failed) {
                    return Err(Reason::Part(
                        "certutil failed before this, so the digest of another file is missing",
                    ));
                }
            }
        }
        Ok(None)
    }

    fn end(&mut self) -> Vec<Found> {
        let cut = self.entry.is_some() || self.title.is_some();
        cut.then_some(Err(LineError { at: self.place, reason: CUT })).into_iter().collect()
    }
}
