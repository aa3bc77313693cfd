"""Small cases, each for one guarantee: selection of files, sizes, names that look special, quiet runs, signatures,
proofs."""
import base64, hashlib, os, random, shutil, tempfile, zlib
from files import read, write
from outcomes import ControlFailed, NotApplicable

OLD = 1_600_000_000


def put(folder, files):
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, data)
        os.utime(path, (OLD, OLD))


def same_crc32(data, prefix):
    """Appends four bytes to `prefix` that give it the CRC-32 of `data`."""
    table = [zlib.crc32(bytes([byte])) ^ zlib.crc32(b'\0') for byte in range(256)]
    steps = []
    state, target = zlib.crc32(prefix) ^ 0xffffffff, zlib.crc32(data) ^ 0xffffffff
    for _ in range(4):
        steps.append(next(byte for byte in range(256) if table[byte] >> 24 == target >> 24))
        target = (target ^ table[steps[-1]]) << 8 & 0xffffffff
    tail = bytearray()
    for step in reversed(steps):
        tail.append(state & 0xff ^ step)
        state = state >> 8 ^ table[step]
    return prefix + bytes(tail)


def update_of_a_named_folder(run, folder):
    """A manifest was created of a folder that was specified; `update` specifies it too. Afterwards every entry
    verifies."""
    put(folder, {'photos/a': b'a\n', 'photos/b': b'b\n'})
    run('hash', '-o', 'photos.sha256', 'photos')
    put(folder, {'photos/c': b'c\n'})
    old = read(os.path.join(folder, 'photos.sha256'))
    updated = run('update', '--rename', '--prune', '--refresh', 'photos.sha256', 'photos', code=None)
    checked = run('check', 'photos.sha256', code=None)
    refused = updated.code and read(os.path.join(folder, 'photos.sha256')) == old
    return checked.code == 0 and (refused or checked.out.count(b': OK') == 3), f'{updated}; check: {checked}'


def option_before_the_command(run, folder):
    """`truesum -q check M` with a folder named check: the manifest is checked, or the command line is rejected."""
    put(folder, {'file': b'data\n', 'check/notes': b'hello\n'})
    run('hash', '-o', 'SHA256SUMS', 'file')
    put(folder, {'file': b'Data\n'})
    checked = run('-q', 'check', 'SHA256SUMS', code=None)
    return checked.code == 2 or checked.code == 1 and b'FAILED' in checked.out, checked


def exact_and_special_names(run, folder):
    """Files with names like signatures and temporary files, and other content, do not pass `--exact`."""
    put(folder, {'a': b'a\n'})
    run('hash', '-o', 'SHA256SUMS', 'a')
    run('check', '--exact', 'SHA256SUMS')
    for name in [f'SHA256SUMS.{end}' for end in ('asc', 'sig', 'gpg', 'sign', 'minisig', 'pgp', 'p7s')] + ['.SHA256SUMS.8277fbb51a-4ed446a1.part']:
        for data in (b'#!/bin/sh\nexit\n', bytes(100_000)):
            put(folder, {name: data})
            checked = run('check', '--exact', 'SHA256SUMS', code=None)
            if checked.code != 1 or name.encode() not in checked.err + checked.out:
                return False, f'{name}: {checked}'
            os.unlink(os.path.join(folder, name))
    return True, ''


def quiet_runs(run, folder):
    """`-q` is quiet in every form of `hash`."""
    put(folder, {'d/a': b'a\n'})
    os.symlink('nothing', os.path.join(folder, 'd/dangling'))
    os.mkfifo(os.path.join(folder, 'd/pipe'))
    for words in ([], ['--per-directory'], ['--sidecar']):
        hashed = run('hash', '-q', *words, 'd')
        if hashed.err:
            return False, f'{words}: {hashed}'
    return True, ''


def known_set_with_sizes(run, folder):
    """A set of known files has sizes: a file of a different size with the same CRC-32 or MD5 is unknown."""
    put(folder, {'f/good': b'a\n'})
    run('hash', '-a', 'crc32', '--json', '-o', 'set.jsonl', '--root', 'f', 'f/good')
    forged = same_crc32(b'a\n', b'of another size: ')
    if zlib.crc32(forged) != zlib.crc32(b'a\n'):
        raise ControlFailed('the file does not have the same CRC-32')
    known = run('audit', '-k', 'set.jsonl', 'f', code=None)
    if known.code:
        raise ControlFailed(f'a known file is not known: {known}')
    os.unlink(os.path.join(folder, 'f/good'))
    put(folder, {'f/forged': forged, 'set.hdb': f'{hashlib.md5(forged).hexdigest()}:{len(forged) - 1}:Name\n'.encode()})
    for name in ('set.jsonl', 'set.hdb'):
        known = run('audit', '-k', name, 'f', code=None)
        if known.code == 0:
            return False, f'{name}: {known}'
    return True, ''


