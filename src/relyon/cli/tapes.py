"""The tapes beside runs: latencies, texts of queries, titles, and explanations of scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.cli.messages import messages
from relyon.core.errors import DependencyError
from relyon.core.notes import Note
from relyon.core.texts.numbers import DIGITS
from relyon.io.tapes import has_tape, tape_beside

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.core.document.exportable import Exportable
    from relyon.core.language import Language
    from relyon.data.run import Run
    from relyon.engines import QualityAgainstLatency, Recorded, ScoreExplanations
    from relyon.io.descriptions import Descriptions

__all__ = ["Explained", "Tapes", "Timed", "recorded_beside"]


def recorded_beside(run: str) -> Recorded | None:
    """Returns what the tape beside a run keeps, and reports why it is not used."""
    if not has_tape(run):
        return None
    from relyon.engines import read_beside

    found, notes = read_beside(run)
    messages.notes(notes)
    return found


class Tapes:
    """The tapes beside the runs of a command, read when they are first asked for.

    Args:
        runs: The files of the runs, by name; those without a tape are left out.
        run: Returns a run by its name.
    """

    def __init__(self, runs: Mapping[str, str], run: Callable[[str], Run]) -> None:
        self._paths = {name: path for name, path in runs.items() if has_tape(path)}
        self._run = run
        self.notes: tuple[Note, ...] = ()

    @cached_property
    def recorded(self) -> dict[str, Recorded]:
        """What the tapes keep, by the names of the runs; `notes` has why one is not used."""
        if not self._paths:
            return {}
        try:
            from relyon.engines import read_beside
        except DependencyError as error:
            first = tape_beside(next(iter(self._paths.values())))
            values = {"path": first, "problem": error.message}
            self.notes = (Note("tape-cannot-be-read", values=values),)
            return {}
        found: dict[str, Recorded] = {}
        for name, path in self._paths.items():
            one, notes = read_beside(path, self._run(name))
            self.notes += notes
            if one is not None:
                found[name] = one
        return found

    def titles(self, given: Descriptions | None) -> Descriptions | None:
        """Returns titles of documents: those given, else those on the tapes."""
        if given is not None or not self.recorded:
            return given
        from relyon.engines import titles_of
        from relyon.io.descriptions import Descriptions

        titles = titles_of(self.recorded.values())
        return Descriptions(titles, "document") if titles else None

    def queries(self, given: Descriptions | None) -> Descriptions | None:
        """Returns texts of queries: those given, else those on the tapes."""
        if given is not None or not self.recorded:
            return given
        from relyon.io.descriptions import Descriptions

        texts = {
            id: one.text
            for recorded in self.recorded.values()
            for id, one in recorded.tape.queries.items()
        }
        return Descriptions(texts, "query") if texts else None

    def latency(self, comparison: Comparison) -> QualityAgainstLatency | None:
        """Returns quality against latency; None if no tape is used."""
        if not self.recorded or not comparison.results:
            return None
        from relyon.engines import quality_against_latency

        return quality_against_latency(comparison, self.recorded)

    def explanations(self, query: str, titles: Descriptions | None) -> list[ScoreExplanations]:
        """Returns the engine's explanations of a query's scores, for each run with some."""
        found = []
        for name, recorded in self.recorded.items():
            explained = recorded.explanations(query)
            if explained:
                from relyon.engines import ScoreExplanations

                ranks = {id: rank for rank, id in enumerate(recorded.entries[query].ids, 1)}
                known = {} if titles is None else titles.find(explained)
                found.append(ScoreExplanations(name, explained, ranks, known))
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

    def __init__(
        self, comparison: Comparison, latency: QualityAgainstLatency, notes: Sequence[Note] = ()
    ) -> None:
        self._comparison = comparison
        self._latency = replace(latency, notes=(*notes, *latency.notes))

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
