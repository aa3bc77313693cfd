//! Media hash lists: MHL 1.1 of camera departments, and ASC-MHL 2.0, whose lists are in a
//! directory `ascmhl` next to the files.
//!
//! Names in an ASC list are relative to the parent of that directory. Digests of directories
//! cover lists and are ignored. The chain file in that directory contains the digest of each list.

use super::xml::{self, Algorithm, LIST, Shape};
use crate::entry::{Entry, Time};
use crate::format::{
    Algorithms, Capabilities, Compose, Format, Names, Options, Reading, Unrepresentable, Writing,
};
use crate::line::{LineError, Place};
use crate::radix::to_c4;
use crate::rule::Rule;
use crate::scan;
use quick_xml::escape::unescape;
use quick_xml::events::Event;
use std::collections::BTreeMap;
use truesum_hash::readable;

pub(crate) static MHL: Format = Format {
    name: "mhl",
    summary: "Media Hash List 1.1: names, sizes and digests of camera files (XML)",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| xml::sniff(head, "hashlist", |tag| !scan::contains(tag, ASC)),
    reading: Reading::document(xml::LIMIT, |text, options| xml::parse(&text, &ONE, options)),
    ..Format::DEFAULT
};

pub(crate) static ASCMHL: Format = Format {
    name: "ascmhl",
    summary: "ASC Media Hash List 2.0: names, sizes and digests of camera files (XML)",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["xxh64", "md5", "sha1", "xxh3", "xxh128", "sha512"]),
        names: Names::Components,
        size: true,
        ..Capabilities::DIGESTS
    },
    sniff: |head| xml::sniff(head, "hashlist", |tag| scan::contains(tag, ASC)),
    reading: Reading::document(xml::LIMIT, |text, options| xml::parse(&text, &TWO, options)),
    rules: Some(|text| {
        // The readers of a list know the files of its history.
        let others = patterns(text).into_iter().filter(|pattern| pattern.trim_end_matches('/') != "ascmhl");
        others.map(Rule::Exclude).collect()
    }),
    writing: Writing::Manifest(|heading| {
        // A list has no patterns of included files.
        let excluded = heading.rules.iter().filter(|rule| matches!(rule, Rule::Exclude(_)));
        let (made, globs) = (heading.made.clone(), excluded.map(Rule::glob));
        let is_possible = |glob: &&str| xml::escaped(glob.as_bytes(), &mut Vec::new()).is_ok();
        let more = globs.filter(|glob| !IGNORED.contains(glob)).filter(is_possible);
        Box::new(Generation { made, ignored: IGNORED.into_iter().chain(more).map(str::to_owned).collect() })
    }),
    ..Format::DEFAULT
};

pub(crate) static CHAIN: Format = Format {
    name: "ascmhl-chain",
    summary: "chain file of an ASC media hash list: digests of the lists of a history (XML)",
    capabilities: Capabilities::DIGESTS,
    sniff: |head| xml::sniff(head, "ascmhldirectory", |tag| scan::contains(tag, ASC)),
    reading: Reading::document(xml::LIMIT, |text, options| xml::parse(&text, &LISTS, options)),
    ..Format::DEFAULT
};

const ASC: &[u8] = b"urn:ASC:MHL";

static ONE: Shape = Shape {
    entry: "hash",
    names: &["file"],
    digests: &[
        ("md5", Algorithm::Is("md5")),
        ("sha1", Algorithm::Is("sha1")),
        ("xxhash", Algorithm::Decimal("xxh32")),
        ("xxhash64", Algorithm::Reversed("xxh64")),
        ("xxhash64be", Algorithm::Is("xxh64")),
    ],
    ..LIST
};

static TWO: Shape = Shape {
    names: &["path"],
    sizes: &["path@size"],
    digests: &[
        ("md5", Algorithm::Is("md5")),
        ("sha1", Algorithm::Is("sha1")),
        ("xxh64", Algorithm::Is("xxh64")),
        ("xxh3", Algorithm::Is("xxh3")),
        ("xxh128", Algorithm::Is("xxh128")),
        ("c4", Algorithm::Is("c4")),
    ],
    aside: &["roothash", "directoryhash", "hashlistreference"],
    ..ONE
};

