//! Differences between a folder and an object store, whose digests are known without reading objects.

use std::io;
use std::path::Path;
use std::sync::Arc;
use truesum::audit::{Comparison, Equality, Event, Options};
use truesum::hash::Spec;
use truesum::{Cause, Error, Job, LIST, Notice, Progress, StoredDigests, StoredEntry, Task};

/// The name of the store as a side of a comparison.
const NAME: &str = "test://objects";

/// Objects by name: `Ok` contains the content that the stored digest is computed from, if there is a digest.
#[derive(Debug)]
struct Objects {
    objects: Vec<(&'static str, Result<Option<&'static str>, ()>)>,
    is_complete: bool,
}

fn failure(name: &str, action: &'static str) -> Error {
    Error::new(name.as_bytes(), action, Cause::Other("refused".to_owned()))
}

impl StoredDigests for Objects {
    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn list(&self, _: &Progress) -> Box<dyn Iterator<Item = Task> + Send> {
        let none: Arc<[Spec]> = Arc::from([]);
        let mut tasks: Vec<Task> =
            self.objects.iter().map(|(name, _)| Task::File(Job::hash(*name, &none))).collect();
        if !self.is_complete {
            tasks.push(Task::Notice(Notice::Failed(failure(NAME, LIST))));
        }
        Box::new(tasks.into_iter())
    }

    fn digests(
        &self,
        listed: &mut (dyn Iterator<Item = Task> + Send),
        _: &Progress,
        each: &mut dyn FnMut(StoredEntry) -> io::Result<()>,
    ) -> io::Result<()> {
        let specs: Arc<[Spec]> = Arc::from(["md5".parse().unwrap()]);
        for task in listed {
            let job = match task {
                Task::File(job) => job,
                Task::Notice(Notice::Failed(error)) => {
                    each(StoredEntry::Failed(error))?;
                    continue;
                }
                Task::Notice(_) => continue,
            };
            let name = std::str::from_utf8(job.name()).unwrap().to_owned();
            let (_, object) = self.objects.iter().find(|(other, _)| *other == name).unwrap();
            each(match object {
                Ok(Some(content)) => {
                    let digests = vec![specs[0].digest(content.as_bytes())];
                    let size = Some(content.len() as u64);
                    StoredEntry::Object(
                        job.with_specs(Some(specs.clone())).with_expected(digests).with_size(size),
                    )
                }
                Ok(None) => StoredEntry::WithoutDigest(job, failure(&name, "compare")),
                Err(()) => StoredEntry::Unreadable(job, failure(&name, "read")),
            })?;
        }
        Ok(())
    }
}

/// Returns the findings, the number of notes on objects without digests, and the result.
fn compare(objects: Objects, files: &[(&str, &str)], swapped: bool) -> (Vec<String>, usize, Equality) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let options = Options::default().stores(vec![Arc::new(objects)]);
    let progress = Progress::default();
    let mut comparison = Comparison::new(&options, &progress);
    let (mut findings, mut notes) = (Vec::new(), 0);
    let (store, local) = (Path::new(NAME), folder.path());
    let (old, new) = if swapped { (local, store) } else { (store, local) };
    let result = comparison.diff(old, new, &mut |event| {
        match event {
            Event::Finding(finding) => {
                findings.push(format!("{} {}", finding.status().word(), finding.name().display()));
            }
            Event::Doubtful(_) => notes += 1,
            _ => {}
        }
        Ok(())
    });
    result.unwrap();
    (findings, notes, comparison.report().equality())
}

#[test]
fn files_are_compared_with_stored_digests() {
    let objects = || Objects {
        objects: vec![("a", Ok(Some("a"))), ("d/b", Ok(Some("b"))), ("gone", Ok(Some("gone")))],
        is_complete: true,
    };
    let equal = [("a", "a"), ("d/b", "b"), ("gone", "gone")];
    assert_eq!(compare(objects(), &equal, false), (vec![], 0, Equality::Equal));
    assert_eq!(compare(objects(), &equal, true), (vec![], 0, Equality::Equal));
    let other = [("a", "a"), ("d/b", "c"), ("later", "later")];
    let words = ["changed d/b", "missing gone", "new later"].map(str::to_owned).to_vec();
    assert_eq!(compare(objects(), &other, false), (words, 0, Equality::Different));
    let words = ["changed d/b", "new gone", "missing later"].map(str::to_owned).to_vec();
    assert_eq!(compare(objects(), &other, true), (words, 0, Equality::Different));
}

#[test]
fn objects_that_cannot_be_compared_are_reported() {
    let files = [("a", "a"), ("d/b", "b")];
    let objects = |first, second: &'static str, is_complete| Objects {
        objects: vec![("a", first), (second, Ok(Some("b")))],
        is_complete,
    };
    let without = compare(objects(Ok(None), "d/b", true), &files, false);
    assert_eq!(without, (vec!["unknown a".to_owned()], 1, Equality::NotAsRequested));
    let refused = compare(objects(Err(()), "d/b", true), &files, false);
    assert_eq!(refused, (vec!["unreadable a".to_owned()], 0, Equality::Different));
    // It is not the object `d/b`, although the file system opens the same file.
    let (findings, _, equality) = compare(objects(Ok(Some("a")), "d//b", true), &files, false);
    assert_eq!((findings, equality), (vec!["new d/b".to_owned()], Equality::Different));
}

#[test]
fn nothing_is_missing_from_an_incomplete_list() {
    for swapped in [false, true] {
        let objects = Objects { objects: vec![("a", Ok(Some("a")))], is_complete: false };
        let compared = compare(objects, &[("a", "a"), ("b", "b")], swapped);
        assert_eq!(compared, (vec![], 0, Equality::NotAsRequested));
    }
}
