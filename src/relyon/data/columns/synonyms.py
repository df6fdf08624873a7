"""The one table of columns' names, in English and Chinese: every reader finds its columns here.

In each row the most specific name comes first, and a new name goes last, so that it never takes the
place of a column that is found today. Case, spaces, hyphens, underscores and dots do not matter.
"""

from __future__ import annotations

__all__ = ["COUNTS", "EVIDENCE_NAMES", "ITEM_NAMES", "NAMES", "SPELLINGS"]

#: Names of a role in judgments, runs, scored rows and features.
NAMES: dict[str, tuple[str, ...]] = {
    "query": (
        "queryid", "qid", "query", "topicid", "topic", "topicno", "searchid", "search",
        "sessionid", "session", "group", "groupid", "keywords", "keyword", "查询",
        "searchterm", "searchquery", "querytext", "查询词", "搜索词", "关键词",
        "检索词", "搜索关键词", "查询id", "查詢", "查詢詞", "搜尋詞", "搜尋", "關鍵字",
        "關鍵詞",
    ),
    "document": (
        "documentid", "docid", "docno", "document", "doc", "itemid", "item", "productid",
        "product", "passageid", "pid", "corpusid", "url", "asin", "sku", "文档", "id",
        "objectid", "商品id", "商品编号", "物品id", "文档id", "文档编号", "商品", "物品", "结果",
        "文檔", "文件", "商品編號", "文件編號", "結果",
    ),
    "grade": (
        "grade", "relevance", "rel", "label", "judgment", "judgement", "rating", "relevancelabel",
        "relevancegrade", "等级", "相关性", "标注", "评分", "打分", "final",
        "score",  # used by several published judgment files; noted when it is used
        "相关度", "档位", "评级", "标注结果", "标注等级", "相关性等级",
        "等級", "相關性", "相關度", "標註", "評分", "評級",
    ),
    "subtopic": (
        "subtopic", "subtopicid", "subtopicno", "intent", "intentid", "iteration", "子主题",
    ),
    "label": (
        "label", "grade", "relevance", "rel", "target", "rating", "judgment", "judgement", "click",
        "clicked", "y", "等级", "标注", "标注结果", "标注等级", "相关性等级",
    ),
    "score": (
        "score", "sim", "similarity", "prediction", "predicted", "pred", "modelscore",
        "relevancescore", "分数", "得分", "模型得分", "预测分", "预测值", "分數",
    ),
    "rank": ("rank", "position", "pos", "排名", "名次", "位置", "排位"),
    "judge": (
        "judge", "rater", "annotator", "user", "assessor", "评审", "标注人", "标注员",
        "评分人", "打分人", "标注者", "评审人",
    ),
    "probability": ("probability", "prob", "概率"),
    "weight": (),  # labels with scores have weights only if the caller says so
    "position": (),
    "group": (),  # rows that a split keeps on one side
}  # fmt: skip

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
        "商品名称", "商品标题",
    ),
    "snippet": (
        "snippet", "description", "summary", "abstract", "productdescription", "text", "content",
        "body", "摘要", "描述", "正文",
    ),
    "url": (
        "url", "link", "uri", "链接",
        "网址", "商品链接",
    ),
    "image": (
        "image", "imageurl", "thumbnail", "thumb", "picture", "图片",
        "商品图", "商品图片", "图片地址", "图片链接",
    ),
}  # fmt: skip

#: Names of a role in search logs.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "session": (
        "session", "sessionid", "sid", "searchid", "requestid", "request", "queryid", "traceid",
        "impressionid", "qid", "会话", "会话id", "请求id",
        "会话编号", "搜索id",
    ),
    "query": (
        "query", "querytext", "userquery", "searchquery", "searchterm", "searchterms",
        "querystring", "keywords", "keyword", "term", "text", "查询", "查询词", "搜索词",
        "关键词", "检索词", "搜索关键词", "查询文本",
    ),
    "timestamp": (
        "timestamp", "time", "datetime", "ts", "eventtime", "date", "createdat", "时间", "时间戳",
        "searchtime", "搜索时间", "日期", "请求时间", "事件时间",
    ),
    "position": (
        "position", "pos", "rank", "ordinal", "位置", "排名", "名次",
        "排位", "展示位置", "展现位置",
    ),
    "doc": (
        "doc", "docid", "docno", "document", "documentid", "item", "itemid", "product", "productid",
        "objectid", "asin", "sku", "url", "文档", "商品", "商品id", "id",
        "商品编号", "物品id", "文档id", "文档编号", "物品", "结果",
    ),
    "clicked": (
        "clicked", "click", "isclick", "isclicked", "clicks", "nclicks", "是否点击", "点击",
        "是否被点击",
    ),
    "dwell_seconds": (
        "dwellseconds", "dwell", "dwelltime", "dwellsec", "停留时长",
        "停留时间", "停留秒数",
    ),
    "add_to_cart": (
        "addtocart", "addedtocart", "cart", "atc", "加购",
        "是否加购", "加入购物车",
    ),
    "purchase": (
        "purchase", "purchased", "ispurchase", "bought", "buy", "order", "ordered", "购买", "成交",
        "下单", "是否购买", "是否下单", "是否成交",
    ),
    "bucket": ("bucket", "variant", "arm", "experiment", "treatment", "分桶", "实验组"),
    "user": (
        "user", "userid", "uid", "clientid", "visitorid", "customerid", "用户", "用户id",
        "用户编号",
    ),
    "shown": (
        "shown", "impression", "viewed", "isimpression", "曝光",
        "是否曝光",
    ),
    "reward": ("reward", "奖励", "收益"),
    "propensity": ("propensity", "propensityscore", "pscore", "倾向", "倾向得分"),
    "overridden": ("overridden", "override", "pinned", "sponsored", "isad", "置顶", "广告", "干预"),
}  # fmt: skip

#: Names of counts in logs: how often a row was shown and clicked. A log of single impressions has
#: `shown` and `clicked` instead.
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
