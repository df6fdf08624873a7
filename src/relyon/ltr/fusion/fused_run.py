"""Several runs fused into one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from relyon import _native
from relyon.core.notes import warn
from relyon.core.parameters import check_choice, check_whole
from relyon.data.run import Run
from relyon.ltr.fusion.inputs import Ties, check_queries, named_runs, repeated_runs, run_weights
from relyon.ltr.fusion.method import Kernel, Method, Place, method_of
from relyon.ltr.fusion.normalization import normalization_of, normalized
from relyon.ltr.fusion.trained_methods import trained_method

__all__ = ["fuse", "fused_query", "fused_table"]


def fuse(
    runs: Iterable[object] | Mapping[str, object],
    method: str | Method = "rrf",
    *,
    normalize: str | None = None,
    weights: Sequence[float] | None = None,
    judgments: object = None,
    ties: Ties = "doc-desc",
    top: int | None = None,
    name: str | None = None,
    threads: int = 0,
    **parameters: object,
) -> Run:
    """Fuses several runs into one, by ranks or by scores.

    The result of a query has every document that a run returned. A run without a document adds
    nothing for it, except with Borda and BayesFuse; a run without a query counts as an empty list,
    and a note reports the number of such queries.

    A document's rank in a run is that of `relyon.evaluate`: by decreasing score, equal scores in
    the order of `ties`, as are equal fused scores. The order of the runs does not change the
    result, except with `ties="input"`.

    Args:
        runs: Two or more runs in any form that `relyon.evaluate` takes.
        method: The method's name, or the method itself, such as the result of
            `relyon.train_fusion`.
        normalize: How scores become comparable: `min-max`, `min-max-inverted` (distances: the
            lowest score is best), `max`, `sum`, `zmuv`, `rank`, `borda` or `none`. By default
            `min-max` for methods that read scores; methods that read ranks need none, only
            `min-max-inverted` changes them.
        weights: One number per run, a factor of all that the run contributes.
        judgments: For trained methods: judgments of training queries.
        ties: The order of equal scores: `doc-desc`, `doc-asc` (by document id) or `input`: the
            order in the run, and of first appearance in the fused run.
        top: The number of documents to keep per query; `None` keeps all.
        name: The name of the fused run; `None` takes the method's name.
        threads: Threads to use; 0 uses all cores. The numbers do not depend on it.
        parameters: The method's parameters, such as `k` of `rrf`.

    Returns:
        The fused run, its documents in fused order.

    Raises:
        ParameterError: If there is only one run, or a parameter is invalid.
        UnknownNameError: If the method or normalisation is unknown.
        InputError: If no query is in two of the runs, or all scores of a list are negative with
            `max`.

    Examples:
        >>> bm25 = {"q1": {"a": 9.0, "b": 8.0, "c": 1.0}}
        >>> dense = {"q1": {"b": 0.9, "d": 0.8, "a": 0.1}}
        >>> [document for document, _ in fuse([bm25, dense], "rrf").documents("q1")]
        ['b', 'a', 'd', 'c']
        >>> fuse([bm25, dense], "wsum", weights=[0.25, 0.75]).documents("q1")[0]
        ('b', 0.96875)
    """
    chosen = method_of(method, parameters)
    found = named_runs(runs)
    notes = (*check_queries(found), *repeated_runs(found))
    warn(notes)
    check_choice("ties", ties, get_args(Ties))
    if judgments is not None:
        chosen = trained_method(chosen, judgments, found, ties)
    table = fused_table(
        [run.table for run in found],
        chosen,
        normalize=normalize,
        weights=run_weights(chosen, weights, len(found)),
        ties=ties,
        top=0 if top is None else check_whole("top", top),
        threads=threads,
    )
    return Run(table, name=name or chosen.name, notes=notes)


def fused_table(
    tables: list[_native.RunTable],
    method: Method,
    *,
    normalize: str | None,
    weights: Sequence[float],
    ties: Ties,
    top: int = 0,
    threads: int = 0,
    floor: float = 0.0,
) -> _native.RunTable:
    """Fuses native tables; `floor` is the smallest divisor of a normalisation.

    Raises:
        ParameterError: If the method is not trained, or was trained for another number of runs.
        UnknownNameError: If the normalisation is unknown.
    """
    method.check(len(tables))
    kernel = method.kernel()
    return _native.fuse_runs(
        tables,
        _native.FusionMethod(
            points=kernel.points,
            tables=_tables(method, kernel, tables),
            beyond=kernel.beyond,
            window=kernel.window,
            absent=kernel.absent,
            absent_value=kernel.absent_value,
            combine=kernel.combine,
            weigh_sum=kernel.weigh_sum,
        ),
        scaling=_scaling(method, normalize),
        floor=floor,
        factors=[method.factor(count) for count in range(len(tables) + 1)],
        weights=weights,
        ties=ties,
        top=top,
        threads=threads,
    )


def _scaling(method: Method, normalize: str | None) -> str:
    if normalize is None:
        return "min-max" if method.reads == "scores" else "none"
    return normalization_of(normalize)


def _tables(
    method: Method, kernel: Kernel, runs: list[_native.RunTable]
) -> Sequence[Sequence[float]]:
    """Returns the kernel's tables; a table by rank is computed from `Method.points`."""
    if kernel.tables is not None:
        return kernel.tables
    ranks = range(1, _native.longest_list(runs) + 1)
    return [
        [method.points(Place(run, rank, 0.0, 0, 0)) for rank in ranks]
        for run in range(len(runs) if method.trained else 1)
    ]


