"""Outputs that lead to a file that the same run reads."""
import os, random, shutil
from files import read, write
from outcomes import ControlFailed, NotApplicable

OLD = 1_600_000_000
CONTENTS = {'a': b'a' * 30, 'b': b'b' * 30, 'c': b'c' * 30}

# Arguments that end where the name of the output follows, and the files to try as the output.
CASES = [
    (['hash', 'f', '-o'], ['f/a', 'f/b', 'f/.gitignore']),
    (['hash', 'f/a', '-o'], ['f/a']),
    (['hash', '--files-from', 'list', '-o'], ['list', 'f/a']),
    (['hash', '--files0-from', 'list0', '-o'], ['list0', 'f/a']),
    (['hash', '-a', 'hmac-sha256', '--key-file', 'key', 'f', '-o'], ['key', 'f/a']),
    (['text', '--lines', 'lines', '-o'], ['lines']),
    (['hash', '--gitignore', 'f', '-o'], ['f/.gitignore', 'f/a']),
    (['hash', '-z', 'f', '-o'], ['f/a']),
    (['hash', '--raw', 'f/a', '-o'], ['f/a', 'f/b', 'key']),
    (['hash', '--newer', 'since', 'f', '-o'], ['since']),
    (['hash', '-t', 'torrent', 'f', '-o'], ['f/a']),
    (['hash', '--json', 'f', '-o'], ['f/a']),
    (['hash', '--format-string', '%p\\n', 'f', '-o'], ['f/a']),
    (['convert', 'M.jsonl', '--lossy', '-t', 'bsd', '-o'], ['f/a', 'f/b']),
    (['check', 'SHA256SUMS', '--html'], ['SHA256SUMS', 'f/a', 'state', 'M.jsonl', 'copy']),
    (['check', 'SHA256SUMS', '--state'], ['SHA256SUMS', 'f/a', 'page.html', 'copy']),
    (['check', '--key-file', 'key', '-a', 'hmac-sha256', 'SHA256SUMS', '--html'], ['key']),
    (['check', '--locate', 'SHA256SUMS', '--map-html'], ['SHA256SUMS', 'f/a', 'f/a.ftr']),
    (['check', '--locate', 'f/b.obao4', '--map-html'], ['f/b.obao4', 'f/b']),
    (['audit', 'SHA256SUMS', 'f', '--html'], ['SHA256SUMS', 'f/a']),
    (['audit', '-k', 'set', 'f', '--html'], ['set', 'f/a']),
    (['tree', 'verify', 'f/a.ftr', '--map-html'], ['f/a', 'f/a.ftr', 'copy']),
    (['tree', 'verify', 'f/a.ftr', '--map-svg'], ['f/a', 'f/a.ftr', 'copy']),
    (['tree', '--save', 'f/a', '-o'], ['f/a', 'copy']),
    (['tree', '--save', '--since', 'since', 'f/a', '-o'], ['since']),
    (['shard', 'plan', 'f', '-o'], ['f/a', 'f/b']),
    (['shard', 'plan', '--manifest', 'SHA256SUMS', '-o'], ['SHA256SUMS', 'f/a']),
    (['shard', 'plan', '--files-from', 'list', '-o'], ['list', 'f/a']),
    (['shard', 'merge', 'plan', '-o'], ['plan', 'f/a']),
    (['shard', 'run', 'plan', '0', '-o'], ['f/a', 'plan']),
]


def make_origin(lab):
    """Creates a folder with files and every kind of manifest, tree, plan, state and list of them."""
    top = lab.path('origin')
    os.makedirs(os.path.join(top, 'f'))
    plain = {'f/' + name: data for name, data in CONTENTS.items()} | {
        'list': b'f/a\nf/b\n', 'list0': b'f/a\0f/b\0', 'key': b'0123456789abcdef' * 2, 'lines': b'x\ny\n', 'f/.gitignore': b'zz\n',
        'copy': CONTENTS['a'], 'since': b'0 10\n', 'set': b'0' * 64 + b'  x\n'}
    for name, data in plain.items():
        write(os.path.join(top, name), data)
        os.utime(os.path.join(top, name), (OLD, OLD))
    for words in (['hash', '-o', 'SHA256SUMS', 'f'], ['hash', '--json', '-o', 'M.jsonl', 'f'], ['tree', '--save', 'f/a'],
        ['tree', '--save', '--format', 'obao4', 'f/b'],
                  ['shard', 'plan', '-o', 'plan', '--root', 'f', 'f'], ['shard', 'run', 'plan', '0'], ['check', '--state', 'state', 'SHA256SUMS'],
                  ['check', '--html', 'page.html', 'SHA256SUMS']):
        lab.control(*words, cwd=top)


def contents_of(top):
    found = {}
    for folder, _, names in os.walk(top):
        for path in (os.path.join(folder, name) for name in names):
            found[os.path.relpath(path, top)] = read(path)
    return found


