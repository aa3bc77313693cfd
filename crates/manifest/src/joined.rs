//! Joins the lines for one file that have digests of different algorithms, wherever they are in the manifest.

use crate::entry::Entry;
use crate::line::{Line, Place, ReadError};
use crate::reader::Reader;
use std::collections::{HashMap, VecDeque};
use std::io::Read;
use truesum_hash::{Digest, Spec};

/// Maximum memory for the entries of a window, in bytes: more than 100,000 lines.
const LIMIT: usize = 64 << 20;

/// Maximum number of lines in a window in which all digests have the same algorithms, so that there is nothing to join.
/// Most manifests are like this, and files are not read before a window is complete.
const UNIFORM: usize = 8192;

/// Maximum number of digests in a joined entry. More would only occur in an attack.
const MAX_DIGESTS: usize = 16;

/// A line together with later lines for the same file.
///
/// A plain record: callers take it apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Joined {
    /// The position of the first line, and the entry of all lines.
    pub line: Line,
    /// The positions of the other lines.
    pub others: Vec<Place>,
}

/// A window of a manifest in which the lines for one file become one entry, at the position of the first. The result for
/// a manifest that fits into one window does not depend on the order of its lines. In a longer manifest, the parts of an
/// entry in different windows are entries of their own, which verifies just as much; adjacent lines are always in the
/// same window.
///
/// Lines that repeat an algorithm, contradict each other, or have digests of pieces or alternative digests are never joined.
#[derive(Debug, Default)]
pub struct Window {
    items: VecDeque<Result<Joined, ReadError>>,
    /// The first item of the next window.
    ahead: Option<Result<Line, ReadError>>,
}

impl Window {
    /// Returns the next item of `reader`, after reading the window that it is in.
    pub fn next<R: Read>(&mut self, reader: &mut Reader<R>) -> Option<Result<Joined, ReadError>> {
        if self.items.is_empty() {
            self.fill(reader, LIMIT);
        }
        self.items.pop_front()
    }

    fn fill<R: Read>(&mut self, reader: &mut Reader<R>, limit: usize) {
        // The entries of each name, in order. `None` as long as all have the same algorithms.
        let mut by_path: Option<HashMap<Vec<u8>, Vec<usize>>> = None;
        let (mut bytes, mut first) = (0, None);
        // The entry that the previous line is part of.
        let mut last = None;
        while let Some(item) = self.ahead.take().or_else(|| reader.next()) {
            let is_full = bytes >= limit || by_path.is_none() && self.items.len() >= UNIFORM;
            let continues = |line: &Line| {
                let last = last.and_then(|last| self.entry(last));
                last.is_some_and(|last| last.path == line.entry.path && can_join(last, &line.entry))
            };
            if is_full && !item.as_ref().is_ok_and(continues) {
                self.ahead = Some(item);
                return;
            }
            bytes += size_of::<Result<Joined, ReadError>>();
            let at = self.items.len();
            let line = match item {
                Ok(line) => line,
                Err(error) => {
                    self.items.push_back(Err(error));
                    last = None;
                    continue;
                }
            };
            let entry = &line.entry;
            bytes += 2 * entry.path.len() + entry.digests.len() * size_of::<(Spec, Digest)>();
            if by_path.is_none() && !entry.digests.is_empty() {
                let known = self.entry(*first.get_or_insert(at));
                if known.is_some_and(|known| !has_same_algorithms(known, entry)) {
                    by_path = Some(self.by_path());
                }
            }
            let mut place = None;
            if let Some(by_path) = &mut by_path {
                let known = by_path.entry(entry.path.clone()).or_default();
                // Many lines for one file would only occur in an attack.
                let mut before = known.iter().copied().take(MAX_DIGESTS);
                place = before.find(|&at| self.entry(at).is_some_and(|held| can_join(held, entry)));
                if place.is_none() {
                    known.push(at);
                }
            }
            match place.and_then(|at| self.items.get_mut(at)) {
                Some(Ok(held)) => {
                    held.others.push(line.at);
                    join(&mut held.line.entry, line.entry);
                }
                _ => self.items.push_back(Ok(Joined { line, others: Vec::new() })),
            }
            last = Some(place.unwrap_or(at));
        }
    }

    fn entry(&self, at: usize) -> Option<&Entry> {
        self.items.get(at)?.as_ref().ok().map(|joined| &joined.line.entry)
    }

