"""The sentences of the log doctor in Chinese."""

from __future__ import annotations

__all__ = ["MESSAGES"]

MESSAGES = {
    "level.warning": "警告",
    "level.info": "提示",
    "clean": "共 {rows} 行，{checks} 项检查没有发现问题。",
    "summary": "共 {rows} 行，{checks} 项检查：警告 {warnings} 条，提示 {hints} 条。",
    "advice": "建议：{fix}",
    "fixable": "（--fix 会自动处理）",
    "counted": "{total} {unit}中的 {count} {unit}（{share}）",
    "unit.rows": "行",
    "unit.sessions": "个会话",
    "unit.queries": "个查询",
    "unit.users": "个用户",
    "unit.hours": "个小时",
    # -- values --------------------------------------------------------------------------------
    "missing-values.title": "有些行缺少必填字段",
    "missing-values.text": "{counted}的以下字段为空：{columns}。这些行无法计数和抽样，所在的结果"
    "列表也会缺位。",
    "missing-values.fix": "去掉这些行，并查明日志为什么丢字段。",
    # -- times ---------------------------------------------------------------------------------
    "mixed-timestamps.title": "时间戳的写法不统一",
    "mixed-timestamps.text": "{counted}不是最常见的写法：{forms}。只认一种写法的程序会丢掉其余的"
    "行，或者算成 1970 年：趋势、轮次和断档都会出错。",
    "mixed-timestamps.fix": "按各自的写法解析，统一写成 UTC；并在埋点处约定一种写法。",
    "unreadable-timestamps.title": "时间戳无法解析",
    "unreadable-timestamps.text": "{counted}的时间戳既不是 ISO 8601，也不是数字，按时间未知处理。",
    "unreadable-timestamps.fix": "写成带时区的 ISO 8601，例如 2026-01-31T08:00:00Z。",
    "implausible-timestamps.title": "时间不可信",
    "implausible-timestamps.text": "{counted}早于 {year} 年或在未来：单位弄错了、记的是访问内的"
    "相对时间，或者时钟不准。趋势和标注有效期都会据此算错。",
    "implausible-timestamps.fix": "换成记录真实时刻的那一列，或者在埋点处改正单位。",
    "gaps.title": "日志有断档",
    "gaps.text": "{counted}没有任何搜索，共 {gaps} 段，按平时的流量本应约有 {expected} 次搜索。"
    "这段时间发生的事，计数、趋势和抽样都看不到。",
    "gaps.fix": "找回缺失的文件或查明故障；只比较完整的时间段。",
    # -- positions -----------------------------------------------------------------------------
    "invalid-positions.title": "位置小于 0",
    "invalid-positions.text": "{counted}的位置是负数，对应不到任何名次，DCG 无法折损。",
    "invalid-positions.fix": "去掉这些行。",
    "zero-based-positions.title": "位置从 0 开始",
    "zero-based-positions.text": "{counted}有位置 0，几乎没有列表从 1 开始。直接当名次用，每个结果"
    "都会提前一名：首位结果丢失，或在 DCG 里除以 log2(1) = 0，前 k 名里实际有 k + 1 个结果。",
    "zero-based-positions.fix": "所有位置加 1。",
    "mixed-positions.title": "位置有的从 0 开始，有的从 1 开始",
    "mixed-positions.text": "{counted}从 0 开始，另有 {from_one} 个从 1 开始：这份日志有两个来源。"
    "位置相同的结果名次并不相同，DCG@k 和分位置点击率把两种口径混在了一起。",
    "mixed-positions.fix": "含位置 0 的列表整体加 1。从 0 计数、又丢了首位结果的列表无法识别，应在"
    "来源处改正。",
    "incomplete-lists.title": "结果列表缺位",
    "incomplete-lists.text": "{counted}不是从第 1 位开始，或者中间缺位。缺掉的结果无法标注，在 DCG"
    " 里等于没有价值。",
    "incomplete-lists.fix": "记录完整的结果列表，而不只是进入视口的结果；或从检索日志补齐。",
    "cut-off-lists.title": "列表止于第 {depth} 位",
    "cut-off-lists.text": "{counted}到此为止，再往下展示过什么日志里没有：更深的 k（这里是"
    " {measured}）上，这些列表的 DCG 就等于 DCG@{depth}，更深的召回也看不到。",
    "cut-off-lists.fix": "记录更深的翻页，或者只用不超过 {depth} 的 k。",
    "shared-positions.title": "一个位置上有多个文档",
    "shared-positions.text": "{counted}的文档数多于位置数：每页重新计数、一个 id 下有多次搜索，或者"
    "是宫格布局。名次没有定义，DCG 会把靠前的名次重复计算。",
    "shared-positions.fix": "让位置跨页连续计数，并让每次搜索有自己的会话（--columns"
    " session=访问+搜索 可以拼接两列）。",
    # -- events --------------------------------------------------------------------------------
    "duplicate-rows.title": "事件重复上报",
    "duplicate-rows.text": "{counted}是同一会话、同一位置、同一文档的重复。曝光和点击率会重复计算，"
    "DCG 也会多算。",
    "duplicate-rows.fix": "每组只留一行，点击等行为合并。",
    "repeated-documents.title": "同一文档出现在多个位置",
    "repeated-documents.text": "{counted}的位置数多于文档数。每个副本都会在 DCG 里再得一次增益，"
    "甚至超过理想值。",
    "repeated-documents.fix": "确认用户是否真的看到了重复结果：看到了就保留，只给第一个计分；没看到"
    "说明日志把多个列表拼在了一起。",
    "actions-without-impression.title": "有点击、加购或购买，却没有曝光",
    "actions-without-impression.text": "在有行为的记录里，{counted}的文档没有曝光记录。点击率会"
    "偏高，用户最想要的结果反而不在待标注的列表里。",
    "actions-without-impression.fix": "点击位置空着的，补上这条曝光，其余去掉；并查明哪些曝光没有"
    "上报。",
    "clicks-only.title": "日志里只有点击",
    "clicks-only.text": "{counted}没有任何未点击的文档。不知道展示过什么，点击率和列表的 DCG 都无法"
    "计算。",
    "clicks-only.fix": "补充曝光日志，或者把点击与检索返回的结果列表关联起来。",
    # -- searches ------------------------------------------------------------------------------
    "several-queries.title": "一个会话里有多个查询",
    "several-queries.text": "{counted}的查询不止一个：这一列是一次访问，不是一次搜索。多次搜索的"
    "结果会被当成一个列表，查询频次也变成了访问次数。",
    "several-queries.fix": "用搜索请求的 id 作为会话；--columns session=访问+搜索 可以拼接两列。",
    "query-variants.title": "查询只有大小写、全半角或空格的差别",
    "query-variants.text": "{counted}是更常见查询的另一种写法，涉及 {sessions} 个会话。"
    "每种写法都被当成单独的查询：高频查询会掉到更低的频次档，同样的结果也会重复标注。",
    "query-variants.fix": "统一成最常见的写法（按 Unicode NFKC，忽略大小写和空格）。",
    # -- traffic -------------------------------------------------------------------------------
    "bots.title": "频率高到不像真人",
    "bots.text": "{counted}的搜索或点击比真人快，占全部流量的 {traffic}。频次、分档和点击率反映的是"
    "它们，而不是用户。",
    "bots.fix": "查看例子，去掉爬虫、监控和测试账号。",
}
