#!/usr/bin/env python3
"""Draws the speed-up over the fastest other tool, from the tables of benchmarks/RESULTS.md, as SVG.

usage: faster.py [--check]     --check: only compares the picture with what the tables say now
"""
import os, re, sys
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, '..', '..', 'benchmarks', 'RESULTS.md')
PICTURE = os.path.join(HERE, 'faster.svg')
ALGORITHMS = ['md5', 'sha256', 'sha512', 'blake3']
# What a row of the table is about, and how it is called here.
JOBS = [
    ('write a manifest', '1 file, 4 GiB', 'One file of 4 GiB'),
    ('write a manifest', '10000 files', '10,000 files of 100 KiB, default options'),
    ('arranged to use all processors, side by side |', '100000 files', '100,000 files of 4 KiB, other tools with xargs -P'),
    ('verify a manifest', '10000 files', 'Verifying 10,000 files of 100 KiB'),
]
# Middle greys and colours that are read on white and on black; plain attributes, for viewers without style sheets.
TEXT, LINE, AHEAD, BEHIND = '#6e7781', '#8c959f', '#1f77d0', '#d1571a'
LEFT, UNIT, BAR, GAP, HEAD, TOP = 74, 78.0, 16, 6, 26, 30
ONE = LEFT + UNIT


def rows():
    """The cells of each job: algorithm to ratio and program."""
    lines = open(RESULTS).read().split('\n')
    head = next(i for i, line in enumerate(lines) if line.startswith('| what | files |'))
    names = [cell.strip() for cell in lines[head].strip('|').split('|')]
    for what, files, title in JOBS:
        line = next(line for line in lines[head + 2:] if what in line and f'| {files}' in line)
        cells = dict(zip(names, (cell.strip() for cell in line.strip('|').split('|'))))
        found = {name: re.fullmatch(r'([\d.]+) \((.*)\)', cells[name]) for name in ALGORITHMS}
        yield title, [(name, float(cell[1]), cell[2]) for name, cell in found.items() if cell]


def picture():
    out, y, most = [], TOP, 1.0
    for title, cells in rows():
        out.append(f'<text x="0" y="{y + 15}" fill="{TEXT}" font-weight="600">{escape(title)}</text>')
        y += HEAD
        begin = y
        for name, ratio, program in cells:
            most = max(most, ratio)
            colour = AHEAD if ratio >= 1 else BEHIND
            out += [f'<text x="{LEFT - 8}" y="{y + 13}" text-anchor="end" fill="{TEXT}">{name}</text>',
                    f'<rect x="{LEFT}" y="{y}" width="{ratio * UNIT:.1f}" height="{BAR}" rx="1.5" fill="{colour}"/>',
                    f'<text x="{LEFT + ratio * UNIT + 6:.1f}" y="{y + 13}" fill="{TEXT}">{ratio:.2f} {escape(program)}</text>']
            y += BAR + GAP
        out.append(f'<line x1="{ONE}" y1="{begin - 3}" x2="{ONE}" y2="{y - 3}" stroke="{LINE}" stroke-dasharray="4 3"/>')
        y += GAP
    width = LEFT + most * UNIT + 110
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{y}" viewBox="0 0 {width:.0f} {y}" '
        'font-family="DejaVu Sans, Segoe UI, Helvetica, Arial, sans-serif" font-size="12.5">',
        '<title>Speed-up over the fastest other tool</title>',
        f'<text x="0" y="14" fill="{TEXT}">Speed-up over the fastest other tool (higher is better; dashed line: equally fast)</text>',
        *out, '</svg>', ''])


if __name__ == '__main__':
    drawn = picture()
    if '--check' not in sys.argv:
        open(PICTURE, 'w').write(drawn)
    elif open(PICTURE).read() != drawn:
        sys.exit('faster.py: faster.svg: benchmarks/RESULTS.md says something else now; draw anew without --check')
