"""Rows split by query: for training, for validation and for testing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn, get_args

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.parameters import check_choice, check_whole
from relyon.core.texts import message
from relyon.data.keys import hashed
from relyon.data.labelled import ALL_ROWS, LabelledRows
from relyon.ltr.preparation.split import Part, Split
from relyon.ltr.preparation.together import Duplicates, kept_together

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Duplicates", "split"]

TEST, VALID = 0.2, 0.1


def split(
    rows: object,
    *,
    test: float | None = None,
    valid: float | None = None,
    folds: int | None = None,
    seed: int = 0,
    duplicates: Duplicates = "together",
) -> Split:
    """Splits rows by query into train, valid and test, or into folds.

    A query is in one part only, and queries that share a row are in the same part: a row with the
    same features (rows of one value, such as all 0, are not compared). So are queries that are
    nearly copies: at least half of their rows have the same label and, rounded to a quarter of
    their spread, the same features except for at most a quarter of these. Queries that share most
    documents by id, with the same labels, and near-copies that would leave too few groups, are
    noted but not joined; `rows.together` joins what you name. Each part gets its share
    of queries with no, one, two, … relevant documents (a label above 0). The part of a query
    depends on the seed and the queries' names, not on the order of rows.

    With `folds`, queries are divided into that many slices; fold i tests on slice i, validates on
    slice i + 1 and trains on the others, as in LETOR.

    Args:
        rows: Labelled rows with features, or any source of `read_features`.
        test: The share of queries for testing.  [default: 0.2]
        valid: The share of queries for validation and early stopping; 0 for none.  [default: 0.1]
        folds: The number of folds, from 3, in place of the two shares.
        seed: The same seed gives the same parts.
        duplicates: "together", or "ignore" if rows may have the same features by chance, as with
            two or three features of few values; near-copies are then not looked for.

    Raises:
        InputError: If a part would be empty.
        ParameterError: If the shares leave no queries for training, or contradict `folds`.

    Examples:
        >>> import polars as pl
        >>> import relyon.ltr
        >>> frame = pl.DataFrame(
        ...     {"q": [n // 2 for n in range(40)], "label": [1, 0] * 20, "f": range(40), "g": 1}
        ... )
        >>> found = relyon.ltr.split(relyon.read_features(frame, query="q"))
        >>> [len(part.queries) for part in (found.train, found.valid, found.test)]
        [14, 2, 4]
        >>> set(found.train.queries) & set(found.test.queries)
        set()
    """
    import numpy as np

    check_choice("duplicates", duplicates, get_args(Duplicates))
    check_whole("seed", seed, least=0)
    known = _rows(rows)
    shares, roles = _plan(test, valid, folds)
    qid, queries = known.qid, len(known.queries)
    kept = kept_together(known, duplicates)
    relevant = np.bincount(qid[np.asarray(known.labels) > 0], minlength=queries).astype(np.float64)
    groups = kept.groups
    places = _places(known.queries, groups, relevant, shares, seed)
    filled = np.bincount(places, minlength=len(shares))
    sizes = np.bincount(groups)
    if len(kept.near.first) and (not filled.all() or 2 * int(sizes.max()) > queries):
        groups = kept.certain
        places = _places(known.queries, groups, relevant, shares, seed)
        filled = np.bincount(places, minlength=len(shares))
        sizes = np.bincount(groups)
    if not filled.all():
        _refuse_few(known, len(sizes), len(shares))
    notes = [*known.notes, *kept.notes, *kept.copies(known.queries, groups)]
    wanted = np.array(shares) * queries
    largest = int(sizes.max(initial=0))
    if bool((np.abs(filled - wanted) > np.maximum(1.5, 0.1 * wanted)).any()) and largest > 1:
        notes.append(Note("split-uneven", largest, "warning"))
    return Split(
        known,
        places,
        roles,
        shares,
        seed,
        kept.shared,
        kept.joined,
        kept.largest,
        tuple(notes),
        groups,
        kept.clusters,
    )


def _refuse_few(rows: LabelledRows, groups: int, parts: int) -> NoReturn:
    path = rows.path
    queries = len(rows.queries)
    if groups == queries:
        raise InputError(
            message(
                "ltr.too-few-for-parts",
                queries=queries,
                parts=parts,
            ),
            path=path,
            hint=message("ltr.ask-for-fewer-parts")
            if queries > 1
            else message("ltr.all-rows-belong")
            if rows.queries in ([], [ALL_ROWS])
            else message("ltr.only-one-query", query=rows.queries[0]),
        )
    raise InputError(
        message(
            "ltr.queries-share-so-many",
            queries=queries,
            groups=groups,
            parts=parts,
        ),
        path=path,
        hint=message("ltr.duplicates-ignore-allows-rows"),
    )


def _rows(rows: object) -> LabelledRows:
    if isinstance(rows, LabelledRows):
        return rows
    from relyon.io.readers import read_features

    return read_features(rows)


def _plan(
    test: float | None, valid: float | None, folds: int | None
) -> tuple[tuple[float, ...], tuple[tuple[Part, ...], ...]]:
    """Returns the share of each slice, and its part in each fold."""
    if folds is not None:
        if test is not None or valid is not None:
            raise ParameterError(
                message("ltr.folds-sets-size"),
                hint=message("ltr.with-5-folds"),
            )
        check_whole("folds", folds, least=3)

        def role(fold: int, place: int) -> Part:
            return {0: "test", 1: "valid"}.get((place - fold) % folds, "train")  # type: ignore[return-value]

        roles = tuple(tuple(role(fold, place) for place in range(folds)) for fold in range(folds))
        return (1 / folds,) * folds, roles
    test = TEST if test is None else test
    valid = VALID if valid is None else valid
    if not (0 < test < 1 and 0 <= valid < 1 and test + valid < 1):
        raise ParameterError(
            message(
                "ltr.shares-of-test",
                test=test,
                valid=valid,
            )
            if test + valid >= 1
            else message(
                "ltr.shares-must-be-between-0",
                test=test,
                valid=valid,
            ),
            hint=message("ltr.such-as-test-0"),
        )
    if valid == 0:
        return (1 - test, test), (("train", "test"),)
    return (1 - test - valid, valid, test), (("train", "valid", "test"),)


def _places(
    names: Sequence[str],
    groups: NDArray[np.int64],
    relevant: NDArray[np.float64],
    shares: tuple[float, ...],
    seed: int,
) -> NDArray[np.int64]:
    """Returns the slice of each query.

    Groups go to the slice that lacks most queries, in the order of their size and of their mean
    number of relevant documents; within blocks of that order, each with one group of the smallest
    slice on average, in the order of a hash of the seed and the names.
    """
    import numpy as np
    import polars as pl

    keys = hashed(pl.Series(names, dtype=pl.String), seed)
    count = int(groups.max(initial=-1)) + 1
    key = np.full(count, np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(key, groups, keys)
    size = np.bincount(groups, minlength=count)
    good = np.bincount(groups, weights=relevant, minlength=count) / np.maximum(size, 1)
    ranked = np.lexsort((key, -good, -size))
    block = np.empty(count, dtype=np.int64)
    block[ranked] = np.arange(count) // math.ceil(1 / min(shares))
    order = np.lexsort((key, block))
    place = np.zeros(count, dtype=np.int64)
    lacking = [0.0] * len(shares)
    for group in order.tolist():
        queries = int(size[group])
        lacking = [lack + share * queries for lack, share in zip(lacking, shares, strict=True)]
        # Rounded: equal shares must not differ by rounding errors.
        best = max(range(len(shares)), key=lambda at: (round(lacking[at], 9), -at))
        lacking[best] -= queries
        place[group] = best
    return place[groups]
