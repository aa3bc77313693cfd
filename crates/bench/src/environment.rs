//! The machine a run was measured on: what a reader must know before comparing figures.
//!
//! Everything is read from `/proc`, `/sys` and system calls and is empty where the system does not say; nothing that names
//! a person or a host is kept.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use truesum_hash::{ALGORITHMS, kernel};

/// The machine and its state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// The processor's own name.
    pub cpu: String,
    /// Processors this program may use.
    pub cores: usize,
    /// Instruction sets the kernels ask about and this processor has.
    pub features: Vec<String>,
    /// The core's clock as measured before the run, in Hz.
    pub clock: f64,
    /// Caches of the first core: `L1d 48 KiB`, `L2 2 MiB`.
    pub caches: Vec<String>,
    /// How the system chooses the clock: `performance`, `powersave`; empty where it does not say.
    pub governor: String,
    /// Whether a hypervisor is below.
    pub virtual_machine: bool,
    /// Memory in bytes.
    pub memory: u64,
    /// Name and version of the operating system.
    pub system: String,
    /// Version of its kernel.
    pub kernel: String,
    /// Runnable processes, averaged over the minute before the run.
    pub load_before: f64,
    /// The same at its end: near the number of threads used if nobody else worked.
    pub load_after: f64,
    /// The kernel rows in use, one message and many: `sha-ni x1 / avx512 x16`.
    pub kernels: BTreeMap<String, String>,
    /// `TRUESUM_KERNEL`, if set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced_kernel: Option<String>,
    /// Where the input lies, if it is a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<Storage>,
}

/// The file system and device below a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// `ext4`, `xfs`, `nfs4`, `tmpfs` ...
    pub file_system: String,
    /// `/dev/nvme0n1p2`; a server's name is left out.
    pub device: String,
    /// What the device calls itself.
    pub model: String,
    /// Whether it is a spinning disk; `None` where there is no device or it does not say.
    pub rotational: Option<bool>,
    /// The device's request scheduler.
    pub scheduler: String,
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
}

/// The value of the first `key: value` or `key=value` line.
fn field(text: &str, key: &str) -> String {
    text.lines()
        .filter_map(|line| line.split_once([':', '=']))
        .find(|(name, _)| name.trim() == key)
        .map(|(_, value)| value.trim().trim_matches('"').to_owned())
        .unwrap_or_default()
}

impl Environment {
    /// The machine as it is now; `path` is where the input lies, if it is a file or directory.
    pub fn now(path: Option<&Path>) -> Environment {
        let cpu_info = text("/proc/cpuinfo");
        let release = text("/etc/os-release");
        let memory = field(&text("/proc/meminfo"), "MemTotal");
        Environment {
            cpu: [field(&cpu_info, "model name"), std::env::consts::ARCH.to_owned()]
                .join(" ")
                .trim()
                .to_owned(),
            cores: cores(),
            features: features(),
            clock: crate::measure::core_clock(),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            governor: text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            virtual_machine: cpu_info.lines().any(|l| l.starts_with("flags") && l.contains(" hypervisor")),
            memory: memory.split(' ').next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024,
            system: match field(&release, "PRETTY_NAME") {
                name if name.is_empty() => std::env::consts::OS.to_owned(),
                name => name,
            },
            kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
            load_before: load(),
            load_after: 0.0,
            kernels: kernels(),
            forced_kernel: kernel::forced().map(str::to_owned),
            storage: path.and_then(storage),
        }
    }
}

/// Processors this program may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runnable processes, averaged over the last minute.
pub fn load() -> f64 {
    text("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0)
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
        let Some(size) = crate::quantity::parse_bytes(&size) else { break };
        let kind = match kind.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        found.push(format!("L{level}{kind} {}", crate::quantity::bytes(size)));
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
        format!("{} x{} / {} x{}", one.isa, one.lanes, many.isa, many.lanes)
    };
    ALGORITHMS.iter().map(|row| (row.name.to_owned(), described(row))).collect()
}

/// What lies below a path: the mount with the longest matching prefix, then its block device.
fn storage(path: &Path) -> Option<Storage> {
    let path = fs::canonicalize(path).ok()?;
    let mounts = text("/proc/self/mountinfo");
    let mount = find_mount(&mounts, &path)?;
    let block = Path::new("/sys/dev/block").join(mount.number);
    // A partition's queue and model are those of the disk above it.
    let block = if block.join("partition").exists() { block.join("..") } else { block };
    let scheduler = text(block.join("queue/scheduler"));
    Some(Storage {
        file_system: mount.file_system.to_owned(),
        device: if mount.device.starts_with('/') { mount.device.to_owned() } else { String::new() },
        model: text(block.join("device/model")),
        rotational: match text(block.join("queue/rotational")).as_str() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        },
        scheduler: scheduler
            .split_once('[')
            .and_then(|(_, rest)| rest.split_once(']'))
            .map_or_else(String::new, |(chosen, _)| chosen.to_owned()),
    })
}

struct Mount<'a> {
    number: &'a str,
    file_system: &'a str,
    device: &'a str,
}

/// The mount a path lies on, from the text of `/proc/self/mountinfo` (proc(5)).
fn find_mount<'a>(mounts: &'a str, path: &Path) -> Option<Mount<'a>> {
    let mut best: Option<(usize, Mount<'a>)> = None;
    for line in mounts.lines() {
        let (before, after) = line.split_once(" - ")?;
        let before: Vec<&str> = before.split(' ').collect();
        let after: Vec<&str> = after.split(' ').collect();
        let [_, _, number, _, point, ..] = before[..] else { continue };
        let [file_system, device, ..] = after[..] else { continue };
        let point = point.replace("\\040", " ");
        // A later mount on the same point hides the earlier one.
        if path.starts_with(&point) && best.as_ref().is_none_or(|(len, _)| point.len() >= *len) {
            best = Some((point.len(), Mount { number, file_system, device }));
        }
    }
    best.map(|(_, mount)| mount)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_with_the_longest_prefix_is_found() {
        let mounts = "21 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw\n\
                      22 21 0:30 / /home rw shared:2 - nfs4 server:/export rw\n\
                      23 21 8:1 / /mnt/my\\040disk rw - xfs /dev/sda1 rw\n\
                      24 21 0:31 / /home rw - tmpfs tmpfs rw\n";
        let on = |path: &str| find_mount(mounts, Path::new(path)).map(|m| (m.file_system, m.number));
        assert_eq!(on("/etc/passwd"), Some(("ext4", "254:1")));
        assert_eq!(on("/homes/x"), Some(("ext4", "254:1")));
        assert_eq!(on("/home/x"), Some(("tmpfs", "0:31")));
        assert_eq!(on("/mnt/my disk/x"), Some(("xfs", "8:1")));
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        let text = "model\t\t: 2\nmodel name\t: A: B\nPRETTY_NAME=\"Some OS 12\"\n";
        assert_eq!(field(text, "model name"), "A: B");
        assert_eq!(field(text, "PRETTY_NAME"), "Some OS 12");
        assert_eq!(field(text, "name"), "");
    }

    #[test]
    fn this_machine_is_described() {
        let here = Environment::now(Some(Path::new(".")));
        assert!(here.cores >= 1 && here.clock > 1e8 && here.clock < 1e10, "{here:?}");
        assert_eq!(here.kernels.len(), ALGORITHMS.len());
        #[cfg(target_os = "linux")]
        assert!(here.memory > 0 && !here.kernel.is_empty() && here.storage.is_some());
    }
}
