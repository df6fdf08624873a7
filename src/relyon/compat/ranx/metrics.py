"""ranx's names of metrics, in relyon's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from relyon.core.errors import ParameterError
from relyon.core.registry import suggestion
from relyon.core.texts import message
from relyon.measures.parser import measure

__all__ = ["METRICS", "Metric"]

#: ranx's names; relyon's measures have them among their own.
METRICS = (
    *("hits", "hit_rate", "precision", "recall", "f1", "r-precision", "mrr", "map"),
    *("dcg", "dcg_burges", "ndcg", "ndcg_burges", "bpref", "rbp"),
)
GRADED = {"dcg": "linear", "dcg_burges": "exp", "ndcg": "linear", "ndcg_burges": "exp"}
WITHOUT_CUTOFF = {"r-precision", "bpref"}

NAME = re.compile(
    r"(?P<name>[a-z][a-z_1\-]*?)(?:(?P<mark>[@.])(?P<number>\d+))?(?:-l(?P<level>\d+))?"
)


class Metric:
    """One of ranx's metric names, taken apart."""

    def __init__(self, text: str) -> None:
        found = NAME.fullmatch(text)
        name = found["name"] if found else text
        if found is None or name not in METRICS:
            hint = suggestion(name, list(METRICS))
            raise ParameterError(
                message("compat.metric-is-not-supported", text=text),
                hint=f"{hint}; " * bool(hint) + "there are " + ", ".join(METRICS),
            )
        self.name = name
        self.level = int(found["level"]) if found["level"] else 1
        number = found["number"]
        if name == "rbp" and number is None:
            raise ParameterError(
                message("compat.rbp-needs-persistence"), hint=message("compat.write-rbp-95")
            )
        if name != "rbp" and found["mark"] == ".":
            raise ParameterError(
                message("compat.metric-is-not-supported", text=text),
                hint=message("compat.write-name-k"),
            )
        self.number = number

    @property
    def needs_levels(self) -> bool:
        """Whether its gains are not those of a grade's value alone."""
        return self.name == "rbp" or (self.name in GRADED and self.level != 1)

    def retrieved(self) -> str:
        """Returns the measure that counts retrieved relevant documents."""
        return str(measure(f"hits(rel={self.level})"))

    def factor(self, levels: Sequence[float]) -> float:
        """Returns the factor of our value: ranx uses the grade itself as gain in RBP."""
        return max([1.0, *levels]) if self.name == "rbp" else 1.0

    def measure(self, levels: Sequence[float]) -> str:
        """Returns our measure; `levels` are the grades that occur."""
        arguments = [f"rel={self.level}"]
        cutoff = f"@{self.number}" if self.number and int(self.number) else ""
        if self.name in GRADED:
            arguments = [f"gain={GRADED[self.name]}"]
            if self.level != 1 or any(0 < level < 1 for level in levels):
                exponential = GRADED[self.name] == "exp"
                arguments = [self._gains(levels, exponential=exponential)]
        elif self.name == "rbp":
            arguments = [f"p=0.{self.number}", self._gains(levels, by=self.factor(levels))]
        if self.name in WITHOUT_CUTOFF or self.name == "rbp":
            cutoff = ""
        return str(measure(f"{self.name}({','.join(arguments)}){cutoff}"))

    def _gains(self, levels: Sequence[float], by: float = 1.0, exponential: bool = False) -> str:
        """Returns a map of gains in which grades below the level have no gain."""
        gains = []
        for level in levels:
            gain = float(level) if level >= self.level and level > 0 else 0.0
            gain = 2.0**gain - 1.0 if exponential else gain / by
            if level >= 0:
                gains.append(f"{level!r}:{gain!r}")
        return "gain={" + ",".join(gains or ["0:0"]) + "}"
