"""Formatting of numbers and names in reports."""

from __future__ import annotations

from relyon.core.texts.numbers import PAGE
from relyon.measures.definition import Measure
from relyon.measures.display_names import prose_label
from relyon.measures.parser import measure as parse_measure
from relyon.report.catalogue import Catalogue
from relyon.report.page import Headline, Tone

__all__ = [
    "MARKS",
    "build_headline",
    "kind_of",
    "label",
    "number",
    "p_equation",
    "p_value",
    "sentence",
    "signed",
]

number, signed = PAGE.number, PAGE.signed
p_value, p_equation = PAGE.p_value, PAGE.p_equation

MARKS = {
    "better": "▲",
    "worse": "▼",
    "undecided": "○",
    "described": "",
    "not-worse": "≥",
    "equal": "≈",
}


def label(measure: str) -> str:
    """Returns a measure's name for prose.

    Examples:
        >>> label("ndcg@10"), label("recall(rel=2)@100")
        ('NDCG@10', 'Recall(rel=2)@100')
        >>> label("pnr"), label("pnr(label_ties=ignore)")
        ('PNR', 'PNR (strict)')
    """
    return prose_label(measure)


def sentence(text: str, texts: Catalogue) -> str:
    """Returns a terminal message as a sentence for a page."""
    return text[:1].upper() + text[1:] + texts.say("list.stop")


def build_headline(
    subject: str, numbers: str, evidence: str, meaning: str, tone: Tone, texts: Catalogue
) -> Headline:
    """Returns a headline with the mark of its tone."""
    return Headline(
        subject=subject,
        numbers=numbers,
        evidence=evidence,
        meaning=meaning,
        tone=tone,
        mark=MARKS[tone],
        separator=texts.say("list.colon"),
    )


def kind_of(measure: str) -> str:
    """Returns the key of the sentence that describes a change of a measure."""
    found = _known(measure)
    return "other" if found is None else found.aspect


def _known(measure: str) -> Measure | None:
    try:
        return parse_measure(measure)
    except (LookupError, ValueError):
        return None
