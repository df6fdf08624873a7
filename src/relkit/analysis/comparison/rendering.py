"""A comparison as text: tables for the terminal, Markdown, LaTeX and HTML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relkit.core.rendering.text import fold, markdown_lines, wrap
from relkit.core.texts.numbers import DIGITS, TERMINAL
from relkit.io.cells import Cell, csv_frame, csv_text
from relkit.measures.labels import convention_line, detail_names, measure_label

if TYPE_CHECKING:
    from relkit.analysis.comparison import Comparison, Contrast

__all__ = ["csv", "html", "latex", "markdown", "table"]

SIGNS = {"better": "▲", "worse": "▼", "undecided": "·", "described": ""}
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


number, signed, p_value = TERMINAL.number, TERMINAL.signed, TERMINAL.p_value


def _percent(share: float) -> str:
    return f"{100 * share:g} %"


def _label(one: Contrast) -> str:
    return measure_label(one.measure, one.average, one.definition)


def beside(one: Contrast) -> list[tuple[str, float, float]]:
    """Returns what stands below a contrast: its name, the baseline's and the candidate's number."""
    names = detail_names(one.measure, one.baseline_details, one.definition)
    return [
        (name, one.baseline_details[name], one.candidate_details[name])
        for name in ("strict", "random")
        if name in names and name in one.candidate_details
    ]


def _difference(first: float, second: float) -> float:
    return 0.0 if first == second else second - first


def _contrast_rows(
    contrasts: Sequence[Contrast], comparison: Comparison, digits: int
) -> tuple[list[str], list[list[str]]]:
    headings = ["measure", "A", "B", "B - A", f"{_percent(comparison.confidence)} interval", "p"]
    if comparison.corrected:
        headings.append("corrected")
    rows = []
    for one in contrasts:
        row = [
            _label(one),
            number(one.baseline_mean, digits),
            number(one.candidate_mean, digits),
            signed(one.difference, digits),
            TERMINAL.signed_interval(one.interval, digits) if one.tested else "",
            p_value(one.p, digits) if one.tested else "",
        ]
        if comparison.corrected:
            row.append(p_value(one.p_adjusted, digits) if one.tested else "")
        rows.append([*row, SIGNS[one.verdict]])
        for name, first, second in beside(one):
            numbers = number(first, digits), number(second, digits)
            row = [f"  {name}", *numbers, signed(_difference(first, second), digits)]
            rows.append([*row, *[""] * (len(headings) + 1 - len(row))])
    return [*headings, ""], rows


def _detail_rows(contrasts: Sequence[Contrast], digits: int) -> tuple[list[str], list[list[str]]]:
    headings = ["measure", "queries", "wins", "ties", "losses", "d_z", "detectable", "needed"]
    rows = [
        [
            _label(one),
            f"{one.queries:,}",
            f"{one.wins:,}",
            f"{one.ties:,}",
            f"{one.losses:,}",
            signed(one.effect_size, 2),
            number(one.detectable, digits),
            f"{one.queries_needed:,}" if one.queries_needed else "-",
        ]
        for one in contrasts
        if one.tested
    ]
    return headings, rows


def _pair_rows(comparison: Comparison, digits: int) -> tuple[list[str], list[list[str]]]:
    headings = ["measure", "runs", "difference", "p (Tukey)", "effect size"]
    rows = [
        [
            measure_label(one.measure),
            f"{one.second} - {one.first}",
            signed(one.difference, digits),
            p_value(one.p, digits),
            signed(one.effect_size, 2),
        ]
        for one in comparison.pairs
    ]
    return headings, rows


def _of(comparison: Comparison, candidate: str) -> list[Contrast]:
    return [one for one in comparison.contrasts if one.candidate == candidate]


def _query_rows(
    comparison: Comparison, candidate: str, digits: int
) -> tuple[list[str], list[list[str]]]:
    columns = [comparison.deltas(candidate, measure) for measure in comparison.measures]
    queries = sorted(set().union(*columns))
    nothing = math.nan
    rows = [
        [query, *(signed(column.get(query, nothing), digits) for column in columns)]
        for query in queries
    ]
    return ["query", *map(measure_label, comparison.measures)], rows


def _queries_line(comparison: Comparison, candidate: str, digits: int, shown: int = 3) -> list[str]:
    """Names the queries that gained and lost most on the first measure that is tested."""
    measure = comparison.focus
    deltas = sorted(comparison.deltas(candidate, measure).items(), key=lambda item: -item[1])
    gained = [item for item in deltas[:shown] if item[1] > 0]
    lost = [item for item in reversed(deltas[-shown:]) if item[1] < 0]
    lines = []
    for word, found in (("gained", gained), ("lost", lost)):
        if found:
            text = ", ".join(f"{query} {signed(value, digits)}" for query, value in found)
            lines += wrap(f"{word} most on {measure}: {text}", 80, "  ")
    return lines


def legend(comparison: Comparison) -> str:
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
        labels = [_label(comparison.contrast(comparison.candidates[0], one)) for one in described]
        text += f". Not tested, as they describe the data and not quality: {', '.join(labels)}"
    return text


def pooled_measures(comparison: Comparison) -> list[str]:
    """Returns the measures whose number is formed anew from whole queries."""
    from relkit.measures.names import measure

    found = []
    for one in comparison.contrasts:
        if one.average == "micro" and measure(one.measure).combine == "pooled":
            found.append(_label(one))
    return list(dict.fromkeys(found))


def table(
    comparison: Comparison,
    *,
    digits: int = DIGITS,
    columns: int | None = None,
    per_query: bool = False,
) -> str:
    """Returns tables for the terminal.

    Args:
        comparison: What to show.
        digits: Decimals.
        columns: Terminal columns a line may take; `None` never folds.
        per_query: Puts a table of the queries' differences before the others; without it, the
            queries that gained and lost most on the first measure are named.
    """
    lines: list[str] = []
    for candidate in comparison.candidates:
        lines += wrap(f"A = {comparison.baseline}, B = {candidate}", 80, "  ")
        if per_query:
            headings, rows = _query_rows(comparison, candidate, digits)
            lines += ["", *fold(headings, rows, 1, columns)]
        contrasts = _of(comparison, candidate)
        headings, rows = _contrast_rows(contrasts, comparison, digits)
        lines += ["", *fold(headings, rows, 1, columns), ""]
        headings, rows = _detail_rows(contrasts, digits)
        lines += [*fold(headings, rows, 1, columns), ""] if rows else []
        found = [] if per_query else _queries_line(comparison, candidate, digits)
        lines += [*found, ""] if found else []
    if comparison.pairs:
        headings, rows = _pair_rows(comparison, digits)
        lines += ["all pairs of runs", "", *fold(headings, rows, 2, columns), ""]
    lines += wrap(legend(comparison), 80, "  ")
    if comparison.convention is not None:
        lines += wrap(convention_line(comparison.convention, comparison.measures), 80, "  ")
    return "\n".join(lines)


def _superscripts(comparison: Comparison) -> dict[tuple[str, str], str]:
    """Returns, by run and measure, letters of the runs that it is really better than."""
    letters = {name: chr(ord("a") + place % 26) for place, name in enumerate(comparison.runs)}
    alpha = comparison.alpha
    found: dict[tuple[str, str], str] = {}

    def add(measure: str, lower: str, higher: str) -> None:
        key = (higher, measure)
        found[key] = "".join(sorted(found.get(key, "") + letters[lower]))

    if comparison.pairs:
        for pair in comparison.pairs:
            if pair.p <= alpha and pair.difference:
                ends = (pair.first, pair.second)
                lower, higher = ends if pair.difference > 0 else ends[::-1]
                add(pair.measure, lower, higher)
    else:
        for one in comparison.contrasts:
            if one.verdict == "better":
                add(one.measure, one.baseline, one.candidate)
            elif one.verdict == "worse":
                add(one.measure, one.candidate, one.baseline)
    return found


def _matrix(comparison: Comparison) -> dict[tuple[str, str], float]:
    """Returns the number of every run and measure over the paired queries."""
    found: dict[tuple[str, str], float] = {}
    for one in comparison.contrasts:
        found.setdefault((one.baseline, one.measure), one.baseline_mean)
        found[(one.candidate, one.measure)] = one.candidate_mean
    return found


def _best(comparison: Comparison, values: dict[tuple[str, str], float]) -> dict[str, float]:
    """Returns each tested measure's highest number, NaN where no run has one."""
    columns = {
        measure: [values[run, measure] for run in comparison.runs] for measure in comparison.tested
    }
    return {
        measure: max((value for value in column if not math.isnan(value)), default=math.nan)
        for measure, column in columns.items()
    }


