"""Quality against latency: the tape beside a run, the numbers, and what compare and report show."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import relyon
from relyon.analysis.statistics import quantile_interval
from relyon.engines import Recorded, quality_against_latency, read_beside, titles_of
from relyon.engines.entry import Entry
from relyon.engines.explanations import outline
from relyon.engines.searching import in_turn
from relyon.io.tapes import tape_beside

QUERIES = {f"q{n}": f"query-{n}" for n in range(30)} | {"查询": "电视 🙂"}


def found_by(query: str, k: int, best: str = "bad") -> list[dict[str, object]]:
    ids = [best, "other", "文档 1".replace(" ", "-")]
    return [{"id": one, "score": 9.0 - n, "title": f"Title of {one}"} for n, one in enumerate(ids)][
        :k
    ]


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


def recorded(times: dict[str, float], *, start: float = 0.0, failed: str = "") -> Recorded:
    entries = {
        query: Entry(
            key=f"{n:032}",
            variant="x",
            query=query,
            ids=[] if query == failed else ["d"],
            ms=ms,
            at=start + n,
            failed="refused" if query == failed else "",
        )
        for n, (query, ms) in enumerate(times.items())
    }
    return Recorded(entries, None)  # type: ignore[arg-type]


def compared(values: dict[str, float]) -> relyon.Comparison:
    """A comparison of runs whose MRR is a share of the queries with the good document first."""
    queries = [f"q{n}" for n in range(20)]
    judgments = {query: {"good": 1} for query in queries}
    lists = [
        {
            query: {"good": 1.0 if n < 20 * share else -1.0, "bad": 0.0}
            for n, query in enumerate(queries)
        }
        for share in values.values()
    ]
    return relyon.compare(judgments, lists[0], lists[1:], "rr", names=list(values))


# -- the interval of a quantile -------------------------------------------------------------------


@pytest.mark.parametrize("count", [6, 10, 25])
def test_interval_of_a_median_is_that_of_the_binomial(count: int) -> None:
    low, high = quantile_interval(range(count), 0.5)
    below = sum(math.comb(count, k) for k in range(int(low) + 1)) / 2**count
    assert below <= 0.025 < below + math.comb(count, int(low) + 1) / 2**count
    assert high == count - 1 - low


def test_too_few_values_have_no_interval() -> None:
    assert all(map(math.isnan, quantile_interval([1, 2, 3, 4, 5], 0.5)))
    assert math.isnan(quantile_interval(range(71), 0.95)[1])
    assert quantile_interval(range(72), 0.95)[1] == 71


@pytest.mark.parametrize("tail", [0.0, 0.05])
@pytest.mark.parametrize("count", [8, 40, 200])
def test_unchanged_latencies_differ_rarely(tail: float, count: int) -> None:
    draws = np.random.default_rng(count)

    def times() -> np.ndarray:
        spikes = (draws.random(count) < tail) * draws.pareto(1.1, count) * 30
        return np.exp(draws.normal(0, 0.6, count)) + spikes

    wrong = 0
    for _ in range(300):
        cost = np.exp(draws.normal(3, 0.6, count))
        low, high = quantile_interval((cost * times() - cost * times()).tolist(), 0.5)
        wrong += low > 0 or high < 0
    assert wrong <= 300 * 0.05 + 3 * math.sqrt(300 * 0.05)


# -- the numbers -----------------------------------------------------------------------------------


def test_runs_with_their_quality_and_latency() -> None:
    comparison = compared({"old": 0.5, "new": 1.0, "slow": 0.25})
    times = {f"q{n}": 10.0 + n for n in range(20)}
    both = quality_against_latency(
        comparison,
        {
            "old": recorded(times),
            "new": recorded({query: ms - 5 for query, ms in times.items()}),
            "slow": recorded({query: ms + 100 for query, ms in times.items()}, start=1000),
        },
    )
    old, new, slow = both.runs
    assert (old.value, new.value) == (0.75, 1.0)
    assert (old.latency.p50, new.latency.p50) == (19.5, 14.5)
    assert (old.dominated_by, new.dominated_by, slow.dominated_by) == ("new", "", "new")
    faster, slower = both.contrasts
    assert (faster.difference, faster.interval, faster.faster) == (-5, (-5, -5), 20)
    assert slower.difference == 100
    assert faster.together == 1.0
    assert slower.together == 0.0
    assert [note.kind for note in both.notes] == ["latency-not-together"]
    assert both.notes[0].examples == ("slow",)


def test_lower_is_better_for_measures_of_which_less_is_better() -> None:
    from relyon.engines.quality import _dominated

    comparison = compared({"a": 0.5, "b": 1.0})
    times = {f"q{n}": 10.0 for n in range(20)}
    both = quality_against_latency(comparison, {"a": recorded(times), "b": recorded(times)})
    runs = [replace(one, dominated_by="") for one in both.runs]
    assert [one.dominated_by for one in _dominated(runs, 1)] == ["b", ""]
    assert [one.dominated_by for one in _dominated(runs, -1)] == ["", "a"]


def test_a_tie_in_both_dominates_nothing() -> None:
    comparison = compared({"a": 1.0, "b": 1.0})
    times = {f"q{n}": 10.0 for n in range(20)}
    both = quality_against_latency(comparison, {"a": recorded(times), "b": recorded(times)})
    assert [one.dominated_by for one in both.runs] == ["", ""]


def test_refused_queries_have_no_latency() -> None:
    comparison = compared({"a": 0.5, "b": 1.0})
    times = {f"q{n}": 10.0 for n in range(20)}
    refused = recorded({**times, "q3": 9_000.0}, failed="q3")
    both = quality_against_latency(comparison, {"a": recorded(times), "b": refused})
    assert both.runs[1].latency.failed == 1
    assert both.runs[1].latency.longest == 10.0
    assert both.contrasts[0].queries == 19


def test_one_query_has_no_interval() -> None:
    comparison = relyon.compare(
        {"q": {"good": 1}}, {"q": {"good": 1.0}}, {"q": {"good": 2.0}}, "rr", names=["a", "b"]
    )
    one = {"a": recorded({"q": 3.0}), "b": recorded({"q": 5.0})}
    both = quality_against_latency(comparison, one)
    assert both.contrasts[0].difference == 2.0
    assert all(map(math.isnan, both.contrasts[0].interval))
    assert json.loads(both.to_json())["differences"][0]["interval_ms"] == [None, None]
    assert "+2.00" in both.to_text()


def test_a_run_without_a_tape_is_left_out() -> None:
    comparison = compared({"a": 0.5, "b": 1.0})
    both = quality_against_latency(comparison, {"b": recorded({"q1": 3.0})})
    assert [one.run for one in both.runs] == ["b"]
    assert both.contrasts == ()
    assert both.to_frame().height == 1


def test_something_else_is_refused() -> None:
    comparison = compared({"a": 0.5, "b": 1.0})
    with pytest.raises(relyon.ParameterError, match="recordings must be"):
        quality_against_latency(comparison, {"a": 3})
    values = relyon.compare_values(
        {"a": {"rr": {"q": 1.0, "r": 0.0}}, "b": {"rr": {"q": 0.0, "r": 1.0}}}
    )
    with pytest.raises(relyon.ParameterError, match="only values"):
        quality_against_latency(values, {})


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


def test_several_variants_are_asked_in_turn() -> None:
    from relyon.engines import Query, Request, Variant

    variants = [Variant(name) for name in "abc"]
    requests = [
        Request(Query(str(n), str(n)), variant, 10) for variant in variants for n in range(30)
    ]
    asked = in_turn(requests)
    assert sorted(map(repr, asked)) == sorted(map(repr, requests))
    firsts = [asked[3 * n].variant.name for n in range(30)]
    assert {name: firsts.count(name) for name in "abc"} == {"a": 10, "b": 10, "c": 10}
    assert all(len({one.query.id for one in asked[3 * n : 3 * n + 3]}) == 1 for n in range(30))


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


def test_many_runs_have_names_only_if_not_dominated() -> None:
    from relyon.report.catalogue import catalogue
    from relyon.report.charts import draw
    from relyon.report.latencies import latency_chart

    pytest.importorskip("vl_convert")
    random.seed(1)
    comparison = compared({f"run-{n}": random.random() for n in range(12)})
    times = {
        name: recorded({f"q{n}": 1.0 + place for n in range(20)})
        for place, name in enumerate(comparison.runs)
    }
    both = quality_against_latency(comparison, times)
    chart = latency_chart(both, catalogue("en"))
    named = {row["name"] for row in chart.rows if row["named"]}
    assert named == {one.run for one in both.runs if not one.dominated_by}
    assert len(named) < 12
    assert "run-0" in draw(chart, "c1", "narrow")


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


# -- if nothing changed ----------------------------------------------------------------------------


@pytest.mark.parametrize(("in_turns", "least", "most"), [(True, 0.9, 1.0), (False, 0.0, 0.7)])
def test_warming_caches_mislead_only_one_after_another(
    in_turns: bool, least: float, most: float
) -> None:
    """Why variants are asked in turn: the same engine twice, whose caches warm up."""
    from relyon.engines import Query, Request, Variant

    draws = np.random.default_rng(5)
    count, repeats, covered = 200, 200, 0
    variants = [Variant("a"), Variant("b")]
    requests = [Request(Query(str(n), "x"), one, 10) for one in variants for n in range(count)]
    order = in_turn(requests) if in_turns else requests
    places = {(one.variant.name, one.query.id): n for n, one in enumerate(order)}
    for _ in range(repeats):
        cost = np.exp(draws.normal(3, 0.6, count))
        times = {}
        for name in "ab":
            place = np.array([places[name, str(n)] for n in range(count)])
            warmth = 1 + 0.6 * np.exp(-place / (count / 4))
            times[name] = cost * np.exp(draws.normal(0, 0.5, count)) * warmth
        low, high = quantile_interval((times["b"] - times["a"]).tolist(), 0.5)
        covered += low <= 0 <= high
    assert least <= covered / repeats <= most


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
    from relyon.engines.tape import write_tape

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
