"""A candidate on a log's decisions: what it would show, and how much of it the log has shown."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.notes import Note
from relyon.core.texts import message
from relyon.labels.off_policy.feedback import NOTHING

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.labels.off_policy.candidate import Candidate
    from relyon.labels.off_policy.feedback import Feedback, Values, Whole

__all__ = ["Choices", "align"]


@dataclass(frozen=True)
class Choices:
    """A candidate's results in each context of a log, one row per possible result.

    Documents that the log never showed have numbers from `len(feedback.names)` on.

    Attributes:
        feedback: The sessions whose queries the candidate has.
        context: The context. Shape (rows,), as the next three; sorted by the first three.
        place: The place, from 0.
        document: The document, or `NOTHING` where the candidate's list is shorter.
        probability: How likely the candidate is to show it.
        names: All documents, those of the candidate alone at the end.
        ranking: Whether the candidate is one list per query.
        notes: What was left out, and why.
    """

    feedback: Feedback
    context: Whole
    place: Whole
    document: Whole
    probability: Values
    names: pl.Series
    ranking: bool
    notes: tuple[Note, ...]

    def key(self, context: Whole, place: Whole, document: Whole) -> Whole:
        """Returns one number for a document at a place of a context."""
        places, width = self.feedback.places, len(self.names) + 1
        return (context * places + place) * width + document + 1

    @cached_property
    def keys(self) -> Whole:
        """The number of each row, ascending."""
        return self.key(self.context, self.place, self.document)

    @cached_property
    def logged_keys(self) -> Whole:
        """The number of what was shown at each place of each session. Shape (n, k)."""
        import numpy as np

        feedback = self.feedback
        places = np.arange(feedback.places)
        return self.key(feedback.context[:, None], places[None, :], feedback.documents)

    @cached_property
    def likely(self) -> Values:
        """The candidate's probability of each result that was shown. Shape (n, k)."""
        import numpy as np

        found = np.searchsorted(self.keys, self.logged_keys)
        found = np.minimum(found, len(self.keys) - 1)
        same = self.keys[found] == self.logged_keys
        chosen: Values = np.where(same, self.probability[found], 0.0)
        return chosen

    @cached_property
    def seen(self) -> NDArray[np.bool_]:
        """Whether the log has shown each row's document at its place."""
        import numpy as np

        return np.isin(self.keys, np.unique(self.logged_keys))

    def per_place(self, values: Values) -> Values:
        """Adds values of rows up over documents. Shape (contexts, k).

        Args:
            values: One per row.
        """
        import numpy as np

        shape = (self.feedback.contexts.height, self.feedback.places)
        cells = self.context * shape[1] + self.place
        sums = np.bincount(cells, values, shape[0] * shape[1]).astype(np.float64)
        return sums.reshape(shape)

    @cached_property
    def lists(self) -> Whole:
        """The candidate's list in each context; of rankings. Shape (contexts, k)."""
        import numpy as np

        shape = (self.feedback.contexts.height, self.feedback.places)
        found = np.full(shape, NOTHING, np.int64)
        found[self.context, self.place] = self.document
        return found


def align(feedback: Feedback, candidate: Candidate) -> Choices:
    """Returns the results of a candidate in each context of a log.

    Args:
        feedback: The log; sessions of queries that the candidate does not have are left out.
        candidate: The candidate.

    Raises:
        InputError: If the candidate has none of the log's queries.
    """
    import numpy as np
    import polars as pl

    table = candidate.table
    general = table.get_column("query").null_count() == table.height
    wherever = table.get_column("position").null_count() == table.height
    cells = _cells(feedback)
    on = ([] if general else ["query"]) + ([] if wherever else ["position"])
    wanted = table.drop([] if not general else "query", strict=False)
    wanted = wanted.drop([] if not wherever else "position", strict=False)
    found = (
        cells.join(wanted, on=on, how="inner", maintain_order="left")
        if on
        else cells.join(wanted, how="cross")
    )
    have = found.get_column("context").unique()
    if candidate.ranking and not general:
        # A list that is shorter than the log's shows nothing further down.
        queries = table.get_column("query").unique().implode()
        rows = feedback.contexts.with_row_index("context").filter(pl.col("query").is_in(queries))
        have = rows.get_column("context").cast(pl.Int64)
    covered = np.zeros(feedback.contexts.height, bool)
    covered[have.to_numpy()] = True
    notes = []
    if not covered.any():
        raise InputError(
            message("labels.candidate-has-none"),
            path=feedback.path,
            hint=message(
                "labels.log-has-ours",
                ours=feedback.contexts.item(0, "query"),
                theirs=table.item(0, "query") or "*",
            ),
        )
    if not covered.all():
        absent = feedback.contexts.filter(pl.Series(~covered))
        names = tuple(absent.get_column("query").unique().sort().head(3))
        values = {"sessions": int(feedback.counts[~covered].sum())}
        count = int(absent.get_column("query").n_unique())
        notes.append(Note("offpolicy-absent", count, "warning", names, values))
    known = pl.DataFrame({"document": feedback.names}).with_row_index("code")
    more = found.select("document").unique().join(known, on="document", how="anti")
    more = more.sort("document").with_row_index("code", offset=feedback.names.len())
    vocabulary = pl.concat([known, more.select(known.columns)])
    rows = found.join(vocabulary, on="document", how="left", maintain_order="left")
    number = np.cumsum(covered) - 1
    context = number[rows["context"].to_numpy()]
    place = rows["place"].to_numpy()
    document = rows["code"].to_numpy().astype(np.int64)
    probability = rows["probability"].to_numpy()
    kept = feedback.within(covered) if not covered.all() else feedback
    if candidate.ranking:
        shape = (kept.contexts.height, kept.places)
        empty = np.ones(shape, bool)
        empty[context, place] = False
        at = np.nonzero(empty)
        context, place = np.append(context, at[0]), np.append(place, at[1])
        document = np.append(document, np.full(len(at[0]), NOTHING))
        probability = np.append(probability, np.ones(len(at[0])))
    order = np.lexsort((document, place, context))
    return Choices(
        feedback=kept,
        context=context[order],
        place=place[order],
        document=document[order],
        probability=probability[order],
        names=vocabulary.get_column("document"),
        ranking=candidate.ranking,
        notes=tuple(notes),
    )


def _cells(feedback: Feedback) -> pl.DataFrame:
    """Returns every place of every context, with its query and position."""
    import numpy as np
    import polars as pl

    count, places = feedback.contexts.height, feedback.places
    rows = np.repeat(np.arange(count), places)
    return pl.DataFrame(
        {
            "context": rows,
            "place": np.tile(np.arange(places), count),
            "position": feedback.positions.ravel(),
        }
    ).with_columns(query=feedback.contexts.get_column("query").gather(rows))
