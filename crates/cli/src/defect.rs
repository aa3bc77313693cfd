//! Internal errors: a panic prints a message, removes temporary files and ends the process with
//! status 101, in any thread.
//!
//! Release builds do not unwind: the tables and code for it were a tenth of the program, and no
//! caller could continue.

/// Installs the panic handler.
pub fn prepare() {
    let print_default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |defect| {
        print_default(defect);
        truesum::write::remove_temporaries();
        std::process::exit(101);
    }));
}
