//! Manual pages and completions, generated from the tables that also parse the command line.

use crate::complete::{CompletionsArgs, answer};
use crate::console::Console;
use crate::exit::{self, Exit};
use crate::output::{print, save};
use crate::topics::TOPICS;
use crate::values::color::Color;
use crate::words::count;
use clap::{Args, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use truesum::manifest::path::display_safe;
use truesum::open::open_companion;
use truesum::{Cause, Error};
use truesum_fs::name::OsStrExt;

/// Print a manual page, or write all manual pages to a folder
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum man check | man -l -                show truesum-check(1)
  sudo truesum man /usr/local/share/man/man1  install all pages")]
pub struct ManArgs {
    /// Command whose page is printed (such as tree-verify), or destination folder for all pages
    #[arg(value_name = "COMMAND|DIR", value_hint = ValueHint::DirPath)]
    pub destination: Option<PathBuf>,
}

/// Prints a shell's script.
pub fn completions(args: &CompletionsArgs) -> Exit {
    print(args.shell.script(), &mut Console::new(Color::Auto))
}

/// Prints the completions of the last of these words of a command line of `program`.
pub fn complete(words: &[String], mut program: clap::Command) -> Exit {
    program.build();
    let subjects: Vec<(&str, &str)> = TOPICS.iter().map(|topic| (topic.name, topic.about)).collect();
    print(&answer(&program, words, &subjects), &mut Console::new(Color::Auto))
}

/// Prints the manual page of `program` or of a subcommand, or writes all pages to a folder.
pub fn man(args: &ManArgs, program: clap::Command) -> Exit {
    let mut console = Console::new(Color::Auto);
    let pages = pages(program).map_err(|error| Error::io(b"manual page", "create", error));
    let written = pages.and_then(|pages| {
        let Some(destination) = &args.destination else { return Ok(Some(pages[0].1.clone())) };
        let name = format!("truesum-{}.1", destination.display());
        if let Some((_, page)) = pages.iter().find(|(page, _)| *page == name) {
            return Ok(Some(page.clone()));
        }
        pages.iter().try_for_each(|(name, page)| install(destination, name, page))?;
        let folder = display_safe(destination.as_os_str().as_bytes());
        console.note(&format!(
            "{} written to {folder}",
            count(pages.len() as u64, "manual page", "manual pages")
        ));
        Ok(None)
    });
    match written {
        Ok(None) => Exit::Done,
        Ok(Some(page)) => print(&String::from_utf8_lossy(&page), &mut console),
        Err(error) => {
            console.failure(&error);
            Exit::NotAsRequested
        }
    }
}

/// Writes a page to a folder, where it may replace another version of the page.
fn install(folder: &Path, name: &str, page: &[u8]) -> Result<(), Error> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Error::io(folder.as_os_str().as_bytes(), "create", error))?;
    let path = folder.join(name);
    let is_page = |file: File| {
        let mut text = Vec::new();
        let read = file.take(MAX_LENGTH).read_to_end(&mut text).is_ok();
        read && text.windows(TITLE.len()).any(|part| part == TITLE.as_bytes())
    };
    if path.exists() && !open_companion(&path).is_ok_and(is_page) {
        let why = Cause::Other("the existing file is not a manual page of truesum".to_owned());
        return Err(Error::new(path.as_os_str().as_bytes(), "replace", why));
    }
    save(&path, page)
}

/// The maximum length of a page that is replaced.
const MAX_LENGTH: u64 = 1 << 20;
/// The parts that every page contains.
const TITLE: &str = ".TH TRUESUM";

/// Returns all pages by file name: `truesum.1` first, and those of subcommands after their
/// commands.
fn pages(mut program: clap::Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    program.build();
    let mut pages = Vec::new();
    add(&program, "truesum", &mut pages)?;
    Ok(pages)
}

fn add(command: &clap::Command, name: &str, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    pages.push((format!("{name}.1"), page(command, name)?));
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        add(sub, &format!("{name}-{}", sub.get_name()), pages)?;
    }
    Ok(())
}

