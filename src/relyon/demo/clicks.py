"""Clicks on both demo rankers, and labels derived from them.

Half of the users get one ranker, half the other. They follow a click model, click on some results
by mistake, and leave those at once. Labels from naive click-through rates and from click models
then compare the two rankers, as human grades do.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_number
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.demo.traffic import MISCLICKS, USERS, query_weights

if TYPE_CHECKING:
    import polars as pl

    from relyon.analysis.comparison import Contrast
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run

__all__ = ["LOG", "MIN_DWELL", "MODELS", "ClickStory", "Verdict", "judge_by_clicks", "write_clicks"]

#: The name of the log in the demo directory.
LOG = "clicks.parquet"
SESSIONS = 40_000
#: The naive labels, then those of click models; the last model is the users' own.
MODELS = ("dctr", "pbm", "dbn", USERS)
#: Clicks with a shorter dwell time are misclicks.
MIN_DWELL = 3.0
MEASURE = "ndcg@10"
SCALE = "search"


@dataclass(frozen=True)
class Verdict:
    """The verdict of one set of labels on the two rankers.

    Attributes:
        labels: `people`, `shown` (people's grades of the documents that were shown), or the click
            model's name.
        contrast: The second ranker against the first, under these labels.
        tau: Kendall's τ-b between labels and people's grades, on average over queries; NaN for
            people's grades themselves.
        auc: The probability that a relevant document has a higher label than another one of its
            query, by people's grades, averaged over queries; NaN likewise.
        log_likelihood: The log-likelihood of held-out clicks, per session; NaN likewise.
    """

    labels: str
    contrast: Contrast
    tau: float = math.nan
    auc: float = math.nan
    log_likelihood: float = math.nan

    @property
    def decision(self) -> int:
        """1 if the second ranker is better, -1 if it is worse, 0 if undecided."""
        low, high = self.contrast.interval
        return (low > 0) - (high < 0)


@dataclass(frozen=True)
class ClickStory(Exportable):
    """The two rankers compared by grades and by clicks.

    Attributes:
        verdicts: Those by people's grades, by their grades of what was shown, and by each model.
        sessions: Number of simulated searches.
        labels: The labels by click model.
    """

    verdicts: tuple[Verdict, ...]
    sessions: int
    labels: Mapping[str, Judgments] = field(default_factory=dict, repr=False)

    @property
    def by_clicks(self) -> tuple[Verdict, ...]:
        """The verdicts of click models, the naive one first."""
        return self.verdicts[2:]

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per set of labels."""
        import polars as pl

        return pl.DataFrame(
            {
                "labels": [one.labels for one in self.verdicts],
                "baseline": [one.contrast.baseline_mean for one in self.verdicts],
                "candidate": [one.contrast.candidate_mean for one in self.verdicts],
                "difference": [one.contrast.difference for one in self.verdicts],
                "low": [one.contrast.interval[0] for one in self.verdicts],
                "high": [one.contrast.interval[1] for one in self.verdicts],
                "tau": [one.tau for one in self.verdicts],
                "auc": [one.auc for one in self.verdicts],
                "log_likelihood": [one.log_likelihood for one in self.verdicts],
            }
        ).fill_nan(None)

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        rows = self.to_frame().to_dicts()
        return {
            "sessions": self.sessions,
            "verdicts": [
                {name: json_number(of) if isinstance(of, float) else of for name, of in row.items()}
                for row in rows
            ],
        }

    def document(self, *, digits: int = 3, language: Language = "en") -> Document:
        """Returns the table and its conclusions.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("demo", language)
        style = words.style
        rows = [
            [
                words.texts.get(f"labels.{one.labels}", one.labels),
                style.number(one.contrast.baseline_mean, digits),
                style.number(one.contrast.candidate_mean, digits),
                style.signed(one.contrast.difference, digits),
                style.signed_interval(one.contrast.interval, digits),
                style.number(one.tau, digits),
                style.number(one.auc, digits),
                style.number(one.log_likelihood, digits),
            ]
            for one in self.verdicts
        ]
        names = [words[f"column.{name}"] for name in COLUMNS]
        texts = [
            words.say(
                "clicks.legend",
                first=self._people.baseline,
                second=self._people.candidate,
                measure=MEASURE,
            ),
            *self._findings(words, digits),
            words.say("clicks.honest", model=USERS),
        ]
        blocks: list[Block] = [
            Prose(
                [
                    words.say(
                        "clicks.simulated", sessions=self.sessions, model=USERS, share=MISCLICKS
                    )
                ]
            ),
            Table(names, rows),
            Prose(texts),
        ]
        return Document(blocks)

    @property
    def _people(self) -> Contrast:
        return self.verdicts[0].contrast

    @property
    def foreseeing(self) -> Verdict:
        """The verdict of the model that predicts clicks best."""
        return max(self.by_clicks, key=lambda one: one.log_likelihood)

    def chosen_labels(self) -> dict[str, Judgments]:
        """Returns the naive labels, and those of the model that predicts clicks best."""
        chosen = (self.by_clicks[0].labels, self.foreseeing.labels)
        return {model: self.labels[model] for model in chosen}

    def _findings(self, words: Catalogue, digits: int) -> Iterator[str]:
        """Yields the conclusions from the numbers."""
        shown, naive = self.verdicts[1], self.by_clicks[0]
        agree = [one.labels for one in self.by_clicks if one.decision == shown.decision]
        others = [one.labels for one in self.by_clicks if one.decision != shown.decision]
        key = "some" if agree and others else "all" if agree else "none"
        decision = words[DECISIONS[shown.decision]]
        yield words.say(f"clicks.{key}", decision=decision, agree=agree, others=others)
        best = self.foreseeing
        tau = {one.labels: words.style.number(one.tau, digits) for one in self.by_clicks}
        yield words.say(
            "clicks.order",
            naive=naive.labels,
            naive_tau=tau[naive.labels],
            best=best.labels,
            best_tau=tau[best.labels],
        )
        odd = [
            (one.tau - other.tau, other.labels, one.labels)
            for one, other in permutations(self.by_clicks, 2)
            if one.tau > other.tau and one.log_likelihood < other.log_likelihood
        ]
        if odd:
            _, foresees, orders = max(odd)
            yield words.say(
                "clicks.odd",
                foresees=foresees,
                orders=orders,
                foresees_tau=tau[foresees],
                orders_tau=tau[orders],
            )


COLUMNS = ("labels", "first", "second", "difference", "interval", "tau", "auc", "likelihood")
DECISIONS = {1: "decision.better", -1: "decision.worse", 0: "decision.open"}


def write_clicks(
    path: str | os.PathLike[str],
    judgments: Judgments,
    runs: Sequence[Run],
    *,
    sessions: int = SESSIONS,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Simulates users of both rankers, and writes their log.

    Questions are as frequent as in the simulated months.

    Args:
        path: The log; an existing file is replaced.
        judgments: The users' preferences.
        runs: The two rankers.
        sessions: Number of searches.
        progress: Called with the number of sessions done and their total.
    """
    from relyon.labels import Crowd, simulate

    weights = query_weights(judgments.queries)
    crowd = Crowd(frequencies=weights, misclicks=MISCLICKS)
    users = simulate(runs, judgments, USERS, sessions=sessions, crowd=crowd)
    users.write(path, progress=progress)


def judge_by_clicks(
    path: str | os.PathLike[str], judgments: Judgments, runs: Sequence[Run]
) -> ClickStory:
    """Derives labels from a log of both rankers, and compares the rankers by each.

    Args:
        path: Of the log.
        judgments: People's grades.
        runs: The two rankers.
    """
    from relyon.analysis.comparison import compare
    from relyon.data.judgments import Judgments
    from relyon.labels import compare_models, make_labels

    def contrast(labels: Judgments, scale: str | None = None) -> Contrast:
        first, second = runs
        return compare(labels, first, second, [MEASURE], scale=scale).contrasts[0]

    log = os.fspath(path)
    found = compare_models(
        log,
        MODELS,
        min_dwell=MIN_DWELL,
        judgments=judgments,
        measures=("tau", "gauc"),
        scale=SCALE,
        examples=0,
    )
    made = [make_labels(log, model, min_dwell=MIN_DWELL) for model in MODELS]
    pairs = made[0].labels.select("query", "document")
    shown = Judgments.from_frame(judgments.to_frame().join(pairs, on=["query", "document"]))
    agreements = found.people.agreements if found.people else ()
    order = {(one.model, one.measure): one.value for one in agreements}
    verdicts = [
        Verdict("people", contrast(judgments, SCALE)),
        Verdict("shown", contrast(shown, SCALE)),
    ]
    for model, labels in zip(MODELS, made, strict=True):
        verdicts.append(
            Verdict(
                model,
                contrast(labels.judgments),
                order.get((model, "tau"), math.nan),
                order.get((model, "gauc"), math.nan),
                found[model].log_likelihood,
            )
        )
    found_labels = {model: one.judgments for model, one in zip(MODELS, made, strict=True)}
    return ClickStory(tuple(verdicts), made[0].sessions, found_labels)
