"""A measure of one list on the calls of a task: `first(M)`, `last(M)`, `best(M)`, `mean(M)`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.data.ranking import Ranking
from relyon.data.task_ranking import calls_of
from relyon.measures.definition import Aspect, Better, Describes, Measure
from relyon.measures.formulas import equation, format_number, quotient
from relyon.measures.parameters import parameters
from relyon.measures.tasks import TaskMeasure, TaskStep

if TYPE_CHECKING:
    from relyon.core.rules import Undefined
    from relyon.data.convention import Convention
    from relyon.data.scale import Scale

__all__ = ["OF_CALLS", "Best", "First", "Last", "Mean", "OfCalls", "split_of_calls"]

Which = Literal["first", "last", "best", "mean"]
#: A name such as first(ndcg(gain=exp)@10), and what is after its parentheses.
WRITTEN = re.compile(
    r"\s*(?P<which>first|last|best|mean)\s*\((?P<inside>.*)\)(?P<rest>[^()]*)",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class OfCalls(TaskMeasure):
    """A measure of one list, taken on calls of a task.

    Each call is measured as a list of its own against all judgments of its task. Tasks are
    averaged, even if the measure pools queries or adds them up. A task without calls counts as one
    with an empty list. With one call the value is that of the measure, to the last bit. Parameters
    that the measure leaves open, its bounds, and which values are better are the measure's own.

    Attributes:
        of: The measure of one list.

    Raises:
        ParameterError: If `of` is a measure of tasks, or compares two runs.

    Examples:
        >>> import relyon
        >>> str(relyon.measure("first(nDCG@10)"))
        'first(ndcg@10)'
        >>> relyon.measure("first(rr)").score([0, 1])
        0.5
    """

    which: ClassVar[Which]
    of: Measure

    def __post_init__(self) -> None:
        hint = message("measures.write-of-calls", name=self.name)
        values = {"name": self.name, "inside": str(self.of)}
        if isinstance(self.of, TaskMeasure):
            raise ParameterError(
                message("measures.of-calls-needs-list-measure", **values), hint=hint
            )
        if self.of.needs != "judgments":
            raise ParameterError(message("measures.of-calls-needs-judgments", **values), hint=hint)

    # -- what follows the measure of one list --------------------------------------------------

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """The bounds of the measure."""
        return self.of.bounds

    @property
    def better(self) -> Better:  # type: ignore[override]
        """Which values are better."""
        return self.of.better

    @property
    def describes(self) -> Describes:  # type: ignore[override]
        """Whether the measure describes quality or data."""
        return self.of.describes

    @property
    def aspect(self) -> Aspect:  # type: ignore[override]
        """The aspect of a ranking that the measure measures."""
        return self.of.aspect

    @property
    def headings(self) -> tuple[str, str]:  # type: ignore[override]
        """The names of the gain and discount columns."""
        return self.of.headings

    @property
    def formula(self) -> str:  # type: ignore[override]
        """The formula as one line of text."""
        return f"{self.name} over calls of: {self.of.formula}"

    @property
    def is_additive(self) -> bool:  # type: ignore[override]
        """Whether contributions are those of documents."""
        return self.of.is_additive

    @property
    def ordinal(self) -> bool:  # type: ignore[override]
        """Whether only the order of grades counts."""
        return self.of.ordinal

    @property
    def needs_subtopics(self) -> bool:  # type: ignore[override]
        """Whether it uses judgments of subtopics."""
        return self.of.needs_subtopics

    @property
    def asks_relevance(self) -> bool:
        return self.of.asks_relevance

    @property
    def needs_highest_grade(self) -> bool:
        return self.of.needs_highest_grade

    @property
    def fallbacks(self) -> dict[str, object]:  # type: ignore[override]
        """Defaults of the measure's parameters."""
        return self.of.fallbacks

    def __getattr__(self, name: str) -> object:
        """Returns a parameter of the measure, such as its gain or its threshold of relevance."""
        inside = self.__dict__.get("of")
        if inside is None or name not in parameters(type(inside)):
            raise AttributeError(name)
        return getattr(inside, name)

    @property
    def shown(self) -> str:
        return f"{self.name}({self.of.shown})"

    def resolve(
        self, convention: Convention, scale: Scale | None = None, highest: float = math.nan
    ) -> Measure:
        return replace(self, of=self.of.resolve(convention, scale, highest))

    def undefined_rule(self, convention: Convention) -> Undefined:
        return self.of.undefined_rule(convention)

    def with_cutoff(self, k: int) -> Measure:
        return replace(self, of=self.of.with_cutoff(k))

    def __str__(self) -> str:
        return f"{self.name}({self.of})"

    # -- values --------------------------------------------------------------------------------

    def seen(self, ranking: Ranking) -> Ranking:
        return ranking  # the measure sees to each call

    def lists(self, ranking: Ranking) -> list[Ranking]:
        """Returns the list of each call, as the measure sees it; an empty one without calls."""
        lists = [call.ranking for call in calls_of(ranking)]
        return [self.of.seen(one) for one in lists or [without_calls(ranking)]]

    def chosen(self, lists: list[Ranking]) -> int | None:
        """Returns the place of the call whose value counts; `None` if all count."""
        if self.which == "mean":
            return None
        if self.which != "best":
            return 0 if self.which == "first" else len(lists) - 1
        known = [(self.of.value(one), place) for place, one in enumerate(lists)]
        known = [pair for pair in known if not math.isnan(pair[0])]
        sign = -1 if self.of.better == "higher" else 1
        return min(known, key=lambda pair: (sign * pair[0], pair[1]))[1] if known else 0

    def undefined(self, ranking: Ranking) -> str | None:
        lists = self.lists(ranking)
        place = self.chosen(lists)
        if place is not None:
            return self.of.undefined(lists[place])
        reasons = [self.of.undefined(one) for one in lists]
        return reasons[0] if None not in reasons else None

    def value(self, ranking: Ranking) -> float:
        lists = self.lists(ranking)
        place = self.chosen(lists)
        if place is not None:
            return self.of.value(lists[place])
        values = [value for value in map(self.of.value, lists) if not math.isnan(value)]
        return _mean(values) if values else math.nan

    def expected(self, ranking: Ranking) -> float:
        if self.which == "best":
            return super().expected(ranking)
        lists = self.lists(ranking)
        place = self.chosen(lists)
        if place is not None:
            return self.of.expected(lists[place])
        values = [value for value in map(self.of.expected, lists) if not math.isnan(value)]
        return _mean(values) if values else math.nan

    def steps(self, ranking: Ranking) -> Iterator[TaskStep]:
        lists = self.lists(ranking)
        place = self.chosen(lists)
        counted = [
            (number, one)
            for number, one in enumerate(lists)
            if place in (None, number) and self.of.undefined(one) is None
        ]
        seen: dict[str, int] = {}
        for number, one in enumerate(lists, 1):
            for entry in one:
                seen.setdefault(entry.document, number)
        before: list[float] = []
        for number, one in counted:
            total = 0.0
            for step in self.of.steps(one):
                total = step.total
                yield TaskStep(
                    step.rank, step.document, step.grade, step.gain, step.discount,
                    step.contribution / len(counted), _mean([*before, total], len(counted)),
                    number + 1, seen.get(step.document, number + 1),
                )  # fmt: skip
            before.append(total)

    def expanded_formula(self, ranking: Ranking) -> str:
        lists = self.lists(ranking)
        place = self.chosen(lists)
        if place is not None:
            return self.of.expanded_formula(lists[place])
        values = [value for value in map(self.of.value, lists) if not math.isnan(value)]
        if len(values) == 1:
            only = next(one for one in lists if self.of.undefined(one) is None)
            return self.of.expanded_formula(only)
        terms = [format_number(value) for value in values]
        return equation(quotient(terms, len(values)), self.value(ranking))

    def missing_relevant(self, ranking: Ranking) -> list[str]:
        lists = self.lists(ranking)
        place = self.chosen(lists)
        return (
            [] if place is None and len(lists) > 1 else self.of.missing_relevant(lists[place or 0])
        )


