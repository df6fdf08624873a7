"""The names of measures and conventions in tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from relyon.core.texts import Language, catalogue
from relyon.core.texts.numbers import DIGITS, NumberStyle
from relyon.data.convention import Convention, load_convention
from relyon.measures.parser import measure

__all__ = [
    "COUNTS",
    "convention_line",
    "count",
    "detail",
    "detail_names",
    "measure_label",
    "pair_rules",
    "prose_label",
    "thresholds",
]

#: Fields that every convention line shows; others only if a measure uses them or they deviate.
ALWAYS_SHOWN = ("ties", "undefined", "missing")

#: Details that are counts.
COUNTS = ("positive", "negative")
#: Details shown only in JSON.
JSON_ONLY = ("strict_share", "random_share")
#: How equal labels count unless a name says so.
STRICT = "label_ties=ignore"


def measure_label(name: str, average: str | None = None, definition: str = "") -> str:
    """Returns a measure's display name, with its rule for equal labels and its average.

    Args:
        name: The name as requested.
        average: How queries were averaged, `None` if that is shown elsewhere.
        definition: The measure with all parameters filled in; a convention may have filled how
            equal labels count.

    Examples:
        >>> measure_label("pnr", "micro"), measure_label("pnr(label_ties=ignore)", "micro")
        ('pnr (micro)', 'pnr (strict, micro)')
        >>> measure_label("pnr", "micro", "pnr(label_ties=ignore,score_ties=rank)")
        'pnr (strict, micro)'
        >>> measure_label("ndcg@10"), measure_label("a measure of mine")
        ('ndcg@10', 'a measure of mine')
    """
    shown = name
    if STRICT in name:
        with suppress(LookupError, ValueError):
            shown = measure(name).shown
    elif STRICT in definition:
        shown = f"{name} (strict)"
    if average is None or average == "sum" or (average == "macro" and _usual(name)):
        return shown
    return f"{shown[:-1]}, {average})" if shown.endswith(" (strict)") else f"{shown} ({average})"


def prose_label(name: str, average: str | None = None, definition: str = "") -> str:
    """Returns a measure's name for prose.

    Args:
        name: See `measure_label`.
        average: See `measure_label`.
        definition: See `measure_label`.

    Examples:
        >>> prose_label("ndcg@10"), prose_label("recall(rel=2)@100")
        ('NDCG@10', 'Recall(rel=2)@100')
        >>> prose_label("pnr"), prose_label("pnr(label_ties=ignore)")
        ('PNR', 'PNR (strict)')
    """
    shown = measure_label(name, average, definition)
    with suppress(LookupError, ValueError):
        found = measure(name)
        if shown.startswith(found.name):
            short = (
                found.name.upper() if len(found.name) <= 5 and "_" not in found.name else found.name
            )
            return (found.title or short) + shown[len(found.name) :]
    return shown


def _usual(name: str) -> bool:
    """Whether a measure is a mean over queries by default."""
    with suppress(LookupError, ValueError):
        return measure(name).averages[0] == "macro"
    return True


def count(value: float) -> str:
    """Returns a number of pairs or documents as text: whole, unless half pairs were counted.

    Examples:
        >>> count(12.0), count(1234567.5)
        ('12', '1234567.5')
    """
    return f"{value:.0f}" if value == int(value) else f"{value:.1f}"


def detail_names(name: str, details: Mapping[str, float], definition: str = "") -> list[str]:
    """Returns the details that a table shows below a measure, without what its own row shows."""
    hidden = (*JSON_ONLY, *(("strict",) if STRICT in name or STRICT in definition else ()))
    return [key for key in details if key not in hidden]


def detail(key: str, value: float, style: NumberStyle, digits: int = DIGITS) -> str:
    """Returns a detail as text."""
    return count(value) if key in COUNTS else style.number(value, digits)


def convention_line(
    convention: Convention,
    measures: Sequence[str] = (),
    ties: Mapping[str, str] | None = None,
    *,
    definitions: Iterable[str] = (),
    language: Language = "en",
) -> str:
    """Returns the rules behind numbers: those that matter, and those that deviate.

    Args:
        convention: The rules.
        measures: Names of the measures: the gain is shown if one of them takes it from the
            convention.
        ties: Rules for equal scores, by measure: shown if they differ from the convention's.
        definitions: The measures with all parameters filled in: the grade from which documents are
            relevant is shown unless it is 1 or a name says it.
        language: `en` or `zh`; names of rules and values are the same in both.

    Examples:
        >>> from relyon.data.convention import load_convention
        >>> convention_line(load_convention("relyon"), ["ndcg@10"])
        'convention relyon: ties=doc-desc, undefined=skip, missing=zero, gain=linear'
        >>> convention_line(load_convention("relyon"), ["rr"], definitions=["rr(rel=2)"])
        'convention relyon: ties=doc-desc, undefined=skip, missing=zero, rel=2'
        >>> strict = load_convention("relyon").replace(rel=2)
        >>> convention_line(strict, ["rr"], definitions=["rr(rel=2)"])
        'convention custom: ties=doc-desc, undefined=skip, missing=zero, rel=2'
    """
    values = convention.shown()
    usual = load_convention(None).shown()
    shown = list(ALWAYS_SHOWN)
    if any(getattr(measure(name), "gain", "none") is None for name in measures):
        shown.append("gain")
    shown += [key for key in values if key not in shown and values[key] != usual.get(key)]
    others = [f"{name}: {rule}" for name, rule in (ties or {}).items() if rule != values["ties"]]
    if others:
        values["ties"] = f"{values['ties']} ({', '.join(others)})"
    for key, ways in pair_rules(measures, convention).items():
        values[key] = "/".join(ways)
        shown.append(key)
    relevant = thresholds(measures, definitions)
    if relevant:
        values["rel"] = "/".join(relevant)
        shown.append("rel")
    rules = [f"{key}={values[key]}" for key in dict.fromkeys(shown)]
    return catalogue("tables", language).say("convention.line", name=convention.name, rules=rules)


def thresholds(measures: Iterable[str], definitions: Iterable[str]) -> list[str]:
    """Returns the grades from which documents are relevant, other than 1, if no name says them.

    Examples:
        >>> thresholds(["rr", "recall(rel=3)@5"], ["rr(rel=2)", "recall(rel=3)@5"])
        ['2']
    """
    found: dict[str, None] = {}
    for name, definition in zip(measures, definitions, strict=False):
        if not definition:
            continue
        with suppress(LookupError, ValueError):
            own, filled = (getattr(measure(one), "rel", None) for one in (name, definition))
            if own is None and filled is not None and filled != 1:
                found[f"{filled:g}"] = None
    return list(found)


def pair_rules(
    measures: Sequence[str], convention: Convention | str | None = None
) -> dict[str, list[str]]:
    """Returns how measures of pairs count equal labels and equal scores, each rule once.

    Examples:
        >>> pair_rules(["ndcg@10", "pnr", "pnr(label_ties=ignore)"])
        {'label_ties': ['positive', 'ignore'], 'score_ties': ['ignore']}
        >>> pair_rules(["ndcg@10"])
        {}
    """
    found = [measure(name) for name in measures]
    rules = load_convention(convention)
    pairs = [one.resolve(rules) for one in found if hasattr(one, "label_ties")]
    return {
        key: list(dict.fromkeys(str(one.filled(key)) for one in pairs))
        for key in ("label_ties", "score_ties")
        if pairs
    }
