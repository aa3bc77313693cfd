//! Tests of the command line as a whole: help texts, options and examples.

use super::*;

fn completed(words: &[&str]) -> Vec<String> {
    let words = std::iter::once("truesum").chain(words.iter().copied()).map(OsString::from).collect();
    complete(words).iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

#[test]
fn command_definition_is_consistent() {
    Cli::command().debug_assert();
}

#[test]
fn standalone_subcommand_equals_nested_subcommand() {
    let mut whole = Cli::command();
    whole.build();
    for (name, alone) in [
        ("hash", HashArgs::augment_args(clap::Command::new("truesum"))),
        ("check", CheckArgs::augment_args(clap::Command::new("truesum"))),
    ] {
        let among = whole.find_subcommand(name).unwrap();
        let ids = |command: &clap::Command| -> Vec<String> {
            command.get_arguments().map(|arg| arg.get_id().to_string()).filter(|id| id != "help").collect()
        };
        assert_eq!(ids(&alone), ids(among));
        assert_eq!(alone.get_about().map(ToString::to_string), among.get_about().map(ToString::to_string));
    }
}

#[test]
fn object_store_urls_are_accepted_only_where_they_are_read() {
    let parsed = |words: &str| parse("truesum".into(), words.split(' ').map(OsString::from).collect());
    for words in [
        "update az://c/x",
        "shard plan -o gs://b f",
        "tree repair --from s3://b/x f",
        "hash -o s3://b/x f",
        "hash -os3://b/x f",
        "hash --root=gs://b f",
        "check --html s3://b/x M",
        "check --locate --data s3://b/x M",
    ] {
        let error = parsed(words).err().unwrap_or_else(|| panic!("{words}")).to_string();
        assert!(
            error.contains("://") && error.contains("object stores are not supported"),
            "{words}: {error}"
        );
    }
    for words in [
        "s3://b/x",
        "hash s3://b/x",
        "text s3://b/x",
        "check --root gs://b M",
        "audit ./s3://b/x",
        "audit M s3://b/x",
        "diff d s3://b/x",
        "diff S3://b/x M",
        "tree s3://b/x",
        "shard plan -o p gs://b",
        "identify 00 s3://b/x",
    ] {
        assert!(parsed(words).is_ok(), "{words}");
    }
}

/// Returns the contents of all source files below a folder.
fn sources(folder: &std::path::Path, texts: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, texts),
            false => texts.push(std::fs::read_to_string(path).unwrap()),
        }
    }
}

#[test]
fn options_named_in_messages_exist() {
    let mut program = Cli::command();
    program.build();
    let (mut texts, mut seen) = (Vec::new(), 0);
    sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut texts);
    for (text, at) in
        texts.iter().flat_map(|text| text.match_indices("truesum ").map(move |(at, _)| (text, at)))
    {
        let example = text[at..].split(['"', ';', ',', '`', '(', ')', '|', '\n']).next().unwrap();
        let mut words = example.split(' ').skip(1);
        let Some(mut command) = words.next().and_then(|name| program.find_subcommand(name)) else {
            continue;
        };
        for word in words {
            if let Some(below) = command.find_subcommand(word) {
                command = below;
            }
            let option =
                word.strip_prefix("--").and_then(|option| option.split(['=', ':', '.', '\\']).next());
            // Options that require object stores exist only in builds with support for them.
            let known = |option: &&str| {
                !option.is_empty()
                    && *option != &HELP_ALL[2..]
                    && (cfg!(feature = "stores") || *option != "stored")
            };
            let Some(option) = option.filter(known) else { continue };
            let names = |arg: &clap::Arg| {
                arg.get_long() == Some(option) || arg.get_all_aliases().unwrap_or_default().contains(&option)
            };
            assert!(
                command.get_arguments().any(names),
                "{example}: {} has no --{option}",
                command.get_name()
            );
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen}");
}

