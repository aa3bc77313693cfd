//! A writer of torrents of version 2 and of hybrid torrents (BEP 52). The same files always
//! result in the same bytes.

use super::bencode::{string_into, unsigned_into};
use super::tree::ROOT;
use crate::entry::pairs::{LEAF, NODE, Pairs, height};
use crate::entry::{Entry, PieceList};
use crate::format::{Compose, Cut, Heading, Unholdable};

/// A writer that collects the files until the end, because the layers of pieces follow them.
pub(super) struct Torrent {
    announce: Vec<u8>,
    cut: Cut,
    /// The directory that contains all files, or the name of the only one.
    name: Vec<u8>,
    is_alone: bool,
    piece_len: u64,
    files: Vec<File>,
    joined: Option<PieceList>,
    /// Total size of the files and the padding so far in bytes.
    end: u64,
}

struct File {
    parts: Vec<Vec<u8>>,
    size: u64,
    /// The pieces of the file itself, rather than those of the concatenated files.
    pieces: PieceList,
}

impl Torrent {
    pub(super) fn new(heading: &Heading, cut: Cut) -> Torrent {
        Torrent {
            announce: heading.announce.clone(),
            cut,
            name: Vec::new(),
            is_alone: false,
            piece_len: 0,
            files: Vec::new(),
            joined: None,
            end: 0,
        }
    }
}

impl Compose for Torrent {
    fn entry(&mut self, entry: &Entry, _: &mut Vec<u8>) -> Result<(), Unholdable> {
        let size = entry.size.ok_or(Unholdable::NoSize)?;
        let (joined, own) = match (self.cut, entry.pieces.as_slice()) {
            (Cut::Both, [joined, own]) if joined.spec().algorithm().name() == super::SHA1 => {
                (Some(joined), own)
            }
            (Cut::Each, [own]) => (None, own),
            _ => return Err(Unholdable::Pieces),
        };
        let piece_len = own.piece_len();
        let is_own =
            own.spec().algorithm().name() == ROOT && own.covered() == (0..size) && own.file_start() == 0;
        let is_len = piece_len.is_power_of_two() && piece_len >= LEAF;
        let is_same = self.files.is_empty() || self.piece_len == piece_len;
        let start = if size > 0 { self.end.next_multiple_of(piece_len.max(1)) } else { self.end };
        let fits = joined.is_none_or(|joined| {
            let first = self.joined.as_ref().is_none_or(|first| first.of_file_at(start) == *joined);
            first && joined.file_start() == start && joined.piece_len() == piece_len
        });
        if !is_own || !is_len || !is_same || !fits {
            return Err(Unholdable::Pieces);
        }
        let mut parts: Vec<Vec<u8>> = entry.path.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
        // A file without a directory must be the only one; all others must have the same top
        // directory. Paths must be sorted by their components.
        let is_alone = parts.len() == 1;
        let name = if is_alone { parts[0].clone() } else { parts.remove(0) };
        if let Some(last) = self.files.last()
            && (is_alone || self.is_alone || name != self.name || last.parts >= parts)
        {
            return Err(Unholdable::Components);
        }
        if let Some((spec, digest)) = entry.digests.first()
            && root(&File { parts: Vec::new(), size, pieces: own.clone() }).0 != *digest.as_bytes()
        {
            return Err(Unholdable::Length(spec.clone()));
        }
        (self.name, self.is_alone, self.piece_len) = (name, is_alone, piece_len);
        self.end = start.checked_add(size).ok_or(Unholdable::Size)?;
        self.joined = joined.map(|joined| joined.of_file_at(0));
        self.files.push(File { parts, size, pieces: own.clone() });
        Ok(())
    }

    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unholdable> {
        if self.files.is_empty() || self.joined.as_ref().is_some_and(|all| all.covered() != (0..self.end)) {
            return Err(Unholdable::Pieces);
        }
        let mut layers = Vec::new();
        text.push(b'd');
        if !self.announce.is_empty() {
            text.extend_from_slice(b"8:announce");
            string_into(&self.announce, text);
        }
        text.extend_from_slice(b"4:infod9:file treed");
        let mut open: &[Vec<u8>] = &[];
        for file in &self.files {
            let Some((name, folders)) = file.parts.split_last() else { continue };
            let common = open.iter().zip(folders).take_while(|(a, b)| a == b).count();
            text.resize(text.len() + open.len() - common, b'e');
            for folder in &folders[common..] {
                string_into(folder, text);
                text.push(b'd');
            }
            open = folders;
            string_into(name, text);
            text.extend_from_slice(b"d0:d6:length");
            unsigned_into(file.size, text);
            if file.size > 0 {
                let (root, row) = root(file);
                text.extend_from_slice(b"11:pieces root");
                string_into(&root, text);
                layers.extend(row.map(|row| (root, row)));
            }
            text.extend_from_slice(b"ee");
        }
        text.resize(text.len() + open.len() + 1, b'e');
        if self.joined.is_some() {
            self.version_1(text);
        }
        text.extend_from_slice(b"12:meta versioni2e4:name");
        string_into(&self.name, text);
        text.extend_from_slice(b"12:piece length");
        unsigned_into(self.piece_len, text);
        if let Some(joined) = &self.joined {
            text.extend_from_slice(b"6:pieces");
            string_into(joined.digests(), text);
        }
        text.extend_from_slice(b"e12:piece layersd");
        layers.sort();
        layers.dedup();
        for (root, row) in layers {
            string_into(&root, text);
            string_into(&row, text);
        }
        text.extend_from_slice(b"ee");
        Ok(())
    }
}

impl Torrent {
    /// Writes the members of version 1, including the padding that aligns each file to a piece.
    fn version_1(&self, text: &mut Vec<u8>) {
        if self.is_alone {
            text.extend_from_slice(b"6:length");
            return unsigned_into(self.files[0].size, text);
        }
        text.extend_from_slice(b"5:filesl");
        let mut at = 0u64;
        for file in &self.files {
            let gap = if file.size > 0 { at.next_multiple_of(self.piece_len) - at } else { 0 };
            if gap > 0 {
                text.extend_from_slice(b"d4:attr1:p6:length");
                unsigned_into(gap, text);
                text.extend_from_slice(b"4:pathl4:.pad");
                string_into(gap.to_string().as_bytes(), text);
                text.extend_from_slice(b"ee");
            }
            at += gap + file.size;
            text.extend_from_slice(b"d6:length");
            unsigned_into(file.size, text);
            text.extend_from_slice(b"4:pathl");
            file.parts.iter().for_each(|part| string_into(part, text));
            text.extend_from_slice(b"ee");
        }
        text.push(b'e');
    }
}

/// Returns the root of a file, and the layer of its pieces if there are several.
fn root(file: &File) -> ([u8; NODE], Option<Vec<u8>>) {
    let node = |bytes: &[u8]| <[u8; NODE]>::try_from(bytes).unwrap_or_default();
    let digests = file.pieces.digests();
    if digests.len() <= NODE {
        return (node(digests), None);
    }
    let (mut pairs, piece_len) = (Pairs::new(), file.pieces.piece_len());
    let (level, last) = (height(piece_len), digests.len() - NODE);
    let rest = file.size - (last / NODE) as u64 * piece_len;
    let mut row = digests[..last].to_vec();
    match file.pieces.is_raised() {
        true => row.extend_from_slice(&digests[last..]),
        false => row.extend_from_slice(pairs.raised(&digests[last..], height(rest), level).as_bytes()),
    }
    (node(pairs.root(&row, level).as_bytes()), Some(row))
}
