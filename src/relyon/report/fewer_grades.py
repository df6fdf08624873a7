"""Few human grades and a model's for all in a report: people alone, the model alone, and both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.analysis.prediction_powered.tables import apart_table, both_table, lead, reading
from relyon.core.texts import PAGE, catalogue as texts_of
from relyon.report.catalogue import Catalogue
from relyon.report.page import Block, Prose, Section

if TYPE_CHECKING:
    from relyon.analysis.prediction_powered import FewerGrades

__all__ = ["fewer_grades_section"]


def fewer_grades_section(found: FewerGrades, texts: Catalogue) -> Section:
    """Returns each mean by both kinds of grades and by each alone, and their worth.

    Args:
        found: The result of `relyon.prediction_powered`.
        texts: The texts of reports.
    """
    words = texts_of("fewer_grades", texts.language, PAGE)
    stop = texts.say("list.stop")
    said = tuple(text[:1].upper() + text[1:] + stop for text in reading(found, words))
    blocks: list[Block] = [
        Prose(tuple(lead(found, words))),
        both_table(found, words),
        apart_table(found, words),
        Prose(said),
    ]
    return Section("fewer_grades", texts.say("section.fewer_grades"), tuple(blocks))
