//! Commands and options that users of other programs try, and the command line that does the same
//! here.

use super::definition;
use crate::digests::pasted::{is_digest, sum_line};
use crate::topics::{self, TOPICS};
use crate::values::similar::distance;
use crate::words::shell_word;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::{OsStr, OsString};
use truesum::hash::Spec;
use truesum::manifest::path::display_safe;
use truesum_fs::name::OsStrExt;

/// Words that are not a command, and what to run instead: `{}` is the rest of the command line,
/// `{1}` and `{2}` are its first words. The first column is the command before the word, if there
/// is one.
const COMMANDS: &[(&str, &[&str], &str)] = &[
    (
        "",
        &["dup", "dupes", "dups", "dedupe", "dedup", "fdupes", "jdupes", "find-duplicates", "find-dupes"],
        "truesum duplicates {}",
    ),
    ("", &["create", "generate", "gen", "make", "init"], "truesum -o SHA256SUMS {}"),
    ("", &["sum", "sums", "checksum", "digest", "compute"], "truesum {}"),
    ("", &["repair", "fix"], "truesum tree repair --from {2} {1}"),
    ("", &["benchmark", "speed"], MEASURE),
    ("", &["compare"], "truesum diff {}"),
    ("", &["validate", "test"], "truesum check {}"),
    ("", &["detect", "guess"], "truesum identify {}"),
    ("", &["patrol", "bitrot"], "truesum scrub {}"),
    ("", &["bagit"], "truesum bag create {}"),
    ("", &["locate"], "truesum check --locate {}"),
    ("", &["formats", "algorithms"], "truesum list formats; truesum list algorithms"),
    ("bag", &["make", "new", "init"], "truesum bag create {}"),
    ("bag", &["verify", "validate"], "truesum bag check {}"),
    ("torrent", &["make", "new", "init"], "truesum torrent create -o FILE.torrent {}"),
    ("torrent", &["verify"], "truesum torrent check {}"),
    ("torrent", &["info", "show", "list", "ls"], "truesum convert {}"),
    ("torrent", &["repair", "fix"], "truesum tree repair --from COPY {}"),
    ("tree", &["save", "create", "store"], "truesum tree --save {}"),
    ("tree", &["hash", "sum"], "truesum tree {}"),
    ("tree", &["check", "locate"], "truesum tree verify {}"),
    #[cfg(feature = "bench")]
    ("bench", &["disk", "disks", "cpu", "all"], MEASURE),
];

/// The command that measures the speed of this machine or, in builds without benchmarks, of one run.
const MEASURE: &str =
    if cfg!(feature = "bench") { "truesum bench limit --quick" } else { "truesum hash -v {}" };

