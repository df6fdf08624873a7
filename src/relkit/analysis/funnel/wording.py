"""The verdict of an attribution in English and Chinese."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relkit.core.language import Language, check_language
from relkit.core.rendering import number, percent

if TYPE_CHECKING:
    from relkit.analysis.funnel.result import Funnel

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


def verdict_sentence(found: Funnel, language: Language = "en") -> str:
    """Returns the verdict with its numbers, and whom to ask.

    Raises:
        ParameterError: If the language is neither `en` nor `zh`.
    """
    check_language(language)
    verdict = found.verdict
    stages, whom = "", WHOM[language]
    if verdict in {"recall", "both"} and len(found.stages) > 1:
        largest = sorted(found.stages, key=lambda stage: -stage.share)
        comma, left, right = (", ", " (", ")") if language == "en" else ("、", "（", "）")
        whom = f" {largest[0].name}" if language == "zh" else largest[0].name
        parts = [
            f"{stage.name} {percent(stage.share, language=language)}"
            for stage in largest
            if stage.share > 0
        ]
        stages = left + comma.join(parts) + right if parts else ""
    return SENTENCES[language][verdict].format(
        recall=percent(found.recall_share, language=language),
        ranking=percent(found.ranking_share, language=language),
        stages=stages,
        whom=whom,
        actual=number(found.actual),
        ideal=number(found.ideal),
        measure=found.label,
    )
