//! A plan: files in the order of the resulting manifest, divided into bundles (`docs/spec/shards.md`, section 2).

use super::line::{
    Bundle, Item, blake3, head, open, parse_head, parse_plan_end, plan_end, seal, seal_into, sealed, unusable,
};
use super::state::State;
use crate::error::Error;
use crate::tree::piece::Boundaries;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use truesum_fs::data::FileExt;
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Hasher, Spec, readable};

pub use super::line::Totals;

/// The size of a bundle's text, in bytes, at which the bundle ends. Workers hold it in memory.
const TEXT: u64 = 32 << 20;
/// The maximum size of a bundle's text: one more line.
const LONGEST: u64 = TEXT + (4 << 20);

readable! {
    /// The maximum size of bundles.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Sizes {
        /// Bytes: a file that would make a bundle larger begins the next one, and a file that is larger by itself is
        /// divided if all digests allow it.
        bytes: u64,
        /// The number of files.
        files: u64,
    }
}

impl Sizes {
    /// Returns a limit of `bytes` and `files` for each bundle.
    pub fn new(bytes: u64, files: u64) -> Self {
        Sizes { bytes, files }
    }
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { bytes: 64 << 30, files: 100_000 }
    }
}

/// Writes a plan, file by file.
pub struct Planner<W: Write> {
    out: W,
    seal: Hasher,
    block: Hasher,
    open: Bundle,
    sizes: Sizes,
    specs: Vec<Spec>,
    index: Vec<Bundle>,
    totals: Totals,
    line: Vec<u8>,
    last: Vec<u8>,
    ascending: bool,
    copies: bool,
    /// Whether the results for the open bundle exist, and for each bundle in the index.
    open_done: bool,
    done: Vec<bool>,
}

impl<W: Write> Planner<W> {
    /// Returns a planner for files with names relative to `root` and these digests.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn new(mut out: W, root: &[u8], specs: &[Spec], sizes: Sizes) -> io::Result<Planner<W>> {
        let head = head(root, specs);
        let mut whole = seal();
        whole.update(&head);
        out.write_all(&head)?;
        let open = Bundle { offset: head.len() as u64, length: 0, lines: 0, bytes: 0, digest: [0; 32] };
        let (index, totals) = (Vec::new(), Totals::default());
        let specs = specs.to_vec();
        let (line, last) = (Vec::new(), Vec::new());
        let (block, ascending) = (seal(), true);
        let (copies, open_done, done) = (false, false, Vec::new());
        Ok(Planner {
            out,
            seal: whole,
            block,
            open,
            sizes,
            specs,
            index,
            totals,
            line,
            last,
            ascending,
            copies,
            open_done,
            done,
        })
    }

    /// Sets whether files are identified only by size and modification time, so that workers can read copies of them.
    #[must_use]
    pub fn copies(self, copies: bool) -> Planner<W> {
        Planner { copies, ..self }
    }

    /// Adds a file.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn add(&mut self, name: &[u8], state: State) -> io::Result<()> {
        let state = if self.copies && state.version.is_none() { state.of_copies() } else { state };
        self.count(name, state.size);
        self.separate(false)?;
        let Sizes { bytes, files } = self.sizes;
        let name = name.to_vec();
        if state.size > bytes
            && let Some(cuts) = Boundaries::new(&self.specs, state.size, bytes)
        {
            for range in cuts {
                self.close()?;
                self.put(&Item { name: name.clone(), state: state.clone(), range: Some(range) })?;
            }
            return self.close();
        }
        let open = &self.open;
        let full =
            open.bytes.saturating_add(state.size) > bytes || open.lines >= files || open.length >= TEXT;
        if full {
            self.close()?;
        }
        self.put(&Item { name, state, range: None })
    }

    /// Adds a line of an earlier plan, whose result may exist.
    pub(super) fn add_again(&mut self, item: &Item, done: bool) -> io::Result<()> {
        if item.is_first() {
            self.count(&item.name, item.state.size);
        }
        self.separate(done)?;
        if item.range.is_some() {
            self.close()?;
        }
        self.put(item)
    }

    /// Ends the open bundle.
    pub(super) fn end_bundle(&mut self) -> io::Result<()> {
        self.close()
    }

    /// Returns for each bundle so far, except the open one, whether its results exist.
    pub(super) fn done(&self) -> &[bool] {
        &self.done
    }

    /// Counts a file.
    fn count(&mut self, name: &[u8], size: u64) {
        self.ascending &= self.totals.files == 0 || self.last[..] < *name;
        self.last.clear();
        self.last.extend_from_slice(name);
        self.totals.files += 1;
        self.totals.bytes = self.totals.bytes.saturating_add(size);
    }

    /// Begins a new bundle if the open one has results and the next line has none, or vice versa.
    fn separate(&mut self, done: bool) -> io::Result<()> {
        if self.open_done != done {
            self.close()?;
            self.open_done = done;
        }
        Ok(())
    }

    /// Returns the totals so far.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Returns whether a name may occur twice, because names were not in ascending order.
    pub fn may_repeat(&self) -> bool {
        !self.ascending
    }

    /// Ends the plan and returns the output.
    ///
    /// # Errors
    /// Returns the error of the output.
    pub fn finish(mut self) -> io::Result<(W, Totals)> {
        self.close()?;
        self.totals.bundles = self.index.len() as u64;
        for (number, bundle) in self.index.iter().enumerate() {
            let line = bundle.text(number);
            self.seal.update(line.as_bytes());
            self.out.write_all(line.as_bytes())?;
        }
        seal_into(self.seal, plan_end(self.open.offset, &self.totals), &mut self.out)?;
        self.out.flush()?;
        Ok((self.out, self.totals))
    }

    fn put(&mut self, item: &Item) -> io::Result<()> {
        self.line.clear();
        item.open_into(&mut self.line);
        self.line.extend_from_slice(b"}\n");
        self.block.update(&self.line);
        self.out.write_all(&self.line)?;
        self.open.length += self.line.len() as u64;
        self.open.lines += 1;
        self.open.bytes = self.open.bytes.saturating_add(item.bytes());
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        if self.open.lines > 0 {
            let offset = self.open.offset + self.open.length;
            let next = Bundle { offset, length: 0, lines: 0, bytes: 0, digest: [0; 32] };
            let mut done = std::mem::replace(&mut self.open, next);
            done.digest.copy_from_slice(self.block.finish_reset().as_bytes());
            self.index.push(done);
            self.done.push(self.open_done);
        }
        Ok(())
    }
}

