//! Numbers of threads.

/// Reads how many threads to use; none means one for each core, where a command allows it.
pub fn threads(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "not a number of threads".to_owned())
}
