"""Names that a reader could take for each other are one name."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import ParameterError
from relyon.judging.account_names import check_one_script, name_key, other_key
from relyon.judging.schema import sa
from relyon.judging.store import open_store


@pytest.mark.parametrize(
    "name", ["LEAD", " lead", "lead ", "Ｌｅａｄ", "lеad", "LЕAD", "ﬂead".replace("ﬂ", "l")]
)
def test_names_that_look_alike_have_one_key(name: str) -> None:
    assert name_key(name) == "lead"


@pytest.mark.parametrize(
    ("one", "other"), [("Ann  Lee", "ann lee"), ("STRASSE", "straße"), ("é", "é")]
)
def test_spelling_makes_no_difference(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(
    "name",
    ["王小明", "王小明 Ming", "李Lee", "山田ヤマダ", "김Kim", "иван", "Ann-Marie 2", "Hawaiʻi"],
)
def test_names_of_one_script_or_of_scripts_that_go_together(name: str) -> None:
    check_one_script(name)


@pytest.mark.parametrize("name", ["lеad", "αnn", "иvan", "ann\u3164", "иван王"])
def test_names_that_mix_scripts_are_refused(name: str) -> None:
    with pytest.raises(ParameterError, match="different scripts"):
        check_one_script(name)


def test_a_name_that_must_be_kept_gets_a_key_of_its_own() -> None:
    taken = {name_key("Ann")}
    assert other_key("ANN", taken) not in taken


def test_an_older_database_keeps_its_accounts_and_sign_ins(database: str) -> None:
    from alembic import command

    with open_store(database, create=True) as store:
        base = store.database
        with base.write() as connection:
            command.downgrade(base.config(connection), "0004")
        with base.write() as connection:
            for name in ("lead", "LEAD", "lеad", "bo"):
                connection.execute(
                    sa.text("INSERT INTO users (name, role, created_at) VALUES (:name, 'lead', 1)"),
                    {"name": name},
                )
            connection.exec_driver_sql(
                "INSERT INTO sign_ins (secret_hash, user_id, created_at, expires_at)"
                " VALUES ('hash', 1, 5, 9)"
            )
            connection.exec_driver_sql(
                "INSERT INTO tokens (user_id, name, secret_hash, created_at)"
                " VALUES (1, 't', 'h', 5)"
            )
        base.upgrade()
        with base.read() as connection:
            keys = connection.exec_driver_sql("SELECT name, name_key FROM users").all()
            assert [row.name for row in keys] == ["lead", "LEAD", "lеad", "bo"]
            assert len({row.name_key for row in keys}) == 4
            assert dict(map(tuple, keys))["lead"] == "lead"
            query = "SELECT secret_hash, user_id, expires_at FROM sign_ins"
            assert connection.exec_driver_sql(query).all() == [("hash", 1, 9.0)]
            query = "SELECT scope, expires_at, used_at FROM tokens"
            assert connection.exec_driver_sql(query).all() == [("admin", None, None)]
