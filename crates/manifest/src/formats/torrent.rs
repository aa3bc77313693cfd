//! Torrents of version 1 (BEP 3): a bencoded document with the names and sizes of files, and
//! SHA-1 digests of pieces. Version 2 (BEP 52) has a tree of names and one digest per file (see
//! [`tree`]); hybrid torrents have both.
//!
//! In version 1, the files are concatenated and then divided into pieces, so a piece may contain
//! the end of a file and the beginning of the next: every entry specifies the position of its
//! file among the pieces ([`PieceList`]). Padding files (BEP 47) are not entries.

mod bencode;
mod tree;
mod write;

use crate::digest::{is_nearly, tagged};
use crate::entry::{ObjectKind, PieceList};
use crate::format::PieceLayout;
use crate::formats::prelude::*;
use crate::records::refused;
use bencode::Cursor;
use std::ops::Range;
use std::sync::Arc;

pub(crate) static TORRENT: Format = Format {
    name: "torrent",
    file_names: &[".torrent"],
    summary: "BitTorrent v1: names, sizes and SHA-1 digests of pieces, which can span files; also reads v2 and hybrid torrents",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&["md5"]),
        names: Names::Components,
        size: true,
        pieces: Some(PieceLayout::Concatenated),
        locates: true,
        ..Capabilities::DIGESTS
    },
    sniff,
    reading: Reading::document(64 << 20, parse),
    writing: Writing::Manifest(|heading| Box::new(write::Torrent::new(heading, PieceLayout::Concatenated))),
    ..Format::DEFAULT
};

pub(crate) static TORRENT_V2: Format = Format {
    name: "torrent-v2",
    summary: "BitTorrent v2 (BEP 52): names, sizes and a SHA-256 tree per file; to read it, use the format torrent",
    capabilities: Capabilities {
        algorithms: Algorithms::Only(&[tree::ROOT]),
        pieces: Some(PieceLayout::PerFile),
        ..TORRENT.capabilities
    },
    reading: TORRENT.reading,
    writing: Writing::Manifest(|heading| Box::new(write::Torrent::new(heading, PieceLayout::PerFile))),
    ..Format::DEFAULT
};

pub(crate) static TORRENT_HYBRID: Format = Format {
    name: "torrent-hybrid",
    summary: "BitTorrent v1 and v2 combined, for clients of either version; to read it, use the format torrent",
    capabilities: Capabilities { pieces: Some(PieceLayout::Hybrid), ..TORRENT_V2.capabilities },
    writing: Writing::Manifest(|heading| Box::new(write::Torrent::new(heading, PieceLayout::Hybrid))),
    ..TORRENT_V2
};

/// The algorithm of the piece digests of version 1.
const SHA1: &str = "sha1";

/// Maximum piece length of torrents with padding files, in bytes. The padding must be hashed as
/// well, and the sizes of the files do not limit its amount.
const LONGEST: u64 = 1 << 30;

/// Keys of digests of complete files, and their algorithms. `md5sum` is defined by BEP 3;
/// archive.org and some programs write the others.
const DIGESTS: &[(&[u8], &str)] =
    &[(b"md5sum", "md5"), (b"md5", "md5"), (b"sha1", "sha1"), (b"crc32", "crc32"), (b"sha256", "sha256")];

/// Claims a dictionary that has the dictionary `info` near its beginning.
fn sniff(head: &Head<'_>) -> Option<Claim> {
    let text = head.text;
    let is_dictionary = text.first() == Some(&b'd') && text.get(1).is_some_and(u8::is_ascii_digit);
    Claim::mark(is_dictionary && scan::contains(text, b"4:infod"))
}

/// The contents of the dictionary `info`.
#[derive(Default)]
struct Info<'a> {
    name: Option<&'a [u8]>,
    /// `name.utf-8`, which old programs wrote in addition to a name in another encoding.
    utf8_name: Option<&'a [u8]>,
    piece_len: Option<u64>,
    pieces: Option<&'a [u8]>,
    /// The offset of `info` and the file's length, in a torrent of a single file.
    single: Option<(usize, u64)>,
    files: Vec<File>,
    /// The ranges of the padding files.
    pads: Vec<Range<u64>>,
    version: Option<u64>,
    tree: Option<tree::Tree>,
}

