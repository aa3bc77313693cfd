"""The cost of depth, and memory limits."""
import os, random, tempfile
from files import MIB, deep, write
from outcomes import TooLong


def depth(lab, tally):
    """Chains of 2,000 and 8,000 folders with a file at the end. Right: four times the depth takes at most 4.5 times the
    peak memory and at most 6 times the processor time."""
    measured, memory = {}, lab.memory()             # on tmpfs, for it is there and gone at once
    for levels in (2000, 8000):
        top = tempfile.mkdtemp(dir=memory)
        lab.folders.insert(0, top)
        deep(top, levels)
        try:
            runs = [lab.measure('hash', '--progress=never', top) for _ in lab.rounds(3)]
        except TooLong:
            return tally.wrong('still running after 45 s', f'{levels} levels: still running after 45 s')
        measured[levels] = min(peak for peak, _ in runs), max(0.01, min(seconds for _, seconds in runs))
    (peak, seconds), (peak_of_longer, seconds_of_longer) = measured.values()
    summary = f'{peak / 1024:.1f} to {peak_of_longer / 1024:.1f} MiB ({peak_of_longer / peak:.1f} times), {seconds:.2f} to {seconds_of_longer:.2f} s of processor ({seconds_of_longer / seconds:.1f} times)'
    tally.expect(peak_of_longer <= 4.5 * peak, 'memory not linear', summary)
    tally.expect(seconds_of_longer <= 6 * seconds, 'time not linear', summary)
    tally.evidence = summary


def little_memory(lab, tally):
    """Limits of the address space (`ulimit -v`) from what the program needs to be loaded to 48 MiB more. Right: the
    same as without a limit, or one line that reports a lack of memory, no output that differs from that without a
    limit, and exit status 2 (1 as a drop-in replacement)."""
    write(lab.path('f'), random.randbytes(9 * MIB))
    os.mkdir(lab.path('m'))
    for number in range(60):
        write(lab.path(f'm/{number}'), random.randbytes(number * 2000))
    sparse = lab.path('sparse')
    write(sparse, b'')
    os.truncate(sparse, 3 * MIB)
    for name in ('sha256sum', 'b3sum'):
        os.symlink(lab.truesum, lab.path(name))
    lab.control('hash', '-o', lab.path('sums'), lab.path('m'), lab.path('f'))
    limited = lambda limit, *words: lab.run('-c', f'ulimit -v {limit} && exec "$@"', 'sh', *words, program='sh', cwd=lab.folder)
    minimum = next(limit for limit in range(1 << 10, 1 << 20, 512) if limited(limit, lab.truesum, '--version').code == 0)
    steps = [0, 64, 128, 256, 512, 768, 1024, 1536, 2048, 2560, 3072, 4096, 5120, 6144, 8192, 12288, 16384, 24576, 49152]
    for words in ([lab.truesum, 'hash', 'm', 'f'], [lab.truesum, 'hash', '-j', '8', 'm'], [lab.truesum, 'hash', '--tag', '-a', 'sha256,md5,blake3', 'f', 'sparse'],
                  [lab.truesum, 'check', 'sums'], [lab.truesum, 'tree', 'f'], ['./sha256sum', 'f', 'sparse'], ['./sha256sum', '-c', 'sums'], ['./b3sum', 'f']):
        unlimited, failed = limited(8 << 20, *words), 2 if words[0] == lab.truesum else 1
        tally.expect(unlimited.code == 0, 'no control', unlimited)
        for step in steps:
            run = limited(minimum + step, *words)
            summary = f'{os.path.basename(words[0])} {" ".join(words[1:])}: {minimum} + {step} KiB: {run}'
            if run.code == 0:
                tally.expect(run.out == unlimited.out, 'other output', summary)
            else:
                tally.expect(run.code == failed and b'memory' in run.err and run.err.count(b'\n') == 1, 'no message about memory', summary)
                tally.expect(step < 12288, 'more memory than it should need', summary)