/// If an option is given twice, no value is dropped: the option collects them, or the second
/// one is rejected.
#[test]
fn repeated_option_collects_values_or_is_rejected() {
    const VALUES: [&str; 16] = [
        "1",
        "a",
        "md5",
        "gnu",
        "5%",
        "1d",
        "hex",
        "2020-01-01",
        "a=b",
        "1/2",
        "0..1",
        "Contact-Name=a",
        "sha256-tree",
        "short",
        "1MiB",
        "size,mtime",
    ];
    fn walk(command: &clap::Command, path: &[String], seen: &mut usize) {
        for arg in command.get_arguments() {
            let takes_value = arg.get_action().takes_values() && !arg.is_positional();
            if !takes_value || matches!(arg.get_action(), ArgAction::Append) {
                continue;
            }
            let option = match (arg.get_long(), arg.get_short()) {
                (Some(long), _) => format!("--{long}"),
                (None, short) => format!("-{}", short.unwrap()),
            };
            let parse = |values: &[&str]| {
                let options = values.iter().map(|value| format!("{option}={value}"));
                let words: Vec<String> = path.iter().cloned().chain(options).collect();
                definition().try_get_matches_from(words).err()
            };
            let possible = arg.get_possible_values();
            let names = possible.iter().map(clap::builder::PossibleValue::get_name);
            let is_good = |value: &&str| {
                let bad = [ErrorKind::ValueValidation, ErrorKind::InvalidValue];
                parse(&[value]).is_none_or(|error| !bad.contains(&error.kind()))
            };
            let value = names.chain(VALUES).find(is_good);
            let value = value.unwrap_or_else(|| panic!("{path:?} {option}: no value of the list is valid"));
            let error = parse(&[value, value]).map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains("cannot be used multiple times"), "{path:?} {option}={value}: {error}");
            *seen += 1;
        }
        for below in command.get_subcommands() {
            walk(below, &[path, &[below.get_name().to_owned()]].concat(), seen);
        }
    }
    let mut seen = 0;
    walk(&definition(), &["truesum".to_owned()], &mut seen);
    assert!(seen > 100, "{seen}");
}

#[test]
fn options_of_other_programs_get_a_hint() {
    for &(command, option, hint) in guesses::OPTIONS {
        let words = command.split(' ').chain([option, "x"]).map(OsString::from).collect();
        let error = parse("truesum".into(), words).err().expect(option).to_string();
        let hint = match hint.starts_with('-') {
            true => format!("truesum {command} {hint} x"),
            false => hint.replace("{}", "x"),
        };
        let expected = format!("error: {command}: unknown option {option}\nhint: {hint}\n");
        assert_eq!(error, expected);
    }
}

/// Calls `visit` with this command and every command below, and their paths.
fn each(command: &clap::Command, path: &str, visit: &mut dyn FnMut(&clap::Command, &str)) {
    visit(command, path);
    for below in command.get_subcommands() {
        each(below, &format!("{path} {}", below.get_name()), visit);
    }
}

