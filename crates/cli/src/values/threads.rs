//! Numbers of threads.

/// Parses a number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least one thread is needed".to_owned()),
        Ok(threads) => Ok(threads),
        Err(_) => Err("not a number of threads".to_owned()),
    }
}
