//! The user's settings: the defaults of options.
//!
//! They are read from a file, overridden by `TRUESUM_OPTIONS`, and overridden by the command line.
//! Only what affects the appearance of a run and the output of `hash` can be set. A check never
//! uses settings other than those for the display, and drop-in replacements ignore them.

mod file;

use crate::exit::Refusal;
use crate::values::color::{self, Color};
use crate::values::table::whole_names;
use clap::{ArgMatches, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::OnceLock;
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum::manifest::{AlgorithmSource, Algorithms, Format, Writing};
use truesum_fs::machine::settings_folder;

/// The variable that names another file, or none if it is empty; options override it.
pub const FILE: &str = "TRUESUM_CONFIG";
/// The variable with options that precede those of every command line.
pub const OPTIONS: &str = "TRUESUM_OPTIONS";

/// A setting: its key in the file, its option, and a description.
pub struct Setting {
    pub key: &'static str,
    pub option: &'static str,
    /// The description.
    pub about: &'static str,
    /// The default value.
    pub usual: &'static str,
}

/// All settings.
pub const SETTINGS: [Setting; 4] = [
    Setting {
        key: "algorithm",
        option: "--algorithm",
        about: "default algorithm of `hash`, named in each output line",
        usual: "sha256",
    },
    Setting { key: "format", option: "--format", about: "default format of `hash`", usual: "gnu" },
    Setting { key: "progress", option: "--progress", about: "auto or never", usual: "auto" },
    Setting { key: "color", option: "--color", about: "auto, always or never", usual: "auto" },
];

/// The values of the settings and their sources.
#[derive(Default)]
pub struct Settings {
    pub algorithms: Vec<Spec>,
    pub format: Option<&'static Format>,
    pub no_progress: bool,
    /// The path of the file, whether it exists or not.
    pub file: Option<PathBuf>,
    /// For each of [`SETTINGS`], the value and its source.
    pub given: [Option<(String, String)>; 4],
}

static ACTIVE_SETTINGS: OnceLock<Settings> = OnceLock::new();

/// Returns the settings of this run, which are the defaults until [`load`] is called.
pub fn settings() -> &'static Settings {
    static NONE: OnceLock<Settings> = OnceLock::new();
    ACTIVE_SETTINGS.get().unwrap_or_else(|| NONE.get_or_init(Settings::default))
}

/// Loads the settings for the rest of the run.
///
/// # Errors
/// Fails if the file cannot be read, or if it or the environment contains anything that is not a
/// setting: the location and the reason.
pub fn load() -> Result<(), Refusal> {
    let mut found = Settings { file: place(), ..Settings::default() };
    if let Some(path) = found.file.clone() {
        for (line, key, value) in file::read(&path, named().is_some())? {
            let at = file::place(&path, line);
            found.set(&key, &value, &at)?;
        }
    }
    if let Some(words) = std::env::var_os(OPTIONS) {
        found.options(words)?;
    }
    found.agree()?;
    if let Some((color, _)) = &found.given[3] {
        // Tested when it was read.
        color::make_usual(Color::from_str(color, false).unwrap_or(Color::Auto));
    }
    let _ = ACTIVE_SETTINGS.set(found);
    Ok(())
}

/// The file that the command line names; empty for none.
static SPECIFIED: OnceLock<PathBuf> = OnceLock::new();

/// Selects the settings file that the command line names, if it does.
pub fn choose(matches: &ArgMatches) {
    let mut command = Some(matches);
    while let Some(matches) = command {
        let is_none = matches!(matches.try_get_one::<bool>("no_config"), Ok(Some(true)));
        let file = matches.try_get_one::<PathBuf>("config").ok().flatten().cloned();
        if let Some(file) = file.or_else(|| is_none.then(PathBuf::new)) {
            let _ = SPECIFIED.set(file);
        }
        command = matches.subcommand().map(|(_, matches)| matches);
    }
}

