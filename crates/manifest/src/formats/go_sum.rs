//! `go.sum`: each digest covers the sorted list of a module's files, and does not belong to a
//! single file. The format is recognized, but not read.

use crate::format::{Claim, Format, Head, Reading, Sign};
use crate::scan;

pub(crate) static GO_SUM: Format = Format {
    name: "go-sum",
    file_names: &["go.sum"],
    summary: "go.sum: digests of Go modules, not of files; recognized, not read",
    sniff: |head: &Head<'_>| {
        let mut lines = head.lines(b'\n').filter(|line| !scan::is_empty(line)).peekable();
        let own = lines.peek().is_some() && lines.all(is_line);
        own.then_some(Claim { sign: Sign::Mark, at: 0 })
    },
    reading: Reading::Not(|_| {
        "this is a go.sum file, whose digests cover lists of module files, not single files; to verify the modules: go mod verify"
            .to_owned()
    }),
    ..Format::DEFAULT
};

fn is_line(line: &[u8]) -> bool {
    let (_, rest) = scan::word(line);
    let (version, sum) = scan::word(rest);
    version.starts_with(b"v") && sum.starts_with(b"h1:")
}
