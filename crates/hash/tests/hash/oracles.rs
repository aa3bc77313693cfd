//! Every algorithm compared with independent programs that Debian ships: lengths 0 to 1100 and around the powers of two
//! up to 2 MiB, hashed in lanes, one by one and in random slices.
//!
//! A program that is not installed is reported as a missing oracle.

use crate::input;
use crate::slices;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use truesum_hash::{ALGORITHMS, Digest, Key, Secret, Spec, hash_many};

/// How to obtain one digest for each file from a program, one per line, in order.
struct Oracle {
    /// The specification to compare: a name with length, `blake3 keyed` or `blake3 derive-key`.
    spec: &'static str,
    program: &'static str,
    /// The Debian package that contains the program.
    package: &'static str,
    args: &'static [&'static str],
    line: Line,
}

/// The position of the digest in a line.
#[derive(Clone, Copy)]
enum Line {
    /// The first word, in hexadecimal.
    First,
    /// After the last ` = `, in hexadecimal.
    Last,
    /// The first word is a decimal number of this many bytes.
    Decimal(usize),
}

const KEY: &[u8; 32] = b"whats the Elvish word for friend";
const CONTEXT: &str = "truesum oracles 2026-01-01 00:00:00 test";

/// Reads files named by its arguments, after the names of the module and the algorithm.
const PYTHON: &str = r#"
import sys
module, name = sys.argv[1:3]
bits = 0
if module == 'hashlib':
    import hashlib
    if name.startswith('blake2b-'):
        size = int(name[8:]) // 8
        make = lambda data: hashlib.blake2b(data, digest_size=size).hexdigest()
    elif name.startswith('shake_'):
        name, size = name.split('-')
        make = lambda data: hashlib.new(name, data).hexdigest(int(size) // 8)
    else:
        make = lambda data: hashlib.new(name, data).hexdigest()
elif module == 'zlib':
    import zlib
    make = lambda data: '%08x' % getattr(zlib, name)(data)
elif module == 'crcmod':
    import crcmod, crcmod.predefined
    known = {
        'crc64nvme': lambda: crcmod.mkCrcFun(0x1AD93D23594C93659, initCrc=0, rev=True, xorOut=(1 << 64) - 1),
        'crc64xz': lambda: crcmod.mkCrcFun(0x142F0E1EBA9EA3693, initCrc=0, rev=True, xorOut=(1 << 64) - 1),
        'crc32c': lambda: crcmod.predefined.mkPredefinedCrcFun('crc-32c'),
    }
    crc = known[name]()
    make = lambda data: '%0*x' % (8 if name == 'crc32c' else 16, crc(data))
elif module == 'Cryptodome':
    from Cryptodome.Hash import MD2, keccak
    from Cryptodome.Cipher import DES
    def mdc2(data):
        # ISO/IEC 10118-2: two chains of DES, whose right halves change places.
        data += bytes(-len(data) % 8)
        states = [0x52] * 8, [0x25] * 8
        for at in range(0, len(data), 8):
            block, halves = data[at:at + 8], []
            for state, bits in zip(states, (0x40, 0x20)):
                key = bytes([state[0] & 0x9f | bits, *state[1:]])
                halves.append([a ^ b for a, b in zip(DES.new(key, DES.MODE_ECB).encrypt(block), block)])
            states = halves[0][:4] + halves[1][4:], halves[1][:4] + halves[0][4:]
        return bytes(states[0] + states[1]).hex()
    known = {
        'mdc2': mdc2,
        'md2': lambda data: MD2.new(data).hexdigest(),
        **{
            'keccak%d' % bits: lambda data, bits=bits: keccak.new(digest_bits=bits, data=data).hexdigest()
            for bits in (224, 256, 384, 512)
        },
    }
    make = known[name]
for path in sys.argv[3:]:
    with open(path, 'rb') as file:
        print(make(file.read()))
"#;

/// Prints digests of the files named by its arguments, after the algorithm's name.
const PHP: &str = r#"foreach (array_slice($argv, 2) as $path) echo hash_file($argv[1], $path), "\n";"#;

macro_rules! oracles {
    ($($program:literal from $package:literal, $line:expr => { $($spec:literal: $args:expr),* $(,)? })*) => {
        &[$($(Oracle { spec: $spec, program: $program, package: $package, args: &$args, line: $line }),*),*]
    };
}

#[rustfmt::skip]
static ORACLES: &[Oracle] = oracles! {
    // Without the longest files: it creates two DES keys per block.
    "/usr/bin/python3" from "python3-pycryptodome", Line::First => {
        "mdc2": ["-c", PYTHON, "Cryptodome", "mdc2"],
    }
    "git" from "git", Line::First => {
        "git-blob": ["hash-object", "--no-filters", "-t", "blob"],
    }
    "openssl" from "openssl", Line::First => {
        "md5": ["dgst", "-r", "-md5"],
        "sha1": ["dgst", "-r", "-sha1"],
        // The same digest unless there is an attack.
        "sha1dc": ["dgst", "-r", "-sha1"],
        "sha224": ["dgst", "-r", "-sha224"],
        "sha256": ["dgst", "-r", "-sha256"],
        "sha384": ["dgst", "-r", "-sha384"],
        "sha512": ["dgst", "-r", "-sha512"],
        "sha512-224": ["dgst", "-r", "-sha512-224"],
        "sha512-256": ["dgst", "-r", "-sha512-256"],
        "sha3-224": ["dgst", "-r", "-sha3-224"],
        "sha3-256": ["dgst", "-r", "-sha3-256"],
        "sha3-384": ["dgst", "-r", "-sha3-384"],
        "sha3-512": ["dgst", "-r", "-sha3-512"],
        "shake128": ["dgst", "-r", "-shake128", "-xoflen", "32"],
        "shake256": ["dgst", "-r", "-shake256", "-xoflen", "64"],
        "shake128-8000": ["dgst", "-r", "-shake128", "-xoflen", "1000"],
        "shake256-8": ["dgst", "-r", "-shake256", "-xoflen", "1"],
        "blake2b": ["dgst", "-r", "-blake2b512"],
        "blake2s": ["dgst", "-r", "-blake2s256"],
        "md5-sha1": ["dgst", "-r", "-md5-sha1"],
        "sm3": ["dgst", "-r", "-sm3"],
        "md4": ["dgst", "-provider", "legacy", "-provider", "default", "-r", "-md4"],
        "ripemd160": ["dgst", "-provider", "legacy", "-provider", "default", "-r", "-ripemd160"],
        "whirlpool": ["dgst", "-provider", "legacy", "-provider", "default", "-r", "-whirlpool"],
    }
    "rhash" from "rhash", Line::First => {
        "md4": ["--printf=%{md4}\\n"],
        "md5": ["--printf=%{md5}\\n"],
        "sha1": ["--printf=%{sha1}\\n"],
        "sha256": ["--printf=%{sha-256}\\n"],
        "sha512": ["--printf=%{sha-512}\\n"],
        "sha3-224": ["--printf=%{sha3-224}\\n"],
        "sha3-256": ["--printf=%{sha3-256}\\n"],
        "sha3-384": ["--printf=%{sha3-384}\\n"],
        "sha3-512": ["--printf=%{sha3-512}\\n"],
        "blake2b": ["--printf=%{blake2b}\\n"],
        "blake2s": ["--printf=%{blake2s}\\n"],
        "tiger": ["--printf=%{tiger}\\n"],
        "whirlpool": ["--printf=%{whirlpool}\\n"],
        "ripemd160": ["--printf=%{ripemd160}\\n"],
        "gost94": ["--printf=%{gost94}\\n"],
        "gost94-cryptopro": ["--printf=%{gost94-cryptopro}\\n"],
        "gost12-256": ["--printf=%{gost12-256}\\n"],
        "gost12-512": ["--printf=%{gost12-512}\\n"],
        "crc32": ["--printf=%{crc32}\\n"],
        "crc32c": ["--printf=%{crc32c}\\n"],
        "has160": ["--printf=%{has160}\\n"],
        "snefru128": ["--printf=%{snefru128}\\n"],
        "snefru256": ["--printf=%{snefru256}\\n"],
        "edonr256": ["--edonr256", "--simple"],
        "edonr512": ["--edonr512", "--simple"],
        "tth": ["--printf=%x{tth}\\n"],
        "ed2k": ["--printf=%{ed2k}\\n"],
        "aich": ["--printf=%x{aich}\\n"],
    }
    "php" from "php-cli", Line::First => {
        "ripemd128": ["-r", PHP, "--", "ripemd128"],
        "ripemd256": ["-r", PHP, "--", "ripemd256"],
        "ripemd320": ["-r", PHP, "--", "ripemd320"],
        "snefru256": ["-r", PHP, "--", "snefru256"],
        "fnv1-32": ["-r", PHP, "--", "fnv132"],
        "fnv1a-32": ["-r", PHP, "--", "fnv1a32"],
        "fnv1-64": ["-r", PHP, "--", "fnv164"],
        "fnv1a-64": ["-r", PHP, "--", "fnv1a64"],
        "joaat": ["-r", PHP, "--", "joaat"],
        "murmur3-32": ["-r", PHP, "--", "murmur3a"],
        "murmur3-x86-128": ["-r", PHP, "--", "murmur3c"],
        "murmur3-128": ["-r", PHP, "--", "murmur3f"],
        "haval128-3": ["-r", PHP, "--", "haval128,3"],
        "haval160-3": ["-r", PHP, "--", "haval160,3"],
        "haval192-3": ["-r", PHP, "--", "haval192,3"],
        "haval224-3": ["-r", PHP, "--", "haval224,3"],
        "haval256-3": ["-r", PHP, "--", "haval256,3"],
        "haval128-4": ["-r", PHP, "--", "haval128,4"],
        "haval160-4": ["-r", PHP, "--", "haval160,4"],
        "haval192-4": ["-r", PHP, "--", "haval192,4"],
        "haval224-4": ["-r", PHP, "--", "haval224,4"],
        "haval256-4": ["-r", PHP, "--", "haval256,4"],
        "haval128-5": ["-r", PHP, "--", "haval128,5"],
        "haval160-5": ["-r", PHP, "--", "haval160,5"],
        "haval192-5": ["-r", PHP, "--", "haval192,5"],
        "haval224-5": ["-r", PHP, "--", "haval224,5"],
        "haval256-5": ["-r", PHP, "--", "haval256,5"],
    }
    "/usr/bin/python3" from "python3", Line::First => {
        "sha224": ["-c", PYTHON, "hashlib", "sha224"],
        "sha384": ["-c", PYTHON, "hashlib", "sha384"],
        "shake128-256": ["-c", PYTHON, "hashlib", "shake_128-256"],
        "shake256-4104": ["-c", PYTHON, "hashlib", "shake_256-4104"],
        "cshake128": ["-c", PYTHON, "hashlib", "shake_128-256"],
        "cshake256": ["-c", PYTHON, "hashlib", "shake_256-512"],
        "blake2b-8": ["-c", PYTHON, "hashlib", "blake2b-8"],
        "blake2b-160": ["-c", PYTHON, "hashlib", "blake2b-160"],
        "blake2b-256": ["-c", PYTHON, "hashlib", "blake2b-256"],
        "blake2b-504": ["-c", PYTHON, "hashlib", "blake2b-504"],
        "crc32": ["-c", PYTHON, "zlib", "crc32"],
        "adler32": ["-c", PYTHON, "zlib", "adler32"],
    }
    "/usr/bin/python3" from "python3-crcmod", Line::First => {
        "crc32c": ["-c", PYTHON, "crcmod", "crc32c"],
        "crc64nvme": ["-c", PYTHON, "crcmod", "crc64nvme"],
        "crc64xz": ["-c", PYTHON, "crcmod", "crc64xz"],
    }
    "/usr/bin/python3" from "python3-pycryptodome", Line::First => {
        "keccak224": ["-c", PYTHON, "Cryptodome", "keccak224"],
        "keccak256": ["-c", PYTHON, "Cryptodome", "keccak256"],
        "keccak384": ["-c", PYTHON, "Cryptodome", "keccak384"],
        "keccak512": ["-c", PYTHON, "Cryptodome", "keccak512"],
        "md2": ["-c", PYTHON, "Cryptodome", "md2"],
    }
    "b3sum" from "b3sum", Line::First => {
        "blake3": ["--no-names"],
        "blake3-8": ["--no-names", "--length", "1"],
        "blake3-8000": ["--no-names", "--length", "1000"],
        "blake3 keyed": ["--no-names", "--keyed"],
        "blake3 derive-key": ["--no-names", "--derive-key", CONTEXT],
    }
    "fsverity" from "fsverity", Line::First => {
        "fsverity": ["digest", "--compact"],
        "fsverity-sha512": ["digest", "--compact", "--hash-alg=sha512"],
    }
    "xxhsum" from "xxhash", Line::First => {
        "xxh32": ["-H0"],
        "xxh64": ["-H1"],
        "xxh128": ["-H2"],
    }
    "xxhsum" from "xxhash", Line::Last => {
        "xxh3": ["-H3"],
    }
    "md5sum" from "coreutils", Line::First => { "md5": [] }
    "sha1sum" from "coreutils", Line::First => { "sha1": [] }
    "sha256sum" from "coreutils", Line::First => { "sha256": [] }
    "sha512sum" from "coreutils", Line::First => { "sha512": [] }
    "b2sum" from "coreutils", Line::First => { "blake2b": [], "blake2b-128": ["-l", "128"] }
    "cksum" from "coreutils", Line::Decimal(4) => { "crc": [] }
    "cksum" from "coreutils", Line::First => { "sm3": ["-a", "sm3", "--untagged"] }
    "sum" from "coreutils", Line::Decimal(2) => { "bsd": ["-r"], "sysv": ["-s"] }
};

/// No packaged program computes these: `tree_vectors.rs` and `vectors.rs` have vectors that other programs confirmed,
/// `conformance.rs` and `serial.rs` compare with other libraries, `independent.rs` with recorded digests of other
/// implementations.
#[rustfmt::skip]
const BY_VECTORS: &[&str] = &[
    "s3-etag", "glacier", "dropbox", "ed2k-old", "quickxor", "mailru", "hidrive", "bt2-pieces-root",
    "sha0", "tiger2", "whirlpool-0", "whirlpool-t", "blake2bp", "blake2sp", "skein256", "skein512", "skein1024",
    "ascon-hash256", "ascon-xof128", "turboshake128", "turboshake256", "kt128", "kt256", "m14", "parallelhash128", "parallelhash256",
    "sum8", "sum16", "sum24", "sum32", "xor8", "fletcher16", "fletcher32", "fletcher64", "inet16",
    "djb2", "djb2a", "sdbm", "elf32", "imohash", "farmhash64", "cityhash128", "wyhash", "komihash", "blake-224", "blake-256", "blake-384", "blake-512",
    "groestl224", "groestl256", "groestl384", "groestl512", "jh224", "jh256", "jh384", "jh512",
    "shabal192", "shabal224", "shabal256", "shabal384", "shabal512",
    "kupyna224", "kupyna256", "kupyna384", "kupyna512", "belt-hash", "bash256", "bash384", "bash512", "fsb160", "fsb224", "fsb256", "fsb384", "fsb512",
    "lsh256-224", "lsh256", "lsh512-224", "lsh512-256", "lsh512-384", "lsh512", "panama", "blake2xb", "blake2xs",
    "mh-sha1", "mh-sha256", "xet", "dm-verity", "dm-verity-sha512", "dm-verity-sha1",
    // The directory tests compare it with a git repository.
    "git-blob-sha256",
    "s3-sha256", "s3-sha1", "s3-crc32c", "s3-crc32", "hdfs-md5-crc32c", "hdfs-md5-crc32", "cid-v0", "cid-v1", "cid-2025",
];

impl Oracle {
    fn spec(&self) -> Option<Spec> {
        let name = self.spec.split(' ').next()?;
        let spec: Spec = name.parse().ok()?;
        match self.spec.strip_prefix("blake3 ") {
            Some("keyed") => spec.with_key(Key::Secret(Secret::new(KEY.to_vec()))).ok(),
            Some(_) => spec.with_key(Key::Derive(CONTEXT.into())).ok(),
            None => Some(spec),
        }
    }

    /// Returns the digests of the files, or the reason there are none.
    fn run(&self, files: &[PathBuf]) -> Result<Vec<Digest>, String> {
        let mut child = Command::new(self.program)
            .args(self.args)
            .args(files)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|why| format!("{}: {why} (Debian package {})", self.program, self.package))?;
        // Only `b3sum --keyed` reads it; the other programs may have exited.
        let _ = child.stdin.take().expect("piped").write_all(KEY);
        let output = child.wait_with_output().map_err(|why| why.to_string())?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr);
            let why = why.lines().last().unwrap_or("failed");
            return Err(format!("{}: {why} (Debian package {})", self.program, self.package));
        }
        let lines = String::from_utf8_lossy(&output.stdout).into_owned();
        lines.lines().map(|line| self.line.digest(line).ok_or(format!("{}: {line}", self.program))).collect()
    }
}

