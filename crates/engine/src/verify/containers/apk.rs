//! Android packages, whose signing block contains digests of their own content (APK Signature Scheme v2 and v3).
//!
//! Three sections are digested, each divided into chunks of a mebibyte: the content before the block, the central
//! directory, and the end of central directory record, with the offset of the directory replaced by that of the block.
//! The block itself is not digested. The sections are located with the last bytes of the file, before the file is read.
//! An ambiguous package is rejected.

use crate::error::{Cause, Error};
use crate::io::input::Input;
use crate::io::read::{CompleteRead, Guarded};
use crate::progress::Progress;
use crate::verify::options::Options;
use std::fs::File;
use std::path::Path;
use truesum_fs::Errno;
use truesum_fs::data::read_at;
use truesum_hash::{Digest, Hasher, Spec, find};
use truesum_manifest::apk::{self, Block, MAGIC};

/// The maximum size of a chunk.
const PIECE: usize = 1 << 20;
/// The size of the end of central directory record of a ZIP archive without its comment, which has at most 65535 bytes.
const RECORD: usize = 22;
const COMMENT: usize = 0xffff;
const RECORD_MARK: &[u8] = b"PK\x05\x06";
/// The size and magic number of the locator that precedes that record in a ZIP64 archive.
const LOCATOR: usize = 20;
const LOCATOR_MARK: &[u8] = b"PK\x06\x07";
/// The size of the end of a signing block: its length and its magic number.
const FOOTER: u64 = 24;
/// The maximum size of a signing block. Typical ones have a few thousand bytes.
const LONGEST: u64 = 16 << 20;

/// The sections of a package, and the digests in its signing block.
pub(super) struct Package {
    /// The offsets of the signing block, the central directory, and the end of central directory record.
    pub(super) block: u64,
    directory: u64,
    record: u64,
    size: u64,
    pub(super) listed: Block,
}

/// The reason why a package cannot be verified.
pub(super) enum Fault {
    System(Errno),
    /// It is not a package, or is malformed.
    Shape(&'static str),
}

impl From<Errno> for Fault {
    fn from(error: Errno) -> Fault {
        Fault::System(error)
    }
}

impl From<&'static str> for Fault {
    fn from(why: &'static str) -> Fault {
        Fault::Shape(why)
    }
}

const NOT_ONE: &str = "it has no signing block, so there are no digests to compare (a package with only a version 1 signature has them in META-INF/MANIFEST.MF; unpack it and check that file)";
const CUT: &str = "it is truncated or damaged (the ZIP archive has no end of central directory record)";

/// Returns whether the file given as a manifest is a package: an archive with the name of one, or with a signing block.
pub(super) fn is_package(name: &Path, input: &Input, options: &Options) -> bool {
    let file = input.file();
    let Some(size) = file.metadata().ok().filter(|file| file.is_file()).map(|file| file.len()) else {
        return false;
    };
    let begins = || bytes(file, 0, 4).is_ok_and(|head| head == b"PK\x03\x04");
    let called = || name.extension().is_some_and(|end| end.eq_ignore_ascii_case("apk"));
    options.read.format.is_none()
        && name.as_os_str() != "-"
        && begins()
        && (called() || sections(file, size).is_ok())
}

