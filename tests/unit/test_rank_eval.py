"""Requests to `_rank_eval`: in, with documented numbers, and out; the engine here is scripted."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import cast

import pytest

import relyon
from relyon.engines import rank_eval_request, read_case, read_configuration
from relyon.engines.imports.rank_eval import read_rank_eval
from relyon.engines.queries import read_queries

#: Six documents, as in the examples that the documentation and tests of Elasticsearch use.
CITIES = {"1": "berlin", **{str(n): "amsterdam" for n in range(2, 7)}}


def rated(id: str, body: object, **ratings: int) -> dict[str, object]:
    found = [{"_index": "test", "_id": name[1:], "rating": one} for name, one in ratings.items()]
    return {"id": id, "request": body, "ratings": found}


def match(text: str) -> dict[str, object]:
    return {"query": {"match": {"text": text}}}


TEMPLATED = {
    "templates": [
        {
            "id": "match",
            "template": {
                "source": '{"query": {"match": {"{{field}}": "{{query_string}}"}}, "size": {{n}}}'
            },
        }
    ],
    "requests": [
        {
            "id": "amsterdam_query",
            "params": {"query_string": "amsterdam", "field": "text", "n": 5},
            "template_id": "match",
            "ratings": [
                {"_index": "test", "_id": str(n), "rating": 1} for n in (2, 3, 4, 5)
            ],
        },
        {
            "id": "berlin_query",
            "params": {"query_string": "berlin", "field": "text", "n": 5},
            "template_id": "match",
            "ratings": [{"_index": "test", "_id": "1", "rating": 1}],
        },
    ],
    "metric": {"precision": {}},
}  # fmt: skip
PLAIN = {
    "requests": [
        rated("amsterdam_query", match("amsterdam"), d2=1, d3=1, d4=1, d5=1),
        rated("berlin_query", match("berlin"), d1=1),
    ],
    "metric": {"precision": {}},
}


WHY = {
    "value": 1.5,
    "description": "weight(text:amsterdam in 0)",
    "details": [{"value": 0.5, "description": "tf, computed as freq / (freq + k1)", "details": []}],
}


class Scripted(BaseHTTPRequestHandler):
    """Answers `_search` as Elasticsearch is documented to: documents of a city, in their order."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = body["query"]["match"]["text"]
        hits = [
            {"_index": "test", "_id": id, "_score": 1.5, "_source": {"title": f"{city} {id}"}}
            | ({"_explanation": WHY} if body.get("explain") else {})
            for id, city in CITIES.items()
            if city == text
        ]
        found = {
            "took": 1,
            "timed_out": False,
            "_shards": {"failed": 0},
            "hits": {"total": {"value": len(hits)}, "hits": hits[: body["size"]]},
        }
        answer = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def engine() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Scripted)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def write(folder: Path, content: object) -> Path:
    file = folder / "request.json"
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize("request_", [PLAIN, TEMPLATED], ids=["requests", "a template"])
def test_search_gives_the_documented_number(tmp_path: Path, engine: str, request_: object) -> None:
    found = read_case(write(tmp_path, request_), address=engine)
    paths = found.write(tmp_path / "shop")
    assert sorted(Path(one).name for one in paths.values()) == [
        "engine.toml",
        "judgments.qrels",
        "queries.csv",
    ]
    run = relyon.search(paths["engine"], paths["queries"], k=found.k).run
    judgments = relyon.read_judgments(paths["judgments"])
    results = relyon.evaluate(judgments, run, found.measure, convention=found.convention)
    # Four of the five documents on Amsterdam are rated: (4/5 + 1) / 2.
    assert results[found.measure] == pytest.approx(0.9)


def test_explain_shows_why_elasticsearch_ranks_a_document(
    tmp_path: Path, engine: str, command: object
) -> None:
    paths = read_case(write(tmp_path, PLAIN), address=engine).write(tmp_path / "shop")
    run = str(tmp_path / "es.run")
    relyon.search(paths["engine"], paths["queries"], k=3, explain=True, output=run)
    asked = ("explain", paths["judgments"], run, "--query-id", "amsterdam_query", "-m", "p@3")
    shown = command(*asked, "--limit", "1").out  # type: ignore[operator]
    assert shown.splitlines()[-5:] == [
        "How the engine explains the scores of es.run",
        "1. 2 (amsterdam 2)",
        "  1.5 weight(text:amsterdam in 0)",
        "    0.5 tf, computed as freq / (freq + k1)",
        "2 more results have explanations: --limit or --format json.",
    ]