    /// Returns the places of the entries of each name.
    fn by_path(&self) -> HashMap<Vec<u8>, Vec<usize>> {
        let mut by_path = HashMap::<Vec<u8>, Vec<usize>>::new();
        for at in 0..self.items.len() {
            if let Some(entry) = self.entry(at) {
                by_path.entry(entry.path.clone()).or_default().push(at);
            }
        }
        by_path
    }
}

fn has_same_algorithms(one: &Entry, other: &Entry) -> bool {
    one.digests.iter().map(|(spec, _)| spec).eq(other.digests.iter().map(|(spec, _)| spec))
}

/// Returns whether two entries for one file do not have the same algorithm and do not contradict each other.
fn can_join(held: &Entry, entry: &Entry) -> bool {
    let agree = |held: bool, entry: bool, equal: bool| !held || !entry || equal;
    agree(held.size.is_some(), entry.size.is_some(), held.size == entry.size)
        && agree(held.mtime.is_some(), entry.mtime.is_some(), held.mtime == entry.mtime)
        && held.pieces.is_empty()
        && entry.pieces.is_empty()
        && held.alternatives.is_empty()
        && entry.alternatives.is_empty()
        && !held.digests.is_empty()
        && !entry.digests.is_empty()
        && held.digests.len() + entry.digests.len() <= MAX_DIGESTS
        && entry.digests.iter().all(|(spec, _)| held.digests.iter().all(|(known, _)| known != spec))
}

