"""Parquet: the columns of a table, read and written by Polars."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from relkit import _native
from relkit.core.errors import InputError
from relkit.core.texts import message
from relkit.io.formats import Format, formats
from relkit.io.open import Source
from relkit.io.row_groups import RowGroups
from relkit.io.tables import Table

if TYPE_CHECKING:
    import polars as pl

    from relkit.core.notes import Note
    from relkit.data.judgments import Judgments
    from relkit.data.labelled import LabelledRows, StreamedRows
    from relkit.data.run import Run
    from relkit.data.scale import Scale

__all__ = ["Parquet"]


class Parquet(Format):
    """Apache Parquet."""

    name: ClassVar[str] = "parquet"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq")

    def recognises(self, head: bytes) -> bool:
        """The four bytes with which every Parquet file begins."""
        return head.startswith(b"PAR1")

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads a query, a document and a grade column."""
        return _table(source, "judgments", columns).judgments(scale)

    def read_run(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        name: str | None = None,
    ) -> Run:
        """Reads a query, a document, a score column, and a rank column where there is one."""
        return _table(source, "run", columns).run(name)

    def read_scored(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scores: Source | None = None,
        groups: Source | None = None,
        scale: Scale | None = None,
    ) -> LabelledRows:
        """Reads a label and a score column, a query column, and perhaps a document column."""
        return _table(source, "scored", columns).scored(scale)

    def stream_run(
        self,
        source: Source,
        judgments: _native.JudgmentTable,
        plan: _native.Plan,
        threads: int = 0,
    ) -> tuple[_native.Batch, tuple[Note, ...]] | None:
        """Streams the row groups of a run whose rows are grouped by query."""
        if not source.plain:
            return None
        from relkit.data.columns import choose, run_columns, score_notes

        parts = _native.RunParts(judgments, plan, threads)

        def add(frame: pl.DataFrame) -> bool:
            run = run_columns({role: frame.get_column(name) for role, name in chosen.items()})
            return parts.add(run.query, run.document, run.score, run.rank)

        try:
            with _readable(source.path):
                rows = RowGroups(source.path)
                chosen = choose(rows.columns, "run", path=source.path)
                spare = {"score", "rank"} <= chosen.keys() and not plan.needs_ranks
                if spare and rows.has_whole_numbers(chosen["rank"]):
                    del chosen["rank"]
                if not all(map(add, rows.parts(chosen.values()))):
                    return None
            batch = parts.finish()
        except InputError:
            return None
        return (batch, score_notes(chosen)) if batch.rows else None

    def stream_scored(
        self,
        source: Source,
        plan: _native.Plan,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
        threads: int = 0,
    ) -> StreamedRows | None:
        """Streams the row groups of labelled rows that are grouped by query."""
        if not source.plain:
            return None
        from relkit.data.columns import choose
        from relkit.data.labelled import (
            LabelFacts,
            StreamedRows,
            group_notes,
            labelled_columns,
        )

        parts = _native.LabelledParts(plan, threads)

        def add(frame: pl.DataFrame) -> bool:
            found = {role: frame.get_column(name) for role, name in chosen.items()}
            found = labelled_columns(found, source.path, scale)
            return parts.add(
                found.get("query"), found["label"], found["score"], found.get("weight")
            )

        try:
            with _readable(source.path):
                rows = RowGroups(source.path)
                chosen = choose(rows.columns, "scored", columns=columns, path=source.path)
                chosen.pop("document", None)
                if not all(map(add, rows.parts(chosen.values()))):
                    return None
            batch = parts.finish()
        except InputError:
            return None
        facts = LabelFacts(parts.highest, parts.fractions, parts.negatives)
        return StreamedRows(batch, facts, group_notes(chosen)) if batch.rows else None

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Writes the columns query, document and grade."""
        judgments.to_frame().write_parquet(stream)

    def write_run(self, run: Run, stream: BinaryIO) -> None:
        """Writes the columns query, document and score, and rank where the run has ranks."""
        run.to_frame().write_parquet(stream)


def _table(source: Source, kind: str, columns: Mapping[str, str] | None) -> Table:
    import polars as pl

    from relkit.data.columns import polars_columns

    where = source.path if source.plain else io.BytesIO(source.read_all())
    with _readable(source.path):
        frame = (
            pl.scan_parquet(where, glob=False) if isinstance(where, str) else pl.read_parquet(where)
        )
        return Table(polars_columns(frame, kind, columns=columns, path=source.path), source.path)


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turns Polars' errors into `InputError`."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = (str(error).splitlines() or ["damaged"])[0]
        raise InputError(
            message("cannot be read as Parquet: {reason}", reason=reason), path=path
        ) from None


formats.register(Parquet())
