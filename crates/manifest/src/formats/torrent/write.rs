//! A writer of torrents. The same entries always result in the same bytes: the torrent contains
//! no time, program name or random data.

use super::bencode::{string_into, unsigned_into};
use crate::entry::{Entry, PieceList};
use crate::format::{Compose, Heading, Unholdable};

/// A writer that collects the files until the end, because the piece digests follow them.
pub(super) struct Torrent {
    announce: Vec<u8>,
    /// The directory that contains all files, or the name of the only one.
    name: Vec<u8>,
    /// The bencoded list of files.
    files: Vec<u8>,
    /// The members of a single file.
    single: Option<Vec<u8>>,
    pieces: Option<PieceList>,
    /// Total size of the files so far in bytes.
    end: u64,
    count: u64,
}

impl Torrent {
    pub(super) fn new(heading: &Heading) -> Torrent {
        Torrent {
            announce: heading.announce.clone(),
            name: Vec::new(),
            files: Vec::new(),
            single: None,
            pieces: None,
            end: 0,
            count: 0,
        }
    }
}

impl Compose for Torrent {
    fn entry(&mut self, entry: &Entry, _: &mut Vec<u8>) -> Result<(), Unholdable> {
        let size = entry.size.ok_or(Unholdable::NoSize)?;
        let [pieces] = entry.pieces.as_slice() else { return Err(Unholdable::Pieces) };
        let same = self.pieces.as_ref().is_none_or(|first| first.of_file_at(self.end) == *pieces);
        let end = self
            .end
            .checked_add(size)
            .filter(|end| *end <= pieces.covered().end)
            .ok_or(Unholdable::Pieces)?;
        let is_first = pieces.file_start() == self.end && pieces.covered().start == 0;
        if !same || !is_first || pieces.spec().algorithm().name() != super::SHA1 {
            return Err(Unholdable::Pieces);
        }
        if entry.digests.len() > 1 {
            return Err(Unholdable::Twice(entry.digests[0].0.clone()));
        }
        let (folder, below) = match entry.path.iter().position(|&byte| byte == b'/') {
            Some(slash) => (&entry.path[..slash], Some(&entry.path[slash + 1..])),
            None => (&entry.path[..], None),
        };
        // A file without a directory must be the only one; all others must have the same top
        // directory.
        if self.count > 0 && (folder != self.name || below.is_none() || self.single.is_some()) {
            return Err(Unholdable::Components);
        }
        let mut members = b"6:length".to_vec();
        unsigned_into(size, &mut members);
        if let Some((_, digest)) = entry.digests.first() {
            members.extend_from_slice(b"6:md5sum");
            string_into(digest.to_hex().as_bytes(), &mut members);
        }
        match below {
            None => self.single = Some(members),
            Some(below) => {
                self.files.push(b'd');
                self.files.extend_from_slice(&members);
                self.files.extend_from_slice(b"4:pathl");
                below.split(|&byte| byte == b'/').for_each(|part| string_into(part, &mut self.files));
                self.files.extend_from_slice(b"ee");
            }
        }
        self.name = folder.to_vec();
        self.pieces.get_or_insert_with(|| pieces.clone());
        self.end = end;
        self.count += 1;
        Ok(())
    }

    fn end(&mut self, text: &mut Vec<u8>) -> Result<(), Unholdable> {
        let pieces = self.pieces.as_ref().filter(|pieces| pieces.covered().end == self.end);
        let pieces = pieces.ok_or(Unholdable::Pieces)?;
        text.push(b'd');
        if !self.announce.is_empty() {
            text.extend_from_slice(b"8:announce");
            string_into(&self.announce, text);
        }
        text.extend_from_slice(b"4:infod");
        match &self.single {
            Some(members) => text.extend_from_slice(members),
            None => text.extend_from_slice(&[b"5:filesl", self.files.as_slice(), b"e"].concat()),
        }
        text.extend_from_slice(b"4:name");
        string_into(&self.name, text);
        text.extend_from_slice(b"12:piece length");
        unsigned_into(pieces.piece_len(), text);
        text.extend_from_slice(b"6:pieces");
        string_into(pieces.digests(), text);
        text.extend_from_slice(b"ee");
        Ok(())
    }
}