/// A file of a torrent: the offset of its dictionary, and its position in the concatenated files.
#[derive(Clone, Copy)]
struct File {
    at: usize,
    start: u64,
}

/// The members of a file's dictionary.
#[derive(Default)]
struct Members {
    len: Option<u64>,
    /// The path relative to the torrent's name, with `/` as the separator.
    path: Option<Vec<u8>>,
    utf8_path: Option<Vec<u8>>,
    /// The file's attributes: padding, or a symbolic link.
    is_pad: bool,
    is_link: bool,
    /// Digests with their offsets and algorithms.
    digests: Vec<(usize, &'static str, Vec<u8>)>,
    /// An error that affects only this file.
    fault: Option<LineError>,
}

impl Members {
    fn below(&self) -> Option<&[u8]> {
        self.utf8_path.as_deref().or(self.path.as_deref())
    }

    /// Returns the path of the file at offset `at`, which has the torrent's name if there is no
    /// folder.
    fn path(&self, folder: &[u8], name: &[u8], at: usize) -> Result<Vec<u8>, LineError> {
        match (folder, self.below()) {
            (b"", _) => Ok(name.to_vec()),
            (folder, Some(below)) => Ok([folder, b"/", below].concat()),
            (_, None) => Err(refused(at, "a file without a path")),
        }
    }

    /// Returns true for a padding file: because of its attribute, or because of its name, as
    /// written by programs older than BEP 47.
    fn is_pad(&self) -> bool {
        let named = |path: &[u8]| path.starts_with(b".pad/") || path.starts_with(b"_____padding_file_");
        self.is_pad || self.below().is_some_and(named)
    }

