"""Stored trees: resumed after a change, used for repairs from a copy that changes, and damaged."""
import os, random, signal, time
from files import MIB, read, write
from outcomes import ControlFailed

SLOW_TREE = ['-a', 'whirlpool-tree', '-j', '1']


def same_size_change(path):
    """Changes the first MiB and sets the modification time back."""
    times = os.stat(path)
    with open(path, 'r+b') as file:
        start = file.read(MIB)
        file.seek(0)
        file.write(bytes(255 - byte for byte in start))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def interrupted(lab, words, seconds):
    """Begins a run and interrupts it. Returns its output."""
    child = lab.start(*words)
    time.sleep(seconds)
    child.send_signal(signal.SIGINT)
    return lab.finish(child)


def resume_build(lab, tally):
    """`tree --save` is interrupted; what it has read is changed with the same size and the modification time set back
    (the change time cannot be); `tree --save --resume` continues. Right: it starts over or fails. Wrong: a digest and a
    stored tree of neither content, with exit status 0."""
    path = lab.path('f')
    for number in lab.rounds(2):
        write(path, os.urandom(64 * MIB))
        quiet = lab.control('tree', *SLOW_TREE, path).seconds
        interrupted_build = interrupted(lab, ['tree', '--save', *SLOW_TREE, path], quiet * 0.6)
        if interrupted_build.code == 0:
            tally.missed('not interrupted in time')
            os.unlink(path + '.ftr')
            continue
        same_size_change(path)
        resumed = lab.run('tree', '--save', '--resume', *SLOW_TREE, path)
        truth = lab.control('tree', *SLOW_TREE, path)
        if resumed.code == 0:
            tally.expect(resumed.digest == truth.digest, 'digest of neither content, exit 0',
                         f'{resumed.digest[:16]}, the file has {truth.digest[:16]}; resumed in {resumed.seconds:.1f} of {quiet:.1f} s')
        else:
            tally.expect(resumed.code in (1, 2) and resumed.err, 'wrong exit status or no message', resumed)
        for name in os.listdir(lab.folder):
            os.unlink(lab.path(name))


def resume_verify(lab, tally):
    """`tree verify --resume` is interrupted; what it has found good is damaged with the same size and the modification
    time set back; it continues. Right: the damage is found, or it fails. Wrong: the file is reported as good."""
    path = lab.path('f')
    for number in lab.rounds(2):
        write(path, os.urandom(64 * MIB))
        lab.control('tree', '--save', *SLOW_TREE, path)
        words = ['tree', 'verify', '-j', '1', '--resume', path + '.ftr']
        quiet = lab.control(*words).seconds
        interrupted_build = interrupted(lab, words, quiet * 0.6)
        if interrupted_build.code == 0:
            tally.missed('not interrupted in time')
        else:
            same_size_change(path)
            resumed = lab.run(*words)
            tally.expect(resumed.code in (1, 2), 'a damaged file is called good', resumed)
        for name in os.listdir(lab.folder):
            os.unlink(lab.path(name))


def repair_moving(lab, tally):
    """`tree repair` repairs one damaged byte from a copy whose second half changes during the read. Right: no byte is
    written that does not match the tree: every 4 KiB block of the target is unchanged or correct."""
    folder = lab.memory()
    path, copy, size = os.path.join(folder, 'f'), os.path.join(folder, 'copy'), 64 * MIB
    good = random.randbytes(size)
    evil = bytes(255 - byte for byte in good[:4096]) * (size // 8192)
    damaged = bytearray(good)
    damaged[100] ^= 1
    write(path, good)
    write(copy, good)
    lab.control('tree', '--save', '--granule', '64MiB', path)
    words = ['tree', 'repair', '--from', copy, path + '.ftr', path]
    write(path, damaged)
    quiet = lab.control(*words).seconds
    if read(path) != good:
        raise ControlFailed('a file was not repaired from a copy at rest')
    for _ in lab.rounds(40):
        write(path, damaged)
        write(copy, good)
        with open(copy, 'r+b', buffering=0) as file:
            child = lab.start(*words)
            time.sleep(random.uniform(quiet * 0.3, quiet))
            os.pwrite(file.fileno(), evil, size // 2)
            run = lab.finish(child)
        now = read(path)
        if now == good:
            tally.right('repaired')
        elif now == damaged:
            tally.right('left as it was')
        else:
            blocks = sum(now[at:at + 4096] not in (good[at:at + 4096], damaged[at:at + 4096]) for at in range(0, size, 4096))
            if blocks:
                tally.wrong('wrong bytes written', f'{blocks} good blocks of 4 KiB overwritten with wrong bytes; {run}')
            else:
                tally.right('partly repaired')


def damaged_trees(lab, tally):
    """Stored trees are truncated, extended and have bits flipped, and are used with little address space. Right: exit
    status 2 or 1; never 0, a crash or a hang."""
    path = os.path.join(lab.memory(), 'f')
    write(path, random.randbytes(3 * MIB + 777))
    lab.control('tree', '--save', '--granule', '64KiB', path)
    tree = read(path + '.ftr')
    lab.control('tree', 'verify', path + '.ftr')
    limit = ['sh', '-c', 'ulimit -v 1048576; exec "$0" "$@"']
    for number in lab.rounds(300):
        bad = bytearray(tree)
        if number % 3 == 0:
            del bad[random.randrange(len(bad)):]
        elif number % 30 == 1:
            bad += bytes(random.choice((1, 32, 4096)))
        else:
            bit = random.randrange(192 * 8 if number % 3 == 1 else len(bad) * 8)
            bad[bit // 8] ^= 1 << bit % 8
        write(path + '.ftr', bad)
        run = lab.run(*limit[1:], lab.truesum, 'tree', 'verify', path + '.ftr', program=limit[0])
        tally.expect(run.code in (1, 2) and b'panicked' not in run.err, 'a damaged tree was accepted, or worse', run)