#[test]
fn help_is_short_and_fits_80_columns() {
    let mut faults = Vec::new();
    for (help, options, lines) in [(Help::Usual, 30, 110), (Help::All, usize::MAX, usize::MAX)] {
        let mut program = with_help(definition(), "truesum", help).term_width(80);
        program.build();
        each(&program, "truesum", &mut |command, path| {
            let text = command.clone().render_long_help().to_string();
            let shown = |arg: &&clap::Arg| !arg.is_positional() && !arg.is_hide_long_help_set();
            let found = command.get_arguments().filter(shown).count();
            if found > options || text.lines().count() > lines {
                faults.push(format!("{path}: {found} options, {} lines", text.lines().count()));
            }
            let long = text.lines().filter(|line| line.chars().count() > 80);
            faults.extend(long.map(|line| format!("{path}: longer than 80 characters: {line}")));
            // A line of an example that is too long would be wrapped.
            let below = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let long = below.lines().filter(|line| line.starts_with(' ') && line.chars().count() > 80);
            faults.extend(long.map(|line| format!("{path}: longer than 80 characters: {line}")));
            let rare = command.get_arguments().any(|arg| arg.is_hide_long_help_set());
            let pointer = format!("{path} {HELP_ALL}");
            assert_eq!(below.ends_with(&pointer), rare, "{path}");
            if help == Help::All {
                assert!(!rare, "{path}");
            }
        });
    }
    faults.dedup();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Options with two descriptions and letters with two names, with the reason.
const MEANINGS_THAT_DIFFER: [(&str, &str); 18] = [
    ("all", "list has names and identify has candidates"),
    ("algorithm", "some commands accept only one"),
    ("follow", "a bag cannot contain links that lead to folders or out of its payload"),
    ("format", "in tree, the format of a tree instead of a manifest"),
    ("from", "convert has two formats, and in tree repair the source is a file"),
    ("grown-from", "a proof is made from a tree and verified with a digest"),
    ("manifest", "find looks for the files of a manifest, and shard plan hashes them"),
    ("max-bytes", "check always reads the first file; scrub also one new file and one that is due"),
    ("no-stored-rules", "hash also writes none"),
    ("output", "tree and shard run write several files, so that it is a folder"),
    ("overwrite", "sign replaces only a signature, which lists no files"),
    ("prune", "bag update has no check for implausible removals, so it has no =all"),
    ("quiet", "checks and audits also omit files that are OK"),
    ("recursive", "hash always searches folders, and accepts the option for users of other tools"),
    ("refresh", "the manifests of a bag have no times of files"),
    ("state", "check stores when entries were read; scrub also stores the entries"),
    ("status", "scrub shows the status of an archive, like systemctl status; -q prints only failures"),
    ("t", "convert has two formats, --from and --to"),
];

#[test]
fn option_has_the_same_meaning_in_every_command() {
    use std::collections::{BTreeMap, BTreeSet};
    let mut texts: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
    let mut letters: BTreeMap<char, BTreeSet<String>> = BTreeMap::new();
    let mut program = definition();
    program.build();
    each(&program, "truesum", &mut |command, path| {
        // The options of `bench` name parts of a measurement.
        if path.starts_with("truesum bench") {
            return;
        }
        for arg in command.get_arguments().filter(|arg| arg.get_id() != "help") {
            let Some(long) = arg.get_long() else { continue };
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            // Defaults may differ.
            let help = help.split(" [default: ").next().unwrap().to_owned();
            texts.entry(long.to_owned()).or_default().entry(help).or_default().push(path.to_owned());
            letters.entry(arg.get_short().unwrap_or(' ')).or_default().insert(long.to_owned());
        }
    });
    letters.remove(&' ');
    let mut faults = Vec::new();
    for (long, texts) in &texts {
        if texts.len() > 1 && !MEANINGS_THAT_DIFFER.iter().any(|(name, _)| name == long) {
            faults.push(format!("--{long}: {texts:#?}"));
        }
    }
    for (letter, names) in &letters {
        if names.len() > 1 && !MEANINGS_THAT_DIFFER.iter().any(|(name, _)| *name == letter.to_string()) {
            faults.push(format!("-{letter}: {names:?}"));
        }
    }
    for (name, reason) in MEANINGS_THAT_DIFFER {
        let is_different = texts.get(name).is_some_and(|texts| texts.len() > 1)
            || name
                .chars()
                .next()
                .and_then(|letter| letters.get(&letter))
                .is_some_and(|names| names.len() > 1);
        assert!(is_different, "{name} is the same everywhere: {reason}");
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_progress_is_accepted_before_and_after_the_command() {
    for words in [["--no-progress", "check", "M"], ["check", "M", "--no-progress"]] {
        let words = words.map(OsString::from).to_vec();
        let command = parse("truesum".into(), words).unwrap_or_else(|error| panic!("{error}"));
        assert!(matches!(command, Command::Check(args) if args.run.no_progress));
    }
}

#[test]
fn missing_subcommand_is_inserted() {
    assert_eq!(completed(&["a", "b"]), ["hash", "a", "b"]);
    assert_eq!(completed(&["-a", "md5", "a"]), ["hash", "-a", "md5", "a"]);
    assert_eq!(completed(&["-c", "M"]), ["check", "M"]);
    assert_eq!(completed(&["--quiet", "-c", "M"]), ["check", "--quiet", "M"]);
    assert_eq!(completed(&["--", "-c"]), ["hash", "--", "-c"]);
    assert_eq!(completed(&["--expect", "00", "a"]), ["check", "--expect", "00", "a"]);
    assert_eq!(completed(&["a", "--expect=00"]), ["check", "a", "--expect=00"]);
    assert_eq!(completed(&["--", "--expect"]), ["hash", "--", "--expect"]);
    assert_eq!(completed(&["check", "M"]), ["check", "M"]);
    assert_eq!(completed(&["verify", "M"]), ["check", "M"]);
    assert_eq!(completed(&["help"]), ["--help"]);
    assert_eq!(completed(&["help", "hash"]), ["hash", "--help"]);
    assert_eq!(completed(&["help", "tree", "verify"]), ["tree", "verify", "--help"]);
    assert_eq!(completed(&["./verify"]), ["hash", "./verify"]);
    assert_eq!(completed(&["--help"]), ["--help"]);
}
