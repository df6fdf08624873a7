"""The tape beside a run: whether it is used, and what commands show of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import relyon
from relyon.engines import read_beside, titles_of
from relyon.engines.explanations import outline
from relyon.io.tapes import tape_beside

QUERIES = {f"q{n}": f"query-{n}" for n in range(30)} | {"查询": "电视 🙂"}


def write_engine(folder: Path) -> Path:
    (folder / "latency_engine.py").write_text(
        "def go(query, k, best='bad'):\n"
        "    ids = [best, 'other', '文档-1']\n"
        "    return [{'id': one, 'score': 9.0 - n, 'title': f'Title of {one}'}\n"
        "            for n, one in enumerate(ids)][:k]\n",
        "utf-8",
    )
    file = folder / "engine.toml"
    file.write_text(
        'kind = "python"\npython = "latency_engine:go"\n[parameters]\nbest = "bad"\n'
        '[variants.new]\nbest = "good"\n',
        "utf-8",
    )
    return file


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    relyon.search(str(write_engine(tmp_path)), QUERIES, k=3, output=tmp_path / "runs")
    judgments = relyon.Judgments.from_dict({query: {"good": 1, "bad": 0} for query in QUERIES})
    relyon.write_judgments(judgments, tmp_path / "j.qrels")
    return tmp_path


# -- the tape beside a run -------------------------------------------------------------------------


def test_the_tape_of_a_run_is_found(runs: Path) -> None:
    found, notes = read_beside(runs / "runs" / "new.run")
    assert found is not None
    assert notes == ()
    assert found.entries["查询"].ids == ["good", "other", "文档-1"]
    assert titles_of([found])["文档-1"] == "Title of 文档-1"
    assert read_beside(runs / "j.qrels") == (None, ())


@pytest.mark.parametrize(
    ("change", "count"),
    [
        (lambda lines: lines[1:], 1),
        (lambda lines: [lines[0].replace(" good ", " other2 "), *lines[1:]], 1),
        (lambda lines: [lines[0].replace(" 9.0", " 7.5"), *lines[1:]], 1),
        (lambda lines: [*lines, "q99 Q0 good 1 9 new"], 1),
        (lambda lines: [], 31),
    ],
    ids=["row gone", "another document", "another order", "another query", "empty"],
)
def test_a_run_that_was_edited_has_no_tape(runs: Path, change: object, count: int) -> None:
    file = runs / "runs" / "new.run"
    lines = [line for line in file.read_text("utf-8").splitlines() if line]
    changed = change(lines)  # type: ignore[operator]
    run = relyon.Run.from_dict({})
    if changed:
        file.write_text("\n".join(changed) + "\n", "utf-8")
        run = relyon.read_run(file)
    found, notes = read_beside(file, run)
    assert found is None
    assert (notes[0].kind, notes[0].count) == ("tape-of-another-run", count)
    assert "录制文件" in notes[0].text("zh")


def test_other_scores_in_the_same_order_are_the_same_run(runs: Path) -> None:
    file = runs / "runs" / "new.run"
    run = relyon.read_run(file).to_dict()
    halved = {query: {id: score / 2 for id, score in one.items()} for query, one in run.items()}
    found, notes = read_beside(file, relyon.Run.from_dict(halved))
    assert found is not None
    assert notes == ()


@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"{}\n", b'{"tape": 99}\n', None])
def test_a_tape_that_cannot_be_read_is_named(runs: Path, content: bytes | None) -> None:
    file = runs / "runs" / "new.run"
    beside = Path(tape_beside(str(file)))
    beside.write_bytes(beside.read_bytes()[:-40] if content is None else content)
    found, notes = read_beside(file)
    assert found is None
    assert notes[0].kind == "tape-cannot-be-read"
    assert str(beside) in notes[0].text()


# -- what commands show ----------------------------------------------------------------------------


def command(*words: str) -> tuple[int, str, str]:
    from click.testing import CliRunner

    from relyon.cli.application import main

    found = CliRunner().invoke(main, list(words))
    return found.exit_code, found.stdout, found.stderr


def files(runs: Path) -> list[str]:
    return [str(runs / "j.qrels"), str(runs / "runs/base.run"), str(runs / "runs/new.run")]


def test_compare_shows_latency_only_with_tapes(runs: Path) -> None:
    paths = files(runs)
    code, shown, _ = command("compare", *paths, "-m", "rr")
    assert code == 0
    assert "p95 ms" in shown
    found = json.loads(command("compare", *paths, "-m", "rr", "--format", "json")[1])
    assert [one["run"] for one in found["latency"]["runs"]] == ["base.run", "new.run"]
    assert "p95" in command("compare", *paths, "-m", "rr", "--format", "markdown")[1]
    for path in paths[1:]:
        Path(tape_beside(path)).unlink()
    code, without, _ = command("compare", *paths, "-m", "rr")
    assert shown.startswith(without.rstrip("\n"))
    assert "p95" not in without
    assert "latency" not in json.loads(command("compare", *paths, "--format", "json")[1])


def test_compare_says_why_a_tape_is_not_used(runs: Path) -> None:
    paths = files(runs)
    file = Path(paths[2])
    file.write_text("\n".join(file.read_text("utf-8").splitlines()[1:]) + "\n", "utf-8")
    code, shown, said = command("compare", *paths, "-m", "rr")
    assert code == 0
    assert "new.run.tape.jsonl is not used" in said
    assert shown.count("new.run.tape") == 0


@pytest.mark.parametrize(
    ("language", "word"), [("en", "Quality and latency"), ("zh", "质量与延迟")]
)
def test_report_has_a_section(runs: Path, language: str, word: str) -> None:
    paths = files(runs)
    out = runs / "r.md"
    assert command("report", *paths, "-m", "rr", "--lang", language, "-o", str(out))[0] == 0
    text = out.read_text("utf-8")
    assert word in text
    assert "Title of good" in text
    for path in paths[1:]:
        Path(tape_beside(path)).unlink()
    assert command("report", *paths, "-m", "rr", "--lang", language, "-o", str(out))[0] == 0
    assert word not in out.read_text("utf-8")


def test_report_draws_the_chart(runs: Path) -> None:
    pytest.importorskip("vl_convert")
    paths = files(runs)
    out = runs / "r.html"
    assert command("report", *paths, "-m", "rr", "-o", str(out))[0] == 0
    page = out.read_text("utf-8")
    section = page[page.index('id="latency"') :]
    assert "new.run: RR 1.0000" in section[: section.index("</section>")]


def test_explain_shows_the_text_of_the_query_and_diagnose_notes(runs: Path) -> None:
    paths = files(runs)
    Path(tape_beside(paths[1])).write_text("{}", "utf-8")
    code, _, said = command("diagnose", *paths)
    assert code == 0
    assert "base.run.tape.jsonl is not used" in said
    paths[1] = paths[2]
    assert "query-1" in command("explain", *paths[:2], "--query-id", "q1", "-m", "rr")[1]


def test_without_the_extra_a_note_says_so(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import relyon.engines

    paths = files(runs)

    def missing(name: str) -> object:
        raise relyon.DependencyError("reading needs msgspec")

    monkeypatch.delattr(relyon.engines, "read_beside", raising=False)
    monkeypatch.setattr(relyon.engines, "__getattr__", missing)
    code, shown, said = command("compare", *paths, "-m", "rr")
    assert code == 0
    assert "p95" not in shown
    assert "is not used: reading needs msgspec" in said


# -- explanations of scores ------------------------------------------------------------------------


def test_an_explanation_is_bounded() -> None:
    deep: dict[str, object] = {"value": 1.0, "description": "x" * 500}
    for _ in range(300):
        deep = {"value": 1.0, "description": "sum of:", "details": [deep] * 2}
        if len(json.dumps(deep)) > 100_000:
            break
    lines = outline(json.dumps(deep))
    assert len(lines) == 17
    assert lines[-1] == (0, "…")
    assert outline("") == []
    assert outline("{broken") == [(0, "{broken")]
    assert outline("[1, 2]") == [(0, "[1, 2]")]


def test_explain_shows_the_engines_explanation(runs: Path) -> None:
    paths = [str(runs / "j.qrels"), str(runs / "runs/new.run")]
    asked = ("explain", *paths, "--query-id", "q1", "-m", "ndcg@5")
    code, plain, _ = command(*asked)
    assert code == 0
    assert "Title of good" in plain
    assert "explains" not in plain
    beside = Path(tape_beside(paths[1]))
    from relyon.engines import read_tape
    from relyon.engines.tapes.tape import write_tape

    tape = read_tape(beside)
    why = json.dumps({"value": 9.0, "description": "sum of:", "details": [{"value": 9}]})
    for key in list(tape.entries):
        entry = tape.entries[key]
        entry.why = [why, "8 = 电视\n  3 = tf", ""]
        tape.entries.put(entry)
    write_tape(str(beside), tape)
    code, shown, _ = command(*asked)
    assert code == 0
    assert shown.startswith(plain.rstrip("\n"))
    end = shown[len(plain.rstrip("\n")) :].split("\n")
    assert end[2:] == [
        "How the engine explains the scores of new.run",
        "1. good (Title of good)",
        "  9 sum of:",
        "    9",
        "2. other (Title of other)",
        "  8 = 电视",
        "    3 = tf",
        "",
    ]
    found = json.loads(command(*asked, "--format", "json")[1])
    assert found["engine"]["new.run"]["good"]["details"] == [{"value": 9}]
    assert "    - 9 sum of:" in command(*asked, "--format", "markdown")[1]
    assert "1 more result" in command(*asked, "--limit", "1")[1]
