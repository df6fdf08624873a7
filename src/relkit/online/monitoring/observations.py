"""What is worth knowing about rounds before their numbers are believed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from relkit.core.notes import Note
from relkit.data.convention import Convention
from relkit.online.monitoring.points import ALL, Point
from relkit.online.monitoring.rounds import Round
from relkit.online.monitoring.wording import STYLE, percent

__all__ = ["COVERED", "observe"]

#: Below this share of judged results, and from this fall of it on, numbers may be about judging.
COVERED = 0.8
COVERAGE_FALL = 0.05
#: From this share of queries on that changed their tier, tiers are not the same any more.
MOVED = 0.1
#: From this share of grades on that changed between two months, graders may have changed.
REGRADED = 0.1


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
        *_gradings(rounds),
        *_tiers(rounds, depths),
    ]
    notes += _coverage(rounds, points)
    if len(rounds) > 1:
        notes += _pair(rounds[-2], rounds[-1])
    return notes


def _calendar(rounds: Sequence[Round]) -> Iterator[Note]:
    missing = []
    for before, after in pairwise(rounds):
        month = _next(before.month)
        while month < after.month:
            missing.append(month)
            month = _next(month)
    if missing:
        count = len(missing)
        yield Note(
            "missing-months",
            f"{count} month{' has' if count == 1 else 's have'} no round: changes are those since"
            " the round before",
            count,
            examples=tuple(missing[:3]),
        )
    if len(rounds) == 1:
        yield Note("one-round", "there is one round: nothing to compare it with")


def _next(month: str) -> str:
    year, number = int(month[:4]), int(month[5:])
    return f"{year + number // 12:04}-{number % 12 + 1:02}"


def _rules(rounds: Sequence[Round], convention: Convention, explicit: bool) -> Iterator[Note]:
    others = [one.month for one in rounds if one.convention != convention]
    if others:
        whose = "those asked for" if explicit else "the last round's"
        yield Note(
            "rules-differ",
            f"{len(others)} round{' was' if len(others) == 1 else 's were'} made under other rules"
            f" than {whose}, under which all are computed anew",
            len(others),
            "info" if explicit else "warning",
            tuple(others[:3]),
        )


def _gradings(rounds: Sequence[Round]) -> Iterator[Note]:
    """How several judges' grades became one, where the rounds know."""
    months: dict[str, list[str]] = {}
    for one in rounds:
        if one.grading:
            months.setdefault(one.grading, []).append(one.month)
    if len(months) > 1:
        told = ", ".join(f"{rule} ({', '.join(found[:3])})" for rule, found in months.items())
        yield Note(
            "gradings-differ",
            f"several judges' grades became one by different rules: {told}; a fall or a rise may be"
            " that of the rule",
            level="warning",
            values={"told": told},
        )
    elif months:
        (rule,) = months
        yield Note(
            "grading", f"several judges' grades became one by: {rule}", values={"rule": rule}
        )


def _tiers(rounds: Sequence[Round], depths: Mapping[str, int]) -> Iterator[Note]:
    last = rounds[-1]
    for one in rounds[:-1]:
        if set(one.tiers) != set(last.tiers):
            yield Note(
                "tiers-differ",
                f"{one.month} has the tiers {', '.join(one.tiers)} and {last.month}"
                f" {', '.join(last.tiers)}: only those of both are compared",
                level="warning",
                values={
                    "month": one.month,
                    "tiers": "、".join(one.tiers),
                    "last": last.month,
                    "last_tiers": "、".join(last.tiers),
                },
            )
        for tier in one.tiers:
            if tier in depths and one.deepest(tier) < depths[tier]:
                yield Note(
                    "shallow-round",
                    f"{one.month} holds results of {tier} down to {one.deepest(tier)} only, which"
                    f" is less than {depths[tier]}: it has no value of its own there",
                    level="warning",
                    values={
                        "month": one.month,
                        "tier": tier,
                        "deepest": str(one.deepest(tier)),
                        "k": str(depths[tier]),
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
                f"{one.tier}: {one.left_out:,} of {one.sampled:,} sampled sessions are left out:"
                " none of their results is judged",
                one.left_out,
                "warning",
                values={"tier": one.tier, "sampled": f"{one.sampled:,}"},
            )
        if one.judged < COVERED:
            yield Note(
                "low-coverage",
                f"{one.tier}: {percent(one.judged)} of the first {one.k} results are judged; the"
                " others count as worth nothing",
                level="warning",
                values={"tier": one.tier, "judged": percent(one.judged), "k": str(one.k)},
            )
        before = earlier.get((one.tier, one.depth))
        if before is not None and before.judged - one.judged > COVERAGE_FALL:
            yield Note(
                "coverage-fell",
                f"{one.tier}: judged@{one.k} fell from {percent(before.judged)} to"
                f" {percent(one.judged)}: part of a fall of DCG may be that less is judged",
                level="warning",
                values={
                    "tier": one.tier,
                    "k": str(one.k),
                    "before": percent(before.judged),
                    "after": percent(one.judged),
                },
            )


def _pair(before: Round, after: Round) -> Iterator[Note]:
    sessions = set(before.sample.sessions["session"]) & set(after.sample.sessions["session"])
    if sessions:
        yield Note(
            "same-sessions",
            f"{len(sessions):,} sampled sessions are in both {before.month} and {after.month}: is"
            " it the same log? The test takes months for independent",
            len(sessions),
            "warning",
            tuple(sorted(sessions)[:3]),
            {"before": before.month, "after": after.month},
        )
    tiers = [
        dict(one.sample.sessions.select("query", "tier").iter_rows()) for one in (before, after)
    ]
    both = sorted(tiers[0].keys() & tiers[1].keys())
    others = [query for query in both if tiers[0][query] != tiers[1][query]]
    if others and len(others) >= MOVED * len(both):
        yield Note(
            "queries-moved",
            f"{len(others):,} of {len(both):,} queries sampled in both months are in another tier"
            " now: a tier's change may be that of its queries, which all tiers together do not"
            " see",
            len(others),
            "info",
            tuple(others[:3]),
            {"both": f"{len(both):,}"},
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
            f"{changed:,} of {shared:,} documents that were graded in both months have another"
            f" grade now, by {STYLE.signed(moved / changed)} on average: the graders changed, not"
            " only the search",
            changed,
            "warning",
            tuple(examples[:3]),
            {"shared": f"{shared:,}", "mean": STYLE.signed(moved / changed)},
        )
