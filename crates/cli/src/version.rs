//! `truesum --version -v`: prints what a bug report needs to contain about the program and the
//! machine.

use crate::console::Console;
use crate::exit::Exit;
use crate::origin;
use crate::output::print;
use crate::values::color::Color;
use crate::words::{count, wrapped};
use truesum::hash::{ALGORITHMS, kernel};

/// The cargo features, and whether each is enabled.
const FEATURES: [(&str, bool); 6] = [
    ("bench", cfg!(feature = "bench")),
    ("png", cfg!(feature = "png")),
    ("uring", cfg!(feature = "uring")),
    ("fsb", cfg!(feature = "fsb")),
    ("unpack", cfg!(feature = "unpack")),
    ("stores", cfg!(feature = "stores")),
];

/// Maximum width of a line in columns.
const WIDTH: usize = 80;

/// Prints information on the build and the machine.
pub fn run() -> Exit {
    print(&text(), &mut Console::new(Color::Auto))
}

fn text() -> String {
    let mut text = format!("truesum {}\n", origin::VERSION);
    let mut line = |head: &str, about: &str| {
        text += &wrapped(&format!("{head:<10} "), about, WIDTH);
    };
    line("commit", option_env!("TRUESUM_BUILT_FROM").unwrap_or("unknown"));
    let built: Vec<&str> = FEATURES.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    line("features", &if built.is_empty() { "none (standard build)".to_owned() } else { built.join(" ") });
    let assertions = if cfg!(debug_assertions) { ", with assertions" } else { "" };
    line("target", &format!("{}, {}{assertions}", env!("TRUESUM_TARGET"), env!("TRUESUM_PROFILE")));
    line("CPU", &processor());
    line("CPU flags", &kernel::features().join(" "));
    line("kernels", &kernels().join(" "));
    if let Some(isa) = kernel::forced() {
        line("", &format!("(restricted by TRUESUM_KERNEL={isa})"));
    }
    text
}

/// Returns the instruction sets of the kernels that this CPU runs, possibly restricted.
fn kernels() -> Vec<&'static str> {
    let left = |isa: &str| kernel::forced().is_none_or(|forced| isa == forced || isa == "portable");
    let mut names = Vec::new();
    for row in ALGORITHMS.iter().flat_map(kernel::rows).filter(|row| row.supported() && left(row.isa())) {
        if !names.contains(&row.isa()) {
            names.push(row.isa());
        }
    }
    names
}

/// Returns the processor's name and the number of processors available to this process.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or(std::env::consts::ARCH, |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{name}, {}", count(cores as u64, "usable core", "usable cores"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_shows_build_and_active_kernels() {
        let text = text();
        for head in ["commit ", "features ", "target ", "CPU ", "kernels "] {
            assert!(text.lines().any(|line| line.starts_with(head) && line.len() > 12), "{head}: {text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(kernels().contains(&"portable"), "{text}");
    }

    #[test]
    fn version_lists_every_feature() {
        let package = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).unwrap();
        let features = package.split("\n[features]\n").nth(1).unwrap().split("\n[").next().unwrap();
        let named = features.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
        for name in named.filter(|name| !name.starts_with('#') && !["default", "full"].contains(name)) {
            assert!(FEATURES.iter().any(|(known, _)| *known == name), "{name}");
        }
    }
}
