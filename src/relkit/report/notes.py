"""Notes about the data in the language of the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relkit.online.monitoring.wording import tier_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relkit.core.language import Language
    from relkit.core.notes import Note

__all__ = ["note_text"]

#: By kind; kinds that are not here are shown as they were written, in English.
CHINESE = {
    "coverage-fell": "{tier}：judged@{k} 由 {before} 降到 {after}：DCG 下降可能部分源于标注变少",
    "duplicate-judgments": "{count} 行重复了已有的标注（等级相同）",
    "grades-differ": "两个月都标注过的 {shared} 个文档中，{count} 个等级变了，"
    "平均 {mean}：变的不只是搜索，标注尺度也变了",
    "grading": "多人标注的合并方式：{rule}",
    "gradings-differ": "各轮多人标注的合并方式不同：{told}；升降可能只是合并方式所致",
    "infinite-values": "{count} 条查询的值在其中一个系统上为无穷大，已略去{measures}；"
    "用带平滑的指标可以保留它们，例如 pnr(smoothing=1)",
    "low-coverage": "{tier}：前 {k} 条结果中只有 {judged} 有标注，其余按无价值计",
    "missing-months": "{count} 个月没有轮次：变化是相对更早的一轮而言",
    "missing-queries": "{count} 条有标注的查询不在结果文件中",
    "negative-grades": "{count} 个等级小于 0",
    "no-judged-document": "返回的文档没有一篇有标注：两边用的是同一套文档 id 吗？",
    "one-label": "没有一条查询含有不同的档位：每一对都是同档，不论先后都算正序{measures}",
    "one-round": "只有一轮，无从比较",
    "pooled-measures": "评测时把各查询的文档对汇总在一起计算；这里比较的是各查询自身值的平均"
    "{measures}",
    "queries-moved": "两个月都抽到的 {both} 个查询中，{count} 个换了层："
    "某一层的变化可能只是查询换了，全部流量不受影响",
    "regrouped": "结果文件的行没有按查询排在一起，已整体读入",
    "rules-differ": "{count} 轮的约定不同，已全部按同一约定重新计算",
    "same-sessions": "{before} 与 {after} 有 {count} 个相同的抽样会话：是不是同一份日志？"
    "检验假定两个月相互独立",
    "shallow-round": "{month} 的 {tier}结果只取到第 {deepest} 位，不足 {k}：该月在此处没有值",
    "tie-decided": "{queries} 条查询中有 {count} 条的值由同分文档的次序决定（ties={rule}），"
    "取值范围：{spans}",
    "tie-sensitive": "{count} 条查询的截断位置落在同分文档中间{measures}",
    "tiers-differ": "{month} 的分层是 {tiers}，{last} 的是 {last_tiers}：只比较两边都有的",
    "undefined-queries": "{count} 条查询没有值{measures}",
    "unjudged-sessions": "{tier}：{sampled} 个抽样会话中有 {count} 个未计入：展示的结果都没有标注",
    "unjudged-queries": "{count} 条查询没有标注，已略去",
    "worst-order": "同分文档各种次序的平均没有公式，取最差的次序{measures}",
    "unpaired-queries": "{count} 条查询在一个或两个系统上没有值，已略去{measures}",
    "unshared-measures": "有 {count} 个指标并非每个系统都有，已略去{measures}",
}
MEASURE = re.compile(r"(?<![\w.])([a-z][a-z_0-9]*(?:\([^()]*\))?(?:@\d+)?)(?![\w.])")


def note_text(
    note: Note, language: Language, runs: Sequence[str] = (), measures: Sequence[str] = ()
) -> str:
    """Returns a note in a language.

    Args:
        note: The note.
        language: `en` or `zh`.
        runs: Names of runs: a note about one of them begins with its name.
        measures: Measures that a note may speak of.
    """
    if language == "en" or note.kind not in CHINESE:
        return str(note)
    run = next((name for name in runs if note.message.startswith(f"{name}: ")), "")
    said = [name for name in MEASURE.findall(note.message) if name in measures]
    values = dict(note.values)
    if "tier" in values:
        values["tier"] = tier_name(values["tier"], language)
    text = CHINESE[note.kind].format(
        count=f"{note.count:,}",
        measures=f"（{'、'.join(dict.fromkeys(said))}）" if said else "",
        **values,
    )
    if note.examples:
        more = " 等" if note.count > len(note.examples) else ""
        text += f"（{'、'.join(note.examples)}{more}）"
    return f"{run}：{text}" if run else text
