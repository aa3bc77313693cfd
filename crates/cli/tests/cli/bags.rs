//! `truesum bag`: creates and updates bags (RFC 8493); one scenario per test. bagit.py of the Library of Congress must
//! accept our bags, and truesum must accept its bags.

use crate::program::{ABC, Folder, result_of, set_mtime, wait_for_next_tick};
use crate::strace::{can_trace, run};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, SystemTime};
use truesum_fs::system::guarantees;

const INFO: &[&str] = &["--info", "Contact-Name=Ada", "--info", "Bagging-Date=2026-01-31"];

/// Returns the output of bagit.py, or `None` if it is not installed.
fn bagit(folder: &Folder, code: &str) -> Option<String> {
    let code = format!("import sys\ntry: import bagit\nexcept ImportError: sys.exit(77)\n{code}");
    let ran = Command::new("python3").args(["-c", &code]).current_dir(folder.root()).output().ok()?;
    if ran.status.code() == Some(77) {
        truesum_test_support::oracle::missing("bagit (Python)");
        return None;
    }
    Some(String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr))
}

const VALIDATE: &str = "bagit.Bag('bag').validate(); print('valid')";

#[test]
fn bag_create_makes_a_bag_of_a_folder_with_a_payload() {
    let folder = Folder::with(&[("bag/data/a", "abc"), ("bag/data/s/b", ""), ("bag/note.txt", "x")]);
    let ran = folder.run(&[&["bag", "create"], INFO, &["bag"]].concat());
    let message = "truesum: bag: bag created: 2 files, 3 B (sha512)\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    assert_eq!(folder.read("bag/bagit.txt"), b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    let info = String::from_utf8(folder.read("bag/bag-info.txt")).unwrap();
    let agent = format!("Bag-Software-Agent: truesum {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(info, format!("Contact-Name: Ada\nBagging-Date: 2026-01-31\n{agent}Payload-Oxum: 3.2\n"));
    let manifest = String::from_utf8(folder.read("bag/manifest-sha512.txt")).unwrap();
    let names = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split_once("  ").expect("two blanks").1.to_owned()).collect()
    };
    assert_eq!(names(&manifest), ["data/a", "data/s/b"]);
    let tags = String::from_utf8(folder.read("bag/tagmanifest-sha512.txt")).unwrap();
    assert_eq!(names(&tags), ["bag-info.txt", "bagit.txt", "manifest-sha512.txt", "note.txt"]);
    assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0));
    bagit(&folder, VALIDATE).into_iter().for_each(|message| assert_eq!(message, "valid\n"));
}

#[test]
fn bag_create_in_place_moves_files_into_the_payload() {
    let folder = Folder::with(&[("bag/a", "abc"), ("bag/s/b", ""), ("bag/manifest-sha512.txt", "not one")]);
    let ran = folder.run(&["bag", "create", "bag"]);
    let message = "truesum: bag: the folder has no subfolder named data for the payload\n\
                hint: to move all files into such a subfolder first: truesum bag create --in-place bag\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
    let ran = folder.run(&["bag", "create", "--in-place", "-a", "sha256,md5", "bag"]);
    let message = "truesum: bag: bag created: 3 files, 10 B (sha256, md5)\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    assert_eq!(folder.read("bag/data/manifest-sha512.txt"), b"not one");
    assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0));
    bagit(&folder, VALIDATE).into_iter().for_each(|message| assert_eq!(message, "valid\n"));
    let ran = folder.run(&["bag", "create", "--in-place", "bag"]);
    let message = "truesum: bag: already a bag\n\
                hint: to add new files: truesum bag update bag\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
}

#[test]
fn interrupted_bag_move_is_resumed() {
    let folder = Folder::with(&[("bag/.truesum-bag/a", "abc"), ("bag/b", "")]);
    let ran = folder.run(&["bag", "create", "--in-place", "-q", "bag"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    assert!(folder.path("bag/data/a").is_file() && folder.path("bag/data/b").is_file());
    assert!(!folder.path("bag/.truesum-bag").exists());
    assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0));
}

#[test]
fn in_place_bag_killed_after_the_move_is_completed() {
    let folder = Folder::with(&[("bag/a", "abc"), ("bag/s/b", "")]);
    let make = ["bag", "create", "--in-place", "-q", "bag"];
    assert_eq!(folder.run(&make).code, Some(0));
    let made = folder.read("bag/manifest-sha512.txt");
    // The state before the last step; then with more and more files missing.
    std::fs::rename(folder.path("bag/bagit.txt"), folder.path("bag/.truesum-bagit.txt")).unwrap();
    let names = ["tagmanifest-sha512.txt", "bag-info.txt", "manifest-sha512.txt"];
    for lost in 0..=names.len() {
        names[..lost].iter().for_each(|name| std::fs::remove_file(folder.path("bag").join(name)).unwrap());
        assert_eq!(result_of(&folder.run(&make)), (String::new(), "", Some(0)), "without {lost}");
        assert_eq!(folder.read("bag/manifest-sha512.txt"), made);
        assert!(!folder.path("bag/.truesum-bagit.txt").exists());
        assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0));
        std::fs::rename(folder.path("bag/bagit.txt"), folder.path("bag/.truesum-bagit.txt")).unwrap();
    }
    // The command without --in-place completes the bag too, and no manifest contains the marker.
    assert_eq!(folder.run(&["bag", "create", "-q", "bag"]).code, Some(0));
    assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0));
    assert_eq!(std::fs::read_dir(folder.path("bag")).unwrap().count(), 5);
}

