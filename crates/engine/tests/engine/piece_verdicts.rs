//! Files checked by digests of pieces, compared with a naive version that hashes every piece from the concatenated
//! files.

use std::ops::Range;
use std::path::Path;
use std::process::Command;
use truesum::hash::Spec;
use truesum::manifest::{Entry, Heading, PieceList, Writer, format};
use truesum::{Conclusion, Damage, Event, Options, Outcome, Progress, ReadOptions, Verdict, Verification};

/// A small random number generator (xorshift64*), so that each case is identified by its number.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) % end
    }
}

/// What happens to a file after the torrent was made.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    Kept,
    Flipped(u64),
    Gone,
    Cut(u64),
    Grown,
}

struct Case {
    contents: Vec<Vec<u8>>,
    fates: Vec<Fate>,
    piece_len: u64,
}

fn case(number: u64) -> Case {
    let mut numbers = Random(number * 2 + 1);
    numbers.below(2);
    // Pieces of a few bytes, of part of a unit, of one unit, and of more than one.
    let (piece_len, longest) = match number % 8 {
        0 => (1 << 20, 3 << 20),
        1 => ((1 << 20) + 1, 3 << 20),
        2 => (3000, 1 << 20),
        _ => (1 + numbers.below(50), 120),
    };
    let count = 1 + numbers.below(7) as usize;
    let contents: Vec<Vec<u8>> = (0..count)
        .map(|_| {
            let len = if numbers.below(5) == 0 { 0 } else { numbers.below(longest) };
            (0..len).map(|at| (at.wrapping_mul(31) ^ number) as u8).collect()
        })
        .collect();
    let fates = contents
        .iter()
        .map(|content| match (numbers.below(10), content.len() as u64) {
            (0, _) => Fate::Gone,
            (1, len) if len > 0 => Fate::Cut(numbers.below(len)),
            (2, _) => Fate::Grown,
            (3 | 4, len) if len > 0 => Fate::Flipped(numbers.below(len)),
            _ => Fate::Kept,
        })
        .collect();
    Case { contents, fates, piece_len }
}

fn name(at: usize) -> String {
    format!("set/sub{}/file {at}", at % 2)
}

/// Returns the torrent of these files.
fn torrent(case: &Case) -> Vec<u8> {
    let all: Vec<u8> = case.contents.concat();
    let sha1: Spec = "sha1".parse().unwrap();
    let digests: Vec<u8> = all
        .chunks(case.piece_len as usize)
        .flat_map(|piece| sha1.digest(piece).as_bytes().to_vec())
        .collect();
    let pieces = PieceList::new(sha1, 0..all.len() as u64, case.piece_len, digests.into()).unwrap();
    let mut writer = Writer::new(Vec::new(), format("torrent").unwrap(), &Heading::default());
    let mut start = 0;
    for (at, content) in case.contents.iter().enumerate() {
        let size = content.len() as u64;
        let pieces = vec![pieces.of_file_at(start)];
        let entry = Entry { path: name(at).into_bytes(), size: Some(size), pieces, ..Entry::default() };
        writer.write(&entry).unwrap();
        start += size;
    }
    writer.finish().unwrap()
}

fn write_files(case: &Case, root: &Path) {
    for (at, (content, fate)) in case.contents.iter().zip(&case.fates).enumerate() {
        let path = root.join(name(at));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut content = content.clone();
        match fate {
            Fate::Kept => {}
            Fate::Gone => continue,
            Fate::Flipped(byte) => content[*byte as usize] ^= 1,
            Fate::Cut(len) => content.truncate(*len as usize),
            Fate::Grown => content.extend_from_slice(b"more"),
        }
        std::fs::write(path, content).unwrap();
    }
}

type Ranges = Vec<Range<u64>>;

