"""Traces that are far too long, or whose texts are not meant well, in explanations and reports."""

from __future__ import annotations

import math
from pathlib import Path
from time import process_time

import pytest

import relyon
from relyon.analysis.explanation.tasks import MOST_VALUES, TaskExplanation
from relyon.io.answerable import read_answerable

GRADES = {"t": {f"d{n}": n % 3 for n in range(50)}}
HOSTILE = [
    "</script><script>window.bad = 1</script>",
    '<img src=x onerror="window.bad = 1">',
    "\"'><svg onload=window.bad=1>",
    "</style><b>",
    "<!--<script>",
    "x" * 200_000,
]


def test_a_task_of_thousands_of_calls_is_explained_in_time() -> None:
    """The value after each call looks at all calls before: it is left out after the first ones."""
    calls = [{"query": "q", "results": [f"d{n % 50}", f"d{(n + 1) % 50}"]} for n in range(4000)]
    start = process_time()
    found = relyon.explain(GRADES, relyon.Traces.from_dict({"t": calls}), "t", "sdcg")
    assert process_time() - start < 20
    assert isinstance(found, TaskExplanation)
    assert len(found.calls) == 4000
    values = [one.value for one in found.calls]
    assert not any(map(math.isnan, values[:MOST_VALUES]))
    assert all(map(math.isnan, values[MOST_VALUES:-1]))
    assert values[-1] == found.value
    few = relyon.explain(GRADES, relyon.Traces.from_dict({"t": calls[:200]}), "t", "sdcg")
    assert isinstance(few, TaskExplanation)
    assert [one.value for one in few.calls][:200] == values[:200]


def test_hostile_texts_stay_texts_in_a_report(tmp_path: Path) -> None:
    def traces(shift: int, name: str) -> relyon.Traces:
        tasks: dict[str, list[dict[str, object]]] = {}
        for place, text in enumerate(HOSTILE):
            listed = [f"{n}{HOSTILE[(place + n + shift) % 5]}" for n in range(3)]
            one = {"query": text, "results": listed, "read": listed[:1], "tokens": 5}
            tasks[f"{place}{text[:50]}"] = [
                one,
                {"query": text[::-1] + "x" * 200_000, "results": listed[::-1]},
            ]
        return relyon.Traces.from_dict(tasks, name=name)

    first, second = traces(0, "</script><b>A"), traces(1, "B<img src=x>")
    judged = {
        task: {
            document: place
            for place, document in enumerate(
                dict.fromkeys(
                    document
                    for lists in (first, second)
                    for call in lists.calls(task)
                    for document in call.documents
                )
            )
        }
        for task in first.tasks
    }
    compared = relyon.compare(judged, first, [second], ["sdcg", "ndcg@3"])
    path = tmp_path / "report.html"
    relyon.write_report(compared, path)
    page = path.read_text("utf-8")
    for text in (*HOSTILE[:4], "<b>A", "<img"):
        assert text not in page
    assert "&lt;img src=x" in page
    assert "x" * 400 in page
    assert "x" * 501 not in page


def test_a_list_is_neither_yes_nor_no(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"query": "q", "answerable": [["no"]], "tags": ["x"]}\n', "utf-8")
    with pytest.raises(relyon.InputError, match=r"queries\.jsonl") as told:
        read_answerable(path, ["q"])
    assert "no" in told.value.message
