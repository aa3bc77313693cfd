//! Walks of small trees: their order, their items, and the estimate of the remaining items.

use super::*;
use crate::select::Wanted;
use rustix::fs::{Mode, OFlags};
use std::os::unix::fs::{PermissionsExt, symlink};
use truesum_manifest::Time;

fn walk(root: &Path, options: Options, threads: usize) -> (Vec<String>, Vec<String>) {
    let (mut files, mut others) = (Vec::new(), Vec::new());
    let text = |path: &[u8]| {
        let root = root.as_os_str().as_bytes();
        String::from_utf8_lossy(path.strip_prefix(root).unwrap_or(path)).into_owned()
    };
    for item in Walk::new([root.to_owned()], options, threads) {
        match item {
            Item::File(path, _) => files.push(text(path.as_os_str().as_bytes())),
            Item::State(path) => others.push(format!("state {}", text(path.as_os_str().as_bytes()))),
            Item::Temporary(path) => others.push(format!("temporary {}", text(path.as_os_str().as_bytes()))),
            Item::Failed(error) => others.push(format!("failed {}: {}", text(error.name()), error.reason())),
            Item::Link(path) => others.push(format!("link {}", text(path.as_os_str().as_bytes()))),
            Item::Dangling(path) => others.push(format!("dangling {}", text(path.as_os_str().as_bytes()))),
            Item::Special(path, kind) => others.push(format!("{kind} {}", text(path.as_os_str().as_bytes()))),
            Item::Stdin => others.push("standard input".to_owned()),
        }
    }
    (files, others)
}

fn tree(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file).unwrap();
    }
    dir
}

#[test]
fn dash_is_stdin_only_as_an_argument() {
    let first = |walk: Walk| walk.into_iter().next().unwrap();
    let walk = || Walk::new(["-".into(), "/dev/null".into()] as [PathBuf; 2], Options::default(), 1);
    assert!(matches!(first(walk().of_arguments()), Item::Stdin));
    // Without `of_arguments`, `-` is a file, which does not exist here.
    assert!(matches!(first(walk()), Item::Failed(_)));
    let specs: Arc<[truesum_hash::Spec]> = Arc::from([]);
    assert!(!Job::hash("-", &specs).stdin && Job::argument("-", &specs).stdin);
}

#[test]
fn files_are_walked_in_byte_order_of_paths() {
    let files = ["a/b", "a.txt", "a-b/c", "a/b.d/e", "z", ".hidden", "a/.x"];
    let dir = tree(&files);
    for threads in [1, 4] {
        let mut expected: Vec<String> = files.iter().map(|file| format!("/{file}")).collect();
        expected.sort();
        assert_eq!(walk(dir.path(), Options::default(), threads).0, expected);
    }
}

#[test]
fn folders_listed_ahead_lose_no_file() {
    let files: Vec<String> = (0..400).map(|i| format!("{}/{}/f{i}", i % 13, i % 7)).collect();
    let dir = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let mut expected: Vec<String> = files.iter().map(|file| format!("/{file}")).collect();
    expected.sort();
    for _ in 0..20 {
        assert_eq!(walk(dir.path(), Options::default(), 4).0, expected);
    }
}

/// Returns the estimate of the walk at every step, and the actual number.
fn hints(root: &Path, options: Options, threads: usize) -> (Vec<(usize, Option<usize>)>, usize) {
    let roots = [root.to_owned()];
    let mut walk = Walk::new(roots, options, threads);
    let mut hints = vec![walk.size_hint()];
    while walk.next().is_some() {
        hints.push(walk.size_hint());
    }
    let count = hints.len() - 1;
    (hints, count)
}

fn globs(include: &[&str], exclude: &[&str]) -> Selection {
    let own = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect();
    let wanted = Wanted { include: own(include), exclude: own(exclude), ..Wanted::default() };
    Selection::new(&wanted).unwrap()
}

