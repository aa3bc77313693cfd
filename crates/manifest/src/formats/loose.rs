//! Lists written by hand or by small scripts: names before digests, `name: digest`, `SHA256:
//! digest  name`, `sha256:digest name`, a name with its digests on the following lines, and
//! Markdown tables. They may also contain lines of GNU, BSD and OpenSSL.
//!
//! A file is recognized as such a list only if every line has one of these shapes. No line is
//! forced into a shape that it does not have.

use crate::algorithm::{NamedAlgorithm, algorithm_in_heading, algorithm_on_own_line};
use crate::comment::is_comment;
use crate::digest::{MIN_DIGITS, contains_like, is_hex, is_long_hex, starts_with_digest, tagged, untagged};
use crate::formats::csv::{self, is_titled, name_rank};
use crate::formats::json::name::{is_file_like, is_path_of};
use crate::formats::mixed::{Mixed, is_fence, tagged::split as split_tagged};
use crate::formats::prelude::*;
use crate::path::FOLDER_LIMIT;
use std::borrow::Cow;

pub(crate) static LOOSE: Format = Format {
    name: "loose",
    summary: "hand-written lists: name before digest, 'name: digest', a name above its digests, Markdown tables",
    sniff,
    reading: Reading::lines(|options| {
        Box::new(Loose {
            options: options.clone(),
            lines: Mixed::new(options, b'\n'),
            name: None,
            alone: None,
            properties: Vec::new(),
            stated: Vec::new(),
            named: None,
        })
    }),
    ..Format::DEFAULT
};

/// Marks before the items of a list.
const BULLETS: &[&str] = &["- ", "* ", "\u{2022} ", "\u{2023} ", "\u{25e6} ", "\u{b7} "];

/// Dashes and arrows between a name and its digest.
const DASHES: &[&str] = &[" -", " --", " \u{2013}", " \u{2014}", " ->", " =>", " \u{2192}"];

/// Returns a name without the dash after it.
fn undashed(name: &[u8]) -> &[u8] {
    let bare = DASHES.iter().find_map(|dash| name.strip_suffix(dash.as_bytes())).map(scan::trim_end);
    bare.filter(|name| !name.is_empty()).unwrap_or(name)
}

