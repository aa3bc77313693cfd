"""Clocks that are set back, stand still or jump between the runs of `check --state`."""
import itertools, os, re, shutil
from files import read, write
from outcomes import NotApplicable

FILES, LIMIT = 20, 1000
# Half of the files have 100 bytes and half 200. The oldest entries come first, so 3 runs read 3,000 bytes.
PROMISED_RUNS = 3
CLOCKS = {
    'frozen': lambda run: '2020-01-01 00:00:00',
    'frozen at 1970': lambda run: '1970-01-01 00:00:00',
    'back by 1 s': lambda run: f'2026-11-01 00:00:{59 - run:02}',
    'back by 3 days': lambda run: f'-{3 * run + 1}d',
    'ahead by 5 years, then back': lambda run: '-1d' if run % 2 else '+1825d',
    'back by 1 year, then right': lambda run: f'2025-10-{run:02} 00:00:00' if run else '2026-11-01 00:00:00',
    'jitter': lambda run: f'2026-11-01 00:00:{30 - 10 * (run % 2) + 5 * (run // 2) % 20}',
    'before 1970': lambda run: f'1969-12-31 00:00:{run:02}',
}


def check_clocks(lab, tally):
    """`check --state --max-bytes` with clocks that are set back, stand still or jump between runs. Right: with every
    clock, every file is read within the guaranteed number of runs; a failure is reported by every later run until the
    file is good again."""
    if not shutil.which('faketime'):
        raise NotApplicable('no faketime')
    folder, manifest, state = lab.path('t'), lab.path('t/SHA256SUMS'), lab.path('state')
    os.mkdir(folder)
    for number in range(FILES):
        write(os.path.join(folder, f'{number:02}'), b'%d' % (number % 10) * (100 if number < 10 else 200))
        os.utime(os.path.join(folder, f'{number:02}'), (1_500_000_000, 1_500_000_000))
    lab.control('hash', '-q', '-o', manifest, folder)

    def night(clock):
        return lab.run('-f', clock, lab.truesum, 'check', '--state', state, '--max-bytes', LIMIT, manifest, program='faketime')
    night('2001-01-01 00:00:00')
    if b' 2001-01-01T' not in read(state):
        raise NotApplicable('faketime does not reach the program')
    for number, (name, clock) in zip(lab.rounds(2 * len(CLOCKS)), itertools.cycle(CLOCKS.items())):
        os.unlink(state)
        damaged, seen, failed = number >= len(CLOCKS), set(), False
        if damaged:
            write(os.path.join(folder, '05'), b'x' * 100)
        for run_number in range(PROMISED_RUNS):
            run = night(clock(run_number))
            seen |= set(re.findall(rb'^(\d\d): ', run.out, re.MULTILINE))
            failed |= b'05: FAILED' in run.out
            tally.expect(run.code == (1 if failed else 0), 'wrong exit status', f'clock {name}, run {run_number + 1}: {run}')
        tally.expect(len(seen) == FILES, 'not everything is read', f'clock {name}: {len(seen)} of {FILES} files in {PROMISED_RUNS} runs')
        tally.expect(failed == damaged, 'damage not found' if damaged else 'failed without damage', f'clock {name}')
        if damaged:
            for run_number in range(PROMISED_RUNS, PROMISED_RUNS + 3):
                run = night(clock(run_number))
                tally.expect(run.code == 1, 'a failure is forgotten', f'clock {name}, run {run_number + 1}: {run}')
            write(os.path.join(folder, '05'), b'5' * 100)