def outputs_over_inputs(lab, tally):
    """Every option that names an output is given a file that the run reads or that has unrelated content: by its name,
    with "./", by its absolute path, by a hard link and by a symbolic link. Right: every file keeps its content, so a
    run that names it directly fails."""
    make_origin(lab)
    top = lab.path('t')
    cases = [(words, target, form) for words,
        targets in CASES for target in targets for form in ('name', 'dot', 'absolute', 'hard link', 'symbolic link')]
    random.shuffle(cases)
    for (words, target, form), _ in zip(cases, lab.rounds(len(cases))):
        shutil.rmtree(top, ignore_errors=True)
        shutil.copytree(lab.path('origin'), top)
        name = {'name': target, 'dot': './' + target, 'absolute': os.path.join(top, target)}.get(form, 'link')
        if form == 'hard link':
            os.link(os.path.join(top, target), os.path.join(top, name))
        elif form == 'symbolic link':
            os.symlink(target, os.path.join(top, name))
        before = contents_of(top)
        run = lab.run(*words, name, cwd=top)
        after = contents_of(top)
        # A run of a shard adds to its plan's folder; a link is replaced without affecting the file it leads to.
        lost = [path for path, data in before.items() if after.get(path) != data and path != 'link' and not path.startswith('plan.parts')]
        label = f'{" ".join(words)} {target} ({form})'
        tally.expect(not lost, 'content lost', f'{label}: {" ".join(lost)}; {run}')
        tally.expect(run.code is not None and (run.code > 0 or run.code == 0 and 'link' in form), 'output not written, exit 0', f'{label}: {run}')


def bindfs(lab, source, name):
    """Mounts a folder a second time. FUSE may give one file several inode numbers."""
    if not shutil.which('bindfs'):
        raise NotApplicable('no bindfs')
    point = lab.path(name)
    os.mkdir(point)
    lab.tool('bindfs', source, point)
    lab.mounts.append(point)
    return point


def second_mount(lab, tally):
    """A folder is mounted twice by bindfs; outputs name inputs by other spellings of the folder and by the second mount, and
    `duplicates` is given folders that lead to the same file.
    Right: no input loses its content; one file is never reported as a copy of itself."""
    contents = {'File': b'a\n', 'other': b'b\n', 'key': b'0123456789abcdef\n', 'list': b'm/d/other\n'}
    os.makedirs(lab.path('f/d'))
    bindfs(lab, lab.path('f'), 'm')
    bindfs(lab, lab.path('f'), 'n')
    os.symlink('m', lab.path('lm'))
    for name, data in contents.items():
        write(lab.path('f/d/' + name), data)
        os.utime(lab.path('f/d/' + name), (OLD, OLD))
    for words in (['hash', '-q', '-o', 'm/d/SHA256SUMS', 'm/d/File', 'm/d/other'],
            ['shard', 'plan', '-q', '-o', 'plan', '--root', 'm/d', 'm/d/File', 'm/d/other'], ['shard', 'run', '-q', 'plan', '0']):
        lab.control(*words, cwd=lab.folder)
    cases = [(['hash', 'm/d/other', '-o'], 'other'), (['hash', '-a', 'hmac-sha256', '--key-file', 'm/d/key', 'm/d/other', '-o'], 'key'),
        (['hash', '--files-from', 'm/d/list', '-o'], 'list'),
             (['convert', 'm/d/SHA256SUMS', '-t', 'bsd', '-o'], 'File'), (['shard', 'merge', 'plan', '-o'], 'other')]
    for folder in ('m/d', 'lm/d', 'm/../m/d', lab.path('m/d'), 'm/d/../d', 'n/d'):
        for words, name in cases:
            run = lab.run(*words, f'{folder}/{name}', cwd=lab.folder)
            lost = [path for path, data in contents.items() if not os.path.exists(lab.path('f/d/' + path)) or read(lab.path('f/d/' + path)) != data]
            tally.expect(not lost, 'content lost', f'{" ".join(words)} {folder}/{name}: {" ".join(lost)}; {run}'.replace(lab.folder, ''))
            for path in lost:
                write(lab.path('f/d/' + path), contents[path])
                os.utime(lab.path('f/d/' + path), (OLD, OLD))
    os.makedirs(lab.path('f/once/sub'))
    write(lab.path('f/once/sub/file'), b'hello\n')
    for pair in (('m/once', 'm/once'), ('m/once', './m/once'), ('m/once', 'm/once/'), ('m/once', lab.path('m/once')), ('m/once', 'm/once/sub'),
        ('m/once/sub', 'm/once'), ('m/once', 'lm/once'),
                 ('m/once/sub/file', 'm/once'), ('m/once/sub/file', './m/once/sub/file')):
        run = lab.run('duplicates', *pair, cwd=lab.folder)
        tally.expect(run.code == 0 and b'sub/file' not in run.out, 'copy of itself', f'duplicates {" ".join(pair)}: {run}')
    write(lab.path('f/once/sub/twin'), b'hello\n')
    run = lab.run('duplicates', 'm/once', cwd=lab.folder)
    if b'sub/twin' not in run.out:
        raise ControlFailed(f'duplicates does not find a real copy: {run}')
