"""Sessions in blocks: a block depends only on the seed and its number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from relyon.data.sessions import OPTIONAL
from relyon.labels.result_lists import Lists
from relyon.labels.simulation.crowd import BOTS

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.labels.model import FittedModel
    from relyon.labels.simulation.crowd import Crowd
    from relyon.labels.simulation.shown_lists import ShownLists
    from relyon.labels.user_behaviour import Values

    Flags = NDArray[np.bool_]
    Numbers = NDArray[np.int64]

__all__ = ["BLOCK", "Block", "Drawing"]

#: Sessions of a block. A log is a row of whole blocks, the last one cut: a longer log of the same
#: seed begins with a shorter one.
BLOCK = 1 << 14

#: The spread of dwell times, which are log-normal, and the seconds after a mis-click.
SPREAD = 0.8
MISTAKEN = (0.2, 2.0)
DAY = 86_400

#: Random quantities, each with its own stream: switching one on changes nothing else.
USES = ("search", "order", "model", "noise", "dwell", "cart", "missing")


class Search(NamedTuple):
    """Users and queries: one entry per session."""

    query: Numbers
    user: Numbers
    arm: Numbers
    bot: Flags
    moment: Values

    def head(self, count: int) -> Search:
        """Returns the first of them."""
        query, user, arm, bot, moment = self
        return Search(query[:count], user[:count], arm[:count], bot[:count], moment[:count])


class Block(NamedTuple):
    """Some sessions, and what only a simulation knows of them.

    Attributes:
        number: Which block it is, from 0.
        search: Who searches for what.
        lists: The lists shown, with their clicks.
        mistaken: Which clicks are mis-clicks.
    """

    number: int
    search: Search
    lists: Lists
    mistaken: Flags

    def head(self, count: int) -> Block:
        """Returns the first sessions of it."""
        number, search, lists, mistaken = self
        return Block(number, search.head(count), lists.head(count), mistaken[:count])


@dataclass(frozen=True)
class Drawing:
    """Where sessions are drawn from.

    Attributes:
        shown_lists: The lists.
        fitted: The click model, for the pairs of the shown_lists.
        satisfaction: The probability that a click on each pair satisfies.
        crowd: Who searches.
        seed: The same seed gives the same sessions.
    """

    shown_lists: ShownLists
    fitted: FittedModel
    satisfaction: Values
    crowd: Crowd
    seed: int

    def block(self, number: int) -> Block:
        """Returns a block of sessions.

        Args:
            number: Which, from 0.
        """
        search = self._search(number)
        shown = self._shown(number, search)
        clicked = self.fitted.simulate(shown, seed=self._stream(number, "model"))
        noise, mistake = self._stream(number, "noise").random((2, *clicked.shape))
        bots = search.bot[:, None]
        clicked = (clicked & ~bots) | (shown.shown & (bots | (noise < self.crowd.noise)))
        mistaken = shown.shown & ~clicked & (mistake < self.crowd.misclicks)
        lists = replace(shown, clicked=clicked | mistaken)
        return Block(number, search, lists, mistaken)

    def rows(self, block: Block) -> pl.DataFrame:
        """Returns a whole block as a log has it: one row per result."""
        import numpy as np
        import polars as pl

        search, lists = block.search, block.lists
        number, first = block.number, block.number * BLOCK
        session, place = np.nonzero(lists.shown)
        pair, clicked = lists.pairs[session, place], lists.clicked[session, place]
        ids = pl.int_range(first, first + len(lists), eager=True).cast(pl.String)
        names = pl.concat_str(pl.lit("s"), ids.str.zfill(9))
        moments = pl.Series(np.floor(search.moment * 1e6).astype(np.int64))
        columns = {
            "session": pl.select(names).to_series()[session],
            "query": self.shown_lists.queries[search.query][session],
            "timestamp": moments.cast(pl.Datetime("us", "UTC"))[session],
            "position": pl.Series(lists.positions[session, place]),
            "doc": self.shown_lists.names.get_column("document")[pair],
            "clicked": pl.Series(clicked),
            **self._after(
                number, clicked, block.mistaken[session, place], search.bot[session], pair
            ),
        }
        if len(self.shown_lists.arms) > 1:
            columns["bucket"] = pl.Series(self.shown_lists.arms)[search.arm][session]
        columns["user"] = self._users[search.user][session]
        return self._with_holes(number, pl.DataFrame(columns))

    def _stream(self, number: int, use: str) -> np.random.Generator:
        import numpy as np

        return np.random.default_rng([self.seed, number, USES.index(use)])

    @cached_property
    def _weights(self) -> Values:
        """Cumulated probabilities of the queries."""
        import numpy as np

        sums = np.cumsum(self.crowd.weights(self.shown_lists.queries, self.seed))
        found: Values = sums / sums[-1]
        return found

    @cached_property
    def _asked(self) -> Numbers:
        """The query of each session, where that is given."""
        return self.crowd.places(self.shown_lists.queries)

    @cached_property
    def _users(self) -> pl.Series:
        import polars as pl

        people = [f"u{number}" for number in range(1, self.crowd.users + 1)]
        return pl.Series(people + [f"bot{number}" for number in range(1, BOTS + 1)])

    @cached_property
    def _arms(self) -> Numbers:
        """The arm of each user."""
        import numpy as np

        chooser = np.random.default_rng([self.seed, 2**32 - 3])
        return chooser.integers(0, len(self.shown_lists.arms), len(self._users))

    def _search(self, number: int) -> Search:
        import numpy as np

        generator = self._stream(number, "search")
        query = np.searchsorted(self._weights, generator.random(BLOCK), side="right")
        sessions = number * BLOCK + np.arange(BLOCK)
        if len(self._asked):
            query = self._asked[sessions % len(self._asked)]
        user = generator.integers(0, self.crowd.users, BLOCK)
        bot = generator.random(BLOCK) < self.crowd.bots
        user = np.where(bot, self.crowd.users + user % BOTS, user)
        after = (sessions + generator.random(BLOCK)) / self.crowd.per_day
        moment = self.crowd.start.timestamp() + after * DAY
        return Search(query, user, self._arms[user], bot, moment)

    def _shown(self, number: int, search: Search) -> Lists:
        """The lists, some of them in another order; nothing is clicked yet."""
        import numpy as np

        pairs = self.shown_lists.pairs[search.arm, search.query]
        sizes = self.shown_lists.sizes[search.arm, search.query]
        places = np.arange(pairs.shape[1])
        shown = places < sizes[:, None]
        if self.crowd.shuffle or self.crowd.swap:
            generator = self._stream(number, "order")
            keys = np.where(shown, generator.random(pairs.shape), 2.0)
            mixed, swapped = generator.random((2, len(pairs))) < np.array(
                [[self.crowd.shuffle], [self.crowd.swap]]
            )
            order = np.argsort(keys, axis=1)
            # The two results of the smallest keys are two drawn at random.
            one, other = order[:, 0], order[:, min(1, pairs.shape[1] - 1)]
            rows = np.flatnonzero(swapped & (sizes > 1))
            trade = np.tile(places, (len(pairs), 1))
            trade[rows, one[rows]], trade[rows, other[rows]] = other[rows], one[rows]
            pairs = np.take_along_axis(pairs, np.where(mixed[:, None], order, trade), axis=1)
        positions = np.broadcast_to(np.where(shown, places + 1, 1), pairs.shape)
        nothing = np.zeros(pairs.shape, bool)
        return Lists(self.shown_lists.names, pairs, positions, shown, nothing, np.ones(len(pairs)))

    def _after(
        self, number: int, clicked: Flags, mistaken: Flags, bot: Flags, pair: Numbers
    ) -> dict[str, pl.Series]:
        """The actions after a click: dwell time, cart and purchase."""
        import numpy as np
        import polars as pl

        generator = self._stream(number, "dwell")
        at = np.flatnonzero(clicked)
        chance, spread = generator.random(len(at)), generator.standard_normal(len(at))
        quick = (mistaken | bot)[at]
        pleased = ~quick & (chance < self.satisfaction[pair[at]])
        median = np.where(pleased, self.crowd.dwell[1], self.crowd.dwell[0])
        short = MISTAKEN[0] + (MISTAKEN[1] - MISTAKEN[0]) * chance
        seconds = np.full(len(clicked), np.nan)
        seconds[at] = np.where(quick, short, median * np.exp(SPREAD * spread)).round(1)
        found = {"dwell_seconds": pl.Series(seconds).fill_nan(None)}
        generator = self._stream(number, "cart")
        done = pleased
        for name, share in (("add_to_cart", self.crowd.cart), ("purchase", self.crowd.purchase)):
            drawn = generator.random(len(at))
            if share is not None:
                done = done & (drawn < share)
                flags = np.zeros(len(clicked), bool)
                flags[at] = done
                found[name] = pl.Series(flags)
        return found

    def _with_holes(self, number: int, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows without the values that are to be missing."""
        import polars as pl

        generator = self._stream(number, "missing")
        holes = {
            name: pl.Series(generator.random(rows.height) < share)
            for name, share in sorted(self.crowd.missing.items())
            if name in rows.columns
        }
        never = [name for name in holes if self.crowd.missing[name] == 1 and name in OPTIONAL]
        return rows.with_columns(
            pl.when(~gone).then(pl.col(name)).alias(name) for name, gone in holes.items()
        ).drop(never)
