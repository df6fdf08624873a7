"""The demo data of the app: three monthly rounds, and grades of the last one.

The judges are simulated, as their names show. They give the grades that ship with the package,
with occasional slips, each in their own way, so that agreement, gold items and the queue of
disagreements have something to show.
"""

from __future__ import annotations

import math
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from relyon.core.texts import message
from relyon.demo import Document, Ranking, build_corpus, load_guideline, load_questions
from relyon.demo.rankers import rankings
from relyon.demo.traffic import DEPTH, MONTHS, write_rounds
from relyon.judging.records import Comparison, Item, Rating
from relyon.judging.store import Store, open_store
from relyon.online.monitoring import Round, read_round
from relyon.online.sampling import build_pool

__all__ = ["DemoData", "build_demo_data"]

Progress = Callable[[int, int, str], None]
DATABASE, ROUNDS = "judging.db", "rounds"
#: Judges per result of the month, number of gold items, and number of trial items.
OVERLAP, GOLD, TRIED = 3, 30, 6
#: Results on each side.
SIDE = 5
LONGEST = 320

SIDE_BY_SIDE = {
    "en": "Which side would help you more with this question? Look at all results of a side, the"
    " first ones most.",
    "zh": "针对这个问题，哪一边的结果对你更有帮助？请看完每一边的全部结果，越靠前越重要。",
}


@dataclass(frozen=True)
class DemoData:
    """The files of the demo data.

    Attributes:
        database: The file of the judging database.
        rounds: The folder of the monthly rounds.
        made: Whether the database is new.
    """

    database: Path
    rounds: Path
    made: bool


@dataclass(frozen=True)
class _Judge:
    """A simulated judge who makes occasional mistakes.

    Attributes:
        name: The name, which shows that the judge is simulated.
        slips: The share of grades that are off by one.
        generous: The share of slips that are too high.
        seconds: Average time per grade.
    """

    name: str
    slips: float
    generous: float
    seconds: float

    def grade(self, query: str, document: str, known: float) -> Rating:
        """Returns their grade of a result whose grade is known."""
        chooser = random.Random(f"{self.name} {query} {document}")
        grade = known
        if chooser.random() < self.slips:
            step = 1 if chooser.random() < self.generous else -1
            grade += step if 0 <= known + step <= 3 else -step
        return Rating(self.name, grade, seconds=self._duration(chooser))

    def prefer(self, query: str, difference: float) -> Rating:
        """Returns which side they prefer, given the second one's lead in DCG."""
        chooser = random.Random(f"{self.name} {query}")
        felt = difference + chooser.gauss(0, 0.5)
        strength = 2 if abs(felt) >= 2 else 1 if abs(felt) >= 0.5 else 0
        return Rating(self.name, math.copysign(strength, felt), seconds=self._duration(chooser))

    def _duration(self, chooser: random.Random) -> float:
        return round(self.seconds * chooser.lognormvariate(0, 0.4), 1)


JUDGES = (
    _Judge("simulated-1", 0.03, 0.5, 3.6),
    _Judge("simulated-2", 0.05, 0.5, 3.0),
    _Judge("simulated-3", 0.08, 0.9, 2.6),
    _Judge("simulated-4", 0.14, 0.3, 1.7),
)


def build_demo_data(
    directory: str | os.PathLike[str],
    *,
    documents: Sequence[Document] | None = None,
    progress: Progress | None = None,
) -> DemoData:
    """Builds the missing demo data in a directory: rounds and judging database.

    Existing files are kept, so a second call changes nothing.

    Args:
        directory: The directory, created if missing. The rounds may be those of `relyon demo`.
        documents: The collection; by default it is read from the running Python.
        progress: Called with the number of steps done, their total, and the next step.

    Raises:
        DependencyError: bm25s or scikit-learn is not installed.
        InputError: The directory cannot be written, or contains a modified round.
        RuntimeError: The standard library cannot be read.
    """
    folder = Path(directory)
    story = DemoData(folder / DATABASE, folder / ROUNDS, not (folder / DATABASE).exists())
    complete = all((story.rounds / month).is_dir() for month in MONTHS)
    if complete and not story.made:
        return story
    told = progress or _quiet
    steps = len(MONTHS) + 3
    told(0, steps, message("cli.reading-standard-library"))
    collection = build_corpus() if documents is None else documents
    told(1, steps, "ranking")
    runs = rankings(collection, load_questions(), DEPTH)
    write_rounds(
        story.rounds,
        engines=list(runs.values()),
        progress=lambda done, _, month: told(2 + done, steps, month),
    )
    if story.made:
        told(steps - 1, steps, "grading the samples")
        partial = folder / f".{DATABASE}.partial"
        for leftover in folder.glob(f"{partial.name}*"):
            leftover.unlink()
        with open_store(partial, create=True) as store:
            _fill(store, read_round(story.rounds / MONTHS[-1]), collection, runs)
        partial.rename(story.database)
    return story


