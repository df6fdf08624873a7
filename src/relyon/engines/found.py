"""What a search found: a run per variant, with its latency, documents and explanations."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.document.model import Block, Document, Lines, Table
from relyon.core.errors import ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import Language, catalogue, message
from relyon.engines.latency import Latency

if TYPE_CHECKING:
    import polars as pl

    from relyon.core.notes import Note
    from relyon.data.run import Run
    from relyon.engines.tapes.tape import Tape

__all__ = ["Found"]


#: The columns of the table on the terminal.
COLUMNS = ("variant", "queries", "results", "p50", "p95", "retried", "failed")


@dataclass(frozen=True)
class Found(Exportable):
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
                return dict(zip(entry.ids, entry.why, strict=False)).get(document, "")
        return ""

    def document(self, language: Language = "en") -> Document:
        """Returns a row per variant: queries, results per query, latency and what went wrong."""
        texts = catalogue("search", language)
        rows = [
            [
                one.variant,
                f"{one.latency.queries + one.latency.failed:,}",
                texts.style.number(one.results, 1),
                *(texts.style.number(_nan(ms), 1) for ms in (one.latency.p50, one.latency.p95)),
                f"{one.latency.retried:,}",
                f"{one.latency.failed:,}",
            ]
            for one in self._rows()
        ]
        headings = [texts[f"column.{name}"] for name in COLUMNS]
        blocks: list[Block] = [Table(headings, rows, long=[0])]
        if self.files:
            run, tape = next(iter(self.files.values()))
            if len(self.files) == 1:
                said = texts.say("run", run=run, tape=tape)
            else:
                folder, ending = os.path.dirname(run), os.path.splitext(run)[1]
                said = texts.say("runs", folder=os.path.join(folder, ""), ending=ending)
            blocks.append(Lines([said]))
        return Document(blocks)

    def to_dict(self) -> dict[str, object]:
        """Returns everything but the runs themselves, JSON-ready."""
        return {
            "engine": self.engine,
            "k": self.k,
            "tape": self.tape.checksum,
            "variants": [
                {
                    "variant": one.variant,
                    "parameters": dict(self.tape.head.variants.get(one.variant, {})),
                    "results_per_query": one.results,
                    "latency": one.latency.to_dict(),
                    "run": self.files.get(one.variant, (None, None))[0],
                    "tape": self.files.get(one.variant, (None, None))[1],
                }
                for one in self._rows()
            ],
            "notes": [note_dict(note) for note in self.notes],
        }

    def to_frame(self) -> pl.DataFrame:
        """Returns a row per variant."""
        import polars as pl

        return pl.DataFrame(
            [
                {"variant": one.variant, "results": one.results, **one.latency.to_dict()}
                for one in self._rows()
            ]
        )

    def _rows(self) -> list[_Row]:
        found: dict[str, list[int]] = {name: [] for name in self.runs}
        single = next(iter(self.runs))
        for entry in self.tape.entries.values():
            name = entry.variant if entry.variant in found else single
            found[name].append(len(entry.ids))
        return [
            _Row(name, sum(counts) / len(counts), self.latencies[name])
            for name, counts in found.items()
        ]


@dataclass(frozen=True)
class _Row:
    """What is shown of a variant."""

    variant: str
    results: float
    latency: Latency


def _nan(value: float | None) -> float:
    return math.nan if value is None else value
