//! Keys, which are read from files and descriptors and never from arguments, because anyone who can
//! list processes can see those.

use crate::exit::Refusal;
use crate::sources;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use truesum::error::io_reason;
use truesum::hash::{Key, Secret, Spec, SpecError};
use truesum::manifest::path::display_safe;
use truesum::open::open_named;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_fs::{Errno, standard};
use zeroize::Zeroizing;

/// The maximum key length in bytes: a longer file is probably not a key.
const LONGEST: usize = 64 << 10;

/// A key, with notes about it.
pub struct KeyRead {
    pub key: Secret,
    /// Notes on a readable key file, and on bytes that are probably unintended.
    pub notes: Vec<String>,
    /// Whether it was read from standard input.
    pub from_input: bool,
}

impl KeyRead {
    /// Refuses a run that reads both the key and a file from standard input, because the file would
    /// lack its beginning.
    ///
    /// # Errors
    /// Fails if the key was read from there and one of these names is standard input.
    pub fn leaves(&self, names: &[impl AsRef<[u8]>]) -> Result<(), Refusal> {
        let is_input = |name: &[u8]| matches!(name, b"-" | b"/dev/stdin" | b"/dev/fd/0" | b"/proc/self/fd/0");
        match self.from_input && names.iter().any(|name| is_input(name.as_ref())) {
            true => Err(Refusal::with_hint(
                "standard input cannot be both the key and the data",
                "specify the key with --key-file FILE or --key-fd 3 3<FILE",
            )),
            false => Ok(()),
        }
    }
}

/// The source of a key.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// A file.
    Named(&'a Path),
    /// A descriptor inherited from the parent process.
    Open(u32),
}

impl Source<'_> {
    fn name(self) -> String {
        match self {
            Source::Named(path) => display_safe(path.as_os_str().as_bytes()).to_string(),
            Source::Open(fd) => format!("--key-fd {fd}"),
        }
    }

    fn open(self) -> io::Result<File> {
        match self {
            Source::Named(path) => open_named(path),
            Source::Open(0) if standard::input_was_closed() => Err(Errno::BADF.into()),
            Source::Open(fd) => standard::inherited(fd),
        }
    }
}

/// Reads a key, decoding it if it is `hexadecimal`. The permissions of a key file are tested.
pub fn read(source: Source, hexadecimal: bool) -> Result<KeyRead, Refusal> {
    let name = source.name();
    if let Source::Open(fd @ (1 | 2)) = source {
        let stream = if fd == 1 { "output" } else { "error" };
        return Err(Refusal::with_hint(
            format!("{name}: the key cannot be read from standard {stream}, because truesum writes to it"),
            "specify the key with --key-fd 3 3<FILE or --key-file FILE",
        ));
    }
    let refuse = |why: &str| Refusal::new(format!("{name}: {why}"));
    let failed = |error: io::Error| refuse(&format!("cannot read the key: {}", io_reason(&error)));
    let file = source.open().map_err(failed)?;
    let metadata = Metadata::of(&file).map_err(|error| failed(error.into()))?;
    sources::keep(&metadata);
    let from_input = standard::is_input(&file);
    // Reserve space for all of it, so that a growing buffer leaves no copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST + 64));
    file.take(LONGEST as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > LONGEST {
        return Err(refuse(&format!("longer than {LONGEST} bytes, so it cannot be a key")));
    }
    let mut notes = Vec::new();
    if matches!(source, Source::Named(_)) && metadata.kind().is_file() && metadata.mode() & 0o044 != 0 {
        notes.push(format!("{name}: other users can read this key file (to prevent this, use chmod 600)"));
    }
    let key = if hexadecimal {
        decoded(bytes.trim_ascii()).ok_or_else(|| refuse("the key is not hexadecimal"))?
    } else {
        if bytes.ends_with(b"\n") {
            notes.push(format!("{name}: the trailing newline is part of the key"));
        }
        bytes.to_vec()
    };
    if key.is_empty() {
        return Err(refuse("the key is empty"));
    }
    Ok(KeyRead { key: Secret::new(key), notes, from_input })
}

/// Decodes pairs of hexadecimal digits.
fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |pair: &[u8; 2]| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
    // Filled in place: the buffer of an iterator would be copied as it grows.
    let mut bytes = Vec::with_capacity(pairs.len());
    for pair in pairs {
        bytes.push(byte(pair)?);
    }
    rest.is_empty().then_some(bytes)
}

/// The hint for a missing key.
pub const HINT: &str = "specify the key with --key-file FILE or --key-fd N";

/// Returns the algorithms with this key, which is set for those that accept one.
///
/// # Errors
/// Fails if one requires a key and there is none, if none accepts a key, or if one does not accept
/// this length.
pub fn apply_key(specs: Vec<Spec>, key: Option<&Secret>) -> Result<Vec<Spec>, Refusal> {
    let Some(key) = key else {
        return match specs.iter().find(|spec| spec.lacks_key()) {
            Some(spec) => Err(Refusal::with_hint(format!("{spec} needs a key"), HINT)),
            None => Ok(specs),
        };
    };
    let takes = |spec: &Spec| spec.algorithm().keying().lengths().is_some();
    if !specs.iter().any(takes) {
        let Some(name) = specs.first().map(Spec::to_string) else {
            return Err(Refusal::with_hint(
                "a key was specified, but none of the algorithms takes a key",
                "specify an algorithm that takes a key, for example with -a hmac-sha256",
            ));
        };
        let keyed = Some(format!("hmac-{name}")).filter(|keyed| keyed.parse::<Spec>().is_ok());
        let keyed = keyed.unwrap_or_else(|| "hmac-sha256".to_owned());
        let hint = format!("to list keyed algorithms, such as {keyed}: truesum list algorithms --all");
        return Err(Refusal::with_hint(format!("{name} takes no key"), hint));
    }
    let under = |spec: Spec| match takes(&spec) {
        true => spec
            .with_key(Key::Secret(key.clone()))
            .map_err(|error: SpecError| Refusal::new(error.to_string())),
        false => Ok(spec),
    };
    specs.into_iter().map(under).collect()
}

/// Returns the algorithms for lines that do not name theirs: with a key, those that accept one.
pub fn expected_under(specs: Vec<Spec>, key: Option<&Secret>) -> Result<Vec<Spec>, Refusal> {
    let specs = apply_key(specs, key)?;
    // A line's own tag shows whether there is a key, but not which one.
    let named = |spec: Spec| match spec.is_keyed() {
        true => spec.with_key(Key::Missing).map_err(|error| Refusal::new(error.to_string())),
        false => Ok(spec),
    };
    specs.into_iter().map(named).collect()
}
