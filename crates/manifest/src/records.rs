//! What a document says of files, kept as bytes until somebody asks for the entries.
//!
//! A document has to be read to its end before its first entry may be given, and entries take ten times the bytes that a
//! document spells them with. So what was found is written down on a tape, and each entry is made from it when it is asked for.

use crate::digest::{in_any_base, is_nearly_algorithm, is_tag, untagged};
use crate::entry::Entry;
use crate::format::{Options, Parts};
use crate::line::{Found, Line, LineError, Place, Reason};
use crate::{radix, scan};
use std::collections::HashSet;

/// What is noted of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// A new entry, and its place.
    Begin = 1,
    Name,
    Size,
    /// The name of the algorithm of the digest that follows.
    Tag,
    Digest,
    /// A digest whose algorithm nothing tells.
    Bare,
    Fault,
    /// An entry only if others of this group are.
    Doubt,
    /// What has the form of a digest, under a name that may be an algorithm's that there is not.
    Unread,
}

const MARKS: [Mark; 9] = [
    Mark::Begin,
    Mark::Name,
    Mark::Size,
    Mark::Tag,
    Mark::Digest,
    Mark::Bare,
    Mark::Fault,
    Mark::Doubt,
    Mark::Unread,
];

/// In the place of a text's length: it follows in four bytes.
const LONG: u8 = u8::MAX;

/// The refusal of a document, or of a part of it.
pub(crate) fn refused(at: usize, what: &'static str) -> LineError {
    LineError { at: Place::Byte(at as u64), reason: Reason::Part(what) }
}

/// The end of a document whose reading was asked to end.
pub(crate) fn stopped(at: usize) -> LineError {
    refused(at, STOPPED)
}

/// Why such a document has no entries.
pub(crate) const STOPPED: &str = "not read completely, because the run was cancelled";

/// What was found so far.
#[derive(Default)]
pub(crate) struct Records {
    tape: Vec<u8>,
    faults: Vec<&'static str>,
    /// Where the last entry begins on the tape.
    last: usize,
    /// Its place: places never go back.
    at: usize,
    count: usize,
    /// Groups that hold entries without doubt.
    sure: HashSet<u32>,
    /// The algorithm of digests that say none.
    pub(crate) told: Option<String>,
    /// Whether a digest of an algorithm that there is not makes an entry bad, whatever else it has.
    strict: bool,
}

impl Records {
    /// Nothing yet, of a document in which an algorithm that there is not makes an entry bad.
    pub(crate) fn strict() -> Records {
        Records { strict: true, ..Records::default() }
    }

    /// How many entries there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Begins an entry that stands at this byte.
    pub(crate) fn begin(&mut self, at: usize) {
        self.at = self.at.max(at);
        self.last = self.tape.len();
        self.count += 1;
        self.push_number(Mark::Begin, self.at as u64);
    }

    /// Takes back the entry begun last.
    pub(crate) fn cancel(&mut self) {
        self.tape.truncate(self.last);
        self.count -= 1;
    }

    /// Makes the entry begun last one only if its group has another that is one without doubt.
    pub(crate) fn doubt(&mut self, group: u32) {
        self.count -= 1;
        self.push_number(Mark::Doubt, group.into());
    }

    /// Says that this group holds entries.
    pub(crate) fn confirm(&mut self, group: u32) {
        self.sure.insert(group);
    }

    /// Most texts are short, and a row of two bytes may have two marks: lengths take a byte where that does.
    fn push(&mut self, mark: Mark, text: &[u8]) {
        match u8::try_from(text.len()) {
            Ok(len) if len < LONG => self.tape.extend_from_slice(&[mark as u8, len]),
            _ => {
                self.tape.extend_from_slice(&[mark as u8, LONG]);
                // Documents have less than 4 GiB.
                self.tape.extend_from_slice(&(text.len() as u32).to_le_bytes());
            }
        }
        self.tape.extend_from_slice(text);
    }

    /// A number, without the zeros above it.
    fn push_number(&mut self, mark: Mark, number: u64) {
        let len = (u64::BITS - number.leading_zeros()).div_ceil(8) as usize;
        self.push(mark, &number.to_le_bytes()[..len]);
    }

    /// The name. There is one of an entry.
    pub(crate) fn name(&mut self, name: &[u8]) {
        self.push(Mark::Name, name);
    }

    /// The size, in decimal.
    pub(crate) fn size(&mut self, digits: &[u8]) {
        self.push(Mark::Size, digits);
    }

    /// A digest of the algorithm of this name.
    pub(crate) fn digest(&mut self, tag: &[u8], digest: &[u8]) {
        self.push(Mark::Tag, tag);
        self.push(Mark::Digest, digest);
    }

