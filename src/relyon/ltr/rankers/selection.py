"""Splits and scores for scikit-learn that keep the rows of a query together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from relyon.core.errors import InputError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.data.convention import Convention
from relyon.ltr.rankers.grades import is_grades, queries_of
from relyon.ltr.rankers.query_rows import beside, targets_of
from relyon.ltr.rankers.target_measure import measure_scores
from relyon.measures.definition import Measure
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["QueryFold", "Scorer", "scorer"]


class Splitter(Protocol):
    """A splitter of scikit-learn that takes groups."""

    def split(
        self, X: object, y: object, groups: ArrayLike
    ) -> Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]: ...
    def get_n_splits(self, X: object, y: object, groups: ArrayLike | None) -> int: ...


class Predictor(Protocol):
    """An estimator of scikit-learn."""

    def predict(self, X: object) -> ArrayLike: ...


def _requests(owner: object, method: str, parameter: str, alias: str | bool) -> object:
    """Returns an object's request of metadata, for scikit-learn's routing."""
    routing = optional_package(
        "sklearn.utils.metadata_routing",
        purpose=message("ltr.a-ranker"),
        package="scikit-learn",
        install="relyon[ltr]",
    )
    request = routing.MetadataRequest(owner=owner)
    getattr(request, method).add_request(param=parameter, alias=alias)
    return request


class QueryFold:
    """A splitter by query for y made by `grades`: no query is on both sides.

    With metadata routing on, `qid=` works, too: it is passed on as the splitter's groups.

    Args:
        splitter: A splitter of scikit-learn that takes groups, such as `GroupKFold(5)` or
            `GroupShuffleSplit(10)`; by default `GroupKFold(5)`.

    Examples:
        >>> import numpy as np, relyon.ltr
        >>> from sklearn.model_selection import GroupKFold
        >>> y = relyon.ltr.grades([1, 0, 1, 0], ["a", "a", "b", "b"])
        >>> [test.tolist() for _, test in relyon.ltr.QueryFold(GroupKFold(2)).split(y, y)]
        [[2, 3], [0, 1]]
    """

    def __init__(self, splitter: Splitter | None = None) -> None:
        self.splitter = splitter

    def __repr__(self) -> str:
        return f"QueryFold({self._inner()!r})"

    def _inner(self) -> Splitter:
        if self.splitter is not None:
            return self.splitter
        selection = optional_package(
            "sklearn.model_selection",
            purpose=message("ltr.a-ranker"),
            package="scikit-learn",
            install="relyon[ltr]",
        )
        found: Splitter = selection.GroupKFold(5)
        return found

    def _groups(self, y: object, groups: ArrayLike | None) -> ArrayLike:
        if groups is not None:
            return groups
        if y is not None and is_grades(y):
            return queries_of(y)
        raise InputError(
            message("ltr.queryfold-does-not-know"),
            hint=message("ltr.give-y-relyon-ltr"),
        )

    def split(
        self, X: object, y: object = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yields the rows to train on and the rows to test on, fold by fold.

        Raises:
            InputError: If neither y nor groups contain the queries.
        """
        groups = beside({"X": X, "y": y}, groups=groups).get("groups")
        yield from self._inner().split(X, y, self._groups(y, groups))

    def get_n_splits(
        self, X: object = None, y: object = None, groups: ArrayLike | None = None
    ) -> int:
        """Returns the number of folds."""
        found = groups
        if found is None and y is not None and is_grades(y):
            found = queries_of(y)
        return int(self._inner().get_n_splits(X, y, found))

    def get_metadata_routing(self) -> object:
        """Returns the request of `qid` as the groups of `split`."""
        return _requests(self, "split", "groups", "qid")


class Scorer:
    """Scores a fitted ranker by a measure; an argument for `scoring=` of scikit-learn.

    Args:
        measure: Its name.
        convention: Its rules; by default those of the ranker, or relyon's.

    Attributes:
        measure: The measure.
    """

    def __init__(
        self,
        measure: str | Measure,
        convention: Convention | str | Mapping[str, object] | None = None,
    ) -> None:
        self.measure = parse_measure(measure)
        self.convention = convention

    def __repr__(self) -> str:
        return f"scorer({str(self.measure)!r})"

    def __call__(
        self,
        estimator: Predictor,
        X: object,
        y: object = None,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Returns the measure of an estimator's predictions: higher is better.

        Raises:
            InputError: If the queries are unknown, or no query has a value.
        """
        labels, queries, weights, _ = targets_of(X, y, qid, sample_weight)
        if queries is None:
            raise InputError(
                message("ltr.scorer-of-does", measure=self.measure),
                hint=message("ltr.give-y-relyon-ltr-grades"),
            )
        convention = self.convention
        if convention is None:
            convention = getattr(estimator, "convention", None)
        scores = estimator.predict(X)
        return measure_scores(self.measure, convention, labels, scores, queries, weights)

    def get_metadata_routing(self) -> object:
        """Returns the request of `qid` for a score."""
        return _requests(self, "score", "qid", True)


def scorer(
    measure: str | Measure,
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
) -> Scorer:
    """Returns a scorer for `scoring=` of scikit-learn.

    Args:
        measure: A measure such as `ndcg@10`; higher must be better.
        convention: Its rules; by default those of the ranker that it scores, else relyon's.

    Examples:
        >>> import relyon.ltr
        >>> relyon.ltr.scorer("ndcg_cut_10")
        scorer('ndcg@10')
    """
    return Scorer(measure, convention)
