"""The rules on which evaluation programs disagree, each one a field."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any, Literal, get_args

from relkit.errors import ParameterError, UnknownNameError
from relkit.parameters import check_choice
from relkit.registry import Registry, suggestion

__all__ = [
    "Convention",
    "Gain",
    "gain_function",
    "load_convention",
    "parse_gain",
    "presets",
    "show_gain",
]

Ties = Literal["doc-desc", "doc-asc", "input", "rank", "expected", "worst", "best"]
Undefined = Literal["skip", "zero", "one"]
Missing = Literal["zero", "skip", "error"]
Unjudged = Literal["nonrelevant", "removed"]
Negative = Literal["nonrelevant", "unjudged", "error"]
Discount = Literal["log2", "inverse", "none"]
Ideal = Literal["judged", "retrieved"]
ApDenominator = Literal["relevant", "capped", "retrieved"]
PDenominator = Literal["k", "retrieved"]
Scores = Literal["float64", "float32"]

#: `linear`, `exp`, `scale`, or sorted (grade, gain) pairs.
Gain = str | tuple[tuple[float, float], ...]

GAINS = ("linear", "exp", "scale")


def parse_gain(value: object) -> Gain:
    """Returns a gain from its name, or from a mapping of grades to gains.

    Raises:
        ParameterError: If it is neither.

    Examples:
        >>> parse_gain("exp")
        'exp'
        >>> parse_gain({3: 7, 2: 3})
        ((2.0, 3.0), (3.0, 7.0))
    """
    if isinstance(value, str) and value in GAINS:
        return value
    if isinstance(value, str) and value.startswith("{") and value.endswith("}"):
        try:
            pairs = [item.split(":") for item in value[1:-1].split(",")]
            value = {float(grade): float(gain) for grade, gain in pairs}
        except ValueError:
            pass
    if isinstance(value, tuple):
        value = dict(value)
    if isinstance(value, Mapping) and value:
        try:
            table = tuple(sorted((float(grade), float(gain)) for grade, gain in value.items()))
        except (TypeError, ValueError):
            table = ()
        if table and all(0 <= gain < float("inf") for _, gain in table):
            return table
    raise ParameterError(
        f"the parameter `gain` must be `linear`, `exp`, `scale` or a map of grades to gains of 0"
        f" or more such as {{3:7,2:3}}. Got `{value}` instead."
    )


def show_gain(gain: Gain) -> str:
    """Returns a gain as it stands in a measure's name."""
    if isinstance(gain, str):
        return gain
    return (
        "{" + ",".join(f"{grade:.17g}:{value!r}".removesuffix(".0") for grade, value in gain) + "}"
    )


def gain_function(gain: Gain) -> Callable[[float | None], float]:
    """Returns the function from a grade to its gain; unjudged and negative grades are worth 0.

    Raises:
        ParameterError: If the gain is `scale`, which only a scale can resolve; or, when called,
            for a grade that the map does not hold.
    """
    if gain == "linear":
        return lambda grade: grade if grade is not None and grade > 0 else 0.0
    if gain == "exp":
        return lambda grade: 2.0**grade - 1.0 if grade is not None and grade > 0 else 0.0
    if isinstance(gain, str):
        raise ParameterError(
            "gain=scale needs judgments on a scale with named levels",
            hint='say scale="search", or give the map itself: gain={3:1,2:0.7,1:0.3,0:0}',
        )
    table = dict(gain)

    def look_up(grade: float | None) -> float:
        if grade is None or grade < 0:
            return 0.0
        try:
            return table[grade]
        except KeyError:
            raise ParameterError(
                f"the gain map has no entry for the grade {grade:g}",
                hint=f"add it: gain={show_gain(gain)[:-1]},{grade:g}:…}}",
            ) from None

    return look_up


