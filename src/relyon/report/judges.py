"""What the judges of a project did: grades over time, their spread, and agreement over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.core.language import Language
from relyon.judging.judge_checks import measure_period
from relyon.report.catalogue import Catalogue, catalogue
from relyon.report.page import Chart, Key, Page, Section, Table

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.scale import Scale
    from relyon.judging.given_grades import GivenGrades

__all__ = ["build_agreement_page", "build_progress_page"]

#: Colours and strokes of the judges with the most grades; the others are one series.
LOOKS = (("blue", ""), ("orange", "7 3"), ("green", "2 3"), ("purple", "8 3 2 3"), ("sky", "4 2"))
CONFIDENCE = 0.95
#: Grades of which the spread can be drawn: a scale, not measurements.
MOST_GRADES = 10
#: Shared results of a judge in a period below which there is no point.
FEWEST = 5


def build_progress_page(given: GivenGrades, scale: Scale, *, language: Language = "en") -> Page:
    """Returns the charts of a project's progress: grades over time, and their spread by judge.

    Args:
        given: The grades.
        scale: The project's scale, which names the grades.
        language: `en` or `zh`.
    """
    texts = catalogue(language)
    sections = []
    if not given.frame.is_empty():
        done = _over_time(given, texts)
        sections.append(Section("over-time", texts.say("judges.over_time"), (done,)))
        if given.frame["grade"].n_unique() <= MOST_GRADES:
            spread = _spread(given, scale, texts)
            sections.append(Section("spread", texts.say("judges.spread"), (spread,)))
    return Page(language, texts.say("judges.progress"), "", (), tuple(sections))


def build_agreement_page(given: GivenGrades, *, language: Language = "en") -> Page:
    """Returns the chart of agreement over time, by judge."""
    texts = catalogue(language)
    dated, periods = given.periods()
    shared = dated.shared()
    sections = []
    if not shared.is_empty():
        chart = _agreement(shared, periods, texts)
        sections.append(Section("agreement-over-time", texts.say("judges.agreement"), (chart,)))
    return Page(language, texts.say("judges.agreement"), "", (), tuple(sections))


def _most_active(frame: pl.DataFrame) -> list[str]:
    """Returns the judges who have a colour of their own: those with the most grades, by name."""
    import polars as pl

    counts = frame.group_by("judge").agg(pl.len().alias("count"))
    first = counts.sort("count", "judge", descending=[True, False])["judge"].to_list()
    return sorted(first if len(first) <= len(LOOKS) else first[: len(LOOKS) - 1])


def _over_time(given: GivenGrades, texts: Catalogue) -> Chart:
    import polars as pl

    dated, periods = given.periods()
    named = _most_active(dated.frame)
    rest = texts.say("judges.others")
    series = [*named, *([rest] if len(dated.judges) > len(named) else [])]
    who = pl.when(pl.col("judge").is_in(named)).then("judge").otherwise(pl.lit(rest))
    counts = dated.frame.group_by(who.alias("series"), "period").agg(pl.len().alias("value"))
    known = {(name, period): value for name, period, value in counts.iter_rows()}
    colon = texts.say("list.colon")
    rows = [
        {
            "period": period,
            "series": name,
            "order": place,
            "value": known[name, period],
            "text": f"{period} {name}{colon}{known[name, period]:,}",
        }
        for period in periods
        for place, name in enumerate(series)
        if (name, period) in known
    ]
    cells = [
        (period, *(f"{known.get((name, period), 0):,}" for name in series)) for period in periods
    ]
    looks = [(name, role, "") for name, (role, _) in zip(series, LOOKS, strict=False)]
    return Chart(
        drawing="stacked_columns",
        title=texts.say("judges.over_time_title", grades=given.frame.height, places=given.places),
        caption=texts.say("judges.over_time_caption"),
        rows=tuple(rows),
        table=Table((texts.say("judges.period"), *series), tuple(cells)),
        labels={"x": texts.say("judges.period"), "y": texts.say("judges.grades")},
        values={"months": periods, "series": looks},
        legend=tuple(Key("solid", role, name) for name, role, _ in looks),
    )


def _spread(given: GivenGrades, scale: Scale, texts: Catalogue) -> Chart:
    import polars as pl

    grades = sorted((given.frame["grade"] + 0.0).unique())  # also of a zero with a sign
    names = {grade: _name(scale, grade, texts.language) for grade in grades}
    counts = given.frame.group_by("judge", "grade").agg(pl.len().alias("count"))
    totals = dict(given.frame.group_by("judge").agg(pl.len()).iter_rows())
    share: Mapping[tuple[str, float], float] = {
        (judge, grade): count / totals[judge] for judge, grade, count in counts.iter_rows()
    }
    colon = texts.say("list.colon")
    rows = [
        {
            "name": judge,
            "part": names[grade],
            "order": place,
            "depth": 0.15 + 0.85 * place / max(len(grades) - 1, 1),
            "value": share[judge, grade],
            "text": f"{judge} {names[grade]}{colon}{texts.percent(share[judge, grade])}",
        }
        for judge in given.judges
        for place, grade in enumerate(grades)
        if (judge, grade) in share
    ]
    cells = [
        (
            judge,
            f"{totals[judge]:,}",
            *(texts.percent(share.get((judge, grade), 0.0)) for grade in grades),
        )
        for judge in given.judges
    ]
    return Chart(
        drawing="shares",
        title=texts.say("judges.spread_title"),
        caption=texts.say("judges.spread_caption", grades=texts.join(list(names.values()))),
        rows=tuple(rows),
        table=Table(
            (texts.say("judges.judge"), texts.say("judges.grades"), *names.values()), tuple(cells)
        ),
        labels={"x": texts.say("judges.share")},
    )


def _name(scale: Scale, grade: float, language: Language) -> str:
    label = scale.label(grade, language)
    return label if label == f"{grade:g}" else f"{label} ({grade:g})"


def _agreement(shared: pl.DataFrame, periods: Sequence[str], texts: Catalogue) -> Chart:
    import polars as pl

    named = _most_active(shared)
    looks = list(zip(named, LOOKS, strict=False))
    rows: list[dict[str, object]] = []
    cells = []
    colon = texts.say("list.colon")
    for name in sorted(shared["judge"].unique()):
        own = shared.filter(pl.col("judge") == name)
        for period in periods:
            part = own.filter(pl.col("period") == period)
            if part.height < FEWEST:
                continue
            found = measure_period(part)
            low, high = found.share_interval(CONFIDENCE, part.height)
            unknown = math.isnan(low)
            interval = "–" if unknown else f"{texts.percent(low)} … {texts.percent(high)}"
            value = texts.percent(found.value)
            cells.append((name, period, f"{part.height:,}", value, interval))
            if name in named:
                rows.append(
                    {
                        "month": period,
                        "series": name,
                        "value": 100 * found.value,
                        "low": 100 * (found.value if unknown else low),
                        "high": 100 * (found.value if unknown else high),
                        "verdict": "undecided",
                        "text": f"{period} {name}{colon}{value} ({interval})",
                    }
                )
    headings = (
        texts.say("judges.judge"),
        texts.say("judges.period"),
        texts.say("judges.shared"),
        texts.say("judges.equal"),
        texts.say("table.interval", confidence=texts.percent(CONFIDENCE)),
    )
    return Chart(
        drawing="trend",
        title=texts.say("judges.agreement_title"),
        caption=texts.say(
            "judges.agreement_caption", confidence=texts.percent(CONFIDENCE), few=FEWEST
        ),
        rows=tuple(rows),
        table=Table(headings, tuple(cells), left=2),
        labels={"x": texts.say("judges.period"), "y": texts.say("judges.equal_axis")},
        values={
            "months": periods,
            "width": 640,
            "series": [(name, role, dash) for name, (role, dash) in looks],
        },
        legend=tuple(Key("line", role, name, dash) for name, (role, dash) in looks),
    )
