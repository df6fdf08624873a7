"""Information needs of queries."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import InputError, ParameterError
from relyon.judging.needs import LONGEST_NEED, needs_of, set_needs
from relyon.judging.store import Store


def test_needs_are_stored_by_query_and_replaced(store: Store) -> None:
    one, other = store.projects.create("June").id, store.projects.create("July").id
    assert set_needs(store, one, {"手机壳": " 摔不坏的壳 ", "tv": "", "pen": "a gift"}) == 2
    assert needs_of(store, one, ["手机壳", "tv", "pen"]) == {
        "手机壳": "摔不坏的壳",
        "pen": "a gift",
    }
    assert set_needs(store, one, {"手机壳": "摔不坏的壳", "pen": "for school"}) == 1
    assert needs_of(store, one, ["pen"]) == {"pen": "for school"}
    assert needs_of(store, other, ["pen"]) == {}
    many = {f"q{n}": f"need {n}" for n in range(1200)}
    assert set_needs(store, other, many) == 1200
    assert needs_of(store, other, many) == many


def test_needs_are_bounded_and_storable(store: Store) -> None:
    project = store.projects.create("June").id
    set_needs(store, project, {"q": "x" * 5000})
    assert len(needs_of(store, project, ["q"])["q"]) == LONGEST_NEED
    with pytest.raises(InputError):
        set_needs(store, project, {"q": "a\0b"})
    store.projects.close(project)
    with pytest.raises(ParameterError):
        set_needs(store, project, {"q": "new"})