    /// A digest that may say itself of which algorithm it is: `ALG:DIGEST`, or `ALG-BASE64` (W3C SRI), one or several.
    pub(crate) fn stated_digest(&mut self, text: &[u8]) {
        for word in text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()) {
            match stated(word) {
                Some((tag, digest)) => self.digest(tag, digest),
                None => self.push(Mark::Bare, word),
            }
        }
    }

    /// A digest, to all appearances, of the algorithm of this name, which may be none: it is told that nobody compares it.
    pub(crate) fn unread(&mut self, name: &[u8]) {
        self.push(Mark::Unread, name);
    }

    /// What is wrong with this entry: it is a bad part of the document.
    pub(crate) fn fault(&mut self, what: &'static str) {
        self.fault_of(what, b"");
    }

    /// The same of what stands under this key.
    pub(crate) fn fault_of(&mut self, what: &'static str, key: &[u8]) {
        let at = self.faults.iter().position(|known| *known == what).unwrap_or_else(|| {
            self.faults.push(what);
            self.faults.len() - 1
        });
        // A format has some dozen.
        self.push(Mark::Fault, &[&(at as u16).to_le_bytes()[..], key].concat());
    }

    /// The entries.
    pub(crate) fn read(self, options: &Options) -> Parts {
        Box::new(Read {
            tape: self.tape,
            faults: self.faults,
            sure: self.sure,
            told: self.told,
            strict: self.strict,
            next: 0,
            options: options.clone(),
        })
    }
}

/// Cuts the algorithm's name off a digest that has it in front.
pub(crate) fn stated(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let head = &word[..word.len().min(64)];
    if let Some(at) = scan::find(head, |byte| byte == b':') {
        return Some((&word[..at], &word[at + 1..]));
    }
    // A hyphen also stands in names of algorithms; what follows it here is base64, and longer than any length in a name.
    let at = scan::find(head, |byte| byte == b'-')?;
    let (tag, rest) = (&word[..at], &word[at + 1..]);
    (!tag.is_empty() && tag[0].is_ascii_alphabetic()).then(|| {
        // What may follow the base64 are options, which nobody defined yet.
        let end = scan::find(rest, |byte| byte == b'?').unwrap_or(rest.len());
        (tag, &rest[..end])
    })
}

struct Read {
    tape: Vec<u8>,
    faults: Vec<&'static str>,
    sure: HashSet<u32>,
    told: Option<String>,
    strict: bool,
    next: usize,
    options: Options,
}

impl Read {
    /// The mark at `next`, and its text.
    fn mark(&self, at: usize) -> Option<(Mark, &[u8], usize)> {
        let mark = *self.tape.get(at)?;
        let mark = MARKS.into_iter().find(|known| *known as u8 == mark)?;
        let (begin, len) = match *self.tape.get(at + 1)? {
            LONG => (at + 6, u32::from_le_bytes(self.tape.get(at + 2..at + 6)?.try_into().ok()?) as usize),
            len => (at + 2, len as usize),
        };
        let text = self.tape.get(begin..begin + len)?;
        Some((mark, text, begin + len))
    }
}

/// The place or number that was noted.
fn number(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = text.len().min(8);
    bytes[..len].copy_from_slice(&text[..len]);
    u64::from_le_bytes(bytes)
}

impl Iterator for Read {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let (found, doubted) = self.one()?;
            if doubted.is_none_or(|group| self.sure.contains(&group)) {
                return Some(found);
            }
        }
    }
}

