"""Figures of the lesson on labels: the uncertainty of a label, and clicks without interest."""

from __future__ import annotations

from functools import cache

from relyon.learn.figures import Figure, figure

QUERIES = 30
DOCUMENTS = 8
#: Numbers of impressions up to which the chart is drawn.
IMPRESSIONS = (10, 20, 50, 100, 200, 500)

SESSIONS = 4000
GRADES = {"best": 3, "good": 2, "fair": 1, "bad": 0}


@figure("own-labels")
def own_labels(impressions: float) -> Figure:
    """NDCG@5 of a search that ranks by the very labels it is measured with.

    The chart shows by how much the number is too high.

    Args:
        impressions: How many effective impressions are behind every label.
    """
    rows = [(one, _own_labels(one)) for one in IMPRESSIONS if one <= impressions]
    _, found = rows[-1]
    return Figure(
        dict(zip(("value", "low", "high"), found, strict=True)),
        {
            name: [(float(one), found[0] - found[place]) for one, found in rows]
            for place, name in ((1, "most"), (2, "least"))
        },
    )


@cache
def _own_labels(impressions: int) -> tuple[float, float, float]:
    """Returns NDCG@5, and the ends of the interval that its labels leave it."""
    import numpy

    from relyon import Judgments, measure_intervals

    rates = numpy.random.default_rng(4).beta(1, 3, (QUERIES, DOCUMENTS))
    queries = [f"q{query}" for query in range(QUERIES) for _ in range(DOCUMENTS)]
    documents = [f"d{place}" for _ in range(QUERIES) for place in range(DOCUMENTS)]
    weights = [float(impressions)] * len(queries)
    labels = Judgments.from_arrays(queries, documents, rates.ravel(), weights=weights)
    run = {
        f"q{query}": {f"d{place}": float(rate) for place, rate in enumerate(row)}
        for query, row in enumerate(rates)
    }
    found = measure_intervals(labels, run, "ndcg@5")["ndcg@5"]
    return found.value, *found.labels


@figure("misclicks")
def misclicks(percent: float) -> Figure:
    """Click rates of documents that were shown in any order, with and without short visits.

    Args:
        percent: The share of impressions with a click that was not meant, in percent.
    """
    import polars

    from relyon.labels import Crowd, simulate

    run = {"q": {document: float(grade) for document, grade in GRADES.items()}}
    crowd = Crowd(misclicks=percent / 100, shuffle=1.0)
    users = simulate(run, {"q": GRADES}, "pbm", sessions=SESSIONS, seed=1, crowd=crowd)
    stayed = polars.col("clicked") & (polars.col("dwell_seconds") >= 3)
    rates = {
        document: rows.select(every=polars.col("clicked").mean(), stayed=stayed.mean()).row(0)
        for (document,), rows in users.log.collect().group_by("doc")
    }
    return Figure(
        {
            f"{document}-{rule}": rates[document][place]
            for document in ("best", "bad")
            for place, rule in enumerate(("every", "stayed"))
        }
    )
