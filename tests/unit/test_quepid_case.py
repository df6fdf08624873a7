"""Cases of Quepid, from the form of their JSON export."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import relyon
from relyon.engines import Query, Request, Variant, read_case, read_configuration
from relyon.engines.imports.quepid_case import read_quepid_case
from relyon.engines.imports.quepid_fields import field_table
from relyon.engines.queries import read_queries

ES_BODY = """{
  "query": {"multi_match": {"query": "#$query##", "fields": ["title^##title_boost##", "{raw}"]}},
  "min_score": ##least=0.5##,
  "size": ##rows##,
  "filter": "#$qOption.shop.name|none##",
  "first": "#$keyword1##", "second": "#$keyword2##"
}"""
SECRETS = ["s3cret-user", "s3cret-pass", "s3cret-header", "s3cret-url", "s3cret-param", "@mail."]


def case(**changes: object) -> dict[str, object]:
    found: dict[str, object] = {
        "case_name": "Shop 店\n",
        "options": {"shop": {"name": "main"}},
        "scorer": {"name": "nDCG@10"},
        "queries": [
            {
                "query_text": "red  shoes",
                "information_need": "Shoes that are red",
                "notes": "often asked",
                "options": '{"shop": {"name": "blue"}}',
                "ratings": [
                    {"doc_id": "d1", "rating": 3, "user_email": "ann@mail.example"},
                    {"doc_id": 7, "rating": 0},
                    {"doc_id": "d3", "rating": None},
                ],
            },
            {"query_text": "电视", "ratings": []},
            {"query_text": "  ", "ratings": []},
        ],
        "try": {
            "query_params": ES_BODY,
            "field_spec": "id:_id, title:title, thumb:pics.small, overview",
            "number_of_rows": 20,
            "curator_variables": [
                {"name": "title_boost", "value": 10},
                {"name": "rows", "value": 5},
                {"name": "unused", "value": 1},
            ],
            "search_endpoint": {
                "search_engine": "es",
                "endpoint_url": "https://s3cret-user:x@search.example:9206/tmdb/_search?key=s3cret-url",
                "api_method": "POST",
                "basic_auth_credential": "reader:s3cret-pass",
                "custom_headers": '{"X-Api-Key": "s3cret-header"}',
            },
        },
    }
    return found | changes


def changed(**parts: object) -> dict[str, object]:
    """A case whose try has other parts; those of the endpoint are `engine` and `url`."""
    endpoint: dict[str, object] = {
        "search_engine": parts.pop("engine", "solr"),
        "endpoint_url": parts.pop("url", "http://localhost:8983/solr/shop/select"),
        **({"mapper_code": parts.pop("mapper")} if "mapper" in parts else {}),
    }
    attempt = {"query_params": "q=#$query##", "search_endpoint": endpoint, **parts}
    return case(**{"try": attempt})


def write(folder: Path, content: object) -> Path:
    file = folder / "case.json"
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    file.write_text(text, "utf-8")
    return file


def test_a_case_of_elasticsearch(tmp_path: Path) -> None:
    found = read_case(write(tmp_path, case()))
    assert found.queries == [
        {
            "query_id": "q1",
            "query": "red shoes",
            "need": "Shoes that are red",
            "notes": "often asked",
            "qOption_shop_name": "blue",
            "keyword1": "red",
            "keyword2": "shoes",
        },
        {
            "query_id": "q2",
            "query": "电视",
            "need": "",
            "notes": "",
            "qOption_shop_name": "main",
            "keyword1": "电视",
            "keyword2": "",
        },
    ]
    assert found.grades == {"q1": {"d1": 3.0, "7": 0.0}}
    assert (found.measure, found.convention, found.k) == ("ndcg@10", "quepid", 20)
    assert found.engine["parameters"] == {"title_boost": 10, "least": 0.5}
    assert found.engine["fields"] == {
        "title": "_source.title",
        "image": "_source.pics.small",
        "overview": "_source.overview",
    }
    said = [note.key.partition(".")[2] for note in found.notes]
    assert said == ["queries", "ratings", "password", "address", "header"]


def test_the_engines_file_asks_as_quepid_does(tmp_path: Path) -> None:
    paths = read_case(write(tmp_path, case())).write(tmp_path / "out")
    environment = {"SEARCH_USER": "reader:planted", "SEARCH_X_API_KEY": "planted-key"}
    engine = read_configuration(paths["engine"], environment=environment)
    queries = read_queries(paths["queries"])
    assert queries[0] == Query("q1", "red shoes", queries[0].values)
    shown = engine.engine.show(Request(queries[0], engine.variants[0], 20))
    assert '"filter":"blue"' in shown.replace(": ", ":")
    assert "title^10" in shown
    assert "{raw}" in shown
    assert "planted" not in shown


def test_no_secret_and_no_address_of_a_judge_is_copied(tmp_path: Path) -> None:
    content = case()
    found = read_case(write(tmp_path, content))
    paths = found.write(tmp_path / "out")
    written = "".join(Path(one).read_text("utf-8") for one in paths.values())
    shown = "".join(note.text(language) for note in found.notes for language in ("en", "zh"))
    everything = written + shown + repr(found)
    assert [one for one in SECRETS if one in everything] == []
    assert [one for one in SECRETS if one not in json.dumps(content)] == ["s3cret-param"]
    solr = changed(query_params="q=#$query##&api_key=s3cret-param&token=##t##")
    text = read_case(write(tmp_path, solr)).toml
    assert "s3cret-param" not in text
    assert 'api_key = "${SEARCH_API_KEY}"' in text


def test_a_case_of_solr(tmp_path: Path) -> None:
    content = changed(
        query_params="q=#$query##\n&defType=edismax&qf=title^3 text&bq=a&bq=b%20c"
        "&tie=##tie##&rows=9",
        escape_query=True,
        field_spec="id:key, title:name",
        curator_variables=[{"name": "tie", "value": "0.1"}],
    )
    found = read_case(write(tmp_path, content))
    assert found.engine["collection"] == "shop"
    assert found.engine["id"] == "key"
    assert found.engine["url_parameters"] == {
        "q": "{query}",
        "defType": "edismax",
        "qf": "title^3 text",
        "bq": ["a", "b c"],
        "tie": "{tie}",
    }
    assert "not-carried-over.escape" in [note.key for note in found.notes]
    paths = found.write(tmp_path / "out")
    engine = read_configuration(paths["engine"])
    assert engine.variants == (Variant("base", {"tie": 0.1}),)
    shown = engine.engine.show(Request(Query("q", "a&b=c {k}"), engine.variants[0], 3))
    assert "a%26b%3Dc" in shown


@pytest.mark.parametrize(
    ("engine", "url", "kind"),
    [
        ("os", "http://h:9200/i/_search", {"kind": "opensearch", "index": "i"}),
        ("es", "http://h:9200/i/_search/template", {"kind": "elasticsearch"}),
        ("es", "http://h:9200/p/i/_search", {"path": "/p/i/_search"}),
        ("solr", "http://h/search/select", {"kind": "solr", "path": "/search/select"}),
        ("algolia", "https://h/1/indexes/i/query", {"kind": "http", "hits": "hits"}),
        ("searchapi", "https://h/find", {"kind": "http", "path": "/find", "hits": "results"}),
    ],
)  # fmt: skip
def test_engines(tmp_path: Path, engine: str, url: str, kind: dict[str, str]) -> None:
    body = '{"q": "#$query##"}' if engine != "solr" else "q=#$query##"
    found = read_case(write(tmp_path, changed(engine=engine, url=url, query_params=body)))
    assert {name: found.engine.get(name) for name in kind} == kind
    assert read_configuration(found.write(tmp_path / "out")["engine"]).engine.name in (
        "elasticsearch",
        "solr",
        "http",
    )


def test_an_engine_that_cannot_be_asked_leaves_queries_and_grades(tmp_path: Path) -> None:
    found = read_case(write(tmp_path, changed(engine="static")))
    paths = found.write(tmp_path / "out")
    assert sorted(paths) == ["judgments", "queries"]
    assert found.notes[-1].key == "not-carried-over.engine"
    without = read_case(write(tmp_path, {k: v for k, v in case().items() if k != "try"}))
    assert without.engine == {}


def test_javascript_is_named(tmp_path: Path) -> None:
    content = changed(engine="searchapi", url="https://h/find", mapper="docsMapper = 1")
    content["scorer"] = {"name": "Ours (2024)", "code": "setScore(1)"}
    found = read_case(write(tmp_path, content))
    assert found.measure == ""
    assert {note.key for note in found.notes} >= {
        "not-carried-over.mapper",
        "not-carried-over.scorer",
    }


def test_paths_that_are_not_known_are_named(tmp_path: Path) -> None:
    content = changed(engine="vectara", url="https://h/q", query_params='{"q": "#$query##"}')
    found = read_case(write(tmp_path, content))
    assert "not-carried-over.paths" in [note.key for note in found.notes]
    assert read_configuration(found.write(tmp_path / "out")["engine"]).engine.name == "http"


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("nDCG@10", "ndcg@10"),
        ("NDCG_CUT@10", "ndcg(ideal=judged)@10"),
        ("P@5", "p@5"),
        ("AP@10", "ap@10"),
        ("v1", ""),
        ("", ""),
    ],
)
def test_scorers(tmp_path: Path, name: str, measure: str) -> None:
    assert read_case(write(tmp_path, case(scorer={"name": name}))).measure == measure
    assert not measure or relyon.measure(measure)


@pytest.mark.parametrize(
    ("text", "nested", "id", "fields"),
    [
        ("", True, "", {}),
        ("id:_id,title:title", True, "_id", {"title": "_source.title"}),
        ("id title", False, "id", {"title": "title"}),
        ("thumb:pic sub:a.b *", False, "", {"image": "pic", "a_b": "a.b"}),
        ("title:商品-名", True, "", {"title": '_source."商品-名"'}),
        ('["id:_id", {"name": "x", "type": "title"}]', False, "_id", {"title": "x"}),
        ("[broken", False, "", {}),
    ],
)
def test_field_specifications(text: str, nested: bool, id: str, fields: dict[str, str]) -> None:
    assert field_table(text, nested) == (id, fields)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "JSON"),
        (case(queries=[]), "no queries"),
        (case(queries=3), "neither"),
        (case(queries=[{"query_text": "a", "ratings": [{"rating": 1}]}]), "doc_id"),
        (case(queries=[{"query_text": "a", "ratings": [{"doc_id": "d", "rating": "x"}]}]), "grade"),
        (changed(engine="es", url="http://h/i/_search", query_params='{"q": #$query## x}'), "JSON"),
        (changed(curator_variables={"a": 1}), "not a list"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(tmp_path: Path, content: object, said: str) -> None:
    with pytest.raises(relyon.InputError, match=said):
        read_case(write(tmp_path, content))


def test_a_query_that_occurs_twice_has_all_its_ratings(tmp_path: Path) -> None:
    queries = [
        {"query_text": "tv", "ratings": [{"doc_id": "a", "rating": 1}]},
        {
            "query_text": "tv ",
            "ratings": [{"doc_id": "a", "rating": 2}, {"doc_id": "b c", "rating": 3}],
        },
    ]
    found = read_quepid_case(write(tmp_path, case(queries=queries)))
    assert found.grades == {"tv": {"a": 1.0, "b c": 3.0}}
    paths = found.write(tmp_path / "out")
    assert paths["judgments"].endswith("judgments.csv")
    assert relyon.read_judgments(paths["judgments"]).to_dict() == found.grades


def test_command(tmp_path: Path, command: object) -> None:
    found = command("engine", "import", str(write(tmp_path, case())), "-o", "out")  # type: ignore[operator]
    assert found.code == 0
    assert "-k 20" in found.out
    assert "--convention quepid" in found.out
    assert "${" not in found.out
    assert "SEARCH_USER" in found.err
    again = command("engine", "import", "case.json", "-o", "out")  # type: ignore[operator]
    assert again.code == 3
    assert "exists" in again.err
