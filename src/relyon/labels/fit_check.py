"""Whether users follow a click model: their clicks against its predictions, group by group."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from relyon.core.document.json import json_number, json_values
from relyon.core.document.model import Table
from relyon.core.notes import Note
from relyon.core.packages import scipy_part
from relyon.core.texts import Catalogue
from relyon.labels.examination import Chain
from relyon.labels.perplexity import perplexity
from relyon.labels.result_lists import lists_of
from relyon.labels.rival import Rival, compare_with_rival
from relyon.labels.score_test import score_test
from relyon.labels.session_sample import query_counts, sample_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.log import ClickLog
    from relyon.labels.model import FittedModel, Values
    from relyon.labels.result_lists import Lists

__all__ = ["FitCheck", "FitGroup", "check_fit"]

#: Sessions that are looked at, at most.
SESSIONS = 10_000
#: Queries are left out whose results were shown less often on average.
DENSE = 50
#: With fewer clicks the check has no verdict.
CLICKS = 100
#: The results below a list's first ones are not looked at.
PLACES = 20
#: Contexts: no click above, one directly above, two places above, and further up.
CONTEXTS = ("none", "next", "second", "far")
TIERS = ("head", "middle", "tail")
#: The level of all groups together.
LEVEL = 0.02
By = Literal["position", "previous", "frequency"]


@dataclass(frozen=True)
class FitGroup:
    """The clicks of some results against those that a model expects.

    Attributes:
        by: What they have in common: their `position`, the `previous` click above them, or the
            `frequency` of their query and whether they are in the upper or lower half of lists.
        name: Which: a position; `none`, `next`, `second` or `far`; `head-top` to `tail-bottom`.
        shown: Impressions.
        clicks: Clicks.
        expected: Clicks that the model expects, those above being known.
        z: The difference in standard errors, freed from errors of the parameters; NaN where they
            fix the number of clicks.
        odds: The ratio of the odds of a click to those of the model.
        differs: Whether the difference is significant, corrected for the number of groups.
    """

    by: By
    name: str
    shown: int
    clicks: int
    expected: float
    z: float
    odds: float
    differs: bool

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "by": self.by,
            "name": self.name,
            "shown": self.shown,
            "clicks": self.clicks,
            "expected": json_number(self.expected),
            "z": json_number(self.z),
            "odds": json_number(self.odds),
            "differs": self.differs,
        }


@dataclass(frozen=True)
class FitCheck:
    """Whether users follow a click model.

    Attributes:
        model: The model's name.
        verdict: `fits`, `differs`, or `unknown` where there are too few clicks to tell.
        sessions: Sessions that were looked at.
        clicks: Their clicks.
        groups: What was found in each group.
        perplexity: At each position, of clicks, those above being known.
        saturated: The same if the model knew the click rate of each position after each previous
            click: what a model of how users go through lists could gain at most.
        least: The smallest |z| that counts as significant.
        counted: Whether the log is a table of counts, which does not show previous clicks.
        rival: Of models that go down the list: how much better the position-based model predicts
            clicks of other sessions.
    """

    model: str
    verdict: Literal["fits", "differs", "unknown"]
    sessions: int
    clicks: int
    groups: tuple[FitGroup, ...] = ()
    perplexity: tuple[float, ...] = ()
    saturated: tuple[float, ...] = ()
    least: float = math.nan
    counted: bool = False
    rival: Rival | None = None

    @property
    def worst(self) -> FitGroup | None:
        """The group that differs most surely, if one does."""
        found = [group for group in self.groups if group.differs]
        return max(found, key=lambda group: abs(group.z)) if found else None

    @property
    def notes(self) -> tuple[Note, ...]:
        """A note if users do not follow the model."""
        worst = self.worst
        if self.verdict != "differs":
            return ()
        if worst is None:
            key = "labels-do-not-fit.rival"
            values: dict[str, object] = {"model": self.model, **self._rival}
            return (Note("labels-do-not-fit", 1, "warning", values=values, key=key),)
        values = {
            "model": self.model,
            "name": worst.name,
            "clicks": worst.clicks,
            "expected": round(worst.expected),
            "z": f"{worst.z:+.1f}",
            "groups": sum(group.differs for group in self.groups),
            "tested": sum(math.isfinite(group.z) for group in self.groups),
            **_means(self.perplexity, self.saturated),
        }
        key = f"labels-do-not-fit.{worst.by}-{worst.name}"
        if worst.by == "position":
            key = "labels-do-not-fit.position"
        return (Note("labels-do-not-fit", 1, "warning", values=values, key=key),)

    @property
    def _rival(self) -> dict[str, str]:
        if self.rival is None:
            return {"difference": "–", "low": "–", "high": "–"}
        low, high = self.rival.interval
        values = {"difference": self.rival.difference, "low": low, "high": high}
        return {name: f"{value:+.3f}" for name, value in values.items()}

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "model": self.model,
            "verdict": self.verdict,
            "sessions": self.sessions,
            "clicks": self.clicks,
            "least": json_number(self.least),
            "counted": self.counted,
            "groups": [group.to_dict() for group in self.groups],
            "perplexity": json_values(self.perplexity),
            "saturated": json_values(self.saturated),
            "rival": self.rival
            and {
                "model": "pbm",
                "difference": json_number(self.rival.difference),
                "interval": json_values(self.rival.interval),
            },
        }

    def sentence(self, words: Catalogue) -> str:
        """Returns the verdict in a sentence."""
        said = words.say(
            f"fit.{'fits' if self.verdict == 'differs' and self.worst is None else self.verdict}",
            model=words[f"model.{self.model}"],
            sessions=self.sessions,
            clicks=self.clicks,
            differing=sum(group.differs for group in self.groups),
            tested=sum(math.isfinite(group.z) for group in self.groups),
            **_means(self.perplexity, self.saturated),
        )
        told = [said]
        if self.rival is not None and self.rival.better:
            told.append(words.say("fit.rival", model=words[f"model.{self.model}"], **self._rival))
        if self.counted:
            told.append(words["fit.counted"])
        return words.word("list.sentence").join(told)

    def table(self, words: Catalogue, most: int = 5) -> Table:
        """Returns the groups that differ most, one row each.

        Args:
            words: The texts of labels.
            most: The most rows.
        """
        known = [group for group in self.groups if math.isfinite(group.z)]
        known.sort(key=lambda group: -abs(group.z))
        rows = [
            [
                words[f"fit.group.{group.name}"]
                if group.by != "position"
                else words.say("fit.position", position=group.name),
                f"{group.shown:,}",
                f"{group.clicks:,}",
                words.style.number(group.expected, 1),
                words.style.signed(group.z, 1),
            ]
            for group in known[:most]
        ]
        names = ("group", "shown", "clicked", "expected", "z")
        return Table([words[f"column.{name}"] for name in names], rows)


def _means(perplexities: tuple[float, ...], saturated: tuple[float, ...]) -> dict[str, str]:
    """The mean perplexities over positions, as texts."""
    found = {}
    for name, values in (("perplexity", perplexities), ("saturated", saturated)):
        known = [value for value in values if math.isfinite(value)]
        found[name] = f"{math.fsum(known) / len(known):.4f}" if known else "–"
    return found


def check_fit(fitted: FittedModel, log: ClickLog, *, seed: int = 0) -> FitCheck:
    r"""Checks whether users follow a fitted model: residual clicks of groups of results.

    Groups are the positions, the previous click (none above, directly above, two places above,
    further up), and queries of high, middle and low frequency in the upper and lower half of lists.
    The residual of a group is freed from what the estimated parameters explain (`score_test`), and
    is significant where |z| is above the normal quantile at 0.02 / number of groups (Bonferroni).

    Models that go down the list are also compared with the position-based one, which must not
    predict the clicks of other sessions significantly better (`compare_with_rival`).

    Only queries whose results were shown 50 times on average are looked at, in at most 10,000
    sessions: with fewer impressions a prior decides what is expected.

    Args:
        fitted: The model, fitted on the log.
        log: The log.
        seed: The same seed looks at the same sessions.

    References:
        Neyman, Optimal asymptotic tests of composite statistical hypotheses (1959); Grotov et al.,
        A comparative study of click models for web search (2015), on perplexity by position.
    """
    name = fitted.model.name
    found = query_counts(log)
    if not (found.shown >= DENSE * found.pairs).any():
        return FitCheck(name, "unknown", 0, 0)
    queries = log.pairs.get_column("query").rle().struct.field("value")
    frequency = dict(zip(queries, found.sessions.tolist(), strict=True))
    part = sample_of(log, SESSIONS, seed, found=found, dense=DENSE)
    lists = _upper(lists_of(part))
    clicks = int((lists.clicked * lists.counts[:, None]).sum())
    if clicks < CLICKS:
        return FitCheck(name, "unknown", part.sessions, clicks)
    checked = _checked(fitted, lists, frequency, part.sessions, clicks)
    rival = (
        compare_with_rival(fitted.model, part, seed) if isinstance(fitted.model, Chain) else None
    )
    worse = rival is not None and rival.better
    return replace(
        checked,
        verdict="differs" if worse else checked.verdict,
        counted=log.counted,
        rival=rival,
    )


def _checked(
    fitted: FittedModel, lists: Lists, frequency: dict[str, int], sessions: int, clicks: int
) -> FitCheck:
    import numpy as np

    ndtri = scipy_part("special").ndtri
    names, groups = _groups(lists, frequency)
    values = fitted.values(lists)
    found = score_test(fitted.model, fitted.parameters, lists, values, groups)
    tested = int(np.isfinite(found.z).sum())
    least = float(-ndtri(LEVEL / 2 / max(tested, 1)))
    rows = tuple(
        FitGroup(
            by,
            name,
            int(found.shown[at]),
            int(found.clicks[at]),
            float(found.expected[at]),
            float(found.z[at]),
            float(np.exp(np.clip(found.shift[at], -30, 30))),
            bool(abs(found.z[at]) > least),
        )
        for at, (by, name) in enumerate(names)
    )
    chances = fitted.model.probabilities(fitted.parameters, lists, values, True)
    return FitCheck(
        fitted.model.name,
        "differs" if any(row.differs for row in rows) else "fits",
        sessions,
        clicks,
        rows,
        tuple(perplexity(lists, chances).tolist()),
        tuple(perplexity(lists, _saturated(lists, chances)).tolist()),
        least,
    )


def _upper(lists: Lists) -> Lists:
    """The first results of each list."""
    return replace(
        lists,
        pairs=lists.pairs[:, :PLACES],
        positions=lists.positions[:, :PLACES],
        shown=lists.shown[:, :PLACES],
        clicked=lists.clicked[:, :PLACES],
    )


def _groups(lists: Lists, frequency: dict[str, int]) -> tuple[list[tuple[By, str]], Values]:
    """The names of the groups, and which results are in each."""
    import numpy as np

    names: list[tuple[By, str]] = []
    masks: list[NDArray[np.bool_]] = []
    for position in np.unique(lists.positions[lists.shown]).tolist():
        names.append(("position", str(position)))
        masks.append(lists.positions == position)
    contexts = _contexts(lists)
    for number, context in enumerate(CONTEXTS):
        names.append(("previous", context))
        masks.append(contexts == number)
    tiers = _tiers(lists, frequency)[:, None]
    weights = np.broadcast_to(lists.counts[:, None], lists.shown.shape)[lists.shown]
    places = lists.positions[lists.shown]
    middle = np.searchsorted(np.cumsum(np.bincount(places, weights)), weights.sum() / 2)
    upper = lists.positions <= middle
    for number, tier in enumerate(TIERS):
        for half, mask in (("top", upper), ("bottom", ~upper)):
            names.append(("frequency", f"{tier}-{half}"))
            masks.append((tiers == number) & mask)
    found = np.stack([mask & lists.shown for mask in masks])
    held = found.any(axis=(1, 2))
    kept = [names[place] for place in np.flatnonzero(held)]
    return kept, found[held].astype(np.float64)


def _contexts(lists: Lists) -> NDArray[np.int64]:
    import numpy as np

    last = lists.last_clicks
    found: NDArray[np.int64] = np.where(last > 0, np.minimum(lists.positions - last, 3), 0)
    return found


def _tiers(lists: Lists, frequency: dict[str, int]) -> NDArray[np.int64]:
    """The tier of each list's query: thirds of the sessions, the most frequent queries first."""
    import numpy as np

    names = lists.names.get_column("query")
    numbers = names.rle_id().to_numpy()
    sizes = np.array([frequency[name] for name in names.rle().struct.field("value")], np.float64)
    of = numbers[lists.pairs[:, 0]]
    here = np.bincount(of, lists.counts, len(sizes))
    order = np.argsort(-sizes, kind="stable")
    middles = np.cumsum(here[order]) - here[order] / 2
    tiers = np.zeros(len(sizes), np.int64)
    tiers[order] = np.minimum(middles / here.sum() * len(TIERS), len(TIERS) - 1).astype(np.int64)
    found: NDArray[np.int64] = tiers[of]
    return found


def _saturated(lists: Lists, chances: Values) -> Values:
    """The chances, their odds shifted to the click rate of each position and previous click."""
    import numpy as np

    cells = (lists.positions * len(CONTEXTS) + _contexts(lists))[lists.shown]
    counts = np.broadcast_to(lists.counts[:, None], lists.shown.shape)[lists.shown]
    known = np.clip(chances[lists.shown], 1e-6, 1 - 1e-6)
    clicks = np.bincount(cells, lists.clicked[lists.shown] * counts)
    odds = np.log(known / (1 - known))
    shift = np.zeros(len(clicks))
    for _ in range(8):
        now = 1 / (1 + np.exp(-odds - shift[cells]))
        gap = clicks - np.bincount(cells, now * counts)
        slope = np.bincount(cells, now * (1 - now) * counts)
        step = np.divide(gap, slope, out=np.zeros_like(gap), where=slope > 0)
        shift = np.clip(shift + np.clip(step, -2, 2), -20, 20)
    found = chances.copy()
    found[lists.shown] = 1 / (1 + np.exp(-odds - shift[cells]))
    return found
