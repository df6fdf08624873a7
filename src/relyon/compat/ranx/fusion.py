"""ranx's fusion: `fuse`, and its methods as functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from relyon import _native
from relyon.compat.ranx.evaluation import evaluate
from relyon.compat.ranx.normalization import FLOOR, norm_name
from relyon.compat.ranx.qrels_and_run import Qrels, Run
from relyon.core.errors import InputError, ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.ltr.fusion import (
    BayesFuse,
    MAPFuse,
    Method,
    PosFuse,
    ProbFuse,
    SegFuse,
    SlideFuse,
    fused_table,
    methods,
    run_weights,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "FUSION_METHODS",
    "bayesfuse",
    "bayesfuse_train",
    "bordafuse",
    "check_runs",
    "comb_anz",
    "comb_gmnz",
    "comb_max",
    "comb_med",
    "comb_min",
    "comb_mnz",
    "comb_sum",
    "condorcet",
    "fuse",
    "fused",
    "isr",
    "log_isr",
    "logn_isr",
    "mapfuse",
    "mapfuse_train",
    "mixed",
    "posfuse",
    "posfuse_train",
    "probfuse",
    "probfuse_train",
    "rbc",
    "rrf",
    "segfuse",
    "segfuse_train",
    "slidefuse",
    "slidefuse_train",
    "weighted_bordafuse",
    "weighted_condorcet",
    "wmnz",
    "wsum",
]

#: One list of numbers for each run.
Tables = Iterable[Iterable[float]]

#: ranx's names of methods, relyon's, and ranx's names of the fused run.
FUSION_METHODS = {
    "anz": ("anz", "comb_anz"),
    "bayesfuse": ("bayesfuse", "bayesfuse"),
    "bordafuse": ("borda", "bordafuse"),
    "condorcet": ("condorcet", "condorcet"),
    "gmnz": ("gmnz", "comb_gmnz"),
    "isr": ("isr", "isr"),
    "log_isr": ("log_isr", "log_isr"),
    "logn_isr": ("logn_isr", "logn_isr"),
    "mapfuse": ("mapfuse", "mapfuse"),
    "max": ("max", "comb_max"),
    "med": ("med", "comb_med"),
    "min": ("min", "comb_min"),
    "mixed": ("mixed", "mixed"),
    "mnz": ("mnz", "comb_mnz"),
    "posfuse": ("posfuse", "posfuse"),
    "probfuse": ("probfuse", "probfuse"),
    "rbc": ("rbc", "rbc"),
    "rrf": ("rrf", "rrf"),
    "segfuse": ("segfuse", "segfuse"),
    "slidefuse": ("slidefuse", "slidefuse"),
    "sum": ("sum", "comb_sum"),
    "w_bordafuse": ("w_borda", "weighted_bordafuse"),
    "w_condorcet": ("w_condorcet", "weighted_condorcet"),
    "wmnz": ("wmnz", "wmnz"),
    "wsum": ("wsum", "weighted_sum"),
}


@dataclass(frozen=True)
class _SegFuse(SegFuse):
    """SegFuse with segments that end at 5, 15, 35, 75 …; in the paper they are that long."""

    ends: ClassVar[tuple[int, ...]] = tuple(10 * 2**number - 5 for number in range(10))


def fuse(
    runs: Sequence[Run],
    norm: str | None = "min-max",
    method: str = "wsum",
    params: Mapping[str, object] | None = None,
) -> Run:
    """Fuses runs as ranx does.

    Args:
        runs: Two or more runs of the same queries.
        norm: How scores are normalised; `None` does not.
        method: ranx's name of the method, such as `rrf`, `wsum` or `mnz`.
        params: The method's parameters, such as {"k": 60}, {"weights": (0.4, 0.6)} or the result of
            `optimize_fusion`.

    Raises:
        InputError: If the runs do not have the same queries.
        ValueError: If there is only one run, or a name or parameter is invalid.

    Examples:
        >>> one = Run({"q": {"a": 2.0, "b": 1.0}})
        >>> two = Run({"q": {"b": 5.0, "c": 4.0}})
        >>> fuse([one, two], method="wsum", params={"weights": [0.4, 0.6]})["q"]
        {'b': 0.6, 'a': 0.4, 'c': 0.0}
    """
    check_runs(runs)
    if method not in FUSION_METHODS:
        raise ParameterError(
            message("compat.fusion-method-is-not-supported", method=method),
            hint=suggestion(method, list(FUSION_METHODS)),
        )
    settings: dict[str, Any] = dict(params or {})
    name = settings.pop("name", FUSION_METHODS[method][1])
    chosen, weights = made(method, settings)
    return fused(runs, chosen, weights, name, norm)


def check_runs(runs: Sequence[Run]) -> None:
    """Refuses a single run, and runs of different queries.

    Raises:
        ParameterError: If there are fewer than two.
        InputError: If their queries differ.
    """
    if len(runs) < 2:
        raise ParameterError(message("core.fusion-needs-at-least", count=len(runs)))
    for number, run in enumerate(runs[1:], 1):
        if run.get_query_ids() != runs[0].get_query_ids():
            raise InputError(
                message("compat.runs-0-and-do", number=number),
                hint=message("compat.run-make-comparable-qrels-adds"),
            )


def made(method: str, params: Mapping[str, object]) -> tuple[Method, Sequence[float] | None]:
    """Returns relyon's method, and the weights, from ranx's parameters.

    Raises:
        ParameterError: If one is invalid or missing.
    """
    settings: dict[str, Any] = dict(params)
    weights = settings.pop("weights", None)
    for theirs, ours in (("probs", "probabilities"), ("log_odds", "log_odds")):
        if theirs in settings:
            settings[ours] = _tables(settings.pop(theirs))
    if "map_scores" in settings:
        settings["scores"] = tuple(map(float, settings.pop("map_scores")))
    if "w" in settings:
        settings["window"] = settings.pop("w")
    if method == "probfuse" and "probabilities" in settings:
        settings["segments"] = len(settings["probabilities"][0])
    kind = _SegFuse if method == "segfuse" else methods.get(FUSION_METHODS[method][0])
    return kind.of(**settings), weights


def fused(
    runs: Sequence[Run],
    method: Method,
    weights: Sequence[float] | None,
    name: str,
    norm: str | None = None,
) -> Run:
    """Returns the fused run, with queries without documents."""
    table = fused_native([run.as_run().table for run in runs], method, weights, norm)
    rows = {query: table.documents(query) for query in table.queries()}
    found = {
        query: dict(zip(rows[query][0], rows[query][1], strict=True)) if query in rows else {}
        for query in runs[0].get_query_ids()
    }
    return Run(found, name=name)


def fused_native(
    tables: list[_native.RunTable],
    method: Method,
    weights: Sequence[float] | None,
    norm: str | None,
) -> _native.RunTable:
    """Fuses native tables by ranx's rules: equal scores in their order, no divisor below 1e-9."""
    return fused_table(
        tables,
        method,
        normalize=norm_name(norm),
        weights=run_weights(method, weights, len(tables)),
        ties="input",
        floor=FLOOR,
    )


