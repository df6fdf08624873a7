"""What the signs in a comparison's tables mean."""

from __future__ import annotations

from relkit.analysis.comparison.compared import Compared, contrast_label

__all__ = ["ONE_VALUE_TESTS", "legend", "pooled_measures", "superscript_legend"]

TESTS = {
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign": "sign test",
    "permutation": "Fisher's randomisation test",
    "bootstrap": "paired bootstrap test",
    "tukey": "randomised Tukey HSD test",
}
#: Tests of one value a query.
ONE_VALUE_TESTS = ("t", "wilcoxon", "sign")
INTERVALS = {"t": "t", "percentile": "percentile bootstrap", "bca": "BCa bootstrap"}
CORRECTIONS = {"holm": "Holm", "bh": "Benjamini–Hochberg", "none": "uncorrected"}


def legend(comparison: Compared) -> str:
    """Returns what the signs mean, and by which test, correction and intervals."""
    settings = comparison.settings
    real = f"p ≤ {settings.alpha:g}"
    if comparison.corrected:
        real += f" after {CORRECTIONS[settings.correction]} over {comparison.corrected} "
        real += "measures" if settings.test == "tukey" else "comparisons"
    text = (
        f"▲ better, ▼ worse ({TESTS[settings.test]}, {real}), · undecided;"
        f" {INTERVALS[settings.interval]} intervals"
    )
    pooled = pooled_measures(comparison)
    drawn = {"permutation", "bootstrap", "tukey"}
    if settings.test in drawn or settings.interval != "t" or pooled:
        text += f"; {settings.resamples:,} resamples, seed {settings.seed}"
    if pooled:
        text += (
            f". {', '.join(pooled)}: pairs are formed across queries, so no query has a value of"
            " its own"
        )
        if settings.test in ONE_VALUE_TESTS:
            text += f" and the {TESTS[settings.test]} cannot be used: p is that of Fisher's"
            text += " randomisation test, which swaps whole queries between the runs"
        text += "; the interval comes from drawing whole queries"
    described = [name for name in comparison.measures if name not in comparison.tested]
    if described:
        labels = dict.fromkeys(
            contrast_label(one) for one in comparison.contrasts if one.measure in described
        )
        text += f". Not tested, as they describe the data and not quality: {', '.join(labels)}"
    return text


def pooled_measures(comparison: Compared) -> list[str]:
    """Returns the measures whose number is formed anew from whole queries."""
    from relkit.measures.names import measure

    found = []
    for one in comparison.contrasts:
        if one.average == "micro" and measure(one.measure).combine == "pooled":
            found.append(contrast_label(one))
    return list(dict.fromkeys(found))


def superscript_legend(comparison: Compared) -> str:
    """Returns what bold numbers and the letters above them mean."""
    settings = comparison.settings
    if comparison.pairs:
        how = f"{TESTS['tukey']}, p ≤ {settings.alpha:g}"
    else:
        how = f"{TESTS[settings.test]}, p ≤ {settings.alpha:g}"
        if comparison.corrected:
            how += f" after {CORRECTIONS[settings.correction]}"
        pooled = pooled_measures(comparison)
        if pooled and settings.test in ONE_VALUE_TESTS:
            how += f"; {', '.join(pooled)}: {TESTS['permutation']} of whole queries"
    return f"Bold: the best. Superscripts: really better than that run ({how})."
