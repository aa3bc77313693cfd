//! `truesum scrub --repair-from`: replaces corrupt files with intact copies, and nothing else.

use crate::program::{Folder, RunResult};
use crate::scrub::{recorded, write};
use crate::scrub_manifests::sorted;
use std::fs;

/// Returns a folder with recorded files and a copy of each in the folder `copy`.
fn copied(files: &[(&str, &str)]) -> Folder {
    let folder = recorded(files);
    files.iter().for_each(|(name, text)| folder.write(name.replacen("d/", "copy/", 1), text));
    folder
}

fn repair(folder: &Folder, words: &[&str]) -> RunResult {
    folder.run(&[&["scrub", "-q", "--all", "--repair-from", "copy", "d"], words].concat())
}

#[test]
fn corrupt_files_are_replaced_with_their_copies_and_read_again() {
    let folder = copied(&[("d/a", "good"), ("d/sub/b", "better"), ("d/c", "intact")]);
    let before = ["d/a", "d/sub/b"].map(|name| fs::metadata(folder.path(name)).unwrap());
    write(&folder, "d/a", "gOod", 1000);
    write(&folder, "d/sub/b", "cut", 1000);
    // A copy with other content than the recorded one is not used for an intact file.
    folder.write("copy/c", "other");
    let ran = repair(&folder, &[]);
    let lines = "corrupt\ta\ncorrupt\tsub/b\nok\ta\trepaired\nok\tsub/b\trepaired\n";
    assert_eq!((ran.code, sorted(&ran.out()), ran.err.as_str()), (Some(0), sorted(lines), ""));
    for (name, text, before) in [("d/a", "good", &before[0]), ("d/sub/b", "better", &before[1])] {
        let now = fs::metadata(folder.path(name)).unwrap();
        assert_eq!(folder.read(name), text.as_bytes());
        assert_eq!(now.modified().unwrap(), before.modified().unwrap(), "{name}");
        assert_eq!(now.permissions(), before.permissions(), "{name}");
    }
    assert_eq!(folder.read("d/c"), b"intact");
    let ran = folder.run(&["scrub", "--all", "d"]);
    assert_eq!((ran.code, ran.out()), (Some(0), String::new()), "{}", ran.err);
    // The summary counts what is still corrupt.
    write(&folder, "d/a", "gOod", 1000);
    write(&folder, "d/c", "inTact", 1000);
    let ran = folder.run(&["scrub", "--all", "--json", "--repair-from", "copy", "d"]);
    let out = ran.out();
    assert!(ran.code == Some(1) && out.contains(r#""action":"repaired""#), "{out}");
    assert!(out.contains(r#""corrupt":1"#) && out.contains(r#""repaired":1,"failures":1"#), "{out}");
}

#[test]
fn file_that_a_limit_left_unread_can_be_repaired() {
    let folder = copied(&[("d/a", "good"), ("d/b", "good")]);
    write(&folder, "d/a", "bad!", 1000);
    write(&folder, "d/b", "bad!", 1000);
    assert_eq!(folder.run(&["scrub", "-q", "--all", "d"]).code, Some(1));
    let ran = folder.run(&["scrub", "--max-bytes", "1", "--repair-from", "copy", "d"]);
    assert_eq!((ran.code, folder.read("d/a"), folder.read("d/b")), (Some(0), b"good".into(), b"good".into()));
    assert!(ran.err.contains(": 2 repaired; 100% verified"), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn file_without_an_intact_copy_and_edited_file_are_not_replaced() {
    let names = ["damaged", "edited", "longer", "linked", "missing", "outside", "same"];
    let files: Vec<String> = names.iter().map(|name| format!("d/{name}")).collect();
    let folder = copied(&files.iter().map(|name| (name.as_str(), "good")).collect::<Vec<_>>());
    files.iter().for_each(|name| write(&folder, name, "bad!", 1000));
    assert_eq!(folder.run(&["scrub", "-q", "--all", "d"]).code, Some(1));
    folder.write("copy/damaged", "baad");
    write(&folder, "d/edited", "newer", 2000);
    folder.write("copy/longer", "goodgood");
    for name in ["linked", "missing", "outside", "same"] {
        fs::remove_file(folder.path(format!("copy/{name}"))).unwrap();
    }
    fs::hard_link(folder.path("d/same"), folder.path("copy/same")).unwrap();
    std::os::unix::fs::symlink("../d/linked", folder.path("copy/linked")).unwrap();
    std::os::unix::fs::symlink("/dev/null", folder.path("copy/outside")).unwrap();
    let before: Vec<Vec<u8>> = files.iter().map(|name| folder.read(name)).collect();
    let ran = repair(&folder, &[]);
    assert_eq!((ran.code, ran.out().lines().count()), (Some(1), names.len()), "{}", ran.out());
    for error in [
        "copy/damaged: cannot repair from: it is also damaged: its checksum differs from the recorded one\n",
        "d/edited: cannot repair: its modification time changed, so it may have been edited\n",
        "copy/longer: cannot repair from: it is also damaged: its size differs from the recorded one\n",
        "copy/linked: cannot open: ",
        "copy/missing: cannot open: No such file or directory\n",
        "copy/outside: cannot open: ",
        "copy/same: cannot repair from: it is the corrupt file itself, not a copy of it\n",
    ] {
        assert!(ran.err.contains(error), "{error}: {}", ran.err);
    }
    let after: Vec<Vec<u8>> = files.iter().map(|name| folder.read(name)).collect();
    assert_eq!(before, after);
    assert_eq!(folder.run(&["scrub", "--status", "d"]).code, Some(1), "they are still failures");
    // The tree is not a copy of itself, whatever it is called.
    std::os::unix::fs::symlink("d", folder.path("self")).unwrap();
    for name in ["d", "self"] {
        let ran = folder.run(&["scrub", "--repair-from", name, "d"]);
        assert!(ran.code == Some(2) && ran.err.contains("it is the folder to be repaired"), "{}", ran.err);
    }
}

/// Runs a repair as another user, who owns the folder and the state. Returns `None` if the tests are not run by
/// root.
#[cfg(target_os = "linux")]
fn repair_as_other_user(folder: &Folder) -> Option<RunResult> {
    use std::os::unix::fs::{PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    for name in ["d", "d/.truesum-state"] {
        chown(folder.path(name), Some(65534), Some(65534)).ok()?;
    }
    fs::set_permissions(folder.root(), fs::Permissions::from_mode(0o755)).unwrap();
    // The other user may not be able to enter the folder that the program was built in.
    let program = folder.path("truesum");
    fs::copy(env!("CARGO_BIN_EXE_truesum"), &program).unwrap();
    let mut command = std::process::Command::new(program);
    command.current_dir(folder.root()).env("TRUESUM_CONFIG", "");
    command.args(["scrub", "-q", "--all", "--repair-from", "copy", "d"]).uid(65534).gid(65534);
    Some(command.output().unwrap().into())
}

#[test]
#[cfg(all(target_os = "linux", not(truesum_fs = "portable")))]
fn file_of_another_user_is_not_replaced() {
    // regression: it was replaced while another program had it open for writing, whose data was lost, because only the
    // owner of a file can find out whether it is open.
    let folder = copied(&[("d/a", "good")]);
    write(&folder, "d/a", "bad!", 1000);
    let open = fs::File::options().write(true).open(folder.path("d/a")).unwrap();
    let Some(ran) = repair_as_other_user(&folder) else { return };
    let why = "d/a: cannot repair: whether a program has it open for writing cannot be determined, because it \
               belongs to another user\n";
    assert!(ran.code == Some(1) && ran.err.contains(why), "{}", ran.err);
    assert_eq!(folder.read("d/a"), b"bad!");
    drop(open);
}

#[test]
#[cfg(target_os = "linux")]
fn file_whose_attributes_cannot_be_kept_is_not_replaced() {
    // regression: the repaired file belonged to the user who ran the repair, or to another group.
    use std::os::unix::fs::MetadataExt;
    let folder = copied(&[("d/a", "good")]);
    write(&folder, "d/a", "bad!", 1000);
    if std::os::unix::fs::chown(folder.path("d/a"), Some(65534), Some(65533)).is_err() {
        return;
    }
    let Some(ran) = repair_as_other_user(&folder) else { return };
    let why = "d/a: cannot replace: its group cannot be kept\n";
    assert!(ran.code == Some(1) && ran.err.contains(why), "{}", ran.err);
    assert_eq!(
        (folder.read("d/a"), fs::metadata(folder.path("d/a")).unwrap().gid()),
        (b"bad!".into(), 65533)
    );
}

#[test]
#[cfg(target_os = "linux")]
fn attributes_that_only_root_may_set_are_kept() {
    // regression: capabilities and trusted attributes were lost. Writing to a file removes capabilities and the setuid
    // bit.
    use rustix::fs::{IFlags, XattrFlags, getxattr, ioctl_setflags, setxattr};
    use std::os::unix::fs::PermissionsExt;
    let folder = copied(&[("d/a", "good"), ("d/fixed", "good")]);
    write(&folder, "d/a", "bad!", 1000);
    let path = folder.path("d/a");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o4751)).unwrap();
    // `cap_net_bind_service=ep`, in version 2 of the format.
    let capability = [[1, 0, 0, 2], [0, 4, 0, 0], [0; 4], [0; 4], [0; 4]].concat();
    let mut values = vec![
        ("user.x", b"one".to_vec()),
        ("trusted.x", b"two".to_vec()),
        ("security.capability", capability),
    ];
    values.retain(|(name, value)| setxattr(&path, *name, value, XattrFlags::empty()).is_ok());
    let ran = repair(&folder, &[]);
    assert_eq!((ran.code, folder.read("d/a"), ran.err.as_str()), (Some(0), b"good".into(), ""));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o4751);
    for (name, value) in values {
        let mut found = [0; 64];
        let len = getxattr(&path, name, &mut found[..]).unwrap();
        assert_eq!(found[..len], value, "{name}");
    }
    // regression: the cause was only "Operation not permitted".
    write(&folder, "d/fixed", "bad!", 1000);
    let file = fs::File::open(folder.path("d/fixed")).unwrap();
    if ioctl_setflags(&file, IFlags::IMMUTABLE).is_ok() {
        let ran = repair(&folder, &[]);
        ioctl_setflags(&file, IFlags::empty()).unwrap();
        let why = "d/fixed: cannot replace: it is immutable or append-only (see chattr(1))\n";
        assert!(ran.code == Some(1) && ran.err.contains(why), "{}", ran.err);
        assert_eq!(folder.read("d/fixed"), b"bad!");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn holes_of_a_sparse_file_remain_holes() {
    // regression: a repaired file was allocated completely.
    use std::os::unix::fs::{FileExt, MetadataExt};
    let folder = copied(&[("d/a", "good")]);
    for name in ["d/b", "copy/b"] {
        write(&folder, name, "begin", 1000);
        let file = fs::File::options().write(true).open(folder.path(name)).unwrap();
        file.write_all_at(b"middle", (4 << 20) + 1000).unwrap();
        file.set_len((8 << 20) + 1).unwrap();
        crate::program::set_mtime(&folder, name, std::time::UNIX_EPOCH);
    }
    assert_eq!(folder.run(&["scrub", "-q", "--all", "d"]).code, Some(0));
    fs::File::options().write(true).open(folder.path("d/b")).unwrap().write_all_at(b"B", 0).unwrap();
    crate::program::set_mtime(&folder, "d/b", std::time::UNIX_EPOCH);
    let ran = repair(&folder, &[]);
    assert_eq!((ran.code, folder.read("d/b") == folder.read("copy/b")), (Some(0), true), "{}", ran.err);
    let [copy, new] = ["copy/b", "d/b"].map(|name| fs::metadata(folder.path(name)).unwrap().blocks());
    assert!(new <= copy + 16, "{new} blocks instead of {copy}");
}

#[test]
#[cfg(unix)]
fn link_that_existed_before_the_run_is_named() {
    // regression: it "changed during the run", and the hint about corrupt files was printed although none was reported.
    let folder = copied(&[("d/a", "good"), ("d/sub/b", "good"), ("d/c", "intact")]);
    for name in ["a", "sub"] {
        let file = if name == "sub" { "d/sub/b" } else { "d/a" };
        write(&folder, file, "bad!", 1000);
        assert_eq!(folder.run(&["scrub", "-q", "--all", "d"]).code, Some(1));
        fs::rename(folder.path(format!("d/{name}")), folder.path(name)).unwrap();
        std::os::unix::fs::symlink(format!("../{name}"), folder.path(format!("d/{name}"))).unwrap();
    }
    let ran = repair(&folder, &[]);
    assert_eq!((ran.code, sorted(&ran.out())), (Some(1), sorted("missing\ta\nmissing\tsub/b\n")));
    for error in [
        "d/a: cannot repair: not a regular file, but a symbolic link\n",
        "d/sub/b: cannot repair: a parent folder was replaced by a symbolic link\n",
    ] {
        assert!(ran.err.contains(error) && !ran.err.contains("hint: corrupt"), "{error}: {}", ran.err);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn folder_that_cannot_be_written_is_named() {
    // regression: the error did not say that the folder, and not the file, is write-protected.
    let folder = copied(&[("d/sub/a", "good")]);
    write(&folder, "d/sub/a", "bad!", 1000);
    if std::os::unix::fs::chown(folder.path("d/sub/a"), Some(65534), Some(65534)).is_err() {
        return;
    }
    let Some(ran) = repair_as_other_user(&folder) else { return };
    let why = "d/sub: cannot create a file: Permission denied\n";
    assert!(ran.code == Some(1) && ran.err.contains(why), "{}", ran.err);
    assert_eq!(folder.read("d/sub/a"), b"bad!");
}
