"""The entry: questions with and without an answer, systems, and thresholds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.abstention.answers import Answers
from relyon.analysis.abstention.contrast import contrasts
from relyon.analysis.abstention.facts import AbstentionFacts
from relyon.analysis.abstention.inputs import known_queries, system_answers
from relyon.analysis.abstention.notes import abstention_notes
from relyon.analysis.abstention.rules import AbstentionRules
from relyon.analysis.abstention.system import SystemAbstention, system_abstention
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import warn
from relyon.core.texts import Language, message
from relyon.core.texts.numbers import DIGITS
from relyon.io.plotted import Plotted

if TYPE_CHECKING:
    import polars

    from relyon.core.document.model import Document
    from relyon.data.convention import Convention
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.evaluation import Evaluator

__all__ = ["Abstention", "AbstentionRules", "abstention", "abstention_of"]


@dataclass(frozen=True)
class Abstention(AbstentionFacts, Exportable, Plotted):
    """How well systems tell questions with an answer from those without.

    Attributes:
        systems: One per run, the baseline first.
        contrasts: Every candidate against the baseline: areas, false answers, right answers.
        answerable: The number of answerable queries that are reported.
        unanswerable: The number of unanswerable ones.
        choice: The rule that chose the thresholds, with the base rate.
        rules: What was asked for.
        tuned: Whether thresholds were chosen on other queries that were given.
        notes: Notes about the data.
        unanswerable_queries: The ids of the unanswerable queries, those on which thresholds were
            chosen included.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"d": 1} for n in range(20)}
        >>> answerable = {f"q{n}": n < 20 for n in range(40)}
        >>> run = {f"q{n}": {"d": 40.0 - n} for n in range(40)}
        >>> found = relyon.abstention(judgments, run, answerable=answerable, base_rate=0.1)
        >>> one = found.systems[0]
        >>> one.auroc.value, one.coverage.value, round(one.false_answer_rate.value, 2)
        (1.0, 1.0, 0.05)
    """

    def system(self, name: str) -> SystemAbstention:
        """Returns a system by its name.

        Raises:
            ParameterError: If there is none.
        """
        for one in self.systems:
            if one.system == name:
                return one
        raise ParameterError(
            message(
                "analysis.no-run-of-name", name=name, names=[one.system for one in self.systems]
            )
        )

    def contrast_frame(self) -> polars.DataFrame:
        """Returns one row per candidate and measure; what does not exist is null."""
        import polars

        rows = [one.to_dict() for one in self.contrasts]
        return polars.DataFrame(rows, infer_schema_length=None)

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns the systems, the contrasts, and how to read them.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        from relyon.analysis.abstention.tables import abstention_document

        return abstention_document(self, digits=digits, language=language)

    def to_dict(self, *, points: bool = False) -> dict[str, object]:
        """Returns JSON-ready values.

        Args:
            points: Adds the points of each system's curves.
        """
        return {
            "answerable": self.answerable,
            "unanswerable": self.unanswerable,
            "base_rate": self.choice.base_rate,
            "base_rate_given": self.rules.base_rate is not None,
            "rule": self.choice.rule,
            "rule_value": self.choice.value,
            "chosen_on": "other queries"
            if self.tuned
            else "other parts"
            if self.crossed
            else "given",
            "folds": self.rules.folds if self.crossed else None,
            "right_within": self.rules.k,
            "confidence": self.rules.confidence,
            "systems": [one.to_dict(points=points) for one in self.systems],
            "contrasts": [one.to_dict() for one in self.contrasts],
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per system and number: run, measure, value, low, high, queries.

        Numbers and bounds that do not exist are null; an infinite threshold answers nothing.
        """
        import polars

        rows = []
        for one in self.systems:
            rows += [{"run": one.system, **row} for row in one.to_frame().to_dicts()]
            none = {"low": math.nan, "high": math.nan, "queries": self.answerable}
            rows += [
                {"run": one.system, "measure": name, "value": value, **none}
                for name, value in (
                    ("risk", one.risk),
                    ("risk_area", one.curve.risk_area),
                    ("threshold", one.threshold),
                )
            ]
        return polars.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def abstention(
    judgments: object,
    baseline: object,
    candidates: object = None,
    *,
    answerable: object,
    tune: object = None,
    answer_scores: Mapping[str, Mapping[str, float]] | None = None,
    target: float | None = None,
    cost: float | None = None,
    threshold: float | None = None,
    base_rate: float | None = None,
    k: int = 1,
    folds: int = 5,
    confidence: float = 0.95,
    alpha: float = 0.05,
    correction: str = "holm",
    seed: int = 0,
    names: Sequence[str] | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    threads: int = 0,
) -> Abstention:
    """Measures whether systems know which questions have no answer in the collection.

    A system answers a query if its confidence, the top score of its results, is at least a
    threshold t. Of the unanswerable queries the share answered is the false-answer rate F, of the
    answerable ones the coverage C. A query is unanswerable only if `answerable` says so; one with a
    relevant document is answerable; all others are unknown and left out. A query to which a system
    returns nothing is never answered.

    t is chosen by a rule (`Choice`) and reported on other queries: those of each part (a hash of
    the query's id) with the threshold chosen on the other parts. The intervals of F and C are exact
    for shares of independent queries; simulations of what they cover, with the threshold chosen
    anew each time, are on the page “Questions without an answer”. The threshold to use is
    the one chosen on all queries, `SystemAbstention.threshold`.

    Args:
        judgments: As for `relyon.evaluate`.
        baseline: The run of the first system, as for `relyon.evaluate`; it needs scores.
        candidates: Another run, or a sequence of runs, to compare with the first.
        answerable: Which queries have an answer: a mapping from ids to true or false, or a table
            with a column `answerable`: a frame, or a CSV, TSV, JSON Lines or Parquet file.
        tune: The same for other queries, on which thresholds are chosen; no query may be in both.
        answer_scores: The confidence of each query's answer in place of the top score, by the name
            of the system; a query without one is not answered.
        target: The share of unanswerable queries that may be answered (0.1 without another rule).
        cost: The cost of a false answer, where no answer to an answerable query costs 1: t
            minimises the expected cost at the base rate.
        threshold: A threshold that is given, such as that in use.
        base_rate: The share of unanswerable queries where the system is used; by default that of
            the test set, which is rarely the world's.
        k: An answer is right if a relevant document is among the first k results.
        folds: The number of parts.
        confidence: The level of the intervals.
        alpha: The significance level of corrected p-values.
        correction: `holm`, `bh` or `none`, over all contrasts.
        seed: The seed of the bootstrap behind the differences of two systems.
        names: The names of the systems; by default those of their files.
        convention: As for `relyon.evaluate`.
        scale: As for `relyon.evaluate`.
        threads: As for `relyon.evaluate`.

    Returns:
        An `Abstention`: `.systems`, the numbers of each run with intervals and curves, `.contrasts`
        of each candidate with the baseline, `.notes`.

    Raises:
        InputError: If a file cannot be used, a query without an answer has a relevant document,
            there are no unanswerable or no answerable queries, or a run has no scores.
        ParameterError: If a parameter is invalid, or two rules of thresholds are given.

    Examples:
        >>> import relyon
        >>> judgments = {"q1": {"d1": 1}, "q2": {"d2": 1}}
        >>> run = {"q1": {"d1": 0.9}, "q2": {"d9": 0.6}, "q3": {"d3": 0.7}, "q4": {"d4": 0.1}}
        >>> answerable = {"q1": True, "q2": True, "q3": False, "q4": False}
        >>> one = relyon.abstention(judgments, run, answerable=answerable, threshold=0.5).systems[0]
        >>> one.auroc.value, one.false_answer_rate.value, one.coverage.value, one.right.value
        (0.75, 0.5, 1.0, 0.5)

    References:
        El-Yaniv and Wiener (2010), JMLR 11; Geifman and El-Yaniv (2017), NeurIPS; Rajpurkar, Jia
        and Liang (2018), ACL, for questions without an answer in a test set.
    """
    from relyon.data.run import run_name
    from relyon.evaluation import Evaluator
    from relyon.io import read_run

    rules = AbstentionRules(
        target, cost, threshold, base_rate, k, folds, confidence, alpha, correction, seed
    )
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    sources = [baseline, *_listed(candidates)]
    if len(sources) == 1 and names is None:
        titles = [run_name(sources[0])]
    elif len(sources) == 1 and names is not None and len(names) == 1:
        titles = [str(names[0])]
    else:
        from relyon.analysis.comparison.runs import run_titles

        titles = run_titles(sources, names)
    runs = {title: read_run(one) for title, one in zip(titles, sources, strict=True)}
    found = abstention_of(evaluator, runs, answerable, rules, tune, answer_scores)
    warn(found.notes)
    return found


