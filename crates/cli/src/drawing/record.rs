//! The HTML report of a run: the verdict, counts, problems grouped by verdict, and maps of damaged
//! files. It loads nothing, has no scripts, and its size is limited however many files there are.
//! It is readable in light and dark mode, on a phone and on paper.

use crate::advice::Trouble;
use crate::drawing::style::head;
use crate::drawing::xml::escaped;
use crate::origin;
use crate::words::{count, grouped};
use std::fmt::Write;
use truesum::manifest::path::display_safe;

/// Maximum number of files shown in each group of problems.
const PROBLEMS: u64 = 5000;
/// Maximum number of files shown in each other group.
const OTHERS: u64 = 1000;
/// Maximum number of sections that show where a file is damaged.
const MAPS: u64 = 200;
/// Maximum number of characters shown of the notes on one file.
const NOTES: usize = 2000;

/// The element that identifies earlier reports.
pub const MARK: &str = "<meta name=\"generator\" content=\"truesum record\">";

/// Style rules of these pages only.
const OWN: &str = "\
header { border-bottom: 1px solid var(--line); margin-bottom: 24px }
h1 { margin: 0 0 8px; font-size: 26px; line-height: 1.3; overflow-wrap: anywhere }
h2 { margin: 36px 0 8px; font-size: 19px }
h3 { margin: 24px 0 8px; font: 600 15px/1.4 ui-monospace, monospace; overflow-wrap: anywhere }
p { overflow-wrap: anywhere }
.more { font-size: 14px }
.label { padding: 8px 14px; background: var(--tint); border-left: 5px solid var(--unsure) }
.counts { display: grid; grid-template-columns: repeat(auto-fill, minmax(148px, 1fr)); gap: 12px; list-style: none; margin: 0 0 12px; padding: 0 }
.counts li { padding: 10px 14px; background: var(--tint); border-top: 4px solid var(--line) }
.counts b { display: block; font-size: 34px; line-height: 1.15; font-variant-numeric: tabular-nums }
.counts .good { border-color: var(--fine) }
.counts .bad { border-color: var(--bad) }
.counts .unsure { border-color: var(--unsure) }
.counts .none { color: var(--soft) }
dl { gap: 4px 20px }
code { font: 14px/1.45 ui-monospace, monospace; overflow-wrap: anywhere }
ul.files { list-style: none; margin: 0; padding: 0 }
ul.files li { padding: 8px 0; border-bottom: 1px solid var(--line); break-inside: avoid }
.good b, .word.good { color: var(--fine) }
.bad b, .word.bad { color: var(--bad) }
.unsure b, .word.unsure { color: var(--unsure) }
.word { font-weight: 600 }
.notes { display: block; margin: 4px 0 0; color: var(--soft); white-space: pre-wrap }
mark { padding: 0 1px; background: var(--bad); color: var(--page); font-weight: 700 }
details { margin: 0 0 12px }
summary { cursor: pointer; padding: 4px 0 }
details li { padding: 2px 0; border: 0 }
section { break-inside: avoid-page; margin-bottom: 32px }
.table td, .table th { padding: 4px 16px 4px 0; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap }
.table th { color: var(--soft); font-weight: 600 }
.table td:first-child, .table th:first-child { min-width: 10em; text-align: left; white-space: normal; overflow-wrap: anywhere }
.table td:last-child, .table th:last-child { padding-right: 0 }
td svg { min-width: 160px }
svg .u, .key .u { fill: var(--unsure); background: var(--unsure) }
footer { margin-top: 40px; padding-top: 12px; border-top: 1px solid var(--line); color: var(--soft); font-size: 14px; overflow-wrap: anywhere }
@media (max-width: 560px) {
  .counts { grid-template-columns: 1fr 1fr }
  dl { grid-template-columns: 1fr; gap: 0 }
  dd { margin-bottom: 10px }
}
@media print {
  :root { --page: #fff; --text: #000; --soft: #444; --line: #bbb; --tint: #fff }
  body { max-width: none; padding: 0; font-size: 11pt }
  * { print-color-adjust: exact }
  summary { list-style: none }
}
";

/// The meaning of a color, in the order in which groups are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    Bad,
    Unsure,
    Good,
}

impl Tone {
    fn class(self) -> &'static str {
        match self {
            Tone::Good => "good",
            Tone::Bad => "bad",
            Tone::Unsure => "unsure",
        }
    }
}

