"""Few human grades and a model's for all, as tables and sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.document.model import Document, Lines, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS

if TYPE_CHECKING:
    from relyon.analysis.prediction_powered.facts import PoweredFacts, PoweredMean

__all__ = ["apart_table", "both_table", "fewer_grades_document", "lead", "reading"]


def fewer_grades_document(
    found: PoweredFacts, *, digits: int = DIGITS, language: Language = "en"
) -> Document:
    """Returns the means, and how to read them.

    Args:
        found: The result.
        digits: Decimals.
        language: `en` or `zh`.
    """
    words = catalogue("fewer_grades", language)
    tables = [both_table(found, words, digits), apart_table(found, words, digits)]
    return Document([*tables, Lines(reading(found, words))], words["title"])


def both_table(found: PoweredFacts, words: Catalogue, digits: int = DIGITS) -> Table:
    """Returns each mean by both kinds of grades and by people's alone, and its worth.

    Args:
        found: The result.
        words: The texts of the area `fewer_grades`.
        digits: Decimals.
    """
    rows = []
    for one in found.means:
        powered = one.powered
        worth = powered.worth
        rows.append(
            (
                _title(one, words),
                one.measure,
                _value(one, powered.estimate, (powered.low, powered.high), words, digits),
                _value(one, powered.classical_estimate, powered.classical, words, digits),
                words["nothing"] if math.isnan(worth) else f"{math.floor(worth + 1e-9):,}",
            )
        )
    names = ("run", "measure", "both", "people", "worth")
    caption = words.say("both", level=words.percent(found.rules.confidence))
    return Table(words.names("heading", names), rows, caption=caption, left=2, long=[0])


def apart_table(found: PoweredFacts, words: Catalogue, digits: int = DIGITS) -> Table:
    """Returns each mean by the model's grades alone, λ, and the labelled queries of all.

    Args:
        found: The result.
        words: The texts of the area `fewer_grades`.
        digits: Decimals.
    """
    rows = [
        (
            _title(one, words),
            one.measure,
            _value(one, one.powered.model_mean, one.model_interval, words, digits),
            words.style.number(one.powered.weight, 2),
            words.say(
                "share", labelled=f"{one.powered.labelled:,}", total=f"{one.powered.total:,}"
            ),
        )
        for one in found.means
    ]
    names = ("run", "measure", "model", "weight", "labelled")
    headings = words.names("heading", names)
    return Table(headings, rows, caption=words["apart"], left=2, long=[0])


def lead(found: PoweredFacts, words: Catalogue) -> list[str]:
    """Returns the worth of the grades, as sentences: of each difference, or of each run.

    Args:
        found: The result.
        words: The texts of the area `fewer_grades`.
    """
    differences = [one for one in found.means if one.baseline]
    lines = []
    for one in differences or found.means:
        powered = one.powered
        bounds = (powered.low, powered.high)
        key = "lead.alone" if powered.alone else "lead.both"
        lines.append(
            words.say(
                key,
                name=_title(one, words),
                measure=one.measure,
                value=_value(one, powered.estimate, bounds, words, DIGITS),
                labelled=powered.labelled,
                worth=0 if math.isnan(powered.worth) else math.floor(powered.worth + 1e-9),
            )
        )
    return lines


def reading(found: PoweredFacts, words: Catalogue) -> list[str]:
    """Returns how to read the tables.

    Args:
        found: The result.
        words: The texts of the area `fewer_grades`.
    """
    labelled = "legend.labelled_judged" if found.rules.labelled == "judged" else "legend.labelled"
    keys = ["legend.worth", labelled, "legend.weight", "legend.model"]
    if any(one.baseline for one in found.means):
        keys.insert(3, "legend.difference")
    return [*(words[key] for key in keys), words[f"legend.{found.rules.population}"]]


def _title(one: PoweredMean, words: Catalogue) -> str:
    """Returns the run, or the difference of two runs."""
    if not one.baseline:
        return one.run
    return words.say("difference", run=one.run, baseline=one.baseline)


def _value(
    one: PoweredMean, value: float, bounds: tuple[float, float], words: Catalogue, digits: int
) -> str:
    """Returns a number with its interval; a difference has a sign."""
    style = words.style
    if one.baseline:
        number, interval = style.signed(value, digits), style.signed_interval(bounds, digits)
    else:
        number, interval = style.number(value, digits), style.interval(bounds, digits)
    return number if math.isnan(bounds[0]) else f"{number} {interval}"
