"""A search: variants, files, the engine's order, notes, replay, resuming, limits."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.unit.searched import Scripted, answer, without_times

import relyon
from relyon.core.notes import Note
from relyon.engines import (
    Answer,
    FatalError,
    Limits,
    RefusedError,
    Request,
    Variant,
    asking,
    read_tape,
)

QUERIES = {"q1": "red shoes", "q2": "电视", "q3": "lamp"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries do not wait long."""
    monkeypatch.setattr(asking, "FIRST_REST", 0.001)


def kinds(notes: tuple[Note, ...]) -> list[str]:
    return [one.kind for one in notes]


def test_a_run_per_variant_and_a_tape_beside_each(tmp_path: Path) -> None:
    engine = Scripted(answer)
    both = engine.configured([Variant("base", {"shift": 0}), Variant("more", {"shift": 5})])
    found = relyon.search(both, QUERIES, 2, output=tmp_path / "runs", record=tmp_path / "all.jsonl")
    assert found.runs["more"].to_dict()["q2"] == {"q2-5": 10.0, "q2-6": 9.0}
    assert sorted(one.name for one in (tmp_path / "runs").iterdir()) == [
        "base.run",
        "base.run.tape.jsonl",
        "more.run",
        "more.run.tape.jsonl",
    ]
    assert set(engine.asked.values()) == {1}
    assert relyon.read_run(tmp_path / "runs/more.run").to_dict() == found.runs["more"].to_dict()
    own = read_tape(tmp_path / "runs/more.run.tape.jsonl")
    assert list(own.head.variants) == ["more"]
    assert [one.variant for one in own.entries.values()] == ["more"] * 3
    assert own.queries["q2"].text == "电视"
    assert own.documents["q1-5"] == {"title": "q1-5"}
    assert "q1-0" not in own.documents
    assert len(read_tape(tmp_path / "all.jsonl").entries) == 6


def test_one_variant_goes_to_a_file_or_into_a_folder(tmp_path: Path) -> None:
    relyon.search(Scripted(answer), QUERIES, 2, output=tmp_path / "new" / "my.run")
    assert sorted(one.name for one in (tmp_path / "new").iterdir()) == [
        "my.run",
        "my.run.tape.jsonl",
    ]
    relyon.search(Scripted(answer), QUERIES, 2, output=f"{tmp_path}/folder/")
    assert (tmp_path / "folder" / "base.run").exists()


def test_nothing_is_replaced_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("mine")
    engine = Scripted(answer)
    with pytest.raises(relyon.InputError, match="already exists"):
        relyon.search(engine, QUERIES, 2, output=path)
    with pytest.raises(relyon.InputError, match="already exists"):
        relyon.search(engine, QUERIES, 2, output=path, restart=True)
    assert path.read_text() == "mine"
    assert not engine.asked
    relyon.search(engine, QUERIES, 2, output=path, overwrite=True)
    assert len(relyon.read_run(path)) == 6


def test_live_and_replay_give_the_same_bits(tmp_path: Path) -> None:
    engine = Scripted(answer)
    both = engine.configured([Variant("base", {"shift": 0}), Variant("more", {"shift": 5})])
    live = relyon.search(both, QUERIES, 7, output=tmp_path / "live/", record=tmp_path / "t.jsonl")
    engine.asked.clear()
    again = relyon.search(
        both,
        QUERIES,
        7,
        output=tmp_path / "again/",
        replay=tmp_path / "t.jsonl",
        record=tmp_path / "u.jsonl",
    )
    assert not engine.asked
    for name in ("base.run", "more.run", "base.run.tape.jsonl", "more.run.tape.jsonl"):
        first, second = (tmp_path / folder / name for folder in ("live", "again"))
        assert first.read_bytes() == second.read_bytes()
    assert (tmp_path / "t.jsonl").read_bytes() == (tmp_path / "u.jsonl").read_bytes()
    assert live.latencies == again.latencies
    assert live.notes == again.notes
    assert live.tape.checksum == again.tape.checksum