DOCUMENTED = {"a": ["doc2", "doc3", "doc4"], "b": ["doc1", "doc4"]}


@pytest.mark.parametrize(
    ("metric", "measure", "number"),
    [
        ({"mean_reciprocal_rank": {}}, "rr@10", 5 / 12),
        ({"expected_reciprocal_rank": {"maximum_relevance": 1, "k": 5}}, "err(max=1)@5", 5 / 24),
        ({"recall": {"k": 2}}, "recall@2", 0.5),
        ({"precision": {"k": 3, "relevant_rating_threshold": 2}}, "p(rel=2)@3", 0.0),
        ({"dcg": {"k": 20, "normalize": True}}, "ndcg@20", (0.5 + 0.6309297535714575) / 2),
        ({"dcg": {}}, "dcg@10", (0.5 + 0.6309297535714575) / 2),
    ],
)
def test_metrics_are_measures_with_their_numbers(
    tmp_path: Path, metric: dict[str, object], measure: str, number: float
) -> None:
    requests = [rated("a", match("amsterdam"), xdoc4=1), rated("b", match("berlin"), xdoc4=1)]
    found = read_rank_eval(write(tmp_path, {"requests": requests, "metric": metric}))
    assert found.measure == measure
    run = {query: {id: 9.0 - n for n, id in enumerate(ids)} for query, ids in DOCUMENTED.items()}
    results = relyon.evaluate(found.grades, run, measure, convention=found.convention)
    assert results[measure] == pytest.approx(number)


def test_what_differs_becomes_columns(tmp_path: Path) -> None:
    def body(text: str, brand: str) -> object:
        must = [{"multi_match": {"query": text, "fields": ["a^2", "b"]}}]
        return {
            "query": {"bool": {"must": must, "filter": [{"term": {"brand": brand}}]}},
            "from": 20,
            "size": 5,
        }

    requests = [rated("红 鞋", body("红鞋", "{x}"), d1=1), rated("tv", body("tv }}", "y"), d2=0)]
    found = read_rank_eval(write(tmp_path, {"requests": requests}))
    assert found.queries == [
        {"query_id": "q1", "name": "红 鞋", "query": "红鞋", "brand": "{x}"},
        {"query_id": "q2", "name": "tv", "query": "tv }}", "brand": "y"},
    ]
    assert [note.key for note in found.notes] == ["not-carried-over.from"]
    paths = found.write(tmp_path / "out")
    from relyon.engines import Request

    engine = read_configuration(paths["engine"])
    queries = read_queries(paths["queries"])
    content, _ = rank_eval_request(
        engine, queries, relyon.read_judgments(paths["judgments"]), "p@5"
    )
    bodies = [one["request"] for one in cast("list[dict[str, object]]", content["requests"])]
    wanted = [{"query": cast("dict[str, object]", one["request"])["query"]} for one in requests]
    assert bodies == wanted
    assert Request(queries[0], engine.variants[0], 5).values["brand"] == "{x}"


def test_literal_braces_stay(tmp_path: Path) -> None:
    body = {"query": {"match": {"text": "tv"}}, "script": "{query} {{k}} }} {"}
    found = read_rank_eval(
        write(tmp_path, {"requests": [rated("a", body), rated("b", {**body, **match("x")})]})
    )
    paths = found.write(tmp_path / "out")
    judged = relyon.Judgments.from_dict({"a": {"1": 1}, "b": {"1": 1}})
    content, _ = rank_eval_request(
        read_configuration(paths["engine"]),
        read_queries(paths["queries"]),
        judged,
        "p@5",
        index="test",
    )
    assert content["requests"][0]["request"] == body  # type: ignore[index, call-overload]