def _tables(probs: Tables) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(value) for value in table) for table in probs)


def _function(method: str, runs: Sequence[Run], name: str | None, **params: object) -> Run:
    chosen, weights = made(method, params)
    return fused(runs, chosen, weights, name or FUSION_METHODS[method][1])


class _Lessons:
    """The training data of ranx's methods: every query of the qrels, in all runs."""

    def __init__(self, qrels: Qrels, runs: Sequence[Run]) -> None:
        self._qrels = qrels
        self._runs = runs

    def hits(self) -> list[list[tuple[int, list[int]]]]:
        """Returns each judged query's list for each run."""
        table = self._qrels.judgments().table
        return [_native.find_hits(table, run.as_run().table, 1.0, "input") for run in self._runs]

    def average_precision(self) -> list[float]:
        """Returns ranx's `map` of each run."""
        return [float(evaluate(self._qrels, run, "map")) for run in self._runs]


def _arrays(tables: Sequence[Sequence[float]] | None) -> list[NDArray[np.float64]]:
    import numpy as np

    return [np.array(table) for table in tables or ()]


def comb_min(runs: Sequence[Run], name: str | None = None) -> Run:
    """CombMIN."""
    return _function("min", runs, name)


def comb_max(runs: Sequence[Run], name: str | None = None) -> Run:
    """CombMAX."""
    return _function("max", runs, name)


def comb_med(runs: Sequence[Run], name: str | None = None) -> Run:
    """CombMED."""
    return _function("med", runs, name)


def comb_sum(runs: Sequence[Run], name: str | None = None) -> Run:
    """CombSUM."""
    return _function("sum", runs, name)


def comb_anz(runs: Sequence[Run], name: str | None = None) -> Run:
    """CombANZ."""
    return _function("anz", runs, name)


def comb_mnz(runs: Sequence[Run], name: str | None = None) -> Run:
    """CombMNZ."""
    return _function("mnz", runs, name)


def comb_gmnz(runs: Sequence[Run], gamma: float, name: str | None = None) -> Run:
    """CombGMNZ."""
    return _function("gmnz", runs, name, gamma=gamma)


def isr(runs: Sequence[Run], name: str | None = None) -> Run:
    """Inverse square ranks."""
    return _function("isr", runs, name)


def log_isr(runs: Sequence[Run], name: str | None = None) -> Run:
    """Log_ISR."""
    return _function("log_isr", runs, name)


