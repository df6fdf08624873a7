"""Reports on traces: their numbers are those of evaluate, and tasks are shown call by call."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import relyon
from relyon.cli import main
from relyon.core.texts import catalogue
from relyon.report import build_page, render_report
from relyon.report.page import Chart, Columns, Details, Heading, Page, Prose, Section, Table

MEASURES = ["ndcg@5", "session_dcg@5", "recovery@5"]
OLD, NEW = "old", "new"


def cells(table: Table) -> list[list[str]]:
    return [[one.text for one in row] for row in table.cells()]


def tables(section: Section) -> list[Table]:
    return [one for one in section.blocks if isinstance(one, Table)]


def section(page: Page, name: str) -> Section:
    found = page.section(name)
    assert found is not None
    return found


def agent(seed: int, tasks: int = 25, calls: int = 4, *, facts: bool = True) -> dict[str, Any]:
    """Calls of an agent that returns d0 to d9, of which the first three are relevant."""
    chosen = random.Random(seed)
    traces = {}
    for task in range(tasks):
        traces[f"t{task}"] = [
            {
                "query": f"question {task}, try {number}",
                "results": chosen.sample([f"d{one}" for one in range(10)], chosen.randint(1, 4)),
            }
            | ({"read": ["d0"], "tokens": chosen.randint(1, 500), "seconds": 0.5} if facts else {})
            for number in range(chosen.randint(1, calls))
        ]
    return traces


def judged(tasks: int = 25) -> dict[str, dict[str, float]]:
    grades = {"d0": 3.0, "d1": 2.0, "d2": 1.0, "d3": 0.0}
    return {f"t{task}": dict(grades) for task in range(tasks)} | {"without": {"d3": 0.0}}


@pytest.fixture(scope="module")
def traces() -> list[relyon.Traces]:
    return [relyon.Traces.from_dict(agent(place, calls=4 + place)) for place in (1, 2)]


@pytest.fixture(scope="module")
def comparison(traces: list[relyon.Traces]) -> relyon.Comparison:
    return relyon.compare(judged(), traces[0], traces[1], MEASURES, names=[OLD, NEW])


@pytest.fixture(scope="module")
def page(comparison: relyon.Comparison) -> Page:
    return build_page(comparison)


def test_measures_of_tasks_are_those_of_evaluate(traces: list[relyon.Traces], page: Page) -> None:
    table = tables(section(page, "calls"))[1]
    shown = {row[0].title: [one.text for one in row[1:]] for row in table.cells()}
    assert list(shown) == [
        "task_recall@5",
        "call_rr@5",
        "recovery@5",
        "session_dcg@5",
        "nsdcg@5",
        "srbp@5",
        "redundancy@5",
        "redundancy(items=reads)",
        "gain_per_read",
        "gain_per_ktoken@5",
    ]
    for place, one in enumerate(traces):
        results = relyon.evaluate(judged(), one, list(shown))
        for measure, row in shown.items():
            tasks = results.entries[measure].queries
            assert row[2 * place :][:2] == [f"{results[measure]:.4f}", f"{tasks}"], measure


def test_recall_after_each_call_is_that_of_evaluate(
    traces: list[relyon.Traces], page: Page
) -> None:
    (chart,) = (one for one in section(page, "calls").blocks if isinstance(one, Chart))
    names = [f"task_recall(calls={count})@5" for count in range(1, 7)]
    expected = {
        (name, count): value
        for name, one in zip((OLD, NEW), traces, strict=True)
        for count, value in enumerate(relyon.evaluate(judged(), one, names).values(), 1)
    }
    assert {(row["series"], row["position"]): row["value"] for row in chart.rows} == expected
    assert [row[0] for row in cells(chart.table)] == list("123456")
    # The line never falls: what was returned stays returned.
    assert expected[OLD, 5] == expected[OLD, 6] >= expected[OLD, 1]


def test_first_calls_with_evidence_are_counted(traces: list[relyon.Traces], page: Page) -> None:
    table = tables(section(page, "calls"))[2]
    for place, one in enumerate(traces, 1):
        counts: dict[str, int] = dict.fromkeys([*"123456", "none"], 0)
        for task in one.tasks:
            hits = [
                number
                for number, call in enumerate(one.calls(task), 1)
                if {"d0", "d1", "d2"}.intersection(call.documents[:5])
            ]
            counts[str(min(hits)) if hits else "none"] += 1
        found = {row[0]: int(row[place].split()[0]) for row in cells(table)}
        assert found == {name: count for name, count in counts.items() if name in found}
        assert sum(found.values()) == 25  # the task without a relevant document is none of them


def test_amounts_are_those_of_the_calls(traces: list[relyon.Traces], page: Page) -> None:
    table = tables(section(page, "calls"))[0]
    for row, one in zip(cells(table), traces, strict=True):
        calls = [one.calls(task) for task in one.tasks]
        every = [call for found in calls for call in found]
        assert row[1:] == [
            "25",
            f"{len(every)}",
            f"{len(every) / 25:.2f}",
            f"{sum(len(call.documents) for call in every) / len(every):.2f}",
            f"{len(every) / 25:.2f}",  # one document is read after each call
            f"{sum(call.tokens for call in every) / 25:,.0f}",
            f"{len(every) * 0.5 / 25:.2f}",
        ]


def test_unknown_amounts_are_left_out() -> None:
    both = [relyon.Traces.from_dict(agent(place, facts=False)) for place in (1, 2)]
    found = build_page(relyon.compare(judged(), both[0], both[1], "ndcg@5", names=[OLD, NEW]))
    amounts, measures, _ = tables(section(found, "calls"))
    assert len(amounts.headings) == 5
    assert not [row for row in measures.cells() if "gain" in row[0].title]


def test_what_needs_one_list_is_left_out_and_said(page: Page) -> None:
    names = [one.name for one in page.sections]
    assert "calls" in names
    assert {"queries", "ranks", "diagnoses", "inputs"} <= set(names)
    assert not {"curves", "funnel"} & set(names)
    last = section(page, "calls").blocks[-1]
    assert isinstance(last, Prose)
    assert last.texts[0].startswith("The parts on curves over judged documents")


STORY: dict[str, list[dict[str, Any]]] = {
    "t": [
        {"query": "colour of the sky", "results": [("x", 2.0), ("y", 1.0)], "tokens": 100},
        {
            "query": "why is the sky blue",
            "results": [("x", 3.0), ("good", 2.0)],
            "read": ["good", "memory"],
            "seconds": 1.5,
        },
    ],
    "u": [{"query": "one", "results": ["good"]}, {"query": "two", "results": ["x"]}],
}
SHORT: dict[str, list[dict[str, Any]]] = {
    "t": [{"query": "sky, blue", "results": ["good"]}],
    "u": [{"results": ["x"]}],
}


def drilled(measure: str = "ndcg@5") -> dict[str, Details]:
    judgments = {"t": {"good": 2, "x": 0}, "u": {"good": 1}}
    both = relyon.Traces.from_dict(STORY), relyon.Traces.from_dict(SHORT)
    found = build_page(relyon.compare(judgments, *both, measure, names=[OLD, NEW]))
    blocks = section(found, "queries").blocks
    return {one.summary: one for one in blocks if isinstance(one, Details)}


def test_a_task_is_shown_call_by_call() -> None:
    found = drilled()["t"]
    assert found.value == "0.3155 → 1.0000 (+0.6845)"
    moves, side_by_side = (one for one in found.blocks if isinstance(one, Table))
    assert cells(moves)[0] == ["good", "2", "2", "1", "+0.6845"]
    assert [[(one.text, one.title) for one in row[1:]] for row in side_by_side.cells()] == [
        [("0.0000", "colour of the sky"), ("1.0000", "sky, blue")],
        [("0.3155", "why is the sky blue"), ("–", "")],
    ]
    (columns,) = (one for one in found.blocks if isinstance(one, Columns))
    ours, theirs = columns.groups
    assert [one.text for one in ours if isinstance(one, Heading)] == ["old: 0.3155"]
    first, second, formula = (one.texts for one in ours if isinstance(one, Prose))
    assert list(first) == [
        "Call 1: colour of the sky",
        "2 results, 2 new, 100 tokens; value after call 1: 0.0000",
    ]
    assert list(second) == [
        "Call 2: why is the sky blue",
        "2 results, 1 new, 1.5 s; value after call 2: 0.3155",
    ]
    assert formula[0].startswith("mean(ndcg@5) = (0 + 0.6309) / 2")
    one, two = (cells(block) for block in ours if isinstance(block, Table))
    assert one == [
        ["x", "1", "0", "new", "", "0.0000"],
        ["y", "2", "–", "new", "", "0.0000"],
    ]
    assert two == [
        ["x", "1", "0", "call 1", "–", "0.0000"],
        ["good", "2", "2", "new", "read", "0.3155"],
        ["memory", "–", "–", "new", "read", "–"],
    ]
    assert [cells(block) for block in theirs if isinstance(block, Table)] == [
        [["good", "1", "2", "new", "1.0000"]]  # nothing was recorded of reads
    ]


def test_measures_of_tasks_and_of_one_call_are_shown_call_by_call_too() -> None:
    assert drilled("task_recall")["u"].value == "1.0000 → 0.0000 (−1.0000)"
    found = drilled("first(rr)")["t"]
    assert found.value == "0.0000 → 1.0000 (+1.0000)"
    assert any(isinstance(one, Columns) for one in found.blocks)


def test_sizes_are_bounded() -> None:
    long = {
        f"t{task}": [
            {"query": f"q{number}", "results": [f"d{one}" for one in range(40)]}
            for number in range(30)
        ]
        for task in range(3)
    }
    short = {task: calls[:1] for task, calls in agent(1, 3).items()}
    both = relyon.Traces.from_dict(long), relyon.Traces.from_dict(short)
    found = build_page(relyon.compare(judged(3), *both, "session_dcg", names=[OLD, NEW]), queries=2)
    details = [one for one in section(found, "queries").blocks if isinstance(one, Details)]
    assert 0 < len(details) <= 4
    for one in details:
        (columns,) = (block for block in one.blocks if isinstance(block, Columns))
        ours = columns.groups[0]
        shown = [block for block in ours if isinstance(block, Table) and len(block.headings) == 5]
        assert len(shown) == 10
        assert {len(block.rows) for block in shown} == {11}  # ten, and how many are left out
        assert cells(shown[0])[-1][0] == "30 further results"
        assert any("20 further calls" in text for block in ours if isinstance(block, Prose)
                   for text in block.texts)  # fmt: skip
    chart = next(one for one in section(found, "calls").blocks if isinstance(one, Chart))
    assert len(chart.table.rows) == 10
    assert chart.caption.endswith("Shown are 10 of up to 30 calls.")
    first = tables(section(found, "calls"))[2]
    assert [row[:2] for row in cells(first)][:1] == [["1", "3 (100%)"]]
    assert len(first.rows) == 2  # calls that come first for no task are left out


def test_evidence_after_the_tenth_call_is_counted_as_later() -> None:
    late = {"t0": [{"results": ["d9"]}] * 11 + [{"results": ["d0"]}], "t1": [{"results": ["d9"]}]}
    soon = {"t0": [{"results": ["d0"]}], "t1": [{"results": ["d9"]}, {"results": ["d1"]}]}
    both = [relyon.Traces.from_dict(one) for one in (late, soon)]
    found = build_page(relyon.compare(judged(2), both[0], both[1], "rr", names=[OLD, NEW]))
    rows = cells(tables(section(found, "calls"))[2])
    assert rows[:2] == [["1", "0 (0%)", "1 (50%)"], ["2", "0 (0%)", "1 (50%)"]]
    assert rows[-2:] == [["later", "1 (50%)", "0 (0%)"], ["none", "1 (50%)", "0 (0%)"]]
    assert len(rows) == 12


def test_a_run_stands_beside_a_trace(traces: list[relyon.Traces]) -> None:
    run = {task: {f"d{one}": 9.0 - one for one in range(3, 9)} | {"d0": 1.0} for task in judged()}
    found = build_page(relyon.compare(judged(), run, traces[0], "ndcg@5", names=["run", "agent"]))
    amounts = cells(tables(section(found, "calls"))[0])
    assert amounts[0][:5] == ["run", "26", "26", "1.00", "7.00"]
    assert amounts[0][5:] == ["–", "–", "–"]
    details = [one for one in section(found, "queries").blocks if isinstance(one, Details)]
    assert details
    text = render_report(
        relyon.compare(judged(), run, traces[0], "ndcg@5", names=["run", "agent"]),
        format="markdown",
    )
    assert "call in run" in text


def test_traces_with_one_call_are_reported_as_runs() -> None:
    runs = [
        {task: {f"d{one}": float(one * place % 7) for one in range(6)} for task in judged()}
        for place in (2, 3)
    ]
    both = [relyon.Traces.from_run(relyon.Run.from_dict(run)) for run in runs]
    first, second = (
        build_page(relyon.compare(judged(), old, new, ["ndcg@5", "ap"], names=[OLD, NEW]))
        for old, new in (runs, both)
    )
    assert [one.name for one in first.sections] == [one.name for one in second.sections]
    for ours, theirs in zip(first.sections, second.sections, strict=True):
        assert ours == theirs or ours.name == "inputs"


def test_texts_of_single_calls_name_the_queries() -> None:
    both = [
        relyon.Traces.from_dict({f"t{one}": [{"query": f"about {one}{other}", "results": [name]}]
                                 for one in range(3)})
        for name, other in (("d0", ""), ("d3", ""), ("d3", "!"))
    ]  # fmt: skip
    same, other = (
        render_report(
            relyon.compare(judged(3), both[0], both[place], "rr", names=[OLD, NEW]),
            format="markdown",
        )
        for place in (1, 2)
    )
    assert "about 0" in same
    assert "about 0" not in other  # the systems sent different texts


def test_repeats_of_an_agent_are_reported(traces: list[relyon.Traces]) -> None:
    found = relyon.compare(
        judged(), measures="ndcg@5", systems={"A": traces, "B": list(reversed(traces))}
    )
    lead = section(build_page(found), "calls").blocks[0]
    assert isinstance(lead, Prose)
    assert lead.texts[1].startswith("Of a system with several runs")


def test_one_order_of_ties_is_said() -> None:
    tied = {
        f"t{task}": [{"results": [(f"d{one}", 1.0) for one in range(place, 6)]}] * 2
        for task in range(8)
        for place in [task % 3]
    }
    other = {task: calls[:1] for task, calls in tied.items()}
    both = relyon.Traces.from_dict(tied), relyon.Traces.from_dict(other)
    found = relyon.compare(
        judged(8), *both, "rr", names=[OLD, NEW], convention={"ties": "expected"}
    )
    lead = section(build_page(found), "calls").blocks[0]
    assert isinstance(lead, Prose)
    assert "one order of documents of equal score" in lead.texts[1]


def words(page: Page, names: list[str]) -> Iterator[str]:
    for name in names:
        for block in page.blocks() if name == "" else section(page, name).blocks:
            if isinstance(block, Prose):
                yield from block.texts
            elif isinstance(block, Chart):
                yield from (block.title, block.caption, *block.labels.values())
            elif isinstance(block, Table):
                yield from (block.caption, *block.headings)
            elif isinstance(block, Heading):
                yield block.text


@pytest.mark.parametrize(("language", "query", "task"), [("en", "quer", "task"),
                                                         ("zh", "查询", "任务")])  # fmt: skip
def test_the_page_speaks_of_tasks(
    comparison: relyon.Comparison, language: Any, query: str, task: str
) -> None:
    found = build_page(comparison, language=language)
    said = [found.subtitle, *words(found, ["comparison", "queries", "ranks"])]
    assert not [one for one in said if query in one]
    assert sum(task in one for one in said) > 5


def test_texts_of_tasks_take_the_values_of_those_they_replace() -> None:
    def values(text: str) -> set[str]:
        return {re.split(r"[:!]", one)[0] for one in re.findall(r"\{(.*?)\}", text)}

    for language in ("en", "zh"):
        whole, own = catalogue("report", language), catalogue("tasks", language)
        replaced = [key for key in own if key in whole.texts]
        assert len(replaced) > 20
        for key in replaced:
            assert values(own[key]) <= values(whole[key]), key


HOSTILE = "</td><script>alert(1)</script>"


def test_texts_of_calls_are_escaped() -> None:
    pytest.importorskip("jinja2")
    pytest.importorskip("vl_convert")
    story: dict[str, list[dict[str, Any]]] = {
        HOSTILE: [{"query": HOSTILE, "results": [HOSTILE]}, {"results": ["good"]}]
    }
    both = relyon.Traces.from_dict(story), relyon.Traces.from_dict({HOSTILE: story[HOSTILE][:1]})
    found = relyon.compare({HOSTILE: {"good": 1}}, *both, "task_recall", names=[OLD, NEW])
    text = render_report(found)
    assert HOSTILE not in text
    assert "&lt;/td&gt;&lt;script&gt;" in text


def test_traces_have_a_digest(tmp_path: Path, traces: list[relyon.Traces], page: Page) -> None:
    path = tmp_path / "old.jsonl"
    relyon.write_traces(traces[0], path)
    found = build_page(
        relyon.compare(judged(), relyon.read_traces(path), traces[1], "rr", names=[OLD, NEW])
    )
    memory, file = (cells(tables(section(one, "inputs"))[0])[1] for one in (page, found))
    assert memory[4] == file[4]  # the same lines
    assert memory[3] == file[3] == "–"
    assert file[2] == "old.jsonl"
    assert file[5:] == [f"{len(traces[0])}", "25"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_command_reports_files_of_traces(
    tmp_path: Path, traces: list[relyon.Traces], language: str
) -> None:
    relyon.write_judgments(relyon.Judgments.from_dict(judged()), tmp_path / "j.qrels")
    for name, one in zip((OLD, NEW), traces, strict=True):
        relyon.write_traces(one, tmp_path / f"{name}.jsonl")
    files = [str(tmp_path / name) for name in ("j.qrels", "old.jsonl", "new.jsonl")]
    output = tmp_path / "report.md"
    arguments = ["report", *files, "-m", "ndcg@5", "-o", str(output), "--lang", language]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    text = output.read_text("utf-8")
    assert ("Tasks and their calls" in text) == (language == "en")
    assert ("任务与调用" in text) == (language == "zh")
    # Notes name the measures that were asked for, not those that parts of the page need.
    assert "dcg@1," not in result.output


def test_a_weighted_mean_is_compared_with_a_plain_one() -> None:
    """Calls add up in the weights of GAUC, so that only one of two traces may have equal ones."""
    judgments = {one: {"a": 1, "b": 0} for one in ("t", "u", "v")}
    call = {"results": [("a", 2.0), ("b", 1.0)]}
    plain = relyon.Traces.from_dict({one: [call] for one in judgments})
    more = {one: [call] for one in judgments}
    more["t"] = [call, {"results": [("a", 1.0), ("b", 2.0)]}]
    weighted = relyon.Traces.from_dict(more)
    for both in ((plain, weighted), (weighted, plain)):
        contrast = relyon.compare(judgments, *both, "gauc", names=[OLD, NEW]).contrasts[0]
        values = [relyon.evaluate(judgments, one, "gauc")["gauc"] for one in both]
        assert math.isclose(contrast.difference, values[1] - values[0])
        assert contrast.difference != 0
