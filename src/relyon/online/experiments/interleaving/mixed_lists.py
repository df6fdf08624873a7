"""Mixed lists: what users are shown, and which run owns each result."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import note_dict
from relyon.core.document.model import Block, Document, Prose, Table
from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.parameters import check_type
from relyon.core.texts import Language, catalogue, message
from relyon.io.table_files import read_table, write_table
from relyon.online.experiments.interleaving.method import Interleaving, methods

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CREDIT", "MixedLists", "method_of", "read_mixed"]

NAMES = ("mixture", "query", "position", "document", "owner", "method")

#: What the columns of credits begin with; the name of the run follows.
CREDIT = "credit "


def method_of(method: str | Interleaving) -> Interleaving:
    """Returns a method by its name, or as it is.

    Raises:
        UnknownNameError: If no method has that name.
    """
    return method if isinstance(method, Interleaving) else methods.get(method)()


@dataclass(frozen=True)
class MixedLists(Exportable):
    """Lists mixed of several runs.

    Attributes:
        lists: One row per result: `mixture`, the list's id, `query`, `position`, `document`,
            `owner`, the run that it represents, `method`, and a column `credit RUN` for each run:
            what a click says about it. Its values are the method's: 1 for the owner (team-draft),
            the run's rank of the document (balanced), the probability that it came from the run
            (probabilistic), 1 / rank (optimised).
        method: The method's name.
        runs: The names of the runs, the baseline first.
        source: The file, or "memory".
        notes: Notes about the runs.
    """

    lists: pl.DataFrame
    method: str
    runs: tuple[str, ...]
    source: str = "memory"
    notes: tuple[Note, ...] = ()

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes one row per result to Parquet, CSV, TSV or JSON Lines, by the file's name.

        Raises:
            ParameterError: If the name ends in none of theirs.
            InputError: If the file cannot be written.
        """
        write_table(self.lists, path)

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per result."""
        return self.lists

    def to_dict(self) -> dict[str, object]:
        """Returns how many lists there are, without the lists."""
        return {
            "source": self.source,
            "method": self.method,
            "runs": list(self.runs),
            "mixtures": self.lists.get_column("mixture").n_unique(),
            "queries": self.lists.get_column("query").n_unique(),
            "results": self.lists.height,
            "notes": [note_dict(note) for note in self.notes],
        }

    def document(self, *, language: Language = "en") -> Document:
        """Returns how many lists there are, and the first one.

        Args:
            language: `en` or `zh`.
        """
        words = catalogue("experiments", language)
        counted = self.to_dict()
        facts = words.say(
            "mixed",
            method=self.method,
            lists=counted["mixtures"],
            queries=counted["queries"],
            runs=list(self.runs),
        )
        blocks: list[Block] = [Prose([facts])]
        if self.lists.height:
            first = self.lists.filter(self.lists["mixture"] == self.lists["mixture"][0])
            columns = ("position", "document", "owner")
            rows = [
                [str(position), document, owner or "-"]
                for position, document, owner in first.select(columns).rows()
            ]
            names = words.names("column", columns)
            blocks.append(Prose([words.say("first-list", mixture=first["mixture"][0])]))
            blocks.append(Table(names, rows, left=3, long=(1, 2)))
        return Document(blocks)


def read_mixed(source: str | os.PathLike[str] | pl.DataFrame | MixedLists) -> MixedLists:
    """Reads mixed lists that `mix_runs` made.

    Args:
        source: The file, or a frame with its columns. `MixedLists` come back as they are.

    Raises:
        InputError: If it is not a table of mixed lists.
    """
    import polars as pl

    if isinstance(source, MixedLists):
        return source
    if isinstance(source, pl.DataFrame):
        frame, path = source, ""
    else:
        check_type("mixed", source, (str, os.PathLike), "mixed lists, or the path of their file")
        path = os.fspath(source)
        frame = read_table(path)
    missing = [name for name in NAMES if name not in frame.columns]
    credits = [name for name in frame.columns if name.startswith(CREDIT)]
    if missing or len(credits) < 2:
        raise InputError(
            message(
                "online.no-mixed-lists",
                columns=[f"`{name}`" for name in missing or [f"{CREDIT}RUN"]],
            ),
            path=path,
            hint=message("online.make-them-with-relyon"),
        )
    texts = [name for name in NAMES if name != "position"]
    try:
        lists = frame.select(
            pl.col(texts).cast(pl.String),
            pl.col("position").cast(pl.Int64),
            pl.col(credits).cast(pl.String).replace("", None).cast(pl.Float64),
        ).select(*NAMES, *credits)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise InputError(message("core.cannot-be-read-reason", reason=reason), path=path) from None
    used = lists.get_column("method").unique().to_list()
    if len(used) != 1 or used[0] is None:
        raise InputError(
            message("online.mixed-lists-of-several", methods=sorted(map(str, used))),
            path=path,
            hint=message("online.score-each-method"),
        )
    if lists.select("mixture", "document").is_duplicated().any():
        raise InputError(message("online.mixed-list-holds-document"), path=path)
    method = methods.get(used[0]).name
    runs = tuple(name.removeprefix(CREDIT) for name in credits)
    return MixedLists(lists, method, runs, path or "memory")
