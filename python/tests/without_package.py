"""Preloaded (`--preload`) into a Dask worker: the package cannot be imported there, or is of another version."""

from __future__ import annotations

import os
import sys
import types


def dask_setup(_worker: object) -> None:
    if version := os.environ.get("OTHER_VERSION"):
        other = types.ModuleType("truesum")
        other.__dict__["__version__"] = version
        sys.modules["truesum"] = other
    else:
        sys.modules["truesum"] = None  # type: ignore[assignment]
