//! Writes and parses the lines of plans and parts (`docs/spec/shards.md`).
//!
//! A line is accepted only if it is byte-for-byte the line that this module would write. A file
//! ends with a line that contains the digest of everything before it, so that every loss, addition
//! or change is detected.

use super::state::State;
use crate::error::{Cause, Error};
use crate::io::open::open_companion;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use truesum_fs::name::OsStrExt;
use truesum_hash::{Digest, Hasher, Spec};
use truesum_manifest::Time;
use truesum_manifest::json::exact::Exact;
use truesum_manifest::json::{bytes_into, path_into, string_into};

/// The maximum length of a line that is read. The longest lines that are written are those of ranges with many leaves.
pub(super) const LINE: u64 = 1 << 30;

/// The text before the digest that ends a plan or a part.
const SEAL: &str = ",\"blake3\":\"";
/// The number of hexadecimal digits of that digest.
const DIGITS: usize = 64;

/// Opens a plan or a part. It must be a regular file, because it is read more than once.
pub(super) fn open(path: &Path) -> io::Result<File> {
    Ok(open_companion(path).map_err(|error| error.into_cause())?)
}

/// Returns the error for a plan that cannot be used.
pub(super) fn unusable(path: &Path, why: impl Into<String>) -> Error {
    Error::new(path.as_os_str().as_bytes(), "use", Cause::Other(why.into()))
}

/// Returns a hasher for the digest that seals plans and parts.
pub(super) fn seal() -> Hasher {
    blake3().hasher()
}

/// Returns the algorithm of that digest.
pub(super) fn blake3() -> Spec {
    "blake3".parse().expect("a row of the table of algorithms")
}

/// Ends a file and returns its digest. `end` is its last line without the closing brace.
pub(super) fn seal_into(mut seal: Hasher, end: String, out: &mut dyn Write) -> io::Result<String> {
    let end = end + SEAL;
    seal.update(end.as_bytes());
    let digest = seal.finish().to_hex();
    out.write_all(format!("{end}{digest}\"}}\n").as_bytes())?;
    Ok(digest)
}

/// Splits the last line of a file, without its line end, into the part covered by the digest and the digest.
pub(super) fn sealed(line: &[u8]) -> Option<(&[u8], &str)> {
    let body = line.strip_suffix(b"\"}")?;
    let (covered, digest) = body.split_at(body.len().checked_sub(DIGITS)?);
    covered.ends_with(SEAL.as_bytes()).then_some((covered, std::str::from_utf8(digest).ok()?))
}

/// Returns the first line of a plan.
pub(super) fn head(root: &[u8], specs: &[Spec]) -> Vec<u8> {
    let mut out = b"{\"schema\":\"truesum-plan/1\",".to_vec();
    bytes_into("root", root, &mut out);
    out.extend_from_slice(b",\"algorithms\":[");
    for (at, spec) in specs.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"" } else { b"," });
        string_into(&spec.to_string(), &mut out);
    }
    out.extend_from_slice(b"]}\n");
    out
}

/// Parses the first line of a plan: the root and the algorithms.
pub(super) fn parse_head(line: &[u8]) -> Option<(Vec<u8>, Vec<Spec>)> {
    let mut exact = Exact::new(line);
    exact.text("{\"schema\":\"truesum-plan/1\",")?;
    let root = exact.bytes("root")?;
    exact.text(",\"algorithms\":[")?;
    let mut specs = vec![exact.string()?.parse().ok()?];
    while exact.takes(",") {
        specs.push(exact.string()?.parse().ok()?);
    }
    exact.text("]}")?;
    exact.end()?;
    let repeated = specs.iter().enumerate().any(|(at, spec)| specs[..at].contains(spec));
    (!repeated).then_some((root, specs))
}

/// A file in a plan, or a range of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(crate) name: Vec<u8>,
    pub(crate) state: State,
    pub(crate) range: Option<Range<u64>>,
}

