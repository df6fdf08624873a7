"""The examples of the page on engines' files: on real engines, and on scripted servers."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest
from tests.programs import skip_without_program
from tests.unit.scripted_engine import Asked, Script, serve_script
from tests.unit.test_engine_kind_documented import ELASTIC, SOLR

import relyon
from relyon.engines import Query, Request, read_configuration
from relyon.engines.asked import Answer

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"```toml\n(.*?)```", re.DOTALL)
#: The variables that the examples name.
KEYS = dict.fromkeys(
    ("SEARCH_KEY", "TYPESENSE_KEY", "MEILI_KEY", "WEAVIATE_KEY", "QDRANT_KEY"), "s3cr3t-Value"
)
EXAMPLES = BLOCK.findall((DOCS / "engine-files.md").read_text("utf-8"))
QUERY = 'red "lamp" {x} & 灯'


def example(word: str) -> str:
    """Returns the only example with a word."""
    (found,) = [one for one in EXAMPLES if word in one]
    return str(found)


def test_both_languages_have_the_same_examples() -> None:
    assert BLOCK.findall((DOCS / "zh" / "engine-files.md").read_text("utf-8")) == EXAMPLES
    assert len(EXAMPLES) == 12


VESPA = {
    "root": {
        "id": "toplevel",
        "relevance": 1.0,
        "fields": {"totalCount": 2},
        "coverage": {"coverage": 100, "documents": 9, "full": True, "nodes": 1},
        "children": [
            {"id": "id:p:p::1", "relevance": 0.75, "source": "p", "fields": {"title": "Red lamp"}},
            {"id": "id:p:p::2", "relevance": 0.5, "source": "p", "fields": {"title": "Lamp"}},
        ],
    }
}
TYPESENSE = {
    "facet_counts": [],
    "found": 2,
    "out_of": 9,
    "page": 1,
    "search_cutoff": False,
    "search_time_ms": 3,
    "hits": [
        {"document": {"id": "1", "title": "Red lamp"}, "highlights": [], "text_match": 130816},
        {"document": {"id": "2", "title": "Lamp"}, "highlights": [], "text_match": 130810},
    ],
}
MEILISEARCH = {
    "hits": [
        {"id": 1, "title": "Red lamp", "description": "red", "_rankingScore": 0.95},
        {"id": 2, "title": "Lamp", "_rankingScore": 0.5},
    ],
    "query": "red lamp",
    "processingTimeMs": 3,
    "limit": 20,
    "offset": 0,
    "estimatedTotalHits": 2,
}
WEAVIATE = {
    "data": {
        "Get": {
            "Product": [
                {
                    "title": "Red lamp",
                    "description": "red",
                    "_additional": {"id": "1", "score": "0.75", "explainScore": "why"},
                },
                {
                    "title": "Lamp",
                    "description": None,
                    "_additional": {"id": "2", "score": "0.5", "explainScore": "why not"},
                },
            ]
        }
    }
}
QDRANT = {
    "status": "ok",
    "time": 0.002,
    "result": {
        "points": [
            {"id": 1, "version": 3, "score": 7.5, "payload": {"title": "Red lamp"}},
            {"id": 2, "version": 3, "score": 5.25, "payload": {"title": "Lamp"}},
        ]
    },
}


def ask(folder: Path, text: str, script: Script) -> tuple[Answer, Asked]:
    """Asks a scripted server as an example says."""
    with serve_script(lambda asked: script) as (address, came):
        path = folder / "engine.toml"
        path.write_text(re.sub(r'address = "[^"]*"', f'address = "{address}"', text), "utf-8")
        known = read_configuration(path, environment=KEYS)
        known.engine.open(5.0, 1)
        try:
            answer = known.engine.ask(Request(Query("q1", QUERY), known.variants[0], 20))
        finally:
            known.engine.close()
    assert "s3cr3t" not in known.engine.show(Request(Query("q1", "x"), known.variants[0], 20))
    return answer, came[0]


@pytest.mark.parametrize(
    ("word", "reply", "ids", "scores"),
    [
        ('"elasticsearch"', ELASTIC, ["b1", "b2"], [3.5, 1.25]),
        ('"solr"', SOLR, ["b1", "b2"], [2.5, 1.5]),
        ("yql", VESPA, ["id:p:p::1", "id:p:p::2"], [0.75, 0.5]),
        ("TYPESENSE", TYPESENSE, ["1", "2"], [130816.0, 130810.0]),
        ("MEILI", MEILISEARCH, ["1", "2"], [0.95, 0.5]),
        ("graphql", WEAVIATE, ["1", "2"], [0.75, 0.5]),
        ("QDRANT", QDRANT, ["1", "2"], [7.5, 5.25]),
    ],
)
def test_scripted_engines(
    tmp_path: Path, word: str, reply: object, ids: list[str], scores: list[float]
) -> None:
    answer, asked = ask(tmp_path, example(word), Script(reply))
    assert (list(answer.ids), list(answer.scores)) == (ids, scores)
    assert answer.fields[0]["title"].startswith("Red lamp")
    sent = asked.target if asked.method == "GET" else asked.body.decode()
    assert "20" in sent
    if asked.method == "GET":
        assert QUERY in dict(asked.parameters).values()
    else:
        assert QUERY in values(asked.json)


def values(body: object) -> Iterator[object]:
    """Yields all values of JSON."""
    if isinstance(body, dict):
        for one in body.values():
            yield from values(one)
    elif isinstance(body, list):
        for one in body:
            yield from values(one)
    else:
        yield body


@pytest.mark.parametrize(
    ("word", "method", "path", "header"),
    [
        ('"elasticsearch"', "POST", "/products/_search", "authorization"),
        ('"solr"', "GET", "/solr/products/select", ""),
        ("yql", "POST", "/search/", ""),
        ("TYPESENSE", "GET", "/collections/products/documents/search", "x-typesense-api-key"),
        ("MEILI", "POST", "/indexes/products/search", "authorization"),
        ("graphql", "POST", "/v1/graphql", "authorization"),
        ("QDRANT", "POST", "/collections/products/points/query", "api-key"),
    ],
)
def test_requests_as_documented(
    tmp_path: Path, word: str, method: str, path: str, header: str
) -> None:
    replies = {
        '"elasticsearch"': ELASTIC,
        '"solr"': SOLR,
        "yql": VESPA,
        "TYPESENSE": TYPESENSE,
        "MEILI": MEILISEARCH,
        "graphql": WEAVIATE,
        "QDRANT": QDRANT,
    }
    _, asked = ask(tmp_path, example(word), Script(replies[word]))
    assert (asked.method, asked.path) == (method, path)
    assert not header or asked.headers[header].endswith("s3cr3t-Value")


FAULTS: list[tuple[str, object, str]] = [
    ("yql", {"root": {"errors": [{"code": 4, "message": "no such schema"}]}}, "no such schema"),
    ("yql", {"root": {**VESPA["root"], "coverage": {"degraded": {"timeout": True}}}}, "partial"),
    ("TYPESENSE", {**TYPESENSE, "search_cutoff": True}, "partial"),
    ("graphql", {"data": None, "errors": [{"message": "no class Product"}]}, "no class Product"),
]


@pytest.mark.parametrize(("word", "reply", "said"), FAULTS)
def test_faults_within_answers(tmp_path: Path, word: str, reply: object, said: str) -> None:
    kinds = (relyon.engines.PassingError, relyon.engines.RefusedError)
    with pytest.raises(kinds, match=said):
        ask(tmp_path, example(word), Script(reply))


def test_vespa_without_results(tmp_path: Path) -> None:
    reply = {"root": {"id": "toplevel", "fields": {"totalCount": 0}}}
    answer, _ = ask(tmp_path, example("yql"), Script(reply))
    assert (answer.ids, answer.total) == ([], 0)


PRODUCTS = "id,title,text\np1,Red lamp,a lamp in red\np2,红色台灯,阅读\np3,Chair,red chair\n"


def test_sqlite_with_documents(tmp_path: Path) -> None:
    (tmp_path / "products.csv").write_text(PRODUCTS, "utf-8")
    (tmp_path / "engine.toml").write_text(example('documents = "products.csv"'), "utf-8")
    found = relyon.search(tmp_path / "engine.toml", {"a": "red lamp", "b": "台灯"}, k=5)
    assert list(found.runs) == ["base", "all-words"]
    assert list(found.runs["base"].to_dict()["a"]) == ["p1", "p3"]
    assert list(found.runs["all-words"].to_dict()["a"]) == ["p1"]
    assert list(found.runs["base"].to_dict()["b"]) == ["p2"]


def test_sqlite_with_a_database(tmp_path: Path) -> None:
    import sqlite3

    with sqlite3.connect(tmp_path / "books.db") as database:
        database.execute("CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, title, text)")
        rows = [line.split(",") for line in PRODUCTS.splitlines()[1:]]
        database.executemany("INSERT INTO docs VALUES (?, ?, ?)", rows)
    (tmp_path / "engine.toml").write_text(example('database = "books.db"'), "utf-8")
    found = relyon.search(tmp_path / "engine.toml", {"a": 'red "lamp'}, k=5)
    assert list(found.run.to_dict()["a"]) == ["p1", "p3"]
    assert found.documents["p1"] == {"title": "Red lamp", "snippet": "a lamp in red"}


def test_postgresql(tmp_path: Path, postgresql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgresql.format("postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE engine_files")
    with psycopg.connect(postgresql.format("engine_files"), autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE products (id text, title text, body text, search tsvector GENERATED"
            " ALWAYS AS (to_tsvector('english', title || ' ' || body)) STORED)"
        )
        rows = [line.split(",") for line in PRODUCTS.splitlines()[1:]]
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO products VALUES (%s, %s, %s)", rows)
    monkeypatch.setenv("SHOP_DATABASE", postgresql.format("engine_files"))
    (tmp_path / "engine.toml").write_text(example("SHOP_DATABASE"), "utf-8")
    found = relyon.search(tmp_path / "engine.toml", {"a": "red lamps", "b": "red"}, k=5)
    assert list(found.runs) == ["normalization=0", "normalization=1", "normalization=2"]
    run = found.runs["normalization=0"].to_dict()
    assert (list(run["a"]), set(run["b"])) == (["p1"], {"p1", "p3"})


def test_python(tmp_path: Path) -> None:
    code = "def search(query, k, exact):\n    return [('a', 2.0)] if exact else ['b']\n"
    (tmp_path / "my_search.py").write_text(code)
    (tmp_path / "engine.toml").write_text(example("my_search:search"))
    found = relyon.search(tmp_path / "engine.toml", {"q": "x"}, k=5)
    assert {name: list(run.to_dict()["q"]) for name, run in found.runs.items()} == {
        "base": ["a"],
        "fast": ["b"],
    }


@pytest.fixture
def groonga(tmp_path: Path) -> Iterator[str]:
    """A real server of Groonga with three products, as its address."""
    import json
    import socket
    import subprocess
    import time
    import urllib.error
    import urllib.parse
    import urllib.request

    program = which("groonga")
    if program is None:
        skip_without_program("no groonga (Debian's groonga-bin has it)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = ["--bind-address", "127.0.0.1", "--port", str(port)]
    server = subprocess.Popen(
        [program, "-s", "--protocol", "http", *where, "-n", str(tmp_path / "groonga.db")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"

    def call(command: str, body: bytes | None = None, **parameters: str) -> None:
        url = f"{address}/d/{command}?{urllib.parse.urlencode(parameters)}"
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(url, data=body, headers=headers)
        with urllib.request.urlopen(request, timeout=5) as reply:
            assert json.load(reply)[0][0] == 0

    try:
        for _ in range(200):
            try:
                call("status")
                break
            except urllib.error.URLError:
                time.sleep(0.05)
        else:
            pytest.fail("groonga does not answer")
        call("table_create", name="Products", flags="TABLE_HASH_KEY", key_type="ShortText")
        for column in ("title", "text"):
            call(
                "column_create",
                table="Products",
                name=column,
                flags="COLUMN_SCALAR",
                type="ShortText",
            )
        call(
            "table_create",
            name="Terms",
            flags="TABLE_PAT_KEY",
            key_type="ShortText",
            default_tokenizer="TokenBigram",
            normalizer="NormalizerAuto",
        )
        for column in ("title", "text"):
            call(
                "column_create",
                table="Terms",
                name=f"products_{column}",
                flags="COLUMN_INDEX|WITH_POSITION",
                type="Products",
                source=column,
            )
        rows = [line.split(",") for line in PRODUCTS.splitlines()[1:]]
        loaded = [dict(zip(("_key", "title", "text"), row, strict=True)) for row in rows]
        call("load", json.dumps(loaded).encode(), table="Products")
        yield address
    finally:
        server.terminate()
        server.wait(10)


def test_groonga(tmp_path: Path, groonga: str) -> None:
    text = example("/d/select").replace("http://localhost:10041", groonga)
    (tmp_path / "engine.toml").write_text(text, "utf-8")
    queries = {"a": "red", "b": "台灯", "c": "(red", "d": "nothing", "e": 'lamp "red" & 灯'}
    found = relyon.search(tmp_path / "engine.toml", queries, k=5)
    assert list(found.runs) == ["title=1", "title=10"]
    run = found.runs["title=10"].to_dict()
    assert next(iter(run["a"])) == "p1"
    assert run["a"]["p1"] > run["a"]["p3"]
    assert list(run["b"]) == ["p2"]
    assert "d" not in run
    assert found.documents["p2"] == {"title": "红色台灯", "snippet": "阅读"}
    (tmp_path / "engine.toml").write_text(text.replace('"Products"', '"Goods"'), "utf-8")
    with pytest.raises(relyon.InputError, match="invalid name: <Goods>"):
        relyon.search(tmp_path / "engine.toml", {"a": "red"}, k=5)


def test_keys_of_the_page_are_those_of_the_code() -> None:
    page = (DOCS / "engine-files.md").read_text("utf-8")
    for text in EXAMPLES:
        tomllib.loads(text)
    for key in ("hits", "id", "score", "document", "explanation", "took", "error", "partial"):
        assert f"`{key}`" in page
