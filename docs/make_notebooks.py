"""Writes a notebook of each tutorial: its prose, its commands and statements, and what they print.

python docs/make_notebooks.py            writes docs/notebooks and docs/zh/notebooks
python docs/make_notebooks.py --check    exits with 1 if a notebook is not as it would be written

The output is that of the page, which the tests compare with what the examples print.
"""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import Any

from marks import write_or_check

DOCS = Path(__file__).parent
TUTORIALS = ("tutorial.md", "tutorial-ltr.md")
FENCE = re.compile(r"^```(?P<language>console|python)\n(?P<text>.*?)^```$\n?", re.S | re.M)
LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?:|#)([^)]+\))")
#: Each notebook works on a copy of the examples, so that nothing of the user's is changed.
START = """import os, shutil, tempfile
from pathlib import Path

clone = next(path for path in [Path.cwd(), *Path.cwd().parents] if (path / "examples").is_dir())
folder = tempfile.mkdtemp()
shutil.copytree(clone / "examples", Path(folder) / "examples")
os.chdir(folder)
os.environ.update(RELYON_LANG="{language}", NO_COLOR="1", COLUMNS="100")"""
WORDS = {
    "en": "This notebook is the page [{page}]({link}). It works on a copy of relyon's `examples`"
    " folder; start it in a clone, with relyon installed.",
    "zh": "本笔记本即[{page}]({link})一页，在 relyon 的 `examples` 文件夹的副本上运行；"
    "请在克隆的仓库里打开，并先安装 relyon。",
}


def notebook(page: Path) -> str:
    """Returns a page as a notebook.

    Args:
        page: A page of Markdown with examples.
    """
    language = "zh" if page.parent.name == "zh" else "en"
    text = page.read_text(encoding="utf-8")
    title, _, rest = text.partition("\n\n")
    said = WORDS[language].format(page=title.lstrip("# "), link=f"../{page.name}")
    cells = [_prose(f"{title}\n\n{said}"), _code(START.format(language=language), [])]
    end = 0
    for fence in FENCE.finditer(rest):
        cells += [_prose(rest[end : fence.start()])]
        cells += _shell(fence["text"]) if fence["language"] == "console" else _python(fence["text"])
        end = fence.end()
    cells += [_prose(rest[end:])]
    kept = [cell for cell in cells if "".join(cell["source"]).strip()]
    for number, cell in enumerate(kept):
        cell["id"] = f"cell-{number}"
    made = {
        "cells": kept,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(made, ensure_ascii=False, indent=1) + "\n"


def _prose(text: str) -> dict[str, Any]:
    # A notebook is one folder deeper than its page.
    moved = LINK.sub(lambda link: f"{link[1]}../{link[2]}", text.strip())
    return {"cell_type": "markdown", "metadata": {}, "source": moved.splitlines(keepends=True)}


def _code(source: str, outputs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": outputs,
        "source": source.splitlines(keepends=True),
    }


def _printed(lines: list[str]) -> list[dict[str, Any]]:
    if not lines:
        return []
    text = "".join(f"{line}\n" for line in lines)
    return [{"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}]


def _shell(text: str) -> list[dict[str, Any]]:
    """Returns a cell per command, as bash runs it; a check that fails is shown, too."""
    cells = []
    # A command that asks how the one before it ended runs with it.
    for part in re.split(r"^(?=\$ (?!.*\$\?))", text, flags=re.M):
        lines = part.splitlines()
        if not lines:
            continue
        command = "\n".join(line[2:] for line in lines if line.startswith(("$ ", "> ")))
        printed = [line for line in lines if not line.startswith(("$ ", "> "))]
        source = f"%%bash --no-raise-error\n{{ {command}\n}} 2>&1"
        cells.append(_code(source, _printed(printed)))
    return cells


def _python(text: str) -> list[dict[str, Any]]:
    """Returns a cell per statement that prints, with those above it that do not."""
    if ">>>" not in text:
        return [_code(text.rstrip(), [])]
    cells = []
    waiting: list[str] = []
    for part in doctest.DocTestParser().get_examples(text):
        waiting.append(part.source.rstrip())
        if not part.want:
            continue
        source = "\n".join(waiting)
        waiting = []
        if part.source.startswith(("print(", "for ")):
            outputs = _printed(part.want.rstrip("\n").split("\n"))
        else:
            data = {"text/plain": part.want.rstrip("\n").splitlines(keepends=True)}
            outputs = [
                {
                    "output_type": "execute_result",
                    "execution_count": None,
                    "metadata": {},
                    "data": data,
                }
            ]
        cells.append(_code(source, outputs))
    return [*cells, *([_code("\n".join(waiting), [])] if waiting else [])]


def pages() -> dict[Path, Path]:
    """Returns the notebooks, and the page of each."""
    return {
        folder / "notebooks" / Path(name).with_suffix(".ipynb"): folder / name
        for folder in (DOCS, DOCS / "zh")
        for name in TUTORIALS
    }


if __name__ == "__main__":
    for target, page in pages().items():
        target.parent.mkdir(exist_ok=True)
        write_or_check(target, notebook(page))
