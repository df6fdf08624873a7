"""PostgreSQL as an engine, on a real server: full text, pg_trgm, faults, secrets."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

import relyon
from relyon.core.texts import translate
from relyon.engines import (
    FatalError,
    PassingError,
    Query,
    RefusedError,
    Request,
    Variant,
    read_configuration,
)
from relyon.engines.engine import Engine
from relyon.engines.reach import Reach

psycopg = pytest.importorskip("psycopg")

PRODUCTS = [
    ("p1", "Red running shoes", "Light shoes in red", 10.5),
    ("p2", "Blue shoes", "100% blue", 12),
    ("p3", "Desk lamp", "A lamp that is red", 30),
]
FULL_TEXT = """
SELECT id, title, body AS snippet, -- ranks :no
       ts_rank_cd(setweight(to_tsvector('english', title), 'A')
                  || setweight(to_tsvector('english', body), 'D'),
                  websearch_to_tsquery('english', :query),
                  :normalization) * :boost::float8 AS score
FROM products
WHERE to_tsvector('english', title || ' ' || body)
      @@ websearch_to_tsquery('english', :query) AND body NOT LIKE '%:no%'
ORDER BY score DESC, id
LIMIT :k
"""
SECRET = "s3cr3t-Word"


@pytest.fixture(scope="module")
def shop(postgresql: str) -> Iterator[str]:
    name = f"shop_{uuid4().hex}"
    with psycopg.connect(postgresql.format("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    with psycopg.connect(postgresql.format(name), autocommit=True) as connection:
        connection.execute("CREATE TABLE products (id text, title text, body text, price numeric)")
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO products VALUES (%s, %s, %s, %s)", PRODUCTS)
    yield postgresql.format(name)
    with psycopg.connect(postgresql.format("postgres"), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


OPENED: list[Engine] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while OPENED:
        OPENED.pop().close()


def opened(folder: Path, dsn: str, sql: str, more: str = "", *, timeout: float = 5.0) -> Engine:
    path = folder / "engine.toml"
    path.write_text(
        f'kind = "postgresql"\ndsn = "${{SHOP}}"\nsql = """{sql}"""\n{more}', encoding="utf-8"
    )
    engine = read_configuration(path, environment={"SHOP": dsn}).engine
    engine.open(timeout, 2)
    OPENED.append(engine)
    return engine


def ask(engine: Engine, text: str = "red", **parameters: str | float) -> list[str]:
    return list(engine.ask(Request(Query("q", text), Variant("base", parameters), 10)).ids)


def test_full_text(tmp_path: Path, shop: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP", shop)
    path = tmp_path / "shop.toml"
    path.write_text(
        f'kind = "postgresql"\ndsn = "${{SHOP}}"\nsql = """{FULL_TEXT}"""\n'
        "[parameters]\nnormalization = 0\nboost = 1\n[grid]\nnormalization = [0, 2]\n"
    )
    queries = {"a": "red shoes", "b": 'lamp "', "c": "'; DROP TABLE products --", "d": "100% :no"}
    found = relyon.search(path, queries, k=5)
    assert list(found.runs) == ["normalization=0", "normalization=2"]
    run = found.runs["normalization=2"].to_dict()
    assert {query: list(rows) for query, rows in run.items()} == {
        "a": ["p1"],
        "b": ["p3"],
        "d": ["p2"],
    }
    assert found.documents["p1"] == {"title": "Red running shoes", "snippet": "Light shoes in red"}
    assert shop not in repr(found.tape)


def test_trigrams(tmp_path: Path, shop: str) -> None:
    with psycopg.connect(shop, autocommit=True) as connection:
        try:
            connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        except psycopg.Error:
            pytest.skip("this PostgreSQL has no pg_trgm (Debian's postgresql-contrib has it)")
    sql = (
        "SELECT id, similarity(title, :query) AS score FROM products"
        " WHERE title % :query ORDER BY score DESC, id LIMIT :k"
    )
    settings = '[settings]\n"pg_trgm.similarity_threshold" = {}\n'
    wide = opened(tmp_path, shop, sql, settings.format(0.1))
    assert ask(wide, "blu shoos") == ["p2", "p1"]
    narrow = opened(tmp_path, shop, sql, settings.format(0.4))
    assert ask(narrow, "blu shoos") == ["p2"]
    assert wide.recipe != narrow.recipe


def test_kinds_of_ids_and_scores(tmp_path: Path, shop: str) -> None:
    sql = (
        "SELECT * FROM (VALUES ('6f9619ff-8b86-d011-b42d-00cf4fc964ff'::uuid, 2.5::numeric, 'a'),"
        " ('00000000-0000-0000-0000-000000000001'::uuid, NULL, NULL)) AS t (id, score, name)"
        " WHERE :query <> ''"
    )
    answer = opened(tmp_path, shop, sql).ask(Request(Query("q", "x"), Variant("base"), 5))
    assert answer.ids[0] == "6f9619ff-8b86-d011-b42d-00cf4fc964ff"
    assert answer.scores == [2.5, None]
    assert answer.fields == [{"name": "a"}, {}]
    whole = opened(
        tmp_path, shop, "SELECT 7::bigint AS id, 'why' AS w, :query AS q", 'explanation = "w"'
    )
    answer = whole.ask(Request(Query("q", "灯"), Variant("base"), 5))
    assert (answer.ids, answer.explanations, answer.fields) == (["7"], ["why"], [{"q": "灯"}])


@pytest.mark.parametrize(
    ("sql", "kind", "said"),
    [
        ("SELEC :query", FatalError, "syntax error"),
        ("SELECT id FROM dogs WHERE :query <> ''", FatalError, '"dogs" does not exist'),
        ("SELECT nome AS id FROM products WHERE id = :query", FatalError, '"nome" does not exist'),
        ("SELECT :query AS id; SELECT 2", RefusedError, "multiple commands"),
        ("DELETE FROM products WHERE :query <> '' RETURNING id", FatalError, "read-only"),
        (
            "SELECT id FROM products WHERE to_tsvector(title) @@ to_tsquery(:query)",
            RefusedError,
            "tsquery",
        ),
        (
            "SELECT id FROM products WHERE title ~ (:query || '[')",
            RefusedError,
            "regular expression",
        ),
        ("SELECT id FROM products WHERE 1 / (length(:query) - 6) > 0", RefusedError, "zero"),
        ("SELECT title FROM products WHERE :query <> ''", FatalError, "has no column `id`"),
    ],
)
def test_statements_that_fail(
    tmp_path: Path, shop: str, sql: str, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=said):
        ask(opened(tmp_path, shop, sql), "a & & ")
    with psycopg.connect(shop) as connection:
        assert connection.execute("SELECT count(*) FROM products").fetchone() == (3,)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_texts_that_no_database_takes(tmp_path: Path, shop: str, text: str) -> None:
    engine = opened(tmp_path, shop, "SELECT :query AS id")
    with pytest.raises(RefusedError):
        ask(engine, text)
    assert ask(engine, "next") == ["next"]


def test_a_slow_statement_is_cancelled(tmp_path: Path, shop: str) -> None:
    engine = opened(tmp_path, shop, "SELECT :query AS id, pg_sleep(:s)", timeout=0.2)
    start = time.monotonic()
    with pytest.raises(PassingError, match="timeout"):
        ask(engine, s=5)
    assert time.monotonic() - start < 2
    assert ask(engine, s=0) == ["red"]


def test_a_lost_connection_is_opened_again(tmp_path: Path, shop: str) -> None:
    engine = opened(tmp_path, shop, "SELECT pg_backend_pid() AS id WHERE :query <> ''")
    (pid,) = ask(engine)
    with psycopg.connect(shop, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", (int(pid),))
    with pytest.raises(PassingError, match="connection"):
        ask(engine)
    assert ask(engine) != [pid]
    engine.close()


def test_a_connection_per_thread(tmp_path: Path, shop: str) -> None:
    engine = opened(tmp_path, shop, "SELECT pg_backend_pid() AS id WHERE :query <> ''")
    found: list[list[str]] = []
    barrier = threading.Barrier(3)

    def work() -> None:
        first = ask(engine)
        barrier.wait(5)
        found.append(first + ask(engine))

    workers = [threading.Thread(target=work) for _ in range(3)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert len({one[0] for one in found}) == 3
    assert all(one[0] == one[1] for one in found)
    engine.close()
    with psycopg.connect(shop, autocommit=True) as connection:
        sql = "SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(%s)"
        for _ in range(100):
            if connection.execute(sql, ([int(one[0]) for one in found],)).fetchone() == (0,):
                break
            time.sleep(0.05)
        else:
            pytest.fail("connections are still open")


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    engine = opened(tmp_path, f"postgresql://me:{SECRET}@127.0.0.1:1/shop", "SELECT :query AS id")
    with pytest.raises(PassingError, match="connection") as caught:
        ask(engine)
    assert SECRET not in str(caught.value)
    assert engine.address == "127.0.0.1:1/shop"


def test_a_user_that_is_not_let_in(tmp_path: Path, shop: str) -> None:
    dsn = re.sub("shop_[0-9a-f]+", "no_such_shop", shop)
    engine = opened(tmp_path, dsn, "SELECT :query AS id")
    with pytest.raises(FatalError, match="does not exist"):
        ask(engine)


def test_private_addresses_may_be_out_of_reach(tmp_path: Path, shop: str) -> None:
    for dsn in ("postgresql://me@127.0.0.1/shop", "postgresql:///shop", "host=/tmp dbname=a", shop):
        engine = opened(tmp_path, dsn, "SELECT :query AS id")
        engine.open(2.0, 1, Reach())
        with pytest.raises(FatalError, match="not allowed"):
            ask(engine)
    engine.open(2.0, 1, Reach(private=True))
    assert ask(engine) == ["red"]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        (f'dsn = "postgresql://me:{SECRET}@host/shop"', "`dsn` contains a secret"),
        (f'dsn = "host=h password={SECRET} user=${{ME}}"', "`dsn` contains a secret"),
        (f'host = "h"\npassword = "{SECRET}"', "`password` contains a secret"),
        ('dsn = "nonsense"', "`dsn` does not say how to connect"),
        ("", "`dsn` is missing"),
        ('host = "h"\nsql = "SELECT 1"', "has no parameter"),
        ('host = "h"\nport = "x"', "`port` must be a whole number"),
    ],
)
def test_files_that_cannot_be_used(tmp_path: Path, keys: str, problem: str) -> None:
    path = tmp_path / "engine.toml"
    sql = "" if "sql" in keys else 'sql = "SELECT :query"\n'
    path.write_text(f'kind = "postgresql"\n{sql}{keys}\n')
    with pytest.raises(relyon.ParameterError) as caught:
        read_configuration(path, environment={"ME": "someone"})
    assert problem in str(caught.value)
    assert SECRET not in str(caught.value)


def test_passwords_are_hidden(tmp_path: Path) -> None:
    path = tmp_path / "engine.toml"
    path.write_text(
        'kind = "postgres"\nhost = "db.example"\ndatabase = "shop"\nuser = "me"\n'
        'password = "${WORD}"\nsql = "SELECT :query"\n'
    )
    engine = read_configuration(path, environment={"WORD": SECRET}).engine
    assert engine.address == "db.example:5432/shop"
    assert engine.secrets.hide(f"for {SECRET}") == "for ***"
    assert SECRET not in repr(engine)


def test_a_server_that_went_silent(tmp_path: Path, shop: str) -> None:
    engine = opened(tmp_path, shop, "SELECT pg_backend_pid() AS id WHERE :query <> ''", timeout=0.2)
    (pid,) = ask(engine)
    try:
        os.kill(int(pid), signal.SIGSTOP)
    except PermissionError:
        pytest.skip("the server belongs to another user")
    try:
        start = time.monotonic()
        with pytest.raises(PassingError, match=r"no answer within 0\.2 s"):
            ask(engine)
        assert time.monotonic() - start < 4
        assert ask(engine) != [pid]
    finally:
        os.kill(int(pid), signal.SIGCONT)


def test_settings_that_the_server_does_not_take(tmp_path: Path, shop: str) -> None:
    engine = opened(tmp_path, shop, "SELECT :query AS id", '[settings]\nwork_mem = "much"\n')
    for _ in range(2):
        with pytest.raises(FatalError, match="the setting `work_mem`"):
            ask(engine)


def test_messages_are_translated_although_they_passed_as_errors(tmp_path: Path, shop: str) -> None:
    engine = opened(tmp_path, shop, "SELECT id FROM dogs WHERE :query <> ''")
    with pytest.raises(FatalError) as caught:
        relyon.search(engine, {"q": "x"}, k=3)
    assert "语句无法执行" in translate(caught.value.message, "zh")
