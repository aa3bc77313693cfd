//! Torrents: the reader returns what was written for any sizes of files and pieces, and the output
//! is that of mktorrent.

use proptest::prelude::*;
use std::ops::Range;
use std::path::Path;
use std::process::Command;
use truesum_hash::Spec;
use truesum_manifest::{
    Entry, Heading, Options, PieceList, Reader, Unrepresentable, WriteError, Writer, format,
};

/// Returns the entries of files with these contents, divided into pieces.
fn entries(files: &[(String, Vec<u8>)], piece_len: u64) -> Vec<Entry> {
    let all: Vec<u8> = files.iter().flat_map(|(_, content)| content.clone()).collect();
    let sha1: Spec = "sha1".parse().unwrap();
    let digests: Vec<u8> =
        all.chunks(piece_len as usize).flat_map(|piece| sha1.digest(piece).as_bytes().to_vec()).collect();
    let pieces = PieceList::new(sha1, 0..all.len() as u64, piece_len, digests.into()).unwrap();
    let mut start = 0;
    let entry = |(path, content): &(String, Vec<u8>)| {
        let size = content.len() as u64;
        let entry = Entry {
            path: path.clone().into_bytes(),
            size: Some(size),
            pieces: vec![pieces.of_file_at(start)],
            ..Entry::default()
        };
        start += size;
        entry
    };
    files.iter().map(entry).collect()
}

fn write(entries: &[Entry], heading: &Heading) -> Result<Vec<u8>, Unrepresentable> {
    let mut writer = Writer::new(Vec::new(), format("torrent").unwrap(), heading);
    let refused = |error| match error {
        WriteError::Refused(why) => why,
        WriteError::Io(error) => panic!("{error}"),
    };
    for entry in entries {
        writer.write(entry).map_err(refused)?;
    }
    writer.finish().map_err(refused)
}

fn read(text: &[u8]) -> Vec<Entry> {
    let options = Options::default().allow_pieces(true);
    Reader::new(text, options).map(|item| item.unwrap_or_else(|error| panic!("{error}")).entry).collect()
}

proptest! {
    #[test]
    fn torrents_round_trip(
        contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..8),
        piece_len in 1..50u64,
        alone: bool,
    ) {
        let name = |at: usize| if alone { "only one".to_owned() } else { format!("set/sub/{at}\n:e") };
        let files: Vec<_> = contents.into_iter().enumerate().map(|(at, content)| (name(at), content)).collect();
        let files = if alone { &files[..1] } else { &files[..] };
        let entries = entries(files, piece_len);
        let text = write(&entries, &Heading::default()).unwrap();
        prop_assert_eq!(&read(&text), &entries);
        prop_assert_eq!(write(&read(&text), &Heading::default()).unwrap(), text);
        // Every byte of a file is in one of the pieces returned for the file.
        for (entry, (_, content)) in entries.iter().zip(files) {
            let pieces = &entry.pieces[0];
            let start = pieces.file_start();
            let ranges: Vec<Range<u64>> = pieces.of_file(content.len() as u64).map(|piece| piece.range().clone()).collect();
            prop_assert!((start..start + content.len() as u64).all(|at| ranges.iter().any(|range| range.contains(&at))));
        }
    }

    #[test]
    fn damaged_torrent_gives_no_partial_result(cut in any::<prop::sample::Index>()) {
        let text = write(&entries(&[("set/a".into(), vec![1; 40]), ("set/b".into(), vec![2; 9])], 16), &Heading::default()).unwrap();
        let options = Options::default().allow_pieces(true).format(format("torrent"));
        let items: Vec<_> = Reader::new(&text[..cut.index(text.len())], options).collect();
        prop_assert!(items.len() == 1 && items[0].is_err());
    }
}

#[test]
fn entries_that_do_not_form_a_torrent_are_rejected() {
    let good = entries(&[("set/a".into(), vec![1; 40]), ("set/b".into(), vec![2; 9])], 16);
    let with = |change: &dyn Fn(&mut Vec<Entry>)| {
        let mut entries = good.clone();
        change(&mut entries);
        write(&entries, &Heading::default()).err()
    };
    assert_eq!(with(&|_| {}), None);
    assert_eq!(with(&|entries| entries[0].size = None), Some(Unrepresentable::NoSize));
    assert_eq!(with(&|entries| entries[1].pieces.clear()), Some(Unrepresentable::NoDigest));
    assert_eq!(with(&|entries| entries.swap(0, 1)), Some(Unrepresentable::Pieces));
    assert_eq!(with(&|entries| drop(entries.pop())), Some(Unrepresentable::Pieces));
    assert_eq!(with(&|entries| entries[1].size = Some(10)), Some(Unrepresentable::Pieces));
    assert_eq!(with(&|entries| entries[1].path = b"other/b".to_vec()), Some(Unrepresentable::AnotherFolder));
    assert_eq!(with(&|entries| entries[1].path = b"set".to_vec()), Some(Unrepresentable::AnotherFolder));
    assert_eq!(with(&|entries| entries[1].path = b"set/../b".to_vec()), Some(Unrepresentable::Components));
    assert_eq!(write(&[], &Heading::default()).err(), Some(Unrepresentable::Pieces));
}

#[test]
fn mktorrent_output_is_identical() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mktorrent");
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(root.join("set/sub")).unwrap();
    let files: Vec<(String, Vec<u8>)> = [("set/a", 70_000), ("set/b c", 10), ("set/sub/d,\u{e4}", 40_000)]
        .map(|(name, len)| (name.to_owned(), (0..len).map(|at: u32| (at % 251) as u8).collect()))
        .to_vec();
    for (name, content) in &files {
        std::fs::write(root.join(name), content).unwrap();
    }
    let entries = entries(&files, 1 << 15);
    for is_private in [false, true] {
        let made = Command::new("mktorrent")
            .args(["-d", "-l", "15", "-a", "http://example.org/announce", "-o", "theirs.torrent", "set"])
            .args(is_private.then_some("-p"))
            .current_dir(&root)
            .output();
        let Ok(made) = made else {
            return truesum_test_support::oracle::missing("mktorrent");
        };
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
        let theirs = std::fs::read(root.join("theirs.torrent")).unwrap();
        std::fs::remove_file(root.join("theirs.torrent")).unwrap();
        assert_eq!(read(&theirs), entries);
        let heading = Heading::default().announce(b"http://example.org/announce".to_vec());
        let ours = write(&entries, &heading.private(is_private)).unwrap();
        let info = |text: &[u8]| {
            let at = text.windows(6).position(|part| part == b"4:info").unwrap();
            text[at..].to_vec()
        };
        assert_eq!(info(&ours), info(&theirs), "the same info, and so the same torrent");
    }
}
