//! `b3sum`: compared with b3sum itself where 1.2 and 1.8 agree, otherwise with a transcript of 1.8.

use crate::sandbox::{Sandbox, check_transcript, oracle};

#[test]
fn output_matches_b3sum() {
    let sandbox = Sandbox::new(["b3sum"]);
    let Some(original) = oracle("b3sum", "b3sum 1.") else { return };
    for command in [
        "b3sum",
        "b3sum -",
        "b3sum a b empty big",
        "b3sum -- [!c]*",
        "b3sum a folder nothing a/b loop gone b",
        "b3sum - -",
        "b3sum --no-names a b",
        "b3sum --raw a",
        "b3sum --no-mmap big a",
        "b3sum --num-threads 1 big a",
        "b3sum --num-threads 0 big a",
        "RAYON_NUM_THREADS=1 b3sum big a",
        "b3sum -l 1 a big",
        "b3sum -l 100 a big",
        "b3sum --length=100000 a big",
        "b3sum -l 0 a",
        "b3sum --derive-key context a big -",
        "b3sum --derive-key context -l 70 a",
        "head -c 32 big > .key; b3sum --keyed a big nothing < .key; b3sum --keyed -l 99 a < .key",
        "head -c 31 big | b3sum --keyed a",
        "head -c 33 big | b3sum --keyed a",
        "mkfifo p; (sleep 0.1; cat big > p) & b3sum a p; rm p",
        "b3sum a b big | b3sum -c",
        "b3sum a b big | b3sum --check --quiet",
        "b3sum -- *\\\\* line* | b3sum -c",
        "(b3sum a; printf '\\377\\n'; b3sum b) > .m; b3sum -c .m",
        "b3sum a > .m; b3sum b > .n; b3sum -c .m .n",
        "b3sum -c .m nothing .n",
        "b3sum -c folder",
        "b3sum -c empty",
    ] {
        sandbox.compare(&original, "C", command);
    }
}

#[test]
fn output_matches_newer_b3sum_releases() {
    let sandbox = Sandbox::new(["b3sum"]);
    check_transcript(&sandbox, include_str!("../../../../testdata/transcripts/b3sum-1.8.txt"), "C", "b3sum");
}

#[test]
fn closed_pipe_and_full_disk_do_not_panic() {
    let sandbox = Sandbox::new(["b3sum"]);
    let shown = sandbox.run(sandbox.links(), "C", "b3sum -l 1000000000000 a | head -c 64");
    assert_eq!((shown.stdout.len(), shown.stderr.as_str()), (64, ""));
    let shown = sandbox.run(sandbox.links(), "C", "b3sum a > /dev/full");
    assert_eq!(shown.stderr, "b3sum: write error: No space left on device\n");
    assert_eq!(shown.code, Some(1));
}
