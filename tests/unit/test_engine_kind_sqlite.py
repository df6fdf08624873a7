"""SQLite as an engine: statements on a database, and the full text of a table of documents."""

from __future__ import annotations

import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import relyon
from relyon.engines import FatalError, PassingError, Query, RefusedError, Request, Variant
from relyon.engines.engine import Engine
from relyon.engines.files.configuration import read_configuration

DOCUMENTS = """\
product_id,title,text,price
p1,Red shoes,Light running shoes in red,10
p2,Blue shoes,"Shoes, blue",12
p3,红色运动鞋,轻便的红色跑步鞋,9
p4,OLED电视机 55,电视 4K,999
p5,C++ programming,learn c++ and foo,3
"""


def write(folder: Path, engine: str, documents: str = DOCUMENTS) -> Path:
    (folder / "products.csv").write_text(documents, encoding="utf-8")
    path = folder / "engine.toml"
    path.write_text(f'kind = "sqlite"\n{engine}', encoding="utf-8")
    return path


def opened(path: Path, timeout: float = 5.0) -> Engine:
    engine = read_configuration(path).engine
    engine.open(timeout, 2)
    return engine


def ask(engine: Engine, text: str, k: int = 10, **parameters: str | float) -> list[str]:
    return list(engine.ask(Request(Query("q", text), Variant("base", parameters), k)).ids)


@pytest.fixture
def shop(tmp_path: Path) -> Engine:
    return opened(write(tmp_path, 'documents = "products.csv"\n'))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("red shoes", ["p1", "p2"]),
        ("电视", ["p4"]),
        ("机", ["p4"]),
        ("运动鞋", ["p3"]),
        ("鞋", ["p3"]),
        ("oled电视", ["p4"]),
        ("c++", ["p5"]),
        ('foo AND "bar', ["p5"]),
        ("shoes NEAR(blue", ["p2", "p1"]),
        ("title:red* -x ^(", ["p1"]),
        ("++ ？！", []),
        ("\0", []),
        ("ं", []),
    ],
)
def test_finds_what_was_typed_and_no_text_is_syntax(
    shop: Engine, text: str, found: list[str]
) -> None:
    assert ask(shop, text) == found


@pytest.mark.parametrize(
    ("match", "text", "found"),
    [
        ("all", "blue shoes", ["p2"]),
        ("all", "红色跑步", ["p3"]),
        ("all", "红色电视", []),
        ("phrase", "running shoes", ["p1"]),
        ("phrase", "shoes running", []),
        ("phrase", "运动鞋", ["p3"]),
        ("phrase", "机 55", ["p4"]),
        ("phrase", "oled电视机", ["p4"]),
        ("any", "鞋 电视", ["p4", "p3"]),
    ],
)
def test_match(shop: Engine, match: str, text: str, found: list[str]) -> None:
    assert ask(shop, text, match=match) == found


def test_trigrams_find_parts_of_words(tmp_path: Path) -> None:
    shop = opened(write(tmp_path, 'documents = "products.csv"\ntokenize = "trigram"\n'))
    assert ask(shop, "unni") == ["p1"]
    assert ask(shop, "色运动鞋") == ["p3"]
    assert ask(shop, "c++") == ["p5"]
    assert ask(shop, 'a"b') == []
    assert ask(shop, "no") == []


def test_porter_finds_other_forms(tmp_path: Path) -> None:
    shop = opened(write(tmp_path, 'documents = "products.csv"\ntokenize = "porter"\n'))
    assert ask(shop, "run") == ["p1"]
    assert ask(shop, "电视") == ["p4"]


def test_weights_change_the_order(tmp_path: Path) -> None:
    documents = "id,标题,正文\na,灯,桌子 桌子\nb,桌子,灯 灯\n"
    shop = opened(write(tmp_path, 'documents = "products.csv"\n', documents))
    assert ask(shop, "灯", title=9.0) == ["a", "b"]
    assert ask(shop, "灯", 正文=9) == ["b", "a"]
    with pytest.raises(FatalError, match="the weight of `title` is not a number"):
        ask(shop, "灯", title="much")
    with pytest.raises(FatalError, match="the parameter `match` has no value `anny`"):
        ask(shop, "灯", match="anny")


def test_fields_have_the_names_of_their_roles(shop: Engine) -> None:
    answer = shop.ask(Request(Query("q", "oled"), Variant("base"), 3))
    assert answer.fields == [{"title": "OLED电视机 55", "snippet": "电视 4K", "price": "999"}]
    assert answer.scores[0] is not None
    assert answer.scores[0] > 0


def test_equal_scores_are_in_the_order_of_the_documents(tmp_path: Path) -> None:
    rows = "".join(f"d{n},lamp\n" for n in range(50))
    shop = opened(write(tmp_path, 'documents = "products.csv"\n', f"id,title\n{rows}"))
    expected = [f"d{n}" for n in range(20)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: ask(shop, "lamp", 20), range(64)))
    assert found == [expected] * 64


