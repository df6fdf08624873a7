"""The columns of one file, converted to judgments, a run, or scored rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.data.columns import Record, feature_name, judgment_table, language_of, run_table
from relyon.data.columns.log_names import is_click_log, is_of_log
from relyon.data.features import STORAGE, Labelling, Storage
from relyon.io.id_columns import without_id_columns
from relyon.io.label_columns import without_label_columns

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.judgments import Judgments
    from relyon.data.labelled import LabelledRows
    from relyon.data.run import Run
    from relyon.data.scale import Scale

__all__ = ["Table", "short_grades"]


class Table:
    """Columns of one file.

    Args:
        columns: Series by role.
        path: The file.
        records: Reads the file again, row by row with line numbers; None if it has no lines.
        notes: Notes on how the columns were read.
        candidates: Columns without a role that could be that of queries, of labelled rows without.
    """

    def __init__(
        self,
        columns: Mapping[str, pl.Series],
        path: str,
        records: Callable[[], Iterable[Record]] | None = None,
        notes: tuple[Note, ...] = (),
        candidates: tuple[str, ...] = (),
    ) -> None:
        self.columns = columns
        self.path = path
        self.records = records
        self.notes = notes
        self.candidates = candidates

    def judgments(self, scale: Scale | None) -> Judgments:
        """The table as judgments."""
        from relyon.data.judgments import Judgments

        table, evidence, notes = judgment_table(
            self.columns, path=self.path, scale=scale, records=self.records
        )
        return Judgments(
            table,
            evidence=evidence,
            scale=scale,
            source=self.path,
            notes=(*self.notes, *notes),
            names_in=language_of(self.columns["grade"], scale),
        )

    def run(self, name: str | None) -> Run:
        """The table as a run."""
        from relyon.data.run import Run

        table, notes = run_table(self.columns, path=self.path, records=self.records)
        return Run(table, name=name, source=self.path, notes=(*self.notes, *notes))

    def labelled(
        self, scale: Scale | None, storage: Storage = STORAGE, labels: Labelling = "own"
    ) -> LabelledRows:
        """The table as labels with scores or features."""
        from relyon.data.labelled import from_columns

        columns = dict(self.columns)
        if labels != "own":
            columns.pop("label", None)
        rows = from_columns(
            columns,
            path=self.path,
            scale=scale,
            records=self.records,
            storage=storage,
            candidates=self.candidates,
        )
        return replace(rows, notes=(*self.notes, *rows.notes))

    def featured(
        self,
        named: Mapping[str, str] | None,
        scale: Scale | None,
        storage: Storage,
        labels: Labelling,
    ) -> LabelledRows:
        """The table as labels with features; a note reports weights that were found by name.

        Args:
            named: The columns that the caller named, by role.
            scale: Names that labels may have.
            storage: How features are kept.
            labels: The source of the rows' labels.
        """
        names = [str(column.name) for column in self.columns.values()]
        notes: list[Note] = []
        made = False
        if labels != "none" and not any(feature_name(role) for role in named or {}):
            weights: Literal["found", "none"] = "none" if "weight" in (named or {}) else "found"
            own, notes = without_label_columns(
                self.columns, self.path, weights=weights if labels == "own" else "none"
            )
            made = "weight" in own and "weight" not in self.columns
            self.columns, left_out = without_id_columns(own)
            notes += left_out
        log = labels == "own" and not named and is_click_log(names)
        features = [name for role in self.columns if (name := feature_name(role)) is not None]
        if log and all(is_of_log(name) for name in features):
            raise _is_log(self.path)
        try:
            rows = self.labelled(scale, storage, labels)
        except InputError:
            if log:
                raise _is_log(self.path) from None
            raise
        rows = replace(rows, notes=(*rows.notes, *notes))
        if made or "weight" not in self.columns or "weight" in (named or {}):
            return rows
        note = Note("weights-found", values={"column": self.columns["weight"].name})
        return replace(rows, notes=(*rows.notes, note))


def _is_log(path: str) -> InputError:
    """Returns the error about a click log where rows with features are read."""
    return InputError(
        message("io.click-log-is-no-table-of-features"),
        path=path,
        hint=message("io.make-labels-of-log", path=path),
    )


def short_grades(judgments: Judgments) -> pl.DataFrame:
    """Judgments as a frame in which whole grades are integers."""
    import polars as pl

    frame = judgments.to_frame()
    if judgments.table.fractional:
        return frame
    return frame.with_columns(pl.col("grade").cast(pl.Int64))
