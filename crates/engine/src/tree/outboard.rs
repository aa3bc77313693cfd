//! Outboards of Bao and bao-tree: the nodes of a file's BLAKE3 tree in pre-order, in the formats of other programs.
//!
//! Every thread takes the next mebibyte, whose nodes are consecutive in an outboard, and writes them at their position.
//! One chaining value per mebibyte is kept for the nodes above: 32 MiB of memory for a tebibyte.

use crate::error::{Cause, Error};
use crate::io::memory_limit::thread;
use crate::io::source::{Source, finish};
use crate::io::write::AtomicFile;
use crate::pieces::UNIT;
use crate::tree::build::root_of_one;
use crate::tree::reading::Reading;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use truesum_fs::data::FileExt;
use truesum_fs::name::OsStrExt;
use truesum_hash::tree::Merkle;
use truesum_hash::{Digest, Spec};

/// The kind of an outboard, which determines the nodes it contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outboard {
    /// The nodes above chunks of 1 KiB, after the file's length: `.obao` (`bao encode --outboard`).
    Bao,
    /// The nodes above groups of 16 KiB, and nothing else: `.obao4`, the format of iroh.
    Groups,
}

/// The size of a node.
const NODE: u64 = 64;

impl Outboard {
    /// Returns the file name extension.
    pub fn ending(self) -> &'static str {
        match self {
            Outboard::Bao => ".obao",
            Outboard::Groups => ".obao4",
        }
    }

    fn leaf(self) -> u64 {
        match self {
            Outboard::Bao => 1 << 10,
            Outboard::Groups => 16 << 10,
        }
    }

    /// Returns the offset of the nodes.
    fn base(self) -> u64 {
        match self {
            Outboard::Bao => 8,
            Outboard::Groups => 0,
        }
    }
}

/// Writes the outboard of a file to `target`, which must not exist, and returns the file's BLAKE3 digest.
///
/// # Errors
/// Fails if the file cannot be read or changed during the read, if the target exists or cannot be written, or if the
/// run was stopped.
pub fn write_outboard(
    path: impl AsRef<Path>,
    kind: Outboard,
    target: &Path,
    reading: &Reading<'_>,
) -> Result<Digest, Error> {
    let path = path.as_ref().as_os_str().as_bytes();
    let name = target.as_os_str().as_bytes();
    let spec: Spec = "blake3".parse().expect("a row of the table");
    let merkle = Merkle::new(&spec).expect("BLAKE3 is a tree");
    let file = reading.open(path)?;
    let source = reading.source(&file, path);
    let vacant = || match std::fs::symlink_metadata(target) {
        Ok(_) => Err(Error::new(
            name,
            "write",
            Cause::Other("a file with this name exists and is not replaced".to_owned()),
        )),
        Err(_) => Ok(()),
    };
    vacant()?;
    let out = AtomicFile::create(target)?;
    let (leaf, size) = (kind.leaf(), source.size);
    let leaves = size.div_ceil(leaf).max(1);
    let making = OutboardWriter {
        kind,
        merkle: &merkle,
        source,
        leaves,
        per_unit: UNIT / leaf,
        out: out.file(),
        name,
    };
    if kind == Outboard::Bao {
        making.write(0, &size.to_le_bytes())?;
    }
    // The root of a single leaf is computed from its bytes.
    let root = if leaves == 1 { root_of_one(source, &spec)? } else { making.all(reading.thread_count())? };
    finish(file, path)?;
    out.commit_if(vacant)?;
    Ok(root)
}

struct OutboardWriter<'a> {
    kind: Outboard,
    merkle: &'a Merkle,
    source: Source<'a>,
    leaves: u64,
    /// The number of leaves per unit.
    per_unit: u64,
    out: &'a File,
    name: &'a [u8],
}

/// Returns the number of leaves on the left side of a tree with this many leaves, at least two: the largest smaller
/// power of two.
fn left_of(leaves: u64) -> u64 {
    1 << (u64::BITS - 1 - (leaves - 1).leading_zeros())
}

