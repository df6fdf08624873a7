"""Geometric means over queries: failing queries count more than in an arithmetic mean."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.measures.averages import AP
from relyon.measures.definition import Combine, Kernel
from relyon.measures.incomplete import Bpref
from relyon.measures.logarithms import geometric_parts
from relyon.measures.lookup import register

if TYPE_CHECKING:
    from relyon.data.ranking import Ranking

__all__ = ["GMAP", "GMBpref", "Geometric"]


class Geometric:
    """Shared by measures whose queries are combined by a geometric mean, as trec_eval does.

    A query's numerator is the logarithm of its value, its denominator 1.
    """

    combine: ClassVar[Combine] = "geometric"
    averages: ClassVar[tuple[str, ...]] = ("geometric",)

    def parts(self, ranking: "Ranking") -> tuple[float, float]:
        return geometric_parts(self.value(ranking))  # type: ignore[attr-defined]

    def micro(self, numerator: float, denominator: float) -> float:
        """Returns the geometric mean of summed logarithms, NaN for none."""
        return math.exp(numerator / denominator) if denominator else math.nan


@register
@dataclass(frozen=True)
class GMAP(Geometric, AP):
    """Geometric mean average precision.

    A query's value is its average precision. Over queries it is the geometric mean:
    exp of the mean of log(AP), with values below 0.00001 counted as 0.00001. Undefined if
    R = 0.

    Attributes:
        k: Ranks counted; `None` counts the whole list.
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.
        denominator: As in `ap`; `None` takes the convention's `ap_denominator`.

    Examples:
        >>> import relyon
        >>> judgments = {"q1": {"a": 1}, "q2": {"a": 1}}
        >>> second = {"b": 2.0, "c": 1.5, "d": 1.0, "a": 0.5}
        >>> run = {"q1": {"a": 2.0, "b": 1.0}, "q2": second}
        >>> relyon.evaluate(judgments, run, ["gm_ap"])["gm_ap"]
        0.5

    References:
        Robertson (2006), On GMAP, CIKM; trec_eval's `gm_map`.
    """

    name = "gm_ap"
    aliases = ("gmap", "gm_map")
    trec_names: ClassVar[Mapping[str, str]] = {"gm_ap": "gm_map"}
    formula = "exp(mean of log(max(AP, 0.00001)))"

    def kernel(self) -> Kernel | None:
        _, values = super().kernel() or ("", {})
        return "gm_ap", values


@register
@dataclass(frozen=True)
class GMBpref(Geometric, Bpref):
    """Geometric mean of binary preference.

    A query's value is its bpref. Over queries it is the geometric mean: exp of the mean of
    log(bpref), with values below 0.00001 counted as 0.00001. Undefined if R = 0.

    Attributes:
        rel: Lowest relevant grade; `None` takes the convention's or the scale's.

    Examples:
        >>> import relyon
        >>> relyon.measure("gm_bpref").score([1, None, 0, 1])
        0.5

    References:
        Buckley and Voorhees (2004), SIGIR; trec_eval's `gm_bpref`.
    """

    name = "gm_bpref"
    formula = "exp(mean of log(max(bpref, 0.00001)))"

    def kernel(self) -> Kernel | None:
        return "gm_bpref", {"rel": self.rel}
