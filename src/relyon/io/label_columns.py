"""Columns of a table that know the label: its interval's ends, and what users did."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from relyon.core.notes import Note
from relyon.data.columns import EVIDENCE_NAMES, NAMES, feature_name, plain_name, to_numbers
from relyon.data.columns.synonyms import BEHAVIOUR, CLICK_MODELS
from relyon.data.interval_weights import interval_weights

if TYPE_CHECKING:
    import polars as pl

__all__ = ["without_label_columns"]

#: Names of grades that features have, too.
FEATURES_TOO = {"rating", "score", "target", "final", "y", "相关度", "档位", "评级"}

#: Names of what is known only after users saw a list, and of labels.
OUTCOMES = BEHAVIOUR | ({*NAMES["label"], *NAMES["grade"]} - FEATURES_TOO)

#: Words that tell columns of labels apart: `grade_low`, `low_pbm`.
LABEL_WORDS = frozenset({"label", "labels", "grade", "grades", "标注", "标签"})

#: What pandas appends where two merged tables have the same column.
MERGED = ("x", "y")

#: The share of rows whose label is on one side of a column that is then an end of its interval.
INSIDE = 0.999

SHOWN = 5


class _Name(NamedTuple):
    """The name of a feature without what tells columns of labels apart.

    Attributes:
        plain: The rest of the name: `low` of `grade_low_y`.
        affixes: What was removed; two ends of one interval have the same.
    """

    plain: str
    affixes: tuple[str, ...]


class _End(NamedTuple):
    """An end of an interval by its name, its role and what else is in its name."""

    role: str
    affixes: tuple[str, ...]


def without_label_columns(
    columns: Mapping[str, pl.Series], path: str, *, weights: Literal["found", "none"] = "found"
) -> tuple[dict[str, pl.Series], list[Note]]:
    """Returns columns without the ends of the label's interval, and notes on the other features.

    `relyon labels make` writes the interval of each label as `low` and `high`. As features they are
    the label itself, alone and after a merge, too (`low_y`). Features with the name of a click, a
    purchase, their rates or a label are noted and kept.

    Args:
        columns: Series by role; every column without a role is a feature.
        path: The file, for messages.
        weights: "found" makes weights of the intervals if no column has weights.
    """
    found, notes = dict(columns), []
    names = {role: _short(name) for role in found if (name := feature_name(role))}
    ends = {
        end: [
            _End(role, name.affixes)
            for role, name in names.items()
            if name.plain in EVIDENCE_NAMES[end]
        ]
        for end in ("low", "high")
    }
    pair, removed = _intervals(found, ends, path)
    dropped = {role: found.pop(role) for role in removed}
    if pair and weights == "found" and "weight" not in found:
        low, high = (to_numbers(dropped[role], "weight", path).cast(float) for role in pair)
        made = interval_weights(low, high)
        if made is not None:
            found["weight"] = made.fill_null(1.0).alias("weight")
            notes.append(Note("weights-interval"))
    if dropped:
        values = {"names": tuple(str(column.name) for column in dropped.values())}
        notes.append(Note("interval-columns", len(dropped), values=values))
    outcomes = [
        feature_name(role) or ""
        for role, name in names.items()
        if role in found and _is_outcome(name)
    ]
    if outcomes:
        shown = tuple(outcomes[:SHOWN])
        notes.append(Note("outcome-features", len(outcomes), "warning", values={"names": shown}))
    return found, notes


def _short(name: str) -> _Name:
    """Returns a name without pandas' suffixes, words for labels, and names of click models."""
    whole = plain_name(name)
    if whole in OUTCOMES:
        return _Name(whole, ())
    words = [word for word in re.split(r"[ _.\-]+", name.strip().lower()) if word]
    affixes = [word for word in words[1:][-1:] if word in MERGED]
    words = words[: len(words) - len(affixes)]
    rest = [word for word in words if word not in LABEL_WORDS and word not in CLICK_MODELS]
    if not rest:  # `grade_pbm` is a label, `pbm` may be anything
        rest = [word for word in words if word in LABEL_WORDS][:1] or words
    affixes += [word for word in words if word not in rest]
    return _Name("".join(rest), tuple(affixes))


def _is_outcome(name: _Name) -> bool:
    """Returns whether a name is that of behaviour or of labels, such as `low_pbm`."""
    ends = (*EVIDENCE_NAMES["low"], *EVIDENCE_NAMES["high"])
    return name.plain in OUTCOMES or (
        name.plain in ends and any(word not in MERGED for word in name.affixes)
    )


def _intervals(
    columns: Mapping[str, pl.Series], ends: Mapping[str, list[_End]], path: str
) -> tuple[tuple[str, ...], list[str]]:
    """Returns the roles of the first two ends of one interval, and of all ends of intervals.

    Two ends are an interval if the label is between them. One alone must have values like labels,
    too: a highest price is above every label.
    """
    if "label" not in columns or not (ends["low"] or ends["high"]):
        return (), []
    label = to_numbers(columns["label"], "label", path).cast(float)
    beyond = {
        end.role: _is_beyond(label, to_numbers(columns[end.role], end.role, path).cast(float), side)
        for side, sides in ends.items()
        for end in sides
    }
    pairs = [
        (low.role, high.role)
        for low in ends["low"]
        for high in ends["high"]
        if low.affixes == high.affixes and beyond[low.role] and beyond[high.role]
    ]
    found = {role for pair in pairs for role in pair}
    found |= {role for role, scale in beyond.items() if scale == "label"}
    return next(iter(pairs), ()), [role for role in columns if role in found]


def _is_beyond(label: pl.Series, end: pl.Series, side: str) -> Literal["", "any", "label"]:
    """Returns on what scale nearly every label is on one side of a column, or an empty string."""
    apart = ((end <= label) if side == "low" else (label <= end)).drop_nulls()
    if not len(apart) or float(apart.mean() or 0.0) < INSIDE:  # type: ignore[arg-type]
        return ""
    lowest, highest = (float(bound or 0.0) for bound in (label.min(), label.max()))  # type: ignore[arg-type]
    width = highest - lowest
    inside = end.is_between(lowest - width, highest + width).drop_nulls()
    return "label" if width > 0 and bool(inside.all()) else "any"
