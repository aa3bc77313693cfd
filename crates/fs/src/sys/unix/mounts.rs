//! Missing file systems: those in `/etc/fstab` (fstab(5)) that are not mounted.

use super::stat;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Returns a mount point at, above or below `root` that is not mounted. `is_bound` returns whether a folder is a bind
/// mount of another one in the same file system.
pub fn absent(root: &Path, is_bound: fn(&Path) -> bool) -> Option<PathBuf> {
    let root = std::fs::canonicalize(root).ok()?;
    let table = std::fs::read("/etc/fstab").ok()?;
    places(&table)
        .find(|place| (root.starts_with(place) || place.starts_with(&root)) && !is_mounted(place, is_bound))
}

/// Returns whether a file system is mounted at this folder. A mount point that does not exist cannot hide anything.
fn is_mounted(place: &Path, is_bound: fn(&Path) -> bool) -> bool {
    let Some(above) = place.parent() else { return true };
    match (stat::at(place, true), stat::at(above, true)) {
        (Ok(own), Ok(above)) => own.id.device != above.id.device || own.id == above.id || is_bound(place),
        _ => true,
    }
}

/// Returns the second fields of a table, which are the mount points.
fn places(table: &[u8]) -> impl Iterator<Item = PathBuf> {
    let lines = table.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii_start().starts_with(b"#"));
    let field = |line: &[u8]| {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        words.nth(1).map(unescaped)
    };
    lines
        .filter_map(field)
        .filter(|place| place.is_absolute() && place != Path::new("/"))
        .collect::<Vec<_>>()
        .into_iter()
}

/// Returns a name with escapes such as `\040` decoded.
pub fn unescaped(field: &[u8]) -> PathBuf {
    let mut name = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [byte, behind @ ..] = rest {
        rest = behind;
        match rest {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', behind @ ..] if *byte == b'\\' => {
                name.push((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'));
                rest = behind;
            }
            _ => name.push(*byte),
        }
    }
    PathBuf::from(OsString::from_vec(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mount_points_are_read_from_fstab() {
        let table = b"# static\nUUID=1 / ext4 defaults 0 1\n/dev/sdb1\t/mnt/my\\040disk ext4 noauto 0 2\n\
            swap none swap sw 0 0\nproc /proc proc\n";
        let found: Vec<PathBuf> = places(table).collect();
        assert_eq!(found, [PathBuf::from("/mnt/my disk"), PathBuf::from("/proc")]);
    }

    #[test]
    fn plain_folder_is_not_a_mount_point() {
        let folder = tempfile::tempdir().unwrap();
        let is_mounted = |place: &Path| is_mounted(place, |_| false);
        assert!(!is_mounted(folder.path()));
        assert!(is_mounted(Path::new("/dev")));
        assert!(is_mounted(&folder.path().join("not there")));
    }
}
