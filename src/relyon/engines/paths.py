"""Where results are in an engine's answer: paths in JMESPath."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.engines.asked import Answer
from relyon.engines.hits import Hits
from relyon.engines.options import Options
from relyon.engines.problems import PassingError, RefusedError
from relyon.engines.template import Json, write_scalar

__all__ = ["Path", "Paths", "explained"]

#: Names with dots between them, which need no JMESPath.
SIMPLE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
#: Fields that are kept of a document whose fields are not named.
MOST_FIELDS = 40
#: Characters of an explanation that are kept.
LONGEST = 10_000


class Path:
    """A path in JMESPath.

    Args:
        text: The path; an empty one finds nothing.

    Raises:
        ValueError: If it is not JMESPath.

    Examples:
        >>> Path("hits.total")({"hits": {"total": 3}}), Path("[0].name")([{"name": "a"}])
        (3, 'a')
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._names = text.split(".") if SIMPLE.fullmatch(text) else None
        self._search: Callable[[Json], Json] | None = None
        if text and self._names is None and text != "@":
            jmespath = optional_package(
                "jmespath", purpose=message("engines.searching"), install="relyon[search]"
            )
            self._search = cast("Callable[[Json], Json]", jmespath.compile(text).search)

    def __call__(self, value: Json) -> Json:
        """Returns what is there; None if nothing is.

        Raises:
            RefusedError: If a function of the path cannot take it.
        """
        if self._names is not None:
            for name in self._names:
                value = value.get(name) if isinstance(value, dict) else None
            return value
        if self._search is not None:
            try:
                return self._search(value)
            except ValueError as error:
                raise RefusedError("no-hits", f"{self.text}: {error}") from None
        return value if self.text else None

    def __bool__(self) -> bool:
        return bool(self.text)

    def __repr__(self) -> str:
        return f"Path({self.text!r})"


@dataclass(frozen=True)
class Paths:
    """Where results are in an engine's answer.

    Attributes:
        hits: The list of results, in the whole answer.
        id: The id, in a result.
        score: The score, in a result; empty if there is none.
        fields: The fields, in a result.
        document: In a result, where all fields are if none is named.
        explanation: The explanation of the score, in a result.
        took: The milliseconds by the engine's own clock, in the whole answer.
        total: How many documents match, in the whole answer.
        error: What is there only if the engine refuses the query, in the whole answer.
        partial: What is there, and not false or 0, if some results may be missing.
    """

    hits: Path
    id: Path
    score: Path
    fields: Mapping[str, Path] = field(default_factory=dict)
    document: Path = field(default_factory=lambda: Path(""))
    explanation: Path = field(default_factory=lambda: Path(""))
    took: Path = field(default_factory=lambda: Path(""))
    total: Path = field(default_factory=lambda: Path(""))
    error: Path = field(default_factory=lambda: Path(""))
    partial: Path = field(default_factory=lambda: Path(""))

    @classmethod
    def from_options(cls, options: Options, usual: Mapping[str, str]) -> Paths:
        """Reads the paths of an engine's file.

        Args:
            options: The file.
            usual: The paths that this kind of engine has if the file names no others.

        Raises:
            ParameterError: If one is missing or is not JMESPath.
        """

        def path(key: str, text: str) -> Path:
            try:
                return Path(text)
            except ValueError as error:
                raise ParameterError(
                    message(
                        "engines.key-is-not-jmespath",
                        path=options.path,
                        key=key,
                        problem=" ".join(str(error).split()),
                    ),
                    hint=message("engines.see-jmespath"),
                ) from None

        found = {key: path(key, options.text(key, usual.get(key, ""))) for key in KEYS}
        for key, example in (("hits", '"hits"'), ("id", '"id"')):
            if not found[key]:
                options.required(key, example)
        table = options.table("fields")
        fields = {key: path(f"fields.{key}", text) for key, text in table.texts().items()}
        return cls(fields=fields, **found)

    @property
    def recipe(self) -> Json:
        """The paths that decide results and fields, as a part of an engine's recipe."""
        named = {key: getattr(self, key).text for key in KEYS if getattr(self, key)}
        return {**named, "fields": {key: path.text for key, path in self.fields.items()}}

    def answer(
        self, whole: Json, k: int, explain: Callable[[Json, Json], Json] | None = None
    ) -> Answer:
        """Returns the results of an answer.

        Args:
            whole: The answer.
            k: How many results count.
            explain: Returns the explanation of a result, from the answer and its id, for engines
                that keep explanations apart.

        Raises:
            PassingError: If results may be missing.
            RefusedError: If there are no results, or one cannot be used.
        """
        if self.partial(whole):
            raise PassingError("partial", f"{self.partial.text} = {_short(self.partial(whole))}")
        if problem := self.error(whole):
            raise RefusedError("refused", _short(problem))
        found = self.hits(whole)
        if not isinstance(found, list):
            names = ", ".join(whole) if isinstance(whole, dict) else type(whole).__name__
            raise RefusedError("no-hits", f"{self.hits.text}: {_short(found)}; {names}"[:300])
        hits = Hits(k)
        for one in found:
            id = self.id(one)
            why = explain(whole, id) if explain else self.explanation(one)
            hits.add(id, self.score(one), dict(self._fields_of(one)), explained(why))
        return hits.answer(took=_number(self.took(whole)), total=_count(self.total(whole)))

    def _fields_of(self, hit: Json) -> Iterator[tuple[str, object]]:
        if self.fields:
            for name, path in self.fields.items():
                yield name, _plain(path(hit))
            return
        document = self.document(hit)
        if not isinstance(document, dict):
            return
        known = {path.text for path in (self.id, self.score)} if self.document.text == "@" else ()
        for name, value in list(document.items())[:MOST_FIELDS]:
            parts = value if isinstance(value, list) else [value]
            if name not in known and not any(isinstance(one, dict | list) for one in parts):
                yield name, _plain(value)


KEYS = (
    "hits",
    "id",
    "score",
    "document",
    "explanation",
    "took",
    "total",
    "error",
    "partial",
)


def explained(why: Json) -> str:
    """Returns an explanation as text: a tree of values and descriptions line by line.

    Examples:
        >>> print(explained({"value": 2.0, "description": "sum of:", "details": [
        ...     {"value": 2.0, "description": "weight(title:red)", "details": []}]}))
        2.0 sum of:
          2.0 weight(title:red)
    """
    if why is None:
        return ""
    if isinstance(why, str):
        return why[:LONGEST]
    if isinstance(why, dict) and "description" in why:
        return "\n".join(_tree(why, 0))[:LONGEST]
    return json.dumps(why, ensure_ascii=False)[:LONGEST]


def _tree(why: Json, depth: int) -> Iterator[str]:
    if isinstance(why, dict) and depth < 50:
        yield f"{'  ' * depth}{why.get('value', '')} {why.get('description', '')}".rstrip()
        details = why.get("details")
        for one in details if isinstance(details, list) else []:
            yield from _tree(one, depth + 1)


def _plain(value: Json) -> object:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, bool):
        return write_scalar(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


def _short(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())[:200]


def _number(value: Json) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and value >= 0
    return float(value) if good and isinstance(value, int | float) else None


def _count(value: Json) -> int | None:
    if isinstance(value, dict):
        value = value.get("value")
    found = _number(value)
    return None if found is None or found > 2**53 else int(found)
