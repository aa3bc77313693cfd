//! `truesum sign MANIFEST --key KEY`: signs manifests with an existing secret key of minisign.
//!
//! A manifest is read once into memory, so that exactly the bytes that were parsed are signed.

use crate::console::Console;
use crate::exit::{Exit, Refusal};
use crate::output::{Output, cannot_write};
use crate::values::color::Color;
use crate::words::path_word;
use clap::{Args, ValueHint};
use minisign::{PublicKey, SecretKey, SecretKeyBox, SignatureBox};
use std::io::{self, BufRead, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use truesum::manifest::path::display_safe;
use truesum::manifest::{ReadError, Reader, signify};
use truesum::open::{open_companion, open_named};
use truesum::tree::store::with_suffix;
use truesum::{Cause, Error, Progress, ReadOptions};
use truesum_fs::name::OsStrExt;
use truesum_fs::standard::Input;
use zeroize::Zeroizing;

/// The maximum size of a key file, and of a password, in bytes.
const SHORT: u64 = 64 << 10;
/// The maximum size of a manifest in bytes, up to which `check --pubkey` verifies signatures.
const LONGEST: u64 = 256 << 20;

/// Sign manifests with an existing minisign key
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum sign SHA256SUMS --key ~/.minisign/minisign.key
  truesum check --pubkey minisign.pub SHA256SUMS        verify the signature
  minisign -Vm SHA256SUMS -p minisign.pub               the same with minisign
The signature is written to MANIFEST.minisig. A manifest that is malformed or has no entries is not signed. \
If the key is encrypted, truesum prompts for its password or, if standard input is not a terminal, reads it from the \
first line. To create a key, use minisign -G.")]
pub struct SignArgs {
    /// Manifests to sign
    #[arg(value_name = "MANIFEST", value_hint = ValueHint::FilePath, required = true)]
    manifests: Vec<PathBuf>,
    /// Secret key file of minisign
    #[arg(long, value_name = "KEY", value_hint = ValueHint::FilePath, required = true)]
    key: PathBuf,
    /// Replace existing signatures
    #[arg(long)]
    overwrite: bool,
}

/// Runs the command.
pub fn run(args: &SignArgs) -> Exit {
    let mut console = Console::new(Color::Auto);
    // The outputs are opened first, so that users do not type a password needlessly.
    let output = |name: &PathBuf| Output::unmarked(&signature_of(name), args.overwrite);
    let outputs: Vec<Output> = match args.manifests.iter().map(output).collect() {
        Ok(outputs) => outputs,
        Err(refusal) => return console.refuse(&refusal),
    };
    let key = match secret_key(&args.key) {
        Ok(key) => key,
        Err(refusal) => return console.refuse(&refusal),
    };
    let mut exit = Exit::Done;
    for (name, output) in args.manifests.iter().zip(outputs) {
        exit = exit.max(match read(name).and_then(|text| signed(name, &text, &key)) {
            Ok(signature) => write(name, &signature, output, &mut console),
            Err(error) => {
                console.failure(&error);
                if name.is_dir() {
                    let (manifest, folder) = (path_word(name.join("SHA256SUMS")), path_word(name));
                    let key = path_word(&args.key);
                    console.hint(&format!(
                        "to sign a manifest of the folder: truesum hash -o {manifest} {folder}; truesum sign --key {key} {manifest}"
                    ));
                }
                Exit::Failed
            }
        });
    }
    exit
}

fn signature_of(manifest: &Path) -> PathBuf {
    with_suffix(manifest, ".minisig")
}

/// Reads a secret key, and its password if it is encrypted.
fn secret_key(path: &Path) -> Result<SecretKey, Refusal> {
    let shown = display_safe(path.as_os_str().as_bytes());
    let mut text = Zeroizing::new(Vec::new());
    let read = open_named(path).and_then(|file| file.take(SHORT).read_to_end(&mut text));
    read.map_err(|error| {
        Refusal::new(format!("--key {shown}: cannot read: {}", truesum::error::io_reason(&error)))
    })?;
    let (Some(parsed), Ok(text)) = (signify::SecretKey::parse(&text), std::str::from_utf8(&text)) else {
        return Err(Refusal::with_hint(
            format!("--key {shown}: not a secret key of minisign"),
            "keys of signify, OpenPGP and SSH are used with their own programs: truesum help signatures",
        ));
    };
    let key = SecretKeyBox::from(text.to_owned());
    let opened = match (parsed.is_encrypted(), parsed.has_checksum()) {
        (true, _) => {
            let password = password(&shown).map_err(|error| {
                let why = truesum::error::io_reason(&error);
                Refusal::new(format!("--key {shown}: cannot read the password: {why}"))
            })?;
            key.into_secret_key(Some(password.to_string()))
        }
        (false, true) => key.into_unencrypted_secret_key(),
        // Its public half, with which a signature is verified, shows most damage.
        (false, false) => SecretKey::from_bytes(&parsed.bytes),
    };
    opened.map_err(|error| {
        Refusal::new(match (error.kind(), parsed.is_encrypted()) {
            (minisign::ErrorKind::Verify, true) => format!("--key {shown}: wrong password"),
            _ => format!("--key {shown}: the key is damaged"),
        })
    })
}

/// Prompts for a password at the terminal, or reads it from the first line of standard input.
fn password(key: &str) -> io::Result<Zeroizing<String>> {
    if io::stdin().is_terminal() {
        return rpassword::prompt_password(format!("Password of {key}: ")).map(Zeroizing::new);
    }
    let mut line = Zeroizing::new(String::new());
    io::BufReader::new(Input).take(SHORT).read_line(&mut line)?;
    let password = line.strip_suffix('\n').unwrap_or(&line);
    Ok(Zeroizing::new(password.strip_suffix('\r').unwrap_or(password).to_owned()))
}

fn refused(name: &Path, why: impl Into<String>) -> Error {
    Error::new(name.as_os_str().as_bytes(), "sign", Cause::Other(why.into()))
}

fn read(name: &Path) -> Result<Vec<u8>, Error> {
    let mut text = Vec::new();
    let read = open_companion(name)?.take(LONGEST + 1).read_to_end(&mut text);
    read.map_err(|error| Error::io(name.as_os_str().as_bytes(), "read", error))?;
    match text.len() as u64 > LONGEST {
        true => Err(refused(name, format!("it is larger than {LONGEST} bytes, the limit for signatures"))),
        false => Ok(text),
    }
}

/// Signs a manifest that every reader accepts.
fn signed(name: &Path, text: &[u8], key: &SecretKey) -> Result<String, Error> {
    let options = ReadOptions::default().manifest(name.as_os_str().as_bytes(), &Progress::default());
    let mut reader = Reader::new(text, options);
    let mut entries = 0_u64;
    for item in reader.by_ref() {
        match item {
            Ok(_) => entries += 1,
            Err(ReadError::Line(error)) => return Err(refused(name, error.to_string())),
            Err(ReadError::Io(error)) => return Err(refused(name, truesum::error::io_reason(&error))),
        }
    }
    if entries == 0 {
        return Err(refused(name, "it has no entries"));
    }
    if reader.signer().is_some() {
        return Err(refused(name, "it contains a signature, which checks would use instead"));
    }
    let signature = sign(name, text, key);
    Ok(signature.map_err(|error| refused(name, error.to_string()))?.to_string())
}

/// Signs a text with the comments of minisign.
fn sign(name: &Path, text: &[u8], key: &SecretKey) -> minisign::Result<SignatureBox> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let file = display_safe(name.file_name().unwrap_or(name.as_os_str()).as_bytes());
    let trusted = format!("timestamp:{now}\tfile:{file}\thashed");
    let public = PublicKey::from_secret_key(key)?;
    let untrusted = "signature from minisign secret key";
    minisign::sign(Some(&public), key, text, Some(&trusted), Some(untrusted))
}

fn write(manifest: &Path, signature: &str, mut output: Output, console: &mut Console) -> Exit {
    let path = signature_of(manifest);
    let written = output.write(signature.as_bytes());
    let written = written.map_err(|error| Error::io(path.as_os_str().as_bytes(), "write", error));
    match written.and_then(|()| output.finish()) {
        Ok(()) => {
            let shown = [manifest, &path].map(|path| display_safe(path.as_os_str().as_bytes()));
            console.line(&format!("truesum: {}: signature written to {}", shown[0], shown[1]));
            Exit::Done
        }
        Err(error) => cannot_write(&error, console),
    }
}