#[test]
fn size_hint_is_never_wrong() {
    let files: Vec<String> = (0..400).map(|i| format!("{}/{}/{}/f{i}", i % 5, i % 3, i % 7)).collect();
    let dir = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
    symlink("nowhere", dir.path().join("dangling")).unwrap();
    symlink("..", dir.path().join("1/loop")).unwrap();
    symlink("2", dir.path().join("again")).unwrap();
    for follow in [false, true] {
        for one_file_system in [false, true] {
            for threads in [1, 4] {
                let options = Options { follow, one_file_system, ..Options::default() };
                let (hints, count) = hints(dir.path(), options, threads);
                for (done, (least, most)) in hints.into_iter().enumerate() {
                    let left = count - done;
                    assert!(least <= left, "at least {least} of {left}");
                    assert!(most.is_none_or(|most| most == left), "at most {most:?} of {left}");
                    assert!(left > 0 || (least, most) == (0, Some(0)));
                }
            }
        }
    }
}

#[test]
fn size_hint_excludes_ignored_names_and_own_temporary_files() {
    let dir = tree(&["a", "b", "c"]);
    let mut whole = Walk::new([dir.path().to_owned()], Options::default(), 1).whole(b"b");
    assert!(whole.next().is_some());
    let (least, most) = whole.size_hint();
    assert!(least <= 1 && most.is_none_or(|most| most == 1), "{least} {most:?} of one");
    // Visible by its name where the file system cannot create files without one.
    let own = truesum_fs::write::AtomicFile::create(&dir.path().join("d")).unwrap();
    let (hints, count) = hints(dir.path(), Options::default(), 1);
    assert_eq!((count, hints[1]), (3, (2, Some(2))));
    drop(own);
}

#[test]
fn unreadable_ignore_file_is_an_error() {
    let dir = tree(&["a.log", "sub/b.log"]);
    std::fs::write(dir.path().join(".gitignore"), "*.log\n").unwrap();
    let rules = dir.path().join(".gitignore");
    std::fs::set_permissions(&rules, PermissionsExt::from_mode(0o0)).unwrap();
    // The superuser can read it.
    let unreadable = std::fs::read(&rules).is_err();
    let options = Options { gitignore: true, ..Options::default() };
    let mut walk = Walk::new([dir.path().to_owned()], options, 1);
    let failed = |item: &Item| matches!(item, Item::Failed(error) if error.action() == "read");
    assert_eq!(walk.by_ref().filter(failed).count(), usize::from(unreadable));
    // It was listed, but cannot be opened.
    walk.path = dir.path().join("sub").into_os_string().into_vec();
    let anchor = Anchor::argument(&walk.path, Confinement::NoLinks).unwrap();
    let entry = Entry { name: b".gitignore".to_vec(), kind: FileType::RegularFile, job: None, facts: None };
    assert!(walk.ignore_rules(&anchor, &[entry]).is_err_and(|error| error.is_missing()));
}

#[test]
fn exact_size_hint_is_known_early() {
    let flat: Vec<String> = (0..300).map(|i| format!("f{i}")).collect();
    let dir = tree(&flat.iter().map(String::as_str).collect::<Vec<_>>());
    let (known, _) = hints(dir.path(), Options::default(), 1);
    assert_eq!(known[1], (299, Some(299)), "one folder");
    let globs = Options { select: globs(&[], &["f1*"]), ..Options::default() };
    assert_eq!(hints(dir.path(), globs, 1).0[1], (0, None), "what is left out is not known");
    // Helpers are ahead of a slow consumer, even in nested folders.
    let deep: Vec<String> = (0..300).map(|i| format!("{}/{}/{}/f{i}", i % 5, i % 3, i % 7)).collect();
    let dir = tree(&deep.iter().map(String::as_str).collect::<Vec<_>>());
    let roots = [dir.path().to_owned()];
    let mut walk = Walk::new(roots, Options::default(), 4);
    for done in 1.. {
        assert!(walk.next().is_some(), "it is known before the end");
        std::thread::sleep(std::time::Duration::from_millis(1));
        if walk.size_hint().1.is_some() {
            assert_eq!(walk.size_hint(), (300 - done, Some(300 - done)));
            break;
        }
    }
}

