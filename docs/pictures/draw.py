#!/usr/bin/env python3
"""Draws the program's terminal output from a real run as SVG.

usage: draw.py TRUESUM [--check]     --check: only compares the pictures with what the program says now

Each picture is a row of PICTURES: its file, the preparations that are not shown, and the command that is.
"""
import os, pty, random, re, subprocess, sys, tempfile
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
# Plain colors as attributes, for viewers without style sheets; the panel is dark in light pages and in dark ones.
PANEL, EDGE, TEXT, DIM = '#1e2227', '#3d444d', '#dfe3e8', '#8b949e'
COLOURS = {'31': '#ff7b72', '32': '#7ee787', '33': '#e3b341', '36': '#79c0ff', '1': '#ffffff', '0': TEXT, '': TEXT}
SIZE, CHARACTER, LINE, MARGIN = 14, 8.43, 20, 16


def disk(folder, truesum):
    """A disk image with its manifest and its tree, in which a thousand bytes were changed afterwards."""
    image = os.path.join(folder, 'disk.img')
    with open(image, 'wb') as file:
        file.write(random.Random(1).randbytes(64 << 20))
    for words in (['hash', '-o', 'SHA256SUMS', 'disk.img'], ['tree', '--save', 'disk.img']):
        subprocess.run([truesum, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(image, 'r+b') as file:
        file.seek(40 << 20)
        file.write(bytes(1000))


PICTURES = [('check.svg', disk, ['check', '--locate', 'SHA256SUMS'])]


def terminal_output(truesum, words, folder):
    """Returns the lines that the program writes to a terminal of 100 columns."""
    master, slave = pty.openpty()
    environment = {'PATH': os.environ.get('PATH', os.defpath), 'TERM': 'xterm', 'COLUMNS': '100', 'LC_ALL': 'C.UTF-8'}
    process = subprocess.Popen([truesum, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    out = b''
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:             # the terminal is gone with the process
            break
        if not piece:
            break
        out += piece
    process.wait()
    os.close(master)
    # The progress line is overwritten; what remains of a line follows its last carriage return.
    text = re.sub(r'\x1b\[[0-9;?]*[A-LN-Za-ln-z]', '', out.decode())
    return [line.rsplit('\r', 1)[-1] for line in text.replace('\r\n', '\n').rstrip('\n').split('\n')]


def spans(line):
    """Returns pieces of a line with their colors and starting columns."""
    column, color, result = 0, TEXT, []
    for number, piece in enumerate(re.split(r'\x1b\[([0-9;]*)m', line)):
        if number % 2:
            color = COLOURS.get(piece.split(';')[-1], TEXT)
        elif piece:
            result.append((column, color, piece))
            column += len(piece)
    return result


def picture(words, lines):
    rows = [[(0, DIM, '$ '), (2, COLOURS['1'], 'truesum ' + ' '.join(words))], *map(spans, lines)]
    width = 2 * MARGIN + CHARACTER * max(column + len(text) for row in rows for column, _, text in row)
    height = 2 * MARGIN + LINE * len(rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" '
           f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{SIZE}">',
           f'<title>truesum {escape(" ".join(words))}</title>',
           f'<rect x="0.5" y="0.5" width="{width - 1:.0f}" height="{height - 1}" rx="8" fill="{PANEL}" stroke="{EDGE}"/>']
    for number, row in enumerate(rows):
        y = MARGIN + LINE * number + SIZE
        for column, color, text in row:
            # The length keeps columns in place with any font.
            out.append(f'<text x="{MARGIN + column * CHARACTER:.1f}" y="{y}" fill="{color}" xml:space="preserve" '
                       f'textLength="{len(text) * CHARACTER:.1f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>')
    return '\n'.join([*out, '</svg>', ''])


def main():
    arguments = [word for word in sys.argv[1:] if word != '--check']
    if len(arguments) != 1:
        sys.exit(__doc__)
    truesum, stale = os.path.abspath(arguments[0]), []
    for name, prepare, words in PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            prepare(folder, truesum)
            svg = picture(words, terminal_output(truesum, words, folder))
        path = os.path.join(HERE, name)
        if '--check' not in sys.argv:
            with open(path, 'w') as file:
                file.write(svg)
        elif not os.path.exists(path) or open(path).read() != svg:
            stale.append(name)
    if stale:
        sys.exit(f'draw.py: {", ".join(stale)}: the output of the program has changed; draw again without --check')
    if '--check' in sys.argv:
        print(f'pictures: {len(PICTURES)} show the program\'s current output')


if __name__ == '__main__':
    main()
