//! The AVX-512 rows consist of the intended instructions.
//!
//! Words are lists of one-line operations, from which LLVM makes rotations and three-input logic (`vprold`, `vprolq`,
//! `vpternlog`), keeps registers out of memory and calls nothing, as long as every part is inlined. If one is not, the
//! digests stay correct but the speed is lost, which no other test would notice. So this one disassembles itself.

use std::collections::BTreeMap;
use std::process::Command;
use truesum_hash::{ALGORITHMS, hash_many};

/// The instructions of a function, by mnemonic.
type Counts = BTreeMap<String, usize>;

/// Returns the functions of this executable whose names contain `avx512`, without compiler-generated parts of names.
fn avx512_functions() -> Option<BTreeMap<String, Counts>> {
    // Otherwise nothing here would refer to the kernels and the linker would drop them.
    for row in ALGORITHMS {
        assert_eq!(hash_many(&truesum_hash::Spec::new(row), &[&b"abc"[..]; 2]).len(), 2);
    }
    let path = std::env::current_exe().expect("the path of this test");
    let output = Command::new("objdump").args(["-d", "-C", "--no-show-raw-insn"]).arg(path).output().ok()?;
    assert!(output.status.success(), "objdump: {}", String::from_utf8_lossy(&output.stderr));
    let mut functions: BTreeMap<String, Counts> = BTreeMap::new();
    let mut current = None;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        if let Some((_, name)) = line.split_once(" <").filter(|_| line.ends_with(">:")) {
            // Some mangled names end with a hash.
            let mut parts = name.trim_end_matches(">:").split("::");
            let mut path: Vec<&str> = Vec::new();
            let row = name.starts_with("truesum_hash::family::")
                && parts.any(|part| {
                    path.push(part);
                    part.starts_with("avx512")
                });
            current = row.then(|| path.join("::"));
        } else if let (Some(name), Some((_, instruction))) = (&current, line.split_once(":\t"))
            && let Some(mnemonic) = instruction.split_whitespace().next()
        {
            // Calls of `memset`, and of panics if debug assertions are on, are not parts of kernels, and a row for many
            // blocks leaves few to another.
            let piece = (instruction.contains("truesum_hash") || instruction.contains("core_arch"))
                && !instruction.contains("::portable");
            let mnemonic = if mnemonic == "call" && piece { "call a piece" } else { mnemonic };
            *functions.entry(name.clone()).or_default().entry(mnemonic.to_owned()).or_default() += 1;
        }
    }
    Some(functions)
}

/// Returns how often instructions with this prefix occur.
fn count(counts: &Counts, start: &str) -> usize {
    counts.iter().filter(|(mnemonic, _)| mnemonic.starts_with(start)).map(|(_, count)| count).sum()
}

#[test]
fn avx512_kernels_rotate_and_select_in_one_instruction() {
    let Some(functions) = avx512_functions() else {
        return truesum_test_support::oracle::missing("objdump (binutils)");
    };
    let families =
        ["md4", "md5", "sha1", "sha2", "ripemd160", "sm3", "blake2s", "sha512", "sha3", "blake2b", "blake3"];
    for family in families {
        let rows: Vec<_> = functions
            .iter()
            .filter(|(name, _)| name.starts_with(&format!("truesum_hash::family::{family}::")))
            .collect();
        assert!(!rows.is_empty(), "{family} has no AVX-512 row in {:?}", functions.keys());
        for (name, counts) in rows {
            let rotations = count(counts, "vprol") + count(counts, "vpror");
            assert!(rotations > 0, "{name} does not rotate vectors: {counts:?}");
            // BLAKE2 and BLAKE3 have no three-input functions except sums.
            if !family.starts_with("blake") {
                assert!(count(counts, "vpternlog") > 0, "{name} has no three-input logic: {counts:?}");
            }
            assert_eq!(count(counts, "call a piece"), 0, "{name} calls what should be inlined: {counts:?}");
        }
    }
}
