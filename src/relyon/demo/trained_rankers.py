"""Rankers trained on the demo's grades and clicks, and their evaluation.

Evaluation is by five-fold cross-validation: each ranker ranks the candidates of questions that it
was not trained on. All are evaluated on people's grades, regardless of the training labels. The
settings were chosen once, for all rankers together, on this same data.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.demo.clicks import MEASURE, SCALE
from relyon.demo.features import DENSE_FEATURES, DEPTH

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows
    from relyon.data.run import Run
    from relyon.evaluation import Results

__all__ = [
    "FOLDS",
    "GRADES",
    "LEARNT",
    "RANKERS",
    "Gain",
    "LearningStory",
    "Reached",
    "Shortfall",
    "learn_to_rank",
]

#: The name, in the demo directory, of the run of LambdaMART trained on grades.
LEARNT = "lambdamart.run"
#: The rankers: the pointwise baseline first.
RANKERS = ("regression", "ranknet", "lambdamart", "listnet", "softrank")
FOLDS = 5
#: The name of labels given by people.
GRADES = "people"


class _Trees(TypedDict):
    trees: int
    leaves: int
    learning_rate: float
    threads: int


#: The tree settings of all rankers: few and small, as there are few rows.
TREES: _Trees = {"trees": 100, "leaves": 7, "learning_rate": 0.05, "threads": 1}
#: The highest label: labels from clicks are scaled to it, to look like grades to the losses.
HIGHEST = 3.0
ALPHA = 0.05


class Reached(NamedTuple):
    """The result of one ranker on people's grades.

    Attributes:
        ranker: Its name; `best` for the candidates in the order of their grades.
        labels: The training labels: `people`, or a click model's name; empty without training.
        value: The measure.
        interval: Its 95% interval over questions.
        difference: The difference from the first row.
        difference_interval: The 95% interval of the difference, paired by question.
    """

    ranker: str
    labels: str
    value: float
    interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]


class Shortfall(NamedTuple):
    """The cost of training on clicks, averaged over rankers.

    Attributes:
        labels: The click model.
        difference: The difference between rankers trained on its labels and the same rankers
            trained on grades.
        interval: Its 95% interval, paired by question.
    """

    labels: str
    difference: float
    interval: tuple[float, float]


class Gain(NamedTuple):
    """The benefit of the dense ranker's features for rankers trained on grades.

    Attributes:
        difference: The difference between rankers with and without them, averaged over rankers.
        interval: Its 95% interval, paired by question.
    """

    difference: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class LearningStory(Exportable):
    """The results of rankers on people's grades, by training labels.

    Attributes:
        reached: One row per ranker and kind of label, after the untrained ones.
        unlike: Rankers that differ significantly from the pointwise one with the same labels, and
            by how much, after Holm's correction.
        shortfalls: The cost of training on clicks.
        questions: Number of questions.
        rows: Number of pairs of question and candidate.
        dense: The benefit of the dense ranker's features, if there are any.
    """

    reached: tuple[Reached, ...]
    unlike: tuple[tuple[str, str, float], ...]
    shortfalls: tuple[Shortfall, ...]
    questions: int
    rows: int
    dense: Gain | None = None

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per ranker and kind of label."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "ranker": one.ranker,
                    "labels": one.labels or None,
                    "value": one.value,
                    "low": one.interval[0],
                    "high": one.interval[1],
                    "difference": one.difference,
                    "difference_low": one.difference_interval[0],
                    "difference_high": one.difference_interval[1],
                }
                for one in self.reached
            ],
            schema_overrides={"labels": pl.String},
        ).fill_nan(None)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        rows = self.to_frame().to_dicts()
        return {
            "measure": MEASURE,
            "questions": self.questions,
            "rows": self.rows,
            "reached": [
                {name: json_number(of) if isinstance(of, float) else of for name, of in row.items()}
                for row in rows
            ],
            "shortfalls": [one._asdict() for one in self.shortfalls],
            "dense": self.dense._asdict() if self.dense else None,
        }

    def document(self, *, digits: int = 3, language: Language = "en") -> Document:
        """Returns the table and its conclusions.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("demo", language)
        style = words.style
        first = self.reached[0].ranker
        rows = [
            [
                words.name("ranker", one.ranker),
                words.name("labels", one.labels) if one.labels else "-",
                style.number(one.value, digits),
                style.interval(one.interval, digits),
                "" if one.ranker == first else style.signed(one.difference, digits),
                ""
                if one.ranker == first
                else style.signed_interval(one.difference_interval, digits),
            ]
            for one in self.reached
        ]
        names = [
            words["column.ranker"],
            words["column.learnt"],
            MEASURE,
            words["column.interval"],
            words.say("column.against", first=first),
            words["column.interval"],
        ]
        blocks: list[Block] = [
            Prose(
                [
                    words.say(
                        "learning.how",
                        questions=self.questions,
                        rows=self.rows,
                        depth=DEPTH,
                        folds=FOLDS,
                    )
                ]
            ),
            Table(names, rows),
            Prose(
                [
                    *self._findings(words, digits),
                    words.say("learning.honest", trees=TREES["trees"], leaves=TREES["leaves"]),
                ]
            ),
        ]
        return Document(blocks)

    def _findings(self, words: Catalogue, digits: int) -> Iterator[str]:
        """Yields the conclusions from the numbers."""
        taught = [one for one in self.reached if one.labels]
        better = sum(one.difference_interval[0] > 0 for one in taught)
        highest = max(taught, key=lambda one: one.value)
        best = next(one for one in self.reached if one.ranker == "best")
        yield words.say(
            "learning.better",
            better=better,
            of=len(taught),
            first=self.reached[0].ranker,
            ranker=highest.ranker,
            labels=highest.labels,
            value=words.style.number(highest.value, digits),
            best=words.style.number(best.value, digits),
        )
        if self.unlike:
            named = [
                words.say(
                    "learning.unlike_one",
                    ranker=ranker,
                    labels=labels,
                    difference=words.style.signed(difference, digits),
                )
                for ranker, labels, difference in self.unlike
            ]
            yield words.say("learning.unlike", named=named)
        else:
            yield words["learning.alike"]
        if self.dense is not None:
            yield words.say(
                f"learning.dense_{_direction(self.dense.interval)}",
                difference=words.style.signed(self.dense.difference, digits),
                interval=words.style.signed_interval(self.dense.interval, digits),
            )
        for one in self.shortfalls:
            yield words.say(
                f"learning.clicks_{_direction(one.interval)}",
                labels=one.labels,
                difference=words.style.signed(one.difference, digits),
                interval=words.style.signed_interval(one.interval, digits),
            )


