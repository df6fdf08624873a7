"""Where a preset's numbers are not the program's: it has several tie rules, or an unstable sort."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.core.notes import Note

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.evaluation.program import Program
    from relyon.measures.definition import Measure

__all__ = ["other_rules", "preset_notes", "program_rules"]

#: ir_measures takes its measures from several programs. The preset has the rules of pytrec_eval;
#: the other programs have these. `tests/peers` compares every number under them.
_ASCENDING = {"ties": "doc-asc", "scores": "float64"}
_JUDGED = {**_ASCENDING, "negative": "nonrelevant"}
_CWL = {"ties": "input", "scores": "float64", "negative": "nonrelevant"}
_GDEVAL = {"scores": "float64", "negative": "nonrelevant"}
_ACCURACY = {**_CWL, "undefined": "skip", "missing": "skip"}
_BY_NAME: dict[str, dict[str, str]] = {
    "judged": _JUDGED,
    "compat": _JUDGED,
    "accuracy": _ACCURACY,
    **dict.fromkeys(
        ("bpm", "insq", "inst", "nerr8", "nerr9", "nerr10", "nerr11", "rbp", "sdcg"), _CWL
    ),
    **dict.fromkeys(
        ("alpha_dcg", "alpha_ndcg", "ap_ia", "err_ia", "nerr_ia", "nnrbp", "nrbp"), _ASCENDING
    ),
    **dict.fromkeys(("p_ia", "strecall"), _ASCENDING),
}
_WITH_CUTOFF: dict[str, dict[str, str]] = {"rr": _ASCENDING, "err": _GDEVAL}


def other_rules(measure: Measure) -> Mapping[str, str]:
    """Returns the rules of ir_measures for a measure that differ from those of its preset."""
    if getattr(measure, "k", None) is not None:
        if measure.name == "ndcg" and getattr(measure, "gain", None) == "exp":
            return _GDEVAL
        if measure.name in _WITH_CUTOFF:
            return _WITH_CUTOFF[measure.name]
    return _BY_NAME.get(measure.name, {})


def program_rules(measure: Measure, convention: Convention) -> dict[str, str]:
    """Returns the rules that the program behind a preset has instead of the preset's.

    Args:
        measure: The measure as requested.
        convention: A convention; other than the preset `ir_measures` as it is, none has any.

    Examples:
        >>> from relyon.data.convention import load_convention
        >>> from relyon.measures import measure
        >>> program_rules(measure("rr@10"), load_convention("ir_measures"))
        {'ties': 'doc-asc', 'scores': 'float64'}
        >>> program_rules(measure("rr"), load_convention("ir_measures"))
        {}
    """
    if convention.name != "ir_measures":
        return {}
    return {
        name: value
        for name, value in other_rules(measure).items()
        if getattr(convention, name) != value
    }


def preset_notes(program: Program, tied: int) -> list[Note]:
    """Notes the measures whose number under a preset may differ from the program's.

    Args:
        program: The measures.
        tied: How many queries have judged documents with equal scores.
    """
    convention = program.convention
    if convention.name == "ranx":
        return [Note("unstable-ties", tied, "warning")] if tied else []
    found: dict[tuple[str, ...], list[str]] = {}
    for asked in program.asked:
        own = program_rules(asked, convention)
        if own:
            rules = tuple(f"{name}={value}" for name, value in own.items())
            found.setdefault(rules, []).append(asked.shown)
    return [
        Note("other-program", len(names), "warning", values={"measures": names, "rules": [*rules]})
        for rules, names in found.items()
    ]