/// The lists in a chain file.
static LISTS: Shape = Shape { entry: "hashlist", ..TWO };

/// The lists of histories in subdirectories, to which a list refers.
static NESTED: Shape =
    Shape { entry: "hashlistreference", aside: &["roothash", "directoryhash", "hash"], ..TWO };

/// The files of a list by their former names. Most files have none.
static FORMER: Shape = Shape { names: &["previousPath"], ..TWO };

/// A list of a history.
///
/// A plain record: callers take it apart.
pub struct AscMhlList {
    /// The files, and the former name of each that was renamed since the list before. An entry whose verification failed
    /// when the list was written has no digests.
    pub entries: Vec<(Entry, Option<Vec<u8>>)>,
    /// The lists of histories in subdirectories.
    pub nested: Vec<Entry>,
    /// The patterns of files that the list does not contain, in the syntax of `.gitignore`.
    pub ignored: Vec<String>,
    /// Entries that cannot be used.
    pub errors: Vec<LineError>,
}

/// Reads a list of a history, with its relations to other lists.
///
/// # Errors
/// Fails if it is not a valid document.
pub fn ascmhl_list(text: &[u8], options: &Options) -> Result<AscMhlList, LineError> {
    let former = xml::parse(text, &FORMER, options)?.filter_map(Result::ok);
    let mut former: BTreeMap<Place, Vec<u8>> = former.map(|line| (line.at, line.entry.path)).collect();
    let (mut entries, mut errors) = (Vec::new(), Vec::new());
    for line in xml::parse(text, &TWO, options)? {
        match line {
            Ok(line) => entries.push((line.entry, former.remove(&line.at))),
            Err(error) => errors.push(error),
        }
    }
    let mut nested = Vec::new();
    for line in xml::parse(text, &NESTED, options)? {
        match line {
            Ok(line) => nested.push(line.entry),
            Err(error) => errors.push(error),
        }
    }
    Ok(AscMhlList { entries, nested, ignored: patterns(text), errors })
}

/// Returns the patterns of ignored files in a list, which is a valid document.
fn patterns(text: &[u8]) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(std::str::from_utf8(text).unwrap_or_default());
    let mut found = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) if tag.local_name().as_ref() == b"pattern" => {
                let text = reader.read_text(tag.to_end().name()).ok();
                found.extend(text.and_then(|text| Some(unescape(&text.decode().ok()?).ok()?.into_owned())));
            }
            Ok(Event::Eof) | Err(_) => return found,
            Ok(_) => {}
        }
    }
}

/// Names that a list of a history does not contain: the history itself, and files that macOS
/// creates.
pub const IGNORED: [&str; 3] = [".DS_Store", "ascmhl", "ascmhl/"];

/// A writer of the first generation of a history.
struct Generation {
    made: Option<(Time, String)>,
    /// The patterns of files that the list does not contain.
    ignored: Vec<String>,
}

/// Formats a time in UTC as `xs:dateTime` of XML Schema, to the second.
fn date_time(time: &Time) -> String {
    format!("{}+00:00", time.to_string().get(..19).unwrap_or_default())
}

/// The relation of the digests of a file in a list to those in earlier lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashAction {
    /// No earlier list has the file under this name.
    Original,
    /// The digests match.
    Verified,
    /// The digests differ.
    Failed,
}

impl HashAction {
    fn word(self) -> &'static str {
        match self {
            HashAction::Original => "original",
            HashAction::Verified => "verified",
            HashAction::Failed => "failed",
        }
    }
}

readable! {
    /// A file in a new list of a history.
    #[derive(Clone, Debug)]
    pub struct AscMhlFile {
        /// The file.
        entry: Entry => &Entry,
        /// The relation of its digests to those in earlier lists.
        action: HashAction,
        /// Its name in earlier lists, if it was renamed.
        former: Option<Vec<u8>> as Option<&[u8]>,
    }
}

