"""Manifests that are truncated, have flipped bits or contradict themselves."""
import gzip, hashlib, json, os, random
from files import read, write
from outcomes import ControlFailed

CONTENTS = {'aa': b'alpha alpha\n', 'bb.txt': b'beta\n', 'dir/cc.bin': b'gamma\n' * 40}
OLD = 1_600_000_000


def put_files(folder, contents):
    for name, data in contents.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, data)
        os.utime(path, (OLD, OLD))


def accounted(lab, tally, label, manifest, files, damaged=()):
    """Checks a manifest. Exit status 0 only if every file is verified or counted as not in the manifest, and a damaged file
    never passes."""
    run = lab.run('check', '--json', manifest)
    if run.code not in (0, 1, 2):
        tally.wrong('hung' if run.code is None else f'died ({run.code})', f'{label}: {run}')
        return run
    rows = [json.loads(line) for line in run.out.splitlines()]
    verified = {row['path'] for row in rows if row['kind'] == 'entry' and row['verdict'] == 'verified'}
    summary = rows[-1] if rows and rows[-1]['kind'] == 'summary' else {}
    tally.expect(not verified & set(damaged), 'damaged file verified', f'{label}: {verified & set(damaged)}')
    if run.code:
        reported = [row for row in rows if row['kind'] != 'summary' and row.get('verdict') != 'verified']
        tally.expect(run.err or reported, 'failed without a message', f'{label}: {run}')
    else:
        missing = files - len(verified)
        tally.expect(verified and (not missing or summary['unlisted'] >= missing), 'exit 0 without a notice',
                     f'{label}: {len(verified)} of {files} files verified, {summary.get("unlisted")} counted as not in the manifest')
    return run


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:]


