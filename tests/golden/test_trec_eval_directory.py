"""trec_eval's own test directory: its inputs, and what versions 9.0.8 and 10.0 print for them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Engine = Callable[..., dict[str, dict[str, float]]]
Printed = dict[str, dict[str, str]]

PLAIN = {
    *("num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg"),
    *("set_P", "set_recall", "set_F"),
}
CUT = ("P_", "recall_", "ndcg_cut_", "map_cut_", "success_")
SPELLED = {"ndcg_1=3,2=9,4=4.5": "ndcg(gain={0:0,1:3,2:9,4:4.5})"}


class Job(NamedTuple):
    """A file of expected output, and the call that writes it."""

    expected: str
    qrels: str = "qrels.test"
    results: str = "results.test"
    rules: tuple[tuple[str, Any], ...] = ()
    depth: int | None = None


JOBS = (
    Job("out.test"),
    Job("out.test.a"),
    Job("out.test.aq"),
    Job("out.test.aqc", results="results.trunc", rules=(("missing", "zero"),)),
    Job("out.test.aqcM", results="results.trunc", rules=(("missing", "zero"),), depth=100),
    Job("out.test.aql", qrels="qrels.rel_level", rules=(("rel", 2),)),
    Job("out.test.meas_params"),
)
ONLY_10 = (
    Job("out.comment.test", "qrels.comment.test", "results.comment.test.gz"),
    Job("out.test", qrels="qrels.test.with-comments"),
)


def read_printed(path: Path) -> Printed:
    """Returns what trec_eval printed, by query."""
    found: Printed = {}
    for line in path.read_text().splitlines():
        measure, query, value = line.split()
        found.setdefault(query, {})[measure] = value
    return found


def own_name(name: str) -> str | None:
    """Returns our name of one of trec_eval's measures, if we have it."""
    if name in PLAIN:
        return name
    if any(name.startswith(prefix) and name[len(prefix) :].isdecimal() for prefix in CUT):
        return name
    return SPELLED.get(name)


def first_documents(run: dict[str, dict[str, float]], depth: int) -> dict[str, dict[str, float]]:
    """Keeps the first documents of every query, as trec_eval -M does."""

    def place(item: tuple[str, float]) -> tuple[float, bytes]:
        return struct.unpack("f", struct.pack("f", item[1]))[0], item[0].encode()

    return {
        query: dict(sorted(scores.items(), key=place, reverse=True)[:depth])
        for query, scores in run.items()
    }


def check(found: dict[str, dict[str, float]], expected: Printed, names: dict[str, str]) -> int:
    """Compares every measure of every query to the printed digits; returns how many."""
    checked = 0
    for query, printed in expected.items():
        for name, own in names.items():
            if name in printed:
                assert found[query][own] == pytest.approx(float(printed[name]), abs=5.0001e-5), (
                    f"{query} {name}"
                )
                checked += 1
    return checked


VERSIONS = {"v9.0.8": "trec_eval", "v10.0-rc3": "trec_eval10"}


@pytest.mark.parametrize(
    ("version", "job"),
    [(version, job) for version in VERSIONS for job in JOBS]
    + [("v10.0-rc3", job) for job in ONLY_10],
    ids=lambda value: value if isinstance(value, str) else f"{value.expected}-{value.qrels}",
)
def test_expected_output(
    version: str,
    job: Job,
    test_data: Path,
    engine: Engine,
    lists: Callable[[Path], dict[str, dict[str, float]]],
) -> None:
    folder = test_data / "trec_eval_test"
    expected = read_printed(folder / version / job.expected)
    names = {
        name: own
        for printed in expected.values()
        for name in printed
        if (own := own_name(name)) is not None
    }
    run: Any = folder / "v10.0-rc3" / job.results
    if job.depth is not None:
        run = first_documents(lists(run), job.depth)
    convention = {"preset": VERSIONS[version], **dict(job.rules)}
    qrels = folder / "v10.0-rc3" / job.qrels
    found = engine(qrels, run, list(names.values()), convention)
    assert check(found, expected, names) >= (16 if len(expected) == 1 else 48)


@pytest.mark.parametrize("expected", ["out.test.aq", "out.test.aqc"])
def test_unjudged_and_rbp_of_version_10(expected: str, test_data: Path, engine: Engine) -> None:
    folder = test_data / "trec_eval_test" / "v10.0-rc3"
    printed = read_printed(folder / expected)
    results = "results.trunc" if expected.endswith("c") else "results.test"
    names = ["num_ret", "judged@5", "judged@10", "judged@20", "rbp(p=0.9)"]
    convention = {"preset": "trec_eval10", "missing": "zero"}
    found = engine(folder / "qrels.test", folder / results, names, convention)
    checked = 0
    for query in sorted(set(printed) - {"all"}):
        row = found[query]
        assert row["rbp(p=0.9)"] == pytest.approx(float(printed[query]["rbp"]), abs=5.0001e-5)
        for k in (5, 10, 20):
            if row["num_ret"]:  # trec_eval counts one document for a query that is missing
                share = (1 - row[f"judged@{k}"]) * min(row["num_ret"], k) / k
                assert share == pytest.approx(float(printed[query][f"unj_{k}"]), abs=5.0001e-5)
                checked += 1
    assert checked >= 6
