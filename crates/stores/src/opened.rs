//! One version of an object, read at any position by several threads at once: blocks are requested a few ahead of a
//! sequential reader.

use crate::failure::Failure;
use crate::fetch::{AbortOnDrop, ObjectStart, RANGE, Source};
use bytes::Bytes;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use truesum::hash::Spec;
use truesum::{Error, Version, cores};

/// The interval for checking whether the run was stopped.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Blocks requested ahead when a read continues from the previous block.
const AHEAD: u64 = 3;
/// Reads of fewer bytes than this do not request a whole block.
const WHOLE_BLOCK_FROM: usize = 64 << 10;

/// An open object version.
pub(crate) struct Opened {
    name: Vec<u8>,
    key: Arc<str>,
    tag: Arc<str>,
    start: ObjectStart,
    source: Arc<Source>,
    runtime: Handle,
    stop: Arc<AtomicBool>,
    blocks: Arc<Blocks>,
    /// The maximum number of blocks in memory.
    most: usize,
}

/// Blocks in memory or requested.
#[derive(Default)]
struct Blocks {
    cache: Mutex<Cache>,
    arrived: Condvar,
}

#[derive(Default)]
struct Cache {
    blocks: BTreeMap<u64, Block>,
    reads: u64,
}

struct Block {
    bytes: Option<Result<Bytes, Failure>>,
    /// The number of bytes that were not read yet.
    left: u64,
    /// The number of the last read that used it.
    used: u64,
    _task: AbortOnDrop<()>,
}

impl Blocks {
    fn lock(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Opened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("key", &self.key).field("tag", &self.tag).finish_non_exhaustive()
    }
}

impl Opened {
    /// Opens the version that begins with these bytes.
    pub(crate) fn new(
        name: &[u8],
        key: String,
        start: ObjectStart,
        (source, runtime): (Arc<Source>, Handle),
        stop: Arc<AtomicBool>,
    ) -> Opened {
        let tag = start.version.clone().unwrap_or_default();
        let most = 4 * cores().max(4);
        let (name, key, tag, blocks) = (name.to_vec(), key.into(), tag.into(), Arc::default());
        Opened { name, key, tag, start, source, runtime, stop, blocks, most }
    }

    /// Returns the bounds of a block: the first one starts after the bytes that came on opening.
    fn bounds(&self, block: u64) -> Range<u64> {
        (block * RANGE).max(self.start.bytes.len() as u64)..self.start.size.min((block + 1) * RANGE)
    }

    /// Requests a block, unless that was already done.
    fn begin(&self, cache: &mut Cache, block: u64) {
        if cache.blocks.contains_key(&block) || block * RANGE >= self.start.size {
            return;
        }
        while cache.blocks.len() >= self.most {
            let there = cache.blocks.iter().filter(|(_, block)| block.bytes.is_some());
            let Some((&oldest, _)) = there.min_by_key(|(_, block)| block.used) else { break };
            cache.blocks.remove(&oldest);
        }
        let (source, key, tag, blocks) =
            (self.source.clone(), self.key.clone(), self.tag.clone(), self.blocks.clone());
        let (range, size, used) = (self.bounds(block), self.start.size, cache.reads);
        let left = range.end - range.start;
        let task = self.runtime.spawn(async move {
            let bytes = source.range(&key, Some(&tag), range, size).await;
            if let Some(block) = blocks.lock().blocks.get_mut(&block) {
                block.bytes = Some(bytes);
            }
            blocks.arrived.notify_all();
        });
        cache.blocks.insert(block, Block { bytes: None, left, used, _task: AbortOnDrop(task) });
    }

