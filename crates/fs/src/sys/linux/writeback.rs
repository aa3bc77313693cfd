//! The time after which the kernel writes dirty pages back (`/proc/sys/vm`).

const SECOND: i64 = 1_000_000_000;

/// Returns the longest time in nanoseconds that a page stays dirty on an idle machine; `None` if pages are never written
/// back.
pub fn longest() -> Option<i64> {
    let setting = |name: &str, usual: i64| -> i64 {
        let text = std::fs::read_to_string(format!("/proc/sys/vm/{name}")).unwrap_or_default();
        text.trim().parse().map_or(usual, |hundredths: i64| hundredths * (SECOND / 100))
    };
    // A thread wakes up at the second interval and writes pages that are older than the first.
    let (expire, look) =
        (setting("dirty_expire_centisecs", 30 * SECOND), setting("dirty_writeback_centisecs", 5 * SECOND));
    (look > 0).then_some(expire + 2 * look)
}
