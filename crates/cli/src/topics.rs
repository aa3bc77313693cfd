//! `truesum help TOPIC`: help that does not belong to a single command.

use crate::console::Console;
use crate::exit::{self, Exit};
use crate::output::print;
use crate::values::color::Color;
use std::fmt::Write;

/// A help topic.
pub struct Topic {
    pub name: &'static str,
    /// A one-line description, for completions.
    pub about: &'static str,
    text: &'static str,
}

/// All help topics.
pub const TOPICS: [Topic; 7] = [
    Topic {
        name: "exit-status",
        about: "what each exit status means",
        text: "\
Exit status, for scripts. If both 1 and 2 apply, the status is 1.

@CODES@

For the exit statuses of a particular command, see truesum help COMMAND or its
manual page.
`truesum check --status MANIFEST` prints nothing except errors.
If standard output is a closed pipe, SIGPIPE terminates truesum without a
message.
",
    },
    Topic {
        name: "formats",
        about: "which manifest formats are read and written",
        text: "\
A manifest is a file that contains the digests of other files. truesum reads
more than 110 formats and detects them by content, then by file name. It also
recognizes some formats that it does not read.

  truesum list formats            list the common formats (--all: all of them)
  truesum check M                 detect the format
  truesum check --format NAME M   specify the format
  truesum hash -t NAME -o M DIR   write a manifest in another format
  truesum convert M -t NAME       convert, and report what is lost

gnu    The default: digest and name, as written by sha256sum. The manifest's
       name or the digest length determines the algorithm (64 digits: SHA-256).
       If another algorithm matches, a hint names it.
bsd    (--tag) SHA256 (name) = digest. Each line names its algorithm, so this is
       the best choice for several algorithms.
jsonl  (--json) One JSON object per line, with size and modification time, which
       `audit` and `update` use to distinguish corruption from edits.
sfv, hashdeep, metalink4, dfxml and others are for use with other programs.
To create bags and torrents, use truesum bag and truesum torrent.

A name that contains a line feed or is not valid UTF-8 is escaped if the format
allows it; otherwise, truesum reports an error.
",
    },
    Topic {
        name: "algorithms",
        about: "which algorithm to choose",
        text: "\
Show what is available:

  truesum list algorithms                      list the common ones (--all: all)
  truesum list algorithms --security secure    list secure algorithms only
  truesum list algorithms NAME                 show details of one
  truesum identify DIGEST [FILE]               list likely algorithms

sha256   The default: every operating system has a tool that computes it, and
         most CPUs have instructions for it.
blake3   The fastest secure algorithm; uses all cores even for a single file.
sha512, sha3-256, blake2b and others are for policies that require them.
sha256-tree, sha512-tree and others can locate damage in a file.
xxh3, crc32, md5 and sha1 detect accidental damage only. A check that uses them
reports that there is no protection against tampering.

-a sha256,md5 computes both digests in one pass. Names can include a length
(blake2b-256, shake128-512), the suffix -tree (sha256-tree) or a part size
('s3-etag;part=16MiB', quoted because of the semicolon).
Keyed digests include hmac-sha256, kmac256 and keyed blake3; see --key-file.
",
    },
    Topic {
        name: "selection",
        about: "how to select files by name, size and time",
        text: "\
A GLOB has the syntax of .gitignore, plus {a,b} for alternatives. --only accepts
a GLOB, or the full name of a file or folder in the manifest.

  truesum hash --exclude '*.tmp' photos        without a slash: any file or
                                               folder that matches, at any depth
  truesum hash --exclude raw/old photos        with a slash: photos/raw/old
  truesum hash --exclude /raw photos           only photos/raw, not photos/b/raw
  truesum hash --exclude '**/raw/old' photos   raw/old at any depth
  truesum hash --include '*.{jpg,png}' photos  only these files
  truesum check --only raw SHA256SUMS          only entries in the folder raw

A GLOB with a slash can match the name relative to the searched folder (raw/old)
or the path as it is printed (photos/raw/old). When a manifest is checked,
globs are matched against the names of its entries. A leading ./ means the same
as a leading slash.

Excluding a folder excludes its contents. --exclude takes precedence over
--include. --newer, --older, --min-size and --max-size select files by
modification time and size, and --gitignore applies .gitignore files. The
summary reports how many files were excluded.
",
    },
    Topic {
        name: "trees",
        about: "how to locate and repair damage in large files",
        text: "\
A plain digest of a file is computed on one core and only shows whether the file
is intact. A tree hash uses all cores, and if its tree is stored, it also shows
which bytes are damaged. A stored tree takes up 32 bytes per MiB.

  truesum tree --save disk.img             store the tree in disk.img.ftr
  truesum tree verify disk.img.ftr         print the damaged ranges
  truesum check --locate SHA256SUMS        the same for files that fail a check
  truesum tree repair --from COPY disk.img.ftr
  truesum tree --save --parity 5% disk.img     also store data for repairs
  truesum tree repair disk.img.ftr         repair without a copy
  truesum tree prove disk.img --range 1MiB..2MiB > proof
  truesum tree leaf disk.img --range 0..1TiB    hash one range of a file

The tree is verified first, so that a damaged tree is not mistaken for a damaged
file. blake3 is already a tree hash; for other algorithms, append -tree, as
in sha256-tree. The tree hashes of mtsum, S3 and Glacier are supported, too.
",
    },
    Topic {
        name: "signatures",
        about: "how to verify who created a manifest",
        text: "\
Digests show that files match the manifest, not who created the manifest: anyone
who can change the files may be able to change the manifest, too. A signature
proves who created it, provided that you obtained the public key through a
trusted channel.

  truesum check --pubkey KEY.pub SHA256SUMS    minisign or signify
  truesum check --pubkey RWQ... SHA256SUMS     the same, with the key itself
  truesum check --pubkey KEY.pub disk.iso.minisig    a single signed file
  gpg --verify SHA256SUMS.asc SHA256SUMS       OpenPGP: .asc, .sig, .gpg, .sign
  ssh-keygen -Y verify -f SIGNERS -I WHO -n file -s SHA256SUMS.sig < SHA256SUMS

Without --pubkey, a check does not verify signatures, but it reports any that it
finds in or next to the manifest. With --pubkey, a manifest that is unsigned or
signed with another key fails (exit status 1). The signature is read from the
manifest itself, or from SHA256SUMS.minisig or SHA256SUMS.sig.

To sign a manifest with an existing key:

  truesum sign SHA256SUMS --key minisign.key   minisign
  signify -S -s KEY.sec -m SHA256SUMS
  gpg --armor --detach-sign SHA256SUMS
  ssh-keygen -Y sign -f KEY -n file SHA256SUMS
",
    },
    Topic {
        name: "performance",
        about: "why a run is slow, and how to speed it up",
        text: "\
Find out what limits a run:

  truesum bench limit DIR    find the bottleneck: disk or CPU?
  truesum list kernels       show which SIMD kernels this CPU supports
  truesum hash -v DIR        report the throughput

Many files are hashed in parallel in SIMD registers, on all cores; no option is
needed. A single large file is hashed on one core, unless the algorithm is a
tree hash, such as blake3 or sha256-tree.

- Hard disks, tapes and some network mounts are slow if several files are read
  at once: use --sequential. --order physical reads files in their order on the
  disk or tape.
- On network file systems and SSDs, truesum starts more reader threads than the
  machine has cores.
- A long check can be divided into parts, for example one part per night:
  truesum check --state STATE --max-bytes 200GiB MANIFEST
- Computing several digests in one pass is faster than in separate runs:
  -a sha256,md5
- On CPUs without SHA instructions, blake3 hashes a single file about ten times
  as fast as sha256.
- Before truesum reads a recently modified file, it makes sure that no program
  is still writing to it. This can take a moment.

Prebuilt packages include truesum bench; other builds need --features bench.

The memory use of `hash` and `check` hardly depends on the number and sizes of
files. `audit` uses additional memory for each file. For benchmarking or
debugging, TRUESUM_KERNEL=NAME restricts truesum to kernels with that name and
the portable ones.
",
    },
];

