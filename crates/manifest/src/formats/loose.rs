//! Lists written by hand or by small scripts: names before digests, `name: digest`, `SHA256:
//! digest  name`, `sha256:digest name`, a name with its digests on the following lines, and
//! Markdown tables. They may also contain lines of GNU, BSD and OpenSSL.
//!
//! A file is recognised as such a list only if every line has one of these shapes. No line is
//! forced into a shape that it does not have.

use crate::algorithm::{Stated, stated_by_heading};
use crate::digest::{holds_like, is_hex, is_long_hex, starts_with_digest, tagged, untagged};
use crate::entry::Entry;
use crate::format::{Claim, Format, Head, Options, Parse, Reading, Sign};
use crate::formats::mixed::{Mixed, is_comment, tagged::split as split_tagged};
use crate::line::Reason;
use crate::path::FOLDER_LIMIT;
use crate::scan;
use truesum_hash::Spec;

pub(crate) static LOOSE: Format = Format {
    name: "loose",
    summary: "hand-written lists: name before digest, 'name: digest', blocks, Markdown tables",
    sniff,
    reading: Reading::lines(|options| {
        Box::new(Loose {
            options: options.clone(),
            lines: Mixed::new(options, b'\n'),
            name: None,
            stated: Vec::new(),
        })
    }),
    ..Format::DEFAULT
};

/// The shape of a line.
#[derive(Debug, PartialEq, Eq)]
enum Shape<'a> {
    Empty,
    /// A line in the format of GNU, BSD or OpenSSL.
    Usual,
    Heading,
    /// An optional tag, a digest, and a name.
    Entry(Option<&'a str>, &'a [u8], &'a [u8]),
    /// A tag, and a digest of the file named above.
    Below(&'a str, &'a [u8]),
    /// The cells of a table row.
    Row(Vec<&'a [u8]>),
    Name,
}

/// Splits a line at its last colon or equals sign into the text before it and the digest after
/// it.
fn value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = scan::rfind(line, |byte| matches!(byte, b':' | b'='))?;
    let digest = ticks(&line[at + 1..]);
    (is_long_hex(digest) && line.get(at + 1).copied().is_some_and(scan::is_blank))
        .then(|| (scan::trim(&line[..at]), digest))
}

/// Returns the algorithm in `SHA256`, `sha256sum` or `SHA256 checksum`.
fn tag(text: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(text).ok().filter(|text| text.len() <= 32)?;
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    let first = words.next()?;
    let about = |word: &str| {
        ["checksum", "sum", "digest", "hash"].iter().any(|known| word.eq_ignore_ascii_case(known))
    };
    let bare =
        first.get(..first.len().saturating_sub(3)).filter(|_| first.to_ascii_lowercase().ends_with("sum"));
    let known = |name: &str| name.parse::<Spec>().is_ok();
    let found = if known(first) { Some(first) } else { bare.filter(|name| known(name)) };
    found.filter(|_| words.next().is_none_or(about) && words.next().is_none())
}