impl Line {
    fn digest(self, line: &str) -> Option<Digest> {
        let first = line.split_whitespace().next()?;
        match self {
            Line::First => Digest::from_hex(first.as_bytes()).ok(),
            Line::Last => Digest::from_hex(line.rsplit_once(" = ")?.1.as_bytes()).ok(),
            Line::Decimal(len) => {
                let value: u64 = first.parse().ok()?;
                Some(Digest::new(&value.to_be_bytes()[8 - len..]))
            }
        }
    }
}

/// The info hash also depends on the file name; RHash computes it for each file.
#[test]
fn btih_matches_rhash_for_many_lengths() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes = input::bytes("sm64:19", 20 << 20);
    for len in (0..=1100).chain([
        16_383,
        16_384,
        16_385,
        32_768,
        65_537,
        1_000_000,
        (16 << 20) - 1,
        16 << 20,
        20 << 20,
    ]) {
        std::fs::write(folder.path().join(format!("{len}.iso")), &bytes[..len]).expect("a file");
    }
    let mut files: Vec<PathBuf> =
        folder.path().read_dir().expect("the folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let output = Command::new("rhash").arg("--printf=%{btih} %f\\n").args(&files).output();
    let Ok(output) = output else {
        return truesum_test_support::oracle::missing("rhash");
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.lines().count(), files.len());
    for line in text.lines() {
        let (expected, name) = line.split_once(' ').expect("digest and name");
        let len: usize = name.trim_end_matches(".iso").parse().expect("a length");
        let spec = Spec::info_hash(name.as_bytes(), None).expect("a name");
        assert_eq!(spec.digest(&bytes[..len]).to_hex(), expected, "{name}");
    }
}

