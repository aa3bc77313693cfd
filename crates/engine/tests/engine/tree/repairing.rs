//! Damage repaired from a copy.

use super::case::{Case, MIB, noise, reading, spec};
use truesum::Progress;
use truesum::tree::locate::Diagnosis;
use truesum::tree::repair::{Mode, majority_loss, repair};
use truesum::tree::store::GRANULE;

#[test]
fn repair_restores_damaged_ranges_and_nothing_else() {
    let bytes = noise(14, 20 * MIB + 999);
    let case = Case::new(&bytes);
    case.built("sha256-tree", GRANULE);
    let copy = case.file.with_extension("copy");
    let mut other = bytes.clone();
    // The copy is damaged at another place.
    other[11 * MIB as usize] ^= 1;
    std::fs::write(&copy, &other).expect("written");
    let run_repair = |mode| {
        let progress = Progress::default();
        repair(case.path(), &case.store(), None, &copy, mode, &reading(2, &progress)).expect("tried")
    };
    for at in [5, 3 * MIB + 4096 * 7, 20 * MIB + 998] {
        case.flip(at);
    }
    let other = spec("sha256-tree").digest(b"another");
    let progress = Progress::default();
    let (report, repairs) =
        repair(case.path(), &case.store(), Some(&other), &copy, Mode::Write, &reading(2, &progress))
            .expect("tried");
    assert_eq!((report.diagnosis(), repairs), (Diagnosis::OtherTree, vec![]));
    let damaged = std::fs::read(&case.file).expect("there");
    let (report, plan) = run_repair(Mode::DryRun);
    assert_eq!(report.diagnosis(), Diagnosis::FileDamaged);
    assert_eq!(
        plan.iter().map(|run_repair| (run_repair.possible(), run_repair.writes())).collect::<Vec<_>>(),
        [(true, 4096), (true, 4096), (true, 999)]
    );
    assert_eq!(std::fs::read(&case.file).expect("there"), damaged, "a dry run writes nothing");
    assert_eq!(run_repair(Mode::Write).1, plan);
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
    // If both are damaged, nothing is written.
    case.flip(11 * MIB + 5);
    case.flip(1);
    let (_, repairs) = run_repair(Mode::Write);
    assert_eq!(repairs.iter().map(|run_repair| run_repair.possible()).collect::<Vec<_>>(), [true, false]);
    let report = case.verify();
    assert_eq!(report.damaged(), vec![11 * MIB..12 * MIB]);
    case.flip(11 * MIB + 5);
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
    // The missing end of a truncated file is restored.
    std::fs::write(&copy, &bytes).expect("written");
    std::fs::write(&case.file, &bytes[..7 * MIB as usize + 1]).expect("cut");
    let (report, _) = run_repair(Mode::Write);
    assert!(report.is_repairable());
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
}

#[test]
fn repair_does_not_overwrite_an_unrelated_file() {
    let bytes = noise(15, 3 * MIB + 7);
    let case = Case::new(&bytes);
    case.built("sha256-tree", GRANULE);
    let copy = case.file.with_extension("copy");
    std::fs::write(&copy, &bytes).expect("written");
    let run_repair = |mode| {
        let progress = Progress::default();
        repair(case.path(), &case.store(), None, &copy, mode, &reading(2, &progress))
    };
    for other in [noise(16, 3 * MIB + 7), noise(17, 3 * MIB), noise(18, 4 * MIB), noise(19, 1)] {
        std::fs::write(&case.file, &other).expect("written");
        let planned = run_repair(Mode::DryRun).expect("a plan").1;
        assert!(majority_loss(&planned, other.len() as u64).is_some(), "{planned:?}");
        let refusal = run_repair(Mode::Write).expect_err("refused");
        assert_eq!(refusal.kind(), truesum::Kind::Replaced, "{refusal}");
        assert_eq!(std::fs::read(&case.file).expect("there"), other, "not a byte is written");
    }
    // If nothing is there, nothing is lost; at most half of it may be.
    for there in [0, 1, MIB, 3 * MIB] {
        std::fs::write(&case.file, &bytes[..there as usize]).expect("written");
        run_repair(Mode::Write).expect("mended");
        assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
    }
    let mut half = bytes.clone();
    half[..3 * MIB as usize / 2].iter_mut().for_each(|byte| *byte ^= 1);
    std::fs::write(&case.file, &half).expect("written");
    run_repair(Mode::Write).expect("mended");
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
    std::fs::write(&case.file, noise(20, 3 * MIB + 7)).expect("written");
    run_repair(Mode::Most).expect("asked for");
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
}
