"""A finding as people see it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from relyon.core.document.model import Finding as Shown
from relyon.core.language import Language
from relyon.core.lessons import lesson_line
from relyon.core.texts import TERMINAL, catalogue
from relyon.online.logs.log_check import Finding

__all__ = ["shown_finding"]


def shown_finding(finding: Finding, language: Language) -> Shown:
    """Returns the block of a finding: what is wrong, how much of it, what to do."""
    texts = catalogue("logs", language)
    fix = finding.fix(language)
    advice = texts.say("advice", fix=fix) if fix else ""
    return Shown(
        title=finding.title(language),
        text=finding.text(language),
        about=texts.name("level", finding.level),
        name=finding.kind,
        step=advice + (texts["fixable"] if finding.fixable else ""),
        examples=[_written(row) for row in finding.examples],
        lesson=lesson_line(finding.lesson, language),
    )


def _written(row: Mapping[str, object]) -> str:
    parts = []
    for name, value in row.items():
        shown = TERMINAL.part(value) if isinstance(value, float) else value
        parts.append(f"{name}={json.dumps(shown, ensure_ascii=False, default=str)}")
    return " ".join(parts)
