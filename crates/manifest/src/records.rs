//! The information about files in a document, kept as bytes until entries are requested.
//!
//! A document must be read to its end before its first entry may be returned, and entries take ten
//! times as many bytes as their text in a document. The information is therefore recorded on a
//! tape, and each entry is created from it on request.

use crate::digest::{in_any_base, is_long_hex, is_nearly_algorithm, is_tag, untagged};
use crate::entry::{Entry, ObjectKind};
use crate::format::{Options, Parts};
use crate::line::{Line, LineError, LineResult, Place, Reason};
use crate::{radix, scan};
use std::collections::HashSet;
use truesum_hash::Spec;

/// The kind of a record on the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// The start of an entry, with its position.
    Begin = 1,
    Name,
    Size,
    /// The name of the algorithm of the digest that follows.
    Tag,
    Digest,
    /// A digest that is accepted in place of the one of the same algorithm.
    Alternative,
    /// A digest whose algorithm is not specified.
    Bare,
    Fault,
    /// The entry counts only if its group is confirmed.
    Doubt,
    /// The name for a text in the form of a digest, which may be that of an unsupported algorithm.
    Unread,
    /// The name of an attribute that is not read.
    Attribute,
    /// The entry describes an object that is not a regular file, of the kind with this index.
    Object,
}

const MARKS: [Mark; 12] = [
    Mark::Begin,
    Mark::Name,
    Mark::Size,
    Mark::Tag,
    Mark::Digest,
    Mark::Alternative,
    Mark::Bare,
    Mark::Fault,
    Mark::Doubt,
    Mark::Unread,
    Mark::Attribute,
    Mark::Object,
];

/// The value in place of a text's length that means that the length follows in four bytes.
const LONG: u8 = u8::MAX;

/// Returns the error for rejecting a document or a part of it.
pub(crate) fn refused(at: usize, what: &'static str) -> LineError {
    LineError { at: Place::Byte(at as u64), reason: Reason::Part(what) }
}

/// Returns the error for a document whose reading was stopped.
pub(crate) fn stopped(at: usize) -> LineError {
    refused(at, STOPPED)
}

/// The reason why such a document has no entries.
pub(crate) const STOPPED: &str = "not read completely, because the run was canceled";

/// The records of a document so far.
#[derive(Default)]
pub(crate) struct Records {
    tape: Vec<u8>,
    faults: Vec<&'static str>,
    /// The offset of the last entry on the tape.
    last: usize,
    /// The position of the last entry in the document. Positions never decrease.
    at: usize,
    count: usize,
    /// Groups that are confirmed to contain entries.
    sure: HashSet<u32>,
    /// The algorithm of digests that do not specify one.
    pub(crate) algorithm: Option<String>,
    /// True if a digest of an unsupported algorithm makes an entry bad, even if it has other
    /// digests.
    strict: bool,
    /// True if the names of attributes that are not read were requested.
    attributes: bool,
    /// The names so far, each with the tags of its digests, if none may occur twice.
    names: Option<HashSet<Vec<u8>>>,
    /// The tags of the digests of the last entry.
    tags: Vec<u8>,
}

impl Records {
    /// Creates empty records.
    pub(crate) fn new(options: &Options) -> Records {
        Records { attributes: options.attributes, ..Records::default() }
    }

    /// Creates empty records of a document in which an unsupported algorithm makes an entry bad.
    pub(crate) fn strict(options: &Options) -> Records {
        Records { strict: true, ..Records::new(options) }
    }

    /// Creates empty records of a document in which each name occurs once with the same algorithms: if it occurs
    /// again, the part that distinguishes the files was not recognized. Names follow the digests.
    pub(crate) fn with_names_once(options: &Options) -> Records {
        Records { names: Some(HashSet::new()), ..Records::new(options) }
    }

    /// Returns the number of entries.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Starts an entry at this offset in the document.
    pub(crate) fn begin(&mut self, at: usize) {
        self.at = self.at.max(at);
        self.last = self.tape.len();
        self.tags.clear();
        self.count += 1;
        self.push_number(Mark::Begin, self.at as u64);
    }

    /// Removes the last entry.
    pub(crate) fn cancel(&mut self) {
        self.tape.truncate(self.last);
        self.count -= 1;
    }

    /// Makes the last entry count only if its group is confirmed.
    pub(crate) fn doubt(&mut self, group: u32) {
        self.count -= 1;
        self.push_number(Mark::Doubt, group.into());
    }

    /// Confirms that this group contains entries, if there is one.
    pub(crate) fn confirm(&mut self, group: Option<u32>) {
        self.sure.extend(group);
    }

    /// Appends a record. Most texts are short, and a row of two bytes may need two records, so a
    /// length takes only one byte if possible.
    fn push(&mut self, mark: Mark, text: &[u8]) {
        match u8::try_from(text.len()) {
            Ok(len) if len < LONG => self.tape.extend_from_slice(&[mark as u8, len]),
            _ => {
                self.tape.extend_from_slice(&[mark as u8, LONG]);
                // Documents are smaller than 4 GiB.
                self.tape.extend_from_slice(&(text.len() as u32).to_le_bytes());
            }
        }
        self.tape.extend_from_slice(text);
    }

