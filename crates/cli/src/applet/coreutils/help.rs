//! `--help` and `--version`: the options in GNU's order, with different wording.

use super::program::{Kind, PROGRAMS, Program};
use truesum::manifest::original::coreutils::by_name;

/// The release of GNU coreutils whose behavior is reproduced.
const COREUTILS: &str = "9.11";

const ALGORITHM: &str = "  -a, --algorithm=TYPE  use the digest TYPE (see the list below)\n";
const BASE64: &str = "      --base64          write digests in base64 instead of hexadecimal\n";
const BINARY: &str = "  -b, --binary          mark files as read in binary mode\n";
const CHECK: &str = "  -c, --check           verify the files listed in each manifest FILE\n";
const RAW: &str = "      --raw             write only the raw bytes of the digest\n";
const TAG: &str = "      --tag             write BSD-style lines, which include the algorithm\n";
const TAG_DEFAULT: &str = "      --tag             write BSD-style lines (default)\n";
const UNTAGGED: &str = "      --untagged        write only the digest and the name, like md5sum\n";
const TEXT: &str = "  -t, --text            mark files as read in text mode (default)\n";
const ZERO: &str = "  -z, --zero            end lines with NUL instead of a newline, and do
                          not escape names
";
const LENGTH_B2SUM: &str = "  -l, --length=BITS     digest length in bits: a multiple of 8, at most
                          512
";
const LENGTH_CKSUM: &str = "  -l, --length=BITS     digest length in bits: for blake2b, a multiple of
                          8, at most 512; for sha2 and sha3, one of 224,
                          256, 384 and 512
";
const CHECKING: &str = "
Only with --check:
      --ignore-missing  skip files that do not exist
      --quiet           do not write a line for files that match
      --status          write nothing; only set the exit status
      --strict          fail if there are improperly formatted lines
  -w, --warn            report each improperly formatted line

";
const DEBUG: &str = "      --debug           report which CPU features are used\n";
const SUM: &str = "
  -r              BSD algorithm, blocks of 1024 bytes (default)
  -s, --sysv      System V algorithm, blocks of 512 bytes
      --help      show this help and exit
      --version   show the version and exit
";
const COMMON: &str = "      --help            show this help and exit
      --version         show the version and exit
";
const STDIN: &str = "\nWith no FILE, or if FILE is -, standard input is read.\n";
const VALUES: &str = "\nIf a long option requires a value, so does its short form.\n";
const MODES: &str = "
A line consists of the digest, a space, a second space or (with --binary) an
asterisk, and the name. --check reads these lines and BSD-style lines (--tag).
Text mode and binary mode read the same bytes.
";

/// Returns the text of `--help` for a program that was called by the name `called`.
pub(super) fn help(program: &Program, called: &[u8]) -> String {
    let usage = format!("Usage: {} [OPTION]... [FILE]...\n", String::from_utf8_lossy(called));
    let (tag, bits) = by_name(program.algorithm.as_bytes()).map_or(("", 0), |row| (row.tag(), row.bits()));
    let what = format!("Write or verify {tag} digests ({bits} bits) of files.\n");
    let defined = format!("\nThe algorithm is defined in {}.", program.reference);
    let parts: Vec<&str> = match program.kind {
        Kind::Sum => {
            vec![&usage, &what, STDIN, BINARY, CHECK, TAG, TEXT, ZERO, CHECKING, COMMON, &defined, MODES]
        }
        Kind::B2sum => vec![
            &usage,
            &what,
            STDIN,
            VALUES,
            BINARY,
            CHECK,
            LENGTH_B2SUM,
            TAG,
            TEXT,
            ZERO,
            CHECKING,
            COMMON,
            &defined,
            MODES,
        ],
        Kind::Cksum => vec![
            &usage,
            "Write or verify checksums of files. The default is the POSIX CRC.\n",
            STDIN,
            VALUES,
            ALGORITHM,
            BASE64,
            CHECK,
            LENGTH_CKSUM,
            RAW,
            TAG_DEFAULT,
            UNTAGGED,
            ZERO,
            CHECKING,
            DEBUG,
            COMMON,
        ],
        Kind::OldSum => vec![&usage, "Write 16-bit checksums and sizes of files.\n", STDIN, SUM],
    };
    let mut text = parts.concat();
    if program.kind == Kind::Cksum {
        text.push_str(&types());
        text.push_str("\n--check reads lines written by this program or by the program listed for TYPE.\n");
    }
    text
}

/// Returns the types of `cksum -a`, with the program that uses each of them.
fn types() -> String {
    let mut text = "\nTYPE is one of the following and determines the format of the lines:\n".to_owned();
    for name in ["sysv", "bsd", "crc", "crc32b", "md5", "sha1", "sha2", "sha3", "blake2b", "sm3"] {
        let same = match name {
            "sysv" => "same as sum -s",
            "bsd" => "same as sum -r",
            "sha2" => "same as sha224sum to sha512sum, depending on --length",
            "sha3" => "only in cksum, requires --length",
            _ => "",
        };
        let program = PROGRAMS.iter().find(|program| program.algorithm == name);
        let same = match (same, program) {
            ("", Some(program)) => format!("same as {}", program.name),
            ("", None) => "only in cksum".to_owned(),
            (same, _) => same.to_owned(),
        };
        text.push_str(&format!("  {name:<10}({same})\n"));
    }
    text
}

/// Returns the text of `--version`.
pub(super) fn version(program: &Program) -> String {
    format!(
        "{} (truesum {}, compatible with GNU coreutils) {COREUTILS}\nLicense: {}.\n",
        program.name,
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_LICENSE"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::options;
    use super::*;
    use truesum::manifest::original::coreutils::ALGORITHMS;

    #[test]
    fn help_lists_every_option_and_every_type() {
        for program in PROGRAMS {
            let text = help(program, program.name.as_bytes());
            for row in options::of(program.kind) {
                // cksum accepts these for compatibility, and does not document them.
                let silent = program.kind == Kind::Cksum
                    && matches!(row.ask, options::OptionMeaning::Binary | options::OptionMeaning::Text);
                let long = row.long.map_or("-r ".to_owned(), |long| format!("--{long}"));
                assert_eq!(text.contains(&long), !silent, "{} {long}", program.name);
                if let (Some(short), false) = (row.short, silent) {
                    assert!(text.contains(&format!("  -{}", char::from(short))), "{}", program.name);
                }
            }
            assert!(text.lines().all(|line| line.len() < 80), "{}", program.name);
        }
        let types = types();
        for row in ALGORITHMS {
            let listed = types.contains(&format!("  {} ", row.name()));
            // Members of the SHA-2 family are accepted, but only `sha2` is listed.
            let member = matches!(row.name(), "sha224" | "sha256" | "sha384" | "sha512");
            assert_eq!(listed, !member, "{}", row.name());
        }
    }
}