fn shape(line: &[u8]) -> Shape<'_> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let text = scan::trim(line);
    let decoration = scan::all(text, |byte| matches!(byte, b'-' | b'=' | b'*' | b'#' | b'`'));
    if text.is_empty() || decoration || text.starts_with(b"```") {
        return Shape::Empty;
    }
    if stated_by_heading(line).is_some() {
        return Shape::Heading;
    }
    if is_comment(line) {
        return Shape::Empty;
    }
    if let [b'|', row @ .., b'|'] = text {
        return Shape::Row(row.split(|&byte| byte == b'|').map(ticks).collect());
    }
    // An item of a list.
    let item = text.strip_prefix(b"- ").or(text.strip_prefix(b"* ")).map(scan::trim_start);
    if let Some(item) = item.filter(|item| starts_with_digest(item)) {
        let (digest, name) = scan::word(item);
        return Shape::Entry(None, digest, name.strip_prefix(b"*").unwrap_or(name));
    }
    let text = item.unwrap_or(text);
    let plain = text.strip_prefix(b"\\").unwrap_or(text);
    if split_tagged(plain).is_some() || starts_with_digest(plain) {
        return Shape::Usual;
    }
    if let Some((name, digest)) = value(text) {
        return match tag(name) {
            Some(tag) => Shape::Below(tag, digest),
            None if name.is_empty() => Shape::Usual,
            // A damaged tagged line.
            None if name.ends_with(b")") => Shape::Name,
            None => match last_word(name) {
                Some((name, last)) if tag(last).is_some() => Shape::Entry(tag(last), digest, name),
                _ => Shape::Entry(None, digest, name),
            },
        };
    }
    // `SHA256: digest  name` or `sha256:digest name`.
    if let Some((name, rest)) = scan::cut(text, b':')
        && let Some(tag) = tag(name)
    {
        let (digest, name) = scan::word(scan::trim_start(rest));
        if is_long_hex(digest) && !name.is_empty() {
            return Shape::Entry(Some(tag), digest, name.strip_prefix(b"*").unwrap_or(name));
        }
    }
    // An indented tag and digest of the file named above.
    if scan::is_blank(line[0])
        && let Some((before, digest)) = last_word(text).filter(|(_, digest)| is_long_hex(digest))
        && let Some(tag) = tag(before)
    {
        return Shape::Below(tag, digest);
    }
    // The name first: a tab or at least two blanks before the last word.
    if let Some(gap) = scan::rfind(text, scan::is_blank) {
        let name = scan::trim_end(&text[..gap]);
        // After a single blank, only if the text before it is neither several words nor a tag.
        let is_word = scan::find(name, scan::is_blank).is_none() && tag(name).is_none();
        let wide = text[gap] == b'\t' || gap > name.len() || is_word;
        // A line with several digests belongs to a format with columns.
        let last = &name[scan::rfind(name, scan::is_blank).map_or(0, |at| at + 1)..];
        if wide
            && is_long_hex(&text[gap + 1..])
            && !(last.len() < name.len() && last.len() >= 8 && is_hex(last))
        {
            return Shape::Entry(None, &text[gap + 1..], name);
        }
    }
    Shape::Name
}

/// Returns true if a comment without a blank after its mark would be an entry with another first
/// character.
fn is_damaged(line: &[u8]) -> bool {
    let [_, second, ..] = line else { return false };
    let is_entry = |shape: Shape<'_>| matches!(shape, Shape::Entry(..) | Shape::Below(..));
    !scan::is_blank(*second)
        && (is_entry(shape(&[b"x", &line[1..]].concat())) || holds_like(line) && !is_entry(shape(&line[1..])))
}

/// Splits a text into what is before its last word, and that word.
fn last_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let gap = scan::rfind(text, scan::is_blank)?;
    Some((scan::trim_end(&text[..gap]), &text[gap + 1..])).filter(|(before, _)| !before.is_empty())
}

/// Returns the name of a line such as `File: NAME`.
fn unlabelled(name: &[u8]) -> &[u8] {
    let labels = [&b"file"[..], b"filename", b"file name", b"name"];
    match scan::cut(name, b':') {
        Some((label, [b' ', rest @ ..])) if labels.iter().any(|known| label.eq_ignore_ascii_case(known)) => {
            scan::trim(rest)
        }
        _ => name,
    }
}

/// Returns the text of a cell without its markup: code, strong emphasis, and the text of a link.
fn ticks(cell: &[u8]) -> &[u8] {
    let cell = scan::trim(cell);
    let link = || {
        let text = cell.strip_prefix(b"[")?.strip_suffix(b")")?;
        let end = text.windows(2).position(|pair| pair == b"](")?;
        (!text[end + 2..].contains(&b'(')).then_some(&text[..end])
    };
    match cell {
        [b'`', inner @ .., b'`'] | [b'*', b'*', inner @ .., b'*', b'*'] => scan::trim(inner),
        _ => link().map_or(cell, ticks),
    }
}

/// Returns the algorithms named in the cells of a table header.
fn columns(cells: &[&[u8]]) -> Vec<Option<String>> {
    cells.iter().map(|cell| tag(cell).map(str::to_owned)).collect()
}

