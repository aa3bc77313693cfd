//! ISO 9660 images with an implanted MD5 digest (isomd5sum), which covers the image except itself and its last sectors.

use crate::error::{Cause, Error};
use crate::io::input::Input;
use crate::io::open::Root;
use crate::io::read::{CompleteRead, Guarded};
use crate::job::{Compared, Damage, FileResult, Findings, Job, Outcome};
use crate::progress::Progress;
use crate::verify::containers::package::lists_more;
use crate::verify::discovery::has_manifest_name;
use crate::verify::entries::EntryCheck;
use crate::verify::entries::tasks::weak_name;
use crate::verify::event::{Event, Manifest, Observer};
use crate::verify::options::Options;
use crate::verify::report::Checked;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use truesum_fs::data::FileExt;
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Hasher, Spec, find};
use truesum_manifest::Place;
use truesum_manifest::iso::{APPLICATION_DATA, Implanted, SECTOR, parse};

/// The first volume descriptor (ECMA-119 section 6.7.1).
const FIRST: u64 = 16;
/// The maximum number of volume descriptors before the primary one.
const DESCRIPTORS: u64 = 32;
/// The type of the primary volume descriptor, and the identifier and version of all descriptors (section 8.4).
const PRIMARY: u8 = 1;
const IDENTIFIER: &[u8] = b"CD001\x01";
/// The position of the volume size, in sectors, in that descriptor.
const VOLUME_SIZE: usize = 80;

/// isomd5sum divides an image into fragments after reads of this size.
const PIECE: usize = 32 << 10;
/// The size of a read.
const BUFFER: usize = 32 * PIECE;

/// The primary volume descriptor of an image.
struct Image {
    /// The position of the application data.
    at: u64,
    /// The size of the volume in bytes.
    size: u64,
    /// The application data.
    text: Vec<u8>,
}

/// Returns the image in a file, if it has a primary volume descriptor.
fn image(file: &File) -> Option<Image> {
    let mut sector = [0; SECTOR as usize];
    for number in FIRST..FIRST + DESCRIPTORS {
        file.read_exact_at(&mut sector, number * SECTOR).ok()?;
        if !sector[1..].starts_with(IDENTIFIER) {
            return None;
        }
        if sector[0] == PRIMARY {
            let at = number * SECTOR + APPLICATION_DATA.start as u64;
            let (_, size) = sector.split_at(VOLUME_SIZE);
            let size = size.first_chunk().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)));
            return Some(Image { at, size: size * SECTOR, text: sector[APPLICATION_DATA].to_vec() });
        }
    }
    None
}

/// Returns whether the file given as a manifest is an image. A file with the name of a manifest must be one, so that an
/// image cannot take the place of a list.
pub(super) fn is_image(name: &Path, input: &Input, options: &Options) -> bool {
    let file = input.file();
    options.read.format.is_none()
        && name.as_os_str() != "-"
        && !has_manifest_name(name)
        && file.metadata().is_ok_and(|file| file.is_file())
        && image(file).is_some()
}

/// Verifies an image with the digest implanted in it.
pub(super) fn check(
    entries: &mut EntryCheck<'_>,
    name: &Path,
    on_event: &mut Observer<'_>,
) -> io::Result<()> {
    let (options, progress) = (entries.options, entries.progress);
    let bytes = name.as_os_str().as_bytes();
    let refused = |why: &str| Error::new(bytes, "verify", Cause::Other(why.to_owned()));
    if lists_more(options) {
        let why = "this is an ISO 9660 image, which is checked as a unit with the MD5 digest implanted in it; options that select entries or specify a format do not apply";
        return entries.unread(&refused(why), on_event);
    }
    let started = Instant::now();
    progress.set_current(bytes);
    let file = match Guarded::open(&Root::Anywhere, bytes, options.read.special) {
        Ok(file) => file,
        Err(error) => return entries.unread(&error, on_event),
    };
    let found = image(file.file()).and_then(|image| parse(&image.text).map(|parsed| (image, parsed)));
    let (image, implanted) = match found {
        Some((image, Ok(implanted))) => (image, implanted),
        Some((_, Err(why))) => return entries.unread(&refused(why), on_event),
        None => {
            let why = "it is an ISO 9660 image without an implanted MD5 digest, so there is nothing to compare it with (to check it with a list of digests: truesum check LIST IMAGE)";
            return entries.unread(&refused(why), on_event);
        }
    };
    let Some(end) =
        image.size.checked_sub(implanted.skipped_sectors() * SECTOR).filter(|end| *end > image.at)
    else {
        let why = "its implanted digest skips more sectors than the image has";
        return entries.unread(&refused(why), on_event);
    };
    if file.may_be_written() {
        progress.add_writers_unknown();
    }
    let size = file.size_hint();
    let mut hash = Hash::new(&image, &implanted, end);
    let read = hash.read(file, bytes, options, progress);
    if progress.stopped() {
        entries.report.not_begun += 1;
        return Ok(());
    }
    progress.add_file();
    let mut digest = None;
    let mut not_covered = None;
    let result = read.map(|(whole, plain)| {
        digest = plain;
        let uncovered = uncovered(&image, end, whole.size());
        not_covered = Some(uncovered_text(&uncovered, &image));
        let findings = Findings { uncovered, ..hash.findings() };
        FileResult::new(whole, Vec::new(), started).with_pieces(findings)
    });
    // Bytes may follow the volume, but none of it may be missing.
    let size = (size < image.size).then_some(image.size);
    let job = Job { origin: (0, Place::Byte(image.at)), size, ..Job::hash(name, &Arc::from([])) };
    let manifest = Manifest { name, root: &Root::Anywhere };
    let not_tamper_evident = weak_name(&[spec("md5")]).into_iter().map(|name| (name, 1)).collect();
    let mut checked = Checked { digest, not_tamper_evident, ..Checked::default() };
    entries.single(&manifest, Outcome { job, result }, &mut checked, on_event)?;
    if let Some(why) = not_covered {
        on_event(Event::Doubtful(&refused(&why)))?;
    }
    on_event(Event::Checked(&manifest, &checked))
}

