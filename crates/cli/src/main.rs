//! truesum
fn main() {}
