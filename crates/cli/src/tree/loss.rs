//! Messages about repairs, and about repairs that are refused because they would overwrite most of
//! a file, which suggests that the list or tree belongs to another file.

use crate::console::Console;
use crate::words::count;
use truesum::tree::repair::{CopyFault, GranuleRepair, Mode, majority_loss};

/// Returns the result of a repair, or what a dry run would do.
pub fn done(repair: &GranuleRepair, mode: Mode) -> String {
    let bytes = repair.writes();
    let unit = if bytes == 1 { "byte" } else { "bytes" };
    match (repair.possible(), repair.fault(), mode) {
        (true, _, Mode::DryRun) => format!("would be repaired: {bytes} {unit} to write"),
        (true, ..) => format!("repaired: {bytes} {unit} written"),
        (false, CopyFault::Damaged, _) => "cannot be repaired: the copy is damaged here as well".to_owned(),
        (false, CopyFault::Missing, _) => "cannot be repaired: the copy does not exist".to_owned(),
        (false, CopyFault::Itself, _) => "cannot be repaired: the copy is the damaged file itself".to_owned(),
        (false, CopyFault::TooDamaged(missing), _) => {
            format!("cannot be repaired: {} missing", count(missing, "parity block is", "parity blocks are"))
        }
        (false, CopyFault::WrongParity, _) => {
            "cannot be repaired: the data restored from parity does not match the tree".to_owned()
        }
    }
}

/// Prints why a repair would not be carried out.
pub fn report(name: &str, repairs: &[GranuleRepair], existing: u64, mode: Mode, console: &mut Console) {
    if let (Mode::DryRun, Some(lost)) = (mode, majority_loss(repairs, existing)) {
        console.note(&format!(
            "{name}: {lost} of {existing} bytes would be overwritten, which is more than half (to allow that, use --most)"
        ));
    }
}
