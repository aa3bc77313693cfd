"""One file with several names, and one inode number for several files."""
import hashlib, os, tempfile
from files import write


def links_rewritten(lab, tally):
    """`a` and `b` are one file. After `a` is hashed, many other files follow, the file is rewritten, and then `b` is
    reached. Right: the new digest for `b`, or an error. Wrong: the digest of the old content."""
    forest = lab.suite.forest()
    for _ in lab.rounds(2):
        for name in ('a', 'b'):
            if os.path.exists(lab.path(name)):
                os.unlink(lab.path(name))
        write(lab.path('a'), b'old content\n')
        os.link(lab.path('a'), lab.path('b'))
        child = lab.start('hash', '-j', '1', '--progress=never', lab.path('a'), forest, lab.path('b'))
        first = child.stdout.readline()
        write(lab.path('a'), b'NEW content!\n')
        run = lab.finish(child)
        lines = dict(line.split(b'  ', 1)[::-1] for line in (first + run.out).splitlines())
        shown = lines.get(lab.path('b').encode())
        now = hashlib.sha256(b'NEW content!\n').hexdigest().encode()
        if shown is None:
            tally.expect(run.code == 1, 'no line and no error', run)
        else:
            tally.expect(shown == now, 'digest of the old content', f'shown {shown[:12].decode()}, the file holds {now[:12].decode()}, exit {run.code}')


def links_reused(lab, tally):
    """A file with several names was hashed under the only name that the run sees. All its names are removed, and
    another file gets its inode number and two names, which the run reaches later. Right: the digest of the present
    file, or an error. Wrong: that of the removed file."""
    forest = lab.suite.forest()
    new = b'an entirely different file, of another length\n'
    for _ in lab.rounds(3):
        folder = tempfile.mkdtemp(dir=lab.folder)
        at = lambda name: os.path.join(folder, name)
        write(at('a'), b'old content\n')
        os.link(at('a'), at('second'))
        os.link(at('a'), at('third'))
        inode = os.stat(at('a')).st_ino
        write(at('x'), b'x')
        os.link(at('x'), at('y'))
        child = lab.start('hash', '-j', '1', '--progress=never', at('a'), forest, at('x'), at('y'))
        first = child.stdout.readline()
        for name in ('a', 'second', 'third'):
            os.unlink(at(name))
        for number in range(200):
            candidate = at(f'new{number}')
            write(candidate, new)
            if os.stat(candidate).st_ino == inode:
                break
        reused = os.stat(candidate).st_ino == inode
        os.link(candidate, at('link'))
        os.rename(candidate, at('x'))
        os.rename(at('link'), at('y'))
        run = lab.finish(child)
        lines = dict(line.split(b'  ', 1)[::-1] for line in (first + run.out).splitlines())
        shown = [lines.get(at(name).encode()) for name in 'xy']
        good = hashlib.sha256(new).hexdigest().encode()
        if not reused:
            tally.missed('inode number not reused')
        elif None in shown:
            tally.expect(run.code == 1, 'no line and no error', run)
        else:
            tally.expect(shown == [good, good], 'digest of a file that is gone', f'shown {shown[0][:12].decode()}, the file holds {good[:12].decode()}, exit {run.code}')
