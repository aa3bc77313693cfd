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
        said = (self.err or self.out).decode(errors='replace').strip().split('\n')[0]
        return ('hung' if self.code is None else f'exit {self.code}') + (f': {shorten(said)}' if said else ', no message')


class Tally:
    """The counts of an attack, and the first evidence of a wrong outcome."""

    def __init__(self):
        self.counts, self.kinds, self.evidence = collections.Counter(), {}, ''

    def _add(self, kind, what):
        self.kinds[what] = kind
        self.counts[what] += 1

    def right(self, what):
        self._add('right', what)

    def missed(self, what):
        self._add('missed', what)

    def wrong(self, what, evidence):
        self._add('wrong', what)
        self.evidence = self.evidence or str(evidence)

    def expect(self, good, what, evidence):
        self.right('as it should') if good else self.wrong(what, f'{what}: {evidence}')

    @property
    def outcome(self):
        seen = set(self.kinds.values())
        return 'wrong' if 'wrong' in seen else 'right' if 'right' in seen else 'not applicable'

    def summary(self):
        return ', '.join(f'{count} {what}' for what, count in self.counts.most_common())
