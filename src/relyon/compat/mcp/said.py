"""A sentence on each result, and errors as an agent gets them."""

from __future__ import annotations

import os
from collections.abc import Collection
from math import isfinite
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, RelyonError
from relyon.core.language import environment_language
from relyon.core.texts import Message, catalogue, message, translate
from relyon.core.texts.sentences import sentence

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison, Contrast
    from relyon.compat.mcp.sealed import Checked
    from relyon.evaluation.results import Results

__all__ = ["error_values", "say", "say_checked", "say_comparison", "say_results"]

#: Lines and sentences that name more are cut.
MOST_NAMED = 8


def say(key: str, /, **values: object) -> str:
    """Returns a sentence in the language that RELYON_LANG names."""
    return catalogue("mcp", environment_language()).say(key, **values)


def say_results(results: Results) -> str:
    """Returns the values of a run and the number of queries behind them."""
    entries = list(results.entries.items())
    values = [
        f"{name} {entry.value:.4f}" if isfinite(entry.value) else f"{name} –"
        for name, entry in entries[:MOST_NAMED]
    ]
    queries = max((entry.queries for _, entry in entries), default=0)
    return say("evaluated", run=results.run, values=values, queries=queries)


def say_comparison(comparison: Comparison) -> str:
    """Returns a sentence per contrast: the verdict, the difference, its interval, the queries."""
    found = [_said(one, comparison.confidence) for one in comparison.contrasts[:MOST_NAMED]]
    return " ".join(found)


def _said(one: Contrast, confidence: float) -> str:
    values = {
        "candidate": one.candidate,
        "baseline": one.baseline,
        "measure": one.measure,
        "before": one.baseline_mean,
        "after": one.candidate_mean,
        "difference": one.difference,
        "interval": one.interval,
        "confidence": confidence,
        "p": one.p_adjusted,
        "queries": one.queries,
    }
    known = one.interval[0] == one.interval[0]
    return say(f"compared.{one.verdict}", **values) + say(
        "interval" if known else "no-interval", **values
    )


def say_checked(found: Checked) -> str:
    """Returns the answer to a look."""
    key = {"better": "check.better", "out of looks": "check.out"}.get(found.answer, "check.same")
    said = say(key, against=found.against, left=found.left, looks=found.looks)
    if found.answer != "out of looks" and not found.charged:
        said += say("check.recorded")
    return said


def error_values(
    error: RelyonError, known: Collection[str] = (), *, sealed: bool = False
) -> dict[str, str]:
    """Returns an error's sentence and hint in the language that RELYON_LANG names.

    While a set is sealed, errors about data name file and line but quote nothing of the file: an
    agent could else read held-out judgments line by line, by giving them as something that they are
    not.

    Args:
        error: The error.
        known: Texts that the agent gave itself.
        sealed: Whether a set is sealed.
    """
    language = environment_language()
    said, hint = error.message, error.hint
    if sealed and isinstance(error, InputError):
        said, hint = _without_data(said, known), _without_data(hint, known)
    found = {"error": translate(said, language), "hint": translate(hint, language)}
    if error.lesson and not sealed:
        found["lesson"] = error.lesson
    return found


def _without_data(text: str, known: Collection[str]) -> str:
    if not text:
        return ""
    if not isinstance(text, Message) or sentence(text.kind) is None:
        return message("compat.mcp-data-not-shown")  # a sentence of its own may say anything
    try:
        return _redacted(text, frozenset(known))
    except (KeyError, TypeError, ValueError):  # a placeholder that needs what was taken away
        return message("compat.mcp-data-not-shown")


def _redacted(text: Message, known: Collection[str]) -> Message:
    values = {name: _shown(one, known) for name, one in text.values.items()}
    return message(text.kind, **values)


def _shown(value: object, known: Collection[str]) -> object:
    if isinstance(value, Message) and sentence(value.kind) is not None:
        return _redacted(value, known)
    if isinstance(value, bool | int):
        return value
    place, _, line = value.rpartition(":") if isinstance(value, str) else ("", "", "")
    names = known | {os.path.basename(one) for one in known}  # type: ignore[operator]
    if isinstance(value, str) and (value in names or (place in names and line.isdecimal())):
        return value
    return "…"
