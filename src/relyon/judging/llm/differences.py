"""The largest differences between a language model and people: what to check in the guideline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.parameters import check_whole
from relyon.data.aggregation import Rule, aggregate
from relyon.judging.records import Item

if TYPE_CHECKING:
    from relyon.judging.llm.models import Configuration
    from relyon.judging.store import Store

__all__ = ["Difference", "find_differences"]


@dataclass(frozen=True)
class Difference:
    """An item that a model and people grade differently.

    Attributes:
        item: The item.
        machine: The model's grade.
        people: The final grade.
        reason: The model's reason, for this grade or the nearest one.
    """

    item: Item
    machine: float
    people: float
    reason: str

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "query": self.item.query_text or self.item.query,
            "document": self.item.document,
            "title": self.item.title,
            "machine": self.machine,
            "people": self.people,
            "reason": self.reason,
        }


def find_differences(
    store: Store, configuration: Configuration, *, count: int = 5, rule: Rule = "median"
) -> list[Difference]:
    """Finds the items on which a model and people differ most, largest difference first.

    Args:
        store: The database.
        configuration: The model and its settings.
        count: How many.
        rule: How several people's grades are combined.

    Raises:
        ParameterError: If `count` is below 0.
    """
    check_whole("count", count, least=0)
    samples = store.replies.samples(configuration)
    pairs = []
    for one in store.decisions.people_grades(configuration.project_id, rule=rule):
        if one.item.id in samples:
            machine = aggregate(samples[one.item.id]).value
            if machine != one.value:
                pairs.append((one.item, machine, one.value))
    pairs.sort(key=lambda pair: -abs(pair[1] - pair[2]))
    chosen = pairs[:count]
    reasons = store.replies.reasons(configuration, [item.id for item, _, _ in chosen])
    found = []
    for item, machine, people in chosen:
        given = sorted(reasons[item.id], key=lambda told: abs(told[0] - machine))
        found.append(Difference(item, machine, people, given[0][1]))
    return found
