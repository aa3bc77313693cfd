"""What all attacks of one call share, and how each of them is run and evaluated."""
import os, signal, subprocess, tempfile, time
from files import write
from lab import Lab
from outcomes import ControlFailed, NotApplicable, OutOfTime, Tally

HERE = os.path.dirname(os.path.abspath(__file__))


class Suite:
    """What all attacks share: the program, the helper, and a large tree; the latter two are created on first use."""

    def __init__(self, truesum, folder, scale):
        self.truesum, self.folder, self.scale, self.trees = truesum, folder, scale, []

    def toggler(self):
        program = os.path.join(self.folder, 'toggler')
        if not os.path.exists(program):
            try:
                subprocess.run(['cc', '-O2', '-o', program, os.path.join(HERE, 'toggler.c')], check=True, capture_output=True, timeout=60)
            except (OSError, subprocess.SubprocessError) as error:
                raise NotApplicable(f'toggler.c cannot be compiled: {error}')
        return program

    def forest(self):
        """Creates 60,000 small files in 60 folders."""
        if not self.trees:
            left = signal.alarm(0)                  # the first attack that asks does not pay for it
            memory = '/dev/shm' if os.access('/dev/shm', os.W_OK) else self.folder
            self.trees.append(tempfile.mkdtemp(prefix='attacks-', dir=memory))
            for folder in range(60):
                os.mkdir(os.path.join(self.trees[0], f'{folder:02}'))
                for number in range(1000):
                    write(os.path.join(self.trees[0], f'{folder:02}', f'{number:03}'), b'%d ' % number * (number % 500))
            signal.alarm(left)
        return self.trees[0]

    def attack(self, function, budget):
        """Runs one attack and returns outcome, counts, evidence and seconds."""
        tally, began = Tally(), time.monotonic()
        lab = Lab(self, tempfile.mkdtemp(prefix='attack-', dir=self.folder), budget)

        def ring(*_):
            raise OutOfTime
        signal.signal(signal.SIGALRM, ring)
        signal.alarm(3 * budget + 30)
        try:
            function(lab, tally)
            outcome, evidence = tally.outcome, tally.evidence
            if outcome == 'not applicable':
                evidence = 'the attack never met the program at work'
        except NotApplicable as cause:
            outcome, evidence = 'not applicable', str(cause)
        except ControlFailed as failure:
            outcome, evidence = 'wrong', f'without any attack: {failure}'
        except Exception as error:                  # an attack that does not work has shown nothing good
            outcome, evidence = 'wrong', f'the attack itself failed: {error!r}'
        except OutOfTime:
            outcome, evidence = tally.outcome, tally.evidence or f'ended after {3 * budget + 30} s'
            outcome = 'not applicable' if outcome == 'right' else outcome
        finally:
            signal.alarm(0)
            lab.close()
        return outcome, tally.summary(), evidence, time.monotonic() - began
