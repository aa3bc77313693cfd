"""Names and other untrusted text with terminal control sequences."""
import hashlib, itertools, os, pty, random, shutil, subprocess, threading
from files import write
from outcomes import ControlFailed, Run
from scenarios.signals import drain

# Bytes that must not reach a terminal, each in a name: an escape sequence and a bell; the same as C1 characters, valid
# UTF-8 and not; characters that overwrite or hide text; characters that reverse or break lines; a line feed.
NAMES = [
    (b'W\x1b]0;title\x07W', b'\x1b]0;'), (b'W\xc2\x9b31mW', b'\xc2\x9b31m'), (b'W\x9b31mW', b'\x9b31m'), (b'W\rX', b'W\rX'),
    (b'W\x08\x08X', b'\x08\x08'),
    (b'W\x7fX', b'W\x7f'), (b'W\xe2\x80\xaeX', b'\xe2\x80\xae'), (b'W\xe2\x80\xa8X', b'\xe2\x80\xa8'), (b'W\xe2\x81\xa6X', b'\xe2\x81\xa6'),
    (b'W\xc2\x85X', b'\xc2\x85'),
    (b'W\xe2\x80\x8bX', b'\xe2\x80\x8b'), (b'W\xf3\xa0\x80\x81X', b'\xf3\xa0\x80\x81'), (b'W\nX', b'W\nX'),
]
DIGEST = hashlib.sha256(b'hello').hexdigest()


def commands(name):
    """Every command that prints names, arguments or parts of its input; `name` is untrusted."""
    file = 'f/' + name
    return [
        ['hash', 'f'], ['hash', '--tag', 'f'], ['hash', '-t', 'sri', 'f'], ['hash', '-t', 'csv', 'f'], ['hash', '-t', 'dfxml', 'f'],
        ['hash', '-t', 'hashdeep', 'f'],
        ['hash', '--json', 'f'], ['hash', '--format-string', '%p %f\\n', 'f'], ['hash', name + 'gone'], ['hash', '-a', name, 'f'],
        ['text', '--', name], ['text', '--lines', file],
        ['hash', '--files-from', file], ['hash', '--include', '[' + name, 'f'], ['hash', '--newer', name, 'f'], ['hash', '--encoding', name, 'f'],
        ['embed', 'add', 'f'],
        ['hash', '-o', file + '/x', 'f'], ['bag', 'create', 'f'],
        ['check', '--root', 'f', 'SHA256SUMS'], ['check', '--root', 'f', '--exact', 'SHA256SUMS'], ['check', '--root', 'f', '-v', 'SHA256SUMS'],
        ['check', '--root', 'f', '--search', 'SHA256SUMS'],
        ['check', '--root', 'f', '--locate', '--map', 'SHA256SUMS'], ['check', '--root', 'f', '--format-string', '%p %{verdict}\\n', 'SHA256SUMS'],
        ['check', name + 'gone'], ['check', '--only', name, 'SHA256SUMS'],
        ['check', '--require', name, 'SHA256SUMS'], ['check', '--expect', name, file], ['embed', 'check', 'f'], ['check', '-r', 'f'],
        ['check', 'f'],
        ['audit', 'SHA256SUMS', 'f'], ['audit', '--format-string', '%p\\n', 'SHA256SUMS', 'f'], ['diff', 'M.jsonl', 'f'],
        ['update', '-n', 'SHA256SUMS', 'f'],
        ['find', DIGEST, 'f'], ['find', '--manifest', 'SHA256SUMS', 'f'], ['duplicates', 'f'], ['directory', 'f'], ['directory', '--kind', 'git', 'f'],
        ['tree', file], ['tree', 'verify', file + '.ftr'], ['tree', 'verify', '--map', file + '.ftr'], ['tree', '--dot', file],
        ['tree', 'leaf', file, '--range', '0..5'],
        ['shard', 'plan', '-o', 'p' + name, 'f'], ['shard', 'run', 'p' + name, '0'], ['identify', name], ['identify', DIGEST, file],
        ['convert', 'SHA256SUMS', '-t', 'bsd'], ['convert', '-t', name, 'SHA256SUMS'], ['list', name], ['list', 'formats', name], ['config'], [name],
        ['--x' + name], ['completions', name],
        ['install-links', 'f/' + name], ['hash', '--sidecar', 'f'], ['hash', '--per-directory', 'f'],
    ]


