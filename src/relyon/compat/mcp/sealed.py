"""The sealed set: which queries are held out, what is left for the open tools, and a check."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import os
import secrets
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon import _native
from relyon.compat.mcp.looks import Look, Looks, best
from relyon.compat.mcp.rule import LEAST_LEVEL, detectable, least_queries, level_of
from relyon.compat.mcp.settings import Sealing
from relyon.core.errors import InputError, ParameterError, RelyonError
from relyon.core.parameters import check_fraction, check_whole
from relyon.core.texts import message
from relyon.data.convention import load_convention
from relyon.data.input_fingerprints import (
    content_of,
    convention_fingerprint,
    query_ids_fingerprint,
    scale_fingerprint,
)
from relyon.data.judgments import Judgments
from relyon.data.run import Run
from relyon.evaluation import Evaluator
from relyon.io import read_judgments, read_run
from relyon.measures import measure as parse_measure

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.measures import Measure

__all__ = ["Checked", "SealedSet", "judged_only", "ranked_only", "ranking_fingerprint"]

#: The end of a state's name; its beginning is the fingerprint of the judgments.
ENDING = ".sealed"
#: A spread of differences by query to state the price of a look with, as of NDCG@10.
SPREAD = 0.15
#: Settings of a state that the person gives, in the order in which a change is named.
GIVEN = ("measure", "looks", "alpha", "held_out", "share", "convention")


def judged_only(judgments: Judgments, keep: Set[str]) -> Judgments:
    """Returns the judgments of some queries, without notes on the others."""
    chosen = [query for query in judgments if query in keep]
    if judgments.has_subtopics:
        table = _native.JudgmentTable.from_dict({one: judgments.subtopics(one) for one in chosen})
    else:
        table = _native.JudgmentTable.from_dict({one: judgments[one] for one in chosen})
    return Judgments(
        table, scale=judgments.scale, source=judgments.source, names_in=judgments.names_in
    )


def ranked_only(run: Run, keep: Set[str]) -> Run:
    """Returns the results of some queries, without notes on the others."""
    chosen = {query: run[query] for query in run if query in keep}
    return Run(_native.RunTable.from_dict(chosen), name=run.name, source=run.source)


def ranking_fingerprint(run: Run) -> str:
    """Returns the fingerprint of a run with scores replaced by their rank among the distinct ones.

    It depends on the order of each query's documents and on ties, not on the scale of the scores,
    the order of rows, the format or the name of a file.

    Examples:
        >>> one = Run.from_dict({"q": {"a": 2.0, "b": 1.0, "c": 1.0}})
        >>> two = Run.from_dict({"q": {"c": -7, "b": -7, "a": 30}})
        >>> ranking_fingerprint(one) == ranking_fingerprint(two)
        True
        >>> ranking_fingerprint(one) == ranking_fingerprint(Run.from_dict({"q": {"a": 1.0}}))
        False
    """
    ranks: dict[str, dict[str, float]] = {}
    for query in run:
        scores = run[query]
        places = {score: -place for place, score in enumerate(sorted(set(scores.values()))[::-1])}
        ranks[query] = {document: float(places[score]) for document, score in scores.items()}
    return content_of(_native.RunTable.from_dict(ranks)).whole


@dataclass(frozen=True)
class Checked:
    """The answer to a look.

    Attributes:
        answer: `better`, `not distinguishable` or `out of looks`.
        left: The looks left.
        looks: All looks.
        charged: Whether this call cost a look; the same run is answered from the record.
        against: The name of the run that it was compared with; empty if it was not.
        missing: Held-out queries that the run lacks; they have the worst value.
    """

    answer: str
    left: int
    looks: int
    charged: bool
    against: str
    missing: int


class SealedSet:
    """Held-out queries of some judgments, and the looks at them.

    Args:
        sealing: What the person gave.
        convention: The rules, or an empty string.
        scale: The grade scale, or an empty string.

    Raises:
        InputError: If files cannot be read, or differ from those that the set was sealed with.
        ParameterError: If a setting differs, or the set is too small to find anything.
    """

    def __init__(self, sealing: Sealing, convention: str = "", scale: str = "") -> None:
        check_whole("looks", sealing.looks, least=1)
        check_fraction("alpha", sealing.alpha)
        self.sealing = sealing
        self.convention = load_convention(convention or None)
        self.measure = _sealable(sealing.measure, self.convention)
        self._stamp = _stamp(sealing.judgments)
        judgments = read_judgments(sealing.judgments, scale=scale or None)
        self._whole = content_of(judgments.table).whole
        self._scale = scale
        self.looks = self._opened(judgments)
        found = self.looks.settings()
        salt = bytes.fromhex(str(found["salt"]))
        listed = found["queries"]
        if not isinstance(listed, list):
            raise InputError(
                message("compat.mcp-state-broken", reason="queries"), path=sealing.state
            )
        self.held_out = frozenset(map(str, listed))
        #: Held-out queries in an order that depends on the salt and their ids alone.
        self._order = sorted(self.held_out, key=lambda one: _hash(salt, "order", one))
        self.development = frozenset(judgments) - self.held_out
        self.open_judgments = judged_only(judgments, self.development)
        # Queries that a run lacks, or without a value, have the worst value: no error names them.
        undefined = "skip" if self.convention.undefined == "error" else self.convention.undefined
        rules = replace(self.convention, missing="zero", undefined=undefined)
        self._evaluator = Evaluator(judged_only(judgments, self.held_out), convention=rules)
        self._keep_baseline()

    def _opened(self, judgments: Judgments) -> Looks:
        """Returns the state of these judgments, which is created the first time."""
        sealing = self.sealing
        content = content_of(judgments.table)
        scale = scale_fingerprint(judgments.scale) or ""
        key = hashlib.sha256((content.whole + scale).encode()).hexdigest()[:32]
        path = os.path.join(sealing.state, key + ENDING)
        given: dict[str, object] = {
            "measure": str(self.measure.resolve(self.convention, judgments.scale)),
            "looks": sealing.looks,
            "alpha": sealing.alpha,
            "share": sealing.share,
            "held_out": "",
            "convention": convention_fingerprint(self.convention),
        }
        listed = _listed(sealing.held_out, judgments) if sealing.held_out else None
        if listed is not None:
            given["held_out"] = query_ids_fingerprint(listed)
        # A process that was killed at once leaves an empty file.
        if not os.path.exists(path) or not os.path.getsize(path):
            self._refuse_changed(judgments, path)
            salt = secrets.token_bytes(32)
            chosen = listed if listed is not None else _drawn(judgments, sealing.share, salt)
            _refuse_few(chosen, sealing)
            shown = content.by_query.shortened()
            settings = {
                **given,
                "salt": salt.hex(),
                "queries": sorted(chosen),
                "path": os.path.realpath(sealing.judgments),
                "contents": {one: shown[one] for one in chosen},
            }
            Looks.create(path, settings)
        found = Looks(path)
        stored = found.settings()
        for name in GIVEN:
            if stored.get(name) != given[name]:
                raise ParameterError(
                    message(
                        "compat.mcp-setting-changed",
                        name=name.replace("_", "-"),
                        stored=stored.get(name),
                        given=given[name],
                    ),
                    hint=message("compat.mcp-other-state", state=sealing.state),
                )
        return found

    def _refuse_changed(self, judgments: Judgments, path: str) -> None:
        """Refuses judgments that are those of another sealed set, but for a change."""
        folder = self.sealing.state
        real = os.path.realpath(self.sealing.judgments)
        own = content_of(judgments.table).by_query.shortened()
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if not name.endswith(ENDING) or not os.path.getsize(os.path.join(folder, name)):
                continue
            other = Looks(os.path.join(folder, name)).settings()
            contents = other.get("contents")
            sealed = contents if isinstance(contents, dict) else {}
            same = sum(own.get(query) == one for query, one in sealed.items())
            if same or other.get("path") == real:
                raise InputError(
                    message("compat.mcp-judgments-changed", same=same, total=len(sealed)),
                    path=self.sealing.judgments,
                    hint=message("compat.mcp-other-state", state=folder),
                )

    def _keep_baseline(self) -> None:
        run = read_run(self.sealing.baseline)
        held, missing = self._held(run)
        if missing == len(self.held_out):
            raise InputError(
                message("compat.mcp-run-lacks-held-out", count=missing), path=self.sealing.baseline
            )
        own = ranking_fingerprint(held)
        if self.looks.set_baseline(own, run.name, self._values(held)).run != own:
            raise InputError(
                message("compat.mcp-baseline-changed"),
                path=self.sealing.baseline,
                hint=message("compat.mcp-other-state", state=self.sealing.state),
            )

    def _held(self, run: Run) -> tuple[Run, int]:
        """Returns a run's held-out queries, and how many it lacks."""
        held = ranked_only(run, self.held_out)
        return held, len(self.held_out) - len(held.queries)

    def _values(self, held: Run) -> tuple[float, ...]:
        """Returns a run's values in the secret order, higher ones better.

        A query that the run lacks, or without a value, has the worst value: if it counted as equal
        to that of the best so far, a run that leaves queries out would make later runs look better.
        Values that negative grades take beyond 0 or 1 count as 0 or 1: an error would tell of them.
        """
        found = self._evaluator.evaluate(held, [self.measure]).values_by_query(self.measure)
        lower = self.measure.better == "lower"
        worst = float(lower)
        held_queries = frozenset(held)
        values = (found.get(one, worst) if one in held_queries else worst for one in self._order)
        bounded = (min(max(one, 0.0), 1.0) if math.isfinite(one) else worst for one in values)
        return tuple(-one if lower else one for one in bounded)

    def _values_of_candidate(self, held: Run) -> tuple[float, ...]:
        """Returns the values of a candidate; the worst ones if they cannot be computed.

        What an error says, and that there is one, can depend on the judgments.
        """
        try:
            return self._values(held)
        except RelyonError:
            return (-1.0 if self.measure.better == "lower" else 0.0,) * len(self._order)

    def verify(self) -> None:
        """Refuses to go on if the judgments were changed while the server runs.

        Raises:
            InputError: If they were.
        """
        now = _stamp(self.sealing.judgments)
        if now == self._stamp:
            return
        again = read_judgments(self.sealing.judgments, scale=self._scale or None)
        if content_of(again.table).whole != self._whole:
            raise InputError(
                message("compat.mcp-judgments-changed-now"), path=self.sealing.judgments
            )
        self._stamp = now

    def open_run(self, run: Run) -> Run:
        """Returns a run without held-out queries."""
        return ranked_only(run, frozenset(run) - self.held_out)

    def open_judged(self, judgments: Judgments) -> Judgments:
        """Returns other judgments without queries that have the id of a held-out one."""
        return judged_only(judgments, frozenset(judgments) - self.held_out)

    def check(self, run: Run) -> Checked:
        """Answers whether a run is better than the best one so far; costs a look if it is new.

        Args:
            run: The candidate, with its held-out queries.

        Raises:
            InputError: If it has no held-out query; this costs nothing.
        """
        self.verify()
        held, missing = self._held(run)
        if missing == len(self.held_out):
            raise InputError(
                message("compat.mcp-run-lacks-held-out", count=missing), path=run.source
            )
        own = ranking_fingerprint(held)
        total, alpha = self.sealing.looks, self.sealing.alpha
        values = self._values_of_candidate(held)
        found = self.looks.charge(own, run.name, values, total, alpha)
        if found is None:
            return Checked("out of looks", 0, total, False, "", missing)
        look = self.looks.settle(own)
        every = self.looks.all()
        answer = "not distinguishable" if look.answer == "baseline" else str(look.answer)
        against = every[look.against].name
        return Checked(answer, self.left(every), total, found.answer is None, against, missing)

    def level(self, looks: Sequence[Look]) -> float:
        """Returns the level of the next look."""
        better = sum(one.answer == "better" for one in looks)
        return level_of(self.sealing.looks, better, self.sealing.alpha)

    def left(self, looks: Sequence[Look]) -> int:
        """Returns the looks left."""
        if self.level(looks) < LEAST_LEVEL:
            return 0
        return max(0, self.sealing.looks + 1 - len(looks))

    def about(self) -> dict[str, object]:
        """Returns what may be known of the set: settings, counts, looks; nothing of its content."""
        looks = self.looks.all()
        left = self.left(looks)
        price = detectable(len(self.held_out), self.level(looks), SPREAD) if left else None
        return {
            "measure": self.sealing.measure,
            "development_queries": len(self.development),
            "held_out_queries": len(self.held_out),
            "looks": self.sealing.looks,
            "looks_left": left,
            "alpha": self.sealing.alpha,
            "baseline": looks[0].name,
            "best": best(looks).name,
            "answers": [{"run": one.name, "answer": one.answer} for one in looks[1:]],
            "detectable": None if price is None else round(price, 4),
            "spread": SPREAD,
        }


