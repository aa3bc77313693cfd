//! A run as one page to be filed: what was checked with what, how it ended, failures first. Nothing to load from elsewhere, no
//! script, bounded however many files there are; it can be read in light and dark, on a telephone and on paper.

use crate::advice::Trouble;
use crate::drawing::style::head;
use crate::drawing::xml::escaped;
use crate::origin;
use crate::words::{count, grouped};
use std::fmt::Write;
use truesum::manifest::path::display_safe;

/// Failures that are shown one by one; of bad ones twice as many.
const FAILURES: u64 = 10_000;
/// Names of other files that are shown, for each word.
const OTHERS: u64 = 1000;
/// Sections of where files are damaged.
const MAPS: u64 = 200;
/// The longest text that is shown of one failure, in characters.
const DETAIL: usize = 2000;

/// By which a page is known again.
pub const MARK: &str = "<meta name=\"generator\" content=\"truesum record\">";

/// What is special to these pages.
const OWN: &str = "\
header { border-bottom: 1px solid var(--line); margin-bottom: 24px }
h1 { margin: 0 0 4px; font-size: 24px; line-height: 1.3; overflow-wrap: anywhere }
h2 { margin: 32px 0 12px; font-size: 18px }
h3 { margin: 24px 0 8px; font: 600 15px/1.4 ui-monospace, monospace; overflow-wrap: anywhere }
p { overflow-wrap: anywhere }
.more { font-size: 14px }
.conclusion { padding: 10px 14px; background: var(--tint); border-left: 5px solid var(--unsure); font-weight: 600 }
.conclusion.good { border-color: var(--fine) }
.conclusion.bad { border-color: var(--bad) }
.label { padding: 8px 14px; background: var(--tint); border-left: 5px solid var(--unsure) }
dl { gap: 4px 20px }
code { font: 14px/1.45 ui-monospace, monospace; overflow-wrap: anywhere }
table { width: 100% }
th, td { padding: 6px 16px 6px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
th { color: var(--soft); font-weight: 600 }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; width: 1% }
td.w { white-space: nowrap; width: 1%; font-weight: 600 }
ul.files { list-style: none; margin: 0; padding: 0 }
ul.files li { padding: 8px 0; border-bottom: 1px solid var(--line); break-inside: avoid }
.word { display: inline-block; min-width: 120px; font-weight: 600; font-size: 14px }
.bad .word, .word.bad { color: var(--bad) }
.word.unsure { color: var(--unsure) }
.word.good { color: var(--fine) }
.detail { display: block; margin: 4px 0 0; color: var(--soft); white-space: pre-wrap }
details { margin: 0 0 12px }
summary { cursor: pointer; padding: 4px 0 }
details li { padding: 2px 0; border: 0 }
section { break-inside: avoid-page; margin-bottom: 32px }
footer { margin-top: 40px; padding-top: 12px; border-top: 1px solid var(--line); color: var(--soft); font-size: 14px; overflow-wrap: anywhere }
@media (max-width: 560px) {
  ul.files .word { display: block }
  dl { grid-template-columns: 1fr; gap: 0 }
  dd { margin-bottom: 10px }
  .counts td, .counts th { display: block; width: auto; text-align: left; border: 0; padding: 0 }
  .counts tr { display: block; padding: 8px 0; border-bottom: 1px solid var(--line) }
  .counts tr:first-child { display: none }
  .counts td.w, .counts td.n { display: inline; padding-right: 8px }
}
@media print {
  :root { --page: #fff; --text: #000; --soft: #444; --line: #bbb; --tint: #fff }
  body { max-width: none; padding: 0; font-size: 11pt }
  * { print-color-adjust: exact }
  summary { list-style: none }
}
";

/// How bad a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    Bad,
    Unsure,
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

/// What stands above the files.
pub struct Heading {
    pub title: String,
    /// How it ended, in one sentence.
    pub conclusion: (Tone, String),
    /// What the conclusion does not say: that it is of a part, that digests are weak.
    pub labels: Vec<String>,
    /// Names and values.
    pub facts: Vec<(&'static str, String)>,
    /// Words with their counts, and what can be done.
    pub counts: Vec<(Tone, String, u64, Option<Trouble>)>,
}

/// A page as its files come.
#[derive(Default)]
pub struct Record {
    /// Those that are bad, and those of which that is not sure; and how many of both are shown.
    failures: [String; 2],
    shown: u64,
    failed: u64,
    /// Other files by their words, in the order in which these were met.
    others: Vec<(&'static str, Tone, u64, String)>,
    maps: String,
    mapped: u64,
}

impl Record {
    /// Adds a file that is not as it should be, with what else there is to say of it.
    pub fn failure(&mut self, tone: Tone, word: &str, name: &[u8], detail: &str) {
        self.failed += 1;
        // Bad ones are shown whatever came before them, up to as many again.
        let most = if tone == Tone::Bad { 2 * FAILURES } else { FAILURES };
        if self.shown >= most {
            return;
        }
        self.shown += 1;
        let list = &mut self.failures[usize::from(tone != Tone::Bad)];
        let (word, name) = (escaped(word), escaped(&display_safe(name)));
        let class = tone.class();
        let _ = write!(list, "<li><span class=\"word {class}\">{word}</span> <code>{name}</code>");
        if !detail.is_empty() {
            let cut: String = detail.trim_end().chars().take(DETAIL).collect();
            let _ = write!(list, "<code class=\"detail\">{}</code>", escaped(&cut));
        }
        list.push_str("</li>\n");
    }

    /// Adds a file of which there is nothing more to say than this word.
    pub fn other(&mut self, tone: Tone, word: &'static str, name: &[u8]) {
        let at = self.others.iter().position(|(known, ..)| *known == word).unwrap_or_else(|| {
            self.others.push((word, tone, 0, String::new()));
            self.others.len() - 1
        });
        let (_, _, number, names) = &mut self.others[at];
        *number += 1;
        if *number <= OTHERS {
            let _ = writeln!(names, "<li><code>{}</code></li>", escaped(&display_safe(name)));
        }
    }

    /// Adds a section that shows where a file is damaged.
    pub fn map(&mut self, section: impl FnOnce() -> String) {
        self.mapped += 1;
        if self.mapped <= MAPS {
            self.maps += &section().replace("<h2>", "<h3>").replace("</h2>", "</h3>");
        }
    }

    /// The whole page.
    pub fn page(&self, heading: &Heading) -> String {
        let title = escaped(&heading.title);
        let head = head(&format!("{MARK}\n"), OWN);
        let mut text = format!("{head}<title>{title}</title>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n");
        let (tone, conclusion) = &heading.conclusion;
        let _ =
            writeln!(text, "</header>\n<p class=\"conclusion {}\">{}</p>", tone.class(), escaped(conclusion));
        for label in &heading.labels {
            let _ = writeln!(text, "<p class=\"label\">{}</p>", escaped(label));
        }
        text.push_str("<dl>\n");
        for (name, value) in &heading.facts {
            let _ = writeln!(text, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
        }
        text.push_str("</dl>\n");
        counts(&heading.counts, &mut text);
        if self.failed > 0 {
            let _ = writeln!(
                text,
                "<h2>Problems</h2>\n<ul class=\"files\">\n{}{}</ul>",
                self.failures[0], self.failures[1]
            );
            more(self.failed, self.shown, &mut text);
        }
        if self.mapped > 0 {
            let _ = writeln!(text, "<h2>Damaged ranges</h2>\n{}", self.maps);
            more(self.mapped, MAPS, &mut text);
        }
        if !self.others.is_empty() {
            text.push_str("<h2>Other files</h2>\n");
        }
        for (word, tone, number, names) in &self.others {
            let files = count(*number, "file", "files");
            let _ = writeln!(
                text,
                "<details>\n<summary><span class=\"word {}\">{}</span> {files}</summary>\n<ul class=\"files\">\n{names}</ul>",
                tone.class(),
                escaped(word)
            );
            more(*number, OTHERS, &mut text);
            text.push_str("</details>\n");
        }
        let _ = writeln!(
            text,
            "<footer>Written by truesum {}. Names are spelled as a shell would, where they hold characters that cannot be \
             shown.</footer>\n</body>\n</html>",
            origin::VERSION
        );
        text
    }
}

fn counts(counts: &[(Tone, String, u64, Option<Trouble>)], text: &mut String) {
    text.push_str(
        "<h2>Counts</h2>\n<table class=\"counts\">\n<tr><th>Verdict</th><th class=\"n\">Number</th><th>What to do</th></tr>\n",
    );
    for (tone, word, number, trouble) in counts {
        let advice = trouble.map_or("", Trouble::advice);
        let _ = writeln!(
            text,
            "<tr><td class=\"w\"><span class=\"word {}\">{}</span></td><td class=\"n\">{}</td><td>{}</td></tr>",
            tone.class(),
            escaped(word),
            grouped(*number),
            escaped(advice)
        );
    }
    text.push_str("</table>\n");
}

/// Says how many were not shown.
fn more(number: u64, most: u64, text: &mut String) {
    if number > most {
        let _ = writeln!(text, "<p class=\"more\">{} more not shown.</p>", grouped(number - most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading() -> Heading {
        Heading {
            title: "Check of <M>".to_owned(),
            conclusion: (Tone::Bad, "NOT verified".to_owned()),
            labels: vec!["a <part>".to_owned()],
            facts: vec![("Folder", "</dd><script>".to_owned())],
            counts: vec![(Tone::Bad, "FAILED".to_owned(), 12_345, Some(Trouble::Mismatch))],
        }
    }

    #[test]
    fn names_are_text_and_nothing_is_loaded() {
        let mut record = Record::default();
        let name = b"</script><script>alert(1)</script>\n\"&\x1b]\xe2\x80\xae";
        record.failure(Tone::Bad, "FAILED", name, "expected <b>\nactual </code>");
        record.other(Tone::Good, "OK", name);
        let text = record.page(&heading());
        assert!(!text.contains("<script") && !text.contains("</script") && !text.contains("<b>"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
        for word in ["http:", "https:", "url(", "src=\"", "href=", "@import"] {
            assert!(!text.contains(word), "{word}");
        }
        assert!(text.contains("12,345") && text.contains("restore the file from a copy"));
    }

    #[test]
    fn a_page_has_an_end_however_many_files_there_are() {
        let mut record = Record::default();
        for i in 0..1_000_000u32 {
            record.other(Tone::Good, "OK", &i.to_le_bytes());
            record.failure(Tone::Bad, "FAILED", b"x", "");
            record.map(|| "<h2>x</h2>".to_owned());
        }
        let text = record.page(&heading());
        assert!(text.len() < 4 << 20, "{}", text.len());
        for more in ["980,000 more not shown.", "999,000 more not shown.", "999,800 more not shown."] {
            assert!(text.contains(more), "{more}");
        }
    }
}
