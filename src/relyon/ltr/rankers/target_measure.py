"""The number that a ranker is trained for: a measure under its convention."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.notes import RelyonWarning
from relyon.core.texts import message
from relyon.data.convention import Convention, load_convention
from relyon.evaluation import evaluate_scores
from relyon.measures.definition import Measure
from relyon.measures.fingerprint import measure_fingerprint
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from relyon.data.labelled import LabelledRows
    from relyon.evaluation.results import Results

__all__ = ["fingerprint", "measure_rows", "measure_scores"]


def measure_scores(
    measure: str | Measure,
    convention: Convention | str | Mapping[str, object] | None,
    labels: ArrayLike,
    scores: ArrayLike,
    qid: ArrayLike | None,
    weights: ArrayLike | None = None,
) -> float:
    """Returns a measure of labelled scores.

    The notes of `evaluate_scores`, such as that on equal scores, are left out: a search over
    parameters computes hundreds of values. The order of equal scores is the convention's, by
    default the mean over all.

    Raises:
        InputError: If no query has a value.
    """
    name = str(parse_measure(measure))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)
        found = evaluate_scores(labels, scores, qid, [name], weights=weights, convention=convention)
    return _known(name, found)


def measure_rows(
    measure: str, convention: Convention, rows: LabelledRows, scores: ArrayLike
) -> float:
    """Returns a measure of scores of labelled rows, without their weights.

    Raises:
        InputError: If no query has a value.
    """
    plain = replace(rows, weights=None, scores=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)
        found = evaluate_scores(plain, scores, None, [measure], convention=convention)
    return _known(measure, found)


def _known(name: str, found: Results) -> float:
    value = float(next(iter(found.values())))
    if math.isnan(value):
        raise InputError(
            message("ltr.has-no-value", measure=name),
            hint=message("ltr.queries-labels-are-all"),
        )
    return value


def fingerprint(
    measure: str | Measure, convention: Convention | str | Mapping[str, object] | None = None
) -> str:
    """Returns a short text that is equal if two numbers mean the same thing.

    It depends on the measure with every parameter and on each rule of the convention. Only numbers
    with the same fingerprint may be compared.

    Examples:
        >>> import relyon.ltr
        >>> relyon.ltr.fingerprint("ndcg@10") == relyon.ltr.fingerprint("nDCG_cut_10")
        True
        >>> relyon.ltr.fingerprint("ndcg@10") == relyon.ltr.fingerprint("ndcg@10", "lightgbm")
        False
    """
    return measure_fingerprint(parse_measure(measure), load_convention(convention))
