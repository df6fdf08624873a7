"""Recall or ranking: what is missing from the ideal DCG, by run and by stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.analysis.funnel import Funnel
from relyon.analysis.funnel.losses import attribute, funnel_measures
from relyon.measures.parser import measure as parse_measure
from relyon.report.catalogue import Catalogue
from relyon.report.drawings import LossRow
from relyon.report.number_formats import number
from relyon.report.page import Block, Chart, Key, Prose, Section, Table

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.measures import Measure

__all__ = ["loss_chart", "loss_measures", "loss_section", "run_losses"]

PARTS = (
    ("reached", "solid", "green"),
    ("ranking", "hatched", "purple"),
    ("recall", "open", "orange"),
)


def run_losses(comparison: Comparison, measure: str) -> dict[str, Funnel]:
    """Returns each run's losses, at the cutoff of a measure, or 10 if it has none."""
    judgments, rules, k = comparison.judgments, comparison.convention, _cutoff(measure)
    if judgments is None or rules is None:
        return {}
    wanted = loss_measures(measure)
    return {
        name: attribute(judgments, [comparison.measured(name, wanted)], k, rules, comparison.scale)
        for name in comparison.runs
    }


def loss_measures(measure: str) -> list[Measure]:
    """Returns the measures that `run_losses` needs of each run."""
    return funnel_measures(_cutoff(measure))


def _cutoff(measure: str) -> int:
    k: int | None = getattr(parse_measure(measure), "k", None)
    return k or 10


def loss_section(
    comparison: Comparison, measure: str, texts: Catalogue, stages: Funnel | None = None
) -> Section:
    """Returns the losses of each run, and those of the stages if they are known.

    Args:
        comparison: A comparison of judgments and runs.
        measure: Its cutoff is used for the DCG.
        texts: The language.
        stages: The result of `relyon.funnel` for the retrieval stages.
    """
    losses = run_losses(comparison, measure)
    sentences = tuple(
        texts.say("funnel.sentence", run=name, text=one.sentence(texts.language))
        for name, one in losses.items()
    )
    blocks: list[Block] = [Prose(sentences), _runs(losses, texts)]
    if stages is not None:
        blocks += [Prose((stages.sentence(texts.language),)), _stages(stages, texts)]
    return Section("funnel", texts.say("section.funnel"), tuple(blocks))


def loss_chart(comparison: Comparison, measure: str, texts: Catalogue) -> Chart:
    """Returns the losses of each run, at the cutoff of a measure."""
    return _runs(run_losses(comparison, measure), texts)


def _runs(losses: Mapping[str, Funnel], texts: Catalogue) -> Chart:
    k = next(iter(losses.values())).k
    rows: list[LossRow] = [
        {"name": name, "part": part, "order": order, "value": value}
        for name, one in losses.items()
        for order, (part, value) in enumerate(
            (
                ("reached", one.actual),
                ("ranking", one.ranking_loss),
                ("recall", one.recall_loss),
            )
        )
    ]
    table = Table(
        (
            texts.say("table.run"),
            *(texts.say(f"funnel.{part}") for part, _, _ in PARTS),
            texts.say("funnel.ideal"),
            texts.say("funnel.recall_share"),
        ),
        tuple(
            (
                name,
                number(one.actual),
                number(one.ranking_loss),
                number(one.recall_loss),
                number(one.ideal),
                texts.percent(one.recall_share),
            )
            for name, one in losses.items()
        ),
    )
    return _bars(rows, table, "runs", k, texts)


def _stages(found: Funnel, texts: Catalogue) -> Chart:
    """Returns the rest of the ideal after each stage, and after the last one's ranking."""
    rows: list[LossRow] = []
    left = found.ideal
    for stage in found.stages:
        rows += _left(stage.name, stage.ideal, left - stage.ideal, "recall")
        left = stage.ideal
    rows += _left(texts.say("funnel.ranking_row"), found.actual, found.ranking_loss, "ranking")
    cells = [(texts.say("funnel.all_judged"), "", "", "", number(found.ideal), "", "")]
    cells += [
        (
            stage.name,
            number(stage.candidates, 1),
            number(stage.recall),
            texts.percent(stage.retention),
            number(stage.ideal),
            number(stage.loss),
            texts.percent(stage.share),
        )
        for stage in found.stages
    ]
    ranking = (number(found.actual), number(found.ranking_loss))
    share = texts.percent(found.ranking_share)
    cells.append((texts.say("funnel.ranking_row"), "", "", "", *ranking, share))
    headings = ("stage", "candidates", "stage_recall", "kept", "ceiling", "lost", "share")
    table = Table(tuple(texts.say(f"funnel.{name}") for name in headings), tuple(cells))
    return _bars(rows, table, "stages", found.k, texts)


def _left(name: str, value: float, lost: float, part: str) -> list[LossRow]:
    return [
        {"name": name, "part": "reached", "order": 0, "value": value},
        {"name": name, "part": part, "order": 1, "value": max(lost, 0.0)},
    ]


def _bars(rows: list[LossRow], table: Table, kind: str, k: int | None, texts: Catalogue) -> Chart:
    cutoff = "" if k is None else f"@{k}"
    for row in rows:
        part = texts.say(f"funnel.{row['part']}")
        row["text"] = f"{row['name']}, {part}{texts.say('list.colon')}{number(row['value'])}"
        row["shown"] = number(row["value"], 2) if row["value"] >= 0.005 else ""
    return Chart(
        drawing="losses",
        title=texts.say(f"funnel.{kind}_title", cutoff=cutoff),
        caption=texts.say(f"funnel.{kind}_caption", cutoff=cutoff),
        rows=tuple(rows),
        table=table,
        labels={"x": texts.say("funnel.axis", cutoff=cutoff)},
        legend=tuple(Key(shape, role, texts.say(f"funnel.{part}")) for part, shape, role in PARTS),
    )
