//! Hashes standard input; any other reader works the same way: `hash_stream < FILE`
use truesum::hash::Spec;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut hasher = "sha256".parse::<Spec>()?.hasher();
    std::io::copy(&mut std::io::stdin(), &mut hasher)?;
    println!("{}", hasher.finish());
    Ok(())
}
