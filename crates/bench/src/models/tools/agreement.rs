//! Extracts the digests from any program's manifest, to see whether programs agree.
//!
//! Not a parser of formats: the files of the tree are known, so each line is searched for one of their names and for a
//! digest outside it. This works for GNU, BSD, SFV, CSV and cfv's own layouts, and a name or digest that is not exactly
//! correct is not found, which counts as disagreement.

use crate::models::engine::Spelling;
use data_encoding::BASE32_NOPAD;
use std::collections::{BTreeMap, HashSet};
use truesum_fs::name::BACKSLASH_SEPARATES;
use truesum_hash::{Digest, Spec};

/// The files of a directory, by their relative paths.
#[derive(Debug)]
pub struct Files {
    root: Vec<u8>,
    names: HashSet<Vec<u8>>,
}

/// The contents of a manifest: the digest of each file.
pub type Digests = BTreeMap<Vec<u8>, Digest>;

impl Files {
    /// Returns the files with these paths below `root`, an absolute path. Names that formats must escape are omitted:
    /// they would reveal differences of formats, not of digests.
    pub fn new(root: Vec<u8>, names: impl IntoIterator<Item = Vec<u8>>) -> Files {
        let plain = |name: &Vec<u8>| !name.iter().any(|b| matches!(b, b'\\' | b'\n' | b'\r' | b'"'));
        Files { root, names: names.into_iter().filter(plain).collect() }
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the digests in a manifest's lines. `length` is the size of a digest in bytes, if known.
    pub fn digests(&self, manifest: &[u8], spelling: Spelling, length: Option<usize>) -> Digests {
        let mut found = Digests::new();
        // Programs of the system use its separator.
        let separator = if BACKSLASH_SEPARATES { b'\\' } else { b'/' };
        let manifest: Vec<u8> =
            manifest.iter().map(|&byte| if byte == separator { b'/' } else { byte }).collect();
        for line in manifest.split(|b| *b == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() || matches!(line[0], b';' | b'#' | b'%') {
                continue;
            }
            if let Some((name, digest)) = self.entry(line, spelling, length) {
                found.insert(name.to_vec(), digest);
            }
        }
        found
    }

    fn entry<'a>(
        &self,
        line: &'a [u8],
        spelling: Spelling,
        length: Option<usize>,
    ) -> Option<(&'a [u8], Digest)> {
        let candidates = words(line).filter_map(|(start, end)| {
            let digest = decode(&line[start..end], spelling, length)?;
            let name = self.name(&line[end..]).or_else(|| self.name(&line[..start]))?;
            // A size or a part of a name may look like a digest too; a digest is longer, or stands at one end of the
            // line.
            let at_an_end = start == 0 || line[end..].iter().all(u8::is_ascii_whitespace);
            Some(((end - start, at_an_end), (name, digest)))
        });
        candidates.max_by_key(|(rank, _)| *rank).map(|(_, entry)| entry)
    }

    /// Returns the known file that this part of a line names, surrounded by separators and a size.
    fn name<'a>(&self, part: &'a [u8]) -> Option<&'a [u8]> {
        let below = |text: &'a [u8]| {
            let inside = text.strip_prefix(&self.root[..])?.strip_prefix(b"/")?;
            self.names.contains(inside).then_some(inside)
        };
        let starts = (0..part.len())
            .filter(|&i| i == 0 || matches!(part[i - 1], b' ' | b'*' | b'(' | b',' | b'\t' | b'/'));
        let ends: Vec<usize> = ends(part);
        let texts = || {
            starts
                .clone()
                .flat_map(|start| ends.iter().filter(move |&&e| e > start).map(move |&e| &part[start..e]))
        };
        texts().find_map(below).or_else(|| texts().find(|text| self.names.contains(*text)))
    }
}

/// Returns the possible ends of a name: the end of the part, or before anything that formats append.
fn ends(part: &[u8]) -> Vec<usize> {
    let trimmed = |end: usize, drop: fn(u8) -> bool| {
        part[..end].iter().rposition(|b| !drop(*b)).map_or(0, |last| last + 1)
    };
    let bare = trimmed(part.len(), |b| matches!(b, b' ' | b'\t' | b','));
    let bsd = trimmed(bare, |b| matches!(b, b' ' | b'='));
    let bsd = if part[..bsd].ends_with(b")") { bsd - 1 } else { bsd };
    // "name   1,234  ": a size after the name.
    let sized = trimmed(trimmed(bare, |b| b.is_ascii_digit() || b == b','), |b| b == b' ');
    // "name  crc32  md5": other digests after the name, separated by two spaces.
    let columns = part.windows(2).enumerate().filter(|(_, pair)| pair == b"  ").map(|(at, _)| at);
    [part.len(), bare, bsd, sized].into_iter().chain(columns).collect()
}

