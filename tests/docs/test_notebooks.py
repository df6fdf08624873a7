"""The notebooks of the tutorials: as their pages say, and they run from top to bottom."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import make_notebooks  # noqa: E402

NOTEBOOKS = make_notebooks.pages()
NAMES = [path.relative_to(make_notebooks.DOCS).as_posix() for path in NOTEBOOKS]


def printed(cell: dict[str, Any]) -> str:
    """Returns what a cell shows as text, lines without spaces at their ends."""
    text = ""
    for output in cell.get("outputs", []):
        if output.get("name") == "stderr":  # warnings, which a page does not show
            continue
        shown = output.get("text") or output.get("data", {}).get("text/plain", "")
        text += "".join(shown)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_as_its_page(name: str) -> None:
    path = make_notebooks.DOCS / name
    wanted = make_notebooks.notebook(NOTEBOOKS[path])
    assert path.read_text("utf-8") == wanted, "run: python docs/make_notebooks.py"


def test_a_statement_is_shown_with_what_it_prints() -> None:
    found = make_notebooks._python(">>> a = 1\n>>> a\n1\n>>> print(a)\n1\n>>> b = 2\n")
    assert ["".join(cell["source"]) for cell in found] == ["a = 1\na", "print(a)", "b = 2"]
    assert [printed(cell) for cell in found] == ["1", "1", ""]


def test_a_command_is_shown_with_what_it_prints() -> None:
    found = make_notebooks._shell("$ true \\\n>  -x\none\n$ false\n$ echo $?\n1\n")
    assert ["".join(cell["source"]) for cell in found] == [
        "%%bash --no-raise-error\n{ true \\\n -x\n} 2>&1",
        "%%bash --no-raise-error\n{ false\necho $?\n} 2>&1",
    ]
    assert [printed(cell) for cell in found] == ["one", "1"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name: str, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    text = (make_notebooks.DOCS / name).read_text("utf-8")
    wanted = json.loads(text)["cells"]
    book = nbformat.reads(text, as_version=4)
    client.NotebookClient(book, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for ours, theirs in zip(book.cells, wanted, strict=True):
        if ours.cell_type == "code":
            # A notebook breaks long values into lines.
            found, shown = ("".join(printed(cell).split()) for cell in (ours, theirs))
            assert found == shown, "".join(theirs["source"])
