"""The environment of one attack: its folder, child processes, mounts and time."""
import ctypes, os, signal, subprocess, tempfile, time
from files import MIB, remove, shorten, write
from outcomes import ControlFailed, NotApplicable, Run, TooLong

PATIENCE = 20                                       # seconds after which a run counts as hanging
HELPER_PATH = os.pathsep.join([os.environ.get('PATH', os.defpath), '/usr/sbin', '/sbin'])


class Lab:
    """The folder, child processes, mounts and time of one attack."""

    def __init__(self, suite, folder, budget):
        self.suite, self.truesum, self.folder = suite, suite.truesum, folder
        self.children, self.mounts, self.folders = [], [], [folder]
        self.budget, self.began = budget, None

    def path(self, name):
        return os.path.join(self.folder, name)

    def rounds(self, count):
        """Yields round numbers: `count` times the scale, as far as the attack's time permits. The time starts with the
        first round."""
        self.began = self.began or time.monotonic()
        for number in range(max(1, round(count * self.suite.scale))):
            if number and time.monotonic() - self.began > self.budget:
                return
            yield number

    def memory(self):
        """Returns a folder on tmpfs."""
        if not os.access('/dev/shm', os.W_OK):
            raise NotApplicable('no writable /dev/shm')
        self.folders.append(tempfile.mkdtemp(prefix='attacks-', dir='/dev/shm'))
        return self.folders[-1]

    def start(self, *words, **options):
        """Starts the program, or another one given as `program`."""
        command = [options.pop('program', self.truesum), *map(str, words)]
        options = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE} | options
        child = subprocess.Popen(command, **options)
        child.began = time.monotonic()
        self.children.append(child)
        return child

    def finish(self, child, patience=PATIENCE):
        try:
            out, err = child.communicate(timeout=patience)
            code = child.returncode
        except subprocess.TimeoutExpired:
            child.kill()
            (out, err), code = child.communicate(), None
        self.children.remove(child)
        return Run(code, out, err, time.monotonic() - child.began)

    def run(self, *words, patience=PATIENCE, **options):
        return self.finish(self.start(*words, **options), patience)

    def control(self, *words, code=0, **options):
        """Runs the program undisturbed; it must succeed."""
        run = self.run(*words, **options)
        if run.code != code:
            raise ControlFailed(f'{" ".join(map(str, words))}: {run}')
        return run

    def tool(self, *command):
        """Runs a system tool. The attack is not possible if it is missing or fails."""
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=30, env=os.environ | {'PATH': HELPER_PATH})
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NotApplicable(f'{command[0]}: {error}')
        if done.returncode:
            raise NotApplicable(f'{" ".join(command[:3])}: {shorten(done.stderr.strip())}')

    def mount(self, kind, *options):
        """Mounts a new file system. `options` are those of `mke2fs`, or none for an in-memory file system."""
        if os.geteuid():
            raise NotApplicable('mounting needs root')
        point = self.path('mounted')
        os.mkdir(point)
        if kind.startswith('ext'):
            image = self.path('image')
            write(image, b'')
            os.truncate(image, 200 * MIB)
            self.tool('mke2fs', '-q', '-F', '-t', kind, *options, image)
            self.tool('mount', '-o', 'loop', '-t', kind, image, point)
        else:
            self.tool('mount', '-t', kind, 'none', point)
        self.mounts.append(point)
        return point

    def toggle(self, *words):
        """Starts toggler.c, which works until `end`."""
        child = self.start(*words, program=self.suite.toggler())
        time.sleep(0.05)
        if child.poll() is not None:
            raise NotApplicable(f'toggler {words[0]}: {self.finish(child)}')
        return child

    def end(self, child):
        if child in self.children:
            child.kill()
            child.communicate()
            self.children.remove(child)

    def measure(self, *words):
        """Returns the peak memory in KiB and the processor seconds of a successful run."""
        run = self.run('measure', self.truesum, *words, program=self.suite.toggler(), stdout=subprocess.DEVNULL, patience=45)
        if run.code is None:
            raise TooLong
        peak, spent, code = map(int, run.err.split(b'\n')[-2].split())
        if code:
            raise ControlFailed(f'{" ".join(map(str, words))}: exit {code}: {shorten(run.err.decode(errors="replace"))}')
        return peak, spent / 1e6

    def close(self):
        for child in list(self.children):
            child.send_signal(signal.SIGCONT)
            self.end(child)
        for point in self.mounts:
            for command in (['umount', point], ['umount', '-l', point]):
                if subprocess.run(command, capture_output=True, env=os.environ | {'PATH': HELPER_PATH}).returncode == 0:
                    break
        for folder in self.folders:
            remove(folder)


def private_mounts():
    """Use a separate mount namespace, so that no mount outlives this process."""
    if os.geteuid() == 0 and ctypes.CDLL(None, use_errno=True).unshare(0x20000) == 0:                     # CLONE_NEWNS
        subprocess.run(['mount', '--make-rprivate', '/'], capture_output=True, env=os.environ | {'PATH': HELPER_PATH})
