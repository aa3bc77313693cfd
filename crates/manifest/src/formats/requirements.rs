//! Requirements of pip with `--hash`: digests of archives that are not named.

use crate::format::{Claim, Format, Head, Holds, Reading, Sign, Writing};
use crate::scan;

pub(crate) static REQUIREMENTS: Format = Format {
    name: "pip",
    file_names: &["requirements.txt"],
    summary: "requirements of pip with --hash, which name no files: named, never read",
    holds: Holds::DIGESTS,
    sniff: |head: &Head<'_>| {
        let at = head.lines(b'\n').position(|line| {
            let line = scan::trim_start(line);
            line.starts_with(b"--hash=") && line.contains(&b':')
                || line.windows(9).any(|part| part == b" --hash=s")
                    && line.windows(2).any(|part| part == b"==")
        })?;
        Some(Claim { sign: Sign::Mark, at })
    },
    reading: Reading::Not(|_| {
        "these are requirements of pip; any of the digests may be the archive's, and no file is named: use 'pip download \
         --require-hashes'"
            .to_owned()
    }),
    writing: Writing::No,
    tagged: None,
};