/// Options that a command does not have, and what to run instead: another option, or a command line in which `{}` is the
/// rest of the given one without the option.
pub const OPTIONS: &[(&str, &str, &str)] = &[
    ("hash", "--check", "truesum check {}"),
    ("hash", "-c", "truesum check {}"),
    ("hash", "--expect", "truesum check {}"),
    ("hash", "--verify", "truesum check {}"),
    ("hash", "--part-size", S3_PARTS),
    ("hash", "--chunk-size", S3_PARTS),
    ("hash", "-f", "--format"),
    ("hash", "-hmac", "truesum hash -a hmac-sha256 --key-file KEY FILE"),
    ("hash", "-hashfile", "truesum hash -a ALGORITHM FILE"),
    ("hash", "--file-list", "--files-from"),
    ("hash", "--maxdepth", FIND),
    ("hash", "--max-depth", FIND),
    ("hash", "--bt-private", PRIVATE),
    ("hash", "--private", PRIVATE),
    ("hash", "--bt-announce", "truesum torrent create --announce URL -o FILE PATH"),
    ("hash", "--simple", "truesum hash -t rhash-simple {}"),
    ("hash", "-m", "truesum text TEXT"),
    ("hash", "--message", "truesum text TEXT"),
    ("hash", "-b", "truesum hash {}"),
    ("hash", "--binary", "truesum hash {}"),
    ("hash", "--update", "truesum update MANIFEST DIR"),
    ("hash", "--num-threads", "--jobs"),
    ("hash", "--keyed", "truesum hash -a 'blake3;keyed' --key-file KEY FILE"),
    ("hash", "--derive-key", "truesum hash -a blake3 --customization CONTEXT FILE"),
    ("hash", "--seek", B3SUM),
    #[cfg(feature = "bench")]
    ("hash", "--speed", "truesum bench algorithms"),
    ("hash", "--list-formats", "truesum list formats"),
    ("hash", "--list-algorithms", "truesum list algorithms"),
    ("hash", "--list", "truesum list algorithms; truesum list formats"),
    ("hash", "--dedupe", "truesum duplicates {}"),
    (
        "convert",
        "--verify",
        "to verify the files while converting, add the new algorithm: truesum convert -a sha256 {}",
    ),
    ("check", "--resume", "--state"),
    ("check", "-b", "truesum check {}"),
    ("check", "--binary", "truesum check {}"),
    ("check", "--skip-ok", "--quiet"),
    ("check", "--strippaths", "truesum check --search --moved=ok MANIFEST"),
    ("check", "--ignore-case", "truesum check --match-case=no {}"),
    ("check", "--check-embedded", "truesum embed check FILE"),
    ("duplicates", "-r", "truesum duplicates {}"),
    ("duplicates", "--recursive", "truesum duplicates {}"),
    ("find", "-d", "truesum duplicates {}"),
    ("find", "-z", "--print0"),
    ("directory", "-k", "--kind"),
    ("check", "--digest", "truesum check {}"),
    ("check", "--checksum", "truesum check {}"),
    ("check", "--hash", "truesum check {}"),
    ("check", "--key", "truesum check --pubkey KEY MANIFEST"),
    ("check", "--signature", "truesum check --pubkey KEY MANIFEST"),
    ("check", "--verify-signature", "truesum check --pubkey KEY MANIFEST"),
    ("hash", "--sign", "truesum sign SHA256SUMS --key KEY"),
    ("hash", "--bag", "truesum bag create DIR"),
    ("hash", "--in-place", "truesum bag create --in-place DIR"),
    ("hash", "--bag-info", "truesum bag create --info LABEL=VALUE DIR"),
    ("hash", "--announce", "truesum torrent create --announce URL -o FILE PATH"),
    ("hash", "--piece-size", "truesum torrent create --piece-size SIZE -o FILE PATH"),
    ("hash", "--text", "truesum text TEXT"),
    ("hash", "--text-lines", "truesum text --lines FILE"),
    ("hash", "--embed-crc", "truesum embed add FILE"),
    ("bag create", "-o", BAG_OF_COPY),
    ("bag create", "--output", BAG_OF_COPY),
    ("check", "--embedded", "truesum embed check FILE"),
    ("check", "--embed-crc", "truesum embed check FILE"),
    ("check", "--bag", "truesum bag check DIR"),
    ("check", "--limit", "--max-bytes"),
    ("check", "--budget", "--max-bytes"),
    ("check", "--quota", "--max-bytes"),
    ("check", "--bwlimit", "--max-bytes"),
    ("check", "-p", "--pubkey"),
    ("check", "-P", "--pubkey"),
    ("find", "--duplicates", "truesum duplicates {}"),
    ("find", "--dupes", "truesum duplicates {}"),
    ("torrent", "--tracker", "truesum torrent create --announce URL -o FILE.torrent PATH"),
    ("torrent create", "--tracker", "--announce"),
    ("tree verify", "--repair-from", "truesum tree repair --from COPY TREE"),
];

/// How to limit the depth of folders.
const FIND: &str = "find DIR -maxdepth N -type f -print0 | truesum hash --files0-from -";

/// How to create a torrent for a private tracker.
const PRIVATE: &str = "truesum torrent create --private --announce URL -o FILE PATH";

/// How to use an option that only `b3sum` has.
const B3SUM: &str = "to create a link named b3sum, which has this option: truesum install-links DIR";

/// The command that computes the ETag of a multipart upload.
const S3_PARTS: &str = "truesum hash -a 's3-etag;part=8MiB' FILE";

/// How to create a bag elsewhere.
const BAG_OF_COPY: &str =
    "a bag is created from a folder in place; to keep the folder as it is, copy it first: cp -a DIR BAG";

/// Options that a command requires, and how to obtain their value.
const MISSING: &[(&str, &str, &str)] = &[("sign", "--key", "to create a key: minisign -G")];

