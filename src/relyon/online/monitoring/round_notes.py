"""Notes about rounds: sampling, grading and rules that affect their comparison."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from relyon.core.notes import Note
from relyon.core.texts import Text
from relyon.data.convention import Convention
from relyon.data.input_fingerprints import scale_fingerprint
from relyon.online.monitoring.points import ALL, Point
from relyon.online.monitoring.rounds import Round

__all__ = ["COVERED", "observe"]

#: Below this share of judged results, and from this fall of it on, numbers may be about judging.
COVERED = 0.8
#: From this difference on, the weight of a tier in the mean of all is not its share of the traffic.
WEIGHT_SHIFT = 0.02
COVERAGE_FALL = 0.05
#: From this share of queries on that changed their tier, tiers are not the same any more.
MOVED = 0.1
#: From this share of grades on that changed between two months, graders may have changed.
REGRADED = 0.1
#: Highest grades of two months that differ by more than this factor are of two scales; with fewer
#: grades, the highest of a scale may be missing by chance.
SCALE_FACTOR = 2.0
LEAST_GRADES = 20


def observe(
    rounds: Sequence[Round],
    points: Sequence[Point],
    depths: Mapping[str, int],
    convention: Convention,
    *,
    explicit: bool,
) -> list[Note]:
    """Returns notes about the rounds, those about the last months only where it matters now.

    Args:
        rounds: The earliest first.
        points: Those of all months.
        depths: Ranks that count, by tier.
        convention: The rules.
        explicit: Whether the caller chose the rules.
    """
    notes = [
        *_calendar(rounds),
        *_rules(rounds, convention, explicit),
        *_scales(rounds),
        *_gradings(rounds),
        *_bots(rounds),
        *_tiers(rounds, depths),
    ]
    notes += [*_coverage(rounds, points), *_weights(rounds[-1].month, points)]
    for before in rounds[:-1]:
        notes += _again(before, rounds[-1])
    if len(rounds) > 1:
        notes += [*_ranges(rounds[-2], rounds[-1]), *_pair(rounds[-2], rounds[-1])]
    return notes


def _calendar(rounds: Sequence[Round]) -> Iterator[Note]:
    missing = []
    for before, after in pairwise(rounds):
        month = _next(before.month)
        while month < after.month:
            missing.append(month)
            month = _next(month)
    if missing:
        yield Note("missing-months", len(missing), examples=tuple(missing[:3]))
    if len(rounds) == 1:
        yield Note("one-round")


def _next(month: str) -> str:
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12:04}-{number % 12 + 1:02}"


def _rules(rounds: Sequence[Round], convention: Convention, explicit: bool) -> Iterator[Note]:
    others = [one.month for one in rounds if one.convention != convention]
    if others:
        yield Note(
            "rules-differ",
            len(others),
            "info" if explicit else "warning",
            tuple(others[:3]),
            key="rules-differ.asked" if explicit else "rules-differ.last",
        )


def _scales(rounds: Sequence[Round]) -> Iterator[Note]:
    """Yields a note if rounds were graded on scales of other grades or gains than the last one."""
    last = scale_fingerprint(rounds[-1].judgments.scale)
    found = [(one.month, scale_fingerprint(one.judgments.scale)) for one in rounds]
    others = [month for month, scale in found if scale != last and None not in (scale, last)]
    if others:
        values = {"last": rounds[-1].month}
        yield Note("scales-differ", len(others), "warning", tuple(others[:3]), values)


def _gradings(rounds: Sequence[Round]) -> Iterator[Note]:
    """Yields a note if rounds combine the grades of several judges by different rules."""
    months: dict[str, list[str]] = {}
    for one in rounds:
        if one.grading:
            months.setdefault(one.grading, []).append(one.month)
    if len(months) > 1:
        rules = [
            Text("notes.grading-rule", {"rule": rule, "months": found[:3]})
            for rule, found in months.items()
        ]
        yield Note("gradings-differ", level="warning", values={"rules": rules})
    elif months:
        (rule,) = months
        yield Note("grading", values={"rule": rule})


def _bots(rounds: Sequence[Round]) -> Iterator[Note]:
    """Yields a note if the logs of some rounds contain bots, and those of others do not."""
    known = [one for one in rounds if one.sample.origin.bots is not None]
    found = [one.month for one in known if one.sample.origin.bots]
    free = [one.month for one in known if not one.sample.origin.bots]
    if found and free:
        yield Note(
            "bots-differ", len(found), "warning", values={"with": found[:3], "without": free[:3]}
        )


def _tiers(rounds: Sequence[Round], depths: Mapping[str, int]) -> Iterator[Note]:
    last = rounds[-1]
    for one in rounds[:-1]:
        if set(one.tiers) != set(last.tiers):
            yield Note(
                "tiers-differ",
                level="warning",
                values={
                    "month": one.month,
                    "tiers": list(one.tiers),
                    "last": last.month,
                    "last_tiers": list(last.tiers),
                },
            )
        for tier in one.tiers:
            if tier in depths and one.deepest(tier) < depths[tier]:
                yield Note(
                    "shallow-round",
                    level="warning",
                    values={
                        "month": one.month,
                        "tier": tier,
                        "deepest": one.deepest(tier),
                        "k": depths[tier],
                    },
                )


def _coverage(rounds: Sequence[Round], points: Sequence[Point]) -> Iterator[Note]:
    last = rounds[-1].month
    earlier = {
        (one.tier, one.depth): one
        for one in points
        if len(rounds) > 1 and one.month == rounds[-2].month
    }
    for one in points:
        if one.month != last or (one.tier == ALL) or one.depth != "tier":
            continue
        if one.left_out:
            yield Note(
                "unjudged-sessions",
                one.left_out,
                "warning",
                values={"tier": one.tier, "sampled": one.sampled},
            )
        if one.dcg.standard_error == 0 and math.isnan(one.dcg.interval[0]):
            yield Note(
                "equal-sample",
                level="warning",
                values={"tier": one.tier, "sampled": one.dcg.sampled},
            )
        if one.judged < COVERED:
            yield Note(
                "low-coverage",
                level="warning",
                values={"tier": one.tier, "judged": one.judged, "k": one.k},
            )
        before = earlier.get((one.tier, one.depth))
        if before is not None and before.judged - one.judged > COVERAGE_FALL:
            yield Note(
                "coverage-fell",
                level="warning",
                values={
                    "tier": one.tier,
                    "k": one.k,
                    "before": before.judged,
                    "after": one.judged,
                },
            )


def _weights(month: str, points: Sequence[Point]) -> Iterator[Note]:
    """Yields notes if sessions left out move the weights of tiers in the mean of all of them.

    The mean of all tiers is that of the sessions that have a value, as if those without one were
    like them in every tier. If tiers differ both in their values and in how many of
    their sessions have none, this is not the mean that the traffic would give.

    Args:
        month: The last month.
        points: Those of all months.
    """
    common = [one for one in points if one.month == month and one.depth == "common"]
    tiers = [one for one in common if one.tier != ALL]
    kept = {one.tier: one.share * (1 - one.left_out / one.sampled) for one in tiers if one.sampled}
    total = sum(kept.values())
    if len(tiers) < 2 or len(kept) < len(tiers) or not total > 0:
        return
    for one in tiers:
        if kept[one.tier] == 0 and one.share > 0:
            yield Note(
                "tier-without-weight",
                level="warning",
                values={"tier": one.tier, "share": one.share},
            )
    moved = max(tiers, key=lambda one: abs(kept[one.tier] / total - one.share))
    weight = kept[moved.tier] / total
    if abs(weight - moved.share) < WEIGHT_SHIFT or min(kept.values()) == 0:
        return
    (whole,) = (one for one in common if one.tier == ALL)
    values: dict[str, object] = {"tier": moved.tier, "weight": weight, "share": moved.share}
    values |= {"measure": f"DCG@{whole.k}", "value": whole.dcg.value}
    values["by_traffic"] = sum(one.share * one.dcg.value for one in tiers)
    yield Note("weights-moved", level="warning", values=values)


def _ranges(before: Round, after: Round) -> Iterator[Note]:
    """Yields a note if the highest grades of two months belong to different scales."""
    highest = [
        max((grade for grades in one.judgments.to_dict().values() for grade in grades.values()),
            default=0.0)
        for one in (before, after)
    ]  # fmt: skip
    enough = min(len(before.judgments), len(after.judgments)) >= LEAST_GRADES
    if enough and max(highest) > SCALE_FACTOR * max(min(highest), 1e-9):
        values: dict[str, object] = {"before": before.month, "after": after.month}
        values |= {"earlier": highest[0], "later": highest[1]}
        yield Note("grade-ranges-differ", level="warning", values=values)


def _again(before: Round, after: Round) -> Iterator[Note]:
    sessions = set(before.sample.sessions["session"]) & set(after.sample.sessions["session"])
    if sessions:
        yield Note(
            "same-sessions",
            len(sessions),
            "warning",
            tuple(sorted(sessions)[:3]),
            {"before": before.month, "after": after.month},
        )


def _pair(before: Round, after: Round) -> Iterator[Note]:
    tiers = [
        dict(one.sample.sessions.select("query", "tier").iter_rows()) for one in (before, after)
    ]
    both = sorted(tiers[0].keys() & tiers[1].keys())
    others = [query for query in both if tiers[0][query] != tiers[1][query]]
    if others and len(others) >= MOVED * len(both):
        yield Note(
            "queries-moved",
            len(others),
            "info",
            tuple(others[:3]),
            {"both": len(both)},
        )
    shared = changed = 0
    moved = 0.0
    examples = []
    old = before.judgments.to_dict()
    for query, grades in after.judgments.to_dict().items():
        for document, grade in grades.items():
            earlier = old.get(query, {}).get(document)
            if earlier is None:
                continue
            shared += 1
            if grade != earlier:
                changed += 1
                moved += grade - earlier
                examples.append(f"{query}: {document}")
    if changed and changed >= REGRADED * shared:
        yield Note(
            "grades-differ",
            changed,
            "warning",
            tuple(examples[:3]),
            {"shared": shared, "mean": moved / changed},
        )
