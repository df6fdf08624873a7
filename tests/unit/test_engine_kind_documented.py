"""Elasticsearch, OpenSearch and Solr, scripted from their documented requests and answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.scripted_engine import Asked, Script, serve_script

import relyon
from relyon.engines import (
    FatalError,
    PassingError,
    Query,
    RefusedError,
    Request,
    Variant,
    read_configuration,
)
from relyon.engines.asked import Answer

QUERY = Query("q1", 'red "lamp"')
ELASTIC = {
    "took": 5,
    "timed_out": False,
    "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {
        "total": {"value": 42, "relation": "eq"},
        "max_score": 3.5,
        "hits": [
            {
                "_index": "books",
                "_id": "b1",
                "_score": 3.5,
                "_source": {"title": "Red lamps", "price": 3, "deep": {"a": 1}},
                "_explanation": {
                    "value": 3.5,
                    "description": "sum of:",
                    "details": [{"value": 3.5, "description": "weight(title:red)", "details": []}],
                },
            },
            {"_index": "books", "_id": "b2", "_score": 1.25, "_source": {"title": "Lamps"}},
        ],
    },
}
SOLR = {
    "responseHeader": {"status": 0, "QTime": 7},
    "response": {
        "numFound": 2,
        "start": 0,
        "numFoundExact": True,
        "docs": [
            {"id": "b1", "title": ["Red lamps"], "score": 2.5},
            {"id": "b2", "title": ["Lamps"], "score": 1.5},
        ],
    },
    "debug": {"explain": {"b1": "\n2.5 = weight(title:red)\n", "b2": "\n1.5 = …\n"}},
}


def ask(
    folder: Path,
    file: str,
    script: Script,
    *,
    explain: bool = False,
    parameters: dict[str, str | float] | None = None,
) -> tuple[Answer, Asked]:
    with serve_script(lambda asked: script) as (address, came):
        path = folder / "engine.toml"
        path.write_text(file.replace("ADDRESS", address))
        engine = read_configuration(path).engine
        engine.open(5.0, 1)
        try:
            variant = Variant("base", parameters or {})
            return engine.ask(Request(QUERY, variant, 20, explain)), came[0]
        finally:
            engine.close()


@pytest.mark.parametrize("kind", ["elasticsearch", "opensearch"])
def test_elasticsearch(tmp_path: Path, kind: str) -> None:
    file = f'kind = "{kind}"\naddress = "ADDRESS"\nindex = "books,films"\n'
    answer, asked = ask(tmp_path, file, Script(ELASTIC))
    assert (asked.method, asked.target) == ("POST", "/books,films/_search")
    assert asked.json == {
        "query": {"multi_match": {"query": 'red "lamp"', "lenient": True}},
        "size": 20,
    }
    assert (answer.ids, answer.scores) == (["b1", "b2"], [3.5, 1.25])
    assert (answer.took, answer.total) == (5.0, 42)
    assert answer.fields[0] == {"title": "Red lamps", "price": "3"}


def test_elasticsearch_with_a_body_and_explanations(tmp_path: Path) -> None:
    file = (
        'kind = "elasticsearch"\naddress = "ADDRESS"\nindex = "{index}"\n[body]\nsize = 5\n'
        '[body.query.match]\ntitle = { query = "{query}", boost = "{boost}" }\n'
        '[parameters]\nindex = "a b"\nboost = 2.0\n[fields]\nname = "_source.title"\n'
    )
    parameters: dict[str, str | float] = {"index": "a b", "boost": 3.0}
    answer, asked = ask(tmp_path, file, Script(ELASTIC), explain=True, parameters=parameters)
    assert asked.target == "/a%20b/_search"
    assert asked.json == {
        "size": 5,
        "query": {"match": {"title": {"query": 'red "lamp"', "boost": 3.0}}},
        "explain": True,
    }
    assert answer.fields[0] == {"name": "Red lamps"}
    assert answer.explanations == ["3.5 sum of:\n  3.5 weight(title:red)", ""]


@pytest.mark.parametrize(
    ("script", "kind", "said"),
    [
        (Script({**ELASTIC, "timed_out": True}), PassingError, "partial"),
        (Script({**ELASTIC, "_shards": {"total": 2, "failed": 1}}), PassingError, "partial"),
        (
            Script(
                {
                    **ELASTIC,
                    "_shards": {
                        "failed": 1,
                        "failures": [{"shard": 0, "reason": {"type": "x", "reason": "no field"}}],
                    },
                }
            ),
            PassingError,
            "is partial: no field",
        ),
        (
            Script(
                {
                    "error": {
                        "root_cause": [{"type": "parsing", "reason": "unknown query [mach]"}],
                        "reason": "all shards failed",
                    },
                    "status": 400,
                },
                400,
            ),
            RefusedError,
            r"unknown query \[mach\]",
        ),
        (
            Script({"error": {"reason": "no such index [books]"}, "status": 404}, 404),
            FatalError,
            r"no such index \[books\]",
        ),
        (Script({"error": {"reason": "rejected"}}, 429), PassingError, "rejected"),
    ],
)
def test_faults_of_elasticsearch(
    tmp_path: Path, script: Script, kind: type[Exception], said: str
) -> None:
    file = 'kind = "elasticsearch"\naddress = "ADDRESS"\nindex = "books"\n'
    with pytest.raises(kind, match=said):
        ask(tmp_path, file, script)


def test_scores_are_missing_where_elasticsearch_sorts_by_a_field(tmp_path: Path) -> None:
    hits = {"hits": {"hits": [{"_id": "b1", "_score": None}, {"_id": "b2", "_score": None}]}}
    file = 'kind = "elasticsearch"\naddress = "ADDRESS"\nindex = "books"\n'
    answer, _ = ask(tmp_path, file, Script(hits))
    assert answer.scores == [None, None]


def test_solr(tmp_path: Path) -> None:
    file = (
        'kind = "solr"\naddress = "ADDRESS"\ncollection = "books"\n'
        '[url_parameters]\ndefType = "edismax"\nqf = "title^{boost}"\nfq = ["a:1", "b:2"]\n'
        "[parameters]\nboost = 2.0\n"
    )
    answer, asked = ask(tmp_path, file, Script(SOLR), explain=True, parameters={"boost": 4.0})
    assert (asked.method, asked.path) == ("GET", "/solr/books/select")
    assert asked.parameters == [
        ("q", 'red "lamp"'),
        ("rows", "20"),
        ("fl", "*,score"),
        ("wt", "json"),
        ("defType", "edismax"),
        ("qf", "title^4.0"),
        ("fq", "a:1"),
        ("fq", "b:2"),
        ("debug", "results"),
        ("debug.explain.structured", "false"),
    ]
    assert (answer.ids, answer.scores, answer.total) == (["b1", "b2"], [2.5, 1.5], 2)
    assert answer.fields[0] == {"title": "Red lamps"}
    assert "weight(title:red)" in answer.explanations[0]


def test_solr_with_a_body(tmp_path: Path) -> None:
    file = (
        'kind = "solr"\naddress = "ADDRESS"\ncollection = "books"\n'
        'body = \'{"query": {"edismax": {"qf": "title", "query": "{query}"}}}\'\n'
    )
    _, asked = ask(tmp_path, file, Script(SOLR))
    assert (asked.method, asked.target) == ("POST", "/solr/books/select?wt=json")
    assert asked.json == {
        "query": {"edismax": {"qf": "title", "query": 'red "lamp"'}},
        "limit": 20,
        "fields": "*,score",
    }


@pytest.mark.parametrize(
    ("script", "kind", "said"),
    [
        (
            Script({**SOLR, "responseHeader": {"partialResults": True}}),
            PassingError,
            "partialResults = true",
        ),
        (
            Script({"error": {"msg": "undefined field x", "code": 400}}, 400),
            RefusedError,
            "undefined field x",
        ),
        (Script(b"<html>404</html>", 404), FatalError, "check `address`, `path`"),
    ],
)
def test_faults_of_solr(tmp_path: Path, script: Script, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        ask(tmp_path, 'kind = "solr"\naddress = "ADDRESS"\ncollection = "books"\n', script)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ('kind = "elasticsearch"\n', "`index` is missing"),
        ('kind = "solr"\n', "`collection` is missing"),
        ('kind = "elasticsearch"\nindex = "a"\npath = "/a/_search"\n', "`path` names the index"),
        ('kind = "elasticsearch"\nindex = "a"\nbody = "[1]"\n', "`body` must be a table"),
        ('kind = "elasticsearch"\nindex = "a"\n[parameters]\nb = 1\n', "`b` is not used"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, keys: str, problem: str) -> None:
    path = tmp_path / "engine.toml"
    path.write_text(f'address = "http://localhost"\n{keys}')
    with pytest.raises(relyon.ParameterError, match=problem):
        read_configuration(path)


def test_a_search_with_explanations(tmp_path: Path) -> None:
    reply: Callable[[Asked], Script] = lambda asked: Script(ELASTIC)  # noqa: E731
    with serve_script(reply) as (address, _):
        path = tmp_path / "engine.toml"
        path.write_text(f'kind = "opensearch"\naddress = "{address}"\nindex = "books"\n')
        found = relyon.search(path, {"q1": "red"}, k=2, explain=True)
    assert found.run.to_dict() == {"q1": {"b1": 3.5, "b2": 1.25}}
    assert found.explanation("q1", "b1").startswith("3.5 sum of:")
    assert found.documents["b1"]["title"] == "Red lamps"
