"""Checks of rows: labels, their order, features."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from relyon.core.notes import Note
from relyon.data.columns import EVIDENCE_NAMES, NAMES, plain_name
from relyon.ltr.preparation.findings import Finding
from relyon.ltr.preparation.near_copies import alike_queries, near_queries
from relyon.ltr.preparation.pairs import (
    label_classes,
    orderable,
    random_variance,
    signed_pairs,
    sorted_agreement,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.features import Features
    from relyon.data.labelled import LabelledRows

__all__ = ["ROW_RULES", "label_features", "row_findings"]

ROW_RULES = (
    "constant-labels", "fractional-labels", "negative-labels", "scattered-queries", "row-order",
    "leaking-feature", "shown-feature", "constant-feature", "missing-values", "near-copies",
)  # fmt: skip

#: The number of standard deviations that rows in random order exceed once in a thousand times.
UNLIKELY = 3.2905

#: The lowest reported agreement of the order of rows with labels: 0.1 is 55 pairs of 100.
ORDERED = 0.1

#: A feature that orders labels this well is suspicious, if there are enough pairs to tell: 0.99 is
#: 99.5 pairs of 100. The strongest features of published collections order 81, click rates 94.
LEAK, PAIRS = 0.99, 100
STRONG, MANY_PAIRS = 0.85, 1_000

#: Rows that features are compared with labels on: a first look, and a second one.
FIRST, SECOND = 3_000, 50_000

SHOWN = 5

#: Names of what a list that users saw was made of, and of what labels of clicks rest on.
SHOWN_NAMES = frozenset(
    {*NAMES["score"], *NAMES["rank"], *EVIDENCE_NAMES["low"], *EVIDENCE_NAMES["high"]}
)


def row_findings(rows: LabelledRows) -> Iterator[Finding]:
    """Yields the findings about the rows."""
    import numpy as np

    labels = np.asarray(rows.labels, dtype=np.float64)
    codes = label_classes(labels)
    yield from _constant(rows, codes)
    yield from _kinds(labels)
    if rows.scattered:
        yield Finding("scattered-queries", "info", {"count": rows.scattered})
    yield from _order(codes, rows.groups)
    if rows.features is not None:
        yield from _leaks(rows.features, codes, rows.groups)
        shown = [name for name in rows.features.names if plain_name(name) in SHOWN_NAMES]
        if shown:
            yield Finding("shown-feature", "info", {"count": len(shown)}, tuple(shown[:SHOWN]))
        yield from _columns(rows.features)
        yield from _copies(rows)


def label_features(rows: LabelledRows) -> Note | None:
    """Returns a note on features that order documents as the labels do; None if there are none.

    Args:
        rows: Labelled rows with features.
    """
    import numpy as np

    codes = label_classes(np.asarray(rows.labels, dtype=np.float64))
    found = list(_leaks(rows.known_features(), codes, rows.groups))
    if not found:
        return None
    names = [str(one.evidence["name"]) for one in found]
    agreement = min(abs(float(str(one.evidence["agreement"]))) for one in found)
    values = {"names": names, "share": (1 + agreement) / 2}
    return Note("features-like-labels", len(names), "warning", values=values)


def _copies(rows: LabelledRows) -> Iterator[Finding]:
    """Yields queries that are nearly copies of others: by features, or by documents."""
    import numpy as np

    near, alike = near_queries(rows), alike_queries(rows)
    known = set(zip(near.first.tolist(), near.second.tolist(), strict=True))
    others = [
        pair
        for pair in zip(alike.first.tolist(), alike.second.tolist(), strict=True)
        if pair not in known
    ]
    for key, pairs in (("text", sorted(known)), ("alike", others)):
        if not pairs:
            continue
        count = len(np.unique(np.asarray(pairs)))
        first, second = (rows.queries[place] for place in pairs[0])
        evidence = {
            "count": count, "total": len(rows.queries), "first": first, "second": second
        }  # fmt: skip
        yield Finding("near-copies", "warning", evidence, key=key)


def _constant(rows: LabelledRows, codes: NDArray[np.int64]) -> Iterator[Finding]:
    import numpy as np

    pairs = orderable(codes, rows.groups)
    constant = np.flatnonzero(pairs == 0)
    if not len(constant):
        return
    total = len(pairs)
    evidence = {
        "count": len(constant),
        "total": total,
        "share": len(constant) / total,
        "pairs": int(pairs.sum()),
    }
    examples = tuple(rows.queries[place] for place in constant[:SHOWN])
    level: Literal["info", "warning"] = "warning" if 2 * len(constant) >= total else "info"
    yield Finding("constant-labels", level, evidence, examples)


def _kinds(labels: NDArray[np.float64]) -> Iterator[Finding]:
    import numpy as np

    total = len(labels)
    broken = np.flatnonzero(labels != np.floor(labels))
    if len(broken):
        examples = tuple(f"{one:g}" for one in np.unique(labels[broken])[:SHOWN])
        evidence = {"count": len(broken), "total": total, "share": len(broken) / total}
        yield Finding("fractional-labels", "warning", evidence, examples)
    below = int((labels < 0).sum())
    if below:
        evidence = {"count": below, "total": total, "lowest": float(labels.min())}
        yield Finding("negative-labels", "warning", evidence)


def _order(codes: NDArray[np.int64], offsets: NDArray[np.int64]) -> Iterator[Finding]:
    """Yields a finding if the order of rows reveals labels: engines break ties by it."""
    pairs = int(orderable(codes, offsets).sum())
    spread = math.sqrt(float(random_variance(codes, offsets).sum()))
    if not pairs or not spread:
        return
    found = int(signed_pairs(codes, offsets).sum())
    agreement = found / pairs
    if abs(found) / spread <= UNLIKELY or abs(agreement) < ORDERED:
        return
    evidence = {
        "share": (1 + abs(agreement)) / 2,
        "pairs": pairs,
        "deviations": abs(found) / spread,
    }
    yield Finding("row-order", "warning", evidence, key="falling" if found < 0 else "rising")


def _leaks(
    features: Features, codes: NDArray[np.int64], offsets: NDArray[np.int64]
) -> Iterator[Finding]:
    """Yields features that order the documents of every query as the labels do."""
    import numpy as np

    found: dict[int, float] = {}
    places = list(range(len(features.names)))
    for limit in (FIRST, SECOND):
        rows, part = _sample(offsets, limit)
        labels = codes[rows]
        pairs = int(orderable(labels, part).sum())
        if pairs < PAIRS:
            return
        least = STRONG if pairs >= MANY_PAIRS else LEAK
        if limit == FIRST:  # of a part of the rows, to pass over most features
            least = STRONG - 0.1
        found = {}
        for place, column in _sampled(features, rows, places, labels):
            agreement = sorted_agreement(column, labels, part)
            if abs(agreement) >= least:
                found[place] = agreement
        places = list(found)
    for place in sorted(found, key=lambda one: -abs(found[one]))[:SHOWN]:
        evidence = {
            "name": features.names[place],
            "agreement": float(found[place]),
            "pairs": pairs,
            "rows": len(rows),
        }
        key = "text" if np.isclose(abs(found[place]), 1) else "nearly"
        yield Finding("leaking-feature", "warning", evidence, key=key)


def _sample(offsets: NDArray[np.int64], limit: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns about `limit` rows of whole queries, evenly spaced, and their offsets."""
    import numpy as np

    sizes = np.diff(offsets)
    step = max(1, -(-int(offsets[-1]) // limit))
    chosen = np.arange(0, len(sizes), step)
    part = np.concatenate([[0], np.cumsum(sizes[chosen])])
    rows = np.repeat(offsets[chosen] - part[:-1], sizes[chosen]) + np.arange(part[-1])
    return rows, part


def _sampled(
    features: Features, rows: NDArray[np.int64], places: list[int], labels: NDArray[np.int64]
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yields columns of some rows; sparse ones only with enough values to order the labels."""
    import numpy as np

    if not features.sparse:
        values = features.values[rows]
        for place in places:
            yield place, values[:, place]
        return
    matrix = features.values[rows].tocsc()
    known = np.diff(matrix.indptr)
    rarest = min(int((labels > labels.min()).sum()), int((labels < labels.max()).sum()))
    for place in places:
        if known[place] >= rarest / 2:
            yield place, matrix[:, [place]].toarray().ravel()


def _columns(features: Features) -> Iterator[Finding]:
    import numpy as np

    values = features.values
    total = len(features.names)
    if not total or not values.shape[0]:
        return
    if features.sparse:
        lowest, highest = (values.min(axis=0).toarray(), values.max(axis=0).toarray())
        constant = np.flatnonzero((lowest == highest).ravel())
        absent = np.zeros(total, dtype=np.int64)
    else:
        absent = np.isnan(values).sum(axis=0)
        same = (values == values[:1]).all(axis=0) | (absent == len(values))
        constant = np.flatnonzero(same)
    if len(constant):
        names = tuple(features.names[place] for place in constant[:SHOWN])
        evidence = {"count": len(constant), "total": total}
        yield Finding("constant-feature", "info", evidence, names)
    lacking = np.flatnonzero(absent)
    if len(lacking):
        worst = lacking[np.argsort(-absent[lacking], kind="stable")]
        names = tuple(features.names[place] for place in worst[:SHOWN])
        share = float(absent.sum() / (total * len(values)))
        known = {"count": len(lacking), "total": total, "share": share}
        yield Finding("missing-values", "info", known, names)