impl Item {
    /// Returns the number of bytes to read for this item.
    pub fn bytes(&self) -> u64 {
        self.range.as_ref().map_or(self.state.size, |range| range.end - range.start)
    }

    /// Returns whether this item is a complete file or the first range of a file.
    pub fn is_first(&self) -> bool {
        self.range.as_ref().is_none_or(|range| range.start == 0)
    }

    /// Appends the line of this item without the closing brace, to be followed by a result.
    pub fn open_into(&self, out: &mut Vec<u8>) {
        let State { size, mtime, ctime, inode, version, copied } = &self.state;
        out.push(b'{');
        path_into(&self.name, out);
        out.extend_from_slice(format!(",\"size\":{size},\"mtime\":\"{mtime}\"").as_bytes());
        match version {
            Some(version) => {
                out.extend_from_slice(b",\"version\":");
                string_into(version, out);
            }
            None if *copied => {}
            None => out.extend_from_slice(format!(",\"ctime\":\"{ctime}\",\"inode\":{inode}").as_bytes()),
        }
        if let Some(range) = &self.range {
            out.extend_from_slice(format!(",\"range\":[{},{}]", range.start, range.end).as_bytes());
        }
    }

    /// Parses the line of an item.
    pub fn parse(line: &[u8]) -> Option<Item> {
        let mut exact = Exact::new(line);
        exact.text("{")?;
        let name = exact.bytes("path")?;
        exact.text(",\"size\":")?;
        let size = exact.number()?;
        exact.text(",\"mtime\":")?;
        let mtime = Time::parse(&exact.string()?)?;
        let mut state = State { size, mtime, ctime: mtime, inode: 0, version: None, copied: false };
        if exact.takes(",\"version\":") {
            state.version = Some(exact.string()?);
        } else if exact.takes(",\"ctime\":") {
            state.ctime = Time::parse(&exact.string()?)?;
            exact.text(",\"inode\":")?;
            state.inode = exact.number()?;
        } else {
            state.copied = true;
        }
        let ranged = exact.takes(",\"range\":[");
        let range = match ranged {
            true => {
                let start = exact.number()?;
                exact.text(",")?;
                let end = exact.number()?;
                exact.text("]")?;
                Some(start..end).filter(|range| range.start < range.end && range.end <= size)
            }
            false => None,
        };
        exact.text("}")?;
        exact.end()?;
        (ranged == range.is_some()).then_some(Item { name, state, range })
    }
}

/// The location of a bundle in a plan, and its totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bundle {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) lines: u64,
    pub(crate) bytes: u64,
    pub(crate) digest: [u8; DIGITS / 2],
}

impl Bundle {
    /// Returns the line of this bundle in the index.
    pub fn text(&self, number: usize) -> String {
        let Bundle { offset, length, lines, bytes, digest } = self;
        let digest = Digest::new(digest);
        format!(
            "{{\"bundle\":{number},\"offset\":{offset},\"length\":{length},\"lines\":{lines},\"bytes\":{bytes},\"blake3\":\"{digest}\"}}\n"
        )
    }

    /// Parses the line of a bundle in the index.
    pub fn parse(line: &[u8], number: usize) -> Option<Bundle> {
        let [_, offset, length, lines, bytes] =
            numbers(line, ["{\"bundle\":", ",\"offset\":", ",\"length\":", ",\"lines\":", ",\"bytes\":"])?;
        let (_, digest) = sealed(line)?;
        let digest = Digest::from_hex(digest.as_bytes()).ok()?.as_bytes().try_into().ok()?;
        let bundle = Bundle { offset, length, lines, bytes, digest };
        (bundle.text(number).as_bytes().strip_suffix(b"\n")? == line).then_some(bundle)
    }
}

readable! {
    /// The totals at the end of a plan.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Totals {
        /// The number of bundles.
        bundles: u64,
        /// The number of files, divided or not.
        files: u64,
        /// Their total size in bytes.
        bytes: u64,
    }
}

