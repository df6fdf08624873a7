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
from relyon.engines.files.options import Options
from relyon.engines.files.template import Json, is_finite, write_scalar
from relyon.engines.hits import Hits
from relyon.engines.http.replies import told
from relyon.engines.problems import PassingError, RefusedError

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
        #: Returns what is there; None if nothing is.
        self.find = _finder(text)

    def __call__(self, value: Json) -> Json:
        """Returns what is there; None if nothing is.

        Raises:
            RefusedError: If a function of the path cannot take it.
        """
        return self.find(value)

    def __bool__(self) -> bool:
        return bool(self.text)

    def __repr__(self) -> str:
        return f"Path({self.text!r})"


def _finder(text: str) -> Callable[[Json], Json]:
    """Returns the function of a path: most are names, which need no JMESPath."""
    if not text:
        return lambda value: None
    if text == "@":
        return lambda value: value
    if SIMPLE.fullmatch(text):
        first, *others = text.split(".")
        if not others:
            return lambda value: value.get(first) if isinstance(value, dict) else None

        def named(value: Json) -> Json:
            found = value.get(first) if isinstance(value, dict) else None
            for name in others:
                found = found.get(name) if isinstance(found, dict) else None
            return found

        return named
    jmespath = optional_package(
        "jmespath", purpose=message("engines.searching"), install="relyon[search]"
    )
    search = cast("Callable[[Json], Json]", jmespath.compile(text).search)

    def searched(value: Json) -> Json:
        try:
            return search(value)
        except ValueError as error:
            raise RefusedError("no-hits", f"{text}: {error}") from None

    return searched


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
            said = told(whole) or f"{self.partial.text} = {_short(self.partial(whole))}"
            raise PassingError("partial", message("engines.answer-is-partial", problem=said[:200]))
        if problem := self.error(whole):
            raise RefusedError("refused", _short(told(problem) or problem))
        found = self.hits(whole)
        if not isinstance(found, list):
            names = ", ".join(whole) if isinstance(whole, dict) else type(whole).__name__
            said = message("engines.no-results-at", path=self.hits.text, names=names[:200])
            raise RefusedError("no-hits", said)
        hits = Hits(k)
        id_of, score_of, fields_of = self.id.find, self.score.find, self._fields_finder()
        explains = bool(self.explanation)
        for one in found:
            id = id_of(one)
            why = ""
            if explains:
                why = explained(explain(whole, id) if explain else self.explanation(one))
            hits.add(id, score_of(one), fields_of(one), why)
        return hits.answer(took=_number(self.took(whole)), total=_count(self.total(whole)))

    def _fields_finder(self) -> Callable[[Json], dict[str, object]]:
        """Returns the function that finds the fields of a result."""
        if not self.fields:
            return lambda hit: dict(self._all_fields(hit))
        named = [(name, path.find) for name, path in self.fields.items()]
        return lambda hit: {name: _plain(find(hit)) for name, find in named}

    def _all_fields(self, hit: Json) -> Iterator[tuple[str, object]]:
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
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, bool):
        return write_scalar(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value


def _short(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return " ".join(text.split())[:200]


def _number(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if value >= 0 and is_finite(value) else None


def _count(value: Json) -> int | None:
    if isinstance(value, dict):
        value = value.get("value")
    found = _number(value)
    return None if found is None or found > 2**53 else int(found)
