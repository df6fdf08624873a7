"""The demonstration's documents as long pages, cut in two ways, with the same judged passages.

A page is the documentation of a module and of all that is in it. The judged documents are its
sections, so that people's grades become grades of passages for any way of cutting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.demo.corpus import Document as Text
from relyon.demo.files import load_judgments
from relyon.demo.rankers import bm25, content

if TYPE_CHECKING:
    import polars as pl

    from relyon.analysis.comparison import Comparison
    from relyon.demo.corpus import Question

__all__ = [
    "CHUNKS",
    "OVERLAP",
    "SIZE",
    "WAYS",
    "ChunkStory",
    "Page",
    "cut_pages",
    "measure_chunks",
    "sections",
    "windows",
    "write_chunks",
]

#: The folder in the directory of the demonstration, and the ways of cutting.
CHUNKS = "chunks"
WAYS = ("windows", "sections")
PASSAGES, PAGES = "passages.jsonl", "pages.jsonl"
#: Characters of a chunk, and of the overlap of two windows.
SIZE, OVERLAP = 1_000, 200
DEPTH = 50
SCALE = "search"
MEASURES = ("char_recall@10", "char_precision@10", "span_ndcg@10")
#: What separates the sections of a page.
BREAK = "\n\n"


@dataclass(frozen=True)
class Page:
    """The documentation of a module, all in one text.

    Attributes:
        id: The top-level name of the module, such as `os`.
        text: Title and text of its documents, in the order of their ids.
        sections: The place of each document: start and end, by its id.
    """

    id: str
    text: str
    sections: Mapping[str, tuple[int, int]]


def cut_pages(documents: Sequence[Text]) -> list[Page]:
    """Returns the documents of each module as one page.

    Examples:
        >>> one = [Text("os", "os", "OS routines."), Text("os.getcwd", "os.getcwd()", "Path.")]
        >>> page = cut_pages(one)[0]
        >>> page.id, page.sections, page.text[17:34]
        ('os', {'os': (0, 15), 'os.getcwd': (17, 34)}, 'os.getcwd()\\nPath.')
    """
    modules: dict[str, list[Text]] = {}
    for one in documents:
        modules.setdefault(one.id.partition(".")[0], []).append(one)
    pages = []
    for name, group in modules.items():
        sections: dict[str, tuple[int, int]] = {}
        start = 0
        for one in group:
            end = start + len(content(one))
            sections[one.id] = start, end
            start = end + len(BREAK)
        pages.append(Page(name, BREAK.join(content(one) for one in group), sections))
    return pages


def windows(page: Page) -> Iterator[tuple[int, int]]:
    """Yields places of 1,000 characters, each beginning 200 before the end of the last."""
    for start in range(0, max(len(page.text) - OVERLAP, 1), SIZE - OVERLAP):
        yield start, min(start + SIZE, len(page.text))


def sections(page: Page) -> Iterator[tuple[int, int]]:
    """Yields whole sections, joined up to 1,000 characters; a longer one is a chunk of its own."""
    begin = last = None
    for start, end in page.sections.values():
        if begin is not None and last is not None and end - begin > SIZE:
            yield begin, last
            begin = None
        begin = start if begin is None else begin
        last = end
    if begin is not None and last is not None:
        yield begin, last


def write_chunks(
    directory: str | Path, documents: Sequence[Text], questions: Sequence[Question]
) -> None:
    """Writes the pages, the judged passages, and for each way of cutting its chunks and a run.

    Each graded document is a passage of its page. Graded documents that this Python's documentation
    lacks have no place, and are left out. BM25 ranks the chunks.

    Args:
        directory: The directory of the demonstration.
        documents: The collection.
        questions: The questions.
    """
    import polars as pl

    from relyon.data.run import Run
    from relyon.io import write_run
    from relyon.io.table_files import write_table

    folder = Path(directory) / CHUNKS
    folder.mkdir(parents=True, exist_ok=True)
    pages = cut_pages(documents)
    places = {
        name: {"document": page.id, "start": start, "end": end}
        for page in pages
        for name, (start, end) in page.sections.items()
    }
    texts = [{"document": one.id, "text": one.text} for one in pages]
    write_table(pl.DataFrame(texts), folder / PAGES)
    passages = [
        {"query": one.query, **places[one.document], "grade": one.grade}
        for one in load_judgments()
        if one.document in places
    ]
    write_table(pl.DataFrame(passages), folder / PASSAGES)
    for way, cut in zip(WAYS, (windows, sections), strict=True):
        rows, chunks = [], []
        for page in pages:
            for number, (start, end) in enumerate(cut(page)):
                name = f"{page.id}-{number}"
                rows.append({"chunk": name, "document": page.id, "start": start, "end": end})
                chunks.append(Text(name, "", page.text[start:end]))
        write_table(pl.DataFrame(rows), folder / f"{way}.csv")
        ranking = bm25(chunks, questions, DEPTH)
        run = Run.from_dict({query: dict(found) for query, found in ranking.items() if found})
        write_run(run, folder / f"{way}.run", overwrite=True)


@dataclass(frozen=True)
class ChunkStory(Exportable):
    """Two ways of cutting, measured with the same passages.

    Attributes:
        passages: The number of relevant passages.
        chunks: The number of chunks of each way.
        comparison: The second way compared with the first.
    """

    passages: int
    chunks: Mapping[str, int]
    comparison: Comparison

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per measure: both values and their difference."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "measure": one.measure,
                    WAYS[0]: one.baseline_mean,
                    WAYS[1]: one.candidate_mean,
                    "difference": one.difference,
                    "low": one.interval[0],
                    "high": one.interval[1],
                    "verdict": one.verdict,
                }
                for one in self.comparison.contrasts
            ]
        )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "passages": self.passages,
            "chunks": dict(self.chunks),
            "measures": self.to_frame().to_dicts(),
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
                one.measure,
                style.number(one.baseline_mean, digits),
                style.number(one.candidate_mean, digits),
                style.signed(one.difference, digits),
                style.signed_interval(one.interval, digits),
                words[f"chunks.{one.verdict}"],
            ]
            for one in self.comparison.contrasts
        ]
        names = [words["chunks.measure"], *WAYS]
        names += [words[f"chunks.{name}"] for name in ("difference", "interval", "verdict")]
        first, second = WAYS
        how = words.say(
            "chunks.how",
            passages=self.passages,
            first=first,
            second=second,
            size=SIZE,
            overlap=OVERLAP,
            firsts=self.chunks[first],
            seconds=self.chunks[second],
        )
        blocks: list[Block] = [
            Prose([how]),
            Table(names, rows),
            Prose(list(self._findings(words))),
        ]
        return Document(blocks)

    def _findings(self, words: Catalogue) -> Iterator[str]:
        """Yields the conclusions from the numbers."""
        by_verdict: dict[str, list[str]] = {}
        for one in self.comparison.contrasts:
            by_verdict.setdefault(one.verdict, []).append(one.measure)
        for verdict in ("better", "worse", "undecided"):
            if verdict in by_verdict:
                yield words.say(
                    f"chunks.all_{verdict}",
                    first=WAYS[0],
                    second=WAYS[1],
                    measures=by_verdict[verdict],
                )
        yield words["chunks.honest"]


def measure_chunks(directory: str | Path) -> ChunkStory:
    """Evaluates both ways of cutting with the same passages, and compares them.

    Args:
        directory: The directory of the demonstration.
    """
    from relyon.analysis.comparison import compare_results
    from relyon.data.scale import load_scale
    from relyon.evaluation import evaluate
    from relyon.io import read_run
    from relyon.io.passages import read_chunks, read_passages

    folder = Path(directory) / CHUNKS
    passages = read_passages(folder / PASSAGES, scale=SCALE)
    chunks = {way: read_chunks(folder / f"{way}.csv") for way in WAYS}
    results = [
        evaluate(
            passages.judgments(chunks[way]), read_run(folder / f"{way}.run", name=way), MEASURES
        )
        for way in WAYS
    ]
    relevant = sum(one.grade >= load_scale(SCALE).relevant_from for one in passages)
    counts = {way: len(found) for way, found in chunks.items()}
    return ChunkStory(relevant, counts, compare_results(results))
