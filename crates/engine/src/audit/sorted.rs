//! Compares two manifests whose names are in ascending order, as most are: entry by entry, and only what differs is
//! stored.
//!
//! No name can occur twice in such manifests, and an entry that is not the next one on the other side is not there at
//! all. Anything that needs more than the two current entries ends the attempt, and the manifests are read again, one
//! after the other: names in another order, several lines for one file, names that must be resolved, pieces of files,
//! malformed lines, and errors. Nothing is reported before both manifests were read to their ends.

use crate::audit::comparison::{Comparison, FOUND, LISTED, NOT_FOUND, SAME};
use crate::content::set::{Compared, compare};
use crate::io::file_id::FileId;
use crate::io::input::Input;
use crate::progress::Progress;
use crate::select::names::plain;
use crate::verify::containers::archive::is_release;
use crate::verify::entries::tasks::weak_name;
use crate::verify::foreign::manifest_reader;
use crate::verify::manifest_digest::{CountedReader, ManifestDigest};
use crate::verify::options::ReadOptions;
use crate::verify::place::open;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use truesum_fs::metadata::Metadata;
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Spec};
use truesum_manifest::{Entry, Reader};

/// A reason to read the manifests in the other way.
pub(super) struct NotSorted;

/// One of the manifests.
struct Side<R> {
    reader: Reader<R>,
    /// The current entry, until the manifest ends.
    entry: Option<Entry>,
}

impl<R: Read> Side<R> {
    fn advance(&mut self) -> Result<(), NotSorted> {
        let next = self.reader.next().transpose().map_err(|_| NotSorted)?.map(|line| line.entry);
        if let Some(entry) = &next {
            let name = &entry.path[..];
            let follows = self.entry.as_ref().is_none_or(|before| before.path[..] < *name);
            let is_plain =
                !name.starts_with(b"/") && !name.contains(&b'\\') && plain(name).len() == name.len();
            let has_others = !entry.pieces.is_empty() || !entry.alternatives.is_empty();
            if !follows || !is_plain || entry.digests.is_empty() || has_others {
                return Err(NotSorted);
            }
        } else if !self.reader.omitted().is_empty() {
            return Err(NotSorted);
        }
        self.entry = next;
        Ok(())
    }
}

/// The two manifests, open.
struct Opened {
    files: [Input; 2],
    own: Vec<FileId>,
}

impl Opened {
    fn new(names: [&Path; 2], options: &ReadOptions, progress: &Progress) -> Option<Opened> {
        let mut own = Vec::new();
        let mut one = |name: &Path| {
            let is_file = Metadata::at(name).is_ok_and(|found| found.kind().is_file());
            let bytes = name.as_os_str().as_bytes();
            if bytes == b"-" || !is_file || is_release(bytes) {
                return None;
            }
            // No name is resolved, but both ways must fail in the same cases.
            options.root_of(&options.folder(name)).ok()?;
            let (file, ids) = open(name, progress).ok()?;
            own.extend(ids);
            Some(file)
        };
        let files = [one(names[0])?, one(names[1])?];
        Some(Opened { files, own })
    }
}

/// The entries that are the same on both sides.
#[derive(Default)]
struct Equal {
    count: u64,
    /// The algorithms of the last one, and whether a match with them does not rule out tampering.
    specs: Vec<Spec>,
    is_weak: bool,
    weak: u64,
}

