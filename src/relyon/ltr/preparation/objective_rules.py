"""Checks of settings: whether the objective matches the reported measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.core.rules import gain_function
from relyon.data.convention import Convention
from relyon.ltr.losses.definition import Loss
from relyon.ltr.losses.lambdarank import LambdaRank
from relyon.ltr.preparation.findings import Finding
from relyon.measures.definition import Measure
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["OBJECTIVE_RULES", "Target", "objective_findings", "target_of"]

OBJECTIVE_RULES = (
    "objective-differs", "gain-differs", "truncation-differs", "several-eval-at", "large-labels",
)  # fmt: skip

#: The highest label for which LightGBM has a gain; it refuses others without `label_gain`.
HIGHEST = 30

#: The engines' defaults for the number of first ranks in which a pair must have a document.
LIGHTGBM_TRUNCATION, XGBOOST_TRUNCATION = 30, 32

#: Other names of LightGBM's parameters.
ALIASES = {
    "objective": ("objective_type", "app", "application", "loss"),
    "eval_at": ("ndcg_eval_at", "ndcg_at", "map_eval_at", "map_at"),
    "metric": ("metrics", "metric_types", "eval_metric"),
    "first_metric_only": (),
    "label_gain": (),
    "lambdarank_truncation_level": (),
}


@dataclass(frozen=True)
class Target:
    """The target of an objective.

    Attributes:
        name: Its name.
        measure: The name of the measure; None for a loss of no measure, such as squared error.
        gain: The gain of a label, if the measure has one.
        truncation: The number of first ranks in which a pair must have a document; None for all.
    """

    name: str
    measure: str | None
    gain: Callable[[float], float] | None = None
    truncation: int | None = None


def target_of(
    loss: Loss | None,
    parameters: Mapping[str, object],
    engine: str,
    convention: Convention,
    highest: float,
) -> Target | None:
    """Returns the target of a loss or of an engine's own objective; None if neither is known."""
    if isinstance(loss, LambdaRank):
        found = parse_measure(loss.measure).resolve(convention, None, highest)
        ranks = [one for one in (loss.truncation, _cutoff(found)) if one is not None]
        return Target(str(loss), found.name, _gain(found), min(ranks, default=None))
    if loss is not None:
        return Target(str(loss), None)
    objective = _parameter(parameters, "objective")
    if objective is None:
        return None
    name = str(objective)
    if engine == "lightgbm" and name == "lambdarank":
        gains = _numbers(_parameter(parameters, "label_gain"))
        level = _parameter(parameters, "lambdarank_truncation_level")
        return Target(
            name,
            "ndcg",
            _listed(gains) if gains else gain_function("exp"),
            LIGHTGBM_TRUNCATION if level is None else _whole(level),
        )
    if engine == "xgboost" and name in ("rank:ndcg", "rank:map"):
        linear = str(parameters.get("ndcg_exp_gain", True)).lower() in ("false", "0")
        depth = parameters.get("lambdarank_num_pair_per_sample", XGBOOST_TRUNCATION)
        top = parameters.get("lambdarank_pair_method", "topk") == "topk"
        gain = gain_function("linear" if linear else "exp") if name == "rank:ndcg" else None
        return Target(name, name[5:].replace("map", "ap"), gain, _whole(depth) if top else None)
    return Target(name, None)


def objective_findings(
    target: Target | None,
    measure: Measure,
    parameters: Mapping[str, object],
    engine: str,
    labels: NDArray[np.float64],
) -> Iterator[Finding]:
    """Yields the differences between the target of training and the reported measure."""
    values = sorted(set(labels.tolist()))
    if target is not None:
        yield from _differences(target, measure, values)
    depths = _numbers(_parameter(parameters, "eval_at"))
    metrics = _texts(_parameter(parameters, "metric"))
    first = str(_parameter(parameters, "first_metric_only")).lower() in ("true", "1")
    several = max(len(depths), 1) * max(len(metrics), 1)
    if several > 1 and not first:
        shown = [*metrics, *(f"@{depth:g}" for depth in depths)]
        yield Finding("several-eval-at", "warning", {"count": several, "names": shown})
    highest = max(values, default=0.0)
    gains = _numbers(_parameter(parameters, "label_gain"))
    if engine == "lightgbm" and highest > max(HIGHEST, len(gains) - 1):
        yield Finding("large-labels", "warning", {"highest": float(highest), "most": HIGHEST})


def _differences(target: Target, measure: Measure, values: list[float]) -> Iterator[Finding]:
    names = {"objective": target.name, "measure": str(measure)}
    if target.measure != measure.name:
        surrogate = target.measure is None
        level: Literal["info", "warning"] = "info" if surrogate else "warning"
        key = "surrogate" if surrogate else "text"
        yield Finding("objective-differs", level, names, key=key)
        return
    wanted = _gain(measure)
    if wanted is not None and target.gain is not None:
        pairs = [(target.gain(one), wanted(one)) for one in values if one >= 0]
        top = max(pairs, key=lambda one: one[1], default=(1.0, 1.0))
        unlike = [
            (value, ours / top[0], theirs / top[1])
            for value, (ours, theirs) in zip((v for v in values if v >= 0), pairs, strict=True)
            if top[0] and top[1] and abs(ours / top[0] - theirs / top[1]) > 1e-9
        ]
        if unlike:
            value, ours, theirs = max(unlike, key=lambda one: abs(one[1] - one[2]))
            evidence = {**names, "label": value, "trained": ours, "reported": theirs}
            yield Finding("gain-differs", "warning", {**evidence, "top": max(values)})
    cutoff = _cutoff(measure)
    if target.truncation == cutoff or (target.truncation is None and cutoff is None):
        return
    evidence = {**names, "truncation": target.truncation, "cutoff": cutoff}
    if target.truncation is not None and (cutoff is None or target.truncation < cutoff):
        key = "short" if cutoff is not None else "endless"
        yield Finding("truncation-differs", "warning", evidence, key=key)
    elif cutoff is not None:
        key = "long" if target.truncation is not None else "none"
        yield Finding("truncation-differs", "info", evidence, key=key)


def _cutoff(measure: Measure) -> int | None:
    found = getattr(measure, "k", None)
    return int(found) if found else None


def _gain(measure: Measure) -> Callable[[float], float] | None:
    found = getattr(measure, "gain", None)
    return gain_function(found) if found is not None else None


def _listed(gains: list[float]) -> Callable[[float], float]:
    def gain(label: float) -> float:
        return gains[int(label)] if 0 <= label < len(gains) else 0.0

    return gain


def _parameter(parameters: Mapping[str, object], name: str) -> object:
    """Returns a parameter by any of its names."""
    for one in (name, *ALIASES[name]):
        if parameters.get(one) is not None:
            return parameters[one]
    return None


def _texts(value: object) -> list[str]:
    if value is None:
        return []
    if isinstance(value, str):
        return [one for one in value.split(",") if one]
    return [str(one) for one in value] if isinstance(value, Iterable) else [str(value)]


def _whole(value: object) -> int:
    return int(_numbers(value)[0])


def _numbers(value: object) -> list[float]:
    if isinstance(value, int | float):
        return [float(value)]
    return [float(one) for one in _texts(value)]