def test_parameters_that_are_the_same_are_the_engines(tmp_path: Path) -> None:
    found = read_rank_eval(write(tmp_path, TEMPLATED))
    assert found.engine["parameters"] == {"field": "text"}  # the size is asked for by k
    assert [one["query"] for one in found.queries] == ["amsterdam", "berlin"]
    assert json.loads(str(found.engine["body"])) == {"query": {"match": {"{field}": "{query}"}}}


def test_one_request_has_its_text_as_the_query(tmp_path: Path) -> None:
    body = {"query": {"match": {"title": {"query": "tv", "operator": "and"}}}}
    found = read_rank_eval(write(tmp_path, {"requests": [rated("a", body)]}))
    assert found.queries == [{"query_id": "a", "query": "tv"}]
    assert '"operator": "and"' in str(found.engine["body"])
    everything = read_rank_eval(
        write(tmp_path, {"requests": [rated("JFK query", {"query": {"match_all": {}}})]})
    )
    assert everything.notes[0].key == "not-carried-over.query-text"
    assert everything.queries == [{"query_id": "q1", "name": "JFK query", "query": "JFK query"}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("{", "JSON"),
        ("[]", "not an object"),
        ({"requests": []}, "no queries"),
        ({"other": 1}, "neither"),
        ({"requests": [rated("a", match("x")), rated("a", match("y"))]}, "the id `a`"),
        ({"requests": [rated("a", match("x")), rated("b", {"query": 1, "x": 2})]}, "common form"),
        ({"requests": [{"id": "a", "template_id": "t", "ratings": []}], "templates": []}, "`t`"),
        ({"requests": [{"id": "a", "request": [], "ratings": []}]}, "not an object"),
        ({"requests": [{"id": "a", "request": {}, "ratings": 3}]}, "not a list"),
        (
            {
                "requests": [
                    {"id": "a", "template_id": "t", "ratings": [], "params": {"x": [1]}},
                ],
                "templates": [{"id": "t", "template": {"source": "{{x}}"}}],
            },
            "parameter `x`",
        ),
        (
            {
                "requests": [{"id": "a", "template_id": "t", "ratings": []}],
                "templates": [{"id": "t", "template": {"source": "{{#x}}1{{/x}}"}}],
            },
            "sections",
        ),
        (
            {
                "requests": [
                    {
                        "id": "a",
                        "request": match("x"),
                        "ratings": [
                            {"_index": "i", "_id": "1", "rating": 1},
                            {"_index": "j", "_id": "1", "rating": 2},
                        ],
                    }
                ]
            },
            "two ratings",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(tmp_path: Path, content: object, said: str) -> None:
    with pytest.raises(relyon.InputError, match=said):
        read_case(write(tmp_path, content))


def test_existing_files_stay(tmp_path: Path) -> None:
    found = read_rank_eval(write(tmp_path, PLAIN))
    found.write(tmp_path / "out")
    with pytest.raises(relyon.InputError, match="exists"):
        found.write(tmp_path / "out")
    found.write(tmp_path / "out", overwrite=True)


# -- out -------------------------------------------------------------------------------------------

ELASTIC = """
kind = "elasticsearch"
address = "http://localhost:9200"
index = "products"
body = '''{"query": {"match": {"title": "{query}"}}, "highlight": {}, "explain": true}'''
"""


def asked(
    folder: Path, measure: str, grades: dict[str, dict[str, float]], **options: object
) -> dict[str, object]:
    (folder / "engine.toml").write_text(str(options.pop("engine", ELASTIC)), "utf-8")
    content, _ = rank_eval_request(
        read_configuration(folder / "engine.toml"),
        read_queries({"q1": "red", "q2": "电视", "q3": "none"}),
        relyon.Judgments.from_dict(grades),
        measure,
        **options,  # type: ignore[arg-type]
    )
    return dict(content)


def test_the_request_has_the_documented_form(tmp_path: Path) -> None:
    grades = {"q1": {"d1": 2.0}, "q2": {"文档": 0.0}}
    content = asked(tmp_path, "ndcg@20", grades)
    assert content == {
        "requests": [
            {
                "id": "q1",
                "request": {"query": {"match": {"title": "red"}}},
                "ratings": [{"_index": "products", "_id": "d1", "rating": 2}],
            },
            {
                "id": "q2",
                "request": {"query": {"match": {"title": "电视"}}},
                "ratings": [{"_index": "products", "_id": "文档", "rating": 0}],
            },
        ],
        "metric": {"dcg": {"k": 20, "normalize": True}},
    }


@pytest.mark.parametrize(
    ("measure", "metric"),
    [
        ("p@5", {"precision": {"k": 5}}),
        ("p(rel=2, denominator=retrieved)@5",
         {"precision": {"k": 5, "relevant_rating_threshold": 2}}),
        ("recall(rel=2)@7", {"recall": {"k": 7, "relevant_rating_threshold": 2}}),
        ("rr", {"mean_reciprocal_rank": {"k": 10}}),
        ("dcg(gain=exp)@5", {"dcg": {"k": 5, "normalize": False}}),
        ("err@5", {"expected_reciprocal_rank": {"k": 5, "maximum_relevance": 3}}),
        ("err(max=4)@5", {"expected_reciprocal_rank": {"k": 5, "maximum_relevance": 4}}),
    ],
)  # fmt: skip
def test_measures_are_metrics(tmp_path: Path, measure: str, metric: object) -> None:
    assert asked(tmp_path, measure, {"q1": {"d": 3.0}})["metric"] == metric


def test_what_it_writes_it_reads(tmp_path: Path) -> None:
    grades = {"q1": {"d1": 2.0}, "q2": {"d2": 1.0}}
    content = asked(tmp_path, "err@5", grades)
    found = read_rank_eval(write(tmp_path, content))
    assert (found.grades, found.measure) == (grades, "err(max=2)@5")
    assert [one["query"] for one in found.queries] == ["red", "电视"]


@pytest.mark.parametrize(
    ("measure", "grades", "options", "said"),
    [
        ("ap@10", {"q1": {"d": 1.0}}, {}, "no metric"),
        ("dcg(gain=linear)@5", {"q1": {"d": 1.0}}, {}, "`gain`"),
        ("p@5", {"q1": {"d": 1.0}}, {"k": 10}, "another cutoff"),
        ("p@5", {"q1": {"d": 0.5}}, {}, "0.5"),
        ("p@5", {"q1": {"d": -1.0}}, {}, "-1"),
        ("p@5", {"other": {"d": 1.0}}, {}, "none of the queries"),
        ("p@5", {"q1": {"d": 1.0}}, {"index": "a,b"}, "one index"),
        ("p@5", {"q1": {"d": 1.0}}, {"variant": "no"}, "no variant"),
        (
            "p@5",
            {"q1": {"d": 1.0}},
            {"engine": 'kind = "solr"\naddress = "http://localhost:8983"\ncollection = "c"\n'},
            "elasticsearch or opensearch",
        ),
    ],
)  # fmt: skip
def test_what_it_cannot_ask_is_named(
    tmp_path: Path,
    measure: str,
    grades: dict[str, dict[str, float]],
    options: dict[str, object],
    said: str,
) -> None:
    with pytest.raises((relyon.InputError, relyon.ParameterError), match=said):
        asked(tmp_path, measure, grades, **options)


def test_commands(tmp_path: Path, command: object) -> None:
    file = write(tmp_path, PLAIN)
    found = command("engine", "import", str(file), "-o", "shop")  # type: ignore[operator]
    assert found.code == 0
    assert found.out.splitlines() == [
        "relyon search shop/engine.toml --queries shop/queries.csv -k 10 -o shop/base.run",
        "relyon evaluate shop/judgments.qrels shop/base.run -m p@10 --convention elasticsearch",
    ]
    found = command("engine", "import", str(file), "-o", "my $(shop)")  # type: ignore[operator]
    assert [shlex.split(line)[2] for line in found.out.splitlines()] == [
        "my $(shop)/engine.toml",
        "my $(shop)/judgments.qrels",
    ]
    words = ("shop/engine.toml", "--queries", "shop/queries.csv", "--judgments")
    found = command("engine", "rank-eval", *words, "shop/judgments.qrels", "-m", "p@10")  # type: ignore[operator]
    assert json.loads(found.out)["metric"] == {"precision": {"k": 10}}
    assert json.loads(found.out)["requests"] == PLAIN["requests"]
