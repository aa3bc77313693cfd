//! Damage mended from a copy.

use crate::stage::{Case, MIB, noise, reading, spec};
use truesum::Progress;
use truesum::tree::locate::Judgement;
use truesum::tree::repair::{Mode, repair};
use truesum::tree::store::GRANULE;

#[test]
fn repair_restores_bit_for_bit_and_touches_nothing_else() {
    let bytes = noise(14, 20 * MIB + 999);
    let case = Case::new(&bytes);
    case.built("sha256-tree", GRANULE);
    let copy = case.file.with_extension("copy");
    let mut other = bytes.clone();
    // The copy has damage of its own.
    other[11 * MIB as usize] ^= 1;
    std::fs::write(&copy, &other).expect("written");
    let mend = |mode| {
        let progress = Progress::default();
        repair(case.path(), &case.store(), None, &copy, mode, &reading(2, &progress)).expect("tried")
    };
    for at in [5, 3 * MIB + 4096 * 7, 20 * MIB + 998] {
        case.flip(at);
    }
    let other = spec("sha256-tree").digest(b"another");
    let progress = Progress::default();
    let (report, mends) =
        repair(case.path(), &case.store(), Some(&other), &copy, Mode::Write, &reading(2, &progress))
            .expect("tried");
    assert_eq!((report.judgement, mends), (Judgement::OtherTree, vec![]));
    let damaged = std::fs::read(&case.file).expect("there");
    let (report, plan) = mend(Mode::DryRun);
    assert_eq!(report.judgement, Judgement::FileDamaged);
    assert_eq!(
        plan.iter().map(|mend| (mend.possible, mend.writes)).collect::<Vec<_>>(),
        [(true, 4096), (true, 4096), (true, 999)]
    );
    assert_eq!(std::fs::read(&case.file).expect("there"), damaged, "a dry run writes nothing");
    assert_eq!(mend(Mode::Write).1, plan);
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
    // Where both are damaged, nothing is written.
    case.flip(11 * MIB + 5);
    case.flip(1);
    let (_, mends) = mend(Mode::Write);
    assert_eq!(mends.iter().map(|mend| mend.possible).collect::<Vec<_>>(), [true, false]);
    let report = case.verify();
    assert_eq!(report.damaged, vec![11 * MIB..12 * MIB]);
    case.flip(11 * MIB + 5);
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
    // A truncated file gets its end back.
    std::fs::write(&copy, &bytes).expect("written");
    std::fs::write(&case.file, &bytes[..7 * MIB as usize + 1]).expect("cut");
    let (report, _) = mend(Mode::Write);
    assert!(report.can_be_mended());
    assert_eq!(std::fs::read(&case.file).expect("there"), bytes);
}
