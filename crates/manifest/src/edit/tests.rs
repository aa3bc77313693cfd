//! Tests edits of manifests in every format that can be edited, and the refusals for all others.

use super::*;
use crate::formats::FORMATS;
use crate::{Time, Writer};
use std::collections::BTreeMap;
use truesum_hash::Spec;

/// Changes by file name, and entries to add.
#[derive(Default)]
struct Wanted {
    of: BTreeMap<Vec<u8>, Edit>,
    added: Vec<Entry>,
    next: usize,
}

impl Changes for Wanted {
    fn begin(&mut self) {
        self.next = 0;
    }

    fn of(&mut self, line: &Line) -> Edit {
        match self.of.get(&line.entry.path) {
            None => Edit::Keep,
            Some(Edit::Replace(new)) => {
                // A line with one digest is replaced by a line with one digest.
                let own = |(spec, _): &&(Spec, _)| line.entry.digests.iter().any(|(known, _)| known == spec);
                let digests = new.digests.iter().filter(own).cloned().collect();
                Edit::Replace(Box::new(Entry { digests, ..Entry::clone(new) }))
            }
            Some(edit) => edit.clone(),
        }
    }

    fn added(&mut self) -> Option<Entry> {
        self.next += 1;
        self.added.get(self.next - 1).cloned()
    }
}

fn entry(path: &str, names: &[&str], text: &[u8]) -> Entry {
    let digests = names.iter().map(|name| name.parse::<Spec>().unwrap()).map(|spec| {
        let digest = spec.digest(text);
        (spec, digest)
    });
    Entry {
        path: path.into(),
        size: Some(text.len() as u64),
        mtime: Some(Time { seconds: 1, nanos: 5 }),
        digests: digests.collect(),
        ..Entry::default()
    }
}

fn edited(old: &[u8], options: &Options, wanted: &mut Wanted) -> Result<Vec<u8>, EditError> {
    let options = Options { allow_undigested: true, ..options.clone() };
    let mut out = Vec::new();
    edit(&mut || Ok(Box::new(old)), &options, wanted, &mut out)?;
    match reads_back(old, &out[..], &options, wanted).unwrap() {
        true => Ok(out),
        false => Err(EditError::Refused(Uneditable::Misread)),
    }
}

