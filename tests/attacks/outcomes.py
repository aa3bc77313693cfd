"""The result of a run, the counts of an attack, and the reasons why there are none."""
import collections
from files import shorten


class NotApplicable(Exception):
    """The attack is not possible here; the text gives the reason."""


class ControlFailed(Exception):
    """The program fails even without an attack."""


class TooLong(Exception):
    """A run to be measured ended prematurely."""


class OutOfTime(BaseException):
    """The attack exceeded its time limit."""


class Run:
    """The result of a run. `code` is negative for a signal, as in subprocess, and None if the run hung."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out or b'', err or b'', seconds

    @property
    def digest(self):
        """Returns the digest in the first line: `HEX  NAME` or `TAG (NAME) = HEX`."""
        line = self.out.split(b'\n')[0]
        return (line.rsplit(b' = ', 1)[-1] if b' = ' in line else line.split(b' ')[0]).decode(errors='replace')

    def __str__(self):
        first_line = (self.err or self.out).decode(errors='replace').strip().split('\n')[0]
        return ('hung' if self.code is None else f'exit {self.code}') + (f': {shorten(first_line)}' if first_line else ', no message')


class Tally:
    """The counts of an attack, and the first evidence of a wrong outcome."""

    def __init__(self):
        self.counts, self.kinds, self.evidence = collections.Counter(), {}, ''

    def _add(self, kind, observation):
        self.kinds[observation] = kind
        self.counts[observation] += 1

    def right(self, observation):
        self._add('right', observation)

    def missed(self, observation):
        self._add('missed', observation)

    def wrong(self, observation, evidence):
        self._add('wrong', observation)
        self.evidence = self.evidence or str(evidence)

    def expect(self, is_right, observation, evidence):
        self.right('as expected') if is_right else self.wrong(observation, f'{observation}: {evidence}')

    @property
    def outcome(self):
        kinds = set(self.kinds.values())
        return 'wrong' if 'wrong' in kinds else 'right' if 'right' in kinds else 'not applicable'

    def summary(self):
        return ', '.join(f'{count} {observation}' for observation, count in self.counts.most_common())
