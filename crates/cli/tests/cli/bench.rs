//! `truesum bench`.

use crate::program::Folder;

#[test]
fn own_commands_in_definitions_work() {
    let folder = Folder::with(&[("d/a", "abc"), ("d/sub/b", "123456789")]);
    for (name, model) in [("tools", "tools"), ("arrangements", "tools"), ("verify", "verify")] {
        let path = format!("{}/../../benchmarks/definitions/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        // Without the engines of other programs, which need not be installed.
        let only = ["--engine", "truesum", "-a", "sha256", "--rounds", "1", "--definition", &path];
        let ran = folder.run(&[&["bench", model, "d", "--json"][..], &only[..]].concat());
        let is_timed = ran.out().contains("\"part\": \"tool\"");
        assert!(ran.code == Some(0) && is_timed, "{name}: {}{}", ran.out(), ran.err);
    }
}
