//! Lists in YAML, parsed line by line in the form in which their programs write them: the index of
//! a Helm repository, the installers of a winget manifest, the outputs that DVC tracks, the packages of a conda-lock file,
//! and the files that siegfried identified.
//!
//! An item begins with a dash, and its keys are two columns to the right of it. Lines further to
//! the right belong to the value of the key above them.

use crate::digest::{contains_like, is_long_hex, is_nearly};
use crate::entry::ObjectKind;
use crate::formats::electron::scalar;
use crate::formats::prelude::*;
use crate::formats::yaml::has_key_of_digest;
use crate::records::{Records, refused, stopped};
use std::collections::HashMap;

/// The keys of a list.
struct List {
    /// The key of the document that contains the items.
    list: &'static [u8],
    /// The key of a URL, or of a list of URLs.
    url: &'static [u8],
    digest: &'static [u8],
    /// The algorithm of the digests.
    algorithm: &'static [u8],
    /// The key of the size, if there is one.
    size: Option<&'static [u8]>,
    /// Whether `url` is a path, and an item without one is not a file.
    has_paths: bool,
    /// The key of a map from algorithms to digests, if there is one instead of `digest`.
    digests: &'static [u8],
    /// Other keys of the document whose values are neither files nor damage.
    other: &'static [&'static [u8]],
}

impl List {
    const URLS: List = List {
        list: b"",
        url: b"",
        digest: b"",
        algorithm: b"sha256",
        size: None,
        has_paths: false,
        digests: b"",
        other: &[],
    };

    /// What DVC lists: paths with their MD5.
    const DVC: List = List {
        url: b"path",
        digest: b"md5",
        algorithm: b"md5",
        size: Some(b"size"),
        has_paths: true,
        ..List::URLS
    };
}

pub(crate) static HELM: Format = Format {
    name: "helm",
    summary: "index.yaml of Helm repositories: digests of chart packages",
    sniff: |head| sniff(head, b"apiVersion:", b"entries:"),
    syntax: Syntax::Yaml,
    reading: Reading::document(LIMIT, |text, options| {
        parse(&text, &List { list: b"entries", url: b"urls", digest: b"digest", ..List::URLS }, options)
    }),
    ..Format::DEFAULT
};

pub(crate) static WINGET: Format = Format {
    name: "winget",
    summary: "installer manifest of the Windows Package Manager: digests of installers",
    sniff: |head| sniff(head, b"PackageIdentifier:", b"Installers:"),
    syntax: Syntax::Yaml,
    reading: Reading::document(LIMIT, |text, options| {
        let list =
            List { list: b"Installers", url: b"InstallerUrl", digest: b"InstallerSha256", ..List::URLS };
        parse(&text, &list, options)
    }),
    ..HELM
};

pub(crate) static DVC: Format = Format {
    name: "dvc",
    summary: "NAME.dvc of DVC: paths, sizes and MD5 of tracked files",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| {
        let is_item =
            |line: &[u8]| scan::trim_start(line.strip_prefix(b"-").unwrap_or(line)).starts_with(b"md5: ");
        let has_items = || head.lines(b'\n').any(is_item);
        Claim::mark(head.lines(b'\n').any(|line| line == b"outs:") && has_items())
    },
    syntax: Syntax::Yaml,
    reading: Reading::document(LIMIT, |text, options| {
        // The MD5 at the top is that of this document, and the digests of its sources are
        // elsewhere.
        parse(&text, &List { list: b"outs", other: &[b"md5", b"deps"], ..List::DVC }, options)
    }),
    ..HELM
};

pub(crate) static DVC_LOCK: Format = Format {
    name: "dvc-lock",
    file_names: &["dvc.lock"],
    summary: "dvc.lock of DVC: paths, sizes and MD5 of the files that stages read and write",
    sniff: |head| sniff(head, b"schema:", b"stages:"),
    syntax: Syntax::Yaml,
    reading: Reading::document(LIMIT, |text, options| {
        parse(&text, &List { list: b"stages", ..List::DVC }, options)
    }),
    ..DVC
};