fn is_rule(cells: &[&[u8]]) -> bool {
    cells.iter().all(|cell| scan::all(cell, |byte| matches!(byte, b'-' | b':')))
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let mut own = None;
    // A name must be followed directly by a digest.
    let mut open = false;
    let mut blank = true;
    for (at, line) in head.lines(b'\n').enumerate() {
        let shape = shape(line);
        match shape {
            Shape::Name if open || !blank => return None,
            Shape::Name => open = true,
            Shape::Below(..) => {
                open = false;
                own.get_or_insert(at);
            }
            _ if open => return None,
            Shape::Entry(..) => {
                own.get_or_insert(at);
            }
            Shape::Row(ref cells) if cells.iter().any(|cell| is_long_hex(cell)) => {
                own.get_or_insert(at);
            }
            _ => {}
        }
        blank = shape == Shape::Empty;
    }
    own.filter(|_| !open || !head.complete).map(|at| Claim { sign: Sign::Whole, at })
}

struct Loose {
    options: Options,
    lines: Mixed,
    /// The file that the digests on the following lines belong to.
    name: Option<Vec<u8>>,
    /// The algorithms of a table's columns according to its header.
    stated: Vec<Option<String>>,
}

impl Loose {
    fn row(&mut self, cells: &[&[u8]]) -> Result<Option<Entry>, Reason> {
        if is_rule(cells) {
            return Ok(None);
        }
        if !cells.iter().any(|cell| is_long_hex(cell)) {
            let heading = columns(cells);
            // A row without digests is a header if it names algorithms or is the first row;
            // otherwise it is a file without a digest.
            if self.stated.is_empty() || heading.iter().any(Option::is_some) {
                self.stated = heading;
                return Ok(None);
            }
            return Err(Reason::EmptyDigest);
        }
        if !self.stated.is_empty() && cells.len() > self.stated.len() {
            return Err(Reason::Part("more cells than columns"));
        }
        let mut entry = Entry::default();
        for (at, cell) in cells.iter().enumerate() {
            let column = self.stated.get(at).cloned().flatten();
            if let Some(column) = column {
                entry.digests.push(tagged(&column, cell, &self.options)?);
            } else if entry.path.is_empty() {
                entry.path = cell.to_vec();
            } else if is_long_hex(cell) && self.stated.iter().any(Option::is_some) {
                return Err(Reason::Part("a digest in a column whose title is not a known algorithm"));
            } else if is_long_hex(cell) {
                let found = untagged(cell, &self.options)?;
                if entry.digests.iter().any(|(spec, _)| *spec == found.0) {
                    return Err(Reason::Part("two rows on one line"));
                }
                entry.digests.push(found);
            }
        }
        Ok(Some(entry))
    }
}

impl Parse for Loose {
    fn line(&mut self, line: &[u8]) -> Result<Option<Entry>, Reason> {
        let (found, name) = match shape(line) {
            Shape::Empty => {
                // A table row whose first character was overwritten.
                let in_table = !std::mem::take(&mut self.stated).is_empty();
                if is_comment(line) && (in_table && holds_like(line) || is_damaged(line)) {
                    return Err(Reason::DamagedComment);
                }
                // The usual parser reports comments that are damaged entries.
                return if is_comment(line) { self.lines.line(line) } else { Ok(None) };
            }
            Shape::Heading => {
                if let Some(stated) = stated_by_heading(line) {
                    self.state(&stated);
                }
                return self.lines.line(line);
            }
            Shape::Usual => return self.lines.line(line),
            Shape::Row(cells) => return self.row(&cells),
            Shape::Name => {
                // The name is copied for each of its digests.
                self.name = None;
                if line.len() > FOLDER_LIMIT {
                    return Err(Reason::NameTooLong);
                }
                self.name = Some(unlabelled(scan::trim(line)).to_vec());
                return Ok(None);
            }
            Shape::Entry(Some(tag), digest, name) => (tagged(tag, digest, &self.options)?, name.to_vec()),
            Shape::Entry(None, digest, name) => (untagged(digest, &self.options)?, name.to_vec()),
            Shape::Below(tag, digest) => {
                let found = tagged(tag, digest, &self.options)?;
                (found, self.name.clone().ok_or(Reason::EmptyName)?)
            }
        };
        let (spec, digest) = found;
        Ok(Some(Entry::new(&name, spec, digest)))
    }
}

impl Loose {
    /// Applies the algorithm of a heading to lines that begin with a name as well.
    fn state(&mut self, stated: &Stated) {
        if let Stated::Known(spec) = stated
            && self.options.requested.is_empty()
        {
            self.options.named = Some(spec.clone());
            self.options.unsupported = None;
        } else if let Stated::Other(name) = stated {
            self.options.unsupported = Some(name);
        }
    }
}