#[test]
fn bag_create_killed_at_any_call_is_completed_by_rerunning() {
    if !can_trace() {
        return;
    }
    let in_place = ["bag", "create", "--in-place", "-q", "-a", "md5,sha256", "bag"];
    let plain = ["bag", "create", "-q", "-a", "md5,sha256", "bag"];
    for (make, data) in [(&in_place[..], "bag"), (&plain, "bag/data")] {
        killed_at_any_call(make, data);
    }
}

fn killed_at_any_call(make: &[&str], data: &str) {
    let mut killed = 0;
    for call in ["mkdir", "linkat", "rename", "renameat", "renameat2", "fsync"] {
        for n in 1..20 {
            let folder = Folder::new();
            for (name, text) in [("a", "abc"), ("s/b", ""), ("bag-info.txt", "mine")] {
                folder.write(format!("{data}/{name}"), text);
            }
            let inject = format!("inject={call}:signal=KILL:when={n}");
            let ran = run(folder.root(), &["-e", &format!("trace={call}"), "-e", &inject], make);
            if ran.status.success() {
                break;
            }
            killed += 1;
            if !guarantees().leaves_nothing_when_killed() {
                for file in std::fs::read_dir(folder.path("bag")).unwrap().map(Result::unwrap) {
                    if file.path().extension().is_some_and(|end| end == "part") {
                        std::fs::remove_file(file.path()).unwrap();
                    }
                }
            }
            // regression: a run that was killed in its last fsync was refused, because the folder was already a bag.
            assert_eq!(result_of(&folder.run(make)), (String::new(), "", Some(0)), "{call} {n}");
            assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0), "{call} {n}");
            for (name, text) in [("a", "abc"), ("s/b", ""), ("bag-info.txt", "mine")] {
                assert_eq!(folder.read(format!("bag/data/{name}")), text.as_bytes(), "{call} {n}");
            }
            assert!(!folder.path("bag/.truesum-bagit.txt").exists(), "{call} {n}");
        }
    }
    assert!(killed > 8, "{killed} calls were found to kill at");
}

#[test]
fn concurrent_bag_creations_of_one_folder_are_rejected() {
    let folder = Folder::with(&[("bag/a", "abc")]);
    let other = std::fs::File::open(folder.path("bag")).unwrap();
    other.lock().unwrap();
    let ran = folder.run(&["bag", "create", "--in-place", "bag"]);
    let error = "truesum: bag: cannot lock: another truesum process is changing this bag\n";
    assert_eq!(result_of(&ran), (String::new(), error, Some(2)));
    assert!(folder.path("bag/a").exists());
    drop(other);
    assert_eq!(folder.run(&["bag", "create", "--in-place", "-q", "bag"]).code, Some(0));
}

#[test]
fn bag_update_adds_new_files() {
    let folder = Folder::with(&[("bag/data/a", "abc")]);
    assert_eq!(folder.run(&["bag", "create", "-q", "-a", "sha256", "bag"]).code, Some(0));
    wait_for_next_tick();
    folder.write("bag/data/b", "more");
    folder.write("bag/bag-info.txt", "Source-Organization: x\n  y\nPayload-Oxum: 3.1\n");
    assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(1));
    let ran = folder.run(&["bag", "update", "bag"]);
    let message = "truesum: bag-info.txt: does not match the bag's tag manifest\n\
                truesum: bag: nothing was written (1 error)\n\
                hint: to accept modified files: truesum bag update --refresh bag\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(1)));
    let words = ["bag", "update", "--refresh", "--info", "Bagging-Date=2026-01-31", "-a", "md5", "bag"];
    let ran = folder.run(&words);
    let message = "truesum: bag: bag updated, 1 file added, 1 refreshed; now 2 files, 7 B (sha256, md5)\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    assert_eq!(
        folder.read("bag/bag-info.txt"),
        b"Source-Organization: x\n  y\nBagging-Date: 2026-01-31\nPayload-Oxum: 7.2\n"
    );
    assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0));
    bagit(&folder, VALIDATE).into_iter().for_each(|message| assert_eq!(message, "valid\n"));
}