pub(crate) static CONDA_LOCK: Format = Format {
    name: "conda-lock",
    file_names: &["conda-lock.yml", ".conda-lock.yml"],
    summary: "conda-lock.yml: URLs, MD5 and SHA-256 of conda packages and Python archives",
    sniff: |head| {
        let has = |wanted: &[u8]| head.lines(b'\n').any(|line| scan::trim_end(line) == wanted);
        Claim::mark(has(b"metadata:") && has(b"  content_hash:"))
    },
    syntax: Syntax::Yaml,
    reading: Reading::document(LIMIT, |text, options| {
        // Their digests are those of the sources of the lock file.
        let other: &[&[u8]] = &[b"metadata"];
        let list = List { list: b"package", url: b"url", digests: b"hash", other, ..List::URLS };
        parse(&text, &list, options)
    }),
    ..HELM
};

pub(crate) static SIEGFRIED: Format = Format {
    name: "siegfried",
    summary: "YAML output of siegfried (sf -hash ALG): names, sizes and digests of files",
    capabilities: Capabilities { size: true, ..Capabilities::DIGESTS },
    sniff: |head| sniff(head, b"siegfried ", b"filename "),
    reading: Reading::document(LIMIT, |text, options| siegfried(&text, options)),
    ..HELM
};

const LIMIT: usize = 64 << 20;

/// Claims a document that has both keys at the beginning of lines.
fn sniff(head: &Head<'_>, first: &[u8], second: &[u8]) -> Option<Claim> {
    let has = |key: &[u8]| head.lines(b'\n').any(|line| line.starts_with(key));
    Claim::mark(has(first) && has(second))
}

/// The item whose lines are being read.
#[derive(Default)]
struct Item {
    at: usize,
    names: Vec<Option<Vec<u8>>>,
    /// Algorithms and digests.
    digests: Vec<(Vec<u8>, Vec<u8>)>,
    size: Option<Vec<u8>>,
    faulty: bool,
}

impl Item {
    fn record(self, list: &List, records: &mut Records) {
        if list.has_paths && self.names.is_empty() && self.digests.is_empty() && !self.faulty {
            return;
        }
        records.begin(self.at);
        for name in self.names {
            match name {
                Some(name) => records.name(&name),
                None => records.fault("the URL has no file name"),
            }
        }
        if let Some(size) = self.size {
            records.size(&size);
        }
        for (algorithm, digest) in self.digests {
            match list.has_paths && digest.ends_with(b".dir") {
                true => records.fault("a folder, whose digest is that of DVC's list of its files"),
                false => records.digest(&algorithm, digest.strip_prefix(b"sha256:").unwrap_or(&digest)),
            }
        }
        if self.faulty {
            records.fault("a line that may be a digest or a URL is in an unexpected place");
        }
    }
}

