//! URLs in place of file names. The implementation of object stores requires the feature `stores`;
//! without it, the program explains how to get a build with it.

use crate::exit::Refusal;
use crate::tasks::Inputs;
use crate::values::path;
use crate::words::{path_word, shell_word};
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Command, ValueHint};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::{Remote, StoredDigests};
use truesum_fs::name::OsStrExt;

/// Returns whether this is the URL of an object or of a folder of objects.
pub fn is_url(name: &OsStr) -> bool {
    path::is_url(name.as_bytes())
}

/// Returns a URL as text.
///
/// # Errors
/// Fails if it is not UTF-8. Keys of objects are always UTF-8.
fn text(url: &OsStr) -> Result<&str, Refusal> {
    let not_text = || Refusal::new(format!("{}: object names must be UTF-8", display_safe(url.as_bytes())));
    url.to_str().ok_or_else(not_text)
}

/// Opens a store, without sending a request.
///
/// # Errors
/// Fails if the URL is invalid, if the environment and profiles are incomplete, or if this build
/// does not support object stores.
pub fn open(url: &OsStr) -> Result<Arc<dyn Remote>, Refusal> {
    #[cfg(not(feature = "stores"))]
    {
        Err(unsupported(text(url)?))
    }
    #[cfg(feature = "stores")]
    {
        Ok(Arc::new(store(url)?))
    }
}

/// Returns the refusal of a URL by a build without support for object stores.
#[cfg(not(feature = "stores"))]
fn unsupported(url: &str) -> Refusal {
    // The clients of the services, which write an object to the standard output.
    let clients = [("s3:", "aws s3 cp URL -"), ("gs:", "gcloud storage cat URL")];
    let client = clients
        .iter()
        .find(|(scheme, _)| url.get(..3).is_some_and(|start| start.eq_ignore_ascii_case(scheme)));
    let pipe = client.map_or(String::new(), |(_, client)| {
        format!("; to check a single object: {client} | truesum check --expect DIGEST -")
    });
    Refusal::with_hint(
        format!("{}: this build cannot read object stores", display_safe(url.as_bytes())),
        format!(
            "to add them, in a clone of the repository: cargo install --locked --path crates/cli --features full,stores{pipe}"
        ),
    )
}

/// Does the same for callers that need more than the engine's interface.
///
/// # Errors
/// Fails as [`open`].
#[cfg(feature = "stores")]
pub fn store(url: &OsStr) -> Result<truesum_stores::Store, Refusal> {
    let url = text(url)?;
    truesum_stores::Store::open(url)
        .map_err(|why| Refusal::new(format!("{}: {why}", display_safe(url.as_bytes()))))
}

/// Returns the stores among the sides of a comparison, whose names replace the URLs. Of their checksums, those of these
/// algorithms are compared, or all.
///
/// # Errors
/// Fails as [`open`].
pub fn as_sides(sides: &mut [PathBuf], algorithms: &[Spec]) -> Result<Vec<Arc<dyn StoredDigests>>, Refusal> {
    let urls = sides.iter_mut().filter(|side| is_url(side.as_os_str()));
    urls.map(|side| {
        let store = stored_digests(side.as_os_str(), algorithms)?;
        *side = store.name().into();
        Ok(store)
    })
    .collect()
}

/// Opens a store as one side of a comparison.
fn stored_digests(url: &OsStr, algorithms: &[Spec]) -> Result<Arc<dyn StoredDigests>, Refusal> {
    #[cfg(not(feature = "stores"))]
    {
        let _ = algorithms;
        Err(unsupported(text(url)?))
    }
    #[cfg(feature = "stores")]
    {
        let store = Arc::new(store(url)?);
        Ok(Arc::new(truesum_stores::StoredChecksums::new(store, algorithms.to_vec())))
    }
}

/// Returns the store to be hashed, if one is specified. It must be the only argument, because names
/// are relative to the URL and could be ambiguous with two URLs.
///
/// # Errors
/// Fails if there are other arguments, if one of these options is given, or if it cannot be opened.
pub fn named(inputs: &Inputs, options: &[(&str, bool)]) -> Result<Option<Arc<dyn Remote>>, Refusal> {
    let Inputs::Named(names) = inputs else { return Ok(None) };
    let Some(url) = names.iter().map(|name| OsStr::from_bytes(name)).find(|name| is_url(name)) else {
        return Ok(None);
    };
    if names.len() > 1 {
        let why = format!("{}: an object store URL must be the only argument", display_safe(url.as_bytes()));
        return Err(Refusal::with_hint(why, "hash one URL at a time"));
    }
    refuse(options)?;
    Ok(Some(open(url)?))
}

/// Refuses options that apply only to local files.
///
/// # Errors
/// Fails if one of them is given.
pub fn refuse(options: &[(&str, bool)]) -> Result<(), Refusal> {
    if !cfg!(feature = "stores") {
        // A later test reports that object stores are not supported.
        return Ok(());
    }
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Refusal::with_hint(
            format!("{option}: not available for object stores"),
            "docs/stores.md describes which options are available for object stores",
        )),
        None => Ok(()),
    }
}

/// Returns the folder and the last part of an object's URL.
pub fn split(url: &Path) -> (PathBuf, PathBuf) {
    let bytes = url.as_os_str().as_bytes();
    let end = bytes.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    (path(&bytes[..end]), path(&bytes[end..]))
}

