"""The questions and judgments that ship with the package, and the files written from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal

from relyon.demo.corpus import Document, Progress, Question, build_corpus
from relyon.demo.encoder import load_encoder
from relyon.demo.engine import write_engine
from relyon.demo.features import write_features
from relyon.demo.rankers import Ranking, check_depth, rank_dense, rankings

GRADE_NAMES = {3: "高", 2: "中", 1: "低", 0: "无"}
"""The name of each grade in the guideline."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """How well a document answers a question.

    Attributes:
        query: The id of the question.
        document: The id of the document.
        grade: 3 高, 2 中, 1 低 or 0 无.
    """

    query: str
    document: str
    grade: int


@dataclass(frozen=True, slots=True)
class DemoFiles:
    """Where `write_demo` put the files.

    Attributes:
        judgments: TREC judgments (qrels).
        bm25: The TREC run of BM25.
        tfidf: The TREC run of TF-IDF character n-grams.
        questions: Questions, tab-separated, with a header.
        features: Features for rankers, as Parquet: see `relyon.demo.features`.
        dense: The TREC run of the dense ranker, if requested.
        engine: The file of a live engine on the documents, which are beside it.
    """

    judgments: Path
    bm25: Path
    tfidf: Path
    questions: Path
    features: Path
    dense: Path | None = None
    engine: Path | None = None


def load_questions() -> list[Question]:
    """Read the questions that ship with the package.

    Returns:
        Questions in the order of the file.

    Raises:
        ValueError: The file is malformed.
    """
    return _questions("questions.tsv")


def load_unanswerable() -> list[Question]:
    """Read the questions that ship with the package and that no document answers.

    They ask for packages and tasks outside of the standard library.

    Returns:
        Questions in the order of the file.

    Raises:
        ValueError: The file is malformed.
    """
    return _questions("unanswerable.tsv")


def load_judgments() -> list[Judgment]:
    """Read the graded judgments that ship with the package.

    Returns:
        Judgments in the order of the file.

    Raises:
        ValueError: The file is malformed.
    """
    judgments: list[Judgment] = []
    for query, document, grade in _table("judgments.tsv", ("query", "document", "grade")):
        if grade not in {"0", "1", "2", "3"}:
            raise ValueError(f"judgments.tsv: the grade of {document} for {query} is {grade!r}")
        judgments.append(Judgment(query, document, int(grade)))
    return judgments


def load_guideline(language: Literal["en", "zh"] | None = None) -> str:
    """Read the grading guideline that ships with the package.

    Args:
        language: The language; `None` returns both.

    Returns:
        Markdown, in English and then in Chinese.

    Examples:
        >>> load_guideline("zh").splitlines()[0]
        '# 标注指南'
    """
    text = _data("GUIDELINE.md")
    if language is None:
        return text
    english, chinese = text.split("\n---\n")
    first, _, rest = english.partition("\n\n*")
    both = {"en": first + rest[rest.index("*") + 1 :], "zh": chinese}
    return both[language].strip() + "\n"


def write_demo(
    directory: str | Path,
    *,
    documents: Sequence[Document] | None = None,
    depth: int = 100,
    progress: Progress | None = None,
    dense: bool = False,
    encoding: Progress | None = None,
) -> DemoFiles:
    """Rank the questions and write everything that an evaluation needs.

    A question for which an engine finds nothing, such as one wholly in Chinese, has no line
    in the run of that engine; it still has its judgments.

    Args:
        directory: Output directory; created if missing.
        documents: The collection; by default it is read from the running Python.
        depth: Maximum number of documents in a ranking.
        progress: Passed to `build_corpus` if the collection is read.
        dense: Whether a language model ranks too: see `relyon.demo.rankers`.
        encoding: Called with the number of tokens done and their total.

    Returns:
        The paths of ``judgments.qrels``, ``bm25.run``, ``tfidf.run``, ``questions.tsv`` and
        ``features.parquet``, of ``dense.run`` if requested, and of ``engines/docs.toml``.

    Raises:
        DependencyError: bm25s or scikit-learn is not installed, or what the dense ranker needs.
        RuntimeError: The standard library cannot be read.
    """
    check_depth(depth)
    folder = Path(directory)
    encoder = load_encoder() if dense else None
    collection = build_corpus(progress) if documents is None else documents
    questions = load_questions()
    whole = max(depth, len(collection))
    runs = dict(rankings(collection, questions, whole))
    if encoder is not None:
        runs["dense"] = rank_dense(encoder, collection, questions, whole, progress=encoding)
    folder.mkdir(parents=True, exist_ok=True)
    files = DemoFiles(
        judgments=folder / "judgments.qrels",
        bm25=folder / "bm25.run",
        tfidf=folder / "tfidf.run",
        questions=folder / "questions.tsv",
        features=folder / "features.parquet",
        dense=folder / "dense.run" if dense else None,
        engine=write_engine(folder, collection),
    )
    judgments = load_judgments()
    lines = (f"{item.query} 0 {item.document} {item.grade}\n" for item in judgments)
    _write(files.judgments, "".join(lines))
    _write(files.bm25, _run_text(runs["bm25"], "bm25", depth))
    _write(files.tfidf, _run_text(runs["tfidf"], "tfidf", depth))
    if files.dense is not None:
        _write(files.dense, _run_text(runs["dense"], "dense", depth))
    _write(files.questions, _data("questions.tsv"))
    grades: dict[str, dict[str, int]] = {}
    for item in judgments:
        grades.setdefault(item.query, {})[item.document] = item.grade
    write_features(files.features, collection, questions, runs, grades)
    return files


def _run_text(ranking: Ranking, tag: str, depth: int) -> str:
    return "".join(
        f"{query} Q0 {document} {position} {score:.6f} {tag}\n"
        for query, ranked in ranking.items()
        for position, (document, score) in enumerate(ranked[:depth], start=1)
    )


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _data(name: str) -> str:
    return resources.files("relyon.demo").joinpath("data", name).read_text(encoding="utf-8")


def _questions(name: str) -> list[Question]:
    return [Question(*row) for row in _table(name, ("id", "language", "text"))]


def _table(name: str, header: tuple[str, str, str]) -> list[tuple[str, str, str]]:
    lines = _data(name).splitlines()
    if not lines or tuple(lines[0].split("\t")) != header:
        raise ValueError(f"{name}: the first line must be {' '.join(header)}, tab-separated")
    rows: list[tuple[str, str, str]] = []
    for number, line in enumerate(lines[1:], start=2):
        fields = line.split("\t")
        if len(fields) != len(header):
            raise ValueError(f"{name}:{number}: {len(header)} fields expected, {len(fields)} found")
        rows.append((fields[0], fields[1], fields[2]))
    return rows
