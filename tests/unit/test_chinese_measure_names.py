"""Measures by their Chinese names: refused, with the name to write."""

from __future__ import annotations

import pytest

import relyon
from relyon.measures.chinese_names import NAMES, meant
from relyon.measures.lookup import registry


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("召回率@10", "recall@10"),
        ("平均倒数排名", "rr"),
        ("召回率（rel=2）@10", "recall(rel=2)@10"),
        ("归一化折损累计增益@5", "ndcg@5"),
        ("折损累计增益", "dcg"),
        ("未标注率@10", "unjudged@10"),
        ("正逆序比", "pnr"),
        ("召回率前5", "recall@5"),
        ("召回率前 20 名", "recall@20"),
        ("平均召回率", "recall@10"),
        ("平均倒数排名 @ 3", "rr@3"),
    ],
)
def test_the_hint_has_the_name(written: str, name: str) -> None:
    with pytest.raises(relyon.ParameterError, match="not a measure name") as caught:
        relyon.measure(written)
    assert caught.value.hint == f"did you mean `{name}`?"
    assert str(relyon.measure(name))


def test_every_name_is_that_of_a_measure() -> None:
    assert [name for name in NAMES.values() if name not in registry] == []
    assert meant("点击率@10") == ""
