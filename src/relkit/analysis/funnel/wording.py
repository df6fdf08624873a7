"""The verdict of an attribution in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from relkit.core.language import Language, check_language
from relkit.core.rendering import number, percent

__all__ = ["verdict_sentence"]


WHOM = {"en": "the retrieval", "zh": "召回"}
SENTENCES = {
    "en": {
        "none": "Nothing is lost: {measure} is {actual}, the best that the judgments allow.",
        "recall": "{recall} of the loss is recall{stages}: start with {whom}."
        " {measure} is {actual} of {ideal}.",
        "ranking": "{ranking} of the loss is ranking: the good documents are among the candidates"
        " and not on top; start with the ranking. {measure} is {actual} of {ideal}.",
        "both": "{recall} of the loss is recall{stages} and {ranking} is ranking: both need"
        " work. {measure} is {actual} of {ideal}.",
    },
    "zh": {
        "none": "没有损失：{measure} 为 {actual}，已达到标注所能达到的上限。",
        "recall": "损失的 {recall} 来自召回{stages}：先看{whom}。"
        "{measure} 为 {actual}，上限 {ideal}。",
        "ranking": "损失的 {ranking} 来自排序：好文档已在候选中，但没有排到前面，先看排序。"
        "{measure} 为 {actual}，上限 {ideal}。",
        "both": "损失的 {recall} 来自召回{stages}，{ranking} 来自排序：召回和排序都要改进。"
        "{measure} 为 {actual}，上限 {ideal}。",
    },
}


def verdict_sentence(
    verdict: str,
    stages: Sequence[tuple[str, float]],
    *,
    recall: float,
    ranking: float,
    values: Mapping[str, Any],
    language: Language = "en",
) -> str:
    """Returns the verdict with its numbers, and whom to ask.

    Args:
        verdict: `recall`, `ranking`, `both` or `none`.
        stages: The name of each stage, and its share of the loss.
        recall: The share of the loss that is recall.
        ranking: The share of the loss that is ranking.
        values: The `measure`, what it is (`actual`), and what it could be (`ideal`).
        language: `en` or `zh`.

    Raises:
        ParameterError: If the language is neither `en` nor `zh`.
    """
    check_language(language)
    named, whom = "", WHOM[language]
    if verdict in {"recall", "both"} and len(stages) > 1:
        largest = sorted(stages, key=lambda stage: -stage[1])
        comma, left, right = (", ", " (", ")") if language == "en" else ("、", "（", "）")
        whom = f" {largest[0][0]}" if language == "zh" else largest[0][0]
        parts = [
            f"{name} {percent(share, language=language)}" for name, share in largest if share > 0
        ]
        named = left + comma.join(parts) + right if parts else ""
    return SENTENCES[language][verdict].format(
        recall=percent(recall, language=language),
        ranking=percent(ranking, language=language),
        stages=named,
        whom=whom,
        measure=values["measure"],
        actual=number(values["actual"]),
        ideal=number(values["ideal"]),
    )
