//! `truesum install-links DIR`: creates links to this program with the names of the programs that
//! it can replace.

use crate::applet::applets;
use crate::console::Console;
use crate::exit::Exit;
use crate::values::color::Color;
use crate::words::count;
use clap::{Args, ValueHint};
use std::env::consts::EXE_SUFFIX;
use std::io;
use std::path::{Path, PathBuf};
use truesum::{Cause, Error};
use truesum_fs::name::OsStrExt;
use truesum_fs::write::{is_link, link_program};

/// Create links to truesum named md5sum, sha256sum, b3sum, ...
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum install-links ~/.local/lib/truesum
  truesum install-links --force ~/.local/lib/truesum  replace existing files
When started through such a link, truesum behaves like the program of that name.")]
pub struct LinksArgs {
    /// Folder to create the links in
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
}

/// Creates the links.
pub fn run(args: &LinksArgs) -> Exit {
    let mut console = Console::new(Color::Auto);
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            console.failure(&Error::io(b"truesum", "find", error));
            return Exit::NotAsRequested;
        }
    };
    if let Err(error) = std::fs::create_dir_all(&args.folder) {
        console.failure(&Error::io(args.folder.as_os_str().as_bytes(), "create", error));
        return Exit::NotAsRequested;
    }
    let mut made = 0;
    let mut requested = 0;
    for applet in applets() {
        requested += 1;
        let name = format!("{}{EXE_SUFFIX}", applet.name);
        match link(&program, &args.folder.join(name), args.force) {
            Ok(()) => made += 1,
            Err(error) => {
                console.failure(&error);
                if matches!(error.cause(), Cause::Other(_)) {
                    console.hint("to replace it, use --force");
                }
            }
        }
    }
    let folder = truesum::manifest::path::display_safe(args.folder.as_os_str().as_bytes());
    console.line(&format!("truesum: {} created in {folder}", count(made, "link", "links")));
    if made == requested { Exit::Done } else { Exit::NotAsRequested }
}

/// Creates one link. A link from an earlier installation is replaced, anything else only with
/// `--force`.
fn link(program: &Path, at: &Path, force: bool) -> Result<(), Error> {
    let fail = |error: io::Error| Error::io(at.as_os_str().as_bytes(), "link", error);
    match std::fs::symlink_metadata(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(fail(error)),
        Ok(_) => {
            if !is_link(program, at) && !force {
                let there = Cause::Other("a file with this name exists".to_owned());
                return Err(Error::new(at.as_os_str().as_bytes(), "link", there));
            }
            std::fs::remove_file(at).map_err(fail)?;
        }
    }
    link_program(program, at).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_replaces_links_and_keeps_other_files() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().join("md5sum");
        let program = Path::new("/opt/truesum");
        for _ in 0..2 {
            link(program, &at, false).unwrap();
            assert_eq!(std::fs::read_link(&at).unwrap(), program);
        }
        std::fs::remove_file(&at).unwrap();
        std::fs::write(&at, "another program").unwrap();
        assert!(link(program, &at, false).is_err());
        assert_eq!(std::fs::read(&at).unwrap(), b"another program");
        link(program, &at, true).unwrap();
        assert!(at.is_symlink());
    }
}
