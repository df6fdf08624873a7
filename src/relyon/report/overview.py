"""The first part of a report: what changed, in sentences, a table and a chart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.analysis.comparison.clusters.texts import cluster_legend
from relyon.analysis.comparison.contrast import gain_sign
from relyon.analysis.comparison.contrast_parts import beside, decimals
from relyon.analysis.comparison.legend import (
    ONE_VALUE_TESTS,
    always_valid_rules,
    lower_measures,
    pooled_measures,
    quotient_measures,
    ratio_measures,
)
from relyon.analysis.comparison.margins.texts import lost_within
from relyon.analysis.comparison.repeats.texts import repeat_tables
from relyon.analysis.comparison.settings import TESTS
from relyon.core.texts.numbers import PAGE
from relyon.measures.display_names import measure_label
from relyon.measures.parser import measure as parse_measure
from relyon.report.catalogue import Catalogue
from relyon.report.clusters import cluster_tables, counted_queries, few_text
from relyon.report.drawings import ForestRow
from relyon.report.margins import margin_legend, margin_meaning
from relyon.report.number_formats import (
    MARKS,
    build_headline,
    kind_of,
    label,
    number,
    p_equation,
    p_value,
    signed,
)
from relyon.report.page import Cell, Chart, Details, Headline, Headlines, Prose, Section, Table
from relyon.report.run_ranks import run_rank_table

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison, Contrast
    from relyon.analysis.comparison.pooled.facts import ShareContrast

__all__ = ["comparison_section", "forest_chart", "lead", "subtitle", "summary_section"]


def lead(comparison: Comparison, texts: Catalogue) -> tuple[str, ...]:
    """Returns the outcome, one paragraph per candidate."""
    return tuple(_outcome(comparison, name, texts) for name in comparison.candidates)


def _outcome(comparison: Comparison, candidate: str, texts: Catalogue) -> str:
    names: dict[str, list[str]] = {name: [] for name in MARKS}
    for one in _of(comparison, candidate):
        if one.tested:
            names[one.verdict].append(label(one.measure))
    values = {"candidate": candidate, "baseline": comparison.baseline}
    better, worse, undecided = (names[key] for key in ("better", "worse", "undecided"))
    shown = [
        texts.say(f"lead.{name}", **values, measures=texts.join(names[name]))
        for name in ("equal", "not-worse")
        if names[name]
    ]
    if not better and not worse and not shown:
        counted = texts.count("count.measures", len(undecided))
        return texts.say("lead.nothing", **values, measures=counted)
    sentences = []
    if better:
        sentences.append(texts.say("lead.better", **values, measures=texts.join(better)))
        if worse:
            sentences.append(texts.say("lead.worse", measures=texts.join(worse)))
        elif not undecided:
            sentences.append(texts.say("lead.none_worse"))
    elif worse:
        sentences.append(texts.say("lead.only_worse", **values, measures=texts.join(worse)))
    sentences += shown
    if undecided:
        sentences.append(texts.say("lead.undecided", measures=texts.join(undecided)))
    return texts.say("list.sentence").join(sentences)


def subtitle(comparison: Comparison, texts: Catalogue) -> str:
    """Returns how many queries and measures were compared, and by which test."""
    queries = max((one.queries for one in comparison.contrasts), default=0)
    key = "page.subtitle" if comparison.corrected else "page.subtitle_single"
    return texts.say(
        key,
        queries=counted_queries(comparison, queries, texts),
        measures=texts.count("count.measures", len(comparison.tested)),
        test=texts.say(f"test.{comparison.test}"),
        correction=texts.say(f"correction.{comparison.correction}"),
        alpha=f"{comparison.alpha:g}",
    )


def summary_section(comparison: Comparison, texts: Catalogue) -> Section:
    """Returns one sentence per measure and candidate, and the intervals as a chart."""
    blocks: list[Headlines | Chart] = []
    for candidate in comparison.candidates:
        contrasts = _of(comparison, candidate)
        title = ""
        if len(comparison.candidates) > 1:
            title = texts.say("headline.title", candidate=candidate, baseline=comparison.baseline)
        digits = max(map(_digits, contrasts), default=3)
        sentences = tuple(headline(one, comparison, texts, digits) for one in contrasts)
        blocks.append(Headlines(title, sentences))
    return Section("summary", texts.say("section.summary"), tuple(blocks))


def _digits(one: Contrast) -> int:
    """Returns the decimals needed to show a difference; a list uses its maximum."""
    return 3 if not one.difference or not abs(one.difference) < 0.0095 else 4


def headline(one: Contrast, comparison: Comparison, texts: Catalogue, digits: int) -> Headline:
    """Returns one contrast as a sentence that claims no more than the test allows."""
    places = decimals(one, digits)
    before, after = number(one.baseline_mean, places), number(one.candidate_mean, places)
    if not one.tested:
        evidence = texts.say("headline.described", difference=signed(one.difference, places))
        told = label(one.measure), f"{before} → {after}", evidence
        return build_headline(*told, _told(one, texts), one.verdict, texts)
    low, high = one.interval
    p = p_equation(one.p_adjusted)
    if comparison.corrected:
        p = texts.say("headline.corrected", p=p)
    values = {
        "difference": signed(one.difference, places),
        "confidence": texts.percent(comparison.confidence),
        "low": signed(low, digits),
        "high": signed(high, digits),
        "p": p,
    }
    held = not (math.isnan(low) or math.isnan(high))
    evidence = texts.say("headline.evidence" if held else "headline.evidence_no_interval", **values)
    if one.share is not None:
        evidence = texts.say(
            "headline.share", share=_share(one.share, comparison, texts, digits), evidence=evidence
        )
    if one.verdict == "undecided":
        known = math.isfinite(one.detectable) and one.detectable > 0
        key = "headline.undecided" if known else "headline.undecided_plain"
        meaning = texts.say(key, detectable=number(one.detectable, digits))
        if one.no_interval == "unchanged":
            most = texts.percent(min(3 / one.units, 1.0))
            meaning = texts.say("headline.unchanged", queries=one.queries, most=most)
        elif one.dominant is not None:
            found = one.dominant
            meaning = texts.say(
                "headline.dominated",
                query=found.query,
                share=texts.percent(found.share),
                difference=signed(found.difference, digits),
                low=signed(found.interval[0], digits),
                high=signed(found.interval[1], digits),
            )
        if one.few:
            meaning = few_text(one, texts)
        elif one.p <= comparison.alpha < one.p_adjusted:
            alone = p_equation(one.p)
            count = comparison.corrected
            meaning = texts.say("headline.undecided_corrected", p=alone, count=count)
    elif one.margin is not None and one.verdict in {"not-worse", "equal"}:
        meaning = margin_meaning(one, one.margin, comparison, texts, digits)
    else:
        kind = kind_of(one.measure)
        if kind == "other" and gain_sign(one.measure) < 0:
            kind = "lower"
        meaning = texts.say(f"meaning.{kind}.{one.verdict}")
        cutoff = getattr(parse_measure(one.measure), "k", None)
        if kind == "coverage" and cutoff is not None:
            meaning = texts.say(f"meaning.within.{one.verdict}", meaning=meaning, k=cutoff)
    if one.margin is not None and one.verdict == "undecided":
        open_margin = margin_meaning(one, one.margin, comparison, texts, digits)
        meaning = texts.say("headline.open_margin", margin=open_margin, meaning=meaning)
    told = label(one.measure), f"{before} → {after}", evidence
    return build_headline(*told, meaning, one.verdict, texts)


def _share(share: ShareContrast, comparison: Comparison, texts: Catalogue, digits: int) -> str:
    """Returns the change of the share of positive pairs, with its interval and p-value."""
    low, high = share.interval
    key = "headline.evidence_no_interval" if math.isnan(low) else "headline.evidence"
    evidence = texts.say(
        key,
        difference=signed(share.difference, digits),
        confidence=texts.percent(comparison.confidence),
        low=signed(low, digits),
        high=signed(high, digits),
        p=p_equation(share.p),
    )
    before, after = number(share.baseline, digits), number(share.candidate, digits)
    return texts.say("headline.of_pairs", before=before, after=after, evidence=evidence)


def _told(one: Contrast, texts: Catalogue) -> str:
    """Returns the meaning of a data measure, and the direction of its change."""
    if kind_of(one.measure) != "judged" or not one.difference:
        return texts.say("meaning.data")
    return texts.say(f"meaning.judged.{'more' if one.difference > 0 else 'fewer'}")


def comparison_section(comparison: Comparison, texts: Catalogue) -> Section:
    """Returns all numbers of all contrasts, candidate by candidate."""
    blocks: list[Table | Chart | Prose | Details] = []
    for candidate in comparison.candidates:
        blocks.append(_table(comparison, candidate, texts))
    for candidate in comparison.candidates:
        blocks += cluster_tables(comparison, _of(comparison, candidate), texts)
        repeats = repeat_tables(comparison, candidate, texts.language, style=PAGE)
        blocks += [*repeats, *(Prose(tuple(one.notes)) for one in repeats if one.notes)]
    blocks.append(Prose((_legend(comparison, texts),)))
    ranks = run_rank_table(comparison, texts)
    blocks += [ranks] if ranks is not None else []
    blocks.append(forest_chart(comparison, texts))
    if comparison.pairs:
        blocks.append(Details(texts.say("comparison.all_pairs"), (_pairs(comparison, texts),)))
    if not comparison.settings.always_valid:  # the other tests are for one look
        tests = tuple(_tests(comparison, candidate, texts) for candidate in comparison.candidates)
        blocks.append(Details(texts.say("comparison.tests"), tests))
    return Section("comparison", texts.say("section.comparison"), tuple(blocks))


def _table(comparison: Comparison, candidate: str, texts: Catalogue) -> Table:
    corrected = bool(comparison.corrected)
    # If all are based on the same number of queries, the page's first lines say so.
    differ = len({one.queries for one in comparison.contrasts if one.tested}) > 1
    headings = [
        texts.say("table.measure"),
        comparison.baseline,
        candidate,
        texts.say("table.difference"),
        texts.say("table.interval", confidence=texts.percent(comparison.confidence)),
        texts.say("table.p"),
        *([texts.say("table.corrected")] if corrected else []),
        texts.say("table.effect"),
        texts.say("table.record"),
        texts.say("table.detectable"),
        texts.say("table.needed"),
        texts.say("table.agree"),
        *([texts.say("table.queries")] if differ else []),
    ]
    rows: list[tuple[Cell | str, ...]] = []
    for one in _of(comparison, candidate):
        places = decimals(one)
        low, high = one.interval
        interval = "–" if math.isnan(low) else f"{signed(low)} … {signed(high)}"
        rows.append(
            (
                measure_label(one.measure, one.average, one.definition),
                number(one.baseline_mean, places),
                number(one.candidate_mean, places),
                Cell(signed(one.difference, places), one.verdict, MARKS[one.verdict]),
                interval,
                p_value(one.p),
                *([p_value(one.p_adjusted)] if corrected else []),
                signed(one.effect_size, 2),
                f"{one.wins:,} / {one.ties:,} / {one.losses:,}" if one.tested else "–",
                number(one.detectable),
                f"{one.queries_needed:,}" if one.queries_needed else "–",
                _agreement(one, comparison.alpha, texts),
                *([f"{one.queries:,}"] if differ else []),
            )
        )
        for name, first, second in beside(one):
            change = second - first if first != second else 0.0
            said = texts.say(f"table.{name}")
            cells: tuple[Cell | str, ...]
            cells = (said, number(first), number(second), signed(change))
            if name == "share" and one.share is not None:
                low, high = one.share.interval
                ends = "–" if math.isnan(low) else f"{signed(low)} … {signed(high)}"
                cells = (*cells, ends, p_value(one.share.p))
            rows.append((*cells, *[""] * (len(headings) - len(cells))))
    caption = texts.say("table.caption", candidate=candidate, baseline=comparison.baseline)
    return Table(tuple(headings), tuple(rows), caption)


def _agreement(one: Contrast, alpha: float, texts: Catalogue) -> str:
    """Returns how many of the other tests agree with the chosen one, before correction."""
    others = [p for name, p in one.p_values.items() if name != one.test and not math.isnan(p)]
    if not others or math.isnan(one.p):
        return "–"
    agree = sum((p <= alpha) == (one.p <= alpha) for p in others)
    key = "table.agree_all" if agree == len(others) else "table.agree_some"
    return texts.say(key, agree=agree, count=len(others))


def _tests(comparison: Comparison, candidate: str, texts: Catalogue) -> Table:
    headings = (texts.say("table.measure"), *(texts.say(f"test.{name}") for name in TESTS))
    rows = tuple(
        (
            measure_label(one.measure, one.average, one.definition),
            *(p_value(one.p_values.get(name, math.nan)) for name in TESTS),
        )
        for one in _of(comparison, candidate)
        if one.tested
    )
    caption = f"{candidate}{texts.say('list.colon')}{texts.say('table.test_caption')}"
    return Table(headings, rows, caption)


def _pairs(comparison: Comparison, texts: Catalogue) -> Table:
    """Returns every pair of runs, by the test that corrects for all of them."""
    headings = (
        texts.say("table.measure"),
        texts.say("table.run"),
        texts.say("table.against"),
        texts.say("table.difference"),
        texts.say("table.p"),
        texts.say("table.residual_effect"),
    )
    rows = tuple(
        (
            measure_label(one.measure),
            one.second,
            one.first,
            signed(one.difference),
            p_value(one.p),
            signed(one.effect_size, 2),
        )
        for one in comparison.pairs
    )
    return Table(headings, rows, texts.say("comparison.pairs"), left=3)


def _legend(comparison: Comparison, texts: Catalogue) -> str:
    alpha = f"{comparison.alpha:g}"
    rule = texts.say("comparison.rule", alpha=alpha)
    if comparison.corrected:
        rule = texts.say(
            "comparison.rule_corrected",
            alpha=alpha,
            correction=texts.say(f"correction.{comparison.correction}"),
            count=comparison.corrected,
        )
    text = texts.say("comparison.legend", test=texts.say(f"test.{comparison.test}"), rule=rule)
    for one in always_valid_rules(comparison, texts.language):
        text += texts.say("list.sentence") + one + texts.say("list.stop")
    pooled = [] if comparison.settings.always_valid else pooled_measures(comparison)
    for kind, measures in (("pooled", pooled), ("ratio", ratio_measures(comparison))):
        if measures:
            test = texts.say(f"test.{comparison.test}")
            key = f"{kind}_instead" if comparison.test in ONE_VALUE_TESTS else kind
            text += texts.say("list.sentence") + texts.say(
                f"comparison.{key}", measures=texts.join(measures), test=test
            )
    if any(one.margin is not None for one in comparison.contrasts):
        text += texts.say("list.sentence") + margin_legend(comparison, texts)
    quotients = quotient_measures(comparison)
    if quotients:
        text += texts.say("list.sentence")
        text += texts.say("comparison.quotient", measures=texts.join(quotients))
    for clusters in cluster_legend(comparison, texts.language, table=True):
        text += texts.say("list.sentence") + clusters + texts.say("list.stop")
    described = [label(name) for name in comparison.measures if name not in comparison.tested]
    if described:
        text += texts.say("list.sentence")
        text += texts.say("comparison.described", measures=texts.join(described))
    lower = list(map(label, lower_measures(comparison)))
    if lower:
        text += texts.say("list.sentence")
        text += texts.say("comparison.lower", measures=texts.join(lower))
    return text


def forest_chart(comparison: Comparison, texts: Catalogue) -> Chart:
    """Returns the difference of every tested measure with its interval, in one unit."""
    several = len(comparison.candidates) > 1
    rows: list[ForestRow] = []
    for one in comparison.contrasts:
        unit = _deviation(comparison, one)
        if not one.tested or not math.isfinite(one.difference) or not unit > 0:
            continue
        low, high = one.interval
        name = measure_label(one.measure, one.average, one.definition)
        name = f"{name} · {one.candidate}" if several else name
        rows.append(
            {
                "name": name,
                "difference": one.difference / unit,
                "low": (one.difference if math.isnan(low) else low) / unit,
                "high": (one.difference if math.isnan(high) else high) / unit,
                "verdict": one.verdict,
                "text": signed(one.difference),
            }
        )
        if one.margin is not None and one.margin.size > 0:
            rows[-1]["margin"] = one.margin.size / unit
        if lost_within(one, comparison.alpha):
            rows[-1]["filled"] = True
    table = Table(
        (
            texts.say("table.measure"),
            texts.say("table.effect"),
            texts.say("table.interval", confidence=texts.percent(comparison.confidence)),
        ),
        tuple(
            (
                row["name"],
                signed(row["difference"], 2),
                "–"
                if row["low"] == row["high"]
                else f"{signed(row['low'], 2)} … {signed(row['high'], 2)}",
            )
            for row in rows
        ),
    )
    caption = texts.say("forest.caption", confidence=texts.percent(comparison.confidence))
    if any("margin" in row for row in rows):
        caption += texts.say("list.sentence") + texts.say("forest.caption_margin")
    drawn = {row["name"] for row in rows}
    whole = [
        measure_label(one.measure, one.average, one.definition)
        for one in comparison.contrasts
        if one.tested and one.average != "macro"
    ]
    whole = [name for name in dict.fromkeys(whole) if any(one.startswith(name) for one in drawn)]
    if whole:
        caption += texts.say("list.sentence")
        caption += texts.say("forest.caption_whole", measures=texts.join(whole))
    lower = list(map(label, lower_measures(comparison)))
    if lower:
        caption += texts.say("list.sentence")
        caption += texts.say("forest.caption_lower", measures=texts.join(lower))
    return Chart(
        drawing="forest",
        title=texts.say("forest.title"),
        caption=caption,
        rows=tuple(rows),
        table=table,
        labels={
            "axis": texts.say("forest.axis"),
            **{key: texts.say(f"table.{key}") for key in ("better", "worse", "undecided")},
        },
    )


def _deviation(comparison: Comparison, one: Contrast) -> float:
    """Returns the standard deviation of a contrast's differences: one unit for all measures."""
    from relyon.analysis.statistics import standard_deviation

    return standard_deviation(comparison.parts_of_difference(one.candidate, one.measure))


def _of(comparison: Comparison, candidate: str) -> Sequence[Contrast]:
    return [one for one in comparison.contrasts if one.candidate == candidate]
