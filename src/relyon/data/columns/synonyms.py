"""The one table of columns' names, in English and Chinese: every reader finds its columns here.

The names of a role are in levels. A column of an earlier level wins: the role's own name over its
synonyms, ids over texts, all others over fallbacks such as `url` or `id`. Names of one level mean
the same, so that two such columns are refused, unless one is the id of the other (`item_id` beside
`item`). Case, spaces, hyphens, underscores and dots do not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

__all__ = [
    "BEHAVIOUR",
    "CLICK_MODELS",
    "COUNTS",
    "EVIDENCE_NAMES",
    "ITEM_LEVELS",
    "ITEM_NAMES",
    "JUDGED_AT",
    "LEVELS",
    "LOG_LEVELS",
    "NAMES",
    "NEED_NAMES",
    "QUERY_IDS",
    "QUERY_KEYS",
    "QUERY_TEXTS",
    "SPELLINGS",
    "TIER_NAMES",
    "TRACE_LEVELS",
    "Levels",
]

#: Names of a role: levels of equal names.
Levels: TypeAlias = tuple[tuple[str, ...], ...]


def _levels(*lines: str) -> Levels:
    """Returns levels, each written with spaces between its names."""
    return tuple(tuple(line.split()) for line in lines)


def _flat(table: Mapping[str, Levels]) -> dict[str, tuple[str, ...]]:
    return {
        role: tuple(name for level in levels for name in level) for role, levels in table.items()
    }


#: What users typed.
TEXTS = (
    "keywords keyword searchterm searchquery querytext 查询 查询词 query词 搜索词 搜索query"
    " 用户查询 用户query 关键词 关键字 检索词 搜索关键词"
    " 查询文本 查詢 查詢詞 搜尋詞 搜尋 關鍵字 關鍵詞"
)
#: Ids of these texts.
TEXT_IDS = (
    "keywordid searchtermid searchqueryid 查询编号 查询词id 搜索词id 关键词id 关键字id 查詢編號"
    " 查詢id 檢索詞id"
)
#: Ids of things that are found, and names that can be ids.
THINGS = (
    "itemid item productid product passageid pid corpusid 商品id 商品编号 物品id 文档 文档id"
    " 文档编号 商品 物品 文檔 文件 商品編號 文件編號"
)
#: Ids of parts of documents: what a run ranks if it has no documents.
CHUNK_IDS = (
    "nodeid 分块 分块id 分块编号 切块 切块id 切块编号 切片 切片id 切片编号 片段id"
    " 片段编号 文本块 文本块id 文本块编号 分塊 分塊編號 切塊 切塊編號"
)
PLACES = "位置 排名 名次 排位 展示位置 展现位置 位次"

#: Names of a role in judgments, runs, scored rows and features.
LEVELS: dict[str, Levels] = {
    "query": _levels(
        "queryid", "qid", "查询id", "query", TEXT_IDS, "topicid", "topic", "topicno",
        "searchid", "search", "sessionid", "session", "group", "groupid", TEXTS,
        "taskid task 任务 任务id 任务编号 任務 任務編號",
        "questionid question 问题id 问题编号 问题 問題編號 問題",
    ),
    "document": _levels(
        "documentid", "docid", "docno", "document", "doc", THINGS, f"chunkid chunk {CHUNK_IDS}",
        "url", "asin", "sku", "id", "objectid", "结果 結果", "文档名 文档名称 文件名 檔名",
    ),
    "grade": _levels(
        "grade",
        "relevance rel label judgment judgement 等级 相关性 标注 相关度 档位 标注结果 标注等级"
        " 相关性等级 人工标注 人工标签 等級 相關性 相關度 標註 人工標註 人工標籤",
        "标签 標籤",
        "rating 评分 打分 评级 評分 評級",
        "relevancelabel relevancegrade",
        "final",
        "score",  # used by several published judgment files; noted when it is used
    ),
    "subtopic": _levels(
        "subtopic", "subtopicid", "subtopicno", "intent", "intentid", "iteration", "子主题",
    ),
    "label": _levels(
        "label",
        "标签 人工标签 標籤 人工標籤",
        "grade",
        "relevance rel 等级 标注 标注结果 标注等级 人工标注 相关性 相关性等级 相关度 档位"
        " 等級 相關性 相關度 標註 人工標註",
        "target",
        "rating 评分 打分 评级 評分 評級",
        "judgment judgement",
        "click clicked 是否点击 点击",
        "y",
    ),
    "score": _levels(
        "score",
        "sim similarity prediction predicted pred modelscore relevancescore 分数 得分 模型分"
        " 模型分数 模型得分 模型打分 预测分 预测值 分數 模型分數",
    ),
    "rank": _levels("rank", f"position pos {PLACES}"),
    "judge": _levels(
        "judge",
        "rater annotator",
        "user assessor 评审 标注人 标注员 评分人 打分人 标注者 评审人",
    ),
    "probability": _levels("probability", "prob 概率"),
    "weight": (),  # labels with scores have weights only if the caller says so
    "chunk": _levels(
        "chunkid", "chunk",
        f"chunkno chunkname node segmentid segment passageid passage pid 片段 片段編號 {CHUNK_IDS}",
        "id",
    ),
    "passage": _levels("passage", "passageid spanid span 段落 段落id 段落编号 段落編號"),
    "start": _levels(
        "start", "startindex startoffset startchar startcharidx charstart begin"
        " 起始 开始 起点 起始位置 开始位置 起点位置 起始偏移 開始 起點 開始位置 起點位置",
    ),
    "end": _levels(
        "end", "endindex endoffset endchar endcharidx charend stop"
        " 结束 终点 终止 结束位置 终点位置 终止位置 结束偏移 結束 終點 終止 結束位置 終點位置",
    ),
    "quote": _levels(
        "quote", "quotation excerpt evidence passagetext text content"
        " 引文 引用 原文 摘录 证据 依据 证据原文 引用原文 摘錄 證據 依據",
    ),
    "text": _levels(
        "text", "chunktext pagecontent content body 文本 内容 正文 分块文本 分块内容 切块文本"
        " 切块内容 切片文本 切片内容 片段文本 片段内容 文档文本 文档内容 文档正文 全文 內容"
        " 分塊內容 文檔內容",
    ),
    "position": (),
    "group": (),  # rows that a split keeps on one side
}  # fmt: skip
NAMES = _flat(LEVELS)

#: Names of a role in frames of traces.
TRACE_LEVELS: dict[str, Levels] = {
    "task": _levels("task", "taskid 任务id 任务编号 任务 任務編號 任務"),
    "call": _levels("call", "callnumber callno callindex 调用序号 调用编号 调用 調用"),
    "query": _levels("query", TEXTS),
    **{role: LEVELS[role] for role in ("document", "score", "start", "end")},
    "read": _levels("read", "isread 已读 是否已读 是否阅读 已讀 是否已讀"),
    "tokens": _levels("tokens", "tokencount totaltokens token数"),
    "seconds": _levels("seconds", "秒数 耗时秒数 秒數"),
}

#: Names of the evidence behind grades; used only on request.
EVIDENCE_NAMES: dict[str, tuple[str, ...]] = {
    "weight": ("weight", "权重"),
    "low": ("low", "下限"),
    "high": ("high", "上限"),
}

#: Names of the document fields shown to judges.
ITEM_NAMES: dict[str, tuple[str, ...]] = {
    "title": (
        "title", "headline", "name", "productname", "producttitle", "标题", "名称",
        "商品名称", "商品标题", "商品名", "標題", "名稱", "商品名稱",
    ),
    "snippet": (
        "snippet", "description", "summary", "abstract", "productdescription", "text", "content",
        "body", "摘要", "描述", "正文", "商品描述", "简介", "詳情",
    ),
    "url": (
        "url", "link", "uri", "address", "链接", "网址", "商品链接", "地址", "連結", "網址",
    ),
    "image": (
        "image", "imageurl", "imagelink", "thumbnail", "thumb", "picture", "pictureurl", "photo",
        "photourl", "图片", "商品图", "商品图片", "图片地址", "图片链接", "图片url", "主图",
        "主图链接", "商品主图", "封面", "封面图", "圖片", "商品圖", "商品圖片",
    ),
}  # fmt: skip

#: Names of what users meant by a query, and of how often it is searched.
NEED_NAMES = (
    "need", "informationneed", "userneed", "narrative", "需求", "信息需求", "搜索需求", "用户需求",
    "查询需求", "搜索意图", "查询意图", "用户意图", "資訊需求", "搜尋需求",
)  # fmt: skip
TIER_NAMES = ("tier", "querytier", "分层", "层级", "频次分层", "流量分层", "分層")

#: Names of the columns of a sheet of items; the text of a query only beside its id.
ITEM_LEVELS: dict[str, Levels] = {
    **LEVELS,
    "query_text": _levels("querytext", "query", TEXTS.replace(" querytext", "")),
    **{role: tuple((name,) for name in names) for role, names in ITEM_NAMES.items()},
}

#: Names of ids of queries, beside which another column has their texts.
QUERY_KEYS = ("queryid", "qid", "查询id", *TEXT_IDS.split(), "topicid", "topicno")

#: Names of the columns of a table of queries' texts: an id may be all that its column is called.
QUERY_IDS = ("id", *NAMES["query"])
QUERY_TEXTS = (
    "querytext", "text", "query", "question", "title",
    *(name for name in TEXTS.split() if name != "querytext"), *NEED_NAMES,
)  # fmt: skip

#: Names of counts in logs: how often a row was shown and clicked. A log of single impressions has
#: `shown` and `clicked` instead.
_COUNTED: dict[str, Levels] = {
    "impressions": _levels(
        "impressions",
        "nimpressions numimpressions impressioncount imps exposures 曝光数 曝光量 曝光次数 展现数"
        " 展现量 展现次数 展示数 展示量 展示次数",
    ),
    "clicks": _levels(
        "clicks", "nclicks numclicks clickcount 点击数 点击量 点击次数", "clicked", "click", "点击"
    ),
}
COUNTS = _flat(_COUNTED)

#: Names of a role in search logs.
LOG_LEVELS: dict[str, Levels] = {
    "session": _levels(
        "session", "sessionid", "sid", "searchid", "requestid", "request", "queryid", "traceid",
        "impressionid", "qid", "会话 会话id 会话编号", "搜索id", "请求id",
    ),
    "query": _levels("query", f"userquery searchterms querystring {TEXTS}", "term", "text"),
    "timestamp": _levels(
        "timestamp", "time datetime ts eventtime 时间 时间戳 searchtime 搜索时间 请求时间 事件时间",
        "date 日期", "createdat",
    ),
    "position": _levels("position", f"pos rank ordinal {PLACES}"),
    "doc": _levels(
        "doc", "docid", "docno", "document", "documentid", f"{THINGS} objectid", "asin", "sku",
        "url", "id", "结果",
    ),
    "clicked": _levels(
        "clicked", "click isclick isclicked 是否点击 点击 是否被点击",
        "clicks nclicks 点击数 点击量 点击次数",
    ),
    "dwell_seconds": _levels("dwellseconds", "dwell dwelltime dwellsec 停留时长 停留时间 停留秒数"),
    "add_to_cart": _levels("addtocart", "addedtocart cart atc 加购 是否加购 加入购物车"),
    "purchase": _levels(
        "purchase",
        "purchased ispurchase bought buy order ordered 购买 成交 下单 是否购买 是否下单 是否成交",
    ),
    "bucket": _levels("bucket", "variant", "arm", "experiment", "treatment", "分桶", "实验组"),
    "user": _levels(
        "user", "userid", "uid", "clientid", "visitorid", "customerid", "用户 用户id 用户编号"
    ),
    "shown": _levels("shown", "impression viewed isimpression 曝光 是否曝光"),
    "reward": _levels("reward", "奖励 收益"),
    "propensity": _levels("propensity", "propensityscore pscore 倾向 倾向得分"),
    "overridden": _levels("overridden", "override pinned sponsored isad 置顶 广告 干预"),
    **_COUNTED,
}  # fmt: skip
SPELLINGS = _flat(LOG_LEVELS)

#: Names of the time of a judgment.
JUDGED_AT = (
    "judgedat", "gradedat", "judgmentdate", "date", "day", "timestamp", "time", "datetime",
    "updatedat", "createdat", "at", "标注时间", "标注日期", "日期", "时间", "标注于",
)  # fmt: skip

#: Names of shares of users who did something with a result.
RATES = frozenset({
    "ctr", "cvr", "clickrate", "clickthroughrate", "conversionrate", "purchaserate", "orderrate",
    "buyrate", "addtocartrate", "cartrate", "点击率", "点击转化率", "转化率", "购买率",
    "购买转化率", "下单率", "成交率", "加购率", "點擊率", "轉化率", "購買率",
})  # fmt: skip

#: Names of what users did with a result, known only after they saw it; without words such as
#: `order`, which products have, too.
BEHAVIOUR = RATES | {
    name
    for role in ("clicked", "clicks", "dwell_seconds", "add_to_cart", "purchase")
    for name in (*SPELLINGS[role], "purchases")
} - {"cart", "atc", "buy", "order", "ordered"}

#: Click models, whose names label columns carry: `grade_pbm`, `low_pbm`.
CLICK_MODELS = frozenset({
    "cascade", "ccm", "coec", "dbn", "dcm", "dctr", "gctr", "ips", "pbm", "ratio", "rctr", "sdbn",
    "snips", "ubm",
})  # fmt: skip
