//! The file system and device of a run's files, as Linux reports them in `/proc` and `/sys`.

use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The file system and device of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// `ext4`, `xfs`, `nfs4`, `tmpfs` ...
    pub file_system: String,
    /// `/dev/nvme0n1p2`; a server's name is omitted.
    pub device: String,
    /// The device's model name.
    pub model: String,
    /// True if it is a spinning disk; `None` if there is no device or the system does not report it.
    pub rotational: Option<bool>,
    /// The device's I/O scheduler.
    pub scheduler: String,
}

impl Storage {
    /// Returns the storage of a path: the mount with the longest matching prefix, then its block device.
    pub(crate) fn below(path: &Path) -> Option<Storage> {
        let path = fs::canonicalize(path).ok()?;
        let mounts = text("/proc/self/mountinfo");
        let mount = find_mount(&mounts, &path)?;
        let block = Path::new("/sys/dev/block").join(mount.number);
        // The queue and model of a partition are those of its disk.
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
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
}

struct Mount<'a> {
    number: &'a str,
    file_system: &'a str,
    device: &'a str,
}

/// Returns the mount of a path, from the text of `/proc/self/mountinfo` (proc(5)).
fn find_mount<'a>(mounts: &'a str, path: &Path) -> Option<Mount<'a>> {
    let mut best: Option<(usize, Mount<'a>)> = None;
    for line in mounts.lines() {
        let (before, after) = line.split_once(" - ")?;
        let before: Vec<&str> = before.split(' ').collect();
        let after: Vec<&str> = after.split(' ').collect();
        let [_, _, number, _, point, ..] = before[..] else { continue };
        let [file_system, device, ..] = after[..] else { continue };
        let point = point.replace("\\040", " ");
        // A later mount at the same point hides the earlier one.
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
    fn mount_with_the_longest_prefix_is_found() {
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
}