impl Read {
    /// The next entry, and the group without which it is none.
    fn one(&mut self) -> Option<(Found, Option<u32>)> {
        let mut doubted = None;
        let (_, text, mut next) = self.mark(self.next)?;
        let at = Place::Byte(number(text));
        let (mut entry, mut fault, mut passed): (Entry, Option<Reason>, Option<Reason>) = Default::default();
        let mut named = false;
        let mut tag = Vec::new();
        while let Some((mark, text, behind)) = self.mark(next) {
            if mark == Mark::Begin {
                break;
            }
            next = behind;
            let found = match mark {
                Mark::Begin => break,
                Mark::Name => {
                    if named && entry.path != text {
                        fault = fault.or(Some(Reason::Part("two names for one file")));
                    }
                    (entry.path, named) = (text.to_vec(), true);
                    continue;
                }
                Mark::Size => {
                    match scan::decimal(text) {
                        Some(size) if entry.size.is_none_or(|known| known == size) => entry.size = Some(size),
                        Some(_) => fault = fault.or(Some(Reason::Part("two sizes for one file"))),
                        None => fault = fault.or(Some(Reason::Size)),
                    }
                    continue;
                }
                Mark::Fault => {
                    let (what, key) = text.split_at(2);
                    let what = self.faults.get(number(what) as usize).copied().unwrap_or_default();
                    fault = fault.or(Some(match key {
                        b"" => Reason::Part(what),
                        key => Reason::Said(format!("{what}: {}", String::from_utf8_lossy(key))),
                    }));
                    continue;
                }
                Mark::Tag => {
                    tag = text.to_vec();
                    continue;
                }
                Mark::Unread => {
                    entry.unread.push(String::from_utf8_lossy(text).into_owned());
                    continue;
                }
                Mark::Doubt => {
                    doubted = Some(number(text) as u32);
                    continue;
                }
                Mark::Bare => match &self.told {
                    Some(tag) => digest(tag.as_bytes(), text, &self.options),
                    None => untagged(text, &self.options),
                },
                Mark::Digest => digest(&tag, text, &self.options),
            };
            match found {
                // The same said twice is said once.
                Ok(found) if entry.digests.contains(&found) => {}
                Ok(found) => entry.digests.push(found),
                // Not another algorithm, but the damaged name of one.
                Err(reason) if reason.unknown().is_some() && (self.strict || is_nearly_algorithm(&tag)) => {
                    fault = fault.or(Some(reason));
                }
                // Others of the same file may do.
                Err(reason) => match reason.unknown().map(str::to_owned) {
                    None if !matches!(reason, Reason::NotAsked(_)) => fault = fault.or(Some(reason)),
                    unknown => {
                        entry.unread.extend(unknown);
                        passed = passed.or(Some(reason));
                    }
                },
            }
        }
        self.next = next;
        if !named {
            fault = fault.or(Some(Reason::EmptyName));
        }
        if entry.digests.is_empty() {
            fault = fault.or(passed);
        }
        let found = match fault {
            Some(reason) => Err(LineError { at, reason }),
            None => Ok(Line { at, entry }),
        };
        Some((found, doubted))
    }
}

/// The digest that a document calls one of `tag`.
fn digest(
    tag: &[u8],
    text: &[u8],
    options: &Options,
) -> Result<(truesum_hash::Spec, truesum_hash::Digest), Reason> {
    let name = std::str::from_utf8(tag).ok().filter(|_| is_tag(tag) && !tag.is_empty());
    let name = name.ok_or(Reason::Part("invalid algorithm name"))?;
    if name == "c4" {
        let bytes = radix::c4(text).ok_or(Reason::Part("not a C4 identifier"))?;
        return crate::digest::of_bytes("sha512", &bytes, options);
    }
    in_any_base(name, text, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &[u8] = b"9dd4e461268c8034f5c8564e155c67a6";

    fn read(records: Records) -> Vec<String> {
        let text = |found: Found| match found {
            Ok(line) => {
                format!(
                    "{} {} {}",
                    line.at,
                    String::from_utf8_lossy(&line.entry.path),
                    line.entry.digests.len()
                )
            }
            Err(error) => error.to_string(),
        };
        records.read(&Options::default()).map(text).collect()
    }

    #[test]
    fn entries_come_back_in_order_with_what_is_wrong_with_them() {
        let mut records = Records::default();
        records.begin(3);
        records.name(b"a");
        records.digest(b"md5", MD5);
        records.digest(b"MD5", b"ndTkYSaMgDT1yFZOFVxnpg==");
        records.begin(9);
        records.name(b"b");
        records.digest(b"nosuch", MD5);
        records.begin(10);
        records.cancel();
        records.begin(1);
        records.digest(b"md5", MD5);
        records.begin(12);
        records.name(b"c");
        records.size(b"-1");
        records.begin(12);
        records.name(b"d");
        records.fault("odd");
        assert_eq!(records.count(), 5);
        assert_eq!(
            read(records),
            [
                "byte 3: no file name",
                "byte 3 a 1",
                "byte 9: unknown algorithm 'nosuch'",
                "byte 10: no file name",
                "byte 12: invalid size",
                "byte 12: odd"
            ][1..]
        );
    }

    #[test]
    fn a_digest_may_say_its_algorithm() {
        assert_eq!(stated(b"sha256:00"), Some((&b"sha256"[..], &b"00"[..])));
        assert_eq!(stated(b"sha512-AAAA?x"), Some((&b"sha512"[..], &b"AAAA"[..])));
        assert_eq!(stated(MD5), None);
        assert_eq!(stated(b"-x"), None);
    }
}