#[test]
fn links_are_reported_and_loops_end() {
    let dir = tree(&["d/f"]);
    symlink("..", dir.path().join("d/loop")).unwrap();
    symlink("nowhere", dir.path().join("dangling")).unwrap();
    let (files, others) = walk(dir.path(), Options::default(), 1);
    assert_eq!(files, ["/d/f"]);
    assert_eq!(others, ["link /d/loop", "dangling /dangling"]);
    let (files, others) = walk(dir.path(), Options { follow: true, ..Options::default() }, 1);
    assert_eq!(files, ["/d/f"]);
    assert_eq!(others, ["failed /d/loop: directory loop", "failed /dangling: broken symbolic link"]);
}

#[test]
fn globs_and_ignore_files_exclude() {
    let dir = tree(&["a.rs", "b.txt", "target/x.rs", "sub/c.rs", "sub/d.log", "sub/keep.log"]);
    let only = |include: &[&str], exclude: &[&str]| {
        walk(dir.path(), Options { select: globs(include, exclude), ..Options::default() }, 1).0
    };
    assert_eq!(only(&["*.rs"], &["target"]), ["/a.rs", "/sub/c.rs"]);
    assert_eq!(only(&[], &["*.rs", "*.log"]), ["/b.txt"]);
    std::fs::write(dir.path().join(".gitignore"), "/target\n*.log\n").unwrap();
    std::fs::write(dir.path().join("sub/.gitignore"), "!keep.log\n").unwrap();
    let options = Options { gitignore: true, select: globs(&[], &[".gitignore"]), ..Options::default() };
    assert_eq!(walk(dir.path(), options, 1).0, ["/a.rs", "/b.txt", "/sub/c.rs", "/sub/keep.log"]);
}

#[test]
fn excluded_files_are_counted_and_globs_with_a_slash_are_relative_to_the_root() {
    let dir = tree(&["a", "big", "sub/a", "sub/c", "other/d"]);
    std::fs::write(dir.path().join("big"), [0; 100]).unwrap();
    let run = |wanted: &Wanted, below_root| {
        let options = Options { select: Selection::new(wanted).unwrap(), below_root, ..Options::default() };
        let mut walk = Walk::new([dir.path().to_owned()], options, 1);
        let files = walk.by_ref().filter(|item| matches!(item, Item::File(..))).count();
        (files, walk.left_out().files, walk.left_out().folders)
    };
    let top = Wanted { include: vec!["/a".to_owned()], ..Wanted::default() };
    assert_eq!(run(&top, true), (1, 4, 0));
    assert_eq!(run(&top, false), (1, 4, 0));
    let without = Wanted { exclude: vec!["/sub".to_owned(), "big".to_owned()], ..Wanted::default() };
    assert_eq!(run(&without, true), (2, 1, 1));
    assert_eq!(run(&Wanted { min_size: Some(100), ..Wanted::default() }, false), (1, 4, 0));
    let future = Time { seconds: 1 << 40, nanos: 0 };
    assert_eq!(run(&Wanted { newer: Some(future), ..Wanted::default() }, false), (0, 5, 0));
    assert_eq!(run(&Wanted { older: Some(future), ..Wanted::default() }, false), (5, 0, 0));
}

