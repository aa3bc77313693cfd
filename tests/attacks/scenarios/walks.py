"""Names that lead out of the root."""
import hashlib, os, shutil
from files import read, shorten, write
from outcomes import ControlFailed, NotApplicable


def walk_exchange(lab, tally):
    """A folder and a file of the tree are exchanged again and again for symbolic links that lead out of it. Right: no
    digest of an outside file under a name of the tree, without -L."""
    os.makedirs(lab.path('t/dir'))
    os.mkdir(lab.path('out'))
    write(lab.path('out/file'), b'outside\n')
    write(lab.path('t/dir/file'), b'inside\n')
    write(lab.path('t/plain'), b'inside too\n')
    os.symlink('../out', lab.path('folder-link'))
    os.symlink('../out/file', lab.path('file-link'))
    secret = hashlib.sha256(b'outside\n').hexdigest().encode()
    if secret in lab.control('hash', '--progress=never', lab.path('t')).out:
        raise ControlFailed('a tree at rest shows a digest from outside')
    for a, b in (('t/dir', 'folder-link'), ('t/plain', 'file-link')):
        lab.toggle('exchange', lab.path(a), lab.path(b))
    for _ in lab.rounds(500):
        run = lab.run('hash', '--progress=never', lab.path('t'))
        lines = [line for line in run.out.splitlines() if line.startswith(secret)]
        tally.expect(not lines, 'outside digest shown', f'under {b", ".join(line[66:] for line in lines).decode()}'.replace(lab.folder + '/', ''))


def check_outside(lab, tally):
    """A manifest contains names that lead out of its folder, by `..`, by absolute paths and through a link; strace
    observes the calls. Right: no system call other than openat2 with RESOLVE_BENEATH is made for them, so nothing is
    revealed about outside files; and nothing is verified."""
    if not shutil.which('strace'):
        raise NotApplicable('no strace')
    os.makedirs(lab.path('root/sub'))
    write(lab.path('root/good'), b'good\n')
    write(lab.path('secret'), b'secret\n')
    os.symlink('..', lab.path('root/link'))
    outside = ['../secret', 'sub/../../secret', 'link/secret', lab.path('secret'), '/etc/passwd']
    line = lambda data, name: f'{hashlib.sha256(data).hexdigest()}  {name}\n'
    write(lab.path('root/M'), (line(b'good\n', 'good') + ''.join(line(b'secret\n', name) for name in outside)).encode())
    log = lab.path('log')
    probe = lab.run('-f', '-o', log, '-e', 'trace=file', 'true', program='strace')
    if probe.code:
        raise NotApplicable(f'strace: {probe}')
    for words in ([], ['--exact'], ['--ignore-missing'], ['--locate'], ['--json'], ['--lenient', '-j', '1']):
        run = lab.run('-f', '-s', '500', '-o', log, '-e', 'trace=file', lab.truesum, 'check', *words, lab.path('root/M'), program='strace')
        calls = read(log).decode(errors='replace').splitlines()
        outside_calls = [call for call in calls if any(f'"{name}' in call for name in outside) and 'execve(' not in call]
        loose = [call.split(None, 1)[1] for call in outside_calls if not ('openat2(' in call and 'RESOLVE_BENEATH' in call)]
        label = ' '.join(['check', *words])
        tally.expect(not loose, 'outside name looked up', f'{label}: {len(loose)} calls, the first: {shorten(loose[0]) if loose else ""}'.replace(lab.folder, '...'))
        if run.code == 0 or any(name + ': OK' in run.out.decode(errors='replace') for name in outside):
            tally.wrong('an outside file was verified', f'{label}: {run}')
