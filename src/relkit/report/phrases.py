"""What measures say of their values, in the language of the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relkit.core.language import Language

__all__ = ["REASONS", "formula_text", "reason_text"]

#: Why a measure has no value. Reasons of users' own measures are shown as they were written.
REASONS = {
    "all scores or all labels are equal": "分数全部相同，或等级全部相同",
    "no judged document is relevant": "标注文档中没有相关文档",
    "no document is relevant to a subtopic": "没有与任一子主题相关的文档",
    "no judged document has a gain": "标注文档都没有增益",
    "no judged document has a grade above 0": "标注文档的等级都不大于 0",
    "no retrieved document is negative": "返回的文档中没有负例",
    "no retrieved document is positive": "返回的文档中没有正例",
    "nothing was retrieved": "没有返回结果",
    "predictions and labels are constant and equal": "预测与标注完全一致，且都是同一个等级",
    "the ideal DCG is 0": "理想 DCG 为 0",
    "the other run does not hold this query": "另一个系统没有这条查询的结果",
    "the two lists share fewer than two documents": "两个列表的共同文档不足两篇",
    "the ranks that count hold no relevant document, or nothing else": (
        "计入的位置上没有相关文档，或者全是相关文档"
    ),
    "there is no pair to count": "没有可以比较的文档对",
}
FORMULAS = (
    (re.compile(r"\bideal DCG\b"), "理想 DCG"),
    (re.compile(r"\bnothing relevant in the top (\d+): 0"), r"前 \1 位没有相关文档：0"),
    (re.compile(r"\bnothing relevant in the list: 0"), "列表中没有相关文档：0"),
    (re.compile(r"… \((\d+) terms\)"), r"…（共 \1 项）"),
)


def reason_text(reason: str, language: Language) -> str:
    """Returns why a measure has no value.

    Examples:
        >>> reason_text("nothing was retrieved", "zh"), reason_text("a reason of mine", "zh")
        ('没有返回结果', 'a reason of mine')
    """
    return REASONS.get(reason, reason) if language == "zh" else reason


def formula_text(formula: str, language: Language) -> str:
    """Returns a formula with its numbers put in.

    Examples:
        >>> formula_text("ndcg@10 = DCG 3.5 / ideal DCG 5 = 0.7", "zh")
        'ndcg@10 = DCG 3.5 / 理想 DCG 5 = 0.7'
    """
    if language == "zh":
        for phrase, written in FORMULAS:
            formula = phrase.sub(written, formula)
    return formula
