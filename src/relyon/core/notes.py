"""Observations about the data that are not errors: counted, with examples."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from relyon.core.language import check_language
from relyon.core.lessons import lesson_of
from relyon.core.texts import Language, Sayable, catalogue

__all__ = ["Note", "RelyonWarning", "gathered_notes", "shared_notes", "warn"]

#: From this many runs on, notes of one kind about single runs are shown as one.
MANY = 3
#: Runs that are named of those that have a note.
EXAMPLES = 3


@dataclass(frozen=True)
class Note(Sayable):
    """One observation about the input.

    A note contains a kind and values; its sentence is built in the language of the reader.

    Attributes:
        kind: A stable identifier such as `missing-queries`.
        count: How often it was seen.
        level: `warning` becomes an error under `--strict`; `info` never does.
        examples: A few of the ids concerned.
        values: Further values of its sentence, by name.
        run: The run it is about, if there are several.
        key: Which sentence of its kind to use, if there are several.
        own: The sentence by language, for your own kinds; it may refer to the values in braces.

    Examples:
        >>> from relyon.core.notes import Note
        >>> note = Note("missing-grades", 2, "warning", ("d1", "d7"), run="a.run")
        >>> print(note)
        a.run: 2 rows without a grade are left out: they count as unjudged (d1, d7)
        >>> note.text("zh")
        'a.run：2 行没有等级，已略去，按未标注处理（d1、d7）'
        >>> print(Note("odd", 3, own={"en": "{count:count odd row/odd rows}"}))
        3 odd rows
    """

    kind: str
    count: int = 1
    level: Literal["info", "warning"] = "info"
    examples: tuple[str, ...] = ()
    values: Mapping[str, object] = field(default_factory=dict, hash=False)
    run: str = ""
    key: str = ""
    own: Mapping[str, str] = field(default_factory=dict, hash=False, repr=False)

    @property
    def message(self) -> str:
        """The sentence in English, without examples."""
        return self.sentence()

    @property
    def lesson(self) -> str:
        """The lesson of the course that explains it, such as `13-conventions`, or empty."""
        return lesson_of("notes", self.kind)

    def sentence(self, language: Language = "en") -> str:
        """Returns the sentence, without examples.

        Raises:
            ParameterError: If the language is unknown.
        """
        check_language(language)
        texts = catalogue("notes", language)
        values = {"count": self.count, **self.values}
        own = self.own.get(language) or self.own.get("en")
        text = texts.write(own, values) if own else texts.say(self.key or self.kind, **values)
        return texts.say("run", run=self.run, text=text) if self.run else text

    def text(self, language: Language = "en", others: Sequence[str] = ()) -> str:
        """Returns the sentence, with examples.

        Args:
            language: `en` or `zh`.
            others: Further runs that have a note of this kind.

        Raises:
            ParameterError: If the language is unknown.
        """
        texts = catalogue("notes", language)
        text = self.sentence(language)
        if self.examples:
            key = "examples.more" if self.count > len(self.examples) else "examples.all"
            text = texts.say(key, text=text, examples=self.examples)
        if not others:
            return text
        text = texts.say("examples.runs", text=text, count=len(others))
        key = "examples.more" if len(others) > EXAMPLES else "examples.all"
        return texts.say(key, text=text, examples=others[:EXAMPLES])

    def about(self, run: str) -> Note:
        """Returns the same note about a run; one that names its file stays as it is."""
        return self if "path" in self.values else replace(self, run=run)

    def __str__(self) -> str:
        return self.text()


def shared_notes(notes: Iterable[tuple[str, Sequence[Note]]]) -> list[Note]:
    """Returns the notes of several runs: each with its run, those of all runs once without.

    Notes that files have the same columns under other names are one note with all the files.

    Args:
        notes: Each run's name and notes.

    Examples:
        >>> def read(path: str) -> list[Note]:
        ...     return [Note("columns-read-as", values={"path": path, "columns": ["query = q"]})]
        >>> for note in shared_notes([("a", read("a.csv")), ("b", read("b.csv"))]):
        ...     print(note)
        columns of a.csv, b.csv read as: query = q
    """
    runs = list(notes)
    first = runs[0][1] if runs else ()
    shared = [note for note in first if all(note in found for _, found in runs)]
    own = [note.about(run) for run, found in runs for note in found if note not in shared]
    return shared + _joined(own)


def _joined(notes: Iterable[Note]) -> list[Note]:
    """Returns notes in which those that differ only in a file with columns are one."""
    found: list[Note] = []
    files: dict[str, tuple[int, list[object]]] = {}
    for note in notes:
        columns = str(note.values.get("columns"))
        if "path" not in note.values or "columns" not in note.values:
            found.append(note)
        elif columns in files:
            place, paths = files[columns]
            if note.values["path"] not in paths:
                paths.append(note.values["path"])
            found[place] = replace(found[place], values={**note.values, "path": paths})
        else:
            files[columns] = len(found), [note.values["path"]]
            found.append(note)
    return found


def gathered_notes(notes: Iterable[Note]) -> list[tuple[Note, tuple[str, ...]]]:
    """Returns notes as they are shown to people: those about three and more runs as one.

    Args:
        notes: The notes.

    Returns:
        Notes, each with the other runs that have one of its kind. Of a kind that three and more
        runs have, only the note with the highest count is left.

    Examples:
        >>> notes = [Note("few-runs", count).about(run) for run, count in zip("abc", (2, 3, 1))]
        >>> [(note.run, others) for note, others in gathered_notes(notes)]
        [('b', ('a', 'c'))]
    """
    every = list(notes)
    kinds: dict[tuple[str, ...], list[Note]] = {}
    for note in every:
        if note.run:
            kinds.setdefault((note.kind, note.level, note.key), []).append(note)
    found: list[tuple[Note, tuple[str, ...]]] = []
    for note in every:
        same = kinds.get((note.kind, note.level, note.key), []) if note.run else []
        if len({one.run for one in same}) < MANY:
            found.append((note, ()))
        elif note is same[0]:
            most = max(same, key=lambda one: one.count)
            others = dict.fromkeys(one.run for one in same if one.run != most.run)
            found.append((most, tuple(others)))
    return found


class RelyonWarning(UserWarning):
    """A note with level `warning`: the results are valid only as far as the note allows.

    Examples:
        >>> import warnings, relyon
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     results = relyon.evaluate({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}}, "rr")
        >>> [warning.category.__name__ for warning in caught]
        ['RelyonWarning']
    """


RelyonWarning.__module__ = "relyon"  # what users filter


def warn(notes: Iterable[Note], subject: str = "") -> None:
    """Issues a Python warning for each note of level `warning`, at the line that called relyon.

    Args:
        notes: The notes.
        subject: Their subject, such as a run's name.
    """
    level, frame = 1, sys._getframe(0)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "relyon":
        level, frame = level + 1, frame.f_back
    for note in notes:
        if note.level == "warning":
            text = f"{subject}: {note}" if subject else str(note)
            warnings.warn(text, RelyonWarning, stacklevel=level)
