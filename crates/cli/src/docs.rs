//! Man pages and completions, generated from the tables that also parse the command line.

use crate::console::Console;
use crate::exit::{self, Exit};
use crate::output::{print, save};
use crate::values::color::Color;
use clap::{Args, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use truesum::Error;

/// Print a shell's completions
#[derive(Args)]
#[command(after_help = "\
Install:
  truesum completions bash | sudo tee /usr/share/bash-completion/completions/truesum >/dev/null
  truesum completions zsh  | sudo tee /usr/share/zsh/vendor-completions/_truesum >/dev/null
  truesum completions fish > ~/.config/fish/completions/truesum.fish")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Print the man page, or write all man pages to a folder
#[derive(Args)]
#[command(after_help = "\
Install:
  sudo truesum man /usr/local/share/man/man1")]
pub struct ManArgs {
    /// Where to write truesum.1 and a page for each subcommand
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: Option<PathBuf>,
}

/// Prints a shell's completions of `program`.
pub fn completions(args: &CompletionsArgs, mut program: clap::Command) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut program, "truesum", &mut text);
    print(&String::from_utf8_lossy(&text), &mut Console::new(Color::Auto))
}

/// Prints the man page of `program`, or writes all pages to a folder.
pub fn man(args: &ManArgs, program: clap::Command) -> Exit {
    let mut console = Console::new(Color::Auto);
    let pages = pages(program).map_err(|error| Error::io(b"man page", "make", error));
    let written = pages.and_then(|pages| match &args.folder {
        None => Ok(Some(pages)),
        Some(folder) => pages.iter().try_for_each(|(name, page)| install(folder, name, page)).map(|()| None),
    });
    match written {
        Ok(None) => Exit::Done,
        Ok(Some(pages)) => print(&String::from_utf8_lossy(&pages[0].1), &mut console),
        Err(error) => {
            console.failure(&error);
            Exit::NotAsAsked
        }
    }
}

fn install(folder: &Path, name: &str, page: &[u8]) -> Result<(), Error> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Error::io(folder.as_os_str().as_bytes(), "make", error))?;
    save(&folder.join(name), page)
}

/// All pages by file name, `truesum.1` first.
fn pages(mut program: clap::Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    program.build();
    let mut pages = vec![("truesum.1".to_owned(), page(&program, "truesum")?)];
    for sub in program.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        let name = format!("truesum-{}", sub.get_name());
        pages.push((format!("{name}.1"), page(sub, &name)?));
    }
    Ok(pages)
}

fn page(command: &clap::Command, name: &str) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    let man = Man::new(command.clone())
        .title(name.to_uppercase())
        .source(concat!("truesum ", env!("CARGO_PKG_VERSION")))
        .manual("truesum");
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    man.render_synopsis_section(&mut out)?;
    man.render_description_section(&mut out)?;
    man.render_options_section(&mut out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out)?;
    }
    let mut rest = Roff::new();
    rest.control("SH", ["EXIT STATUS"]);
    for (code, meaning) in exit::TABLE {
        rest.control("TP", []);
        rest.text([bold(*code)]);
        rest.text([roman(*meaning)]);
    }
    rest.control("PP", []);
    rest.text([roman("Of 1 and 2, 1 wins. A closed pipe ends the program by SIGPIPE, without a message.")]);
    rest.control("SH", ["ENVIRONMENT"]);
    for (name, meaning) in ENVIRONMENT {
        rest.control("TP", []);
        rest.text([bold(*name)]);
        rest.text([roman(*meaning)]);
    }
    rest.control("SH", ["SIGNALS"]);
    rest.text([bold("SIGUSR1"), roman(" prints a status line. The first of SIGINT, SIGTERM and SIGHUP ends the run cleanly and reports what was done; a second one ends it at once.")]);
    rest.to_writer(&mut out)?;
    if command.get_after_help().is_some() {
        man.render_extra_section(&mut out)?;
    }
    Ok(out)
}

const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR, CLICOLOR_FORCE", "no colours, or colours even where there is no terminal"),
    (
        "TRUESUM_CPU",
        "use only these features of the CPU, names with commas between them, each with what came before it (avx2,sha). What BLAKE3, XXH3 and HighwayHash take from libraries goes by all there are",
    ),
    ("TRUESUM_KERNEL", "use only the kernels of this name (truesum list kernels) and the portable ones"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_page_for_every_subcommand_with_the_exit_codes() {
        let pages = pages(crate::command::definition()).unwrap();
        assert!(pages.len() > 4);
        for (name, page) in pages {
            let page = String::from_utf8(page).unwrap();
            assert!(page.contains("EXIT STATUS") && page.contains("130"), "{name}");
            assert!(page.contains(&name.trim_end_matches(".1").replace('-', "\\-")), "{name}");
        }
    }
}
