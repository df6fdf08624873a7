"""Tables whose columns have their roles' own names are read by these, whatever is beside them."""

from __future__ import annotations

from io import BytesIO

import polars as pl
from hypothesis import given, settings, strategies as st

import relyon
from relyon.data.columns import best_columns
from relyon.data.columns.synonyms import LEVELS, LOG_LEVELS

OWN = {"query": "q1", "document": "d1", "grade": "2"}
LOG = {"session": "s1", "query": "q1", "position": "3", "doc": "d1", "clicked": "1"}
#: Ids come before the names of the roles themselves: they say more.
IDS = {"queryid", "qid", "查询id", "documentid", "docid", "docno", "doc"}


def beside(levels: dict[str, tuple[tuple[str, ...], ...]], roles: list[str]) -> list[str]:
    """Returns the synonyms of roles, without their own names and what comes before these."""
    names = {name for role in roles for level in levels[role] for name in level}
    return sorted(names - IDS - {*roles})


@st.composite
def tables(draw: st.DrawFn, own: dict[str, str], others: list[str]) -> tuple[bytes, dict[str, str]]:
    """Returns CSV with own columns among synonyms whose values are none of theirs."""
    columns = {**own, **dict.fromkeys(draw(st.lists(st.sampled_from(others), unique=True)), "7")}
    order = draw(st.permutations([*columns]))
    shown = [draw(st.sampled_from([name, name.upper(), f" {name}"])) for name in order]
    text = f"{','.join(shown)}\n{','.join(columns[name] for name in order)}\n"
    return text.encode(), columns


@settings(deadline=None)
@given(tables(OWN, beside(LEVELS, [*OWN])))
def test_judgments_with_own_names_are_read_as_ever(table: tuple[bytes, dict[str, str]]) -> None:
    text, _ = table
    assert relyon.read_judgments(BytesIO(text), format="csv").to_dict() == {"q1": {"d1": 2.0}}


@settings(deadline=None)
@given(tables(LOG, beside(LOG_LEVELS, [*LOG])))
def test_logs_with_own_names_are_read_as_ever(table: tuple[bytes, dict[str, str]]) -> None:
    text, _ = table
    header, values = text.decode().splitlines()
    frame = dict(zip(header.split(","), values.split(","), strict=True))
    log = relyon.read_sessions(pl.DataFrame({name: [value] for name, value in frame.items()}))
    found = log.collect().to_dicts()[0]
    assert {role: found[role] for role in LOG} == {**LOG, "position": 3, "clicked": True}


@settings(deadline=None)
@given(st.data())
def test_two_columns_of_a_role_are_ordered_or_refused_whatever_their_order(
    data: st.DataObject,
) -> None:
    levels = data.draw(st.sampled_from([*LEVELS.values(), *LOG_LEVELS.values()]))
    names = [name for level in levels for name in level]
    if len(names) < 2:
        return
    pair = data.draw(st.permutations(data.draw(
        st.lists(st.sampled_from(names), min_size=2, max_size=2, unique=True)
    )))  # fmt: skip
    best = best_columns(pair, levels)
    assert sorted(best) == sorted(best_columns(pair[::-1], levels))
    level = [next(place for place, level in enumerate(levels) if name in level) for name in pair]
    if level[0] != level[1]:
        assert best == [pair[level[0] > level[1]]]
    else:
        ids = [one for one in pair if any(one == other + "id" for other in pair)]
        assert best in ([*ids], sorted(pair, key=names.index)) or best == [
            one for one in pair if one.endswith(("编号", "編號"))
        ]
