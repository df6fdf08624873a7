"""Fingerprints: two numbers may be compared if their measure and rules are the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.measures.definition import Measure

__all__ = ["LENGTH", "definition_fingerprint", "measure_fingerprint"]

#: Characters of a fingerprint: 64 bits.
LENGTH = 16


def measure_fingerprint(measure: Measure, convention: Convention) -> str:
    """Returns a fingerprint of a measure and the rules it is computed under.

    Names do not matter: the measure's parameters are filled in from the convention first, and two
    presets of the same rules have the same fingerprint. It is the fingerprint of the mean over
    queries.

    Args:
        measure: The measure.
        convention: The rules.

    Examples:
        >>> import relyon
        >>> from relyon.data.convention import load_convention
        >>> ndcg, rules = relyon.measure("ndcg@10"), load_convention("relyon")
        >>> found = measure_fingerprint(ndcg, rules)
        >>> found == measure_fingerprint(ndcg, rules.replace(name="ours"))
        True
        >>> found == measure_fingerprint(ndcg, rules.replace(gain="exp"))
        False
    """
    return definition_fingerprint(str(measure.resolve(convention)), convention)


def definition_fingerprint(definition: str, convention: Convention, average: str = "macro") -> str:
    """Returns the fingerprint of a measure whose parameters are filled in.

    Args:
        definition: The measure with every parameter.
        convention: The rules.
        average: How queries become one number.

    Examples:
        >>> from relyon.data.convention import load_convention
        >>> rules = load_convention("relyon")
        >>> macro = definition_fingerprint("recall(rel=1)@5", rules)
        >>> macro == definition_fingerprint("recall(rel=1)@5", rules, "micro")
        False
    """
    import hashlib
    import json

    rules = convention.to_dict()
    rules.pop("name")
    other = None if average == "macro" else average
    text = json.dumps([definition, rules, other], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:LENGTH]
