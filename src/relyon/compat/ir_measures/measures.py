"""ir_measures' measures: their names and parameters."""

from __future__ import annotations

from relyon.compat.ir_measures.model import (
    ABSENT,
    BaseMeasure,
    MeanAgg,
    Measure,
    ParamInfo,
    SumAgg,
)
from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = [
    "ABSENT",
    "BaseMeasure",
    "MeanAgg",
    "Measure",
    "ParamInfo",
    "SumAgg",
    "register",
    "registry",
]

#: Measures by name and alias.
registry: dict[str, Measure] = {}


def register(
    measure: Measure, aliases: list[str] | None = None, name: str | None = None
) -> dict[str, Measure]:
    """Registers a measure for `parse_measure`.

    Raises:
        ParameterError: If one of the names is already registered.
    """
    for key in (name or str(measure.NAME), *(aliases or [])):
        if key in registry:
            raise ParameterError(message("compat.measure-name-is-taken", key=key))
        registry[key] = measure
    return registry


CUTOFF = ParamInfo(int, desc="ranks counted")
NEEDED = ParamInfo(int, required=True, desc="ranks counted")
REL = ParamInfo(int, default=1, desc="lowest relevant grade")
OPEN_REL = ParamInfo(int, desc="lowest relevant grade; all documents where it is not given")
JUDGED = ParamInfo(bool, default=False, desc="leave out unjudged documents")
TARGET = ParamInfo(float, default=1.0, desc="the gain that the reader hopes for")
SCALE = {
    "min_rel": ParamInfo(int, default=0, desc="the grade that is worth 0"),
    "max_rel": ParamInfo(int, required=True, desc="the grade that is worth 1"),
}
RANKED = {"cutoff": CUTOFF, "rel": REL, "judged_only": JUDGED}
SET = {"rel": REL, "judged_only": JUDGED}
ALPHA = {"alpha": ParamInfo(float, default=0.5, desc="how much repetition costs")}
BETA = {"beta": ParamInfo(float, default=0.5, desc="patience")}

