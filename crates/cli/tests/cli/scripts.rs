//! Tests in separate Python scripts: JSON schemas, shells in a terminal, and the commands in the documentation.

use std::path::Path;
use std::process::Command;

/// Runs a script of `tests` with the program; exit status 77 means that a dependency is not installed.
fn run(script: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(script);
    let output = Command::new("python3").arg(&path).arg(env!("CARGO_BIN_EXE_truesum")).output();
    let (status, message) = match output {
        Ok(output) => {
            let message = [output.stdout, output.stderr].concat();
            (output.status.code(), String::from_utf8_lossy(&message).into_owned())
        }
        Err(why) => (Some(77), format!("python3: {why}")),
    };
    if status == Some(77) {
        return truesum_test_support::oracle::missing(&format!("{script}: {message}"));
    }
    assert_eq!(status, Some(0), "{message}");
}

#[test]
fn json_output_matches_its_schemas() {
    run("schemas.py");
}

#[test]
fn completions_work_in_shells() {
    run("completions.py");
}

#[test]
fn documentation_examples_match_their_output() {
    run("documentation.py");
}
