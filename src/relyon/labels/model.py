"""Click models: the base class, fitted models, and the registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.registry import Registry
from relyon.core.texts import message
from relyon.labels.beta import Relevance
from relyon.labels.perplexity import by_position, log_likelihood, perplexity
from relyon.labels.user_behaviour import UserBehaviour, probabilities

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.data.judgments import Judgments
    from relyon.labels.log import ClickLog
    from relyon.labels.result_lists import Lists

    Values = NDArray[np.float64]

__all__ = ["MODULES", "ClickModel", "FittedModel", "Parameters", "Relevance", "models", "register"]

#: The modules of the models, with the names that each registers.
MODULES = {
    f"relyon.labels.click_models.{name}": name
    for name in (
        "gctr", "rctr", "dctr", "coec", "cascade", "dcm", "sdbn", "dbn", "pbm", "ubm", "ccm",
        "ips", "snips", "ratio",
    )
}  # fmt: skip

#: Every click model by its name.
models: Registry[type[ClickModel]] = Registry("click model", modules=MODULES)


def register(model: type[ClickModel]) -> type[ClickModel]:
    """Adds a click model: a class decorator."""
    return models.register(model)


@dataclass(frozen=True)
class Parameters:
    """The parameters of a fitted model.

    Attributes:
        pairs: Values of each pair of query and document, by name: attraction, satisfaction.
        weights: Effective impressions behind each of these values.
        shared: Values that all pairs share, by name; positions count from 1, so `[0]` is the first.
        rounds: Rounds of expectation maximisation, of the query that had most; 0 for a closed form.
        change: The largest change of a probability that the last steps lead to expect.
        spreads: `relevance`: the standard error of the logarithm of each pair's relevance that
            comes from the errors of other parameters; nothing where those are taken as known.
    """

    pairs: Mapping[str, Values]
    weights: Mapping[str, Values]
    shared: Mapping[str, Values] = field(default_factory=dict)
    rounds: int = 0
    change: float = 0.0
    spreads: Mapping[str, Values] = field(default_factory=dict)

    @classmethod
    def exact(cls, pairs: Mapping[str, Values], shared: Mapping[str, Values]) -> Parameters:
        """Returns parameters that are known: their weights are infinite."""
        import numpy as np

        return cls(pairs, {name: np.full_like(of, np.inf) for name, of in pairs.items()}, shared)


@dataclass(frozen=True)
class ClickModel(ABC):
    """A model of clicks on a list: estimated from a log, and applied to new lists.

    Attributes:
        prior_clicks: Clicks that every probability begins with.
        prior_shown: Impressions that every probability begins with.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    #: Whether it estimates documents separately.
    ranks: ClassVar[bool] = True
    #: Whether it separates position from relevance by documents shown at several positions.
    needs_swaps: ClassVar[bool] = False
    #: Whether what users do with a result does not depend on the other results of its list.
    independent: ClassVar[bool] = False

    prior_clicks: float = 1.0
    prior_shown: float = 2.0

    def __post_init__(self) -> None:
        if not 0 <= self.prior_clicks <= self.prior_shown or self.prior_shown > 1e15:
            raise ParameterError(
                message(
                    "labels.prior-is-number",
                    clicks=self.prior_clicks,
                    shown=self.prior_shown,
                )
            )

    def fit(self, log: ClickLog, shown: Values | None = None) -> FittedModel:
        """Estimates the parameters from a log.

        Args:
            log: The log.
            shown: How many impressions of each pair count; by default all of the log.

        Raises:
            InputError: If the log is a table of counts, and what users do with one result depends
                on the others.
        """
        if log.counted and not self.independent:
            raise InputError(
                message("labels.model-needs-lists", name=self.name),
                path=log.path,
                hint=message("labels.models-of-counts"),
            )
        if shown is None:
            shown = log.native.counts()["shown"]
        return FittedModel(self, log.pairs, self.estimate(log), log.depth, shown)

    def known(self, pairs: pl.DataFrame, behaviour: UserBehaviour | None = None) -> FittedModel:
        """Returns the model with parameters that are known, not estimated: a truth to simulate.

        Args:
            pairs: `query`, `document` and `attraction`, the probability of a click on what is
                examined; for models in which a click can satisfy also `satisfaction`. Each pair
                once.
            behaviour: How users go through lists.

        Raises:
            ParameterError: If a column is missing, a value is no probability, or a pair comes
                twice.

        Examples:
            >>> import polars as pl
            >>> pairs = pl.DataFrame({"document": ["a", "b"], "attraction": [0.8, 0.4]})
            >>> pairs = pairs.with_columns(query=pl.lit("q"))
            >>> users = UserBehaviour(depth=2, examination=[0.5, 0.25])
            >>> fitted = models.get("pbm")().known(pairs, users)
            >>> fitted.relevance().get_column("relevance").to_list()
            [0.4, 0.2]
        """
        needed = ["query", "document", "attraction"]
        if (lacking := [name for name in needed if name not in pairs.columns]) or (
            pairs.select("query", "document").is_duplicated().any()
        ):
            raise ParameterError(
                message("labels.known-pairs-must-have-columns", names=needed),
                hint=message("labels.missing-names", names=lacking) if lacking else "",
            )
        attraction, satisfaction = (
            probabilities(name, pairs.get_column(name).to_numpy(), pairs.height)
            if name in pairs.columns
            else None
            for name in ("attraction", "satisfaction")
        )
        behaviour = behaviour or UserBehaviour()
        assumed = self.assume(behaviour, attraction, satisfaction)  # type: ignore[arg-type]
        return FittedModel(self, pairs.select("query", "document"), assumed, behaviour.depth)

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """Returns the parameters of users with known behaviour; their weights are infinite.

        Args:
            behaviour: How users go through lists.
            attraction: Of each pair: the probability of a click on what is examined.
            satisfaction: Of each pair: the probability that a click satisfies.

        Raises:
            ParameterError: If the model needs something else.
        """
        raise ParameterError(
            message("labels.click-model-can-only", name=self.name),
            hint=message("labels.fit-on-log"),
        )

    def notes(self, parameters: Parameters) -> tuple[Note, ...]:
        """Returns notes about a fit."""
        return ()

    @property
    def unseen(self) -> float:
        """The estimate for a pair missing from the log: the mean of the prior."""
        return self.prior_clicks / self.prior_shown if self.prior_shown else 0.5

    @abstractmethod
    def estimate(self, log: ClickLog) -> Parameters:
        """Estimates the parameters from a log."""

    @abstractmethod
    def relevance(self, parameters: Parameters) -> Relevance:
        """Returns the relevance of each pair."""

    @abstractmethod
    def probabilities(
        self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values], conditional: bool
    ) -> Values:
        """Returns the probability of a click on each result.

        Args:
            parameters: The fitted parameters.
            lists: Lists of results.
            pairs: Each result's own values, in the shape of the lists.
            conditional: Whether the clicks above it are known, or nothing is.
        """

    @abstractmethod
    def draw(
        self,
        parameters: Parameters,
        lists: Lists,
        pairs: Mapping[str, Values],
        generator: np.random.Generator,
    ) -> NDArray[np.bool_]:
        """Draws clicks on each list."""

    def rate(self, done: Values, shown: Values) -> Values:
        """Returns the posterior mean of a probability, with the prior added to the trials."""
        import numpy as np

        with np.errstate(invalid="ignore", divide="ignore"):
            rates = (self.prior_clicks + done) / (self.prior_shown + shown)
        return np.where(self.prior_shown + shown > 0, rates, self.unseen)


