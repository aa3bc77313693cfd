//! The table of algorithms, and the details of one algorithm.

use super::{ListArgs, string, strings, wrap};
use crate::words::count;
use truesum::hash::{
    ALGORITHMS, Algorithm, CRC_CATALOGUE, KEYED, Keying, Lengths, Spec, find, hmacs, kernel, tree,
};

/// The possible statuses of an algorithm.
pub const STATUSES: [&str; 5] = ["secure", "weakened", "broken", "sampled", "checksum"];

/// Returns the selected algorithms: those without a key, followed by the CRC catalogue. With
/// `--all`, those that need a key follow, including HMAC with each hash.
pub fn rows(args: &ListArgs) -> impl Iterator<Item = &'static Algorithm> {
    let (all, lanes, status) = (args.all, args.lanes, args.status.clone());
    let keyed = KEYED.iter().copied().flatten().chain(hmacs(ALGORITHMS.iter()));
    ALGORITHMS.iter().chain(CRC_CATALOGUE).chain(keyed.filter(move |_| all)).filter(move |row| {
        status.as_deref().is_none_or(|status| row.status().word() == status)
            && (!lanes || Spec::new(row).has_lanes())
    })
}

/// Returns the possible digest lengths of an algorithm, in bits.
fn bits(row: &Algorithm) -> String {
    let usual = row.digest_len() * 8;
    match row.lengths() {
        Lengths::Fixed => usual.to_string(),
        Lengths::UpTo(max) => format!("{usual} (8..{})", max * 8),
        Lengths::Any => format!("{usual} (any)"),
    }
}

/// The algorithms in common use, in groups by what a matching digest shows.
const COMMON: [(&str, &[&str]); 3] = [
    (
        "Secure: a matching digest shows that the content is unchanged",
        &["sha256", "sha384", "sha512", "sha3-256", "blake2b", "blake3"],
    ),
    ("Broken: a matching digest only rules out accidental damage", &["md5", "sha1", "s3-etag", "git-blob"]),
    (
        "Checksums: fast, and a matching digest only rules out accidental damage",
        &["crc32", "crc32c", "crc64nvme", "adler32", "xxh3", "xxh64", "xxh128"],
    ),
];

/// Returns the table of algorithms in common use, for users.
pub fn common() -> String {
    let mut text = String::new();
    for (head, names) in COMMON {
        text += &format!("{head}:\n");
        for row in names.iter().filter_map(|name| find(name)) {
            wrap(
                &format!("  {:<10} {:>4} bits  ", row.name(), row.digest_len() * 8),
                row.summary(),
                &mut text,
            );
        }
    }
    let all = ALGORITHMS.len() + CRC_CATALOGUE.len();
    text + &format!("To list all {all} algorithms, plus the keyed ones: truesum list algorithms --all\n")
}

/// Returns the table of the selected algorithms, for users.
pub fn table(args: &ListArgs) -> String {
    let mut text =
        format!("{:<16} {:<13} {:<9} {}\n", "NAME", "BITS", "STATUS", "DESCRIPTION; REASON FOR THE STATUS");
    for row in rows(args) {
        let head = format!("{:<16} {:<13} {:<9} ", row.name(), bits(row), row.status().word());
        let about = match row.status().reason() {
            // The reason is the same for all CRCs of the catalogue, so it is left out.
            _ if CRC_CATALOGUE.contains(row) => row.summary().to_owned(),
            reason => format!("{}; {reason}", row.summary()),
        };
        wrap(&head, &also(about, row), &mut text);
    }
    text += "\nSpecify any other CRC by its parameters:\n\
             'crc;width=16;poly=0x1021;init=0xffff;refin=false;refout=false;xorout=0x0'\n\
             truesum list algorithms NAME shows all details of one algorithm.\n";
    text += "\nsecure, weakened: a matching digest shows that the content is unchanged (tamper-evident).\n\
             broken, checksum: a matching digest only rules out accidental damage.\n\
             sampled: the digest covers only parts of the content.\n";
    text
}

/// Appends the other names of the algorithm.
fn also(about: String, row: &Algorithm) -> String {
    match row.aliases() {
        [] => about,
        names => format!("{about} (also: {})", names.join(", ")),
    }
}

