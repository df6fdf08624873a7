"""The search: every conjunction of predicates with enough queries, the largest losses first."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Candidate", "Space", "candidates", "conjunctions"]

#: Degrees of freedom of the common variance in that of a slice, so that a slice in which nothing
#: changed, or all by the same, has one.
PRIOR = 5.0
#: Conjunctions of two, those of the highest scores, that are extended by a third predicate.
MOST_PAIRS = 1000
#: Conjunctions that are looked at in full, of each number of predicates.
KEPT = 200
#: A slice is kept apart from its more general one if it loses more than the rest of that, by t:
#: the largest t of a hundred predicates without any effect is often above 2.
APART = 3.0
#: A slice overlaps another if it shares this part of the smaller one.
OVERLAP = 2 / 3
#: A slice says the same as another if they share this part of the queries of both.
ALIKE = 1 / 2
#: Slices that are named beside one of which they say the same.
MOST_ALIKE = 3
#: The least score of a candidate.
LEAST_SCORE = 2.0


@dataclass(frozen=True)
class Space:
    """The queries in which slices are searched for.

    Attributes:
        values: The gain of each query, positive if the candidate run is better.
        held: Shape (queries, predicates): of which queries each predicate is true.
        least: The least number of queries in a slice, and outside it.
    """

    values: NDArray[np.float64]
    held: NDArray[np.bool_]
    least: int

    def members(self, chosen: tuple[int, ...]) -> NDArray[np.bool_]:
        """Returns of which queries a conjunction is true.

        Args:
            chosen: The numbers of its predicates.
        """
        import numpy as np

        return np.asarray(self.held[:, list(chosen)].all(axis=1))


@dataclass(frozen=True)
class Candidate:
    """A conjunction that may lose.

    Attributes:
        chosen: The numbers of its predicates, ascending.
        score: The smaller of two t statistics: of a mean below 0, and of one below the rest's.
        alike: Other conjunctions with a score, true of mostly the same queries.
    """

    chosen: tuple[int, ...]
    score: float
    alike: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Conjunctions:
    """Conjunctions with their sums.

    Attributes:
        chosen: Shape (conjunctions, predicates): the numbers of the predicates, ascending.
        sizes: Of how many queries each is true.
        sums: The sum of their values.
        squares: The sum of the squares.
    """

    chosen: NDArray[np.int64]
    sizes: NDArray[np.float64]
    sums: NDArray[np.float64]
    squares: NDArray[np.float64]


def conjunctions(space: Space, depth: int, kept: int = MOST_PAIRS) -> Iterator[Conjunctions]:
    """Yields all conjunctions of 1 to `depth` predicates that are true of enough queries.

    SliceLine's lattice, level by level: the sizes and sums of all conjunctions of a level are
    products of matrices, and a conjunction is left out if it is true of fewer than `least`
    queries, or of all but fewer. (SliceLine also prunes by bounds of its score, which needs errors
    above 0; a difference of two runs has both signs.) Of many predicates, conjunctions of three
    extend the `kept` conjunctions of two with the highest scores; of up to 45 predicates they are
    all.

    Args:
        space: The queries.
        depth: The most predicates, 1 to 3.
        kept: The most conjunctions of two that are extended.

    References:
        Sagadeeva and Boehm (2021), SliceLine: Fast, Linear-Algebra-based Slice Finding for ML
        Model Debugging, SIGMOD.
    """
    import numpy as np

    values, held = space.values, space.held
    scale = float(np.abs(values).max(initial=0.0)) or 1.0
    y = (values / scale).astype(np.float32)
    x = held.astype(np.float32)
    count = x.shape[1]

    def made(chosen: NDArray[np.int64], parts: list[NDArray[np.float32]]) -> Conjunctions:
        sizes, sums, squares = (one.astype(np.float64) for one in parts)
        enough = (sizes >= space.least) & (sizes <= len(values) - space.least)
        return Conjunctions(
            chosen[enough], sizes[enough], sums[enough] * scale, squares[enough] * scale**2
        )

    ones = [x.sum(axis=0), y @ x, (y * y) @ x]
    first = made(np.arange(count)[:, np.newaxis], ones)
    yield first
    if depth < 2 or count < 2:
        return
    left, right = np.triu_indices(count, 1)
    weighted = [x, x * y[:, np.newaxis], x * (y * y)[:, np.newaxis]]
    products = [(x.T @ one)[left, right] for one in weighted]
    second = made(np.stack([left, right], axis=1), products)
    yield second
    if depth < 3 or count < 3 or not len(second.sizes):
        return
    scores = _scores(space, second.sizes, second.sums, second.squares)
    pairs = second.chosen[np.argsort(-scores, kind="stable")[:kept]]
    inside = x[:, pairs[:, 0]] * x[:, pairs[:, 1]]
    wide = [(inside.T @ one).ravel() for one in weighted]
    names = np.concatenate(
        [np.repeat(pairs, count, axis=0), np.tile(np.arange(count), len(pairs))[:, np.newaxis]],
        axis=1,
    )
    new = (names[:, 2] != names[:, 0]) & (names[:, 2] != names[:, 1])
    names.sort(axis=1)
    # A conjunction of three is made of up to three pairs.
    keys = (names[:, 0] * count + names[:, 1]) * count + names[:, 2]
    once = np.flatnonzero(new)[np.unique(keys[new], return_index=True)[1]]
    yield made(names[once], [one[once] for one in wide])


def candidates(space: Space, depth: int, most: int) -> list[Candidate]:
    """Returns the most promising slices: those that lose by chance least, each simplified.

    The score of a slice S with n queries, mean m and variance v is the smaller of -m / √(v/n) and
    (m' - m) / √(v/n + v'/n'), where m', v' and n' are those of the other queries: it grows with the
    loss and with the square root of the size. Variances are moderated by that of all queries, as in
    `group_means`.

    The best slice is taken first. A predicate is dropped from it if the queries that come in do not
    lose less than the slice by more than three standard errors. A slice that shares two thirds of
    the smaller one with a slice that was taken before is left out, and so is one whose queries that
    are in none of the slices taken before would have no score of two.

    Args:
        space: The queries.
        depth: The most predicates of a slice.
        most: How many are returned at most.

    Examples:
        >>> import numpy as np
        >>> values = np.array([-1.0, -0.8, -0.9, -1.0] * 5 + [0.2, -0.1, 0.1, 0.0] * 15)
        >>> tail = np.arange(80) < 20
        >>> space = Space(values, np.stack([tail, np.arange(80) % 2 == 0], axis=1), 5)
        >>> [one.chosen for one in candidates(space, 2, 5)]
        [(0,)]
    """
    import numpy as np

    promising: list[tuple[float, tuple[int, ...]]] = []
    for level in conjunctions(space, depth):
        scores = _scores(space, level.sizes, level.sums, level.squares)
        best = np.argsort(-scores, kind="stable")[:KEPT]
        promising += [
            (float(scores[place]), tuple(level.chosen[place].tolist()))
            for place in best
            if scores[place] >= LEAST_SCORE
        ]
    # Equal scores: fewer predicates first.
    promising.sort(key=lambda one: (-one[0], len(one[1]), one[1]))
    taken: list[Candidate] = []
    members: list[NDArray[np.bool_]] = []
    for _, chosen in promising[:KEPT]:
        simple = _simplified(space, chosen)
        own = space.members(simple)
        near = [place for place, one in enumerate(members) if overlap(own, one) >= OVERLAP]
        if near:
            _note_alike(taken, near[0], simple, own, members[near[0]])
            continue
        if len(taken) == most:
            continue
        if members and not _left(space, own, np.any(members, axis=0)):
            continue
        taken.append(Candidate(simple, score(space, own)))
        members.append(own)
    return taken


def _note_alike(
    taken: list[Candidate],
    place: int,
    chosen: tuple[int, ...],
    own: NDArray[np.bool_],
    members: NDArray[np.bool_],
) -> None:
    """Notes a slice that shares half of all queries of both with one that was taken."""
    one = taken[place]
    shared = int((own & members).sum()) >= int((own | members).sum()) * ALIKE
    if shared and chosen != one.chosen and chosen not in one.alike and len(one.alike) < MOST_ALIKE:
        taken[place] = replace(one, alike=(*one.alike, chosen))


def _left(space: Space, members: NDArray[np.bool_], taken: NDArray[np.bool_]) -> bool:
    """Whether a slice still loses without the queries of slices that were taken before."""
    own = members[~taken]
    if not space.least <= int(own.sum()) <= len(own) - space.least:
        return False
    rest = Space(space.values[~taken], space.held[~taken], space.least)
    return score(rest, own) >= LEAST_SCORE


def overlap(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """Returns the share of the smaller of two slices that is in both."""
    smaller = min(int(first.sum()), int(second.sum()))
    return int((first & second).sum()) / smaller if smaller else 0.0


def score(space: Space, members: NDArray[np.bool_]) -> float:
    """Returns the score of one slice.

    Args:
        space: The queries.
        members: Which of them are in the slice.
    """
    import numpy as np

    own = space.values[members]
    parts = [np.array([part]) for part in (float(len(own)), own.sum(), (own**2).sum())]
    return float(_scores(space, *parts)[0])


def _scores(
    space: Space,
    sizes: NDArray[np.float64],
    sums: NDArray[np.float64],
    squares: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Returns the scores of slices by their sizes, sums and sums of squares."""
    import numpy as np

    values = space.values
    count, total = len(values), float(values.sum())
    common = float(values.var())
    if common <= 0:
        return np.full(len(sizes), -math.inf)
    means, others = sums / sizes, (total - sums) / (count - sizes)

    def moderated(squares: NDArray[np.float64], n: NDArray[np.float64], m: NDArray[np.float64]):  # type: ignore[no-untyped-def]
        within = np.maximum(squares - n * m * m, 0.0)
        return (within + PRIOR * common) / (n - 1 + PRIOR) / n

    own = moderated(squares, sizes, means)
    rest = moderated(float((values**2).sum()) - squares, count - sizes, others)
    found: NDArray[np.float64] = np.minimum(
        -means / np.sqrt(own), (others - means) / np.sqrt(own + rest)
    )
    return found


def _simplified(space: Space, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """Returns a slice without the predicates that it does not need."""
    for size in range(1, len(chosen)):
        for fewer in combinations(chosen, size):
            members = space.members(fewer)
            if not space.least <= int(members.sum()) <= len(members) - space.least:
                continue
            more = members & ~space.members(chosen)
            if not more.any():
                return fewer
            within = Space(space.values[members], space.held[members], space.least)
            if _apart(within, space.members(chosen)[members]) < APART:
                return fewer
    return chosen


def _apart(space: Space, members: NDArray[np.bool_]) -> float:
    """Returns t of a slice's mean below that of the others."""
    import numpy as np

    values = space.values
    common = float(values.var())
    if common <= 0:
        return 0.0
    found = []
    for one in (values[members], values[~members]):
        within = float(((one - one.mean()) ** 2).sum())
        found.append(
            (float(one.mean()), (within + PRIOR * common) / (len(one) - 1 + PRIOR) / len(one))
        )
    (own, error), (rest, other) = found
    return (rest - own) / float(np.sqrt(error + other))
