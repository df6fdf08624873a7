"""Pairs of rows of one query whose labels differ, and their agreement with an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["label_classes", "orderable", "random_variance", "signed_pairs", "sorted_agreement"]

#: The maximum number of label classes; more values are grouped into classes of equal size.
CLASSES = 256


def label_classes(labels: NDArray[np.float64]) -> NDArray[np.int64]:
    """Returns labels as whole numbers from 0 in the same order."""
    import numpy as np

    values, codes = np.unique(labels, return_inverse=True)
    if len(values) > CLASSES:
        bounds = np.unique(np.quantile(labels, np.linspace(0, 1, CLASSES + 1)[1:-1]))
        codes = np.searchsorted(bounds, labels, side="right")
    return np.asarray(codes.ravel(), dtype=np.int64)


def orderable(codes: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the number of pairs of rows of each query that have different labels."""
    import numpy as np

    sizes = np.diff(offsets)
    same = (_counts(codes, offsets) ** 2).sum(axis=0)
    return np.asarray((sizes**2 - same) // 2, dtype=np.int64)


def signed_pairs(codes: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns, per query, pairs whose first row has the lower label minus all other pairs."""
    import numpy as np

    starts, sizes = offsets[:-1], np.diff(offsets)
    qid = np.repeat(np.arange(len(sizes)), sizes)
    found = np.zeros(len(sizes))
    for code in range(int(codes.max(initial=0)) + 1):
        here = np.flatnonzero(codes == code)
        sign = np.concatenate([[0], np.cumsum(np.sign(code - codes))])
        found += np.bincount(
            qid[here], weights=sign[here] - sign[starts[qid[here]]], minlength=len(sizes)
        )
    return found.astype(np.int64)


def random_variance(codes: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Returns the variance of `signed_pairs` of each query if its rows are in random order.

    (n(n−1)(2n+5) − Σ t(t−1)(2t+5))/18 for n rows, t of them with the same label.

    References:
        Kendall (1970), Rank correlation methods, section 4.
    """
    import numpy as np

    def term(n: NDArray[np.int64]) -> NDArray[np.float64]:
        number = n.astype(np.float64)
        return np.asarray(number * (number - 1) * (2 * number + 5))

    tied = term(_counts(codes, offsets)).sum(axis=0)
    return np.asarray((term(np.diff(offsets)) - tied) / 18)


def _counts(codes: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the number of rows by label (down) and query (across)."""
    import numpy as np

    queries = len(offsets) - 1
    qid = np.repeat(np.arange(queries), np.diff(offsets))
    labels = int(codes.max(initial=0)) + 1
    flat = np.bincount(codes * queries + qid, minlength=labels * queries)
    return flat.reshape(labels, queries)


def sorted_agreement(
    values: NDArray[np.float64], codes: NDArray[np.int64], offsets: NDArray[np.int64]
) -> float:
    """Returns the agreement of values with labels in each query: 1 in their order, −1 reversed.

    Pairs in the same order minus pairs in the opposite order, divided by all pairs with different
    labels; a pair of equal values counts as neither. NaN is a value below all others.
    """
    import numpy as np

    qid = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    known = np.where(np.isnan(values), -np.inf, values)
    # Ties count as agreeing in one pass and as disagreeing in the other: 0 in total.
    total = 0
    for ties in (codes, -codes):
        order = np.lexsort((ties, known, qid))
        total += int(signed_pairs(codes[order], offsets).sum())
    pairs = int(orderable(codes, offsets).sum())
    return total / 2 / pairs if pairs else 0.0
