"""The rules on which evaluation programs disagree, one field each."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, get_args

from relyon.core.errors import UnknownNameError
from relyon.core.parameters import check_choice, check_path, check_type
from relyon.core.registry import Registry, suggestion
from relyon.core.rules import (
    POSITIVE,
    ApDenominator,
    Discount,
    Gain,
    Ideal,
    IprecRounding,
    MeasureRules,
    Missing,
    Negative,
    NoRelevant,
    PDenominator,
    Scores,
    Ties,
    Undefined,
    Unjudged,
    Unretrieved,
    gain_function,
    parse_decimals,
    parse_gain,
    parse_measure_rules,
    parse_rel,
    parse_unjudged,
    show_gain,
    show_rel,
)
from relyon.core.texts import message

__all__ = [
    "Convention",
    "Gain",
    "gain_function",
    "load_convention",
    "parse_gain",
    "presets",
    "show_gain",
]


@dataclass(frozen=True, kw_only=True)
class Convention:
    """Every rule that makes two programs print different numbers for the same scores.

    Attributes:
        ties: Order of documents with equal scores: `doc-desc` (document id descending, as
            trec_eval), `doc-asc`, `input` (as given), `input-desc` (the last given first, as
            scikit-learn with ``ignore_ties=True``), `rank` (the run's rank column decides the
            whole order), `expected` (mean over all orders of tied documents), `worst`,
            `best`.
        undefined: The value of a query for which a measure would divide by zero (no relevant
            document, one class only): `skip`, `zero`, `one`; or `error`, which refuses it.
        no_relevant: P and Success of a query without a relevant document: `zero`, or `undefined`,
            so that the rule above decides.
        missing: Value of a judged query missing from the run: `zero` (an empty list), `skip`,
            `error`.
        unjudged: Retrieved documents without a grade: `nonrelevant`, `removed` (condensed list),
            `ignored` (removed from the first k, so that none from below moves up), or a number:
            the grade that CG, DCG, NDCG and ERR take for them, while other measures see them as
            not relevant. Pairwise measures have their own parameter of that name.
        unretrieved: Judged documents that the run lacks: `counted`, or `removed`, as in a program
            that sees only the documents it scores.
        negative: Grades below 0: `nonrelevant` (judged, worth nothing), `unjudged`, `error`.
            Measures of order alone (PNR, AUC, tau and the like) use judged ones as they are:
            -2 is worse than -1.
        gain: How a grade becomes a gain: `linear`, `exp` (2^grade - 1), `scale`, or a map.
        discount: How gains shrink with the rank: `log2` (1/log2(rank + 1)), `inverse`
            (1/rank), `none`.
        ideal: The ideal list of NDCG contains all `judged` documents, or the `retrieved` ones, and
            is cut at k; `hits` also cuts the judged documents at the number retrieved, `uncut`
            never cuts.
        ap_denominator: AP divides by R (`relevant`), min(R, k) (`capped`), or the relevant
            documents `retrieved`.
        p_denominator: P@k divides by `k`, or by the documents `retrieved` if they are fewer.
        iprec_rounding: How a level of recall times R becomes a number of documents: rounded
            `up`, to the `nearest` (trec_eval 10), or floor(x + 0.9), `nine-tenths` (trec_eval 9).
        rel: Lowest relevant grade; `positive` means every grade above 0, `None` takes
            the scale's threshold.
        scores: Scores are compared as `float64`, or after rounding to `float32`.
        decimals: Decimals to which each query's value is rounded, half up; `None` does not round.
        measures: Rules of single measures by name: parameters that their names leave open, and
            `undefined`. Parameters in a measure's name win.
        name: The preset it is based on.

    Raises:
        ParameterError: If a field has an invalid value.

    Examples:
        >>> Convention(ties="expected").ties
        'expected'
        >>> load_convention("lightgbm").gain
        'exp'
        >>> Convention(measures={"rbp": {"p": 0.9}}).replace(**{"ndcg.undefined": "one"}).shown()[
        ...     "ndcg.undefined"
        ... ]
        'one'
    """

    ties: Ties = "doc-desc"
    undefined: Undefined = "skip"
    no_relevant: NoRelevant = "zero"
    missing: Missing = "zero"
    unjudged: Unjudged | float = "nonrelevant"
    unretrieved: Unretrieved = "counted"
    negative: Negative = "nonrelevant"
    gain: Gain = "linear"
    discount: Discount = "log2"
    ideal: Ideal = "judged"
    ap_denominator: ApDenominator = "relevant"
    p_denominator: PDenominator = "k"
    iprec_rounding: IprecRounding = "up"
    rel: float | None = None
    scores: Scores = "float64"
    decimals: int | None = None
    measures: MeasureRules = ()
    name: str = field(default="custom", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "unjudged", parse_unjudged(self.unjudged))
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if name == "unjudged" and isinstance(value, float):
                continue
            check_choice(name, value, choices, subject=f"the field `{name}` of a convention")
        object.__setattr__(self, "gain", parse_gain(self.gain))
        object.__setattr__(self, "rel", parse_rel(self.rel))
        object.__setattr__(self, "decimals", parse_decimals(self.decimals))
        object.__setattr__(self, "measures", parse_measure_rules(self.measures))

    @property
    def unjudged_grade(self) -> float | None:
        """The grade of unjudged documents, or `None` if they have none."""
        return self.unjudged if isinstance(self.unjudged, float) else None

    def rounded(self, value: float) -> float:
        """Returns a query's value, rounded half up to `decimals`."""
        if self.decimals is None or not math.isfinite(value):
            return value
        scale = 10.0**self.decimals
        return math.floor(value * scale + 0.5) / scale

    def measure_rules(self, names: Sequence[str]) -> dict[str, object]:
        """Returns the rules of one measure, which may have several names."""
        return {
            key: value for name, entries in self.measures if name in names for key, value in entries
        }

    def one_order(self) -> Convention:
        """Returns rules with one order of tied documents: `doc-desc` in place of `expected`.

        Examples:
            >>> [Convention(ties=rule).one_order().ties for rule in ("expected", "input")]
            ['doc-desc', 'input']
        """
        return self.replace(ties="doc-desc") if self.ties == "expected" else self

    def replace(self, **changes: Any) -> Convention:
        """Returns a convention with some fields changed; text values are converted.

        A name with a dot, such as `rbp.p`, changes one rule of one measure.

        Raises:
            UnknownNameError: If there is no such field; the hint names the nearest.
            ParameterError: If a value is invalid.
        """
        known = [entry.name for entry in dataclasses.fields(self)]
        single = {name: changes.pop(name) for name in list(changes) if "." in name}
        for name in changes:
            if name not in known:
                raise UnknownNameError(
                    message("data.convention-has-no-field", name=name),
                    hint=suggestion(name, known),
                )
        rules = dict(parse_measure_rules(changes.get("measures", self.measures)))
        for name, value in single.items():
            one, _, key = name.partition(".")
            rules[one.lower()] = tuple({**dict(rules.get(one.lower(), ())), key: value}.items())
        changes["measures"] = rules
        changes.setdefault("name", "custom")
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, object]:
        """Returns the fields as JSON-ready values, the preset's name first."""
        values: dict[str, object] = {"name": self.name}
        for entry in dataclasses.fields(self):
            values[entry.name] = getattr(self, entry.name)
        values["gain"] = show_gain(self.gain)
        if self.rel == POSITIVE:
            values["rel"] = "positive"
        values["measures"] = self._shown_rules()
        return values

    def _shown_rules(self) -> dict[str, dict[str, object]]:
        return {
            name: {
                key: show_gain(parse_gain(one)) if key == "gain" else one for key, one in entries
            }
            for name, entries in self.measures
        }

    def shown(self) -> dict[str, str]:
        """Returns the fields as text, with one field per rule of a measure: `rbp.p`."""
        values = self.to_dict()
        del values["name"], values["measures"]
        texts = {
            key: f"{one:g}" if isinstance(one, float) else str(one) for key, one in values.items()
        }
        texts["rel"] = show_rel(self.rel)
        for name, entries in self._shown_rules().items():
            texts |= {f"{name}.{key}": str(one) for key, one in entries.items()}
        return texts