def logn_isr(runs: Sequence[Run], sigma: float = 0.01, name: str | None = None) -> Run:
    """LogN_ISR."""
    return _function("logn_isr", runs, name, sigma=sigma)


def rrf(runs: Sequence[Run], k: int = 60, name: str | None = None) -> Run:
    """Reciprocal rank fusion."""
    return _function("rrf", runs, name, k=k)


def rbc(runs: Sequence[Run], phi: float, name: str | None = None) -> Run:
    """Rank-biased centroid."""
    return _function("rbc", runs, name, phi=phi)


def wsum(runs: Sequence[Run], weights: Sequence[float], name: str | None = None) -> Run:
    """Weighted sum."""
    return _function("wsum", runs, name, weights=weights)


def wmnz(runs: Sequence[Run], weights: Sequence[float], name: str | None = None) -> Run:
    """Weighted CombMNZ."""
    return _function("wmnz", runs, name, weights=weights)


def mixed(runs: Sequence[Run], weights: Sequence[float], name: str | None = None) -> Run:
    """Mixed."""
    return _function("mixed", runs, name, weights=weights)


def bordafuse(runs: Sequence[Run], name: str | None = None) -> Run:
    """Borda count."""
    return _function("bordafuse", runs, name)


def weighted_bordafuse(
    runs: Sequence[Run], weights: Sequence[float], name: str | None = None
) -> Run:
    """Weighted Borda count."""
    return _function("w_bordafuse", runs, name, weights=weights)


def condorcet(runs: Sequence[Run], name: str | None = None) -> Run:
    """Condorcet fusion."""
    return _function("condorcet", runs, name)


def weighted_condorcet(
    runs: Sequence[Run], weights: Sequence[float], name: str | None = None
) -> Run:
    """Weighted Condorcet fusion."""
    return _function("w_condorcet", runs, name, weights=weights)


def posfuse(runs: Sequence[Run], probs: Tables, name: str | None = None) -> Run:
    """PosFuse."""
    return _function("posfuse", runs, name, probs=probs)


def posfuse_train(qrels: Qrels, runs: Sequence[Run]) -> list[NDArray[np.float64]]:
    """Returns PosFuse's probabilities: the share of relevant documents by rank."""
    return _arrays(PosFuse().learn(_Lessons(qrels, runs)).probabilities)


def slidefuse(runs: Sequence[Run], probs: Tables, w: int, name: str | None = None) -> Run:
    """SlideFuse."""
    return _function("slidefuse", runs, name, probs=probs, w=w)


def slidefuse_train(qrels: Qrels, runs: Sequence[Run]) -> list[NDArray[np.float64]]:
    """Returns SlideFuse's probabilities: the share of relevant documents by rank."""
    return _arrays(SlideFuse().learn(_Lessons(qrels, runs)).probabilities)


def probfuse(runs: Sequence[Run], probs: Tables, name: str | None = None) -> Run:
    """ProbFuse."""
    return _function("probfuse", runs, name, probs=probs)


def probfuse_train(qrels: Qrels, runs: Sequence[Run], n_segments: int) -> list[NDArray[np.float64]]:
    """Returns ProbFuse's probabilities: the share of relevant documents by segment."""
    return _arrays(ProbFuse(segments=n_segments).learn(_Lessons(qrels, runs)).probabilities)


def segfuse(runs: Sequence[Run], probs: Tables, name: str | None = None) -> Run:
    """SegFuse, with ranx's segments."""
    return _function("segfuse", runs, name, probs=probs)


def segfuse_train(qrels: Qrels, runs: Sequence[Run]) -> list[NDArray[np.float64]]:
    """Returns SegFuse's probabilities: the share of relevant documents by segment."""
    return _arrays(_SegFuse().learn(_Lessons(qrels, runs)).probabilities)


def mapfuse(runs: Sequence[Run], map_scores: Sequence[float], name: str | None = None) -> Run:
    """MAPFuse."""
    return _function("mapfuse", runs, name, map_scores=map_scores)


def mapfuse_train(qrels: Qrels, runs: Sequence[Run]) -> list[float]:
    """Returns MAPFuse's scores: the mean average precision of each run."""
    return list(MAPFuse().learn(_Lessons(qrels, runs)).scores or ())


def bayesfuse(runs: Sequence[Run], log_odds: Tables, name: str | None = None) -> Run:
    """BayesFuse."""
    return _function("bayesfuse", runs, name, log_odds=log_odds)


def bayesfuse_train(qrels: Qrels, runs: Sequence[Run]) -> list[NDArray[np.float64]]:
    """Returns BayesFuse's log odds: those of relevance by rank."""
    return _arrays(BayesFuse().learn(_Lessons(qrels, runs)).log_odds)