impl AscMhlFile {
    /// Returns a file with digests that relate to earlier lists as `action` says, and its name in earlier lists if it was
    /// renamed.
    pub fn new(entry: Entry, action: HashAction, former: Option<Vec<u8>>) -> Self {
        AscMhlFile { entry, action, former }
    }
}

impl Generation {
    fn head(&self, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        let nobody = (Time { seconds: 0, nanos: 0 }, "localhost".to_owned());
        let (time, host) = self.made.as_ref().unwrap_or(&nobody);
        let mut name = Vec::new();
        // Omit a host name that XML cannot represent.
        let host = match xml::escaped(host.as_bytes(), &mut name) {
            Ok(()) => String::from_utf8_lossy(&name).into_owned(),
            Err(_) => nobody.1.clone(),
        };
        let (date, version) = (date_time(time), env!("CARGO_PKG_VERSION"));
        text.extend_from_slice(
            format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">\n  \
                 <creatorinfo>\n    <creationdate>{date}</creationdate>\n    <hostname>{host}</hostname>\n    \
                 <tool version=\"{version}\">truesum</tool>\n  </creatorinfo>\n  <processinfo>\n    \
                 <process>in-place</process>\n    <ignore>\n"
            )
            .as_bytes(),
        );
        for pattern in &self.ignored {
            text.extend_from_slice(b"      <pattern>");
            xml::escaped(pattern.as_bytes(), text)?;
            text.extend_from_slice(b"</pattern>\n");
        }
        text.extend_from_slice(b"    </ignore>\n  </processinfo>\n  <hashes>\n");
        Ok(())
    }

    fn hash(
        &self,
        entry: &Entry,
        action: HashAction,
        former: Option<&[u8]>,
        text: &mut Vec<u8>,
    ) -> Result<(), Unrepresentable> {
        text.extend_from_slice(b"    <hash>\n      <path");
        if let Some(size) = entry.size {
            text.extend_from_slice(format!(" size=\"{size}\"").as_bytes());
        }
        if let Some(mtime) = &entry.mtime {
            text.extend_from_slice(format!(" lastmodificationdate=\"{}\"", date_time(mtime)).as_bytes());
        }
        text.push(b'>');
        xml::escaped(&entry.path, text)?;
        text.extend_from_slice(b"</path>\n");
        let date = self.made.as_ref().map(|(time, _)| format!(" hashdate=\"{}\"", date_time(time)));
        let (date, action) = (date.unwrap_or_default(), action.word());
        for (spec, digest) in &entry.digests {
            let name = spec.algorithm().name();
            let (name, digest) = match name {
                "sha512" => ("c4", to_c4(digest.as_bytes())),
                name => (name, digest.to_hex()),
            };
            text.extend_from_slice(
                format!("      <{name} action=\"{action}\"{date}>{digest}</{name}>\n").as_bytes(),
            );
        }
        if let Some(former) = former {
            text.extend_from_slice(b"      <previousPath>");
            xml::escaped(former, text)?;
            text.extend_from_slice(b"</previousPath>\n");
        }
        text.extend_from_slice(b"    </hash>\n");
        Ok(())
    }
}

const END: &[u8] = b"  </hashes>\n</hashlist>\n";

impl Compose for Generation {
    fn begin(&mut self, text: &mut Vec<u8>) {
        self.head(text).expect("XML can represent the patterns");
    }

    fn entry(&mut self, entry: &Entry, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        self.hash(entry, HashAction::Original, None, text)
    }

    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        text.extend_from_slice(END);
        Ok(())
    }
}

