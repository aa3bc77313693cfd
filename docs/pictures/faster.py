#!/usr/bin/env python3
"""Draws how long truesum and other tools take, from the runs in benchmarks/recorded, as SVG.

usage: faster.py [--check]     --check: only compares the picture with the recorded runs
"""
import json, os, statistics, sys
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, '..', '..', 'benchmarks', 'recorded')
PICTURE = os.path.join(HERE, 'faster.svg')
# A recorded run, the algorithm, and the heading.
JOBS = [
    ('typed-100KiB', 'sha256', 'Hash 10,000 files of 100 KiB, SHA-256'),
    ('typed-100KiB', 'blake3', 'Hash 10,000 files of 100 KiB, BLAKE3'),
    ('arranged-4KiB', 'sha256', 'Hash 100,000 files of 4 KiB, SHA-256, other tools with xargs -P'),
    ('verified-100KiB', 'sha256', 'Verify 10,000 files of 100 KiB, SHA-256'),
    ('big', 'sha256', 'Hash one file of 4 GiB, SHA-256'),
]
# The engines of a run by the names of their programs; only the fastest arrangement of each program is drawn.
PROGRAMS = {'find -exec +': 'sha256sum', 'coreutils': 'sha256sum', 'openssl dgst': 'openssl'}
# Middle greys and colors that can be read on white and on black; plain attributes, for viewers without style sheets.
TEXT, OURS, OTHERS = '#6e7781', '#1f77d0', '#9aa2ab'
LEFT, LONGEST, BAR, GAP, HEAD, TOP = 92, 420, 16, 5, 26, 32


def median_times(run, algorithm):
    """Returns the programs with their median times in seconds, the fastest first."""
    with open(os.path.join(RECORDED, run + '.json')) as file:
        measurements = json.load(file)['measurements']
    best = {}
    for measurement in measurements:
        if measurement['part'] == 'tool' and measurement['algorithm'] == algorithm:
            engine = measurement['engine'].split(',')[0]
            if engine.startswith('truesum '):
                continue  # another command of ours
            name, seconds = PROGRAMS.get(engine, engine), statistics.median(measurement['seconds'])
            best[name] = min(seconds, best.get(name, seconds))
    return sorted(best.items(), key=lambda item: item[1])


def picture():
    out, y = [], TOP
    for run, algorithm, title in JOBS:
        out.append(f'<text x="0" y="{y + 15}" fill="{TEXT}" font-weight="600">{escape(title)}</text>')
        y += HEAD
        rows = median_times(run, algorithm)
        for name, seconds in rows:
            width = max(1.0, LONGEST * seconds / rows[-1][1])
            color = OURS if name == 'truesum' else OTHERS
            out += [f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end" fill="{TEXT}">{escape(name)}</text>',
                    f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR}" rx="1.5" fill="{color}"/>',
                    f'<text x="{LEFT + width + 6:.1f}" y="{y + 13}" fill="{TEXT}">{seconds:.2f} s</text>']
            y += BAR + GAP
        y += 10
    width = LEFT + LONGEST + 70
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" viewBox="0 0 {width} {y}" '
        'font-family="DejaVu Sans, Segoe UI, Helvetica, Arial, sans-serif" font-size="12.5">',
        '<title>Time of truesum and of other tools</title>',
        f'<text x="0" y="14" fill="{TEXT}">Time of the complete process (lower is better); 2 cores, data in the page cache</text>',
        *out, '</svg>', ''])


if __name__ == '__main__':
    drawn = picture()
    if '--check' not in sys.argv:
        open(PICTURE, 'w').write(drawn)
    elif open(PICTURE).read() != drawn:
        sys.exit('faster.py: faster.svg does not show benchmarks/recorded: draw it again without --check')
