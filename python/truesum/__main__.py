"""`python -m truesum`: the program that comes with the package, in the place of this process."""

from __future__ import annotations

import os
import sys
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path


def program() -> Path:
    """Where the program lies that was installed with this package.

    Raises FileNotFoundError if it is not there: the package was put together by hand.
    """
    try:
        installed = files("truesum") or []
    except PackageNotFoundError:
        installed = []
    for file in installed:
        path = Path(str(file.locate()))
        if file.name == "truesum" and file.parent.name in ("bin", "Scripts") and path.is_file():
            return path.resolve()
    raise FileNotFoundError("the program truesum was not installed with the package")


def main() -> None:
    """Becomes the program."""
    try:
        found = program()
    except FileNotFoundError as error:
        print(f"truesum: {error}", file=sys.stderr)
        print("hint: pip install truesum installs both", file=sys.stderr)
        sys.exit(2)
    os.execv(found, ["truesum", *sys.argv[1:]])


if __name__ == "__main__":
    main()