/// Returns bytes of a file at an offset.
fn bytes(file: &File, at: u64, len: usize) -> Result<Vec<u8>, Fault> {
    let (mut bytes, mut filled) = (vec![0; len], 0);
    while filled < len {
        match read_at(file, &mut bytes[filled..], at + filled as u64) {
            Ok(0) => return Err(CUT.into()),
            Ok(count) => filled += count,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(bytes)
}

fn le32(text: &[u8], at: usize) -> u64 {
    text[at..at + 4].iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
}

fn le64(text: &[u8], at: usize) -> u64 {
    le32(text, at) | le32(text, at + 4) << 32
}

/// Returns the position of the end of central directory record in the last bytes of an archive. If there are two
/// candidates, neither is accepted, nor is one whose comment contains another: programs differ in which one they use.
fn record(tail: &[u8]) -> Result<usize, &'static str> {
    let marks: Vec<usize> = tail
        .windows(RECORD)
        .enumerate()
        .filter(|(_, window)| window.starts_with(RECORD_MARK))
        .map(|(at, _)| at)
        .collect();
    let ends = |at: &&usize| {
        let comment = usize::from(u16::from_le_bytes([tail[**at + 20], tail[**at + 21]]));
        **at + RECORD + comment == tail.len()
    };
    match marks.iter().filter(ends).collect::<Vec<_>>()[..] {
        [] => Err(CUT),
        [at] if marks.last() == Some(at) => Ok(*at),
        _ => Err("it contains more than one ZIP end record, so its contents are ambiguous"),
    }
}

/// Locates the sections and reads the signing block.
pub(super) fn sections(file: &File, size: u64) -> Result<Package, Fault> {
    let tail_len = size.min((LOCATOR + RECORD + COMMENT) as u64);
    let tail = bytes(file, size - tail_len, tail_len as usize)?;
    let at = record(&tail)?;
    let end = &tail[at..];
    let record = size - tail_len + at as u64;
    let (directory_len, directory) = (le32(end, 12), le32(end, 16));
    let is_large = at >= LOCATOR && tail[at - LOCATOR..].starts_with(LOCATOR_MARK);
    if is_large || directory == 0xffff_ffff || directory_len == 0xffff_ffff {
        return Err("it is a ZIP64 archive, which APK signatures do not allow".into());
    }
    if directory + directory_len != record {
        return Err("its central directory does not end at the end record (the file is truncated or damaged, or data was inserted into it)".into());
    }
    let footer = match directory.checked_sub(FOOTER) {
        Some(at) => bytes(file, at, FOOTER as usize)?,
        None => return Err(NOT_ONE.into()),
    };
    if &footer[8..] != MAGIC {
        return Err(NOT_ONE.into());
    }
    let len = le64(&footer, 0);
    if len > LONGEST {
        return Err("its signing block is damaged or longer than 16 MiB".into());
    }
    let cut = "the recorded length of its signing block is wrong";
    let block = (len >= FOOTER).then(|| directory.checked_sub(len + 8)).flatten().ok_or(cut)?;
    let text = bytes(file, block, (len + 8 - FOOTER) as usize)?;
    if le64(&text, 0) != len {
        return Err(cut.into());
    }
    let listed = apk::parse(&text[8..])?;
    Ok(Package { block, directory, record, size, listed })
}

/// A chunked digest in progress.
struct Pieces {
    spec: Spec,
    /// The digests of the chunks, concatenated.
    digests: Vec<u8>,
}

impl Pieces {
    fn take(&mut self, piece: &[u8]) {
        let mut hasher = self.spec.hasher();
        hasher.update(&[0xa5]);
        hasher.update(&(piece.len() as u32).to_le_bytes());
        hasher.update(piece);
        self.digests.extend_from_slice(hasher.finish().as_bytes());
    }

    fn finish(&self) -> Digest {
        let mut hasher = self.spec.hasher();
        hasher.update(&[0x5a]);
        hasher.update(&((self.digests.len() / self.spec.digest_len()) as u32).to_le_bytes());
        hasher.update(&self.digests);
        hasher.finish()
    }
}

/// The result of reading a package to its end.
pub(super) struct Read {
    pub(super) whole: CompleteRead,
    /// The digests, keyed by algorithm name.
    pub(super) pieces: Vec<(&'static str, Digest)>,
    /// The plain digest of the file, if requested.
    pub(super) plain: Option<Digest>,
}

impl Package {
    /// Reads a package once from beginning to end.
    ///
    /// # Errors
    /// Fails if the file changed size while it was read or cannot be read, or if the run was stopped.
    pub(super) fn read(
        &self,
        mut file: Guarded,
        name: &[u8],
        options: &Options,
        progress: &Progress,
    ) -> Result<Read, Error> {
        let spec = |name: &str| Spec::new(find(name).expect("a row of the table of algorithms"));
        let is_listed = |name: &&str| self.listed.digests().iter().any(|one| one.algorithm() == *name);
        let names: Vec<&'static str> = ["sha256", "sha512"].into_iter().filter(is_listed).collect();
        let mut digests: Vec<Pieces> =
            names.iter().map(|name| Pieces { spec: spec(name), digests: Vec::new() }).collect();
        let mut plain = options.read.digest_manifests.then(|| spec("sha256").hasher());
        let mut buffer = vec![0; PIECE];
        let mut at = 0;
        // Each section, and whether it is digested.
        let (block, directory, record) = (self.block, self.directory, self.record);
        for (end, counts) in [(block, true), (directory, false), (record, true), (self.size, true)] {
            while at < end && !progress.stopped() {
                let piece = &mut buffer[..(end - at).min(PIECE as u64) as usize];
                let filled = file.read(piece).map_err(|error| Error::io(name, "read", error))?;
                let is_short = filled < piece.len();
                if let Some(hasher) = &mut plain {
                    hasher.update(&piece[..filled]);
                }
                progress.add_bytes(filled as u64);
                if is_short {
                    let what = format!("only {} of {} bytes could be read", at + filled as u64, self.size);
                    return Err(Error::new(name, "read", Cause::Changed(what)));
                }
                // The offset at which the directory would begin without the block.
                if at == record {
                    piece[16..20].copy_from_slice(&(block as u32).to_le_bytes());
                }
                if counts {
                    digests.iter_mut().for_each(|digest| digest.take(piece));
                }
                at += filled as u64;
            }
        }
        // No bytes may follow. On some systems, only this test reveals where the file ends.
        if !progress.stopped() && !file.at_end() {
            let more = file.read(&mut buffer[..1]).map_err(|error| Error::io(name, "read", error))?;
            if more > 0 {
                return Err(Error::new(name, "read", Cause::Changed("it has grown".to_owned())));
            }
        }
        let whole = file.finish(name)?;
        let pieces = names.into_iter().zip(digests.iter().map(Pieces::finish)).collect();
        Ok(Read { whole, pieces, plain: plain.map(Hasher::finish) })
    }
}
