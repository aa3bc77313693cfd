"""Standard streams that are closed, are folders, or are "not ready"."""
import fcntl, hashlib, os, re, shutil, signal, subprocess, time
from files import read, write
from outcomes import ControlFailed

EMPTY = hashlib.sha256(b'').hexdigest()
OLD = 1_600_000_000


def closed(lab, program, redirect, *words):
    """Runs a program with a stream closed, using the shell."""
    return lab.run('-c', f'exec "$0" "$@" {redirect}', program, *words, program='sh', stdin=None, cwd=lab.folder)


def streams(lab, tally, program, cases):
    for redirect, words in cases:
        run = closed(lab, program, redirect, *words)
        label = f'{os.path.basename(program)} {" ".join(words)} {redirect}'.replace(EMPTY, EMPTY[:4] + '..').replace('  ', ' ')
        tally.expect(run.code not in (0, None) and run.code > 0, 'success with a closed stream', f'{label}: {run}')
        if '2>&-' not in redirect and run.code:
            tally.expect(bool(run.err), 'no message', label)


def closed_streams(lab, tally):
    """Standard input, output or error is closed, standard input is a folder, or standard output is a full device.
    Right: a nonzero exit status, and a message where one can be seen; a file that is written has the same content as
    with open streams, so messages never end up in it."""
    write(lab.path('f'), b'data\n')
    write(lab.path('S'), (hashlib.sha256(b'data\n').hexdigest() + '  f\n').encode())
    lab.control('hash', '-', stdin=subprocess.DEVNULL)
    streams(lab, tally, lab.truesum, [
        ('<&-', ['hash', '-']), ('<&-', ['check', '--expect', EMPTY, '-']), ('<&-', ['check', '-']),
        ('<&-', ['hash', '--files-from', '-']), ('>&-', ['hash', 'f']), ('>&-', ['hash', '--json', 'f']), ('>&-', ['check', 'S']),
        ('>&-', ['tree', 'f']), ('>&-', ['list', 'algorithms']), ('2>&-', ['hash', 'missing']), ('<&- >&-', ['hash', 'f']),
        ('<.', ['hash', '-']), ('<.', ['check', '-']), ('<.', ['check', '--expect', EMPTY, '-'])])
    run = closed(lab, lab.truesum, '<&- >&- 2>&-', 'hash', '-o', 'M', 'f', 'missing')
    manifest = read(lab.path('M')) if os.path.exists(lab.path('M')) else b''
    tally.expect(run.code == 1 and b'cannot' not in manifest and b'truesum' not in manifest, 'messages in a manifest',
        f'exit {run.code}: {manifest[:80]}')
    prepare_folder(lab)
    lab.control('tree', '--save', 't/b', cwd=lab.folder)
    for words in PRINTING:
        made = closed(lab, lab.truesum, '', *words)
        if not made.out:
            raise ControlFailed(f'{" ".join(words)}: prints nothing: {made}')
        streams(lab, tally, lab.truesum, [('>&-', words), ('>/dev/full', words)])
    for words in WRITING:
        written = {}
        for redirect in ('', '<&-', '>&-', '2>&-', '<&- >&- 2>&-'):
            prepare_folder(lab)
            run = closed(lab, lab.truesum, redirect, *words)
            label = f'{" ".join(words)} {redirect}'
            now = files_of(lab.path('t'))
            written = written or now
            tally.expect(all(written.get(path) == data for path, data in now.items()), 'file written otherwise', f'{label}: {run}')
            tally.expect(run.code == 0 and now == written or run.code not in (0, None) and run.code > 0, 'exit 0 and not written', f'{label}: {run}')


# Commands that print their result, and commands that write it to files.
PRINTING = [
    ['update', '-n', 't/SHA256SUMS'], ['convert', 't/SHA256SUMS', '-t', 'bsd'], ['identify', EMPTY, 't/a'], ['find', '-0', EMPTY, 't'],
    ['find', EMPTY, 't'], ['duplicates', 't'],
    ['duplicates', '-0', 't'], ['directory', 't'], ['directory', '--kind', 'git', 't'], ['tree', 'leaf', 't/b', '--range', '0..50'], ['list', 'formats'],
    ['config'], ['man'],
    ['completions', 'bash'], ['text', 'x'], ['hash', '--raw', 't/a'], ['audit', 't/SHA256SUMS', 't'], ['diff', 't/SHA256SUMS', 't'],
    ['check', '--json', 't/SHA256SUMS'],
    ['help', 'check'], ['--version'], ['tree', 'prove', 't/b', '--range', '0..50'],
]
WRITING = [
    ['update', 't/SHA256SUMS'], ['convert', 't/SHA256SUMS', '-t', 'bsd', '-o', 't/out'], ['hash', '-o', 't/out', 't/a', 't/b'],
    ['shard', 'plan', '-o', 't/plan', 't'], ['hash', '--sidecar', 't'],
    ['hash', '--per-directory', 't'], ['bag', 'create', '--in-place', 't'], ['tree', '--save', 't/a'],
    ['check', '--html', 't/page.html', 't/SHA256SUMS'], ['man', 't/man'],
]