def inputs(name):
    """Manifests for standard input that are not well-formed, with untrusted text in every place."""
    zero, escaped = b'0' * 64, name.replace(b'\n', b'\\n')
    return [zero + b'  ' + name + b'x\n' + name + b' junk\nSHA256 (' + name + b') = zz\n',
        b'{"path":"' + escaped + b'","digests":{"' + escaped + b'":"00"}}\n', name + b'\n',
            b'-----BEGIN ' + name + b'-----\n', b'[{"name":"a","' + escaped + b'":"' + zero + b'"}]']


def cases(name):
    """Returns arguments, standard input and environment of every run with an untrusted name."""
    text = os.fsdecode(name)
    readers = (['check', '-'], ['convert', '-', '-t', 'bsd'], ['hash', '--files-from', '-'], ['audit', '-', 'f'], ['identify', '-'])
    variables = ('TRUESUM_OPTIONS', 'TRUESUM_CONFIG', 'TRUESUM_KERNEL', 'HOME', 'XDG_CONFIG_HOME')
    return ([(words, None, {}) for words in commands(text)] + [(words, data, {}) for data in inputs(name) for words in readers]
            + [(words, None, {variable: text}) for variable in variables for words in (['config'], ['hash', 'f'])])


def on_terminal(lab, words, text=None, environment=(), **options):
    """Runs a command whose output and error are a terminal. Returns what the terminal received."""
    terminal, slave = pty.openpty()
    received = []
    reader = threading.Thread(target=lambda: received.append(drain(terminal)))
    child = lab.start(*words, cwd=lab.path('t'), stdin=subprocess.DEVNULL if text is None else subprocess.PIPE, stdout=slave, stderr=slave,
        env=os.environ | dict(environment), **options)
    os.close(slave)
    reader.start()
    if text is not None:
        try:
            child.stdin.write(text)
            child.stdin.close()
        except BrokenPipeError:
            pass
        child.stdin = None
    run = lab.finish(child)
    reader.join()
    return Run(run.code, received[0].replace(b'\r\n', b'\n'), b'', run.seconds)


def terminal_escapes(lab, tally):
    """File names, arguments, lines of manifests and environment variables contain control sequences and characters that
    hide, reverse or break text; every command that prints them runs on a terminal. Right: none of them reaches the
    terminal unescaped."""
    os.mkdir(lab.path('t'))
    output = on_terminal(lab, ['-c', 'printf "$0"', NAMES[0][0].decode()], program='sh').out
    if NAMES[0][1] not in output:
        raise ControlFailed('a control sequence that is printed is not seen')
    for turn, number in zip(lab.rounds(len(NAMES) * 10), itertools.cycle(random.sample(range(len(NAMES)), len(NAMES)))):
        name, raw = NAMES[number]
        make_names(lab, os.fsdecode(name))
        for words, text, environment in random.sample(cases(name), 30):
            run = on_terminal(lab, words, text, environment)
            at = run.out.find(raw)
            label = f'{" ".join(map(repr, words))} {text or environment or ""}'
            tally.expect(run.code is not None and run.code >= 0, 'hung or died', f'{label}: {run}')
            tally.expect(at < 0, 'control sequence on the terminal', f'{label}: {run.out[max(0, at - 40):at + 30]!r}')


def make_names(lab, name):
    folder = lab.path('t')
    shutil.rmtree(folder)
    os.makedirs(os.path.join(folder, 'f', name + 'D'))
    for path in (name, name + '2', f'{name}D/{name}'):
        write(os.path.join(folder, 'f', path), b'hello')
    os.symlink(name + 'gone', os.path.join(folder, 'f', name + 'L'))
    os.mkfifo(os.path.join(folder, 'f', name + 'F'))
    for words in (['hash', '--json', '-o', 'M.jsonl'], ['hash', '-o', 'SHA256SUMS']):
        lab.run(*words, '--root', 'f', 'f', cwd=folder)
    lab.run('tree', '--save', 'f/' + name, cwd=folder)
    os.unlink(os.path.join(folder, 'f', name + '2'))
    write(os.path.join(folder, 'f', name + 'new'), b'new')
    write(os.path.join(folder, 'f', name), b'hellO')
