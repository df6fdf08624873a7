"""Columns of a table that know the label: its interval's ends, and what users did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from relyon.core.notes import Note
from relyon.data.columns import EVIDENCE_NAMES, NAMES, feature_name, plain_name, to_numbers
from relyon.data.columns.synonyms import BEHAVIOUR
from relyon.data.interval_weights import interval_weights

if TYPE_CHECKING:
    import polars as pl

__all__ = ["without_label_columns"]

#: Names of grades that features have, too.
FEATURES_TOO = {"rating", "score", "target", "final", "y", "相关度", "档位", "评级"}

#: Names of what is known only after users saw a list, and of labels.
OUTCOMES = BEHAVIOUR | ({*NAMES["label"], *NAMES["grade"]} - FEATURES_TOO)

#: The share of rows whose label is between two columns that are then its interval.
INSIDE = 0.999

SHOWN = 5


def without_label_columns(
    columns: Mapping[str, pl.Series], path: str, *, weights: Literal["found", "none"] = "found"
) -> tuple[dict[str, pl.Series], list[Note]]:
    """Returns columns without the ends of the label's interval, and notes on the other features.

    `relyon labels make` writes the interval of each label as `low` and `high`. As features they are
    the label itself. Features with the name of a click, a purchase or a label are noted and kept.

    Args:
        columns: Series by role; every column without a role is a feature.
        path: The file, for messages.
        weights: "found" makes weights of the intervals if no column has weights.
    """
    found, notes = dict(columns), []
    features = {plain_name(name): role for role in found if (name := feature_name(role))}
    ends = [
        next((features[name] for name in EVIDENCE_NAMES[end] if name in features), "")
        for end in ("low", "high")
    ]
    if all(ends) and _are_interval(found, ends[0], ends[1], path):
        low, high = (found.pop(role) for role in ends)
        names = [str(end.name) for end in (low, high)]
        made = None
        if weights == "found" and "weight" not in found:
            made = interval_weights(
                *(to_numbers(end, "weight", path).cast(float) for end in (low, high))
            )
        if made is not None:
            found["weight"] = made.fill_null(1.0).alias("weight")
            notes.append(Note("weights-interval"))
        notes.append(Note("interval-columns", values={"low": names[0], "high": names[1]}))
    outcomes = [feature_name(role) or "" for name, role in features.items() if name in OUTCOMES]
    if outcomes:
        shown = tuple(outcomes[:SHOWN])
        notes.append(Note("outcome-features", len(outcomes), "warning", values={"names": shown}))
    return found, notes


def _are_interval(columns: Mapping[str, pl.Series], low: str, high: str, path: str) -> bool:
    """Returns whether nearly every label is between two columns."""
    if "label" not in columns:
        return False
    label, lower, upper = (
        to_numbers(columns[role], role, path).cast(float) for role in ("label", low, high)
    )
    inside = ((lower <= label) & (label <= upper)).drop_nulls()
    return len(inside) > 0 and float(inside.mean() or 0.0) >= INSIDE  # type: ignore[arg-type]
