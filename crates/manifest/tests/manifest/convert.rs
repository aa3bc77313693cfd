//! A conversion reports everything that it does not write.

use std::collections::BTreeSet;
use truesum_manifest::convert::{ConvertError, Loss, convert};
use truesum_manifest::{
    AlgorithmSource, Entry, FORMATS, Format, Heading, Options, Reader, Writer, Writing, format,
};

/// Converts a manifest. Returns the text, and the losses in words.
fn converted(text: &[u8], to: &'static Format) -> (Vec<u8>, BTreeSet<String>) {
    let options = Options::default().accept_all().attributes(true).locating(true);
    let mut reader = Reader::new(text, options);
    let mut lost = BTreeSet::new();
    let mut note = |loss: Loss<'_>| {
        lost.insert(match loss {
            Loss::Malformed(error) => panic!("{error}"),
            Loss::Entry(_, why) => format!("entry: {why}"),
            Loss::Digest(_, spec) => spec.to_string(),
            Loss::Unread(name) | Loss::Attribute(name) => name.to_owned(),
            Loss::Time(_) => "time".to_owned(),
            Loss::Size(_) => "size".to_owned(),
            Loss::Pieces(_) => "pieces".to_owned(),
            Loss::Objects(objects) => objects.to_string(),
            Loss::Signature => "signature".to_owned(),
        });
    };
    let writer = Writer::new(Vec::new(), to, &Heading::default());
    let text = match convert(&mut reader, writer, to, &mut |_| true, &mut note) {
        Ok((text, _)) => text,
        Err(ConvertError::Whole(why)) => {
            note(Loss::Entry(&Entry::default(), why));
            Vec::new()
        }
        Err(error) => panic!("{error:?}"),
    };
    (text, lost)
}

#[test]
fn every_format_reports_what_it_cannot_store_of_an_entry_with_all_attributes() {
    let digests = ["md5", "sha1", "sha256", "crc32", "ed2k"].map(|name| {
        let spec: truesum_hash::Spec = name.parse().unwrap();
        (name, spec.digest(b"abc").to_hex())
    });
    let json: Vec<String> = digests.iter().map(|(name, hex)| format!("\"{name}\":\"{hex}\"")).collect();
    let text = format!(
        "{{\"schema\":\"truesum-entry/1\",\"path\":\"a\",\"size\":3,\"mtime\":\"2026-11-21T10:00:00Z\",\"mode\":\"0644\",\
         \"digests\":{{{},\"nosuch\":\"00\"}}}}\n",
        json.join(",")
    );
    for to in FORMATS.iter().filter(|row| !matches!(row.writing(), Writing::No)) {
        let (written, lost) = converted(text.as_bytes(), to);
        if lost.iter().any(|loss| loss.starts_with("entry: ")) {
            continue;
        }
        // One of the formats leaves the algorithm to the name of the file.
        let kept: Vec<&str> =
            digests.iter().map(|(name, _)| *name).filter(|name| !lost.contains(*name)).collect();
        let name = match to.capabilities().algorithm_source() {
            AlgorithmSource::FileName => format!("manifest-{}.txt", kept[0]),
            _ => "M".to_owned(),
        };
        let options = Options::for_name(name.as_bytes()).accept_all().format(Some(to));
        let entries: Vec<Entry> =
            Reader::new(&written[..], options).map(|line| line.unwrap().entry).collect();
        let kept = |name: &str| match name {
            "size" => entries.iter().all(|entry| entry.size.is_some()),
            "time" => entries.iter().all(|entry| entry.mtime.is_some()),
            "mode" | "nosuch" => false,
            name => {
                entries.iter().any(|entry| entry.digests.iter().any(|(spec, _)| spec.to_string() == name))
            }
        };
        for what in
            ["size", "time", "mode", "nosuch"].into_iter().chain(digests.iter().map(|(name, _)| *name))
        {
            assert_eq!(kept(what), !lost.contains(what), "{}: {what}: {lost:?}", to.name());
        }
    }
}

/// Attributes that were dropped without a report when the new format had room for size and time.
#[test]
fn attributes_that_are_not_read_are_reported() {
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    let ed2k = "a448017aaf21d8525fc10ae87aa6729d";
    for (text, attributes) in [
        (format!("#mtree\n/set uid=0\na type=file mode=0644 size=3 md5={md5}\n"), &["mode", "uid"][..]),
        (format!("magnet:?xl=3&dn=a&xt=urn:md5:{md5}&tr=udp:x&tr=udp:y"), &["tr"]),
        (format!("ed2k://|file|a|3|{ed2k}|p={ed2k}:{ed2k}|/"), &["digests of parts"]),
        (format!("path,md5,Modified\na,{md5},2026\n"), &["Modified"]),
        (format!("[{{\"Path\":\"a\",\"md5\":\"{md5}\",\"ModTime\":\"2026\"}}]"), &["ModTime"]),
        (
            format!(
                "<hashlist xmlns=\"urn:ASC:MHL:v2.0\"><hashes><hash><path size=\"3\" lastmodificationdate=\"2026\">a</path>\
                 <md5>{md5}</md5><previousPath>b</previousPath></hash></hashes></hashlist>"
            ),
            &["path@lastmodificationdate", "previousPath"],
        ),
        (
            format!(
                "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"><file name=\"a\"><hash type=\"md5\">{md5}</hash>\
                 <url>http://x</url></file></metalink>"
            ),
            &["url"],
        ),
        (
            format!("<datafile><game><rom name=\"a\" md5=\"{md5}\" region=\"x\"/></game></datafile>"),
            &["@region"],
        ),
        (format!("/a 3 1700000000 {md5} 0100644 root root 0 0 0 X\n"), &["mode", "time"]),
    ] {
        for to in ["jsonl", "mtree", "magnet"] {
            let (_, lost) = converted(text.as_bytes(), format(to).unwrap());
            let missing: Vec<_> = attributes.iter().filter(|name| !lost.contains(**name)).collect();
            let unwritable = lost.iter().any(|loss| loss.starts_with("entry: "));
            assert!(missing.is_empty() || unwritable, "{text} to {to}: {missing:?} not in {lost:?}");
        }
    }
    let (_, lost) = converted(format!("path,md5,Modified\na,{md5},\n").as_bytes(), format("jsonl").unwrap());
    assert!(lost.is_empty(), "{lost:?}");
}