@dataclass(frozen=True)
class FittedModel:
    """A click model whose parameters were estimated from a log.

    Attributes:
        model: The model.
        pairs: The pairs of the log: `query` and `document`.
        parameters: The fitted parameters.
        depth: Ignore positions after this one.
        shown: Impressions of each pair in the log; None if the parameters are known.
    """

    model: ClickModel
    pairs: pl.DataFrame
    parameters: Parameters
    depth: int
    shown: Values | None = None

    @property
    def relevances(self) -> Relevance:
        """The estimated relevance of each pair; its weight is at most the pair's evidence.

        A product of two probabilities varies less than each of them. What begins with a prior could
        so count for more impressions than there were.
        """
        return self.at_most_shown(self.model.relevance(self.parameters))

    def at_most_shown(self, found: Relevance) -> Relevance:
        """Returns values whose weights are at most the impressions of the pairs and the prior's."""
        import numpy as np

        if self.shown is None:
            return found
        most = self.shown + self.model.prior_shown
        # Of what was never seen where positions compare, the prior alone is known: as ever.
        spread = None if found.spread is None else np.where(self.shown > 0, found.spread, 0.0)
        return replace(found, weight=np.minimum(found.weight, most), spread=spread)

    def relevance(self, level: float = 0.95) -> pl.DataFrame:
        """Returns how relevant each document is, sorted by query and relevance.

        The columns are `query`, `document`, `relevance`, the interval `low` and `high`
        (`Relevance.interval`), and `weight`: effective impressions. What is known, of infinite
        weight, has an interval of no width.

        Args:
            level: The probability of the interval.
        """
        import polars as pl

        found = self.relevances
        low, high = found.interval(level)
        return self.pairs.with_columns(
            relevance=pl.Series(found.value),
            low=pl.Series(low),
            high=pl.Series(high),
            weight=pl.Series(found.evidence),
        ).sort("query", "relevance", "document", descending=[False, True, False])

    def judgments(self, level: float = 0.95) -> Judgments:
        """Returns the relevances as judgments, with their intervals and weights as evidence.

        Args:
            level: The probability of the interval.
        """
        from relyon.data.judgments import Judgments

        return Judgments.from_frame(self.relevance(level), {"grade": "relevance"})

    def click_probabilities(self, lists: Lists, *, conditional: bool = False) -> Values:
        """Returns the probability of a click on each result of some lists.

        Args:
            lists: Lists, as of `read_lists`.
            conditional: Whether the clicks above a result are known, or nothing is.
        """
        return self.model.probabilities(self.parameters, lists, self.values(lists), conditional)

    def log_likelihood(self, lists: Lists) -> Values:
        """Returns the log-likelihood of each list's clicks.

        Events with model probability 0 are given 1e-6.
        """
        return log_likelihood(lists, self.click_probabilities(lists, conditional=True))

    def perplexity(self, lists: Lists, *, conditional: bool = False) -> Values:
        """Returns the perplexity at each position: 1 where every click is predicted, 2 for a guess.

        Args:
            lists: Lists whose clicks are predicted.
            conditional: Whether the clicks above a result are known, or nothing is.
        """
        return perplexity(lists, self.click_probabilities(lists, conditional=conditional))

    def examination(self, lists: Lists, clicks: Values | None = None) -> Values:
        """Returns how likely results are seen at each position, compared with the first one shown.

        It is the mean over the lists of P(click) / attraction, nothing else being known: of the
        users of these lists, so many come to see that position. Empty for a model that does not
        tell examination from attraction.

        Args:
            lists: Lists, as of `lists_of`.
            clicks: The result of `click_probabilities`, if it is known already.
        """
        import numpy as np

        if "attraction" not in self.parameters.pairs:
            return np.empty(0)
        values = self.values(lists)
        if clicks is None:
            clicks = self.model.probabilities(self.parameters, lists, values, False)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = by_position(lists, clicks / values["attraction"])
            known = found[np.isfinite(found)]
            return found / known[0] if len(known) else found

    def simulate(self, lists: Lists, *, seed: int | np.random.Generator = 0) -> NDArray[np.bool_]:
        """Draws clicks on each list, once for each list.

        Args:
            lists: Lists, whose own clicks do not matter.
            seed: The same seed gives the same clicks; or where to draw from.
        """
        import numpy as np

        generator = np.random.default_rng(seed)
        drawn = self.model.draw(self.parameters, lists, self.values(lists), generator)
        return drawn & lists.shown

    def on(self, pairs: pl.DataFrame) -> FittedModel:
        """Returns the same model for other pairs; what is believed of new ones has no weight.

        Args:
            pairs: `query` and `document`, each pair once.
        """
        parameters = replace(
            self.parameters,
            pairs=self._of(pairs, self.parameters.pairs, self.model.unseen),
            weights=self._of(pairs, self.parameters.weights, 0.0),
            spreads=self._of(pairs, self.parameters.spreads, 0.0),
        )
        return replace(self, pairs=pairs.select("query", "document"), parameters=parameters)

    def values(self, lists: Lists) -> dict[str, Values]:
        """Returns the values of each result's pair, in the shape of the lists."""
        found = self._of(lists.names, self.parameters.pairs, self.model.unseen)
        return {name: values[lists.pairs] for name, values in found.items()}

    def _of(
        self, names: pl.DataFrame, values: Mapping[str, Values], unseen: float
    ) -> Mapping[str, Values]:
        """Returns the values of pairs: the model's own, or the default of unseen ones."""
        import numpy as np
        import polars as pl

        if names is self.pairs:
            return values
        places = (
            names.join(
                self.pairs.with_row_index("place"),
                on=["query", "document"],
                how="left",
                maintain_order="left",
            )
            .get_column("place")
            .cast(pl.Int64)
            .fill_null(-1)
            .to_numpy()
        )
        return {name: np.append(known, unseen)[places] for name, known in values.items()}