/// Commands to which users pass one argument too many, and the option that accepts it.
const SURPLUS: &[(&str, &str)] = &[("convert", "-o")];

/// Returns the error for a word that is neither a command nor a file. `group` is the command that
/// it follows; `rest` follows it.
pub fn unknown_word(group: &str, word: &OsStr, rest: &[OsString]) -> clap::Error {
    let hint = of_table(group, word, rest)
        .or_else(|| of_path(group, word))
        .or_else(|| match group {
            "" => of_value(word, rest),
            "bench" => Some(format!("truesum bench algorithms -a {}", algorithm(word)?)),
            _ => None,
        })
        .or_else(|| similar_command(group, word).map(|name| format!("a similar command is {name}")))
        .unwrap_or_else(|| match (group, rest) {
            ("", [_, ..]) if word.as_bytes().iter().any(|byte| b"./".contains(byte)) => {
                "to hash the other files and report the missing ones: truesum hash FILE...".to_owned()
            }
            ("", _) => "truesum --help lists the commands".to_owned(),
            _ => format!("truesum {group} --help lists the subcommands"),
        });
    let (group, what) = match group {
        "" => (String::new(), "command or file"),
        _ => (format!("{group} "), "subcommand"),
    };
    no_such_word(&format!("{group}{}: no such {what}", display_safe(word.as_bytes())), &hint)
}

/// Returns the error for a word that is not a command.
fn no_such_word(text: &str, hint: &str) -> clap::Error {
    clap::Error::raw(ErrorKind::InvalidSubcommand, format!("{text}\nhint: {hint}\n"))
}

/// Returns the error for `help` with a word that is neither a command nor a topic.
pub fn unknown_topic(word: &str) -> clap::Error {
    let all = definition();
    let named = |path: &[&str]| {
        let path: Vec<String> = path.iter().map(|name| (*name).to_owned()).collect();
        command_at(&all, &path).map(|_| format!("truesum help {}", path.join(" ")))
    };
    let of_line = |line: String| {
        let words: Vec<&str> = line.strip_prefix("truesum ").unwrap_or_default().split(' ').collect();
        let below = words.get(..2).and_then(named);
        below.or_else(|| named(&words[..1])).unwrap_or_else(|| match words[0] {
            "does" => line.clone(),
            _ => "truesum help hash".to_owned(),
        })
    };
    let hint = of_table("", word.as_ref(), &[])
        .map(of_line)
        .or_else(|| {
            algorithm(word.as_ref())
                .map(|spec| format!("truesum list algorithms {}", spec.algorithm().name()))
        })
        .or_else(|| {
            let topics = TOPICS.iter().map(|topic| topic.name);
            nearest(word, topics).or_else(|| begins_like(word)).map(|name| format!("truesum help {name}"))
        })
        .or_else(|| similar_command("", word.as_ref()).map(|name| format!("truesum help {name}")))
        .unwrap_or_else(|| "truesum --help lists the commands".to_owned());
    let topics: Vec<&str> = TOPICS.iter().map(|topic| topic.name).collect();
    let text = format!(
        "help: no command or topic is named '{}' (topics: {})\nhint: {hint}\n",
        word.escape_debug(),
        topics.join(", ")
    );
    clap::Error::raw(ErrorKind::InvalidSubcommand, text)
}

/// Returns the error for a word after the topic or the commands in `truesum help`, whose `words` follow.
pub fn surplus_in_help(words: &[OsString]) -> Option<clap::Error> {
    let all = definition();
    let mut command = &all;
    let mut commands = 0;
    while let Some(below) = words.get(commands).and_then(|word| command.find_subcommand(word)) {
        (command, commands) = (below, commands + 1);
    }
    let is_topic = commands == 0 && words.first()?.to_str().is_some_and(|name| topics::find(name).is_some());
    let known = if is_topic { 1 } else { commands };
    let extra = words.get(known).filter(|word| known > 0 && !word.as_bytes().starts_with(b"-"))?;
    let text = format!(
        "help: unexpected argument {}\nhint: truesum help {}\n",
        shell_word(extra),
        line_of(&words[..known])
    );
    Some(clap::Error::raw(ErrorKind::UnknownArgument, text))
}