def test_the_order_of_answers_leaves_no_trace(tmp_path: Path) -> None:
    """Passages depend on the query; which answer came first must not show on the tape."""
    chance = random.Random(3)
    order = itertools.count()

    def reply(request: Request) -> Answer:
        passage = {"title": "T", "snippet": f"… {request.query.text} …"}
        next(order)
        return Answer(["d1", "d2"], [2.0, 1.0], [passage, passage])

    queries = {f"q{number}": f"word {number}" for number in range(40)}
    tapes = []
    for number in range(4):
        items = list(queries.items())
        chance.shuffle(items)
        relyon.search(Scripted(reply), dict(items), 2, output=tmp_path / f"{number}.run")
        relyon.search(
            Scripted(reply),
            queries,
            2,
            output=tmp_path / f"{number}s.run",
            limits=Limits(concurrency=8),
        )
        tapes.append(without_times(tmp_path / f"{number}s.run.tape.jsonl"))
        mixed = read_tape(tmp_path / f"{number}.run.tape.jsonl")
        assert dict(mixed.documents) == dict(read_tape(tmp_path / "0s.run.tape.jsonl").documents)
    assert all(one == tapes[0] for one in tapes)


def test_a_renamed_variant_replays_under_its_new_name(tmp_path: Path) -> None:
    engine = Scripted(answer)
    old = engine.configured([Variant("base", {"shift": 0}), Variant("old", {"shift": 5})])
    new = engine.configured([Variant("base", {"shift": 0}), Variant("新", {"shift": 5})])
    relyon.search(old, QUERIES, 2, record=tmp_path / "t.jsonl")
    found = relyon.search(new, QUERIES, 2, replay=tmp_path / "t.jsonl", output=tmp_path / "r/")
    assert list(found.runs) == ["base", "新"]
    assert {one.variant for one in found.tape.entries.values()} == {"base", "新"}
    assert list(read_tape(tmp_path / "r/新.run.tape.jsonl").head.variants) == ["新"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"k": 3}, "k = 2"),
        ({"queries": {**QUERIES, "q4": "new"}}, "queries or parameters"),
        ({"explain": True}, "templates or paths"),
    ],
)
def test_a_tape_of_something_else_says_what(
    tmp_path: Path, change: Mapping[str, object], reason: str
) -> None:
    relyon.search(Scripted(answer), QUERIES, 2, record=tmp_path / "t.jsonl")
    asked = {"queries": QUERIES, "k": 2, **change}
    with pytest.raises(relyon.InputError, match=reason):
        relyon.search(Scripted(answer), **asked, replay=tmp_path / "t.jsonl")  # type: ignore[arg-type]


def test_a_tape_serves_some_of_its_queries(tmp_path: Path) -> None:
    relyon.search(Scripted(answer), QUERIES, 2, record=tmp_path / "t.jsonl")
    some = {"q3": "lamp"}
    found = relyon.search(Scripted(answer), some, 2, replay=tmp_path / "t.jsonl")
    assert found.run.queries == ["q3"]


def test_a_column_that_no_template_uses_is_no_part_of_a_request(tmp_path: Path) -> None:
    import polars as pl

    first = pl.DataFrame({"query_id": ["q1"], "query": ["red"], "market": ["de"], "seen": [1]})
    other = first.with_columns(seen=2)
    relyon.search(Scripted(answer, ["query", "market"]), first, 2, record=tmp_path / "t.jsonl")
    relyon.search(Scripted(answer, ["query", "market"]), other, 2, replay=tmp_path / "t.jsonl")
    moved = first.with_columns(market=pl.lit("fr"))
    with pytest.raises(relyon.InputError, match="lacks 1 of 1"):
        relyon.search(Scripted(answer, ["query", "market"]), moved, 2, replay=tmp_path / "t.jsonl")


def test_two_variants_that_ask_the_same_are_named() -> None:
    same = Scripted(answer).configured([Variant("a", {"shift": 1}), Variant("b", {"shift": 1})])
    with pytest.raises(relyon.ParameterError, match="`a` and `b` ask the engine the same"):
        relyon.search(same, QUERIES, 2)


