"""Notes about the data in the language of the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from relkit.notes import Note
    from relkit.report.page import Language

__all__ = ["note_text"]

#: By kind; kinds that are not here are shown as they were written, in English.
CHINESE = {
    "duplicate-judgments": "{count} 行重复了已有的标注（等级相同）",
    "infinite-values": "{count} 条查询的值在其中一个系统上为无穷大，已略去{measures}；"
    "用带平滑的指标可以保留它们，例如 pnr(smoothing=1)",
    "missing-queries": "{count} 条有标注的查询不在结果文件中",
    "negative-grades": "{count} 个等级小于 0",
    "no-judged-document": "返回的文档没有一篇有标注：两边用的是同一套文档 id 吗？",
    "pooled-measures": "评测时把各查询的文档对汇总在一起计算；这里比较的是各查询自身值的平均"
    "{measures}",
    "regrouped": "结果文件的行没有按查询排在一起，已整体读入",
    "tie-sensitive": "{count} 条查询的截断位置落在同分文档中间{measures}",
    "undefined-queries": "{count} 条查询没有值{measures}",
    "unjudged-queries": "{count} 条查询没有标注，已略去",
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
    text = CHINESE[note.kind].format(
        count=f"{note.count:,}", measures=f"（{'、'.join(dict.fromkeys(said))}）" if said else ""
    )
    if note.examples:
        more = " 等" if note.count > len(note.examples) else ""
        text += f"（{'、'.join(note.examples)}{more}）"
    return f"{run}：{text}" if run else text