/// Returns the topic that begins with the same four letters as a word: `signatures` for `signing`.
fn begins_like(word: &str) -> Option<String> {
    let begin = word.get(..4)?;
    TOPICS.iter().map(|topic| topic.name).find(|name| name.starts_with(begin)).map(str::to_owned)
}

/// Returns whether a word is known to the table, or is similar to a command of this group.
pub fn is_guess(group: &str, word: &OsStr) -> bool {
    of_table(group, word, &[]).is_some() || similar_command(group, word).is_some()
}

/// Returns whether a word is an algorithm or the name of another program that has an equivalent
/// here.
pub fn is_program(word: &OsStr) -> bool {
    of_table("", word, &[]).is_some() || algorithm(word).is_some()
}

/// Rewrites clap's messages in the common form: the command, the error, and a hint. Messages that
/// were written here are returned unchanged.
pub fn explain(error: clap::Error, words: &[OsString]) -> clap::Error {
    let names = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![plain_name(text)],
        Some(ContextValue::Strings(texts)) => texts.iter().map(|text| plain_name(text)).collect(),
        _ => Vec::new(),
    };
    let text_of = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let (kind, path) = (error.kind(), path(words));
    let command = path.join(" ");
    let value = text_of(ContextKind::InvalidValue).filter(|text| !text.is_empty());
    let value = value.map(|text| display_safe(text.as_bytes()));
    let usage = || match error.get(ContextKind::Usage) {
        // A shell would treat the sign between alternatives as a pipe.
        Some(ContextValue::StyledStr(usage)) if !usage.to_string().contains('|') => {
            let usage = usage.to_string();
            let usage = usage.trim().trim_start_matches("Usage:").trim().replace(['<', '>'], "");
            let usage = usage.replace(" [OPTIONS]", "");
            usage.lines().next().unwrap_or_default().to_owned()
        }
        _ => format!("truesum {command} --help"),
    };
    let (given, prior) = (names(ContextKind::InvalidArg), names(ContextKind::PriorArg));
    let Some(option) = given.first().cloned() else {
        return match text_of(ContextKind::InvalidSubcommand) {
            Some(word) if kind == ErrorKind::InvalidSubcommand => {
                let at = words.iter().position(|found| **found == *word).unwrap_or(words.len());
                let group = path.first().map(String::as_str).unwrap_or_default();
                unknown_word(group, word.as_ref(), words.get(at + 1..).unwrap_or_default())
            }
            _ if kind == ErrorKind::InvalidUtf8 => {
                clap::Error::raw(kind, format!("{command}: an argument is not valid UTF-8\n"))
            }
            _ => error,
        };
    };
    let (text, hint) = match (kind, value) {
        (ErrorKind::UnknownArgument, _) if option.starts_with('-') => return unknown_option(&option, words),
        (ErrorKind::UnknownArgument, _) => {
            let hint = of_surplus(&command, &option, words).unwrap_or_else(usage);
            (format!("unexpected argument {}", shell_word(&option)), Some(hint))
        }
        (ErrorKind::InvalidValue, None) => {
            let usage = || format!("truesum {command} --help-all describes {option}");
            (format!("{option}: missing value"), Some(file_like_option(words).unwrap_or_else(usage)))
        }
        (ErrorKind::InvalidValue, Some(value)) => {
            let values = names(ContextKind::ValidValue).join(", ");
            (format!("{option}: invalid value '{value}' (possible values: {values})"), None)
        }
        (ErrorKind::ValueValidation, Some(value)) => {
            let why = std::error::Error::source(&error).map(|why| why.to_string()).unwrap_or_default();
            let why = match why.as_str() {
                "invalid digit found in string" => "not a whole number",
                "number too large to fit in target type" => "too large",
                other => other,
            };
            (format!("{option}: invalid value '{value}': {why}"), file_like_option(words))
        }
        // The message of a parser of this program.
        (ErrorKind::ValueValidation, None) => {
            let text = error.render().to_string();
            let text = text.trim_start_matches("error: ").trim_end();
            (format!("{option}: {text}"), file_like_option(words))
        }
        (ErrorKind::ArgumentConflict, _) if prior.is_empty() || prior[0] == option => {
            (format!("{option} was given more than once"), None)
        }
        (ErrorKind::ArgumentConflict, _) => {
            (format!("{option} cannot be combined with {}", prior.join(" or ")), None)
        }
        (ErrorKind::MissingRequiredArgument, _) => {
            let what = if given.len() == 1 { "missing argument" } else { "missing arguments" };
            let known =
                MISSING.iter().find(|(of, option, _)| *of == command && given.iter().any(|it| it == option));
            let more = known.map_or(String::new(), |(.., more)| format!("; {more}"));
            (format!("{what}: {}", given.join(", ")), Some(usage() + &more))
        }
        (ErrorKind::TooManyValues, Some(value)) => {
            (format!("{option} takes no value, but '{value}' was given"), None)
        }
        _ => return error,
    };
    of_command(kind, &command, &text, hint)
}

