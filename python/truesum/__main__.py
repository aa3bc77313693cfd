"""`python -m truesum` replaces this process with the program that is installed with the package."""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path


def program() -> Path:
    """Returns the path of the program that is installed with this package.

    Raises FileNotFoundError if it is missing, which means that the package was not installed from a wheel.
    """
    try:
        installed = files("truesum") or []
    except PackageNotFoundError:
        installed = []
    for file in installed:
        path = Path(str(file.locate()))
        if file.name == "truesum" and file.parent.name in ("bin", "Scripts") and path.is_file():
            return path.resolve()
    raise FileNotFoundError("the program truesum is not installed next to python")


def main() -> None:
    """Replaces this process with the program."""
    try:
        found = program()
    except FileNotFoundError as error:
        print(f"truesum: {error}", file=sys.stderr)
        print("hint: pip install --force-reinstall truesum", file=sys.stderr)
        sys.exit(2)
    os.execv(found, ["truesum", *sys.argv[1:]])


if __name__ == "__main__":
    main()
