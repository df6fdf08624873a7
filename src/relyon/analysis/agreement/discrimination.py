"""How many pairs of systems a measure can distinguish."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.comparison.pairing import Sample, common_values
from relyon.analysis.comparison.runs import Progress, evaluate_runs, run_titles
from relyon.analysis.comparison.settings import TESTS, Correction
from relyon.analysis.statistics import CORRECTIONS, Resampling, adjust, tests, tukey_hsd
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number
from relyon.core.document.model import Document, Prose, Table
from relyon.core.parameters import check_choice, check_fraction
from relyon.core.texts import Language, catalogue, message
from relyon.core.texts.numbers import DIGITS
from relyon.evaluation import DEFAULT_MEASURES, Average, Evaluator, MeasureNames
from relyon.measures.parser import measures as parse_measures

if TYPE_CHECKING:
    import numpy as np
    import polars
    from numpy.typing import NDArray

    from relyon.data.convention import Convention
    from relyon.data.scale import Scale

__all__ = ["Discrimination", "DiscriminativePower", "discriminative_power"]

HEADINGS = ("measure", "separated", "share", "difference_needed", "queries")


@dataclass(frozen=True)
class DiscriminativePower:
    """How many pairs of runs one measure separates.

    Attributes:
        measure: The measure's name.
        pairs: Pairs of runs that could be tested.
        separated: Those with a corrected p of at most alpha.
        share: separated / pairs; NaN without pairs.
        needed: The smallest difference from which every pair is separated; infinite if the largest
            one is not.
        queries: Queries for which all runs have a value.
        p_values: Corrected p of every pair, ascending: the achieved significance levels.
    """

    measure: str
    pairs: int
    separated: int
    share: float
    needed: float
    queries: int
    p_values: tuple[float, ...]

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; missing numbers are null."""
        return {
            "measure": self.measure,
            "pairs": self.pairs,
            "separated": self.separated,
            "share": json_number(self.share),
            "needed": json_number(self.needed),
            "queries": self.queries,
            "p_values": list(map(json_number, self.p_values)),
        }


