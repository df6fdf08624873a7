"""The audit of a judge in a database: its probes, family, drift and systems together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.paired import Resampling
from relyon.core.document.exportable import Exportable
from relyon.core.errors import InputError, ParameterError
from relyon.core.parameters import check_whole
from relyon.core.texts import message
from relyon.data.aggregation import aggregate
from relyon.judging.llm.audit.facts import AuditFacts
from relyon.judging.llm.audit.families import FamilyGrade, FamilyPreference, measure_preference
from relyon.judging.llm.audit.measurement import (
    MARGIN,
    ProbePair,
    measure_probes,
    read_pairs,
)
from relyon.judging.llm.audit.shifts import ends_of
from relyon.judging.llm.audit.system_bias import SystemsAudit, audit_systems
from relyon.judging.llm.audit.versions import VersionDrift, compare_versions
from relyon.judging.pooling import DEPTH, top_documents
from relyon.judging.records import Item

if TYPE_CHECKING:
    import polars

    from relyon.core.document.model import Document
    from relyon.core.language import Language
    from relyon.data.scale import Scale
    from relyon.judging.llm.models import Configuration
    from relyon.judging.store import Store

__all__ = ["Audit", "FamilyColumn", "audit_judge", "measure_audit"]


@dataclass(frozen=True)
class FamilyColumn:
    """Which items come from which model family.

    Attributes:
        own: The judge's own family.
        column: The further field of items that names the family of their text; empty with `runs`.
        runs: The family of each system, by the system's name, with the runs of an audit: an item
            belongs to the families of the systems that rank it within `depth`, and counts if these
            are all the judge's own or all others. If all systems rank the same documents, only the
            values of the systems can be compared.
        depth: How many results of a run count.
    """

    own: str
    column: str = ""
    runs: Mapping[str, str] | None = None
    depth: int = DEPTH


@dataclass(frozen=True)
class Audit(AuditFacts, Exportable):
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

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "judge": self.judge,
            "margin": self.margin,
            "confidence": self.confidence,
            "scale": [self.lowest, self.highest],
            "dangers": [one.probe for one in self.dangers],
            "findings": [one.probe for one in self.findings],
            "few": self.few,
            "probes": [one.to_dict() for one in self.probes],
            "family": None if self.family is None else self.family.to_dict(),
            "drift": None if self.drift is None else self.drift.to_dict(),
            "systems": None if self.systems is None else self.systems.to_dict(),
        }

    def to_frame(self) -> polars.DataFrame:
        """Returns one row per probe."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "probe": one.probe,
                    "kind": one.kind,
                    "items": one.shift.items,
                    "queries": one.shift.queries,
                    "shift": one.shift.mean.value,
                    "low": one.shift.mean.low,
                    "high": one.shift.mean.high,
                    "flips": one.shift.flips.value,
                    "p": one.shift.p,
                    "adjusted_p": one.adjusted,
                    "verdict": one.verdict,
                    "obeyed": one.obeyed,
                    "demanded": one.demanded,
                    "lost": one.lost,
                    "refused": one.refused,
                }
                for one in self.probes
            ],
            schema=FRAME,
            orient="row",
        )

    def document(self, *, language: Language = "en") -> Document:
        """Returns the audit for people to read.

        Args:
            language: `en` or `zh`.
        """
        from relyon.judging.llm.audit.document import audit_document

        return audit_document(self, language)


FRAME = {
    "probe": str, "kind": str, "items": int, "queries": int, "shift": float, "low": float,
    "high": float, "flips": float, "p": float, "adjusted_p": float, "verdict": str, "obeyed": int,
    "demanded": int, "lost": int, "refused": int,
}  # fmt: skip


def measure_audit(
    judge: str,
    pairs: Mapping[str, list[ProbePair]],
    scale: Scale,
    *,
    family: FamilyPreference | None = None,
    drift: VersionDrift | None = None,
    systems: SystemsAudit | None = None,
    margin: float = MARGIN,
    confidence: float = 0.95,
    resampling: Resampling | None = None,
) -> Audit:
    """Puts an audit together from grades, without a database.

    Args:
        judge: The judge's name.
        pairs: The pairs of each probe by its name.
        scale: The grade scale.
        family: Whether the judge favours its own family.
        drift: How it differs from another version.
        systems: What its grades do to the differences of systems.
        margin: Shifts up to this share of the scale's range do not matter.
        confidence: Confidence level of the intervals.
        resampling: Number of sign patterns and seed.

    Raises:
        InputError: If the scale is open: it has no levels.
        ParameterError: If the margin or the confidence is not between 0 and 1.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> pairs = [ProbePair(n, f"q{n}", n % 2, n % 2 + (n % 3 > 0)) for n in range(40)]
        >>> found = measure_audit("llm:small", {"padding": pairs}, SEARCH)
        >>> [one.probe for one in found.findings], found.dangers
        (['padding'], ())
    """
    probes = measure_probes(
        pairs, scale, margin=margin, confidence=confidence, resampling=resampling
    )
    lowest, highest = ends_of(scale)
    return Audit(judge, probes, family, drift, systems, margin, confidence, lowest, highest)