def test_a_column_with_a_parameters_name_is_named() -> None:
    import polars as pl

    queries = pl.DataFrame({"query": ["red"], "shift": [3]})
    with pytest.raises(relyon.ParameterError, match="column `shift`"):
        relyon.search(Scripted(answer).configured([Variant("a", {"shift": 1})]), queries, 2)


# -- the engine's order ----------------------------------------------------------------------------


def scored(*scores: float | None) -> Callable[[Request], Answer]:
    return lambda request: Answer([f"d{n}" for n in range(len(scores))], list(scores))


@pytest.mark.parametrize(
    ("scores", "kind"),
    [
        ((3.0, 2.0, 1.0), None),
        ((3.0, None, 1.0), "search-scores-missing"),
        ((None, None, None), "search-scores-missing"),
        ((1.0, 2.0, 3.0), "search-scores-rising"),
        ((3.0, 3.0, 1.0), "search-scores-equal"),
        ((0.0, 0.0, 0.0), "search-scores-equal"),
        ((-1.0, -2.0, -3.0), None),
        ((1e308, 1.0, -1e308), None),
    ],
)
@pytest.mark.parametrize("rule", ["auto", "engine", "rank"])
def test_the_engines_order_counts(
    scores: tuple[float | None, ...], kind: str | None, rule: str
) -> None:
    found = relyon.search(Scripted(scored(*scores)), {"q": "red"}, 3, scores=rule)  # type: ignore[arg-type]
    given = found.run.to_dict()["q"]
    ranks = {"d0": 3.0, "d1": 2.0, "d2": 1.0}
    kept = dict(zip(ranks, scores, strict=True))
    by_rank = rule == "rank" or kind == "search-scores-missing" or (kind and rule == "auto")
    assert given == (ranks if by_rank else kept)
    notes = [one for one in found.notes if one.kind.startswith("search-scores")]
    assert [one.kind for one in notes] == ([kind] if kind and rule != "rank" else [])
    for one in notes:
        assert one.text("en") != one.text("zh")
        assert ("k + 1 − rank" in one.text("en")) == bool(by_rank)


def test_one_bad_query_decides_for_the_whole_run() -> None:
    def reply(request: Request) -> Answer:
        return Answer(["a", "b"], [1.0, 1.0] if request.query.id == "q2" else [5.0, 4.0])

    found = relyon.search(Scripted(reply), QUERIES, 2)
    assert set(found.run.to_dict()["q1"].values()) == {2.0, 1.0}
    assert found.notes[0].count == 1
    assert found.notes[0].examples == ("q2",)


def test_no_results_and_few_results_are_noted() -> None:
    def reply(request: Request) -> Answer:
        few = {"q1": Answer([], [], total=0), "q2": Answer(["a"], [1.0], total=9)}
        return few.get(request.query.id, Answer(["a", "b"], [2.0, 1.0], duplicates=1))

    found = relyon.search(Scripted(reply), QUERIES, 5)
    assert kinds(found.notes) == ["search-empty", "search-cut", "search-short", "search-duplicates"]
    assert found.run.queries == ["q2", "q3"]
    assert all(one.text("zh") != one.text("en") for one in found.notes)


def test_a_run_without_any_result(tmp_path: Path) -> None:
    reply = scored()
    found = relyon.search(Scripted(reply), QUERIES, 5, output=tmp_path / "a.run")
    assert len(found.run) == 0
    again = relyon.search(
        Scripted(reply), QUERIES, 5, replay=tmp_path / "a.run.tape.jsonl", output=tmp_path / "b.run"
    )
    assert again.notes == found.notes
    assert (tmp_path / "a.run").read_bytes() == (tmp_path / "b.run").read_bytes()


# -- what an engine refuses ------------------------------------------------------------------------


def refusing(request: Request) -> Answer:
    if request.query.id == "q2":
        raise RefusedError("refused", "cannot parse 电视")
    return answer(request)


