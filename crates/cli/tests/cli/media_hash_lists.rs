//! ASC Media Hash Lists: histories written here are verified by the ASC's own tool.

use crate::program::{Folder, result_of};
use std::process::Command;

#[test]
fn ascmhl_manifest_is_verified_by_the_ascmhl_tool() {
    let folder =
        Folder::with(&[("clips/A/a.mov", "abc"), ("clips/b & <c>", "x"), ("clips/.DS_Store", "junk")]);
    let ran = folder.run(&["hash", "-t", "ascmhl", "-o", "clips/0001_clips.mhl", "clips"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(
        ran.err.contains("to create a history: truesum hash -t ascmhl -o DIR/ascmhl/0001_NAME.mhl DIR"),
        "{}",
        ran.err
    );
    let list = "clips/ascmhl/0001_clips_2026-01-31_120000Z.mhl";
    let ran = folder.run(&["hash", "-t", "ascmhl", "-a", "xxh64,sha512", "-q", "-o", list, "clips"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    let text = String::from_utf8(folder.read(list)).unwrap();
    assert!(
        text.contains(">A/a.mov</path>") && text.contains("<c4 action=") && !text.contains("DS_Store</path>")
    );
    let ran = folder.run(&["check", list]);
    assert_eq!((ran.out().as_str(), ran.code), ("A/a.mov: OK\nb & <c>: OK\n", Some(0)), "{}", ran.err);
    let ran = folder.run(&["hash", "-t", "ascmhl", "-q", "-o", "clips/ascmhl/0001_x.mhl", "clips"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("a history already exists"), "{}", ran.err);
    let program = "ascmhl-debug";
    let verified = |folder: &Folder| {
        let ran = Command::new(program)
            .args(["verify", "clips"])
            .env("LC_ALL", "C.UTF-8")
            .current_dir(folder.root())
            .output()
            .ok()?;
        Some((
            ran.status.code(),
            String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr),
        ))
    };
    let Some((code, message)) = verified(&folder) else {
        return truesum_test_support::oracle::missing("ascmhl (Python)");
    };
    assert_eq!(code, Some(0), "{message}");
    folder.write("clips/A/a.mov", "abd");
    let (code, message) = verified(&folder).expect("it was there");
    assert_ne!(code, Some(0), "{message}");
}

#[test]
fn media_history_files_are_not_reported_as_extra() {
    let folder = Folder::with(&[("clips/A/a.mov", "abc")]);
    let list = "clips/ascmhl/0001_clips.mhl";
    let ran = folder.run(&["hash", "-t", "ascmhl", "-q", "-o", list, "clips"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    // The manifest of a later day, which the chain names.
    folder.write("clips/ascmhl/0002_clips.mhl", folder.read(list));
    let chain = "clips/ascmhl/ascmhl_chain.xml";
    let entry = "<hashlist><path>0002_clips.mhl</path></hashlist></ascmhldirectory>";
    folder.write(chain, String::from_utf8(folder.read(chain)).unwrap().replace("</ascmhldirectory>", entry));
    for command in [&["check", "--exact", list][..], &["audit", list], &["diff", list, "clips"]] {
        let ran = folder.run(command);
        assert_eq!(ran.code, Some(0), "{command:?}: {}{}", ran.out(), ran.err);
    }
    // Other files in the folder, or files with such a name elsewhere, are reported.
    folder.write("clips/ascmhl/0003_junk.mhl", "");
    folder.write("clips/ascmhl/notes", "");
    folder.write("clips/ascmhl_chain.xml", "");
    let ran = folder.run(&["check", "--exact", list]);
    let message =
        "3 files in clips are not in the manifest: ascmhl/0003_junk.mhl, ascmhl/notes, ascmhl_chain.xml\n";
    assert!(ran.code == Some(1) && ran.err.contains(message), "{}", ran.err);
}
