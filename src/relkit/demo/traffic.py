"""Simulated months of search traffic over the demonstration's own engines.

A few queries that everybody asks, more that some ask, and many that hardly anybody does. Recall
takes the first documents of both engines, ranking puts those first that stand high in either, and
the judgments that ship with the package grade what is shown. From one month on recall loses a part
of its candidates, as when one of several index servers answers no more: what is left is ranked as
well as before.
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

from relkit.demo.corpus import Document, Progress, build_corpus
from relkit.demo.files import load_judgments, load_questions
from relkit.demo.rankers import Ranking, rankings

if TYPE_CHECKING:
    import polars as pl

    from relkit.online.monitoring import Round

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

#: Results a session shows, and candidates that recall takes from each engine.
DEPTH = 10
MONTHS = ("2026-01", "2026-02", "2026-03")
#: Questions that share a third of the traffic each: asked often, sometimes, hardly ever.
GROUPS = (9, 27, 55)
#: The click model that users follow, and how likely a result is clicked by mistake.
USERS = "ubm"
MISCLICKS = 0.02
#: Days of a month, whichever.
DAYS = 28
#: Of reciprocal rank fusion: how slowly the weight of a rank falls.
SLOWNESS = 60


@dataclass(frozen=True)
class Traffic:
    """What the engines find, and how often each question is asked.

    Attributes:
        candidates: Documents by question, best first: what recall takes from all engines.
        texts: The text of each question.
        weights: How often each is asked, relative to the others.
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
    """Ranks the demonstration's questions, and makes some of them frequent.

    Candidates are put in order by reciprocal rank fusion: the sum over engines of 1 / (60 + rank).

    Args:
        documents: The collection; by default it is read from the running Python.
        engines: What each engine returns; by default those of `bm25` and `tfidf`.
        seed: Chooses which questions are frequent.
        progress: Passed to `build_corpus` where the collection is read.

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
    """Returns how often each of the demonstration's questions is asked, relative to the others.

    Args:
        queries: The ids of all questions.
        seed: Chooses which questions are frequent.
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

    Users go through a list as UBM says, like better what has a higher grade, and click on some
    results by mistake.

    Args:
        traffic: The engine and its questions.
        month: Such as `2026-03`; session ids begin with it.
        sessions: How many.
        lost: Share of the candidates that recall loses; which ones hangs on their ids, so that all
            months lose the same.
        seed: Chooses who asks what.
    """
    import polars as pl

    from relkit.labels import Crowd, Habits, simulate

    chooser = random.Random(f"{seed} {month}")
    queries = list(traffic.weights)
    asked = chooser.choices(queries, [traffic.weights[query] for query in queries], k=sessions)
    shown = {
        query: [one for one in ranked if not _lost(one, lost)][:DEPTH]
        for query, ranked in traffic.candidates.items()
    }
    # A search that finds nothing leaves no row.
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
        habits=Habits(depth=DEPTH),
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
    """Returns a round a month, sampled from its traffic and graded by the judgments.

    Args:
        traffic: The engine and its questions.
        months: The months, the earliest first.
        broken: From this month on recall is broken; `None` for quiet months.
        lost: Share of the candidates that recall loses then.
        sessions: Sessions a month.
        per_tier: Sampled sessions of each tier.
        seed: Chooses who asks what, and which sessions are sampled.
    """
    from relkit.online.monitoring import create_round
    from relkit.online.sampling import draw_sample

    rounds = []
    for month in months:
        share = lost if broken is not None and month >= broken else 0.0
        log = simulate_month(traffic, month, sessions=sessions, lost=share, seed=seed)
        # Tiers by count, between what the groups expect: a query stays in its tier.
        often = [sessions / len(GROUPS) / size for size in GROUPS]
        sample = draw_sample(
            log,
            per_tier=per_tier,
            k=DEPTH,
            tiers="count",
            cuts=[math.sqrt(a * b) for a, b in pairwise(often)],
            # The same every month: samples share their queries, and what those always are cancels.
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
    """Simulates the three months and stores those that a folder of rounds lacks.

    Args:
        folder: Of the rounds.
        documents: As for `simulate_traffic`.
        engines: As for `simulate_traffic`.
        rebuild: Make the months again that are there.
        progress: Called with the months made, all of them, and which comes next.

    Raises:
        DependencyError: bm25s or scikit-learn is not installed.
        InputError: The folder cannot be written.
    """
    from shutil import rmtree

    from relkit.online.monitoring import write_round

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
