"""ir_measures' measures: objects that take parameters by call and `@`, print, and compare."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from relkit.core.errors import ParameterError

if TYPE_CHECKING:
    from relkit.compat.ir_measures.base import Evaluator
    from relkit.compat.ir_measures.records import CalcResults, Metric

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

#: Stands for a parameter that was not given and has no default.
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "NOT_PROVIDED"})()


class Agg(ABC):
    """Makes one number of the values of all queries."""

    @abstractmethod
    def add(self, value: float) -> None:
        """Adds a query's value."""

    @abstractmethod
    def result(self) -> float:
        """Returns the number."""


class MeanAgg(Agg):
    """The mean.

    Args:
        default: What no query at all gives.
    """

    def __init__(self, default: float = float("nan")) -> None:
        self.sum = 0.0
        self.count = 0
        self.default = default

    def add(self, value: float) -> None:
        self.sum += value
        self.count += 1

    def result(self) -> float:
        return self.sum / self.count if self.count else self.default


class SumAgg(Agg):
    """The sum."""

    def __init__(self) -> None:
        self.sum: float = 0

    def add(self, value: float) -> None:
        self.sum += value

    def result(self) -> float:
        return self.sum


class ParamInfo:
    """What a parameter can be.

    Args:
        dtype: Its type; whole numbers stand for decimal ones too.
        required: Whether it must be given.
        choices: The values that it can have; all of its type where they are absent.
        default: What it is where it is not given.
        desc: What it means.
    """

    def __init__(
        self,
        dtype: type | None = None,
        required: bool = False,
        choices: Any = ABSENT,
        default: Any = ABSENT,
        desc: str | None = None,
    ) -> None:
        self.dtype = dtype
        self.required = required
        self.choices = choices
        self.default = default
        self.desc = desc

    def validate(self, value: Any) -> bool:
        """Returns whether the parameter can have a value."""
        if value is ABSENT:
            return not self.required
        kinds = (int, float) if self.dtype is float else self.dtype
        if kinds is not None and not isinstance(value, kinds):
            return False
        return self.choices is ABSENT or value in self.choices


class Measure:
    """A measure with some of its parameters.

    Args:
        params: Parameters by name; they are checked when the measure is used.

    Attributes:
        NAME: Its name.
        AT_PARAM: The parameter that `@` sets.
        SUPPORTED_PARAMS: What it takes.
        DEFAULT: What a query counts for which nothing was retrieved.

    Examples:
        >>> from relkit.compat.ir_measures import AP, P
        >>> P(rel=2) @ 5, AP @ 10 == AP(cutoff=10)
        (P(rel=2)@5, True)
    """

    NAME: ClassVar[str | None] = None
    AT_PARAM: ClassVar[str] = "cutoff"
    SUPPORTED_PARAMS: ClassVar[dict[str, ParamInfo]] = {}
    PRETTY_NAME: ClassVar[str | None] = None
    SHORT_DESC: ClassVar[str | None] = None
    DEFAULT: ClassVar[float] = 0.0

    def __init__(self, **params: Any) -> None:
        self.params = params

    def validate_params(self) -> None:
        """Checks the parameters.

        Raises:
            ParameterError: If one is unknown, lacks, or has a value it cannot have.
        """
        known = self.SUPPORTED_PARAMS
        for name, value in self.params.items():
            if name not in known:
                raise ParameterError(
                    f"the measure `{self.NAME}` has no parameter `{name}`",
                    hint=f"it takes {', '.join(known)}" if known else "it takes none",
                )
            if not known[name].validate(value):
                raise ParameterError(
                    f"the parameter `{name}` of `{self.NAME}` cannot be `{value!r}`"
                )
        for name, info in known.items():
            if info.required and name not in self.params:
                given = f"{self.NAME}@10" if name == "cutoff" else f"{self.NAME}({name}=…)"
                raise ParameterError(
                    f"`{self}` lacks the parameter `{name}`", hint=f"write {given}"
                )

    def __call__(self, **params: Any) -> Measure:
        return type(self)(**{**self.params, **params})

    def __matmul__(self, value: Any) -> Measure:
        return self(**{self.AT_PARAM: value})

    def __getitem__(self, name: str) -> Any:
        return self.params.get(name, self.SUPPORTED_PARAMS[name].default)

    def iter_calc(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """Yields its value for every query."""
        from relkit.compat.ir_measures.providers import DefaultPipeline

        return DefaultPipeline.iter_calc([self], qrels, run)

    def calc_aggregate(self, qrels: Any, run: Any) -> float:
        """Returns its mean over queries, or its sum."""
        from relkit.compat.ir_measures.providers import DefaultPipeline

        return DefaultPipeline.calc_aggregate([self], qrels, run)[self]

    def calc(self, qrels: Any, run: Any) -> CalcResults:
        """Returns both."""
        from relkit.compat.ir_measures.providers import DefaultPipeline
        from relkit.compat.ir_measures.records import CalcResults

        found = DefaultPipeline.calc([self], qrels, run)
        return CalcResults(found.aggregated[self], found.per_query)

    def evaluator(self, qrels: Any) -> Evaluator:
        """Returns an evaluator of this measure for several runs."""
        from relkit.compat.ir_measures.providers import DefaultPipeline

        return DefaultPipeline.evaluator([self], qrels)

    def aggregator(self) -> Agg:
        """Returns what makes one number of the values of all queries."""
        return MeanAgg()

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        inside = ",".join(
            f"{name}={_shown(value)}"
            for name, value in self.params.items()
            if name != self.AT_PARAM
            and (name not in self.SUPPORTED_PARAMS or value != self.SUPPORTED_PARAMS[name].default)
        )
        text = f"{self.NAME}({inside})" if inside else str(self.NAME)
        return f"{text}@{self.params[self.AT_PARAM]}" if self.AT_PARAM in self.params else text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        pairs = ",".join(f"{key}:{gain}" for key, gain in sorted(value.items()) if key != gain)
        return "{" + pairs + "}"
    return repr(value)


BaseMeasure = Measure

#: Measures by name and alias.
registry: dict[str, Measure] = {}


def register(
    measure: Measure, aliases: list[str] | None = None, name: str | None = None
) -> dict[str, Measure]:
    """Makes a measure known to `parse_measure`.

    Raises:
        ParameterError: If one of the names is taken.
    """
    for key in (name or str(measure.NAME), *(aliases or [])):
        if key in registry:
            raise ParameterError(f"the measure name `{key}` is taken")
        registry[key] = measure
    return registry


CUTOFF = ParamInfo(int, desc="ranks counted")
NEEDED = ParamInfo(int, required=True, desc="ranks counted")
REL = ParamInfo(int, default=1, desc="lowest relevant grade")
OPEN_REL = ParamInfo(int, desc="lowest relevant grade; all documents where it is not given")
JUDGED = ParamInfo(bool, default=False, desc="leave out documents that nobody judged")
TARGET = ParamInfo(float, default=1.0, desc="the gain that the reader hopes for")
SCALE = {
    "min_rel": ParamInfo(int, default=0, desc="the grade that is worth 0"),
    "max_rel": ParamInfo(int, required=True, desc="the grade that is worth 1"),
}
RANKED = {"cutoff": CUTOFF, "rel": REL, "judged_only": JUDGED}
SET = {"rel": REL, "judged_only": JUDGED}
ALPHA = {"alpha": ParamInfo(float, default=0.5, desc="how much repetition costs")}
BETA = {"beta": ParamInfo(float, default=0.5, desc="patience")}

#: What each measure is called, and what it takes.
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
    body: dict[str, Any] = {
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
