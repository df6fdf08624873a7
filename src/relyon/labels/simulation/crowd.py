"""Users of a simulation, their queries, and changes of lists, clicks and fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_choice, check_whole
from relyon.core.texts import message
from relyon.data.sessions import COLUMNS

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.labels.user_behaviour import Values

__all__ = ["BOTS", "Crowd"]

#: How many users are bots, where there are any.
BOTS = 5

#: Columns whose values may be missing; without a session there is no search.
FIELDS = tuple(name for name in COLUMNS if name not in ("session", "shown", "overridden"))


@dataclass(frozen=True)
class Crowd:
    """Users and their searches.

    Attributes:
        frequencies: How often queries are asked: the exponent s of Zipf's law, 1 / rank^s, where
            the seed decides the ranks; or a weight for each query.
        tail: The share of sessions whose query is any, each as likely.
        asked: The query of each session, in order, in place of frequencies; after the last one the
            first comes again.
        users: How many there are; each session is one's, drawn evenly. A user has one arm.
        start: When the first session is.
        per_day: Sessions a day.
        shuffle: The probability that a session's list is in random order.
        swap: The probability that two of its results, drawn at random, trade places.
        noise: The probability that any result is clicked, regardless of the model.
        misclicks: The probability that any result is clicked by mistake, and left at once.
        bots: The share of sessions that are bots', which click on everything.
        dwell: The median seconds after a click that did not satisfy, and after one that did.
        cart: The probability that a click that satisfied puts into the cart; None for no such
            column.
        purchase: The probability that what is in the cart is bought, or that a click that satisfied
            buys where there is no cart; None for no such column.
        missing: The share of values that are missing, by column; with 1 the log has no such column,
            or an empty one of those that every log has.
    """

    frequencies: float | Mapping[str, float] = 1.0
    tail: float = 0.0
    asked: Sequence[str] = ()
    users: int = 10_000
    start: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    per_day: float = 10_000.0
    shuffle: float = 0.0
    swap: float = 0.0
    noise: float = 0.0
    misclicks: float = 0.0
    bots: float = 0.0
    dwell: tuple[float, float] = (8.0, 60.0)
    cart: float | None = None
    purchase: float | None = None
    missing: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shares = {
            name: getattr(self, name)
            for name in (
                "tail",
                "shuffle",
                "swap",
                "noise",
                "misclicks",
                "bots",
                "cart",
                "purchase",
            )
        }
        for name, share in {**shares, **self.missing}.items():
            if name in self.missing:
                check_choice("missing", name, FIELDS)
            if share is not None and not 0 <= share <= 1:
                raise ParameterError(
                    message(
                        "labels.parameter-must-be-probability",
                        name=name,
                        value=share,
                    )
                )
        check_whole("users", self.users)
        numbers = {"per_day": self.per_day, "dwell": min(self.dwell)}
        for name, value in numbers.items():
            if not 0 < value < 1e15:
                raise ParameterError(
                    message(
                        "core.parameter-must-be-above-0",
                        name=name,
                        value=value,
                    )
                )

    def places(self, queries: pl.Series) -> NDArray[np.int64]:
        """Returns which query each session asks, where that is given.

        Args:
            queries: All of them.

        Raises:
            ParameterError: If a query is not among them.
        """
        import numpy as np

        known = {query: place for place, query in enumerate(queries)}
        unknown = sorted({query for query in self.asked if query not in known})
        if unknown:
            raise ParameterError(message("labels.no-run-has-results", names=unknown[:3]))
        return np.array([known[query] for query in self.asked], np.int64)

    def weights(self, queries: pl.Series, seed: int) -> Values:
        """Returns the probability of each query.

        Args:
            queries: All of them.
            seed: Decides which are frequent, where nothing else does.

        Raises:
            ParameterError: If a weight is not a number of 0 or more, or none is above 0.
        """
        import numpy as np

        if isinstance(self.frequencies, Mapping):
            given = np.array([self.frequencies.get(query, 0.0) for query in queries], np.float64)
        else:
            ranks = np.random.default_rng([seed, 2**32 - 2]).permutation(len(queries)) + 1.0
            given = np.asarray(ranks**-self.frequencies, np.float64)
        if not (np.isfinite(given) & (given >= 0)).all() or given.sum() <= 0:
            raise ParameterError(message("labels.frequencies-must-be-0"))
        found: Values = (1 - self.tail) * given / given.sum() + self.tail / len(queries)
        return found