/// An existing plan.
#[derive(Debug)]
pub struct Plan {
    file: File,
    path: PathBuf,
    root: Vec<u8>,
    specs: Vec<Spec>,
    id: String,
    index: Vec<Bundle>,
    totals: Totals,
}

impl Plan {
    /// Opens a plan. Everything except the bundles is read, and verified to be complete and unmodified.
    ///
    /// # Errors
    /// Fails if it cannot be read, is damaged, or is not a plan.
    pub fn open(path: &Path) -> Result<Plan, Error> {
        let fail = |error| Error::io(path.as_os_str().as_bytes(), "open", error);
        Plan::of(open(path).map_err(fail)?, path)
    }

    /// Reads the plan in an open file.
    ///
    /// # Errors
    /// Fails as [`Plan::open`].
    pub fn of(file: File, path: &Path) -> Result<Plan, Error> {
        let fail = |error| Error::io(path.as_os_str().as_bytes(), "read", error);
        let damaged = |what: &str| unusable(path, format!("damaged, or not a plan ({what})"));
        let len = file.metadata().map_err(fail)?.len();
        // The last line is short; the first one contains a name.
        let tail = read(&file, len.saturating_sub(512)..len).map_err(fail)?;
        let lines = tail.strip_suffix(b"\n").ok_or_else(|| damaged("its last line is incomplete"))?;
        let start = lines.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let end_at = len - (tail.len() - start) as u64;
        let ended = sealed(&lines[start..]);
        let ended = ended.and_then(|(covered, id)| Some((covered, id, parse_plan_end(covered)?)));
        let (covered, id, (index_at, totals)) =
            ended.ok_or_else(|| damaged("its last line is not the last line of a plan"))?;

        let mut whole = seal();
        let mut first = Vec::new();
        let begin = OffsetReader { file: &file, at: 0 }.take(LONGEST);
        BufReader::new(begin).read_until(b'\n', &mut first).map_err(fail)?;
        whole.update(&first);
        let (root, specs) = first
            .strip_suffix(b"\n")
            .and_then(parse_head)
            .ok_or_else(|| damaged("its first line is not the first line of a plan"))?;
        let mut index = Vec::new();
        let mut lines =
            BufReader::new(OffsetReader { file: &file, at: index_at }.take(end_at.saturating_sub(index_at)));
        let (mut line, mut next, mut bytes) = (Vec::new(), first.len() as u64, 0u64);
        while lines.read_until(b'\n', &mut line).map_err(fail)? > 0 {
            whole.update(&line);
            let bundle = line.strip_suffix(b"\n").and_then(|line| Bundle::parse(line, index.len()));
            let bundle = bundle.filter(|bundle| bundle.offset == next && bundle.length <= LONGEST);
            let bundle =
                bundle.ok_or_else(|| damaged(&format!("bundle {} in its index is invalid", index.len())))?;
            next = next.checked_add(bundle.length).ok_or_else(|| damaged("its index is invalid"))?;
            bytes = bytes.saturating_add(bundle.bytes);
            index.push(bundle);
            line.clear();
        }
        whole.update(covered);
        if whole.finish().to_hex() != id {
            return Err(damaged("its checksum does not match"));
        }
        if next != index_at || index.len() as u64 != totals.bundles || bytes != totals.bytes {
            return Err(damaged("its totals do not match its bundles"));
        }
        let (path, id) = (path.to_owned(), id.to_owned());
        Ok(Plan { file, path, root, specs, id, index, totals })
    }