@dataclass(frozen=True)
class First(OfCalls):
    """The measure of the task's first call."""

    name = "first"
    title = "first"
    which: ClassVar[Which] = "first"


@dataclass(frozen=True)
class Last(OfCalls):
    """The measure of the task's last call."""

    name = "last"
    title = "last"
    which: ClassVar[Which] = "last"


@dataclass(frozen=True)
class Best(OfCalls):
    """The best value of any call, by which values of the measure are better."""

    name = "best"
    title = "best"
    which: ClassVar[Which] = "best"


@dataclass(frozen=True)
class Mean(OfCalls):
    """The mean over the task's calls; calls without a value are left out."""

    name = "mean"
    title = "mean"
    which: ClassVar[Which] = "mean"


#: The classes by name.
OF_CALLS: dict[str, type[OfCalls]] = {kind.name: kind for kind in (First, Last, Best, Mean)}


def without_calls(ranking: Ranking) -> Ranking:
    """Returns the empty list of a task without calls."""
    shared = {one.name: getattr(ranking, one.name) for one in fields(Ranking)}
    judged = {} if ranking.unseen else ranking.judged
    return Ranking(**{**shared, "documents": (), "judged": judged})


def _mean(values: list[float], count: int | None = None) -> float:
    return math.fsum(values) / (len(values) if count is None else count)


def split_of_calls(name: str) -> tuple[type[OfCalls], str] | None:
    """Returns the class and the measure inside of a name such as `first(ndcg@10)`.

    Args:
        name: A measure's name. Other names give `None`.

    Raises:
        ParameterError: If a cutoff is written after the parentheses.

    Examples:
        >>> split_of_calls("first(ndcg(gain=exp)@10)")
        (<class 'relyon.measures.of_calls.First'>, 'ndcg(gain=exp)@10')
        >>> split_of_calls("ndcg(gain=exp)@10") is None
        True
    """
    found = WRITTEN.fullmatch(name)
    if found is None:
        return None
    kind = OF_CALLS[found["which"].lower()]
    if found["rest"].strip():
        raise ParameterError(
            message("measures.of-calls-has-no-cutoff", name=kind.name, text=found["rest"].strip()),
            hint=message("measures.write-of-calls-cutoff", name=kind.name),
        )
    return kind, found["inside"]