impl Comparison<'_> {
    /// Compares two manifests whose names are in ascending order. Afterwards, the sets have only the entries that are
    /// not the same on both sides.
    ///
    /// # Errors
    /// Fails if the manifests must be read in the other way. The comparison is then unchanged.
    pub(super) fn sorted(&mut self, old: &Path, new: &Path) -> Result<(), NotSorted> {
        let read = &self.options.read;
        if read.remote.is_some() || read.key.is_some() || read.data.is_some() || !read.select.is_open() {
            return Err(NotSorted);
        }
        let names = [old, new];
        let Opened { files, own } = Opened::new(names, read, self.progress).ok_or(NotSorted)?;
        let digests = [(); 2].map(|()| ManifestDigest::new(read.digest_manifests));
        let merged = self.merge(names, files, &digests);
        let Ok(equal) = merged else {
            self.sets = Default::default();
            self.state.clear();
            return Err(NotSorted);
        };
        self.own.extend(own);
        let digests = digests.map(|digest| digest.digest());
        self.report.manifests.extend(names.map(Path::to_owned).into_iter().zip(digests));
        self.report.listed = equal.count + u64::from(self.sets[LISTED].len());
        self.report.interrupted |= self.progress.stopped();
        self.has_entries = true;
        (self.equal, self.equal_weak) = (equal.count, equal.weak);
        Ok(())
    }

    fn merge(
        &mut self,
        names: [&Path; 2],
        files: [Input; 2],
        digests: &[ManifestDigest; 2],
    ) -> Result<Equal, NotSorted> {
        let (read, progress) = (&self.options.read, self.progress);
        let side = |name: &Path, file, digest| {
            let reader = CountedReader { reader: file, progress, digest };
            let reader = manifest_reader(reader, name, None, read).map_err(|_| NotSorted)?;
            let options = read.manifest(name.as_os_str().as_bytes(), progress);
            let options = options.allow_undigested(true).allow_pieces(true);
            let mut side = Side { reader: Reader::new(reader, options), entry: None };
            side.advance().map(|()| side)
        };
        let [one, other] = files;
        let mut one = side(names[LISTED], one, &digests[LISTED])?;
        let mut other = side(names[FOUND], other, &digests[FOUND])?;
        // An empty manifest is an error in most cases.
        if one.entry.is_none() || other.entry.is_none() {
            return Err(NotSorted);
        }
        let mut equal = Equal::default();
        loop {
            let (is_listed, is_found) = match (&one.entry, &other.entry) {
                (None, None) => return Ok(equal),
                (Some(listed), Some(found)) => (listed.path <= found.path, found.path <= listed.path),
                (listed, found) => (listed.is_some(), found.is_some()),
            };
            match (&one.entry, &other.entry) {
                (Some(listed), Some(found)) if is_listed && is_found && is_equal(listed, found) => {
                    self.equal_entry(listed, &mut equal);
                }
                (listed, found) => {
                    let listed = listed.as_ref().filter(|_| is_listed);
                    self.unequal(listed, found.as_ref().filter(|_| is_found))?;
                }
            }
            if is_listed {
                one.advance()?;
            }
            if is_found {
                other.advance()?;
            }
        }
    }

    /// Counts an entry that is the same on both sides.
    fn equal_entry(&mut self, entry: &Entry, equal: &mut Equal) {
        if !entry.digests.iter().map(|(spec, _)| spec).eq(&equal.specs) {
            equal.specs = entry.digests.iter().map(|(spec, _)| spec.clone()).collect();
            equal.is_weak = weak_name(&equal.specs).is_some();
            self.sets[LISTED].note_kind(&equal.specs.clone().into());
        }
        equal.count += 1;
        equal.weak += u64::from(equal.is_weak);
    }

    /// Adds an entry that is only on one side, or differs.
    fn unequal(&mut self, listed: Option<&Entry>, found: Option<&Entry>) -> Result<(), NotSorted> {
        let mut add = |side: usize, entry: &Entry| {
            let (specs, digests): (Vec<Spec>, Vec<Digest>) = entry.digests.iter().cloned().unzip();
            let facts = (entry.size, entry.mtime);
            self.sets[side].push(&entry.path, facts, &Arc::from(specs), &digests).map_err(|_| NotSorted)
        };
        let listed = listed.map(|entry| add(LISTED, entry)).transpose()?;
        let found = found.map(|entry| add(FOUND, entry)).transpose()?;
        let Some(at) = listed else { return Ok(()) };
        self.state.push(match found {
            None => NOT_FOUND,
            Some(found) => match compare((&self.sets[LISTED], at), (&self.sets[FOUND], found)) {
                Compared::Same => {
                    self.sets[FOUND].undo();
                    SAME
                }
                Compared::Unknown | Compared::Differs => found,
            },
        });
        Ok(())
    }
}

