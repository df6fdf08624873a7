"""From rows of a database to results: which columns are ids, scores and fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from relyon.core.texts import message
from relyon.engines.asked import Answer
from relyon.engines.files.options import Options
from relyon.engines.files.template import Json
from relyon.engines.hits import Hits
from relyon.engines.problems import FatalError

__all__ = ["Columns"]


@dataclass(frozen=True)
class Columns:
    """The columns of a statement's rows.

    Attributes:
        id: The column of ids.
        score: The column of scores, which may be missing.
        explanation: The column of explanations; empty if there is none.
        fields: The column of each field; empty if all other columns are fields.
    """

    id: str = "id"
    score: str = "score"
    explanation: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_options(cls, options: Options) -> Columns:
        """Reads the keys `id`, `score`, `explanation` and the table `[fields]`.

        Raises:
            ParameterError: If a value is something else than a text.
        """
        return cls(
            options.text("id", cls.id),
            options.text("score", cls.score),
            options.text("explanation"),
            options.table("fields").texts(),
        )

    @property
    def recipe(self) -> Json:
        """The columns, as a part of an engine's recipe."""
        return {
            "id": self.id,
            "score": self.score,
            "explanation": self.explanation,
            "fields": dict(self.fields),
        }

    def answer(
        self, names: Sequence[str], rows: Iterable[Sequence[object]], k: int, address: str
    ) -> Answer:
        """Returns the results of some rows.

        Args:
            names: The names of the columns.
            rows: The rows, best first.
            k: How many count.
            address: The database, for errors.

        Raises:
            FatalError: If there is no column of ids, or another one that is named.
            RefusedError: If a row has no id, or a score that is not a number.
        """
        self._check(names, address)
        places = {name: place for place, name in enumerate(names)}
        known = (self.id, self.score, self.explanation)
        fields = self.fields or {name: name for name in names if name not in known}
        score, why = places.get(self.score), places.get(self.explanation)
        hits = Hits(k)
        for row in rows:
            hits.add(
                row[places[self.id]],
                None if score is None else row[score],
                {name: row[places[column]] for name, column in fields.items()},
                "" if why is None or row[why] is None else str(row[why]),
            )
        return hits.answer()

    def _check(self, names: Sequence[str], address: str) -> None:
        wanted = {"id": self.id, **{f"fields.{name}": one for name, one in self.fields.items()}}
        if self.score != Columns.score:
            wanted["score"] = self.score
        if self.explanation:
            wanted["explanation"] = self.explanation
        for key, name in wanted.items():
            if name not in names:
                found = [f"`{one}`" for one in names]
                raise FatalError(
                    message("engines.statement-has-no-column", name=name),
                    path=address,
                    hint=message("engines.name-column", key=key, name=name, found=found),
                )
