"""What an audit found: its probes, family, drift and systems, without their presentation."""

from __future__ import annotations

from dataclasses import dataclass

from relyon.judging.llm.audit.families import FamilyPreference
from relyon.judging.llm.audit.measurement import ProbeResult
from relyon.judging.llm.audit.system_bias import SystemsAudit
from relyon.judging.llm.audit.versions import VersionDrift

__all__ = ["FEW_QUERIES", "AuditFacts"]

#: Below this number of queries, an audit says that only large shifts can be seen.
FEW_QUERIES = 20


@dataclass(frozen=True)
class AuditFacts:
    """What moves a judge's grades although it should not.

    Attributes:
        judge: The judge and its version.
        probes: What each change of an item does to its grade.
        family: Whether the judge favours its own family; None if no family was named.
        drift: How it differs from another version; None if none was named.
        systems: What its grades do to the differences of systems; None without runs.
        margin: Shifts up to this share of the scale's range do not matter.
        confidence: Confidence level of the intervals.
        lowest: The lowest grade of the scale.
        highest: The highest grade, which injected orders demand.
    """

    judge: str
    probes: tuple[ProbeResult, ...]
    family: FamilyPreference | None
    drift: VersionDrift | None
    systems: SystemsAudit | None
    margin: float
    confidence: float
    lowest: float
    highest: float

    @property
    def dangers(self) -> tuple[ProbeResult, ...]:
        """The injected orders that the judge obeys: a security finding."""
        return tuple(one for one in self.probes if one.dangerous)

    @property
    def findings(self) -> tuple[ProbeResult, ...]:
        """The probes that shift grades."""
        return tuple(one for one in self.probes if one.verdict == "found")

    @property
    def few(self) -> bool:
        """Whether fewer than 20 queries are behind a probe, so that only large shifts are seen."""
        return any(one.shift.queries < FEW_QUERIES for one in self.probes)
