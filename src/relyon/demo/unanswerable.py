"""Questions that the demonstration's documents do not answer, and which ranker notices.

The questions ask for packages and tasks outside of the standard library. That nothing answers them
is an explicit judgment, in a column of the table of queries.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.texts import Catalogue, Language, catalogue

if TYPE_CHECKING:
    import polars as pl

    from relyon.analysis.abstention import Abstention
    from relyon.data.judgments import Judgments
    from relyon.demo.corpus import Question
    from relyon.demo.rankers import Ranking

__all__ = ["FOLDER", "RANKERS", "AnswerStory", "measure_answers", "write_answers"]

#: The folder in the directory of the demonstration, and the rankers, the baseline first.
FOLDER = "no-answer"
RANKERS = ("bm25", "tfidf")
QUERIES = "queries.csv"
DEPTH = 10
#: The share of questions without an answer where the search is used, assumed.
BASE_RATE = 0.1
#: The numbers of a ranker in the table.
RATES = ("auroc", "false_answer_rate", "coverage")


def write_answers(
    directory: str | Path,
    answerable: Sequence[Question],
    unanswerable: Sequence[Question],
    rankings: Mapping[str, Ranking],
) -> None:
    """Writes the table of queries, and for each ranker the first results of all of them.

    Args:
        directory: The directory of the demonstration.
        answerable: The questions with an answer.
        unanswerable: Those without.
        rankings: By the ranker's name, the ranking for each question of both kinds.
    """
    from relyon.data.run import Run
    from relyon.io import write_run

    folder = Path(directory) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / QUERIES, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["query", "text", "answerable"])
        for word, group in (("yes", answerable), ("no", unanswerable)):
            rows.writerows([one.id, one.text, word] for one in group)
    for name in RANKERS:
        ranked = {query: dict(found[:DEPTH]) for query, found in rankings[name].items() if found}
        write_run(Run.from_dict(ranked), folder / f"{name}.run", overwrite=True)


@dataclass(frozen=True)
class AnswerStory(Exportable):
    """How well each ranker's top score tells questions with an answer from those without.

    Attributes:
        found: The rankers at their thresholds.
    """

    found: Abstention

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per ranker and number."""
        return self.found.to_frame()

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return self.found.to_dict()

    def document(self, *, digits: int = 3, language: Language = "en") -> Document:
        """Returns the table and its conclusions.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("demo", language)
        style = words.style
        rows = []
        for one in self.found.systems:
            rates = (one.auroc, one.false_answer_rate, one.coverage)
            rows.append(
                [words.name("ranker", one.system), style.number(one.threshold, digits)]
                + [
                    f"{style.number(rate.value, 2)} {style.interval(rate.bounds, 2)}"
                    for rate in rates
                ]
            )
        names = [words["column.ranker"]]
        names += [words[f"answers.{name}"] for name in ("threshold", *RATES)]
        how = words.say(
            "answers.how",
            answerable=self.found.answerable,
            unanswerable=self.found.unanswerable,
            target=self.found.choice.value,
        )
        blocks: list[Block] = [
            Prose([how]),
            Table(names, rows),
            Prose(list(self._findings(words, digits))),
        ]
        return Document(blocks)

    def _findings(self, words: Catalogue, digits: int) -> Iterator[str]:
        """Yields the conclusions from the numbers."""
        style = words.style
        for one in self.found.contrasts:
            if one.measure == "false_answer_rate":
                continue
            yield words.say(
                f"answers.{one.measure}_{one.verdict}",
                first=one.baseline,
                second=one.candidate,
                difference=style.signed(one.difference, digits),
                interval=style.signed_interval((one.low, one.high), digits),
            )
        yield words.say("answers.honest", unanswerable=self.found.unanswerable, rate=BASE_RATE)


def measure_answers(directory: str | Path, judgments: Judgments) -> AnswerStory:
    """Chooses a threshold for each ranker, and measures it on other questions.

    Args:
        directory: The directory of the demonstration.
        judgments: People's grades.
    """
    from relyon.analysis.abstention import abstention
    from relyon.io import read_run

    folder = Path(directory) / FOLDER
    runs = [read_run(folder / f"{name}.run", name=name) for name in RANKERS]
    found = abstention(judgments, *runs, answerable=folder / QUERIES, base_rate=BASE_RATE)
    return AnswerStory(found)
