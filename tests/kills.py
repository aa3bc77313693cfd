#!/usr/bin/env python3
"""Kills `truesum scrub` at random moments, on a tree that is edited and damaged between the runs, and checks that

- the state can be read after every kill, and the next run uses it;
- no failure that a run has reported is lost, until the file is restored;
- no damaged or missing file is ever accepted, whether it was also renamed or touched;
- a later run repeats at most a minute of the work of a killed one (SECONDS_LOST, with --slow).

usage: tests/kills.py PROGRAM [--kills N] [--files N] [--seed N] [--slow] [--work DIR]
"""
import argparse, hashlib, json, os, random, shutil, subprocess, sys, tempfile, time

# The specified interval between two writes of the state is 15 seconds; the rest is for a busy machine.
SECONDS_LOST = 25
# The modification times of the first files, and the seconds between later ones: not hours, which a wrong time zone explains.
OLD, STEP = 1_400_000_000, 100_003


class Tree:
    """The files of the tree, and what has been done to them."""

    def __init__(self, folder, files, rng):
        self.folder, self.rng, self.next, self.clock = folder, rng, files, OLD + files
        # What the state must contain, by name: the digest of the content that is known to be good.
        self.good = {}
        # Damaged and missing files by the name of their entry: what restores the file.
        self.damaged = {}
        for number in range(files):
            self.create(f'{number % 100:02}/{number}', OLD + number)

    def path(self, name):
        return os.path.join(self.folder, name)

    def create(self, name, mtime):
        content = self.rng.randbytes(self.rng.randrange(100, 3000))
        self.write(name, content, mtime)
        self.good[name] = hashlib.sha256(content).hexdigest()

    def write(self, name, content, mtime):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'wb') as file:
            file.write(content)
        os.utime(self.path(name), ns=(mtime * 10**9, mtime * 10**9))

    def now(self):
        self.clock += STEP
        return self.clock

    def pick(self):
        return self.rng.choice([name for name in self.rng.sample(sorted(self.good), 50) if name not in self.damaged])

    def change(self):
        """Makes one change of each kind that users and disks make."""
        # First, because a file that is also edited or moved before the next run cannot be recognized.
        self.next += 1
        kind = self.rng.randrange(4)
        name = self.pick()
        with open(self.path(name), 'rb') as file:
            content = file.read()
        mtime = int(os.stat(self.path(name)).st_mtime)
        self.damaged[name] = (content, mtime, None)
        if kind == 0:  # Removed.
            os.remove(self.path(name))
        elif kind == 1:  # Damaged while its folder was renamed.
            moved = f'carried/{self.next}'
            self.write(moved, self.flip(content), mtime)
            os.remove(self.path(name))
            self.damaged[name] = (content, mtime, moved)
        else:
            self.write(name, self.flip(content), mtime)
        name, moved, edited = self.pick(), f'moved/{self.next}', self.pick()
        if edited != name:
            self.create(edited, self.now())
        self.create(f'new/{self.next}', self.now())
        os.makedirs(self.path('moved'), exist_ok=True)
        os.rename(self.path(name), self.path(moved))
        self.good[moved] = self.good.pop(name)

    def flip(self, content):
        at = self.rng.randrange(len(content))
        return content[:at] + bytes([content[at] ^ 1 << self.rng.randrange(8)]) + content[at + 1:]

    def touch(self, reported):
        """Touches a damaged file that a run has reported."""
        names = sorted(name for name in self.damaged if name in reported)
        if names:
            name = self.rng.choice(names)
            content, mtime, moved = self.damaged[name]
            if moved:
                # Nothing shows any more that it is the damaged file, so it counts as new. The entry must remain a failure.
                with open(self.path(moved), 'rb') as file:
                    self.good[moved] = hashlib.sha256(file.read()).hexdigest()
                self.damaged[name] = (content, mtime, None)
            if os.path.exists(self.path(moved or name)):
                os.utime(self.path(moved or name), (self.now(),) * 2)

    def restore(self, name):
        content, mtime, moved = self.damaged.pop(name)
        if moved:
            os.remove(self.path(moved))
        self.write(name, content, mtime)


class Fault(Exception):
    pass


def lines(path):
    """Returns the objects in the complete lines of a file."""
    with open(path, 'rb') as file:
        return [json.loads(line) for line in file.read().split(b'\n')[:-1]]