/// Returns the last line of a plan up to its digest. `index` is the offset of the lines of its bundles.
pub(super) fn plan_end(index: u64, totals: &Totals) -> String {
    let Totals { bundles, files, bytes } = totals;
    format!("{{\"end\":true,\"index\":{index},\"bundles\":{bundles},\"files\":{files},\"bytes\":{bytes}")
}

/// Parses the last line of a plan.
pub(super) fn parse_plan_end(covered: &[u8]) -> Option<(u64, Totals)> {
    let keys = ["{\"end\":true,\"index\":", ",\"bundles\":", ",\"files\":", ",\"bytes\":"];
    let [index, bundles, files, bytes] = numbers(covered, keys)?;
    let totals = Totals { bundles, files, bytes };
    ((plan_end(index, &totals) + SEAL).as_bytes() == covered).then_some((index, totals))
}

/// Returns the first line of a part.
pub(super) fn part_head(plan: &str, bundle: usize) -> String {
    format!("{{\"schema\":\"truesum-part/1\",\"plan\":\"{plan}\",\"bundle\":{bundle}}}\n")
}

/// Parses the first line of a part: the plan and the bundle.
pub(super) fn parse_part_head(line: &[u8]) -> Option<(String, u64)> {
    let mut exact = Exact::new(line);
    exact.text("{\"schema\":\"truesum-part/1\",\"plan\":")?;
    let plan = exact.string()?;
    exact.text(",\"bundle\":")?;
    let bundle = exact.number()?;
    exact.text("}")?;
    exact.end()?;
    Some((plan, bundle))
}

readable! {
    /// The counts at the end of a part.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Counts {
        /// The number of files and ranges.
        lines: u64,
        /// Files and ranges that have no digest.
        failed: u64,
        /// The failed ones that may succeed when retried.
        again: u64,
        /// The number of bytes hashed.
        bytes: u64,
    }
}

impl Counts {
    /// Counts the result of an item.
    pub(super) fn add(&mut self, item: &Item, result: &ItemResult) {
        self.lines += 1;
        match result {
            ItemResult::Failed(failure) => {
                self.failed += 1;
                self.again += u64::from(failure.again);
            }
            ItemResult::Digests(_) | ItemResult::Pieces(_) => self.bytes += item.bytes(),
        }
    }
}

/// Returns the last line of a part up to its digest.
pub(super) fn part_end(counts: &Counts) -> String {
    let Counts { lines, failed, again, bytes } = counts;
    format!("{{\"end\":true,\"lines\":{lines},\"failed\":{failed},\"again\":{again},\"bytes\":{bytes}")
}

/// Returns whether this is the last line of a part with these counts, up to its digest.
pub(super) fn is_part_end(covered: &[u8], counts: &Counts) -> bool {
    covered == (part_end(counts) + SEAL).as_bytes()
}

/// Parses the numbers after these keys.
fn numbers<const N: usize>(line: &[u8], keys: [&str; N]) -> Option<[u64; N]> {
    let mut exact = Exact::new(line);
    let mut found = [0; N];
    for (number, key) in found.iter_mut().zip(keys) {
        exact.text(key)?;
        *number = exact.number()?;
    }
    Some(found)
}

/// The result of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ItemResult {
    /// The digests of a complete file, in the order of the plan's algorithms.
    Digests(Vec<Digest>),
    /// The hashes of a range, in the same order, each with its level in the tree.
    Pieces(Vec<Vec<(u8, Digest)>>),
    /// There is no digest, for this reason.
    Failed(Failure),
}

readable! {
    /// The reason why there is no digest.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Failure {
        /// `missing`, `changed`, `refused` or `unreadable`.
        kind: String => &str,
        /// The message of the system or of the program.
        reason: String => &str,
        /// Whether another attempt may succeed.
        again: bool,
    }
    private {
        errno: Option<u64>,
    }
}

