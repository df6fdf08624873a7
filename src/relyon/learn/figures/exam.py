"""Figures of the final exam: what relyon's commands say about its files."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from relyon.learn.figures import Figure, figure

JUDGMENTS, TAIL, OLD, NEW, LOG = ("judgments.qrels", "tail.qrels", "old.run", "new.run", "log.csv")
CUT = 10
MEASURES = (f"ndcg@{CUT}", "recall@20", f"rr@{CUT}")
#: NDCG as a team sees it that judges only what was returned.
SHOWN = "ndcg(ideal=retrieved)"
HONEST = {"ties": "expected"}


@contextmanager
def _files() -> Iterator[Path]:
    """Writes the files of the exam into a folder that is removed again.

    What relyon warns of in them is for the learner to find.
    """
    from relyon.core.notes import RelyonWarning
    from relyon.learn.exam import write_exam

    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", RelyonWarning)
        write_exam(Path(folder))
        yield Path(folder)


@figure("exam")
def exam(_: float) -> Figure:
    """Every number that the exam asks for."""
    with _files() as folder:
        return Figure({**_ties(folder), **_comparison(folder), **_tail(folder), **_log(folder)})


def _ties(folder: Path) -> dict[str, float]:
    """Returns NDCG@10 of the new run under several orders of equal scores, and of the old run."""
    import relyon

    def value(run: str, ties: str) -> float:
        convention = {"ties": ties}
        found = relyon.evaluate(
            folder / JUDGMENTS, folder / run, MEASURES[0], convention=convention
        )
        return found[MEASURES[0]]

    values = {ties: value(NEW, ties) for ties in ("input", "expected", "worst", "doc-desc")}
    old = value(OLD, "expected")
    return {**values, "old": old, "claimed": values["input"] - old}


def _comparison(folder: Path) -> dict[str, float]:
    """Returns differences of the runs over all queries, and what the unjudged could change."""
    import relyon

    found = relyon.compare(
        folder / JUDGMENTS, folder / OLD, folder / NEW, list(MEASURES), convention=HONEST,
        resamples=1,
    )  # fmt: skip
    ndcg, recall, rr = (found.contrast(NEW, name) for name in MEASURES)
    (finding,) = relyon.diagnose(found, rules=["unjudged"])
    judged = found.measured(NEW, f"judged@{CUT}")[f"judged@{CUT}"]
    return {
        "difference": ndcg.difference,
        "low": ndcg.interval[0],
        "high": ndcg.interval[1],
        "possible-loss": -ndcg.interval[0],
        "p": ndcg.p,
        "needed": float(ndcg.queries_needed),
        "recall-fall": -recall.difference,
        "rr-fall": -rr.difference,
        "judged": judged,
        "unjudged": 1 - judged,
        "pairs": _number(finding.evidence["pairs"]),
        "lowest": _number(finding.evidence["lowest"]),
        "highest": _number(finding.evidence["highest"]),
    }


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError(value)
    return float(value)


def _tail(folder: Path) -> dict[str, float]:
    """Returns where the tail loses, for both searches."""
    import relyon

    values: dict[str, float] = {}
    for name in ("old", "new"):
        run = folder / f"{name}.run"
        found = relyon.funnel(folder / TAIL, {name: run}, convention=HONEST)
        for what, share in (("recall", found.recall_share), ("ranking", found.ranking_share)):
            values[f"{what}-share-{name}"] = share
            values[f"{what}-percent-{name}"] = 100 * share
        values[f"docs-{name}"] = found.stages[0].candidates
        measured = relyon.evaluate(folder / TAIL, run, MEASURES[0], convention=HONEST)
        values[f"tail-ndcg-{name}"] = measured[MEASURES[0]]
    return values


def _log(folder: Path) -> dict[str, float]:
    """Returns rows and clicks of the log as delivered, and once each."""
    import polars

    import relyon
    from relyon.online.logs import examine, summarise

    sessions = relyon.read_sessions(folder / LOG)
    checkup = examine(sessions, depth=CUT, only=["duplicate-rows"])
    (finding,) = checkup.findings
    repaired = checkup.repair().sessions
    values = {
        "rows": float(finding.total),
        "twice": float(finding.count),
        "rows-once": float(finding.total - finding.count),
        "rows-per-session": summarise(sessions).results,
    }
    for name, frame in (("delivered", sessions.collect()), ("once", repaired.collect())):
        clicked = frame.filter(polars.col("clicked"))
        for bucket in ("old", "new"):
            count = clicked.filter(polars.col("bucket") == bucket).height
            values[f"clicks-{bucket}-{name}"] = float(count)
        rise = values[f"clicks-new-{name}"] / values[f"clicks-old-{name}"] - 1
        values[f"clicks-rise-{name}"] = rise
    return values


@figure("exam-tail")
def exam_tail(k: float) -> Figure:
    """The tail at a cutoff: NDCG over what was returned, and recall.

    Args:
        k: The cutoff; the chart goes on to it from 1.
    """
    rows = {cut: _tail_at(cut) for cut in (1, 3, 5, 10, 20) if cut <= k}
    return Figure(
        rows[int(k)],
        {
            name: [(float(cut), values[name]) for cut, values in rows.items()]
            for name in ("recall-old", "recall-new")
        },
    )


@cache
def _tail_at(k: int) -> dict[str, float]:
    import relyon

    values: dict[str, float] = {}
    with _files() as folder:
        for name in ("old", "new"):
            found = relyon.evaluate(
                folder / TAIL, folder / f"{name}.run", [f"{SHOWN}@{k}", f"recall@{k}"],
                convention=HONEST,
            )  # fmt: skip
            values[f"ndcg-{name}"] = found[f"{SHOWN}@{k}"]
            values[f"recall-{name}"] = found[f"recall@{k}"]
    return values