@dataclass(frozen=True, kw_only=True)
class Convention:
    """Every rule that makes two programs print different numbers for the same scores.

    Attributes:
        ties: Order of documents with equal scores: `doc-desc` (document id descending, as
            trec_eval), `doc-asc`, `input` (as given), `rank` (the run's rank column decides
            the whole order), `expected` (mean over all orders of tied documents), `worst`,
            `best`.
        undefined: What a query counts for which a measure divides by zero (no relevant document,
            one class only): `skip`, `zero`, `one`.
        missing: What a judged query counts that the run does not hold: `zero` (an empty
            list), `skip`, `error`.
        unjudged: Retrieved documents without a grade: `nonrelevant`, or `removed` (condensed
            list). Pairwise measures have their own parameter of that name.
        negative: Grades below 0: `nonrelevant` (judged, worth nothing), `unjudged`, `error`.
        gain: How a grade becomes a gain: `linear`, `exp` (2^grade - 1), `scale`, or a map.
        discount: How gains shrink with the rank: `log2` (1/log2(rank + 1)), `inverse`
            (1/rank), `none`.
        ideal: The ideal list of NDCG holds all `judged` documents, or the `retrieved` ones.
        ap_denominator: AP divides by R (`relevant`), min(R, k) (`capped`), or the relevant
            documents `retrieved`.
        p_denominator: P@k divides by `k`, or by the documents `retrieved` where they are fewer.
        rel: Grades from here up are relevant; `None` takes the scale's threshold.
        scores: Scores are compared as `float64`, or after rounding to `float32`.
        name: The preset it was made from.

    Raises:
        ParameterError: If a field has a value it cannot have.

    Examples:
        >>> Convention(ties="expected").ties
        'expected'
        >>> load_convention("lightgbm").gain
        'exp'
    """

    ties: Ties = "doc-desc"
    undefined: Undefined = "skip"
    missing: Missing = "zero"
    unjudged: Unjudged = "nonrelevant"
    negative: Negative = "nonrelevant"
    gain: Gain = "linear"
    discount: Discount = "log2"
    ideal: Ideal = "judged"
    ap_denominator: ApDenominator = "relevant"
    p_denominator: PDenominator = "k"
    rel: float | None = None
    scores: Scores = "float64"
    name: str = field(default="custom", compare=False)

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            subject = f"the field `{name}` of a convention"
            check_choice(name, getattr(self, name), choices, subject=subject)
        object.__setattr__(self, "gain", parse_gain(self.gain))
        if self.rel is not None:
            object.__setattr__(self, "rel", float(self.rel))

    def replace(self, **changes: Any) -> Convention:
        """Returns a convention with some fields changed; text values are converted.

        Raises:
            UnknownNameError: If there is no such field; the hint names the nearest.
            ParameterError: If a value cannot be had.
        """
        known = [entry.name for entry in dataclasses.fields(self)]
        for name, value in changes.items():
            if name not in known:
                raise UnknownNameError(
                    f"a convention has no field `{name}`", hint=suggestion(name, known)
                )
            if name == "rel" and isinstance(value, str):
                try:
                    changes[name] = None if value.lower() == "none" else float(value)
                except ValueError:
                    raise ParameterError(
                        f"`rel` must be a number. Got `{value}` instead."
                    ) from None
        changes.setdefault("name", "custom")
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as JSON-ready values, the preset's name first."""
        values = {"name": self.name}
        for entry in dataclasses.fields(self):
            values[entry.name] = getattr(self, entry.name)
        values["gain"] = show_gain(self.gain)
        return values


CHOICES: dict[str, tuple[str, ...]] = {
    "ties": get_args(Ties),
    "undefined": get_args(Undefined),
    "missing": get_args(Missing),
    "unjudged": get_args(Unjudged),
    "negative": get_args(Negative),
    "discount": get_args(Discount),
    "ideal": get_args(Ideal),
    "ap_denominator": get_args(ApDenominator),
    "p_denominator": get_args(PDenominator),
    "scores": get_args(Scores),
}

presets: Registry[Convention] = Registry("convention preset")


def _preset(name: str, **fields: Any) -> None:
    presets.add(name, Convention(name=name, **fields))


_preset("relkit")
# trec_eval 9 keeps scores as 32-bit floats; 10 as 64-bit, and without -c it stops at the first
# judged query that the run lacks.
_preset("trec_eval", undefined="zero", missing="skip", negative="unjudged", scores="float32")
_preset("trec_eval10", undefined="zero", missing="skip", negative="unjudged")
_preset("pytrec_eval", undefined="zero", missing="skip", negative="unjudged", scores="float32")
_preset("ir_measures", undefined="zero", missing="zero", negative="unjudged", scores="float32")
_preset("ranx", undefined="zero", missing="error", ties="input")
_preset("sklearn", undefined="zero", ties="expected", ideal="retrieved", negative="error")
_preset(
    "lightgbm",
    undefined="one",
    ties="input",
    gain="exp",
    ideal="retrieved",
    ap_denominator="capped",
    negative="error",
)
_preset(
    "xgboost",
    undefined="one",
    ties="input",
    gain="exp",
    ideal="retrieved",
    ap_denominator="capped",
    p_denominator="retrieved",
    negative="error",
    scores="float32",
)
_preset(
    "catboost",
    undefined="one",
    ties="worst",
    ideal="retrieved",
    ap_denominator="capped",
    p_denominator="retrieved",
)


def load_convention(
    source: str | PathLike[str] | Mapping[str, Any] | Convention | None,
) -> Convention:
    """Returns a convention from a preset's name, a TOML/JSON/YAML file, or a mapping of fields.

    A file or mapping may name a `preset` to start from; its other keys are fields.

    Raises:
        UnknownNameError: If no preset or field has the name.
        InputError: If the file cannot be read.
        ParameterError: If a field has a value it cannot have.
    """
    if source is None:
        return presets.get("relkit")
    if isinstance(source, Convention):
        return source
    from relkit.scale import is_settings, read_settings

    if isinstance(source, Mapping):
        values = dict(source)
    elif is_settings(fspath(source)):
        values = read_settings(fspath(source))
    else:
        return presets.get(fspath(source))
    base = presets.get(str(values.pop("preset", "relkit")))
    return base.replace(**values) if values else base
