"""Simulated months of search traffic on the demo's own engines.

A few queries are frequent, more are occasional, and many are rare. Recall takes the top documents
of both engines, ranking prefers those that rank high in either, and the judgments that ship with
the package grade what is shown. From one month on recall loses part of its candidates, as if one of
several index servers were down; the rest is ranked as well as before.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.demo.corpus import Document, Progress, build_corpus
from relyon.demo.files import load_judgments, load_questions
from relyon.demo.rankers import Ranking, rankings

if TYPE_CHECKING:
    import polars as pl

    from relyon.online.monitoring import Round

__all__ = [
    "DEPTH",
    "MISCLICKS",
    "MONTHS",
    "USERS",
    "Traffic",
    "query_weights",
    "simulate_month",
    "simulate_rounds",
    "simulate_traffic",
    "write_rounds",
]

#: Results shown per session, and candidates that recall takes from each engine.
DEPTH = 10
MONTHS = ("2026-01", "2026-02", "2026-03")
#: Number of questions per third of the traffic: frequent, occasional, rare.
GROUPS = (9, 27, 55)
#: The users' click model, and the probability of a click by mistake.
USERS = "ubm"
MISCLICKS = 0.02
#: Days per month, the same for all.
DAYS = 28
#: Constant of reciprocal rank fusion.
SLOWNESS = 60


@dataclass(frozen=True)
class Traffic:
    """The engines' results, and how often each question is asked.

    Attributes:
        candidates: Documents by question, best first: recall's candidates from all engines.
        texts: The text of each question.
        weights: Relative frequency of each question.
        judgments: Grades by the questions' texts.
    """

    candidates: Mapping[str, Sequence[str]]
    texts: Mapping[str, str]
    weights: Mapping[str, float]
    judgments: Mapping[str, Mapping[str, int]]


def simulate_traffic(
    *,
    documents: Sequence[Document] | None = None,
    engines: Sequence[Ranking] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Traffic:
    """Ranks the demo questions, and makes some of them frequent.

    Candidates are ordered by reciprocal rank fusion: the sum over engines of 1 / (60 + rank).

    Args:
        documents: The collection; by default it is read from the running Python.
        engines: The results of each engine; by default of `bm25` and `tfidf`.
        seed: Seed for which questions are frequent.
        progress: Passed to `build_corpus` if the collection is read.

    Raises:
        DependencyError: bm25s or scikit-learn is not installed.

    References:
        Cormack, Clarke and Büttcher (2009), SIGIR.
    """
    questions = load_questions()
    if engines is None:
        collection = build_corpus(progress) if documents is None else documents
        engines = list(rankings(collection, questions, DEPTH).values())
    texts = {question.id: question.text for question in questions}
    grades: dict[str, dict[str, int]] = {}
    for judgment in load_judgments():
        grades.setdefault(texts[judgment.query], {})[judgment.document] = judgment.grade
    weights = query_weights(texts, seed)
    return Traffic(
        {query: _fused([engine.get(query, [])[:DEPTH] for engine in engines]) for query in weights},
        texts,
        weights,
        grades,
    )


def query_weights(queries: Iterable[str], seed: int = 0) -> dict[str, float]:
    """Returns the relative frequencies of the demo questions.

    Args:
        queries: The ids of all questions.
        seed: Seed for which questions are frequent.
    """
    order = sorted(queries)
    random.Random(seed).shuffle(order)
    return dict(zip(order, (1 / size for size in GROUPS for _ in range(size)), strict=True))


def _fused(lists: Sequence[Sequence[tuple[str, float]]]) -> list[str]:
    scores: dict[str, float] = {}
    for ranked in lists:
        for rank, (document, _) in enumerate(ranked, 1):
            scores[document] = scores.get(document, 0.0) + 1 / (SLOWNESS + rank)
    return sorted(scores, key=lambda document: (-scores[document], document))


def simulate_month(
    traffic: Traffic,
    month: str,
    *,
    sessions: int = 9000,
    lost: float = 0.0,
    seed: int = 0,
) -> pl.DataFrame:
    """Returns a month's log: one row per impression, with clicks.

    Users follow UBM, prefer higher grades, and click on some results by mistake.

    Args:
        traffic: The engine and its questions.
        month: Such as `2026-03`; session ids begin with it.
        sessions: How many.
        lost: Share of the candidates that recall loses, chosen by id, so that all months lose the
            same.
        seed: Seed for who asks what.
    """
    import polars as pl

    from relyon.labels import Crowd, UserBehaviour, simulate

    chooser = random.Random(f"{seed} {month}")
    queries = list(traffic.weights)
    asked = chooser.choices(queries, [traffic.weights[query] for query in queries], k=sessions)
    shown = {
        query: [one for one in ranked if not _lost(one, lost)][:DEPTH]
        for query, ranked in traffic.candidates.items()
    }
    # A search without results leaves no row.
    found = [(number, query) for number, query in enumerate(asked, 1) if shown[query]]
    start = datetime.fromisoformat(f"{month}-01").replace(tzinfo=UTC)
    users = simulate(
        {
            traffic.texts[query]: {document: -rank for rank, document in enumerate(documents)}
            for query, documents in shown.items()
            if documents
        },
        traffic.judgments,
        USERS,
        sessions=len(found),
        seed=chooser.getrandbits(32),
        behaviour=UserBehaviour(depth=DEPTH),
        crowd=Crowd(
            asked=[traffic.texts[query] for _, query in found],
            misclicks=MISCLICKS,
            start=start,
            per_day=sessions / DAYS,
        ),
    )
    ids = pl.Series([f"{month}-{number:05}" for number, _ in found])
    number = pl.col("session").str.slice(1).cast(pl.Int64)
    return users.collect().with_columns(session=number.map_batches(lambda one: ids[one]))


def _lost(document: str, share: float) -> bool:
    from hashlib import blake2b

    place = int.from_bytes(blake2b(document.encode(), digest_size=8).digest(), "big")
    return place < share * 2**64


def simulate_rounds(
    traffic: Traffic,
    *,
    months: Sequence[str] = MONTHS,
    broken: str | None = "2026-03",
    lost: float = 0.5,
    sessions: int = 9000,
    per_tier: int = 80,
    seed: int = 0,
) -> list[Round]:
    """Returns one round per month, sampled from its traffic and graded with the judgments.

    Args:
        traffic: The engine and its questions.
        months: The months, the earliest first.
        broken: From this month on recall is broken; `None` for quiet months.
        lost: Share of the candidates that recall then loses.
        sessions: Sessions per month.
        per_tier: Sampled sessions per tier.
        seed: Seed for who asks what, and which sessions are sampled.
    """
    from relyon.online.monitoring import create_round
    from relyon.online.sampling import draw_sample

    rounds = []
    for month in months:
        share = lost if broken is not None and month >= broken else 0.0
        log = simulate_month(traffic, month, sessions=sessions, lost=share, seed=seed)
        # Tiers by count, with boundaries between the groups: a query stays in its tier.
        often = [sessions / len(GROUPS) / size for size in GROUPS]
        sample = draw_sample(
            log,
            per_tier=per_tier,
            k=DEPTH,
            tiers="count",
            cuts=[math.sqrt(a * b) for a, b in pairwise(often)],
            # The same every month: samples share queries, so their constant effects cancel.
            seed=seed,
        )
        rounds.append(create_round(month, sample, traffic.judgments))
    return rounds


def write_rounds(
    folder: str | Path,
    *,
    documents: Sequence[Document] | None = None,
    engines: Sequence[Ranking] | None = None,
    rebuild: bool = False,
    progress: Callable[[int, int, str], None] | None = None,
) -> None:
    """Simulates the three months and stores those missing in a folder of rounds.

    Args:
        folder: The folder of rounds.
        documents: As for `simulate_traffic`.
        engines: As for `simulate_traffic`.
        rebuild: Rebuild existing months.
        progress: Called with the number of months done, their total, and the next month.

    Raises:
        DependencyError: bm25s or scikit-learn is not installed.
        InputError: The folder cannot be written.
    """
    from shutil import rmtree

    from relyon.online.monitoring import write_round

    months = [Path(folder, month) for month in MONTHS]
    if rebuild:
        for month in filter(Path.is_dir, months):
            rmtree(month)
    if all(map(Path.is_dir, months)):
        return
    traffic = simulate_traffic(documents=documents, engines=engines)
    for place, made in enumerate(simulate_rounds(traffic)):
        if progress is not None:
            progress(place, len(months), made.month)
        if not months[place].is_dir():
            write_round(made, folder)