#[test]
fn every_algorithm_has_an_oracle() {
    for row in ALGORITHMS.iter().filter(|row| !BY_VECTORS.contains(&row.name())) {
        let covered = |oracle: &Oracle| oracle.spec().is_some_and(|spec| std::ptr::eq(spec.algorithm(), row));
        assert!(
            ORACLES.iter().any(covered),
            "nothing independent computes {0}: add {0} to ORACLES, or to BY_VECTORS if no packaged program computes it",
            row.name()
        );
    }
}

#[test]
fn digests_match_other_programs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes = input::bytes("sm64:17", (2 << 20) + 1);
    let around = (9..=21).flat_map(|power| [(1 << power) - 1, 1 << power, (1 << power) + 1]);
    let lengths: Vec<usize> = (0..=1100).chain(around).collect();
    let files: Vec<PathBuf> = lengths.iter().map(|len| folder.path().join(len.to_string())).collect();
    for (file, &len) in files.iter().zip(&lengths) {
        std::fs::write(file, &bytes[..len]).expect("a file in the temporary folder");
    }
    let messages: Vec<&[u8]> = lengths.iter().map(|&len| &bytes[..len]).collect();

    let mut random = input::Random::new(3);
    let mut compared: BTreeSet<&str> = BTreeSet::new();
    let mut missing: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for oracle in ORACLES {
        let Some(spec) = oracle.spec() else {
            missing.entry("not in the table".to_owned()).or_default().push(oracle.spec);
            continue;
        };
        let (files, messages, lengths) = match oracle.spec {
            "mdc2" => (&files[..=1100], &messages[..=1100], &lengths[..=1100]),
            _ => (&files[..], &messages[..], &lengths[..]),
        };
        let expected = match oracle.run(files) {
            Ok(expected) => expected,
            Err(why) => {
                missing.entry(why).or_default().push(oracle.spec);
                continue;
            }
        };
        assert_eq!(expected.len(), lengths.len(), "{} gives a line for each file", oracle.program);
        let together = hash_many(&spec, messages);
        for (((message, expected), together), len) in
            messages.iter().zip(&expected).zip(&together).zip(lengths)
        {
            let alone = spec.digest(message);
            assert_eq!(&alone, expected, "{} of {len} bytes, by {}", oracle.spec, oracle.program);
            assert_eq!(together, expected, "{} of {len} bytes in lanes, by {}", oracle.spec, oracle.program);
            if *len <= 4097 {
                let sliced = slices::in_slices(&spec, message, &mut random, 400);
                assert_eq!(
                    &sliced, expected,
                    "{} of {len} bytes in slices, by {}",
                    oracle.spec, oracle.program
                );
            }
        }
        compared.insert(spec.algorithm().name());
    }
    // Not with `println`, whose output is hidden when the test passes.
    let mut stderr = std::io::stderr();
    for (why, specs) in &missing {
        writeln!(stderr, "not compared: {}: {why}", specs.join(", ")).expect("standard error");
    }
    let alone: Vec<&str> = ALGORITHMS
        .iter()
        .map(|row| row.name())
        .filter(|name| !compared.contains(name) && !BY_VECTORS.contains(name))
        .collect();
    if !alone.is_empty() {
        writeln!(stderr, "compared with nothing: {}", alone.join(", ")).expect("standard error");
    }
    if !missing.is_empty() {
        truesum_test_support::oracle::missing(&format!("{missing:?}"));
    }
}