fn join(held: &mut Entry, entry: Entry) {
    held.size = held.size.or(entry.size);
    held.mtime = held.mtime.or(entry.mtime);
    held.digests.extend(entry.digests);
    held.unread.extend(entry.unread);
    held.attributes.extend(entry.attributes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Options;
    use std::collections::BTreeSet;

    /// Returns the names, algorithms and sizes of all entries, and the number of malformed lines.
    fn entries(text: &str, limit: usize) -> (BTreeSet<String>, usize) {
        let mut reader = Reader::new(text.as_bytes(), Options::default());
        let (mut window, mut found, mut bad) = (Window::default(), BTreeSet::new(), 0);
        loop {
            if window.items.is_empty() {
                window.fill(&mut reader, limit);
            }
            match window.items.pop_front() {
                None => return (found, bad),
                Some(Ok(Joined { line: Line { entry, .. }, .. })) => {
                    let mut specs: Vec<String> =
                        entry.digests.iter().map(|(spec, _)| spec.to_string()).collect();
                    specs.sort();
                    let name = String::from_utf8_lossy(&entry.path).into_owned();
                    assert!(found.insert(format!("{name} {} {:?}", specs.join("+"), entry.size)));
                }
                Some(Err(_)) => bad += 1,
            }
        }
    }

    #[test]
    fn entries_do_not_depend_on_the_order_of_lines() {
        let digest = |name: &str, text: &[u8]| name.parse::<Spec>().unwrap().digest(text).to_hex();
        let mut lines = vec!["damaged".to_owned()];
        for name in ["a", "b", "c"] {
            lines
                .extend(["md5", "sha256", "sha512"].map(|tag| {
                    format!("{} ({name}) = {}", tag.to_uppercase(), digest(tag, name.as_bytes()))
                }));
        }
        lines.push(format!("MD5 (a) = {}", digest("md5", b"another")));
        let expected = [
            "a md5 None",
            "a md5+sha256+sha512 None",
            "b md5+sha256+sha512 None",
            "c md5+sha256+sha512 None",
        ];
        let expected: BTreeSet<String> = expected.map(str::to_owned).into();
        for round in 0..lines.len() {
            lines.rotate_left(1);
            // A different order in each round.
            for at in 0..lines.len() {
                lines.swap(at, (at * 7 + round * 3) % 11);
            }
            assert_eq!(entries(&lines.join("\n"), LIMIT), (expected.clone(), 1), "{lines:#?}");
        }
        // Windows of one item join only adjacent lines, and lose nothing.
        lines.retain(|line| !line.starts_with("MD5 (a)") && line != "damaged");
        lines.sort();
        assert_eq!(entries(&lines.join("\n"), 1).0.len(), lines.len());
        lines.sort_by_key(|line| line.split(' ').nth(1).map(str::to_owned));
        assert_eq!(entries(&lines.join("\n"), 1).0.len(), 3);
    }

    #[test]
    fn positions_of_all_lines_are_known() {
        let digest = |name: &str| name.parse::<Spec>().unwrap().digest(b"").to_hex();
        let (md5, sha256) = (digest("md5"), digest("sha256"));
        let text =
            format!("MD5 (a) = {md5}\nMD5 (b) = {md5}\nSHA256 (b) = {sha256}\nSHA256 (a) = {sha256}\n");
        let mut reader = Reader::new(text.as_bytes(), Options::default());
        let mut window = Window::default();
        let places: Vec<Vec<u64>> = std::iter::from_fn(|| window.next(&mut reader))
            .map(|joined| joined.unwrap())
            .map(|Joined { line, others }| {
                std::iter::once(line.at).chain(others).map(Place::number).collect()
            })
            .collect();
        assert_eq!(places, [[1, 4], [2, 3]]);
    }

    /// Returns a list of digests of one algorithm.
    fn list(tag: &str, count: usize) -> String {
        let digest = tag.parse::<Spec>().unwrap().digest(b"").to_hex();
        (0..count).map(|at| format!("{} ({at}) = {digest}\n", tag.to_uppercase())).collect()
    }

    #[test]
    fn adjacent_lines_are_in_one_window() {
        let digest = |name: &str| name.parse::<Spec>().unwrap().digest(b"").to_hex();
        let (md5, sha256) = (digest("md5"), digest("sha256"));
        // The window is full after the first line.
        let text = format!("{}SHA256 (0) = {sha256}\n", list("md5", 1));
        assert_eq!(entries(&text, 1).0.into_iter().collect::<Vec<_>>(), ["0 md5+sha256 None"]);
        // A repeated algorithm does not continue an entry, however long the list.
        let text = format!("MD5 (a) = {md5}\n").repeat(3);
        let mut reader = Reader::new(text.as_bytes(), Options::default());
        let mut window = Window::default();
        window.fill(&mut reader, 1);
        assert_eq!(window.items.len(), 1);
    }

    #[test]
    fn lines_of_one_file_are_joined_far_apart() {
        // Regression: a window ended after 1,024 lines with digests of one algorithm.
        let count = UNIFORM - 1;
        let (found, _) = entries(&(list("md5", count) + &list("sha256", count)), LIMIT);
        assert_eq!(found.len(), count);
        assert!(found.iter().all(|entry| entry.contains("md5+sha256")));
    }

    #[test]
    fn long_lists_of_one_algorithm_are_not_held_back() {
        let text = list("md5", UNIFORM * 2) + &list("sha256", UNIFORM * 2);
        let mut reader = Reader::new(text.as_bytes(), Options::default());
        let mut window = Window::default();
        window.fill(&mut reader, LIMIT);
        assert_eq!(window.items.len(), UNIFORM);
        assert_eq!(entries(&text, LIMIT).0.len(), UNIFORM * 4);
    }

    #[test]
    fn windows_are_bounded() {
        let text = list("md5", 3000) + &list("sha256", 3000);
        let mut reader = Reader::new(text.as_bytes(), Options::default());
        let mut window = Window::default();
        window.fill(&mut reader, 100_000);
        assert!(window.items.len() < 1000, "{}", window.items.len());
        assert_eq!(entries(&text, 100_000).0.len(), 6000);
    }

    #[test]
    fn size_in_one_of_the_lines_is_that_of_the_entry() {
        let sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let sized = |size: u64| {
            format!(
                r#"{{"schema":"truesum-entry/1","path":"a","size":{size},"digests":{{"md5":"d41d8cd98f00b204e9800998ecf8427e"}}}}"#
            )
        };
        let plain = format!(r#"{{"schema":"truesum-entry/1","path":"a","digests":{{"sha256":"{sha256}"}}}}"#);
        for text in [format!("{}\n{plain}\n", sized(0)), format!("{plain}\n{}\n", sized(0))] {
            assert_eq!(entries(&text, LIMIT).0.into_iter().collect::<Vec<_>>(), ["a md5+sha256 Some(0)"]);
        }
        let other = plain.replace("\"digests\"", "\"size\":1,\"digests\"");
        assert_eq!(entries(&format!("{}\n{other}\n", sized(0)), LIMIT).0.len(), 2);
    }
}
