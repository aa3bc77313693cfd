//! The command line of `truesum bench`, and its output.

use clap::{CommandFactory, Parser};
use std::sync::atomic::AtomicBool;
use truesum_bench::args::Bench;
use truesum_bench::command::{Outcome, run};

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    bench: Bench,
}

fn bench(words: &[&str]) -> Result<(Outcome, String), String> {
    let program = Program::try_parse_from(["bench"].iter().chain(words)).map_err(|why| why.to_string())?;
    let mut out = Vec::new();
    let outcome = run(&program.bench, &words.join(" "), &AtomicBool::new(false), &mut out);
    outcome.map(|outcome| (outcome, String::from_utf8(out).unwrap())).map_err(|why| why.to_string())
}

#[test]
fn command_line_definition_is_consistent() {
    Program::command().debug_assert();
}

#[test]
fn run_can_be_printed_saved_drawn_and_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (saved, page, svg) = (path("run.json"), path("run.html"), path("charts"));
    let words = ["algorithms", "--part", "rate,kernel", "-a", "crc32,sha256", "--time", "1", "--csv"];
    let files = ["--save", &saved, "--html", &page, "--svg", &svg];
    let (outcome, text) = bench(&[&words[..], &files[..]].concat()).unwrap();
    assert_eq!(outcome, Outcome::Done);
    assert!(
        text.starts_with("model,part,engine,") && text.contains("\nalgorithms,kernel,truesum,sha256,row,")
    );
    assert!(std::fs::read_to_string(&page).unwrap().contains("<svg "));
    assert!(std::path::Path::new(&svg).join("algorithms-rate.svg").exists());
    let (outcome, joined) = bench(&["report", directory.path().to_str().unwrap()]).unwrap();
    assert_eq!((outcome, joined), (Outcome::Done, std::fs::read_to_string(&page).unwrap()));
    assert_eq!(bench(&["compare", &saved, &saved]).unwrap().0, Outcome::Done);
    let readme = path("README.md");
    std::fs::write(&readme, "<!-- speed: x -->\n<!-- /speed -->\n").unwrap();
    assert_eq!(bench(&["report", &saved, "--readme", &readme]).unwrap().0, Outcome::Done);
    assert!(std::fs::read_to_string(&readme).unwrap().contains("](speed.svg)"));
    assert!(directory.path().join("speed.svg").exists());
    // The second run is slower.
    let mut slower = truesum_bench::record::Record::read(saved.as_ref()).unwrap();
    slower.measurements.iter_mut().for_each(|m| m.seconds.iter_mut().for_each(|s| *s *= 10.0));
    let other = path("slower.json");
    std::fs::write(&other, slower.to_json()).unwrap();
    let (outcome, text) = bench(&["compare", &saved, &other]).unwrap();
    assert!(outcome == Outcome::Differs && text.contains(" slower"), "{text}");
}

#[test]
fn invalid_arguments_are_reported() {
    let empty_file = tempfile::NamedTempFile::new().unwrap();
    let empty_path = empty_file.path().to_str().unwrap();
    for (words, expected) in [
        (&["algorithms", "-a", "sha265"][..], "did you mean 'sha256'"),
        (&["algorithms", "--sizes", "12 apples"], "a number of bytes"),
        (&["algorithms", "--stream", "fast"], "expected a rate"),
        (&["algorithms", "--time", "-3"], "unexpected argument"),
        (&["algorithms", "--time=-3"], "not a positive number"),
        (
            &["algorithms", "-a", "crc32", "--time", "1", "--part", "rate", "--compare", "nobody"],
            "unknown engine 'nobody'",
        ),
        (&["algorithms", "--json", "--csv"], "cannot be used with"),
        (&["tools", "/no/such/directory"], "/no/such/directory: cannot open"),
        (&["io", "/no/such/file"], "/no/such/file: cannot open"),
        (&["tree", "/no/such/file"], "/no/such/file: cannot open"),
        (&["io", "/"], "/: specify a regular file"),
        (&["tree", "/"], "/: specify a regular file"),
        (&["io", empty_path], "the file is empty"),
        (&["tree", empty_path], "the file is empty"),
        (&["limit", "/no/such/file"], "/no/such/file: cannot open"),
        (&["report", "/no/such/file"], "/no/such/file: cannot read"),
        (&["io", "x", "--definition", "/no/such/file"], "/no/such/file: cannot read"),
    ] {
        let error = bench(words).unwrap_err();
        assert!(error.contains(expected), "{words:?}: {error}");
    }
    let empty = tempfile::tempdir().unwrap();
    assert!(bench(&["report", empty.path().to_str().unwrap()]).unwrap_err().contains("no saved runs"));
}

#[test]
fn full_stdout_is_an_error_and_closed_stdout_is_not() {
    struct FailingReader(std::io::ErrorKind);
    impl std::io::Write for FailingReader {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let words = ["bench", "algorithms", "-a", "crc32", "--part", "rate", "--time", "1"];
    let program = Program::try_parse_from(words).unwrap();
    let run = |kind| run(&program.bench, "x", &AtomicBool::new(false), &mut FailingReader(kind));
    assert!(run(std::io::ErrorKind::StorageFull).unwrap_err().0.contains("standard output: cannot write"));
    assert_eq!(run(std::io::ErrorKind::BrokenPipe), Ok(Outcome::Done));
}
