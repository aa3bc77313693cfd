//! Settings for all runs: where they are read from, what they may change, and the messages for invalid ones.

use crate::program::{ABC, Folder, RunResult};

/// BLAKE3 of `abc`, from b3sum.
const ABC_BLAKE3: &str = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";

fn run(folder: &Folder, words: &[&str], variables: &[(&str, &str)]) -> RunResult {
    let mut command = folder.command();
    command.args(words).env_remove("TRUESUM_CONFIG").env_remove("XDG_CONFIG_HOME").env("HOME", folder.root());
    for (name, value) in variables {
        command.env(name, value.replace("HERE", folder.root().to_str().unwrap()));
    }
    command.output().unwrap().into()
}

fn folder(text: &str) -> Folder {
    let folder = Folder::with(&[("a", "abc")]);
    folder.write(".config/truesum/config.toml", text);
    folder
}

#[test]
fn settings_precedence_is_command_line_environment_file() {
    let folder = folder("# mine\nalgorithm = \"blake3\"\n");
    let tagged = format!("BLAKE3 (a) = {ABC_BLAKE3}\n");
    let plain = format!("{ABC}  a\n");
    for (words, variables, expected) in [
        (&["a"][..], &[][..], tagged.as_str()),
        (&["-a", "sha256", "a"], &[], &plain),
        (&["-t", "gnu", "a"], &[], &plain),
        (&["a"], &[("TRUESUM_OPTIONS", "-a sha256")], &plain),
        (&["-a", "blake3", "a"], &[("TRUESUM_OPTIONS", "-a sha256")], &format!("{ABC_BLAKE3}  a\n")),
        (&["a"], &[("TRUESUM_CONFIG", "")], &plain),
        // regression: it was refused because it is not a regular file.
        (&["a"], &[("TRUESUM_CONFIG", "/dev/null")], &plain),
        (&["a"], &[("XDG_CONFIG_HOME", "HERE/none")], &plain),
        (&["a"], &[("XDG_CONFIG_HOME", "HERE/.config")], &tagged),
        (&["-z", "a"], &[], &tagged.replace('\n', "\0")),
    ] {
        let ran = run(&folder, words, variables);
        assert_eq!(
            (ran.out().as_str(), ran.code),
            (expected, Some(0)),
            "{words:?} {variables:?}: {}",
            ran.err
        );
    }
    let json = run(&folder, &["--json", "a"], &[]).out();
    assert!(json.contains("\"blake3\""), "{json}");
}

#[test]
fn check_ignores_settings() {
    let folder = folder("algorithm = \"blake3\"\nformat = \"jsonl\"\n");
    folder.write("M", format!("{ABC}  a\n"));
    let ran = run(&folder, &["check", "M"], &[]);
    assert_eq!((ran.out().as_str(), ran.code), ("a: OK\n", Some(0)), "{}", ran.err);
    assert!(run(&folder, &["a"], &[]).out().starts_with("{\"schema\""));
    for options in ["--lenient", "--ignore-missing", "--allow-weak", "-q", "--root=/"] {
        let ran = run(&folder, &["check", "M"], &[("TRUESUM_OPTIONS", options)]);
        assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{options}");
        assert!(ran.err.starts_with(&format!("truesum: TRUESUM_OPTIONS: {options}")), "{}", ran.err);
    }
}

#[test]
fn invalid_settings_are_reported_with_their_line() {
    for (text, message) in [
        ("\ncolor = \"blue\"\n", "config.toml:2: color: expected auto, always or never, not 'blue'"),
        (
            "exact = \"no\"\n",
            "config.toml:1: exact: unknown setting; the settings are algorithm, format, progress, color",
        ),
        ("color = 3\n", "config.toml:1: color: expected a quoted string, not an integer"),
        ("color = \"auto\"\n\ncolor\n", "config.toml:3: not valid TOML: "),
        ("algorithm = \"sha265\"\n", "config.toml:1: algorithm: "),
        ("format = \"sfv\"\nalgorithm = \"sha512\"\n", "config.toml:2: the format sfv (set in "),
        ("a = \"\u{0}\"", "config.toml:1: not valid TOML: "),
    ] {
        let folder = folder(text);
        for words in [&["a"][..], &["check", "a"], &["config"], &["list", "formats"]] {
            let ran = run(&folder, words, &[]);
            assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)), "{words:?}: {text}");
            assert!(ran.err.starts_with("truesum: ") && ran.err.contains(message), "{message}: {}", ran.err);
        }
        for words in
            [&["--help"][..], &["--version"], &["--version", "-v"], &["help", "trees"], &["__complete", ""]]
        {
            assert_eq!(run(&folder, words, &[]).code, Some(0), "{words:?}: what helps to put it right");
        }
    }
    let folder = folder("");
    folder.write("x", [0xff]);
    for (name, why) in [("HERE/gone", "No such file"), ("HERE/x", "UTF-8"), ("HERE", "directory")] {
        let ran = run(&folder, &["a"], &[("TRUESUM_CONFIG", name)]);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{name}: {}", ran.err);
    }
}

