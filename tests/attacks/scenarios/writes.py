"""Writers during a read: one long call, pages mapped shared, a modification time set back."""
import mmap, os, threading, time
from files import MIB
from scenarios.changes import evaluate, change_during_run, two_contents


def long_write(lab, tally):
    """A write(2) of 256 MiB is in progress when the file is opened and has not ended when the digest is finished: the
    kernel sets the timestamp when a write begins, so the times do not change. Right: an error, or the digest of one of
    the two contents. Wrong: a digest of neither with exit status 0."""
    size, memory = 256 * MIB, lab.memory()
    for folder, commands in ((memory, (['hash', '-a', 'crc32'], ['tree'])), (lab.folder, (['hash', '-a', 'crc32'],))):
        path = os.path.join(folder, 'f')
        for words in commands:
            contents, known, _ = two_contents(lab, path, words, size)
            file = os.open(path, os.O_RDWR)
            for number in lab.rounds(6):
                ended = []
                writer = threading.Thread(target=lambda: (os.pwrite(file, contents[number % 2], 0), ended.append(time.monotonic())))
                writer.start()
                time.sleep(0.01)
                run = lab.run(*words, path)
                now = time.monotonic()
                writer.join()
                if run.code == 0 and run.digest in known and now > ended[0]:
                    tally.missed('write ended first')
                elif run.code == 0 and run.digest in known:
                    tally.right('digest of a whole content')
                else:
                    evaluate(tally, run, known)
            os.close(file)
        os.unlink(path)


def mapped_writer(lab, tally, path):
    """The common scenario: pages that a writer has mapped shared and made dirty change without a system call and
    without a new timestamp, while the program is stopped during the read."""
    for words in (['hash', '-a', 'sha256'], ['hash', '-a', 'blake3', '-j', '1'], ['tree', '-j', '1']):
        (old, new), known, quiet = two_contents(lab, path, words, 64 * MIB)
        with open(path, 'r+b') as file, mmap.mmap(file.fileno(), 0) as mapping:
            def change():
                mapping[:] = new
            for _ in lab.rounds(6):
                mapping[:] = old
                evaluate(tally, change_during_run(lab, path, words, change, quiet * 0.15, quiet * 0.8), known)


def mapped_disk(lab, tally):
    """A writer through mmap(MAP_SHARED) on the file system of --dir. Right: an error, or the digest of one content.
    Wrong: a digest of neither with exit status 0."""
    mapped_writer(lab, tally, lab.path('f'))


def mapped_memory(lab, tally):
    """The same on tmpfs, which never updates timestamps for such writes, with the same outcomes."""
    mapped_writer(lab, tally, os.path.join(lab.memory(), 'f'))


def restored_stamps(lab, tally):
    """64 MiB are rewritten during the read, and the modification time is set back with utimes (the change time cannot
    be). Right: an error that says the file changed. Wrong: a digest of neither with exit status 0."""
    path, words = lab.path('f'), ['hash', '-a', 'sha256']
    (old, new), known, quiet = two_contents(lab, path, words, 64 * MIB)
    file = os.open(path, os.O_RDWR)
    for _ in lab.rounds(12):
        os.pwrite(file, old, 0)
        times = os.fstat(file)

        def change():
            os.pwrite(file, new, 0)
            os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
        evaluate(tally, change_during_run(lab, path, words, change, quiet * 0.15, quiet * 0.8), known, must_notice=True)
    os.close(file)
