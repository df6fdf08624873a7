"""Means of measures and of differences, from few human grades and a model's for all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison.query_facts import Column, QueryFacts
from relyon.analysis.prediction_powered.facts import PoweredFacts, PoweredMean
from relyon.analysis.prediction_powered.model_grades import in_grades_of_people, own_grades_note
from relyon.analysis.prediction_powered.rules import Labelled, LabelledRules
from relyon.analysis.prediction_powered.sample_notes import sample_notes
from relyon.analysis.prediction_powered.values import QueryValues, is_mean, query_values
from relyon.analysis.statistics.bounded import mean_interval
from relyon.analysis.statistics.powered import (
    Population,
    prediction_powered as powered_mean,
)
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.document.model import Document
from relyon.core.errors import InputError, ParameterError
from relyon.core.language import Language
from relyon.core.notes import Note, warn
from relyon.core.texts import message
from relyon.core.texts.numbers import DIGITS
from relyon.data.convention import Convention
from relyon.evaluation.defaults import DEFAULT_MEASURES
from relyon.evaluation.program import MeasureNames

if TYPE_CHECKING:
    import polars

    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.evaluation import Evaluator

__all__ = ["FewerGrades", "fewer_grades_of", "prediction_powered"]


@dataclass(frozen=True)
class FewerGrades(PoweredFacts, Exportable):
    """Measures and differences, from few human grades and a model's for all.

    Attributes:
        means: One per run and measure, then one per candidate and measure: its difference from the
            baseline.
        rules: The settings.
        pairs: Pairs of query and document with both a human grade and the model's.
        notes: What was noticed.
        model_queries: The queries with the model's grades.

    Examples:
        >>> import relyon
        >>> model = {f"q{n}": {"a": 1, "b": n % 2} for n in range(60)}
        >>> people = {f"q{n}": {"a": 1 - n % 10 // 9, "b": n % 2} for n in range(20)}
        >>> run = {f"q{n}": {"a": 2.0, "b": 1.0} for n in range(60)}
        >>> found = relyon.prediction_powered(people, model, run, "dcg@2")
        >>> one = found.means[0].powered
        >>> one.labelled, one.total, round(one.estimate, 3), round(one.classical_estimate, 3)
        (20, 60, 1.215, 1.215)
    """

    def mean(self, measure: str, run: str, baseline: str = "") -> PoweredMean:
        """Returns one mean, or with a baseline one difference.

        Raises:
            ParameterError: If there is none.
        """
        for one in self.means:
            if (one.measure, one.run, one.baseline) == (measure, run, baseline):
                return one
        raise ParameterError(message("analysis.powered-no-mean", measure=measure, run=run))

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns the means, and how to read them.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        from relyon.analysis.prediction_powered.tables import fewer_grades_document

        return fewer_grades_document(self, digits=digits, language=language)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "labelled": self.rules.labelled,
            "population": self.rules.population,
            "confidence": self.rules.confidence,
            "grades": {f"{one:g}": other for one, other in self.rules.grades.items()} or None,
            "pairs": self.pairs,
            "means": [one.to_dict() for one in self.means],
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per mean and difference; what does not exist is null."""
        import polars

        return polars.DataFrame([one.to_dict() for one in self.means], infer_schema_length=None)


def prediction_powered(
    judgments: object,
    model_judgments: object,
    runs: object,
    measures: MeasureNames = DEFAULT_MEASURES,
    *,
    labelled: Labelled = "complete",
    grades: Mapping[float, float] | None = None,
    strata: Column | None = None,
    weights: Column | None = None,
    cluster: Column | None = None,
    queries: object = None,
    population: Population = "superpopulation",
    confidence: float = 0.95,
    names: Sequence[str] | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    threads: int = 0,
) -> FewerGrades:
    """Estimates measures of runs from people's grades of some queries and a model's of all.

    The mean by people's grades over n queries is corrected by the model's values of all N:

        ȳ_n + λ (f̄_N − f̄_n),

    with the values y by people's grades, f by the model's, and λ from the data
    (`relyon.analysis.statistics.prediction_powered` has the interval). The model may be wrong: its
    errors are estimated from the n queries. The n must be a random sample of the N, or drawn by
    known strata or weights; a test compares the model's mean over both.

    - Human values use people's grades alone, the model's values the model's alone, even of pairs
      that people graded: never both in one query.
    - A query is labelled if each of the first k documents of all runs has a human grade, k being
      the measure's cutoff, and if the model graded them, too. Other queries with human grades are
      left out and counted. `labelled="judged"` counts every query with a human grade; what is
      unjudged then counts by the convention.
    - All queries are those of the model's judgments whose first k documents it graded.
    - Both sides have the same rules and the same grades; a model with other grades needs `grades`.

    Args:
        judgments: People's judgments, as for `relyon.evaluate`.
        model_judgments: The model's judgments of all queries, those of people included.
        runs: A run, or several, the baseline first, as for `relyon.compare`.
        measures: Measures that are means over queries, such as `ndcg@10`.
        labelled: `complete` or `judged`.
        grades: The human grade of each grade of the model, such as `{0: 0, 1: 3}`.
        strata: The column of strata in `queries`, or the stratum of each query: labelled queries
            are then a random sample in each, and strata count by their share of all queries.
        weights: The column of weights, or the weight of each labelled query: 1 / (its inclusion
            probability), up to a factor.
        cluster: The column of clusters of queries that are alike, or the cluster of each query.
        queries: The table of queries with these columns: a frame or a file.
        population: `superpopulation`, intervals of means over all similar queries, or `finite`, of
            means over these N.
        confidence: The level of the intervals.
        names: The names of the runs; by default those of their files.
        convention: As for `relyon.evaluate`.
        scale: As for `relyon.evaluate`.
        threads: As for `relyon.evaluate`.

    Returns:
        A `FewerGrades`: `.means` with estimates, intervals and worth, `.notes`.

    Raises:
        InputError: If data cannot be used, the model's grades look like those of another scale, or
            no query is labelled.
        ParameterError: If a parameter is invalid, or a measure is not a mean over queries.

    Examples:
        >>> import relyon
        >>> people = {f"q{n}": {"a": n % 3, "b": 1} for n in range(40)}
        >>> model = {f"q{n}": {"a": n % 3 if n % 9 else 1, "b": 1} for n in range(200)}
        >>> run = {f"q{n}": {"a": 2.0, "b": 1.0} for n in range(200)}
        >>> mean = relyon.prediction_powered(people, model, run, "dcg@1").means[0].powered
        >>> round(mean.low, 2), round(mean.estimate, 2), round(mean.high, 2)
        (0.81, 0.99, 1.15)
        >>> mean.labelled, round(mean.worth)
        (40, 99)

    References:
        Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Science 382; Angelopoulos, Duchi
        and Zrnic (2023), PPI++, arXiv:2311.01453.
    """
    from relyon.analysis.comparison.runs import run_titles
    from relyon.data.run import run_name
    from relyon.evaluation import Evaluator
    from relyon.io import read_judgments, read_run

    rules = LabelledRules(
        labelled, grades or {}, strata, weights, cluster, queries, population, confidence
    )
    sources = [*runs] if isinstance(runs, list | tuple) else [runs]
    if len(sources) > 1:
        titles = run_titles(sources, names)
    else:
        titles = [str(names[0])] if names else [run_name(sources[0])]
    people = Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    model = read_judgments(model_judgments, scale=people.scale)
    read = {title: read_run(one) for title, one in zip(titles, sources, strict=True)}
    found = fewer_grades_of(people, model, read, measures, rules)
    warn(found.notes)
    return found


def fewer_grades_of(
    people: Evaluator,
    model_judgments: Judgments,
    runs: Mapping[str, Run],
    measures: MeasureNames,
    rules: LabelledRules,
    *,
    only_means: bool = False,
) -> FewerGrades:
    """Returns what `prediction_powered` does, for judgments and runs that are read.

    Args:
        people: People's judgments, with the convention and the scale.
        model_judgments: The model's judgments.
        runs: The runs by name, the baseline first.
        measures: The measures.
        rules: The settings.
        only_means: Whether measures that are not means over queries are left out with a note, and
            refused only if no other is asked for.

    Raises:
        InputError: As for `prediction_powered`.
        ParameterError: As for `prediction_powered`.
    """
    from relyon.evaluation import Evaluator
    from relyon.measures.parser import measures as parse_measures

    asked = parse_measures(measures)
    other = [one for one in asked if not is_mean(one)]
    if other and (not only_means or len(other) == len(asked)):
        raise ParameterError(
            message("analysis.powered-measure", name=str(other[0])),
            hint=message("analysis.powered-use-means"),
        )
    asked = [one for one in asked if one not in other]
    graded = in_grades_of_people(model_judgments, people.judgments, rules.grades)
    pairs, notes = own_grades_note(graded, people.judgments)
    if other:
        notes.append(
            Note("powered-not-means", len(other), values={"measures": [str(one) for one in other]})
        )
    model = Evaluator(
        graded, convention=people.convention, scale=people.scale, threads=people.threads
    )
    values = query_values(people, model, runs, asked, rules.labelled)
    if not any(one.human[next(iter(runs))] for one in values):
        raise InputError(
            message("analysis.powered-no-labelled", count=len(people.judgments.queries)),
            path=people.judgments.path,
            hint=message("analysis.powered-label-whole-lists"),
        )
    facts, known = _facts(values, rules)
    means = []
    for one in values:
        if one.human[next(iter(runs))]:
            means += _means(one, facts, known, rules)
    notes += [*known.notes, *sample_notes(means, values)]
    own = [one for one in means if not one.baseline]
    differences = [one for one in means if one.baseline]
    queries = frozenset(graded.queries)
    return FewerGrades((*own, *differences), rules, pairs, tuple(notes), queries)


def _facts(
    values: Sequence[QueryValues], rules: LabelledRules
) -> tuple[Mapping[str, Mapping[str, str]], QueryFacts]:
    """Returns the stratum and weight of queries by `strata` and `weights`, and their clusters."""
    every = {query for one in values for query in next(iter(one.model.values()))}
    columns = {"strata": rules.strata, "weights": rules.weights}
    found: dict[str, Mapping[str, str]] = {}
    notes: list[Note] = []
    for name, column in columns.items():
        if column is None:
            continue
        by = column if isinstance(column, str) else {name: column}
        read = QueryFacts.read(every, queries=rules.queries, by=by)
        found[name] = next(iter(read.columns.values()))
        notes += read.notes if name == "strata" else ()
    known = QueryFacts.read(every, queries=rules.queries, cluster=rules.cluster)
    return found, replace(known, notes=(*notes, *known.notes))


def _means(
    values: QueryValues,
    facts: Mapping[str, Mapping[str, str]],
    known: QueryFacts,
    rules: LabelledRules,
) -> list[PoweredMean]:
    """Returns the mean of every run, and the difference of every candidate."""
    runs = list(values.model)
    every = sorted(next(iter(values.model.values())))
    labelled = sorted(next(iter(values.human.values())))
    asked = [("", run) for run in runs] + [(runs[0], run) for run in runs[1:]]
    low, high = values.bounds
    found = []
    for baseline, run in asked:
        human = [values.human[run][query] for query in labelled]
        model = [values.model[run][query] for query in every]
        bounds = values.bounds
        if baseline:
            human = [a - values.human[baseline][q] for a, q in zip(human, labelled, strict=True)]
            model = [a - values.model[baseline][q] for a, q in zip(model, every, strict=True)]
            bounds = (low - high, high - low)
        found.append(
            _mean(
                run,
                baseline,
                values,
                (labelled, human),
                (every, model),
                bounds,
                facts,
                known,
                rules,
            )
        )
    return found


def _mean(
    run: str,
    baseline: str,
    values: QueryValues,
    human: tuple[list[str], list[float]],
    model: tuple[list[str], list[float]],
    bounds: tuple[float, float],
    facts: Mapping[str, Mapping[str, str]],
    known: QueryFacts,
    rules: LabelledRules,
) -> PoweredMean:
    import numpy as np

    labelled, every = human[0], model[0]
    place = {query: at for at, query in enumerate(every)}
    predicted = np.array(model[1])
    strata = clusters = None
    if "strata" in facts:
        of = facts["strata"]
        strata = ([of.get(q, "") for q in labelled], [of.get(q, "") for q in every])
    if known.cluster:
        clusters = ([known.cluster_of(q) for q in labelled], [known.cluster_of(q) for q in every])
    powered = powered_mean(
        human[1],
        predicted[[place[query] for query in labelled]],
        predicted,
        weights=_weights(facts["weights"], labelled) if "weights" in facts else None,
        strata=strata,
        clusters=clusters,
        confidence=rules.confidence,
        bounds=bounds,
        population=rules.population,
    )
    return PoweredMean(
        run,
        baseline,
        values.measure,
        powered,
        mean_interval(predicted, *bounds, rules.confidence).bounds,
        len(values.incomplete),
        len(values.unpaired),
        len(values.ungraded),
        len(values.undefined),
    )


def _weights(texts: Mapping[str, str], labelled: Sequence[str]) -> list[float]:
    """Returns the weight of each labelled query.

    Raises:
        InputError: If one has none, or none above 0.
    """
    found = []
    for query in labelled:
        try:
            weight = float(texts.get(query, ""))
        except ValueError:
            weight = math.nan
        if not 0 < weight < math.inf:
            raise InputError(
                message("analysis.powered-no-weight", query=query, value=texts.get(query, "")),
                hint=message("analysis.powered-give-weights"),
            )
        found.append(weight)
    return found
