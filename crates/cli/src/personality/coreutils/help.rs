//! `--help` and `--version`: the options in GNU's order, in words of our own.

use super::algorithm::find;
use super::program::{Kind, PROGRAMS, Program};

/// The release of GNU coreutils whose behaviour this is.
const COREUTILS: &str = "9.11";

const ALGORITHM: &str = "  -a, --algorithm=TYPE  compute digests of this TYPE (listed below)\n";
const BASE64: &str = "      --base64          write digests in base64 instead of hexadecimal\n";
const BINARY: &str = "  -b, --binary          mark files as read in binary mode\n";
const CHECK: &str = "  -c, --check           verify the files that the manifests FILE list\n";
const RAW: &str = "      --raw             write the bytes of the digest and nothing else\n";
const TAG: &str = "      --tag             write BSD lines, which name the algorithm\n";
const TAG_DEFAULT: &str = "      --tag             write BSD lines, which name the algorithm (default)\n";
const UNTAGGED: &str = "      --untagged        write digest and name only, as the other programs do\n";
const TEXT: &str = "  -t, --text            mark files as read in text mode (default)\n";
const ZERO: &str = "  -z, --zero            end lines with NUL, not with a line feed, and
                          write names as they are
";
const LENGTH_B2SUM: &str = "  -l, --length=BITS     length of the digest in bits, a multiple of 8 up
                          to 512
";
const LENGTH_CKSUM: &str = "  -l, --length=BITS     length of the digest in bits: for blake2b a multiple
                          of 8 up to 512, for sha2 and sha3 224, 256,
                          384 or 512
";
const CHECKING: &str = "
These five only go with --check:
      --ignore-missing  pass over files that do not exist
      --quiet           write no line for files that are as they should be
      --status          write nothing: the exit status tells
      --strict          fail on improperly formatted lines
  -w, --warn            report each improperly formatted line

";
const DEBUG: &str = "      --debug           tell how the check is computed on this machine\n";
const SUM: &str = "
  -r              BSD's algorithm, blocks of 1024 bytes (default)
  -s, --sysv      System V's algorithm, blocks of 512 bytes
      --help      show this help and exit
      --version   show the version and exit
";
const COMMON: &str = "      --help            show this help and exit
      --version         show the version and exit
";
const STDIN: &str = "\nStandard input is read where FILE is - or missing.\n";
const VALUES: &str = "\nA value that a long option must have, its short form must have too.\n";
const MODES: &str = "
A line has the digest, a blank, a blank or (with --binary) an asterisk, and
the name. What --check reads are lines that this program wrote, of either form.
Text mode and binary mode read the same bytes.
";

/// The text of `--help` of a program that was called by the name `called`.
pub(super) fn help(program: &Program, called: &[u8]) -> String {
    let usage = format!("Usage: {} [OPTION]... [FILE]...\n", String::from_utf8_lossy(called));
    let (tag, bits) = find(program.algorithm.as_bytes()).map_or(("", 0), |row| (row.tag, row.bits));
    let what = format!("Write {tag} digests ({bits} bits) of files, or verify them.\n");
    let defined = format!("\nThe algorithm is that of {}.", program.reference);
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
            "Write checksums of files, or verify them. Without -a they are POSIX CRCs.\n",
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
        Kind::OldSum => vec![&usage, "Write checksums (16 bits) and sizes of files.\n", STDIN, SUM],
    };
    let mut text = parts.concat();
    if program.kind == Kind::Cksum {
        text.push_str(&types());
        text.push_str("\nWhat --check reads are lines of this program or of the one for the TYPE.\n");
    }
    text
}

/// The types of `cksum -a`, those that have a program first named by it.
fn types() -> String {
    let mut text = "\nTYPE is one of these, and decides how lines look:\n".to_owned();
    for name in ["sysv", "bsd", "crc", "crc32b", "md5", "sha1", "sha2", "sha3", "blake2b", "sm3"] {
        let same = match name {
            "sysv" => "as sum -s",
            "bsd" => "as sum -r",
            "sha2" => "as sha224sum, sha256sum, sha384sum, sha512sum, by --length",
            "sha3" => "cksum only, by --length",
            _ => "",
        };
        let program = PROGRAMS.iter().find(|program| program.algorithm == name);
        let same = match (same, program) {
            ("", Some(program)) => format!("as {}", program.name),
            ("", None) => "cksum only".to_owned(),
            (same, _) => same.to_owned(),
        };
        text.push_str(&format!("  {name:<10}({same})\n"));
    }
    text
}

/// The text of `--version`.
pub(super) fn version(program: &Program) -> String {
    format!(
        "{} (truesum {}, as GNU coreutils) {COREUTILS}\nLicense: {}.\n",
        program.name,
        env!("CARGO_PKG_VERSION"),
        env!("CARGO_PKG_LICENSE"),
    )
}

#[cfg(test)]
mod tests {
    use super::super::algorithm::ALGORITHMS;
    use super::super::options;
    use super::*;

    #[test]
    fn help_lists_every_option_and_every_type() {
        for program in PROGRAMS {
            let text = help(program, program.name.as_bytes());
            for row in options::of(program.kind) {
                // cksum takes these for the sake of scripts, and does not advertise them.
                let silent = program.kind == Kind::Cksum
                    && matches!(row.ask, options::Ask::Binary | options::Ask::Text);
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
            let listed = types.contains(&format!("  {} ", row.name));
            // Members of a family are taken, but `sha2` stands for them.
            let member = matches!(row.name, "sha224" | "sha256" | "sha384" | "sha512");
            assert_eq!(listed, !member, "{}", row.name);
        }
    }
}