/// Returns the maximal runs of letters and digits.
fn words(line: &[u8]) -> impl Iterator<Item = (usize, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].iter().position(u8::is_ascii_alphanumeric)?;
        let end = line[start..]
            .iter()
            .position(|b| !b.is_ascii_alphanumeric())
            .map_or(line.len(), |len| start + len);
        at = end;
        Some((start, end))
    })
}

fn decode(word: &[u8], spelling: Spelling, length: Option<usize>) -> Option<Digest> {
    let fits = |digest: &Digest| length.map_or(digest.len() >= 4, |length| digest.len() == length);
    match spelling {
        Spelling::Hex => Digest::from_hex(word).ok().filter(fits),
        // A word of the right length in hexadecimal is not Base32.
        Spelling::Base32 => {
            let bytes = BASE32_NOPAD.decode(&word.to_ascii_uppercase()).ok().filter(|b| b.len() >= 16);
            bytes
                .map(|bytes| Digest::new(&bytes))
                .filter(fits)
                .or_else(|| decode(word, Spelling::Hex, length))
        }
        Spelling::Decimal => {
            let number: u32 = std::str::from_utf8(word).ok()?.parse().ok()?;
            Some(Digest::new(&number.to_be_bytes()))
        }
    }
}

/// Returns the SHA-256 of a text.
pub(crate) fn digest_of(text: &[u8]) -> Digest {
    let sha256: Spec = "sha256".parse().expect("the table has SHA-256");
    sha256.digest(text)
}

/// Returns one digest over all: the SHA-256 of the lines `HEX  NAME`, sorted by name.
pub fn over_all(digests: &Digests) -> Digest {
    let sha256: Spec = "sha256".parse().expect("the table has SHA-256");
    let mut hasher = sha256.hasher();
    for (name, digest) in digests {
        hasher.update(format!("{}  ", digest.to_hex()).as_bytes());
        hasher.update(name);
        hasher.update(b"\n");
    }
    hasher.finish()
}

