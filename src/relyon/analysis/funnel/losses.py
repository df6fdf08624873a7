"""Recall loss against ranking loss, stage by stage."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING

from relyon.analysis.funnel.attribution import Funnel, Stage, share_of
from relyon.analysis.funnel.notes import no_relevant_notes, stage_notes, stranger_notes
from relyon.analysis.funnel.stages import first_documents, named_stages
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_whole
from relyon.data.convention import Convention, load_convention
from relyon.evaluation import Evaluator
from relyon.io import read_run
from relyon.measures.parser import measure

if TYPE_CHECKING:
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.evaluation.results import Results
    from relyon.measures import Measure

__all__ = ["DEFAULT_CUTOFFS", "attribute", "funnel", "funnel_measures"]

DEFAULT_CUTOFFS = (10, 50, 100, 200, 500, 1000)


def funnel(
    judgments: object,
    run_or_stages: object,
    k: int | None = 10,
    *,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    cutoffs: Iterable[int] = DEFAULT_CUTOFFS,
    names: Sequence[str] | None = None,
    candidates: int | None = None,
    threads: int = 0,
) -> Funnel:
    """Attributes the gain that a search loses to its stages and to its ranking.

    For a query, D* is the ideal DCG@k over all judged documents, D_c the ideal DCG@k over the
    documents that a stage returned, and D the DCG@k of the last stage's order. A stage's recall
    loss is D_c of the stage before minus its own (D* - D_c for the first), the ranking loss is
    D_c - D of the last stage. They add up to D* - D.

    Args:
        judgments: See `relyon.evaluate`.
        run_or_stages: One run, or a run per stage in the order of the search: a mapping
            {name: run}, or a list of runs. All documents of a run are candidates.
        k: The cutoff; `None` counts whole lists.
        convention: See `relyon.evaluate`: gain, discount, ties, missing queries. Its `ideal` is
            ignored.
        scale: See `relyon.evaluate`.
        cutoffs: Further cutoffs for Recall; those beyond a stage's longest list are left out.
        names: Names of the stages; by default the mapping's, or those of the runs.
        candidates: Only this many documents of each stage count.
        threads: Threads to use; 0 uses all cores.

    Returns:
        A `Funnel`: `.stages`, the losses, `.verdict` and `.sentence()`, `.per_query`.

    Raises:
        ParameterError: If there are no stages, names are repeated, or a number is not a whole
            number of 1 or more.
        InputError: If the data cannot be used.

    Examples:
        >>> import relyon
        >>> judgments = {"q": {"a": 3, "b": 2, "c": 1}}
        >>> retrieval = {"q": {"a": 0.9, "b": 0.8, "x": 0.7}}
        >>> reranked = {"q": {"b": 5.0, "x": 4.0}}
        >>> found = relyon.funnel(judgments, {"retrieval": retrieval, "re-rank": reranked}, k=1)
        >>> [(stage.name, stage.ideal, stage.loss) for stage in found.stages]
        [('retrieval', 3.0, 0.0), ('re-rank', 2.0, 1.0)]
        >>> found.ideal, found.recall_loss, found.ranking_loss, found.actual
        (3.0, 1.0, 0.0, 2.0)
    """
    rules = load_convention(convention)
    stages = named_stages(run_or_stages, names)
    depths = sorted({check_whole("cutoffs", one) for one in cutoffs})
    if candidates is not None:
        candidates = check_whole("candidates", candidates)
    evaluator = Evaluator(
        judgments,
        convention=rules if rules.missing == "error" else rules.replace(missing="zero"),
        scale=scale,
        threads=threads,
    )
    wanted = funnel_measures(k, depths)
    runs: list[Run] = []
    results: list[Results] = []
    for name, source in stages:
        given = source
        if len(stages) > 1 or candidates is not None or not isinstance(source, str | PathLike):
            run = read_run(source)
            given = run if candidates is None else first_documents(run, candidates, rules)
            runs.append(given)
        results.append(evaluator.evaluate(given, wanted, name=name))
    return attribute(evaluator.judgments, results, k, rules, evaluator.scale, depths, runs)


def funnel_measures(k: int | None, cutoffs: Iterable[int] = DEFAULT_CUTOFFS) -> list[Measure]:
    """Returns what `attribute` asks of each stage."""
    names = ["recall@all", "num_ret", "judged", *(f"recall@{depth}" for depth in cutoffs)]
    return [*_measures(k), *map(measure, names)]


def attribute(
    judgments: Judgments,
    results: Sequence[Results],
    k: int | None,
    rules: Convention,
    scale: Scale | None,
    cutoffs: Sequence[int] = DEFAULT_CUTOFFS,
    runs: Sequence[Run] = (),
) -> Funnel:
    """Attributes the loss of stages that were evaluated; see `funnel`.

    Args:
        judgments: The judgments of the evaluation.
        results: `funnel_measures` of each stage, and perhaps others. Of several stages, those
            that lack a query count it as empty.
        k: The cutoff.
        rules: The convention.
        scale: The grade scale.
        cutoffs: Where to show Recall as well, ascending.
        runs: The stages' runs, if there are several.
    """
    actual = _measures(k)[2]
    resolved = actual.resolve(rules, scale, judgments.table.highest)
    queries = judgments.queries
    if rules.missing == "skip":
        held = {query for one in results for query in _held(one)}
        queries = [query for query in queries if query in held]
    table = _Table(queries, results)
    names = [one.run for one in results]
    notes = stage_notes(results, rules, str(actual))
    notes += no_relevant_notes(sum(map(math.isnan, table.column(0, "recall@all"))), rules)
    if len(runs) > 1:
        notes += stranger_notes(names, runs, queries)
    return _assemble(table, names, cutoffs, k, str(resolved), rules, notes)


def _measures(k: int | None) -> tuple[Measure, Measure, Measure]:
    """Returns D*, D_c and D as measures."""
    from relyon.measures import DCG, IDCG

    return IDCG(k=k, ideal="judged"), IDCG(k=k, ideal="retrieved"), DCG(k=k)


@dataclass(frozen=True)
class _Table:
    """Values of the same queries at every stage."""

    queries: list[str]
    results: Sequence[Results]

    @cached_property
    def places(self) -> list[list[int]]:
        """Where each stage has the queries."""
        found = []
        for one in self.results:
            places = {query: place for place, query in enumerate(one.queries)}
            found.append([places[query] for query in self.queries])
        return found

    def column(self, stage: int, name: str | Measure) -> list[float]:
        values = self.results[stage].column(name)
        return [values[place] for place in self.places[stage]]

    def parts(self, stage: int, name: str | Measure) -> tuple[list[float], list[float]]:
        from numpy import asarray

        chosen, parts = self.places[stage], self.results[stage].parts(name)
        above, below = (asarray(part, dtype=float)[chosen].tolist() for part in parts)
        return above, below


def _assemble(
    table: _Table,
    names: list[str],
    depths: Sequence[int],
    k: int | None,
    definition: str,
    rules: Convention,
    notes: list[Note],
) -> Funnel:
    warn(notes)
    best, reachable, actual = _measures(k)
    ideals = table.column(0, best)
    actuals = table.column(len(names) - 1, actual)
    whole = _mean(ideals) - _mean(actuals)
    values = {"ideal": ideals, "actual": actuals}
    stages = []
    before, (_, relevant_before) = ideals, table.parts(0, "recall@all")
    for place, name in enumerate(names):
        now = table.column(place, reachable)
        kept, _ = table.parts(place, "recall@all")
        lengths = table.column(place, "num_ret")
        judged, listed = table.parts(place, "judged")
        loss = _mean(before) - _mean(now)
        pairs = [(a, b) for a, b in zip(kept, relevant_before, strict=True) if b > 0]
        stages.append(
            Stage(
                name=name,
                candidates=_mean(lengths),
                judged=share_of(math.fsum(judged), math.fsum(listed)),
                recall=_counted(table.column(place, "recall@all"), rules),
                recall_at={
                    depth: _counted(table.column(place, f"recall@{depth}"), rules)
                    for depth in depths
                    if depth <= max(lengths, default=0)
                },
                retention=share_of(math.fsum(kept), math.fsum(relevant_before)),
                retention_macro=_mean([a / b for a, b in pairs]),
                ideal=_mean(now),
                loss=loss,
                share=share_of(loss, whole),
            )
        )
        values[f"ideal:{name}"] = now
        values[f"loss:{name}"] = [a - b for a, b in zip(before, now, strict=True)]
        before, relevant_before = now, kept
    values["recall_loss"] = [a - b for a, b in zip(ideals, before, strict=True)]
    values["ranking_loss"] = [a - b for a, b in zip(before, actuals, strict=True)]
    return Funnel(
        stages=tuple(stages),
        ideal=_mean(ideals),
        actual=_mean(actuals),
        recall_loss=_mean(ideals) - _mean(before),
        ranking_loss=_mean(before) - _mean(actuals),
        queries=len(table.queries),
        k=k,
        measure=definition,
        convention=rules,
        notes=tuple(notes),
        _queries=table.queries,
        _values=values,
    )


def _held(results: Results) -> Iterator[str]:
    """Yields the queries in a stage's run."""
    missing = results.entries["num_ret"].missing
    yield from results.queries[: len(results.queries) - missing]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _counted(values: Sequence[float], rules: Convention) -> float:
    """Returns the mean under the convention's rule for queries without a value."""
    import numpy as np

    found = np.asarray(values, dtype=np.float64)
    counted = np.where(np.isnan(found), measure("recall@all").counted(rules), found)
    return _mean(counted[~np.isnan(counted)].tolist())
