"""The rules of a convention as the native core takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon import _native

if TYPE_CHECKING:
    from relyon.data.convention import Convention

__all__ = ["native_rules"]


def native_rules(convention: Convention, *, spans: bool = True) -> _native.Rules:
    """Returns the rules that all measures of a plan share.

    Args:
        convention: The convention.
        spans: Whether to evaluate tied documents in the worst and the best order, too.
    """
    return _native.Rules(
        ties=convention.ties,
        unjudged="nonrelevant"
        if convention.unjudged_grade is not None
        else str(convention.unjudged),
        negative=convention.negative,
        missing=convention.missing,
        unretrieved=convention.unretrieved,
        float32=convention.scores == "float32",
        decimals=-1 if convention.decimals is None else convention.decimals,
        spans=spans,
    )
