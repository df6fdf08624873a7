"""What measures say of their values, in the language of the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from relkit.core.texts import translate

if TYPE_CHECKING:
    from relkit.core.language import Language

__all__ = ["formula_text", "reason_text"]

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
    return translate(reason, language)


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