    /// Appends a record of a number, without its most significant zero bytes.
    fn push_number(&mut self, mark: Mark, number: u64) {
        let len = (u64::BITS - number.leading_zeros()).div_ceil(8) as usize;
        self.push(mark, &number.to_le_bytes()[..len]);
    }

    /// Records the name of the file. An entry has only one.
    pub(crate) fn name(&mut self, name: &[u8]) {
        self.push(Mark::Name, name);
        if let Some(names) = &mut self.names
            && !name.is_empty()
            && !self.tags.is_empty()
            && !names.insert([name, b"\0", &self.tags].concat())
        {
            self.fault("another entry has the same name, so the folder of the file is unknown");
        }
    }

    /// Records the size of the file, in decimal.
    pub(crate) fn size(&mut self, digits: &[u8]) {
        self.push(Mark::Size, digits);
    }

    /// Records a digest of the algorithm with this name.
    pub(crate) fn digest(&mut self, tag: &[u8], digest: &[u8]) {
        self.push(Mark::Tag, tag);
        self.push(Mark::Digest, digest);
        self.tags.extend_from_slice(tag);
        self.tags.push(0);
    }

    /// Records a digest that is accepted in place of the one of the same algorithm.
    pub(crate) fn alternative(&mut self, tag: &[u8], digest: &[u8]) {
        self.push(Mark::Tag, tag);
        self.push(Mark::Alternative, digest);
    }

    /// Records one or more digests that may specify their algorithm: `ALG:DIGEST`, or `ALG-BASE64`
    /// (W3C SRI).
    pub(crate) fn stated_digest(&mut self, text: &[u8]) {
        for word in text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()) {
            match stated(word) {
                // Terraform's digest of the unpacked files of an archive.
                Some((b"h1", _)) => self.unread(b"h1"),
                Some((tag, digest)) => self.digest(tag, digest),
                None => {
                    self.push(Mark::Bare, word);
                    self.tags.push(0);
                }
            }
        }
    }

    /// Records an apparent digest of an algorithm with this name, which may be unsupported. It is
    /// reported as not compared.
    pub(crate) fn unread(&mut self, name: &[u8]) {
        self.push(Mark::Unread, name);
    }

    /// Records an attribute of the file that is not read, if such names were requested.
    pub(crate) fn attribute(&mut self, name: &[u8]) {
        if self.attributes {
            self.push(Mark::Attribute, name);
        }
    }

    /// Records that the entry describes an object that is not a regular file and has no digest.
    pub(crate) fn object(&mut self, kind: ObjectKind) {
        self.push(Mark::Object, &[kind as u8]);
    }

    /// Records an error, which makes the entry a bad part of the document.
    pub(crate) fn fault(&mut self, what: &'static str) {
        self.fault_of(what, b"");
    }

    /// Records a bad part of the document at this offset, which is not an entry.
    pub(crate) fn bad(&mut self, at: usize, what: &'static str) {
        self.begin(at);
        self.fault(what);
    }

    /// Records an error in the value of this key.
    pub(crate) fn fault_of(&mut self, what: &'static str, key: &[u8]) {
        let at = self.faults.iter().position(|known| *known == what).unwrap_or_else(|| {
            self.faults.push(what);
            self.faults.len() - 1
        });
        // A format has a few dozen different errors.
        self.push(Mark::Fault, &[&(at as u16).to_le_bytes()[..], key].concat());
    }

    /// Returns the entries.
    pub(crate) fn read(self, options: &Options) -> Parts {
        Box::new(Read { records: self, next: 0, options: options.clone() })
    }
}

/// Splits a digest that has the name of its algorithm before it into the name and the digest.
pub(crate) fn stated(word: &[u8]) -> Option<(&[u8], &[u8])> {
    let head = &word[..word.len().min(64)];
    // Terraform's name for the SHA-256 of an archive.
    if let Some(digest) = word.strip_prefix(b"zh:") {
        return Some((b"sha256", digest));
    }
    if let Some(at) = scan::find(head, |byte| byte == b':') {
        return Some((&word[..at], &word[at + 1..]));
    }
    // pip writes `sha256=HEX`.
    if let Some(at) = scan::find(head, |byte| byte == b'=').filter(|&at| is_long_hex(&word[at + 1..])) {
        return Some((&word[..at], &word[at + 1..]));
    }
    // Names of algorithms can contain hyphens too. Here, base64 follows the hyphen, and is longer
    // than any length in a name.
    let at = scan::find(head, |byte| byte == b'-')?;
    let (tag, rest) = (&word[..at], &word[at + 1..]);
    (!tag.is_empty() && tag[0].is_ascii_alphabetic()).then(|| {
        // Options may follow the base64; none is defined yet.
        let end = scan::find(rest, |byte| byte == b'?').unwrap_or(rest.len());
        (tag, &rest[..end])
    })
}

struct Read {
    records: Records,
    next: usize,
    options: Options,
}