#[test]
fn damaged_missing_or_unfit_files_are_never_recorded_as_good() {
    let folder = Folder::with(&[("bag/data/a", "abc"), ("bag/data/b", "x")]);
    assert_eq!(folder.run(&["bag", "create", "-q", "-a", "sha256", "bag"]).code, Some(0));
    let before = folder.read("bag/manifest-sha256.txt");
    wait_for_next_tick();
    folder.write("bag/data/a", "abd");
    std::fs::remove_file(folder.path("bag/data/b")).unwrap();
    let ran = folder.run(&["bag", "update", "bag"]);
    let message = "truesum: data/a: does not match the bag's manifest\n\
                truesum: data/b: in the bag's manifest, but missing from the payload\n\
                truesum: bag: nothing was written (2 errors)\n\
                hint: to accept modified and deleted files: truesum bag update --refresh --prune bag\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(1)));
    assert_eq!(folder.read("bag/manifest-sha256.txt"), before);
    let ran = folder.run(&["bag", "update", "--refresh", "--prune", "bag"]);
    let message =
        "truesum: bag: bag updated, 0 files added, 1 refreshed, 1 removed; now 1 file, 3 B (sha256)\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
    assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0));
    // Nothing shows that this file was edited.
    folder.write("bag/data/a", "abx");
    set_mtime(&folder, "bag/data/a", SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000));
    let ran = folder.run(&["bag", "update", "--refresh", "bag"]);
    let message = "truesum: data/a: does not match the bag's manifest\n\
                truesum: bag: nothing was written (1 error)\n\
                hint: modified files that are not newer than the manifests may be corrupt; to accept them anyway: \
                truesum bag update --refresh=all bag\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(1)));
    assert_eq!(folder.run(&["bag", "update", "-q", "--refresh=all", "bag"]).code, Some(0));
    assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0));
    let folder = Folder::with(&[("bag/data/a", "abc")]);
    symlink("a", folder.path("bag/data/link")).unwrap();
    folder.write(b"bag/data/\xff", "");
    folder.write("bag/data/trail ", "");
    let ran = folder.run(&["bag", "create", "bag"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for message in
        ["data/link: cannot be in a bag", "its name is not UTF-8", "'data/trail ': cannot be in a bag"]
    {
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    assert_eq!(folder.entries(), ["bag"]);
    assert_eq!(std::fs::read_dir(folder.path("bag")).unwrap().count(), 1, "nothing was written");
}

#[test]
fn invalid_bag_arguments_are_rejected() {
    let folder = Folder::with(&[("bag/data/a", "abc"), ("f", "")]);
    for (words, message) in [
        (&["f"][..], "f: not a folder"),
        (&["-a", "crc32;width=3;poly=3", "bag"], ""),
        (&["--info", "Payload-Oxum=1.1", "bag"], "Payload-Oxum is computed and cannot be specified"),
        (&["--info", "nothing", "bag"], "LABEL=VALUE"),
        (&["-o", "M", "bag"], "unknown option"),
        (&["--exclude", "a", "bag"], "unknown option"),
    ] {
        let ran = folder.run(&[&["bag", "create"], words].concat());
        assert_eq!(ran.code, Some(2), "{words:?} {}", ran.err);
        assert!(ran.err.contains(message), "{words:?} {}", ran.err);
    }
    assert_eq!(std::fs::read_dir(folder.path("bag")).unwrap().count(), 1, "nothing was written");
}

#[test]
fn unsuitable_contents_of_a_new_bag_are_reported_with_a_fitting_hint() {
    let folder = Folder::with(&[("file/data", "abc"), ("tags/data/a", "abc"), ("sub/data/a", "abc")]);
    std::fs::create_dir_all(folder.path("empty/data")).unwrap();
    std::fs::create_dir(folder.path("none")).unwrap();
    folder.write("tags/tagmanifest-sha-256.txt", format!("{ABC}  data/a\n"));
    for (words, message) in [
        (
            &["file"][..],
            "contains a file named data, but the payload must be in a subfolder named data\nhint: rename",
        ),
        (&["--in-place", "file"], "contains a file named data, but"),
        (&["--in-place", "sub"], "already contains a subfolder named data\nhint: to use data as the payload"),
        (
            &["empty"],
            "there are no files for the payload\nhint: add at least one file to the subfolder data\n",
        ),
        (
            &["--in-place", "none"],
            "there are no files for the payload\nhint: add at least one file to the folder\n",
        ),
        (&["tags"], "contains sha256 digests, so it must be named tagmanifest-sha256.txt\n"),
    ] {
        let ran = folder.run(&[&["bag", "create"], words].concat());
        assert_eq!(ran.code, Some(2), "{words:?} {}", ran.err);
        assert!(ran.err.contains(message), "{words:?} {}", ran.err);
    }
}

#[test]
fn bag_is_created_once_and_only_bags_are_updated_or_checked() {
    let folder = Folder::with(&[("bag/data/a", "abc"), ("SHA256SUMS", "")]);
    for (subcommand, why, hint) in [
        ("update", "not a bag", "to make it a bag: "),
        ("check", "not a bag: it contains no bagit.txt", "to make it a bag: "),
    ] {
        let ran = folder.run(&["bag", subcommand, "bag"]);
        let message = format!("truesum: bag: {why}\nhint: {hint}truesum bag create bag\n");
        assert_eq!(result_of(&ran), (String::new(), message.as_str(), Some(2)));
    }
    assert_eq!(folder.run(&["bag", "create", "-q", "bag"]).code, Some(0));
    let ran = folder.run(&["bag", "create", "bag"]);
    let message = "truesum: bag: already a bag\nhint: to add new files: truesum bag update bag\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(2)));
    folder.write("bag/data/b", "");
    let ran = folder.run(&["bag", "check", "-q", "bag"]);
    assert_eq!(ran.code, Some(1), "a file of the payload is in no manifest: {}", ran.err);
    for (words, message) in [
        (
            &["hash", "--bag", "bag"][..],
            "truesum: hash: unknown option --bag\nhint: truesum bag create DIR\n",
        ),
        (&["--bag", "bag"], "truesum: hash: unknown option --bag\nhint: truesum bag create DIR\n"),
        (&["check", "--bag", "bag"], "truesum: check: unknown option --bag\nhint: truesum bag check DIR\n"),
    ] {
        assert_eq!(result_of(&folder.run(words)), (String::new(), message, Some(2)));
    }
}

/// Unusual names: those that a bag cannot hold are rejected by name, all others are valid to both programs.
#[test]
fn unusual_names_are_valid_to_truesum_and_bagit_py() {
    let names: [&[u8]; 44] = [
        b"plain",
        b"two words",
        b"two  blanks",
        b" lead",
        b"tab\tx",
        b"#hash",
        b";semi",
        b"deadbeef",
        b"deadbeef 8bc1c45f",
        b"quo\"te",
        b"quo'te",
        b"\"quoted\"",
        b"comma, x",
        b"back\\slash",
        b"new\nline",
        b"end\n",
        b"cr\rmid",
        b"umlaut-\xc3\xa4",
        b"(paren) = x",
        b"-dash",
        b"--help",
        b"-",
        b"*star",
        b"@at",
        b"~tilde",
        b"$(id)",
        b"a:b",
        b"=x",
        b"metadata",
        b"manifest-md5.txt",
        b"bag-info.txt",
        b".hidden",
        b"{\"a\":1}",
        b"<x>&amp;",
        b"u\xcc\x88nfd",
        b"rtl\xe2\x80\xaex",
        b"esc\x1b[31mx",
        b"\x7f",
        b"d41d8cd98f00b204e9800998ecf8427e",
        b"d41d8cd98f00b204e9800998ecf8427e  a",
        b"x offset 0-1",
        b"\xf0\x9f\x92\xbe",
        b"...",
        b"CON",
    ];
    let folder = Folder::new();
    for name in names {
        folder.write([b"bag/", name].concat(), name);
    }
    let ran = folder.run(&["bag", "create", "--in-place", "-q", "-a", "md5,sha512", "bag"]);
    assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
    for name in names {
        assert!(folder.path([b"bag/data/", name].concat()).is_file(), "{}", name.escape_ascii());
    }
    let ran = folder.run(&["bag", "check", "bag"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    bagit(&folder, VALIDATE).into_iter().for_each(|message| assert_eq!(message, "valid\n"));
    let theirs = Folder::new();
    for name in names {
        theirs.write([b"bag/", name].concat(), name);
    }
    let made = "bagit.make_bag('bag', {'Contact-Name': 'x'}, checksums=['md5', 'sha256', 'sha512'])";
    if bagit(&theirs, made).is_some() {
        assert!(theirs.path("bag/bagit.txt").is_file());
        let ran = theirs.run(&["check", "-q", "bag"]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out(), ran.err);
        let ran = theirs.run(&["bag", "update", "-q", "bag"]);
        assert_eq!(result_of(&ran), (String::new(), "", Some(0)));
        bagit(&theirs, VALIDATE).into_iter().for_each(|message| assert_eq!(message, "valid\n"));
    }
}

#[test]
fn non_utf8_names_are_escaped_in_messages() {
    let folder = Folder::new();
    folder.write(b"bag/data/\xff", "");
    let ran = folder.run(&["bag", "create", "bag"]);
    assert!(ran.err.starts_with("truesum: 'data/'$'\\377': cannot be in a bag"), "{}", ran.err);
    assert_eq!(folder.path(b"bag/data/\xff").as_os_str().as_bytes().last(), Some(&0xff));
}

#[test]
fn bag_that_check_would_reject_is_not_completed() {
    let folder = Folder::with(&[("b/data/a", "abc"), ("b/fetch.txt", "http://x/y 5 ../../etc\n")]);
    let ran = folder.run(&["bag", "create", "b"]);
    assert!(ran.code == Some(2) && ran.err.contains("b/fetch.txt: "), "{}", ran.err);
    assert!(ran.err.contains("line 1: the name is outside the payload folder"), "{}", ran.err);
    assert_eq!(folder.entries(), ["b"]);
    folder.write("b/fetch.txt", "http://x/y 3 data/a\n");
    assert_eq!(folder.run(&["bag", "create", "b"]).code, Some(0));
    assert_eq!(folder.run(&["check", "b"]).code, Some(0));
}

#[test]
fn duplicate_file_in_payload_manifest_makes_a_bag_invalid() {
    // regression: RFC 8493, section 2.1.3, allows a file at most once, but such a bag was verified.
    let folder = Folder::with(&[
        ("bag/data/a", "abc"),
        ("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"),
    ]);
    let line = format!("{ABC}  data/a\n");
    for (manifest, code) in [(line.clone(), 0), (line.repeat(2), 1)] {
        folder.write("bag/manifest-sha256.txt", manifest);
        let ran = folder.run(&["bag", "check", "bag"]);
        assert_eq!(ran.code, Some(code), "{}{}", ran.out(), ran.err);
        assert_eq!(ran.err.contains("it lists a file more than once"), code == 1, "{}", ran.err);
    }
}

#[test]
fn bag_update_does_not_validate_a_modified_payload_manifest() {
    // regression: the payload manifests were not compared with the tag manifests before these were rewritten.
    let folder = Folder::with(&[("bag/data/a", "abc"), ("bag/note", "x")]);
    assert_eq!(folder.run(&["bag", "create", "-q", "-a", "sha256,md5", "bag"]).code, Some(0));
    folder.write("bag/data/a", "evil");
    folder.run(&["hash", "-q", "-t", "bagit", "-a", "sha256", "-o", "bag/manifest-sha256.txt", "bag/data/a"]);
    folder.write("bag/manifest-sha256.txt", {
        let ran = folder.run(&["hash", "-a", "sha256", "bag/data/a"]);
        ran.out().replace("bag/data/a", "data/a")
    });
    folder.write("bag/manifest-md5.txt", {
        let ran = folder.run(&["hash", "-a", "md5", "bag/data/a"]);
        ran.out().replace("bag/data/a", "data/a")
    });
    std::fs::remove_file(folder.path("bag/note")).unwrap();
    let before = folder.read("bag/tagmanifest-md5.txt");
    let ran = folder.run(&["bag", "update", "bag"]);
    let message = "truesum: manifest-md5.txt: does not match the bag's tag manifest\n\
                truesum: manifest-sha256.txt: does not match the bag's tag manifest\n\
                truesum: note: in the bag's tag manifest, but missing from the bag\n\
                truesum: bag: nothing was written (3 errors)\n\
                hint: restore the payload manifests from a copy; to record the files without verifying them: \
                rm bag/bagit.txt bag/manifest-md5.txt bag/manifest-sha256.txt \
                bag/tagmanifest-md5.txt bag/tagmanifest-sha256.txt \
                && truesum bag create bag\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(1)));
    // regression: these options accepted the modified manifests.
    let ran = folder.run(&["bag", "update", "-q", "--refresh=all", "--prune", "bag"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("manifest-md5.txt: does not match the bag's tag manifest"), "{}", ran.err);
    assert_eq!(folder.read("bag/tagmanifest-md5.txt"), before);
    for name in ["bagit", "manifest-md5", "manifest-sha256", "tagmanifest-md5", "tagmanifest-sha256"] {
        std::fs::remove_file(folder.path(format!("bag/{name}.txt"))).unwrap();
    }
    assert_eq!(folder.run(&["bag", "create", "-q", "bag"]).code, Some(0));
    assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0));
}

#[test]
fn bag_update_killed_at_any_call_is_completed_by_rerunning() {
    if !can_trace() {
        return;
    }
    let mut killed = 0;
    for call in ["linkat", "rename", "renameat", "renameat2", "fsync", "unlink", "unlinkat"] {
        for n in 1..30 {
            let folder = Folder::with(&[("bag/data/a", "abc"), ("bag/note", "x")]);
            let create =
                ["bag", "create", "-q", "-a", "md5,sha256", "--info", "Bagging-Date=2001-01-01", "bag"];
            assert_eq!(folder.run(&create).code, Some(0));
            folder.write("bag/data/b", "more");
            let update = ["bag", "update", "-q", "bag"];
            let inject = format!("inject={call}:signal=KILL:when={n}");
            let ran = run(folder.root(), &["-e", &format!("trace={call}"), "-e", &inject], &update);
            if ran.status.success() {
                break;
            }
            killed += 1;
            // Another day's run writes another bag-info.txt.
            let update = ["bag", "update", "-q", "--info", "Bagging-Date=2002-02-02", "bag"];
            assert_eq!(result_of(&folder.run(&update)), (String::new(), "", Some(0)), "{call} {n}");
            assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0), "{call} {n}");
            let names = std::fs::read_dir(folder.path("bag")).unwrap();
            let names: Vec<_> = names.map(|name| name.unwrap().file_name().into_string().unwrap()).collect();
            assert_eq!(
                names.iter().filter(|name| !name.ends_with(".part")).count(),
                8,
                "{call} {n}: {names:?}"
            );
            assert!(!folder.read("bag/tagmanifest-md5.txt").windows(5).any(|part| part == b".part"));
        }
    }
    assert!(killed > 8, "{killed} calls were found to kill at");
}

/// Prepares the contents of the folder `bag`.
type Prepare = fn(&Folder);

/// Creates a symbolic link in the folder `bag`.
fn link(folder: &Folder, target: &str, name: &str) {
    symlink(target, folder.path(format!("bag/{name}"))).unwrap();
}

/// Contents of folders that cannot always be stored in a bag.
const UNUSUAL_BAGS: &[(&str, Prepare)] = &[
    ("link to a file", |f| link(f, "a", "data/link")),
    ("link to a file outside", |f| link(f, "../../outside/f", "data/link")),
    ("link to a folder", |f| link(f, "sub", "data/link")),
    ("link to a folder outside", |f| link(f, "../../outside", "data/link")),
    ("dangling link", |f| link(f, "none", "data/link")),
    ("loop", |f| link(f, ".", "data/loop")),
    ("link to a tag file", |f| link(f, "../note", "data/link")),
    ("link to bag-info.txt", |f| {
        f.write("bag/bag-info.txt", "A: b\n");
        link(f, "../bag-info.txt", "data/link");
    }),
    ("tag link", |f| link(f, "note", "link")),
    ("tag link to a file outside", |f| link(f, "../outside/f", "link")),
    ("tag link to a folder", |f| link(f, "meta", "link")),
    ("tag link to a folder outside", |f| link(f, "../outside", "link")),
    ("tag link to bag-info.txt", |f| {
        f.write("bag/bag-info.txt", "A: b\n");
        link(f, "bag-info.txt", "link");
    }),
    ("tag link below", |f| link(f, "../../outside/f", "meta/link")),
    ("names", |f| {
        for name in
            ["%", "%25", "%0A", "%0a", "a\rb", "a\nb", "a\r\nb", "a\\b", " a", "*a", "a  b", "-a", "u\u{308}"]
        {
            f.write(format!("bag/data/{name}"), name);
        }
    }),
    ("tag names", |f| {
        ["%", "%0D", "a\nb", "a\\b", "*a"].iter().for_each(|name| f.write(format!("bag/{name}"), name))
    }),
    ("a blank at the end", |f| f.write("bag/data/a ", "")),
    ("a tag name with a blank", |f| f.write("bag/ a", "")),
    ("not UTF-8", |f| f.write(b"bag/data/\xff", "")),
    ("tag name that is not UTF-8", |f| f.write(b"bag/meta/\xff", "")),
    ("empty folders", |f| std::fs::create_dir_all(f.path("bag/data/empty/empty")).unwrap()),
    ("pipe", |f| drop(f.pipe("bag/data/pipe"))),
    ("tag pipe", |f| drop(f.pipe("bag/pipe"))),
    ("tag pipe below", |f| drop(f.pipe("bag/meta/pipe"))),
    ("hard link", |f| std::fs::hard_link(f.path("bag/data/a"), f.path("bag/data/h")).unwrap()),
    ("bag in a bag", |f| {
        f.write("bag/data/bagit.txt", "x");
        f.write("bag/data/manifest-md5.txt", "x");
        f.write("bag/meta/manifest-md5.txt", "x");
    }),
    ("fetch.txt", |f| f.write("bag/fetch.txt", "http://x/y 3 data/a\n\n")),
    ("fetch.txt of a missing file", |f| f.write("bag/fetch.txt", "http://x/y 3 data/none\n")),
    ("fetch.txt of a tag file", |f| f.write("bag/fetch.txt", "http://x/y 3 note\n")),
    ("fetch.txt in Latin-1", |f| f.write("bag/fetch.txt", b"http://x/y 3 data/\xe9\n")),
    ("fetch.txt of a folder", |f| f.write("bag/fetch.txt", "http://x/y 3 data/sub\n")),
    ("bag-info.txt without labels", |f| f.write("bag/bag-info.txt", "A: x\rno label\n")),
    ("bag-info.txt with two counts", |f| {
        f.write("bag/bag-info.txt", "A: x\rPayload-Oxum: 1.1\rPayload-Oxum: 2.1")
    }),
    ("bag-info.txt with a byte order mark", |f| f.write("bag/bag-info.txt", "\u{feff}A: x\r\n  y\r\n")),
    ("bag-info.txt in Latin-1", |f| f.write("bag/bag-info.txt", b"A: \xe9\n")),
    ("manifest of an unknown algorithm", |f| f.write("bag/manifest-foo.txt", "")),
    ("manifest without entries", |f| f.write("bag/manifest-md5.txt", "")),
    ("tag manifest without entries", |f| f.write("bag/tagmanifest-md5.txt", "")),
    ("journal without entries", |f| f.write("bag/.truesum-tagmanifest-md5.txt", "")),
    ("a name like that of a manifest", |f| f.write("bag/Manifest-md5.txt", "")),
    ("a manifest that is a folder", |f| std::fs::create_dir(f.path("bag/manifest-md5.txt")).unwrap()),
    ("a manifest that is a link", |f| link(f, "none", "manifest-sha512.txt")),
    ("a marker that is not one", |f| f.write("bag/.truesum-bagit.txt", "x")),
];

#[test]
fn created_or_updated_bag_passes_check() {
    // regression: bags with symbolic links, a fetch.txt or a declaration in Latin-1 were written, and then failed a
    // check.
    let plain = || {
        Folder::with(&[
            ("bag/data/a", "abc"),
            ("bag/data/sub/b", "x"),
            ("bag/note", "x"),
            ("bag/meta/m", "x"),
            ("outside/f", "abc"),
        ])
    };
    let check = |folder: &Folder, what: &str| {
        let ran = folder.run(&["bag", "check", "bag"]);
        assert_eq!(ran.code, Some(0), "{what}: {}{}", ran.out(), ran.err);
    };
    let mut done = 0;
    for (name, prepare) in UNUSUAL_BAGS {
        for options in [&[][..], &["-L"], &["-a", "blake3,md5"], &["--in-place"]] {
            let folder = plain();
            prepare(&folder);
            if options == ["--in-place"] {
                std::fs::rename(folder.path("bag/data"), folder.path("bag/pay")).unwrap();
            }
            let what = format!("create {options:?}: {name}");
            let ran = folder.run(&[&["bag", "create", "bag"], options].concat());
            match ran.code {
                Some(0) => check(&folder, &what),
                code => {
                    assert!(
                        matches!(code, Some(1 | 2)) && ran.err.contains("truesum: "),
                        "{what}: {}",
                        ran.err
                    );
                    assert!(!folder.path("bag/bagit.txt").exists(), "{what}: {}", ran.err);
                }
            }
            done += u64::from(ran.code == Some(0));
        }
        for options in [&["--refresh=all"][..], &["-L", "--refresh=all", "-a", "md5"]] {
            let folder = plain();
            assert_eq!(folder.run(&["bag", "create", "-q", "bag"]).code, Some(0));
            if *name == "a manifest that is a link" {
                std::fs::remove_file(folder.path("bag/manifest-sha512.txt")).unwrap();
            }
            prepare(&folder);
            let ran = folder.run(&[&["bag", "update", "bag"], options].concat());
            if ran.code == Some(0) {
                check(&folder, &format!("update {options:?}: {name}"));
                done += 1;
            }
        }
    }
    assert!(done > 60, "{done}");
    let folder = plain();
    assert_eq!(folder.run(&["bag", "create", "-q", "bag"]).code, Some(0));
    for (text, why) in [
        (
            "BagIt-Version: 1.0\nTag-File-Character-Encoding: ISO-8859-1\n",
            "tag files are written only in UTF-8",
        ),
        ("BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n", "unsupported BagIt-Version"),
        ("", "no BagIt-Version"),
    ] {
        folder.write("bag/bagit.txt", text);
        let ran = folder.run(&["bag", "update", "--refresh=all", "bag"]);
        assert!(ran.code == Some(2) && ran.err.contains(why), "{}", ran.err);
    }
}

#[test]
fn bags_are_checked_even_if_other_arguments_are_not_bags() {
    // regression: nothing was checked if one of the folders was not a bag.
    let folder = Folder::with(&[("A/data/a", "abc"), ("B/b", "x"), ("C/data/c", "x"), ("M", "")]);
    assert_eq!(folder.run(&["bag", "create", "-q", "A", "C"]).code, Some(0));
    let ran = folder.run(&["bag", "check", "A", "none", "B", "M", "C"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.out().contains("A/data/a: OK\n") && ran.out().contains("C/data/c: OK\n"), "{}", ran.out());
    for message in ["none: cannot open: No such", "B: not a bag", "M: not a bag", "create --in-place B\n"] {
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    assert!(!ran.err.contains("check -r"), "{}", ran.err);
    let ran = folder.run(&["bag", "check", "--json", "A", "B"]);
    assert!(ran.code == Some(2) && ran.out().contains("\"exit\":2"), "{}", ran.out());
    folder.write("C/data/c", "y");
    assert_eq!(folder.run(&["bag", "check", "B", "C"]).code, Some(1));
}

#[test]
fn bag_update_never_recreates_a_missing_payload_manifest() {
    // regression: --prune removed its entry from the tag manifest, and damaged files were recorded as good.
    let folder = Folder::with(&[("bag/data/a", "abc"), ("bag/data/b", "x")]);
    assert_eq!(folder.run(&["bag", "create", "-q", "bag"]).code, Some(0));
    std::fs::remove_file(folder.path("bag/manifest-sha512.txt")).unwrap();
    folder.write("bag/data/a", "abd");
    let message = "truesum: manifest-sha512.txt: in the bag's tag manifest, but missing from the bag\n\
                truesum: bag: nothing was written (1 error)\n\
                hint: restore the payload manifests from a copy; to record the files without verifying them: \
                rm bag/bagit.txt bag/tagmanifest-sha512.txt && truesum bag create bag\n";
    for options in [&[][..], &["--prune"], &["--prune", "--refresh=all"]] {
        let ran = folder.run(&[&["bag", "update", "bag"], options].concat());
        assert_eq!(result_of(&ran), (String::new(), message, Some(1)), "{options:?}");
        assert!(!folder.path("bag/manifest-sha512.txt").exists());
    }
    std::fs::remove_file(folder.path("bag/tagmanifest-sha512.txt")).unwrap();
    let ran = folder.run(&["bag", "update", "--prune", "bag"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("the bag has no payload manifest\n"), "{}", ran.err);
    assert!(ran.err.contains("rm bag/bagit.txt && truesum bag create bag\n"), "{}", ran.err);
}

#[test]
fn contradicting_payload_oxum_is_not_replaced_silently() {
    // regression: in a bag without tag manifests, this is the only sign of a lost file.
    let folder = Folder::with(&[("bag/data/a", "abc"), ("bag/data/b", "x")]);
    let create = ["bag", "create", "-q", "--info", "Bagging-Date=2026-01-31", "bag"];
    assert_eq!(folder.run(&create).code, Some(0));
    std::fs::remove_file(folder.path("bag/tagmanifest-sha512.txt")).unwrap();
    let info = String::from_utf8(folder.read("bag/bag-info.txt")).unwrap();
    for (oxum, why) in [
        ("5.3", "Payload-Oxum is \"5.3\", but the payload manifests list 2 files with a total of 4 bytes"),
        ("5.2", "Payload-Oxum is \"5.2\", but"),
        ("four", "Payload-Oxum is \"four\", but"),
        ("4.2\nPayload-Oxum: 4.2", "Payload-Oxum occurs more than once"),
    ] {
        let wrong = info.replace("4.2", oxum);
        folder.write("bag/bag-info.txt", &wrong);
        let ran = folder.run(&["bag", "update", "bag"]);
        assert_eq!(ran.code, Some(1), "{oxum}: {}", ran.err);
        assert!(ran.err.starts_with(&format!("truesum: bag-info.txt: {why}")), "{}", ran.err);
        assert!(ran.err.ends_with("truesum bag update --refresh bag\n"), "{}", ran.err);
        assert_eq!(folder.read("bag/bag-info.txt"), wrong.as_bytes());
        assert!(!folder.path("bag/tagmanifest-sha512.txt").exists());
    }
    assert_eq!(folder.run(&["bag", "update", "-q", "--refresh", "bag"]).code, Some(0));
    assert_eq!(folder.run(&["bag", "check", "-q", "bag"]).code, Some(0));
}

#[test]
fn bag_hints_repeat_the_options_of_the_user() {
    // regression: the command in the hint dropped the options, and a name such as -bag became an option.
    let folder = Folder::with(&[("-bag/data/a", "abc"), ("-bag/note", "x"), ("new/a", "")]);
    assert_eq!(folder.run(&["bag", "create", "-q", "./-bag"]).code, Some(0));
    folder.write("-bag/data/a", "abd");
    let options = ["-L", "-a", "md5,sha256", "--info", "Contact-Name=Ada L"];
    let ran = folder.run(&[&["bag", "update"], &options[..], &["--", "-bag"]].concat());
    let hint = "hint: to accept modified files: truesum bag update --refresh -L -a md5,sha256 \
                --info='Contact-Name=Ada L' ./-bag\n";
    assert!(ran.code == Some(1) && ran.err.ends_with(hint), "{}", ran.err);
    let ran = folder.run(&["bag", "create", "-a", "md5", "new"]);
    assert!(ran.err.ends_with("truesum bag create --in-place -a md5 new\n"), "{}", ran.err);
    folder.write("-bag/data/a", "abc");
    std::fs::remove_file(folder.path("-bag/note")).unwrap();
    // regression: a removed entry of a tag manifest was counted as refreshed.
    let ran = folder.run(&["bag", "update", "--prune", "--", "-bag"]);
    let message = "truesum: -bag: bag updated, 0 files added, 1 removed; now 1 file, 3 B (sha512)\n";
    assert_eq!(result_of(&ran), (String::new(), message, Some(0)));
}

#[test]
fn bag_check_reports_pipes_and_misnamed_tag_manifests() {
    let folder = Folder::with(&[("bag/data/a", "abc"), ("bag/note", "x")]);
    assert_eq!(folder.run(&["bag", "create", "-q", "bag"]).code, Some(0));
    drop(folder.pipe("bag/pipe"));
    let ran = folder.run(&["bag", "check", "bag"]);
    assert!(ran.err.contains("bag/pipe: not a regular file, and not in any tag manifest"), "{}", ran.err);
    std::fs::remove_file(folder.path("bag/note")).unwrap();
    drop(folder.pipe("bag/note"));
    let ran = folder.run(&["bag", "check", "-q", "bag"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.out(), ran.err);
    let (from, to) = ("bag/tagmanifest-sha512.txt", "bag/Tagmanifest-sha512.txt");
    std::fs::rename(folder.path(from), folder.path(to)).unwrap();
    let ran = folder.run(&["bag", "check", "bag"]);
    assert!(ran.err.contains("Tagmanifest-sha512.txt: named like a manifest"), "{}", ran.err);
}

#[test]
fn unescaped_name_in_bag_manifest_gets_a_hint() {
    let line = format!("{ABC}  data/a%25b\n");
    let folder = Folder::with(&[
        ("bag/data/a%25b", "abc"),
        ("bag/bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"),
        ("bag/manifest-sha256.txt", &line),
    ]);
    let ran = folder.run(&["check", "bag"]);
    assert_eq!((ran.out().as_str(), ran.code), ("data/a%b: MISSING\n", Some(1)), "{}", ran.err);
    let hint = "hint: data/a%25b exists, but its name is not escaped in the manifest; to find the files by size and digest: \
                truesum check --search --moved=ok bag/manifest-sha256.txt\n";
    assert!(ran.err.contains(hint), "{}", ran.err);
    let ran = folder.run(&["check", "--search", "--moved=ok", "bag/manifest-sha256.txt"]);
    assert_eq!((ran.out().as_str(), ran.code), ("data/a%b: MOVED to data/a%25b\n", Some(0)), "{}", ran.err);
}

#[test]
fn bag_update_keeps_payload_digests_in_tag_manifests() {
    // regression: the file was recorded with its corrupt content, and the line that showed the corruption was dropped.
    let folder = Folder::with(&[("b/data/a", "a")]);
    assert_eq!(folder.run(&["bag", "create", "-a", "sha256", "b"]).code, Some(0));
    let tags = String::from_utf8(folder.read("b/tagmanifest-sha256.txt")).unwrap();
    for (line, file) in [("data/c", Some("rott")), ("data/a", None), ("data/gone", None)] {
        folder.write("b/tagmanifest-sha256.txt", format!("{tags}{ABC}  {line}\n"));
        if let Some(content) = file {
            folder.write("b/data/c", content);
        }
        let ran = folder.run(&["bag", "update", "b"]);
        assert_eq!(ran.code, Some(1), "{line}: {}", ran.err);
        assert!(folder.read("b/tagmanifest-sha256.txt").ends_with(format!("{line}\n").as_bytes()), "{line}");
        let _ = std::fs::remove_file(folder.path("b/data/c"));
    }
}
