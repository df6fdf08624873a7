"""The rules in which a way of counting differs from relyon's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from relyon.analysis.matching.programs import PROGRAMS
from relyon.analysis.matching.ways import Way
from relyon.data.convention import Convention

if TYPE_CHECKING:
    from relyon.analysis.matching.measured import Measurements
    from relyon.analysis.matching.printed import PrintedNumber

__all__ = ["Difference", "own_way", "rule_differences"]

_USUAL = {
    **{entry.name: getattr(Convention(), entry.name) for entry in dataclasses.fields(Convention)},
    "cutoff": "k",
    "average": "mean",
}


@dataclass(frozen=True)
class Difference:
    """A rule that gives other numbers than relyon's own.

    Attributes:
        rule: The rule: a field of `Convention`, `cutoff` or `average`; or that of one measure, such
            as `ndcg.undefined`.
        here: Its value in relyon; empty if it has none, as for a rule of one measure, or if the
            grade scale has it.
        there: Its value in the way of counting.
    """

    rule: str
    here: str
    there: str

    def __str__(self) -> str:
        return f"{self.rule}={self.there}"


def own_way() -> Way:
    """Returns relyon's own rules."""
    return Way(PROGRAMS[0], (), dict(_USUAL))


def rule_differences(
    found: Measurements, way: Way, numbers: Sequence[PrintedNumber]
) -> tuple[Difference, ...] | None:
    """Returns the rules in which a way differs from relyon's own and that the numbers need.

    Each rule is set back to relyon's in turn, and stays so if the numbers still match. None if the
    numbers need more than named rules: some programs take a measure from elsewhere.

    Args:
        found: The judgments and the run.
        way: A way of counting that gives the numbers.
        numbers: The printed numbers.
    """

    def gives(fields: dict[str, Any]) -> bool:
        asked = _made({**fields, "name": "custom"})
        row = found.numbers([asked], [one.measure for one in numbers])[0]
        return all(one.matches(float(value)) for one, value in zip(numbers, row, strict=True))

    kept = dict(way.fields)
    if not gives(kept):
        return None
    before: dict[str, Any] = {}
    while before != kept:  # a rule may be needed only until another one is set back
        before = kept
        for name, usual in _USUAL.items():
            if name != "name" and kept[name] != usual and gives({**kept, name: usual}):
                kept = {**kept, name: usual}
    shown, own = _made({**kept, "name": "custom"}).convention.shown(), Convention().shown()
    pairs = [
        Difference(name, "" if own.get(name) in (None, "None") else str(own[name]), str(value))
        for name, value in shown.items()
        if value != own.get(name)
    ]
    for name in ("cutoff", "average"):
        if kept[name] != _USUAL[name]:
            pairs.append(Difference(name, str(_USUAL[name]), str(kept[name])))
    return tuple(pairs)


def _made(fields: dict[str, Any]) -> Way:
    """Returns a way with these fields, which counts as no program by name."""
    return Way(PROGRAMS[0], (("name", "custom"),), fields)