impl Failure {
    /// Returns the failure for an error.
    pub(super) fn of(error: &Error) -> Failure {
        let errno = error.errno().and_then(|number| u64::try_from(number).ok());
        let (kind, reason) = (error.kind().word().to_owned(), error.reason());
        Failure { kind, reason, again: error.is_transient(), errno }
    }
}

impl ItemResult {
    /// Appends the rest of an item's line.
    pub fn write(self, specs: &[Spec], out: &mut Vec<u8>) {
        match self {
            ItemResult::Digests(digests) => {
                let digests = digests.iter().map(|digest| format!("\"{digest}\""));
                keyed(",\"digests\":{", specs, digests, out);
            }
            ItemResult::Pieces(pieces) => {
                let level = |(level, hash): &(u8, Digest)| format!("[{level},\"{hash}\"]");
                let row = |row: &Vec<(u8, Digest)>| {
                    let levels: Vec<String> = row.iter().map(level).collect();
                    format!("[{}]", levels.join(","))
                };
                keyed(",\"pieces\":{", specs, pieces.iter().map(row), out);
            }
            ItemResult::Failed(Failure { kind, reason, again, errno }) => {
                out.extend_from_slice(format!(",\"failed\":\"{kind}\",\"reason\":").as_bytes());
                string_into(&reason, out);
                let errno = errno.map_or_else(|| "null".to_owned(), |errno| errno.to_string());
                out.extend_from_slice(format!(",\"errno\":{errno},\"again\":{again}}}\n").as_bytes());
            }
        }
    }

    /// Parses the rest of an item's line.
    pub fn parse(rest: &[u8], specs: &[Spec]) -> Option<ItemResult> {
        let mut exact = Exact::new(rest);
        if exact.takes(",\"digests\":{") {
            let digests = each(&mut exact, specs, |exact, spec| {
                let digest = hash(exact)?;
                (digest.len() == spec.digest_len() && digest.parts().is_some() == spec.counts_parts())
                    .then_some(digest)
            })?;
            return Some(ItemResult::Digests(digests));
        }
        if exact.takes(",\"pieces\":{") {
            let pieces = each(&mut exact, specs, |exact, _| {
                exact.text("[")?;
                let mut row = Vec::new();
                while !exact.takes("]") {
                    exact.text(if row.is_empty() { "[" } else { ",[" })?;
                    let level = u8::try_from(exact.number()?).ok()?;
                    exact.text(",")?;
                    row.push((level, hash(exact)?));
                    exact.text("]")?;
                }
                Some(row)
            })?;
            return Some(ItemResult::Pieces(pieces));
        }
        exact.text(",\"failed\":")?;
        let kind = exact.string()?;
        exact.text(",\"reason\":")?;
        let reason = exact.string()?;
        exact.text(",\"errno\":")?;
        let errno = if exact.takes("null") { None } else { Some(exact.number()?) };
        exact.text(",\"again\":")?;
        let again = exact.takes("true");
        exact.text(if again { "}" } else { "false}" })?;
        exact.end()?;
        Some(ItemResult::Failed(Failure { kind, reason, again, errno }))
    }
}

/// Appends a value for each algorithm, and the end of the line.
fn keyed(open: &str, specs: &[Spec], values: impl Iterator<Item = String>, out: &mut Vec<u8>) {
    out.extend_from_slice(open.as_bytes());
    for (at, (spec, value)) in specs.iter().zip(values).enumerate() {
        let comma = if at == 0 { "" } else { "," };
        out.extend_from_slice(format!("{comma}\"{spec}\":{value}").as_bytes());
    }
    out.extend_from_slice(b"}}\n");
}

