"""Actions of users after a click, and their values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_choice
from relyon.core.texts import message
from relyon.labels.beta import Relevance, product

if TYPE_CHECKING:
    import narwhals as nw
    import polars as pl

    from relyon.data.lazy import LazyRows
    from relyon.data.sessions import Sessions

__all__ = ["ACTIONS", "ActionCounts", "Actions"]

#: The column of a log that says whether users did it.
ACTIONS = {
    "click": "clicked",
    "dwell": "dwell_seconds",
    "cart": "add_to_cart",
    "purchase": "purchase",
}

#: The weight, in clicks, of the mean value of all clicks next to a document's own.
PRIOR = 2.0


@dataclass(frozen=True)
class Actions:
    """The value of a click by the action that followed: a long stay, a cart, a purchase.

    A click has the value of the best thing that followed, as a share of the highest value. What
    follows a click does not depend on the position: who clicked had seen the result. So the value
    of a document's clicks is their plain mean; only whether it is clicked needs a click model.

    Attributes:
        values: The values of `click`, `dwell`, `cart` and `purchase`, of those that count. A
            click with the value 0 leaves conversion: `{"click": 0, "purchase": 1}`.
        long_dwell: From how many seconds on a stay counts as `dwell`.
        per: `impression` for the probability of a click times the value of a click, or `click` for
            the value of a click alone.

    Examples:
        >>> Actions({"click": 1, "purchase": 4}).shares
        {'purchase': 1.0, 'click': 0.25}
    """

    values: Mapping[str, float] = field(
        default_factory=lambda: {"click": 1.0, "dwell": 2.0, "cart": 3.0, "purchase": 4.0}
    )
    long_dwell: float = 30.0
    per: str = "impression"

    def __post_init__(self) -> None:
        for name, value in self.values.items():
            check_choice("actions", name, list(ACTIONS))
            if not 0 <= value < math.inf:
                raise ParameterError(
                    message(
                        "labels.value-of-action",
                        value=value,
                        name=name,
                    )
                )
        if not any(self.values.values()):
            raise ParameterError(
                message("labels.every-action-has-value"), hint=message("labels.such-as-click-1")
            )
        check_choice("per", self.per, ["impression", "click"])

    @property
    def shares(self) -> dict[str, float]:
        """The value of each action as a share of the highest, the highest first."""
        most = max(self.values.values())
        found = {"click": 0.0} | {name: value / most for name, value in self.values.items()}
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    @property
    def chosen(self) -> tuple[str, ...]:
        """The columns of actions that say as well that a result was chosen."""
        return tuple(ACTIONS[name] for name in ("cart", "purchase") if name in self.values)

    def check(self, sessions: Sessions) -> None:
        """Refuses a log that does not have the columns.

        Raises:
            InputError: If one is missing.
        """
        for name in self.values:
            if ACTIONS[name] not in sessions.columns:
                raise InputError(
                    message("labels.log-has-no-column", name=name),
                    path=sessions.path,
                    hint=message(
                        "labels.leave-out-of-actions",
                        name=name,
                        column=ACTIONS[name],
                    ),
                )

    def done(self, name: str) -> nw.Expr:
        """Returns an expression that is true for rows on which an action was done."""
        import narwhals as nw

        column = nw.col(ACTIONS[name])
        found = column >= self.long_dwell if name == "dwell" else column
        return found.fill_null(False)

    def count(self, clicks: LazyRows) -> ActionCounts:
        """Counts for each pair what followed its clicks, where the log lies.

        Args:
            clicks: A lazy narwhals frame of the clicks that count, with the columns of the actions.
        """
        import narwhals as nw

        from relyon.data.lazy import gather

        shares = self.shares
        names = [name for name in shares if name != "click"]
        flags = [self.done(name).cast(nw.Int8).alias(name) for name in names]
        keys = ["session", "query", "doc"]
        single = (
            clicks.select(*keys, *flags)
            .group_by(*keys)
            .agg(*(nw.col(name).max() for name in names), nw.len().alias("rows"))
        )
        # Of several things that followed, the best one counts.
        best: dict[str, nw.Expr] = {}
        before: nw.Expr | None = None
        for name in (one for one in names if shares[one] > shares["click"]):
            here = nw.col(name) == 1
            best[name] = here if before is None else here & ~before
            before = here if before is None else before | here
        counted = [one.cast(nw.Int64).alias(name) for name, one in best.items()]
        pairs = (
            single.select("query", "doc", *counted)
            .group_by("query", "doc")
            .agg(nw.len().cast(nw.Int64).alias("clicks"), *(nw.col(name).sum() for name in best))
        )
        return ActionCounts(self, gather(pairs).sort("query", "doc"), tuple(best))


@dataclass(frozen=True)
class ActionCounts:
    """The actions that followed the clicks of each pair.

    Attributes:
        actions: What counts.
        pairs: `query`, `doc`, `clicks`, and of each action of which so many it was the best.
        names: The actions that are better than a click.
    """

    actions: Actions
    pairs: pl.DataFrame
    names: tuple[str, ...]

    @property
    def totals(self) -> dict[str, int]:
        """Clicks, and the best that followed, over all pairs."""
        return {name: int(self.pairs[name].sum() or 0) for name in ("clicks", *self.names)}

    def valued(self, pairs: pl.DataFrame, clicked: Relevance) -> Relevance:
        """Returns the values of pairs: the probability of a click times the value of a click.

        The value of a click begins at its mean over the log, with the weight of two clicks. Its
        uncertainty is taken as that of a share, which is the most that it can be.

        Args:
            pairs: `query` and `document`.
            clicked: How probable a click is on each of them.
        """
        import numpy as np
        import polars as pl

        shares = self.actions.shares
        own = [(pl.col(name) * (shares[name] - shares["click"])) for name in self.names]
        sums = self.pairs.select(
            "query",
            pl.col("doc").alias("document"),
            "clicks",
            total=sum(own, pl.col("clicks") * shares["click"]),
        )
        found = pairs.join(sums, on=["query", "document"], how="left", maintain_order="left")
        clicks, total = (
            found.get_column(name).cast(pl.Float64).fill_null(0.0).to_numpy()
            for name in ("clicks", "total")
        )
        every = float(clicks.sum())
        mean = float(total.sum()) / every if every else shares["click"]
        weight = clicks + PRIOR
        value = np.minimum((total + PRIOR * mean) / weight, 1.0)
        if self.actions.per == "click":
            return Relevance(value, weight)
        return product(clicked.value, clicked.weight, value, weight)