@dataclass(frozen=True)
class Discrimination(Exportable):
    """How many pairs of runs each measure separates.

    Attributes:
        runs: The runs' names.
        measures: One per measure, the most discriminative first.
        test: The deciding test.
        correction: The correction for the number of pairs.
        alpha: Significance level.
        resamples: Number of resamples of the resampling tests.
        seed: Their seed.
    """

    runs: tuple[str, ...]
    measures: tuple[DiscriminativePower, ...]
    test: str
    correction: str
    alpha: float
    resamples: int
    seed: int

    def __getitem__(self, measure: str) -> DiscriminativePower:
        key = str(parse_measures([measure])[0])
        return next(one for one in self.measures if one.measure == key)

    def to_dict(self) -> dict[str, object]:
        """Returns the object that ``--format json`` prints."""
        return {
            "runs": list(self.runs),
            "measures": [one.to_dict() for one in self.measures],
            "test": self.test,
            "correction": self.correction,
            "alpha": self.alpha,
            "resamples": self.resamples,
            "seed": self.seed,
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per measure."""
        import polars

        names = ("measure", "pairs", "separated", "share", "needed", "queries")
        return polars.DataFrame(
            {name: [getattr(one, name) for one in self.measures] for name in names},
            schema_overrides={"share": polars.Float64, "needed": polars.Float64},
        ).fill_nan(None)

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns one row per measure, the most discriminative first.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("tables", language)
        rows = [
            [
                one.measure,
                words.say("agreement.separated", separated=one.separated, pairs=one.pairs),
                "-" if math.isnan(one.share) else words.percent(one.share, 1),
                words.style.number(one.needed, digits),
                f"{one.queries:,}",
            ]
            for one in self.measures
        ]
        table = Table(words.names("column", HEADINGS), rows)
        rules = words["agreement.tukey"]
        if self.test != "tukey":
            rules = words.say("agreement.tested", test=self.test, correction=self.correction)
        title = words.say("agreement.power", runs=len(self.runs), rules=rules, alpha=self.alpha)
        return Document([table, Prose([words["agreement.needed"]])], title)


def discriminative_power(
    judgments: object,
    runs: Sequence[object],
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    test: str = "tukey",
    correction: Correction = "none",
    alpha: float = 0.05,
    convention: Convention | str | Mapping[str, object] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    names: Sequence[str] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int = 0,
    progress: Progress | None = None,
) -> Discrimination:
    """Computes how many pairs of runs each measure separates: its discriminative power.

    share = pairs with p <= alpha / all pairs of runs. A measure that separates more is less noisy
    with this many queries, but not necessarily more valid.

    Args:
        judgments: See `relyon.evaluate`.
        runs: Two or more runs; see `relyon.evaluate`.
        measures: One or more names such as `ndcg@10`.
        test: `tukey` (randomised Tukey HSD, which corrects for all pairs; two runs: a
            permutation test), `t`, `wilcoxon`, `sign`, `permutation` or `bootstrap`.
        correction: For the number of pairs of each measure: `none` (as in the literature),
            `holm`, `bh`. Tukey's p-values are corrected already.
        alpha: Significance level.
        convention: See `relyon.evaluate`.
        average: See `relyon.evaluate`.
        scale: See `relyon.evaluate`.
        names: The names of the runs; by default their files' names.
        resamples: Number of resamples of the resampling tests.
        seed: The same seed gives the same numbers.
        threads: 0 uses all cores.
        progress: Called with the work done, the total, and the next step.

    Returns:
        One entry per measure, the most discriminative first.

    Raises:
        InputError: If the data cannot be used.
        UnknownNameError: If a measure, preset or scale has no such name.
        ParameterError: If a parameter has an invalid value, or there are too few runs.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"a": 1, "b": 0} for n in range(12)}
        >>> good = {query: {"a": 2.0, "b": 1.0} for query in judgments}
        >>> bad = {query: {"a": 1.0, "b": 2.0} for query in judgments}
        >>> found = relyon.discriminative_power(judgments, [good, bad], ["rr", "p@2"], test="t")
        >>> [(one.measure, one.separated, one.pairs) for one in found.measures]
        [('rr', 1, 1), ('p@2', 0, 1)]

    References:
        Sakai (2006), SIGIR (paired bootstrap); Sakai (2012), WWW (randomised Tukey HSD).
    """
    check_choice("test", test, (*TESTS, "tukey"))
    check_choice("correction", correction, CORRECTIONS)
    check_fraction("alpha", alpha)
    draws = Resampling(resamples, seed, threads)
    titles = run_titles(runs, names)
    asked = [str(one) for one in parse_measures(measures)]
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    results = evaluate_runs(evaluator, runs, titles, asked, average=average, progress=progress)
    found = []
    for place, name in enumerate(asked):
        if progress is not None:
            progress(place, len(asked), message("analysis.all-pairs", measure=name))
        queries, values = common_values([Sample.of(one, name) for one in results])
        outcome = _pairs(values, test, draws)
        found.append(_power(name, len(queries), outcome, test, correction, alpha))
    found.sort(key=lambda one: -one.share if not math.isnan(one.share) else 1.0)
    return Discrimination(tuple(titles), tuple(found), test, correction, alpha, resamples, seed)


def _pairs(values: NDArray[np.float64], test: str, draws: Resampling) -> list[tuple[float, float]]:
    """Returns |difference| and p of every pair of rows."""
    if test == "tukey":
        outcome = tukey_hsd(
            values, resamples=draws.resamples, seed=draws.seed, threads=draws.threads
        )
        return [(abs(one.difference), one.p) for one in outcome.values()]
    decide = tests.get(test)
    runs, queries = values.shape
    if not queries:
        return []
    return [
        (
            abs(math.fsum((values[second] - values[first]).tolist()) / queries),
            decide(values[second] - values[first], draws).p,
        )
        for first in range(runs)
        for second in range(first + 1, runs)
    ]


def _power(
    name: str,
    queries: int,
    outcome: Sequence[tuple[float, float]],
    test: str,
    correction: str,
    alpha: float,
) -> DiscriminativePower:
    tested = [(difference, p) for difference, p in outcome if not math.isnan(p)]
    p_values = [p for _, p in tested]
    if test != "tukey":
        p_values = adjust(p_values, correction)
    missed = [
        difference for (difference, _), p in zip(tested, p_values, strict=True) if not p <= alpha
    ]
    found = [difference for (difference, _), p in zip(tested, p_values, strict=True) if p <= alpha]
    beyond = [difference for difference in found if difference > max(missed, default=-1.0)]
    return DiscriminativePower(
        measure=name,
        pairs=len(tested),
        separated=len(found),
        share=len(found) / len(tested) if tested else math.nan,
        needed=min(beyond, default=math.inf),
        queries=queries,
        p_values=tuple(sorted(p_values)),
    )
