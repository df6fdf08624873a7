"""What people who evaluate pipelines and agents give by mistake, or in another form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import relyon

CALLS = [
    {"task": "t", "query": "one", "results": ["x", "a"]},
    {"task": 2, "results": [{"document": "b", "score": 0.5}]},
    {"task": "t", "query": "two", "results": ["b"]},
]


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".txt"])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_of_calls_is_a_trace(tmp_path: Path, suffix: str, indent: int | None) -> None:
    file, lines = tmp_path / f"agent{suffix}", tmp_path / "lines.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps(CALLS, indent=indent).encode())
    lines.write_text("".join(json.dumps(one) + "\n" for one in CALLS))
    found, same = (
        {task: [call.to_dict() for call in traces.calls(task)] for task in traces.tasks}
        for traces in (relyon.read_traces(file), relyon.read_traces(lines))
    )
    assert found == same
    judgments = {"t": {"a": 1, "b": 2}, "2": {"b": 1}}
    results = [relyon.evaluate(judgments, one, ["task_recall", "ndcg"]) for one in (file, lines)]
    assert results[0]["ndcg"] == results[1]["ndcg"]
    assert results[0]["task_recall"] == 1


def test_errors_in_a_list_of_calls_name_the_call(tmp_path: Path) -> None:
    file = tmp_path / "agent.json"
    file.write_text(json.dumps([*CALLS, {"task": "t"}]))
    with pytest.raises(relyon.InputError, match="call 4: the call has no `results`"):
        relyon.read_traces(file)
    file.write_text(json.dumps([*CALLS, 5]))
    with pytest.raises(relyon.InputError, match="row 4 is not an object"):
        relyon.read_traces(file)
    file.write_text(json.dumps(CALLS)[:-9])
    with pytest.raises(relyon.InputError, match="JSON"):
        relyon.read_traces(file)


def test_an_agents_log_in_another_form_is_told_the_form(tmp_path: Path) -> None:
    file = tmp_path / "agent.jsonl"
    file.write_text('{"session": "t", "docs": [{"id": "a"}]}\n')
    with pytest.raises(relyon.InputError) as caught:
        relyon.read_traces(file)
    assert '"results": [{"document": …' in caught.value.hint
    table = tmp_path / "run.csv"
    table.write_text("one,two\n1,2\n")
    with pytest.raises(relyon.InputError) as caught:
        relyon.read_run(table)
    assert "results" not in caught.value.hint


@pytest.mark.parametrize("heading", ["query,document,quote", "query,document,start,end"])
def test_passages_in_place_of_judgments_are_told_to_give_chunks(
    tmp_path: Path, heading: str
) -> None:
    file = tmp_path / "passages.csv"
    file.write_text(f"{heading}\n{','.join('1' for _ in heading.split(','))}\n")
    with pytest.raises(relyon.InputError, match="judgments of passages") as caught:
        relyon.evaluate(file, {"1": {"1": 1.0}})
    assert "--chunks" in caught.value.hint
    passages = relyon.read_passages({"q": [("d", 0, 4)]})
    with pytest.raises(relyon.InputError, match="need the chunks") as caught:
        relyon.evaluate(passages, {"q": {"a": 1.0}})
    assert "read_chunks" in caught.value.hint


def test_a_table_with_texts_and_without_grades_is_no_table_of_passages(tmp_path: Path) -> None:
    file = tmp_path / "judgments.csv"
    file.write_text("query,document,text\nq,d,words\n")
    with pytest.raises(relyon.InputError, match="no column for the grade"):
        relyon.read_judgments(file)


def test_ids_of_traces_are_told_to_name_the_attribute_of_the_task(tmp_path: Path) -> None:
    run = tmp_path / "x.run"
    run.write_text(f"{'ab' * 16} Q0 a 1 1 tag\n")
    with pytest.raises(relyon.InputError) as caught:
        relyon.evaluate({"q": {"a": 1}}, run)
    assert "--run-columns query=session.id" in caught.value.hint
    with pytest.raises(relyon.InputError) as caught:
        relyon.evaluate({"cd" * 16: {"a": 1}}, run)
    assert "session.id" not in caught.value.hint


LINES = ("q Q0 {} 1 9.5 tag", "q Q0 {} 1 9.5", "q\tQ0\t{}\t1\t9.5\tmy tag")


@pytest.mark.parametrize("line", LINES)
def test_spaces_in_ids_of_a_trec_run_are_an_error(tmp_path: Path, line: str) -> None:
    file = tmp_path / "x.run"
    file.write_text(f"# made by hand\n{line.format('d1')}\n{line.format('my doc#3')}\n")
    with pytest.raises(relyon.ParseError, match=r"x\.run:3: the id `my doc#3`") as caught:
        relyon.read_run(file)
    assert "JSON Lines" in caught.value.hint
    with pytest.raises(relyon.ParseError, match="white space"):
        relyon.evaluate({"q": {"d1": 1}}, file)
    file.write_text(f"{line.format('d1')}\n{line.format('d2').replace(' 1', ' -')}\n")
    relyon.read_run(file)


def test_a_table_of_questions_without_answerable_says_what_to_add(tmp_path: Path) -> None:
    file = tmp_path / "questions.csv"
    file.write_text("query,text\nq,why\n")
    with pytest.raises(relyon.InputError, match="no column `answerable`") as caught:
        relyon.abstention({"q": {"a": 1}}, {"q": {"a": 1.0}}, answerable=file)
    assert "add a column `answerable` with yes or no" in caught.value.hint
    assert "query, text" in caught.value.hint
