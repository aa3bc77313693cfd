//! Determines how extensive a randomized or exhaustive test is.

/// Returns whether `TRUESUM_TESTS=full` is set: the complete suite, as in continuous integration.
pub fn thorough() -> bool {
    std::env::var_os("TRUESUM_TESTS").is_some_and(|value| value == "full")
}

/// Returns `full` in the complete suite and `quick` otherwise.
pub fn thorough_or<T>(full: T, quick: T) -> T {
    if thorough() { full } else { quick }
}