#[test]
fn config_shows_settings_with_their_source() {
    let folder = folder("color = \"never\"\n");
    let ran = run(&folder, &["config"], &[("TRUESUM_OPTIONS", "-a blake3,md5")]);
    let file = folder.path(".config/truesum/config.toml");
    let expected = format!(
        "file: {0}\nTRUESUM_OPTIONS: -a blake3,md5\n\n\
         algorithm  blake3,md5       TRUESUM_OPTIONS\n           default algorithm of `hash`, named in each output line\n\
         format     gnu              default\n           default format of `hash`\n\
         progress   auto             default\n           auto or never\n\
         color      never            {0}:1\n           auto, always or never\n",
        file.display()
    );
    assert_eq!((ran.out(), ran.code), (expected, Some(0)));
}

#[test]
fn applets_ignore_settings() {
    let folder = folder("nonsense\n");
    let link = folder.path("sha256sum");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_truesum"), &link).unwrap();
    let mut command = std::process::Command::new(link);
    command
        .arg("a")
        .current_dir(folder.root())
        .env("HOME", folder.root())
        .env("TRUESUM_OPTIONS", "--nonsense");
    let ran: RunResult =
        command.env_remove("TRUESUM_CONFIG").env_remove("XDG_CONFIG_HOME").output().unwrap().into();
    assert_eq!((ran.out(), ran.code), (format!("{ABC}  a\n"), Some(0)), "{}", ran.err);
}

#[test]
fn pipe_as_settings_file_is_rejected_without_blocking() {
    // regression: a FIFO as settings file blocked every command forever.
    let folder = Folder::with(&[("a", "abc")]);
    let status = std::process::Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap();
    assert!(status.success());
    let ran = run(&folder, &["hash", "a"], &[("TRUESUM_CONFIG", "HERE/pipe")]);
    assert_eq!((ran.out().as_str(), ran.code), ("", Some(2)));
    assert!(ran.err.contains("cannot read settings: not a regular file, but a named pipe"), "{}", ran.err);
}

#[test]
fn unknown_name_of_any_length_is_rejected_quickly() {
    // regression: the search for similar names took 90 s for a name of a million letters.
    let folder = Folder::with(&[("a", "abc")]);
    let began = std::time::Instant::now();
    let ran = folder.run(&["hash", "-a", &"x".repeat(100_000), "a"]);
    assert_eq!(ran.code, Some(2));
    assert!(began.elapsed() < std::time::Duration::from_secs(20), "{:?}", began.elapsed());
}

#[test]
fn config_option_selects_or_disables_the_settings_file() {
    let folder = folder("algorithm = \"blake3\"\n");
    folder.write("other.toml", "format = \"jsonl\"\n");
    let (plain, tagged) = (format!("{ABC}  a\n"), format!("BLAKE3 (a) = {ABC_BLAKE3}\n"));
    for (words, variables, expected) in [
        (&["a"][..], &[][..], tagged.as_str()),
        (&["--no-config", "a"], &[], &plain),
        (&["hash", "a", "--no-config"], &[], &plain),
        (&["--no-config", "a"], &[("TRUESUM_CONFIG", "HERE/other.toml")], &plain),
        (&["--config", ".config/truesum/config.toml", "a"], &[("TRUESUM_CONFIG", "")], &tagged),
        (&["--config=.config/truesum/config.toml", "hash", "a"], &[("TRUESUM_CONFIG", "")], &tagged),
    ] {
        let ran = run(&folder, words, variables);
        assert_eq!((ran.out().as_str(), ran.err.as_str(), ran.code), (expected, "", Some(0)), "{words:?}");
    }
    let ran = run(&folder, &["--config", "other.toml", "hash", "a"], &[]);
    assert!(ran.out().starts_with("{\"schema\""), "{}", ran.out());
    let ran = run(&folder, &["config", "--config", "other.toml"], &[]);
    assert!(ran.out().starts_with("file: other.toml\n") && ran.out().contains("jsonl"), "{}", ran.out());
    assert!(run(&folder, &["--no-config", "config"], &[]).out().starts_with("file: none ("));
    for (words, why) in [
        (&["--config", "missing", "a"][..], "missing: cannot read settings: No such file or directory\n"),
        (&["check", "--config", "a", "M"], "a:1: "),
        (&["--config", "a", "--no-config", "a"], "hash: --config cannot be combined with --no-config\n"),
        (&["list", "--no-config"], "list: unknown option --no-config\n"),
    ] {
        let ran = run(&folder, words, &[]);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{words:?}: {}", ran.err);
    }
}
