"""What a search for the rules behind a number found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from relyon.analysis.matching.chance import DOUBTFUL
from relyon.analysis.matching.differences import Difference
from relyon.analysis.matching.faults import FoundFault
from relyon.analysis.matching.next_look import NextLook
from relyon.analysis.matching.partial import PartialMatch
from relyon.analysis.matching.printed import PrintedNumber
from relyon.analysis.matching.ways import Way

__all__ = ["MatchFacts", "MatchedClass", "NearMiss", "Tier", "Verdict"]

Verdict = Literal["found", "doubtful", "none"]


@dataclass(frozen=True)
class MatchedClass:
    """Rules that give the printed numbers and cannot be told apart by these measures here.

    Attributes:
        way: The simplest of them: fewest changes, then relyon, presets, options of programs.
        others: The rest, the simplest first.
        values: The values by measure, in full precision.
        options: The options of `relyon evaluate` that count so; None if it has none.
    """

    way: Way
    others: tuple[Way, ...]
    values: Mapping[str, float]
    options: str | None

    @property
    def name(self) -> str:
        """The simplest way, as text: `lightgbm, gain=linear`."""
        return str(self.way)


@dataclass(frozen=True)
class NearMiss:
    """Rules that do not give the printed numbers, but nearly.

    Attributes:
        way: The simplest of them.
        values: Their values by measure.
        distance: The largest distance from a printed number, in half units of its last decimal.
        cut_off: Whether they give the numbers if decimals are cut off instead of rounded.
    """

    way: Way
    values: Mapping[str, float]
    distance: float
    cut_off: bool


@dataclass(frozen=True)
class Tier:
    """How much was tried up to a number of changes, and how often that matches by accident.

    Attributes:
        changes: 0: known programs; 1: one rule of theirs changed; 2: two.
        tried: Ways of counting that can differ on these files, up to so many changes.
        distinct: Different numbers among them.
        classes: Classes of exactly so many changes that match.
        accident: The probability that one of the numbers matches though the rules are others.
    """

    changes: int
    tried: int
    distinct: int
    classes: int
    accident: float


@dataclass(frozen=True)
class MatchFacts:
    """What was found; `ConventionMatch` has it in all forms."""

    numbers: tuple[PrintedNumber, ...]
    classes: tuple[MatchedClass, ...]
    needless: int
    nearest: tuple[NearMiss, ...]
    tiers: tuple[Tier, ...]
    next_look: NextLook | None
    faults: tuple[FoundFault, ...]
    faults_tried: int
    without_effect: tuple[str, ...]
    queries: int
    run: str
    copies: int = 0
    faults_accident: float = 0.0
    own: Mapping[str, float] = field(default_factory=dict)
    differences: tuple[Difference, ...] | None = None
    partial: tuple[PartialMatch, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Whether rules are `found`, `doubtful` or `none`.

        `doubtful`: rules give the numbers, but with as many changes as the simplest of them, one of
        so many numbers matches by accident with a probability above 1%.
        """
        if not self.classes:
            return "none"
        return "doubtful" if self.accident > DOUBTFUL else "found"

    @property
    def found(self) -> bool:
        """Whether some rules give the numbers, and hardly by accident."""
        return self.verdict == "found"

    @property
    def accident(self) -> float:
        """The probability of an accidental match up to the changes of the simplest class."""
        changes = self.classes[0].way.tier if self.classes else len(self.tiers) - 1
        return self.tiers[changes].accident