PROMISES = [update_of_a_named_folder, option_before_the_command, exact_and_special_names, quiet_runs, known_set_with_sizes]


def promises(lab, tally):
    """Each function in `PROMISES` describes one small case and its correct outcome; afterwards, range proofs are
    truncated and have bits flipped. Right: every case ends as its docstring describes."""
    for case in PROMISES:
        folder = tempfile.mkdtemp(dir=lab.folder)

        def run(*words, code=0):
            made = lab.run(*words, cwd=folder)
            if code is not None and made.code != code:
                raise ControlFailed(f'{case.__name__}: {" ".join(words)}: {made}')
            return made
        good, evidence = case(run, folder)
        tally.expect(good, case.__name__.replace('_', ' '), evidence)
    damaged_proofs(lab, tally)


def damaged_proofs(lab, tally):
    """Proofs that a range belongs to a file and that a file was only appended to, truncated or with one bit flipped,
    and valid proofs for a file that was damaged in the range, truncated or extended. Exit status 0 only with the claim
    of the valid proof."""
    data = random.randbytes(700_000)
    put(lab.folder, {'x': data, 'log': data[:300_000]})
    lab.control('tree', '--save', 'x', 'log', cwd=lab.folder)
    os.rename(lab.path('log.ftr'), lab.path('old.ftr'))

    def digest(name):
        return 'sha256-tree:' + lab.control('tree', name, cwd=lab.folder).out.decode().split(' = ')[1].strip()
    old = digest('log')
    put(lab.folder, {'log': data[:600_000]})
    lab.control('tree', '--save', 'log', cwd=lab.folder)
    whole, grown = digest('x'), digest('log')
    for words, verify in ((['x', '--range', '100000..200000'], ['x', '--digest', whole]),
            (['log', '--grown-from', 'old.ftr'], ['log', '--grown-from', old, '--digest', grown])):
        proof = lab.control('tree', 'prove', *words, cwd=lab.folder).out
        put(lab.folder, {'proof': proof})
        claim = lab.control('tree', 'verify-proof', 'proof', *verify, cwd=lab.folder).out
        for number in range(60):
            at = random.randrange(len(proof))
            put(lab.folder, {'proof': proof[:at] if number % 3 == 0 else proof[:at] + bytes([proof[at] ^ 1 << random.randrange(8)]) + proof[at + 1:]})
            run = lab.run('tree', 'verify-proof', 'proof', *verify, cwd=lab.folder)
            tally.expect(run.code in (1, 2) and run.err or run.code == 0 and run.out == claim, 'false claim', f'{words[1]}, damaged at {at}: {run}')
        put(lab.folder, {'proof': proof})
        wrong = lab.run('tree', 'verify-proof', 'proof', *verify[:-1], 'sha256-tree:' + '1' * 64, cwd=lab.folder)
        tally.expect(wrong.code in (1, 2), 'false claim', f'{words[1]}, another digest: {wrong}')
    put(lab.folder, {'proof': lab.control('tree', 'prove', 'x', '--range', '100000..200000', cwd=lab.folder).out})
    changed = bytearray(data)
    changed[150_000] ^= 1
    for label, content in (('damaged', bytes(changed)), ('cut', data[:699_999]), ('longer', data + b'z'), ('empty', b'')):
        put(lab.folder, {'y': content})
        run = lab.run('tree', 'verify-proof', 'proof', 'y', '--digest', whole, cwd=lab.folder)
        tally.expect(run.code == 1, 'false claim', f'{label} file: {run}')


