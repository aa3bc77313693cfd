//! The formatting of a manifest: how lines end, how digests are encoded, and what surrounds them.
//!
//! A line in a style that truesum writes is replaced with a line in the same style. Any other line
//! that has only a name and one digest serves as a pattern: these two are replaced, and everything
//! around them stays.

use crate::entry::Entry;
use crate::format::{Format, Heading, Mode, Spelling, Style, Unrepresentable, Writing};
use crate::path::needs_escape;
use crate::scan;
use crate::writer::{WriteError, Writer, append};
use data_encoding::{BASE64, BASE64_NOPAD};
use truesum_hash::{Digest, Spec};

/// Maximum number of patterns, one for each algorithm.
const PATTERNS: usize = 16;

/// The formatting learned from lines of the manifest.
pub(super) struct Formatting {
    format: &'static Format,
    /// True if lines end with CR and LF.
    cr: bool,
    learned: bool,
    patterns: Vec<Pattern>,
    /// A writer that has already written the heading, and the style and algorithms of that heading.
    writer: Option<(Style, Vec<Spec>, Writer<Vec<u8>>)>,
}

/// The formatting of a line with one digest of this algorithm.
struct Pattern {
    spec: Spec,
    /// The style in which truesum writes this line. If it is `None`, the line itself is the
    /// pattern.
    style: Option<Style>,
    line: Vec<u8>,
    entry: Entry,
}

impl Formatting {
    pub(super) fn new(format: &'static Format) -> Formatting {
        Formatting { format, cr: false, learned: false, patterns: Vec::new(), writer: None }
    }

    pub(super) fn terminator(&self) -> u8 {
        self.format.terminator().unwrap_or(b'\n')
    }

    pub(super) fn line_end(&self) -> &'static [u8] {
        match (self.terminator(), self.cr) {
            (0, _) => b"\0",
            (_, true) => b"\r\n",
            (_, false) => b"\n",
        }
    }

    /// Returns whether the line of this entry has no formatting that is not known yet.
    pub(super) fn is_learned(&self, entry: &Entry) -> bool {
        let seen = |spec: &Spec| self.patterns.iter().any(|pattern| pattern.spec == *spec);
        self.learned
            && (self.patterns.len() >= PATTERNS || entry.digests.first().is_none_or(|(spec, _)| seen(spec)))
    }

    /// Learns from the line of an entry.
    pub(super) fn learn(&mut self, text: &[u8], entry: &Entry) {
        if !self.learned {
            self.cr = self.terminator() == b'\n' && text.ends_with(b"\r\n");
            self.learned = true;
        }
        let Some((spec, _)) = entry.digests.first() else { return };
        if self.patterns.len() < PATTERNS && !self.patterns.iter().any(|pattern| pattern.spec == *spec) {
            let line = self.without_end(text).to_vec();
            let style = self.style_of(&line, entry);
            self.patterns.push(Pattern { spec: spec.clone(), style, line, entry: entry.clone() });
        }
    }

    /// Returns the line of an entry that has changed from `old` to `new`. `Err(None)` means that
    /// content of the line would be lost.
    pub(super) fn instead(
        &mut self,
        text: &[u8],
        old: &Entry,
        new: &Entry,
    ) -> Result<Vec<u8>, Option<Unrepresentable>> {
        let line = self.without_end(text).to_vec();
        let end = text[line.len()..].to_vec();
        let made = match self.style_of(&line, old) {
            Some(style) => self.written(new, style).map_err(Some)?,
            None => by_pattern(&line, old, new, self.format).ok_or(None)?,
        };
        Ok([made, end].concat())
    }

    /// Returns the lines of an entry that is not in the manifest yet.
    pub(super) fn new_lines(&mut self, entry: &Entry) -> Result<Vec<u8>, Unrepresentable> {
        let pattern_of = |formatting: &Formatting, spec: &Spec| {
            formatting.patterns.iter().position(|pattern| pattern.spec == *spec)
        };
        let odd = |formatting: &Formatting, spec: &Spec| {
            pattern_of(formatting, spec).is_some_and(|at| formatting.patterns[at].style.is_none())
        };
        let end = self.line_end();
        if !entry.digests.iter().any(|(spec, _)| odd(self, spec)) {
            let style =
                entry.digests.iter().find_map(|(spec, _)| self.patterns[pattern_of(self, spec)?].style);
            return Ok(ended(self.written(entry, style.unwrap_or_default())?, end));
        }
        let mut text = Vec::new();
        for (spec, digest) in &entry.digests {
            let one = Entry { digests: vec![(spec.clone(), digest.clone())], ..entry.clone() };
            let made = pattern_of(self, spec).and_then(|at| {
                let Pattern { line, entry: old, style, .. } = &self.patterns[at];
                style.is_none().then(|| by_pattern(line, old, &one, self.format))
            });
            let line = match made {
                // A name that the pattern cannot hold is written in truesum's own style, or
                // refused.
                Some(Some(line)) => line,
                Some(None) | None => self.written(&one, Style::default())?,
            };
            text.extend(ended(line, end));
        }
        Ok(text)
    }

    /// Returns the lines of an entry in this style, without the end of the last line.
    fn written(&mut self, entry: &Entry, style: Style) -> Result<Vec<u8>, Unrepresentable> {
        let mut text = match self.format.writing {
            Writing::Manifest(_) => self.of_table(entry, style)?,
            _ => {
                let mut text = Vec::new();
                append(entry, self.format, &style, &mut text)?;
                text
            }
        };
        text.pop();
        Ok(text)
    }

    /// Returns the lines that a writer writes for an entry after the heading.
    fn of_table(&mut self, entry: &Entry, style: Style) -> Result<Vec<u8>, Unrepresentable> {
        let refused = |error| match error {
            WriteError::Refused(why) => why,
            WriteError::Io(_) => Unrepresentable::NotEntryByEntry,
        };
        let specs: Vec<Spec> = entry.digests.iter().map(|(spec, _)| spec.clone()).collect();
        if self.writer.as_ref().is_none_or(|(known, of, _)| *known != style || *of != specs) {
            let heading = Heading { style, specs: specs.clone(), ..Heading::default() };
            let mut writer = Writer::new(Vec::new(), self.format, &heading);
            writer.write(entry).map_err(refused)?;
            self.writer = Some((style, specs, writer));
        }
        let Some((_, _, writer)) = &mut self.writer else { return Err(Unrepresentable::NotEntryByEntry) };
        writer.get_mut().clear();
        writer.write(entry).map_err(refused)?;
        Ok(std::mem::take(writer.get_mut()))
    }

    /// Returns the style in which truesum would have written this line, if there is one.
    fn style_of(&mut self, line: &[u8], entry: &Entry) -> Option<Style> {
        let spellings = [Spelling::Hex, Spelling::HexUpper, Spelling::Base64];
        let styles = spellings.into_iter().flat_map(|spelling| {
            [Mode::Text, Mode::Binary].map(|mode| Style { spelling, mode, ..Style::default() })
        });
        let mut styles = styles.collect::<Vec<_>>().into_iter();
        styles.find(|style| self.written(entry, *style).is_ok_and(|text| text == line))
    }

    fn without_end<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let terminator = self.terminator();
        let line = text.strip_suffix(&[terminator]).unwrap_or(text);
        if terminator == b'\n' { line.strip_suffix(b"\r").unwrap_or(line) } else { line }
    }
}

