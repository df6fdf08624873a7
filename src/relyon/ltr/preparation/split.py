"""The result of a split: the part of each query, and the sizes of the parts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.texts import Language, catalogue, message
from relyon.core.texts.numbers import DIGITS
from relyon.data.labelled import LabelledRows

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["PARTS", "Part", "Split"]

Part = Literal["train", "valid", "test"]
PARTS: tuple[Part, ...] = ("train", "valid", "test")


@dataclass(frozen=True)
class Split(Exportable):
    """Rows split by query.

    Attributes:
        rows: All rows.
        slices: The slice of each query.
        roles: The part of each slice in each fold: "train", "valid" or "test".
        shares: The requested share of queries of each slice.
        seed: The random seed.
        duplicates: The number of rows with the same features as a row of another query.
        joined: The number of queries that share such rows, and are in the same part.
        largest: The number of queries of the largest group of them.
        notes: Notes.
        groups: The group of each query: those of one group are in the same part.
        clusters: The group of each query among near-copies and named groups only, which are not
            independent of each other; queries that share a row may be.
    """

    rows: LabelledRows = field(repr=False)
    slices: NDArray[np.int64] = field(repr=False)
    roles: tuple[tuple[Part, ...], ...]
    shares: tuple[float, ...]
    seed: int
    duplicates: int = 0
    joined: int = 0
    largest: int = 1
    notes: tuple[Note, ...] = ()
    groups: NDArray[np.int64] | None = field(default=None, repr=False)
    clusters: NDArray[np.int64] | None = field(default=None, repr=False)

    @property
    def folds(self) -> int:
        """The number of folds; 1 for a single train, valid and test."""
        return len(self.roles)

    @property
    def train(self) -> LabelledRows:
        """The training part, without folds."""
        return self.part("train")

    @property
    def valid(self) -> LabelledRows:
        """The validation part, without folds."""
        return self.part("valid")

    @property
    def test(self) -> LabelledRows:
        """The test part, without folds."""
        return self.part("test")

    def part(self, name: Part, fold: int | None = None) -> LabelledRows:
        """Returns the rows of one part, queries in their order.

        Args:
            name: "train", "valid" or "test".
            fold: The number of the fold, from 1; None if there is only one.

        Raises:
            InputError: If the part does not exist.
            ParameterError: If the fold does not exist, or is None although there are several.
        """
        return self.rows.select(self.places(name, fold))

    def places(self, name: Part, fold: int | None = None) -> NDArray[np.int64]:
        """Returns the places of a part's queries; the arguments are those of `part`."""
        import numpy as np

        if fold is None and self.folds > 1:
            raise ParameterError(
                message("ltr.there-are-folds", folds=self.folds),
                hint=message("ltr.name-one-part-train"),
            )
        if fold is not None and not 1 <= fold <= self.folds:
            raise ParameterError(message("ltr.there-is-no-fold", fold=fold, folds=self.folds))
        roles = self.roles[(fold or 1) - 1]
        if name not in roles:
            raise InputError(message("ltr.there-is-no-part", name=name))
        wanted = [place for place, role in enumerate(roles) if role == name]
        return np.flatnonzero(np.isin(self.slices, wanted))

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per fold and part: its size, and the number of relevant documents.

        `relevant` is the mean number of documents per query whose label is above 0; `constant` is
        the number of queries whose labels are all equal, which have no order to learn.
        """
        import numpy as np
        import polars as pl

        rows, offsets = self.rows, self.rows.groups
        labels = np.asarray(rows.labels, dtype=np.float64)
        sizes = np.diff(offsets)
        relevant = np.bincount(rows.qid, weights=labels > 0, minlength=len(sizes))
        constant = np.ones(len(sizes), dtype=bool)
        first = labels[np.minimum(offsets[:-1], max(len(labels) - 1, 0))]
        np.logical_and.at(constant, rows.qid, labels == first[rows.qid])
        found = []
        for fold, roles in enumerate(self.roles, start=1):
            for name in (part for part in PARTS if part in roles):
                at = self.places(name, fold)
                found.append(
                    {
                        "fold": fold,
                        "part": name,
                        "queries": len(at),
                        "rows": int(sizes[at].sum()),
                        "relevant": float(relevant[at].mean()),
                        "constant": int(constant[at].sum()),
                    }
                )
        return pl.DataFrame(found)

    def to_dict(self) -> dict[str, object]:
        """Returns the sizes of the parts, and the counts of joined queries and rows."""
        return {
            "source": self.rows.source,
            "seed": self.seed,
            "folds": self.folds,
            "queries": len(self.rows.queries),
            "rows": len(self.rows),
            "duplicates": self.duplicates,
            "joined": self.joined,
            "largest": self.largest,
            "parts": self.to_frame().to_dicts(),
            "notes": [note_dict(note) for note in self.notes],
        }

    def document(self, *, digits: int = DIGITS, language: Language = "en") -> Document:
        """Returns a table of the parts.

        Args:
            digits: Decimals.
            language: `en` or `zh`.
        """
        words = catalogue("preparation", language)
        style = words.style
        rows = []
        for row in self.to_frame().iter_rows(named=True):
            name = words[f"split.part.{row['part']}"]
            shown = words.say("split.fold", fold=row["fold"], part=name) if self.folds > 1 else name
            rows.append(
                [
                    shown,
                    style.number(row["queries"], 0),
                    style.number(row["rows"], 0),
                    style.number(row["relevant"], digits),
                    style.number(row["constant"], 0),
                ]
            )
        names = [
            words[f"split.column.{name}"]
            for name in ("part", "queries", "rows", "relevant", "constant")
        ]
        facts = words.say(
            "split.made", queries=len(self.rows.queries), rows=len(self.rows), seed=self.seed
        )
        blocks: list[Block] = [Prose([facts]), Table(names, rows)]
        return Document(blocks)