    /// Returns true if there is nothing to verify.
    fn is_nothing(&self) -> bool {
        self.is_link || self.is_pad()
    }
}

fn parse(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let mut others = if options.attributes { others(&text) } else { Vec::new() };
    let lines = read(text, options)?;
    // These belong to the torrent: the first entry has them.
    Ok(Box::new(lines.map(move |line| {
        let mut line = line?;
        line.entry.attributes.append(&mut others);
        Ok(line)
    })))
}

/// Returns the names of members that are not about files: the trackers, and the mark of a private torrent.
fn others(text: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    // Errors are those of `read`.
    let _ = Cursor::new(text, 0).dictionary(|key, value| match key {
        b"info" => value.dictionary(|key, value| {
            found.extend((key == b"private").then(|| "private".to_owned()));
            value.skip()
        }),
        _ => {
            found.extend((key == b"announce").then(|| "announce".to_owned()));
            value.skip()
        }
    });
    found
}

fn read(text: Vec<u8>, options: &Options) -> Result<Parts, LineError> {
    let mut info = None;
    let mut layers = Vec::new();
    let mut cursor = Cursor::new(&text, 0);
    cursor.dictionary(|key, value| match key {
        b"info" => {
            let at = value.at;
            info = Some((at, read_info(value, &text)?));
            Ok(())
        }
        b"piece layers" => {
            layers = tree::read_layers(value, &text)?;
            Ok(())
        }
        _ => value.skip(),
    })?;
    if !cursor.is_at_end() {
        return cursor.fault("extra data after the torrent");
    }
    let (at, mut info) = info.ok_or(refused(0, "no 'info' dictionary"))?;
    let name = info.utf8_name.or(info.name).filter(|name| !name.is_empty());
    let name = name.ok_or(refused(at, "no 'name'"))?.to_vec();
    let rows = match (info.version, info.tree.take()) {
        (Some(2), Some(tree)) => {
            let piece_len = info.piece_len.ok_or(refused(at, "no 'piece length'"))?;
            Some(tree::Rows::new(tree, layers, piece_len, name.clone(), &text, at)?)
        }
        (Some(2), None) => return Err(refused(at, "a version 2 torrent without a 'file tree'")),
        (Some(0 | 1) | None, None) => None,
        (Some(0 | 1) | None, Some(_)) => {
            return Err(refused(at, "a 'file tree' in a torrent that is not version 2"));
        }
        (Some(_), _) => return Err(refused(at, "an unknown torrent version")),
    };
    let Some(digests) = info.pieces else {
        let Some(mut rows) = rows else { return Err(refused(at, "no 'pieces'")) };
        let options = options.clone();
        let links = rows.links(&text);
        let files = (0..rows.len()).filter_map(move |file| rows.entry(file, &text, &options));
        return Ok(Box::new(files.chain(links)));
    };
    let (total, files) = match info.single {
        Some((at, len)) if info.files.is_empty() => (len, vec![File { at, start: 0 }]),
        Some(_) => return Err(refused(at, "the torrent has both 'length' and 'files'")),
        None => (total(&text, &info.files)?, info.files),
    };
    let spec = find(SHA1).map(Spec::new).ok_or(refused(at, "unsupported hash algorithm"))?;
    let piece_len = info.piece_len.ok_or(refused(at, "no 'piece length'"))?;
    if info.pads.iter().any(|pad| piece_len > LONGEST || pad.end - pad.start >= piece_len) {
        return Err(refused(
            at,
            "a padding file must be shorter than a piece, and a piece must not exceed 1 GiB",
        ));
    }
    let pieces = PieceList::new(spec, 0..total, piece_len, Arc::from(digests))
        .ok_or(refused(at, "the number of pieces does not match the total size of the files"))?;
    let pieces = if info.pads.is_empty() { pieces } else { pieces.with_pads(info.pads.into()) };
    let folder = if info.single.is_none() { name.clone() } else { Vec::new() };
    let options = options.clone();
    if let Some(rows) = &rows {
        agree(&files, &text, &folder, &name, rows)?;
    }
    let mut listed = 0;
    let lines = files.into_iter().map(move |file| -> Result<Option<Line>, LineError> {
        let members = read_file(&mut Cursor::new(&text, file.at))?;
        if members.is_nothing() && !members.is_link {
            return Ok(None);
        }
        let number = listed;
        listed += usize::from(!members.is_nothing());
        let mut line = entry(members, &folder, &name, file, &pieces, &options)?;
        if let Some(rows) = &rows {
            let digest = rows.digest(number, &options).map_err(|reason| LineError { at: line.at, reason })?;
            line.entry.digests.extend(digest);
        }
        Ok(Some(line))
    });
    Ok(Box::new(lines.filter_map(Result::transpose)))
}

/// Returns an error if the versions of a hybrid torrent do not list the same files in the same
/// order.
fn agree(
    files: &[File],
    text: &[u8],
    folder: &[u8],
    name: &[u8],
    rows: &tree::Rows,
) -> Result<(), LineError> {
    let mut next = 0;
    for file in files {
        let members = read_file(&mut Cursor::new(text, file.at))?;
        if members.is_nothing() {
            continue;
        }
        if !rows.is(next, &members.path(folder, name, file.at)?, members.len, text) {
            return Err(refused(file.at, "the file lists of versions 1 and 2 differ"));
        }
        next += 1;
    }
    match rows.len() == next {
        true => Ok(()),
        false => Err(refused(0, "the file lists of versions 1 and 2 differ")),
    }
}

/// Returns the total size of the files in bytes. Their positions have already been checked for
/// overflow.
fn total(text: &[u8], files: &[File]) -> Result<u64, LineError> {
    let Some(last) = files.last() else { return Err(refused(0, "no files")) };
    let members = read_file(&mut Cursor::new(text, last.at))?;
    Ok(last.start + members.len.unwrap_or_default())
}

fn read_info<'a>(cursor: &mut Cursor<'a>, text: &[u8]) -> Result<Info<'a>, LineError> {
    let mut info = Info::default();
    let at = cursor.at;
    let mut start = 0u64;
    cursor.dictionary(|key, value| {
        match key {
            b"name" => info.name = Some(value.string()?),
            b"name.utf-8" => info.utf8_name = Some(value.string()?),
            b"piece length" => info.piece_len = Some(value.unsigned()?),
            b"pieces" => info.pieces = Some(value.string()?),
            b"length" => info.single = Some((at, value.unsigned()?)),
            b"meta version" => info.version = Some(value.unsigned()?),
            b"file tree" => info.tree = Some(tree::read(value, text)?),
            b"files" => value.list(|file| {
                let at = file.at;
                let members = read_file(file)?;
                let len = members.len.ok_or(refused(at, "a file without a length"))?;
                info.files.push(File { at, start });
                let end = start
                    .checked_add(len)
                    .filter(|end| *end <= i64::MAX as u64)
                    .ok_or(refused(at, "the total size of the files is too large"))?;
                match info.pads.last_mut() {
                    _ if len == 0 || !members.is_pad() => {}
                    Some(last) if last.end == start => last.end = end,
                    _ => info.pads.push(start..end),
                }
                start = end;
                Ok(())
            })?,
            _ => value.skip()?,
        }
        Ok(())
    })?;
    Ok(info)
}

