"""Findings of checks of training rows, with numbers and advice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_values
from relyon.core.document.model import Document, Lines
from relyon.core.findings import Findings
from relyon.core.language import check_language
from relyon.core.lessons import lesson_line, lesson_of
from relyon.core.texts import Language, catalogue

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Finding", "RowCheck"]


@dataclass(frozen=True)
class Finding:
    """One finding of a check before training.

    Attributes:
        kind: The kind of check.
        level: `warning` if a ranker would learn or be evaluated wrongly, `info` otherwise.
        evidence: The numbers, by name.
        examples: A few of the queries or features concerned.
        key: Which sentence of its kind to use, if there are several.
    """

    kind: str
    level: Literal["warning", "info"]
    evidence: Mapping[str, object] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    key: str = "text"

    @property
    def lesson(self) -> str:
        """The lesson of the course that explains it; empty if none does."""
        return lesson_of("checks", self.kind)

    def title(self, language: Language = "en") -> str:
        """Returns a title of a few words, in English (`en`) or Chinese (`zh`)."""
        return self._say("title", language)

    def text(self, language: Language = "en") -> str:
        """Returns the numbers, and their effect on training."""
        return self._say(self.key, language)

    def fix(self, language: Language = "en") -> str:
        """Returns the advice."""
        return self._say("fix", language)

    def _say(self, part: str, language: Language) -> str:
        check_language(language)
        texts = catalogue("checks", language)
        count = self.evidence.get("count", 0)
        more = isinstance(count, int) and count > len(self.examples)
        values = {"examples": list(self.examples), "more": texts["more"] if more else ""}
        return texts.say(f"{self.kind}.{part}", **self.evidence, **values)

    def to_dict(self, language: Language = "en") -> dict[str, object]:
        """Returns JSON-ready values; NaN and infinity become null."""
        return {
            "kind": self.kind,
            "level": self.level,
            "title": self.title(language),
            "text": self.text(language),
            "fix": self.fix(language),
            "evidence": json_values(self.evidence),
            "examples": list(self.examples),
            "lesson": self.lesson or None,
        }

    def __str__(self) -> str:
        return f"{self.title()}: {self.text()} {self.fix()}"


@dataclass(frozen=True)
class RowCheck(Findings[Finding], Exportable):
    """The findings of checks of training rows, warnings first.

    Attributes:
        findings: The findings; empty if there are no problems.
        rows: The number of rows.
        queries: The number of queries.
        made: The kinds of all checks that ran.
    """

    findings: tuple[Finding, ...]
    rows: int
    queries: int
    made: tuple[str, ...]

    def to_frame(self, language: Language = "en") -> pl.DataFrame:
        """Returns one row per finding."""
        import polars as pl

        names = ("kind", "level", "title", "text", "fix")
        rows = [one.to_dict(language) for one in self.findings]
        return pl.DataFrame(
            [[row[name] for name in names] for row in rows],
            schema=dict.fromkeys(names, pl.String),
            orient="row",
        )

    def to_dict(self, language: Language = "en") -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "rows": self.rows,
            "queries": self.queries,
            "checks": list(self.made),
            "findings": [one.to_dict(language) for one in self.findings],
        }

    def document(self, *, language: Language = "en") -> Document:
        """Returns the findings as text.

        Args:
            language: `en` or `zh`.
        """
        words = catalogue("checks", language)
        key = "summary" if self.findings else "clean"
        warnings = len(self.warnings)
        lines = [
            words.say(
                key,
                rows=self.rows,
                queries=self.queries,
                checks=len(self.made),
                warnings=warnings,
                hints=len(self) - warnings,
            )
        ]
        for one in self.findings:
            level = words[f"level.{one.level}"]
            lines += ["", words.say("heading", level=level, title=one.title(language))]
            lines += [one.text(language), words.say("advice", fix=one.fix(language))]
            lines += [lesson_line(one.lesson, language)] if one.lesson else []
        return Document([Lines(lines)])
