"""Manifests are written atomically, and read back as they were written."""
import json, os, random, signal, tempfile, time
from files import deep, read, write


def old_manifest(lab, tally):
    """`hash -o good.sums` with a name that does not exist, with an empty folder and with nothing readable, if a good
    manifest exists. Right: a nonzero exit status, and the old manifest byte for byte."""
    target = lab.path('good.sums')
    write(lab.path('f'), b'data\n')
    os.mkdir(lab.path('empty'))
    os.mkdir(lab.path('folder'))
    os.symlink('nowhere', lab.path('folder/dangling'))
    lab.control('hash', '-o', target, lab.path('f'))
    good = read(target)
    for names in (['missing'], ['f', 'missing'], ['empty'], ['folder'], ['empty', 'missing']):
        write(target, good + b'# old\n')
        run = lab.run('hash', '-o', target, *map(lab.path, names))
        same, label = read(target) == good + b'# old\n', f'hash -o good.sums {" ".join(names)}'
        tally.expect(same, 'old manifest lost', f'{label}: exit {run.code}, old manifest replaced by {len(read(target))} bytes')
        tally.expect(run.code, 'exit 0', f'{label}: {run}')


def leftovers(lab, tally):
    """SIGKILL, SIGTERM and SIGHUP during `hash -o M .`, SIGKILL 40 times. Right: M is the old manifest or the complete
    new one; after that, `hash -o M .` includes no temporary file."""
    folder = os.path.join(lab.memory(), 't')
    os.makedirs(os.path.join(folder, 'sub'))
    for number in range(2000):
        write(os.path.join(folder, 'sub', f'{number:05}'), os.urandom(3000))
    quiet = lab.control('hash', '--overwrite', '-o', 'M', '.', cwd=folder).seconds
    manifest = os.path.join(folder, 'M')
    new, old = read(manifest), b'an old manifest\n'
    for number in lab.rounds(60):
        write(manifest, old)
        child = lab.start('hash', '--overwrite', '-o', 'M', '.', cwd=folder)
        time.sleep(random.uniform(0, quiet))
        child.send_signal(signal.SIGKILL if number % 3 else random.choice((signal.SIGTERM, signal.SIGHUP)))
        run = lab.finish(child)
        now = read(manifest)
        # A leftover file in the manifest is evaluated below, once.
        sound = now == old or now == new or run.code == 0 and set(new.splitlines()) <= set(now.splitlines())
        tally.expect(sound, 'manifest broken', f'{len(now)} bytes, exit {run.code}')
    left = sorted(set(os.listdir(folder)) - {'M', 'sub'})
    run = lab.run('hash', '--overwrite', '-o', 'M', '.', cwd=folder)
    listed = [line for line in read(manifest).splitlines() if line not in new.splitlines()]
    tally.expect(not listed, 'temporary files listed as content', f'{len(left)} left behind, {len(listed)} listed: {listed[0][66:].decode() if listed else ""}')
    tally.expect(run.code == 0, 'no manifest afterwards', run)


def round_trip(lab, tally):
    """For every algorithm of `list algorithms`: `hash -a ALGORITHM -o sums a b`, then `check sums`. Right: everything
    is verified, or -o fails with a message and writes nothing. Wrong: FAILED, a malformed line, or no message. A
    sampled digest is verified only if it is requested by name, and rejected otherwise."""
    write(lab.path('a'), random.randbytes(70001))
    write(lab.path('b'), b'')
    write(lab.path('c d'), b'123456789')
    rows = [json.loads(line) for line in lab.control('list', 'algorithms', '--json').out.splitlines()]
    for name, sampled in ((row['name'], row['status'] == 'sampled') for row in rows):
        for style in ([], ['--tag']):
            sums = lab.path(f'sums-{len(os.listdir(lab.folder))}')
            made = lab.run('hash', '-a', name, *style, '-o', sums, *map(lab.path, ('a', 'b', 'c d')))
            label = ' '.join(['-a', name, *style])
            if made.code:
                tally.expect(made.code > 0 and made.err and not os.path.exists(sums), 'wrong refusal', f'{label}: {made}')
                continue
            checked = lab.run('check', '--allow-weak', sums)
            if sampled:
                tally.expect(checked.code == 2 and b'OK' not in checked.out, 'samples verified unasked', f'{label}: {checked}')
                checked = lab.run('check', '-a', name, sums)
            elif checked.code:
                checked = lab.run('check', sums)
            verified = sum(line.endswith(b': OK') for line in checked.out.splitlines())
            tally.expect(checked.code == 0 and verified == 3, 'written and not verified', f'{label}: {read(sums).split(b" ")[0][:20].decode()}: {checked}')


def deep_round_trip(lab, tally):
    """`hash -o M .` of trees so deep that names have 3, 12, 30, 60 and 100 KB, then `check M`. Right: check verifies
    what -o writes, or -o fails with exit status 1 and a message and the name is not in M."""
    memory = lab.memory()                           # on tmpfs, for it is there and gone at once
    for levels, name in ((60, 'd' * 200), (150, 'd' * 200), (300, 'd' * 200), (400, 'd' * 250), (1500, 'd')):
        folder = tempfile.mkdtemp(dir=memory)
        deep(folder, levels, name)
        write(os.path.join(folder, 'shallow'), b'shallow\n')
        made = lab.run('hash', '-o', 'M', '.', cwd=folder)
        lines = len(read(os.path.join(folder, 'M')).splitlines()) if os.path.exists(os.path.join(folder, 'M')) else 0
        label = f'a name of {levels * (len(name) + 1) + 6} bytes'
        if made.code == 0 or lines:
            checked = lab.run('check', 'M', cwd=folder)
            tally.expect(checked.code == 0 and (made.code != 0 or lines == 2), 'written and not read', f'{label}: check: {checked}')
        else:
            tally.expect(made.code in (1, 2) and made.err, 'wrong refusal', f'{label}: {made}')
        lab.tool('rm', '-rf', folder)