/// Returns the path of the file that the command line or the environment names, which may be empty for none.
fn named() -> Option<PathBuf> {
    SPECIFIED.get().cloned().or_else(|| std::env::var_os(FILE).map(PathBuf::from))
}

/// Returns the path of the file: the specified one, or that of the user according to the XDG base
/// directory specification.
fn place() -> Option<PathBuf> {
    if let Some(path) = named() {
        return Some(path).filter(|path| !path.as_os_str().is_empty());
    }
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    let folder = named("XDG_CONFIG_HOME").filter(absolute);
    let folder = folder.or_else(settings_folder);
    folder.map(|folder| folder.join("truesum/config.toml"))
}

impl Settings {
    /// Sets a value.
    fn set(&mut self, key: &str, value: &str, at: &str) -> Result<(), Refusal> {
        let refuse = |why: String| Err(Refusal::new(format!("{at}: {key}: {why}")));
        let Some(index) = SETTINGS.iter().position(|row| row.key == key) else {
            let keys: Vec<&str> = SETTINGS.iter().map(|row| row.key).collect();
            return refuse(format!("unknown setting; the settings are {}", keys.join(", ")));
        };
        match key {
            "algorithm" => {
                let mut specs: Vec<Spec> = Vec::new();
                for name in whole_names(value).split(',') {
                    match Spec::typed(name.trim()) {
                        Ok(spec) if spec.lacks_key() => return refuse(format!("{spec} needs a key")),
                        Ok(spec) if specs.contains(&spec) => {}
                        Ok(spec) => specs.push(spec),
                        Err(error) => return refuse(error.to_string()),
                    }
                }
                self.algorithms = specs;
            }
            "format" => match truesum::manifest::format(value) {
                None => return refuse(format!("unknown format '{value}' (see truesum list formats)")),
                Some(row)
                    if matches!(row.writing(), Writing::No) || row.capabilities().pieces().is_some() =>
                {
                    return refuse(format!(
                        "{value} cannot be the default format: truesum cannot write it, or it has no digests of complete files"
                    ));
                }
                row => self.format = row,
            },
            "progress" => match value {
                "auto" => self.no_progress = false,
                "never" => self.no_progress = true,
                _ => return refuse(format!("expected auto or never, not '{value}'")),
            },
            _ => {
                if Color::from_str(value, false).is_err() {
                    return refuse(format!("expected auto, always or never, not '{value}'"));
                }
            }
        }
        self.given[index] = Some((value.to_owned(), at.to_owned()));
        Ok(())
    }

    /// Sets the values in the environment variable, which contains options of a command line that
    /// are settings.
    fn options(&mut self, words: OsString) -> Result<(), Refusal> {
        let Ok(words) = words.into_string() else {
            return Err(Refusal::new(format!("{OPTIONS}: not UTF-8")));
        };
        let mut words = words.split_whitespace();
        while let Some(word) = words.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (word, None),
            };
            let option = match option {
                "-a" => "--algorithm",
                "-t" => "--format",
                option => option,
            };
            let Some(row) = SETTINGS.iter().find(|row| row.option == option) else {
                let options: Vec<&str> = SETTINGS.iter().map(|row| row.option).collect();
                let word = display_safe(word.as_bytes());
                return Err(Refusal::with_hint(
                    format!("{OPTIONS}: {word} cannot be set here"),
                    format!("the options that can be set here are {}", options.join(", ")),
                ));
            };
            let Some(value) = value.or_else(|| words.next()) else {
                return Err(Refusal::new(format!("{OPTIONS}: {word}: missing value")));
            };
            self.set(row.key, value, OPTIONS)?;
        }
        Ok(())
    }

    /// Tests that the format can store the algorithms, because the output of `hash` must be
    /// distinguishable from SHA-256.
    fn agree(&self) -> Result<(), Refusal> {
        let (Some(format), [_, ..]) = (self.format, &self.algorithms[..]) else { return Ok(()) };
        let holds = |spec: &Spec| match format.capabilities().algorithms() {
            Algorithms::Any => true,
            Algorithms::Only(names) => names.contains(&spec.algorithm().name()),
        };
        let usual = self.algorithms == [format.capabilities().usual_algorithm()];
        let is_named =
            format.capabilities().algorithm_source() == AlgorithmSource::Manifest || tagged(format).is_some();
        if usual || is_named && self.algorithms.iter().all(holds) {
            return Ok(());
        }
        let at = |index: usize| self.given[index].as_ref().map_or("", |(_, at)| at);
        Err(Refusal::new(format!(
            "{}: the format {} (set in {}) cannot store this algorithm; set only the algorithm or only the format",
            at(0),
            format.name(),
            at(1)
        )))
    }

    /// Returns the format and the algorithms of `hash` if neither was specified; `format` is the
    /// default.
    ///
    /// Lines whose algorithm comes from a setting name it unless it is the default, because their
    /// reader may not know about the setting.
    pub fn hashing(&self, format: &'static Format) -> (&'static Format, Vec<Spec>) {
        let format = match self.format {
            Some(set) if format.name() == "gnu" => set,
            _ => format,
        };
        let usual =
            self.algorithms.is_empty() || self.algorithms == [format.capabilities().usual_algorithm()];
        match tagged(format) {
            Some(naming) if !usual => (naming, self.algorithms.clone()),
            _ if format.capabilities().algorithm_source() == AlgorithmSource::Manifest => {
                (format, self.algorithms.clone())
            }
            _ => (format, Vec::new()),
        }
    }
}