def _direction(interval: tuple[float, float]) -> str:
    low, high = interval
    return "less" if high < 0 else "more" if low > 0 else "open"


def learn_to_rank(
    path: str | os.PathLike[str],
    judgments: Judgments,
    engines: Sequence[Run],
    clicks: Mapping[str, Judgments],
    *,
    progress: Callable[[int, int, str], None] | None = None,
) -> tuple[LearningStory, Run]:
    """Trains rankers on grades and on click labels, and evaluates all on the grades.

    Args:
        path: The file of features.
        judgments: People's grades.
        engines: The two rankers that found the candidates; the first one is the baseline.
        clicks: Labels by click model.
        progress: Called with the number of rankers trained, their total, and the next one.

    Returns:
        The results, and the run of LambdaMART trained on grades.

    Raises:
        DependencyError: LightGBM or scikit-learn is not installed.
    """
    from relyon.io import read_features
    from relyon.ltr.fusion import fuse

    rows = read_features(path)
    labels = {GRADES: rows.labels} | {
        model: stretched(found, rows) for model, found in clicks.items()
    }
    runs: dict[tuple[str, str], Run] = {(one.name, ""): one for one in engines}
    runs["fused", ""] = fuse(list(engines), name="fused")
    runs["best", ""] = _run(rows, rows.labels, "best")
    wanted = [(ranker, kind) for kind in labels for ranker in RANKERS]
    for place, (ranker, kind) in enumerate(wanted):
        if progress is not None:
            progress(place, len(wanted), ranker)
        scores = cross_validate(ranker, rows, labels[kind])
        runs[ranker, kind] = _run(rows, scores, f"{ranker} {kind}")
    without = {
        ranker: _run(rows, cross_validate(ranker, bare, rows.labels), ranker)
        for bare in _without_dense(rows)
        for ranker in RANKERS
    }
    return _judge(runs, judgments, rows, without), runs["lambdamart", GRADES]


def _without_dense(rows: LabelledRows) -> Iterator[LabelledRows]:
    """Yields the rows without the dense ranker's features, if they have any."""
    from relyon.data.features import Features

    features = rows.features
    if features is None or not set(features.names) & set(DENSE_FEATURES):
        return
    kept = [name not in DENSE_FEATURES for name in features.names]
    names = tuple(name for name, keep in zip(features.names, kept, strict=True) if keep)
    yield replace(rows, features=Features(names, features.values[:, kept]))


