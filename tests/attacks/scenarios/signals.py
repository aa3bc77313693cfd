"""Signals that end a run: in a hole, and over many small files."""
import os, pty, random, re, signal, time
from files import GIB, MIB, shorten, write
from outcomes import NotApplicable


def signal_in_hole(lab, tally):
    """SIGINT and SIGTERM while a hole of 256 GiB is read. Right: the run ends within 3 s with exit status 128 + the
    signal's number, no digest, a message that it was interrupted, and amounts (summary and progress line) that can have
    been hashed in that time, not the size of the hole."""
    hole, size = lab.path('hole'), 256 * GIB
    write(hole, b'')
    try:
        os.truncate(hole, size)
    except OSError as error:
        raise NotApplicable(f'no sparse file of 256 GiB: {error}')
    units = {'B': 1, 'KiB': 1 << 10, 'MiB': MIB, 'GiB': GIB, 'TiB': 1 << 40}
    write(lab.path('M'), f'{"0" * 64}  hole\n'.encode())
    for words in (['hash', hole], ['hash', '-o', lab.path('new'), hole], ['hash', '-a', 'sha512,crc32', hole], ['hash', '-a', 'blake3', hole], ['check', lab.path('M')]):
        for number in (signal.SIGINT, signal.SIGTERM):
            terminal, slave = pty.openpty()
            child = lab.start(*words, stderr=slave)
            os.close(slave)
            time.sleep(0.8)
            if child.poll() is not None:
                lab.finish(child)
                tally.missed('ended before the signal')
                os.close(terminal)
                continue
            child.send_signal(number)
            run = lab.finish(child, patience=3)
            output = drain(terminal).decode(errors='replace')
            label = f'{" ".join(words[:-1])} hole, {number.name}'.replace(lab.folder + '/', '')
            if run.code is None:
                tally.wrong('still running after 3 s', f'{label}: still running after 3 s')
                continue
            amounts = [float(value) * units[unit] for value, unit in re.findall(r'after .*?, ([\d.]+) ([KMGT]?i?B)\b', output)]
            percent = [float(value) for value in re.findall(r'([\d.]+) ?%', output)]
            tally.expect(run.code == 128 + number and re.search('interrupt', output), 'wrong exit status or message', f'{label}: exit {run.code}: {shorten(output)}')
            tally.expect(not re.match(rb'[0-9a-f]{8}|.*: OK', run.out) and not os.path.exists(lab.path('new')), 'a digest or manifest of what was not read', f'{label}: {run.out[:80]}')
            tally.expect(max(amounts, default=0) < size / 2 and max(percent, default=0) < 50, 'more claimed than was hashed', f'{label}: {shorten(output)}')


def drain(terminal):
    """What was written to a terminal whose other end is closed."""
    output = b''
    try:
        while piece := os.read(terminal, 1 << 16):
            output += piece
    except OSError:
        pass
    os.close(terminal)
    return output


def interrupts(lab, tally):
    """60 SIGINTs, 0.2 to 5 s into `hash -a sha3-512` of 60,000 small files given many times over, to /dev/null and with
    -o; several runs at once. Right: every run ends within 5 s, with 130, or with 0 if it was complete."""
    forest, at_once = lab.suite.forest(), 6
    manifest = lab.path('M')
    for batch in lab.rounds(10):
        runs = []
        with open(os.devnull, 'wb') as null:
            for number in range(at_once):
                words = ['--allow-outside', '-o', f'{manifest}{number}'] if number % 2 else []
                child = lab.start('hash', '--progress=never', '-a', 'sha3-512', *words, *[forest] * 20, stdout=null)
                runs.append((time.monotonic() + random.uniform(0.2, 5.0 if batch % 2 else 1.5), child, words))
        for when, child, words in sorted(runs, key=lambda run: run[0]):
            time.sleep(max(0, when - time.monotonic()))
            child.send_signal(signal.SIGINT)
            child.signal_time = time.monotonic()
        for when, child, words in sorted(runs, key=lambda run: run[0]):
            run = lab.finish(child, patience=max(0.1, child.signal_time + 5 - time.monotonic()))
            kind = 'hash -o' if words else 'hash'
            if run.code is None:
                tally.wrong('still running after 5 s', f'{kind}: still running 5 s after SIGINT')
            elif run.code == 130 and b'interrupted' in run.err:
                tally.right('ended')
            elif run.code == 0:
                tally.missed('ended before the signal')
            else:
                tally.wrong('wrong exit status or message', f'{kind}: {run}')
