"""The verdict of an attribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relyon.core.language import Language, check_language
from relyon.core.texts import Text, catalogue

__all__ = ["verdict_sentence"]


def verdict_sentence(
    verdict: str,
    stages: Sequence[tuple[str, float]],
    *,
    recall: float,
    ranking: float,
    values: Mapping[str, object],
    language: Language = "en",
) -> str:
    """Returns the verdict with its numbers, and where to start.

    Args:
        verdict: `recall`, `ranking`, `both` or `none`.
        stages: The name of each stage, and its share of the loss.
        recall: The share of the loss that is recall.
        ranking: The share of the loss that is ranking.
        values: The `measure`, its value (`actual`), and the best possible one (`ideal`).
        language: `en` or `zh`.

    Raises:
        ParameterError: If the language is neither `en` nor `zh`.
    """
    check_language(language)
    whom = Text("funnel.whom")
    shares: list[Text] = []
    if verdict in {"recall", "both"} and len(stages) > 1:
        largest = sorted(stages, key=lambda stage: -stage[1])
        whom = Text("funnel.first", {"name": largest[0][0]})
        shares = [
            Text("funnel.stage", {"name": name, "share": share})
            for name, share in largest
            if share > 0
        ]
    return catalogue("funnel", language).say(
        f"verdict.{verdict}",
        recall=recall,
        ranking=ranking,
        stages=Text("funnel.stages", {"stages": shares}) if shares else "",
        whom=whom,
        **values,
    )