/// The shape of a line.
#[derive(Debug, PartialEq, Eq)]
enum Shape<'a> {
    Empty,
    /// A line in the format of GNU, BSD or OpenSSL.
    Usual,
    Heading,
    /// An optional tag, a digest, and a name.
    Entry(Option<&'a str>, &'a [u8], &'a [u8]),
    /// A name, a size and a digest, separated by tabs.
    Sized(&'a [u8], u64, &'a [u8]),
    /// A digest and a name in quotes or after an arrow, a dash, or the name of the algorithm. The
    /// same line may be one of GNU, so all lines must have such a name.
    Decorated(Option<&'a str>, &'a [u8], &'a [u8]),
    /// A tag, and a digest of the file named above.
    Below(&'a str, &'a [u8]),
    /// Another property of the file named above.
    Property,
    /// A tag and text that is not a digest.
    Damaged,
    /// The cells of a table row.
    Row(Vec<Cow<'a, [u8]>>),
    Name,
}

/// Splits a line at its last colon or equals sign into the text before it and the digest after
/// it.
fn value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = scan::rfind(line, |byte| matches!(byte, b':' | b'='))?;
    let digest = ticks(&line[at + 1..]);
    let name = scan::trim(&line[..at]);
    let is_own = is_long_hex(digest) || tag(name).is_some_and(|tag| is_of(tag, digest));
    (is_own && line.get(at + 1).copied().is_some_and(scan::is_blank)).then_some((name, digest))
}

/// Returns true for hexadecimal digits, as many as a digest of this algorithm has.
fn is_of(tag: &str, digest: &[u8]) -> bool {
    let is_length = |spec: Spec| digest.len() == 2 * spec.digest_len();
    digest.len() >= MIN_DIGITS && is_hex(digest) && tag.parse().is_ok_and(is_length)
}

/// Labels of properties other than sizes that are neither names nor digests, in the output of
/// HashMyFiles and MultiHasher, as titles of columns.
const PROPERTIES: &str = "modifiedtime createdtime entrymodifiedtime fileversion productversion identical \
    extension fileattributes";

fn is_property(label: &[u8]) -> bool {
    is_titled(label, &[csv::SIZES, csv::FULL_PATHS, PROPERTIES])
}

fn is_name_label(label: &[u8]) -> bool {
    is_titled(label, &[csv::FILE_NAMES, csv::FILES, csv::NAMES])
}

/// Splits `LABEL: VALUE` at the first colon, which may have blanks before it.
fn property(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (label, value) = scan::cut(text, b':')?;
    let is_end = value.first().is_none_or(|&byte| scan::is_blank(byte));
    is_end.then(|| (scan::trim_end(label), scan::trim(value)))
}

/// Splits a line of a digest and a name with something around or before it.
fn decorated(line: &[u8]) -> Option<Shape<'_>> {
    let (digest, rest) =
        line.split_at(scan::find(line, scan::is_blank).filter(|&end| is_long_hex(&line[..end]))?);
    // GNU lines have two characters before the name, which may have any form.
    let rest = rest.strip_prefix(b" ").filter(|rest| !rest.starts_with(b" "))?;
    if let Some(name) = quoted(rest) {
        return Some(Shape::Decorated(None, digest, name));
    }
    let (word, name) = scan::word(rest);
    // A number before the name may be a size.
    let (number, behind) = scan::word(name);
    if scan::decimal(number).is_some() && !behind.is_empty() {
        return None;
    }
    let is_mark = matches!(word, b"-" | b"->" | b"<-" | b"=>" | b"|" | b":");
    let inner = word.strip_prefix(b"(").and_then(|word| word.strip_suffix(b")")).unwrap_or(word);
    let found = tag(inner).filter(|_| !is_mark);
    (!name.is_empty() && (is_mark || found.is_some())).then_some(Shape::Decorated(found, digest, name))
}

/// Returns the text between a pair of quotes.
fn quoted(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => {
            Some(inner).filter(|inner| !inner.is_empty())
        }
        _ => None,
    }
}

/// Splits `SHA256 of NAME` or `SHA256 checksum for NAME` into algorithm and name.
fn of_name(text: &[u8]) -> Option<(&str, &[u8])> {
    let (first, rest) = scan::word(text);
    let (second, behind) = scan::word(rest);
    let is_of = |word: &[u8]| matches!(word, b"of" | b"for");
    let name =
        if is_of(second) { behind } else { Some(scan::word(behind)).filter(|(word, _)| is_of(word))?.1 };
    let words = &text[..text.len() - name.len()];
    let end = scan::rfind(scan::trim_end(words), scan::is_blank)?;
    Some((tag(scan::trim_end(&words[..end]))?, name))
        .filter(|(_, name)| !name.is_empty() && tag(first).is_some())
}