    /// Waits for the bytes of a block, of which `count` are read now. Usually each byte is read once, so blocks before
    /// one that was read completely are released if they were, too.
    fn block(&self, number: u64, count: u64) -> Result<Bytes, Error> {
        let mut cache = self.blocks.lock();
        cache.reads += 1;
        let now = cache.reads;
        self.begin(&mut cache, number);
        if number == 0 || cache.blocks.contains_key(&(number - 1)) {
            (number + 1..=number + AHEAD).for_each(|next| self.begin(&mut cache, next));
        }
        loop {
            if self.stop.load(Relaxed) {
                return Err(Error::interrupted(&self.name));
            }
            match cache.blocks.get_mut(&number) {
                Some(block) => {
                    block.used = now;
                    if let Some(bytes) = &block.bytes {
                        let bytes = bytes.clone().map_err(|failure| self.failed(&failure))?;
                        block.left = block.left.saturating_sub(count);
                        if block.left == 0 {
                            cache.blocks.retain(|&other, block| other >= number || block.left > 0);
                        }
                        return Ok(bytes);
                    }
                }
                // It was evicted for other blocks.
                None => self.begin(&mut cache, number),
            }
            cache = self
                .blocks
                .arrived
                .wait_timeout(cache, STOP_CHECK_INTERVAL)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Reads a few bytes with a request of their own.
    fn few(&self, buffer: &mut [u8], offset: u64) -> Result<(), Error> {
        let range = offset..offset + buffer.len() as u64;
        let requested = self.source.range(&self.key, Some(&self.tag), range, self.start.size);
        let bytes = until(&self.runtime, &self.stop, &self.name, requested)?;
        buffer.copy_from_slice(&bytes.map_err(|failure| self.failed(&failure))?);
        Ok(())
    }

    fn failed(&self, failure: &Failure) -> Error {
        Error::new(&self.name, "read", failure.cause())
    }
}

/// Waits for an answer, unless the run is stopped.
///
/// # Errors
/// The run was stopped.
pub(crate) fn until<T>(
    runtime: &Handle,
    stop: &AtomicBool,
    name: &[u8],
    answer: impl Future<Output = T>,
) -> Result<T, Error> {
    runtime.block_on(async {
        let mut answer = std::pin::pin!(answer);
        loop {
            match tokio::time::timeout(STOP_CHECK_INTERVAL, &mut answer).await {
                Ok(answer) => return Ok(answer),
                Err(_) if stop.load(Relaxed) => return Err(Error::interrupted(name)),
                Err(_) => {}
            }
        }
    })
}

impl Version for Opened {
    fn size(&self) -> u64 {
        self.start.size
    }

    fn tag(&self) -> &str {
        &self.tag
    }

    fn number(&self) -> u64 {
        if self.tag.is_empty() {
            return 0;
        }
        let digest = "blake3".parse::<Spec>().expect("a row of the table").digest(self.tag.as_bytes());
        digest.as_bytes()[..8].iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    fn modified(&self) -> i64 {
        self.start.modified
    }

    fn read(&self, mut buffer: &mut [u8], mut offset: u64) -> Result<(), Error> {
        if offset.checked_add(buffer.len() as u64).is_none_or(|end| end > self.start.size) {
            return Err(
                self.failed(&Failure::wrong("the requested range extends beyond the end of the object"))
            );
        }
        while !buffer.is_empty() {
            let number = offset / RANGE;
            let (bytes, start) = match self.start.bytes.len() as u64 > offset {
                true => (self.start.bytes.clone(), 0),
                false
                    if buffer.len() < WHOLE_BLOCK_FROM
                        && !self.blocks.lock().blocks.contains_key(&number) =>
                {
                    return self.few(buffer, offset);
                }
                false => {
                    let range = self.bounds(number);
                    let count = (buffer.len() as u64).min(range.end - offset);
                    (self.block(number, count)?, range.start)
                }
            };
            let there = &bytes[(offset - start) as usize..];
            let (now, rest) = buffer.split_at_mut(there.len().min(buffer.len()));
            now.copy_from_slice(&there[..now.len()]);
            offset += now.len() as u64;
            buffer = rest;
        }
        Ok(())
    }
}
