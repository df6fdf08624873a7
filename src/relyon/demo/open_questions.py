"""Questions that other tools leave open, asked about the demonstration's rankers.

Where does a ranker lose, which ranks are certain, what does a model's grading save, which pairs are
graded next, and by which rules did another program count? Two things are scripted: the model that
grades, and a ranker whose index has lost the Chinese questions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.demo.clicks import MEASURE, SCALE

if TYPE_CHECKING:
    import polars as pl

    from relyon.analysis.leaderboard import Leaderboard
    from relyon.analysis.next_pairs import NextPairs
    from relyon.analysis.prediction_powered import FewerGrades
    from relyon.analysis.slices import Slices
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run

__all__ = [
    "BUDGET",
    "FOLDER",
    "MODEL",
    "NEXT",
    "PEOPLE",
    "PROGRAM",
    "WITHOUT_CHINESE",
    "OpenStory",
    "ask_open_questions",
    "write_open_questions",
]

#: The folder in the directory of the demonstration, and its files.
FOLDER = "open"
PEOPLE, MODEL, NEXT = "people.qrels", "model.qrels", "next.csv"
WITHOUT_CHINESE = "without-chinese.run"
#: How many questions people grade where a model grades all.
GRADED = 40
#: One of so many of the scripted model's grades is moved by a level, if the scale has it.
WRONG = 3
#: The pairs that are drawn to be graded next.
BUDGET = 20
#: The program by whose rules a colleague counts.
PROGRAM = "sklearn"


@dataclass(frozen=True)
class OpenStory(Exportable):
    """The answers.

    Attributes:
        planted: Slices in which the ranker without Chinese loses against TF-IDF.
        own: Slices in which TF-IDF loses against BM25.
        change: The mean change from TF-IDF to the ranker without Chinese over all questions.
        board: All rankers, with intervals of their ranks.
        fewer: Means from people's grades of some questions and a scripted model's of all.
        truth: By ranker, the mean by people's grades of all questions.
        off: The share of the model's grades that are a level too high or too low.
        pairs: The pairs to grade next, of the two live engines named in `compared`.
        compared: These engines.
        counted: BM25's value by relyon's rules and by those of the other program.
    """

    planted: Slices
    own: Slices
    change: float
    board: Leaderboard
    fewer: FewerGrades
    truth: Mapping[str, float]
    off: float
    pairs: NextPairs
    compared: tuple[str, str]
    counted: tuple[float, float]

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per ranker, with the interval of its rank."""
        return self.board.to_frame()

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "slices": {"planted": self.planted.to_dict(), "own": self.own.to_dict()},
            "leaderboard": self.board.to_dict(),
            "fewer_grades": self.fewer.to_dict(),
            "next_pairs": self.pairs.to_dict(),
            "counted": dict(zip(("relyon", PROGRAM), self.counted, strict=True)),
        }

    def document(self, *, digits: int = 3, language: Language = "en") -> Document:
        """Returns a few lines per question.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("demo", language)
        confidence, mean = self.board.confidence, self.fewer.means[0].powered
        fewer = words.say(
            "open.fewer",
            labelled=mean.labelled,
            questions=mean.total,
            off=self.off,
            measure=MEASURE,
        )
        blocks: list[Block] = [
            Prose([*self._losses(words, digits), words.say("open.board", confidence=confidence)]),
            self._ranks(words, digits),
            Prose([*self._certain(words), fewer]),
            self._saved(words, digits),
            Prose(list(self._rest(words))),
        ]
        return Document(blocks)

    def _losses(self, words: Catalogue, digits: int) -> Iterator[str]:
        """Yields where rankers lose."""
        style = words.style
        yield words.say("open.losses", change=style.signed(self.change, digits), measure=MEASURE)
        found = self.planted.slices[0] if self.planted.slices else None
        if found is None:
            yield words.say("open.no_slice", questions=self.planted.queries)
        else:
            yield words.say(
                f"open.slice_{found.verdict}",
                where=found.where(words.language),
                count=len(found.queries),
                difference=style.signed(found.difference, digits),
                interval=style.signed_interval(found.interval, digits),
            )
        found = self.own.slices[0] if self.own.slices else None
        yield words.say(
            f"open.own_{found.verdict if found else 'none'}",
            questions=self.own.queries,
            where=found.where(words.language) if found else "",
        )

    def _ranks(self, words: Catalogue, digits: int) -> Table:
        """Returns the leaderboard."""
        style = words.style
        rows = [
            [
                words.name("ranker", one.run),
                style.number(one.value, digits),
                style.interval(one.interval, digits),
                f"{one.ranks[0]}–{one.ranks[1]}" if one.ranks[0] < one.ranks[1] else f"{one.rank}",
            ]
            for one in self.board[MEASURE].standings
        ]
        headings = ["column.ranker", "live.value", "column.interval", "open.ranks"]
        return Table(
            [words.say(name, measure=MEASURE) for name in headings],
            rows,
        )

    def _certain(self, words: Catalogue) -> Iterator[str]:
        """Yields what is certain of the ranks."""
        board = self.board[MEASURE]
        best = words.names("ranker", board.may_be_best)
        kind = "one_best" if len(best) == 1 else "several_best"
        yield words.say(
            f"open.{kind}",
            confidence=self.board.confidence,
            runs=best,
            separated=board.neighbours,
            pairs=len(board.runs) - 1,
        )
        yield words["open.board_means"]

    def _saved(self, words: Catalogue, digits: int) -> Table:
        """Returns what the model's grades add to people's."""
        style = words.style
        rows = []
        for run, truth in self.truth.items():
            one = self.fewer.mean(MEASURE, run).powered
            alone = style.interval(one.classical, digits)
            both = style.interval((one.low, one.high), digits)
            rows.append(
                [
                    words.name("ranker", run),
                    f"{style.number(one.classical_estimate, digits)} {alone}",
                    f"{style.number(one.estimate, digits)} {both}",
                    style.number(one.worth, 0),
                    style.number(truth, digits),
                ]
            )
        headings = ["column.ranker", "open.alone", "open.both", "open.worth", "open.truth"]
        return Table([words[name] for name in headings], rows)

    def _rest(self, words: Catalogue) -> Iterator[str]:
        """Yields how to read the table, what to grade next, and which rules to look for."""
        yield words["open.worth_means"]
        first, second = words.names("ranker", self.compared)
        kind = "pairs" if self.pairs.drawn else "no_pairs"
        yield words.say(
            f"open.{kind}",
            first=first,
            second=second,
            left=self.pairs.left,
            drawn=len(self.pairs.drawn),
            measure=self.pairs.estimate.measure,
            file=NEXT,
        )
        own, other = (words.style.number(one, 4) for one in self.counted)
        yield words.say("open.rules", own=own, other=other, measure=MEASURE)


def write_open_questions(directory: str | Path, judgments: Judgments, run: Run) -> None:
    """Writes the scripted model's grades, people's of some questions, and a ranker that lost some.

    The model grades the pairs that people graded; one grade in three is moved up or down by a
    level, if the scale has it.

    Args:
        directory: The directory of the demonstration.
        judgments: People's grades.
        run: The run whose Chinese questions are lost.
    """
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.io import write_judgments, write_run

    folder = Path(directory) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    grades = judgments.to_dict()
    drawn = random.Random(0)
    highest = max(grade for group in grades.values() for grade in group.values())
    model: dict[str, dict[str, float]] = {}
    for query in sorted(grades):
        for document, grade in sorted(grades[query].items()):
            off = drawn.choice((-1, 1)) if drawn.randrange(WRONG) == 0 else 0
            model.setdefault(query, {})[document] = min(max(grade + off, 0), highest)
    people = {query: grades[query] for query in sorted(drawn.sample(sorted(grades), GRADED))}
    for name, found in ((MODEL, model), (PEOPLE, people)):
        write_judgments(Judgments.from_dict(found), folder / name, overwrite=True)
    kept = {
        query: dict(run.documents(query)) for query in run.queries if not query.startswith("zh")
    }
    write_run(Run.from_dict(kept), folder / WITHOUT_CHINESE, overwrite=True)


def ask_open_questions(
    directory: str | Path,
    questions: str | Path,
    judgments: Judgments,
    rankers: Mapping[str, Run],
    engines: Mapping[str, Run],
    *,
    rebuild: bool = False,
) -> OpenStory:
    """Answers the questions; what is needed for that and does not exist is written first.

    Args:
        directory: The directory of the demonstration.
        questions: The file of questions.
        judgments: People's grades.
        rankers: By name the rankers, BM25 first and TF-IDF second.
        engines: By name the variants of the live engine, two or more.
        rebuild: Replaces existing files, such as pairs that somebody has graded.
    """
    from relyon.analysis.comparison import compare
    from relyon.analysis.leaderboard import leaderboard
    from relyon.analysis.next_pairs import next_pairs
    from relyon.analysis.prediction_powered import prediction_powered
    from relyon.analysis.slices import find_slices
    from relyon.evaluation import Evaluator
    from relyon.io import read_judgments, read_run

    folder = Path(directory) / FOLDER
    (bm25, first), (tfidf, second), *_ = rankers.items()
    if rebuild or not all((folder / name).exists() for name in (PEOPLE, MODEL, WITHOUT_CHINESE)):
        write_open_questions(directory, judgments, first)
    lost = read_run(folder / WITHOUT_CHINESE, name="without-chinese")
    planted = compare(judgments, second, lost, MEASURE, scale=SCALE)
    own = compare(judgments, first, second, MEASURE, scale=SCALE)
    people, model = (read_judgments(folder / name, scale=SCALE) for name in (PEOPLE, MODEL))
    compared, (base, other) = tuple(engines)[:2], tuple(engines.values())[:2]
    pairs = next_pairs(judgments, base, other, budget=BUDGET, scale=SCALE)
    if rebuild or not (folder / NEXT).exists():
        pairs.to_frame().write_csv(folder / NEXT)
    all_runs = {**rankers, **engines}
    ours = Evaluator(judgments, scale=SCALE)
    truth = {
        name: float(ours.evaluate(run, MEASURE)[MEASURE])
        for name, run in ((bm25, first), (tfidf, second))
    }
    theirs = Evaluator(judgments, scale=SCALE, convention=PROGRAM).evaluate(first, MEASURE)
    return OpenStory(
        planted=find_slices(planted, queries=questions),
        own=find_slices(own, queries=questions),
        change=planted.contrasts[0].difference,
        board=leaderboard(
            judgments, list(all_runs.values()), MEASURE, names=list(all_runs), scale=SCALE
        ),
        fewer=prediction_powered(
            people,
            model,
            [first, second],
            MEASURE,
            labelled="judged",
            names=[bm25, tfidf],
            scale=SCALE,
        ),
        truth=truth,
        off=_share_off(judgments, model),
        pairs=pairs,
        compared=(compared[0], compared[1]),
        counted=(truth[bm25], float(theirs[MEASURE])),
    )


def _share_off(judgments: Judgments, model: Judgments) -> float:
    """Returns the share of the model's grades that are not people's."""
    people = judgments.to_dict()
    off = [
        grade != people[query][document]
        for query, group in model.to_dict().items()
        for document, grade in group.items()
    ]
    return sum(off) / len(off)
