"""From a log to position bias."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from relyon.core.errors import ParameterError
from relyon.core.notes import warn
from relyon.core.parameters import check_choice, check_fraction
from relyon.core.texts import message
from relyon.io.log_checks import read_log
from relyon.labels.log import ClickLog, read_folds
from relyon.labels.position_bias.bias import PositionBias, PositionEstimate
from relyon.labels.position_bias.connection import Connection, connect
from relyon.labels.position_bias.doubts import find_doubts
from relyon.labels.position_bias.estimator import (
    Counts,
    Estimate,
    Estimator,
    estimators as registry,
    half_widths,
)
from relyon.labels.position_bias.movement import Movement, find_movements
from relyon.labels.position_bias.swaps import Weighting, count_cells, count_swaps
from relyon.labels.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["estimate_bias", "estimator_of"]


def estimator_of(estimator: str | Estimator) -> Estimator:
    """Returns an estimator of position bias by its name, or as it is.

    Raises:
        UnknownNameError: If none has that name.
    """
    return estimator if isinstance(estimator, Estimator) else registry.get(estimator)()


def estimate_bias(
    sessions: object,
    estimators: Sequence[str | Estimator] = ("all-pairs", "pivot", "em"),
    *,
    depth: int = 10,
    min_dwell: float | None = None,
    reference: int | None = None,
    weighting: Weighting = "harmonic",
    min_swaps: float = 100,
    level: float = 0.95,
    threads: int = 0,
) -> PositionBias:
    """Estimates how often each position is seen, and whether the log identifies it.

    A click needs examination and attraction: P(click) = θ_position · γ_{query, document}. The two
    can be separated if the same document was shown at several positions for reasons that have
    nothing to do with how relevant it is. Only ratios are identified: θ of the reference is 1.

    Intervals are of log θ, with queries as what varies: the many sessions of one query do not count
    as independent. A position that no documents connect with the reference has no estimate.

    Whether documents moved for unrelated reasons cannot be seen in a log. Two signs that they did
    not can be: `PositionBias.movements`.

    Args:
        sessions: What `relyon.read_sessions` takes, or what `read_clicks` returned.
        estimators: Estimators or their names, `all-pairs`, `pivot`, `chain` or `em`; labels are
            made with the first.
        depth: Ignore positions after this one.
        min_dwell: Clicks after which the user stayed for fewer seconds do not count.
        reference: The position whose θ is 1; by default the first one that was shown.
        weighting: How much a document counts that was shown n times at one position and m times at
            another: `harmonic`, nm / (n + m), or `equal`, as Agarwal et al. (2019) have it.
        min_swaps: With fewer effective swaps, the connection of a position is called weak.
        level: Confidence level of the intervals.
        threads: Threads to use; 0 uses all cores.

    Raises:
        InputError: If the log has no clicks.
        ParameterError: If no estimator is named, or one twice, or nothing was shown at the
            reference.
        UnknownNameError: If no estimator has that name.

    Examples:
        >>> import polars as pl
        >>> rows = [
        ...     (n, "tv", doc, position, n % 4 < [[2, 1], [1, 0]][doc == "b"][position - 1])
        ...     for n in range(400)
        ...     for position, doc in enumerate(["ab", "ba"][n // 200], 1)
        ... ]
        >>> names = ["session", "query", "doc", "position", "clicked"]
        >>> log = pl.DataFrame(rows, names, orient="row")
        >>> found = estimate_bias(log, ["pivot"])
        >>> found.examination
        {1: 1.0, 2: 0.3333333333333333}
    """
    chosen = [estimator_of(one) for one in estimators]
    names = [one.name for one in chosen]
    if not chosen or len(set(names)) < len(names):
        raise ParameterError(
            message("labels.name-each-estimator-once"), hint=message("labels.such-as-all-pairs")
        )
    check_choice("weighting", weighting, get_args(Weighting))
    check_fraction("level", level)
    movements: tuple[Movement, ...] = ()
    if isinstance(sessions, ClickLog):
        log = sessions
    else:
        rules = Rules(depth, min_dwell)
        read = read_log(sessions, kind="clicks", uses=())
        log = read_folds(read, [None], rules=rules, threads=threads)[0]
        movements = find_movements(read, rules)
    cells = count_cells(log)
    swaps = count_swaps(cells, weighting)
    positions = cells.positions.tolist()
    first = positions[0] if reference is None else reference
    if first not in positions:
        raise ParameterError(
            message("labels.nothing-was-shown", position=first),
            hint=message("labels.positions-shown", positions=positions),
        )
    place = positions.index(first)
    connection = connect(cells, swaps, place, level)
    import numpy as np

    comparable = np.array([not reason for reason in connection.reasons])
    counts = Counts(log, cells, swaps, place, comparable)
    found = {one.name: one.estimate(counts) for one in chosen}
    if log is not sessions:
        warn(log.notes)
    return PositionBias(
        estimates=tuple(
            one
            for name, estimate in found.items()
            for one in _estimates(name, estimate, connection, level)
        ),
        connection=connection,
        doubts=find_doubts(found, cells.positions, level),
        level=level,
        min_swaps=min_swaps,
        sessions=log.sessions,
        results=log.results,
        source=log.source,
        notes=log.notes,
        movements=movements,
    )


def _estimates(
    name: str, estimate: Estimate, connection: Connection, level: float
) -> Iterator[PositionEstimate]:
    """The examination of each position with its interval, or the reason why it is missing."""
    import numpy as np

    queries = estimate.queries
    half = half_widths(estimate.influence, queries, level)
    for place, (position, apart) in enumerate(
        zip(connection.positions, connection.reasons, strict=True)
    ):
        rests = float(queries[place])
        if position == connection.reference:
            yield PositionEstimate(name, position, 1.0, 1.0, 1.0, rests)
            continue
        log = np.nan if apart else float(estimate.logs[place])
        missing = apart or ("no-path" if np.isnan(log) else "")
        reason = missing or ("too-little" if np.isnan(half[place]) else "")
        low, high = (float(np.exp(log + sign * half[place])) for sign in (-1, 1))
        yield PositionEstimate(name, position, float(np.exp(log)), low, high, rests, reason)
