"""Two commands that write the same manifest at the same time."""
import os, random, shutil, time
from files import read, write

OLD = 1_600_000_000


def names_of(path):
    return sorted(line.split(b'  ', 1)[1].decode() for line in read(path).splitlines())


def concurrent_updates(lab, tally):
    """Two `update`s of one manifest, or an `update` and a `hash -o`, run at the same time over different folders.
    Right: if both exit with 0, the manifest has the entries of both; a run that fails has a message; the manifest always
    verifies. Wrong: an entry that a run with exit status 0 wrote is gone."""
    for number in lab.rounds(200):
        folder = lab.path('t')
        for name in ('base', 'x/a', 'x/b', 'x/c', 'y/d', 'y/e', 'y/f'):
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            write(path, name.encode() * 1000)
            os.utime(path, (OLD, OLD))
        lab.control('hash', '-q', '-o', 'SHA256SUMS', 'base', cwd=folder)
        first = ['update', 'SHA256SUMS', 'x'] if number % 2 else ['hash', '-o', 'SHA256SUMS', 'base', 'x']
        pair = [first, ['update', 'SHA256SUMS', 'y']]
        random.shuffle(pair)
        children = []
        for words in pair:
            children.append(lab.start(*words, cwd=folder))
            time.sleep(random.choice((0, 0, 0.001, 0.003)))
        runs = [lab.finish(child) for child in children]
        label = ' and '.join(words[0] for words in pair)
        listed, codes = names_of(os.path.join(folder, 'SHA256SUMS')), [run.code for run in runs]
        written = {'base'}
        for words, run in zip(pair, runs):
            if run.code == 0:
                written |= {'x/a', 'x/b', 'x/c'} if 'x' in words else {'y/d', 'y/e', 'y/f'}
            else:
                tally.expect(run.code in (1, 2) and run.err, 'failed without a message', f'{label}: {run}')
        # A `hash -o` that begins last replaces what an update added before it.
        if first[0] == 'hash':
            written -= {'y/d', 'y/e', 'y/f'}
        tally.expect(written <= set(listed), 'entry lost', f'{label}, exit {codes}: {sorted(written - set(listed))} not in the manifest')
        checked = lab.run('check', 'SHA256SUMS', cwd=folder)
        tally.expect(checked.code == 0, 'does not verify', f'{label}: {checked}')
        tally.missed('one run was refused') if any(codes) else tally.right('both exited with 0')
        shutil.rmtree(folder)
