"""A file that changes while it is read: how it is done, and what a run over it may come to."""
import random, re, signal, time
from files import write


def judge(tally, run, known, must_notice=False):
    """Judges one run over a file that was attacked. `known` names the digests of contents that the file had."""
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


def strike(lab, path, words, change, earliest, latest, stop=True):
    """Runs the program over a file at rest and changes the file while it reads, the program being stopped meanwhile: what
    is read is either the old content or the new one, and a digest of some of both was never that of the file."""
    child = lab.start(*words, path)
    time.sleep(random.uniform(earliest, latest))
    if stop:
        child.send_signal(signal.SIGSTOP)
    change()
    if stop:
        child.send_signal(signal.SIGCONT)
    return lab.finish(child)


def two_contents(lab, path, words, size):
    """Two contents, their digests, and the time a run takes that nobody disturbs."""
    contents, known = [bytes([letter]) * size for letter in b'AB'], {}
    for content, name in zip(contents, ('before', 'after')):
        write(path, content)
        run = lab.control(*words, path)
        known[run.digest] = name
    return contents, known, run.seconds