/// Returns the topic of this name, or the only one that starts with it: `format`, `sign`.
pub fn find(name: &str) -> Option<&'static Topic> {
    /// Shorter prefixes are not accepted.
    const LEAST: usize = 4;
    let mut near = TOPICS.iter().filter(|topic| name.len() >= LEAST && topic.name.starts_with(name));
    TOPICS.iter().find(|topic| topic.name == name).or_else(|| near.next().filter(|_| near.next().is_none()))
}

/// Prints a topic.
pub fn run(topic: &Topic) -> Exit {
    print(&text(topic), &mut Console::new(Color::Auto))
}

fn text(topic: &Topic) -> String {
    let mut codes = String::new();
    for (code, meaning) in exit::codes("truesum").iter().chain([&exit::BY_SIGNAL]) {
        let mut line = format!("{code:<5}");
        for word in meaning.split(' ') {
            if line.chars().count() + 1 + word.chars().count() > 80 {
                let _ = writeln!(codes, "{line}");
                line = " ".repeat(5);
            }
            line += " ";
            line += word;
        }
        let _ = writeln!(codes, "{line}");
    }
    let text = topic.text.replace("@CODES@\n", &codes);
    let is_here = |line: &&str| cfg!(feature = "bench") || !line.starts_with("  truesum bench");
    text.split_inclusive('\n').filter(is_here).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_no_commands_and_their_commands_exist() {
        let mut program = crate::command::definition();
        program.build();
        for topic in &TOPICS {
            assert!(program.find_subcommand(topic.name).is_none(), "{}", topic.name);
            let text = text(topic);
            assert!(text.len() > 500 && !text.contains('@'), "{}: {text}", topic.name);
            let long = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(long, None, "{}", topic.name);
            for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("truesum ")) {
                let command = line.split(' ').next().unwrap();
                let is_absent = command == "bench" && line.contains("other builds need");
                let known = program.find_subcommand(command).is_some() || is_absent;
                assert!(known, "{}: {line}", topic.name);
            }
        }
    }
}