/// Returns whether two entries of one name have the same digests and no different sizes.
fn is_equal(one: &Entry, other: &Entry) -> bool {
    one.digests == other.digests && one.size.zip(other.size).is_none_or(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use crate::audit::comparison::{Comparison, Options};
    use crate::audit::status::Event;
    use crate::progress::Progress;

    /// Returns what a comparison of two manifests reports, and whether it was done entry by entry.
    fn compared(old: &str, new: &str, options: &Options) -> (Vec<String>, bool) {
        let dir = tempfile::tempdir().unwrap();
        let names = [dir.path().join("old.jsonl"), dir.path().join("new.jsonl")];
        std::fs::write(&names[0], old).unwrap();
        std::fs::write(&names[1], new).unwrap();
        let progress = Progress::default();
        let is_sorted = Comparison::new(options, &progress).sorted(&names[0], &names[1]).is_ok();
        let mut comparison = Comparison::new(options, &progress);
        let mut lines = Vec::new();
        let mut on_event = |event: Event<'_>| {
            lines.push(match event {
                Event::Finding(finding) => {
                    format!("{:?} {:?} {:?}", finding.status(), finding.name(), finding.from())
                }
                Event::Malformed(_, line) => format!("malformed: {}", line.reason()),
                Event::Failed(error) => format!("failed: {:?}", error.cause()),
                Event::Doubtful(_) => "doubtful".to_owned(),
            });
            Ok(())
        };
        comparison.diff(&names[0], &names[1], &mut on_event).unwrap();
        let report = comparison.report();
        lines.extend(
            report.manifests.iter().map(|(path, digest)| format!("{:?} {digest:?}", path.file_name())),
        );
        lines.push(format!(
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            report.equality(),
            report.counts,
            report.listed,
            report.weak,
            report.algorithms,
            report.not_tamper_evident,
        ));
        (lines, is_sorted)
    }

    fn entry(name: &str, size: Option<u64>, digests: &[(&str, &str)]) -> String {
        let size = size.map_or(String::new(), |size| format!("\"size\":{size},"));
        let digest = |(spec, text): &(&str, &str)| {
            let spec: truesum_hash::Spec = spec.parse().unwrap();
            format!("\"{spec}\":\"{}\"", spec.digest(text.as_bytes()).to_hex())
        };
        let digests: Vec<String> = digests.iter().map(digest).collect();
        format!("{{\"path\":\"{name}\",{size}\"digests\":{{{}}}}}\n", digests.join(","))
    }

    #[test]
    fn sorted_manifests_are_compared_as_others_are() {
        let (sha, md5, both) = ("sha256", "md5", |text| [("sha256", text), ("md5", text)]);
        let old = [
            entry("a", None, &[(sha, "same")]),
            entry("b/gone", None, &[(sha, "gone")]),
            entry("b/moved", Some(5), &[(sha, "moved")]),
            entry("c", Some(1), &[(sha, "sized")]),
            entry("d", None, &both("both")),
            entry("e", None, &[(md5, "weak")]),
            entry("f", None, &[(md5, "unknown")]),
            entry("g", None, &[(sha, "changed")]),
            entry("h", Some(4), &both("other")),
        ];
        let new = [
            entry("a", Some(4), &[(sha, "same")]),
            entry("c", Some(2), &[(sha, "sized")]),
            entry("d", None, &[(sha, "both")]),
            entry("e", None, &[(md5, "weak")]),
            entry("e/new", None, &[(sha, "new")]),
            entry("f", None, &[(sha, "unknown")]),
            entry("g", None, &[(sha, "differs")]),
            entry("h", Some(4), &both("other")),
            entry("z/moved", Some(5), &[(sha, "moved")]),
        ];
        // The same entries in another order, in which they are stored.
        let reversed = |lines: &[String]| lines.iter().rev().cloned().collect::<String>();
        let options = Options::default();
        for (one, other) in [(&old, &new), (&new, &old), (&old, &old)] {
            let (found, is_sorted) = compared(&one.concat(), &other.concat(), &options);
            let (expected, is_also_sorted) = compared(&reversed(one), &reversed(other), &options);
            assert_eq!(found, expected);
            assert_eq!((is_sorted, is_also_sorted), (true, false));
        }
        // Anything unusual is left to the other way, even at the end.
        let plain = old.concat();
        for line in [
            entry("a", None, &[(sha, "same")]),
            entry("h", None, &[(sha, "other")]),
            entry("./z", None, &[(sha, "dot")]),
            entry("y//z", None, &[(sha, "slashes")]),
            entry("y\\\\z", None, &[(sha, "backslash")]),
            "{\"path\":\"z\",\"digests\":{\"sha256\":\"00\"}}\n".to_owned(),
            "{\"path\":\"z\",\"digests\":{}}\n".to_owned(),
        ] {
            for (one, other) in [(&plain, &(plain.clone() + &line)), (&(plain.clone() + &line), &plain)] {
                assert!(!compared(one, other, &options).1, "{line}");
            }
        }
        assert!(!compared("", &plain, &options).1 && !compared(&plain, "", &options).1);
    }
}
