"""The rules of a convention: parsing and formatting of their values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import Literal, NamedTuple, get_args

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message

__all__ = [
    "COUNTED",
    "POSITIVE",
    "ApDenominator",
    "Counted",
    "Discount",
    "Gain",
    "Ideal",
    "MeasureRules",
    "Missing",
    "Negative",
    "NoRelevant",
    "PDenominator",
    "Scores",
    "SortTies",
    "TieRule",
    "Ties",
    "Undefined",
    "Unjudged",
    "Unretrieved",
    "gain_function",
    "parse_decimals",
    "parse_gain",
    "parse_measure_rules",
    "parse_rel",
    "parse_unjudged",
    "show_gain",
    "show_rel",
    "tie_rule",
]

Ties = Literal["doc-desc", "doc-asc", "input", "input-desc", "rank", "expected", "worst", "best"]
#: A written list has one order of its documents.
SortTies = Literal["doc-desc", "doc-asc", "input"]
Undefined = Literal["skip", "zero", "one", "error"]
Counted = Literal["skip", "zero", "one"]
NoRelevant = Literal["zero", "undefined"]
Missing = Literal["zero", "skip", "error"]
Unjudged = Literal["nonrelevant", "removed", "ignored"]
Unretrieved = Literal["counted", "removed"]
Negative = Literal["nonrelevant", "unjudged", "error"]
Discount = Literal["log2", "inverse", "none"]
Ideal = Literal["judged", "retrieved", "hits", "uncut"]
ApDenominator = Literal["relevant", "capped", "retrieved"]
PDenominator = Literal["k", "retrieved"]
IprecRounding = Literal["up", "nearest", "nine-tenths"]
Scores = Literal["float64", "float32"]

#: `linear`, `exp`, `scale`, or sorted (grade, gain) pairs.
Gain = str | tuple[tuple[float, float], ...]

GAINS = ("linear", "exp", "scale")

#: In a map with this grade, every grade that it does not list is its own gain; in text
#: `{1:3,2:9,other:grade}`.
OTHERS = math.inf

#: The lowest number above 0: with this threshold every grade above 0 is relevant.
POSITIVE = 5e-324

#: The value in a mean of a query without one; NaN excludes it.
COUNTED = {"skip": math.nan, "zero": 0.0, "one": 1.0, "error": math.nan}

#: Rules of single measures: parameters or `undefined` by name.
MeasureRules = tuple[tuple[str, tuple[tuple[str, object], ...]], ...]


class TieRule(NamedTuple):
    """The effect of a tie rule.

    Attributes:
        key: Its key: `document` (ids), `input` (their order), `rank` (the rank column) or
            `grade` (grades: no list shows an order of its own).
        descending: Whether the highest comes first.
    """

    key: str
    descending: bool

    @property
    def of_ids(self) -> bool:
        """Whether the ids of documents decide."""
        return self.key not in {"input", "rank", "grade"}


@cache
def tie_rule(ties: Ties) -> TieRule:
    """Returns the effect of a tie rule, from the table of the native core.

    Examples:
        >>> tie_rule("doc-desc")
        TieRule(key='document', descending=True)
    """
    from relyon import _native

    return TieRule(*_native.tie_rules()[ties])


def parse_gain(value: object) -> Gain:
    """Returns a gain from its name, or from a mapping of grades to gains.

    Raises:
        ParameterError: If it is neither.

    Examples:
        >>> parse_gain("exp")
        'exp'
        >>> parse_gain({3: 7, 2: 3})
        ((2.0, 3.0), (3.0, 7.0))
    """
    if isinstance(value, str) and value in GAINS:
        return value
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        with suppress(ValueError):
            value = dict(map(_pair, value[1:-1].split(",")))
    if isinstance(value, tuple):
        value = dict(value)
    if isinstance(value, Mapping) and value:
        try:
            table = tuple(sorted((float(grade), float(gain)) for grade, gain in value.items()))
        except (TypeError, ValueError):
            table = ()
        if table and all(0 <= gain < float("inf") for _, gain in table):
            return table
    raise ParameterError(
        message(
            "core.parameter-gain-must-be-linear",
            value=value,
        )
    )


def _pair(item: str) -> tuple[float, float]:
    grade, gain = item.split(":")
    if grade.strip().lower() == "other" and gain.strip().lower() == "grade":
        return OTHERS, 0.0
    return float(grade), float(gain)


def show_gain(gain: Gain) -> str:
    """Returns a gain as written in a measure's name."""
    if isinstance(gain, str):
        return gain
    return "{" + ",".join(_shown(grade, value) for grade, value in gain) + "}"


def _shown(grade: float, value: float) -> str:
    return "other:grade" if grade == OTHERS else f"{grade:.17g}:{value!r}".removesuffix(".0")