/// Returns a hint if a word that was read as an option is the name of a file, as a shell inserts it for `*`.
fn file_like_option(words: &[OsString]) -> Option<String> {
    let is_file = |word: &&OsString| {
        word.len() > 1 && word.as_bytes().starts_with(b"-") && std::fs::symlink_metadata(word).is_ok()
    };
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let word = words[..end].iter().find(is_file)?;
    Some(format!("to read the file {}, write -- before the names of files", display_safe(word.as_bytes())))
}

/// Returns an error of a command, whose name is empty if none was given.
fn of_command(kind: ErrorKind, command: &str, text: &str, hint: Option<String>) -> clap::Error {
    let prefix = if command.is_empty() { String::new() } else { format!("{command}: ") };
    let hint = hint.map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    clap::Error::raw(kind, format!("{prefix}{text}{hint}\n"))
}

/// Returns the error for an option, possibly with a value, that the command in `words` does not have.
pub fn unknown_option(option: &str, words: &[OsString]) -> clap::Error {
    let path = path(words);
    let command = path.join(" ");
    let option = option.split('=').next().unwrap_or_default();
    let own = of_option(&path, option, words);
    if own.is_none()
        && let Some((word, hint)) = of_command_with_options(words)
    {
        return no_such_word(&format!("{word}: no such command or file"), &hint);
    }
    let hint = own
        .or_else(|| similar_option(&path, option).map(|name| format!("a similar option is --{name}")))
        .unwrap_or_else(|| format!("truesum {command} --help-all lists the options"));
    let text = format!("unknown option {}", display_safe(option.as_bytes()));
    of_command(ErrorKind::UnknownArgument, &command, &text, Some(hint))
}

/// Returns the name of an option or argument without its value: `--jobs` for `--jobs <N>`, `DIR` for `<DIR>...`.
fn plain_name(text: &str) -> String {
    match text.strip_prefix('<') {
        Some(rest) if !rest.contains('|') => rest.trim_end_matches('.').trim_end_matches('>').to_owned(),
        Some(_) => text.replace("|", " or ").replace(['<', '>'], ""),
        None => {
            let end = text.find([' ', '[']).filter(|_| text.starts_with('-')).unwrap_or(text.len());
            text[..end].to_owned()
        }
    }
}

/// The option for the intact copy in a repair, before its value.
const COPY: &str = " --from ";

/// Returns whether a word is the option for the intact copy in a repair.
fn names_copy(word: &OsString) -> bool {
    let word = word.as_bytes();
    word == COPY.trim().as_bytes() || word.starts_with(b"--from=")
}

/// Returns the command line for a word in the table.
fn of_table(group: &str, word: &OsStr, rest: &[OsString]) -> Option<String> {
    let rows = COMMANDS.iter().filter(|(of, ..)| *of == group);
    let (.., line) = rows.into_iter().find(|(_, words, _)| words.iter().any(|known| *known == word))?;
    let all = if rest.is_empty() { "FILE".to_owned() } else { line_of(rest) };
    // The copy was given with its option, so the order of the words has a meaning.
    if let Some((command, _)) = line.split_once(COPY).filter(|_| rest.iter().any(names_copy)) {
        return Some(format!("{command} {all}"));
    }
    let nth = |at: usize, default: &str| rest.get(at).map_or(default.to_owned(), shell_word);
    Some(line.replace("{1}", &nth(0, "FILE")).replace("{2}", &nth(1, "COPY")).replace("{}", &all))
}

