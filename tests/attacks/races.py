#!/usr/bin/env python3
"""races - many rounds of each way in which a file can change while truesum reads it, on several file systems.  See
README.md.

usage: races.py TRUESUM [--rounds 2000] [--jobs 8] [--only NAME,...] [--on NAME,...] [--dir DIR]

attacks.py shows that each way is detected; this shows the long-term result. A file has two contents, before and after,
and one change leads from one to the other at a random moment of a run. If the change takes more than one system call,
the program is stopped in the meantime, so that it reads the old or the new content. Any other digest with exit status 0
is wrong, and one is enough. Mounts require root; a file system that cannot be mounted is reported and skipped.
"""
import argparse, collections, concurrent.futures, mmap, os, random, signal, subprocess, sys, tempfile, threading, time
from files import remove, write
from lab import HELPER_PATH, private_mounts

KIB, MIB = 1 << 10, 1 << 20


class Race:
    """A file with two contents, and the program that reads it."""

    def __init__(self, truesum, path, words, size, tick):
        self.truesum, self.path, self.words, self.size, self.tick = truesum, path, words, size, tick
        self.contents = [bytes([letter]) * size for letter in b'AB']
        self.known, self.now, times = {}, 0, []
        for content, name in zip(self.contents, ('before', 'after')):
            write(path, content)
            # Processes that are just being started hold copies of its descriptor.
            for _ in range(20):
                time.sleep(tick)
                start_time = time.monotonic()
                code, digest, err = self.end(self.begin())
                if code == 0:
                    break
            times.append(time.monotonic() - start_time)
            if code:
                raise SystemExit(f'a file at rest: exit {code}: {err.decode(errors="replace").strip()}')
            self.known[digest] = name
        self.quiet = min(times)
        write(path, self.contents[0])

    def ready(self):
        """Half of the rounds begin after a tick of the file system's clock, the others within the tick of the last
        write, for whose end the program waits. Returns how long that may take."""
        if random.random() < 0.5:
            time.sleep(self.tick)
            return self.quiet
        return self.quiet + self.tick

    def begin(self):
        return subprocess.Popen([self.truesum, *self.words, self.path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, child):
        out, err = child.communicate(timeout=60)
        return child.returncode, out.split(b' ')[0].strip().decode(), err

    @property
    def old(self):
        return self.contents[self.now]

    @property
    def new(self):
        return self.contents[1 - self.now]

    def swap(self):
        self.now = 1 - self.now

    def while_stopped(self, change):
        """Runs the program and makes `change` while it is stopped."""
        longest = self.ready()
        child = self.begin()
        time.sleep(random.uniform(0, longest * 0.9))
        child.send_signal(signal.SIGSTOP)
        change()
        child.send_signal(signal.SIGCONT)
        return self.end(child)


def rewrite(path, data, at=0):
    file = os.open(path, os.O_WRONLY)
    os.pwrite(file, data, at)
    os.close(file)


# ---------------------------------------------------------------- the races: each runs one round and returns its result

def one_write(race, longest=None):
    """Rewritten by one call during the read, by a process that opens it for that and closes it."""
    longest = longest or race.ready()
    child = race.begin()
    time.sleep(random.uniform(0, longest))
    rewrite(race.path, race.new)
    return race.end(child)


def same_tick(race):
    """The same, with a byte written just before the run, within one tick of the file system's clock."""
    longest = race.ready()
    rewrite(race.path, race.old[:1])
    return one_write(race, longest + race.tick * random.randrange(2))


def started_before(race):
    """The call begins before the file is opened and ends during the read or later; then the file is closed."""
    race.ready()
    writer = threading.Thread(target=rewrite, args=(race.path, race.new))
    writer.start()
    time.sleep(random.uniform(0, 0.004))
    result = race.end(race.begin())
    writer.join()
    return result


def mapped_before(race):
    """Pages that were mapped shared and dirty before the run are rewritten while the program is stopped; nothing is
    opened or closed."""
    with open(race.path, 'r+b') as file:
        mapping = mmap.mmap(file.fileno(), 0)
    mapping[:] = race.old

    def change():
        mapping[:] = race.new
    result = race.while_stopped(change)
    mapping.close()
    return result


def mapped_during(race):
    """Opened, mapped, rewritten, unmapped and closed while the program is stopped."""
    def change():
        with open(race.path, 'r+b') as file, mmap.mmap(file.fileno(), 0) as mapping:
            mapping[:] = race.new
    return race.while_stopped(change)


def time_restored(race):
    """Rewritten, and the modification time set back."""
    times = os.stat(race.path)

    def change():
        rewrite(race.path, race.new)
        os.utime(race.path, ns=(times.st_atime_ns, times.st_mtime_ns))
    return race.while_stopped(change)


def truncate_extend(race):
    """Truncated and extended again to its length with the other content."""
    def change():
        file = os.open(race.path, os.O_WRONLY)
        os.ftruncate(file, random.randrange(race.size))
        os.pwrite(file, race.new, 0)
        os.close(file)
    return race.while_stopped(change)


RACES = [one_write, same_tick, started_before, mapped_before, mapped_during, time_restored, truncate_extend]

# Name, type for mount(8), command that creates a disk of that type (or none if there is no disk), tick of its
# timestamps in seconds.
TICK = time.clock_getres(5)                         # CLOCK_REALTIME_COARSE
SYSTEMS = [('ext4', 'ext4', ['mke2fs', '-q', '-F', '-t', 'ext4', '-I', '256'], TICK), ('ext4-128', 'ext4', ['mke2fs', '-q', '-F', '-t', 'ext4', '-I', '128'], 1.0),
           ('ext2', 'ext2', ['mke2fs', '-q', '-F', '-t', 'ext2', '-I', '128'], 1.0), ('xfs', 'xfs', ['mkfs.xfs', '-q', '-f'], TICK),
           ('btrfs', 'btrfs', ['mkfs.btrfs', '-q', '-f'], TICK), ('fat', 'vfat', ['mkfs.vfat'], 2.0), ('exfat', 'exfat', ['mkfs.exfat'], TICK),
           ('tmpfs', 'tmpfs', None, TICK), ('ramfs', 'ramfs', None, TICK), ('overlay', 'overlay', None, TICK), ('fuse', 'bindfs', None, TICK),
           ('nfs', 'nfs', None, TICK)]

# Arguments and size: small files read at once, large ones mapped, pieces on all threads.
COMMANDS = [(['hash', '-a', 'crc32'], 4 * KIB), (['hash', '-a', 'sha256'], 200 * KIB), (['hash', '-a', 'sha256'], 6 * MIB),
            (['hash', '-a', 'blake3'], 6 * MIB), (['tree', '-j', '2'], 6 * MIB)]


def mount(folder, name, kind, options):
    """Mounts a new file system. `options` is the command that creates its disk, without the disk."""
    point = os.path.join(folder, name)
    os.mkdir(point)
    run = lambda *command: subprocess.run(command, capture_output=True, text=True, env=os.environ | {'PATH': HELPER_PATH})
    backing = os.path.join(folder, name + '.below')
    if options is not None:
        image = os.path.join(folder, name + '.image')
        write(image, b'')
        os.truncate(image, 4096 * MIB)
        done = run(*options, image)
        if done.returncode == 0:
            done = run('mount', '-o', 'loop', '-t', kind, image, point)
    elif kind == 'bindfs':
        # Mounts a FUSE file system that passes everything on to a folder.
        os.mkdir(backing)
        done = run('bindfs', backing, point)
    elif kind == 'overlay':
        layers = [os.path.join(backing, layer) for layer in ('lower', 'upper', 'work')]
        run('mkdir', '-p', backing)
        # On a separate file system, because overlays cannot be nested.
        run('mount', '-t', 'tmpfs', 'none', backing)
        run('mkdir', *layers)
        done = run('mount', '-t', kind, '-o', 'lowerdir=%s,upperdir=%s,workdir=%s' % tuple(layers), 'none', point)
    elif kind == 'nfs':
        os.mkdir(backing)
        run('exportfs', '-o', 'rw,no_root_squash,insecure,fsid=77', 'localhost:' + backing)
        done = run('mount', '-t', kind, 'localhost:' + backing, point)
    else:
        done = run('mount', '-t', kind, 'none', point)
    return point if done.returncode == 0 else print(f'{name:9} not mounted: {(done.stderr or done.stdout).strip().splitlines()[0]}', flush=True)


def classify(race, result, counts):
    code, digest, err = result
    if code == 0 and digest in race.known:
        counts[race.known[digest]] += 1
    elif code == 0:
        counts['WRONG'] += 1
        return f'exit 0 with {digest[:16]}'
    elif code == 1 and b'changed' in err.lower():
        counts['changed'] += 1
    else:
        counts['OTHER'] += 1
        return f'exit {code}: {err.decode(errors="replace").strip()[:200]}'


def main():
    parser = argparse.ArgumentParser(description='Many rounds of each race. Exit status 0: none went wrong.')
    parser.add_argument('truesum')
    parser.add_argument('--rounds', type=int, default=2000, help='of each race on each file system [2000]')
    parser.add_argument('--only', default=None, metavar='RACE,...', help=', '.join(race.__name__ for race in RACES))
    parser.add_argument('--on', default=None, metavar='SYSTEM,...', help=', '.join(row[0] for row in SYSTEMS))
    parser.add_argument('--dir', default=None)
    parser.add_argument('--jobs', type=int, default=8, metavar='N', help='files attacked at the same time [8]')
    options = parser.parse_args()
    private_mounts()
    folder, bad = tempfile.mkdtemp(prefix='races-', dir=options.dir), 0
    mounted = []
    try:
        for name, kind, mke2fs, tick in SYSTEMS:
            if options.on and name not in options.on.split(','):
                continue
            point = mount(folder, name, kind, mke2fs)
            if not point:
                continue
            mounted.append(point)
            for make in RACES:
                if options.only and make.__name__ not in options.only.split(','):
                    continue
                counts, first, start_time = collections.Counter(), [], time.monotonic()
                per_job = max(1, options.rounds // options.jobs // len(COMMANDS))

                def work(job):
                    for words, size in COMMANDS:
                        size = 24 * MIB if make is started_before and size > MIB else size
                        race = Race(os.path.abspath(options.truesum), os.path.join(point, f'f{job}'), words, size, tick)
                        for _ in range(per_job):
                            first.append(classify(race, make(race), counts))
                            race.swap()
                with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
                    list(pool.map(work, range(options.jobs)))
                first = next((proof for proof in first if proof), None)
                wrong = counts['WRONG'] + counts['OTHER']
                bad += wrong
                print(f'{name:9} {make.__name__:17} {"wrong" if wrong else "right":6} {time.monotonic() - start_time:6.1f} s  '
                      + ', '.join(f'{count} {kind}' for kind, count in counts.most_common()) + (f' | {first}' if first else ''), flush=True)
            subprocess.run(['umount', point], capture_output=True, env=os.environ | {'PATH': HELPER_PATH})
            mounted.remove(point)
    finally:
        for point in mounted:
            subprocess.run(['umount', '-l', point], capture_output=True, env=os.environ | {'PATH': HELPER_PATH})
        remove(folder)
    print(f'{bad} wrong')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
