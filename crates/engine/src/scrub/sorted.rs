//! Sorts the entries of all manifests of a collection by name, in bounded memory: what does not fit is written to
//! temporary files in sorted order, which are merged.

use crate::scrub::codec::Rest;
use crate::scrub::listing::{Listing, SpecLists};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Seek, Write};

/// The maximum number of bytes of names and encoded entries in memory, without the overhead of each.
const IN_MEMORY: usize = 24 << 20;

/// An encoded entry: the name of the file, and its listing.
type Encoded = (Vec<u8>, Vec<u8>);

/// Collects entries. They are sorted by name; entries of one file keep their order.
#[derive(Default)]
pub(crate) struct Sorter {
    entries: Vec<Encoded>,
    bytes: usize,
    spilled: Vec<File>,
    /// Replaces [`IN_MEMORY`] in tests.
    limit: Option<usize>,
}

impl Sorter {
    /// Adds an entry.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be written.
    pub(crate) fn add(&mut self, name: Vec<u8>, listing: &Listing) -> io::Result<()> {
        let mut value = Vec::new();
        listing.put(&mut value);
        self.bytes += name.len() + value.len();
        self.entries.push((name, value));
        if self.bytes > self.limit.unwrap_or(IN_MEMORY) { self.spill() } else { Ok(()) }
    }

    fn take_sorted(&mut self) -> Vec<Encoded> {
        self.bytes = 0;
        self.entries.sort_by(|one, other| one.0.cmp(&other.0));
        std::mem::take(&mut self.entries)
    }

    fn spill(&mut self) -> io::Result<()> {
        let mut out = BufWriter::new(tempfile::tempfile()?);
        let mut bytes = Vec::new();
        for (name, value) in self.take_sorted() {
            bytes.clear();
            for part in [&name, &value] {
                bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
                bytes.extend_from_slice(part);
            }
            out.write_all(&bytes)?;
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.spilled.push(file);
        Ok(())
    }

    /// Returns all entries in the order of names, grouped by file.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be read.
    pub(crate) fn finish(mut self) -> io::Result<Sorted> {
        let last = self.take_sorted();
        let mut sources: Vec<Source> =
            self.spilled.into_iter().map(|file| Source::File(BufReader::new(file))).collect();
        sources.push(Source::Memory(last.into_iter()));
        let mut sorted = Sorted { heap: BinaryHeap::new(), sources, lists: SpecLists::default() };
        (0..sorted.sources.len()).try_for_each(|at| sorted.advance(at))?;
        Ok(sorted)
    }
}

/// Entries in sorted order.
enum Source {
    File(BufReader<File>),
    Memory(std::vec::IntoIter<Encoded>),
}

impl Source {
    fn next(&mut self) -> io::Result<Option<Encoded>> {
        match self {
            Source::Memory(entries) => Ok(entries.next()),
            Source::File(file) => match file.fill_buf()? {
                [] => Ok(None),
                _ => Ok(Some((read_part(file)?, read_part(file)?))),
            },
        }
    }
}

/// Reads a byte string with its length before it.
fn read_part(file: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut len = [0; 4];
    file.read_exact(&mut len)?;
    let mut bytes = vec![0; u32::from_le_bytes(len) as usize];
    file.read_exact(&mut bytes).map(|()| bytes)
}

/// The next entry of a source: the name of its file, the number of the source, and the encoded entry.
type Next = Reverse<(Vec<u8>, usize, Vec<u8>)>;

/// All entries by file.
pub(crate) struct Sorted {
    heap: BinaryHeap<Next>,
    sources: Vec<Source>,
    lists: SpecLists,
}

impl Sorted {
    /// Moves the next entry of a source into the heap.
    fn advance(&mut self, at: usize) -> io::Result<()> {
        if let Some((name, value)) = self.sources[at].next()? {
            self.heap.push(Reverse((name, at, value)));
        }
        Ok(())
    }

    /// Returns the name of the next file.
    pub(crate) fn peek(&self) -> Option<&[u8]> {
        self.heap.peek().map(|Reverse((name, ..))| &name[..])
    }

    /// Returns the next file and its entries, sorted by the numbers of their manifests.
    ///
    /// # Errors
    /// Fails if a temporary file cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Option<(Vec<u8>, Vec<Listing>)>> {
        let Some(name) = self.peek().map(<[u8]>::to_vec) else { return Ok(None) };
        let mut listings = Vec::new();
        while self.peek() == Some(&name) {
            let Some(Reverse((_, at, value))) = self.heap.pop() else { break };
            let listing = Listing::take(&mut Rest(&value), &mut self.lists);
            listings.push(listing.ok_or(ErrorKind::InvalidData)?);
            self.advance(at)?;
        }
        listings.sort_by_key(|listing| listing.manifest);
        Ok(Some((name, listings)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use truesum_hash::{Digest, Spec};

    #[test]
    fn entries_are_sorted_and_grouped_whether_they_fit_in_memory_or_not() {
        let specs: Arc<[Spec]> = Arc::from(["md5".parse().unwrap()]);
        let listing = |manifest: u64, byte: u8| Listing {
            manifest,
            size: byte.is_multiple_of(2).then_some(u64::from(byte) << 40),
            specs: specs.clone(),
            digests: vec![Digest::new(&[byte; 16])],
        };
        let names: [&[u8]; 5] = [b"d/z", b"a", b"d/a", b"d", b"\xff"];
        for limit in [0, 50, 120, 1 << 20] {
            let mut sorter = Sorter { limit: Some(limit), ..Sorter::default() };
            for manifest in [3, 1, 2] {
                for (byte, name) in names.iter().enumerate() {
                    sorter.add(name.to_vec(), &listing(manifest, byte as u8)).unwrap();
                }
            }
            assert_eq!(sorter.spilled.is_empty(), limit > 1000);
            let (mut sorted, mut found) = (sorter.finish().unwrap(), Vec::new());
            while let Some(next) = sorted.next().unwrap() {
                found.push(next);
            }
            let expected = [1, 3, 2, 0, 4].map(|at: usize| {
                (names[at].to_vec(), [1, 2, 3].map(|manifest| listing(manifest, at as u8)).to_vec())
            });
            assert_eq!(found, expected, "{limit}");
        }
    }
}
