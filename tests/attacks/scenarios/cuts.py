"""A file that is truncated while another process has it mapped."""
import os, random, time
from files import MIB, write
from scenarios.changes import evaluate, change_during_run


def regrow(lab, tally):
    """A file is truncated and extended again to its old length while its pages are mapped (SIGBUS), 100 times. Right:
    an error that says the file changed, or the digest of a complete content. Wrong: a crash, a hang, a message that
    blames the disk, a digest of anything else."""
    size = 24 * MIB
    data = os.urandom(size)
    zeros, places = bytes(size), [lab.path('f'), os.path.join(lab.memory(), 'f')]
    commands = (['hash', '-a', 'sha256'], ['hash', '-a', 'crc32'], ['hash', '-a', 'sha256'], ['tree', '-j', '2'])
    for path in places:
        write(path, data)
    for number in lab.rounds(100):
        path, words = places[number % 4 == 3], commands[number % len(commands)]
        file, cut = os.open(path, os.O_RDWR), random.randrange(size)

        def change():
            os.ftruncate(file, cut)
            time.sleep(random.uniform(0, 0.002))
            os.ftruncate(file, size)
        run = change_during_run(lab, path, words, change, 0.001, 0.012, stop=False)
        known = {}
        if run.code == 0:
            for content, name in ((data, 'before'), (data[:cut], 'between'), (data[:cut] + zeros[cut:], 'after')):
                os.ftruncate(file, len(content))
                os.pwrite(file, content, 0)
                known[lab.control(*words, path).digest] = name
        evaluate(tally, run, known, must_notice=True)
        os.pwrite(file, data[cut:], cut)
        os.close(file)
    for number in lab.rounds(10):
        path = places[number % 2]
        toggler = lab.toggle('truncate', path, size)
        run = lab.run('hash', '-a', 'crc32', path)
        lab.end(toggler)
        # The content changes all the time, so a digest cannot be evaluated.
        evaluate(tally, run, {run.digest: 'of some moment'}, must_notice=True)
