"""Side-by-side preferences as a page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from relyon.analysis.statistics.correction import adjust
from relyon.app.authentication import Leader, OpenStore
from relyon.app.catalogue import say
from relyon.app.pages import render
from relyon.app.rest import Id
from relyon.core.language import Language
from relyon.core.texts.numbers import PAGE
from relyon.judging.sbs import (
    PairPreference,
    SideBySide,
    read_preferences,
    summarize_preferences,
)
from relyon.online.monitoring.sentences import tier_name
from relyon.report.page import (
    Block,
    Cell,
    Chart,
    Headline,
    Headlines,
    Page,
    Prose,
    Section,
    Table,
    Tone,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["build_page", "router"]

router = APIRouter(include_in_schema=False)

ALPHA = 0.05
POINTS = (
    "preferences.left_much",
    "preferences.left",
    "preferences.equal",
    "preferences.right",
    "preferences.right_much",
)
HEADINGS = (
    "preferences.tier",
    "preferences.systems",
    "preferences.queries",
    "preferences.first",
    "preferences.ties",
    "preferences.second",
    "preferences.mean",
    "preferences.p",
)


@router.get("/projects/{project}/preferences")
def show_preferences(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Which system judges prefer, overall and by tier."""
    from relyon.report.html import render_parts

    found = store.projects.get(project)
    if found.kind != "side_by_side":
        raise HTTPException(404)
    given = read_preferences(store, project)
    opening = sections = ""
    if given:
        page = build_page(summarize_preferences(given), visitor.language)
        opening, sections = render_parts(page)
    return render(
        request,
        visitor,
        "preferences.html",
        project=found,
        opening=opening,
        sections=sections,
    )


def build_page(found: SideBySide, language: Language) -> Page:
    """Returns people's preferences as sentences, tables and a chart.

    A system counts as preferred if the sign test over queries is significant at 0.05, with Holm's
    correction for several pairs.

    Args:
        found: The summary of all preferences.
        language: `en` or `zh`.
    """
    tell = partial(say, language)
    pairs = found.overall.pairs
    adjusted = adjust([pair.p for pair in pairs], "holm")
    headlines = Headlines(
        "",
        tuple(
            _headline(pair, p, len(pairs) > 1, tell)
            for pair, p in zip(pairs, adjusted, strict=True)
        ),
    )
    explained = Prose((tell("preferences.explained"),))
    blocks: list[Block] = [headlines, _pairs(found, language), explained]
    sections = [Section("pairs", tell("preferences.pairs"), tuple(blocks))]
    if len(pairs) > 1:
        sections.append(Section("order", tell("preferences.order"), tuple(_order(found, tell))))
    sections.append(
        Section("points", tell("preferences.points"), (_points(pairs, tell),)),
    )
    queries = sum(pair.queries for pair in pairs)
    judgments = sum(sum(pair.points) for pair in pairs)
    return Page(
        language,
        tell("preferences.title"),
        tell("preferences.subtitle", queries=queries, judgments=judgments),
        (),
        tuple(sections),
    )


def _headline(
    pair: PairPreference, p: float, corrected: bool, tell: Callable[..., str]
) -> Headline:
    preferred = pair.first if pair.mean < 0 else pair.second
    decided = p <= ALPHA and pair.first_wins != pair.second_wins
    if decided:
        preferred = pair.first if pair.first_wins > pair.second_wins else pair.second
    tone: Tone = "better" if decided else "undecided"
    key = "preferences.decided" if decided else "preferences.undecided"
    return Headline(
        subject=tell("preferences.against", first=pair.first, second=pair.second),
        numbers=f"{pair.first_wins} : {pair.second_wins}",
        evidence=tell(
            "preferences.evidence",
            ties=pair.ties,
            p=PAGE.p_equation(p),
            corrected=tell("preferences.corrected") if corrected else "",
        ),
        meaning=tell(key, preferred=preferred),
        tone=tone,
        mark="▲" if decided else "·",
        separator=tell("preferences.colon"),
    )


def _pairs(found: SideBySide, language: Language) -> Table:
    tell = partial(say, language)
    headings = _headings(found, tell)
    rows: list[tuple[Cell | str, ...]] = []
    for tier, summary in {"all": found.overall, **found.tiers}.items():
        for pair in summary.pairs:
            rows.append(
                (
                    tier_name(tier, language),
                    f"{pair.first} / {pair.second}",
                    f"{pair.queries:,}",
                    f"{pair.first_wins:,}",
                    f"{pair.ties:,}",
                    f"{pair.second_wins:,}",
                    _toward(pair, tell),
                    PAGE.p_value(pair.p),
                )
            )
    return Table(headings, tuple(rows), tell("preferences.pairs_caption"), left=2)


def _headings(found: SideBySide, tell: Callable[..., str]) -> tuple[str, ...]:
    """Returns the headings; if there are only two systems, they contain their names."""
    headings = dict(zip(HEADINGS, map(tell, HEADINGS), strict=True))
    if len(found.overall.pairs) == 1:
        (pair,) = found.overall.pairs
        for key, system in (("first", pair.first), ("second", pair.second)):
            headings[f"preferences.{key}"] = tell("preferences.one_better", system=system)
    return tuple(headings.values())


def _toward(pair: PairPreference, tell: Callable[..., str]) -> str:
    """Returns the mean preference with the preferred system."""
    mean = PAGE.number(abs(pair.mean), 2)
    if not float(f"{pair.mean:.2f}"):
        return mean
    system = pair.first if pair.mean < 0 else pair.second
    return tell("preferences.toward", mean=mean, system=system)


def _order(found: SideBySide, tell: Callable[..., str]) -> list[Block]:
    if not found.overall.strengths:
        return [Prose((tell("preferences.no_order"),))]
    rows: list[dict[str, object]] = []
    cells: list[tuple[str, ...]] = []
    for one in found.overall.strengths:
        interval = PAGE.signed_interval((one.low, one.high), 2)
        cells.append((one.system, PAGE.signed(one.strength, 2), interval))
        rows.append(
            {
                "name": one.system,
                "difference": one.strength,
                "low": one.low,
                "high": one.high,
                "verdict": "better" if one.low > 0 else "worse" if one.high < 0 else "undecided",
                "text": f"{one.system} {PAGE.signed(one.strength, 2)} {interval}",
            }
        )
    headings = (
        tell("preferences.system"),
        tell("preferences.strength"),
        tell("preferences.interval"),
    )
    return [
        Chart(
            drawing="forest",
            title=tell("preferences.order_title"),
            caption=tell("preferences.order_caption"),
            rows=tuple(rows),
            table=Table(headings, tuple(cells)),
            labels={"axis": tell("preferences.strength")},
        )
    ]


def _points(pairs: Sequence[PairPreference], tell: Callable[..., str]) -> Table:
    headings = (tell("preferences.systems"), *map(tell, POINTS))
    rows = tuple(
        (f"{pair.first} / {pair.second}", *(f"{count:,}" for count in pair.points))
        for pair in pairs
    )
    return Table(headings, rows, tell("preferences.points_caption"))
