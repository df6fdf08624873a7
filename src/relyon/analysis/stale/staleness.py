"""Judgments against the collection of today: which still describe it, and what that can change."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.prediction_powered.values import is_mean
from relyon.analysis.stale.bounds import StaleSet, figures_of, reaches
from relyon.analysis.stale.evidence import (
    Judged,
    judged_of_sheet,
    read_evidence,
    sheet_of_source,
)
from relyon.analysis.stale.facts import Number, Rules, StaleFacts
from relyon.analysis.stale.repair import pairs_again, pairs_needed
from relyon.analysis.stale.scenarios import Scenarios, quiet_values
from relyon.analysis.stale.shares import rank_shares
from relyon.analysis.stale.stale_notes import notes_of
from relyon.analysis.stale.states import STATES, Compared, State, compare_contents
from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import warn
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    import os

    import polars

    from relyon.core.document.model import Document
    from relyon.core.language import Language
    from relyon.data.convention import Convention
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.evaluation import Evaluator
    from relyon.io.content_prints import KnownPrints
    from relyon.measures import Measure

__all__ = ["StaleJudgments", "stale_judgments"]

#: The states that count as stale unless others are asked for.
COUNTED: tuple[State, ...] = ("changed", "gone")
#: Grades that a document can get, at most, if no scale names them.
MOST_LEVELS = 8
DAY = 86_400.0

Pair = tuple[str, str]


@dataclass(frozen=True)
class StaleJudgments(StaleFacts, Exportable):
    """Which judgments no longer describe the collection, and what new grades could change.

    Attributes:
        pairs: One row per judged pair: `query`, `document`, `grade`, `state`, `closeness`,
            `new_document`, `tier`, `judged_at` (UTC), `old` and `stale`.
        again: The pairs to judge again, those first that can move the numbers most, with `reach`.
        needed: How many of them to judge again for a range of at most `within`; None if nothing was
            asked for.
        runs: Every run's mean, with its range.
        contrasts: Every candidate minus the baseline.
        rules: What was asked for.
        notes: What was noticed.

    Examples:
        >>> import relyon
        >>> judgments = {"shoes": {"d1": 3, "d2": 1}, "tv": {"d3": 2}}
        >>> then = {"d1": "red shoes", "d2": "blue shoes", "d3": "a television"}
        >>> today = {"d1": "a red bag", "d2": "blue  shoes", "d4": "a radio"}
        >>> found = relyon.stale_judgments(judgments, documents=today, then=then)
        >>> found.pairs.select("document", "state", "stale").rows()
        [('d1', 'changed', True), ('d2', 'same', False), ('d3', 'gone', True)]
        >>> found.stale
        2
    """

    def followed(self) -> dict[str, dict[str, float]]:
        """Returns the grades in which documents with a new id have it.

        A document that is judged under its new id, too, keeps the grade that it has there.
        """
        found: dict[str, dict[str, float]] = {}
        moved: list[tuple[str, str, float]] = []
        columns = ("query", "document", "grade", "state", "new_document")
        for query, document, grade, state, new in self.pairs.select(columns).iter_rows():
            if state == "moved":
                moved.append((query, new, grade))
            else:
                found.setdefault(query, {})[document] = grade
        for query, document, grade in moved:
            found.setdefault(query, {}).setdefault(document, grade)
        return found

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns states, numbers and their ranges, and what to judge again.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        from relyon.analysis.stale.tables import stale_document

        return stale_document(self, digits=digits, language=language)

    def to_dict(self) -> dict[str, object]:
        """Returns counts, numbers and the pairs to judge again as JSON-ready values."""
        rules = self.rules
        return {
            "judgments": len(self.pairs),
            "stale": self.stale,
            "states": dict(self.counts),
            "old": int(self.pairs["old"].sum()),
            "rules": {
                "near": rules.near,
                "counted": list(rules.counted),
                "older_than_days": rules.oldest,
                "within": rules.within,
                "measure": rules.measure or None,
                "levels": list(rules.levels),
                "fields": list(rules.fields),
                "documents": rules.documents,
            },
            "runs": [one.to_dict() for one in self.runs],
            "contrasts": [one.to_dict() for one in self.contrasts],
            "needed": self.needed,
            "again": self.again.to_dicts(),
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns the pairs with their states."""
        return self.pairs


