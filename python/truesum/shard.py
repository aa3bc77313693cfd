"""Divides work between machines: a plan, one part for each of its bundles, and the merged result.

`truesum shard plan` writes plans and `truesum shard merge` writes the manifest from the parts; truesum.cluster runs all
steps on a cluster. This module covers the step in between, in the worker processes.

>>> import os, subprocess, tempfile, truesum
>>> from truesum import shard
>>> from truesum.__main__ import program
>>> folder = tempfile.TemporaryDirectory()
>>> data, path = os.path.join(folder.name, "data"), os.path.join(folder.name, "plan.jsonl")
>>> os.mkdir(data)
>>> with open(os.path.join(data, "a"), "wb") as file:
...     _ = file.write(b"123456789")
>>> command = [program(), "shard", "plan", "-q", "-a", "crc32", "-o", path, "--root", data, data]
>>> _ = subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
>>> plan = shard.Plan(path)
>>> plan.bundles, plan.files, plan.bytes
(1, 1, 9)
>>> part = plan.compute(0, folder.name)
>>> part.status, part.lines, part.failed
('written', 1, 0)
>>> plan.merge([os.path.join(folder.name, plan.part_name(0))], lambda entry: print(entry.name, entry.digests)).ok
a {'crc32': 'cbf43926'}
True
>>> folder.cleanup()
"""

from __future__ import annotations

from ._native import Merged, Part, Plan

__all__ = ["Merged", "Part", "Plan"]
