"""Every candidate against the baseline on every measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from relkit import render
from relkit.comparison.contrast import Contrast, PairContrast, Verdict
from relkit.comparison.pairing import Pairing, Sample, common_values, pair
from relkit.convention import Convention
from relkit.errors import InputError, ParameterError, UnknownNameError
from relkit.evaluation import DEFAULT_MEASURES, Average, Evaluator, MeasureNames
from relkit.io import as_run
from relkit.judgments import Judgments
from relkit.measures.names import measure as parse_measure
from relkit.notes import Note
from relkit.registry import suggestion
from relkit.results import Results
from relkit.run import Run
from relkit.statistics import Resampling

if TYPE_CHECKING:
    import polars

    from relkit.scale import Scale

__all__ = ["Comparison", "compare", "compare_results", "compare_values"]

Correction = Literal["holm", "bh", "none"]
Interval = Literal["t", "percentile", "bca"]
Progress = Callable[[int, int, str], None]

TESTS = ("t", "wilcoxon", "sign", "permutation", "bootstrap")
CORRECTIONS = ("holm", "bh", "none")
INTERVALS = ("t", "percentile", "bca")


@dataclass(frozen=True)
class Settings:
    """How differences are judged.

    Attributes:
        test: The test that decides: one of `TESTS`, or `tukey`.
        interval: How confidence intervals are made: `t`, `percentile`, `bca`.
        correction: For several comparisons: `holm`, `bh` (Benjamini-Hochberg), `none`.
        alpha: A difference whose corrected p is at most this is called real.
        confidence: Of the intervals, such as 0.95.
        resamples: Of the resampling tests and intervals.
        seed: The same seed gives the same bits.
        threads: 0 takes one a processor; the numbers do not depend on it.
    """

    test: str = "t"
    interval: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    threads: int = 0

    def __post_init__(self) -> None:
        _one_of("test", self.test, (*TESTS, "tukey"))
        _one_of("interval", self.interval, INTERVALS)
        _one_of("correction", self.correction, CORRECTIONS)
        for name in ("alpha", "confidence"):
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 < value < 1:
                raise ParameterError(
                    f"the parameter `{name}` must lie between 0 and 1. Got `{value}` instead."
                )
        _ = self.draws

    @property
    def draws(self) -> Resampling:
        """How resampling tests and intervals draw."""
        return Resampling(self.resamples, self.seed, self.threads)


class Options(TypedDict, total=False):
    """The fields of `Settings` as keyword arguments."""

    test: str
    interval: Interval
    correction: Correction
    alpha: float
    confidence: float
    resamples: int
    seed: int
    threads: int


def _one_of(name: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise ParameterError(
            f"the parameter `{name}` must be one of "
            + ", ".join(f"`{choice}`" for choice in choices)
            + f". Got `{value}` instead.",
            hint=suggestion(str(value), list(choices)),
        )


class Comparison:
    """Candidates against a baseline, paired by query.

    Attributes:
        baseline: The name of the run compared with.
        candidates: The names of the others.
        measures: The measures' names.
        contrasts: One a candidate and measure, candidate by candidate.
        pairs: For more than two runs: every pair of runs and measure, by the randomised Tukey
            HSD test.
        results: The evaluations, the baseline's first; empty where only values were given.
        settings: Test, interval, correction, alpha, confidence, resamples, seed.
        convention: The rules of the evaluations, `None` where only values were given.
        scale: The grade scale, where there is one.
        judgments: The judgments, `None` where only results or values were given.
        notes: What was noticed about the data.

    Examples:
        >>> import relkit
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
        >>> old = {q: {"good": 1.0, "bad": 2.0} for q in judgments}
        >>> new = {q: {"good": 2.0, "bad": 1.0} for q in judgments} | {"q0": old["q0"]}
        >>> comparison = relkit.compare(judgments, old, new, "rr")
        >>> contrast = comparison.contrast("run 2", "rr")
        >>> round(contrast.difference, 3), contrast.wins, contrast.ties, contrast.verdict
        (0.475, 19, 1, 'better')
    """

    def __init__(
        self,
        names: Sequence[str],
        samples: Mapping[str, Sequence[Sample]],
        settings: Settings,
        *,
        results: Sequence[Results] = (),
        convention: Convention | None = None,
        scale: Scale | None = None,
        judgments: Judgments | None = None,
        sources: Sequence[Any] = (),
        notes: Sequence[Note] = (),
        progress: Progress | None = None,
    ) -> None:
        self.baseline = names[0]
        self.candidates = tuple(names[1:])
        self.measures = tuple(samples)
        self.settings = settings
        self.results = tuple(results)
        self.convention = convention
        self.scale = scale
        self.judgments = judgments
        self._sources = dict(zip(names, sources, strict=False))
        self._pairings = {
            (candidate, measure): pair(measure, columns[0], columns[place])
            for place, candidate in enumerate(self.candidates, 1)
            for measure, columns in samples.items()
        }
        self.pairs = _tukey(names, samples, settings, progress) if len(names) > 2 else ()
        self.contrasts = self._contrasts(progress)
        self.notes = (*notes, *_pairing_notes(self._pairings))

    # -- looking things up ---------------------------------------------------------------------

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of all runs, the baseline's first."""
        return (self.baseline, *self.candidates)

    @property
    def test(self) -> str:
        """The test that decides."""
        return self.settings.test

    @property
    def correction(self) -> str:
        """The correction for several comparisons."""
        return self.settings.correction

    @property
    def alpha(self) -> float:
        """The level of the tests."""
        return self.settings.alpha

    @property
    def confidence(self) -> float:
        """The level of the intervals."""
        return self.settings.confidence

    def contrast(self, candidate: str, measure: str) -> Contrast:
        """Returns one candidate's contrast on one measure.

        Raises:
            UnknownNameError: If there is no such candidate or measure.
        """
        key = self._key(candidate, measure)
        return next(one for one in self.contrasts if (one.candidate, one.measure) == key)

    def deltas(self, candidate: str, measure: str) -> dict[str, float]:
        """Returns each paired query's part of the difference, in the order of the query ids.

        For a mean over queries that is candidate - baseline; for a ratio of sums, the query's
        jackknife pseudo-value. Their mean is the difference.

        Raises:
            UnknownNameError: If there is no such candidate or measure.
        """
        pairing = self._pairings[self._key(candidate, measure)]
        return dict(zip(pairing.queries, pairing.differences.tolist(), strict=True))

    def regressions(self, measure: str | None = None) -> tuple[Contrast, ...]:
        """Returns the contrasts in which a candidate is really worse.

        Args:
            measure: Only those of one measure.

        Raises:
            UnknownNameError: If the measure was not compared.
        """
        name = None if measure is None else self._measure(measure)
        return tuple(
            one
            for one in self.contrasts
            if one.verdict == "worse" and (name is None or one.measure == name)
        )

    def run(self, name: str) -> Run:
        """Returns one of the runs, whole; a file is read when it is first asked for.

        Raises:
            UnknownNameError: If no run has the name.
            ParameterError: If results or values were compared, and not runs.
        """
        if name not in self.runs:
            raise UnknownNameError(f"no run `{name}`", hint=suggestion(name, list(self.runs)))
        if name not in self._sources:
            raise ParameterError(
                "only values were compared, and a run is needed here",
                hint="compare judgments and runs with relkit.compare",
            )
        if not isinstance(self._sources[name], Run):
            self._sources[name] = as_run(self._sources[name])
        found: Run = self._sources[name]
        return found

    def _measure(self, name: str) -> str:
        if name in self.measures:
            return name
        key = str(parse_measure(name))
        if key not in self.measures:
            raise UnknownNameError(
                f"`{key}` was not compared", hint="there are " + ", ".join(self.measures)
            )
        return key

    def _key(self, candidate: str, measure: str) -> tuple[str, str]:
        if candidate not in self.candidates:
            raise UnknownNameError(
                f"no candidate `{candidate}`", hint=suggestion(candidate, list(self.candidates))
            )
        return candidate, self._measure(measure)

    # -- computing -----------------------------------------------------------------------------

    def _contrasts(self, progress: Progress | None) -> tuple[Contrast, ...]:
        from relkit.statistics import adjust

        found = []
        for place, ((candidate, _), pairing) in enumerate(self._pairings.items()):
            if progress is not None:
                progress(place, len(self._pairings), f"{candidate}, {pairing.measure}")
            found.append(self._one(candidate, pairing))
        adjusted: list[float] = []
        for family in _families(found, self.settings.test):
            adjusted += adjust([one.p for one in family], self.settings.correction)
        return tuple(
            replace(one, p_adjusted=p, verdict=_verdict(one.difference, p, self.settings.alpha))
            for one, p in zip(found, adjusted, strict=True)
        )

    def _one(self, candidate: str, pairing: Pairing) -> Contrast:
        from relkit import statistics

        settings = self.settings
        p_values = _p_values(pairing, settings)
        p = p_values.get(settings.test)
        if p is None:
            p = self._tukey_p(candidate, pairing.measure)
        wins, ties, losses = pairing.wins_ties_losses
        deviation = statistics.standard_deviation(pairing.differences)
        return Contrast(
            measure=pairing.measure,
            baseline=self.baseline,
            candidate=candidate,
            average=pairing.average,
            queries=len(pairing.queries),
            left_out=pairing.left_out,
            baseline_mean=pairing.baseline_value,
            candidate_mean=pairing.candidate_value,
            difference=pairing.difference,
            interval=_interval(pairing, settings),
            test=settings.test,
            p=p,
            p_adjusted=p,
            effect_size=statistics.effect_size(pairing.differences),
            wins=wins,
            ties=ties,
            losses=losses,
            detectable=statistics.smallest_detectable(
                len(pairing.queries), deviation, settings.alpha
            ),
            queries_needed=statistics.queries_needed(pairing.difference, deviation, settings.alpha),
            p_values=p_values,
        )

    def _tukey_p(self, candidate: str, measure: str) -> float:
        return next(
            one.p
            for one in self.pairs
            if (one.first, one.second, one.measure) == (self.baseline, candidate, measure)
        )

    # -- as text and tables --------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Returns the object that ``--format json`` prints."""
        return {
            "baseline": self.baseline,
            "candidates": list(self.candidates),
            "measures": list(self.measures),
            "contrasts": [one.to_dict() for one in self.contrasts],
            "pairs": [one.to_dict() for one in self.pairs],
            "test": self.settings.test,
            "interval": self.settings.interval,
            "correction": self.settings.correction,
            "alpha": self.settings.alpha,
            "confidence": self.settings.confidence,
            "resamples": self.settings.resamples,
            "seed": self.settings.seed,
            "convention": None if self.convention is None else self.convention.to_dict(),
            "notes": [render.note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row a contrast, one column a number."""
        import polars

        rows = []
        for one in self.contrasts:
            row = one.to_dict()
            row["interval_low"], row["interval_high"] = row.pop("interval")
            row |= {f"p_{name}": value for name, value in row.pop("p_values").items()}
            rows.append(row)
        return polars.DataFrame(rows, infer_schema_length=None)

    def to_markdown(self, *, digits: int = render.DIGITS) -> str:
        """Returns Markdown tables: runs by measures, then the contrasts."""
        return render.comparison.markdown(self, digits=digits)

    def to_latex(self, *, digits: int = render.DIGITS) -> str:
        """Returns a LaTeX table (booktabs): runs by measures, the best in bold."""
        return render.comparison.latex(self, digits=digits)

    def to_csv(self) -> str:
        """Returns CSV: one row a contrast, values in full."""
        return render.comparison.csv(self)

    def __str__(self) -> str:
        return render.comparison.table(self)

    def __repr__(self) -> str:
        return (
            f"Comparison({self.baseline!r} with {', '.join(map(repr, self.candidates))}: "
            f"{', '.join(self.measures)})"
        )

    def _repr_html_(self) -> str:
        return render.comparison.html(self)


def _families(contrasts: Sequence[Contrast], test: str) -> list[list[Contrast]]:
    """Returns the contrasts that are corrected together.

    Tukey's p-values are corrected for the runs already: only a candidate's measures are left.
    """
    if test != "tukey":
        return [list(contrasts)]
    by_candidate: dict[str, list[Contrast]] = {}
    for one in contrasts:
        by_candidate.setdefault(one.candidate, []).append(one)
    return list(by_candidate.values())


def _verdict(difference: float, p: float, alpha: float) -> Verdict:
    if not p <= alpha or difference == 0:
        return "undecided"
    return "better" if difference > 0 else "worse"


def _p_values(pairing: Pairing, settings: Settings) -> dict[str, float]:
    """Returns the p-value of every paired test."""
    from relkit import statistics

    found = {}
    for name in TESTS:
        if name == "permutation" and pairing.ratio is not None:
            found[name] = statistics.ratio_p(pairing.parts, pairing.ratio, settings.draws)
        else:
            found[name] = statistics.tests.get(name)(pairing.differences, settings.draws).p
    return found


def _interval(pairing: Pairing, settings: Settings) -> tuple[float, float]:
    from relkit import statistics

    return statistics.interval(
        settings.interval,
        pairing.differences,
        confidence=settings.confidence,
        resamples=settings.resamples,
        seed=settings.seed,
        threads=settings.threads,
    )


def _tukey(
    names: Sequence[str],
    samples: Mapping[str, Sequence[Sample]],
    settings: Settings,
    progress: Progress | None,
) -> tuple[PairContrast, ...]:
    """Tests every pair of runs, one measure after the other."""
    from relkit import statistics

    found = []
    for place, (measure, columns) in enumerate(samples.items()):
        if progress is not None:
            progress(place, len(samples), f"all pairs, {measure}")
        queries, values = common_values(columns)
        outcome = statistics.tukey_hsd(
            values, resamples=settings.resamples, seed=settings.seed, threads=settings.threads
        )
        for (first, second), pair_outcome in outcome.items():
            found.append(
                PairContrast(
                    measure=measure,
                    first=names[first],
                    second=names[second],
                    difference=pair_outcome.difference,
                    p=pair_outcome.p,
                    effect_size=pair_outcome.effect_size,
                    queries=len(queries),
                )
            )
    return tuple(found)


def _pairing_notes(pairings: Mapping[tuple[str, str], Pairing]) -> list[Note]:
    """Says which queries the paired numbers do not rest on, and which numbers they are."""
    notes = []
    for (candidate, measure), pairing in pairings.items():
        if pairing.infinite:
            notes.append(
                Note(
                    "infinite-values",
                    f"{candidate}: {pairing.infinite:,} queries with an infinite {measure} in one"
                    " of the runs left out; a smoothed measure keeps them, such as"
                    " pnr(smoothing=1)",
                    pairing.infinite,
                    "warning",
                )
            )
        alone = pairing.left_out - pairing.infinite
        if alone:
            notes.append(
                Note(
                    "unpaired-queries",
                    f"{candidate}: {alone:,} {'query' if alone == 1 else 'queries'} without"
                    f" {measure} in one or both runs left out",
                    alone,
                )
            )
    return notes


def compare(
    judgments: Any,
    baseline: Any,
    candidates: Any,
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    convention: Convention | str | Mapping[str, Any] | None = None,
    average: Average | None = None,
    scale: Scale | str | None = None,
    names: Sequence[str] | None = None,
    test: str = "t",
    interval: Interval = "t",
    correction: Correction = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Compares candidates with a baseline, query by query.

    Args:
        judgments: As for `relkit.evaluate`.
        baseline: The run to compare with; a run as for `relkit.evaluate`.
        candidates: Another run, or a sequence of runs.
        measures: One or more names such as `ndcg@10`, or `Measure` objects.
        convention: As for `relkit.evaluate`.
        average: As for `relkit.evaluate`.
        scale: As for `relkit.evaluate`.
        names: What to call the runs, the baseline first; by default their files' names.
        test: The test that decides: `t`, `wilcoxon`, `sign`, `permutation`, `bootstrap`, or
            `tukey` (randomised Tukey HSD, for more than two runs). The other paired tests are
            computed too.
        interval: Confidence intervals: `t`, `percentile`, `bca` (both bootstrap).
        correction: For runs x measures comparisons: `holm`, `bh` (Benjamini-Hochberg), `none`.
        alpha: A difference whose corrected p is at most this is called real.
        confidence: Of the intervals.
        resamples: Of the resampling tests; their p is at least 1 / (resamples + 1).
        seed: The same seed gives the same bits for any number of threads and order of rows.
        threads: 0 takes one a processor.
        progress: Called with the work done, all of it, and what comes next.

    Raises:
        InputError: If the data cannot be used.
        UnknownNameError: If a measure, preset or scale has no such name.
        ParameterError: If a parameter has an impossible value, or two runs have one name.

    Examples:
        >>> import relkit
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
        >>> old = {q: {"good": 1.0, "bad": 2.0} for q in judgments}
        >>> new = {q: {"good": 2.0, "bad": 1.0} for q in judgments} | {"q0": old["q0"]}
        >>> comparison = relkit.compare(judgments, old, new, "rr", names=["old", "new"])
        >>> comparison.contrast("new", "rr").verdict
        'better'
    """
    settings = Settings(test, interval, correction, alpha, confidence, resamples, seed, threads)
    runs = [baseline, *_listed(candidates)]
    titles = _titles(runs, names)
    _check_runs(titles, settings)
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    if evaluator.reference is not None:
        raise ParameterError(
            "a comparison needs judgments, and the first argument is a run",
            hint="two runs without judgments: relkit.evaluate with rbo, overlap@k, tau_ap",
        )
    results = []
    for place, (run, title) in enumerate(zip(runs, titles, strict=True)):
        if progress is not None:
            progress(place, len(runs), title)
        results.append(evaluator.evaluate(run, measures, average=average, name=title))
    return _of_results(results, settings, evaluator.scale, evaluator.judgments, runs, progress)


def compare_results(
    results: Sequence[Results],
    **options: Unpack[Options],
) -> Comparison:
    """Compares evaluations that are there already, such as those of `relkit.evaluate_scores`.

    Args:
        results: The baseline's first, then the candidates'; all with the same measures.
        **options: `test`, `interval`, `correction`, `alpha`, `confidence`, `resamples`, `seed`,
            `threads`, as for `relkit.compare`.

    Raises:
        ParameterError: If they are fewer than two, have different measures or rules, or one name.

    Examples:
        >>> import relkit
        >>> labels, groups = [1, 0] * 20, [2] * 20
        >>> old = relkit.evaluate_scores(labels, [1, 2] * 20, groups, "gauc", name="old")
        >>> new = relkit.evaluate_scores(labels, [2, 1] * 19 + [1, 2], groups, "gauc", name="new")
        >>> relkit.compare_results([old, new]).contrast("new", "gauc").verdict
        'better'
    """
    settings = Settings(**options)
    _check_runs([one.run for one in results], settings)
    for one in results[1:]:
        if list(one.entries) != list(results[0].entries):
            raise ParameterError(
                f"`{one.run}` has the measures {', '.join(one.entries)}, and `{results[0].run}`"
                f" has {', '.join(results[0].entries)}",
                hint="evaluate both with the same measures",
            )
        if one.convention != results[0].convention:
            raise ParameterError(
                f"`{one.run}` and `{results[0].run}` follow different conventions",
                hint="evaluate both with the same convention",
            )
    return _of_results(results, settings)


def compare_values(
    values: Mapping[str, Any],
    **options: Unpack[Options],
) -> Comparison:
    """Compares values that another program computed, query by query.

    Args:
        values: By run, the baseline first: a mapping {measure: {query: value}}, or a file: CSV
            with a column of queries and one a measure, what ``relkit evaluate -q --format csv``
            writes, or what ``trec_eval -q`` prints.
        **options: `test`, `interval`, `correction`, `alpha`, `confidence`, `resamples`, `seed`,
            `threads`, as for `relkit.compare`.

    Raises:
        InputError: If a file cannot be read, or two runs have no measure or query in common.
        ParameterError: If there are fewer than two runs.

    Examples:
        >>> import relkit
        >>> old = {"ndcg": {f"q{n}": 0.1 * n for n in range(10)}}
        >>> new = {"ndcg": {f"q{n}": 0.1 * n + 0.05 for n in range(10)}}
        >>> round(relkit.compare_values({"old": old, "new": new}).contrasts[0].difference, 3)
        0.05
    """
    from relkit.io.values import read_values

    settings = Settings(**options)
    names = list(values)
    _check_runs(names, settings)
    columns = [one if isinstance(one, Mapping) else read_values(one) for one in values.values()]
    measures = [name for name in columns[0] if all(name in other for other in columns[1:])]
    if not measures:
        raise InputError(
            f"`{names[0]}` and `{names[1]}` have no measure in common: "
            + " and ".join(", ".join(map(str, one)) for one in columns[:2])
        )
    samples = {
        name: [Sample({str(query): float(v) for query, v in one[name].items()}) for one in columns]
        for name in measures
    }
    _check_queries(names, samples)
    left_out = sorted({name for one in columns for name in one} - set(measures))
    notes = []
    if left_out:
        message = f"measures that not all runs have left out: {', '.join(left_out)}"
        notes.append(Note("unshared-measures", message, len(left_out)))
    return Comparison(names, samples, settings, notes=notes)


def _of_results(
    results: Sequence[Results],
    settings: Settings,
    scale: Scale | None = None,
    judgments: Judgments | None = None,
    sources: Sequence[Any] = (),
    progress: Progress | None = None,
) -> Comparison:
    names = [one.run for one in results]
    samples = {name: [Sample.of(one, name) for one in results] for name in results[0].entries}
    _check_queries(names, samples)
    notes = [
        replace(note, message=f"{one.run}: {note.message}") for one in results for note in one.notes
    ]
    pooled = [
        name
        for name, entry in results[0].entries.items()
        if entry.average == "micro" and samples[name][0].average == "macro"
    ]
    if pooled:
        names_shown = ", ".join(pooled)
        message = (
            f"{names_shown}: pairs are pooled over queries in an evaluation; compared is the mean"
            " of the queries' own values"
        )
        notes.append(Note("pooled-measures", message, len(pooled)))
    return Comparison(
        names,
        samples,
        settings,
        results=results,
        convention=results[0].convention,
        scale=scale,
        judgments=judgments,
        sources=sources,
        notes=_shared(notes, [one.run for one in results]),
        progress=progress,
    )


def _shared(notes: Sequence[Note], names: Sequence[str]) -> list[Note]:
    """Returns notes; those that every run has stand once and without a name."""

    def nameless(note: Note) -> Note:
        for name in names:
            if note.message.startswith(f"{name}: "):
                return replace(note, message=note.message.removeprefix(f"{name}: "))
        return note

    count = {nameless(note): 0 for note in notes}
    for note in notes:
        count[nameless(note)] += 1
    shared = [note for note, times in count.items() if times == len(names)]
    return shared + [note for note in notes if nameless(note) not in shared]


def _listed(candidates: Any) -> list[Any]:
    if isinstance(candidates, list | tuple):
        return list(candidates)
    return [candidates]


def _titles(runs: Sequence[Any], names: Sequence[str] | None) -> list[str]:
    """Returns the runs' names: those given, their own, or `run 1`, `run 2`."""
    from relkit.run import run_name

    if names is not None:
        if len(names) != len(runs):
            raise ParameterError(
                f"there are {len(runs)} runs and {len(names)} names",
                hint="name each run, the baseline first",
            )
        return [str(name) for name in names]
    titles = [run_name(run) for run in runs]
    return [
        f"{title} {place}" if titles.count(title) > 1 else title
        for place, title in enumerate(titles, 1)
    ]


def _check_runs(names: Sequence[str], settings: Settings) -> None:
    if len(names) < 2:
        raise ParameterError("a comparison needs a baseline and at least one candidate")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(f"two runs are called `{twice}`", hint="give names that differ")
    if settings.test == "tukey" and len(names) < 3:
        raise ParameterError(
            "the test `tukey` compares all pairs of three or more runs",
            hint="for two runs choose `t` or `permutation`",
        )


def _check_queries(names: Sequence[str], samples: Mapping[str, Sequence[Sample]]) -> None:
    for columns in samples.values():
        for name, column in zip(names[1:], columns[1:], strict=True):
            if not columns[0].values.keys() & column.values.keys():
                ours, theirs = (", ".join(list(one.values)[:3]) for one in (columns[0], column))
                raise InputError(
                    f"`{names[0]}` and `{name}` have no query in common: {ours} and {theirs}",
                    hint="check that both use the same query ids",
                )