def parse_rel(value: object) -> float | None:
    """Returns a threshold from a number or text; `positive` is the lowest number above 0.

    Raises:
        ParameterError: If it is not one.

    Examples:
        >>> parse_rel("2"), parse_rel("none"), show_rel(parse_rel("positive"))
        (2.0, None, 'positive')
    """
    text = str(value).strip().lower()
    if text == "none":
        return None
    if text == "positive":
        return POSITIVE
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or isinstance(value, bool):
        raise ParameterError(
            message(
                "core.rel-must-be-number",
                value=value,
            )
        )
    return number


def show_rel(rel: float | None) -> str:
    """Returns a threshold as text."""
    return "positive" if rel == POSITIVE else "None" if rel is None else f"{rel:g}"


def parse_measure_rules(value: object) -> MeasureRules:
    """Parses rules of single measures from a mapping of names to parameters.

    Raises:
        ParameterError: If it is not such a mapping.

    Examples:
        >>> parse_measure_rules({"RBP": {"p": "0.9"}, "ndcg": {"undefined": "one"}})
        (('ndcg', (('undefined', 'one'),)), ('rbp', (('p', 0.9),)))
    """
    found: dict[str, dict[str, object]] = {}
    if isinstance(value, tuple):
        value = dict(value)
    if not isinstance(value, Mapping):
        raise ParameterError(
            message(
                "core.field-measures-of-convention",
                value=value,
            ),
            hint=message("core.write-rbp"),
        )
    for name, given in value.items():
        entries = dict(given) if isinstance(given, tuple) else given
        if not isinstance(entries, Mapping):
            raise ParameterError(
                message(
                    "core.rules-of-in-convention",
                    name=name,
                    entries=entries,
                ),
                hint=message("core.write-name", name=name),
            )
        for key, one in entries.items():
            if key == "undefined":
                subject = f"the field `{name}.undefined` of a convention"
                check_choice(key, one, get_args(Undefined), subject=subject)
            found.setdefault(str(name).lower(), {})[str(key).lower()] = _plain(str(key), one)
    return tuple((name, tuple(sorted(entries.items()))) for name, entries in sorted(found.items()))


def _plain(key: str, value: object) -> object:
    """Returns a parameter's value in one form, whether given as text or as a value."""
    if key == "gain":
        return parse_gain(value)
    if key == "rel":
        return parse_rel(value)
    if isinstance(value, str):
        if value.lower() in {"true", "false"}:
            return value.lower() == "true"
        try:
            value = float(value)
        except ValueError:
            return value
    if isinstance(value, float) and value == round(value):
        return int(value)
    return value


def gain_function(gain: Gain) -> Callable[[float | None], float]:
    """Returns the function from a grade to its gain; unjudged and negative grades are worth 0.

    Raises:
        ParameterError: If the gain is `scale`, which only a scale can resolve; or, when called,
            for a grade that is not in the map.
    """
    if gain == "linear":
        return lambda grade: grade if grade is not None and grade > 0 else 0.0
    if gain == "exp":
        return lambda grade: 2.0**grade - 1.0 if grade is not None and grade > 0 else 0.0
    if isinstance(gain, str):
        raise ParameterError(
            message("core.gain-scale-needs-judgments"),
            hint=message("core.say-scale-search"),
        )
    table = dict(gain)

    def look_up(grade: float | None) -> float:
        if grade is None or grade < 0:
            return 0.0
        try:
            return table[grade]
        except KeyError:
            if OTHERS in table:
                return grade
            raise ParameterError(
                message("core.gain-map-has-no", grade=grade),
                hint=message(
                    "core.add-gain-or-write",
                    gain=show_gain(gain)[:-1],
                    grade=grade,
                ),
            ) from None

    return look_up


def parse_unjudged(value: object) -> object:
    """Returns a rule for unjudged documents, or the grade assigned to them, as a number.

    Raises:
        ParameterError: If it is a number below 0.
    """
    if isinstance(value, str) and value in get_args(Unjudged):
        return value
    try:
        grade = math.nan if isinstance(value, bool) else float(str(value))
    except ValueError:
        return value
    if not 0 <= grade < math.inf:
        raise ParameterError(
            message(
                "core.grade-of-unjudged-documents",
                value=value,
            )
        )
    return grade


def parse_decimals(value: object) -> int | None:
    """Returns a number of decimals.

    Raises:
        ParameterError: If it is not one.
    """
    if value is None or str(value).lower() == "none":
        return None
    if isinstance(value, bool) or not str(value).isdigit() or int(str(value)) > 15:
        raise ParameterError(
            message(
                "core.decimals-must-be-whole",
                value=value,
            )
        )
    return int(str(value))
