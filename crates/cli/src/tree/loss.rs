//! Messages about the repair of a part of a file, and about what it would overwrite: most of the file if the list or
//! tree belongs to another one.

use crate::console::Console;
use truesum::tree::repair::{Lack, Mend, Mode, loses_most};

/// Returns what was or would be done.
pub fn done(mend: &Mend, mode: Mode) -> String {
    match (mend.possible, mend.lack, mode) {
        (true, _, Mode::DryRun) => format!("would be repaired: {} bytes to write", mend.writes),
        (true, ..) => format!("repaired: {} bytes written", mend.writes),
        (false, Lack::Damaged, _) => "cannot be repaired: the copy is damaged here as well".to_owned(),
        (false, Lack::Missing, _) => "cannot be repaired: the copy does not exist".to_owned(),
        (false, Lack::Itself, _) => "cannot be repaired: the copy is the same file".to_owned(),
    }
}

/// Prints why a repair would not be carried out.
pub fn tell(name: &str, mends: &[Mend], there: u64, mode: Mode, console: &mut Console) {
    if let (Mode::DryRun, Some(lost)) = (mode, loses_most(mends, there)) {
        console.note(&format!(
            "{name}: {lost} of {there} bytes would be overwritten, more than half: use --most to allow that"
        ));
    }
}