/// Returns the algorithm in `SHA256`, `sha256sum` or `SHA256 checksum`.
pub(super) fn tag(text: &[u8]) -> Option<&str> {
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
    let decoration = scan::all(text, |byte| matches!(byte, b'-' | b'=' | b'*' | b'#' | b'`' | b'+'));
    if text.is_empty() || decoration || is_fence(text) {
        return Shape::Empty;
    }
    if algorithm_in_heading(line).is_some() {
        return Shape::Heading;
    }
    if is_comment(line) {
        return Shape::Empty;
    }
    if let [b'|', row @ .., b'|'] = text {
        return Shape::Row(cells(row));
    }
    // An item of a list.
    let item = BULLETS.iter().find_map(|bullet| text.strip_prefix(bullet.as_bytes())).map(scan::trim_start);
    if let Some(item) = item.filter(|item| starts_with_digest(item)) {
        let (digest, name) = scan::word(item);
        return Shape::Entry(None, digest, name.strip_prefix(b"*").unwrap_or(name));
    }
    let text = item.unwrap_or(text);
    // A label such as `Filename` has the form of a digest in base64.
    match property(text) {
        Some((label, value)) if is_property(label) && !contains_like(value) => {
            // A line that lost its end is directly followed by the next one.
            let is_joined = last_word(value).is_some_and(|(_, last)| last.len() == 8 && is_hex(last));
            return if is_joined { Shape::Damaged } else { Shape::Property };
        }
        Some((label, value)) if is_name_label(label) && !value.is_empty() && !contains_like(value) => {
            return Shape::Name;
        }
        _ => {}
    }
    let plain = text.strip_prefix(b"\\").unwrap_or(text);
    if split_tagged(plain).is_some() || starts_with_digest(plain) {
        return decorated(plain).unwrap_or(Shape::Usual);
    }
    if let Some((name, digest)) = value(text) {
        return match tag(name) {
            Some(tag) => Shape::Below(tag, digest),
            None if name.is_empty() => Shape::Usual,
            None if of_name(name).is_some() => {
                let (tag, name) = of_name(name).unwrap_or_default();
                Shape::Entry(Some(tag), digest, name)
            }
            // A damaged tagged line.
            None if name.ends_with(b")") => Shape::Name,
            // `SHA256 NAME = DIGEST`, `SHA256 NAME: DIGEST`
            None if tag(scan::word(name).0).is_some() => {
                let (first, name) = scan::word(name);
                Shape::Entry(tag(first), digest, name)
            }
            None => match last_word(name) {
                Some((name, last)) if tag(last).is_some() => {
                    let name = name.strip_suffix(b":").unwrap_or(name);
                    Shape::Entry(tag(last), digest, undashed(name))
                }
                _ => Shape::Entry(None, digest, ticks(undashed(name))),
            },
        };
    }
    // `SHA256: digest  name` or `sha256:digest name`.
    if let Some((name, rest)) = scan::cut(text, b':')
        && let Some(tag) = tag(name)
    {
        let (digest, name) = scan::word(scan::trim_start(rest));
        // Digests of a file that is not named.
        if scan::cut(name, b':')
            .is_some_and(|(label, digest)| self::tag(label).is_some() && is_long_hex(digest))
        {
            return Shape::Damaged;
        }
        if (is_long_hex(digest) || is_of(tag, digest)) && !name.is_empty() {
            let name = name.strip_prefix(b"*").or(name.strip_prefix(b"- ")).unwrap_or(name);
            return Shape::Entry(Some(tag), digest, name);
        }
    }
    // `name sha256:digest`, which an address may follow (pooch).
    let last = last_word(text);
    let before_url = last.filter(|(_, last)| radix::is_url(last)).and_then(|(before, _)| last_word(before));
    if let Some((name, digest)) = before_url.filter(|(_, digest)| is_long_hex(digest)) {
        return Shape::Entry(None, digest, quoted(name).unwrap_or(name));
    }
    if let Some((name, last)) = before_url.or(last)
        && let Some((label, digest)) = scan::cut(last, b':')
        && let Some(tag) = tag(label).filter(|tag| is_of(tag, digest))
    {
        return Shape::Entry(Some(tag), digest, quoted(name).unwrap_or(name));
    }
    if let Some((_, value)) = property(text).filter(|(label, _)| tag(label).is_some()) {
        return if value.is_empty() { Shape::Property } else { Shape::Damaged };
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
        if text[gap] == b'\t'
            && is_long_hex(&text[gap + 1..])
            && let Some(tab) = scan::rfind(name, |byte| byte == b'\t').filter(|&tab| tab > 0)
            && let Some(size) = scan::decimal(&name[tab + 1..])
        {
            return Shape::Sized(scan::trim_end(&name[..tab]), size, &text[gap + 1..]);
        }
        // The algorithm in a column of its own.
        if let Some((before, last)) = last_word(name)
            && (name[before.len()..].starts_with(b"\t") || name[before.len()..].starts_with(b"  "))
            && let Some(tag) = tag(last).filter(|_| is_long_hex(&text[gap + 1..]))
        {
            return Shape::Entry(Some(tag), &text[gap + 1..], before);
        }
        // md5deep pads sizes, and leaves out names with -q.
        if scan::is_blank(line[0]) && scan::decimal(name).is_some() {
            return Shape::Damaged;
        }
        let name = quoted(name).unwrap_or(name);
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
    // Either the name of a file whose digests follow, or one that ends with a colon.
    if text.ends_with(b":") { Shape::Damaged } else { Shape::Name }
}

/// Returns true if a comment without a blank after its mark would be an entry with another first
/// character.
fn is_damaged(line: &[u8]) -> bool {
    let [_, second, ..] = line else { return false };
    let is_entry = |shape: Shape<'_>| matches!(shape, Shape::Entry(..) | Shape::Below(..));
    let is_crc = property(line).is_some_and(|(_, value)| value.len() == 8 && is_hex(value));
    !scan::is_blank(*second)
        && (is_crc
            || is_entry(shape(&[b"x", &line[1..]].concat()))
            || contains_like(line) && !is_entry(shape(&line[1..])))
}

/// Splits a text into what is before its last word, and that word.
fn last_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let gap = scan::rfind(text, scan::is_blank)?;
    Some((scan::trim_end(&text[..gap]), &text[gap + 1..])).filter(|(before, _)| !before.is_empty())
}

