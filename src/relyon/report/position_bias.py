"""Position bias as a page and as a picture: estimates side by side, and their evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from relyon.core.language import Language
from relyon.core.texts import PAGE, catalogue as texts_of
from relyon.io.picture import Picture
from relyon.report.catalogue import catalogue
from relyon.report.click_drawings import PointRow
from relyon.report.document import Format, Report, TitleOptions
from relyon.report.page import Chart, Page, Prose, Section
from relyon.report.pictures import draw_alone
from relyon.report.positions import ROOM
from relyon.report.provenance import note_section

if TYPE_CHECKING:
    from relyon.labels import PositionBias

__all__ = ["bias_chart", "bias_picture", "build_bias_page", "render_bias_report"]

#: Colours and symbols of the estimators, in their order.
SIGNS = (
    ("blue", "circle"),
    ("orange", "square"),
    ("green", "triangle-up"),
    ("purple", "diamond"),
    ("sky", "cross"),
)


def bias_chart(found: PositionBias, language: Language = "en") -> Chart:
    """Returns the chart of all estimates, by position.

    Args:
        found: The result of `relyon.labels.estimate_bias`.
        language: `en` or `zh`.
    """
    words = texts_of("position_bias", language, PAGE)
    series = [(name, *SIGNS[place % len(SIGNS)]) for place, name in enumerate(found.estimators)]
    rows: list[PointRow] = []
    for one in found.estimates:
        if one.examination != one.examination:
            continue
        sure = one.low == one.low
        wide = one.low < one.high
        interval = f" {words.style.interval((one.low, one.high), 3)}" if wide else ""
        value = words.style.number(one.examination, 3)
        rows.append(
            {
                "position": one.position,
                "series": one.estimator,
                "value": one.examination,
                "low": one.low if sure else one.examination,
                "high": one.high if sure else one.examination,
                "text": f"{one.estimator}, {one.position}: {value}{interval}",
            }
        )
    highest = ROOM * max(row["value"] for row in rows)
    cut = any(row["high"] is not None and row["high"] > highest for row in rows)
    caption = words.say(
        "chart.caption", first=found.connection.reference, level=words.percent(found.level)
    )
    if cut:
        texts = catalogue(language)
        caption += texts.say("list.sentence") + texts.say("clicks.cut")
    return Chart(
        drawing="side_by_side",
        title=words["chart.title"],
        caption=caption,
        rows=tuple(rows),
        table=found.estimates_table(words),
        labels={"x": words["column.position"], "y": words["chart.axis"]},
        values={
            "positions": found.connection.positions,
            "series": series,
            "end": highest if cut else None,
        },
    )


def bias_picture(found: PositionBias, language: Language = "en") -> Picture:
    """Returns the chart as a picture.

    Raises:
        DependencyError: If a package of the extra `report` is not installed.
    """
    return draw_alone(bias_chart(found, language))


def build_bias_page(
    found: PositionBias, *, language: Language = "en", title: str | None = None
) -> Page:
    """Returns the contents of a page on position bias, before it becomes HTML or Markdown.

    Args:
        found: The result of `relyon.labels.estimate_bias`.
        language: `en` or `zh`.
        title: The title of the page.

    Raises:
        ParameterError: If the language is unknown.
    """
    texts = catalogue(language)
    words = texts_of("position_bias", language, PAGE)
    verdict = found.verdict(language)
    sections = [
        Section(
            "estimates",
            words["section.estimates"],
            (bias_chart(found, language), Prose(tuple(verdict[1:]))),
        ),
        Section(
            "rests",
            words["section.rests"],
            (found.counts_table(words), Prose((words["section.swaps"],))),
        ),
        note_section(found.notes, texts),
    ]
    return Page(
        language=language,
        title=title or words["chart.title"],
        subtitle=words.say("found", sessions=found.sessions, results=found.results),
        lead=tuple(verdict[:1]),
        sections=tuple(sections),
    )


def render_bias_report(
    found: PositionBias, *, format: Format = "html", **options: Unpack[TitleOptions]
) -> str:
    """Returns a page on position bias as text.

    Args:
        found: The result of `relyon.labels.estimate_bias`.
        format: `html` or `markdown`.
        **options: `language`: `en` or `zh`. `title`: the title of the page.

    Raises:
        ParameterError: If the format or the language is unknown.
        DependencyError: If a package of the extra `report` is not installed.
    """
    return Report(build_bias_page).render(format, found, **options)
