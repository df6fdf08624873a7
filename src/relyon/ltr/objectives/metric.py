"""Measures as metrics of boosted trees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_whole
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.labelled import LabelledRows
from relyon.data.scale import load_scale
from relyon.evaluation.assembly import number, refuse_undefined
from relyon.evaluation.labelled_batches import Settings, row_columns, row_program
from relyon.evaluation.program import Average, MeasureNames, Program
from relyon.evaluation.scores import array_rules, without_formula
from relyon.ltr.objectives.engines import (
    DataSet,
    check_engine,
    engine_of,
    group_sizes,
    is_data_set,
    labels_of,
    refuse_other_engine,
)
from relyon.ltr.objectives.row_labels import TrainingRows, training_rows
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from relyon.data.convention import Convention
    from relyon.data.scale import Scale

__all__ = ["MeasuredRows", "Metric", "feval"]


@dataclass(eq=False)
class MeasuredRows:
    """Rows with resolved measures, and their last values.

    Attributes:
        rows: The labels.
        program: The measures.
        threads: Threads to use; 0 uses all cores.
        numbers: The last value of each measure.
        values: The last value of the first measure on each query; for an undefined query the value
            by the convention, NaN if it is left out.
    """

    rows: TrainingRows
    program: Program
    threads: int = 0
    numbers: Mapping[str, float] | None = None
    values: Mapping[str, NDArray[np.float64]] | None = None

    def measure(self, scores: NDArray[np.float64]) -> dict[str, float]:
        """Returns the value of each measure for scores.

        Raises:
            InputError: If their number is not that of the labels, or one is not finite.
        """
        import numpy as np

        program = self.program
        scored = replace(self.rows.rows, scores=self.rows.gathered(scores), weights=None)
        columns, _ = row_columns(program, scored, self.threads)
        refuse_undefined(program, columns, scored.queries)
        numbers = {
            str(asked): number(one, form, columns[str(asked)].total, program.convention)
            for asked, one, form in zip(program.asked, program.resolved, program.forms, strict=True)
        }
        self.numbers = numbers
        first = program.asked[0]
        found = np.asarray(columns[str(first)].values(), dtype=np.float64)
        found[np.isnan(found)] = program.resolved[0].counted(program.convention)
        self.values = {str(first): found}
        return numbers


class Metric:
    """Measures that an engine computes after every tree.

    What depends on the labels only is prepared once per data set.

    Attributes:
        measures: The names of the measures.
        engine: The engine that calls it.
        last: The rows of the last call.
        calls: The number of calls.
    """

    #: Otherwise CatBoost compiles the methods with Numba, and warns that it cannot.
    no_jit = True

    def __init__(
        self,
        names: MeasureNames,
        given: Sequence[TrainingRows],
        groups: Sequence[NDArray[np.generic]],
        settings: Settings,
        engine: str,
    ) -> None:
        self._asked = parse_measures(names)
        self.measures = tuple(str(one) for one in self._asked)
        self.engine = engine
        self._settings = settings
        self._groups = groups
        self.last: MeasuredRows | None = None
        self.calls = 0
        self._known = [self._prepare(rows) for rows in given]
        self._by_data: WeakKeyDictionary[DataSet, MeasuredRows] = WeakKeyDictionary()

    def _prepare(self, rows: TrainingRows) -> MeasuredRows:
        import numpy as np

        whole = replace(rows.rows, labels=np.asarray(rows.rows.labels, dtype=np.float64))
        program = row_program(whole, self._asked, self._settings, False)
        return MeasuredRows(replace(rows, rows=whole), program, self._settings.threads)

    @property
    def by_query(self) -> bool:
        """Whether the first measure is a mean of values of queries."""
        first = self._asked[0]
        form = self._settings.average
        macro = (form if form in first.averages else first.averages[0]) == "macro"
        return macro and first.combine == "mean"

    def measure(self, rows: MeasuredRows, scores: ArrayLike) -> dict[str, float]:
        """Returns the value of each measure for scores of rows."""
        import numpy as np

        numbers = rows.measure(np.asarray(scores))
        self.last, self.calls = rows, self.calls + 1
        return numbers

    def of(self, data: DataSet) -> MeasuredRows:
        """Returns the rows of a LightGBM `Dataset` or an XGBoost `DMatrix`.

        Raises:
            InputError: If no known rows have its labels, and it has no queries.
        """
        found = self._by_data.get(data)
        if found is None:
            labels = labels_of(data)
            if labels is None:
                raise InputError(message("ltr.data-set-has-no"))
            found = self._find(labels, group_sizes(data))
            self._by_data[data] = found
        return found

    def of_labels(self, labels: NDArray[np.float64]) -> MeasuredRows:
        """Returns the rows that have these labels."""
        return self._find(labels, None)

    def _find(self, labels: NDArray[np.float64], sizes: NDArray[np.generic] | None) -> MeasuredRows:
        import numpy as np

        single = labels.astype(np.float32)
        for known in self._known:
            own = np.asarray(known.rows.rows.labels, dtype=np.float32)
            if len(own) == len(single) and np.array_equal(known.rows.gathered(single), own):
                return known
        count = len(single)
        fitting = [one for one in self._groups if _fits(one, count)]
        groups = fitting[0] if fitting else sizes
        if groups is None or len(fitting) > 1:  # which of several is unknown
            raise InputError(
                message(
                    "ltr.unknown-queries-for-data",
                    count=count,
                ),
                hint=message("ltr.give-feval-labelled-rows"),
            )
        found = self._prepare(training_rows(labels, groups))
        self._known.append(found)
        return found

    def __deepcopy__(self, memo: object) -> Metric:
        """Returns itself: engines copy their parameters, but the values are read from this one."""
        return self

    def is_max_optimal(self) -> bool:
        """Returns True: higher is better. Only CatBoost asks.

        Raises:
            ParameterError: If the metric is for another engine.
        """
        refuse_other_engine(self.engine, "catboost")
        return True

    def __iter__(self) -> Iterator[MeasuredRows]:
        """All known rows."""
        return iter(self._known)


def _fits(groups: NDArray[np.generic], count: int) -> bool:
    """Returns whether sizes or ids of queries are those of so many rows."""
    return len(groups) == count or (groups.dtype.kind in "iuf" and groups.sum() == count)


class LightGBMMetric(Metric):
    """LightGBM's `feval`, and `eval_metric` of its scikit-learn classes."""

    def __call__(self, first: ArrayLike, second: object) -> list[tuple[str, float, bool]]:
        """Returns name, value and True (higher is better) of each measure."""
        import numpy as np

        if is_data_set(second):
            refuse_other_engine(self.engine, engine_of(second))
            numbers = self.measure(self.of(second), first)
        else:
            numbers = self.measure(self.of_labels(np.asarray(first)), np.asarray(second))
        return [(name, value, True) for name, value in numbers.items()]


