"""The package as a whole: identify, the bundled program, examples in the documentation, types."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import os
import pkgutil
import pydoc
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import truesum
import truesum.__main__
import truesum._native
import truesum.aio
import truesum.cluster
import truesum.shard
import truesum.tree
import truesum.urls
import truesum.verification
from conftest import Run


def test_identify_agrees_with_the_program(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc" * 2_000_000)
    for name in ("md5", "sha1", "crc32", "blake2b-256", "s3-etag", "xxh64"):
        digest = truesum.file_digest(path, name).hexdigest()
        found = truesum.identify(digest)
        lines = run("identify", "--all", digest).stdout.decode().splitlines()[1:]
        assert [candidate.algorithm for candidate in found] == [line.split()[0] for line in lines]
        assert name in [candidate.algorithm for candidate in truesum.identify(digest, path)]
    parts = truesum.new("s3-etag;part=5MiB", path.read_bytes()).hexdigest()
    assert [candidate.algorithm for candidate in truesum.identify(parts, path)] == ["s3-etag;part=5MiB"]
    assert truesum.identify("00" * 16, path) == []
    with pytest.raises(ValueError, match="does not look like a digest"):
        truesum.identify("no digest!")


def test_program_is_bundled(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x")
    command = [sys.executable, "-m", "truesum", "-a", "md5", "file"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert result.stdout == "9dd4e461268c8034f5c8564e155c67a6  file\n"
    script = Path(sys.executable).parent / "truesum"
    assert script.samefile(truesum.__main__.program()) and os.access(script, os.X_OK)
    version = subprocess.run([script, "--version"], capture_output=True, text=True, check=True).stdout
    assert version.split()[1] == truesum.__version__
    failed = subprocess.run([sys.executable, "-m", "truesum", "check"], capture_output=True, check=False)
    assert failed.returncode == 2


def native_docstrings() -> Iterator[tuple[str, str]]:
    """Returns all docstrings of the extension and of the modules that re-export it, by name."""
    modules = (truesum.aio, truesum.shard, truesum.tree, truesum.urls, truesum.verification)
    public = [(truesum, truesum._native.__all__)] + [(module, module.__all__) for module in modules]
    for module, names in public:
        yield module.__name__, module.__doc__ or ""
        for name in names:
            attribute = getattr(module, name)
            yield f"{module.__name__}.{name}", inspect.getdoc(attribute) or ""
            if inspect.isclass(attribute):
                for member, value in vars(attribute).items():
                    yield f"{module.__name__}.{name}.{member}", inspect.getdoc(value) or ""


def python_docstrings() -> Iterator[tuple[str, str]]:
    """Returns all docstrings of the modules of truesum.cluster, by name."""
    for found in pkgutil.iter_modules(truesum.cluster.__path__, "truesum.cluster."):
        if found.name.endswith(".ray_port") and importlib.util.find_spec("ray") is None:
            continue
        module = importlib.import_module(found.name)
        yield module.__name__, module.__doc__ or ""
        for name, value in vars(module).items():
            if getattr(value, "__module__", "") == module.__name__ and (inspect.isclass(value) or inspect.isfunction(value)):
                yield f"{module.__name__}.{name}", inspect.getdoc(value) or ""


EXAMPLES = {name: text for name, text in [*native_docstrings(), *python_docstrings()] if ">>>" in text}


@pytest.mark.parametrize("name", EXAMPLES)
def test_docstring_examples_work(name: str) -> None:
    # Examples may use the names of their module.
    globals = vars(importlib.import_module(name.rpartition(".")[0])) if name.startswith("truesum.cluster.") else {}
    example = doctest.DocTestParser().get_doctest(EXAMPLES[name], dict(globals), name, None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(example)
    assert runner.failures == 0


# `python/test` names the guide, because it runs the tests from elsewhere.
GUIDE = Path(os.environ.get("TRUESUM_GUIDE", Path(__file__).parent.parent.parent / "docs" / "python.md"))


@pytest.mark.skipif(not GUIDE.exists(), reason="only in a clone of the repository")
def test_guide_examples_work() -> None:
    text = GUIDE.read_text()
    blocks = re.findall(r"^```python\n(>>> .*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    example = doctest.DocTestParser().get_doctest("".join(blocks), {}, "python.md", None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(example)
    assert runner.failures == 0


def test_every_public_name_is_documented() -> None:
    undocumented = [name for name, text in [*native_docstrings(), *python_docstrings()] if not text and "__" not in name]
    assert undocumented == []
    assert len(EXAMPLES) >= 12


def test_help_shows_signatures() -> None:
    # Python 3.13 writes long signatures on several lines.
    text = "".join(pydoc.plain(pydoc.render_doc(truesum)).split())
    for wanted in ("hash_files(paths, /", "class Manifest", "sha256(data=b'', **", "The result of a check"):
        assert wanted.replace(" ", "") in text, wanted


STUB = Path(truesum.__file__).with_name("_native.pyi")


def test_stub_lists_every_constructor() -> None:
    """TRUESUM_BLESS=1 writes the list to the stub in the source folder, sorted by name, so that reordered table rows do
    not change it."""
    names = sorted(truesum._native.__all__)
    aliases = ["shake_128", "shake_256", "xxh3_64", "xxh3_128"]
    constructors = sorted([name.replace("-", "_") for name in truesum.algorithms_guaranteed] + aliases)
    signature = '(data: Buffer = b"", **parameters: Unpack[_Message]) -> Hash: ...'
    lines = [f"def {name}{signature}" for name in constructors]
    exported = ["__all__ = ["] + [f'    "{name}",' for name in names] + ["]"]
    expected = "\n".join([*lines, "", *exported]) + "\n"
    source = STUB
    if os.environ.get("TRUESUM_BLESS"):
        source = Path(__file__).parent.parent / "truesum" / "_native.pyi"
        head = re.split(r"(?<=from here on\.\n)", source.read_text())[0]
        source.write_text(head + expected)
    assert source.read_text().endswith(expected)