/// Returns the name of a line such as `File: NAME`.
fn unlabeled(name: &[u8]) -> &[u8] {
    match property(name) {
        Some((label, value)) if is_name_label(label) && !value.is_empty() => value,
        _ => name,
    }
}

/// Returns the text of a cell without its markup: code, strong emphasis, and the text of a link.
fn ticks(cell: &[u8]) -> &[u8] {
    let cell = scan::trim(cell);
    match cell {
        [b'`', inner @ .., b'`'] | [b'*', b'*', inner @ .., b'*', b'*'] => scan::trim(inner),
        _ => link(cell).map_or(cell, |(text, _)| ticks(text)),
    }
}

/// Splits a link into its text and its address, without the title that may follow the address.
fn link(cell: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = cell.strip_prefix(b"[")?.strip_suffix(b")")?;
    let end = text.windows(2).position(|pair| pair == b"](")?;
    let (text, address) = (&text[..end], scan::word(&text[end + 2..]).0);
    (!address.contains(&b'(')).then_some((text, address))
}

/// Returns the name of the file that a link with another text refers to: `[Windows](https://x/setup.exe)`. If text and
/// address may both be the name, returns the link itself, which is not a name.
fn linked_name(cell: &[u8]) -> Option<Vec<u8>> {
    let cell = scan::trim(cell);
    let (text, address) = link(cell)?;
    let text = ticks(text);
    let name = radix::url_name(address).filter(|name| !name.is_empty())?;
    let (is_file, is_target) = (is_file_like(text), is_file_like(&name));
    // A program that sends files has a name of its own.
    let is_program = is_file && address.contains(&b'?');
    if contains_like(text) || is_path_of(text, &name) || is_file && !is_target || is_program {
        return None;
    }
    // Several words are a title.
    let is_title = text.contains(&b' ');
    Some(if !is_file && (is_target || is_title) { name } else { cell.to_vec() })
}

/// Returns true for a link in HTML, or one in Markdown whose address is elsewhere.
fn is_markup(cell: &[u8]) -> bool {
    let is_reference = || cell.ends_with(b"]") && cell.windows(2).any(|pair| pair == b"][");
    cell.starts_with(b"<") && cell.ends_with(b">") || cell.starts_with(b"[") && is_reference()
}

/// Splits a table row into cells. A backslash before a vertical bar makes it a part of its cell.
fn cells(row: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let (mut cells, mut begin) = (Vec::new(), 0);
    let ends = (0..row.len()).filter(|&at| row[at] == b'|' && (at == 0 || row[at - 1] != b'\\'));
    for end in ends.chain([row.len()]) {
        // A link in the first column is that of the file; others may be those of signatures.
        let linked = if cells.is_empty() { linked_name(&row[begin..end]) } else { None };
        let cell = ticks(&row[begin..end]);
        begin = end + 1;
        if let Some(name) = linked {
            cells.push(Cow::Owned(name));
            continue;
        }
        let is_escape = |at: &usize| cell[*at..].starts_with(b"\\|");
        cells.push(match cell.contains(&b'|') {
            true => (0..cell.len()).filter(|at| !is_escape(at)).map(|at| cell[at]).collect(),
            false => Cow::Borrowed(cell),
        });
    }
    cells
}

