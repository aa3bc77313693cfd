"""Rewrites within one tick of the clock for timestamps."""
import os, time
from files import MIB
from scenarios.changes import evaluate, change_during_run, two_contents


def coarse_stamps(lab, tally, folder, tick, rounds):
    """The common scenario: one byte is overwritten with the same value at the beginning of a tick of the file system's
    clock, the program is started, and the complete file is rewritten during the read, within the same tick."""
    path, words, size = os.path.join(folder, 'f'), ['hash', '-a', 'sha256'], (32 if tick > 0.1 else 8) * MIB
    (old, new), known, quiet = two_contents(lab, path, words, size)
    file = os.open(path, os.O_RDWR)
    latest = min(quiet * 0.8, tick * 0.6)
    for _ in lab.rounds(rounds):
        os.pwrite(file, old, 0)
        if tick < 0.1:
            begin = time.clock_gettime(5)                               # CLOCK_REALTIME_COARSE, the clock of the stamps
            while time.clock_gettime(5) == begin:
                pass
        else:
            time.sleep(tick - time.time() % tick + 0.005)
        os.pwrite(file, old[:1], 0)
        evaluate(tally, change_during_run(lab, path, words, lambda: os.pwrite(file, new, 0), 0.001, latest, stop=tick > 0.1), known)
    os.close(file)


def stamps_ext4(lab, tally):
    """ext4 with inodes of 128 bytes has timestamps in whole seconds: a rewrite within the second leaves them unchanged.
    Right: an error, a wait, or the digest of one content. Wrong: a digest of neither with exit status 0."""
    coarse_stamps(lab, tally, lab.mount('ext4', '-I', '128'), 1.0, 6)


def stamps_ext2(lab, tally):
    """The same on ext2, with the same outcomes."""
    coarse_stamps(lab, tally, lab.mount('ext2', '-I', '128'), 1.0, 6)


def stamps_ramfs(lab, tally):
    """The same on ramfs, whose timestamps tick with the kernel (1 to 10 ms) even on new kernels, with the same
    outcomes."""
    coarse_stamps(lab, tally, lab.mount('ramfs'), time.clock_getres(5), 150)
