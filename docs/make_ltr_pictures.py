"""Draws the pictures of the page "NDCG is not differentiable", from the losses themselves.

python docs/make_ltr_pictures.py            writes docs/assets/ltr/*.svg, in English and Chinese
python docs/make_ltr_pictures.py --print    prints the numbers behind them
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import altair as alt
import numpy as np
import vl_convert
from numpy.typing import NDArray

import relyon
import relyon.ltr

ASSETS = Path(__file__).with_name("assets") / "ltr"
#: A list of six documents. The score of the third, the best one, is moved over the others.
LABELS = np.array([1.0, 0.0, 3.0, 2.0, 0.0, 1.0])
SCORES = np.array([2.0, 1.2, 0.0, 0.4, -0.8, -1.6])
MOVED = 2
GRID = np.linspace(-3.0, 3.5, 326)
MEASURE = "ndcg(gain=exp)"
#: Okabe and Ito (2008), and a dash for each: colour is not all that tells lines apart.
LOOKS = (("#0072B2", [1, 0]), ("#D55E00", [7, 3]), ("#009E73", [2, 2]))
GREY = "#777777"
WIDTH, HEIGHT = 560, 150

#: The losses of each picture, with their legends.
PICTURES: Mapping[str, Sequence[tuple[str, str]]] = {
    "pairs": (
        ("ranknet", "RankNet"),
        ("lambdarank(measure=ndcg(gain=exp),normalize=false)", "LambdaRank"),
    ),
    "softrank": tuple((f"softrank(sigma={one},gain=exp)", f"σ = {one}") for one in (0.05, 0.3, 1)),
    "approx_ndcg": tuple(
        (f"approx_ndcg(temperature={one},gain=exp)", f"T = {one}") for one in (0.05, 0.3, 1)
    ),
    "neural_ndcg": tuple(
        (f"neural_ndcg(temperature={one},gain=exp)", f"τ = {one}") for one in (0.05, 0.3, 1)
    ),
}
WORDS = {
    "en": {
        "score": "score of the best document",
        "value": "NDCG",
        "smooth": "smooth NDCG",
        "slope": "push on the score",
        "share": "push, largest = 1",
        "step": "NDCG itself",
    },
    "zh": {
        "score": "最佳文档的得分",
        "value": "NDCG",
        "smooth": "平滑的 NDCG",
        "slope": "得分受到的推力",
        "share": "推力（最大 = 1）",
        "step": "NDCG 本身",
    },
}


def moved(score: float) -> NDArray[np.float64]:
    """Returns the scores with that of the best document replaced."""
    scores = SCORES.copy()
    scores[MOVED] = score
    return scores


def steps() -> NDArray[np.float64]:
    """Returns NDCG itself for every place of the grid."""
    found = relyon.measure(MEASURE)
    return np.array(
        [found.score(LABELS[np.argsort(-moved(score), kind="stable")].tolist()) for score in GRID]
    )


def curves(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns a loss and its negative slope by the moved score, for every place of the grid."""
    scores = np.stack([moved(score) for score in GRID])
    labels = np.broadcast_to(LABELS, scores.shape)
    found = relyon.ltr.loss(name).evaluate(labels, scores, hessian=False)
    return found.values, -found.gradient.reshape(scores.shape)[:, MOVED]


def rows(values: NDArray[np.float64], series: str) -> list[dict[str, Any]]:
    """Returns points of a line: every fourth, and all where it bends."""
    bend = np.arange(len(values)) % 4 == 0
    bend[[0, -1]] = True
    bend[1:-1] |= np.abs(np.diff(values, 2)) > 1e-4
    return [
        {"x": round(float(x), 3), "y": round(float(y), 5), "series": series}
        for x, y, kept in zip(GRID, values, bend, strict=True)
        if kept
    ]


def panel(
    data: Sequence[dict[str, Any]],
    names: Sequence[str],
    looks: Sequence[tuple[str, list[int]]],
    title: str,
    words: Mapping[str, str],
    domain: Sequence[float] = (0.5, 1.0),
) -> alt.Chart:
    """Returns a chart of lines over the moved score."""
    legend = alt.Legend(title=None, orient="top", symbolSize=400)
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=list(data)))
        .mark_line(strokeWidth=2)
        .encode(
            x=alt.X("x:Q", title=words["score"], scale=alt.Scale(domain=[-3, 3.5], nice=False)),
            y=alt.Y(
                "y:Q",
                title=title,
                axis=alt.Axis(tickCount=4),
                scale=alt.Scale(domain=list(domain)) if domain else alt.Scale(zero=True),
            ),
            color=alt.Color(
                "series:N",
                scale=alt.Scale(domain=list(names), range=[color for color, _ in looks]),
                sort=list(names),
                legend=legend,
            ),
            strokeDash=alt.StrokeDash(
                "series:N",
                scale=alt.Scale(domain=list(names), range=[dash for _, dash in looks]),
                sort=list(names),
                legend=legend,
            ),
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    return chart


def picture(name: str, language: str) -> alt.VConcatChart:
    """Returns a picture: NDCG above, and how hard each loss pushes below."""
    words = WORDS[language]
    itself = rows(steps(), words["step"])
    shown = [(label, *curves(loss)) for loss, label in PICTURES.get(name, ())]
    names = [label for label, _, _ in shown]
    looks = list(LOOKS[: len(names)])
    grey = (GREY, [1, 0])
    if name in {"steps", "pairs"}:
        # The slopes of sums of different sizes: what tells them apart is their shape.
        shown = [(label, value, slope / slope.max()) for label, value, slope in shown]
        above = panel(itself, [words["step"]], [grey], words["value"], words)
    else:
        smooth = [one for label, value, _ in shown for one in rows(1 - value, label)]
        above = panel(
            [*itself, *smooth], [words["step"], *names], [grey, *looks], words["smooth"], words
        )
    if not shown:
        return alt.vconcat(above)
    slopes = [one for label, _, slope in shown for one in rows(slope, label)]
    title = words["share" if name == "pairs" else "slope"]
    below = panel(slopes, names, looks, title, words, [])
    apart: Literal["independent", "shared"] = "independent" if name == "pairs" else "shared"
    both: alt.VConcatChart = alt.vconcat(above, below, spacing=8)
    done: alt.VConcatChart = both.resolve_scale(color=apart, strokeDash=apart)
    return done


def write(name: str, language: str) -> Path:
    """Writes a picture."""
    chart = picture(name, language).configure(
        font="system-ui, sans-serif", background="white", view={"stroke": None}
    )
    path = ASSETS / f"{name}{'' if language == 'en' else '.' + language}.svg"
    path.parent.mkdir(exist_ok=True)
    svg = vl_convert.vegalite_to_svg(json.dumps(chart.to_dict(), ensure_ascii=False))
    path.write_text(svg, encoding="utf-8", newline="\n")
    return path


def main() -> None:
    """Writes the pictures, or prints what they show."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print", action="store_true")
    if parser.parse_args().print:
        places = [0, 100, 150, 200, 250, 325]
        print("score", GRID[places])
        print(MEASURE, steps()[places].round(4))
        for losses in PICTURES.values():
            for loss, _ in losses:
                value, slope = curves(loss)
                print(loss, value[places].round(4), slope[places].round(4))
        return
    for name in ("steps", *PICTURES):
        for language in WORDS:
            path = write(name, language)
            print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
