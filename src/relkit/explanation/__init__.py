"""Why one query has the value it has: derivations, and what changed between two runs."""

from relkit.explanation.derivation import Explanation, IdealStep, Missed, explain

__all__ = ["Explanation", "IdealStep", "Missed", "explain"]
