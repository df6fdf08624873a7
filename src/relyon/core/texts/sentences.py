"""The sentences of errors, hints and messages by kind: one file per room and language.

A kind is a room and a name in it, such as `io.no-rows`. The files are read line by line: no parser
is loaded, and only the files of rooms that are needed are read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache

__all__ = ["FOLDER", "kinds", "sentence", "sentences"]

#: Where the texts are, a folder per language.
FOLDER = os.path.dirname(__file__)


def sentence(kind: str, language: str = "en") -> str | None:
    """Returns the sentence of a kind, in English if the language lacks it, or `None`.

    Args:
        kind: The kind, such as `cli.interrupted`. Other texts have no sentence.
        language: One of `LANGUAGES`.

    Examples:
        >>> sentence("cli.interrupted"), sentence("cli.interrupted", "zh"), sentence("my own text")
        ('interrupted', '已中断', None)
    """
    room, dot, name = kind.partition(".")
    if not dot or " " in name or not room.isidentifier():
        return None
    own = sentences(room, language).get(name)
    return own if own is not None or language == "en" else sentences(room, "en").get(name)


@cache
def sentences(room: str, language: str) -> Mapping[str, str]:
    """Returns all sentences of a room in a language by name; empty if there are none."""
    path = os.path.join(FOLDER, language, "errors", f"{room}.toml")
    try:
        with open(path, encoding="utf-8") as file:
            return _Lines(file.read().split("\n"))
    except FileNotFoundError:
        return {}


def kinds() -> tuple[str, ...]:
    """Returns the kinds of all errors, hints and messages."""
    folder = os.path.join(FOLDER, "en", "errors")
    return tuple(
        f"{file[:-5]}.{name}"
        for file in sorted(os.listdir(folder))
        if file.endswith(".toml")
        for name in sentences(file[:-5], "en")
    )


class _Lines(Mapping[str, str]):
    """The lines `name = "sentence"` of a TOML file; a sentence is decoded on use."""

    def __init__(self, lines: list[str]) -> None:
        found = (line.partition(" = ") for line in lines if line and line[0] != "#")
        self._texts = {name.strip('"'): text for name, _, text in found}

    def __getitem__(self, name: str) -> str:
        return _decoded(self._texts[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def _decoded(text: str) -> str:
    if "\\" not in text:
        return text[1:-1]
    import json

    return str(json.loads(text))
