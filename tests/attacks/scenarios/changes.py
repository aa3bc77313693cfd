"""A file that changes while it is read: how the change is made, and which results are correct."""
import random, re, signal, time
from files import write


def evaluate(tally, run, known, must_notice=False):
    """Evaluates one run over a file that was attacked. `known` maps the digests of the file's contents to names."""
    if run.code is None or run.code < 0 or run.code > 2:
        tally.wrong('hung' if run.code is None else f'died ({run.code})', run)
    elif run.code == 0 and run.digest in known:
        tally.missed(f'digest of the content {known[run.digest]}')
    elif run.code == 0:
        tally.wrong('digest of neither content, exit 0', f'exit 0 with {run.digest[:24]}, known are '
                    + ', '.join(f'{digest[:8]} {name}' for digest, name in known.items()))
    elif re.search(rb'Input/output error|device reports|No such device', run.err):
        tally.wrong('blamed the disk', run)
    elif not run.err:
        tally.wrong('failed without a message', run)
    elif must_notice and b'changed' not in run.err.lower():
        tally.wrong('refused, but does not say that the file changed', run)
    else:
        tally.right('changed' if b'changed' in run.err.lower() else 'refused')


def change_during_run(lab, path, words, change, earliest, latest, stop=True):
    """Runs the program over an unchanging file and changes the file during the read while the program is stopped. What
    is read is either the old or the new content, so a digest of a mixture was never that of the file."""
    child = lab.start(*words, path)
    time.sleep(random.uniform(earliest, latest))
    if stop:
        child.send_signal(signal.SIGSTOP)
    change()
    if stop:
        child.send_signal(signal.SIGCONT)
    return lab.finish(child)


def two_contents(lab, path, words, size):
    """Returns two contents, their digests, and the duration of an undisturbed run."""
    contents, known = [bytes([letter]) * size for letter in b'AB'], {}
    for content, name in zip(contents, ('before', 'after')):
        write(path, content)
        run = lab.control(*words, path)
        known[run.digest] = name
    return contents, known, run.seconds
