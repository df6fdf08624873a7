"""Stored evaluations: reads what `relyon evaluate -q --format json` wrote."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import TypeVar, cast

from relyon.core.errors import InputError, ParameterError, UnknownNameError
from relyon.core.notes import Note
from relyon.core.parameters import check_path
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.input_fingerprints import InputFingerprints
from relyon.evaluation.entry import Entry
from relyon.evaluation.results import Absent, Parts, Results
from relyon.evaluation.stored_notes import note_of
from relyon.evaluation.stored_values import FORMAT, needs_parts, needs_pool, number_of
from relyon.io import Source
from relyon.measures.definition import Measure

__all__ = ["is_stored", "of_measures", "read_all_results", "read_results", "renamed"]

#: How a stored evaluation begins; in judgments and runs a name is followed by documents.
HEAD = re.compile(rb'\s*\{\s*"run"\s*:\s*"')
#: The fields of a measure that are not details.
FIELDS = frozenset(
    (
        "value", "queries", "undefined", "missing", "tie_sensitive", "average", "definition",
        "infinite", "ties", "span", "tie_decided", "fingerprint",
    )
)  # fmt: skip
AGAIN = "evaluation.evaluate-again-per-query"
INSTEAD = "evaluation.compare-runs-or-gauc"

JsonValues = Mapping[str, object]
T = TypeVar("T")


def is_stored(path: str) -> bool:
    """Returns whether a file is a stored evaluation, by how it begins; a stream is not looked at.

    Examples:
        >>> is_stored("no such file")
        False
    """
    if not os.path.isfile(path):
        return False
    try:
        with Source(path) as source:
            return HEAD.match(source.head) is not None
    except InputError:  # whoever reads it says what is wrong
        return False


def read_results(path: str | PathLike[str], *, run: str | None = None) -> Results:
    """Reads a stored evaluation, so that it can be compared with another one.

    Args:
        path: What ``relyon evaluate -q --format json -o FILE`` or `Results.to_json(per_query=True)`
            wrote, compressed or not.
        run: The name of the run, if the file contains several.

    Returns:
        The same results. They do not contain the scores behind a pooled AUC.

    Raises:
        InputError: If the file cannot be read, is something else, or has no values of queries.
        ParameterError: If it contains several runs, and `run` is not given.
        UnknownNameError: If it contains no run of that name.

    Examples:
        >>> import relyon, tempfile, pathlib
        >>> found = relyon.evaluate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "rr", name="old")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder) / "old.json"
        ...     _ = file.write_text(found.to_json(per_query=True))
        ...     relyon.read_results(file)
        Results('old': rr=0.5000)
    """
    name = check_path("path", path)
    found = read_all_results(name)
    names = [one.run for one in found]
    if run is None:
        if len(found) > 1:
            raise ParameterError(
                message("evaluation.file-has-several-runs", path=name, names=names),
                hint=message("evaluation.name-one-run"),
            )
        return found[0]
    if run not in names:
        raise UnknownNameError(
            message("evaluation.file-has-no-run", path=name, run=run), hint=suggestion(run, names)
        )
    return found[names.index(run)]


def read_all_results(path: str) -> list[Results]:
    """Reads every evaluation of a file, in their order.

    Raises:
        InputError: As `read_results`.
    """
    with Source(path) as source:
        text = source.read(-1).decode("utf-8-sig", "surrogateescape")
    decoder, place, found = json.JSONDecoder(), 0, []
    while rest := text[place:].lstrip() if place else text.strip():
        try:
            values, used = decoder.raw_decode(rest)
        except ValueError as error:
            raise InputError(message("core.cannot-be-read", error=error), path=path) from None
        found.append(_results(values, path))
        text, place = rest, used
    if not found:
        raise _not_stored(path)
    return found


def of_measures(results: Results, names: Iterable[str | Measure]) -> Results:
    """Returns results with some of their measures, in the order of their names.

    Raises:
        UnknownNameError: If a measure was not evaluated.
    """
    keys = [results._key(name) for name in names]
    return _changed(results, entries={key: results.entries[key] for key in dict.fromkeys(keys)})


def renamed(results: Results, name: str) -> Results:
    """Returns the same results under another name of the run."""
    return _changed(results, run=name)


def _changed(results: Results, **changes: object) -> Results:
    # Copying would compute what is computed on demand.
    found = Results.__new__(Results)
    found.__dict__.update(results.__dict__, **changes)
    return found


def _not_stored(path: str) -> InputError:
    return InputError(message("evaluation.file-is-not-results"), path=path, hint=message(AGAIN))


def _results(values: object, path: str) -> Results:
    """Returns one evaluation of a file.

    Raises:
        InputError: If it is something else, or has no values of queries.
    """
    if not isinstance(values, dict) or not {"run", "measures", "convention"} <= values.keys():
        raise _not_stored(path)
    if "per_query" not in values:
        raise InputError(
            message("evaluation.results-have-no-queries", run=values["run"]),
            path=path,
            hint=message(AGAIN),
        )
    if _mapping(values.get("stored", {})).get("format", FORMAT) != FORMAT:
        raise InputError(
            message("evaluation.results-of-later-version"),
            path=path,
            hint=message("evaluation.install-later-version"),
        )
    try:
        return _Stored(values, path).results()
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        if isinstance(error, InputError | ParameterError | UnknownNameError):
            raise
        raise InputError(message("core.cannot-be-read", error=error), path=path) from None


def _mapping(value: object) -> JsonValues:
    if not isinstance(value, dict):
        raise ValueError(f"not an object: {value!r}"[:80])
    return value


def _list(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise ValueError(f"not a list: {value!r}"[:80])
    return value


class _Stored:
    """One evaluation of a file."""

    def __init__(self, values: JsonValues, path: str) -> None:
        self.values = values
        self.path = path
        self.rows = _mapping(values["per_query"])
        self.queries = list(self.rows)
        self.known = "stored" in values
        stored = _mapping(values.get("stored", {}))
        self.further = _mapping(stored.get("measures", {}))
        self.notes = _list(stored.get("notes", values.get("notes", [])))

    def results(self) -> Results:
        """Returns the evaluation."""
        inputs = self.values.get("inputs")
        fingerprints = None if inputs is None else InputFingerprints.from_dict(_mapping(inputs))
        notes = [note_of(one) for one in self.notes]
        if fingerprints is None:
            notes.append(Note("inputs-unknown"))
        measures = _mapping(self.values["measures"])
        entries = {name: self._entry(name, _mapping(one)) for name, one in measures.items()}
        columns = {name: self._column(name, one) for name, one in entries.items()}
        summed = {
            name: self._parts(name)
            for name, entry in entries.items()
            if needs_parts(entry) and "numerators" in self._more(name)
        }
        equal = {name: self._equal(name) for name in summed if "equal" in self._more(name)}
        pooled = {
            name: self._absent("evaluation.results-lack-scores", INSTEAD, name)
            for name, entry in entries.items()
            if needs_pool(entry)
        }
        missing: dict[str, Callable[[], Parts]] = {
            name: self._absent("evaluation.results-lack-parts", AGAIN, name)
            for name, entry in entries.items()
            if needs_parts(entry) and name not in summed
        }
        return Results(
            run=str(self.values["run"]),
            entries=entries,
            convention=load_convention(_mapping(self.values["convention"])),
            notes=tuple(notes),
            queries=lambda: list(self.queries),
            columns=columns,
            parts={name: partial(_same, one) for name, one in summed.items()} | missing,
            equal_pairs={name: partial(_same, one) for name, one in equal.items()},
            pools=pooled,
            inputs=None if fingerprints is None else partial(_same, fingerprints),
        )

    def _more(self, name: str) -> JsonValues:
        return _mapping(self.further.get(name, {}))

    def _entry(self, name: str, values: JsonValues) -> Entry:
        value = number_of(values["value"])
        if values.get("infinite"):
            value = math.inf
        details = self._more(name).get("details")
        if details is None:
            details = {key: one for key, one in values.items() if key not in FIELDS}
        counts = {
            key: int(cast("int", values.get(key, 0)))
            for key in ("queries", "undefined", "missing", "tie_sensitive", "tie_decided")
        }
        ends = values.get("span")
        span = None if ends is None else tuple(number_of(one) for one in _list(ends))
        return Entry(
            value=value,
            average=str(values["average"]),
            definition=str(values["definition"]),
            details={key: number_of(one) for key, one in _mapping(details).items()},
            ties=str(values.get("ties", "")),
            span=cast("tuple[float, float] | None", span),
            **counts,
        )

    def _column(self, name: str, entry: Entry) -> Callable[[], list[float]]:
        infinite = _mapping(self._more(name).get("infinite", {}))
        values = [
            number_of(infinite.get(query, _mapping(row)[name])) for query, row in self.rows.items()
        ]
        if not self.known and sum(map(math.isnan, values)) > entry.undefined:
            # Without `stored`, infinite values and those without a value are both null.
            return self._absent("evaluation.results-lack-parts", AGAIN, name)
        return partial(list, values)

    def _parts(self, name: str) -> Parts:
        above, below = (
            [number_of(one) for one in _list(self._more(name)[key])]
            for key in ("numerators", "denominators")
        )
        if not len(above) == len(below) == len(self.queries):
            raise ValueError(f"{name}: numerators and denominators of other queries")
        return above, below

    def _equal(self, name: str) -> list[list[float]]:
        found = [
            [number_of(one) for one in _list(part)] for part in _list(self._more(name)["equal"])
        ]
        if [len(one) for one in found] != [len(self.queries)] * 2:
            raise ValueError(f"{name}: pairs of other queries")
        return found

    def _absent(self, kind: str, hint: str, name: str) -> Absent:
        return Absent((message(kind, measure=name), self.path, message(hint)))


def _same(value: T) -> T:
    return value
