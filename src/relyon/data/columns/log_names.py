"""Columns of search logs: their usual names, and what tells a table of counts from a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relyon.data.columns.roles import plain_name

__all__ = ["COUNTS", "FALSE", "SPELLINGS", "TRUE", "is_counted"]

#: Words for yes and no, besides 1 and 0.
TRUE = ("true", "t", "yes", "y", "是")
FALSE = ("false", "f", "no", "n", "否", "none", "null")

# Usual names of a column, most specific first; case, spaces, hyphens and underscores do not
# matter.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "session": (
        "session", "sessionid", "sid", "searchid", "requestid", "request", "queryid", "traceid",
        "impressionid", "qid", "会话", "会话id", "请求id",
    ),
    "query": (
        "query", "querytext", "userquery", "searchquery", "searchterm", "searchterms",
        "querystring", "keywords", "keyword", "term", "text", "查询", "查询词", "搜索词",
    ),
    "timestamp": (
        "timestamp", "time", "datetime", "ts", "eventtime", "date", "createdat", "时间", "时间戳",
    ),
    "position": ("position", "pos", "rank", "ordinal", "位置", "排名", "名次"),
    "doc": (
        "doc", "docid", "docno", "document", "documentid", "item", "itemid", "product", "productid",
        "objectid", "asin", "sku", "url", "文档", "商品", "商品id", "id",
    ),
    "clicked": (
        "clicked", "click", "isclick", "isclicked", "clicks", "nclicks", "是否点击", "点击",
    ),
    "dwell_seconds": ("dwellseconds", "dwell", "dwelltime", "dwellsec", "停留时长"),
    "add_to_cart": ("addtocart", "addedtocart", "cart", "atc", "加购"),
    "purchase": (
        "purchase", "purchased", "ispurchase", "bought", "buy", "order", "ordered", "购买", "成交",
    ),
    "bucket": ("bucket", "variant", "arm", "experiment", "treatment", "分桶", "实验组"),
    "user": ("user", "userid", "uid", "clientid", "visitorid", "customerid", "用户", "用户id"),
    "shown": ("shown", "impression", "viewed", "isimpression", "曝光"),
    "reward": ("reward", "奖励", "收益"),
    "propensity": ("propensity", "propensityscore", "pscore", "倾向", "倾向得分"),
    "overridden": ("overridden", "override", "pinned", "sponsored", "isad", "置顶", "广告", "干预"),
}  # fmt: skip

# Usual names of counts: how often a row was shown and clicked. A log of single impressions has
# `shown` and `clicked` instead.
COUNTS: dict[str, tuple[str, ...]] = {
    "impressions": (
        "impressions", "nimpressions", "numimpressions", "impressioncount", "imps", "exposures",
        "曝光数", "曝光量", "曝光次数", "展现数", "展现量", "展现次数", "展示数", "展示量",
        "展示次数",
    ),
    "clicks": (
        "clicks", "nclicks", "numclicks", "clickcount", "clicked", "click", "点击数", "点击量",
        "点击次数", "点击",
    ),
}  # fmt: skip

SPELLINGS |= COUNTS


def is_counted(names: Sequence[str], columns: Mapping[str, str] | None = None) -> bool:
    """Returns whether a table contains counts of impressions and clicks, not single impressions.

    Args:
        names: Its columns.
        columns: The caller's choice, from role to column.

    Examples:
        >>> is_counted(["query", "position", "doc", "impressions", "clicks"])
        True
        >>> is_counted(["session", "query", "position", "doc", "clicks"])
        False
    """
    given = {role for role, name in (columns or {}).items() if name}
    if given & {"clicked", "shown"}:
        return False
    plain = {plain_name(name) for name in names}
    return all(role in given or plain & set(COUNTS[role]) for role in COUNTS)
