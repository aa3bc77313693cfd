//! Numbers of threads.

/// Reads how many threads to use.
pub fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least one thread is needed".to_owned()),
        Ok(threads) => Ok(threads),
        Err(_) => Err("not a number of threads".to_owned()),
    }
}
