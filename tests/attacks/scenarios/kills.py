"""Commands that write files, killed at a system call chosen at random."""
import collections, os, random, re, shutil, signal
from files import read, write
from outcomes import ControlFailed, NotApplicable

LETTERS, OLD = 'abcde', 1_600_000_000
MANIFEST = 't/SHA256SUMS'

VERIFY = ['check', MANIFEST]

# Name, arguments, the command that verifies what was written.
COMMANDS = [
    ('update', ['update', MANIFEST], VERIFY),
    ('hash -o', ['hash', '-o', MANIFEST, 't'], VERIFY),
    ('convert -o', ['convert', MANIFEST, '-t', 'bsd', '-o', MANIFEST], VERIFY),
    ('hash --sidecar', ['hash', '--sidecar', 't'], ['check', '-r', 't']),
    ('tree --save', ['tree', '--save', 't/a'], ['tree', 'verify', 't/a.ftr']),
    ('check --state', ['check', '--state', 't/state', '--max-bytes', '150', MANIFEST], VERIFY),
    ('bag create --in-place', ['bag', 'create', '--in-place', 't'], ['check', 't']),
    ('check --rename-to-match', ['check', '--search', '--rename-to-match', '--yes', MANIFEST], VERIFY),
]
# Calls that start or end the process, manage memory or wait. Being killed there does not affect files.
UNRELATED = re.compile('exec|exit|brk|mmap|munmap|mremap|mprotect|madvise|sig|arch_prctl|set_|rseq|getrandom|prlimit|futex|sched|clone|nanosleep|poll|epoll')


def prepare(lab, name):
    """Creates a folder with five files in a manifest and one that is not. For a rename, two files have other names
    instead."""
    folder = lab.path('t')
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(lab.path('origin'), folder)
    if 'rename' in name:
        os.rename(os.path.join(folder, 'a'), os.path.join(folder, 'y'))
        os.rename(os.path.join(folder, 'b'), os.path.join(folder, 'z'))
    else:
        write(os.path.join(folder, 'new'), b'new\n')
        os.utime(os.path.join(folder, 'new'), (OLD, OLD))


def snapshot(lab):
    """Returns every file of the folder and its content. For trees and states, which contain times and inode numbers,
    only the names."""
    top, files = lab.path('t'), {}
    for folder, _, names in os.walk(top):
        for path in (os.path.join(folder, name) for name in names):
            files[os.path.relpath(path, top)] = b'written' if path.endswith(('.ftr', '/state')) else read(path)
    return files


def traced_calls(lab, words):
    """Runs a command under strace. Returns how often it makes each system call that may affect files."""
    log = lab.path('log')
    lab.run('-f', '-o', log, lab.truesum, *words, program='strace', cwd=lab.folder)
    names = re.findall(r'^\d+ +(\w+)\(', read(log).decode(errors='replace'), re.MULTILINE)
    return {name: count for name, count in collections.Counter(names).items() if not UNRELATED.search(name)}


def killed_writers(lab, tally):
    """Commands that write manifests, sidecars, trees, states and bags or rename files are ended by SIGKILL or SIGTERM at a
    system call chosen at random.
    Right: every file has its old bytes or its new ones, no content is lost, SIGTERM leaves no temporary file, and the same
    command run again completes. Exit status 0 only if everything was written."""
    if not shutil.which('strace'):
        raise NotApplicable('no strace')
    os.mkdir(lab.path('origin'))
    for letter in LETTERS:
        write(lab.path('origin/' + letter), letter.encode() * 100)
        os.utime(lab.path('origin/' + letter), (OLD, OLD))
    lab.control('hash', '-q', '-o', lab.path('origin/SHA256SUMS'), lab.path('origin'))
    probe = lab.run('-f', '-o', lab.path('log'), 'true', program='strace')
    if probe.code:
        raise NotApplicable(f'strace: {probe}')
    references = {}
    for name, words, verify in COMMANDS:
        prepare(lab, name)
        old, calls = snapshot(lab), traced_calls(lab, words)
        new = snapshot(lab)
        if new == old:
            raise ControlFailed(f'{name}: writes nothing')
        lab.control(*verify, cwd=lab.folder)
        references[name] = old, new, calls
    for number in lab.rounds(400):
        name, words, verify = COMMANDS[number % len(COMMANDS)]
        old, new, calls = references[name]
        prepare(lab, name)
        call, sent_signal = random.choice(sorted(calls)), random.choice((signal.SIGKILL, signal.SIGTERM))
        when = random.randint(1, calls[call])
        run = lab.run('-f', '-o', os.devnull, '-e', f'inject={call}:signal={sent_signal.name}:when={when}', lab.truesum, *words, program='strace',
            cwd=lab.folder)
        label, now = f'{name}, {sent_signal.name} at {call} {when}', snapshot(lab)
        if run.code is None:
            tally.wrong('hung', label)
            continue
        if run.code in (0, 1):
            tally.missed('ended before the signal')
        evaluate_files(tally, label, run, old, new, now, sent_signal)
        if 'a.ftr' in now:
            verified = lab.run(*verify, cwd=lab.folder)
            tally.expect(verified.code == 0, 'neither the old bytes nor the new ones', f'{label}: {verified}')
        again = lab.run(*words, cwd=lab.folder)
        # A renaming check reports with 1 what it found under other names. A complete bag is refused.
        accepted = again.code == 0 or 'rename' in name and again.code == 1 or 'bag' in name and now == new
        tally.expect(accepted, 'the command run again fails', f'{label}: {again}')
        final = snapshot(lab)
        missing = [path for path in new if final.get(path) != new[path]]
        tally.expect('a.ftr.part' not in final, 'unfinished tree left by a complete run', label)
        tally.expect(not missing, 'not completed when run again', f'{label}: {" ".join(missing)}')
        verified = lab.run(*verify, cwd=lab.folder)
        tally.expect(verified.code == 0, 'does not verify afterwards', f'{label}: {verified}')


def evaluate_files(tally, label, run, old, new, now, sent_signal):
    """Evaluates the files that a killed run left behind."""
    broken = [path for path in now if (path in old or path in new) and now[path] not in (old.get(path), new.get(path))]
    tally.expect(not broken, 'neither the old bytes nor the new ones', f'{label}: {" ".join(broken)}')
    contents = set(now.values())
    missing = [path for path, data in old.items() if path != 'SHA256SUMS' and data not in contents]
    tally.expect(not missing, 'content lost', f'{label}: {" ".join(missing)}')
    if sent_signal == signal.SIGTERM:
        # An unfinished tree and the declaration of an unfinished bag are kept, because the next run resumes from them.
        extra = sorted(set(now) - set(old) - set(new) - {'a.ftr.part', '.truesum-bagit.txt', '.truesum-tagmanifest-sha512.txt'})
        tally.expect(not extra, 'temporary file left by SIGTERM', f'{label}: {" ".join(extra)}')
    if run.code == 0:
        tally.expect(now == new, 'exit 0 and not complete', label)