def test_columns_that_sqlite_has_itself(tmp_path: Path) -> None:
    documents = 'sku,rank,rowid,docs,id,Id,"a""b"\nx,first,1,lamp,7,8,quote\n'
    engine = 'documents = "products.csv"\nid = "sku"\ncolumns = ["rank", "docs", \'a"b\']\n'
    shop = opened(write(tmp_path, engine, documents))
    assert ask(shop, "first", rank=2.0) == ["x"]
    assert ask(shop, "quote") == ["x"]


def test_the_index_is_kept_and_built_again_when_documents_change(tmp_path: Path) -> None:
    path = write(tmp_path, 'documents = "products.csv"\n')
    before = read_configuration(path).engine.recipe
    opened(path).close()
    (kept,) = (tmp_path / ".relyon").glob("*.db")
    made = kept.stat().st_ino
    opened(path).close()
    assert kept.stat().st_ino == made
    (tmp_path / "products.csv").write_text("id,title\nn1,new lamp\n")
    shop = opened(path)
    assert ask(shop, "lamp") == ["n1"]
    assert ask(shop, "shoes") == []
    assert kept.stat().st_ino != made
    assert read_configuration(path).engine.recipe != before


def test_damaged_index_is_built_again(tmp_path: Path) -> None:
    path = write(tmp_path, 'documents = "products.csv"\n')
    opened(path).close()
    (kept,) = (tmp_path / ".relyon").glob("*.db")
    kept.write_bytes(b"half of a file")
    assert ask(opened(path), "oled") == ["p4"]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    path = write(tmp_path, 'documents = "products.csv"\n')
    (tmp_path / ".relyon").write_text("a file where the folder would be")
    shop = opened(path)
    assert ask(shop, "oled") == ["p4"]
    temporary = shop.__dict__["_index"].__dict__["_temporary"]
    assert os.path.exists(temporary)
    shop.close()
    assert not os.path.exists(temporary)


@pytest.mark.parametrize(
    ("documents", "problem"),
    [
        ("id,title\na,x\na,y\n", "documents 1 and 2 have the same id `a`"),
        ("id,title\na,x\n,y\n", "document 2 has no id in the column `id`"),
        ("id,title\n", "no rows"),
        ("price,weight\n1,2\n", "has no column of ids: price, weight"),
    ],
)
def test_documents_without_ids(tmp_path: Path, documents: str, problem: str) -> None:
    path = write(tmp_path, 'documents = "products.csv"\n', documents)
    with pytest.raises(relyon.InputError) as caught:
        opened(path)
    assert problem in str(caught.value)
    assert str(tmp_path / "products.csv") in str(caught.value)


def test_parameters_that_are_no_columns(tmp_path: Path) -> None:
    path = write(tmp_path, 'documents = "products.csv"\n[parameters]\ntitel = 2\n')
    with pytest.raises(FatalError, match="`titel` is not a column") as caught:
        opened(path)
    assert "did you mean `title`?" in str(caught.value)


@pytest.fixture
def books(tmp_path: Path) -> Path:
    path = tmp_path / "books.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, name, about)")
        database.execute("CREATE TABLE plain AS SELECT 1 AS id")
        database.executemany(
            "INSERT INTO docs VALUES (?, ?, ?)",
            [("b1", "red lamps", "about: lamps"), ("b2", "a lamp", "red"), ("b3", "none", "%")],
        )
    return path


SQL = (
    'sql = """SELECT id AS book, -bm25(docs, 0, :name, :about) AS score, name, about -- :no\n'
    'FROM docs WHERE docs MATCH :terms AND name <> \':no\' ORDER BY 2 DESC, rowid LIMIT :k"""\n'
)
NAMED = 'id = "book"\n[fields]\ntitle = "name"\n[parameters]\nname = 1.0\nabout = 1.0\n'


def test_statement_on_a_database(tmp_path: Path, books: Path) -> None:
    path = write(tmp_path, f'database = "books.db"\n{SQL}{NAMED}[grid]\nabout = [0.1, 9]\n')
    found = relyon.search(path, {"q1": 'red "lamp', "q2": "lamps OR"}, k=5)
    assert list(found.runs) == ["about=0.1", "about=9"]
    assert list(found.runs["about=0.1"].to_dict()["q1"]) == ["b2", "b1"]
    assert found.documents == {"b1": {"title": "red lamps"}, "b2": {"title": "a lamp"}}
    with sqlite3.connect(books) as database:
        assert database.execute("SELECT count(*) FROM docs").fetchone() == (3,)


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT id FROM dogs WHERE dogs MATCH :query", "no such table: dogs"),
        ("SELEC id FROM docs WHERE docs MATCH :query", "syntax error"),
        ("SELECT id FROM docs WHERE :query; DELETE FROM docs", "one statement at a time"),
    ],
)
def test_statements_that_cannot_be_run(tmp_path: Path, books: Path, sql: str, problem: str) -> None:
    path = write(tmp_path, f'database = "books.db"\nsql = "{sql}"\n')
    with pytest.raises(FatalError, match=problem):
        opened(path)


