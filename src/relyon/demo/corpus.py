"""The documents of the demonstration (docstrings of the standard library), and questions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources

Progress = Callable[[int, int], None]
"""Called with the number of modules read and their total."""


@dataclass(frozen=True, slots=True)
class Document:
    """One module, class, function or method of the standard library.

    Attributes:
        id: The public qualified name, such as ``os.path.join``.
        title: The name with its parameters, such as ``os.path.join(a, *p)``.
        text: The docstring, or the words of the title if there is none.
    """

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a Python programmer asks.

    Attributes:
        id: Such as ``en01`` or ``zh01``.
        language: ``en`` or ``zh``.
        text: The question.
    """

    id: str
    language: str
    text: str


def build_corpus(progress: Progress | None = None) -> list[Document]:
    """Read the docstrings of the standard library of the running Python.

    The modules are imported in a child process that sees only the standard library, so the
    calling process imports nothing, and modules whose import acts (opens a browser, prints)
    are left out. Objects go by the name users know: ``json.loads``, ``os.path.join``,
    ``builtins.str.split``. Private names are left out, and so are modules that later
    versions of Python dropped: ids stay valid from one version of Python to the next. A method
    without a docstring is left out; a class or function without one is kept for its name.

    Args:
        progress: Called after each top-level module.

    Returns:
        Documents in the order of their ids; each id once.

    Raises:
        RuntimeError: Python cannot start a child process here, or it failed.
    """
    if not sys.executable:
        raise RuntimeError("cannot read the standard library: the path of Python is unknown")
    source = resources.files("relyon.demo").joinpath("_scan.py").read_text(encoding="utf-8")
    command = [sys.executable, "-I", "-S", "-W", "ignore", "-X", "utf8", "-"]
    last: list[list[str]] = []
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        ) as child:
            if child.stdin is None or child.stdout is None:
                raise RuntimeError("cannot talk to the process that reads the standard library")
            child.stdin.write(source)
            child.stdin.close()
            for line in child.stdout:
                value = json.loads(line)
                if value and isinstance(value[0], int):
                    if progress is not None:
                        progress(value[0], value[1])
                else:
                    last = value
    except OSError as error:
        raise RuntimeError(f"cannot start {sys.executable}: {error}") from error
    if child.returncode != 0 or not last:
        raise RuntimeError(
            f"reading the standard library failed: {sys.executable} ended with status "
            f"{child.returncode}"
        )
    return [Document(identifier, title, text) for identifier, title, text in last]