fn parse(text: &[u8], list: &List, options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let mut records = Records::default();
    let mut item: Option<Item> = None;
    // The column of the dashes of items, and the key above the current line.
    let (mut column, mut key) = (None, Vec::new());
    let (mut within, mut is_other) = (false, false);
    for (begin, line) in scan::lines(text) {
        if options.stopped() {
            return Err(stopped(begin));
        }
        let line = scan::trim_end(line);
        let mut indent = scan::find(line, |byte| byte != b' ').unwrap_or(line.len());
        let mut content = &line[indent..];
        if content.is_empty() {
            continue;
        }
        let dashed = content.strip_prefix(b"- ");
        if indent == 0 && dashed.is_none() {
            let (word, value) = scan::cut(content, b':').unwrap_or((content, b""));
            if list.has_paths && word == b"wdir" && bare(scan::trim(value)) != b"." {
                return Err(refused(begin, "the paths are relative to another folder ('wdir')"));
            }
            within = content.strip_suffix(b":") == Some(list.list);
            is_other = list.other.contains(&word);
            item.take().into_iter().for_each(|item| item.record(list, &mut records));
            if is_long_hex(scan::trim(value)) && !is_other {
                Item { at: begin, faulty: true, ..Item::default() }.record(list, &mut records);
            } else if !is_other {
                report(content, list, begin, None, &mut records);
            }
            continue;
        }
        if !within {
            if !is_other {
                report(content, list, begin, None, &mut records);
            }
            continue;
        }
        if let Some(first) = dashed
            && indent == *column.get_or_insert(indent)
        {
            item.take().into_iter().for_each(|item| item.record(list, &mut records));
            item = Some(Item { at: begin, ..Item::default() });
            (indent, content) = (indent + 2, first);
        } else if column.is_some_and(|column| indent <= column) {
            // The key of the next list, whose items may be indented differently.
            item.take().into_iter().for_each(|item| item.record(list, &mut records));
            column = None;
        }
        let keys = column.map(|column| column + 2);
        if keys != Some(indent) {
            let is_url = key == list.url && keys.is_some_and(|keys| indent > keys);
            match (&mut item, content.strip_prefix(b"- ")) {
                (Some(item), Some(url)) if is_url => item.names.push(name(url)),
                (Some(item), None)
                    if !key.is_empty() && key == list.digests && keys.is_some_and(|keys| indent > keys) =>
                {
                    match scan::cut(content, b':').filter(|_| keys.is_some_and(|keys| indent == keys + 2)) {
                        Some((algorithm, digest)) => {
                            item.digests.push((algorithm.to_vec(), bare(scan::trim(digest))));
                        }
                        None => item.faulty = true,
                    }
                }
                // Part of the value of another key.
                _ if keys.is_some_and(|keys| indent > keys) => {}
                (item, _) => report(content, list, begin, item.as_mut(), &mut records),
            }
            continue;
        }
        // The items of a list may be in the column of its key.
        if let (Some(item), Some(url)) = (&mut item, content.strip_prefix(b"- ")) {
            if key == list.url {
                item.names.push(name(url));
            }
            continue;
        }
        let (word, value) = scan::cut(content, b':').unwrap_or((content, b""));
        key = word.to_vec();
        let value = scan::trim(value);
        match &mut item {
            Some(item) if !word.is_empty() && word == list.digest => {
                item.digests.push((list.algorithm.to_vec(), bare(value)));
            }
            Some(item) if !word.is_empty() && word == list.digests => item.faulty |= !value.is_empty(),
            Some(item) if !list.digests.is_empty() && is_long_hex(value) => item.faulty = true,
            Some(item) if word == list.url && list.has_paths => item.names.push(Some(bare(value))),
            Some(item) if word == list.url => match items(value) {
                _ if value.is_empty() => {}
                Some(urls) => item.names.extend(urls.into_iter().map(name)),
                None => item.faulty = true,
            },
            Some(item) if Some(word) == list.size => item.size = Some(bare(value)),
            item => report(content, list, begin, item.as_mut(), &mut records),
        }
    }
    item.take().into_iter().for_each(|item| item.record(list, &mut records));
    Ok(records.read(options))
}

/// The keys of digests in siegfried's output (`sf -hash`).
const SIEGFRIED_DIGESTS: &[&[u8]] = &[b"md5", b"sha1", b"sha256", b"sha512", b"crc"];

/// The formats whose members siegfried identifies (`sf -z`), as its identifiers name them: ZIP, tar, gzip, ARC and WARC.
const ARCHIVES: &[&[u8]] = &[
    b"x-fmt/263",
    b"x-fmt/265",
    b"x-fmt/266",
    b"x-fmt/219",
    b"fmt/410",
    b"fmt/289",
    b"fmt/1281",
    b"fmt/1355",
    b"application/zip",
    b"application/x-tar",
    b"application/gzip",
    b"application/x-gzip",
    b"application/x-arc",
    b"application/warc",
];

