//! Reports what a conversion loses: names individually, details of entries as counts.

use crate::console::Console;
use crate::exit::Refusal;
use crate::words::{SAME_OPTIONS, count, path_word, shell_word};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;
use truesum::hash::Spec;
use truesum::manifest::convert::{Converted, Loss};
use truesum::manifest::path::display_safe;
use truesum::manifest::{Format, Rules, Unrepresentable};
use truesum::scrub;
use truesum_fs::name::OsStrExt;

/// Maximum number of malformed parts and names shown if nothing is written.
const SHOWN: u64 = 10;

/// Counts what is lost.
pub struct Losses<'a> {
    /// The name of the manifest, safe to print.
    name: String,
    /// The name as a word of a shell command.
    word: String,
    /// Whether the input is a state of `scrub`, whose files cannot be verified.
    is_state: bool,
    format: &'static Format,
    lossy: bool,
    console: &'a mut Console,
    malformed: u64,
    /// Messages about the first malformed parts. They are printed only when it is known whether the
    /// input has any entry: if it is not a manifest, one is enough.
    errors: Vec<String>,
    entries: u64,
    /// Descriptions of the details that entries lose, with the number of entries.
    parts: BTreeMap<String, u64>,
    signature: bool,
    unnamed_algorithm: bool,
    /// Whether an entry has no digest of the complete file.
    without_digest: bool,
    /// The last entry that cannot be written, and the reason: an entry may have a line for each piece.
    last: Option<(Vec<u8>, String)>,
    /// Whether an entry has an attribute that no format stores.
    attributes: bool,
    /// Whether the manifest has rules, and whether they can be read.
    rules: bool,
    readable_rules: bool,
    /// Whether the manifest has objects that are not regular files.
    objects: bool,
    /// Whether an entry has only digests that the format cannot store.
    other: bool,
    /// The algorithms of entries that cannot be written without a size, which a verification of the files adds.
    without_size: BTreeSet<String>,
}

