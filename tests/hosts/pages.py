"""Runs the examples of a page that need another program's package.

Pages fence them as `py`, so that the runner of all pages, which has no such packages, leaves them
alone. Here they run as what they are: doctests, or code that prints nothing.
"""

from __future__ import annotations

import doctest
import os
import re
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

__all__ = ["run_examples"]

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^## ", re.MULTILINE)


def run_examples(
    page: str, heading: str, names: Mapping[str, object] | None = None, *, folder: Path
) -> None:
    """Runs the blocks below one heading of a page in order, in one folder.

    Args:
        page: Its name below `docs`.
        heading: The text after `## `, or its beginning.
        names: What the examples use and do not define.
        folder: The current directory of the examples.

    Raises:
        AssertionError: If there are none, or one prints something else than the page shows.
    """
    text = (ROOT / "docs" / page).read_text("utf-8")
    parts = [part for part in HEADING.split(text)[1:] if part.startswith(heading)]
    assert len(parts) == 1, f"docs/{page} has {len(parts)} sections `{heading}`"
    blocks = FENCE.findall(parts[0])
    assert blocks, f"docs/{page} has no example below `{heading}`"
    known: dict[str, object] = {"__name__": "__main__", **(names or {})}
    before = Path.cwd()
    os.chdir(folder)
    try:
        for block in blocks:
            _run(block, known, page)
    finally:
        os.chdir(before)


def _run(block: str, names: dict[str, object], page: str) -> None:
    """Runs one block."""
    if ">>>" not in block:
        exec(compile(block, page, "exec", dont_inherit=True), names)
        return
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
    said = StringIO()
    runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
    with redirect_stdout(StringIO()):
        runner.run(test, out=said.write, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, said.getvalue()
