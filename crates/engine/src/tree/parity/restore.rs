//! Restores damaged blocks from the intact blocks and the parity blocks of their group.

use crate::error::Error;
use crate::progress::Progress;
use crate::tree::parity::{DIGEST, Parity, digest_of};
use reed_solomon_simd::engine::DefaultEngine;
use reed_solomon_simd::rate::{HighRateDecoder, RateDecoder};
use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use truesum_fs::data::FileExt;
use truesum_fs::name::OsStrExt;

/// The memory for restoring a group. Blocks are restored in slices, because each byte depends only on the bytes near
/// the same offset in the other blocks.
const MEMORY: usize = 128 << 20;

impl Parity {
    /// Returns the damaged blocks of each group.
    fn damaged_blocks(&self, damaged: &[Range<u64>]) -> BTreeMap<u64, Vec<u64>> {
        let block = self.header.block;
        let blocks = damaged.iter().flat_map(|range| range.start / block..range.end.div_ceil(block));
        let mut groups = BTreeMap::<u64, Vec<u64>>::new();
        for block in blocks {
            groups.entry(block / u64::from(self.header.group)).or_default().push(block);
        }
        groups
    }

    /// Returns how many intact parity blocks are missing to restore these ranges; 0 if all can be restored.
    ///
    /// # Errors
    /// Fails if the run was stopped.
    pub fn missing(&self, damaged: &[Range<u64>], progress: &Progress) -> Result<u64, Error> {
        let mut groups = self.damaged_blocks(damaged).into_iter();
        groups.try_fold(0, |sum, (group, lost)| {
            let intact = self.intact(group, lost.len() as u64, progress)?;
            Ok(sum + intact.err().unwrap_or(0))
        })
    }

    /// Returns as many intact parity blocks of a group as there are `lost` blocks, or how many of them are missing. A
    /// block that cannot be read is damaged.
    ///
    /// # Errors
    /// Returns the outer error if the run was stopped.
    fn intact(&self, group: u64, lost: u64, progress: &Progress) -> Result<Result<Vec<u64>, u64>, Error> {
        let parity = self.header.parity_of(group);
        let mut block = vec![0; self.header.block as usize];
        let mut digest = [0; DIGEST];
        let mut is_intact = |index: u64| {
            let at = self.header.offset(index);
            self.file.read_exact_at(&mut block, at).is_ok()
                && self.file.read_exact_at(&mut digest, at + self.header.block).is_ok()
                && digest_of(&[&index.to_le_bytes(), &block]).as_bytes() == digest
        };
        let mut intact = Vec::new();
        for index in parity {
            if intact.len() as u64 == lost {
                break;
            }
            if progress.stopped() {
                return Err(Error::interrupted(self.path.as_os_str().as_bytes()));
            }
            if is_intact(index) {
                intact.push(index);
            }
        }
        Ok(match lost - intact.len() as u64 {
            0 => Ok(intact),
            missing => Err(missing),
        })
    }
}

/// The blocks that were restored for a group.
enum Restored {
    Blocks(BTreeMap<u64, Vec<u8>>),
    /// This many more intact parity blocks are needed.
    Missing(u64),
}

/// A source of the damaged bytes of a file.
pub(crate) struct Restorer<'a> {
    parity: &'a Parity,
    /// The damaged file and its path.
    file: (&'a File, &'a [u8]),
    damaged: BTreeMap<u64, Vec<u64>>,
    progress: &'a Progress,
    /// The group restored last. Because ranges are read in ascending order, each group is restored once per pass.
    current: Option<(u64, Restored)>,
}