/// Describes the first file for which `found` is not `expected`; `None` if they agree on every file.
pub fn difference(expected: &Digests, found: &Digests) -> Option<String> {
    for (name, digest) in expected {
        let name = String::from_utf8_lossy(name);
        match found.get(name.as_bytes()) {
            None => {
                return Some(format!(
                    "no digest of {name} (only {} of {} files have digests)",
                    found.len(),
                    expected.len()
                ));
            }
            Some(other) if other != digest => {
                return Some(format!("{} for {name} instead of {}", other.to_hex(), digest.to_hex()));
            }
            Some(_) => {}
        }
    }
    let extra = found.keys().find(|name| !expected.contains_key(*name));
    extra.map(|name| {
        format!("a digest of {}, a file that is not in the other manifests", String::from_utf8_lossy(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5_A: &str = "900150983cd24fb0d6963f7d28e17f72";
    const MD5_B: &str = "25f9e794323b453885f5181f1b624d0b";

    fn files() -> Files {
        Files::new(b"/data/x".to_vec(), [b"a/x y.txt".to_vec(), b"b.bin".to_vec(), b"x/b.bin".to_vec()])
    }

    fn read(manifest: &str, spelling: Spelling, length: usize) -> Vec<(String, String)> {
        files()
            .digests(manifest.as_bytes(), spelling, Some(length))
            .into_iter()
            .map(|(name, digest)| (String::from_utf8(name).unwrap(), digest.to_hex()))
            .collect()
    }

    #[test]
    fn every_output_layout_gives_the_same_digests() {
        let expected = [("a/x y.txt", MD5_A), ("b.bin", MD5_B)].map(|(n, d)| (n.to_owned(), d.to_owned()));
        for manifest in [
            format!("{MD5_A}  /data/x/a/x y.txt\n{MD5_B}  /data/x/b.bin\n"),
            format!("{MD5_A} *a/x y.txt\r\n{MD5_B} *b.bin\r\n"),
            format!("MD5 (/data/x/a/x y.txt) = {MD5_A}\nMD5 (/data/x/b.bin) = {MD5_B}\n"),
            format!("/data/x/a/x y.txt  89abcdef  {MD5_A}  {MD5_A}00\nb.bin  89abcdef  {MD5_B}  {MD5_B}00\n"),
            format!("MD5(/data/x/a/x y.txt)= {MD5_A}\nMD5(/data/x/b.bin)= {MD5_B}\n"),
            format!("; {MD5_B} b.bin in a comment\na/x y.txt {}\nb.bin {MD5_B}\n", MD5_A.to_uppercase()),
            format!("%%%% HASHDEEP-1.0\n3,{MD5_A},/data/x/a/x y.txt\n9,{MD5_B},/data/x/b.bin"),
            format!("a/x y.txt  14,290,060  {MD5_A}  \nb.bin               9  {MD5_B}  \n"),
        ] {
            assert_eq!(read(&manifest, Spelling::Hex, 16), expected, "{manifest}");
        }
    }

    #[test]
    fn names_have_the_separators_of_the_system() {
        let line = format!("{MD5_B}  C:\\data\\x\\b.bin\r\n");
        let found = read(&line, Spelling::Hex, 16);
        assert_eq!(found.len(), usize::from(BACKSLASH_SEPARATES), "{found:?}");
        assert!(found.iter().all(|(name, _)| name == "b.bin" || name == "x/b.bin"));
    }

    #[test]
    fn root_is_not_confused_with_a_subdirectory_of_the_same_name() {
        let line = format!("{MD5_B}  /data/x/b.bin\n");
        assert_eq!(read(&line, Spelling::Hex, 16), [("b.bin".to_owned(), MD5_B.to_owned())]);
        let line = format!("{MD5_B}  x/b.bin\n");
        assert_eq!(read(&line, Spelling::Hex, 16), [("x/b.bin".to_owned(), MD5_B.to_owned())]);
    }

    #[test]
    fn base32_and_decimal_digests_are_read() {
        let tth = "ASD4UJSEH5M47PDYB46KBTSQTSGDKLBHYXOMUIA";
        let hex = Digest::new(&BASE32_NOPAD.decode(tth.as_bytes()).unwrap()).to_hex();
        let expected = [("b.bin".to_owned(), hex.clone())];
        assert_eq!(read(&format!("{}  b.bin\n", tth.to_lowercase()), Spelling::Base32, 24), expected);
        assert_eq!(read(&format!("{hex}  b.bin\n"), Spelling::Base32, 24), expected);
        assert_eq!(read("930766865 9 b.bin\n", Spelling::Decimal, 4)[0].1, "377a6011");
    }

    #[test]
    fn sizes_and_names_are_not_parsed_as_digests() {
        let files = Files::new(b"/d".to_vec(), [b"deadbeef 12345678.bin".to_vec()]);
        for line in [
            "deadbeef 12345678.bin  14290060  cbf43926  ",
            "14290060,cbf43926,deadbeef 12345678.bin",
            "cbf43926  /d/deadbeef 12345678.bin",
            "deadbeef 12345678.bin CBF43926",
        ] {
            let length = if line.starts_with("14290060") { None } else { Some(4) };
            let line = line.replace("cbf43926,", "cbf43926cbf43926,");
            let found = files.digests(line.as_bytes(), Spelling::Hex, length);
            assert!(
                found.values().all(|d| d.to_hex().starts_with("cbf43926")) && found.len() == 1,
                "{line}: {found:?}"
            );
        }
    }

    #[test]
    fn short_digests_are_read_if_their_length_is_known() {
        assert_eq!(read("01dd  b.bin\n", Spelling::Hex, 2), [("b.bin".to_owned(), "01dd".to_owned())]);
    }

    #[test]
    fn wrong_names_and_lengths_are_not_found() {
        for line in
            [format!("{MD5_A}  c.bin"), format!("{MD5_A}0  b.bin"), "b.bin".to_owned(), MD5_A.to_owned()]
        {
            assert_eq!(read(&line, Spelling::Hex, 16), [], "{line}");
        }
    }

    #[test]
    fn first_difference_is_reported() {
        let digest = |byte: u8| Digest::new(&[byte; 4]);
        let expected = Digests::from([(b"a".to_vec(), digest(1)), (b"b".to_vec(), digest(2))]);
        assert_eq!(difference(&expected, &expected.clone()), None);
        let mut other = expected.clone();
        other.insert(b"b".to_vec(), digest(3));
        assert_eq!(difference(&expected, &other).unwrap(), "03030303 for b instead of 02020202");
        other.remove(&b"b"[..]);
        assert_eq!(difference(&expected, &other).unwrap(), "no digest of b (only 1 of 2 files have digests)");
        assert!(difference(&other, &expected).unwrap().starts_with("a digest of b"));
        assert_ne!(over_all(&expected), over_all(&other));
    }
}
