"""Runs by measures: each number, the best in bold, with superscripts for significance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from string import ascii_letters
from typing import TYPE_CHECKING, Literal

from relyon.analysis.comparison.contrast import gain_sign
from relyon.analysis.comparison.contrast_parts import beside, decimals
from relyon.analysis.comparison.legend import superscript_legend
from relyon.analysis.comparison.notes import evidence_notes
from relyon.core.document.latex import render_latex
from relyon.core.document.model import Cell, Table
from relyon.core.texts import Catalogue, Language, catalogue
from relyon.core.texts.numbers import DIGITS, TERMINAL
from relyon.evaluation.measure_tables import counted_caption
from relyon.measures.display_names import measure_label, prose_label

if TYPE_CHECKING:
    from relyon.analysis.comparison.paired_runs import PairedRuns

__all__ = ["evidence_texts", "latex", "matrix"]

number = TERMINAL.number


def matrix(comparison: PairedRuns, *, digits: int = DIGITS, language: Language = "en") -> Table:
    """Returns runs by measures."""
    values, letters = _values(comparison), _superscripts(comparison)
    mixed = _mixed(comparison)
    best = {} if mixed else _best(comparison, values)
    places = {one.measure: decimals(one, digits) for one in reversed(comparison.contrasts)}
    rows: list[list[Cell | str]] = []
    for place, run in enumerate(comparison.runs):
        row: list[Cell | str] = [_letter(place), run] if letters else [run]
        for measure in comparison.measures:
            value = values[run, measure]
            above = letters.get((run, measure), "")
            text = number(value, places.get(measure, digits))
            row.append(Cell(text, strong=value == best.get(measure), above=above))
        rows.append([*row, mixed[run]] if mixed else row)
    of: Literal["some", "none"] = "some" if letters else "none"
    words = catalogue("tables", language)
    bold: Literal["best", "none"] = "none" if mixed else "best"
    notes = (
        [superscript_legend(comparison, language, of=of, bold=bold)] if comparison.tested else []
    )
    names = [words.name("column", "run")]
    names = ["", *names] if letters else names
    last = [words.name("column", "queries")] if mixed else []
    notes += [words.say("comparison.mixed")] if mixed else []
    return Table([*names, *_labels(comparison), *last], rows, left=len(names), notes=notes)


def _mixed(comparison: PairedRuns) -> dict[str, str]:
    """Returns each run's number of queries if the numbers of a measure rest on different queries.

    The baseline's numbers are those over the queries of the first candidate.
    """
    tested = [one for one in comparison.contrasts if one.tested]
    sets: dict[str, set[tuple[str, ...]]] = {}
    counts: dict[str, set[int]] = {}
    for one in tested:
        queries = tuple(comparison.deltas(one.candidate, one.measure))
        sets.setdefault(one.measure, set()).add(queries)
        counts.setdefault(one.candidate, set()).add(one.queries)
    if all(len(found) == 1 for found in sets.values()):
        return {}
    counts[comparison.baseline] = counts[comparison.candidates[0]]
    return {run: "–".join(map(str, sorted({min(c), max(c)}))) for run, c in counts.items()}


def _letter(place: int) -> str:
    """Returns a run's superscript: a to z, A to Z, then a2, b2 and so on."""
    turn, place = divmod(place, len(ascii_letters))
    return f"{ascii_letters[place]}{turn + 1 if turn else ''}"


def _superscripts(comparison: PairedRuns) -> dict[tuple[str, str], str]:
    """Returns, by run and measure, letters of the runs that it is significantly better than."""
    from relyon.analysis.statistics import is_significant

    letters = {name: _letter(place) for place, name in enumerate(comparison.runs)}
    alpha = comparison.settings.alpha
    found: dict[tuple[str, str], list[str]] = {}
    order = {letter: place for place, letter in enumerate(letters.values())}

    def add(measure: str, worse: str, better: str) -> None:
        found.setdefault((better, measure), []).append(letters[worse])

    if comparison.pairs:
        for pair in comparison.pairs:
            if pair.difference and is_significant(pair.units, pair.p, alpha):
                ends = (pair.first, pair.second)
                rises = gain_sign(pair.measure) * pair.difference > 0
                add(pair.measure, *(ends if rises else ends[::-1]))
    else:
        for one in comparison.contrasts:
            if one.verdict == "better":
                add(one.measure, one.baseline, one.candidate)
            elif one.verdict == "worse":
                add(one.measure, one.candidate, one.baseline)
    return {key: "".join(sorted(above, key=order.__getitem__)) for key, above in found.items()}


def _values(comparison: PairedRuns) -> dict[tuple[str, str], float]:
    """Returns the number of every run and measure over the paired queries."""
    found: dict[tuple[str, str], float] = {}
    for one in comparison.contrasts:
        found.setdefault((one.baseline, one.measure), one.baseline_mean)
        found[(one.candidate, one.measure)] = one.candidate_mean
    return found


def _best(comparison: PairedRuns, values: dict[tuple[str, str], float]) -> dict[str, float]:
    """Returns each tested measure's best number, NaN if no run has one."""
    found = {}
    for measure in comparison.tested:
        column = [values[run, measure] for run in comparison.runs]
        known = [value for value in column if not math.isnan(value)]
        best = max if gain_sign(measure) > 0 else min
        found[measure] = best(known, default=math.nan)
    return found


def _labels(
    comparison: PairedRuns, label: Callable[[str, str, str], str] = measure_label
) -> list[str]:
    labels = {
        one.measure: label(one.measure, one.average, one.definition) for one in comparison.contrasts
    }
    return [labels.get(name, name) for name in comparison.measures]


def _besides(comparison: PairedRuns, digits: int, words: Catalogue) -> str:
    """Returns the strict and random values of measures of pairs, as sentences."""
    sentences: dict[tuple[str, str], str] = {}
    for one in comparison.contrasts:
        said = [
            words.say(
                "comparison.beside_one",
                name=words.name("detail", name),
                first=number(first, digits),
                second=number(second, digits),
            )
            for name, first, second in beside(one)
        ]
        if said:
            runs = words.say("comparison.both", first=one.baseline, second=one.candidate)
            label = prose_label(one.measure, one.average, one.definition)
            sentences[label, runs] = words.say(
                "comparison.beside", measure=label, runs=runs, texts=said
            )
    return "".join(sentences.values())


def evidence_texts(comparison: PairedRuns, language: Language) -> list[str]:
    """Returns what the numbers rest on, if it is less than it seems: a table travels alone."""
    return [note.text(language) for note in evidence_notes(comparison.contrasts)]


def latex(comparison: PairedRuns, *, digits: int = DIGITS, language: Language = "en") -> str:
    """Returns a LaTeX table for the package booktabs: runs by measures."""
    table = matrix(comparison, digits=digits, language=language)
    counts = {one.queries for one in comparison.contrasts if one.tested}
    words = catalogue("tables", language)
    first = counted_caption(counts, words)
    said = [f"{first}{one}" for one in table.notes[:1]] or [first]
    said += map(str, table.notes[1:])
    signs = catalogue("common", language)
    said += [text + signs["list.stop"] for text in evidence_texts(comparison, language)]
    caption = signs["list.sentence"].join(said)
    if len(comparison.candidates) == 1:
        caption += _besides(comparison, digits, words)
    headings = [
        *(str(text).capitalize() for text in table.headings[: table.left]),
        *_labels(comparison, prose_label),
        *table.headings[table.left + len(comparison.measures) :],
    ]
    made = replace(table, headings=headings)
    return render_latex(made, caption=caption, label="tab:comparison")
