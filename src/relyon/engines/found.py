"""What a search found: a run per variant, with its latency, documents and explanations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.engines.latency import Latency

if TYPE_CHECKING:
    from relyon.core.notes import Note
    from relyon.data.run import Run
    from relyon.engines.tape import Tape

__all__ = ["Found"]


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
        engine: The name of the engine.
        k: How many results each request asked for.
        runs: The run of each variant by its name; the first is the baseline.
        latencies: How long the answers of each variant took.
        tape: Every request and its answer.
        notes: What was noticed.
        files: The files that were written, by variant: run and tape.
    """

    engine: str
    k: int
    runs: Mapping[str, Run]
    latencies: Mapping[str, Latency]
    tape: Tape = field(repr=False)
    notes: tuple[Note, ...] = ()
    files: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def run(self) -> Run:
        """The run, if there is one variant.

        Raises:
            ParameterError: If there are several.
        """
        if len(self.runs) > 1:
            raise ParameterError(
                message("engines.several-runs", names=list(self.runs)),
                hint=message("engines.choose-run"),
            )
        return next(iter(self.runs.values()))

    @property
    def documents(self) -> Mapping[str, Mapping[str, str]]:
        """The fields of the documents that were found, by id."""
        return self.tape.documents

    def explanation(self, query: str, document: str, variant: str | None = None) -> str:
        """Returns the engine's explanation of a score; an empty string if it gave none.

        Args:
            query: The id of the query.
            document: The document.
            variant: The variant; by default the first.

        Raises:
            ParameterError: If the variant is unknown.
        """
        chosen = next(iter(self.runs)) if variant is None else variant
        if chosen not in self.runs:
            raise ParameterError(
                message("engines.no-such-variant", name=chosen, path=""),
                hint=suggestion(chosen, list(self.runs)),
            )
        for entry in self.tape.entries.values():
            if (entry.variant, entry.query) == (chosen, query) and document in entry.ids:
                return entry.why[entry.ids.index(document)] if entry.why else ""
        return ""