impl<'a> Losses<'a> {
    /// Creates an empty collection for converting the manifest `input` to `format`.
    pub fn new(input: &[u8], format: &'static Format, lossy: bool, console: &'a mut Console) -> Losses<'a> {
        let (name, word) = (display_safe(input), path_word(OsStr::from_bytes(input)));
        Losses {
            name,
            word,
            is_state: scrub::is_state(Path::new(OsStr::from_bytes(input))),
            format,
            lossy,
            console,
            malformed: 0,
            errors: Vec::new(),
            entries: 0,
            parts: BTreeMap::new(),
            signature: false,
            unnamed_algorithm: false,
            without_digest: false,
            last: None,
            attributes: false,
            rules: false,
            readable_rules: true,
            objects: false,
            other: false,
            without_size: BTreeSet::new(),
        }
    }

    /// Records a loss; losses of a complete entry are reported immediately.
    pub fn note(&mut self, lost: &Loss<'_>) {
        match lost {
            Loss::Malformed(error) => {
                self.malformed += 1;
                if self.malformed <= SHOWN {
                    self.errors.push(error.to_string());
                }
            }
            Loss::Entry(entry, why) => {
                let this = Some((entry.path.clone(), why.to_string()));
                if this == self.last {
                    return;
                }
                self.last = this;
                self.without_digest |= matches!(why, Unrepresentable::NoDigest);
                self.entries += 1;
                self.other |= matches!(why, Unrepresentable::Algorithm(_));
                if matches!(why, Unrepresentable::NoSize) {
                    self.without_size.extend(entry.digests.iter().map(|(spec, _)| spec.to_string()));
                }
                if self.lossy {
                    self.console.note(&format!("{}: left out: {why}", display_safe(&entry.path)));
                } else if self.entries <= SHOWN {
                    self.console.error_of(&entry.path, &format!("cannot be written: {why}"));
                }
            }
            Loss::Digest(_, spec) => self.count(format!("the {spec} digest")),
            Loss::Unread(name) => self.count(format!("the {} digest", display_safe(name.as_bytes()))),
            Loss::Size(_) => self.count("the size".to_owned()),
            Loss::Time(_) => self.count("the modification time".to_owned()),
            Loss::Pieces(_) => self.count("the piece digests".to_owned()),
            Loss::Attribute(name) => self.attribute(name),
            Loss::Objects(objects) => {
                self.objects = true;
                self.parts.insert(objects.to_string(), 0);
            }
            Loss::Signature => self.signature = true,
        }
    }

    fn count(&mut self, what: String) {
        *self.parts.entry(what).or_default() += 1;
    }

    /// Counts an attribute by its name, or with others if there are already many names.
    fn attribute(&mut self, name: &str) {
        self.attributes = true;
        let what = format!("the attribute {}", display_safe(name.as_bytes()));
        let is_full = self.parts.len() as u64 >= SHOWN && !self.parts.contains_key(&what);
        self.count(if is_full { "other attributes".to_owned() } else { what });
    }

    /// Records the rules that the format cannot store, and whether there are rules that cannot be read.
    pub fn rules(&mut self, rules: &Rules) {
        self.rules = !rules.all().is_empty();
        self.readable_rules = !rules.is_invalid();
        for rule in rules.all().iter().filter(|rule| !self.format.can_store_rule(rule)) {
            let what = format!("the rule {}", display_safe(rule.to_string().as_bytes()));
            let is_full = self.parts.len() as u64 >= SHOWN;
            self.parts.insert(if is_full { "other rules".to_owned() } else { what }, 0);
        }
        if rules.is_invalid() {
            self.parts.insert("rules that are too many or not valid UTF-8".to_owned(), 0);
        }
    }

    /// Records algorithms that nothing in the new manifest would identify.
    pub fn unnamed_algorithm(&mut self, specs: &[Spec]) {
        self.unnamed_algorithm = !specs.is_empty();
        for spec in specs {
            self.parts.insert(format!("the name of the algorithm ({spec})"), 0);
        }
    }

    /// Returns whether anything is lost.
    pub fn any(&self) -> bool {
        self.entries > 0 || !self.parts.is_empty() || self.signature
    }

    /// Reports what is lost, and returns why nothing is written, if so.
    pub fn refusal(self, converted: &Converted) -> Option<Refusal> {
        let name = &self.name;
        if self.malformed > 0 {
            let none = converted.entries() == 0 && self.entries == 0;
            // If there are few malformed lines, each may have a different cause.
            let shown = if none && self.malformed > SHOWN { 1 } else { SHOWN };
            for error in self.errors.iter().take(shown as usize) {
                self.console.error(&format!("{name}: {error}"));
            }
            if none && self.malformed > SHOWN {
                let text = format!(
                    "{name}: not converted: it has {} malformed lines and no entries",
                    self.malformed
                );
                return Some(Refusal::with_hint(
                    text,
                    "if it is a manifest, specify its format: --from FORMAT",
                ));
            }
            if self.malformed > shown {
                let more = count(self.malformed - shown, "more malformed line", "more malformed lines");
                self.console.error(&format!("{name}: {more}"));
            }
            let parts = count(self.malformed, "malformed line", "malformed lines");
            let text = format!("{name}: not converted: it has {parts}");
            return Some(Refusal::with_hint(
                text,
                "if the lines are valid, specify their algorithm with --from-algorithm NAME or their format with --from FORMAT",
            ));
        }
        let lossy = self.lossy;
        if !lossy && self.entries > SHOWN {
            let more = count(self.entries - SHOWN, "more entry", "more entries");
            self.console.error(&format!("{name}: {more} cannot be written"));
        }
        let say = |text: String| match lossy {
            true => self.console.note(&text),
            false => self.console.error(&text),
        };
        for (what, entries) in &self.parts {
            let of = match entries {
                0 => String::new(),
                entries => format!(" of {}", count(*entries, "entry", "entries")),
            };
            say(format!("{name}: the {} format cannot store {what}{of}", self.format.name()));
        }
        if self.signature {
            say(format!(
                "{name}: the {} format cannot store the signature, which is valid only for the original text",
                self.format.name()
            ));
        }
        if self.any() && !lossy {
            let word = &self.word;
            let text = format!(
                "{name}: not converted: the {} format cannot store everything in this manifest",
                self.format.name()
            );
            let hint = match self.format.tagged().filter(|_| self.unnamed_algorithm && !self.is_state) {
                Some(tagged) => {
                    format!(
                        "to verify the files and compute sha256 digests: truesum convert{SAME_OPTIONS} {word} -a sha256 -o \
                         SHA256SUMS; to keep these digests and name their algorithm, use -t {}",
                        tagged.name()
                    )
                }
                None if self.other && !self.is_state => {
                    let usual = self.format.capabilities().usual_algorithm();
                    format!(
                        "to verify the files and compute {usual} digests: truesum convert{SAME_OPTIONS} {word} -t {} -a {usual}",
                        self.format.name()
                    )
                }
                None if !self.without_size.is_empty() && !self.is_state => {
                    format!(
                        "to verify the files and record their sizes: truesum convert{SAME_OPTIONS} {word} -t {} -a {}",
                        self.format.name(),
                        shell_word(Vec::from_iter(self.without_size.clone()).join(","))
                    )
                }
                None if converted.entries() == 0 => "to write a new manifest of the files: truesum hash -o NEW DIR".to_owned(),
                None if self.without_digest => {
                    "to drop these entries, use --lossy; to write a new manifest of the files: truesum hash -o NEW DIR"
                        .to_owned()
                }
                None if !self.readable_rules => {
                    "to drop this data, use --lossy; no format keeps rules that cannot be read".to_owned()
                }
                None if self.rules => {
                    "to drop this data, use --lossy; bsd keeps rules, and mtree keeps rules, sizes and modification times"
                        .to_owned()
                }
                None if self.attributes || self.objects => {
                    "to drop this data, use --lossy; in every format, truesum writes only the digests, sizes and modification times of regular files"
                        .to_owned()
                }
                None => {
                    "to drop this data, use --lossy; to keep everything except signatures, use -t jsonl".to_owned()
                }
            };
            return Some(Refusal::with_hint(text, hint));
        }
        (converted.entries() == 0)
            .then(|| Refusal::new(format!("{name}: not converted: there are no entries to write")))
    }
}
