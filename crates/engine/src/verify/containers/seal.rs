//! Verifies signatures of minisign and signify with a public key: of manifests before they are read, and of files.
//!
//! A manifest is read once into memory, so that exactly the verified bytes are parsed, whatever
//! happens to the file.

use crate::error::{Cause, Error};
use crate::io::file_id::FileId;
use crate::io::open::{Root, open_companion, read_companion};
use crate::io::read::Guarded;
use crate::io::sequential::read_to_end;
use crate::job::{FileResult, Job};
use crate::progress::Progress;
use crate::verify::options::Options;
use ed25519_compact::{PublicKey as Point, Signature as Signed};
use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Hasher, Spec, find};
use truesum_manifest::signify::{PublicKey, Signature, shown};

/// The maximum size of a signed manifest.
const LIMIT: usize = 256 << 20;
/// The maximum size of a signature file.
const SHORT: u64 = 64 << 10;
/// The number of bytes read at a time.
const SLICE: usize = 1 << 18;
/// The extensions of signature files, which are appended to the name of the signed file.
const ENDINGS: [&str; 2] = [".minisig", ".sig"];

readable! {
    /// A verified signature.
    #[derive(Debug)]
    pub struct Seal {
        /// The signed file.
        file: PathBuf => &Path,
        /// The location of the signature: a separate file, or the signed file itself.
        signature: PathBuf => &Path,
        /// The key ID, as minisign shows it.
        key: String => &str,
        /// The signer's comment, which the signature covers too.
        comment: Option<Vec<u8>> as Option<&[u8]>,
    }
    private {
        /// The identity of a separate signature file.
        id: Option<FileId>,
    }
}

fn refused(path: &Path, why: impl Into<String>) -> Error {
    Error::new(path.as_os_str().as_bytes(), "verify", Cause::Other(why.into()))
}

fn name_of(path: &Path) -> String {
    truesum_manifest::path::display_safe(path.as_os_str().as_bytes())
}

/// Receives the signed bytes.
enum Message {
    /// The bytes themselves are signed.
    Plain(Box<ed25519_compact::VerifyingState>),
    /// Their digest is signed.
    Digest(Box<Hasher>, Signed, Point),
}

impl Message {
    fn new(signature: &Signature<'_>, key: &PublicKey) -> Option<Message> {
        let (point, signed) = (Point::new(key.point()), Signed::new(signature.bytes()));
        Some(match signature.is_prehashed() {
            true => Message::Digest(Box::new(blake2b().hasher()), signed, point),
            false => Message::Plain(Box::new(point.verify_incremental(&signed).ok()?)),
        })
    }

    fn take(&mut self, bytes: &[u8]) {
        match self {
            Message::Plain(state) => state.absorb(bytes),
            Message::Digest(hasher, ..) => hasher.update(bytes),
        }
    }

    fn fits(self) -> bool {
        match self {
            Message::Plain(state) => state.verify().is_ok(),
            Message::Digest(hasher, signed, point) => {
                point.verify(hasher.finish().as_bytes(), &signed).is_ok()
            }
        }
    }
}

fn blake2b() -> Spec {
    Spec::new(find("blake2b").expect("a row of the table of algorithms"))
}

/// Returns the result for a signature whose message was verified, or why another part of it is invalid.
fn seal(file: &Path, at: &Path, signature: &Signature<'_>, key: &PublicKey) -> Result<Seal, Error> {
    if let Some((comment, global)) = &signature.trusted() {
        let text = [&signature.bytes()[..], comment].concat();
        if Point::new(key.point()).verify(&text, &Signed::new(*global)).is_err() {
            return Err(refused(at, "the signature of the trusted comment is invalid"));
        }
    }
    let comment = signature.trusted().map(|(comment, _)| comment.to_vec());
    Ok(Seal { file: file.to_owned(), signature: at.to_owned(), key: shown(key.id()), comment, id: None })
}

/// Rejects a signature by another key.
fn of_key(signature: &Signature<'_>, key: &PublicKey, at: &Path) -> Result<(), Error> {
    let (own, requested) = (shown(signature.id()), shown(key.id()));
    match signature.id() == key.id() {
        true => Ok(()),
        false => Err(refused(at, format!("the signature is by key {own}, but --pubkey is key {requested}"))),
    }
}

const BAD: &str = "invalid signature; the file was modified or signed with another key";

/// Reads everything from a reader, up to a limit.
pub(super) fn whole(name: &Path, reader: impl Read) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    let io = |error| Error::io(name.as_os_str().as_bytes(), "read", error);
    reader.take(LIMIT as u64 + 1).read_to_end(&mut text).map_err(io)?;
    match text.len() > LIMIT {
        true => Err(refused(
            name,
            format!("it is larger than {LIMIT} bytes, the limit for verifying a signature"),
        )),
        false => Ok(text),
    }
}

