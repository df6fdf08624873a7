"""Whatever a program sends: the REST interface answers in the form it promises, without a 500."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("schemathesis")

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.core.result import Ok

from relyon.app import create_app
from relyon.judging.access import create_token
from relyon.judging.records import Item
from relyon.judging.store import Store, open_store

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def store(
    request: pytest.FixtureRequest,
    new_judging_database: Callable[[str], AbstractContextManager[str]],
) -> Iterator[Store]:
    with new_judging_database(request.param) as address, open_store(address) as opened:
        project = opened.projects.create("June", overlap=2)
        opened.items.add(project.id, [Item("q", f"d{n}") for n in range(20)])
        opened.accounts.create("lea", role="lead")
        yield opened


@pytest.mark.long
def test_no_request_breaks_the_server(store: Store) -> None:
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", create_app(store))
    secret = create_token(store, store.accounts.get("lea"), "schema")
    reached = set()
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()

        @given(case=operation.as_strategy())
        @settings(
            max_examples=30,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        )
        def check(case: Any) -> None:
            answer = case.call(headers={"Authorization": f"Bearer {secret}"})
            assert answer.status_code < 500, answer.text
            assert answer.status_code != 401
            if answer.status_code >= 400:
                assert set(answer.json()["error"]) == {"message", "hint"}
            reached.add((case.operation.label, answer.status_code // 100))

        check()
    assert len({label for label, _ in reached}) >= 7
    assert {kind for _, kind in reached} >= {2, 4}