/// Returns a new list of a history, created at this time on this host. `ignored` are the patterns of files that it does not
/// contain.
///
/// # Errors
/// XML cannot represent a name or pattern.
pub fn ascmhl_generation(
    made: (Time, String),
    ignored: &[String],
    files: &[AscMhlFile],
) -> Result<Vec<u8>, Unrepresentable> {
    let (list, mut text) = (Generation { made: Some(made), ignored: ignored.to_vec() }, Vec::new());
    list.head(&mut text)?;
    for AscMhlFile { entry, action, former } in files {
        list.hash(entry, *action, former.as_deref(), &mut text)?;
    }
    text.extend_from_slice(END);
    Ok(text)
}

/// The end of a chain file.
const CHAIN_END: &str = "</ascmhldirectory>";

/// Appends the element for a list to a chain file, given the name of the list and its SHA-512 digest.
fn append_list(text: &mut Vec<u8>, number: usize, list: &[u8], sha512: &[u8]) -> Result<(), Unrepresentable> {
    text.extend_from_slice(format!("  <hashlist sequencenr=\"{number}\">\n    <path>").as_bytes());
    xml::escaped(list, text)?;
    let c4 = to_c4(sha512);
    text.extend_from_slice(format!("</path>\n    <c4>{c4}</c4>\n  </hashlist>\n{CHAIN_END}\n").as_bytes());
    Ok(())
}

/// Returns the chain file of a history (`ascmhl_chain.xml`) with a single list, given its name
/// and its SHA-512 digest.
///
/// # Errors
/// XML cannot represent the name.
pub fn chain(list: &[u8], sha512: &[u8]) -> Result<Vec<u8>, Unrepresentable> {
    let mut text = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <ascmhldirectory xmlns=\"urn:ASC:MHL:DIRECTORY:v2.0\">\n"
        .to_vec();
    append_list(&mut text, 1, list, sha512)?;
    Ok(text)
}

/// Returns a chain file with an additional list, given the number and the name of the list and its SHA-512 digest. `None`
/// if the chain file does not end as expected.
///
/// # Errors
/// XML cannot represent the name.
pub fn extended_chain(
    chain: &[u8],
    number: usize,
    list: &[u8],
    sha512: &[u8],
) -> Result<Option<Vec<u8>>, Unrepresentable> {
    let Some(begin) = chain.trim_ascii().strip_suffix(CHAIN_END.as_bytes()) else { return Ok(None) };
    let mut text = begin.trim_ascii_end().to_vec();
    text.push(b'\n');
    append_list(&mut text, number, list, sha512)?;
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Heading, Options, Reader, Writer};
    use truesum_hash::Spec;

    #[test]
    fn media_hash_list_round_trips() {
        let specs = ["xxh64", "sha512"].map(|name| name.parse::<Spec>().unwrap());
        let digests: Vec<_> = specs.iter().map(|spec| (spec.clone(), spec.digest(b"abc"))).collect();
        let entry = Entry { path: b"a & b/<c> d".to_vec(), size: Some(3), digests, ..Entry::default() };
        let made = Some((Time { seconds: 1_795_378_824, nanos: 0 }, "a&b".to_owned()));
        let mut writer = Writer::new(Vec::new(), &ASCMHL, &Heading { made, ..Heading::default() });
        writer.write(&entry).unwrap();
        let text = writer.finish().unwrap();
        let shown = String::from_utf8_lossy(&text);
        assert!(shown.contains("<creationdate>2026-11-22T20:20:24+00:00</creationdate>"), "{shown}");
        assert!(shown.contains("<hostname>a&amp;b</hostname>"), "{shown}");
        // Written by ascmhl 1.2 for the same bytes.
        assert!(shown.contains(">44bc2cf5ad770999</xxh64>"), "{shown}");
        let found: Vec<Entry> =
            Reader::new(&text[..], Options::default()).map(|line| line.unwrap().entry).collect();
        assert_eq!(found, [entry]);
    }

    #[test]
    fn c4_identifiers_round_trip() {
        for bytes in [[0u8; 64], [255; 64], std::array::from_fn(|at| at as u8)] {
            let text = to_c4(&bytes);
            assert_eq!(text.len(), 90);
            assert_eq!(crate::radix::c4(text.as_bytes()), Some(bytes.to_vec()));
        }
    }
}
