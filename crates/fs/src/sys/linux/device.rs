//! The kind of a disk, according to `/sys`.

use std::path::Path;

/// Returns whether the kernel reports a device as a spinning disk.
pub fn is_spinning(device: u64) -> bool {
    ask(Path::new("/sys/dev/block"), rustix::fs::major(device), rustix::fs::minor(device))
}

/// Reads the flag of a device below `sysfs`. A partition has no queue of its own; that of its disk
/// is one folder up. Virtual disks always claim to be rotational, so only the names of physical
/// disks and of devices built on them are trusted.
fn ask(sysfs: &Path, major: u32, minor: u32) -> bool {
    let Ok(device) = sysfs.join(format!("{major}:{minor}")).canonicalize() else { return false };
    let disk = if device.join("queue").exists() { Some(device.as_path()) } else { device.parent() };
    disk.is_some_and(|disk| {
        let name = disk.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        ["sd", "hd", "md", "dm-", "bcache"].iter().any(|real| name.starts_with(real))
            && std::fs::read(disk.join("queue/rotational")).is_ok_and(|flag| flag.starts_with(b"1"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotational_disks_and_partitions_are_recognized() {
        let sysfs = tempfile::tempdir().unwrap();
        let disk = |name: &str, number: &str, rotational: &str| {
            let folder = sysfs.path().join("devices").join(name);
            std::fs::create_dir_all(folder.join("queue")).unwrap();
            std::fs::write(folder.join("queue/rotational"), rotational).unwrap();
            std::os::unix::fs::symlink(&folder, sysfs.path().join(number)).unwrap();
            folder
        };
        let sda = disk("sda", "8:0", "1\n");
        std::fs::create_dir(sda.join("sda1")).unwrap();
        std::os::unix::fs::symlink(sda.join("sda1"), sysfs.path().join("8:1")).unwrap();
        disk("sdb", "8:16", "0\n");
        disk("vda", "254:0", "1\n");
        for (major, minor, spinning) in
            [(8, 0, true), (8, 1, true), (8, 16, false), (254, 0, false), (9, 9, false)]
        {
            assert_eq!(ask(sysfs.path(), major, minor), spinning, "{major}:{minor}");
        }
    }
}