def damaged_signatures(lab, tally):
    """Manifests signed by minisign (new and legacy) and signify (detached and embedded): signature or signed text
    truncated, with a flipped bit, joined with other text, or replaced by a signature of another key. Right: exit status
    1 or 2. Only the first line of a signature, an untrusted comment, may change."""
    if not shutil.which('minisign'):
        raise NotApplicable('no minisign')
    signify = shutil.which('signify-openbsd') or shutil.which('signify')
    if not signify:
        raise NotApplicable('no signify')
    body = hashlib.sha256(b'a\n').hexdigest().encode() + b'  a\n'
    extra = hashlib.sha256(b'b\n').hexdigest().encode() + b'  b\n'
    put(lab.folder, {'a': b'a\n', 'b': b'b\n', 'list': body})

    def tool(program, *words):
        run = lab.run(*words, program=program, cwd=lab.folder)
        if run.code:
            raise NotApplicable(f'{program} {" ".join(words)}: {run}')

    def sign(program, *words):
        tool(program, '-S', *words, '-m', 'list', '-x', 'signature')
        signature = read(lab.path('signature'))
        os.unlink(lab.path('signature'))
        return signature
    for name in ('m', 'n'):
        tool('minisign', '-G', '-W', '-p', f'{name}.pub', '-s', f'{name}.key')
    for name in ('k', 'o'):
        tool(signify, '-G', '-n', '-p', f'{name}.pub', '-s', f'{name}.sec')
    modern, other = sign('minisign', '-s', 'm.key'), sign('minisign', '-s', 'n.key')
    kinds = [('minisign', 'm.pub', '.minisig', modern), ('minisign legacy', 'm.pub', '.minisig', sign('minisign', '-l', '-s', 'm.key')),
        ('signify', 'k.pub', '.sig', sign(signify, '-s', 'k.sec'))]
    embedded = sign(signify, '-e', '-s', 'k.sec')

    def check(key, text, signature=None, ending='.sig'):
        path = lab.path('SHA256SUMS')
        write(path, text)
        if signature is not None:
            write(path + ending, signature)
        run = lab.run('check', '--pubkey', lab.path(key), path)
        for made in (path, path + ending):
            if os.path.exists(made):
                os.unlink(made)
        return run

    def refused(label, run):
        tally.expect(run.code in (1, 2) and run.err and b'OK' not in run.out, 'accepted', f'{label}: {run}')
    intact = [(kind, check(key, body, signature, ending)) for kind, key, ending, signature in kinds]
    for label, run in [*intact, ('embedded', check('k.pub', embedded))]:
        if run.code:
            raise ControlFailed(f'{label}: a true signature is refused: {run}')
    lines = modern.split(b'\n')
    header = embedded.split(b'\n', 2)
    cases = [
        ('line before', 'k.pub', extra + embedded), ('line after', 'k.pub', embedded + extra), ('signed twice', 'k.pub', embedded + embedded),
        ('no line end', 'k.pub', embedded[:-1]),
        ('line ends', 'k.pub', embedded.replace(b'\n', b'\r\n')), ('mark', 'k.pub', b'\xef\xbb\xbf' + embedded), ('another key', 'o.pub', embedded),
        ('other text', 'k.pub', b'\n'.join(header[:2]) + b'\n' + extra),
        ('line added', 'm.pub', body + extra, modern, '.minisig'), ('no line end', 'm.pub', body[:-1], modern, '.minisig'),
        ('line ends', 'm.pub', body.replace(b'\n', b'\r\n'), modern, '.minisig'),
        ('empty', 'm.pub', b'', modern, '.minisig'), ('no signature', 'm.pub', body), ('another key', 'n.pub', body, modern, '.minisig'),
        ('another program', 'k.pub', body, modern, '.minisig'),
        ('two signatures', 'm.pub', body, other + modern, '.minisig'),
        ('no trusted comment', 'm.pub', body, b'\n'.join(lines[:2]) + b'\n', '.minisig'),
        ('trusted comment', 'm.pub', body, modern.replace(b'trusted comment: t', b'trusted comment: x'), '.minisig'),
        ('comment of another', 'm.pub', body, b'\n'.join(lines[:3] + other.split(b'\n')[3:]), '.minisig'),
        ('another algorithm', 'm.pub', body, b'\n'.join([lines[0], base64.b64encode(b'Ed' + base64.b64decode(lines[1])[2:]), *lines[2:]]),
            '.minisig'),
    ]
    for label, *words in cases:
        refused(label, check(*words))
    for number in lab.rounds(400):
        kind, key, ending, signature = (kinds + [('embedded', 'k.pub', None, embedded)])[number // 2 % 4]
        # Truncation within the padding at the end of a detached signature keeps every byte of it.
        cut, end = number % 2, len(signature.rstrip(b'=\n') if ending else signature)
        at = random.randrange(end) if cut else random.randrange(signature.index(b'\n') + 1, len(signature))
        damaged = signature[:at] if cut else signature[:at] + bytes([signature[at] ^ 1 << random.randrange(8)]) + signature[at + 1:]
        run = check(key, body, damaged, ending) if ending else check(key, damaged)
        refused(f'{kind}, {"cut" if cut else "flipped"} at {at} of {len(signature)}', run)
