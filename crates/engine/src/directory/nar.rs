//! The SHA-256 of a Nix archive. The archive is hashed sequentially, so files are read one after the other.

use crate::directory::gather::Gathered;
use crate::directory::object::{Object, ObjectType};
use crate::directory::options::Options;
use crate::error::{Cause, Error};
use crate::io::ahead::read_ahead;
use crate::io::open::Special;
use crate::io::read::Guarded;
use crate::io::sequential::read_to_end;
use crate::progress::{Completion, Progress};
use truesum_hash::{Digest, Hasher, Spec};

/// Longer files are read by a separate thread while they are hashed.
const READ_AHEAD: u64 = 4 << 20;
/// The number of bytes read at a time for other files.
const SLICE: usize = 1 << 18;

/// Returns the digest of the archive, or `None` if the run was stopped.
///
/// # Errors
/// Fails for a file that could not be read to its end or changed during the read.
pub(super) fn digest(
    gathered: &Gathered,
    options: &Options,
    progress: &Progress,
) -> Result<Option<Digest>, Error> {
    let mut objects: Vec<&Object> = gathered.objects.iter().collect();
    objects.sort_by(|one, other| by_names(&one.path, &other.path));
    let mut archive = Archive {
        gathered,
        options,
        progress,
        hasher: "sha256".parse::<Spec>().expect("a row of the table").hasher(),
        buffer: Vec::new(),
    };
    archive.text(b"nix-archive-1");
    let mut open: Vec<&[u8]> = Vec::new();
    for object in objects {
        while open.last().is_some_and(|folder| !object.is_below(folder)) {
            open.pop();
            archive.texts(&[b")", b")"]);
        }
        if !object.is_root() {
            archive.texts(&[b"entry", b"(", b"name", object.name(), b"node"]);
        }
        archive.texts(&[b"(", b"type"]);
        match &object.what {
            ObjectType::Folder => {
                archive.text(b"directory");
                open.push(&object.path);
                continue;
            }
            ObjectType::Link(target) => archive.texts(&[b"symlink", b"target", target]),
            ObjectType::File => {
                archive.text(b"regular");
                if object.mode() & 0o100 != 0 {
                    archive.texts(&[b"executable", b""]);
                }
                archive.text(b"contents");
                if !archive.content(object)? {
                    return Ok(None);
                }
            }
        }
        archive.text(b")");
        if !object.is_root() {
            archive.text(b")");
        }
    }
    while open.pop().is_some() {
        // The tree itself is not an entry of another folder.
        archive.texts(if open.is_empty() { &[b")"] } else { &[b")", b")"] });
    }
    Ok(Some(archive.hasher.finish()))
}

/// Compares component by component, so that the contents of a folder directly follow it.
fn by_names(one: &[u8], other: &[u8]) -> std::cmp::Ordering {
    one.split(|&byte| byte == b'/').cmp(other.split(|&byte| byte == b'/'))
}

struct Archive<'a> {
    gathered: &'a Gathered,
    options: &'a Options,
    progress: &'a Progress,
    hasher: Hasher,
    buffer: Vec<u8>,
}

impl Archive<'_> {
    fn texts(&mut self, texts: &[&[u8]]) {
        texts.iter().for_each(|text| self.text(text));
    }

    fn text(&mut self, text: &[u8]) {
        self.hasher.update(&(text.len() as u64).to_le_bytes());
        self.hasher.update(text);
        self.pad(text.len() as u64);
    }

    fn pad(&mut self, len: u64) {
        self.hasher.update(&[0; 8][..((8 - len % 8) % 8) as usize]);
    }

    /// Adds the content of a file. Returns false if the run was stopped.
    fn content(&mut self, object: &Object) -> Result<bool, Error> {
        let path = self.gathered.full_path(object);
        let (root, name) = self.gathered.root_and_name(object, &path);
        let mut file = Guarded::open(root, name, Special::Refuse).map_err(|error| error.with_name(&path))?;
        self.progress.set_current(&path);
        let size = object.size();
        self.hasher.update(&size.to_le_bytes());
        if size > READ_AHEAD {
            let threads = if self.options.threads == 1 { 1 } else { 2 };
            let hashers = std::slice::from_mut(&mut self.hasher);
            let read = read_ahead(&mut file, hashers, threads, self.options.mapping, self.progress);
            if read.map_err(|error| Error::io(&path, "read", error))? == Completion::Stopped {
                return Ok(false);
            }
        }
        self.buffer.resize(SLICE, 0);
        let read = read_to_end(file, &path, &mut self.buffer, self.progress, &mut |bytes| {
            self.hasher.update(bytes);
        });
        if self.progress.stopped() {
            return Ok(false);
        }
        let found = read?.size();
        if found != size {
            let why = format!("its size changed from {size} to {found} bytes");
            return Err(Error::new(&path, "read", Cause::Changed(why)));
        }
        self.progress.add_file();
        self.pad(size);
        Ok(true)
    }
}