/// Returns the subcommands of a group that can be run on an existing file or folder, which was given
/// instead of one.
fn of_path(group: &str, word: &OsStr) -> Option<String> {
    let all = definition();
    let below = all.find_subcommand(group).filter(|_| std::fs::symlink_metadata(word).is_ok())?;
    let names = below.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help");
    let lines: Vec<String> =
        names.map(|name| format!("truesum {group} {name} {}", shell_word(word))).collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}

/// Returns the command line for an algorithm or a digest that was given instead of a command.
fn of_value(word: &OsStr, rest: &[OsString]) -> Option<String> {
    let checks = |word: &&OsString| **word == *"-c" || **word == *"--check";
    let others: Vec<OsString> = rest.iter().filter(|word| !checks(word)).cloned().collect();
    let files = if others.is_empty() { "FILE".to_owned() } else { line_of(&others) };
    Some(match algorithm(word) {
        Some(_) if others.len() < rest.len() => format!("truesum check {files}"),
        Some(spec) => format!("truesum -a {} {files}", shell_word(spec.to_string())),
        None if is_digest(word) => format!("truesum check {} {files}", shell_word(word)),
        None => return None,
    })
}

/// Returns the algorithm with this name, or that of a program with this name: `md5`, `md5sum`.
fn algorithm(word: &OsStr) -> Option<Spec> {
    let name = word.to_str()?;
    let names = [name, name.strip_suffix("sum").unwrap_or(name)];
    names.iter().find_map(|name| name.parse().ok())
}

/// Returns the command line with the equivalent of an unknown option: `-a md5` for `--md5`, `-t sfv`
/// for `--sfv`, `check` for `hash --check`.
fn of_option(path: &[String], option: &str, words: &[OsString]) -> Option<String> {
    let command = path.join(" ");
    // There is no such option, but other programs have it.
    if option == "--config" {
        return Some(
            "to use other settings, set an environment variable: TRUESUM_CONFIG=FILE truesum ...".to_owned(),
        );
    }
    if let Some((.., line)) = OPTIONS.iter().find(|(of, known, _)| *of == command && *known == option) {
        let value = format!("{option}=");
        let next = words.iter().skip_while(|word| **word != *option).nth(1);
        // The file of names of cfv and md5deep.
        let is_list = option == "-f" && next.is_some_and(|next| std::fs::symlink_metadata(next).is_ok());
        let line = if is_list { &"--files-from" } else { line };
        if line.starts_with("--") {
            let renamed = |word: &OsString| match word.as_bytes().strip_prefix(option.as_bytes()) {
                Some(b"") => (*line).into(),
                Some(value) => {
                    let value = value.strip_prefix(b"=").unwrap_or(value);
                    OsStr::from_bytes(&[line.as_bytes(), b"=", value].concat()).to_owned()
                }
                None => word.clone(),
            };
            let all: Vec<OsString> = words[1..].iter().map(renamed).collect();
            return Some(format!("truesum {}", line_of(&all)));
        }
        let rest = words[1 + path.len()..].iter().filter(|word| **word != *option);
        let without = |word: &OsString| match word.as_bytes().strip_prefix(value.as_bytes()) {
            Some(value) => OsStr::from_bytes(value).to_owned(),
            None => word.clone(),
        };
        let rest: Vec<OsString> = rest.map(without).collect();
        return Some(line.replace("{}", &line_of(&rest)));
    }
    let at = words.iter().position(|word| word.as_bytes().starts_with(option.as_bytes()))?;
    let name = option.strip_prefix("--")?;
    let all = definition();
    let command = command_at(&all, path)?;
    // A name of both, such as `bsd`, is more likely to mean the format.
    let (long, value) = match (truesum::manifest::format(name), name.parse::<Spec>()) {
        (Some(format), _) => ("format", ["-t".to_owned(), format.name().to_owned()]),
        (None, Ok(spec)) => ("algorithm", ["-a".to_owned(), spec.to_string()]),
        (None, Err(_)) => return None,
    };
    // The formats of some commands are not those of manifests.
    let accepts = |arg: &clap::Arg| {
        long != "format" || arg.get_possible_values().iter().any(|offered| offered.matches(&value[1], false))
    };
    let known = command.get_arguments().any(|arg| arg.get_long() == Some(long) && accepts(arg));
    let mut line: Vec<OsString> = words[1..].to_vec();
    line.splice(at - 1..at, value.map(OsString::from));
    known.then(|| format!("truesum {}", line_of(&line)))
}

