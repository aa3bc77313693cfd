//! Digests combined from pieces that workers hash.

use super::case::{Case, MIB, noise, reading, spec};
use std::ops::Range;
use truesum::Progress;
use truesum::hash::Digest;
use truesum::tree::combine::{CombineError, Origins, combine};
use truesum::tree::piece::{Piece, hash_range};
use truesum::tree::store::Hints;
use truesum_fs::data::FileExt;

#[test]
fn pieces_of_different_file_states_do_not_combine() {
    let bytes = noise(17, 2 * MIB);
    let case = Case::new(&bytes);
    let piece = |range| {
        hash_range(case.path(), &spec("sha256-tree"), range, &reading(1, &Progress::default()))
            .expect("hashed")
    };
    let first = piece(0..MIB);
    // Different content of the same size with the old modification time: as `cp -p` and `rsync --inplace -t` write it.
    let written = std::fs::metadata(&case.file).expect("there").modified().expect("a time");
    let file = std::fs::OpenOptions::new().write(true).open(&case.file).expect("opened");
    file.write_all_at(&noise(18, 2 * MIB), 0).expect("written");
    file.set_modified(written).expect("set");
    drop(file);
    let second = piece(MIB..2 * MIB);
    let found = combine(vec![first.clone(), second.clone()], Origins::One);
    assert!(
        matches!(found, Err(CombineError::Moved(_, ref path, _)) if path == case.file.as_os_str().as_encoded_bytes()),
        "{found:?}"
    );
    // The same bytes in another file are a different state, too.
    std::fs::rename(&case.file, case.file.with_extension("old")).expect("renamed");
    std::fs::write(&case.file, &bytes).expect("written");
    let found = combine(vec![first, piece(MIB..2 * MIB)], Origins::One);
    assert!(matches!(found, Err(CombineError::Moved(..))), "{found:?}");
}

#[test]
fn pieces_of_the_same_state_combine_and_others_do_not() {
    let bytes = noise(16, 6 * MIB + 4321);
    let len = bytes.len() as u64;
    let case = Case::new(&bytes);
    let progress = Progress::default();
    let cases: [(&str, &[u64]); 8] = [
        ("sha256-tree", &[0, 65_536, 3 * MIB, 3 * MIB + 65_536, len]),
        ("sha256-tree", &[0, len]),
        ("blake3", &[0, 1024, 2 * MIB, len]),
        ("blake3", &[0, len]),
        ("glacier", &[0, 2 * MIB, 5 * MIB, len]),
        ("crc32", &[0, 1, 1_000_003, len]),
        ("s3-etag;part=1MiB", &[0, 4 * MIB, len]),
        ("mtsum-md5", &[0, len / 2, len]),
    ];
    for (name, cuts) in cases {
        let part = |range: Range<u64>| {
            hash_range(case.path(), &spec(name), range, &reading(2, &progress)).expect("hashed")
        };
        let mut parts: Vec<Piece> = cuts.windows(2).map(|pair| part(pair[0]..pair[1])).collect();
        parts.reverse();
        let digest = Ok(spec(name).digest(&bytes));
        assert_eq!(combine(parts.clone(), Origins::One), digest, "{name}");
        let mut doubled = parts.clone();
        doubled.push(parts[0].clone());
        assert_eq!(combine(doubled.clone(), Origins::One), digest, "{name}: a piece that came twice");
        // The pieces are in reverse order, and errors have ranges in bytes.
        let range = cuts[cuts.len() - 2]..cuts[cuts.len() - 1];
        let mut other = doubled[0].levels[0].1.as_bytes().to_vec();
        other[0] ^= 1;
        doubled[0].levels[0].1 = Digest::new(&other);
        assert_eq!(combine(doubled, Origins::One), Err(CombineError::Contradiction(range)));
        assert!(combine(parts[1..].to_vec(), Origins::One).is_err());
        if parts.len() > 1 {
            let mut other = parts.clone();
            other[0].size += 1;
            assert!(combine(other, Origins::One).is_err());
            for change in [
                |state: &mut Hints| state.mtime += 1,
                |state: &mut Hints| state.ctime -= 1,
                |state: &mut Hints| state.inode += 1,
            ] {
                let mut other = parts.clone();
                change(&mut other[1].origin.as_mut().expect("stamped").state);
                assert!(
                    matches!(combine(other.clone(), Origins::One), Err(CombineError::Moved(..))),
                    "{name}"
                );
                assert_eq!(combine(other, Origins::Trusted), digest);
            }
            let mut elsewhere = parts.clone();
            let origin = elsewhere[1].origin.as_mut().expect("stamped");
            (origin.path, origin.state.device) = (b"/another/mount".to_vec(), !0);
            assert_eq!(combine(elsewhere, Origins::One), digest, "{name}: by another machine");
        }
        let mut other = parts.clone();
        other[0].origin = None;
        assert!(matches!(combine(other.clone(), Origins::One), Err(CombineError::Unstamped(_))), "{name}");
        assert_eq!(combine(other, Origins::Trusted), digest);
        let mut other = parts.clone();
        other[0].levels.pop();
        assert!(combine(other, Origins::One).is_err());
    }
    assert!(
        hash_range(case.path(), &spec("sha256-tree"), 1..len, &reading(1, &progress)).is_err(),
        "not at a leaf"
    );
    assert!(hash_range(case.path(), &spec("sha256"), 0..len, &reading(1, &progress)).is_err(), "a chain");
    assert!(combine(Vec::new(), Origins::One).is_err());
}
