"""The files for machines that search: calls of agents, chunks, questions without an answer."""

from __future__ import annotations

from pathlib import Path

from relyon.demo.agents import AGENTS, DEPTH, trace_file, write_agents
from relyon.demo.chunks import CHUNKS, write_chunks
from relyon.demo.corpus import Progress
from relyon.demo.engine import read_documents
from relyon.demo.files import load_questions, load_unanswerable
from relyon.demo.rankers import rankings
from relyon.demo.unanswerable import FOLDER, RANKERS, write_answers

__all__ = ["write_machines"]


def write_machines(
    directory: str | Path, *, rebuild: bool = False, progress: Progress | None = None
) -> None:
    """Writes what three agents do, two ways of cutting, and runs of unanswerable questions.

    Args:
        directory: The directory of the demonstration, with the table of its documents.
        rebuild: Replaces existing files; otherwise nothing is done if all are there.
        progress: Called with the number of steps done, and their total.

    Raises:
        DependencyError: bm25s or scikit-learn is not installed.
        RuntimeError: The standard library cannot be read.
    """
    folder = Path(directory)
    made = [*map(trace_file, AGENTS), CHUNKS, FOLDER]
    if not rebuild and all((folder / name).exists() for name in made):
        return
    tell = progress or (lambda done, total: None)
    tell(0, 3)
    documents, questions, others = read_documents(folder), load_questions(), load_unanswerable()
    ranked = rankings(documents, [*questions, *others], DEPTH)
    first, second = (ranked[name] for name in RANKERS)
    tell(1, 3)
    write_agents(folder, documents, questions, first, second)
    write_answers(folder, questions, others, ranked)
    tell(2, 3)
    write_chunks(folder, documents, questions)
