"""The mean of one run, or the difference of two, from pairs that were drawn and graded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.next_pairs.draw import drawn_probabilities
from relyon.analysis.next_pairs.drawn import DrawnPair, fingerprint
from relyon.analysis.next_pairs.martingale import Graded, Pairs, Sums, estimate_sums
from relyon.analysis.next_pairs.prior import Prior, expect
from relyon.analysis.statistics import student_quantile
from relyon.analysis.statistics.bounded import FEW
from relyon.core.errors import InputError, ParseError
from relyon.core.notes import Note
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.next_pairs.frame import Frame
    from relyon.data.scale import Scale

__all__ = [
    "LEAST_DRAWS",
    "History",
    "Interval",
    "few_queries_notes",
    "history_notes",
    "interval_of",
    "replay",
]

#: Draws from which on there is an interval: coverage is simulated from so many on.
LEAST_DRAWS = 10


@dataclass(frozen=True)
class History:
    """The draws so far, replayed.

    Attributes:
        pairs: All pairs, with the gains known before the first draw.
        batches: The graded draws of each batch that count.
        curve: As for `draw_weights`.
        gains: The gain of each pair that is known now, NaN for the others.
        prior: What is expected of each pair now.
        skipped: The indices of drawn pairs that could not be judged.
        after: Graded pairs that do not count, as a pair drawn before them has no grade.
        waiting: Pairs of the last batch that do not count, for that reason or without a grade.
        late: Graded pairs that do not count, as they had no grade when the next batch was drawn.
        outside: Grades of drawn pairs that are below or above all others, without a scale.
        seed: The seed of the first batch; None without any.
        first: The indices of the pairs that could be drawn.
    """

    pairs: Pairs
    batches: tuple[Graded, ...]
    curve: float
    gains: NDArray[np.float64]
    prior: Prior
    skipped: tuple[int, ...] = ()
    after: int = 0
    waiting: int = 0
    late: int = 0
    outside: tuple[float, ...] = ()
    seed: int | None = None
    first: tuple[int, ...] = ()

    @property
    def drawn(self) -> int:
        """How many draws count."""
        return sum(len(batch.places) for batch in self.batches)

    @property
    def left(self) -> int:
        """How many pairs can still be drawn."""
        return len(self.first) - self.drawn

    def sums(self) -> Sums:
        """Returns the estimates for the queries."""
        return estimate_sums(self.pairs, self.batches, self.curve, self.prior)

    def with_skipped(self, gains: NDArray[np.float64]) -> Sums:
        """Returns the estimates for the queries if skipped pairs had these gains."""
        import numpy as np

        chosen = np.zeros(len(gains), dtype=bool)
        chosen[list(self.skipped)] = True
        batches = [
            replace(one, gains=np.where(chosen[one.places], gains[one.places], one.gains))
            for one in self.batches
        ]
        return estimate_sums(self.pairs, batches, self.curve, self.prior)


@dataclass(frozen=True)
class Interval:
    """A mean over queries with its interval.

    Attributes:
        value: The estimate.
        low: The lower end; NaN if there is no interval.
        high: The upper end.
        variance: The variance of the value; NaN if there is no interval.
        of_draws: The part of it that grading all pairs would remove.
        quantile: Half the width is this times the root of the variance.
    """

    value: float
    low: float
    high: float
    variance: float
    of_draws: float
    quantile: float

    @property
    def half(self) -> float:
        """Half the width."""
        return (self.high - self.low) / 2


def interval_of(sums: Sums, confidence: float) -> Interval:
    """Returns the mean over queries and its interval.

    The queries are a sample, and so are the pairs within them. The variance is that of the mean of
    the queries' estimates, which contains both, but at least that of the draws: the larger of what
    the draws show and what the prior expects. The interval is Student's; its degrees of freedom
    weigh those of the queries and of the draws (Satterthwaite). None for fewer than two queries,
    fewer than `LEAST_DRAWS` draws if pairs are left, or queries that are all equal.

    Args:
        sums: The estimates for the queries.
        confidence: Such as 0.95.

    References:
        Satterthwaite (1946), Biometrics Bulletin 2(6); Särndal, Swensson and Wretman (1992), Model
        Assisted Survey Sampling, §4.5, for the variance of two stages.
    """
    count = len(sums.values)
    value = math.fsum(sums.values.tolist()) / count
    between = float(sums.values.var(ddof=1)) / count if count > 1 else math.nan
    nothing = Interval(value, math.nan, math.nan, math.nan, math.nan, math.nan)
    if count < 2 or (sums.drawn < LEAST_DRAWS and not sums.complete):
        return nothing
    draws = 0.0 if sums.complete else max(sums.seen, sums.expected) / count**2
    variance = max(between, draws)
    if not variance > 1e-24 * max(1.0, value**2):
        return nothing
    rest = max(between - draws, 0.0)
    degrees = count - 1.0
    if draws > 0:
        degrees = variance**2 / (rest**2 / (count - 1) + draws**2 / max(sums.drawn - 1, 1))
    quantile = student_quantile(degrees, 0.5 + confidence / 2)
    half = quantile * math.sqrt(variance)
    return Interval(value, value - half, value + half, variance, draws, quantile)


def replay(
    frame: Frame,
    drawn: Sequence[DrawnPair],
    scale: Scale | None,
    model: NDArray[np.float64] | None,
) -> History:
    """Returns the draws so far with their grades.

    What was expected before each batch is computed again from the grades known then, so that it
    does not depend on the grades of the batch or of later ones.

    Args:
        frame: All pairs, with all grades known now.
        drawn: The drawn pairs, batch after batch.
        scale: The grade scale, by which grades in the file are read.
        model: The gain of each pair by a model's grades.

    Raises:
        InputError: If the pairs are not those that were drawn from, a grade cannot be read or
            differs from that of the judgments, or a batch lacks one on which a later batch builds.
    """
    import numpy as np

    places = [_place(frame, one) for one in drawn]
    grades = frame.grades.copy()
    start = frame.grades.copy()
    for place, one in zip(places, drawn, strict=True):
        start[place] = np.nan
        if one.grade and not one.skipped:
            grades[place] = _grade(one, scale, grades[place])
    gains, known = frame.gains_of(grades), frame.gains_of(start)
    first = np.flatnonzero(np.isnan(known) & frame.counts)
    _check_pairs(frame, drawn, first, model)
    current = known.copy()
    batches, skipped, after = [], list[int](), 0
    taken = np.zeros(len(known), dtype=bool)
    valid = np.zeros(len(known), dtype=bool)
    waiting = 0
    for number in dict.fromkeys(one.batch for one in drawn):
        later = [one.order for one in drawn if one.batch > number]
        rows = [
            (place, one)
            for place, one in zip(places, drawn, strict=True)
            if one.batch == number and one.order < min(later, default=math.inf)
        ]
        prior = expect(frame, current, model)
        own = np.array([place for place, _ in rows], dtype=np.int64)
        holes = np.isnan(gains[own])
        open_ones = holes & ~np.array([one.skipped for _, one in rows], dtype=bool)
        count = int(np.flatnonzero(open_ones)[0]) if open_ones.any() else len(own)
        if later and count < len(own):
            one = rows[count][1]
            raise InputError(
                message(
                    "analysis.earlier-batch-lacks-grade",
                    query=one.query,
                    document=one.document,
                    batch=number,
                ),
                hint=message("analysis.grade-it-or-skip"),
            )
        valid[own] = True
        waiting = len(own) - count
        after += int((~holes[count:]).sum())
        own = own[:count]
        skipped += own[holes[:count]].tolist()
        found = np.where(np.isnan(gains[own]), prior.mean[own], gains[own])
        probabilities = np.array([one.probability for _, one in rows[:count]])
        _check_probabilities(frame, rows, np.isnan(known) & ~taken, prior)
        taken[own] = True
        batches.append(Graded(own, probabilities, found, prior))
        current[own] = gains[own]
    curve = drawn[0].curve if drawn else 1.0
    pairs = Pairs(frame.query, frame.weight, known, len(frame.queries))
    graded = {place for place in places if not np.isnan(gains[place])}
    return History(
        pairs,
        tuple(batches),
        curve,
        current,
        expect(frame, current, model),
        tuple(skipped),
        after,
        waiting,
        sum(not valid[place] for place in graded),
        () if scale is not None else _outside(start, grades, places),
        drawn[0].seed if drawn else None,
        tuple(first.tolist()),
    )


def _outside(
    start: NDArray[np.float64], grades: NDArray[np.float64], places: Sequence[int]
) -> tuple[float, ...]:
    """Returns grades of drawn pairs that are below or above all grades before the draw."""
    import numpy as np

    before = start[~np.isnan(start)]
    if not len(before):
        return ()
    given = {float(grades[place]) for place in places if not np.isnan(grades[place])}
    return tuple(sorted(one for one in given if not before.min() <= one <= before.max()))


def _place(frame: Frame, one: DrawnPair) -> int:
    place = frame.find(one.query, one.document)
    if place is None:
        raise InputError(
            message("analysis.drawn-pair-not-in-runs", query=one.query, document=one.document),
            hint=message("analysis.give-runs-of-draw"),
        )
    return place


def _grade(one: DrawnPair, scale: Scale | None, judged: float) -> float:
    """Returns the grade of a drawn pair in the file.

    Raises:
        InputError: If it cannot be read, or the judgments have another one.
    """
    from relyon.data.columns import parse_grade

    try:
        grade = parse_grade(one.grade, scale)
    except InputError as error:
        text = message(
            "analysis.drawn-grade-is-wrong",
            query=one.query,
            document=one.document,
            reason=error.message,
        )
        raise _error(one, text, error.hint) from None
    if not math.isnan(judged) and judged != grade:
        text = message(
            "analysis.drawn-grade-differs",
            query=one.query,
            document=one.document,
            grade=grade,
            judged=judged,
        )
        raise _error(one, text, message("analysis.keep-one-grade"))
    return grade


def _error(one: DrawnPair, text: str, hint: str) -> InputError:
    """Returns an error of a drawn pair, at its line if it was read from a file."""
    if not one.path:
        return InputError(text, hint=hint)
    return ParseError(text, path=one.path, line=one.line, hint=hint)


def _check_pairs(
    frame: Frame,
    drawn: Sequence[DrawnPair],
    first: NDArray[np.int64],
    model: NDArray[np.float64] | None,
) -> None:
    """Refuses pairs that are not those that were drawn from.

    Raises:
        InputError: If they are not.
    """
    if not drawn:
        return
    then = next(one.left + one.order - 1 for one in drawn)
    if then != len(first):
        raise InputError(
            message("analysis.pairs-have-changed", then=then, now=len(first)),
            hint=message("analysis.give-judgments-of-draw"),
        )
    if fingerprint(frame, first.tolist(), model) != drawn[0].pairs:
        raise InputError(
            message("analysis.weights-have-changed", measure=drawn[0].measure),
            hint=message("analysis.give-runs-of-draw"),
        )


def _check_probabilities(
    frame: Frame, rows: Sequence[tuple[int, DrawnPair]], left: NDArray[np.bool_], prior: Prior
) -> None:
    """Refuses a batch in which some probabilities are those of the draw and others are not.

    All may differ, if grades were corrected that were known at the draw: those in the file are
    right then. If only some do, somebody changed them or the order.

    Args:
        frame: All pairs.
        rows: The index of each drawn pair of the batch, and the pair.
        left: Whether each pair was left before the batch.
        prior: What was expected then.

    Raises:
        InputError: If some are not those of the draw.
    """
    import numpy as np

    sizes = np.where(left & frame.counts, np.abs(frame.weight) * prior.deviation, 0.0)
    places = np.array([place for place, _ in rows], dtype=np.int64)
    drawn = drawn_probabilities(sizes, places)
    same = np.isclose([one.probability for _, one in rows], drawn, rtol=1e-6, atol=0)
    if len(same) // 2 < int(same.sum()) < len(same):
        one = rows[int(np.flatnonzero(~same)[0])][1]
        raise InputError(
            message(
                "analysis.probability-was-changed",
                query=one.query,
                document=one.document,
                batch=one.batch,
            ),
            hint=message("analysis.leave-draw-columns"),
        )


def history_notes(history: History) -> tuple[Note, ...]:
    """Returns notes on draws that do not count, or that were not judged."""
    notes = []
    if history.after:
        notes.append(Note("drawn-after-ungraded", history.after, "warning"))
    if history.late:
        notes.append(Note("drawn-graded-late", history.late, "warning"))
    if history.outside:
        grades = [f"{one:g}" for one in history.outside]
        notes.append(
            Note("drawn-grades-outside", len(grades), "warning", values={"grades": grades})
        )
    if history.skipped:
        values = {"total": history.drawn}
        notes.append(Note("drawn-skipped", len(history.skipped), "warning", values=values))
    return tuple(notes)


def few_queries_notes(history: History, interval: Interval) -> tuple[Note, ...]:
    """Notes that few queries have a value by the grades, once these decide the interval.

    As `relyon compare` does for fewer than six queries that changed. While the draws cause half of
    the variance or more, what is expected of the other pairs decides, and there is no note.

    Args:
        history: The draws.
        interval: The interval by them.
    """
    import numpy as np

    if math.isnan(interval.low) or 2 * interval.of_draws >= interval.variance:
        return ()
    pairs = history.pairs
    known = pairs.by_query(pairs.weight * np.nan_to_num(history.gains))
    count = int((np.abs(known) > 1e-12).sum())
    if count >= FEW:
        return ()
    return (Note("drawn-few-queries", count, "warning", values={"queries": pairs.queries}),)
