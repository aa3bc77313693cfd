//! What a check reports for manifests of every kind, by the library's own verdict.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use truesum::{
    Conclusion, Event, Kind, Options, Progress, ReadOptions, Report, Unlisted, Verdict, Verification, verify,
};

/// SHA-256 of `123456789`.
const DIGEST: &str = "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225";
const OTHER: &str = "25e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225";

fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// Creates a directory with good files and a manifest `m` of this text, in which `G` stands for the good digest and `B`
/// for another.
fn folder(files: &[&str], manifest: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|file| write(&folder.path().join(file), "123456789"));
    let digests = |line: &str| match line.split_once(' ') {
        Some(("G", rest)) => format!("{DIGEST} {rest}\n"),
        Some(("B", rest)) => format!("{OTHER} {rest}\n"),
        _ => format!("{line}\n"),
    };
    write(&folder.path().join("m"), manifest.lines().map(digests).collect::<String>());
    folder
}

fn check(files: &[&str], manifest: &str, options: &Options) -> Report {
    verify(folder(files, manifest).path().join("m"), options, |_| ()).unwrap()
}

#[test]
fn manifest_is_verified_only_if_all_entries_are() {
    let strict = Options::default();
    let lenient = Options::from(ReadOptions::default().lenient(true));
    let ignoring = Options::default().ignore_missing(true);
    let exact = Options::default().unlisted(Unlisted::Refused);
    let reported = Options::default().unlisted(Unlisted::Reported);
    let requiring = |name: &str| Options::default().required(vec![name.into()]);
    let (b, a) = (&requiring("b"), &requiring("a"));
    for (files, manifest, options, conclusion) in [
        (&["a", "b"][..], "G  a\nG  b", &strict, Conclusion::Verified),
        (&["a"], "", &strict, Conclusion::NothingVerified),
        (&["a"], "", &lenient, Conclusion::NothingVerified),
        (&["a"], "# nothing but this", &strict, Conclusion::NothingVerified),
        (&["a"], "\u{1}\u{2}garbage\nmore", &strict, Conclusion::NothingVerified),
        (&["a"], "\u{1}\u{2}garbage\nmore", &lenient, Conclusion::NothingVerified),
        (&["a"], "G  a\ngarbage", &strict, Conclusion::NotAsRequested),
        (&["a"], "G  a\ngarbage", &lenient, Conclusion::Verified),
        (&["a", "b"], "G  a\nB  b", &strict, Conclusion::Failed),
        (&["a"], "G  a\nG  b", &strict, Conclusion::Failed),
        (&["a"], "G  a\nG  b", &ignoring, Conclusion::Verified),
        (&[], "G  a\nG  b", &ignoring, Conclusion::NothingVerified),
        (&["a", "b"], "G  a\nB  b", &ignoring, Conclusion::Failed),
        (&["a"], "G  a\nG  /etc/passwd", &strict, Conclusion::Failed),
        (&["a", "b"], "G  a", &reported, Conclusion::Verified),
        (&["a", "b"], "G  a", &exact, Conclusion::Failed),
        (&["a", "b"], "G  a\nG  b", &exact, Conclusion::Verified),
        (&["a"], "G  a", b, Conclusion::Failed),
        (&["a"], "G  a", a, Conclusion::Verified),
        (&["a"], "B  a", a, Conclusion::Failed),
    ] {
        assert_eq!(check(files, manifest, options).verdict(), conclusion, "{manifest:?} {options:?}");
    }
}

#[test]
fn counts_report_the_outcome_of_each_entry() {
    let options = Options::default().ignore_missing(true).unlisted(Unlisted::Reported);
    let report = check(&["a", "b", "c"], "G  a\nB  b\nG  gone\ngarbage\nG  a", &options);
    let counts = &report.counts();
    assert_eq!((counts.verified(), counts.mismatched(), counts.missing(), counts.malformed()), (2, 1, 0, 1));
    assert_eq!((report.ignored(), report.unlisted(), report.is_cut()), (1, 1, false));
    let md5 = "25f9e794323b453885f5181f1b624d0b  a";
    assert_eq!(check(&["a"], md5, &options).not_tamper_evident().get("md5"), Some(&1));
}

#[test]
fn unreadable_manifest_is_an_error() {
    let folder = folder(&[], "");
    let gone = verify(folder.path().join("none"), &Options::default(), |_| ()).unwrap_err();
    assert_eq!(gone.kind(), Kind::Missing);
    assert!(verify(folder.path(), &Options::default(), |_| ()).is_err(), "a directory");
    let root = Options::from(ReadOptions::default().root(Some(folder.path().join("none"))));
    assert!(verify(folder.path().join("m"), &root, |_| ()).is_err(), "no folder");
}

