"""Findings as text for people: in the terminal and in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from relkit.analysis.diagnosis.base import Finding, rules
from relkit.core.language import Language, check_language
from relkit.core.rendering import width
from relkit.core.texts import catalogue

__all__ = ["findings_markdown", "findings_text"]

#: A word, or one sign of a script that is written without spaces, with what may not start a line.
PIECE = re.compile(r"\s+|[^\s\u2e80-\u9fff\uff00-\uffef]+|[\u2e80-\u9fff\uff00-\uffef]")
CLOSING = "，。；：！？、）》」』”’"


def findings_text(
    findings: Sequence[Finding],
    language: Language = "en",
    *,
    applied: int | None = None,
    columns: int = 80,
) -> str:
    """Returns findings as numbered paragraphs.

    Args:
        findings: What `relkit.diagnose` returned.
        language: `en` or `zh`.
        applied: How many rules were applied; `None` for all.
        columns: Terminal columns a line may take.

    Raises:
        ParameterError: If there is no such language.

    Examples:
        >>> print(findings_text([]))
        Nothing was found (9 rules applied).
    """
    if not findings:
        return _nothing(applied, language)
    texts = catalogue("diagnosis", language)
    blocks = []
    for place, finding in enumerate(findings, 1):
        first = f"{place}. "
        indent = " " * len(first)
        lines = _wrap(finding.title(language), columns, indent, first)
        lines += _wrap(_about(finding, language), columns, indent, indent)
        lines += _wrap(finding.text(language), columns, indent, indent)
        following = texts["label.next"] + finding.next_step(language)
        lines += _wrap(following, columns, indent, indent)
        if finding.examples:
            named = texts["label.examples"] + ", ".join(finding.examples)
            lines += _wrap(named, columns, indent, indent)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def findings_markdown(
    findings: Sequence[Finding], language: Language = "en", *, applied: int | None = None
) -> str:
    """Returns findings as sections of a Markdown page.

    Args:
        findings: What `relkit.diagnose` returned.
        language: `en` or `zh`.
        applied: How many rules were applied; `None` for all.

    Raises:
        ParameterError: If there is no such language.

    Examples:
        >>> print(findings_markdown([], "zh"))
        没有发现问题（应用了 9 条规则）。
    """
    if not findings:
        return _nothing(applied, language)
    texts = catalogue("diagnosis", language)
    lines: list[str] = []
    for finding in findings:
        lines += [f"### {finding.title(language)}", "", f"*{_about(finding, language)}*", ""]
        lines += [finding.text(language), ""]
        lines += [
            f"**{texts['label.next'].strip()}** {finding.next_step(language)}",
            "",
        ]
        if finding.examples:
            examples = ", ".join(f"`{example}`" for example in finding.examples)
            lines += [texts["label.examples"] + examples, ""]
    return "\n".join(lines).rstrip("\n")


def _about(finding: Finding, language: Language) -> str:
    """Returns how severe a finding is, and which runs it is about."""
    values = {
        "severity": finding.severity,
        "candidate": finding.candidate,
        "baseline": finding.baseline,
    }
    key = "label.against" if finding.candidate else "label.data"
    return catalogue("diagnosis", language).say(key, **values)


def _nothing(applied: int | None, language: Language) -> str:
    check_language(language)
    return catalogue("diagnosis", language).say("label.none", rules=applied or len(rules))


def _wrap(text: str, columns: int, indent: str, first: str) -> list[str]:
    """Returns lines of at most so many columns, broken at spaces and between Chinese signs."""
    lines, fresh = [first], True
    for piece in PIECE.findall(text):
        if piece.isspace():
            if not fresh:
                lines[-1] += " "
            continue
        over = width(lines[-1]) + width(piece) > columns
        if over and not fresh and piece not in CLOSING:
            lines.append(indent)
        lines[-1] += piece
        fresh = False
    return [line.rstrip() for line in lines]