#[test]
fn globs_apply_to_roots_and_ignore_files_do_not() {
    // regression: --exclude and --include were ignored for files named on the command line.
    let dir = tree(&["a.txt", "b.bin", "sub/c.bin"]);
    std::fs::write(dir.path().join(".gitignore"), "b.bin\nsub\n").unwrap();
    let run = |include: &[&str], exclude: &[&str]| {
        let options = Options { select: globs(include, exclude), gitignore: true, ..Options::default() };
        let roots = ["a.txt", "b.bin", "sub", "./sub/.."].map(|name| dir.path().join(name));
        let mut walk = Walk::new(roots, options, 1);
        let files = walk.by_ref().filter(|item| matches!(item, Item::File(..))).count();
        (files, walk.left_out())
    };
    assert_eq!(run(&[], &[".*"]), (4, ExcludedCounts { files: 1, folders: 0, named: 0 }));
    assert_eq!(run(&["*.bin"], &[]), (2, ExcludedCounts { files: 3, folders: 0, named: 1 }));
    assert_eq!(
        run(&[], &["sub", "*.txt", ".gitignore"]),
        (1, ExcludedCounts { files: 3, folders: 1, named: 2 })
    );
}

#[test]
fn stdin_is_read_only_once() {
    // regression: the second `-` was read as an empty file.
    let mut walk = Walk::new(["-", "-"], Options::default(), 1).of_arguments();
    assert!(matches!(walk.next(), Some(Item::Stdin)));
    assert!(matches!(walk.next(), Some(Item::Failed(_))));
}

#[test]
fn missing_root_is_a_failed_item() {
    let dir = tree(&[]);
    let (files, others) = walk(&dir.path().join("no"), Options::default(), 1);
    assert!(files.is_empty());
    assert_eq!(others, ["failed : No such file or directory"]);
}

/// Returns a chain of folders, with a file `f` in each or only in the last.
fn chain(levels: usize, name: &str, with_files: bool) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut at = rustix::fs::open(dir.path(), OFlags::PATH, Mode::empty()).unwrap();
    for level in 0..levels {
        if with_files || level + 1 == levels {
            rustix::fs::openat(&at, "f", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap();
        }
        rustix::fs::mkdirat(&at, name, Mode::RWXU).unwrap();
        at = rustix::fs::openat(&at, name, OFlags::PATH, Mode::empty()).unwrap();
    }
    dir
}

/// Removes a chain that is too deep for the standard library.
fn remove(dir: &tempfile::TempDir) {
    assert!(std::process::Command::new("rm").arg("-rf").arg(dir.path()).status().unwrap().success());
}

#[test]
fn names_beyond_path_max_are_found_and_opened() {
    let (name, levels) = ("d".repeat(200), 60);
    for follow in [false, true] {
        let dir = chain(levels, &name, true);
        let roots = [dir.path().to_owned()];
        for threads in [1, 4] {
            let options = Options { follow, ..Options::default() };
            let mut found = 0;
            for item in Walk::new(roots.clone(), options, threads) {
                let Item::File(path, Some(anchor)) = item else { panic!("{item:?}") };
                let path = path.as_os_str().as_bytes();
                let (root, rest) = (anchor.root(), anchor.rest(path));
                assert!(root.open(rest, Special::Refuse).is_ok(), "{} bytes", path.len());
                assert!(rest.len() < 2048, "{} bytes from a base to a file", rest.len());
                found += 1;
            }
            assert_eq!(found, levels);
        }
        remove(&dir);
    }
}

#[test]
fn dropping_a_walk_needs_no_deep_stack() {
    let dir = chain(3000, "d", true);
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let root = dir.path().to_owned();
    let walk = move || {
        let mut walk = Walk::new([root], Options::default(), 4);
        // Far enough that helpers have started; then they get time to list the folders below.
        assert!((0..20).all(|_| walk.next().is_some()));
        while walk.size_hint().1.is_none() {
            std::thread::yield_now();
        }
        assert_eq!(walk.size_hint(), (2980, Some(2980)));
    };
    small.spawn(walk).unwrap().join().unwrap();
    remove(&dir);
}

