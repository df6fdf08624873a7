"""The drawings of training: curves by iteration, and bars of features."""

from __future__ import annotations

from typing import Any

from relkit.report.page import Chart
from relkit.report.palette import ROLES, altair, label_width, tick_count

__all__ = ["by_iteration", "feature_bars"]


def by_iteration(chart: Chart, width: int) -> Any:
    """Draws a line per series over iterations; one dashed rule where the held-out value peaks."""
    alt = altair()
    wide = min(width, 560) - 60
    series = chart.values["series"]
    names = [name for name, _, _ in series]
    dashes = [[float(one) for one in (dash or "1 0").split()] for _, _, dash in series]
    end = max(row["iteration"] for row in chart.rows)
    x = alt.X(
        "iteration:Q",
        title=chart.labels["x"],
        scale=alt.Scale(domain=[0, end], nice=False),
        axis=alt.Axis(tickCount=tick_count(wide), format=",d", tickMinStep=1, grid=False),
    )
    y = alt.Y("value:Q", title=chart.labels["y"], scale=alt.Scale(zero=False, nice=True))
    base = alt.Chart(alt.Data(values=[dict(row) for row in chart.rows]))
    lines = base.mark_line(strokeWidth=2, aria=False).encode(
        x=x,
        y=y,
        color=alt.Color(
            "series:N",
            scale=alt.Scale(domain=names, range=[ROLES[role] for _, role, _ in series]),
            legend=None,
        ),
        strokeDash=alt.StrokeDash(
            "series:N", scale=alt.Scale(domain=names, range=dashes), legend=None
        ),
    )
    best = (
        alt.Chart(alt.Data(values=chart.values["best"]))
        .mark_point(filled=True, size=70, opacity=1, color=ROLES["ink"])
        .encode(x="iteration:Q", y="value:Q", description="text:N")
    )
    return alt.layer(lines, best).properties(width=wide, height=230)


def feature_bars(chart: Chart, width: int) -> Any:
    """Draws a bar per feature, with its interval where it has one."""
    alt = altair()
    rows = [dict(row) for row in chart.rows]
    names = [row["name"] for row in rows]
    wide = label_width(names, width)
    base = alt.Chart(alt.Data(values=rows))
    y = alt.Y(
        "name:N",
        sort=names,
        title=None,
        axis=alt.Axis(labelLimit=wide * 7 // 8, minExtent=wide + 8),
        scale=alt.Scale(paddingInner=0.3, paddingOuter=0.1),
    )
    x = alt.X(
        "value:Q",
        title=chart.labels["x"],
        axis=alt.Axis(tickCount=tick_count(width - wide - 40)),
    )
    bars = base.mark_bar(color=ROLES["blue"], stroke=None).encode(x=x, y=y, description="text:N")
    rules = (
        base.transform_filter("isValid(datum.low)")
        .mark_rule(strokeWidth=1.5, color=ROLES["ink"], aria=False)
        .encode(x=alt.X("low:Q"), x2="high:Q", y=y)
    )
    return alt.layer(bars, rules).properties(
        width=width - wide - 40, height=max(22 * len(rows), 50)
    )
