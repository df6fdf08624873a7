"""Names of columns: the table of both languages, and what an error says about all of them."""

from __future__ import annotations

import pytest

from relyon import InputError, ParameterError
from relyon.data.columns import KINDS, NAMES, choose, role_of
from relyon.data.columns.log_names import COUNTS, SPELLINGS, is_counted

#: Names that readers knew first, in their order: they keep the place that they had.
EARLIER = {
    "query": ("queryid", "qid", "query", "topicid", "keywords", "keyword", "查询"),
    "document": ("documentid", "docid", "docno", "url", "asin", "sku", "文档", "id"),
    "grade": ("grade", "relevance", "label", "rating", "等级", "相关性", "标注", "final", "score"),
    "rank": ("rank", "position", "pos", "排名"),
    "score": ("score", "sim", "prediction", "分数", "得分"),
}
LOGS = {
    "session": ("session", "sessionid", "qid", "会话", "请求id"),
    "query": ("query", "querytext", "term", "text", "查询", "查询词", "搜索词"),
    "timestamp": ("timestamp", "time", "ts", "date", "时间", "时间戳"),
    "position": ("position", "rank", "位置", "排名", "名次"),
    "doc": ("doc", "document", "item", "url", "文档", "商品", "商品id", "id"),
    "clicked": ("clicked", "click", "clicks", "是否点击", "点击"),
    "purchase": ("purchase", "order", "购买", "成交"),
}


#: Names that were added later.
ADDED = {
    "query": ("关键词", "检索词", "搜索关键词"),
    "document": ("商品编号", "商品", "物品", "结果"),
    "grade": ("相关度", "档位", "标注等级"),
    "rank": ("名次", "位置"),
    "score": ("模型得分", "预测值"),
    "session": ("会话编号", "搜索id"),
    "timestamp": ("搜索时间", "日期"),
    "position": ("展示位置",),
    "doc": ("商品编号", "物品", "结果"),
    "clicked": ("是否被点击",),
    "purchase": ("下单", "是否购买"),
}


@pytest.mark.parametrize(("table", "earlier"), [(NAMES, EARLIER), (SPELLINGS, LOGS)])
def test_an_earlier_name_wins_over_each_later_one(
    table: dict[str, tuple[str, ...]], earlier: dict[str, tuple[str, ...]]
) -> None:
    for role, names in earlier.items():
        places = [table[role].index(name) for name in names]
        assert places == sorted(places), role
        assert max(places) < min(table[role].index(name) for name in ADDED[role]), role


@pytest.mark.parametrize("table", [NAMES, SPELLINGS])
def test_names_are_plain_and_occur_once_in_a_role(table: dict[str, tuple[str, ...]]) -> None:
    for names in table.values():
        assert len(set(names)) == len(names)
        assert all(name == name.lower() and not set(name) & set(" _-.") for name in names)


@pytest.mark.parametrize(
    ("header", "kind", "roles"),
    [
        ("搜索词 商品编号 评分", "judgments", "query document grade"),
        ("检索词 商品 相关度", "judgments", "query document grade"),
        ("search_term product_id rating", "judgments", "query document grade"),
        ("关键词 物品 名次", "run", "query document rank"),
        ("会话ID 关键词 位置 商品编号 是否点击 搜索时间 下单",
         "sessions", "session query position doc clicked timestamp purchase"),
        ("request_id searchTerm pos item_id event_time",
         "sessions", "session query position doc timestamp"),
        ("查询词 排名 商品ID 曝光次数 点击次数", "counts", "query position doc impressions clicks"),
    ],
)  # fmt: skip
def test_headers_as_teams_write_them(header: str, kind: str, roles: str) -> None:
    spellings = SPELLINGS if kind in {"sessions", "counts"} else NAMES
    chosen = choose(header.split(), kind, spellings=spellings)
    assert [chosen[role] for role in roles.split()] == header.split()


def test_a_feature_stays_a_feature() -> None:
    chosen = choose(["qid", "label", "价格", "相关度", "档位", "评分"], "features")
    assert chosen["label"] == "label"
    assert {"feature 价格", "feature 相关度", "feature 档位", "feature 评分"} <= chosen.keys()


@pytest.mark.parametrize("name", ["document", "doc", "商品", "商品编号", "item_id"])
def test_columns_take_synonyms_of_roles(name: str) -> None:
    chosen = choose(["session", "query", "position", "x"], "sessions", columns={name: "x"},
                    spellings=SPELLINGS)  # fmt: skip
    assert chosen["doc"] == "x"
    assert role_of(name, KINDS["run"][0]) == "document"


def test_a_role_of_other_data_is_no_synonym() -> None:
    with pytest.raises(ParameterError, match="`score` is not a column of this kind"):
        choose(["query", "document", "grade"], "judgments", columns={"score": "grade"})


def test_all_columns_that_lack_are_in_one_error() -> None:
    with pytest.raises(InputError) as caught:
        choose(["query", "bm25"], "sessions", columns={"time": "when"}, spellings=SPELLINGS)
    assert "`timestamp=when`, `session`, `position`, `doc`" in str(caught.value)
    assert "--columns timestamp=COLUMN,session=COLUMN,position=COLUMN,doc=COLUMN" in str(
        caught.value.hint
    )


def test_all_unknown_names_are_in_one_error() -> None:
    with pytest.raises(ParameterError, match="`paper`, `when`"):
        choose(["query", "document", "grade"], "judgments", columns={"paper": "a", "when": "b"})


def test_no_hint_offers_a_feature_as_a_grade_or_counts_as_a_session() -> None:
    with pytest.raises(InputError) as caught:
        choose(["query", "document", "bm25"], "judgments")
    assert "bm25" not in str(caught.value.hint)
    names = ["query", "position", "doc", "impressions", "clicks"]
    assert is_counted(names)
    assert set(COUNTS) <= SPELLINGS.keys()
    with pytest.raises(InputError) as caught:
        choose(names, "sessions", spellings=SPELLINGS)
    assert "impressions" not in str(caught.value.hint)