/// The part of a report that precedes the files.
pub struct Heading {
    /// The verdict in a word or two, for the title and the headline.
    pub verdict: (Tone, &'static str),
    /// The subject of the run, such as `check of SHA256SUMS`.
    pub subject: String,
    /// The verdict in one sentence.
    pub sentence: String,
    /// Restrictions of the verdict, for example that only a part was checked or that digests are
    /// weak.
    pub labels: Vec<String>,
    /// Names and values.
    pub facts: Vec<(&'static str, String)>,
    /// Words with their counts, and the kind of failure for advice.
    pub counts: Vec<(Tone, String, u64, Option<Trouble>)>,
}

/// A line about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Text.
    Text(String),
    /// Two sizes that differ.
    Size { expected: u64, actual: u64 },
    /// Two digests that differ: their algorithm, the expected and the actual value.
    Differs { name: String, expected: String, actual: String },
}

impl Note {
    /// Returns the lines for a terminal.
    pub fn lines(&self) -> String {
        match self {
            Note::Text(text) => format!("  {text}\n"),
            Note::Size { expected, actual } => {
                format!("  expected size {expected}\n  actual size   {actual}\n")
            }
            Note::Differs { name, expected, actual } => {
                format!("  expected {name} {expected}\n  actual   {name} {actual}\n")
            }
        }
    }

    /// Returns the lines as HTML; the first character in which the values differ is marked.
    fn html(&self) -> String {
        let (name, expected, actual) = match self {
            Note::Text(text) => return escaped(text) + "\n",
            Note::Size { expected, actual } => {
                let [expected, actual] = [*expected, *actual].map(grouped);
                return format!("expected size {expected}\nactual size   {actual}\n");
            }
            Note::Differs { name, expected, actual } => (escaped(name), expected, actual),
        };
        let same = expected.chars().zip(actual.chars()).take_while(|(one, other)| one == other).count();
        let marked = |value: &str| {
            let at = value.char_indices().nth(same).map_or(value.len(), |(at, _)| at);
            let (before, rest) = value.split_at(at);
            let end = rest.chars().next().map_or(0, char::len_utf8);
            let (before, [digit, rest]) = (escaped(before), [&rest[..end], &rest[end..]].map(escaped));
            if digit.is_empty() { before } else { format!("{before}<mark>{digit}</mark>{rest}") }
        };
        format!("expected {name} {}\nactual   {name} {}\n", marked(expected), marked(actual))
    }
}

/// Files with the same verdict.
struct Group {
    tone: Tone,
    word: &'static str,
    /// Whether its files are problems, which are shown with notes. Other files are shown by name
    /// only.
    problems: bool,
    number: u64,
    items: String,
}

/// Collects the files of a report.
#[derive(Default)]
pub struct Record {
    groups: Vec<Group>,
    maps: String,
    mapped: u64,
    sections: String,
}

impl Record {
    /// Adds a file that does not match or needs attention, with notes on it.
    pub fn failure(&mut self, tone: Tone, word: &'static str, name: &[u8], notes: &[Note]) {
        let Some(items) = self.file(tone, word, true) else { return };
        let _ = write!(items, "<li><code>{}</code>", escaped(&display_safe(name)));
        if !notes.is_empty() {
            items.push_str("<code class=\"notes\">");
            let mut room = NOTES;
            for note in notes {
                let text = note.html();
                let Some(left) = room.checked_sub(text.len()) else {
                    items.push_str("...\n");
                    break;
                };
                room = left;
                items.push_str(&text);
            }
            let end = items.trim_end().len();
            items.truncate(end);
            items.push_str("</code>");
        }
        items.push_str("</li>\n");
    }

    /// Adds a file that is shown by name only.
    pub fn other(&mut self, tone: Tone, word: &'static str, name: &[u8]) {
        if let Some(items) = self.file(tone, word, false) {
            let _ = writeln!(items, "<li><code>{}</code></li>", escaped(&display_safe(name)));
        }
    }

