//! Tests in separate scripts, because they need Python: JSON schemas, shells in a terminal, and the commands of the
//! documentation.

use std::path::Path;
use std::process::Command;

/// Runs a script of `tests` with the program; exit status 77 means that a dependency is not installed.
fn run(script: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(script);
    let output = Command::new("python3").arg(&path).arg(env!("CARGO_BIN_EXE_truesum")).output();
    let (status, said) = match output {
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            (output.status.code(), String::from_utf8_lossy(&said).into_owned())
        }
        Err(why) => (Some(77), format!("python3: {why}")),
    };
    if status == Some(77) {
        return truesum_test_support::oracle::missing(&format!("{script}: {said}"));
    }
    assert_eq!(status, Some(0), "{said}");
}

#[test]
fn all_json_is_as_its_schema_says() {
    run("schemas.py");
}

#[test]
fn shells_complete_at_a_terminal() {
    run("completions.py");
}

#[test]
fn the_documentation_does_what_it_shows() {
    run("documentation.py");
}