def fused_query(
    lists: Sequence[Sequence[tuple[str, float]]],
    method: Method,
    *,
    normalize: str | None = None,
    weights: Sequence[float] | None = None,
) -> list[tuple[str, float]]:
    """Fuses one query's lists by definition: the reference for the native core.

    Args:
        lists: For each run documents and scores; equal scores are in the order `doc-desc`.
        method: The method.
        normalize: As in `fuse`.
        weights: As in `fuse`.

    Examples:
        >>> from relyon.ltr.fusion import RRF
        >>> fused_query([[("a", 2.0)], [("b", 3.0), ("a", 1.0)]], RRF(k=1))
        [('a', 0.8333333333333333), ('b', 0.5)]
    """
    method.check(len(lists))
    shares = run_weights(method, weights, len(lists))
    scaling = _scaling(method, normalize)
    sign = -1 if scaling == "min-max-inverted" else 1
    places: dict[str, dict[int, Place]] = {}
    candidates = len({document for rows in lists for document, _ in rows})
    for run, rows in enumerate(lists):
        by_id = sorted(rows, reverse=True)
        ranked = sorted(by_id, key=lambda row: -sign * row[1])
        scores = normalized([score for _, score in ranked], scaling, candidates)
        for rank, ((document, _), score) in enumerate(zip(ranked, scores, strict=True), 1):
            place = Place(run, rank, score, len(rows), candidates)
            places.setdefault(document, {})[run] = place
    kernel = method.kernel()
    fused = {}
    for document, having in places.items():
        given, present = [], []
        for run, rows in enumerate(lists):
            value: float | None
            if run in having:
                value = method.points(having[run])
            else:
                value = method.absent(run, len(rows), candidates)
                if value is None and scaling == "borda" and kernel.points == "score":
                    value = 0.5 - (len(rows) - 1) / (2 * candidates)
            if value is not None:
                given.append(value if kernel.weigh_sum else shares[run] * value)
                present.append(shares[run])
        fused[document] = method.combined(given, present)
    order = sorted(sorted(fused, reverse=True), key=lambda document: -fused[document])
    voted = method.order({document: places[document] for document in order}, shares)
    if voted is not None:
        return [(document, float(candidates - place)) for place, document in enumerate(voted)]
    return [(document, fused[document]) for document in order]