def _superscript_legend(comparison: Comparison) -> str:
    if comparison.pairs:
        how = f"{TESTS['tukey']}, p ≤ {comparison.alpha:g}"
    else:
        how = f"{TESTS[comparison.test]}, p ≤ {comparison.alpha:g}"
        if comparison.corrected:
            how += f" after {CORRECTIONS[comparison.correction]}"
        pooled = pooled_measures(comparison)
        if pooled and comparison.test in ONE_VALUE_TESTS:
            how += f"; {', '.join(pooled)}: {TESTS['permutation']} of whole queries"
    return f"Bold: the best. Superscripts: really better than that run ({how})."


def markdown(comparison: Comparison, *, digits: int = DIGITS) -> str:
    """Returns Markdown: runs by measures, then every contrast, then all pairs."""
    values, marks = _matrix(comparison), _superscripts(comparison)
    best = _best(comparison, values)
    rows = []
    for place, run in enumerate(comparison.runs):
        row = [chr(ord("a") + place % 26), run]
        for measure in comparison.measures:
            value = values[run, measure]
            text = number(value, digits)
            text = f"**{text}**" if value == best.get(measure) else text
            above = marks.get((run, measure), "")
            row.append(text + (f"<sup>{above}</sup>" if above else ""))
        rows.append(row)
    measures = _measure_labels(comparison)
    blocks = ["\n".join(markdown_lines(["", "run", *measures], rows, 2))]
    blocks += [_superscript_legend(comparison)] if comparison.tested else []
    for candidate in comparison.candidates:
        contrasts = _of(comparison, candidate)
        blocks.append(f"A = {comparison.baseline}, B = {candidate}")
        for headings, cells in (
            _contrast_rows(contrasts, comparison, digits),
            _detail_rows(contrasts, digits),
        ):
            blocks += ["\n".join(markdown_lines(headings, cells))] if cells else []
    if comparison.pairs:
        blocks.append("All pairs of runs")
        blocks.append("\n".join(markdown_lines(*_pair_rows(comparison, digits), 2)))
    return "\n\n".join([*blocks, legend(comparison)])


