"""Judgments whose documents changed, are gone, or have another id."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import relyon
from relyon.cli import main
from relyon.core.errors import ParameterError
from relyon.data.document_prints import SKETCH, closeness, content_print
from relyon.io.content_prints import prints_of_rows, read_prints, write_prints
from relyon.io.document_rows import document_rows

JUDGMENTS = {"q1": {"a": 3, "b": 1}, "查询": {"7": 2, "d": 0}}
THEN = {"a": "one two three", "b": "红色跑鞋", "7": "seven", "d": "four"}


def states(today: object, then: object = THEN, **options: Any) -> dict[str, str]:
    """Returns the state of each document."""
    found = relyon.stale_judgments(JUDGMENTS, documents=today, then=then, **options)
    return dict(found.pairs.select("document", "state").iter_rows())


def test_white_space_and_normal_form_are_no_change() -> None:
    today = THEN | {"a": " one\ttwo\u3000three\n", "b": "红色跑鞋 "}
    assert set(states(today).values()) == {"same"}
    assert states({"a": "Cafe\u0301"}, {"a": "Café"})["a"] == "same"


def test_case_and_punctuation_are_a_change() -> None:
    assert states(THEN | {"7": "Seven"})["7"] == "changed"
    assert states(THEN | {"7": "seven."})["7"] == "near"


def test_closeness_decides_between_near_and_changed() -> None:
    today = THEN | {"b": "红色童鞋"}
    assert states(today)["b"] == "changed"
    assert states(today, near=0.6)["b"] == "near"
    assert states(today, near=0.61)["b"] == "changed"


def test_a_new_id_with_the_old_text() -> None:
    today = {"a": THEN["a"], "x": THEN["b"], "7": THEN["7"], "d": THEN["d"]}
    found = relyon.stale_judgments(JUDGMENTS, documents=today, then=THEN)
    moved = found.pairs.filter(pl.col("state") == "moved")
    assert moved.select("document", "new_document", "stale").rows() == [("b", "x", False)]
    assert found.followed()["q1"] == {"a": 3.0, "x": 1.0}
    assert [note.kind for note in found.notes] == ["stale-moved"]


def test_a_twin_that_was_there_before_is_no_new_id() -> None:
    then = THEN | {"d": THEN["a"]}
    assert states({"d": THEN["a"], "b": THEN["b"], "7": "seven"}, then)["a"] == "gone"


def test_ids_that_shift_by_one_are_new_ids() -> None:
    """A table that was indexed anew, whose ids are row numbers."""
    then = {str(one): f"text number {one}" for one in range(5)}
    today = {str(one + 1): text for one, text in enumerate(then.values())}
    judged = {"q": dict.fromkeys(then, 1)}
    found = relyon.stale_judgments(judged, documents=today, then=then, near=0.9)
    rows = found.pairs.select("document", "state", "new_document").rows()
    # What is known of then are the judged ids alone: those that had other texts are not new.
    assert rows[:2] == [("0", "moved", "1"), ("1", "moved", "2")]
    assert {state for _, state, _ in rows} == {"moved"}
    assert found.notes[0].kind == "stale-reindexed"


def test_what_is_not_known_is_unknown_never_fresh(tmp_path: Path) -> None:
    assert states(THEN | {"b": "new"}, {"a": THEN["a"]}) == {
        "a": "same", "b": "unknown", "7": "unknown", "d": "unknown",
    }  # fmt: skip
    path = tmp_path / "j.qrels"
    path.write_text("q 0 a 1\nq 0 b 1\n", "utf-8")
    found = relyon.stale_judgments(path, documents={"a": "text"})
    assert found.counts == {
        "same": 0, "near": 0, "changed": 0, "gone": 1, "moved": 0, "unknown": 1,
    }  # fmt: skip
    assert [note.kind for note in found.notes] == ["stale-unknown"]
    assert relyon.stale_judgments(path, documents={"a": "x"}, counted=["unknown"]).stale == 1


def test_empty_texts() -> None:
    assert states(THEN | {"a": " "})["a"] == "changed"
    assert states(THEN, THEN | {"a": ""})["a"] == "unknown"


def test_repeated_documents_are_noted() -> None:
    rows = [*THEN.items(), ("a", "another")]
    today = pl.DataFrame(rows, schema=["id", "text"], orient="row")
    found = relyon.stale_judgments(JUDGMENTS, documents=today, then=THEN)
    assert found.counts["same"] == 4
    assert [note.kind for note in found.notes] == ["stale-repeated-documents"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_files_of_documents(tmp_path: Path, suffix: str) -> None:
    import gzip

    frame = pl.DataFrame(
        {"sku": ["a", "7"], "Title": ['say "x"\nline', "'=1"], "description": [None, "s"]}
    )
    path = tmp_path / f"d.{suffix}"
    if suffix == "parquet":
        frame.write_parquet(path)
    elif suffix == "jsonl":
        frame.write_ndjson(path)
    elif suffix == "csv.gz":
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    else:
        frame.write_csv(path, separator="\t" if suffix == "tsv" else ",")
    rows = document_rows(path, wanted={"a"})
    assert rows.fields == ("title", "snippet")
    shown = "'=1" if suffix in ("parquet", "jsonl") else "=1"
    assert list(rows) == [("a", ['say "x"\nline', ""]), ("7", [shown, "s"])]


def test_fingerprints_in_a_file(tmp_path: Path) -> None:
    long = " ".join(f"w{one}" for one in range(500))
    known = prints_of_rows(document_rows(THEN | {"a": long}))
    path = tmp_path / "p.csv"
    write_prints(known, path)
    assert read_prints(path) == known
    assert len(known.documents["a"].sketch) == SKETCH
    changed = long.replace("w0 ", "x0 ").replace("w100 ", "x1 ")
    found = relyon.stale_judgments(
        JUDGMENTS, documents=THEN | {"a": changed}, fingerprints=path, near=0.5
    )
    assert found.counts == {
        "same": 3, "near": 1, "changed": 0, "gone": 0, "moved": 0, "unknown": 0,
    }  # fmt: skip


def test_a_sketch_estimates_closeness() -> None:
    text = [f"w{one}" for one in range(1000)]
    for share in (0.5, 0.9):
        other = text[: int(1000 * share)] + [f"x{one}" for one in range(int(1000 * (1 - share)))]
        first, second = content_print([" ".join(text)]), content_print([" ".join(other)])
        exact = closeness(first, second)
        assert exact == pytest.approx(len({*text} & {*other}) / len({*text} | {*other}))
        rough = closeness(first.shortened(), second)
        assert abs(rough - exact) < 4 * math.sqrt(exact * (1 - exact) / SKETCH)


def test_damaged_fingerprints_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("document,fields,fingerprint,words,sketch\na,title,00,many,\n", "utf-8")
    with pytest.raises(relyon.ParseError, match=r"p\.csv:2: the fingerprint of `a` is damaged"):
        read_prints(path)
    path.write_text("document,grade\na,1\n", "utf-8")
    with pytest.raises(relyon.InputError, match="is not a file of fingerprints"):
        read_prints(path)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"documents": {"a": "x"}, "near": 0.0}, "must be above 0"),
        ({"documents": {"a": "x"}, "within": 0.0}, "must be above 0"),
        ({"documents": {"a": "x"}, "fields": ["price"]}, "no column `price`"),
        ({"documents": pl.DataFrame({"n": [1]})}, "no column has ids"),
        ({"documents": pl.DataFrame({"id": [1]})}, "no column has titles or texts"),
        ({"documents": 7}, "documents are a mapping"),
        ({"documents": {"a": "x"}, "older_than": "180d"}, "have no times"),
    ],
)
def test_bad_input_is_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(relyon.RelyonError, match=said):
        relyon.stale_judgments(JUDGMENTS, **options)


def test_measures_that_are_no_mean_are_refused() -> None:
    with pytest.raises(relyon.ParameterError, match="is not the mean"):
        relyon.stale_judgments(JUDGMENTS, {"q1": {"a": 1.0}}, "gmap", documents=THEN, then=THEN)


def test_numbers_with_and_without_stale_grades() -> None:
    run = {"q1": {"a": 2.0, "b": 1.0}, "查询": {"7": 1.0}}
    today = {"a": "other", "b": THEN["b"], "7": "seven", "d": "four"}
    found = relyon.stale_judgments(JUDGMENTS, run, "dcg@1", documents=today, then=THEN)
    one = found.runs[0]
    assert (one.figures.value, one.figures.left_out) == (2.5, 1.0)
    assert (one.figures.bounds.low, one.figures.bounds.high) == (1.0, 2.5)
    assert (one.value_share, one.weight_share) == (0.6, 0.5)
    assert found.again.select("document", "reach").rows() == [("a", 1.5)]


def test_nothing_stale_has_no_range() -> None:
    run = {"q1": {"a": 2.0, "b": 1.0}, "查询": {"7": 1.0}}
    found = relyon.stale_judgments(JUDGMENTS, [run, run], documents=THEN, then=THEN, within=0.1)
    bounds = found.runs[0].figures.bounds
    assert (found.stale, found.needed, bounds.width, bounds.exact) == (0, 0, 0.0, True)
    assert bounds.low == relyon.evaluate(JUDGMENTS, run, "ndcg@10")["ndcg@10"]
    # Two equal runs cannot be told apart.
    assert found.contrasts[0].undecided


def test_equal_to_evaluate_under_other_rules() -> None:
    run = {"q1": {"u": 1.0, "a": 1.0, "b": 1.0}}
    for rules in ("trec_eval", "sklearn", {"ties": "expected", "missing": "skip"}):
        found = relyon.stale_judgments(
            JUDGMENTS, run, "ndcg@2", documents=THEN, then=THEN, convention=rules
        )
        expected = relyon.evaluate(JUDGMENTS, run, "ndcg@2", convention=rules)["ndcg@2"]
        assert found.runs[0].figures.value == pytest.approx(expected)


@pytest.mark.long
@pytest.mark.parametrize("rules", ["relyon", "trec_eval", "sklearn", {"ideal": "retrieved"}])
def test_other_grades_give_the_values_of_evaluate(rules: Any) -> None:
    """Lists are cut and grades left out only where that cannot matter."""
    from random import Random

    from relyon.analysis.stale.scenarios import Scenarios
    from relyon.data.convention import load_convention

    rnd = Random(5)
    for _ in range(10):
        judged = {
            query: {f"d{one}": rnd.choice([0.0, 0.0, 1.0, 3.0]) for one in range(rnd.randint(2, 7))}
            for query in ("a", "b")
        }
        run = {
            query: {one: rnd.choice([1.0, 2.0]) for one in rnd.sample([*own, "u", "v"], len(own))}
            for query, own in judged.items()
        }
        read = relyon.Run.from_dict(run)
        for name in ("ndcg@2", "p@2", "recall(rel=0)@2", "ap", "rr", "rbp"):
            chosen = relyon.measure(name)
            scenarios = Scenarios(judged, [read], chosen, load_convention(rules), None)
            for changed in ({}, {"d0": None}, {"d1": 3.0}):
                own = {one: grade for one, grade in {**judged["a"], **changed}.items()
                       if grade is not None}  # fmt: skip
                found = relyon.evaluate({"a": own, "b": judged["b"]}, run, name, convention=rules)
                expected = found.values_by_query(name).get("a", math.nan)
                if math.isnan(expected):
                    expected = chosen.counted(found.convention)
                value = scenarios.values([("a", changed)])[0, 0]
                assert value == pytest.approx(expected, nan_ok=True), (name, changed)


def test_again_until_the_range_is_narrow() -> None:
    judgments = {f"q{one}": {"a": 1, "b": 0, "c": 2} for one in range(6)}
    run = {query: {"a": 3.0, "b": 2.0, "c": 1.0} for query in judgments}
    then = {"a": "x", "b": "y", "c": "z"}
    found = relyon.stale_judgments(
        judgments, run, "p@2", documents=then | {"a": "new"}, then=then, within=0.25
    )
    # Each query can move the mean by 1/12; three of six may be left.
    assert found.needed == 3
    assert found.runs[0].figures.bounds.width == pytest.approx(0.5)


def test_old_grades(tmp_path: Path) -> None:
    path = tmp_path / "j.csv"
    path.write_text(
        "query,document,grade,title,judged_at\nq,a,1,x,2026-01-01\nq,b,1,y,2026-05-01\nq,c,1,z,\n",
        "utf-8",
    )
    now = 1_780_000_000.0  # 2026-05-28
    found = relyon.stale_judgments(
        path, documents={"a": {"title": "x"}, "b": {"title": "y"}, "c": {"title": "z"}},
        older_than="90d", now=now,
    )  # fmt: skip
    # A grade of unknown age is not fresh.
    assert found.pairs.select("document", "old").rows() == [("a", True), ("b", False), ("c", True)]


def test_named_grades_need_their_scale_only_once(tmp_path: Path) -> None:
    path = tmp_path / "标注.csv"
    path.write_text(
        "查询,商品,等级,标题\n手机,d1,高,红色 手机\n手机,d2,无,耳机\n", encoding="utf-8"
    )
    today = {"d1": {"title": "红色　手机"}, "d2": {"title": "音箱"}}
    found = relyon.stale_judgments(str(path), documents=today, scale="search")
    assert found.pairs.select("document", "grade", "state").rows() == [
        ("d1", 3.0, "same"),
        ("d2", 0.0, "changed"),
    ]
    prints = tmp_path / "prints.csv"
    arguments = ["judge", "fingerprints", str(path), "--scale", "search", "-o", str(prints)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert len(read_prints(prints).pairs) == 2


@pytest.mark.parametrize("convention", ["relyon", "trec_eval", "sklearn", "lightgbm"])
@pytest.mark.parametrize("name", ["ndcg@2", "ap"])
def test_values_are_those_of_evaluate(name: str, convention: str) -> None:
    """Queries without a relevant document count as the convention says: left out, as 0, or as 1."""
    judgments = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 0, "b": 0}}
    run = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 2.0, "b": 1.0}}
    today = {"a": "one", "b": "two", "c": "now another text"}
    then = today | {"c": "three"}
    found = relyon.stale_judgments(
        judgments, run, name, documents=today, then=then, convention=convention
    ).runs[0]
    assert found.figures.value == pytest.approx(
        relyon.evaluate(judgments, run, [name], convention=convention)[name]
    )
    (low, high) = found.figures.bounds.low, found.figures.bounds.high
    for grade in (0, 1, 2):
        given = {"q1": {**judgments["q1"], "c": grade}, "q2": judgments["q2"]}
        value = relyon.evaluate(given, run, [name], convention=convention)[name]
        assert low - 1e-9 <= value <= high + 1e-9


def test_what_the_rules_refuse_has_the_query_as_it_is_named() -> None:
    run = {"q1": {"a": 1.0}}
    with pytest.raises(relyon.InputError, match="查询"):
        relyon.stale_judgments(
            JUDGMENTS, run, "ndcg@2", documents=THEN, then=THEN, convention="ranx"
        )


def test_a_field_is_named_as_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "标注.csv"
    path.write_text("查询,商品,等级,标题\n手机,d1,3,红色手机\n手机,d2,0,耳机\n", encoding="utf-8")
    for name in ("标题", "商品名称"):
        today = {"d1": {name: "红色手机"}, "d2": {name: "音箱"}}
        found = relyon.stale_judgments(str(path), documents=today, fields=[name])
        assert found.pairs["state"].to_list() == ["same", "changed"]
    prints = tmp_path / "prints.csv"
    arguments = ["judge", "fingerprints", str(path), "--field", "标题", "-o", str(prints)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    found = relyon.stale_judgments(str(path), documents=today, fingerprints=str(prints))
    assert found.counts["changed"] == 1
    missing = CliRunner().invoke(main, [*arguments[:4], "价格"])
    assert missing.exit_code == 3


def test_a_width_without_runs_and_measures_that_pool_queries_are_refused() -> None:
    judged = {"q": {"a": 1, "b": 0}}
    texts: dict[str, Any] = {
        "documents": {"a": "new", "b": "text"},
        "then": {"a": "old", "b": "text"},
    }
    with pytest.raises(ParameterError, match="a width for ranges needs runs"):
        relyon.stale_judgments(judged, within=0.1, **texts)
    run = {"q": {"a": 2.0, "b": 1.0}}
    for name in ("pnr", "auc"):
        with pytest.raises(ParameterError, match="not the mean of a quality over queries"):
            relyon.stale_judgments(judged, run, name, **texts)
