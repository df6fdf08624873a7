"""An ordered list of findings, in every form of a result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.analysis.diagnosis.rule import Finding, rules
from relyon.core.document.exportable import Exportable
from relyon.core.document.model import Document, Finding as Shown, Lines
from relyon.core.language import Language, check_language
from relyon.core.lessons import lesson_line
from relyon.core.texts import catalogue
from relyon.io.descriptions import described

if TYPE_CHECKING:
    import polars

__all__ = ["Findings"]


class Findings(Exportable, list[Finding]):
    """The findings of rules, the most severe first.

    Args:
        found: The findings.
        applied: How many rules were applied; `None` for all.

    Examples:
        >>> print(Findings())
        Nothing was found (14 rules applied). That does not rule out problems: few
          queries show few of them.
        >>> print(Findings().to_markdown("zh"))
        没有发现问题（应用了 14 条规则）。这不等于没有问题：查询少时，能发现的也少。
    """

    def __init__(self, found: Iterable[Finding] = (), *, applied: int | None = None) -> None:
        super().__init__(found)
        self.applied = applied

    def document(self, language: Language = "en") -> Document:
        """Returns the findings, numbered.

        Args:
            language: `en` or `zh`.

        Raises:
            ParameterError: If the language is unknown.
        """
        check_language(language)
        if not self:
            texts = catalogue("diagnosis", language)
            return Document([Lines([texts.say("label.none", rules=self.applied or len(rules))])])
        return Document([_shown(one, place, language) for place, one in enumerate(self, 1)])

    def to_dict(self, language: Language = "en") -> dict[str, object]:
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

    def described(self, query_texts: object = None, document_titles: object = None) -> Findings:
        """Returns a copy with texts next to the ids of examples.

        Args:
            query_texts: Query texts: a mapping from ids to texts, a frame, or a file with a
                column of ids and one of texts.
            document_titles: Document titles, in the same forms.

        Raises:
            InputError: If a table cannot be read, or has no column of ids or texts.
            ParameterError: If something else is given.
        """
        asked = [one for finding in self for one in finding.named("query")]
        named = [one for finding in self for one in finding.named("document")]
        queries = None if query_texts is None else described(query_texts, "query", asked)
        documents = None
        if document_titles is not None:
            documents = described(document_titles, "document", named)
        found = [
            replace(
                one,
                query_texts=_of(one.named("query"), queries, one.query_texts),
                document_titles=_of(one.named("document"), documents, one.document_titles),
            )
            for one in self
        ]
        return Findings(found, applied=self.applied)


def _of(
    ids: Iterable[str], texts: Mapping[str, str] | None, before: Mapping[str, str] | None
) -> Mapping[str, str] | None:
    return before if texts is None else {one: texts[one] for one in ids if one in texts}


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
        examples=finding.shown_examples(),
        listed=finding.described,
        examples_label=texts["label.examples"],
        number=number,
        lesson=lesson_line(finding.lesson, language),
    )
