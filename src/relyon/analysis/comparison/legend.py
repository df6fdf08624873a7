"""The legend of a comparison's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from relyon.analysis.comparison.clusters.texts import cluster_legend, clusters_drawn
from relyon.analysis.comparison.contrast import gain_sign
from relyon.analysis.comparison.contrast_parts import contrast_label, is_pooled, is_ratio
from relyon.analysis.comparison.margins.texts import with_margin
from relyon.analysis.comparison.settings import ALWAYS_VALID
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.measures.display_names import measure_label

if TYPE_CHECKING:
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = [
    "ONE_VALUE_TESTS",
    "always_valid_rules",
    "legend",
    "lower_measures",
    "pooled_measures",
    "quotient_measures",
    "ratio_measures",
    "superscript_legend",
]

#: Tests of one value per query.
ONE_VALUE_TESTS = ("t", "wilcoxon", "sign")


def legend(
    comparison: PairedRuns,
    language: Language = "en",
    *,
    verdicts: Literal["signs", "words"] = "signs",
) -> str:
    """Returns the legend of signs, with the test, correction and intervals.

    Args:
        comparison: The comparison.
        language: `en` or `zh`.
        verdicts: Whether its tables have signs of their own for the verdicts about margins.
    """
    words = catalogue("tables", language)
    settings = comparison.settings
    test = words.name("test", settings.test)
    key = "rule"
    if comparison.corrected:
        key = "corrected_tukey" if settings.test == "tukey" else "corrected"
    rule = words.say(
        f"comparison.{key}",
        alpha=settings.alpha,
        correction=words.name("correction", settings.correction),
        count=comparison.corrected,
    )
    interval = words.name("interval", settings.interval)
    margins = with_margin(comparison.contrasts)
    key = "comparison.legend"
    if margins:
        key = "margin.legend" if verdicts == "signs" else "margin.legend.words"
    first = [words.say(key, test=test, rule=rule, interval=interval)]
    pooled, ratios = pooled_measures(comparison), ratio_measures(comparison)
    drawn = {"permutation", "bootstrap", "tukey"}
    random = pooled or ratios or clusters_drawn(comparison)
    random = random and not settings.always_valid
    if settings.test in drawn or settings.interval not in {"t", *ALWAYS_VALID} or random:
        draws = {"resamples": settings.resamples, "seed": settings.seed}
        first.append(words.say("comparison.resamples", **draws))
    common = catalogue("common", language)
    sentences = [common["list.semicolon"].join(first)]
    if pooled and not settings.always_valid:
        key = "pooled_instead" if settings.test in ONE_VALUE_TESTS else "pooled"
        sentences.append(words.say(f"comparison.{key}", measures=pooled, test=test))
    if ratios:
        key = "ratio_instead" if settings.test in ONE_VALUE_TESTS else "ratio"
        sentences.append(words.say(f"comparison.{key}", measures=ratios, test=test))
    if margins:
        sentences += _margin_rules(comparison, words, verdicts)
    sentences += always_valid_rules(comparison, language)
    quotients = quotient_measures(comparison)
    if quotients:
        sentences.append(words.say("comparison.quotient", measures=quotients))
    sentences += cluster_legend(comparison, language)
    described = [name for name in comparison.measures if name not in comparison.tested]
    if described:
        labels = dict.fromkeys(
            contrast_label(one) for one in comparison.contrasts if one.measure in described
        )
        sentences.append(words.say("comparison.described", measures=list(labels)))
    lower = lower_measures(comparison)
    if lower:
        lower_labels = list(map(measure_label, lower))
        sentences.append(words.say("comparison.lower", measures=lower_labels))
    return f"{common['list.stop']}{common['list.sentence']}".join(sentences)


def _margin_rules(
    comparison: PairedRuns, words: Catalogue, verdicts: Literal["signs", "words"]
) -> list[str]:
    """Returns how margins are tested."""
    settings = comparison.settings
    found = with_margin(comparison.contrasts)
    count = sum(margin.size > 0 for _, margin in found)
    corrected = settings.correction != "none" and count > 1
    key = "margin.rule_corrected" if corrected else "margin.rule"
    rules = [
        words.say(
            key if verdicts == "signs" else f"{key}.words",
            alpha=settings.alpha,
            correction=words.name("correction", settings.correction),
            count=count,
        )
    ]
    by_test: dict[str, list[str]] = {}
    for one, margin in found:
        if margin.test != settings.test:
            by_test.setdefault(margin.test, []).append(contrast_label(one))
    for test, labels in by_test.items():
        names = [*dict.fromkeys(labels)]
        rules.append(
            words.say("margin.rule_pooled", measures=names, tests=words.name("test", test))
        )
    return rules


def lower_measures(comparison: PairedRuns) -> list[str]:
    """Returns the tested measures for which lower values are better."""
    return [name for name in comparison.tested if gain_sign(name) < 0]


def pooled_measures(comparison: PairedRuns) -> list[str]:
    """Returns the measures whose number is recomputed from whole queries."""
    found = []
    for one in comparison.contrasts:
        if is_pooled(one):
            found.append(contrast_label(one))
    return list(dict.fromkeys(found))


def ratio_measures(comparison: PairedRuns) -> list[str]:
    """Returns the tested measures whose number is a ratio of sums over all queries."""
    found = (contrast_label(one) for one in comparison.contrasts if one.tested and is_ratio(one))
    return list(dict.fromkeys(found))


def always_valid_rules(comparison: PairedRuns, language: Language) -> list[str]:
    """Returns the conditions of always-valid tests, and of which measures they are asymptotic."""
    if not comparison.settings.always_valid:
        return []
    words = catalogue("tables", language)
    found = (contrast_label(one) for one in comparison.contrasts if one.test == "asymptotic")
    labels = list(dict.fromkeys(found))
    said = [words["comparison.anytime"]]
    if labels:
        said.append(words.say("comparison.asymptotic", measures=labels))
    return said


def quotient_measures(comparison: PairedRuns) -> list[str]:
    """Returns the ratios without a limit, whose interval is that of the quotient of the runs."""
    found = (contrast_label(one) for one in comparison.contrasts if one.tested and one.share)
    return list(dict.fromkeys(found))


def superscript_legend(
    comparison: PairedRuns,
    language: Language = "en",
    *,
    of: Literal["some", "none"] = "some",
    bold: Literal["best", "none"] = "best",
) -> str:
    """Returns the legend of bold numbers and superscripts.

    Args:
        comparison: The comparison.
        language: `en` or `zh`.
        of: Whether the table has superscripts.
        bold: Whether the best numbers are bold.
    """
    words = catalogue("tables", language)
    settings = comparison.settings
    corrected = bool(comparison.corrected) and not comparison.pairs
    how = words.say(
        "comparison.bold_corrected" if corrected else "comparison.bold_rule",
        test=words.name("test", "tukey" if comparison.pairs else settings.test),
        alpha=settings.alpha,
        correction=words.name("correction", settings.correction),
    )
    pooled = pooled_measures(comparison) + ratio_measures(comparison)
    pooled = [] if comparison.pairs else pooled
    if pooled and settings.test in ONE_VALUE_TESTS:
        test = words.name("test", "permutation")
        how = words.say("comparison.bold_pooled", how=how, measures=pooled, test=test)
    key = {"some": "superscripts", "none": "not_significant"}[of]
    sentences = [words["comparison.bold_best"]] if bold == "best" else []
    sentences.append(words.say(f"comparison.{key}", how=how))
    lower = lower_measures(comparison)
    if lower:
        labels = list(map(measure_label, lower))
        sentences.append(words.say("comparison.bold_lower", measures=labels))
    return catalogue("common", language)["list.sentence"].join(sentences)