def stale_judgments(
    judgments: object,
    runs: object = None,
    measure: str | Measure = "ndcg@10",
    *,
    documents: object,
    then: object = None,
    fingerprints: KnownPrints | str | os.PathLike[str] | None = None,
    fields: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    near: float = 0.9,
    counted: Sequence[State] = COUNTED,
    older_than: str | None = None,
    now: float | None = None,
    within: float | None = None,
    names: Sequence[str] | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    threads: int = 0,
) -> StaleJudgments:
    """Finds judgments whose documents changed or are gone, and bounds what that can change.

    What a document said when it was judged is known from the texts in the judgments (items of a
    judging database, or a file with titles and snippets), from `fingerprints`, or from `then`.
    Compared are title and snippet, unless `fields` names others; the rules are those of
    `relyon.data.document_prints`: white space does not count, case does. A pair without such
    evidence is `unknown`, never fresh.

    With runs, each mean has a range: its lowest and highest value over all grades of `levels` that
    the stale pairs could get, each query on its own. Documents that are gone have no grade in it.
    Of NDCG the range is not reached by the lowest or the highest grade for all: both end points are
    searched for each query (`Bounds.exact` says whether no grades give a value outside).

    Args:
        judgments: As for `relyon.evaluate`.
        runs: None, a run, or a sequence of runs, the baseline first.
        measure: A measure whose queries are averaged.
        documents: The collection of today: a mapping from ids to texts or to mappings of fields, a
            frame, a CSV, TSV, JSON Lines or Parquet file, or a folder of text files.
        then: The collection as it was when the judgments were made, likewise.
        fingerprints: A file that `relyon judge fingerprints` wrote then.
        fields: The fields to compare.
        columns: Columns of both collections by role: `document`, `title`, `snippet`.
        near: The least closeness (share of words in common) at which a changed text is nearly the
            same, which does not count as stale.
        counted: The states that count as stale.
        older_than: Grades older than this count as stale, too: `180d`, `26w`, `6m` or `1y`.
        now: What age is counted from, in seconds since 1970; None is this moment.
        within: The width of the range to reach by judging again; `needed` says how many pairs that
            takes if they keep their grades.
        names: The names of the runs.
        convention: As for `relyon.evaluate`.
        scale: As for `relyon.evaluate`. Without one the grades that occur are those that a document
            can get.
        threads: As for `relyon.evaluate`.

    Returns:
        A `StaleJudgments`: `.pairs` with their states, `.runs` and `.contrasts` with their ranges,
        `.again`, the pairs to judge again.

    Raises:
        InputError: If a file cannot be used, or `older_than` needs times and there are none.
        ParameterError: If a parameter is invalid, or the measure is not a mean over queries.

    Examples:
        >>> import relyon
        >>> found = relyon.stale_judgments(
        ...     {"q": {"a": 1, "b": 0, "c": 0}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "p@2",
        ...     documents={"a": "new text", "b": "text", "c": "text"},
        ...     then={"a": "an old one", "b": "text", "c": "text"},
        ... )
        >>> one = found.runs[0].figures
        >>> one.value, one.bounds.low, one.bounds.high
        (0.5, 0.0, 0.5)
    """
    from relyon.evaluation import Evaluator

    if not 0 < near <= 1:
        raise ParameterError(message("analysis.near-is-share", value=near))
    if within is not None and not within > 0:
        raise ParameterError(message("analysis.within-is-positive", value=within))
    if within is not None and not runs:
        raise ParameterError(
            message("analysis.within-needs-runs"), hint=message("analysis.name-runs-of-ranges")
        )
    for state in counted:
        check_choice("counted", state, STATES)
    evaluator = Evaluator(judgments, convention=convention, scale=scale, threads=threads)
    grades = evaluator.judgments.to_dict()
    sheet = sheet_of_source(judgments, scale)
    judged = Judged() if sheet is None else judged_of_sheet(sheet)
    evidence = read_evidence(
        judged,
        documents,
        then=then,
        fingerprints=fingerprints,
        fields=fields,
        columns=columns,
        wanted=[document for own in grades.values() for document in own],
    )
    pairs = [(query, one) for query, own in grades.items() for one in own]
    compared = compare_contents(pairs, evidence.then, evidence.today, near=near)
    oldest = _days(older_than, judged, evaluator.judgments)
    frame = _frame(grades, compared, judged, (tuple(counted), oldest, now))
    levels = _levels(evaluator)
    chosen, titles = _runs(runs, names)
    rules = Rules(
        near,
        tuple(counted),
        oldest,
        within,
        str(_measure(measure)) if chosen else "",
        levels,
        evidence.today.fields,
        compared.documents,
    )
    stale = _stale_set(frame)
    numbers: tuple[tuple[Number, ...], tuple[Number, ...]] = ((), ())
    reach: dict[Pair, float] = {}
    needed = None
    if chosen:
        rulebook = (evaluator.convention, evaluator.scale, threads)
        for run in chosen:
            # What the rules refuse is refused here, where queries have their own names.
            quiet_values(evaluator, run, _measure(measure))
        scenarios = Scenarios(grades, chosen, _measure(measure), *rulebook)
        numbers = _numbers(scenarios, stale, levels, titles, chosen)
        goals = _factors(len(chosen))[len(chosen) if len(chosen) > 1 else 0 :]
        reach = reaches(scenarios, stale, levels, goals)
        if within is not None:
            needed = pairs_needed(scenarios, stale, levels, goals, reach, within)
    again = pairs_again(frame, reach, judged)
    notes = notes_of(frame, compared, evidence, rules, numbers)
    warn(notes)
    return StaleJudgments(frame, again, needed, *numbers, rules, notes)