def abstention_of(
    evaluator: Evaluator,
    runs: Mapping[str, Run],
    answerable: object,
    rules: AbstentionRules,
    tune: object = None,
    answer_scores: Mapping[str, Mapping[str, float]] | None = None,
) -> Abstention:
    """Returns what `abstention` does, for judgments and runs that are read.

    Args:
        evaluator: The judgments, with the convention and the scale.
        runs: The runs by the names of their systems, the baseline first.
        answerable: As for `abstention`.
        rules: How thresholds are chosen.
        tune: As for `abstention`.
        answer_scores: As for `abstention`.

    Raises:
        InputError: As for `abstention`.
        ParameterError: As for `abstention`.
    """
    from relyon.io.answerable import read_answer_scores, read_answerable

    if evaluator.convention.missing != "zero":
        # A judged query that a run lacks is one that it does not answer.
        evaluator = _with_missing(evaluator)
    ids = {*evaluator.judgments.queries, *(query for run in runs.values() for query in run.queries)}
    given = read_answerable(answerable, ids)
    other = {} if tune is None else read_answerable(tune, ids)
    shared = sorted(given.keys() & other.keys())
    if shared:
        raise InputError(
            message("analysis.tuned-on-reported", count=len(shared), names=shared[:3]),
            hint=message("analysis.name-other-queries"),
        )
    if tune is not None and rules.threshold is not None:
        raise ParameterError(message("analysis.threshold-and-tune"))
    stated = {
        name: read_answer_scores(values, "", ids) for name, values in (answer_scores or {}).items()
    }
    strange = sorted(stated.keys() - runs.keys())
    if strange:
        raise ParameterError(
            message("analysis.no-run-of-name", name=strange[0], names=[*runs]),
        )
    known = known_queries(evaluator, [*runs.values()], {**given, **other}, rules.k)
    both: list[tuple[Answers, Answers | None]] = []
    for name, run in runs.items():
        answers = system_answers(evaluator, run, name, known, rules.k, stated.get(name))
        both.append(_apart(answers, other))
    reported = both[0][0]
    _check_classes(reported, False)
    if both[0][1] is not None:
        _check_classes(both[0][1], True)
    no = int((~reported.answerable).sum())
    choice = rules.choice(no / len(reported.queries))
    systems = tuple(
        system_abstention(answers, tuned, choice, rules.folds, rules.confidence)
        for answers, tuned in both
    )
    found = Abstention(
        systems,
        contrasts(systems, choice, [tuned for _, tuned in both], rules),
        len(reported.queries) - no,
        no,
        choice,
        rules,
        tune is not None,
    )
    notes = (*known.notes, *abstention_notes(found, [tuned for _, tuned in both]))
    without = tuple(query for query, yes in known.answerable.items() if not yes)
    return replace(found, notes=notes, unanswerable_queries=without)


