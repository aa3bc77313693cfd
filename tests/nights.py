#!/usr/bin/env python3
"""Runs `truesum scrub --within N` every night on a tree that is edited and silently damaged, with clocks that are wrong, runs
that are killed, runs that overlap, and nights without a run. Checks that

- every damaged file is reported within N nights, and by every later run until it is restored or its entry is removed;
- the digests in the state and in the manifest of each folder are always those of the content that is known to be good;
- a run ends with exit status 1 if it reports a damaged file, and with 0 otherwise.

usage: tests/nights.py PROGRAM [--nights N] [--files N] [--within N] [--rounds N] [--seed N] [--work DIR]
"""
import argparse, collections, datetime, glob, hashlib, json, os, random, shutil, signal, subprocess, sys, tempfile, time
from kills import STEP, Fault, Tree

# What a user who edits files and sets them to earlier versions accepts. Nothing in it may accept damage.
POLICIES = ['new,modified,moved', 'new,modified,moved,restored,missing']
DAMAGE = ['flipped', 'truncated', 'emptied', 'grown', 'zeroed', 'renamed']
LIST = 'SHA256SUMS'
CLOCKS = ['1970-01-01 00:00:01', '2020-02-02 02:02:02', '2031-03-03 03:03:03', '2100-01-01 00:00:00']
FAKETIME = glob.glob('/usr/lib/*/faketime/libfaketime.so.1') + glob.glob('/usr/lib/faketime/libfaketime.so.1')


class Archive(Tree):
    def __init__(self, folder, files, rng, policy):
        super().__init__(folder, files, rng)
        self.policy, self.counts = policy, collections.Counter()
        # The content of good files that the last complete run has found.
        self.known = {}
        # Restored and removed files, which may be failures until a complete run.
        self.settling = set()

    def pick(self):
        """Returns a file that has not changed since the last complete run: a moved file that is also edited, or a new one that
        is damaged, cannot be recognized. A copy of a damaged file is left alone, because it counts as the moved file."""
        damaged = {self.good[name] for name in self.damaged}
        return self.rng.choice(sorted(name for name in self.good if self.good[name] not in damaged and self.is_known(name)))

    def is_known(self, name):
        return self.known.get(name) == self.stamp(name)

    def stamp(self, name):
        return self.good[name], os.stat(self.path(name)).st_mtime_ns

    def numbered(self, folder):
        self.next += 1
        os.makedirs(self.path(folder), exist_ok=True)
        return f'{folder}/{self.next}'

    def use(self):
        """Changes files as their owners do."""
        kinds = ['edit', 'new', 'copy', 'move', 'touch', 'folder']
        if 'missing' in self.policy:
            kinds += ['older', 'remove']
        for kind in self.rng.choices(kinds, k=self.rng.randrange(6)):
            self.counts[kind] += 1
            name = self.pick()
            if kind == 'edit':
                self.create(name, self.now())
            elif kind == 'older':
                self.create(name, OLDER + STEP * self.counts[kind])
            elif kind == 'new':
                self.create(self.numbered('new'), self.now())
            elif kind == 'copy':
                copy = self.numbered('copies')
                shutil.copyfile(self.path(name), self.path(copy))
                os.utime(self.path(copy), (self.now(),) * 2)
                self.good[copy] = self.good[name]
            elif kind == 'move':
                self.move(name, self.numbered('moved'))
            elif kind == 'touch':
                os.utime(self.path(name), (self.now(),) * 2)
            elif kind == 'remove':
                os.remove(self.path(name))
                del self.good[name]
                self.settling.add(name)
            else:
                self.move_folder(os.path.dirname(name), self.numbered('folders'))

    def move(self, name, moved):
        os.rename(self.path(name), self.path(moved))
        self.good[moved] = self.good.pop(name)

    def move_folder(self, folder, moved):
        names = [name for name in self.good if name.startswith(folder + '/')]
        damaged = {self.good[name] for name in self.damaged}
        if folder == 'carried' or any(self.good[name] in damaged or not self.is_known(name) for name in names):
            return
        os.rename(self.path(folder), self.path(moved))
        for name in names:
            self.good[moved + name.removeprefix(folder)] = self.good.pop(name)

    def damage(self):
        """Damages a file without a trace in its modification time. Returns its name."""
        kind, content = self.rng.choice(DAMAGE), b''
        self.counts[kind] += 1
        while not content:
            name = self.pick()
            with open(self.path(name), 'rb') as file:
                content = file.read()
        mtime = int(os.stat(self.path(name)).st_mtime)
        at = self.rng.randrange(len(content))
        damaged = {
            'truncated': content[:at],
            'emptied': b'',
            'grown': content + bytes(self.rng.randrange(1, 5000)),
            'zeroed': content[:at] + bytes(len(content) - at),
        }.get(kind, content)
        if damaged == content:
            damaged = self.flip(content)
        moved = self.numbered('carried') if kind == 'renamed' else None
        if moved:
            os.rename(self.path(name), self.path(moved))
        self.write(moved or name, damaged, mtime)
        self.damaged[name] = (content, mtime, moved)
        return name