class Check:
    def __init__(self, program, folder, tree):
        self.program, self.folder, self.tree = program, folder, tree
        self.out = os.path.join(folder, 'out')
        # The entries whose failures were reported and are still open.
        self.reported = set()

    def call(self, *args):
        ran = subprocess.run([self.program, *args], cwd=self.folder, capture_output=True, text=True)
        if ran.returncode not in (0, 1):
            raise Fault(f'{args}: exit status {ran.returncode}: {ran.stderr}')
        return ran

    def start(self, *args):
        with open(self.out, 'wb') as out:
            return subprocess.Popen([self.program, 'scrub', '--all', '--json', *args, 'tree'], cwd=self.folder, stdout=out, stderr=subprocess.DEVNULL)

    def read_report(self):
        """Checks what a run has reported."""
        for row in lines(self.out):
            if row['kind'] != 'file':
                continue
            entry = row.get('from', {}).get('path', row['path']) if row['standing'] == 'moved-modified' else row['path']
            is_failure = row['action'] in ('failed', 'still-failed')
            if entry in self.tree.damaged and not is_failure:
                raise Fault(f'a damaged file was accepted: {row}')
            if is_failure and entry not in self.tree.damaged:
                raise Fault(f'an intact file failed: {row}')
            if is_failure:
                self.reported.add(entry)

    def read_state(self, is_complete):
        """Checks the failures and the digests in the state."""
        status = json.loads(self.call('scrub', '--status', '--json', 'tree').stdout)
        failures = {failure['path'] for failure in status['failures']}
        if lost := self.reported - failures:
            raise Fault(f'reported failures were lost: {sorted(lost)}')
        if unknown := failures - set(self.tree.damaged):
            raise Fault(f'failures of intact files: {sorted(unknown)}')
        if not is_complete:
            return
        if unnoticed := set(self.tree.damaged) - failures:
            raise Fault(f'a complete run did not find: {sorted(unnoticed)}')
        text = self.call('convert', 'tree/.truesum-state', '-t', 'jsonl').stdout
        entries = [json.loads(line) for line in text.splitlines()]
        recorded = {entry['path']: entry['digests']['sha256'] for entry in entries if 'path' in entry}
        if recorded != self.tree.good:
            differing = [name for name in {*recorded, *self.tree.good} if recorded.get(name) != self.tree.good.get(name)]
            raise Fault(f'the state has other entries than the tree: {sorted(differing)[:10]}')


def kills(check, count, rng):
    tree = check.tree
    check.call('scrub', '-q', 'tree')
    check.read_state(True)
    began = time.monotonic()
    check.start().wait()
    duration, killed, done = time.monotonic() - began, 0, 0
    while killed < count:
        tree.change()
        if rng.random() < 0.3:
            tree.touch(check.reported)
        # Several kills of runs on the same tree, and then a run that ends.
        for _ in range(rng.randrange(1, 6)):
            process = check.start()
            time.sleep(rng.random() * duration * 1.2)
            process.kill()
            killed += process.wait() < 0
            check.read_report()
            check.read_state(False)
        code = check.start().wait()
        if code != 1:
            raise Fault(f'exit status {code} with damaged files')
        check.read_report()
        check.read_state(True)
        done += 1
        if len(tree.damaged) > 40 or rng.random() < 0.1:
            for name in list(tree.damaged):
                tree.restore(name)
            check.reported.clear()
            if (code := check.start().wait()) != 0:
                raise Fault(f'exit status {code} without damaged files')
            check.read_report()
            check.read_state(True)
    print(f'{killed} of {killed + done} runs were killed: no failure lost, no damaged file accepted')


def repeated_work(check):
    """Kills a run that reads slowly, and checks how much of its work is in the state."""
    shutil.rmtree(check.tree.folder)
    tree = Tree(check.tree.folder, 2000, random.Random(1))
    total = sum(os.path.getsize(tree.path(name)) for name in tree.good)
    check.call('hash', '-q', '-o', 'list.jsonl', 'tree')
    check.call('scrub', '-q', '--import', 'list.jsonl', 'tree')
    seconds = 60
    process = check.start('--rate', str(total // (2 * seconds)), '-j1')
    time.sleep(seconds)
    process.kill()
    process.wait()
    status = json.loads(check.call('scrub', '--status', '--json', 'tree').stdout)
    never = sum(age['bytes'] for age in status['ages'] if age['never'])
    lost = seconds - (total - never) / (total / (2 * seconds))
    if lost > SECONDS_LOST:
        raise Fault(f'{lost:.0f} seconds of work were lost')
    print(f'a run killed after {seconds} seconds lost {lost:.0f} seconds of its work')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].strip())
    parser.add_argument('program')
    parser.add_argument('--kills', type=int, default=500)
    parser.add_argument('--files', type=int, default=20_000)
    parser.add_argument('--seed', type=int, default=random.randrange(1 << 32))
    parser.add_argument('--slow', action='store_true')
    parser.add_argument('--work')
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix='truesum-kills.', dir=args.work)
    rng = random.Random(args.seed)
    check = Check(os.path.abspath(args.program), folder, Tree(os.path.join(folder, 'tree'), args.files, rng))
    try:
        kills(check, args.kills, rng)
        if args.slow:
            repeated_work(check)
    except Fault as fault:
        print(f'seed {args.seed}: {fault}\nthe tree is in {folder}', file=sys.stderr)
        sys.exit(1)
    shutil.rmtree(folder)


if __name__ == '__main__':
    main()
