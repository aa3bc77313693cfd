//! Tests the number and the positions of pieces.

use super::*;

fn pieces(covered: Range<u64>, piece_len: u64, count: u8) -> Option<PieceList> {
    let digests: Vec<u8> = (0..count).flat_map(|at| [at; 20]).collect();
    PieceList::new("sha1".parse().unwrap(), covered, piece_len, digests.into())
}

#[test]
fn digest_count_must_match_the_pieces() {
    for (covered, piece_len, count, good) in [
        (0..0, 4, 0, true),
        (0..0, 4, 1, false),
        (0..1, 4, 1, true),
        (0..4, 4, 1, true),
        (0..5, 4, 1, false),
        (0..5, 4, 2, true),
        (8..13, 4, 2, true),
        (0..5, 0, 2, false),
        (0..u64::MAX, 1, 2, false),
    ] {
        assert_eq!(pieces(covered.clone(), piece_len, count).is_some(), good, "{covered:?} {piece_len}");
    }
    #[expect(clippy::reversed_empty_ranges, reason = "that is the case")]
    let reversed = 5..0;
    assert!(pieces(reversed, 4, 0).is_none());
}

#[test]
fn file_has_the_pieces_that_contain_its_bytes() {
    let all = pieces(0..10, 4, 3).unwrap();
    let of = |start: u64, size: u64| -> Vec<(Range<u64>, u8)> {
        let file = all.of_file_at(start);
        file.of_file(size).map(|piece| (piece.range, piece.digest.as_bytes()[0])).collect()
    };
    assert_eq!(of(0, 10), [(0..4, 0), (4..8, 1), (8..10, 2)]);
    assert_eq!(of(3, 2), [(0..4, 0), (4..8, 1)]);
    assert_eq!(of(4, 4), [(4..8, 1)]);
    assert_eq!(of(9, 1), [(8..10, 2)]);
    assert_eq!(of(5, 0), []);
    assert_eq!(of(10, 5), []);
    assert_eq!(of(8, u64::MAX), [(8..10, 2)]);
    assert_eq!((all.len(), all.is_empty()), (3, false));
}

#[test]
fn gaps_are_zeros_only_if_listed_as_padding() {
    let all = pieces(0..20, 4, 5).unwrap();
    let between = |list: &PieceList, gap| list.between(gap).collect::<Vec<_>>();
    assert_eq!(between(&all, 3..9), [(6, false)]);
    assert_eq!(between(&all.clone().padded(), 3..9), [(6, true)]);
    let padded = all.with_pads(Arc::from([5..8, 18..20]));
    assert_eq!(between(&padded, 3..9), [(2, false), (3, true), (1, false)]);
    assert_eq!(between(&padded, 6..7), [(1, true)]);
    assert_eq!(between(&padded, 17..20), [(1, false), (2, true)]);
    assert_eq!(between(&padded, 8..8), []);
}

#[test]
fn piece_ranges_are_ascending_and_disjoint() {
    let of = |ranges: &[Range<u64>]| {
        let digests: Vec<u8> = ranges.iter().flat_map(|_| [0; 20]).collect();
        PieceList::of_ranges("sha1".parse().unwrap(), ranges.to_vec(), digests.into())
    };
    assert_eq!(of(&[0..4, 4..8, 8..9]).unwrap().cuts(), &Boundaries::Equal { covered: 0..9, len: 4 });
    let gaps = of(&[0..4, 6..8, 8..20]).unwrap();
    assert!(gaps.cuts().gaps().eq(std::iter::once(4..6)));
    assert_eq!((gaps.cuts().at(3), gaps.cuts().at(4), gaps.cuts().at(8), gaps.cuts().at(20)), (0, 1, 2, 3));
    let (empty, huge) = (0..0, 0..1 << 63);
    let one = std::slice::from_ref::<Range<u64>>;
    for bad in [&[0..4, 3..8][..], &[4..8, 0..4], one(&empty), one(&huge)] {
        assert!(of(bad).is_none(), "{bad:?}");
    }
    let open = pieces(0..12, 4, 3).unwrap().ending_with_file();
    assert_eq!(open.of_size(9).unwrap().covered(), 0..9);
    assert_eq!(open.clone().padded().of_size(9).unwrap().covered(), 0..12);
    assert!(open.of_size(8).is_none() && open.of_size(13).is_none());
}

#[test]
fn piece_with_bytes_of_other_files_shows_no_difference_of_one_of_them() {
    let md5: Spec = "md5".parse().unwrap();
    let list =
        |text: &[u8; 8]| PieceList::new(md5.clone(), 0..8, 8, md5.digest(text).as_bytes().into()).unwrap();
    let compare = |one: &PieceList, other: &PieceList| one.compare(other, [Some(5), Some(5)]);
    let (one, other) = (list(b"abcdefgh"), list(b"abcdeFGH"));
    let shared = PieceComparison::SharedDifference(vec![[0..8, 0..8]]);
    assert_eq!(compare(&one, &one), PieceComparison::Same);
    assert_eq!(compare(&one, &other), shared);
    // Zeros after the file are the same in both lists.
    let padded = |list: &PieceList| list.clone().with_pads(Arc::from([5..6, 6..8]));
    assert_eq!(compare(&padded(&one), &padded(&other)), PieceComparison::Different);
    assert_eq!(compare(&padded(&one), &other), shared);
    assert_eq!(one.compare(&other, [Some(8), None]), PieceComparison::Different);
}

#[test]
fn truncated_digests_are_no_proof_and_sums_must_match_too() {
    let md4: Spec = "md4".parse().unwrap();
    let cuts = Boundaries::Equal { covered: 0..8, len: 4 };
    let list = PieceList::of(md4, cuts, [1, 2, 3, 4, 5, 6].into(), 3).unwrap();
    assert!(!list.is_proof());
    assert!(
        list.agrees(1, &[4, 5, 6, 99], None)
            && !list.agrees(0, &[4, 5, 6], None)
            && !list.agrees(2, &[], None)
    );
    let list = list.with_sums(2, [7, 8, 9, 10].into()).unwrap();
    assert!(list.agrees(1, &[4, 5, 6], Some(0x0102_090a)));
    assert!(!list.agrees(1, &[4, 5, 6], Some(0x0102_090b)) && !list.agrees(1, &[4, 5, 6], None));
    assert_eq!(list.described(), "3 bytes of md4 and 2 of a rolling checksum");
}
