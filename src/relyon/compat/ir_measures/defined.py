"""Measures that a user defines as a function of two data frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from relyon.compat.ir_measures.inputs import QrelsConverter, RunConverter
from relyon.compat.ir_measures.model import Evaluator, Measure, Metric, ParamInfo
from relyon.compat.ir_measures.provider import Provider
from relyon.core.errors import InputError
from relyon.core.texts import message

if TYPE_CHECKING:
    import pandas

__all__ = ["RuntimeProvider", "define", "define_byquery"]

Pairs = Iterable[tuple[str, float]]


class Defined(Measure):
    """A measure defined by a function.

    Attributes:
        RUN_INPUTS: The columns of a run that it needs.
        QREL_INPUTS: The columns of judgments that it needs.
    """

    RUN_INPUTS: tuple[str, ...] = ()
    QREL_INPUTS: tuple[str, ...] = ()

    def pairs(self, qrels: pandas.DataFrame, run: pandas.DataFrame) -> Pairs:
        """Returns queries and values."""
        raise NotImplementedError

    def runtime_impl(self, qrels: pandas.DataFrame, run: pandas.DataFrame) -> Iterator[Metric]:
        """Yields its values for a run that is sorted by query and score."""
        cutoff = self.params.get("cutoff")
        if cutoff is not None:
            run = run.groupby("query_id").head(cutoff).reset_index(drop=True)
        for query, value in self.pairs(qrels, run):
            yield Metric(query, self, value)

    def __repr__(self) -> str:
        return object.__repr__(self) if self.NAME is None else super().__repr__()


def define(
    impl: Callable[[pandas.DataFrame, pandas.DataFrame], Pairs],
    name: str | None = None,
    support_cutoff: bool = True,
    *,
    run_inputs: list[str] | None = None,
    qrel_inputs: list[str] | None = None,
    pretty_name: str | None = None,
    short_desc: str | None = None,
) -> Measure:
    """Creates a measure from a function of all queries.

    Args:
        impl: Takes judgments and run as data frames, and yields queries and values.
        name: The measure's name.
        support_cutoff: Whether it takes a cutoff; the run is cut before the call.
        run_inputs: Columns of the run that it needs.
        qrel_inputs: Columns of the judgments that it needs.
        pretty_name: A title.
        short_desc: A sentence.
    """
    body = {
        "NAME": name,
        "PRETTY_NAME": pretty_name,
        "SHORT_DESC": short_desc,
        "SUPPORTED_PARAMS": {"cutoff": ParamInfo(int, desc="ranks counted")}
        if support_cutoff
        else {},
        "RUN_INPUTS": tuple(run_inputs or ("query_id", "doc_id", "score")),
        "QREL_INPUTS": tuple(qrel_inputs or ("query_id", "doc_id", "relevance")),
        "pairs": lambda self, qrels, run: impl(qrels, run),
    }
    return type(name or "Defined", (Defined,), body)()  # type: ignore[no-any-return]


def define_byquery(
    impl: Callable[[pandas.DataFrame, pandas.DataFrame], float],
    name: str | None = None,
    support_cutoff: bool = True,
    *,
    run_inputs: list[str] | None = None,
    qrel_inputs: list[str] | None = None,
    pretty_name: str | None = None,
    short_desc: str | None = None,
) -> Measure:
    """Creates a measure from a function of one query.

    Args:
        impl: Takes judgments and run of a query as data frames, and returns a value.
        name: The measure's name; by default the function's.
        support_cutoff: As for `define`.
        run_inputs: As for `define`.
        qrel_inputs: As for `define`.
        pretty_name: As for `define`.
        short_desc: As for `define`.
    """

    def by_query(qrels: pandas.DataFrame, run: pandas.DataFrame) -> Pairs:
        for query, rows in run.groupby("query_id"):
            yield str(query), impl(qrels[qrels["query_id"] == query], rows)

    return define(
        by_query,
        name or str(getattr(impl, "__name__", repr(impl))),
        support_cutoff,
        run_inputs=run_inputs,
        qrel_inputs=qrel_inputs,
        pretty_name=pretty_name,
        short_desc=short_desc,
    )


class RuntimeProvider(Provider):
    """Computes measures that a user has defined."""

    NAME = "runtime"

    def supports(self, measure: Measure) -> bool:
        measure.validate_params()
        return hasattr(measure, "runtime_impl")

    def _evaluator(self, measures: Iterable[Measure], qrels: object) -> Evaluator:
        frame = _sorted(QrelsConverter(qrels, strict=False).as_pd_dataframe(), "qrels", ["doc_id"])
        return _Evaluator(measures, frame)

    def run_inputs(self, measures: Iterable[Measure]) -> list[str]:
        return sorted({name for one in measures for name in getattr(one, "RUN_INPUTS", ())})

    def qrel_inputs(self, measures: Iterable[Measure]) -> list[str]:
        return sorted({name for one in measures for name in getattr(one, "QREL_INPUTS", ())})


class _Evaluator(Evaluator):
    def __init__(self, measures: Iterable[Measure], qrels: pandas.DataFrame) -> None:
        super().__init__(measures, list(dict.fromkeys(qrels["query_id"])))
        self.qrels = qrels

    def _iter_calc(self, run: object) -> Iterator[Metric]:
        frame = _sorted(RunConverter(run, strict=False).as_pd_dataframe(), "run", ["score"])
        for measure in self.measures:
            if isinstance(measure, Defined):
                yield from measure.runtime_impl(self.qrels, frame)


def _sorted(frame: pandas.DataFrame, kind: str, then: list[str]) -> pandas.DataFrame:
    if "query_id" not in frame.columns:
        raise InputError(
            message(
                "compat.have-no-column-query-id",
                kind=kind,
                columns=list(frame.columns),
            )
        )
    by = ["query_id", *(name for name in then if name in frame.columns)]
    return frame.sort_values(by=by, ascending=[name != "score" for name in by], kind="stable")
