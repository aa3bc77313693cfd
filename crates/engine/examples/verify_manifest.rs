//! Prints the result of each entry of a manifest, and the verdict for the whole: `verify_manifest MANIFEST`
use truesum::{Conclusion, Options, verify};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let manifest = std::env::args_os().nth(1).ok_or("which manifest?")?;
    let report = verify(manifest, &Options::default(), |entry| {
        println!("{}: {:?}", entry.name().display(), entry.verdict());
    })?;
    let good = report.verdict() == Conclusion::Verified;
    println!("{}", if good { "verified" } else { "not verified" });
    std::process::exit(i32::from(!good))
}