/// Returns the store that contains the object of a URL; `None` for a local file.
///
/// # Errors
/// Fails as [`open`], or if the URL is that of a folder.
pub fn of_object(file: &OsStr) -> Result<Option<Arc<dyn Remote>>, Refusal> {
    if !is_url(file) {
        return Ok(None);
    }
    let (folder, name) = split(Path::new(file));
    match name.as_os_str().is_empty() {
        true => Err(Refusal::new(format!(
            "{}: specify an object, not a bucket or prefix",
            display_safe(file.as_bytes())
        ))),
        false => open(folder.as_os_str()).map(Some),
    }
}

/// Returns the name of a file or of an object, which is the last part of its key.
pub fn name_of(file: &OsStr) -> &[u8] {
    let bytes = file.as_bytes();
    match is_url(file) {
        true => bytes.rsplit(|&byte| byte == b'/').next().unwrap_or(bytes),
        false => bytes,
    }
}

/// The commands and arguments that accept URLs of object stores.
const ACCEPTING_URLS: [(&str, &str); 12] = [
    ("hash", "files"),
    ("check", "manifests"),
    ("check", "root"),
    ("audit", "manifests"),
    ("diff", "old"),
    ("diff", "new"),
    ("plan", "files"),
    ("run", "root"),
    ("tree", "files"),
    ("leaf", "file"),
    ("verify", "file"),
    ("identify", "file"),
];

/// Rejects URLs in place of file names wherever they are not supported, because they would be
/// treated as names of local files. `words` is the command line.
///
/// # Errors
/// Fails if one is given.
pub fn refuse_urls(command: &Command, matches: &ArgMatches, words: &[OsString]) -> Result<(), clap::Error> {
    if let Some((name, below)) = matches.subcommand()
        && let Some(command) = command.find_subcommand(name)
    {
        return refuse_urls(command, below, words);
    }
    let is_path = |arg: &&Arg| {
        use ValueHint::{AnyPath, DirPath, FilePath};
        matches!(arg.get_value_hint(), AnyPath | DirPath | FilePath)
    };
    for arg in command.get_arguments().filter(is_path) {
        let id = arg.get_id().as_str();
        let is_web = |value: &&OsStr| path::is_web_url(value.as_bytes()) && !Path::new(value).exists();
        if arg.is_positional()
            && let Some(url) = matches.get_raw(id).into_iter().flatten().find(is_web)
        {
            let expects = command.get_name() == "check" && matches.try_contains_id("expect").unwrap_or(false);
            return Err(web_refusal(url, words, expects));
        }
        if ACCEPTING_URLS.contains(&(command.get_name(), id)) {
            continue;
        }
        let given = matches.get_raw(id).into_iter().flatten();
        if let Some(url) = given.into_iter().find(|value| is_url(value)) {
            let place = arg.get_long().map_or(String::new(), |long| format!("--{long} "));
            let text = format!(
                "{place}{}: object stores are not supported here\nhint: hash, check --root, audit, diff, tree and shard accept URLs, for example: \
                 truesum hash s3://BUCKET/PREFIX\n",
                display_safe(url.as_bytes())
            );
            return Err(clap::Error::raw(ErrorKind::ValueValidation, text));
        }
    }
    Ok(())
}

/// Returns the refusal of a URL that only a download program can read. The hint repeats the command line. Only a
/// comparison with an expected digest can read the download from a pipe, because it fails if the download is
/// interrupted; others would accept the first part of a file.
fn web_refusal(url: &OsStr, words: &[OsString], expects: bool) -> clap::Error {
    let with = |replacement: &str| {
        let typed =
            words.iter().map(|word| if word == url { replacement.to_owned() } else { shell_word(word) });
        std::iter::once("truesum".to_owned()).chain(typed.skip(1)).collect::<Vec<_>>().join(" ")
    };
    // curl rejects blanks, and expands brackets and braces.
    let typed = shell_word(OsStr::from_bytes(url.to_string_lossy().replace(' ', "%20").as_bytes()));
    let globs = if url.as_bytes().iter().any(|byte| b"[]{}".contains(byte)) { "g" } else { "" };
    let hint = match expects {
        true => format!("curl -fL{globs} {typed} | {}", with("-")),
        false => {
            let end = url.as_bytes().iter().position(|byte| b"?#".contains(byte)).unwrap_or(url.len());
            let name = url.as_bytes()[..end].rsplit(|&byte| byte == b'/').next().unwrap_or_default();
            let name = path_word(unused(OsStr::from_bytes(name)));
            format!("curl -fL{globs}o {name} {typed} && {}", with(&name))
        }
    };
    let text =
        format!("{}: URLs of web servers are not supported\nhint: {hint}\n", display_safe(url.as_bytes()));
    clap::Error::raw(ErrorKind::ValueValidation, text)
}

/// Returns a name for a download that no file has.
fn unused(name: &OsStr) -> OsString {
    let name = if [&b""[..], b".", b".."].contains(&name.as_bytes()) { OsStr::new("download") } else { name };
    let numbered = |number: u32| {
        let mut numbered = OsString::from(format!("{number}-"));
        numbered.push(name);
        numbered
    };
    std::iter::once(name.to_owned())
        .chain((2..).map(numbered))
        .find(|name| std::fs::symlink_metadata(name).is_err())
        .expect("a folder has fewer files")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn store_urls_are_recognized_by_their_scheme() {
        for (name, is) in
            [("s3://b", true), ("GS://b/x", true), ("az://", true), ("./s3://b", false), ("s3:/b", false)]
        {
            assert_eq!(is_url(OsStr::new(name)), is, "{name}");
        }
        let (folder, name) = split(Path::new("s3://b/p/q"));
        assert_eq!((folder.as_os_str(), name.as_os_str()), (OsStr::new("s3://b/p/"), OsStr::new("q")));
    }
}
