//! `truesum config`: shows the settings in effect and where each one comes from.

use crate::console::Console;
use crate::exit::Exit;
use crate::options::SettingsArgs;
use crate::output::print;
use crate::settings::{FILE, OPTIONS, SETTINGS, Settings, settings};
use crate::values::color::Color;
use clap::Args;
use std::fmt::Write;
use truesum::manifest::path::display_safe;
use truesum_fs::name::OsStrExt;

/// Show the settings in effect and where each one comes from
#[derive(Args)]
#[command(after_help = "\
Examples:
  truesum config
  TRUESUM_OPTIONS='-a blake3 --color never' truesum config
Each line of ~/.config/truesum/config.toml sets one of the keys that this command shows, for example: \
algorithm = \"blake3\". TRUESUM_OPTIONS overrides the file, and the command line overrides both. --config FILE or TRUESUM_CONFIG=FILE selects another file; with --no-config or an empty TRUESUM_CONFIG, no file is read. No setting changes what a check accepts. Settings are ignored when truesum runs as sha256sum, \
b3sum and so on.")]
pub struct ConfigArgs {
    #[command(flatten)]
    settings: SettingsArgs,
}

/// Runs the command.
pub fn run(_: &ConfigArgs) -> Exit {
    print(&text(settings()), &mut Console::new(Color::Auto))
}

fn text(settings: &Settings) -> String {
    let mut text = String::new();
    let file = match &settings.file {
        None => format!("none (--no-config was used, {FILE} is empty, or HOME is not set)"),
        Some(path) => {
            let there = if path.exists() { "" } else { " (does not exist)" };
            format!("{}{there}", display_safe(path.as_os_str().as_bytes()))
        }
    };
    let _ = writeln!(text, "file: {file}");
    let options = std::env::var_os(OPTIONS).unwrap_or_default();
    let options = String::from_utf8_lossy(options.as_bytes()).escape_debug().to_string();
    let _ = writeln!(text, "{OPTIONS}: {}\n", if options.is_empty() { "not set" } else { &options });
    for (row, given) in SETTINGS.iter().zip(&settings.given) {
        let (value, at) = match given {
            Some((value, at)) => (value.as_str(), at.as_str()),
            None => (row.usual, "default"),
        };
        let _ = writeln!(text, "{:<10} {value:<16} {at}\n           {}", row.key, row.about);
    }
    text
}