CHOICES: dict[str, tuple[str, ...]] = {
    "ties": get_args(Ties),
    "undefined": get_args(Undefined),
    "no_relevant": get_args(NoRelevant),
    "missing": get_args(Missing),
    "unjudged": get_args(Unjudged),
    "unretrieved": get_args(Unretrieved),
    "negative": get_args(Negative),
    "discount": get_args(Discount),
    "ideal": get_args(Ideal),
    "ap_denominator": get_args(ApDenominator),
    "p_denominator": get_args(PDenominator),
    "iprec_rounding": get_args(IprecRounding),
    "scores": get_args(Scores),
}

presets: Registry[Convention] = Registry("convention preset")


def _preset(name: str, **fields: object) -> None:
    presets.add(name, Convention().replace(name=name, **fields))


#: Rules of programs that see only labelled scores, and nothing outside the list.
_LABELLED: dict[str, object] = {"missing": "skip", "unretrieved": "removed"}
#: What boosting libraries share.
_BOOSTING: dict[str, object] = {
    **_LABELLED,
    "ties": "input",
    "undefined": "one",
    "gain": "exp",
    "ap_denominator": "capped",
    "negative": "error",
}

_preset("relyon")
# trec_eval 9 stores scores as 32-bit floats, 10 as 64-bit; 10 without -c stops at the first judged
# query that the run lacks.
_TREC: dict[str, object] = {
    "undefined": "zero",
    "negative": "unjudged",
    "scores": "float32",
    "iprec_rounding": "nine-tenths",
}
_preset("trec_eval", **_TREC, missing="skip")
_preset(
    "trec_eval10",
    **{**_TREC, "scores": "float64", "iprec_rounding": "nearest"},
    missing="skip",
    measures={"rbp": {"p": 0.9}, "rbp_residual": {"p": 0.9}},
)
_preset("pytrec_eval", **_TREC, missing="skip")
# gdeval, which computes its ERR, uses grades up to 4.
_preset("ir_measures", **_TREC, measures={"err": {"max": 4}})
_preset(
    "elinor",
    undefined="zero",
    missing="skip",
    ties="doc-asc",
    measures={"ndcg": {"undefined": "one"}},
)
_preset("ranx", undefined="zero", missing="error", ties="input")
_preset("sklearn", **_LABELLED, undefined="zero", ties="expected", negative="error")
_preset("lightgbm", **_BOOSTING)
_preset("xgboost", **_BOOSTING, p_denominator="retrieved", scores="float32")
_preset(
    "catboost",
    **_LABELLED,
    undefined="zero",
    ties="worst",
    ap_denominator="capped",
    p_denominator="retrieved",
    measures={"ndcg": {"undefined": "one"}, "recall": {"undefined": "one"}},
)
_preset(
    "torchmetrics",
    **_LABELLED,
    undefined="zero",
    no_relevant="undefined",
    ties="input",
    ap_denominator="retrieved",
)
# A pair of equal scores counts as neutral and as negative there; `worst` makes it negative.
_preset(
    "paddle",
    **_LABELLED,
    ties="worst",
    measures={"pnr": {"label_ties": "ignore", "score_ties": "rank"}},
)
_preset(
    "quepid",
    undefined="zero",
    ties="input",
    gain="exp",
    ideal="uncut",
    p_denominator="retrieved",
    rel="positive",
    measures={"cg": {"gain": "linear"}},
)
_preset(
    "opensearch",
    undefined="zero",
    ties="input",
    gain="exp",
    p_denominator="retrieved",
    rel="positive",
    decimals=2,
)
_preset(
    "elasticsearch",
    undefined="zero",
    ties="input",
    gain="exp",
    ideal="hits",
    p_denominator="retrieved",
)


def load_convention(
    source: str | PathLike[str] | Mapping[str, object] | Convention | None,
) -> Convention:
    """Returns a convention from a preset's name, a TOML/JSON/YAML file, or a mapping of fields.

    A file or mapping may name a `preset` to start from; its other keys are fields.

    Raises:
        UnknownNameError: If no preset or field has the name.
        InputError: If the file cannot be read.
        ParameterError: If a field has an invalid value.
    """
    if source is None:
        return presets.get("relyon")
    if isinstance(source, Convention):
        return source
    from relyon.data.scale import is_settings, read_settings

    if isinstance(source, Mapping):
        for key in source:
            check_type("convention", key, str, "a mapping of rules by name")
        values = dict(source)
    else:
        path = check_path("convention", source, "a preset, a file or a mapping of rules")
        if not is_settings(path):
            return presets.get(path)
        values = read_settings(path)
    base = presets.get(str(values.pop("preset", "relyon")))
    for name, entries in parse_measure_rules(values.pop("measures", ())):
        values |= {f"{name}.{key}": value for key, value in entries}
    return base.replace(**values) if values else base
