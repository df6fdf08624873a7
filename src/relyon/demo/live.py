"""The loop of a live engine: the questions through three variants, judged, and the winner."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.errors import InputError
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.demo.corpus import build_corpus
from relyon.demo.engine import ENGINE, FOLDER, write_engine

if TYPE_CHECKING:
    import polars as pl

    from relyon.analysis.comparison import Comparison, Contrast
    from relyon.data.judgments import Judgments
    from relyon.engines import Found

__all__ = ["RUNS", "LiveStory", "search_live"]

#: The folder of the runs in the directory of the demonstration, and the tape of all answers.
RUNS, TAPE = "search", "search.tape.jsonl"
DEPTH = 100
MEASURE, JUDGED = "ndcg@10", "judged@10"
COLUMNS = ("variant", "value", "against", "interval", "p50", "p95")


@dataclass(frozen=True)
class LiveStory(Exportable):
    """The variants of the engine, compared by people's grades.

    Attributes:
        found: What the search found.
        comparison: The variants compared with the first one.
    """

    found: Found
    comparison: Comparison

    @property
    def contrasts(self) -> list[Contrast]:
        """The other variants against the first, on the measure that decides."""
        return [one for one in self.comparison.contrasts if one.measure == MEASURE]

    @property
    def best(self) -> Contrast:
        """The contrast of the variant with the highest value among those that are not the first."""
        return max(self.contrasts, key=lambda one: one.candidate_mean)

    def to_frame(self) -> pl.DataFrame:
        """Returns a row per variant but the first."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "variant": one.candidate,
                    "baseline": one.baseline_mean,
                    "candidate": one.candidate_mean,
                    "difference": one.difference,
                    "low": one.interval[0],
                    "high": one.interval[1],
                    "verdict": one.verdict,
                }
                for one in self.contrasts
            ]
        )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {"search": self.found.to_dict(), "variants": self.to_frame().to_dicts()}

    def document(self, *, digits: int = 4, language: Language = "en") -> Document:
        """Returns the table and its conclusions.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("demo", language)
        style = words.style
        first = self.contrasts[0]
        rows = [[first.baseline, style.number(first.baseline_mean, digits), "", ""]]
        rows += [
            [
                one.candidate,
                style.number(one.candidate_mean, digits),
                style.signed(one.difference, digits),
                style.signed_interval(one.interval, digits),
            ]
            for one in self.contrasts
        ]
        for row in rows:
            latency = self.found.latencies[row[0]]
            row += [style.number(one or 0.0, 1) for one in (latency.p50, latency.p95)]
        names = [
            words.say(f"live.{name}", baseline=first.baseline, measure=MEASURE) for name in COLUMNS
        ]
        how = words.say(
            "live.how",
            documents=len(self.found.documents),
            requests=len(self.found.tape.entries),
            variants=len(rows),
        )
        blocks: list[Block] = [
            Prose([how]),
            Table(names, rows),
            Prose(list(self._findings(words, digits))),
        ]
        return Document(blocks)

    def _findings(self, words: Catalogue, digits: int) -> Iterator[str]:
        """Yields the conclusions from the numbers."""
        best = self.best
        kind = best.verdict if best.verdict != "worse" else "first"
        if kind == "undecided" and best.difference <= 0:
            kind = "first"
        yield words.say(
            f"live.{kind}",
            variant=best.candidate,
            baseline=best.baseline,
            measure=MEASURE,
            difference=words.style.signed(best.difference, digits),
            interval=words.style.signed_interval(best.interval, digits),
            needed=round(best.queries_needed),
            count=len(self.contrasts),
        )
        worse = [one.candidate for one in self.contrasts if one.verdict == "worse"]
        if worse:
            yield words.say("live.worse", baseline=best.baseline, variants=worse)
        judged = next(
            one
            for one in self.comparison.contrasts
            if one.measure == JUDGED and one.candidate == best.candidate
        )
        yield words.say("live.judged", variant=best.candidate, share=judged.candidate_mean)


def search_live(
    directory: str | Path,
    questions: str | Path,
    judgments: Judgments,
    *,
    rebuild: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> LiveStory:
    """Sends the questions to the engine, or replays the tape of an earlier call, and compares.

    Args:
        directory: The directory of the demonstration.
        questions: The file of questions.
        judgments: People's grades.
        rebuild: Whether the engine is asked although there is a tape.
        progress: Called with the number of requests that are done, and of all.
    """
    from relyon.analysis.comparison import compare
    from relyon.engines import search

    folder = Path(directory)
    engine, tape = folder / FOLDER / ENGINE, folder / TAPE
    if not engine.exists():
        write_engine(folder, build_corpus())

    def searched(*, replay: bool) -> Found:
        return search(
            engine,
            questions,
            DEPTH,
            output=folder / RUNS,
            record=None if replay else tape,
            replay=tape if replay else None,
            restart=rebuild,
            overwrite=True,
            progress=progress,
        )

    found = None
    if tape.exists() and not rebuild:
        try:
            found = searched(replay=True)
        except InputError:  # the engine's file or its documents are others than then
            found = None
    if found is None:
        found = searched(replay=False)
    baseline, *candidates = found.runs.values()
    comparison = compare(judgments, baseline, candidates, (MEASURE, JUDGED), scale=judgments.scale)
    return LiveStory(found, comparison)