class XGBoostMetric(Metric):
    """XGBoost's `custom_metric`."""

    def __call__(self, first: ArrayLike, second: object) -> list[tuple[str, float]]:
        """Returns name and value of each measure; XGBoost splits names at colons."""
        if not is_data_set(second):  # XGBRanker: labels and scores of each query, without its id
            raise ParameterError(
                message("ltr.metric-without-data-set"), hint=message("ltr.give-custom-metric")
            )
        refuse_other_engine(self.engine, engine_of(second))
        numbers = self.measure(self.of(second), first)
        return [(name.replace(":", "="), value) for name, value in numbers.items()]


class CatBoostMetric(Metric):
    """CatBoost's `eval_metric`."""

    def __call__(self, first: object, second: object) -> None:
        """Refuses LightGBM and XGBoost, which call a metric.

        Raises:
            ParameterError: Always.
        """
        refuse_other_engine(self.engine, engine_of(second) if is_data_set(second) else "lightgbm")

    def evaluate(
        self, approxes: Sequence[ArrayLike], target: ArrayLike, weight: object
    ) -> tuple[float, float]:
        """Returns the measure, and 1 as its divisor."""
        import numpy as np

        rows = self.of_labels(np.asarray(target))
        return self.measure(rows, approxes[0])[self.measures[0]], 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Returns the measure."""
        return error


KINDS: Mapping[str, type[Metric]] = {
    "lightgbm": LightGBMMetric,
    "xgboost": XGBoostMetric,
    "catboost": CatBoostMetric,
}


def feval(
    measures: MeasureNames,
    rows: LabelledRows | Sequence[LabelledRows] | ArrayLike | Sequence[ArrayLike] | None = None,
    *,
    engine: Literal["lightgbm", "xgboost", "catboost"] = "lightgbm",
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    average: Average | None = None,
    threads: int = 0,
) -> Any:
    """Returns measures as the metric of boosted trees.

    It is LightGBM's argument `feval`, XGBoost's `custom_metric`, and CatBoost's parameter
    `eval_metric`, which allows one measure. The values are those of `relyon.evaluate_scores` under
    the same convention, without weights. LightGBM and XGBoost know the queries of their data;
    CatBoost does not pass them on, so it needs `rows`. XGBoost rounds the values of a custom metric
    to six decimals; `numbers` of the rows has them in full precision. Higher is better for all
    measures; for XGBoost say so with ``EarlyStopping(maximize=True)``.

    Args:
        measures: One or more names such as `ndcg@10`; one for CatBoost.
        rows: Labelled rows of the evaluated data sets; or sizes or ids of the queries, to use the
            labels of the data set; a list of either if several data sets are evaluated, as CatBoost
            does with the training rows. None takes both from the data set.
        engine: `lightgbm`, `xgboost` or `catboost`.
        convention: The rules, as for `relyon.evaluate`: `lightgbm`, `xgboost` and `catboost` are
            those of the engines' own metrics.
        scale: The grade scale, as for `relyon.evaluate`.
        average: As for `relyon.evaluate`.
        threads: Threads to use; 0 uses all cores.

    Raises:
        ParameterError: If the engine is unknown, or there are several measures for CatBoost.
        InputError: If `rows` are something else, such as data frames.

    Examples:
        >>> import relyon.ltr
        >>> metric = relyon.ltr.feval(["ndcg@10", "rr"], [2, 2])
        >>> import numpy as np
        >>> metric(np.array([1, 0, 0, 1]), np.array([0.5, 0.1, 0.9, 0.2]))
        [('ndcg@10', 0.8154648767857288, True), ('rr', 0.75, True)]
    """
    check_engine(engine)
    given = load_convention(convention)
    known = load_scale(scale)
    settings = Settings(
        array_rules(given),
        average,
        known,
        check_whole("threads", threads, least=0),
        without_formula(given),
        spans=False,
    )
    sets = _data_sets(rows)
    listed = [training_rows(one) for one in sets if isinstance(one, LabelledRows)]
    groups = [_groups_of(one) for one in sets if not isinstance(one, LabelledRows)]
    metric = KINDS[engine](measures, listed, groups, settings, engine)
    if engine == "catboost" and len(metric.measures) > 1:
        raise ParameterError(
            message("ltr.catboost-takes-one-metric", count=len(metric.measures)),
            hint=message("ltr.name-measure-that-decides"),
        )
    return metric


def _data_sets(rows: object) -> Sequence[object]:
    """Returns the rows, or sizes or ids of queries, of each data set."""
    import numpy as np

    if rows is None:
        return ()
    if not isinstance(rows, list | tuple) or not rows:
        return (rows,)
    first = rows[0]
    one_set = isinstance(first, str) or (
        not isinstance(first, LabelledRows) and np.ndim(first) == 0
    )
    return (rows,) if one_set else rows


def _groups_of(value: Any) -> NDArray[np.generic]:
    """Returns sizes or ids of the queries of one data set.

    Raises:
        InputError: If they are not one list of values.
    """
    import numpy as np

    if isinstance(value, str) and value in KINDS:
        raise InputError(
            message("ltr.feval-rows-are-engine", engine=value),
            hint=message("ltr.name-feval-engine", engine=value),
        )
    if hasattr(value, "columns") or np.ndim(value) != 1:
        raise InputError(
            message("ltr.feval-rows-are-neither", type=type(value).__name__),
            hint=message("ltr.give-feval-rows-of-sets"),
        )
    return np.asarray(value)