/// Parses the dictionary of a file, which is `info` itself in a torrent of a single file.
fn read_file(cursor: &mut Cursor<'_>) -> Result<Members, LineError> {
    let mut members = Members::default();
    cursor.dictionary(|key, value| {
        match key {
            b"length" => members.len = Some(value.unsigned()?),
            b"path" => members.path = Some(read_path(value, &mut members.fault)?),
            b"path.utf-8" => members.utf8_path = Some(read_path(value, &mut members.fault)?),
            b"attr" => {
                let attributes = value.string()?;
                (members.is_pad, members.is_link) = (attributes.contains(&b'p'), attributes.contains(&b'l'));
            }
            key => match DIGESTS.iter().find(|(name, _)| *name == key) {
                Some((_, algorithm)) => {
                    let at = value.at;
                    members.digests.push((at, algorithm, value.string()?.to_vec()));
                }
                None if DIGESTS.iter().any(|(name, _)| is_nearly(key, name)) => {
                    return value.fault("an unknown key that resembles the key of a digest");
                }
                None => value.skip()?,
            },
        }
        Ok(())
    })?;
    Ok(members)
}

/// Joins the components of a path. Components that are empty or contain a separator are errors,
/// because they would lead to another path.
fn read_path(cursor: &mut Cursor<'_>, fault: &mut Option<LineError>) -> Result<Vec<u8>, LineError> {
    let mut path = Vec::new();
    let at = cursor.at;
    let mut parts = 0;
    cursor.list(|part| {
        let at = part.at;
        let part = part.string()?;
        if part.is_empty() || part.contains(&b'/') {
            fault.get_or_insert(refused(at, "a path component is empty or contains a slash"));
        }
        if parts > 0 {
            path.push(b'/');
        }
        parts += 1;
        path.extend_from_slice(part);
        Ok(())
    })?;
    if parts == 0 {
        fault.get_or_insert(refused(at, "a file without a path"));
    }
    Ok(path)
}

/// Returns the entry of a file.
fn entry(
    members: Members,
    folder: &[u8],
    name: &[u8],
    file: File,
    pieces: &PieceList,
    options: &Options,
) -> LineResult {
    let at = Place::Byte(file.at as u64);
    if let Some(fault) = members.fault {
        return Err(fault);
    }
    let path = members.path(folder, name, file.at)?;
    if members.is_link {
        return Err(LineError { at, reason: Reason::NotAFile(ObjectKind::Link, path) });
    }
    let mut entry = Entry { path, size: members.len, ..Entry::default() };
    for (at, algorithm, text) in members.digests {
        // Some programs write hexadecimal digits, others the bytes themselves.
        let bytes = find(algorithm).is_some_and(|row| row.digest_len() == text.len());
        let text = if bytes { Digest::new(&text).to_hex().into_bytes() } else { text };
        let at = Place::Byte(at as u64);
        entry.digests.push(tagged(algorithm, &text, options).map_err(|reason| LineError { at, reason })?);
    }
    entry.pieces = vec![pieces.of_file_at(file.start)];
    Ok(Line { at, entry })
}