def test_refused_queries_stop_a_search_unless_they_count_as_empty(tmp_path: Path) -> None:
    engine = Scripted(refusing)
    with pytest.raises(relyon.InputError, match=r"1 of 3 .*q2.*cannot parse 电视"):
        relyon.search(engine, QUERIES, 2, output=tmp_path / "a.run")
    assert not (tmp_path / "a.run").exists()
    found = relyon.search(engine, QUERIES, 2, output=tmp_path / "a.run", failed="empty")
    assert engine.asked == {("base", "q1"): 1, ("base", "q2"): 2, ("base", "q3"): 1}
    assert kinds(found.notes) == ["search-resumed", "search-failed"]
    assert found.latencies["base"].failed == 1
    assert found.run.queries == ["q1", "q3"]
    again = relyon.search(engine, QUERIES, 2, replay=tmp_path / "a.run.tape.jsonl")
    assert again.run.to_dict() == found.run.to_dict()


def test_an_engine_that_refuses_a_key_stops_at_once(tmp_path: Path) -> None:
    def reply(request: Request) -> Answer:
        if request.query.id == "q030":
            raise FatalError("401: the key is refused")
        return answer(request)

    queries = {f"q{number:03}": f"word {number}" for number in range(300)}
    engine = Scripted(reply)
    with pytest.raises(FatalError, match="401"):
        relyon.search(engine, queries, 2, output=tmp_path / "a.run")
    assert engine.asked.total() < 60
    assert (tmp_path / "a.run.partial").exists()
    good = Scripted(answer)
    relyon.search(good, queries, 2, output=tmp_path / "a.run")
    assert good.asked.total() + engine.asked.total() == 301
    assert not (tmp_path / "a.run.partial").exists()


# -- unusual answers -------------------------------------------------------------------------------


def test_ids_that_a_format_cannot_contain_lose_no_answer(tmp_path: Path) -> None:
    engine = Scripted(lambda request: Answer(["a b", "电视"], [2.0, 1.0]))
    with pytest.raises(relyon.InputError, match="`a b` cannot be written") as caught:
        relyon.search(engine, QUERIES, 2, output=tmp_path / "a.run")
    tape = tmp_path / "a.run.tape.jsonl"
    assert f"--replay {tape}" in caught.value.hint
    found = relyon.search(engine, QUERIES, 2, output=tmp_path / "a.csv", replay=tape)
    assert relyon.read_run(tmp_path / "a.csv").to_dict() == found.run.to_dict()
    assert engine.asked.total() == 3


@pytest.mark.parametrize(
    ("result", "said"),
    [
        ("a\ud800", "id 'a"),
        ({"id": "a", "score": float("nan")}, "score nan"),
        ({"id": "a", "score": "high"}, "score 'high'"),
        ({"score": 1.0}, "id None"),
        (("a", 1.0, 2.0), "id ('a'"),
    ],
)
def test_results_that_are_none_are_named(result: object, said: str) -> None:
    with pytest.raises(relyon.InputError) as caught:
        relyon.search(lambda query, k: [result], ["red"], 3)
    assert said in str(caught.value)


def test_halves_of_characters_and_huge_texts_in_fields(tmp_path: Path) -> None:
    def find(query: str, k: int) -> list[dict[str, object]]:
        return [{"id": "x" * 100_000, "title": "a\udfff", "text": "long " * 100_000}]

    found = relyon.search(find, ["red"], 3, record=tmp_path / "t.jsonl")
    assert found.documents["x" * 100_000]["title"] == "a?"
    assert len(found.documents["x" * 100_000]["text"]) == 2000
    again = relyon.search(find, ["red"], 3, replay=tmp_path / "t.jsonl")
    assert again.run.to_dict() == found.run.to_dict()


def test_a_query_with_half_of_a_character_is_named() -> None:
    with pytest.raises(relyon.InputError, match="half of a character"):
        relyon.search(lambda query, k: ["a"], ["red", "q\ud800"], 3)