def _measure_labels(comparison: Comparison) -> list[str]:
    labels = {one.measure: _label(one) for one in comparison.contrasts}
    return [labels.get(name, name) for name in comparison.measures]


def _besides(comparison: Comparison, digits: int) -> str:
    """Returns the strict and random values of measures of pairs, as sentences."""
    sentences: dict[str, str] = {}
    for one in comparison.contrasts:
        said = [
            f"{name} {number(first, digits)} and {number(second, digits)}"
            for name, first, second in beside(one)
        ]
        if said:
            runs = f"{one.baseline} and {one.candidate}"
            sentences[f"{_label(one)} of {runs}"] = ", ".join(said)
    return "".join(f" {subject}: {text}." for subject, text in sentences.items())


LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "≤": r"$\le$",
}


def _latex_text(text: str) -> str:
    return "".join(LATEX.get(sign, sign) for sign in text)


def latex(comparison: Comparison, *, digits: int = DIGITS) -> str:
    """Returns a LaTeX table for the package booktabs: runs by measures."""
    values, marks = _matrix(comparison), _superscripts(comparison)
    best = _best(comparison, values)
    caption = _superscript_legend(comparison) + _besides(comparison, digits)
    names = [_latex_text(measure) for measure in _measure_labels(comparison)]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex_text(caption)}}}",
        rf"\begin{{tabular}}{{ll{'r' * len(names)}}}",
        r"\toprule",
        " & ".join(["", "run", *names]) + r" \\",
        r"\midrule",
    ]
    for place, run in enumerate(comparison.runs):
        row = [chr(ord("a") + place % 26), _latex_text(run)]
        for measure in comparison.measures:
            text = number(values[run, measure], digits)
            if values[run, measure] == best.get(measure):
                text = rf"\textbf{{{text}}}"
            above = marks.get((run, measure), "")
            row.append(text + (rf"\textsuperscript{{{above}}}" if above else ""))
        lines.append(" & ".join(row) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}"])


def csv(comparison: Comparison, *, per_query: bool = False) -> str:
    """Returns CSV: one row a contrast, or a candidate, query and measure; values in full."""
    if not per_query:
        return csv_frame(comparison.to_frame()).rstrip("\n")
    rows: list[Sequence[Cell]] = [["candidate", "query", "measure", "difference"]]
    for candidate in comparison.candidates:
        for measure in comparison.measures:
            for query, value in comparison.deltas(candidate, measure).items():
                rows.append([candidate, query, measure, value])
    return csv_text(rows).rstrip("\n")


def html(comparison: Comparison, *, digits: int = DIGITS) -> str:
    """Returns HTML tables, one a candidate."""
    from html import escape

    blocks = []
    for candidate in comparison.candidates:
        headings, rows = _contrast_rows(_of(comparison, candidate), comparison, digits)
        head = "".join(f"<th>{escape(text)}</th>" for text in headings)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows
        )
        title = escape(f"A = {comparison.baseline}, B = {candidate}")
        blocks.append(
            f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )
    return "".join(blocks) + f"<p>{escape(legend(comparison))}</p>"