    /// Returns its digest in hexadecimal, by which parts refer to the plan.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the folder that names are relative to.
    pub fn root(&self) -> &Path {
        Path::new(std::ffi::OsStr::from_bytes(&self.root))
    }

    /// Returns the algorithms.
    pub fn specs(&self) -> &[Spec] {
        &self.specs
    }

    /// Returns the number of bundles, and of files and bytes in total.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Returns the number of bytes to read for a bundle.
    pub fn bytes_of(&self, bundle: usize) -> u64 {
        self.index[bundle].bytes
    }

    /// Returns the number of files and ranges in a bundle.
    pub fn lines_of(&self, bundle: usize) -> u64 {
        self.index[bundle].lines
    }

    /// Returns the name of the first file in a bundle.
    ///
    /// # Errors
    /// Fails if the plan cannot be read or is damaged.
    pub fn first_name(&self, bundle: usize) -> Result<Vec<u8>, Error> {
        let block = self.block(bundle)?;
        let first = self.items(bundle, &block).next();
        first.unwrap_or_else(|| Err(self.damaged(bundle))).map(|(_, item)| item.name)
    }

    /// Returns the file name of the part of a bundle.
    pub fn part_name(&self, bundle: usize) -> String {
        format!("{}-{bundle:06}.jsonl", &self.id[..8])
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the lines of a bundle.
    pub(super) fn block(&self, number: usize) -> Result<Vec<u8>, Error> {
        let bundle = &self.index[number];
        let fail = |error| Error::io(self.path.as_os_str().as_bytes(), "read", error);
        let text = read(&self.file, bundle.offset..bundle.offset + bundle.length).map_err(fail)?;
        if blake3().digest(&text) != Digest::new(&bundle.digest) {
            return Err(self.damaged(number));
        }
        Ok(text)
    }

    /// Returns the error for a damaged bundle.
    pub(super) fn damaged(&self, bundle: usize) -> Error {
        unusable(&self.path, format!("bundle {bundle} of the plan is damaged"))
    }

    /// Returns each item of a bundle with its line, from the lines of [`Plan::block`].
    pub(super) fn items<'b>(
        &self,
        bundle: usize,
        block: &'b [u8],
    ) -> impl Iterator<Item = Result<(&'b [u8], Item), Error>> {
        block.split_inclusive(|&byte| byte == b'\n').map(move |line| {
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            Item::parse(line).map(|item| (line, item)).ok_or_else(|| self.damaged(bundle))
        })
    }
}

/// Returns all bytes of a range.
fn read(file: &File, range: Range<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (range.end - range.start) as usize];
    file.read_exact_at(&mut bytes, range.start)?;
    Ok(bytes)
}

/// Reads a file from an offset.
struct OffsetReader<'f> {
    file: &'f File,
    at: u64,
}

impl Read for OffsetReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}