def prepare_folder(lab):
    """Creates a folder with an empty file, two equal files, a new one, and a manifest."""
    folder = lab.path('t')
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, data in (('a', b''), ('b', b'b' * 50), ('copy', b'b' * 50)):
        write(os.path.join(folder, name), data)
        os.utime(os.path.join(folder, name), (OLD, OLD))
    lab.control('hash', '-q', '-o', 't/SHA256SUMS', 't', cwd=lab.folder)
    write(os.path.join(folder, 'new'), b'new\n')
    os.utime(os.path.join(folder, 'new'), (OLD, OLD))


def files_of(top):
    """Returns every file and its content, with times, durations and speeds replaced. For trees and plans, which contain
    inode numbers, only the names."""
    found = {}
    for folder, _, names in os.walk(top):
        for path in (os.path.join(folder, name) for name in names):
            found[os.path.relpath(path, top)] = b'' if path.endswith(('.ftr',
                '/plan')) else re.sub(rb'\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|[\d.]+ m?s\b|[\d.]+ \w+/s', b'', read(path))
    return found


def closed_streams_gnu(lab, tally):
    """The same under the name sha256sum, through a symbolic link. Right as before: the messages of GNU's program, exit
    status 1."""
    write(lab.path('f'), b'data\n')
    program = lab.path('sha256sum')
    os.symlink(lab.truesum, program)
    lab.control('f', program=program, cwd=lab.folder)
    write(lab.path('S'), (hashlib.sha256(b'data\n').hexdigest() + '  f\n').encode())
    streams(lab, tally, program, [('<&-', []), ('<&-', ['-']), ('<&-', ['--check']), ('<&-', ['--check', '-']), ('>&-', ['f']),
                                  ('>&-', ['--check', 'S']), ('>&-', ['--version']), ('2>&-', ['missing']), ('<.', []), ('<.', ['-'])])


def nonblocking_streams(lab, tally):
    """Pipes that report "not ready" instead of blocking, as input and as output, with a slow process at the other end.
    Right: everything arrives, or a nonzero exit status and a message; a closed pipe ends the program by its signal.
    Wrong: partial output and exit status 0."""
    folder = lab.path('t')
    os.mkdir(folder)
    for number in range(2000):
        write(os.path.join(folder, f'f{number}'), b'%d' % number)
    manifest = lab.control('hash', '.', cwd=folder).out

    def nonblocking():
        ends = os.pipe()
        for end in ends:
            fcntl.fcntl(end, fcntl.F_SETFL, os.O_NONBLOCK | fcntl.fcntl(end, fcntl.F_GETFL))
        return ends
    reading, writing = nonblocking()
    os.set_blocking(reading, True)          # a pipe's ends are two open files: the writer's stays as it is
    child = lab.start('hash', '.', cwd=folder, stdout=writing)
    os.close(writing)
    time.sleep(0.5)
    out = b''
    while piece := os.read(reading, 8192):
        out += piece
        time.sleep(0.002)
    os.close(reading)
    run = lab.finish(child)
    if run.code in (1, 2) and run.err:
        tally.right('output error reported')
    else:
        tally.expect(run.code == 0 and out == manifest, 'output cut', f'{len(out)} of {len(manifest)} bytes, {run}')
    for words, pieces, proof in ((['hash', '-'], [b'abc'], hashlib.sha256(b'abc').hexdigest().encode()),
                                 (['check', '-'], manifest.splitlines(True)[:2], b': OK'),
                                 (['hash', '--files-from', '-'], [b'f1\n', b'f2\n'], b'f2')):
        reading, writing = nonblocking()
        child = lab.start(*words, cwd=folder, stdin=reading)
        os.close(reading)
        for piece in pieces:
            time.sleep(0.2)
            try:
                os.write(writing, piece)
            except BrokenPipeError:
                break                               # it has ended already: what it says is judged below
        time.sleep(0.1)
        os.close(writing)
        run = lab.finish(child)
        if run.code in (1, 2) and run.err:
            tally.right(f'{words[0]}: input error reported')
        else:
            tally.expect(run.code == 0 and proof in run.out, 'input cut', f'{" ".join(words)}: {run}')
    child = lab.start('hash', '.', cwd=folder)
    child.stdout.read(100)
    child.stdout.close()
    child.stdout = None
    run = lab.finish(child)
    tally.expect(run.code == -signal.SIGPIPE and not run.err, 'a closed pipe is noisy', run)