def stretched(found: Judgments, rows: LabelledRows) -> NDArray[np.float64]:
    """Returns click labels on the scale of the grades; NaN for documents never shown."""
    import numpy as np

    known = {query: found[query] for query in found.queries}
    highest = max((label for labels in known.values() for label in labels.values()), default=0.0)
    sizes = np.diff(rows.groups)
    queries = np.repeat(np.asarray(rows.queries, dtype=object), sizes)
    return np.array(
        [
            known.get(query, {}).get(document, np.nan) * HIGHEST / (highest or 1.0)
            for query, document in zip(queries, rows.documents or (), strict=True)
        ]
    )


def cross_validate(
    name: str, rows: LabelledRows, labels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Scores every row with a ranker not trained on its question.

    Rows whose label is NaN are not used for training, but are scored like the others.
    """
    import numpy as np

    from relyon.ltr import ranker

    values = rows.features.values if rows.features is not None else np.empty((0, 0))
    questions = np.repeat(np.arange(len(rows.queries)), np.diff(rows.groups))
    fold = np.empty(len(rows.queries), dtype=np.int64)
    order = list(range(len(fold)))
    random.Random(0).shuffle(order)
    fold[order] = np.arange(len(fold)) % FOLDS
    scores = np.empty(len(rows))
    for number in range(FOLDS):
        held = fold[questions] == number
        taught = ~held & np.isfinite(labels)
        model = ranker(name, measure=MEASURE, **TREES)
        model.fit(values[taught], labels[taught], qid=questions[taught])
        scores[held] = model.predict(values[held])
    return scores


def _run(rows: LabelledRows, scores: NDArray[np.float64], name: str) -> Run:
    import numpy as np

    from relyon.data.run import Run

    queries = np.repeat(np.asarray(rows.queries, dtype=object), np.diff(rows.groups))
    return Run.from_arrays(queries.tolist(), rows.documents or [], scores, name=name)


def _judge(
    runs: Mapping[tuple[str, str], Run],
    judgments: Judgments,
    rows: LabelledRows,
    without: Mapping[str, Run],
) -> LearningStory:
    """Compares all runs on the grades, and with those that lack the dense ranker's features."""
    import numpy as np

    from relyon.analysis.comparison import compare
    from relyon.analysis.statistics import interval

    names = [" ".join(key).strip() for key in runs]
    first, *others = runs.values()
    found = compare(judgments, first, others, [MEASURE], scale=SCALE, names=names)
    queries = sorted(found.results[0].values_by_query(MEASURE))

    def arrays(results: Sequence[Results]) -> list[NDArray[np.float64]]:
        by_query = [one.values_by_query(MEASURE) for one in results]
        return [np.array([of[query] for query in queries]) for of in by_query]

    values = dict(zip(runs, arrays(found.results), strict=True))
    base = next(iter(values.values()))
    reached = [
        Reached(
            ranker,
            kind,
            float(one.mean()),
            interval("t", one),
            float((one - base).mean()),
            interval("t", one - base),
        )
        for (ranker, kind), one in values.items()
    ]
    kinds = list(dict.fromkeys(kind for _, kind in runs if kind))
    unlike = []
    for kind in kinds:
        pointwise, *rest = ((name, runs[name, kind]) for name in RANKERS)
        again = compare(
            judgments,
            pointwise[1],
            [run for _, run in rest],
            [MEASURE],
            scale=SCALE,
            names=[name for name, _ in (pointwise, *rest)],
            alpha=ALPHA,
        )
        unlike += [
            (one.candidate, kind, one.difference)
            for one in again.contrasts
            if one.verdict in {"better", "worse"}
        ]
    shortfalls = []
    for kind in kinds[1:]:
        lost = np.mean([values[name, kind] - values[name, GRADES] for name in RANKERS], axis=0)
        shortfalls.append(Shortfall(kind, float(lost.mean()), interval("t", lost)))
    gain = None
    if without:
        bare = compare(judgments, first, list(without.values()), [MEASURE], scale=SCALE)
        lacking = dict(zip(without, arrays(bare.results[1:]), strict=True))
        won = np.mean([values[name, GRADES] - lacking[name] for name in RANKERS], axis=0)
        gain = Gain(float(won.mean()), interval("t", won))
    return LearningStory(
        tuple(reached), tuple(unlike), tuple(shortfalls), len(base), len(rows), gain
    )
