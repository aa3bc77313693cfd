//! Hashes files with two algorithms, each file in one read: `hash_many FILE...`
use truesum::hash_files;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let specs = ["sha256".parse()?, "blake3".parse()?];
    let files: Vec<_> = std::env::args_os().skip(1).collect();
    let summary = hash_files(&files, &specs, |outcome| match &outcome.result {
        Ok(found) => println!("{} {} {}", found.digests()[0], found.digests()[1], outcome.name().display()),
        Err(error) => eprintln!("{error}"),
    });
    std::process::exit(i32::from(summary.failed() > 0))
}
