//! Numbers of threads.

/// Parses a number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least one thread is required".to_owned()),
        Ok(threads) => Ok(threads),
        Err(_) => Err("not a whole number".to_owned()),
    }
}
