#!/usr/bin/env python3
"""Compares work on manifests with the usual tools: convert with awk, diff with diff(1), update --quick with find(1).

Usage: lists.py TRUESUM [ENTRIES] [FILES] [ROUNDS]

Makes manifests with ENTRIES entries and a tree of FILES files in a temporary folder, runs the commands of each pair
alternately, and prints the medians of processor time (user and system) and elapsed time. Both commands of a pair must give
the same result.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

NAME = 'data/folder-%05d-archive/photographs/IMG_%06d-original.jpg'


def write_list(path, entries, order):
    with open(path, 'w') as file:
        file.writelines('%s  %s\n' % (entries[name], name) for name in order)


def measure(command, output):
    """Runs a command and returns its processor time and elapsed time."""
    with open(output, 'wb') as file:
        start = time.monotonic()
        child = subprocess.Popen(command, stdout=file, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        elapsed = time.monotonic() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    # The status 1 of both programs named diff means that there are differences.
    if child.returncode not in (0, 1):
        sys.exit('%s: exit status %d' % (' '.join(command), child.returncode))
    return usage.ru_utime + usage.ru_stime, elapsed


def compare(title, commands, rounds, reduce):
    """Measures commands in turn. `reduce` reduces the output of a command to what all of them must agree on."""
    samples = {name: [] for name in commands}
    for _ in range(rounds):
        results = {}
        for name, command in commands.items():
            samples[name].append(measure(command, 'out'))
            results[name] = reduce(name)
        if len(set(results.values())) > 1:
            sys.exit('%s: different results: %s' % (title, results))
    medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in samples.items()}
    (ours, *_), (peer, *_) = list(medians.values())[:2]
    print('%s: processor time %.2f of the peer' % (title, ours / peer))
    for name, (processor, elapsed) in medians.items():
        print('    %-10s %7.3f s, elapsed %7.3f s' % (name, processor, elapsed), flush=True)


def content(path):
    with open(path, 'rb') as file:
        return file.read()


def main():
    program = os.path.abspath(shutil.which(sys.argv[1]) or sys.argv[1])
    count, files, rounds = (int(word) for word in (sys.argv[2:] + ['1000000', '100000', '5'][len(sys.argv) - 2:]))
    random.seed(1)
    per_folder = max(1, count // 1000)
    names = [NAME % (index // per_folder, index % per_folder) for index in range(count)]
    entries = {name: '%064x' % random.getrandbits(256) for name in names}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_list('old.sha256', entries, names)
        for name in random.sample(names, max(1, count // 1000)):
            entries[name] = '%064x' % random.getrandbits(256)
        write_list('new.sha256', entries, names)
        random.shuffle(names)
        write_list('shuffled.sha256', entries, names)

        def bsd_hash(name):
            return hash(content('bsd' if name == 'truesum' else 'out'))

        # Without an earlier output: an existing manifest is read before it is replaced.
        ours = ['sh', '-c', 'rm -f bsd && exec "$0" convert old.sha256 -t bsd -o bsd', program]
        awk = ['awk', '{ print "SHA256 (" substr($0, 67) ") = " $1 }', 'old.sha256']
        compare('convert', {'truesum': ours, 'awk': awk}, rounds, bsd_hash)

        def count_changes(name):
            return sum(line.startswith((b'changed\t', b'> ')) for line in content('out').splitlines())

        ours, peer = [program, 'diff', 'old.sha256', 'new.sha256'], ['diff', 'old.sha256', 'new.sha256']
        compare('diff', {'truesum': ours, 'diff': peer}, rounds, count_changes)
        sort = ['sh', '-c', 'for list in old shuffled; do LC_ALL=C sort -k2 $list.sha256 > $list; done; diff old shuffled']
        ours = [program, 'diff', 'old.sha256', 'shuffled.sha256']
        compare('diff of a shuffled manifest', {'truesum': ours, 'sort, diff': sort}, rounds, count_changes)

        for index in range(files):
            if index % 100 == 0:
                os.makedirs('tree/%04d' % (index // 100))
            with open('tree/%04d/%04d' % (index // 100, index % 100), 'wb') as file:
                file.write(b'%4096d' % index)
        subprocess.run([program, 'hash', 'tree', '-o', 'tree/SHA256SUMS'], check=True, stderr=subprocess.DEVNULL)
        # A file that was modified in the same tick as the manifest would be read.
        time.sleep(1)
        subprocess.run(['touch', 'tree/SHA256SUMS'], check=True)
        ours = [program, 'update', '--quick=date', 'tree/SHA256SUMS']
        find = ['find', 'tree', '-type', 'f', '-printf', '%s %T@\n']
        compare('update --quick', {'truesum': ours, 'find': find}, rounds, lambda _: None)


if __name__ == '__main__':
    main()