impl OutboardWriter<'_> {
    fn write(&self, at: u64, bytes: &[u8]) -> Result<(), Error> {
        self.out.write_all_at(bytes, at).map_err(|error| Error::io(self.name, "write", error))
    }

    /// Returns the position of the node for the subtree that begins with this unit.
    fn place(&self, unit: u64) -> u64 {
        let (first, mut start, mut leaves, mut place) = (unit * self.per_unit, 0, self.leaves, 0);
        while leaves > self.per_unit {
            let left = left_of(leaves);
            // The left side has one node less than it has leaves.
            (start, leaves, place) = match first < start + left {
                true => (start, left, place + 1),
                false => (start + left, leaves - left, place + left),
            };
        }
        place
    }

    /// Writes all nodes and returns the root.
    fn all(&self, threads: usize) -> Result<Digest, Error> {
        let units = self.source.size.div_ceil(UNIT);
        let next = AtomicU64::new(0);
        let values = Mutex::new(vec![None; units as usize]);
        let failed = Mutex::new(None);
        // The first node, if it belongs to a unit.
        let first = Mutex::new([0; NODE as usize]);
        let work = || {
            let mut buffer = Vec::new();
            loop {
                let unit = next.fetch_add(1, Ordering::Relaxed);
                if unit >= units {
                    return;
                }
                match self.unit(unit, &mut buffer, &first) {
                    Ok(value) => {
                        values.lock().unwrap_or_else(PoisonError::into_inner)[unit as usize] = Some(value);
                    }
                    Err(error) => {
                        next.store(units, Ordering::Relaxed);
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(units as usize) {
                // If a thread cannot be started, the others take over its work.
                let _ = thread("hash").map(|builder| builder.spawn_scoped(scope, work));
            }
            work();
        });
        if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let values: Option<Vec<Digest>> =
            values.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().collect();
        let values = values.ok_or_else(|| Error::interrupted(self.source.path))?;
        match &values[..] {
            // All nodes belonged to that unit, and the first one is the root.
            [_] => {
                let node = first.into_inner().unwrap_or_else(PoisonError::into_inner);
                let (left, right) = node.split_at(NODE as usize / 2);
                Ok(self.merkle.root(&Digest::new(left), &Digest::new(right)))
            }
            values => {
                let (left, right) = self.above(values, self.leaves, 0)?;
                Ok(self.merkle.root(&left, &right))
            }
        }
    }

    /// Writes the nodes of a unit and returns its chaining value.
    fn unit(
        &self,
        unit: u64,
        buffer: &mut Vec<u8>,
        first: &Mutex<[u8; NODE as usize]>,
    ) -> Result<Digest, Error> {
        if self.source.progress.stopped() {
            return Err(Error::interrupted(self.source.path));
        }
        let start = unit * UNIT;
        let len = (self.source.size - start).min(UNIT) as usize;
        let leaf = self.kind.leaf();
        let row = self.source.look(start, len, buffer, |data| {
            let leaves = data.chunks(leaf as usize).zip(0..);
            let value = |(data, at): (&[u8], u64)| {
                self.merkle.subtree(data, (start + at * leaf) / self.merkle.leaf_size())
            };
            leaves.map(value).collect::<Vec<Digest>>()
        })?;
        let mut nodes = Vec::with_capacity(row.len() * NODE as usize);
        let value = self.nodes(&row, &mut nodes);
        self.write(self.kind.base() + self.place(unit) * NODE, &nodes)?;
        if let (0, Some(node)) = (unit, nodes.first_chunk()) {
            *first.lock().unwrap_or_else(PoisonError::into_inner) = *node;
        }
        Ok(value)
    }

    /// Appends the nodes above a row in pre-order. Returns the chaining value of the row.
    fn nodes(&self, row: &[Digest], nodes: &mut Vec<u8>) -> Digest {
        if let [one] = row {
            return one.clone();
        }
        let at = nodes.len();
        nodes.resize(at + NODE as usize, 0);
        let (left, right) = row.split_at(left_of(row.len() as u64) as usize);
        let (left, right) = (self.nodes(left, nodes), self.nodes(right, nodes));
        nodes[at..at + NODE as usize].copy_from_slice(&[left.as_bytes(), right.as_bytes()].concat());
        self.merkle.node(&left, &right)
    }

    /// Writes the nodes above units with these chaining values, the first one at `place`. Returns the two values of the
    /// first node.
    fn above(&self, values: &[Digest], leaves: u64, place: u64) -> Result<(Digest, Digest), Error> {
        let left = left_of(leaves);
        let (low, high) = values.split_at((left / self.per_unit) as usize);
        let side = |values: &[Digest], leaves, place| match values {
            [one] => Ok(one.clone()),
            values => self.above(values, leaves, place).map(|(left, right)| self.merkle.node(&left, &right)),
        };
        let sides = (side(low, left, place + 1)?, side(high, leaves - left, place + left)?);
        self.write(self.kind.base() + place * NODE, &[sides.0.as_bytes(), sides.1.as_bytes()].concat())?;
        Ok(sides)
    }
}