    /// Counts a file in its group, and returns the items of the group unless enough are shown.
    fn file(&mut self, tone: Tone, word: &'static str, problems: bool) -> Option<&mut String> {
        let is_it = |group: &Group| group.word == word && group.tone == tone && group.problems == problems;
        let at = self.groups.iter().position(is_it).unwrap_or_else(|| {
            self.groups.push(Group { tone, word, problems, number: 0, items: String::new() });
            self.groups.len() - 1
        });
        let group = &mut self.groups[at];
        group.number += 1;
        (group.number <= if problems { PROBLEMS } else { OTHERS }).then_some(&mut group.items)
    }

    /// Adds a section that shows where a file is damaged.
    pub fn map(&mut self, section: impl FnOnce() -> String) {
        self.mapped += 1;
        if self.mapped <= MAPS {
            self.maps += &section().replace("<h2>", "<h3>").replace("</h2>", "</h3>");
        }
    }

    /// Adds a section in front of the files.
    pub fn section(&mut self, title: &str, html: &str) {
        let _ = writeln!(self.sections, "<section>\n<h2>{title}</h2>\n{html}</section>");
    }

    /// Returns the complete page.
    pub fn page(&self, heading: &Heading) -> String {
        let Heading { verdict: (tone, verdict), subject, sentence, labels, facts, counts } = heading;
        let (subject, head) = (escaped(subject), head(&format!("{MARK}\n"), OWN));
        let mut text = format!(
            "{head}<title>{verdict}: {subject}</title>\n</head>\n<body>\n<header>\n\
             <h1><span class=\"word {}\">{verdict}:</span> {subject}</h1>\n<p>{}</p>\n</header>\n",
            tone.class(),
            escaped(sentence)
        );
        tiles(counts, &mut text);
        for label in labels {
            let _ = writeln!(text, "<p class=\"label\">{}</p>", escaped(label));
        }
        text.push_str("<dl>\n");
        for (name, value) in facts {
            let _ = writeln!(text, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
        }
        text.push_str("</dl>\n");
        advice(counts, &mut text);
        text.push_str(&self.sections);
        let mut groups: Vec<&Group> = self.groups.iter().collect();
        groups.sort_by_key(|group| group.tone);
        for group in groups.iter().filter(|group| group.problems) {
            let Group { word, number, items, .. } = group;
            let _ = writeln!(
                text,
                "<h2><span class=\"word {}\">{word}</span>: {}</h2>\n<ul class=\"files\">\n{items}</ul>",
                group.tone.class(),
                grouped(*number)
            );
            more(*number, PROBLEMS, &mut text);
        }
        if self.mapped > 0 {
            let _ = writeln!(text, "<h2>Damaged ranges</h2>\n{}", self.maps);
            more(self.mapped, MAPS, &mut text);
        }
        if groups.iter().any(|group| !group.problems) {
            text.push_str("<h2>Other files</h2>\n");
        }
        for group in groups.iter().filter(|group| !group.problems) {
            let Group { word, number, items, .. } = group;
            let files = count(*number, "file", "files");
            let _ = writeln!(
                text,
                "<details>\n<summary><span class=\"word {}\">{word}</span>: {files}</summary>\n\
                 <ul class=\"files\">\n{items}</ul>",
                group.tone.class()
            );
            more(*number, OTHERS, &mut text);
            text.push_str("</details>\n");
        }
        let _ = writeln!(
            text,
            "<footer>Written by truesum {}. Names that contain control characters or invalid UTF-8 are quoted as in a \
             shell.</footer>\n</body>\n</html>",
            origin::VERSION
        );
        text
    }
}

/// Appends the counts in large type, and a key to their colors.
fn tiles(counts: &[(Tone, String, u64, Option<Trouble>)], text: &mut String) {
    text.push_str("<ul class=\"counts\">\n");
    for (tone, word, number, _) in counts {
        let class = if *number == 0 { "none" } else { tone.class() };
        let _ = writeln!(text, "<li class=\"{class}\"><b>{}</b>{}</li>", grouped(*number), escaped(word));
    }
    text.push_str("</ul>\n<p class=\"key more\">");
    for (tone, meaning) in [
        (Tone::Good, "matches"),
        (Tone::Bad, "does not match, is missing or could not be read"),
        (Tone::Unsure, "needs attention"),
    ] {
        let _ = write!(text, "<i class=\"{}\"></i>{meaning} ", tone.class());
    }
    text.push_str("</p>\n");
}

/// Appends advice on each kind of problem.
fn advice(counts: &[(Tone, String, u64, Option<Trouble>)], text: &mut String) {
    let rows: Vec<String> = counts
        .iter()
        .filter_map(|(tone, word, _, trouble)| {
            let (class, word, advice) = (tone.class(), escaped(word), escaped((*trouble)?.advice()));
            Some(format!("<dt><span class=\"word {class}\">{word}</span></dt><dd>{advice}</dd>\n"))
        })
        .collect();
    if !rows.is_empty() {
        let _ = writeln!(text, "<h2>What to do</h2>\n<dl>\n{}</dl>", rows.concat());
    }
}

/// Appends how many files are not shown.
fn more(number: u64, most: u64, text: &mut String) {
    if number > most {
        let _ = writeln!(
            text,
            "<p class=\"more\">{} not shown.</p>",
            count(number - most, "more is", "more are")
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading() -> Heading {
        Heading {
            verdict: (Tone::Bad, "FAILED"),
            subject: "check of <M>".to_owned(),
            sentence: "Some <files> do not match.".to_owned(),
            labels: vec!["a <part>".to_owned()],
            facts: vec![("Folder", "</dd><script>".to_owned())],
            counts: vec![(Tone::Bad, "FAILED".to_owned(), 12_345, Some(Trouble::Mismatch))],
        }
    }

    #[test]
    fn record_escapes_names_and_loads_no_resources() {
        let mut record = Record::default();
        let name = b"</script><script>alert(1)</script>\n\"&\x1b]\xe2\x80\xae";
        let differs = Note::Differs { name: "<b>".into(), expected: "<b>".into(), actual: "</code>".into() };
        record.failure(Tone::Bad, "FAILED", name, &[Note::Text("<b>".to_owned()), differs]);
        record.other(Tone::Good, "OK", name);
        let text = record.page(&heading());
        let body = text.split_once("<h2>").unwrap().1;
        assert!(!text.contains("<script") && !text.contains("</script") && !body.contains("<b>"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
        for word in ["http:", "https:", "url(", "src=\"", "href=", "@import"] {
            assert!(!text.contains(word), "{word}");
        }
        assert!(text.contains("12,345") && text.contains("restore the file from a copy"));
        assert!(text.contains("<title>FAILED: check of &lt;M&gt;</title>"));
    }

    #[test]
    fn first_differing_digit_is_marked() {
        let html = |expected: &str, actual: &str| {
            Note::Differs { name: "md5".into(), expected: expected.into(), actual: actual.into() }.html()
        };
        assert_eq!(html("ab12", "abc2"), "expected md5 ab<mark>1</mark>2\nactual   md5 ab<mark>c</mark>2\n");
        assert_eq!(html("ab", "abé"), "expected md5 ab\nactual   md5 ab<mark>é</mark>\n");
    }

    #[test]
    fn problems_are_grouped_by_verdict_worst_first() {
        let mut record = Record::default();
        record.failure(Tone::Unsure, "malformed", b"M", &[]);
        for name in [b"b1", b"b2"] {
            record.failure(Tone::Bad, "FAILED", name, &[]);
            record.failure(Tone::Bad, "MISSING", b"gone", &[]);
        }
        let page = record.page(&heading());
        let groups: Vec<&str> = page.split("<h2>").skip(2).collect();
        let words: Vec<&str> = groups
            .iter()
            .map(|group| group.split_once("\">").unwrap().1.split_once('<').unwrap().0)
            .collect();
        assert_eq!(words, ["FAILED", "MISSING", "malformed"]);
        assert!(groups[0].contains("</span>: 2</h2>") && groups[0].contains("b1</code></li>\n<li><code>b2"));
    }

    #[test]
    fn page_size_is_bounded_for_any_number_of_files() {
        let mut record = Record::default();
        let notes = vec![Note::Text("x".repeat(100)); 100];
        for i in 0..1_000_000u32 {
            record.other(Tone::Good, "OK", &i.to_le_bytes());
            record.failure(Tone::Bad, "FAILED", b"x", if i < 9 { &notes } else { &[] });
            record.map(|| "<h2>x</h2>".to_owned());
        }
        let text = record.page(&heading());
        assert!(text.len() < 4 << 20, "{}", text.len());
        for more in
            ["995,000 more are not shown.", "999,000 more are not shown.", "999,800 more are not shown."]
        {
            assert!(text.contains(more), "{more}");
        }
        assert!(text.contains("xxx\n...</code>"));
    }
}
