"""Files and folders for attacks, and helpers for them."""
import os, shutil

MIB, GIB = 1 << 20, 1 << 30


def shorten(text, most=150):
    text = ' '.join(text.split())
    return text if len(text) <= most else text[:most - 3] + '...'


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def remove(folder):
    """Removes a folder of any depth: first, a chain of folders named `d` is shortened from its top."""
    chain, spare = os.path.join(folder, 'd'), os.path.join(folder, 'spare')
    while os.path.isdir(os.path.join(chain, 'd')):
        for name in os.listdir(chain):
            if name != 'd':
                os.unlink(os.path.join(chain, name))
        os.rename(os.path.join(chain, 'd'), spare)
        os.rmdir(chain)
        os.rename(spare, chain)
    shutil.rmtree(folder, ignore_errors=True)


def deep(top, levels, name='d'):
    """Creates a chain of folders with a file at its end step by step, so that no path exceeds the system's limit."""
    at = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=at)
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=at)
        os.close(at)
        at = below
    file = os.open('file', os.O_WRONLY | os.O_CREAT, dir_fd=at)
    os.write(file, b'at the end\n')
    os.close(file)
    os.close(at)
