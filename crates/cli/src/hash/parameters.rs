//! Applies the options for seeds and customizations to the algorithms that support them, and the
//! options for parameters of formats.

use crate::exit::Refusal;
use std::ffi::OsStr;
use truesum::hash::Spec;
use truesum::manifest::{Format, SfvStyle};
use truesum_fs::name::OsStrExt;

/// Sets the seed of the algorithms that have one.
///
/// # Errors
/// Fails if none of the algorithms has a seed, or if the name of one already specifies it.
pub fn seeded(specs: Vec<Spec>, seed: Option<u64>) -> Result<Vec<Spec>, Refusal> {
    let Some(seed) = seed else { return Ok(specs) };
    let has = |spec: &Spec| spec.algorithm().seed_bits() > 0;
    some(
        &specs,
        has,
        "--seed: none of the algorithms takes a seed",
        "algorithms with a seed: xxh32, xxh64, xxh3, xxh128, murmur3",
    )?;
    once(&specs, Spec::has_explicit_seed, "--seed")?;
    let with = |spec: Spec| if has(&spec) { spec.with_seed(seed) } else { Ok(spec) };
    specs
        .into_iter()
        .map(with)
        .collect::<Result<_, _>>()
        .map_err(|error| Refusal::new(format!("--seed: {error}")))
}

/// Sets the customization string of the algorithms that accept one.
///
/// # Errors
/// Fails if none of the algorithms accepts one, or if the name of one already specifies it.
pub fn customized(specs: Vec<Spec>, text: Option<&OsStr>) -> Result<Vec<Spec>, Refusal> {
    let Some(text) = text else { return Ok(specs) };
    let takes = |spec: &Spec| matches!(spec.algorithm().customized(), Some("custom" | "context"));
    let why = "--customization: none of the algorithms takes a customization string";
    some(
        &specs,
        takes,
        why,
        "algorithms with a customization string: cshake128, kmac128, kt128, parallelhash128; blake3 takes a context string",
    )?;
    once(&specs, |spec| takes(spec) && spec.is_customized(), "--customization")?;
    let with = |spec: Spec| if takes(&spec) { spec.with_customization(text.as_bytes()) } else { Ok(spec) };
    let specs: Result<_, _> = specs.into_iter().map(with).collect();
    specs.map_err(|error| Refusal::new(format!("--customization: {error}")))
}

/// Returns the style of the comments in an SFV file.
pub fn sfv_style(requested: Option<&str>, format: &Format) -> Result<SfvStyle, Refusal> {
    match requested {
        None => Ok(SfvStyle::Plain),
        Some(_) if format.name() != "sfv" => Err(Refusal::new("--sfv-style requires -t sfv")),
        Some("cksfv" | "rhash") => Ok(SfvStyle::Cksfv),
        Some("cfv") => Ok(SfvStyle::Cfv),
        Some("win") => Ok(SfvStyle::Win),
        Some(_) => Ok(SfvStyle::Plain),
    }
}

/// Refuses an option if the name of an algorithm already specifies its value.
fn once(specs: &[Spec], is: impl Fn(&Spec) -> bool, option: &str) -> Result<(), Refusal> {
    match specs.iter().find(|spec| is(spec)) {
        Some(spec) => Err(Refusal::with_hint(
            format!("{option}: {spec} already contains this parameter"),
            format!("use either {option} or the parameter in the algorithm name"),
        )),
        None => Ok(()),
    }
}

/// Refuses an option that applies to none of the algorithms.
fn some(specs: &[Spec], is: impl Fn(&Spec) -> bool, why: &str, hint: &str) -> Result<(), Refusal> {
    if specs.iter().any(is) { Ok(()) } else { Err(Refusal::with_hint(why, hint)) }
}