/// Returns the bytes of an image with this size that its implanted digest, which ends at `end`, does not cover: its text,
/// the skipped sectors, and everything after the volume.
fn uncovered(image: &Image, end: u64, size: u64) -> Vec<Range<u64>> {
    let text = image.at..image.at + APPLICATION_DATA.len() as u64;
    let volume_end = image.size.min(size);
    [text, end..volume_end, volume_end..size].into_iter().filter(|range| !range.is_empty()).collect()
}

/// Returns the text of the note about these bytes.
fn uncovered_text(uncovered: &[Range<u64>], image: &Image) -> String {
    let texts = uncovered.iter().map(|range| {
        let length = range.end - range.start;
        let what = match range.start {
            start if start == image.at => "which contain it",
            start if start < image.size => "the skipped sectors at the end of the volume",
            _ => "after the volume",
        };
        format!("{length} bytes at offset {} ({what})", range.start)
    });
    format!("the implanted digest does not cover {}", texts.collect::<Vec<_>>().join(", "))
}

fn spec(name: &str) -> Spec {
    Spec::new(find(name).expect("a row of the table of algorithms"))
}

/// The digest of an image while it is read.
struct Hash<'i> {
    implanted: &'i Implanted,
    /// The application data, which is hashed as blanks.
    blank: Range<u64>,
    /// The end of the bytes that are hashed.
    end: u64,
    md5: Hasher,
    /// The number of bytes so far.
    at: u64,
    /// The ends of the fragments so far, and the index of the first one whose sum differs.
    ends: Vec<u64>,
    differs: Option<usize>,
}

impl<'i> Hash<'i> {
    fn new(image: &Image, implanted: &'i Implanted, end: u64) -> Hash<'i> {
        let blank = image.at..image.at + APPLICATION_DATA.len() as u64;
        Hash { implanted, blank, end, md5: spec("md5").hasher(), at: 0, ends: Vec::new(), differs: None }
    }

    /// Reads an image once from beginning to end. Returns the proof, and the plain digest of the file if it is requested.
    ///
    /// # Errors
    /// Fails if the file changed size while it was read or cannot be read.
    fn read(
        &mut self,
        mut file: Guarded,
        name: &[u8],
        options: &Options,
        progress: &Progress,
    ) -> Result<(CompleteRead, Option<Digest>), Error> {
        let mut plain = options.read.digest_manifests.then(|| spec("sha256").hasher());
        let mut buffer = vec![0; BUFFER];
        while !progress.stopped() {
            let count = file.read(&mut buffer).map_err(|error| Error::io(name, "read", error))?;
            let bytes = &mut buffer[..count];
            if let Some(hasher) = &mut plain {
                hasher.update(bytes);
            }
            progress.add_bytes(count as u64);
            bytes.chunks_mut(PIECE).for_each(|piece| self.take(piece));
            if count < BUFFER {
                break;
            }
        }
        Ok((file.finish(name)?, plain.map(Hasher::finish)))
    }

    /// Adds the next piece of the image.
    fn take(&mut self, piece: &mut [u8]) {
        let at = self.at;
        self.at += piece.len() as u64;
        if at >= self.end {
            return;
        }
        let within = |position: u64| position.clamp(at, self.at) - at;
        piece[within(self.blank.start) as usize..within(self.blank.end) as usize].fill(b' ');
        let counted = within(self.end);
        self.md5.update(&piece[..counted as usize]);
        let fragment = |position: u64| {
            let len = self.end / (self.implanted.fragment_count() + 1);
            position.checked_div(len).unwrap_or_default()
        };
        // The piece is the first one that begins in its fragment. The previous fragment ends after it.
        if at == 0 || fragment(at) == fragment(at - PIECE as u64) {
            return;
        }
        if let Some(expected) = self.implanted.sums().get(self.ends.len()) {
            let found = Implanted::sum(&self.md5.clone().finish(), expected.len());
            if self.differs.is_none() && found != *expected {
                self.differs = Some(self.ends.len());
            }
            self.ends.push(at + counted);
        }
    }

    /// Returns the result of the comparison after the last piece: if the digest differs, the damage begins in the first
    /// fragment whose sum differs, or after the last fragment with a sum.
    fn findings(self) -> Findings {
        let found = self.md5.finish();
        let mut damaged = Vec::new();
        if found != *self.implanted.digest() && !self.ends.is_empty() {
            let first = self.differs.unwrap_or(self.ends.len());
            let start = first.checked_sub(1).map_or(0, |before| self.ends[before]);
            let range = start..self.ends.get(first).copied().unwrap_or(self.end);
            damaged.push(Damage { range, shared: false });
        }
        let compared = vec![Compared {
            name: "implanted-md5".to_owned(),
            expected: self.implanted.digest().clone(),
            found,
        }];
        Findings { damaged, compared, ..Findings::default() }
    }
}
