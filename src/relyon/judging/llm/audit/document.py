"""The audit of a language model, for people to read: dangers first, then what was found."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.document.model import Block, Document, Lines, Prose, Section, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.judging.llm.audit.facts import FEW_QUERIES
from relyon.judging.llm.audit.probes import REPEAT
from relyon.judging.llm.audit.shifts import Estimate

if TYPE_CHECKING:
    from relyon.judging.llm.audit.facts import AuditFacts
    from relyon.judging.llm.audit.families import FamilyPreference
    from relyon.judging.llm.audit.measurement import ProbeResult
    from relyon.judging.llm.audit.system_bias import SystemBias, SystemsAudit
    from relyon.judging.llm.audit.versions import VersionDrift

__all__ = ["audit_document", "audit_sentences", "audit_table"]


def audit_document(found: AuditFacts, language: Language) -> Document:
    """Returns an audit as a document.

    Args:
        found: The audit.
        language: `en` or `zh`.
    """
    texts = catalogue("llm_audit", language)
    blocks: list[Block] = [Prose(audit_sentences(found, language))]
    if found.probes:
        blocks.append(Section("", texts["probes"], [audit_table(found, language)]))
    limit = _limit(found)
    if found.family is not None:
        title = texts.say("family", family=found.family.family)
        blocks.append(Section("", title, [Prose(_family(found.family, limit, texts))]))
    if found.drift is not None:
        title = texts.say("drift", earlier=found.drift.earlier, later=found.drift.later)
        blocks.append(Section("", title, [Prose(_drift(found.drift, limit, texts))]))
    if found.systems is not None:
        blocks += _systems(found.systems, texts)
    if found.probes:
        legend = texts.say(
            "legend",
            lowest=found.lowest,
            highest=found.highest,
            confidence=found.confidence,
            limit=limit,
        )
        blocks.append(Lines([legend]))
    return Document(blocks, texts.say("title", judge=found.judge))


def audit_sentences(found: AuditFacts, language: Language) -> list[str]:
    """Returns what the probes of an audit show, one sentence or two for each finding.

    Those of proven dangers come first, then those of orders that chance can explain.

    Args:
        found: The audit.
        language: `en` or `zh`.
    """
    texts = catalogue("llm_audit", language)
    if not found.probes:
        return [texts["nothing"]]
    limit = _limit(found)
    obeyed = sorted((one for one in found.probes if one.obeyed), key=lambda one: not one.dangerous)
    lines = [_danger(one, found, texts) for one in obeyed]
    lines += [_finding(one, limit, texts) for one in found.findings if not one.dangerous]
    if not found.findings:
        lines.append(texts["none"])
    for verdict in ("excluded", "open"):
        rest = [one for one in found.probes if one.verdict == verdict]
        if rest:
            ends = [one.shift.mean.excluded for one in rest]
            known = not any(math.isnan(end) for end in ends)
            largest = max(ends) if known else found.highest - found.lowest
            names = [texts[f"probe.{one.probe}"] for one in rest]
            lines.append(texts.say(verdict, limit=limit, probes=names, largest=largest))
    lines += [
        texts.say("lost", probe=texts[f"probe.{one.probe}"], lost=one.lost, refused=one.refused)
        for one in found.probes
        if one.lost
    ]
    if found.few:
        lines.append(texts.say("few", few=FEW_QUERIES))
    return lines


def _limit(found: AuditFacts) -> float:
    return found.margin * (found.highest - found.lowest)


def _danger(one: ProbeResult, found: AuditFacts, texts: Catalogue) -> str:
    return texts.say(
        "danger" if one.dangerous else "obeyed",
        judge=found.judge,
        probe=texts[f"probe.{one.probe}"],
        items=one.demanded,
        obeyed=one.obeyed,
        grade=found.highest,
    )


def _finding(one: ProbeResult, limit: float, texts: Catalogue) -> str:
    mean = one.shift.mean
    up = mean.value > 0
    key = "found-repeat" if one.probe == REPEAT else "found-up" if up else "found-down"
    said = [
        texts.say(
            key,
            probe=texts[f"probe.{one.probe}"],
            shift=mean.value if one.probe == REPEAT else abs(mean.value),
            interval=(mean.low, mean.high),
            flips=one.shift.flips.value,
            items=one.shift.items,
            adjusted=one.adjusted,
        )
    ]
    if one.kind == "reduced":
        said.append(texts["reduced"])
    if mean.excluded < limit:
        said.append(texts.say("within", limit=limit))
    return texts.word("list.sentence").join(said)


def audit_table(found: AuditFacts, language: Language) -> Table:
    """Returns the probes of an audit as a table.

    Args:
        found: The audit.
        language: `en` or `zh`.
    """
    texts = catalogue("llm_audit", language)
    names = ("probe", "items", "shift", "flips", "p", "verdict")
    rows = [
        [
            texts[f"probe.{one.probe}"],
            str(one.shift.items),
            _estimate(one.shift.mean, "shift", texts),
            texts.style.nothing if math.isnan(one.shift.flips.value)
            else texts.percent(one.shift.flips.value),
            texts.style.nothing if math.isnan(one.adjusted)
            else texts.style.p_value(one.adjusted, 3),
            texts[f"verdict.{one.verdict}"],
        ]
        for one in found.probes
    ]  # fmt: skip
    return Table([texts[f"column.{name}"] for name in names], rows)


def _estimate(found: Estimate, key: str, texts: Catalogue) -> str:
    if math.isnan(found.value):
        return texts.style.nothing
    digits = 2 if key == "shift" else 4
    if math.isnan(found.low):
        return texts.style.signed(found.value, digits)
    return texts.say(key, value=found.value, interval=(found.low, found.high))


def _family(found: FamilyPreference, limit: float, texts: Catalogue) -> list[str]:
    plain = math.isnan(found.difference.low)
    said = texts.say(
        "family-plain" if plain else "family-text",
        own=found.own,
        other=found.other,
        difference=found.difference.value,
        interval=(found.difference.low, found.difference.high),
        within=found.within.value,
        within_interval=(found.within.low, found.within.high),
        reverse=found.reverse.value,
        reverse_interval=(found.reverse.low, found.reverse.high),
    )
    key = f"family-{found.favours or found.verdict}"
    return [said, texts.say(key, limit=limit)]


def _drift(found: VersionDrift, limit: float, texts: Catalogue) -> list[str]:
    shift = found.shift
    said = texts.say(
        "drift-plain" if math.isnan(shift.mean.low) else "drift-text",
        items=shift.items,
        queries=shift.queries,
        shift=shift.mean.value,
        interval=(shift.mean.low, shift.mean.high),
        flips=shift.flips.value,
        kappa=found.weighted_kappa.value,
    )
    lines = [said, texts.say(f"drift-{found.verdict}", limit=limit)]
    for one in found.systems:
        change = one.change
        lines.append(
            texts.say(
                "drift-systems-short" if math.isnan(change.low) else "drift-systems",
                candidate=one.candidate,
                baseline=one.baseline,
                measure=one.measure,
                queries=one.queries,
                change=change.value,
                interval=(change.low, change.high),
            )
        )
    return lines


def _systems(found: SystemsAudit, texts: Catalogue) -> list[Block]:
    blocks: list[Block] = [_pair(one, texts) for one in found.pairs]
    lines = []
    if found.circle is not None:
        favour = found.circle.favour
        lines.append(
            texts.say(
                "circle-short" if math.isnan(favour.low) else "circle",
                favour=favour.value,
                interval=(favour.low, favour.high),
                own=found.circle.own,
                other=found.circle.other,
            )
        )
    if found.partly:
        lines.append(texts.say("systems-partly", partly=found.partly))
    return [*blocks, Prose(lines)] if lines else blocks


def _pair(one: SystemBias, texts: Catalogue) -> Section:
    rows = [
        [
            texts[f"by.{name}"],
            str(one.labelled if name == "people" else one.total),
            _estimate(getattr(one, name), "estimate", texts),
            texts[f"says.{verdict}"],
        ]
        for name, verdict in one.says.items()
    ]
    headings = [texts[f"column.{name}"] for name in ("by", "queries", "difference", "says")]
    bias = one.bias
    said = [
        texts.say(
            "bias-short" if math.isnan(bias.low) else "bias",
            bias=bias.value,
            interval=(bias.low, bias.high),
            labelled=one.labelled,
        )
    ]
    if one.misleading:
        said.append(texts["misleading"])
    else:
        said.append(texts["undecided" if one.says["machine"] == "open" else "agrees"])
    if one.opposite:
        said.append(texts["opposite"])
    title = texts.say(
        "systems", candidate=one.candidate, baseline=one.baseline, measure=one.measure
    )
    return Section("", title, [Table(headings, rows), Prose(said)])