/// Parses the documents of siegfried's output: one about the program, and one for each file, whose only
/// unusual key is the name of the algorithm.
fn siegfried(text: &[u8], options: &Options) -> Result<Parts, LineError> {
    scan::count(text.len());
    let mut records = Records::new(options);
    // True in the document of a file; `None` before the first key of a document.
    let mut is_file = Some(false);
    // The names so far, and whether they are those of archives.
    let (mut names, mut last) = (HashMap::<Vec<u8>, bool>::new(), Vec::new());
    for (begin, line) in scan::lines(text) {
        if options.stopped() {
            return Err(stopped(begin));
        }
        let line = scan::trim_end(line);
        if line == b"---" {
            is_file = None;
            continue;
        }
        let (key, value) = scan::cut(line, b':').unwrap_or((line, b""));
        let (key, value) = (scan::trim_end(key), scan::trim(value));
        if matches!(scan::trim_start(key), b"id" | b"mime")
            && ARCHIVES.contains(&&bare(value)[..])
            && let Some(is_archive) = names.get_mut(&last)
        {
            *is_archive = true;
        }
        if line.is_empty() || line.starts_with(b" ") && !contains_like(line) {
            continue;
        }
        let is_header =
            matches!(key, b"siegfried" | b"scandate" | b"signature" | b"created" | b"identifiers");
        if is_header && is_file != Some(true) {
            is_file = Some(false);
            continue;
        }
        if is_file != Some(true) {
            records.begin(begin);
            if is_file == Some(false) {
                records.fault("a line that is not part of a file's description");
            }
            is_file = Some(true);
        }
        match key {
            b"filename" => {
                let name = bare(value);
                records.name(&name);
                // Members of archives are identified, too.
                let mut ends = (0..name.len()).filter(|&at| name[at] == b'#');
                if ends.any(|end| names.get(&name[..end]).is_some_and(|is_archive| *is_archive)) {
                    records.object(ObjectKind::Member);
                }
                names.insert(name.clone(), false);
                last = name;
            }
            b"filesize" => records.size(value),
            b"modified" => records.attribute(key),
            b"errors" => {}
            // The last key of a file.
            b"matches" => is_file = Some(false),
            // siegfried aligns the colons, so there is a blank before each.
            _ if SIEGFRIED_DIGESTS.contains(&key)
                && !value.is_empty()
                && line.get(key.len()) == Some(&b' ') =>
            {
                records.digest(key, value);
            }
            _ => records.fault("a line that is not part of a file's description"),
        }
    }
    Ok(records.read(options))
}

/// Reports a line whose key is that of a digest or a URL, or resembles one, and a line without a key that contains a
/// digest.
fn report(content: &[u8], list: &List, at: usize, item: Option<&mut Item>, records: &mut Records) {
    let word = scan::cut(content, b':').map_or(content, |(word, _)| scan::trim(word));
    let is_key = scan::all(word, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'/'));
    let keys = [list.url, list.digest, list.digests];
    let value = if is_key && word != content { scan::trim(&content[word.len() + 1..]) } else { content };
    if keys.iter().any(|known| !known.is_empty() && is_nearly(word, known))
        || (!is_key || word == content) && contains_like(content)
        || has_key_of_digest(value)
    {
        match item {
            Some(item) => item.faulty = true,
            None => Item { at, faulty: true, ..Item::default() }.record(list, records),
        }
    }
}

/// Returns the items of a value on one line: those of a flow sequence, or the value itself. Returns `None` for a sequence
/// that continues on the next line or has commas in quotes.
fn items(value: &[u8]) -> Option<Vec<&[u8]>> {
    let Some(rest) = value.strip_prefix(b"[") else { return Some(vec![value]) };
    let items = rest.strip_suffix(b"]")?.split(|&byte| byte == b',').map(scan::trim);
    let items: Vec<&[u8]> = items.filter(|item| !item.is_empty()).collect();
    let is_quote = |byte: Option<&u8>| matches!(byte, Some(b'"' | b'\''));
    let is_item =
        |item: &&[u8]| item.first() == item.last() || !is_quote(item.first()) && !is_quote(item.last());
    items.iter().all(is_item).then_some(items)
}

/// Returns a value without its quotes and without a comment.
fn bare(value: &[u8]) -> Vec<u8> {
    scalar(value).unwrap_or_else(|| value.to_vec())
}

/// Returns the file name of a URL: its last component, or all of a relative one.
fn name(url: &[u8]) -> Option<Vec<u8>> {
    let url = &bare(scan::trim(url));
    let end = scan::find(url, |byte| matches!(byte, b'?' | b'#')).unwrap_or(url.len());
    let name = if radix::is_url(url) { radix::url_name(url) } else { radix::percent(&url[..end]) };
    name.filter(|name| !name.is_empty())
}