/// Returns the command line for a word in the table that is followed by options, which `hash` does
/// not have.
fn of_command_with_options(words: &[OsString]) -> Option<(String, String)> {
    let [_, hash, word, rest @ ..] = words else { return None };
    let is_name = *hash == *"hash" && std::fs::symlink_metadata(word).is_err();
    let is_kept = |word: &&OsString| names_copy(word) || !word.as_bytes().starts_with(b"-");
    let rest: Vec<OsString> = rest.iter().filter(is_kept).cloned().collect();
    let line = of_table("", word, &rest).filter(|_| is_name)?;
    Some((display_safe(word.as_bytes()), line))
}

/// Returns the command line with the option that accepts an argument too many, or with a line of `cksum` or `sum` as one
/// argument.
fn of_surplus(command: &str, surplus: &str, words: &[OsString]) -> Option<String> {
    if let ("identify", [_, _, line @ .., file]) = (command, words) {
        let line = line.join(OsStr::new(" "));
        let is_line = line.to_str().and_then(sum_line).is_some();
        return is_line.then(|| format!("truesum identify {} {}", shell_word(line), shell_word(file)));
    }
    let (_, option) = SURPLUS.iter().find(|(of, _)| *of == command)?;
    // The option would replace a file.
    if std::fs::symlink_metadata(surplus).is_ok() {
        return None;
    }
    let at = words.iter().rposition(|word| **word == *surplus)?;
    let mut line = words[1..].to_vec();
    line.insert(at - 1, option.into());
    Some(format!("truesum {}", line_of(&line)))
}

/// Returns the command with this path.
pub fn command_at<'c>(all: &'c clap::Command, path: &[String]) -> Option<&'c clap::Command> {
    path.iter().try_fold(all, |command, name| command.find_subcommand(name))
}

/// Returns the names of the command and the subcommand in a command line.
pub fn path(words: &[OsString]) -> Vec<String> {
    let (mut command, mut path) = (definition(), Vec::new());
    for word in words[1..].iter().filter_map(|word| word.to_str()) {
        let Some(below) = command.find_subcommand(word).cloned() else { break };
        path.push(word.to_owned());
        command = below;
    }
    path
}

/// Returns the command of a group whose name is most similar to this word, if it is similar enough.
fn similar_command(of: &str, word: &OsStr) -> Option<String> {
    let all = definition();
    let group = if of.is_empty() { Some(&all) } else { all.find_subcommand(of) };
    let also = if of.is_empty() { Some("verify") } else { None };
    let names = group?.get_subcommands().map(clap::Command::get_name).chain(also);
    nearest(word.to_str()?, names)
}

/// Returns the option of a command whose name is most similar to this one, if it is similar enough.
fn similar_option(path: &[String], option: &str) -> Option<String> {
    let all = definition();
    let names = command_at(&all, path)?.get_arguments().filter_map(clap::Arg::get_long);
    nearest(option.strip_prefix("--")?, names)
}

/// Returns the name that is most similar to a word, if it is at most two edits away (one for names
/// of up to four letters).
fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let near = names.map(|name| (distance(word, name), name));
    let near = near.filter(|(edits, name)| *edits <= if name.len() > 4 { 2 } else { 1 });
    near.min().map(|(_, name)| name.to_owned())
}

/// Returns words as they are typed in a shell.
fn line_of(words: &[OsString]) -> String {
    words.iter().map(shell_word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_similar_commands_are_suggested() {
        for (word, expected) in [
            ("chekc", Some("check")),
            ("updaet", Some("update")),
            ("hsah", Some("hash")),
            ("sgin", Some("sign")),
            ("dupes", None),
            ("sha256", None),
            ("h", None),
        ] {
            assert_eq!(similar_command("", word.as_ref()).as_deref(), expected, "{word}");
        }
    }

    #[test]
    fn guessed_command_names_are_not_real_commands() {
        for (group, words, _) in COMMANDS {
            let all = definition();
            let command = if group.is_empty() { &all } else { all.find_subcommand(group).unwrap() };
            for word in *words {
                assert!(command.find_subcommand(word).is_none(), "{group} {word}");
            }
        }
    }
}
