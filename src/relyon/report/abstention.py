"""Questions without an answer in a report: the curves of each run, and its threshold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.analysis.abstention.tables import (
    contrast_table,
    curve_table,
    reading,
    shown_threshold,
    system_table,
)
from relyon.core.texts import PAGE, catalogue as texts_of
from relyon.evaluation.curves import Curve
from relyon.report.catalogue import Catalogue
from relyon.report.classification import series, thin
from relyon.report.number_formats import number
from relyon.report.page import Block, Chart, Columns, Key, Prose, Section, Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.abstention import Abstention, SystemAbstention

__all__ = ["answer_chart", "no_answer_section", "risk_chart"]


def no_answer_section(found: Abstention, texts: Catalogue) -> Section:
    """Returns what each run does at its threshold, both curves, and how to read them.

    Args:
        found: The result of `relyon.abstention`.
        texts: The texts of reports.
    """
    words = texts_of("abstention", texts.language, PAGE)
    blocks: list[Block] = [Prose(tuple(_lead(one, words) for one in found.systems))]
    blocks.append(system_table(found, words))
    if found.contrasts:
        blocks.append(contrast_table(found, words))
    blocks.append(Columns(((answer_chart(found, texts),), (risk_chart(found, texts),))))
    blocks.append(curve_table(found, words))
    stop = texts.say("list.stop")
    said = tuple(text[:1].upper() + text[1:] + stop for text in reading(found, words))
    blocks.append(Prose(said))
    return Section("no_answer", texts.say("section.no_answer"), tuple(blocks))


def answer_chart(found: Abstention, texts: Catalogue) -> Chart:
    """Returns coverage by false answers over all thresholds: a ROC curve per run.

    Args:
        found: The result of `relyon.abstention`.
        texts: The texts of reports.
    """
    words = texts_of("abstention", texts.language, PAGE)
    curves = {
        one.system: (one.curve.false_answers, one.curve.coverage, one.auroc.value)
        for one in found.systems
    }
    caption = words["report.roc_caption"]
    return _chart(found, "roc", curves, [(0.0, 0.0), (1.0, 1.0)], caption, words)


def risk_chart(found: Abstention, texts: Catalogue) -> Chart:
    """Returns the share of wrong answers by the share of queries answered.

    Args:
        found: The result of `relyon.abstention`.
        texts: The texts of reports.
    """
    words = texts_of("abstention", texts.language, PAGE)
    curves = {
        one.system: (one.curve.answered, one.curve.risk, one.curve.risk_area)
        for one in found.systems
    }
    caption = words.say("report.risk_caption", share=f"{found.choice.base_rate:.4g}")
    return _chart(found, "risk", curves, [], caption, words)


def _chart(
    found: Abstention,
    kind: str,
    curves: dict[str, tuple[NDArray[np.float64], NDArray[np.float64], float]],
    chance: list[tuple[float, float]],
    caption: str,
    words: Catalogue,
) -> Chart:
    import numpy as np

    x_name, y_name = words[f"report.x_{kind}"], words[f"report.y_{kind}"]
    rows: list[dict[str, object]] = []
    dots: list[dict[str, object]] = []
    highest = 1.0 if kind == "roc" else 0.0
    for one in found.systems:
        x, y, _ = curves[one.system]
        known = ~np.isnan(y)
        points = thin(Curve(x[known], y[known], one.curve.thresholds[known], ("x", "y")))
        highest = max([highest, *(v for _, v in points)])
        rows += [
            {"run": one.system, "order": order, "x": round(u, 5), "y": round(v, 5)}
            for order, (u, v) in enumerate(points)
        ]
        place = _place(one)
        if place is not None and known[place]:
            text = words.say(
                "report.point",
                run=one.system,
                threshold=shown_threshold(one.threshold, words),
                x_name=x_name,
                x=number(float(x[place])),
                y_name=y_name,
                y=number(float(y[place])),
            )
            at = {"x": float(x[place]), "y": float(y[place])}
            dots.append({"run": one.system, **at, "text": text})
    names = [one.system for one in found.systems]
    area = words["heading.auroc" if kind == "roc" else "heading.risk_area"]
    return Chart(
        drawing="curves",
        title=words[f"report.{kind}"],
        caption=caption,
        rows=tuple(rows),
        table=Table(
            (words["heading.system"], area), [(name, number(curves[name][2])) for name in names]
        ),
        labels={"x": x_name, "y": y_name},
        values={
            "chance": tuple(chance),
            "series": tuple((name, *series(place)) for place, name in enumerate(names)),
            "best": tuple(dots),
            "end": min(1.0, math.ceil(highest * 10 + 1e-9) / 10) or 0.1,
        },
        legend=tuple(
            Key("line", series(place)[0], f"{name} {curves[name][2]:.3f}", series(place)[1])
            for place, name in enumerate(names)
        ),
    )


def _place(one: SystemAbstention) -> int | None:
    """Returns the point of the curve that belongs to the threshold; None without one."""
    import numpy as np

    if math.isnan(one.threshold):
        return None
    return int(np.searchsorted(-one.curve.thresholds, -one.threshold, "right")) - 1


def _lead(one: SystemAbstention, words: Catalogue) -> str:
    """Returns what a run does at its threshold, as a sentence."""
    if math.isnan(one.threshold):
        return words.say("report.nothing", run=one.system)
    style = words.style
    intervals = []
    for rate in (one.false_answer_rate, one.coverage):
        bounds = f"{style.percent(rate.low)} – {style.percent(rate.high)}"
        intervals.append("" if math.isnan(rate.low) else words.say("report.bounds", bounds=bounds))
    return words.say(
        "report.lead",
        run=one.system,
        false=style.percent(one.false_answer_rate.value),
        false_interval=intervals[0],
        coverage=style.percent(one.coverage.value),
        coverage_interval=intervals[1],
    )
