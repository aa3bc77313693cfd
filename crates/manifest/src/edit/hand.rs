//! The hand in which a manifest is written: how its lines end, how digests are spelled, and what stands around them.
//!
//! A line that truesum would have written is written as truesum would. Any other that says no more than a name and one digest
//! serves as a pattern: those two are exchanged, and all between them stays.

use crate::entry::Entry;
use crate::format::{Format, Heading, Mode, Spelling, Style, Unholdable, Writing};
use crate::path::needs_escape;
use crate::scan;
use crate::writer::{WriteError, Writer, append};
use data_encoding::{BASE64, BASE64_NOPAD};
use truesum_hash::{Digest, Spec};

/// Patterns kept, at most: one for each algorithm.
const PATTERNS: usize = 16;

/// What was learned from lines.
pub(super) struct Hand {
    format: &'static Format,
    /// Whether lines end with CR and LF.
    cr: bool,
    learned: bool,
    patterns: Vec<Pattern>,
    /// A writer that has the heading behind it, and the algorithms of that.
    writer: Option<(Style, Vec<Spec>, Writer<Vec<u8>>)>,
}

/// How a line looks that says one digest of this algorithm.
struct Pattern {
    spec: Spec,
    /// As truesum writes it; `None` takes the line itself for a pattern.
    style: Option<Style>,
    line: Vec<u8>,
    entry: Entry,
}

impl Hand {
    pub(super) fn new(format: &'static Format) -> Hand {
        Hand { format, cr: false, learned: false, patterns: Vec::new(), writer: None }
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

    /// Whether lines like that of this entry were seen.
    pub(super) fn knows(&self, entry: &Entry) -> bool {
        let seen = |spec: &Spec| self.patterns.iter().any(|pattern| pattern.spec == *spec);
        self.learned
            && (self.patterns.len() >= PATTERNS || entry.digests.first().is_none_or(|(spec, _)| seen(spec)))
    }

    /// Looks at the line of an entry.
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

    /// The line of an entry that says this now. `Err(None)`: the line holds what would be lost.
    pub(super) fn instead(
        &mut self,
        text: &[u8],
        old: &Entry,
        new: &Entry,
    ) -> Result<Vec<u8>, Option<Unholdable>> {
        let line = self.without_end(text).to_vec();
        let end = text[line.len()..].to_vec();
        let made = match self.style_of(&line, old) {
            Some(style) => self.written(new, style).map_err(Some)?,
            None => by_pattern(&line, old, new, self.format).ok_or(None)?,
        };
        Ok([made, end].concat())
    }

    /// The lines of an entry that is new here.
    pub(super) fn new_lines(&mut self, entry: &Entry) -> Result<Vec<u8>, Unholdable> {
        let pattern_of =
            |hand: &Hand, spec: &Spec| hand.patterns.iter().position(|pattern| pattern.spec == *spec);
        let odd = |hand: &Hand, spec: &Spec| {
            pattern_of(hand, spec).is_some_and(|at| hand.patterns[at].style.is_none())
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
                // A name that the pattern cannot hold is held by a line of truesum's own, or by none.
                Some(Some(line)) => line,
                Some(None) | None => self.written(&one, Style::default())?,
            };
            text.extend(ended(line, end));
        }
        Ok(text)
    }

    /// Lines as they are written, without the end of the last.
    fn written(&mut self, entry: &Entry, style: Style) -> Result<Vec<u8>, Unholdable> {
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

    /// What a writer writes of an entry that has written the heading before.
    fn of_table(&mut self, entry: &Entry, style: Style) -> Result<Vec<u8>, Unholdable> {
        let refused = |error| match error {
            WriteError::Refused(why) => why,
            WriteError::Io(_) => Unholdable::NotAlone,
        };
        let specs: Vec<Spec> = entry.digests.iter().map(|(spec, _)| spec.clone()).collect();
        if self.writer.as_ref().is_none_or(|(known, of, _)| *known != style || *of != specs) {
            let heading = Heading { style, specs: specs.clone(), ..Heading::default() };
            let mut writer = Writer::new(Vec::new(), self.format, &heading);
            writer.write(entry).map_err(refused)?;
            self.writer = Some((style, specs, writer));
        }
        let Some((_, _, writer)) = &mut self.writer else { return Err(Unholdable::NotAlone) };
        writer.get_mut().clear();
        writer.write(entry).map_err(refused)?;
        Ok(std::mem::take(writer.get_mut()))
    }

    /// The style in which truesum would have written this line, if there is one.
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

/// Lines with this end.
fn ended(mut text: Vec<u8>, end: &[u8]) -> Vec<u8> {
    if end == b"\r\n" {
        text = text.split(|&byte| byte == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
    }
    text.extend_from_slice(end);
    text
}

/// The line with another name and another digest in it, where it has each of them once and says nothing else that changes.
fn by_pattern(line: &[u8], old: &Entry, new: &Entry, format: &Format) -> Option<Vec<u8>> {
    let ([(spec, digest)], [(new_spec, new_digest)]) = (&old.digests[..], &new.digests[..]) else {
        return None;
    };
    let holds = &format.holds;
    let others_stay = !holds.size && !holds.mtime && spec == new_spec;
    // What needs an escape has none in the pattern.
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
        // The name is all that stands on one side, as far as it goes: a shorter one may be a part of a tag.
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

/// Where this stands in a text, if it stands there just once.
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
