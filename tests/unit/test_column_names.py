"""Names of columns: the table of both languages, which of two wins, and what errors say."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

import relyon
from relyon import InputError, ParameterError
from relyon.cli.hints import said
from relyon.data.columns import KINDS, NAMES, choose, role_of
from relyon.data.columns.log_names import COUNTS, LOG_LEVELS, SPELLINGS, is_counted
from relyon.data.columns.synonyms import ITEM_LEVELS, LEVELS, Levels

#: English names that readers knew first, most specific first: files that have several of them are
#: read as ever, or refused.
EARLIER = {
    "query": "queryid qid query topicid topic topicno searchid search sessionid session group"
    " groupid keywords keyword",
    "document": "documentid docid docno document doc itemid item productid product passageid pid"
    " corpusid url asin sku id objectid",
    "grade": "grade relevance rel label judgment judgement rating relevancelabel relevancegrade"
    " final score",
    "label": "label grade relevance rel target rating judgment judgement click clicked y",
    "rank": "rank position pos",
    "score": "score sim similarity prediction predicted pred modelscore relevancescore",
    "judge": "judge rater annotator user assessor",
}
LOGS = {
    "session": "session sessionid sid searchid requestid request queryid traceid impressionid qid",
    "query": "query querytext userquery searchquery searchterm searchterms querystring keywords"
    " keyword term text",
    "timestamp": "timestamp time datetime ts eventtime date createdat",
    "position": "position pos rank ordinal",
    "doc": "doc docid docno document documentid item itemid product productid asin sku url id",
    "clicked": "clicked click isclick isclicked clicks nclicks",
    "purchase": "purchase purchased ispurchase bought buy order ordered",
}
#: The names of which one wins because it is the id of the other.
IDS = {("item", "itemid"), ("product", "productid")}


def chosen_of(role: str, names: list[str], levels: dict[str, Levels]) -> str | None:
    """Returns the column of a role among columns with these names; None if it is refused."""
    kind = next(kind for kind, parts in KINDS.items() if role in parts[0] + parts[1])
    kind = {"judge": "items"}.get(role, kind)
    others = {one: f"own {one}" for one in KINDS[kind][0] if one != role}
    try:
        found = choose([*names, *others.values()], kind, columns=others, levels=levels)
    except InputError as error:
        return None if "could each be" in str(error) else str(error)
    return found[role]


@pytest.mark.parametrize(("levels", "earlier"), [(LEVELS, EARLIER), (LOG_LEVELS, LOGS)])
def test_an_earlier_name_wins_over_a_later_one_or_both_are_refused(
    levels: dict[str, Levels], earlier: dict[str, str]
) -> None:
    for role, text in earlier.items():
        for pair in combinations(text.split(), 2):
            if pair in IDS:
                assert chosen_of(role, [*pair], levels) == pair[1]
            else:
                assert chosen_of(role, [*pair], levels) in (pair[0], None), (role, pair)
        for name in text.split():
            assert chosen_of(role, [name], levels) == name


@pytest.mark.parametrize("levels", [LEVELS, LOG_LEVELS])
def test_the_own_name_of_a_role_wins_over_its_synonyms(levels: dict[str, Levels]) -> None:
    before = {"query": {"queryid", "qid", "查询id"}, "document": {"documentid", "docid", "docno"}}
    before["chunk"] = {"chunkid"}
    for role, found in levels.items():
        own = role.replace("_", "")
        names = [name for level in found for name in level]
        for other in {*names} - {own} - before.get(role, set()):
            assert chosen_of(role, [other, own], levels) == own, (role, other)
        for other in before.get(role, set()) & {*names}:
            expected = own if levels is LOG_LEVELS else other  # an id says more than a text
            assert chosen_of(role, [own, other], levels) == expected


@pytest.mark.parametrize(
    ("kind", "role", "first", "second"),
    [
        ("judgments", "query", "关键词", "搜索词"),
        ("judgments", "query", "keyword", "search_term"),
        ("judgments", "document", "item_id", "product_id"),
        ("judgments", "document", "商品编号", "物品ID"),
        ("judgments", "grade", "相关性", "标注"),
        ("run", "score", "similarity", "prediction"),
        ("features", "label", "relevance", "标注"),
    ],
)
def test_two_synonyms_are_refused_with_both_names(
    kind: str, role: str, first: str, second: str
) -> None:
    own = {"judgments": "query document grade", "run": "query document score"}
    rest = [one for one in own.get(kind, "query bm25").split() if one != role]
    for columns in ([first, second, *rest], [*rest, second, first]):
        with pytest.raises(InputError, match="could each be the") as caught:
            choose(columns, kind)
        assert f"`{first}`" in str(caught.value)
        assert f"`{second}`" in str(caught.value)
        assert choose(columns, kind, columns={role: second})[role] == second
        assert choose([*columns, role], kind)[role] == role
    if kind != "features":
        assert f"--columns {role}=" in said(caught.value.hint)


def test_ids_win_over_texts_and_both_over_fallbacks() -> None:
    def judged(header: str) -> tuple[str, str]:
        found = choose([*header.split(), "grade"], "judgments")
        return found["query"], found["document"]

    assert judged("query query_id doc_id title") == ("query_id", "doc_id")
    assert judged("搜索词 商品 商品编号") == ("搜索词", "商品编号")
    assert judged("id 搜索词 url 商品编号") == ("搜索词", "商品编号")
    log = ["session", "query_id", "query", "搜索词", "position", "排名", "doc", "商品", "title"]
    found = choose(log, "sessions", levels=LOG_LEVELS)
    assert (found["query"], found["position"]) == ("query", "position")
    assert (found["session"], found["doc"]) == ("session", "doc")


@pytest.mark.parametrize("table", [NAMES, SPELLINGS])
def test_names_are_plain_and_occur_once_in_a_role(table: dict[str, tuple[str, ...]]) -> None:
    for names in table.values():
        assert len(set(names)) == len(names)
        assert all(name == name.lower() and not set(name) & set(" _-.") for name in names)


def test_synonyms_are_said_once_and_own_names_never(tmp_path: Path) -> None:
    def notes(name: str, text: str) -> list[str]:
        (tmp_path / name).write_text(text)
        found = relyon.read_judgments(tmp_path / name).notes
        return [str(note) for note in found if note.kind == "columns-read-as"]

    path = tmp_path / "a.csv"
    (note,) = notes("a.csv", "搜索词,商品编号,grade\nq,d,1\n")
    assert note == f"columns of {path} read as: query = 搜索词, document = 商品编号"
    assert not notes("b.csv", "Query_ID,docid,grade\nq,d,1\n")
    assert notes("c.jsonl", '{"qid": "q", "doc": "d", "label": 1}\n')
    mapped = relyon.read_judgments(path, columns={"query": "搜索词", "document": "商品编号"})
    assert mapped.notes == ()
    run = tmp_path / "r.csv"
    run.write_text("query,sku,得分\nq,d,1\n")
    results = relyon.evaluate(path, run, "rr")
    kinds = [note.kind for note in results.notes]
    assert kinds.count("columns-read-as") == 2
    assert "document = sku、score = 得分" in results.notes[1].text("zh")
    relyon.read_run(run).to_frame().rename({"document": "sku"}).write_parquet(
        tmp_path / "p.parquet"
    )
    results = relyon.evaluate({"q": {"d": 1}}, tmp_path / "p.parquet", "rr")
    assert [note.kind for note in results.notes] == ["columns-read-as"]


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
        ("会话 Search-Term 排名 商品 点击次数 时间",
         "sessions", "session query position doc clicked timestamp"),
        ("搜索词 商品编号 评分 得分", "scored", "query document label score"),
        ("关键字 商品 人工标注 模型分", "scored", "query document label score"),
        ("query词 商品 標籤 模型分数", "scored", "query document label score"),
        ("用户查询 商品 相關性 模型得分", "scored", "query document label score"),
        ("搜索query 商品 标签", "judgments", "query document grade"),
        ("查询词 商品 人工标签", "judgments", "query document grade"),
        ("关键词 商品 是否点击", "features", "query document label"),
        ("查询词 商品 概率 排名", "policy", "query document probability rank"),
        ("商品", "decisions", "doc"),
        ("search_term 商品 评分 排名 标注员 标题 商品图 网址 描述",
         "items", "query document grade rank judge title image url snippet"),
        ("查询词 排名 商品ID 曝光次数 点击次数", "counts", "query position doc impressions clicks"),
        ("查询编号 文档 引文 等级", "passages", "query document quote grade"),
        ("问题 文档名 起始位置 结束位置 相关性", "passages", "query document start end grade"),
        ("問題編號 文檔 證據 等級", "passages", "query document quote grade"),
        ("task_id document grade", "judgments", "query document grade"),
        ("任务 文档 等级", "judgments", "query document grade"),
        ("question chunk_id score", "run", "query document score"),
        ("查询编号 分块 得分", "run", "query document score"),
        ("分块编号 文档 起始位置 结束位置", "chunks", "chunk document start end"),
        ("切片编号 文档编号 切片内容", "chunks", "chunk document text"),
        ("分塊編號 文檔 開始 結束", "chunks", "chunk document start end"),
    ],
)  # fmt: skip
def test_headers_as_teams_write_them(header: str, kind: str, roles: str) -> None:
    levels = LOG_LEVELS if kind in {"sessions", "counts", "decisions"} else ITEM_LEVELS
    chosen = choose(header.split(), kind, levels=levels)
    assert [chosen[role] for role in roles.split()] == header.split()


def test_a_column_is_not_both_the_chunk_and_its_document() -> None:
    with pytest.raises(InputError, match="no column for the document"):
        choose(["分块", "起始", "结束"], "chunks")
    chosen = choose(["document", "chunk_id", "score", "query"], "run")
    assert chosen["document"] == "document"


@pytest.mark.parametrize("name", ["标签", "標籤", "人工标注", "相关性", "等級", "評分"])
def test_a_label_is_a_role_by_its_words(name: str) -> None:
    assert role_of(name, ("query", "label", "grade", "score", "document")) == "label"
    assert role_of(name, KINDS["judgments"][0]) == "grade"


def test_a_feature_stays_a_feature() -> None:
    chosen = choose(["qid", "label", "价格", "相关度", "档位", "评分"], "features")
    assert chosen["label"] == "label"
    assert {"feature 价格", "feature 相关度", "feature 档位", "feature 评分"} <= chosen.keys()


@pytest.mark.parametrize("name", ["document", "doc", "商品", "商品编号", "item_id"])
def test_columns_take_synonyms_of_roles(name: str) -> None:
    chosen = choose(["session", "query", "position", "x"], "sessions", columns={name: "x"},
                    levels=LOG_LEVELS)  # fmt: skip
    assert chosen["doc"] == "x"
    assert role_of(name, KINDS["run"][0]) == "document"


def test_a_role_of_other_data_is_no_synonym() -> None:
    with pytest.raises(ParameterError, match="`score` is not a column of this kind"):
        choose(["query", "document", "grade"], "judgments", columns={"score": "grade"})


def test_all_columns_that_lack_are_in_one_error() -> None:
    with pytest.raises(InputError) as caught:
        choose(["query", "bm25"], "sessions", columns={"time": "when"}, levels=LOG_LEVELS)
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
        choose(names, "sessions", levels=LOG_LEVELS)
    assert "impressions" not in str(caught.value.hint)


def test_texts_of_queries_and_titles_are_found_in_both_languages(tmp_path: Path) -> None:
    from relyon.io.descriptions import Descriptions

    (tmp_path / "q.csv").write_text("查询ID,搜索词\nq1,手机壳\n")
    assert Descriptions(tmp_path / "q.csv", "query").find(["q1"]) == {"q1": "手机壳"}
    (tmp_path / "d.csv").write_text("url,商品编号,商品标题\nhttp://x,d1,防水壳\n")
    assert Descriptions(tmp_path / "d.csv", "document").find(["d1"]) == {"d1": "防水壳"}