#[test]
fn path_replaced_by_a_link_during_a_walk_is_not_followed() {
    let dir = tree(&["t/dir/file", "t/plain", "out/file"]);
    std::fs::write(dir.path().join("out/file"), "outside").unwrap();
    symlink("../out", dir.path().join("folder-link")).unwrap();
    symlink("../out/file", dir.path().join("file-link")).unwrap();
    let handle = rustix::fs::open(dir.path(), OFlags::PATH, Mode::empty()).unwrap();
    let done = AtomicBool::new(false);
    let root = dir.path().join("t");
    let (mut read, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let exchange = rustix::fs::RenameFlags::EXCHANGE;
            while !done.load(Relaxed) {
                let _ = rustix::fs::renameat_with(&handle, "t/dir", &handle, "folder-link", exchange);
                let _ = rustix::fs::renameat_with(&handle, "t/plain", &handle, "file-link", exchange);
            }
        });
        for _ in 0..2000 {
            for item in Walk::new([root.clone()], Options::default(), 1) {
                let Item::File(path, Some(anchor)) = item else { continue };
                match anchor.root().open(anchor.rest(path.as_os_str().as_bytes()), Special::Refuse) {
                    Ok((file, _)) => {
                        let mut text = String::new();
                        (&file).read_to_string(&mut text).unwrap();
                        assert_ne!(text, "outside", "{}", path.display());
                        read += 1;
                    }
                    Err(error) => {
                        assert!(matches!(error.cause(), Cause::Changed(_)) || error.is_missing(), "{error}");
                        refused += 1;
                    }
                }
            }
        }
        done.store(true, Relaxed);
    });
    assert!(read > 0, "{read} read, {refused} refused");
}

#[test]
fn walk_does_not_start_behind_a_link() {
    let dir = tree(&["t/a/b/f", "t/g", "out/file"]);
    symlink("../out", dir.path().join("t/link")).unwrap();
    let root = dir.path().join("t");
    let found = |start: &str| {
        let walk = Walk::new([root.clone()], Options::default(), 1);
        let name = |item| match item {
            Item::File(path, Some(_)) => path.to_str().unwrap()[root.as_os_str().len()..].to_owned(),
            Item::Failed(error) => error.reason(),
            other => format!("{other:?}"),
        };
        walk.starting_at(start).map(name).collect::<Vec<_>>()
    };
    assert_eq!(found("a"), ["/a/b/f"]);
    assert_eq!(found("a/b"), ["/a/b/f"]);
    assert!(found("link")[0].contains("symbolic link"), "{:?}", found("link"));
}

#[test]
fn stopped_walk_ends() {
    let dir = tree(&["a/f", "b/f", "c/f"]);
    let stop = Arc::new(AtomicBool::new(false));
    let roots = [dir.path().to_owned()];
    let mut walk = Walk::new(roots, Options::default(), 1).until(stop.clone());
    assert!(walk.next().is_some());
    stop.store(true, Relaxed);
    assert!(walk.next().is_none());
}

#[test]
fn own_temporary_files_are_distinguished_from_content() {
    let ours = String::from_utf8(crate::io::temporary::temporary_name(b"M")).unwrap();
    let dir = tree(&["f", ".M.tmp.part", "x.part", &ours]);
    let (files, others) = walk(dir.path(), Options::default(), 1);
    assert_eq!(files, ["/.M.tmp.part", "/f", "/x.part"]);
    assert_eq!(others, [format!("temporary /{ours}")]);
}

#[test]
fn folders_of_a_flat_tree_are_listed_ahead() {
    // regression: only folders found after the first four were offered to the helpers, and so none of a flat tree.
    let names: Vec<String> = (0..100).map(|i| format!("d{i:02}/f")).collect();
    let dir = tree(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let mut walk = Walk::new([dir.path().to_owned()], Options::default(), 4);
    walk.by_ref().take(10).for_each(drop);
    // The consumer is slow, so the helpers list the other folders, and all items are known.
    let known = (0..1000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        walk.size_hint() == (90, Some(90))
    });
    assert!(known, "{:?}", walk.size_hint());
}