def _quiet(done: int, total: int, what: str) -> None:
    """Reports no progress."""


def _fill(
    store: Store, month: Round, collection: Sequence[Document], runs: Mapping[str, Ranking]
) -> None:
    known = _known(month)
    by_id = {document.id: document for document in collection}
    pool = [
        replace(_item(row["query"], row["doc"], by_id), tier=row["tier"], rank=row["position"])
        for row in build_pool(month.sample).pairs.iter_rows(named=True)
        # Another Python's library may contain documents without judgments.
        if (row["query"], row["doc"]) in known
    ]
    _add_trial(store, pool)
    _add_month(store, month.month, pool, known)
    _add_sides(store, {item.query: item.tier for item in pool}, known, by_id, runs)


def _known(month: Round) -> dict[tuple[str, str], float]:
    frame = month.judgments.to_frame()
    columns = (frame[name] for name in ("query", "document", "grade"))
    return {
        (query, document): float(grade) for query, document, grade in zip(*columns, strict=True)
    }


def _item(query: str, document: str, by_id: Mapping[str, Document]) -> Item:
    """Returns a result as a judge sees it; only its name if this Python lacks the document."""
    found = by_id.get(document, Document(document, document, ""))
    text = found.text
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(None, 1)[0] + " …"
    address = f"https://docs.python.org/3/search.html?q={quote(document)}"
    return Item(query, document, title=found.title, snippet=text, url=address)


def _add_trial(store: Store, pool: Sequence[Item]) -> None:
    """Adds a few ungraded questions in both languages."""
    languages = {question.text: question.language for question in load_questions()}
    results: dict[str, list[Item]] = {}
    for item in pool:
        results.setdefault(item.query, []).append(item)
    project = store.projects.create(
        "Try it · 试一试",
        overlap=20,
        guideline={language: load_guideline(language) for language in ("en", "zh")},
    )
    for language in ("en", "zh"):
        rich = [query for query in sorted(results) if languages.get(query) == language]
        rich.sort(key=lambda query: -len(results[query]))
        for query in rich[:2]:
            store.items.add(project.id, results[query][:TRIED])


def _add_month(
    store: Store, month: str, pool: Sequence[Item], known: Mapping[tuple[str, str], float]
) -> None:
    """Adds the month's pool, with each result graded by three of the four judges."""
    project = store.projects.create(
        f"{month} (simulated judges)",
        overlap=OVERLAP,
        gold_share=0.05,
        k=DEPTH,
        guideline={language: load_guideline(language) for language in ("en", "zh")},
    )
    graded = [(item, known[item.query, item.document]) for item in pool]
    clock = _clock(store, len(graded) * OVERLAP)
    store.grades.add(
        project.id,
        [
            (
                item,
                [
                    replace(judge.grade(item.query, item.document, grade), at=next(clock))
                    for place, judge in enumerate(JUDGES)
                    if place != number % len(JUDGES)
                ],
            )
            for number, (item, grade) in enumerate(graded)
        ],
    )
    certain = [(item, grade) for item, grade in graded if grade in {0.0, 3.0}]
    store.gold.add(project.id, certain[:: max(1, len(certain) // GOLD)])


def _add_sides(
    store: Store,
    tiers: Mapping[str, str],
    known: Mapping[tuple[str, str], float],
    by_id: Mapping[str, Document],
    runs: Mapping[str, Ranking],
) -> None:
    """Adds the two rankers side by side, each question seen by two judges."""
    project = store.projects.create(
        "BM25 / TF-IDF (simulated judges)",
        kind="side_by_side",
        overlap=OVERLAP,
        guideline=SIDE_BY_SIDE,
    )
    pairs, ratings = [], []
    clock = _clock(store, 2 * len(tiers))
    one, other = runs
    for question in load_questions():
        sides = [[name for name, _ in run.get(question.id, [])[:SIDE]] for run in runs.values()]
        query = question.text
        if query not in tiers or not all(sides):
            continue
        first, second = (
            tuple(_item(query, document, by_id) for document in side) for side in sides
        )
        pairs.append(Comparison(query, one, other, first, second, tier=tiers[query]))
        before, after = (
            sum(
                known.get((query, document), 0.0) / math.log2(rank + 1)
                for rank, document in enumerate(side, 1)
            )
            for side in sides
        )
        ratings.append(
            (
                Item(query, f"{one} / {other}"),
                [
                    replace(judge.prefer(query, after - before), at=next(clock))
                    for judge in JUDGES[:2]
                ],
            )
        )
    store.items.add_comparisons(project.id, pairs)
    store.grades.add(project.id, ratings)


def _clock(store: Store, count: int) -> Iterator[float]:
    """Yields times in the last days, one per grade."""
    now = store.clock()
    return (now - 4 * (count - number) for number in range(count))