#: The title and parameters of each measure.
KINDS: dict[str, tuple[str, dict[str, ParamInfo]]] = {
    "Accuracy": ("Accuracy of pairs", {"cutoff": CUTOFF, "rel": REL}),
    "alpha_DCG": ("Alpha-DCG", {**RANKED, **ALPHA}),
    "alpha_nDCG": ("Alpha-NDCG", {**RANKED, **ALPHA}),
    "AP": ("Average precision", RANKED),
    "AP_IA": ("Intent-aware average precision", SET),
    "BPM": ("Bejeweled player model", {"cutoff": NEEDED, "T": TARGET, **SCALE}),
    "Bpref": ("Binary preference", {"rel": REL}),
    "Compat": (
        "Compatibility",
        {
            "p": ParamInfo(float, default=0.95, desc="persistence"),
            "normalize": ParamInfo(bool, default=True, desc="divide by the ideal list's own sum"),
        },
    ),
    "ERR": ("Expected reciprocal rank", {"cutoff": CUTOFF}),
    "ERR_IA": ("Intent-aware expected reciprocal rank", RANKED),
    "infAP": ("Inferred average precision", {"rel": REL}),
    "INSQ": ("INSQ", {"T": TARGET, **SCALE}),
    "INST": ("INST", {"T": TARGET, **SCALE}),
    "IPrec": (
        "Interpolated precision at a level of recall",
        {"recall": ParamInfo(float, required=True, desc="level of recall"), **SET},
    ),
    "Judged": ("Share of judged documents", {"cutoff": CUTOFF}),
    "nDCG": (
        "Normalised discounted cumulative gain",
        {
            "cutoff": CUTOFF,
            "dcg": ParamInfo(
                str, choices=["log2", "exp-log2"], default="log2", desc="kind of gain"
            ),
            "gains": ParamInfo(dict, desc="gains by grade; grades not named are their own gain"),
            "judged_only": JUDGED,
        },
    ),
    "NERR8": ("Nearly ERR, equation 8", {"cutoff": NEEDED, **SCALE}),
    "NERR9": ("Nearly ERR, equation 9", {"cutoff": NEEDED, **SCALE}),
    "NERR10": (
        "Nearly ERR, equation 10",
        {"p": ParamInfo(float, default=0.9, desc="persistence"), **SCALE},
    ),
    "NERR11": ("Nearly ERR, equation 11", {"T": TARGET, **SCALE}),
    "nERR_IA": ("Normalised intent-aware expected reciprocal rank", RANKED),
    "nNRBP": ("Normalised novelty- and rank-biased precision", {"rel": REL, **ALPHA, **BETA}),
    "NRBP": ("Novelty- and rank-biased precision", {"rel": REL, **ALPHA, **BETA}),
    "NumQ": ("Number of queries", {}),
    "NumRel": ("Number of relevant documents", {"rel": REL}),
    "NumRet": ("Number of retrieved documents", {"rel": OPEN_REL}),
    "P": ("Precision", {**RANKED, "cutoff": NEEDED}),
    "P_IA": ("Intent-aware precision", RANKED),
    "R": ("Recall", {**RANKED, "cutoff": NEEDED}),
    "RBP": (
        "Rank-biased precision",
        {
            "cutoff": CUTOFF,
            "p": ParamInfo(float, default=0.8, desc="persistence"),
            "rel": OPEN_REL,
        },
    ),
    "Rprec": ("R-precision", SET),
    "RR": ("Reciprocal rank", RANKED),
    "SDCG": (
        "Scaled discounted cumulative gain",
        {
            "cutoff": NEEDED,
            "dcg": ParamInfo(str, choices=["log2"], default="log2", desc="kind of gain"),
            **SCALE,
        },
    ),
    "SetAP": ("Precision times recall of all retrieved", SET),
    "SetF": (
        "F measure of all retrieved",
        {**SET, "beta": ParamInfo(float, default=1.0, desc="trec_eval's weight of recall")},
    ),
    "SetP": (
        "Precision of all retrieved",
        {**SET, "relative": ParamInfo(bool, default=False, desc="divide by the best possible")},
    ),
    "SetR": ("Recall of all retrieved", {"rel": REL}),
    "StRecall": ("Recall of subtopics", {"cutoff": CUTOFF, "rel": REL}),
    "Success": ("Success", {**RANKED, "cutoff": NEEDED}),
}
#: Other names, and measures with a parameter that have a name of their own.
ALIASES = {
    "MAP": "AP",
    "MAP_IA": "AP_IA",
    "BPref": "Bpref",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "RPrec": "Rprec",
    "MRR": "RR",
    "α_DCG": "alpha_DCG",
    "α_nDCG": "alpha_nDCG",
}
SUMMED = ("NumQ", "NumRel", "NumRet")


def _define(name: str, title: str, params: dict[str, ParamInfo]) -> Measure:
    body: dict[str, object] = {
        "NAME": name,
        "PRETTY_NAME": title,
        "SHORT_DESC": title,
        "SUPPORTED_PARAMS": params,
        "AT_PARAM": "recall" if name == "IPrec" else "cutoff",
        "__doc__": f"{title}.",
        "__name__": name,
        "__module__": __name__,
    }
    if name in SUMMED:
        body["aggregator"] = lambda self: SumAgg()
    made = globals()[f"_{name}"] = type(f"_{name}", (Measure,), body)  # found by pickle
    measure: Measure = made()
    return measure


for _name, (_title, _params) in KINDS.items():
    register(_define(_name, _title, _params))
for _name, _known in ALIASES.items():
    register(registry[_known], name=_name)
register(registry["NumRet"](rel=1), name="NumRelRet")
register(registry["SetP"](relative=True), name="SetRelP")


def __getattr__(name: str) -> Measure:
    try:
        return registry[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