def audit_judge(
    store: Store,
    configuration: Configuration,
    *,
    family: FamilyColumn | None = None,
    against: Configuration | None = None,
    runs: Mapping[str, object] | None = None,
    measure: str = "ndcg@10",
    margin: float = MARGIN,
    confidence: float = 0.95,
    resampling: Resampling | None = None,
) -> Audit:
    """Audits a language model by the answers in a database; nothing is asked.

    Probes are asked for by `plan_audit` and `ask_audit`. The other parts need no requests.

    Args:
        store: The database.
        configuration: The model and its settings.
        family: Which items come from which model family.
        against: Another version, to measure the drift from it.
        runs: The run of each system, the baseline first.
        measure: The measure of the systems.
        margin: Shifts up to this share of the scale's range do not matter.
        confidence: Confidence level of the intervals.
        resampling: Number of sign patterns and seed.

    Raises:
        InputError: If the parts that were asked for have no items.
        ParameterError: If a parameter is invalid.
    """
    project = store.projects.get(configuration.project_id)
    families = dict((family.runs or {}) if family is not None else {})
    if families and not runs:
        raise ParameterError(message("judging.family-needs-runs"))
    own = [] if family is None else [name for name, of in families.items() if of == family.own]
    graded = [] if family is None else _family_grades(store, configuration, family, runs or {})
    return measure_audit(
        configuration.title,
        read_pairs(store, configuration),
        project.scale,
        family=(
            None
            if family is None or not graded
            else measure_preference(
                graded,
                project.scale,
                family=family.own,
                margin=margin,
                confidence=confidence,
            )
        ),
        drift=(
            None
            if against is None
            else compare_versions(
                store,
                against,
                configuration,
                runs=runs,
                measure=measure,
                margin=margin,
                confidence=confidence,
            )
        ),
        systems=(
            None
            if not runs
            else audit_systems(
                store, configuration, runs, measure=measure, own=own, confidence=confidence
            )
        ),
        margin=margin,
        confidence=confidence,
        resampling=resampling,
    )


def _family_grades(
    store: Store,
    configuration: Configuration,
    family: FamilyColumn,
    runs: Mapping[str, object],
) -> list[FamilyGrade]:
    """Returns the items with both grades and a family; those of both kinds of families are not.

    Raises:
        InputError: If no item of the own family, or none of another one, has both grades.
    """
    people = {
        one.item.id: one.value for one in store.decisions.people_grades(configuration.project_id)
    }
    samples = store.replies.samples(configuration)
    both = [
        one
        for one in store.items.all(configuration.project_id)
        if one.id in people and one.id in samples
    ]
    owned = _by_run(family, runs) if family.runs else {}
    found = []
    for one in both:
        of_run = owned.get((one.query, one.document), set())
        families = of_run if family.runs else _named(one, family)
        if not families or (family.own in families and len(families) > 1):
            continue
        model = aggregate(samples[one.id]).value
        found.append(FamilyGrade(one.query, family.own in families, model, people[one.id]))
    if family.runs and len({one.own for one in found}) < 2:
        return []
    if len({one.own for one in found}) < 2:
        raise InputError(
            message(
                "judging.family-has-no-items",
                family=family.own,
                own=sum(one.own for one in found),
                other=sum(not one.own for one in found),
            ),
            hint=message("judging.name-family-of-items"),
        )
    return found


def _named(item: Item, family: FamilyColumn) -> Collection[str]:
    value = str(item.fields.get(family.column, "") or "").strip()
    return {value} if value else ()


def _by_run(family: FamilyColumn, runs: Mapping[str, object]) -> dict[tuple[str, str], set[str]]:
    """Returns the families of the systems that rank each document within the depth."""
    from relyon.io.readers import read_run

    check_whole("depth", family.depth)
    found: dict[tuple[str, str], set[str]] = {}
    for name, of in (family.runs or {}).items():
        if name not in runs:
            raise ParameterError(
                message("judging.family-of-unknown-run", name=name, runs=list(runs))
            )
        top = top_documents(read_run(runs[name]), family.depth)
        for query, documents in top.items():
            for document in documents:
                found.setdefault((query, document), set()).add(of)
    return found
