//! `truesum help SUBJECT`: what does not belong to one command.

use crate::console::Console;
use crate::exit::{self, Exit};
use crate::output::print;
use crate::values::color::Color;
use std::fmt::Write;

/// A subject.
pub struct Topic {
    pub name: &'static str,
    /// What it is about, in a line.
    pub about: &'static str,
    text: &'static str,
}

/// All of them.
pub const TOPICS: [Topic; 6] = [
    Topic {
        name: "exit-status",
        about: "what the exit status says",
        text: "\
What a run came to, for scripts. Of several, 1 wins over 2.

@CODES@

Other commands say more exactly what theirs mean: truesum help COMMAND, or its manual page. `truesum check --status M`
prints nothing and only has an exit status. A closed pipe ends the program by SIGPIPE, without a message.
",
    },
    Topic {
        name: "formats",
        about: "which manifests are read and written",
        text: "\
A manifest is a file that lists digests of other files. More than 60 formats are read, each recognised by its content and
then by its name; what is none of them is named for what it is, and nothing is guessed.

  truesum list formats            all of them, with what each holds
  truesum check M                 recognise the format
  truesum check --format NAME M   or be told it
  truesum hash -t NAME -o M DIR   write one
  truesum convert M -t NAME       from one to another; what would be lost is named

gnu    digest and name, as sha256sum; the default. The algorithm is told by the manifest's name or the digest's length.
bsd    SHA256 (name) = digest: names its algorithm, best where there are several (--tag).
jsonl  an object a line, with size and time: what audit and update need to tell bit rot from an edit (--json).
sfv, hashdeep, bagit, torrent, metalink4, dfxml ... where other programs want them.

A name that holds a line feed or is no UTF-8 is escaped as the format has it, or refused where it has no way.
",
    },
    Topic {
        name: "algorithms",
        about: "which digest to take",
        text: "\
  truesum list algorithms                   all of them, and what is known of their security
  truesum list algorithms --status secure   those whose equal digest nobody can forge
  truesum list algorithms NAME              one in full
  truesum identify DIGEST [FILE]            what a digest may be of

sha256   the default: everybody can check it, and most processors have instructions for it
blake3   the fastest that is secure, one large file on all cores too
sha512, sha3-256, blake2b ... by policy; sha256-tree, sha512-tree ... to know where damage is
xxh3, crc32, md5, sha1: against accident only. A check says so: not tamper-evident.

-a sha256,md5 computes both in one read. blake2b-256 and shake128-512 have a length, sha256-tree a tree, s3-etag;part=16MiB
the parts of an upload. Digests under a key: --key-file, and hmac-sha256, kmac256, blake3.
",
    },
    Topic {
        name: "trees",
        about: "where a large file is damaged, and how it is mended",
        text: "\
A plain digest of one file runs on one core and says yes or no. A tree digest runs on all cores and, if its tree is stored,
says which bytes are damaged: 32 bytes for each MiB of the file.

  truesum tree --save disk.img             the digest, and the tree in disk.img.ftr
  truesum tree verify disk.img.ftr         OFFSET LENGTH damaged, for each damaged range
  truesum check --locate SHA256SUMS        the same for files that fail a manifest
  truesum tree repair --from COPY disk.img.ftr
  truesum tree prove disk.img --range 1MiB..2MiB > proof
  truesum tree leaf disk.img --range 0..1TiB        a part, to be combined with those of other machines

The tree is judged before the file: a damaged tree is not held against the file. blake3 is a tree by itself, any other hash is one
by its name: sha256-tree. Those of mtsum, of S3 and of Glacier are trees too.
",
    },
    Topic {
        name: "signatures",
        about: "who made a manifest, and how that is verified",
        text: "\
Digests say that files are as listed, not who made the list: who can change the files may change it too. A signature of the
manifest says that, under a key that reached you by another way.

  truesum check --pubkey KEY.pub SHA256SUMS    minisign and signify: in the manifest, or in SHA256SUMS.minisig or .sig beside it
  truesum check --pubkey RWQ... SHA256SUMS     the same, by the text of the key
  truesum check --pubkey KEY.pub disk.iso.minisig    one file, without a manifest
  gpg --verify SHA256SUMS.asc SHA256SUMS       OpenPGP: .asc, .sig, .gpg, .sign
  ssh-keygen -Y verify -f SIGNERS -I WHO -n file -s SHA256SUMS.sig < SHA256SUMS

Without --pubkey a check verifies no signature, and says so of one that stands in the manifest or beside it. With it a manifest that
is not signed, or by another key, fails: exit status 1. truesum signs nothing.
",
    },
    Topic {
        name: "performance",
        about: "what makes a run slow, and what can be done",
        text: "\
  truesum bench limit DIR    is it the disk or the processor here? (packages have it; else build with --features full)
  truesum list kernels       what this processor runs
  truesum hash -v DIR        how fast it went

Many files are hashed side by side in SIMD registers, on all cores; nothing has to be asked for. One large file runs on one core,
unless its digest is a tree: blake3, sha256-tree.

- A disk that turns is slow if it has to look for several files at once: -j 1.
- Network file systems and cold solid-state disks like more readers than there are cores; they get them by themselves.
- A check that takes too long can be done in parts: truesum check --state S --max-bytes 200GiB M, a part a night.
- Several algorithms are cheaper in one read: -a sha256,md5. Without SHA instructions blake3 takes a fifth of the time of sha256.
- Files written within the last seconds are asked once more whether somebody writes to them.

Memory does not grow with files or their number. TRUESUM_KERNEL=NAME leaves only the kernels of that name, to measure or to find a
fault.
",
    },
];

/// The subject of this name, or the only one that begins so: `format`, `sign`.
pub fn find(name: &str) -> Option<&'static Topic> {
    /// Fewer letters are no word.
    const LEAST: usize = 4;
    let mut near = TOPICS.iter().filter(|topic| name.len() >= LEAST && topic.name.starts_with(name));
    TOPICS.iter().find(|topic| topic.name == name).or_else(|| near.next().filter(|_| near.next().is_none()))
}

/// Prints it.
pub fn run(topic: &Topic) -> Exit {
    print(&text(topic), &mut Console::new(Color::Auto))
}

fn text(topic: &Topic) -> String {
    let mut codes = String::new();
    for (code, meaning) in exit::codes("truesum").iter().chain([&exit::BY_SIGNAL]) {
        let mut line = format!("{code:<5}");
        for word in meaning.split(' ') {
            if line.chars().count() + 1 + word.chars().count() > 100 {
                let _ = writeln!(codes, "{line}");
                line = " ".repeat(5);
            }
            line += " ";
            line += word;
        }
        let _ = writeln!(codes, "{line}");
    }
    topic.text.replace("@CODES@\n", &codes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_no_commands_and_what_they_name_is_there() {
        let mut program = crate::command::definition();
        program.build();
        for topic in &TOPICS {
            assert!(program.find_subcommand(topic.name).is_none(), "{}", topic.name);
            let text = text(topic);
            assert!(text.len() > 500 && !text.contains('@'), "{}: {text}", topic.name);
            for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("truesum ")) {
                let command = line.split(' ').next().unwrap();
                let known = program.find_subcommand(command).is_some() || command == "bench";
                assert!(known, "{}: {line}", topic.name);
            }
        }
    }
}