/// Returns the algorithms named in the cells of a table header.
fn columns(cells: &[Cow<'_, [u8]>]) -> Vec<Option<String>> {
    cells.iter().map(|cell| tag(cell).map(str::to_owned)).collect()
}

fn is_rule(cells: &[Cow<'_, [u8]>]) -> bool {
    cells.iter().all(|cell| scan::all(cell, |byte| matches!(byte, b'-' | b':' | b'+')))
}

fn sniff(head: &Head<'_>) -> Option<Claim> {
    let mut own = None;
    // A name must be followed directly by a digest.
    let mut open = false;
    // The name is that of an algorithm, so the line may be a heading.
    let mut alone = false;
    let mut blank = true;
    // Digests below a name are indented, so the next line at the margin may be a name.
    let mut is_below = false;
    let (mut is_usual, mut is_decorated) = (false, false);
    for (at, line) in head.lines(b'\n').enumerate() {
        let shape = shape(line);
        let is_indented = line.first().copied().is_some_and(scan::is_blank);
        is_usual |= shape == Shape::Usual;
        match shape {
            Shape::Damaged => return None,
            Shape::Name if open || !(blank || is_below && !is_indented) => return None,
            Shape::Name => (open, alone) = (true, algorithm_on_own_line(scan::trim(line)).is_some()),
            Shape::Property => {}
            Shape::Below(..) => {
                open = false;
                own.get_or_insert(at);
            }
            Shape::Entry(None, ..) | Shape::Sized(..) | Shape::Usual | Shape::Row(_) if open && alone => {
                open = false;
                let has_digest = match &shape {
                    Shape::Usual => false,
                    Shape::Row(cells) => cells.iter().any(|cell| is_long_hex(cell)),
                    _ => true,
                };
                if has_digest {
                    own.get_or_insert(at);
                }
            }
            _ if open => return None,
            Shape::Entry(..) | Shape::Sized(..) | Shape::Decorated(..) => {
                is_decorated |= matches!(shape, Shape::Decorated(..));
                own.get_or_insert(at);
            }
            Shape::Row(ref cells) if cells.iter().any(|cell| is_long_hex(cell)) => {
                own.get_or_insert(at);
            }
            _ => {}
        }
        blank = shape == Shape::Empty;
        is_below = matches!(shape, Shape::Below(..)) && is_indented;
    }
    own.filter(|_| !(open && head.complete || is_usual && is_decorated))
        .map(|at| Claim { sign: Sign::Whole, at })
}

struct Loose {
    options: Options,
    lines: Mixed,
    /// The file that the digests on the following lines belong to.
    name: Option<Vec<u8>>,
    /// The algorithm that is this name, which is a heading if the next line is for a file of its own.
    alone: Option<NamedAlgorithm>,
    /// Properties of that file that are not read, if such names were requested.
    properties: Vec<String>,
    /// The algorithms of a table's columns according to its header.
    stated: Vec<Option<String>>,
    /// The column of names according to the header, if it has such a title.
    named: Option<usize>,
}

impl Loose {
    fn row(&mut self, cells: &[Cow<'_, [u8]>]) -> Result<Option<Entry>, Reason> {
        if is_rule(cells) {
            return Ok(None);
        }
        if !cells.iter().any(|cell| is_long_hex(cell)) {
            let heading = columns(cells);
            // A row without digests is a header if it names algorithms or is the first row;
            // otherwise it is a file without a digest.
            if self.stated.is_empty() || heading.iter().any(Option::is_some) {
                self.stated = heading;
                let ranks = cells.iter().enumerate().filter_map(|(at, cell)| Some((name_rank(cell)?, at)));
                self.named = ranks.min().map(|(_, at)| at);
                return Ok(None);
            }
            return Err(Reason::EmptyDigest);
        }
        if !self.stated.is_empty() && cells.len() > self.stated.len() {
            return Err(Reason::Part("more cells than the header has columns"));
        }
        let named = self.named.filter(|_| !self.stated.is_empty());
        let mut entry = Entry::default();
        for (at, cell) in cells.iter().enumerate() {
            let is_name = named.map_or(entry.path.is_empty(), |named| named == at);
            let column = self.stated.get(at).cloned().flatten();
            if let Some(column) = column {
                entry.digests.push(tagged(&column, cell, &self.options)?);
            } else if is_name && !(self.stated.is_empty() && is_long_hex(cell)) {
                if link(cell).is_some() {
                    return Err(Reason::Part("the text of a link and its address name different files"));
                }
                if is_markup(cell) {
                    return Err(Reason::Part("a name with unsupported markup"));
                }
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
        let shape = shape(line);
        let is_entry =
            matches!(shape, Shape::Entry(None, ..) | Shape::Sized(..) | Shape::Usual | Shape::Row(_));
        if let Some(stated) = self.alone.take_if(|_| is_entry) {
            self.state(&stated);
            self.lines.state(stated);
            self.name = None;
        }
        if shape != Shape::Empty {
            self.alone = None;
        }
        let (found, name) = match shape {
            Shape::Empty => {
                // A table row whose first character was overwritten.
                let in_table = !std::mem::take(&mut self.stated).is_empty();
                if is_comment(line) && (in_table && contains_like(line) || is_damaged(line)) {
                    return Err(Reason::DamagedComment);
                }
                // The usual parser reports comments that are damaged entries.
                return if is_comment(line) { self.lines.line(line) } else { Ok(None) };
            }
            Shape::Heading => {
                if let Some(stated) = algorithm_in_heading(line) {
                    self.state(&stated);
                }
                // A file with the name of an algorithm is not the one above.
                self.name = None;
                return self.lines.line(line);
            }
            Shape::Usual => return self.lines.line(line),
            Shape::Row(cells) => return self.row(&cells),
            Shape::Name => {
                // The name is copied for each of its digests.
                self.name = None;
                self.properties.clear();
                if line.len() > FOLDER_LIMIT {
                    return Err(Reason::NameTooLong);
                }
                self.name = Some(unlabeled(scan::trim(line)).to_vec());
                self.alone = algorithm_on_own_line(scan::trim(line));
                return Ok(None);
            }
            Shape::Property => {
                let label = property(line).filter(|(_, value)| self.options.attributes && !value.is_empty());
                self.properties.extend(label.map(|(label, _)| String::from_utf8_lossy(label).into_owned()));
                return Ok(None);
            }
            Shape::Damaged => return Err(Reason::NotHex),
            Shape::Sized(name, size, digest) => {
                let (spec, digest) = untagged(digest, &self.options)?;
                return Ok(Some(Entry { size: Some(size), ..Entry::new(name, spec, digest) }));
            }
            Shape::Entry(Some(tag), digest, name) | Shape::Decorated(Some(tag), digest, name) => {
                (tagged(tag, digest, &self.options)?, name.to_vec())
            }
            Shape::Entry(None, digest, name) | Shape::Decorated(None, digest, name) => {
                (untagged(digest, &self.options)?, name.to_vec())
            }
            Shape::Below(tag, digest) => {
                let found = tagged(tag, digest, &self.options)?;
                let (spec, digest) = found;
                let name = self.name.as_ref().ok_or(Reason::EmptyName)?;
                let attributes = std::mem::take(&mut self.properties);
                return Ok(Some(Entry { attributes, ..Entry::new(name, spec, digest) }));
            }
        };
        let (spec, digest) = found;
        Ok(Some(Entry::new(&name, spec, digest)))
    }
}

impl Loose {
    /// Applies the algorithm of a heading to lines that begin with a name as well.
    fn state(&mut self, stated: &NamedAlgorithm) {
        if let NamedAlgorithm::Known(spec) = stated
            && self.options.requested.is_empty()
        {
            self.options.named = Some(spec.clone());
            self.options.unsupported = None;
        } else if let NamedAlgorithm::Other(name) = stated {
            self.options.unsupported = Some(name);
        }
    }
}