/// One algorithm for each way of counting a message's length, if a program reads files of any length for it;
/// `serial.rs` and `independent.rs` have the others. PHP counts only 32 bits for `murmur3-128`.
const COUNTERS: &[&str] = &[
    "md4",
    "md5",
    "sha1",
    "sha1dc",
    "sha256",
    "sha512",
    "sha3-256",
    "blake2b",
    "blake2s",
    "blake3",
    "sm3",
    "ripemd160",
    "ripemd320",
    "tiger",
    "whirlpool",
    "gost94",
    "gost94-cryptopro",
    "gost12-256",
    "has160",
    "snefru256",
    "edonr256",
    "edonr512",
    "haval256-5",
    "crc",
    "crc32",
    "crc32c",
    "git-blob",
    "fsverity",
    "xxh32",
    "xxh64",
    "xxh3",
    "xxh128",
    "murmur3-32",
    "murmur3-x86-128",
    "tth",
    "aich",
    "ed2k",
];

/// One byte more than four gibibytes: lengths in bytes and in bits exceed their lower words. Run manually, takes
/// minutes: `cargo test --release -p truesum-hash --all-features --test hash -- --ignored oracles`.
#[test]
#[ignore = "reads four gibibytes seventy times"]
fn digests_match_other_programs_beyond_4_gib() {
    const LEN: u64 = (1 << 32) + 1;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("long");
    let mut file = std::fs::File::create(&path).expect("a file in the temporary folder");
    file.set_len(LEN).expect("room for a hole");
    // Data at the beginning, in the middle, around 2^29 bytes (2^32 bits) and at the end.
    let data = input::bytes("sm64:31", 1 << 20);
    for at in [0, (1 << 29) - 4096, 1 << 31, LEN - data.len() as u64] {
        use std::io::{Seek, SeekFrom};
        file.seek(SeekFrom::Start(at)).expect("a place in the file");
        file.write_all(&data).expect("room for data");
    }
    drop(file);
    let wanted = std::env::var("TRUESUM_COUNTERS").unwrap_or_default();
    let mut compared = 0;
    for name in COUNTERS.iter().filter(|name| wanted.is_empty() || wanted.split(',').any(|one| one == **name))
    {
        let whole = |oracle: &&Oracle| oracle.spec == *name && !oracle.program.ends_with("python3");
        let Some(oracle) = ORACLES.iter().find(whole) else {
            panic!("no program reads a long file for {name}")
        };
        let expected = match oracle.run(std::slice::from_ref(&path)) {
            Ok(expected) => expected,
            Err(why) => {
                writeln!(std::io::stderr(), "not compared: {name}: {why}").expect("standard error");
                continue;
            }
        };
        let mut hasher = oracle.spec().expect("in the table").hasher_for_size(LEN);
        std::io::copy(&mut std::fs::File::open(&path).expect("the file"), &mut hasher).expect("a read");
        assert_eq!(expected, [hasher.finish()], "{name} by {}", oracle.program);
        writeln!(std::io::stderr(), "{name}: as {}", oracle.program).expect("standard error");
        compared += 1;
    }
    assert!(compared > 0);
}
