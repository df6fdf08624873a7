"""Findings in their order, in every form that a result has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from relkit.analysis.diagnosis.base import Finding, rules
from relkit.core.document.model import Document, Finding as Shown, Lines
from relkit.core.document.result import Exportable
from relkit.core.language import Language, check_language
from relkit.core.texts import catalogue

if TYPE_CHECKING:
    import polars

__all__ = ["Findings"]


class Findings(Exportable, list[Finding]):
    """What rules found, the most severe first.

    Args:
        found: The findings.
        applied: How many rules were applied; `None` for all.

    Examples:
        >>> print(Findings())
        Nothing was found (9 rules applied).
        >>> print(Findings().to_markdown("zh"))
        没有发现问题（应用了 9 条规则）。
    """

    def __init__(self, found: Iterable[Finding] = (), *, applied: int | None = None) -> None:
        super().__init__(found)
        self.applied = applied

    def document(self, language: Language = "en") -> Document:
        """Returns the findings, numbered.

        Args:
            language: `en` or `zh`.

        Raises:
            ParameterError: If there is no such language.
        """
        check_language(language)
        if not self:
            texts = catalogue("diagnosis", language)
            return Document([Lines([texts.say("label.none", rules=self.applied or len(rules))])])
        return Document([_shown(one, place, language) for place, one in enumerate(self, 1)])

    def to_dict(self, language: Language = "en") -> dict[str, Any]:
        """Returns JSON-ready values: how many rules were applied, and the findings.

        Args:
            language: `en` or `zh`.
        """
        return {
            "rules": self.applied or len(rules),
            "findings": [one.to_dict(language) for one in self],
        }

    def to_frame(self, language: Language = "en") -> polars.DataFrame:
        """Returns one row per finding: its rule, severity, runs and texts.

        Args:
            language: `en` or `zh`.
        """
        import polars

        names = ("rule", "severity", "baseline", "candidate", "title", "text", "next_step")
        rows = [one.to_dict(language) for one in self]
        schema = dict.fromkeys(names, polars.String)
        return polars.DataFrame([{name: row[name] for name in names} for row in rows], schema)


def _shown(finding: Finding, number: int, language: Language) -> Shown:
    texts = catalogue("diagnosis", language)
    about = texts.say(
        "label.against" if finding.candidate else "label.data",
        severity=finding.severity,
        candidate=finding.candidate,
        baseline=finding.baseline,
    )
    return Shown(
        title=finding.title(language),
        text=finding.text(language),
        about=about,
        step=finding.next_step(language),
        step_label=texts["label.next"],
        examples=finding.examples,
        examples_label=texts["label.examples"],
        number=number,
    )
