"""What a comparison shows about the smallest difference that matters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from relyon.core.document.json import json_number

__all__ = ["Margin", "NoMargin"]

#: Why neither side of a margin can be shown: fewer than six queries; fewer than six that changed,
#: of a measure without known limits or pooled over queries; or a number without an error.
NoMargin = Literal["", "few-queries", "few-changed", "no-error"]


@dataclass(frozen=True)
class Margin:
    """One difference, compared with the smallest one that matters.

    D is the difference, signed so that a gain is positive; M the margin.

    Attributes:
        size: M, in the measure's own units.
        share: M as a share of the baseline's number, if it was given as one, such as "2%"; else
            NaN.
        test: The test of D + M and D - M: the deciding test of the comparison; `t` under Tukey's
            test; `jackknife` of a ratio of sums over all queries; `draws` of whole queries, of a
            pooled AUC.
        p_not_worse: Two-sided p of D + M; 1 unless D > -M.
        p_not_better: Two-sided p of D - M; 1 unless D < M.
        p_not_worse_adjusted: `p_not_worse`, corrected for the number of contrasts with a margin.
        p_not_better_adjusted: The same of `p_not_better`.
        not_worse: Whether D > -M is shown: the corrected p is at most alpha, on six queries or
            more.
        not_better: The same of D < M.
        loss: The largest loss that the confidence interval leaves possible; negative if even that
            is a gain; NaN if there is none.
        gain: The largest gain that it leaves possible.
        few: Whether fewer than six queries changed, so that what others may lose is counted, too.
        unknown: Why neither side can be shown; empty if both were tested.
    """

    size: float
    share: float
    test: str
    p_not_worse: float
    p_not_better: float
    p_not_worse_adjusted: float
    p_not_better_adjusted: float
    not_worse: bool
    not_better: bool
    loss: float
    gain: float
    few: bool = False
    unknown: NoMargin = ""

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "size": json_number(self.size),
            **({} if math.isnan(self.share) else {"share": self.share}),
            "test": self.test,
            "p_not_worse": json_number(self.p_not_worse),
            "p_not_better": json_number(self.p_not_better),
            "p_not_worse_adjusted": json_number(self.p_not_worse_adjusted),
            "p_not_better_adjusted": json_number(self.p_not_better_adjusted),
            "not_worse": self.not_worse,
            "not_better": self.not_better,
            "loss": json_number(self.loss),
            "gain": json_number(self.gain),
            "few": self.few,
            "unknown": self.unknown or None,
        }
