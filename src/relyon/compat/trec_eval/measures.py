"""trec_eval's measures in the order in which it prints them, made of relyon's."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from relyon.core.texts import message as say

if TYPE_CHECKING:
    from relyon.compat.trec_eval.options import Options

__all__ = ["MEASURES", "NICKNAMES", "BadParametersError", "Column", "number"]

NINE = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


class BadParametersError(ValueError):
    """A measure cannot be made of the parameters given.

    Attributes:
        code: trec_eval's exit code for it.
    """

    def __init__(self, message: str, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Column:
    """One line of the output.

    Attributes:
        name: As trec_eval prints it.
        needs: The measures of relyon that it is made of.
        make: Computes a query's value from theirs; `None` for the first one.
        average: How queries become one number, or `text`.
        counted: Whether it is printed as a whole number.
        single: Whether it is printed for single queries.
        total: Whether it is printed for all queries.
        absent: The value of a query missing from the results, which trec_eval 10 evaluates as a
            list of one unjudged document.
    """

    name: str
    needs: tuple[str, ...] = ()
    make: Callable[..., float] | None = None
    average: Literal["mean", "sum", "geometric", "text"] = "mean"
    counted: bool = False
    single: bool = True
    total: bool = True
    absent: Callable[..., float] | None = None


Builder = Callable[[str, str | None, "Options"], list[Column]]


def number(text: str) -> float:
    """Returns the number at the start of a text, or 0, as C's atof."""
    found = re.match(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text)
    return float(found[0]) if found else 0.0


def _plain(own: str) -> Builder:
    return lambda name, parameters, options: [Column(name, (own,))]


def _count(own: str) -> Builder:
    return lambda name, parameters, options: [Column(name, (own,), average="sum", counted=True)]


def _queries(name: str, parameters: str | None, options: Options) -> list[Column]:
    return [Column(name, ("num_q",), average="sum", counted=True, single=False)]


def _text(name: str, parameters: str | None, options: Options) -> list[Column]:
    if name == "runid":
        return [Column(name, average="text", single=False)]
    return [Column(_spelled(name, parameters), average="text", total=False)]


def _geometric(own: str) -> Builder:
    def logarithm(value: float) -> float:
        return math.log(max(value, 0.00001))

    return lambda name, parameters, options: [
        Column(name, (own,), logarithm, average="geometric", single=False)
    ]


def _spelled(name: str, parameters: str | None) -> str:
    return name if parameters is None else f"{name}_{parameters}"


def _distinct(values: list[float]) -> list[float]:
    values = sorted(values)
    if any(one == other for one, other in pairwise(values)):
        raise BadParametersError(say("compat.duplicate-cutoffs-detected"))
    return values


def _cut(own: str, cutoffs: Sequence[int] = NINE) -> Builder:
    def build(name: str, parameters: str | None, options: Options) -> list[Column]:
        values = [float(k) for k in cutoffs]
        if parameters is not None:
            values = _distinct([float(int(number(text))) for text in parameters.split(",")])
        if values[0] <= 0:
            raise BadParametersError(say("compat.cutoff-must-be-1"))
        return [Column(f"{name}_{k:.0f}", (f"{own}@{k:.0f}",)) for k in values]

    return build


def _levels(own: str, defaults: Sequence[float]) -> Builder:
    def build(name: str, parameters: str | None, options: Options) -> list[Column]:
        values = list(defaults)
        if parameters is not None:
            values = _distinct([number(text) for text in parameters.split(",")])
        return [Column(f"{name}_{value:3.2f}", (own.format(repr(value)),)) for value in values]

    return build


def _average_of_levels(name: str, parameters: str | None, options: Options) -> list[Column]:
    levels = LEVELS if parameters is None else tuple(map(number, parameters.split(",")))

    def average(*precisions: float) -> float:
        total = 0.0
        for precision in reversed(precisions):
            total += precision
        return total / len(precisions)

    needs = tuple(f"iprec@{level!r}" for level in levels)
    return [Column(_spelled(name, parameters), needs, average)]


def _utility(name: str, parameters: str | None, options: Options) -> list[Column]:
    worths = [1.0, -1.0, 0.0, 0.0]
    if parameters is not None:
        worths = [number(text) for text in parameters.split(",")]
    if len(worths) != 4:
        raise BadParametersError(say("compat.improper-number-of-coefficients"), 4)
    tp, fp, fn, tn = worths
    own = f"utility(tp={tp!r},fp={fp!r},fn={fn!r},tn={tn!r},docs={options.collection})"
    absent = None
    if parameters is not None and not options.judged_only:
        # trec_eval corrects the value of a query without results only if no worth is named
        absent = lambda value: value + fp - tn  # noqa: E731
    elif parameters is None:
        absent = lambda value: 0.0  # noqa: E731
    return [Column(_spelled(name, parameters), (own,), absent=absent)]