/// Returns which keys an algorithm accepts.
fn key(row: &Algorithm) -> String {
    let bytes = |least: usize, most: usize| match () {
        () if least == most => count(least as u64, "byte", "bytes"),
        () if most > 1 << 16 => count(least as u64, "byte", "bytes") + " or more",
        () => format!("{least} to {most} bytes"),
    };
    match row.keying() {
        Keying::Never => "none".to_owned(),
        Keying::Optional { least, most } => {
            format!("optional, {}: keyed digests are named {};keyed", bytes(least, most), row.name())
        }
        Keying::Always { least, most } => format!("required, {}", bytes(least, most)),
    }
}

/// Returns the check value of an algorithm with a description of its input.
fn check(row: &Algorithm) -> String {
    match (row.check(), row.check_key()) {
        ("", _) => "verified through the underlying hash".to_owned(),
        (check, None) => format!("{check} (of 123456789)"),
        (check, Some(key)) => format!("{check} (of 123456789, with the key 00 01 .. {:02x})", key.len() - 1),
    }
}

/// Returns all details of one algorithm, for users.
pub fn one(spec: &Spec) -> String {
    let row = spec.algorithm();
    let mut text = String::new();
    let mut line = |head: &str, about: &str| wrap(&format!("{head:<14} "), about, &mut text);
    line("name", row.name());
    line("tag", row.tag());
    if !row.aliases().is_empty() {
        line("also", &row.aliases().join(", "));
    }
    line("bits", &bits(row));
    line("description", row.summary());
    line("status", &format!("{}: {}", row.status().word(), row.status().reason()));
    line("tamper-evident", if row.status().tamper_evident() { "yes" } else { "no" });
    line("key", &key(row));
    if row.seed_bits() > 0 {
        line("seed", &format!("{} bits: --seed NUMBER, or {};seed=NUMBER", row.seed_bits(), row.name()));
    }
    match row.customized() {
        Some(called @ ("custom" | "context")) => {
            line("customization", &format!("--customization TEXT, or {};{called}=HEXADECIMAL", row.name()));
        }
        Some(called) => line(called, &format!("{};{called}=HEXADECIMAL", row.name())),
        None => {}
    }
    if row.personal() > 0 {
        let most = row.personal();
        line(
            "salt, person",
            &format!("up to {most} bytes each: {};salt=HEXADECIMAL;person=HEXADECIMAL", row.name()),
        );
    }
    if spec.unit() > 0 {
        line("parts", &format!("{} bytes, unless the name specifies another size", Spec::new(row).unit()));
    }
    let made = |name: String| find(&name).is_some().then_some(name);
    let over =
        tree::FAMILIES.iter().map(|family| family.name(row.name())).chain([format!("hmac-{}", row.name())]);
    let over: Vec<String> = over.filter_map(made).collect();
    if !over.is_empty() {
        line("used by", &over.join(", "));
    }
    let kernels: Vec<String> = kernel::rows(row)
        .iter()
        .map(|kernel| {
            let runs = if kernel.supported() { "" } else { " (not on this CPU)" };
            format!("{} x{}{runs}", kernel.isa(), kernel.lanes())
        })
        .collect();
    line(
        "kernels",
        &if kernels.is_empty() { "none: one message at a time".to_owned() } else { kernels.join(", ") },
    );
    line("check", &check(row));
    text
}

/// Returns an algorithm as a JSON object in one line.
pub fn row_json(row: &'static Algorithm) -> String {
    let key = match row.keying() {
        Keying::Never => "never",
        Keying::Optional { .. } => "optional",
        Keying::Always { .. } => "needed",
    };
    format!(
        "{{\"schema\":\"truesum-algorithm/1\",\"name\":{},\"tag\":{},\"aliases\":[{}],\"bits\":{},\"lengths\":{},\"status\":{},\"reason\":{},\
         \"tamper_evident\":{},\"summary\":{},\"key\":\"{key}\",\"seed_bits\":{},\"customization\":{},\"in_lanes\":{},\
         \"check\":{}}}\n",
        string(row.name()),
        string(row.tag()),
        strings(row.aliases()),
        row.digest_len() * 8,
        match row.lengths() {
            Lengths::Fixed => "\"fixed\"".to_owned(),
            Lengths::UpTo(max) => format!("\"8..{}\"", max * 8),
            Lengths::Any => "\"any\"".to_owned(),
        },
        string(row.status().word()),
        string(row.status().reason()),
        row.status().tamper_evident(),
        string(row.summary()),
        row.seed_bits(),
        row.customized().is_some(),
        Spec::new(row).has_lanes(),
        string(row.check()),
    )
}
