"""From a comparison to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relkit.report.catalogue import catalogue
from relkit.report.overview import comparison_section, lead, subtitle, summary_section
from relkit.report.page import Language, Page
from relkit.report.queries import query_section

if TYPE_CHECKING:
    from relkit.comparison import Comparison

__all__ = ["build_page"]


def build_page(
    comparison: Comparison,
    *,
    lang: Language = "en",
    title: str | None = None,
    measure: str | None = None,
    queries: int = 10,
) -> Page:
    """Returns everything that a report says, before it becomes HTML or Markdown.

    Args:
        comparison: What to report.
        lang: `en` or `zh`.
        title: The heading of the page; by default it names the runs.
        measure: The measure that the queries are looked at by; by default the first.
        queries: Queries that are derived, on either side.

    Raises:
        ParameterError: If the language is none of them.
        UnknownNameError: If the measure was not compared.
    """
    texts = catalogue(lang)
    focus = comparison.contrast(comparison.candidates[0], measure or comparison.measures[0]).measure
    heading = title or texts.say(
        "page.title",
        baseline=comparison.baseline,
        candidates=texts.join(list(comparison.candidates)),
    )
    return Page(
        language=lang,
        title=heading,
        subtitle=subtitle(comparison, texts),
        lead=lead(comparison, texts),
        sections=(
            summary_section(comparison, texts),
            comparison_section(comparison, texts),
            query_section(comparison, focus, texts, shown=queries),
        ),
    )