/// Returns the lines with this line end.
fn ended(mut text: Vec<u8>, end: &[u8]) -> Vec<u8> {
    if end == b"\r\n" {
        text = text.split(|&byte| byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
    }
    text.extend_from_slice(end);
    text
}

/// Returns the line with the name and the digest of the new entry. Returns `None` if the old ones
/// cannot be located without doubt, or if something else in the line would have to change.
fn by_pattern(line: &[u8], old: &Entry, new: &Entry, format: &Format) -> Option<Vec<u8>> {
    let ([(spec, digest)], [(new_spec, new_digest)]) = (&old.digests[..], &new.digests[..]) else {
        return None;
    };
    let capabilities = &format.capabilities;
    let others_stay = !capabilities.size && !capabilities.mtime && spec == new_spec;
    // A name that needs an escape is spelled differently in the line.
    let plain = old.path == new.path || !needs_escape(&old.path) && !needs_escape(&new.path);
    if !others_stay || !plain {
        return None;
    }
    let spell: [fn(&Digest) -> Vec<u8>; 4] = [
        |digest| digest.to_hex().into_bytes(),
        |digest| digest.to_hex_upper().into_bytes(),
        |digest| BASE64.encode(digest.as_bytes()).into_bytes(),
        |digest| BASE64_NOPAD.encode(digest.as_bytes()).into_bytes(),
    ];
    let (spelled, at) = spell.into_iter().find_map(|spell| {
        let text = spell(digest);
        once(line, &text).map(|at| ((text.len(), spell(new_digest)), at))
    })?;
    let (before, behind) = (&line[..at], &line[at + spelled.0..]);
    let (before, behind) = match old.path == new.path {
        true => (before.to_vec(), behind.to_vec()),
        // A name at the end of the line takes precedence: the same text before the digest may be
        // part of a tag.
        false => match (behind.strip_suffix(&old.path[..]), once(before, &old.path)) {
            (Some(gap), _) => (before.to_vec(), [gap, &new.path].concat()),
            (None, Some(at)) => {
                let (tag, rest) = (&before[..at], &before[at + old.path.len()..]);
                ([tag, &new.path, rest].concat(), behind.to_vec())
            }
            (None, None) => return None,
        },
    };
    Some([before, spelled.1, behind].concat())
}

/// Returns the position of `part` in the text if it occurs there exactly once.
fn once(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return None;
    }
    scan::count(text.len());
    let mut places = text.windows(part.len()).enumerate().filter(|(_, found)| *found == part);
    match (places.next(), places.next()) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}
