"""Parquet: the columns of a table, read and written by Polars."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from relyon import _native
from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.sheets import Sheet, join_rows
from relyon.io.bounded import read_bounded_parquet
from relyon.io.byte_source import Source
from relyon.io.feature_rows import feature_frames
from relyon.io.format import formats
from relyon.io.graded_items import judgments_of
from relyon.io.numbers import number_text
from relyon.io.row_groups import RowGroups
from relyon.io.sheet_tables import names_judges, read_rows
from relyon.io.table_columns import Table
from relyon.io.tabular import TabularFormat

if TYPE_CHECKING:
    import polars as pl

    from relyon.core.notes import Note
    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows, StreamedRows
    from relyon.data.run import Run
    from relyon.data.scale import Scale

__all__ = ["Parquet", "row_texts"]

#: The metadata key for how grades were derived.
ABOUT = "relyon.about"


class Parquet(TabularFormat):
    """Apache Parquet."""

    name: ClassVar[str] = "parquet"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq")

    def recognises(self, head: bytes) -> bool:
        """Whether the file begins with Parquet's four bytes."""
        return head.startswith(b"PAR1")

    def table(self, source: Source, kind: str, columns: Mapping[str, str] | None) -> Table:
        """Reads some columns."""
        from relyon.data.columns import (
            SAMPLE,
            first_values,
            polars_columns,
            query_candidates,
            synonyms_of,
        )

        candidates: tuple[str, ...] = ()
        with _readable(source.path):
            frame = _frame(source)
            found = polars_columns(frame, kind, columns=columns, path=source.path)
            if kind == "scored" and "query" not in found:
                candidates = query_candidates(first_values(frame, found, SAMPLE))
        names = {role: column.name for role, column in found.items()}
        source.synonyms = synonyms_of(names, columns, kind=kind)
        return Table(found, source.path, candidates=candidates)

    def read_judgments(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Judgments:
        """Reads a query, a document and a grade column; grades of several judges are aggregated."""
        with _readable(source.path):
            names = _frame(source).collect_schema().names()
        if not columns and names_judges(names):
            return judgments_of(self.read_sheet(source, scale=scale), scale, source.path)
        found = self.table(source, "judgments", columns).judgments(scale)
        return found if found.evidence is None else found.with_about(_about(source))

    def read_sheet(
        self,
        source: Source,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
    ) -> Sheet:
        """Reads columns by their usual names; columns of other names become further fields."""
        rows = read_rows(
            row_texts(self.frame(source)), source.path, scale, "row", given=columns, source=source
        )
        return join_rows(Sheet(tuple(rows)), source.path)

    def frame(self, source: Source) -> pl.DataFrame:
        """Reads all columns.

        Raises:
            InputError: If it is damaged, or takes more than the source's limit.
        """
        with _readable(source.path):
            return _frame(source).collect()

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
        from relyon.data.columns import choose, run_columns, score_notes, synonyms_of
        from relyon.data.rank_order import ROWS

        parts = _native.RunParts(judgments, plan, threads)

        def add(frame: pl.DataFrame) -> bool:
            run = run_columns({role: frame.get_column(name) for role, name in chosen.items()})
            return parts.add(run.query, run.document, run.score, run.rank)

        try:
            with _readable(source.path):
                rows = RowGroups(source.path)
                chosen = choose(rows.columns, "run", path=source.path)
                source.synonyms = synonyms_of(chosen)
                both = {"score", "rank"} <= chosen.keys()
                order = _order(rows.first(chosen.values(), ROWS), chosen) if both else ()
                if both and not plan.needs_ranks and rows.has_whole_numbers(chosen["rank"]):
                    del chosen["rank"]
                if not all(map(add, rows.parts(chosen.values()))):
                    return None
            batch = parts.finish()
        except InputError:
            return None
        return (batch, (*score_notes(chosen), *order)) if batch.rows else None

    def stream_scored(
        self,
        source: Source,
        plan: _native.Plan,
        *,
        columns: Mapping[str, str] | None = None,
        scale: Scale | None = None,
        threads: int = 0,
    ) -> StreamedRows | None:
        """Streams the row groups of labelled rows that are grouped by query.

        A file in which a query may have a document twice is read whole, which names them.
        """
        if not source.plain:
            return None
        from relyon.data.columns import (
            SAMPLE,
            choose,
            group_notes,
            query_candidates,
            synonyms_of,
            to_ids,
        )
        from relyon.data.labelled import (
            LabelFacts,
            StreamedRows,
            labelled_columns,
        )

        parts = _native.LabelledParts(plan, threads)

        def add(frame: pl.DataFrame) -> bool:
            found = {role: frame.get_column(name) for role, name in chosen.items()}
            documents = found.pop("document", None)
            if documents is not None:
                documents = to_ids(documents, "document", source.path)
            found = labelled_columns(found, source.path, scale)
            return parts.add(
                found.get("query"),
                found["label"],
                found["score"],
                found.get("weight"),
                documents,
            )

        try:
            with _readable(source.path):
                rows = RowGroups(source.path)
                chosen = choose(rows.columns, "scored", columns=columns, path=source.path)
                source.synonyms = synonyms_of(chosen, columns)
                notes: tuple[Note, ...] = ()
                if "query" not in chosen:
                    rest = [name for name in rows.columns if name not in chosen.values()]
                    first = rows.first(rest, SAMPLE).to_dict(as_series=False)
                    notes = group_notes(chosen, query_candidates(first))
                    chosen.pop("document", None)
                if not all(map(add, rows.parts(chosen.values()))):
                    return None
            batch = parts.finish()
        except InputError:
            return None
        return StreamedRows(batch, LabelFacts(*batch.label_facts), notes) if batch.rows else None

    def write_judgments(self, judgments: Judgments, stream: BinaryIO) -> None:
        """Writes query, document and grade, and in the metadata how grades were derived."""
        about = {} if judgments.evidence is None else judgments.evidence.about
        kept = {ABOUT: json.dumps(dict(about), ensure_ascii=False)} if about else None
        judgments.to_frame().write_parquet(stream, metadata=kept)

    def write_run(self, run: Run, stream: BinaryIO) -> None:
        """Writes the columns query, document and score, and rank if the run has ranks."""
        run.to_frame().write_parquet(stream)

    def write_features(self, rows: LabelledRows, stream: BinaryIO) -> None:
        """Writes the columns query, document, label, weight and position, and those of features."""
        import polars as pl

        pl.concat(feature_frames(rows)).write_parquet(stream)


def _order(first: pl.DataFrame, chosen: Mapping[str, str]) -> tuple[Note, ...]:
    """Returns the note about scores that contradict the ranks, by the first rows of a run."""
    from relyon.data.columns import order_of, to_numbers

    rank, score = (
        to_numbers(first.get_column(chosen[role]), role, "") for role in ("rank", "score")
    )
    return order_of(first.get_column(chosen["query"]), rank, score)


def _about(source: Source) -> dict[str, str]:
    """Returns how grades were derived, from the file's metadata."""
    import polars as pl

    file = source.path if source.plain else io.BytesIO(source.read_all())
    with _readable(source.path):
        text = pl.read_parquet_metadata(file).get(ABOUT, "{}")
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return {str(name): str(value) for name, value in dict(found).items()}


def _frame(source: Source) -> pl.LazyFrame:
    import polars as pl

    if source.plain:
        return pl.scan_parquet(source.path, glob=False)
    source.keep()
    data = source.read_all()
    if source.limit is not None:
        return read_bounded_parquet(data, source.limit, source.path).lazy()
    return pl.read_parquet(io.BytesIO(data)).lazy()


def row_texts(frame: pl.DataFrame) -> Iterator[tuple[int, dict[str, str]]]:
    """Yields each row, from 1, with its values as text."""
    for place, values in enumerate(frame.iter_rows(named=True), 1):
        yield place, {name: _text(value) for name, value in values.items()}


def _text(value: object) -> str:
    if value is None:
        return ""
    return number_text(value) if isinstance(value, float) else str(value)


@contextmanager
def _readable(path: str) -> Iterator[None]:
    """Turns Polars' errors into `InputError`."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = (str(error).splitlines() or ["damaged"])[0]
        raise InputError(message("io.cannot-be-read", reason=reason), path=path) from None


formats.register(Parquet())