def _sealable(name: str, convention: Convention) -> Measure:
    """Returns a measure whose differences are bounded and that is a mean over queries."""
    found = parse_measure(name)
    if found.combine != "mean" or found.bounds != (0.0, 1.0) or found.needs != "judgments":
        raise ParameterError(
            message("compat.mcp-measure-not-sealable", name=name),
            hint=message("compat.mcp-sealable-measures"),
        )
    return found


def _hash(salt: bytes, purpose: str, query: str) -> bytes:
    text = f"{purpose}\0{query}".encode("utf-8", "surrogateescape")
    return hmac.new(salt, text, hashlib.sha256).digest()


def _drawn(judgments: Judgments, share: float | None, salt: bytes) -> list[str]:
    """Returns the queries whose salted hash is lowest: as many as the share says."""
    share = 0.0 if share is None else share
    check_fraction("share", share)
    order = sorted(judgments, key=lambda one: _hash(salt, "held out", one))
    return order[: round(share * len(order))]


def _listed(path: str, judgments: Judgments) -> list[str]:
    """Returns the ids of a file, one per line."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            found = [line.strip() for line in file]
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            message("core.cannot-be-read-strerror", strerror=reason), path=path
        ) from None
    ids = list(dict.fromkeys(one for one in found if one))
    unknown = [one for one in ids if one not in judgments]
    if unknown:
        raise InputError(
            message("compat.mcp-unknown-held-out", count=len(unknown), query=unknown[0]), path=path
        )
    return ids


def _refuse_few(chosen: Iterable[str], sealing: Sealing) -> None:
    count = len(list(chosen))
    least = least_queries(level_of(sealing.looks, 0, sealing.alpha))
    if count < least:
        raise ParameterError(
            message("compat.mcp-too-few-held-out", count=count, least=least, looks=sealing.looks),
            hint=message("compat.mcp-hold-out-more"),
        )


def _stamp(path: str) -> str:
    """Returns what changes when a file is replaced or written, as far as that is cheap to know."""
    try:
        about = os.stat(path)
    except OSError as error:
        raise InputError(
            message("core.cannot-be-read-strerror", strerror=error.strerror or error), path=path
        ) from None
    return json.dumps([about.st_size, about.st_mtime_ns, about.st_ino])