/// Returns the reported events as text.
fn events(manifests: &[PathBuf], options: &Options) -> (Vec<String>, Report) {
    let progress = Progress::default();
    let mut verification = Verification::new(options, &progress);
    let mut reported = Vec::new();
    let last = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let result = verification.manifests(manifests, &mut |event| {
        reported.push(match event {
            Event::Signed(seal) => format!("signed: {}", seal.file().display()),
            Event::Entry(manifest, outcome) => {
                format!("{}: {} {:?}", last(manifest.name()), outcome.name().display(), outcome.verdict())
            }
            Event::Ignored(_, outcome) => format!("ignored {}", outcome.name().display()),
            Event::Moved(_, outcome, moved) => {
                format!("{} moved to {}", outcome.name().display(), moved.name().display())
            }
            Event::Renamed(renamed) => {
                format!(
                    "{} to {}: {}",
                    renamed.from().display(),
                    renamed.to().display(),
                    renamed.done().is_some()
                )
            }
            Event::Malformed(manifest, line) => format!("{}: {line}", last(manifest.name())),
            Event::Checked(manifest, checked) => {
                format!("{} checked: {}", last(manifest.name()), checked.entries())
            }
            Event::Failed(error) => format!("failed: {}", error.reason()),
            Event::Unlisted(folder, name) => format!("unlisted {} in {}", name.display(), last(folder)),
            Event::Searched(search) => format!("searched: {}", search.files()),
            Event::NotVerified(name) => format!("not verified: {}", name.display()),
            Event::Unmatched(name) => format!("unmatched: {}", name.name().display()),
            Event::PassedOver(name) => format!("passed over: {}", name.display()),
            Event::NotUsed(why, files, first) => format!("not used: {why:?} {files}, {}", first.display()),
            Event::StillFailed(name) => format!("still failed: {}", name.display()),
            Event::Signature(name) => format!("signature: {}", name.display()),
            Event::Doubtful(doubt) => format!("doubtful: {}", doubt.reason()),
            _ => return Ok(()),
        });
        Ok(())
    });
    result.unwrap();
    (reported, verification.report().clone())
}

#[test]
fn events_of_several_manifests_are_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    ["x/a", "x/b", "x/c", "y/a"].iter().for_each(|file| write(&at(file), "123456789"));
    write(&at("x/m1"), format!("{DIGEST}  a\noops\n"));
    write(&at("x/m2"), format!("{DIGEST}  b\n"));
    write(&at("y/m3"), format!("{OTHER}  a\n{DIGEST}  gone\n"));
    let options = Options::default()
        .unlisted(Unlisted::Refused)
        .ignore_missing(true)
        .required(vec!["a".into(), "z".into()]);
    let manifests = [at("x/m1"), at("none"), at("x/m2"), at("y/m3")];
    let (reported, report) = events(&manifests, &options);
    let missing = std::fs::read(at("none")).unwrap_err().to_string();
    let (missing, _) = missing.split_once(" (os error").unwrap();
    assert_eq!(
        reported,
        [
            "m1: a Verified",
            "m1: line 2: not a checksum line",
            "m1 checked: 1",
            &format!("failed: {}", missing.trim_end_matches('.')),
            "m2: b Verified",
            "m2 checked: 1",
            "m3: a Mismatch",
            "ignored gone",
            "m3 checked: 2",
            "unlisted c in x",
            "searched: 1",
            "searched: 0",
            "not verified: z",
        ]
    );
    assert_eq!(report.verdict(), Conclusion::Failed);
    assert_eq!((report.unread(), report.unlisted(), report.ignored()), (1, 1, 1));
}

#[test]
fn unreadable_or_empty_manifest_among_good_ones_is_an_error() {
    let folder = folder(&["a"], "G  a");
    let (_, report) = events(&[folder.path().join("none"), folder.path().join("m")], &Options::default());
    assert_eq!((report.verdict(), report.counts().verified()), (Conclusion::NotAsRequested, 1));
    let empty = folder.path().join("empty");
    write(&empty, "");
    let (_, report) = events(&[empty, folder.path().join("m")], &Options::default());
    assert_eq!((report.verdict(), report.empty()), (Conclusion::NotAsRequested, 1));
}

#[test]
fn stopped_check_counts_unreached_entries() {
    let folder = folder(&["a"], &"G  a\n".repeat(200));
    let options = Options::from(ReadOptions::default().threads(1));
    let progress = Progress::default();
    let seen = RefCell::new(0);
    let mut verification = Verification::new(&options, &progress);
    // The second manifest lists no file of the first one: entries for a file that was read need no further read.
    let manifests = [folder.path().join("m"), folder.path().join("later")];
    let reported = verification.manifests(&manifests, &mut |event| {
        if let Event::Entry(_, outcome) = event {
            assert_eq!(outcome.verdict(), Verdict::Verified);
            *seen.borrow_mut() += 1;
            progress.stop();
        }
        Ok(())
    });
    reported.unwrap();
    let report = verification.report();
    assert_eq!(report.verdict(), Conclusion::Interrupted);
    assert_eq!(report.counts().verified(), *seen.borrow());
    assert_eq!(report.counts().verified() + report.counts().unreached(), 200);
    assert!(report.counts().unreached() > 0);
    assert_eq!(report.not_begun(), 1);
}

#[test]
fn entries_reported_before_a_callback_error_are_counted() {
    let folder = folder(&["a"], "B  a\nB  a");
    let (options, progress) = (Options::default(), Progress::default());
    let mut verification = Verification::new(&options, &progress);
    let mut full = |event: Event<'_>| match event {
        Event::Entry(..) => Err(io::Error::from(io::ErrorKind::StorageFull)),
        _ => Ok(()),
    };
    let error = verification.manifests(&[folder.path().join("m")], &mut full).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert_eq!(verification.report().verdict(), Conclusion::Failed);
}