def _listed(candidates: object) -> list[object]:
    """Returns the candidates: none, one run, or a sequence of runs."""
    if candidates is None:
        return []
    return [*candidates] if isinstance(candidates, list | tuple) else [candidates]


def _with_missing(evaluator: Evaluator) -> Evaluator:
    from relyon.evaluation import Evaluator as Rebuilt

    return Rebuilt(
        evaluator.judgments,
        convention=evaluator.convention.replace(missing="zero"),
        scale=evaluator.scale,
        threads=evaluator.threads,
    )


def _apart(answers: Answers, tune: Mapping[str, bool]) -> tuple[Answers, Answers | None]:
    """Returns the answers that are reported, and those on which the threshold is chosen."""
    import numpy as np

    if not tune:
        return answers, None
    chosen = np.array([query in tune for query in answers.queries])
    return answers.part(~chosen), answers.part(chosen)


def _check_classes(answers: Answers, tune: bool) -> None:
    """Refuses queries that are all answerable, or all unanswerable.

    Args:
        answers: The answers to these queries.
        tune: Whether the threshold is chosen on them.

    Raises:
        InputError: If so.
    """
    count = len(answers.queries)
    yes = int(answers.answerable.sum())
    hint = message("analysis.give-both-kinds")
    if not yes and tune:
        raise InputError(message("analysis.no-answerable-tune", count=count), hint=hint)
    if not yes:
        raise InputError(message("analysis.no-answerable", count=count), hint=hint)
    if yes == count and tune:
        raise InputError(message("analysis.no-unanswerable-tune", count=count), hint=hint)
    if yes == count:
        raise InputError(message("analysis.no-unanswerable", count=count), hint=hint)
