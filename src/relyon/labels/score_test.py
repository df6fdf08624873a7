"""Score tests of a click model: do clicks in some group of results differ from its predictions?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.labels.examination import Independent
from relyon.labels.expectation_maximisation import Examined
from relyon.labels.perplexity import LEAST as EDGE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.model import ClickModel, Parameters, Values
    from relyon.labels.result_lists import Lists

    Places = NDArray[np.int64]

__all__ = ["ScoreTest", "score_test"]

#: Lists whose derivatives are in memory at once.
ROWS = 2_000
#: A group whose clicks the parameters fix is not tested: this share of its variance is left.
LEAST = 0.1


@dataclass(frozen=True)
class ScoreTest:
    """What was found in each group of results.

    Attributes:
        shown: Impressions.
        clicks: Clicks.
        expected: Clicks that the model expects, those above being known.
        z: How far the clicks are from what the model expects, in standard errors; NaN where its
            parameters fix them.
        shift: By how much the log odds of a click differ from the model's.
    """

    shown: Values
    clicks: Values
    expected: Values
    z: Values
    shift: Values


def score_test(
    model: ClickModel,
    parameters: Parameters,
    lists: Lists,
    pairs: Mapping[str, Values],
    groups: Values,
) -> ScoreTest:
    r"""Tests whether the clicks of groups of results are those that a model predicts.

    Let p be the probability of a click given the clicks above it, c whether it was clicked, and m
    one group. The sum of c − p over the group has mean 0 if the model is right and its parameters
    are known. They are estimated, of every pair and of what all share; so what their scores
    explain is taken from it (Neyman's C(α) test): with the information I of the parameters and A,
    the group's covariance with their scores s,

        T = Σ m (c − p) − A I⁻¹ Σ s,   Var T = Σ m p (1 − p) − A I⁻¹ Aᵀ,   z = T / √Var T.

    To first order T does not depend on errors of the parameters, be they chance or a prior's.

    Args:
        model: The click model.
        parameters: Its parameters.
        lists: Lists with their clicks.
        pairs: Each result's own values, in the shape of the lists.
        groups: Which results are in each group: shape (groups, lists, places).

    References:
        Neyman, Optimal asymptotic tests of composite statistical hypotheses (1959).
    """
    import numpy as np

    blocks = _Blocks(model, lists, pairs)
    many = _count(parameters)
    size = many + len(groups)
    cross, scores = np.zeros((size, size)), np.zeros(size)
    shown, clicks, expected = np.zeros((3, len(groups)))
    for first in range(0, len(lists), ROWS):
        rows = slice(first, first + ROWS)
        part = lists.rows(rows)
        own = {name: values[rows] for name, values in pairs.items()}
        chance = model.probabilities(parameters, part, own, True)
        safe = np.clip(chance, EDGE, 1 - EDGE)
        weight = part.shown * part.counts[:, None] / (safe * (1 - safe))
        gap = part.clicked - safe
        member = groups[:, rows] * part.shown
        shown += (member * part.counts[:, None]).sum(axis=(1, 2))
        clicks += (member * (part.clicked * part.counts[:, None])).sum(axis=(1, 2))
        expected += (member * (chance * part.counts[:, None])).sum(axis=(1, 2))
        # By result: derivatives with respect to what all pairs share, then to the groups' shifts.
        wide = np.empty((*chance.shape, size))
        wide[:, :, :many] = _shared(model, parameters, part, own, chance)
        wide[:, :, many:] = np.moveaxis(member * (safe * (1 - safe)), 0, -1)
        flat = (wide * weight[:, :, None]).reshape(-1, size)
        scores += flat.T @ gap.reshape(-1)
        cross += flat.T @ wide.reshape(-1, size)
        blocks.add(rows, blocks.slopes(parameters, part, own, chance), wide, weight, gap)
    total = cross.diagonal()[many:].copy()
    lost, explained = blocks.eliminated(size)
    cross, scores = cross - lost, scores - explained
    inner, outer = cross[:many, :many], cross[many:, :many]
    solved = outer @ np.linalg.pinv(inner, rcond=1e-8, hermitian=True)
    moved = scores[many:] - solved @ scores[:many]
    variance = cross.diagonal()[many:] - (solved * outer).sum(axis=1)
    free = variance > LEAST * np.maximum(total, EDGE)
    safe = np.where(free, variance, 1.0)
    z = np.where(free, moved / np.sqrt(safe), np.nan)
    return ScoreTest(shown, clicks, expected, z, np.where(free, moved / safe, np.nan))


def _count(parameters: Parameters) -> int:
    import numpy as np

    return sum(np.size(values) for values in parameters.shared.values())


def _shared(
    model: ClickModel, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values], at: Values
) -> Values:
    """The derivatives of clicks with respect to each value that all pairs share."""
    import numpy as np

    found = np.zeros((*at.shape, _count(parameters)))
    if isinstance(model, Examined):
        # A click depends on the examination of its own context alone, linearly.
        values = parameters.shared["examination"]
        contexts = _contexts(model, lists)
        examined = np.nan_to_num(values, nan=model.unseen)[contexts]
        slopes = np.divide(at, examined, out=np.zeros_like(at), where=examined > 0)
        np.put_along_axis(found, contexts[:, :, None], slopes[:, :, None], 2)
        return found
    column = 0
    for name, values in parameters.shared.items():
        whole = np.atleast_1d(values).astype(np.float64)
        for place, value in enumerate(whole):
            if np.isfinite(value):
                step = 1e-6 if value < 0.5 else -1e-6
                changed = whole.copy()
                changed[place] += step
                shape = changed.reshape(np.shape(values))
                moved = replace(parameters, shared={**parameters.shared, name: shape})
                chances = model.probabilities(moved, lists, pairs, True)
                found[:, :, column] = (chances - at) / step
            column += 1
    return found


def _contexts(model: Examined, lists: Lists) -> Places:
    """The context of each result: a place in the examination of the model."""
    places = lists.positions - 1
    if model.context == "position":
        return places
    found: Places = places * lists.positions // 2 + lists.last_clicks
    return found


class _Blocks:
    """The information of the pairs' own parameters: one block per pair, or per query.

    Where a result's click depends on its own pair alone, given the clicks above, a pair is a block.
    In a chain it depends on all pairs above it, and a query is a block.
    """

    def __init__(self, model: ClickModel, lists: Lists, pairs: Mapping[str, Values]) -> None:
        import numpy as np

        self.model = model
        self.alone = isinstance(model, Independent | Examined)
        self.names = tuple(pairs)
        used, local = np.unique(lists.pairs[lists.shown], return_inverse=True)
        numbers = np.zeros(lists.pairs.shape, np.int64)
        numbers[lists.shown] = local
        many = len(self.names)
        queries = lists.names.get_column("query").rle_id().to_numpy().astype(np.int64)[used]
        block = np.arange(len(used)) if self.alone else np.unique(queries, return_inverse=True)[1]
        sizes = np.bincount(block) * many
        first = np.concatenate([[0], np.cumsum(np.bincount(block))])[:-1]
        #: Of each parameter in each list: its number, its block, its place there.
        self.numbers = (numbers[:, :, None] * many + np.arange(many)).reshape(len(lists), -1)
        inside = (numbers - first[block[numbers]])[:, :, None] * many + np.arange(many)
        self.inside = inside.reshape(len(lists), -1)
        self.block = np.repeat(block[numbers], many, axis=1).reshape(len(lists), -1)
        self.sizes = sizes
        self.starts = np.concatenate([[0], np.cumsum(sizes**2)])
        self.offsets = np.concatenate([[0], np.cumsum(sizes)])
        self.information = np.zeros(self.starts[-1])
        self.scores = np.zeros(self.offsets[-1])
        self.cross: Values | None = None

    def slopes(
        self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values], chance: Values
    ) -> Values:
        """Returns the derivatives of clicks: shape (lists, results, places × parameters).

        Where each result depends on its own pair alone, the last axis has one parameter per name.
        """
        import numpy as np

        width = chance.shape[1]
        if self.alone:
            found = np.empty((*chance.shape, len(self.names)))
            for at, name in enumerate(self.names):
                step = np.where(pairs[name] < 0.5, 1e-6, -1e-6)
                moved = self.model.probabilities(
                    parameters, lists, {**pairs, name: pairs[name] + step}, True
                )
                found[:, :, at] = (moved - chance) / step
            return found
        found = np.zeros((*chance.shape, width, len(self.names)))
        for at, name in enumerate(self.names):
            for place in range(width):
                changed = pairs[name].copy()
                step = np.where(changed[:, place] < 0.5, 1e-6, -1e-6)
                changed[:, place] += step
                moved = self.model.probabilities(parameters, lists, {**pairs, name: changed}, True)
                found[:, :, place, at] = (moved - chance) / step[:, None]
        return found.reshape(*chance.shape, -1)

    def add(self, rows: slice, slopes: Values, wide: Values, weight: Values, gap: Values) -> None:
        """Adds some lists."""
        import numpy as np

        numbers, block, inside = self.numbers[rows], self.block[rows], self.inside[rows]
        if self.alone:
            many = len(self.names)
            numbers = numbers.reshape(*weight.shape, many)
            heavy = slopes * weight[:, :, None]
            np.add.at(self.scores, numbers.ravel(), (heavy * gap[:, :, None]).ravel())
            for one in range(many):
                for other in range(many):
                    keys = self.starts[block[:, ::many]] + one * many + other
                    self._put(keys, heavy[:, :, one] * slopes[:, :, other])
            self._cross(numbers, heavy[:, :, :, None] * wide[:, :, None, :])
            return
        heavy = slopes * weight[:, :, None]
        np.add.at(self.scores, numbers.ravel(), np.einsum("ikj,ik->ij", heavy, gap).ravel())
        both = np.matmul(heavy.transpose(0, 2, 1), slopes)
        size = self.sizes[block]
        keys = self.starts[block][:, :, None] + inside[:, :, None] * size[:, :, None]
        self._put(keys + inside[:, None, :], both)
        self._cross(numbers, np.matmul(heavy.transpose(0, 2, 1), wide))

    def _put(self, keys: Places, values: Values) -> None:
        import numpy as np

        np.add.at(self.information, keys.ravel(), values.ravel())

    def _cross(self, numbers: Places, values: Values) -> None:
        import numpy as np

        size = values.shape[-1]
        if self.cross is None:
            self.cross = np.zeros((len(self.scores), size))
        order = np.argsort(numbers.ravel(), kind="stable")
        keys = numbers.ravel()[order]
        starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        sums = np.add.reduceat(values.reshape(-1, size)[order], starts, axis=0)
        self.cross[keys[starts]] += sums

    def eliminated(self, size: int) -> tuple[Values, Values]:
        """Returns what the pairs' parameters explain: of the information, and of the scores."""
        import numpy as np

        lost, explained = np.zeros((size, size)), np.zeros(size)
        if self.cross is None:
            return lost, explained
        for many in np.unique(self.sizes):
            chosen = np.flatnonzero(self.sizes == many)
            if not many:
                continue
            for some in np.array_split(chosen, max(1, int(len(chosen) * many**2 // 2_000_000))):
                at = self.starts[some][:, None] + np.arange(many**2)
                matrix = self.information[at].reshape(len(some), many, many)
                rows = self.offsets[some][:, None] + np.arange(many)
                right = np.concatenate([self.cross[rows], self.scores[rows][:, :, None]], axis=2)
                scale = np.sqrt(np.maximum(np.einsum("bii->bi", matrix), 1e-300))
                scaled = matrix / (scale[:, :, None] * scale[:, None, :])
                scaled += 1e-9 * np.eye(many)
                solved = np.linalg.solve(scaled, right / scale[:, :, None]) / scale[:, :, None]
                left = self.cross[rows].reshape(-1, size)
                both = left.T @ solved.reshape(-1, size + 1)
                lost += both[:, :size]
                explained += both[:, size]
        return lost, explained