def damaged_manifests(lab, tally):
    """Manifests in every format that is written, and compressed ones, truncated at a random byte or with one bit
    flipped; in half of the rounds a file is damaged too. Right: exit status 0 only if every file was verified or is
    counted as not in the manifest. A damaged file is never verified, not even with an intact manifest."""
    folder = lab.path('t')
    put_files(folder, CONTENTS)
    rows = [json.loads(line) for line in lab.control('list', 'formats', '--json').out.splitlines()]
    manifests = []
    for row in (row for row in rows if row['written'] and row['read']):
        path = os.path.join(folder, 'M.' + row['name'])
        made = lab.run('hash', '-t', row['name'], '-o', path, '--root', '.', *CONTENTS, cwd=folder)
        if made.code:
            tally.expect(made.err and not os.path.exists(path), 'wrong refusal', f'{row["name"]}: {made}')
            continue
        manifests.append((row['name'], path, read(path)))
        os.unlink(path)
    plain = next(data for name, _, data in manifests if name == 'gnu')
    path = os.path.join(folder, 'SHA256SUMS.gz')
    manifests += [('gzip', path, gzip.compress(plain, mtime=0)), ('stored gzip', path, gzip.compress(plain, 0, mtime=0)),
                  ('gzip members', path, b''.join(gzip.compress(line, mtime=0) for line in plain.splitlines(True)))]
    for name, path, data in manifests:
        write(path, data)
        run = accounted(lab, tally, name, path, len(CONTENTS))
        if run.code:
            raise ControlFailed(f'{name}: an intact manifest does not verify: {run}')
        victim = random.choice(sorted(CONTENTS))
        put_files(folder, {victim: flip(CONTENTS[victim], random.randrange(len(CONTENTS[victim])))})
        run = accounted(lab, tally, f'{name}, {victim} damaged', path, len(CONTENTS), [victim])
        tally.expect(run.code == 1, 'damage not found', f'{name}, {victim} damaged: {run}')
        put_files(folder, CONTENTS)
        os.unlink(path)
    for number in lab.rounds(2000):
        name, path, data = manifests[number // 2 % len(manifests)]
        # Half of the manifests are truncated at the end of a line, where a shorter list can be well-formed.
        ends = [0] + [end + 1 for end, byte in enumerate(data[:-1]) if byte == 10]
        at = random.choice(ends) if number % 4 == 1 else random.randrange(len(data))
        write(path, data[:at] if number % 2 else flip(data, at))
        victims = random.choice(([], [random.choice(sorted(CONTENTS))]))
        for victim in victims:
            put_files(folder, {victim: flip(CONTENTS[victim], random.randrange(len(CONTENTS[victim])))})
        label = f'{name}, {"cut" if number % 2 else "flipped"} at {at} of {len(data)}' + ''.join(f', {victim} damaged' for victim in victims)
        accounted(lab, tally, label, path, len(CONTENTS), victims)
        for victim in victims:
            put_files(folder, {victim: CONTENTS[victim]})
        os.unlink(path)


def contradictory_manifests(lab, tally):
    """Lists and JSON whose lines are joined, hidden, doubled or contradict each other, in several encodings. Right: as
    for damaged manifests. A digest that is wrong for a file, or that is not recognized as one, is never ignored
    silently."""
    folder = lab.path('t')
    contents = {'a': b'a\n', 'b': b'b\n'}
    put_files(folder, contents)
    good, other, bad = (hashlib.sha256(contents['a']).hexdigest(), hashlib.sha256(contents['b']).hexdigest(), '0' * 64)
    first = f'{good}  a\n'
    lists = [
        f'{good}  a{other}  b\n', f'{good}  a {bad}  b\n', f'{first}{bad[:40]}  b\n', f'{first}{other[:32]}  b\n', f'{first}{other[:63]}  b\n',
        f'{first}{other}0  b\n', f'{first}{other}{other}  b\n', f'{first}{bad}  a\n', f'{bad}  a\n{first}', f'{first}#{bad}  b\n',
        f'{first}; {bad}  b\n',
        f'<<<<<<< HEAD\n{bad}  a\n=======\n{first}>>>>>>> x\n', f'--- x\n+++ y\n@@ -1 +1 @@\n-{bad}  b\n+{first}', f'{good}  a\r{bad}  b\r',
        f'{good}  a\x0b{bad}  b\n',
        f'{good}  a\u0085{bad}  b\n', f'{good}  a\u2028{bad}  b\n', f'{good}  a\0{bad}  b\n', f'{first}\0\0\0\0\n{bad}  b\n',
        f'{first}\x1a{bad}  b\n', f'{first}\ufeff{bad}  b\n',
        f'{first}\u200b{bad}  b\n', f'{first}{bad}\u00a0\u00a0b\n', f'{first}\\{bad}  b\n', f'<pre>{first}{bad}  b</pre>\n',
        f'{first}{"O" * 64}  b\n', f'{first}{bad}\n', f'{first}{bad}  \n',
        f'SHA256 (a) = {good}\nSHA1 (b) = {bad}\n', f'SHA256 (a) = {good}\nFOO256 (b) = {bad}\n', f'SHA256 (a) = {good} SHA256 (b) = {bad}\n',
        f'SHA256 (a) = {good}\n   SHA256 (b) = {bad}\n',
        f'{first}b: {bad}\n', f'{first}b: FAILED\n', f'{first}sha256sum: b: Input/output error\n', f'- {first}- {bad}  b\n', f'{first}~~{bad}  b~~\n',
        f'{first}{" " * 5000}{bad}  b\n',
        f'-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{first}',
        f'-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{first}-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n{bad}  b\n',
        f'{bad}  b\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{first}-----BEGIN PGP SIGNATURE-----\n\nabc\n-----END PGP SIGNATURE-----\n',
    ]
    # Each of these contradicts the file `a` or itself.
    contradictions = [
        '{"path":"a","digests":{"sha256":"BAD"},"digests":{"sha256":"GOOD"}}', '{"path":"a","digests":{"sha256":"GOOD"},"digests":{"sha256":"BAD"}}',
        '{"path":"a","digests":{"sha256":"BAD","sha256":"GOOD"}}', '{"path":"a","digests":{"sha256":"GOOD","sha256":"BAD"}}',
        '{"path":"a","digests":{"SHA256":"BAD","sha256":"GOOD"}}',
        '{"path":"a","digests":{"sha-256":"BAD","sha256":"GOOD"}}', '{"path":"gone","path":"a","digests":{"sha256":"GOOD"}}',
        '{"path":"a","path":"gone","digests":{"sha256":"GOOD"}}',
        '{"path":"a","size":3,"digests":{"sha256":"GOOD"}}', '{"path":"a","size":"3","digests":{"sha256":"GOOD"}}',
        '{"path":"a","size":3.5,"digests":{"sha256":"GOOD"}}',
        '{"path":"a","size":-1,"digests":{"sha256":"GOOD"}}', '{"path":"a","size":18446744073709551618,"digests":{"sha256":"GOOD"}}',
        '{"path":"a","size":3,"size":2,"digests":{"sha256":"GOOD"}}',
        '{"path":"a","digests":{"sha256":null}}', '{"path":"a","digests":{"sha256":["BAD","GOOD"]}}',
        '{"path":"a","digests":[{"sha256":"GOOD"},{"sha256":"BAD"}]}',
        '{"path":"gone","p\\u0061th":"a","digests":{"sha256":"GOOD"}}', '{"path":"a","digests":{"sha\\u0032\\u00356":"BAD","sha256":"GOOD"}}',
        '{"path":"a\\u0000b","digests":{"sha256":"GOOD"}}',
        '{"path":"a","digests":{"sha256":"GOOD00"}}', '{"a":"BAD","a":"GOOD"}', '{"a":"GOOD","a":"BAD"}',
        '[{"name":"a","sha256":"GOOD"},{"name":"a","sha256":"BAD"}]',
        '{"path":"a","digests":{"sha256":"GOOD"}}\n{"schema":"truesum-error/1","path":"b","error":"Input/output error"}',
        '{"path":"a","digests":{"sha256":"GOOD"}}\n{"schema":"truesum-hash/1","kind":"summary","failed":3,"incomplete":true,"exit":1}',
    ]
    for name, encodings in (('SHA256SUMS', ['utf-8']), ('list.txt', ['utf-8', 'utf-16', 'utf-16-be'])):
        for text in lists:
            for encoding in encodings:
                path = os.path.join(folder, name)
                write(path, (b'\xfe\xff' if encoding.endswith('be') else b'') + text.encode(encoding))
                accounted(lab, tally, f'{name} in {encoding}: {text!r}'.replace(good, 'GOOD').replace(other, 'OTHER').replace(bad, 'BAD'), path, 2)
                os.unlink(path)
    for name in ('M.jsonl', 'M.json'):
        path = os.path.join(folder, name)
        write(path, ('{"path":"a","digests":{"sha256":"' + good + '"}}\n').encode())
        lab.control('check', path)
        for text in contradictions:
            write(path, text.replace('GOOD', good).replace('BAD', bad).encode() + b'\n')
            run = lab.run('check', path)
            tally.expect(run.code in (1, 2) and run.err + run.out, 'a contradiction passes', f'{name}: {text}: {run}')
        os.unlink(path)