impl Read {
    /// Returns the kind of the record at this offset, its text, and the offset of the next record.
    fn mark(&self, at: usize) -> Option<(Mark, &[u8], usize)> {
        let mark = *self.records.tape.get(at)?;
        let mark = MARKS.into_iter().find(|known| *known as u8 == mark)?;
        let (begin, len) = match *self.records.tape.get(at + 1)? {
            LONG => {
                (at + 6, u32::from_le_bytes(self.records.tape.get(at + 2..at + 6)?.try_into().ok()?) as usize)
            }
            len => (at + 2, len as usize),
        };
        let text = self.records.tape.get(begin..begin + len)?;
        Some((mark, text, begin + len))
    }
}

/// Returns the position or number in a record.
fn number(text: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let len = text.len().min(8);
    bytes[..len].copy_from_slice(&text[..len]);
    u64::from_le_bytes(bytes)
}

impl Iterator for Read {
    type Item = LineResult;

    fn next(&mut self) -> Option<LineResult> {
        loop {
            let (found, doubted) = self.one()?;
            if doubted.is_none_or(|group| self.records.sure.contains(&group)) {
                return Some(found);
            }
        }
    }
}

impl Read {
    /// Returns the next entry, and the group that must be confirmed for it to count.
    fn one(&mut self) -> Option<(LineResult, Option<u32>)> {
        let mut doubted = None;
        let (_, text, mut next) = self.mark(self.next)?;
        let at = Place::Byte(number(text));
        let (mut entry, mut fault, mut passed): (Entry, Option<Reason>, Option<Reason>) = Default::default();
        let (mut named, mut object) = (false, None);
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
                    let what = self.records.faults.get(number(what) as usize).copied().unwrap_or_default();
                    fault = fault.or(Some(match key {
                        b"" => Reason::Part(what),
                        key => Reason::Message(format!("{what}: {}", String::from_utf8_lossy(key))),
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
                Mark::Attribute => {
                    entry.attributes.push(String::from_utf8_lossy(text).into_owned());
                    continue;
                }
                Mark::Object => {
                    object = ObjectKind::ALL.into_iter().find(|kind| text == [*kind as u8]);
                    continue;
                }
                Mark::Alternative => {
                    match digest(&tag, text, &self.options) {
                        Ok(found) => entry.alternatives.push(found),
                        Err(Reason::NotRequested(_)) => {}
                        Err(reason) => fault = fault.or(Some(reason)),
                    }
                    continue;
                }
                Mark::Doubt => {
                    doubted = Some(number(text) as u32);
                    continue;
                }
                Mark::Bare => match &self.records.algorithm {
                    Some(tag) => digest(tag.as_bytes(), text, &self.options),
                    None => untagged(text, &self.options),
                },
                Mark::Digest => digest(&tag, text, &self.options),
            };
            match found {
                // A repeated digest counts only once.
                Ok(found) if entry.digests.contains(&found) => {}
                // No file matches both.
                Ok((spec, _)) if entry.digests.iter().any(|(known, _)| *known == spec) => {
                    fault = fault.or(Some(Reason::Part("two different digests of the same algorithm")));
                }
                Ok(found) => entry.digests.push(found),
                // An unsupported algorithm in a strict document, or the damaged name of a supported
                // one.
                Err(reason)
                    if reason.unknown().is_some() && (self.records.strict || is_nearly_algorithm(&tag)) =>
                {
                    fault = fault.or(Some(reason));
                }
                // Other digests of the same file may suffice.
                Err(reason) => match reason.unknown().map(str::to_owned) {
                    None if !matches!(reason, Reason::NotRequested(_)) => fault = fault.or(Some(reason)),
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
        let is_replaced = |spec: &Spec| entry.digests.iter().any(|(known, _)| known == spec);
        if !entry.alternatives.iter().all(|(spec, _)| is_replaced(spec)) {
            fault = fault.or(Some(Reason::Part("an alternative digest without the one that it replaces")));
        }
        if let (Some(kind), None) = (object, &fault) {
            return Some((Err(LineError { at, reason: Reason::NotAFile(kind, entry.path) }), doubted));
        }
        let found = match fault {
            Some(reason) => Err(LineError { at, reason: reason.of(&entry.path) }),
            None => Ok(Line { at, entry }),
        };
        Some((found, doubted))
    }
}

/// Parses a digest that is one of `tag` according to the document.
fn digest(tag: &[u8], text: &[u8], options: &Options) -> Result<(Spec, truesum_hash::Digest), Reason> {
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
        let text = |found: LineResult| match found {
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
    fn records_keep_their_order_and_errors() {
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
                "byte 9: b: unknown algorithm 'nosuch'",
                "byte 10: no file name",
                "byte 12: c: invalid size",
                "byte 12: d: odd"
            ][1..]
        );
    }

    #[test]
    fn digest_may_name_its_algorithm() {
        assert_eq!(stated(b"sha256:00"), Some((&b"sha256"[..], &b"00"[..])));
        assert_eq!(stated(b"sha512-AAAA?x"), Some((&b"sha512"[..], &b"AAAA"[..])));
        assert_eq!(stated(MD5), None);
        assert_eq!(stated(b"-x"), None);
    }
}