/// Parses a value for each algorithm, and the end of the line.
fn each<T>(
    exact: &mut Exact<'_>,
    specs: &[Spec],
    mut value: impl FnMut(&mut Exact<'_>, &Spec) -> Option<T>,
) -> Option<Vec<T>> {
    let mut values = Vec::with_capacity(specs.len());
    for spec in specs {
        exact.text(if values.is_empty() { "\"" } else { ",\"" })?;
        exact.text(&spec.to_string())?;
        exact.text("\":")?;
        values.push(value(exact, spec)?);
    }
    exact.text("}}")?;
    exact.end()?;
    Some(values)
}

/// Parses a hash in lower-case hexadecimal.
fn hash(exact: &mut Exact<'_>) -> Option<Digest> {
    let text = exact.string()?;
    Digest::from_hex(text.as_bytes()).ok().filter(|digest| digest.to_hex() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATE: State = State {
        size: 9,
        mtime: Time { seconds: -1, nanos: 999_999_999 },
        ctime: Time { seconds: 1 << 40, nanos: 0 },
        inode: u64::MAX,
        version: None,
        copied: false,
    };

    #[test]
    fn items_and_results_round_trip() {
        let specs: Vec<Spec> = ["sha256-tree", "crc32"].map(|name| name.parse().unwrap()).into();
        let io = Error::io(b"x", "open", std::io::Error::from_raw_os_error(5));
        let result = [
            ItemResult::Digests(specs.iter().map(|spec| spec.digest(b"a")).collect()),
            ItemResult::Pieces(vec![
                vec![(0, Digest::new(&[7; 32])), (30, Digest::new(&[8; 32]))],
                Vec::new(),
            ]),
            ItemResult::Failed(Failure::of(&io)),
            ItemResult::Failed(Failure::of(&Error::interrupted(b"x"))),
        ];
        for name in [&b"a"[..], b"a\nb", b"\xff", "\u{202e}".as_bytes()] {
            for range in [None, Some(0..9), Some(8..9)] {
                for result in &result {
                    // The version of an object takes the place of the inode and the status change time.
                    let object =
                        State { version: Some("\"e-3\"".into()), ctime: STATE.mtime, inode: 0, ..STATE };
                    let state = match range {
                        Some(Range { start: 0, .. }) => object,
                        Some(_) => STATE,
                        None => STATE.of_copies(),
                    };
                    let item = Item { name: name.to_vec(), state, range: range.clone() };
                    let mut line = Vec::new();
                    item.open_into(&mut line);
                    let opened = line.len();
                    let planned = [&line[..], b"}"].concat();
                    assert_eq!(Item::parse(&planned), Some(item), "{}", planned.escape_ascii());
                    result.clone().write(&specs, &mut line);
                    assert_eq!(line.pop(), Some(b'\n'));
                    assert_eq!(ItemResult::parse(&line[opened..], &specs).as_ref(), Some(result));
                }
            }
        }
    }

    #[test]
    fn plan_heads_and_ends_round_trip_and_reject_others() {
        let specs: Vec<Spec> = vec!["sha256-tree;leaf=1MiB".parse().unwrap(), "blake2b-128".parse().unwrap()];
        let line = head(b"/\xff", &specs);
        assert_eq!(parse_head(line.trim_ascii_end()), Some((b"/\xff".to_vec(), specs)));
        let bundle = Bundle { offset: 1, length: 2, lines: 3, bytes: 4, digest: [0xab; 32] };
        let text = bundle.text(7);
        assert_eq!(Bundle::parse(text.trim_end().as_bytes(), 7), Some(bundle));
        assert_eq!(Bundle::parse(text.trim_end().as_bytes(), 8), None);
        assert_eq!(Bundle::parse(text.trim_end().replace("ab", "AB").as_bytes(), 7), None);
        let totals = Totals { bundles: 1, files: 2, bytes: 3 };
        let mut out = Vec::new();
        let digest = seal_into(seal(), plan_end(5, &totals), &mut out).unwrap();
        let (covered, read) = sealed(out.trim_ascii_end()).unwrap();
        assert_eq!((parse_plan_end(covered), read), (Some((5, totals)), &*digest));
        assert_eq!(parse_part_head(part_head("ab", 3).trim_end().as_bytes()), Some(("ab".to_owned(), 3)));
    }
}
