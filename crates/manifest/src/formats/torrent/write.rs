//! A writer of torrents of all versions. The same entries always result in the same bytes: the torrent
//! contains no time, program name or random data.

use super::bencode::{string_into, unsigned_into};
use super::tree::ROOT;
use crate::entry::pairs::{LEAF, NODE, Pairs, height};
use crate::entry::{Entry, PieceList};
use crate::format::{Compose, Heading, PieceLayout, Unrepresentable};

/// A writer that collects the files until the end, because the digests of pieces follow them.
pub(super) struct Torrent {
    announce: Vec<u8>,
    private: bool,
    cut: PieceLayout,
    /// The directory that contains all files, or the name of the only one.
    name: Vec<u8>,
    is_alone: bool,
    piece_len: u64,
    files: Vec<File>,
    /// The pieces of the concatenated files (version 1).
    joined: Option<PieceList>,
    /// Total size of the files and the padding so far in bytes.
    end: u64,
}

struct File {
    parts: Vec<Vec<u8>>,
    size: u64,
    /// The MD5 digest in hexadecimal, which only version 1 has.
    md5: Option<String>,
    /// The pieces of the file itself (version 2).
    pieces: Option<PieceList>,
}

impl Torrent {
    pub(super) fn new(heading: &Heading, cut: PieceLayout) -> Torrent {
        Torrent {
            announce: heading.announce.clone(),
            private: heading.private,
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
    fn entry(&mut self, entry: &Entry, _: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        let size = entry.size.ok_or(Unrepresentable::NoSize)?;
        let (joined, own) = match (self.cut, entry.pieces.as_slice()) {
            (PieceLayout::Concatenated, [joined]) => (Some(joined), None),
            (PieceLayout::PerFile, [own]) => (None, Some(own)),
            (PieceLayout::Hybrid, [joined, own]) => (Some(joined), Some(own)),
            _ => return Err(Unrepresentable::Pieces),
        };
        let piece_len = own.or(joined).map_or(0, PieceList::piece_len);
        let is_own = own.is_none_or(|own| {
            let is_len = piece_len.is_power_of_two() && piece_len >= LEAF;
            is_len && is_of(own, ROOT) && own.covered() == (0..size) && own.file_start() == 0
        });
        let is_same = self.files.is_empty() || self.piece_len == piece_len;
        // In a torrent of both versions, each file begins with a piece.
        let is_aligned = size > 0 && own.is_some();
        let start = if is_aligned { self.end.next_multiple_of(piece_len.max(1)) } else { self.end };
        let end = start.checked_add(size).ok_or(Unrepresentable::Size)?;
        let fits = joined.is_none_or(|joined| {
            let covered = joined.covered();
            is_of(joined, super::SHA1)
                && self.joined.as_ref().is_none_or(|first| first.of_file_at(start) == *joined)
                && (joined.file_start(), joined.piece_len()) == (start, piece_len)
                && covered.start == 0
                && end <= covered.end
        });
        if !is_own || !is_same || !fits {
            return Err(Unrepresentable::Pieces);
        }
        entry.has_no_algorithm_twice()?;
        let mut parts: Vec<Vec<u8>> = entry.path.split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect();
        // A file without a directory must be the only one; all others must have the same top
        // directory. In version 2, paths must be sorted by their components.
        let is_alone = parts.len() == 1;
        let name = if is_alone { parts[0].clone() } else { parts.remove(0) };
        if let Some(last) = self.files.last()
            && (is_alone || self.is_alone || name != self.name || own.is_some() && last.parts >= parts)
        {
            return Err(Unrepresentable::AnotherFolder);
        }
        let digest = entry.digests.first();
        if let (Some(own), Some((spec, digest))) = (own, digest)
            && root(own, size).0 != *digest.as_bytes()
        {
            return Err(Unrepresentable::Length(spec.clone()));
        }
        let md5 = digest.filter(|_| own.is_none()).map(|(_, digest)| digest.to_hex());
        (self.name, self.is_alone, self.piece_len, self.end) = (name, is_alone, piece_len, end);
        self.joined = joined.map(|joined| joined.of_file_at(0));
        self.files.push(File { parts, size, md5, pieces: own.cloned() });
        Ok(())
    }

    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unrepresentable> {
        if self.files.is_empty() || self.joined.as_ref().is_some_and(|all| all.covered() != (0..self.end)) {
            return Err(Unrepresentable::Pieces);
        }
        let is_version_2 = self.cut != PieceLayout::Concatenated;
        text.push(b'd');
        if !self.announce.is_empty() {
            text.extend_from_slice(b"8:announce");
            string_into(&self.announce, text);
        }
        text.extend_from_slice(b"4:infod");
        let layers = if is_version_2 { self.tree(text) } else { Vec::new() };
        if self.joined.is_some() {
            self.files(text);
        }
        if is_version_2 {
            text.extend_from_slice(b"12:meta versioni2e");
        }
        text.extend_from_slice(b"4:name");
        string_into(&self.name, text);
        text.extend_from_slice(b"12:piece length");
        unsigned_into(self.piece_len, text);
        if let Some(joined) = &self.joined {
            text.extend_from_slice(b"6:pieces");
            string_into(joined.digests(), text);
        }
        if self.private {
            text.extend_from_slice(b"7:privatei1e");
        }
        text.push(b'e');
        if is_version_2 {
            text.extend_from_slice(b"12:piece layersd");
            for (root, row) in layers {
                string_into(&root, text);
                string_into(&row, text);
            }
            text.push(b'e');
        }
        text.push(b'e');
        Ok(())
    }
}

impl Torrent {
    /// Writes the tree of files of version 2, and returns the layers of pieces, sorted by their roots.
    fn tree(&self, text: &mut Vec<u8>) -> Vec<([u8; NODE], Vec<u8>)> {
        let mut layers = Vec::new();
        text.extend_from_slice(b"9:file treed");
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
            if let Some(pieces) = file.pieces.as_ref().filter(|_| file.size > 0) {
                let (root, row) = root(pieces, file.size);
                text.extend_from_slice(b"11:pieces root");
                string_into(&root, text);
                layers.extend(row.map(|row| (root, row)));
            }
            text.extend_from_slice(b"ee");
        }
        text.resize(text.len() + open.len() + 1, b'e');
        layers.sort();
        layers.dedup();
        layers
    }

    /// Writes the files of version 1, including the padding that aligns each of them to a piece if the
    /// torrent has both versions.
    fn files(&self, text: &mut Vec<u8>) {
        if self.is_alone {
            return self.files[0].members_into(text);
        }
        text.extend_from_slice(b"5:filesl");
        let mut at = 0u64;
        for file in &self.files {
            let is_aligned = file.size > 0 && file.pieces.is_some();
            let gap = if is_aligned { at.next_multiple_of(self.piece_len) - at } else { 0 };
            if gap > 0 {
                text.extend_from_slice(b"d4:attr1:p6:length");
                unsigned_into(gap, text);
                text.extend_from_slice(b"4:pathl4:.pad");
                string_into(gap.to_string().as_bytes(), text);
                text.extend_from_slice(b"ee");
            }
            at += gap + file.size;
            text.push(b'd');
            file.members_into(text);
            text.extend_from_slice(b"4:pathl");
            file.parts.iter().for_each(|part| string_into(part, text));
            text.extend_from_slice(b"ee");
        }
        text.push(b'e');
    }
}

impl File {
    /// Writes the length and the MD5 digest.
    fn members_into(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(b"6:length");
        unsigned_into(self.size, text);
        if let Some(md5) = &self.md5 {
            text.extend_from_slice(b"6:md5sum");
            string_into(md5.as_bytes(), text);
        }
    }
}

fn is_of(pieces: &PieceList, algorithm: &str) -> bool {
    pieces.spec().algorithm().name() == algorithm
}

/// Returns the root of a file of this size, and the layer of its pieces if there are several.
fn root(pieces: &PieceList, size: u64) -> ([u8; NODE], Option<Vec<u8>>) {
    let node = |bytes: &[u8]| <[u8; NODE]>::try_from(bytes).unwrap_or_default();
    let digests = pieces.digests();
    if digests.len() <= NODE {
        return (node(digests), None);
    }
    let (mut pairs, piece_len) = (Pairs::new(), pieces.piece_len());
    let (level, last) = (height(piece_len), digests.len() - NODE);
    let rest = size - (last / NODE) as u64 * piece_len;
    let mut row = digests[..last].to_vec();
    match pieces.is_raised() {
        true => row.extend_from_slice(&digests[last..]),
        false => row.extend_from_slice(pairs.raised(&digests[last..], height(rest), level).as_bytes()),
    }
    (node(pairs.root(&row, level).as_bytes()), Some(row))
}