def _weighted_f(name: str, parameters: str | None, options: Options) -> list[Column]:
    weight = 1.0 if parameters is None else number(parameters.split(",")[0])

    def combined(found: float, precision: float, recall: float) -> float:
        if not found:
            return 0.0
        return (weight + 1.0) * precision * recall / (weight * precision + recall)

    needs = ("num_rel_ret", "p@all", "recall@all")
    return [Column(_spelled(name, parameters), needs, combined)]


def _pairs(parameters: str | None) -> list[tuple[str, float]]:
    if parameters is None:
        return []
    pairs = []
    for text in parameters.split(","):
        key, sign, value = text.partition("=")
        if not sign or "=" in value:
            raise BadParametersError(f"malformed pair parameters in '{parameters}'")
        pairs.append((key, number(value)))
    return pairs


def _gain(parameters: str | None) -> str:
    gains = [f"{key}:{value!r}" for key, value in _pairs(parameters) if key.isdigit()]
    return "gain={" + ",".join([*gains, "other:grade"]) + "}" if gains else "gain=linear"


def _gained(own: str) -> Builder:
    def build(name: str, parameters: str | None, options: Options) -> list[Column]:
        return [Column(_spelled(name, parameters), (f"{own}({_gain(parameters)})",))]

    return build


def _persistence(parameters: str | None) -> float:
    return next((value for key, value in reversed(_pairs(parameters)) if key == "p"), 0.9)


def _rbp(name: str, parameters: str | None, options: Options) -> list[Column]:
    own = f"p={_persistence(parameters)!r},{_gain(parameters)},normalise=true"
    return [Column(_spelled(name, parameters), (f"rbp({own})",))]


def _residual(name: str, parameters: str | None, options: Options) -> list[Column]:
    p = _persistence(parameters)
    absent = None
    if parameters is not None and not options.judged_only:
        absent = lambda value: p + (1.0 - p)  # noqa: E731
    return [
        Column(_spelled(name, parameters), (f"rbp_residual(p={p!r},tail=unjudged)",), absent=absent)
    ]


#: Every measure of judgments in qrels, in the order in which trec_eval prints.
QRELS: dict[str, Builder] = {
    "runid": _text,
    "num_q": _queries,
    "num_ret": _count("num_ret"),
    "num_rel": _count("num_rel"),
    "num_rel_ret": _count("num_rel_ret"),
    "map": _plain("ap"),
    "gm_map": _geometric("ap"),
    "Rprec": _plain("rprec"),
    "bpref": _plain("bpref"),
    "recip_rank": _plain("rr"),
    "iprec_at_recall": _levels("iprec@{}", LEVELS),
    "P": _cut("p"),
    "relstring": _text,
    "recall": _cut("recall"),
    "infAP": _plain("infap"),
    "gm_bpref": _geometric("bpref"),
    "Rprec_mult": _levels("rprec(multiple={})", MULTIPLES),
    "utility": _utility,
    "11pt_avg": _average_of_levels,
    "binG": _plain("bin_g"),
    "G": _gained("g"),
    "dcg": _gained("dcg"),
    "ideal_dcg": _gained("idcg"),
    "ndcg": _gained("ndcg"),
    "ndcg_rel": _gained("ndcg_rel"),
    "Rndcg": _gained("rndcg"),
    "ndcg_cut": _cut("ndcg(gain=linear)"),
    "map_cut": _cut("ap"),
    "relative_P": _cut("recall(capped=true)"),
    "success": _cut("success", (1, 5, 10)),
    "set_P": _plain("p@all"),
    "set_relative_P": _plain("recall(capped=true)@all"),
    "set_recall": _plain("recall@all"),
    "set_map": _plain("set_ap"),
    "set_F": _weighted_f,
    "num_nonrel_judged_ret": _count("num_nonrel_ret"),
    "yaap": _plain("yaap"),
    "rbp": _rbp,
    "rbp_resid": _residual,
    "unj": _cut("unjudged", (5, 10, 20)),
}
#: The measures of trec_eval's nicknames.
NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec"),
        *("bpref", "recip_rank", "iprec_at_recall", "P"),
    ),
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P"),
        *("set_recall", "set_relative_P", "set_map", "set_F"),
    ),
    "all_trec": tuple(name for name in QRELS if name not in {"dcg", "ideal_dcg", "yaap"}),
    "qrels_jg": ("runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
}
#: Every name that `-m` takes.
MEASURES = {*QRELS, *NICKNAMES["qrels_jg"]}

#: Measures of preferences, in the formats `prefs` and `qrels_prefs`.
OFFICIAL_PREFERENCES = (
    *("runid", "num_q", "prefs_num_prefs_poss", "prefs_num_prefs_ful"),
    *("prefs_num_prefs_ful_ret", "prefs_simp", "prefs_pair", "prefs_avgjg"),
)
PREFERENCES = (
    *OFFICIAL_PREFERENCES,
    *("prefs_avgjg_Rnonrel", "prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret"),
    *("prefs_avgjg_Rnonrel_ret", "prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"),
)