def _days(older_than: str | None, judged: Judged, judgments: Judgments) -> float | None:
    if older_than is None:
        return None
    from relyon.data.age import parse_age

    if not judged.times:
        raise InputError(
            message("analysis.judgments-have-no-times"),
            path=judgments.path,
            hint=message("analysis.name-column-of-times"),
        )
    return parse_age(older_than).total_seconds() / DAY


def _frame(
    grades: Mapping[str, Mapping[str, float]],
    compared: Compared,
    judged: Judged,
    rules: tuple[tuple[State, ...], float | None, float | None],
) -> polars.DataFrame:
    """Returns one row per judged pair."""
    import polars as pl

    counted, oldest, now = rules
    limit = None if oldest is None else (time.time() if now is None else now) - oldest * DAY
    rows = []
    for query, own in grades.items():
        for document, grade in own.items():
            pair = (query, document)
            one = compared.states[pair]
            when = judged.times.get(pair)
            old = limit is not None and (when is None or when < limit)
            close = None if one.closeness != one.closeness else one.closeness
            rows.append(
                (
                    query, document, grade, one.state, close, one.new_id or None,
                    judged.tiers.get(pair), when, old, old or one.state in counted,
                )
            )  # fmt: skip
    text, number = pl.String, pl.Float64
    schema = {
        "query": text, "document": text, "grade": number, "state": text, "closeness": number,
        "new_document": text, "tier": text, "judged_at": number, "old": pl.Boolean,
        "stale": pl.Boolean,
    }  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    moment = (pl.col("judged_at") * 1e6).cast(pl.Int64).cast(pl.Datetime("us", "UTC"))
    return frame.with_columns(moment.alias("judged_at"))


def _levels(evaluator: Evaluator) -> tuple[float, ...]:
    """Returns the grades that a document can get: the scale's, else those that occur.

    Of more than eight different grades that occur these are the lowest, the highest and six at
    equal steps between them in their order.
    """
    scale = evaluator.scale
    if scale is not None and scale.levels:
        return tuple(sorted(one.grade for one in scale.levels))
    seen = sorted({one for own in evaluator.judgments.to_dict().values() for one in own.values()})
    if len(seen) == 1:
        # Of the other grades nothing is known but that 0 is "not relevant".
        return tuple(sorted({0.0, *seen}))
    if len(seen) <= MOST_LEVELS:
        return tuple(seen)
    last = MOST_LEVELS - 1
    return tuple(seen[round(place * (len(seen) - 1) / last)] for place in range(MOST_LEVELS))


def _measure(name: str | Measure) -> Measure:
    from relyon.measures import measure

    found = measure(name) if isinstance(name, str) else name
    if not is_mean(found):
        raise ParameterError(
            message("analysis.stale-measure-is-mean", measure=str(found)),
            hint=message("analysis.name-mean-measure"),
        )
    return found


def _runs(runs: object, names: Sequence[str] | None) -> tuple[list[Run], list[str]]:
    from relyon.analysis.comparison.runs import run_titles
    from relyon.data.run import run_name
    from relyon.io import read_run

    if runs is None:
        return [], []
    several = [*runs] if isinstance(runs, list | tuple) else [runs]
    if len(several) == 1:
        titles = [str(names[0])] if names else [run_name(several[0])]
    else:
        titles = run_titles(several, names)
    return [read_run(one) for one in several], titles


def _factors(count: int) -> list[tuple[float, ...]]:
    """Returns the factors of each run's own mean, then of each candidate minus the baseline."""
    own = [tuple(float(one == place) for one in range(count)) for place in range(count)]
    pairs = [
        tuple(-1.0 if one == 0 else float(one == place) for one in range(count))
        for place in range(1, count)
    ]
    return [*own, *pairs]


def _numbers(
    scenarios: Scenarios,
    stale: StaleSet,
    levels: Sequence[float],
    titles: Sequence[str],
    runs: Sequence[Run],
) -> tuple[tuple[Number, ...], tuple[Number, ...]]:
    found = figures_of(scenarios, stale, levels, _factors(len(titles)))
    shares = rank_shares(scenarios, runs, stale)
    own = tuple(
        Number(title, "", found[place], *shares[place]) for place, title in enumerate(titles)
    )
    pairs = tuple(
        Number(title, titles[0], found[len(titles) + place])
        for place, title in enumerate(titles[1:])
    )
    return own, pairs


def _stale_set(frame: polars.DataFrame) -> StaleSet:
    """Returns the pairs in doubt: those that are gone or have another id need no new grade."""
    openly: dict[str, list[str]] = {}
    gone: dict[str, list[str]] = {}
    columns = ("query", "document", "state", "stale")
    for query, document, state, stale in frame.select(columns).iter_rows():
        if stale:
            held = gone if state in ("gone", "moved") else openly
            held.setdefault(query, []).append(document)
    return StaleSet(openly, gone)
