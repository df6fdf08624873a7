"""The tapes beside runs: latencies, titles, and the engine's explanations of scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.cli.messages import messages
from relyon.core.texts.numbers import DIGITS
from relyon.io.tapes import has_tape

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.core.document.exportable import Exportable
    from relyon.core.language import Language
    from relyon.engines import QualityAgainstLatency, Recorded, ScoreExplanations
    from relyon.io.descriptions import Descriptions

__all__ = [
    "Explained",
    "Timed",
    "explanations_beside",
    "latency_beside",
    "recorded_beside",
    "titles_beside",
]


def recorded_beside(run: str) -> Recorded | None:
    """Returns what the tape beside a run keeps, and reports why it is not used."""
    if not has_tape(run):
        return None
    from relyon.engines import read_beside

    found, notes = read_beside(run)
    messages.notes(notes)
    return found


def titles_beside(runs: Iterable[str]) -> Descriptions | None:
    """Returns the titles on the tapes beside runs; None if there are none."""
    chosen = [run for run in runs if has_tape(run)]
    if not chosen:
        return None
    from relyon.engines import read_beside, titles_of
    from relyon.io.descriptions import Descriptions

    # Why a tape is not used is said where the latencies are.
    titles = titles_of(one for one, _ in map(read_beside, chosen) if one is not None)
    return Descriptions(titles, "document") if titles else None


def latency_beside(comparison: Comparison, runs: Sequence[str]) -> QualityAgainstLatency | None:
    """Returns quality against latency if there are tapes beside runs; else None.

    Args:
        comparison: The comparison.
        runs: The files of its runs, in its order.
    """
    if not any(map(has_tape, runs)) or not comparison.results:
        return None
    from relyon.engines import quality_against_latency

    return quality_against_latency(comparison, dict(zip(comparison.runs, runs, strict=False)))


def explanations_beside(
    runs: Mapping[str, str], query: str, documents: Descriptions | None
) -> list[ScoreExplanations]:
    """Returns the engine's explanations of a query's scores, for each run whose tape has them.

    Args:
        runs: The files of runs, by name.
        query: The query.
        documents: Titles of documents.
    """
    found = []
    for name, path in runs.items():
        recorded = recorded_beside(path)
        if recorded is None:
            continue
        from relyon.engines import ScoreExplanations

        explained = recorded.explanations(query)
        if explained:
            ids = recorded.entries[query].ids
            ranks = {id: rank for rank, id in enumerate(ids, 1)}
            titles = {} if documents is None else documents.find(explained)
            found.append(ScoreExplanations(name, explained, ranks, titles))
    return found


class Explained:
    """The explanation of a value, followed by the engine's explanations of scores."""

    def __init__(
        self, found: Exportable, explanations: Sequence[ScoreExplanations], limit: int
    ) -> None:
        self._found = found
        self._explanations = explanations
        self._limit = limit

    def to_text(self, *, columns: int | None, language: Language = "en", **options: object) -> str:
        """Returns both for a terminal."""
        first = self._found.to_text(columns=columns, language=language, **options)
        then = (one.to_text(self._limit, language) for one in self._explanations)
        return "\n\n".join([first, *then])

    def to_markdown(self, *, language: Language = "en", **options: object) -> str:
        """Returns both as Markdown."""
        first = self._found.to_markdown(language=language, **options)
        then = (one.to_markdown(self._limit, language) for one in self._explanations)
        return "\n\n".join([first, *then])

    def to_json(self, **options: object) -> str:
        """Returns the explanation with the engine's under `engine`, by run and document."""
        from relyon.core.document.json import json_text

        values = self._found.to_dict(**options)
        engine = {one.run: one.to_dict() for one in self._explanations}
        return json_text({**values, "engine": engine})


class Timed:
    """A comparison whose runs have latencies: forms for people and JSON have both."""

    def __init__(self, comparison: Comparison, latency: QualityAgainstLatency) -> None:
        self._comparison = comparison
        self._latency = latency

    def __getattr__(self, name: str) -> object:
        return getattr(self._comparison, name)

    def to_text(
        self,
        *,
        columns: int | None,
        language: Language = "en",
        digits: int = DIGITS,
        per_query: bool = False,
    ) -> str:
        """Returns the comparison, then the latencies."""
        shown = self._comparison.to_text(
            columns=columns, language=language, digits=digits, per_query=per_query
        )
        latency = self._latency.to_text(columns=columns, language=language, digits=digits)
        return f"{shown}\n\n{latency}"

    def to_markdown(
        self, *, language: Language = "en", digits: int = DIGITS, per_query: bool = False
    ) -> str:
        """Returns the comparison, then the latencies."""
        shown = self._comparison.to_markdown(language=language, digits=digits, per_query=per_query)
        return f"{shown}\n\n{self._latency.to_markdown(language=language, digits=digits)}"

    def to_json(self, *, per_query: bool = False) -> str:
        """Returns the comparison with the latencies under `latency`."""
        from relyon.core.document.json import json_text

        values = self._comparison.to_dict(per_query=per_query)
        return json_text({**values, "latency": self._latency.to_dict()})