impl<'a> Restorer<'a> {
    pub(crate) fn new(
        parity: &'a Parity,
        file: (&'a File, &'a [u8]),
        damaged: &[Range<u64>],
        progress: &'a Progress,
    ) -> Restorer<'a> {
        Restorer { parity, file, damaged: parity.damaged_blocks(damaged), progress, current: None }
    }

    /// Returns the path of the parity file.
    pub(crate) fn path(&self) -> &'a [u8] {
        self.parity.path.as_os_str().as_bytes()
    }

    /// Returns how many intact parity blocks are missing to restore the block at this offset.
    ///
    /// # Errors
    /// Fails if an intact block of the file cannot be read, or if the run was stopped.
    pub(crate) fn missing(&mut self, offset: u64) -> Result<u64, Error> {
        let group = offset / self.parity.header.block / u64::from(self.parity.header.group);
        let restored = match self.current.take() {
            Some((current, restored)) if current == group => restored,
            _ => self.restore(group)?,
        };
        let missing = match restored {
            Restored::Blocks(_) => 0,
            Restored::Missing(missing) => missing,
        };
        self.current = Some((group, restored));
        Ok(missing)
    }

    /// Fills `buffer` with restored bytes of one block.
    ///
    /// # Errors
    /// Fails as [`Restorer::missing`], or if the block cannot be restored.
    pub(crate) fn read(&mut self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        let missing = self.missing(offset)?;
        let block = self.parity.header.block;
        let Some((_, Restored::Blocks(blocks))) = &self.current else {
            let why = format!("{missing} more intact blocks are needed");
            return Err(Error::new(self.path(), "use", crate::error::Cause::Changed(why)));
        };
        let bytes = &blocks[&(offset / block)][(offset % block) as usize..];
        buffer.copy_from_slice(&bytes[..buffer.len()]);
        Ok(())
    }

    fn restore(&self, group: u64) -> Result<Restored, Error> {
        const VALID: &str = "the counts and sizes of the header are valid";
        let Restorer { parity, file: (file, path), progress, .. } = *self;
        let (header, none) = (&parity.header, Vec::new());
        let lost = self.damaged.get(&group).unwrap_or(&none);
        let intact = match parity.intact(group, lost.len() as u64, progress)? {
            Ok(intact) => intact,
            Err(missing) => return Ok(Restored::Missing(missing)),
        };
        let (blocks, recovery) = (header.blocks_of(group), header.parity_of(group));
        let counts = ((blocks.end - blocks.start) as usize, (recovery.end - recovery.start) as usize);
        let work = (counts.0 + counts.1.next_power_of_two()).next_power_of_two();
        let slice = (MEMORY / work / 64 * 64).min(header.block as usize);
        let mut restored: BTreeMap<u64, Vec<u8>> = lost.iter().map(|&block| (block, Vec::new())).collect();
        let mut decoder = HighRateDecoder::new(counts.0, counts.1, slice, DefaultEngine::new(), None);
        let decoder = decoder.as_mut().expect(VALID);
        let mut buffer = vec![0; slice];
        for at in (0..header.block).step_by(slice) {
            let buffer = &mut buffer[..((header.block - at) as usize).min(slice)];
            decoder.reset(counts.0, counts.1, buffer.len()).expect(VALID);
            for block in blocks.clone().filter(|block| !restored.contains_key(block)) {
                if progress.stopped() {
                    return Err(Error::interrupted(path));
                }
                let offset = block * header.block + at;
                let here = header.size.saturating_sub(offset).min(buffer.len() as u64) as usize;
                buffer[here..].fill(0);
                let read = file.read_exact_at(&mut buffer[..here], offset);
                read.map_err(|error| Error::io(path, "read", error))?;
                decoder.add_original_shard((block - blocks.start) as usize, &*buffer).expect(VALID);
            }
            for &index in &intact {
                let read = parity.file.read_exact_at(buffer, header.offset(index) + at);
                read.map_err(|error| Error::io(self.path(), "read", error))?;
                decoder.add_recovery_shard((index - recovery.start) as usize, &*buffer).expect(VALID);
            }
            let decoded = decoder.decode().expect("there are as many blocks as in the group");
            for (index, bytes) in decoded.restored_original_iter() {
                let block = restored.get_mut(&(blocks.start + index as u64));
                block.expect("only lost blocks are restored").extend_from_slice(bytes);
            }
        }
        Ok(Restored::Blocks(restored))
    }
}