fn page(command: &clap::Command, name: &str) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    // A page has no short form, so options hidden in the short help would be listed without a
    // description.
    let man = Man::new(command.clone().mut_args(|arg| arg.hide_short_help(false)))
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
    let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let HelpSections { examples, notes } = HelpSections::of(&below);
    let mut rest = Roff::new();
    if !examples.is_empty() {
        rest.control("SH", ["EXAMPLES"]);
        rest.control("EX", []);
        for line in examples {
            rest.text([roman(line)]);
        }
        rest.control("EE", []);
    }
    if !notes.is_empty() {
        rest.control("SH", ["NOTES"]);
        rest.text([roman(notes)]);
    }
    rest.control("SH", ["EXIT STATUS"]);
    table(&mut rest, exit::codes(name).iter().chain([&exit::BY_SIGNAL]));
    rest.control("PP", []);
    rest.text([roman("If both 1 and 2 apply, the status is 1. If standard output is a closed pipe, SIGPIPE ends truesum without a message.")]);
    rest.control("SH", ["ENVIRONMENT"]);
    table(&mut rest, ENVIRONMENT);
    rest.control("SH", ["FILES"]);
    table(&mut rest, &[("~/.config/truesum/config.toml", "settings: see truesum-config(1)")]);
    rest.control("SH", ["SIGNALS"]);
    rest.text([bold("SIGUSR1"), roman(" makes truesum print a status line. On the first SIGINT, SIGTERM or SIGHUP, truesum ends the run cleanly and reports what was done; a second one ends it immediately.")]);
    rest.to_writer(&mut out)?;
    Ok(out)
}

/// Appends words with their meanings as a list.
fn table<'r>(page: &mut Roff, rows: impl IntoIterator<Item = &'r (&'r str, &'r str)>) {
    for (word, meaning) in rows {
        page.control("TP", []);
        page.text([bold(*word)]);
        page.text([roman(*meaning)]);
    }
}

/// The parts of the text after a command's help.
struct HelpSections<'h> {
    examples: Vec<&'h str>,
    notes: String,
}

impl<'h> HelpSections<'h> {
    /// Splits the text. Examples are indented; the exit status is left out because pages have a
    /// table of it.
    fn of(text: &'h str) -> HelpSections<'h> {
        let mut below = HelpSections { examples: Vec::new(), notes: String::new() };
        for line in text.lines().filter(|line| *line != "Examples:" && !line.is_empty()) {
            match line.strip_prefix("  ") {
                Some(example) => below.examples.push(example),
                None if line.starts_with("Exit status:") => break,
                None => {
                    let blank = if below.notes.is_empty() { "" } else { " " };
                    below.notes += &format!("{blank}{line}");
                }
            }
        }
        below
    }
}

const ENVIRONMENT: &[(&str, &str)] = &[
    ("TRUESUM_OPTIONS, TRUESUM_CONFIG", "settings, and the path of the settings file: see truesum-config(1)"),
    ("NO_COLOR, CLICOLOR_FORCE", "disable colors, or use them even if the output is not a terminal"),
    (
        "TRUESUM_CPU",
        "a comma-separated list of CPU features, such as avx2,sha: use only these and the older features that they include. The libraries that compute BLAKE3, XXH3 and HighwayHash ignore this variable",
    ),
    ("TRUESUM_KERNEL", "use only kernels with this name (see truesum list kernels) and portable kernels"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_has_a_manual_page_with_examples() {
        let pages = pages(crate::command::definition()).unwrap();
        assert!(pages.iter().any(|(name, _)| name == "truesum-tree-verify-proof.1"));
        for (name, page) in pages {
            let page = String::from_utf8(page).unwrap();
            assert!(page.contains("EXIT STATUS") && page.contains("130"), "{name}");
            assert!(page.contains(".SH EXAMPLES\n.EX\ntruesum "), "{name}: {page}");
            let bare = page
                .lines()
                .zip(page.lines().skip(1))
                .find(|(head, about)| head.starts_with("\\fB\\-") && about.is_empty());
            assert_eq!(bare, None, "{name}: an option without a word");
            assert!(!page.contains("SH EXTRA") && !page.contains("Exit status:"), "{name}");
            assert!(page.contains(&name.trim_end_matches(".1").replace('-', "\\-")), "{name}");
            let again = ["truesum-tree-leaf.1", "truesum-shard-run.1"].contains(&name.as_str());
            assert_eq!(page.contains("a retry may"), again, "{name}");
        }
    }

    #[test]
    fn all_help_shows_every_option_and_two_examples() {
        fn look(command: &clap::Command, name: &str) {
            // The same as --progress=never, for users of uv, pip and restic.
            let is_alias = |arg: &clap::Arg| arg.get_id() == "no_progress";
            let hidden = command.get_arguments().find(|arg| arg.is_hide_set() && !is_alias(arg));
            assert!(hidden.is_none(), "{name}: {}", hidden.unwrap().get_id());
            let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(below.starts_with("Examples:\n"), "{name}: {below}");
            assert!(
                HelpSections::of(&below).examples.len() >= 2 || name == "truesum-config",
                "{name}: {below}"
            );
            for sub in command.get_subcommands() {
                look(sub, &format!("{name}-{}", sub.get_name()));
            }
        }
        let mut program = crate::command::definition();
        program.build();
        look(&program, "truesum");
    }
}
