//! What mending a file would cost: most of it, where it is not the file that the list or tree is of.

use crate::console::Console;
use truesum::tree::repair::{Mend, Mode, loses_most};

/// Says of a plan that would not be carried out why.
pub fn tell(name: &str, mends: &[Mend], there: u64, mode: Mode, console: &mut Console) {
    if let (Mode::DryRun, Some(lost)) = (mode, loses_most(mends, there)) {
        console.note(&format!(
            "{name}: {lost} of its {there} bytes would be lost, more than half: only --most does that"
        ));
    }
}
