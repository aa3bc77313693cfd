//! The machine a run was measured on: what a reader must know before comparing figures.
//!
//! Everything is read from `/proc`, `/sys` and system calls and is empty if the system does not provide it; nothing
//! that identifies a person or a host is stored.

use super::storage::Storage;
use crate::quantity;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use truesum_fs::machine;
use truesum_hash::{ALGORITHMS, Size, kernel};

/// The machine and its state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// The processor's model name.
    pub cpu: String,
    /// Processors this program may use.
    pub cores: usize,
    /// Instruction sets that the kernels use and this processor has.
    pub features: Vec<String>,
    /// The core's clock as measured before the run, in Hz.
    pub clock: f64,
    /// Caches of the first core: `L1d 48 KiB`, `L2 2 MiB`.
    pub caches: Vec<String>,
    /// Names how the system controls the clock: `performance`, `powersave`; empty if unknown.
    pub governor: String,
    /// True if it runs under a hypervisor.
    pub virtual_machine: bool,
    /// Memory in bytes.
    pub memory: u64,
    /// Name and version of the operating system.
    pub system: String,
    /// Version of its kernel.
    pub kernel: String,
    /// Runnable processes, averaged over the minute before the run.
    pub load_before: f64,
    /// The same at the end of the run: close to the number of threads used if nothing else was running.
    pub load_after: f64,
    /// The kernel rows in use, for one message and for many: `sha-ni x1 / avx512 x16`.
    pub kernels: BTreeMap<String, String>,
    /// `TRUESUM_KERNEL`, if set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced_kernel: Option<String>,
    /// Processor features that are disabled by `TRUESUM_CPU`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The processor features selected for OpenSSL by `OPENSSL_ia32cap`, if set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told_openssl: Option<String>,
    /// The storage of the input, if it is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Storage>,
}

impl Environment {
    /// Returns the current state of the machine; `path` is the input, if it is a file or directory.
    pub fn now(path: Option<&Path>) -> Environment {
        let cpu_info = text("/proc/cpuinfo");
        let release = text("/etc/os-release");
        Environment {
            cpu: [cpu_name(&cpu_info), std::env::consts::ARCH.to_owned()].join(" ").trim().to_owned(),
            cores: cores(),
            features: features(),
            clock: super::clock::core_clock(),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            governor: text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            virtual_machine: cpu_info.lines().any(|l| l.starts_with("flags") && l.contains(" hypervisor")),
            memory: machine::memory(),
            system: match field(&release, "PRETTY_NAME") {
                name if name.is_empty() => std::env::consts::OS.to_owned(),
                name => name,
            },
            kernel: machine::release(),
            load_before: load(),
            load_after: 0.0,
            kernels: kernels(),
            forced_kernel: kernel::forced().map(str::to_owned),
            left_out: kernel::left_out().into_iter().map(str::to_owned).collect(),
            told_openssl: std::env::var("OPENSSL_ia32cap").ok().filter(|value| !value.is_empty()),
            storage: path.and_then(Storage::below),
        }
    }

    /// Returns what a figure refers to: the processor, and which of its instructions were not used.
    pub fn processor(&self) -> String {
        match self.left_out.is_empty() {
            true => self.cpu.clone(),
            false => format!("{} without {}", self.cpu, self.left_out.join(", ")),
        }
    }
}

/// Returns the processor's name in the text of `/proc/cpuinfo`, or its identifier in the environment on Windows.
fn cpu_name(cpu_info: &str) -> String {
    match field(cpu_info, "model name") {
        name if name.is_empty() => std::env::var("PROCESSOR_IDENTIFIER").unwrap_or_default(),
        name => name,
    }
}

/// Returns the number of processors this program may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the numbers of threads worth measuring: 1, 2, 4 ... and the number of processors.
pub fn thread_counts() -> Vec<usize> {
    let cores = cores();
    let mut counts: Vec<usize> =
        std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < cores).collect();
    counts.push(cores);
    counts
}

/// Returns the number of runnable processes, averaged over the last minute.
pub fn load() -> f64 {
    text("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0)
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
}

/// Returns the value of the first `key: value` or `key=value` line.
fn field(text: &str, key: &str) -> String {
    text.lines()
        .filter_map(|line| line.split_once([':', '=']))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim().trim_matches('"').to_owned())
        .unwrap_or_default()
}

fn features() -> Vec<String> {
    let mut found: Vec<&str> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! ask {
            ($($name:tt),*) => { $(if std::arch::is_x86_feature_detected!($name) { found.push($name); })* };
        }
        ask!("sse2", "ssse3", "sse4.1", "avx2", "avx512f", "avx512bw", "avx512vl", "sha", "pclmulqdq");
        ask!("vpclmulqdq", "aes", "vaes", "bmi2");
    }
    #[cfg(target_arch = "aarch64")]
    {
        macro_rules! ask {
            ($($name:tt),*) => { $(if std::arch::is_aarch64_feature_detected!($name) { found.push($name); })* };
        }
        ask!("neon", "sha2", "sha3", "crc", "pmull", "sve", "sve2");
    }
    found.sort_unstable();
    found.into_iter().map(str::to_owned).collect()
}

fn caches(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for index in 0..8 {
        let cache = directory.join(format!("index{index}"));
        let (level, kind, size) =
            (text(cache.join("level")), text(cache.join("type")), text(cache.join("size")));
        let Ok(Size(size)) = size.parse() else { break };
        let kind = match kind.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        found.push(format!("L{level}{kind} {}", quantity::bytes(size)));
    }
    found
}

fn kernels() -> BTreeMap<String, String> {
    let described = |algorithm| {
        let rows = kernel::rows(algorithm);
        if rows.is_empty() {
            return "library".to_owned();
        }
        let (one, many) = (kernel::pick(rows, 1), kernel::pick(rows, usize::MAX));
        format!("{} x{} / {} x{}", one.isa(), one.lanes(), many.isa(), many.lanes())
    };
    ALGORITHMS.iter().map(|row| (row.name().to_owned(), described(row))).collect()
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_matched_by_full_name() {
        let text = "model\t\t: 2\nmodel name\t: A: B\nPRETTY_NAME=\"Some OS 12\"\n";
        assert_eq!(field(text, "model name"), "A: B");
        assert_eq!(field(text, "PRETTY_NAME"), "Some OS 12");
        assert_eq!(field(text, "name"), "");
    }

    #[test]
    fn environment_is_detected() {
        let here = Environment::now(Some(Path::new(".")));
        assert!(here.cores >= 1 && here.clock > 1e8 && here.clock < 1e10, "{here:?}");
        assert_eq!(here.kernels.len(), ALGORITHMS.len());
        assert!(here.memory > 0 && !here.kernel.is_empty());
        #[cfg(target_os = "linux")]
        assert!(here.storage.is_some());
    }
}
