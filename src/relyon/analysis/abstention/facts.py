"""What an analysis of questions without an answer found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from relyon.core.notes import Note

if TYPE_CHECKING:
    from relyon.analysis.abstention.contrast import AbstentionContrast
    from relyon.analysis.abstention.rules import AbstentionRules
    from relyon.analysis.abstention.system import SystemAbstention
    from relyon.analysis.abstention.thresholds import Choice

__all__ = ["AbstentionFacts"]


@dataclass(frozen=True)
class AbstentionFacts:
    """What was found; `Abstention` has it in all forms."""

    systems: tuple[SystemAbstention, ...]
    contrasts: tuple[AbstentionContrast, ...]
    answerable: int
    unanswerable: int
    choice: Choice
    rules: AbstentionRules
    tuned: bool = False
    notes: tuple[Note, ...] = field(default=())
    unanswerable_queries: tuple[str, ...] = field(default=(), repr=False)

    @property
    def crossed(self) -> bool:
        """Whether the threshold of each part of the queries was chosen on the other parts."""
        return not self.tuned and self.choice.rule != "fixed"