/// Verifies the signature of a manifest that has been read, whether it is inside the manifest or next to it.
pub(super) fn of_manifest(name: &Path, text: &[u8], key: &PublicKey) -> Result<Seal, Error> {
    if let Some(signature) = Signature::parse(text) {
        let Some(message) = signature.message() else {
            return Err(refused(name, "it is a detached signature; specify the signed file itself"));
        };
        return verify_detached(name, name, message, &signature, key);
    }
    // There may be one by minisign and one by signify: the one by this key counts.
    let mut error = None;
    for ending in ENDINGS {
        match detached(name, ending)? {
            None => {}
            Some((at, detached, id)) => match of_detached(name, text, &at, &detached, key) {
                Ok(seal) => return Ok(Seal { id: Some(id), ..seal }),
                Err(why) => drop(error.get_or_insert(why)),
            },
        }
    }
    Err(error.unwrap_or_else(|| {
        let shown = name_of(name);
        refused(
            name,
            format!(
                "it is not signed (it contains no signature, and neither {shown}.minisig nor {shown}.sig exists)"
            ),
        )
    }))
}

/// Verifies a signature next to a manifest.
fn of_detached(name: &Path, text: &[u8], at: &Path, detached: &[u8], key: &PublicKey) -> Result<Seal, Error> {
    let signature =
        Signature::parse(detached).ok_or_else(|| refused(at, "it is not a minisign or signify signature"))?;
    if signature.message().is_some() {
        return Err(refused(
            at,
            "it also contains the signed text, so it is not a detached signature; check this file itself",
        ));
    }
    if at.as_os_str().as_bytes().ends_with(ENDINGS[0].as_bytes()) && signature.trusted().is_none() {
        return Err(refused(at, "it is truncated (it has no trusted comment)"));
    }
    verify_detached(name, at, text, &signature, key)
}

fn verify_detached(
    file: &Path,
    at: &Path,
    text: &[u8],
    signature: &Signature<'_>,
    key: &PublicKey,
) -> Result<Seal, Error> {
    of_key(signature, key, at)?;
    let mut message = Message::new(signature, key).ok_or_else(|| refused(at, BAD))?;
    message.take(text);
    if !message.fits() {
        return Err(refused(file, BAD));
    }
    seal(file, at, signature, key)
}

/// Returns the signature with this extension next to a file, if it exists.
fn detached(name: &Path, ending: &str) -> Result<Option<(PathBuf, Vec<u8>, FileId)>, Error> {
    if name.as_os_str() == "-" {
        return Err(refused(name, "it is not signed (standard input contains no signature)"));
    }
    let mut at = name.as_os_str().to_os_string();
    at.push(ending);
    let at = PathBuf::from(at);
    match open_companion(&at) {
        Ok(file) => {
            let mut text = Vec::new();
            let io = |error| Error::io(at.as_os_str().as_bytes(), "read", error);
            let id = Metadata::of(&file).map_err(|error| io(error.into()))?.id();
            file.take(SHORT).read_to_end(&mut text).map_err(io)?;
            Ok(Some((at, text, id)))
        }
        Err(error) if matches!(error.cause(), Cause::Io(why) if why.kind() == std::io::ErrorKind::NotFound) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Returns whether a file is checked as a detached signature if a public key is given; its name determines the signed
/// file.
pub fn is_detached(name: &Path) -> bool {
    // A pipe can be read only once.
    let text = || read_companion(name).ok().filter(|text| text.len() as u64 <= SHORT);
    let short = || std::fs::metadata(name).is_ok_and(|file| file.is_file() && file.len() <= SHORT);
    let ends = ENDINGS.iter().any(|ending| name.as_os_str().as_bytes().ends_with(ending.as_bytes()));
    ends && short() && text().is_some_and(|text| signed_file(name, &text).is_some())
}

/// Returns the file that a detached signature belongs to, judging by its name; `None` if it is not a detached
/// signature.
pub(super) fn signed_file(name: &Path, text: &[u8]) -> Option<PathBuf> {
    Signature::parse(text).filter(|signature| signature.message().is_none())?;
    let bytes = name.as_os_str().as_bytes();
    let end = ENDINGS.iter().find_map(|ending| bytes.strip_suffix(ending.as_bytes()))?;
    (!end.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(end)))
}

/// Reads a file and verifies that this detached signature belongs to it.
pub(super) fn of_file(
    file: &Path,
    at: &Path,
    text: &[u8],
    key: &PublicKey,
    options: &Options,
    progress: &Progress,
) -> Result<(Seal, Job, FileResult), Error> {
    let signature = Signature::parse(text).ok_or_else(|| refused(at, BAD))?;
    of_key(&signature, key, at)?;
    let mut message = Message::new(&signature, key).ok_or_else(|| refused(at, BAD))?;
    let started = Instant::now();
    let name = file.as_os_str().as_bytes();
    let source = Guarded::open(&Root::Anywhere, name, options.read.special)?;
    let mut hasher = blake2b().hasher();
    progress.set_current(name);
    let whole = read_to_end(source, name, &mut vec![0; SLICE], progress, &mut |bytes| {
        hasher.update(bytes);
        if let Message::Plain(_) = message {
            message.take(bytes);
        }
    })?;
    // Hash the file once, even if the signature covers only its digest.
    let digest: Digest = match &mut message {
        Message::Digest(of_message, ..) => {
            **of_message = hasher.clone();
            hasher.finish()
        }
        Message::Plain(_) => hasher.finish(),
    };
    if !message.fits() {
        return Err(refused(file, format!("{BAD} ({})", name_of(at))));
    }
    let seal = seal(file, at, &signature, key)?;
    let job = Job { expected: vec![digest.clone()], ..Job::hash(file, &Arc::from([blake2b()])) };
    Ok((seal, job, FileResult::new(whole, vec![digest], started)))
}