/// Returns the variant of a format that names the algorithm in each line.
fn tagged(format: &Format) -> Option<&'static Format> {
    match format.name() {
        "gnu" => truesum::manifest::format("bsd"),
        "gnu-z" => truesum::manifest::format("bsd-z"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(pairs: &[(&str, &str)]) -> Result<Settings, String> {
        let mut found = Settings::default();
        for (key, value) in pairs {
            found.set(key, value, "here").map_err(|refusal| refusal.text)?;
        }
        found.agree().map_err(|refusal| refusal.text)?;
        Ok(found)
    }

    #[test]
    fn configured_algorithm_implies_tagged_lines() {
        let gnu = truesum::manifest::format("gnu").unwrap();
        for (pairs, format, algorithms) in [
            (&[][..], "gnu", ""),
            (&[("algorithm", "sha256")], "gnu", ""),
            (&[("algorithm", "blake3")], "bsd", "blake3"),
            (&[("algorithm", "sha256,md5")], "bsd", "sha256,md5"),
            (&[("format", "bsd")], "bsd", ""),
            (&[("format", "jsonl"), ("algorithm", "blake3")], "jsonl", "blake3"),
        ] {
            let (row, specs) = set(pairs).unwrap().hashing(gnu);
            let specs: Vec<String> = specs.iter().map(Spec::to_string).collect();
            assert_eq!((row.name(), specs.join(",").as_str()), (format, algorithms), "{pairs:?}");
        }
    }

    #[test]
    fn invalid_settings_are_rejected() {
        for (key, value) in [
            ("exact", "false"),
            ("lenient", "true"),
            ("algorithm", "sha265"),
            ("algorithm", "hmac-sha256"),
            ("format", "torrent"),
            ("format", "nothing"),
            ("progress", "false"),
            ("color", "blue"),
        ] {
            assert!(
                set(&[(key, value)]).is_err_and(|why| why.starts_with(&format!("here: {key}: "))),
                "{key}"
            );
        }
        assert!(set(&[("format", "sfv"), ("algorithm", "sha512")]).is_err());
    }

    #[test]
    fn environment_accepts_only_settings() {
        let mut found = Settings::default();
        found.options("-a blake3 --progress never --color=never".into()).ok().unwrap();
        assert!(found.no_progress && found.given[3].as_ref().unwrap().0 == "never");
        for words in ["--lenient", "-q", "--color", "x", "--exact=no"] {
            assert!(found.options(words.into()).is_err(), "{words}");
        }
    }
}