fn merged(ranges: impl Iterator<Item = Range<u64>>) -> Ranges {
    let mut merged: Ranges = Vec::new();
    for range in ranges.filter(|range| !range.is_empty()) {
        match merged.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Computes the verdict and the damaged and unknown bytes of each file, naively.
fn expected(case: &Case) -> Vec<(Verdict, Ranges, Ranges)> {
    let mut start = 0;
    let files: Vec<(Range<u64>, Fate)> = case
        .contents
        .iter()
        .zip(&case.fates)
        .map(|(content, fate)| {
            let range = start..start + content.len() as u64;
            start = range.end;
            (range, *fate)
        })
        .collect();
    let pieces = (0..start.div_ceil(case.piece_len))
        .map(|at| at * case.piece_len..((at + 1) * case.piece_len).min(start));
    let state = |piece: &Range<u64>| {
        let (mut damaged, mut unknown) = (false, false);
        for (file, fate) in &files {
            let holds = |at: u64| piece.contains(&(file.start + at));
            let overlaps = |range: Range<u64>| range.start.max(piece.start) < range.end.min(piece.end);
            match fate {
                Fate::Kept | Fate::Grown => {}
                Fate::Flipped(at) => damaged |= holds(*at),
                Fate::Gone => unknown |= overlaps(file.clone()),
                Fate::Cut(len) => unknown |= overlaps(file.start + len..file.end),
            }
        }
        if unknown { 2 } else { i32::from(damaged) }
    };
    let states: Vec<(Range<u64>, i32)> = pieces.map(|piece| (piece.clone(), state(&piece))).collect();
    // A piece whose bytes are missing at the end of a file is damage to that file.
    let of = |file: &Range<u64>, end: u64, wanted: i32| {
        let inside = |piece: &Range<u64>| {
            let (start, end) = (piece.start.max(file.start), piece.end.min(file.end));
            start.saturating_sub(file.start)..end.saturating_sub(file.start)
        };
        let is_cut = |piece: &Range<u64>| end < file.end && piece.end > end;
        let of_it = states.iter().filter(|(piece, state)| match is_cut(piece) && *state == 2 {
            true => wanted == 1,
            false => *state == wanted,
        });
        merged(of_it.map(|(piece, _)| inside(piece)))
    };
    files
        .iter()
        .map(|(file, fate)| {
            let end = if let Fate::Cut(len) = fate { file.start + len } else { file.end };
            let (damaged, unknown) = (of(file, end, 1), of(file, end, 2));
            let verdict = match fate {
                Fate::Gone => return (Verdict::Missing, Vec::new(), Vec::new()),
                Fate::Cut(_) | Fate::Grown => Verdict::Mismatch,
                _ if !damaged.is_empty() => Verdict::Mismatch,
                _ if !unknown.is_empty() => Verdict::Unverified,
                _ => Verdict::Verified,
            };
            (verdict, damaged, unknown)
        })
        .collect()
}

/// What is reported about a file: verdict, damage, unknown bytes.
type OutcomeParts = (Verdict, Vec<Damage>, Ranges);

fn outcome_parts(outcome: &Outcome) -> OutcomeParts {
    let pieces = outcome.result.as_ref().ok().and_then(|found| found.pieces().cloned()).unwrap_or_default();
    (outcome.verdict(), pieces.damaged().to_vec(), pieces.unknown().to_vec())
}

/// The same without the information that damage may belong to another file.
fn plain((verdict, damaged, unknown): OutcomeParts) -> (Verdict, Ranges, Ranges) {
    (verdict, merged(damaged.iter().map(|damage| damage.range().clone())), unknown)
}

fn check(root: &Path, manifest: &[u8], file_name: &str, threads: usize) -> (Vec<OutcomeParts>, Conclusion) {
    let path = root.join(file_name);
    std::fs::write(&path, manifest).unwrap();
    let options = Options::from(ReadOptions::default().threads(threads));
    let progress = Progress::default();
    let mut verification = Verification::new(&options, &progress);
    let mut outcomes = Vec::new();
    verification
        .manifests(&[path], &mut |event| {
            match event {
                Event::Entry(_, outcome) => outcomes.push(outcome_parts(outcome)),
                Event::Malformed(_, line) => panic!("{line}"),
                _ => {}
            }
            Ok(())
        })
        .unwrap();
    (outcomes, verification.report().verdict())
}

#[test]
fn piece_verdicts_match_hashing_each_piece_alone() {
    for number in 0..96 {
        let case = case(number);
        let folder = tempfile::tempdir().unwrap();
        write_files(&case, folder.path());
        let (outcomes, _) = check(folder.path(), &torrent(&case), "t.torrent", 1 + number as usize % 3);
        let outcomes: Vec<_> = outcomes.into_iter().map(plain).collect();
        assert_eq!(outcomes, expected(&case), "case {number}: {:?} of {}", case.fates, case.piece_len);
    }
}

#[test]
fn damage_in_a_shared_piece_is_marked_as_shared() {
    let contents = vec![vec![1; 10], vec![2; 10]];
    let case = Case { contents, fates: vec![Fate::Kept, Fate::Flipped(0)], piece_len: 8 };
    let folder = tempfile::tempdir().unwrap();
    write_files(&case, folder.path());
    let (outcomes, conclusion) = check(folder.path(), &torrent(&case), "t.torrent", 1);
    let damage: Vec<_> = outcomes
        .into_iter()
        .flat_map(|reported| reported.1)
        .map(|damage| (damage.range().clone(), damage.shared()))
        .collect();
    assert_eq!(damage, [(8..10, true), (0..6, true)]);
    assert_eq!(conclusion, Conclusion::Failed);
}

#[test]
fn torrent_with_huge_claimed_size_is_checked_quickly() {
    // 2^60 bytes in pieces of 2^58: if missing bytes were hashed as zeros, this would not end.
    let spec: Spec = "sha1".parse().unwrap();
    let pieces = PieceList::new(spec, 0..1 << 60, 1 << 58, vec![0; 80].into()).unwrap();
    let mut writer = Writer::new(Vec::new(), format("torrent").unwrap(), &Heading::default());
    let entry = Entry { path: b"f".to_vec(), size: Some(1 << 60), pieces: vec![pieces], ..Entry::default() };
    writer.write(&entry).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("f"), "123456789").unwrap();
    let (outcomes, conclusion) = check(folder.path(), &writer.finish().unwrap(), "t.torrent", 2);
    assert_eq!(outcomes[0].0, Verdict::Mismatch);
    assert_eq!(conclusion, Conclusion::Failed);
}

#[test]
fn hashdeep_pieces_are_verified_in_one_read() {
    let folder = tempfile::tempdir().unwrap();
    let content: Vec<u8> = (0..100_000u32).map(|at| (at % 251) as u8).collect();
    std::fs::write(folder.path().join("a"), &content).unwrap();
    std::fs::write(folder.path().join("b c"), &content[..4096]).unwrap();
    let made = Command::new("hashdeep")
        .args(["-c", "md5,sha256", "-p", "4096", "-l", "a", "b c"])
        .current_dir(folder.path())
        .output();
    let Ok(made) = made else {
        return truesum_test_support::oracle::missing("hashdeep");
    };
    let (outcomes, conclusion) = check(folder.path(), &made.stdout, "known.txt", 2);
    let text = String::from_utf8_lossy(&made.stdout).into_owned();
    assert_eq!((outcomes.len(), conclusion), (2, Conclusion::Verified), "{text}");
    let mut damaged = content;
    damaged[9000] ^= 1;
    std::fs::write(folder.path().join("a"), &damaged).unwrap();
    let (outcomes, _) = check(folder.path(), &made.stdout, "known.txt", 2);
    // Several files are read at once, and either may come first.
    let at = usize::from(outcomes[0].0 == Verdict::Verified);
    let ranges = std::iter::once(8192..12288).collect();
    assert_eq!(plain(outcomes[at].clone()), (Verdict::Mismatch, ranges, Vec::new()));
    // Appended bytes belong to no piece.
    std::fs::write(folder.path().join("a"), [&damaged[..], b"x"].concat()).unwrap();
    let (outcomes, _) = check(folder.path(), &made.stdout, "known.txt", 2);
    assert_eq!(outcomes[at].0, Verdict::Mismatch);
}
