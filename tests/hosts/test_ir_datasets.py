"""Data sets of the real ir_datasets, registered here: nothing is downloaded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.hosts.packages import host
from tests.hosts.pages import run_examples

import relyon
from relyon.cli import main
from relyon.compat import ir_datasets as ours

program = host("ir_datasets", package="ir-datasets")
formats = host("ir_datasets.formats", package="ir-datasets")
base = host("ir_datasets.datasets.base", package="ir-datasets")

GRADES = [("1", "d1", 2), ("1", "d2", 0), ("查询", "文档", 1), ("3", "d1", -1)]
SCORES = [("1", "d2", 2.5), ("1", "d1", 1.5), ("查询", "文档", 0.5)]


class Page(NamedTuple):
    doc_id: str
    title: str
    body: str

    def default_text(self) -> str:
        return f"{self.title} {self.body}"


class Docs(formats.BaseDocs):  # type: ignore[misc, name-defined]
    def docs_iter(self) -> Iterator[Page]:
        return iter(
            [Page("d1", "Red", "shoes"), Page("d2", "Blue", "hats"), Page("文档", "灯", "")]
        )

    def docs_store(self) -> Any:
        rows = {one.doc_id: one for one in self.docs_iter()}

        class Store:
            def get_many(self, ids: Any) -> Any:
                return {one: rows[one] for one in ids if one in rows}

        return Store()


class Queries(formats.BaseQueries):  # type: ignore[misc, name-defined]
    def queries_iter(self) -> Any:
        query = formats.GenericQuery
        return iter([query("1", "red shoes"), query("查询", "灯"), query("3", "")])


class Qrels(formats.BaseQrels):  # type: ignore[misc, name-defined]
    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows

    def qrels_iter(self) -> Any:
        return iter(self.rows)


class Broken(Qrels):
    def qrels_iter(self) -> Any:
        raise ConnectionError("no route to example.org")
        yield


class Scored(formats.BaseScoredDocs):  # type: ignore[misc, name-defined]
    def scoreddocs_iter(self) -> Any:
        return (formats.GenericScoredDoc(*row) for row in SCORES)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    qrel = formats.trec.TrecQrel
    rows = [qrel(query, document, grade, "0") for query, document, grade in GRADES]
    part = formats.trec.TrecSubQrel
    topics = [part("1", "d1", 1, "a"), part("1", "d1", 1, "b"), part("1", "d2", 1, "a")]
    found = {
        "toyset": base.Dataset(Docs(), Queries()),
        "toyset/test": base.Dataset(Docs(), Queries(), Qrels(rows), Scored()),
        "toyset/subtopics": base.Dataset(Qrels(topics)),
        "toyset/twice": base.Dataset(Qrels([*rows, rows[0]])),
        "toyset/broken": base.Dataset(Broken([])),
        "toyset/none": base.Dataset(Qrels([])),
    }
    for name, dataset in found.items():
        dataset.metadata = None
        program.registry.register(name, dataset)
    yield
    for name in found:
        del program.registry._registered[name]


def test_ids_are_read_where_files_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    grades = {"1": {"d1": 2.0, "d2": 0.0}, "查询": {"文档": 1.0}, "3": {"d1": -1.0}}
    assert relyon.read_judgments("irds:toyset/test").to_dict() == grades
    assert ours.judgments("toyset/test").to_dict() == grades
    assert ours.run("toyset/test").name == "toyset/test"
    run = {"1": {"d2": 2.5, "d1": 1.5}, "查询": {"文档": 0.5}}
    assert relyon.read_run("irds:toyset/test").to_dict() == run
    names = ["ndcg@10", "rr@10"]
    wanted = relyon.evaluate(grades, run, names)
    assert dict(relyon.evaluate("irds:toyset/test", "irds:toyset/test", names)) == dict(wanted)
    path = tmp_path / "toy.run"
    relyon.write_run(relyon.Run.from_dict(run), path)
    for given in (str(path), "irds:toyset/test"):
        with pytest.raises(SystemExit) as ended:
            main(["evaluate", "irds:toyset/test", given, "-m", "ndcg@10", "--format", "json"])
        assert ended.value.code == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["measures"]["ndcg@10"]["value"] == wanted["ndcg@10"]
    with pytest.raises(SystemExit) as ended:
        main(["compare", "irds:toyset/test", str(path), "irds:toyset/test", "-m", "ndcg@10"])
    assert ended.value.code == 0
    assert "ndcg@10" in capsys.readouterr().out
    compared = relyon.compare("irds:toyset/test", "irds:toyset/test", path, "ndcg@10")
    assert compared.contrasts[0].difference == 0.0


def test_convert(tmp_path: Path) -> None:
    for name, kind in (("grades.qrels", []), ("toy.run", ["--kind", "run"])):
        with pytest.raises(SystemExit) as ended:
            main(["convert", "irds:toyset/test", str(tmp_path / name), *kind])
        assert ended.value.code == 0
    judged = relyon.read_judgments("irds:toyset/test").to_dict()
    assert relyon.read_judgments(tmp_path / "grades.qrels").to_dict() == judged
    assert relyon.read_run(tmp_path / "toy.run").to_dict() == ours.run("toyset/test").to_dict()
    with pytest.raises(SystemExit) as ended:
        main(["convert", "irds:toyset/test", str(tmp_path / "x.letor"), "--kind", "features"])
    assert ended.value.code not in (0, None)


def test_texts() -> None:
    assert ours.queries("irds:toyset") == {"1": "red shoes", "查询": "灯", "3": ""}
    assert ours.documents("toyset")["d1"] == "Red shoes"
    assert ours.documents("toyset", ["d2", "x", "d2"]) == {"d2": "Blue hats"}


def test_subtopics_and_repeated_rows() -> None:
    found = relyon.read_judgments("irds:toyset/subtopics")
    assert found.has_subtopics
    assert found.subtopics("1") == {"d1": {"a": 1.0, "b": 1.0}, "d2": {"a": 1.0}}
    twice = relyon.read_judgments("irds:toyset/twice")
    assert "duplicate-judgments" in [note.kind for note in twice.notes]
    assert twice.source == "irds:toyset/twice"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("irds:toyset", r"irds:toyset: has no qrels[\s\S]*irds:toyset/test"),
        ("irds:toyset/broken", r"irds:toyset/broken: cannot be read: no route to example\.org"),
        ("irds:toyset/none", "contains no judgments"),
    ],
)
def test_errors(name: str, said: str) -> None:
    with pytest.raises(relyon.InputError, match=said):
        relyon.read_judgments(name)


def test_unknown_ids_and_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        relyon.UnknownNameError, match=r"no data set `toyset/tset`[\s\S]*toyset/test"
    ):
        relyon.read_judgments("irds:toyset/tset")
    with pytest.raises(relyon.ParameterError, match="is not a file: leave out `format`"):
        relyon.read_judgments("irds:toyset/test", format="trec")
    monkeypatch.chdir(tmp_path)
    Path("irds:mine").write_text("q1 0 d1 1\n", "utf-8")
    assert relyon.read_judgments("irds:mine").to_dict() == {"q1": {"d1": 1.0}}


def test_page(tmp_path: Path) -> None:
    names = {"run": {"1": {"d2": 2.5, "d1": 1.5}, "查询": {"文档": 0.5}}, "dataset": "toyset/test"}
    run_examples("model-hosts.md", "ir_datasets", names, folder=tmp_path)
