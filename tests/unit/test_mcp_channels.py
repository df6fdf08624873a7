"""Held-out judgments cannot be read through any tool.

Each channel is closed if every answer is the same whatever the held-out judgments are: two worlds
have the same files, but for the grades of held-out queries, and every call is compared.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.unit.sealed_data import HELD_OUT, OPEN, Place, grades_of, place, qrels

from relyon.compat.mcp.said import error_values
from relyon.compat.mcp.worker import answer

OLD, NEW = "runs/old.run", "runs/new.run"

Call = tuple[str, Mapping[str, object]]


def world(root: Path, number: int) -> Place:
    """Writes a world, with copies of its judgments where the agent can name them."""
    found = place(root, number)
    grades = grades_of(number)
    text = qrels(grades)
    folder = found.folder
    (folder / "copy.qrels").write_text(text, "utf-8")
    (folder / "copy.csv").write_text(
        "query,document,grade\n"
        + "".join(f"{q},{d},{g}\n" for q, judged in grades.items() for d, g in judged.items()),
        "utf-8",
    )
    (folder / "copy.json").write_text(json.dumps(grades), "utf-8")
    held = {one: grades[one] for one in HELD_OUT}
    (folder / "held.qrels").write_text(qrels(held), "utf-8")
    lines = text.splitlines(keepends=True)
    place_of = lines.index(next(one for one in lines if one.startswith("q0 0 d3 ")))
    broken = {
        "broken-columns": "q0 0 d3\n" if number else "q0 0 d4\n",
        "broken-grade": f"q0 0 d3 grade{number}\n",
        "broken-query": f"{number}\n",
    }
    for name, line in broken.items():
        changed = [*lines[:place_of], line, *lines[place_of + 1 :]]
        (folder / f"{name}.qrels").write_text("".join(changed), "utf-8")
    for name in ("duplicate", "missing"):
        extra = f"q0 0 d3 {number + 2}\n" if name == "duplicate" else f"q0,d{40 + number},\n"
        end = "qrels" if name == "duplicate" else "csv"
        base = (folder / f"copy.{end}").read_text("utf-8")
        (folder / f"{name}.{end}").write_text(base + extra, "utf-8")
    return found


#: Each channel, and the calls that could use it.
CHANNELS: Mapping[str, Sequence[Call]] = {
    "means": [
        ("evaluate", {"run": NEW, "measures": ["ndcg@10", "err@10", "judged@10", "dcg", "pnr"]}),
        ("compare", {"baseline": OLD, "candidates": [NEW], "measures": ["ndcg@10", "ap"]}),
    ],
    "values by query": [
        ("evaluate", {"run": NEW, "per_query": True, "count": 500}),
        ("compare", {"baseline": OLD, "candidates": [NEW], "per_query": True, "count": 500}),
    ],
    "explanations": [
        *[("explain", {"run": NEW, "query": one}) for one in (*HELD_OUT[:3], OPEN[0])],
        *[("explain", {"run": NEW, "other": OLD, "query": one}) for one in HELD_OUT[:3]],
    ],
    "examples of diagnoses": [("diagnose", {"baseline": OLD, "candidate": NEW})],
    "notes of reading": [
        ("evaluate", {"run": NEW, "judgments": "duplicate.qrels"}),
        ("evaluate", {"run": NEW, "judgments": "missing.csv"}),
    ],
    "messages of errors": [
        (tool, {**arguments, key: f"{name}.qrels"})
        for name in ("broken-columns", "broken-grade", "broken-query")
        for tool, key, arguments in (
            ("evaluate", "judgments", {"run": NEW}),
            ("evaluate", "run", {}),
            ("explain", "judgments", {"run": NEW, "query": "q1"}),
            ("compare", "baseline", {"candidates": [NEW]}),
            ("check", "run", {}),
        )
    ],
    "the sealed file and its copies as judgments": [
        ("evaluate", {"run": NEW, "judgments": name, "per_query": True, "count": 500})
        for name in ("copy.qrels", "copy.csv", "copy.json", "held.qrels")
    ],
    "the sealed file and its copies as runs": [
        call
        for name in ("copy.qrels", "copy.csv", "copy.json", "held.qrels")
        for call in (
            ("evaluate", {"run": name}),
            ("evaluate", {"run": name, "per_query": True, "count": 500}),
            ("explain", {"run": name, "query": "q0"}),
            ("explain", {"run": name, "query": "q1"}),
            ("compare", {"baseline": name, "candidates": [NEW]}),
            ("diagnose", {"baseline": OLD, "candidate": name}),
        )
    ],
    "runs as judgments": [("evaluate", {"run": NEW, "judgments": OLD})],
    "counts and fingerprints": [("sealed_set", {}), ("files", {})],
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[object]]]:
    """Returns the answers of both worlds, by channel."""
    found: dict[str, list[list[object]]] = {}
    for number in (0, 7):
        work = world(tmp_path_factory.mktemp("world"), number).work()
        before = os.getcwd()
        for channel, calls in CHANNELS.items():
            lines = [json.dumps({"tool": tool, "arguments": given}) for tool, given in calls]
            said: list[object] = [answer(work, line) for line in lines]
            found.setdefault(channel, []).append(said)
        assert os.getcwd() == before
    return found


@pytest.mark.parametrize("channel", CHANNELS)
def test_answers_do_not_depend_on_held_out_judgments(
    channel: str, answers: dict[str, list[list[object]]]
) -> None:
    first, second = answers[channel]
    for call, one, two in zip(CHANNELS[channel], first, second, strict=True):
        assert json.dumps(one, default=str) == json.dumps(two, default=str), call
        assert "a bug in relyon" not in str(one), call


def test_the_worlds_differ(answers: dict[str, list[list[object]]]) -> None:
    """The test above can fail: held-out grades differ, and answers say something."""
    assert grades_of(0) != grades_of(7)
    assert all(grades_of(0)[one] == grades_of(7)[one] for one in OPEN)
    means = answers["means"][0][0]
    assert isinstance(means, dict)
    assert means["measures"]["ndcg@10"]["queries"] == len(OPEN)


def test_no_answer_names_a_held_out_query(answers: dict[str, list[list[object]]]) -> None:
    for channel, (first, _) in answers.items():
        for call, one in zip(CHANNELS[channel], first, strict=True):
            asked = set(map(str, call[1].values()))
            words = json.dumps(one, default=str).replace("`", '"').replace(" ", '"').split('"')
            named = set(HELD_OUT) & set(words) - asked
            assert not named, (call, named)


def test_errors_still_say_file_and_line(answers: dict[str, list[list[object]]]) -> None:
    one = answers["messages of errors"][0][0]
    assert isinstance(one, dict)
    assert one["error"].startswith("broken-columns.qrels:4: expected")
    assert "d4" not in json.dumps(one)


def test_without_a_sealed_set_errors_quote_the_line(tmp_path: Path) -> None:
    from relyon.compat.mcp.settings import Settings
    from relyon.compat.mcp.work import Work

    found = world(tmp_path, 0)
    work = Work(Settings(str(found.folder)))
    given = {"run": NEW, "judgments": "broken-columns.qrels"}
    one = answer(work, json.dumps({"tool": "evaluate", "arguments": given}))
    assert "q0 0 d4" in str(one["error"])


def test_the_sealed_judgments_are_no_run_wherever_they_are(tmp_path: Path) -> None:
    """The file itself may be in the folder, and a link may lead to it."""
    found = world(tmp_path, 0)
    inside = found.folder / "judged.qrels"
    found.judgments.rename(inside)
    (found.folder / "link.run").symlink_to("judged.qrels")
    work = found.work(judgments=str(inside))
    for name in ("judged.qrels", "link.run"):
        one = answer(work, json.dumps({"tool": "evaluate", "arguments": {"run": name}}))
        assert "contains the sealed judgments" in str(one["error"])
        given = {"run": NEW, "judgments": name}
        two = answer(work, json.dumps({"tool": "evaluate", "arguments": given}))
        assert "60 queries" in str(two["sentence"])


def test_a_check_tells_only_its_answer(tmp_path: Path) -> None:
    work = place(tmp_path).work()
    found = answer(work, json.dumps({"tool": "check", "arguments": {"run": NEW}}))
    assert set(found) == {
        "sentence", "answer", "looks_left", "looks", "charged", "compared_with",
    }  # fmt: skip
    assert not any(isinstance(one, float) for one in found.values())


def test_errors_of_unknown_kinds_are_not_quoted() -> None:
    from relyon import InputError

    found = error_values(InputError("line 4: `q0 0 d3 2`"), sealed=True)
    assert "q0" not in found["error"]