def test_nothing_is_written(tmp_path: Path, books: Path) -> None:
    path = write(
        tmp_path, 'database = "books.db"\nsql = "DELETE FROM plain RETURNING id, :query"\n'
    )
    with pytest.raises(RefusedError, match="readonly"):
        ask(opened(path), "x")


def test_syntax_of_full_text_is_refused_per_query(tmp_path: Path, books: Path) -> None:
    sql = "SELECT id FROM docs WHERE docs MATCH :query"
    shop = opened(write(tmp_path, f'database = "books.db"\nsql = "{sql}"\n'))
    assert ask(shop, "lamp") == ["b2"]
    with pytest.raises(RefusedError, match="fts5: syntax error"):
        ask(shop, "a AND")


def test_a_slow_statement_is_interrupted(tmp_path: Path, books: Path) -> None:
    sql = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)"
        " SELECT max(i) AS id FROM n WHERE :query <> ''"
    )
    shop = opened(write(tmp_path, f'database = "books.db"\nsql = "{sql}"\n'), timeout=0.05)
    with pytest.raises(PassingError, match="timeout"):
        ask(shop, "x")


def test_there_is_no_database(tmp_path: Path) -> None:
    path = write(tmp_path, 'database = "no.db"\nsql = "SELECT :query AS id"\n')
    with pytest.raises(FatalError, match=r"no\.db: there is no such database"):
        opened(path)
    assert not (tmp_path / "no.db").exists()


@pytest.mark.parametrize("keys", ["", 'database = "a"\ndocuments = "b"\n'])
def test_either_a_database_or_documents(tmp_path: Path, keys: str) -> None:
    with pytest.raises(relyon.ParameterError, match="needs either `database` or `documents`"):
        read_configuration(write(tmp_path, keys))


def test_a_statement_without_the_named_columns(tmp_path: Path, books: Path) -> None:
    shop = opened(write(tmp_path, 'database = "books.db"\nsql = "SELECT :query AS ident"\n'))
    with pytest.raises(FatalError, match="has no column `id`") as caught:
        ask(shop, "x")
    assert str(caught.value).startswith(str(tmp_path / "books.db"))
    assert "its columns are `ident`" in str(caught.value.hint)


@pytest.mark.parametrize("key", ["score", "explanation", "fields.title"])
def test_a_column_that_is_named_and_missing(tmp_path: Path, books: Path, key: str) -> None:
    lines = f'database = "books.db"\nsql = "SELECT :query AS id"\n{key} = "nowhere"\n'
    shop = opened(write(tmp_path, lines))
    with pytest.raises(FatalError, match="has no column `nowhere`") as caught:
        ask(shop, "x")
    assert f'write `{key} = "COLUMN"`' in str(caught.value.hint)


def test_show_has_the_statement_and_its_values(shop: Engine) -> None:
    shown = shop.show(Request(Query("q", "red shoes"), Variant("base"), 10))
    assert ':terms = \'"red" OR "shoes"\'' in shown
    assert "WHERE docs MATCH :terms" in shown


def test_a_statement_of_ones_own_on_documents(tmp_path: Path) -> None:
    keys = (
        'documents = "products.csv"\n'
        'sql = """SELECT documents.id, 1 / (1 + price) AS score, documents.title'
        " FROM docs JOIN documents ON documents.rowid = docs.rowid"
        ' WHERE docs MATCH :terms ORDER BY CAST(price AS REAL) LIMIT :k"""\n'
    )
    shop = opened(write(tmp_path, keys))
    assert ask(shop, "shoes 红色 c++") == ["p5", "p3", "p1", "p2"]


def test_characters_that_end_a_text_elsewhere(tmp_path: Path) -> None:
    documents = 'id,title\na,"x\u2028y lamp"\nb,"lamp\nlamp"\nc c,🙂 lamp\n'
    shop = opened(write(tmp_path, 'documents = "products.csv"\n', documents))
    assert set(ask(shop, "lamp")) == {"a", "b", "c c"}
    assert set(ask(shop, "lamp \ud800")) == {"a", "b", "c c"}


def test_half_of_a_character_is_refused(tmp_path: Path, books: Path) -> None:
    sql = "SELECT id FROM docs WHERE docs MATCH :query"
    shop = opened(write(tmp_path, f'database = "books.db"\nsql = "{sql}"\n'))
    with pytest.raises(RefusedError, match="surrogates"):
        ask(shop, "lamp \ud800")


def test_a_tape_knows_the_documents(tmp_path: Path) -> None:
    path = write(tmp_path, 'documents = "products.csv"\n')
    tape = tmp_path / "tape.jsonl"
    first = relyon.search(path, {"q": "shoes"}, k=3, record=tape)
    again = relyon.search(path, {"q": "shoes"}, k=3, replay=tape)
    assert again.run.to_dict() == first.run.to_dict()
    (tmp_path / "products.csv").write_text("id,title\nn1,shoes\n")
    with pytest.raises(relyon.InputError, match="lacks 1 of 1 request"):
        relyon.search(path, {"q": "shoes"}, k=3, replay=tape)