# The modification times of earlier versions.
OLDER = 1_000_000_000


class Nights:
    def __init__(self, args, folder, rng, policy):
        self.program, self.folder, self.rng, self.within, self.policy = os.path.abspath(args.program), folder, rng, args.within, policy
        self.tree = Archive(os.path.join(folder, 'tree'), args.files, rng, policy)
        self.date = datetime.datetime(2026, 12, 1, 3)
        # Names of damaged files: the nights since the damage; and those that a run has reported.
        self.waiting, self.reported = {}, set()
        self.events, self.longest, self.read = collections.Counter(), 0, 0

    def start(self, clock, *args):
        environment = dict(os.environ)
        if FAKETIME:
            environment |= {'LD_PRELOAD': FAKETIME[0], 'FAKETIME': '@' + clock, 'NO_FAKE_STAT': '1', 'FAKETIME_DONT_FAKE_MONOTONIC': '1'}
        out = tempfile.TemporaryFile(dir=self.folder)
        errors = tempfile.TemporaryFile(dir=self.folder)
        command = [self.program, 'scrub', '--json', '--within', f'{self.within}d', '--accept', self.policy, '--write-manifests', LIST]
        command += [*args, 'tree']
        process = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=out, stderr=errors)
        process.out, process.errors, process.reported = out, errors, set(self.reported)
        return process

    def end(self, process):
        """Waits for a run, and checks its report. Returns whether it ran to its end."""
        code = process.wait()
        process.out.seek(0)
        process.errors.seek(0)
        # The last line of a killed run may be incomplete.
        rows, errors = [json.loads(line) for line in process.out.read().split(b'\n')[:-1]], process.errors.read()
        failures = set()
        for row in (row for row in rows if row['kind'] == 'file'):
            name = row['from']['path'] if row['standing'] == 'moved-modified' else row['path']
            is_failure = row['action'] in ('failed', 'still-failed')
            if is_failure and name in self.tree.settling:
                failures.add(name)
            elif is_failure != (name in self.tree.damaged):
                raise Fault(f'{row} of {"a damaged" if name in self.tree.damaged else "an intact"} file')
            elif is_failure:
                failures.add(name)
        if code in (0, 1):
            if code != bool(failures):
                raise Fault(f'exit status {code} with {len(failures)} failures: {errors}')
            if lost := process.reported - failures:
                raise Fault(f'failures are not reported again: {sorted(lost)}')
            self.read += rows[-1]['read']
        elif code != -signal.SIGKILL and (code != 2 or b'another run' not in errors):
            raise Fault(f'exit status {code}: {errors}')
        self.reported |= failures - self.tree.settling
        for name in failures & set(self.waiting):
            self.longest = max(self.longest, self.waiting.pop(name))
        return code in (0, 1)

    def command(self, *args):
        ran = subprocess.run([self.program, *args], cwd=self.folder, capture_output=True, text=True)
        if ran.returncode != 0:
            raise Fault(f'{args}: exit status {ran.returncode}: {ran.stderr}')
        return ran.stdout

    def operate(self):
        """Restores reported files, or accepts their content."""
        everything = self.rng.random() < 0.06
        for name in sorted(self.reported):
            choice = self.rng.random()
            if everything or choice < 0.08:
                self.tree.restore(name)
                if choice < 0.03:
                    os.utime(self.tree.path(name), (self.tree.now(),) * 2)
                self.tree.settling.add(name)
                self.event('restored')
            elif choice < 0.10 and not self.tree.damaged[name][2] and os.path.exists(self.tree.path(name)):
                self.command('scrub', '--forget', name, 'tree')
                with open(self.tree.path(name), 'rb') as file:
                    self.tree.good[name] = hashlib.sha256(file.read()).hexdigest()
                del self.tree.damaged[name]
                self.event('forgotten')
            else:
                continue
            self.reported.remove(name)

    def event(self, name):
        self.events[name] += 1
        return True

    def happens(self, name, probability):
        return self.rng.random() < probability and self.event(name)

    def night(self):
        self.date += datetime.timedelta(days=1)
        if self.tree.known:
            self.change()
        if self.tree.known and self.happens('without a run', 0.03):
            # The nights are counted in the state, so those without a run count only if the clock is right.
            return
        self.run()

    def change(self):
        self.waiting = {name: nights + 1 for name, nights in self.waiting.items()}
        self.operate()
        self.tree.use()
        if self.happens('touched', 0.1):
            self.tree.touch(self.reported)
        if self.happens('damaged', 0.2):
            self.waiting[self.tree.damage()] = 1

    def run(self):
        clock = self.date.strftime('%F %T')
        if FAKETIME and self.happens('wrong clock', 0.1):
            clock = self.rng.choice(CLOCKS)
        if self.happens('killed', 0.1):
            process = self.start(clock)
            time.sleep(self.rng.random() * 0.05)
            process.kill()
            self.end(process)
        if self.happens('stopped early', 0.1):
            self.end(self.start(clock, '--max-bytes', '1'))
        self.tree.settling.clear()
        runs = [self.start(clock) for _ in range(2 if self.happens('two at once', 0.1) else 1)]
        if not any([self.end(run) for run in runs]):
            raise Fault('both runs were refused')
        if len(self.reported) == 0:
            self.event('nights with exit status 0')
        text = self.command('convert', 'tree/.truesum-state', '-t', 'jsonl')
        entries = [json.loads(line) for line in text.splitlines()]
        recorded = {entry['path']: entry['digests']['sha256'] for entry in entries if 'path' in entry}
        lists = [name for name in recorded if os.path.basename(name) == LIST]
        for name in lists:
            del recorded[name]
        if recorded != self.tree.good:
            names = [name for name in {*recorded, *self.tree.good} if recorded.get(name) != self.tree.good.get(name)]
            raise Fault(f'the state has other digests than those of the good content: {sorted(names)[:10]}')
        for name in lists:
            self.check_list(os.path.dirname(name))
        intact = [name for name in self.tree.good if name not in self.tree.damaged]
        self.tree.known = {name: self.tree.stamp(name) for name in intact}
        late = [name for name, nights in self.waiting.items() if nights >= self.within]
        if late:
            raise Fault(f'not found within {self.within} nights: {late}')


    def check_list(self, folder):
        """Checks the manifest of a folder in which there are recorded files."""
        good = {os.path.basename(name): digest for name, digest in self.tree.good.items() if os.path.dirname(name) == folder}
        with open(self.tree.path(f'{folder}/{LIST}')) as file:
            listed = {name: digest for digest, name in (line.rstrip('\n').split('  ') for line in file)}
        if good and listed != good:
            raise Fault(f'{folder}/{LIST} has other digests than those of the good content')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].strip())
    parser.add_argument('program')
    parser.add_argument('--nights', type=int, default=180)
    parser.add_argument('--files', type=int, default=300)
    parser.add_argument('--within', type=int, default=30)
    parser.add_argument('--rounds', type=int, default=len(POLICIES))
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--work')
    args = parser.parse_args()
    for round_number in range(args.rounds):
        folder = tempfile.mkdtemp(prefix='truesum-nights.', dir=args.work)
        seed, policy = args.seed + round_number, POLICIES[round_number % len(POLICIES)]
        nights = Nights(args, folder, random.Random(seed), policy)
        night = 0
        try:
            for night in range(args.nights):
                nights.night()
        except Fault as fault:
            print(f'--seed {args.seed}, round {round_number}, night {night}: {fault}\nthe tree is in {folder}', file=sys.stderr)
            sys.exit(1)
        shutil.rmtree(folder)
        shown = ', '.join(f'{name} {count}' for name, count in sorted({**nights.events, **nights.tree.counts}.items()))
        print(f'{args.nights} nights accepting {policy}: all damage found, after at most {nights.longest} nights; {nights.read} files read ({shown})')
    if not FAKETIME:
        print('without wrong clocks, because libfaketime is not installed')


main()