fn refusal(old: &[u8], name: &str, wanted: &mut Wanted) -> String {
    match edited(old, &Options::for_name(name.as_bytes()), wanted) {
        Err(EditError::Refused(why)) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn edits_of_every_writable_format_equal_a_new_manifest() {
    // A manifest in an ASC-MHL history is never changed; each update adds another one.
    let written = |row: &&&Format| !matches!(row.writing, Writing::No) && row.name != "ascmhl";
    for row in FORMATS.iter().filter(written).filter(|row| row.capabilities.pieces.is_none()) {
        let name = row.capabilities.usual_algorithm().algorithm().name();
        let made = |entries: &[Entry]| {
            let mut writer = Writer::new(Vec::new(), row, &Heading::default());
            entries.iter().for_each(|entry| writer.write(entry).unwrap());
            writer.finish().unwrap()
        };
        let [a, b, c, d] = ["a", "s/b", "s/c", "d"].map(|path| entry(path, &[name], path.as_bytes()));
        let new = entry("s/b", &[name], b"other");
        let moved = Entry { path: b"t/e".to_vec(), ..c.clone() };
        let of = BTreeMap::from([
            (b"a".to_vec(), Edit::Drop),
            (b"s/b".to_vec(), Edit::Replace(Box::new(new.clone()))),
            (b"s/c".to_vec(), Edit::Replace(Box::new(moved.clone()))),
        ]);
        let mut wanted = Wanted { of, added: vec![d.clone()], next: 0 };
        let named: &[u8] = if row.name == "bagit" { b"manifest-sha256.txt" } else { b"M" };
        let options = Options { format: Some(row), ..Options::for_name(named) };
        let found = edited(&made(&[a.clone(), b, c]), &options, &mut wanted).unwrap();
        assert_eq!(text(found), text(made(&[new, moved, d])), "{}", row.name);
    }
}

#[test]
fn unchanged_lines_stay_byte_identical() {
    let (abc, new) = (entry("a", &["sha256"], b"abc"), entry("a", &["sha256"], b"new"));
    let (old_hex, new_hex) = (abc.digests[0].1.to_hex(), new.digests[0].1.to_hex());
    let added = entry("n", &["sha256"], b"n");
    let added_hex = added.digests[0].1.to_hex();
    let upper = (old_hex.to_uppercase(), new_hex.to_uppercase(), added_hex.to_uppercase());
    let base64 = |entry: &Entry| entry.digests[0].1.to_base64();
    for (old, expected) in [
        (
            format!("# mine\n\n{old_hex}  a\n; end"),
            format!("# mine\n\n{new_hex}  a\n; end\n{added_hex}  n\n"),
        ),
        (format!("{old_hex} *a\r\n"), format!("{new_hex} *a\r\n{added_hex} *n\r\n")),
        (format!("\u{feff}{old_hex}  a"), format!("\u{feff}{new_hex}  a\n{added_hex}  n\n")),
        (format!("{}  a\n", upper.0), format!("{}  a\n{}  n\n", upper.1, upper.2)),
        (format!("{old_hex} a\n"), format!("{new_hex} a\n{added_hex} n\n")),
        (format!("SHA256(a)= {old_hex}\n"), format!("SHA256(a)= {new_hex}\nSHA256(n)= {added_hex}\n")),
        (format!("SHA2-256(a)= {old_hex}\n"), format!("SHA2-256(a)= {new_hex}\nSHA2-256(n)= {added_hex}\n")),
        (
            format!("SHA256 (a) = {}\n", base64(&abc)),
            format!("SHA256 (a) = {}\nSHA256 (n) = {}\n", base64(&new), base64(&added)),
        ),
        (format!("{old_hex}  a\0"), format!("{new_hex}  a\0{added_hex}  n\0")),
    ] {
        let of = BTreeMap::from([(b"a".to_vec(), Edit::Replace(Box::new(new.clone())))]);
        let mut wanted = Wanted { of, added: vec![added.clone()], next: 0 };
        let found = edited(old.as_bytes(), &Options::for_name(b"M"), &mut wanted).unwrap();
        assert_eq!(text(found), expected, "{old:?}");
    }
}

#[test]
fn lines_of_several_algorithms_are_edited_separately() {
    let names = &["md5", "sha256"][..];
    let (a, b) = (entry("a", names, b"a"), entry("b", names, b"b"));
    let line = |entry: &Entry, at: usize| {
        let (spec, digest) = &entry.digests[at];
        format!("{} ({}) = {}\n", spec.tag(), text(entry.path.clone()), digest.to_hex())
    };
    let old = [line(&a, 0), "# between\n".to_owned(), line(&a, 1)].concat();
    let new = entry("a", names, b"new");
    let of = BTreeMap::from([(b"a".to_vec(), Edit::Replace(Box::new(new.clone())))]);
    let mut wanted = Wanted { of, added: vec![b.clone()], next: 0 };
    let found = edited(old.as_bytes(), &Options::for_name(b"M"), &mut wanted).unwrap();
    let expected =
        [line(&new, 0), "# between\n".to_owned(), line(&new, 1), line(&b, 0), line(&b, 1)].concat();
    assert_eq!(text(found), expected);
}

#[test]
fn lossy_edits_are_rejected() {
    let a = entry("a", &["sha256"], b"abc");
    let hex = a.digests[0].1.to_hex();
    let new = entry("a", &["sha256"], b"new");
    let change = || Wanted {
        of: BTreeMap::from([(b"a".to_vec(), Edit::Replace(Box::new(new.clone())))]),
        ..Wanted::default()
    };
    let signed = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{hex}  a\n-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----\n"
    );
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(format!("{hex}  a\n").encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let line = format!(
        "{{\"schema\":\"truesum-entry/1\",\"path\":\"a\",\"digests\":{{\"sha256\":\"{hex}\"}},\"note\":\"mine\"}}\n"
    );
    for (old, name, why) in [
        (signed.into_bytes(), "M", "it is signed, and its signature would become invalid"),
        (wide, "M", "it is written in UTF-16"),
        (line.into_bytes(), "M", "the content at line 1 would be lost"),
        (
            format!("{{\"files\":[{{\"path\":\"a\",\"sha256\":\"{hex}\",\"note\":1}}]}}").into_bytes(),
            "M.json",
            "the json format can only be rewritten completely, and this manifest has content that would be lost",
        ),
        (format!("a: {hex}\n").into_bytes(), "M", "the loose format can only be read"),
    ] {
        assert_eq!(refusal(&old, name, &mut change()), why);
    }
    let mut wanted = Wanted { added: vec![entry("n\nl", &["crc32"], b"x")], ..Wanted::default() };
    let why = refusal(b"; x\na 352441C2\n", "M.sfv", &mut wanted);
    assert_eq!(
        why,
        "'n'$'\\n''l': cannot be written: the name contains '\\n', which cannot be escaped in this format"
    );
    // Below the other heading, the new line would be read with the wrong algorithm.
    let blake2b = entry("b", &["blake2b"], b"x");
    let old = format!("{hex}  a\n# blake2b\n{}  b\n", blake2b.digests[0].1.to_hex());
    let mut wanted = Wanted { added: vec![entry("n", &["sha256"], b"n")], ..Wanted::default() };
    assert_eq!(refusal(old.as_bytes(), "M", &mut wanted), "the result would not be read back correctly");
}

#[test]
fn malformed_lines_are_kept() {
    let a = entry("a", &["sha256"], b"abc");
    let hex = a.digests[0].1.to_hex();
    let old = format!("oops\n{hex}  a\n{hex}  b\nSHA256 (x) = 00\n");
    let of = BTreeMap::from([(b"a".to_vec(), Edit::Drop)]);
    let found = edited(old.as_bytes(), &Options::for_name(b"M"), &mut Wanted { of, ..Wanted::default() });
    assert_eq!(text(found.unwrap()), format!("oops\n{hex}  b\nSHA256 (x) = 00\n"));
}

#[test]
fn first_entry_is_added_to_an_empty_manifest() {
    for (old, name, expected) in [
        ("", "SHA256SUMS", "{}  a\n"),
        ("# nothing yet\n", "SHA256SUMS", "# nothing yet\n{}  a\n"),
        ("# nothing yet", "SHA256SUMS", "# nothing yet\n{}  a\n"),
    ] {
        let a = entry("a", &["sha256"], b"abc");
        let mut wanted = Wanted { added: vec![a.clone()], ..Wanted::default() };
        let found = edited(old.as_bytes(), &Options::for_name(name.as_bytes()), &mut wanted).unwrap();
        assert_eq!(text(found), expected.replace("{}", &a.digests[0].1.to_hex()));
    }
}

/// A CSV file with the line ends of Windows, or without the last one, was refused because its text
/// was not reproduced.
#[test]
fn line_ends_of_a_rewritten_manifest_stay() {
    let of = |end: &str, last: bool, names: &[&str]| {
        let mut lines = vec!["path,size,md5".to_owned()];
        lines.extend(names.iter().map(|name| {
            let entry = entry(name, &["md5"], name.as_bytes());
            format!("\"{name}\",{},{}", name.len(), entry.digests[0].1.to_hex())
        }));
        lines.join(end) + if last { end } else { "" }
    };
    for (end, last) in [("\n", true), ("\n", false), ("\r\n", true), ("\r\n", false)] {
        let mut wanted = Wanted {
            of: BTreeMap::from([(b"b".to_vec(), Edit::Drop)]),
            added: vec![entry("ccc", &["md5"], b"ccc")],
            ..Wanted::default()
        };
        let old = of(end, last, &["aa", "b"]);
        let new = edited(old.as_bytes(), &Options::default(), &mut wanted);
        assert_eq!(text(new.unwrap()), of(end, last, &["aa", "ccc"]), "{end:?} {last}");
    }
    let mixed = of("\r\n", true, &["a", "b"]).replacen("\r\n", "\n", 1);
    assert!(refusal(mixed.as_bytes(), "x.csv", &mut Wanted::default()).contains("rewritten completely"));
}
