"""A log of decisions as off-policy estimators see it: what was shown, earned, and how likely."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from relyon import _native
from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note
from relyon.core.parameters import check_choice, check_whole
from relyon.core.texts import message
from relyon.data.lazy import gather
from relyon.data.sessions import Sessions
from relyon.io.log_checks import read_log
from relyon.io.session_readers import line_of

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Values = NDArray[np.float64]

__all__ = ["NOTHING", "Feedback", "Propensities", "Reward", "read_feedback"]

#: The placeholder for an empty position.
NOTHING = -1

Propensities = Literal["auto", "list", "position", "conditional", "none"]
Reward = Literal["auto", "clicked", "reward"]


@dataclass(frozen=True)
class Feedback:
    """Decisions of a log: n sessions, each with up to k places; `read_feedback` makes it.

    Where every session has one result, each is a decision about its own position: k is 1, and a
    context is a query at a position. Otherwise a context is a query, and places are positions 1 to
    k; a place without a result shows nothing, which is a decision, too.

    Attributes:
        contexts: `query` and `position`, which is null where whole lists were decided.
        context: The context of each session: a row of `contexts`. Shape (n,).
        documents: What was shown: a row of `names`, or `NOTHING`. Shape (n, k).
        rewards: The reward, such as a click. Shape (n, k).
        positions: The position of each place. Shape (contexts, k).
        propensities: How likely it was, NaN where nothing was shown; None if the log lacks
            it. Shape (n, k).
        given: What the propensities are of.
        names: The documents.
        hashes: Hashes of the session ids.
        bounds: The least and the most that a place can earn.
        clicks: Whether rewards are clicks.
        sessions: The log.
        users: The user of each session, numbered from 0; None if the log has none. Shape (n,).
        notes: What was left out, and why.
    """

    contexts: pl.DataFrame
    context: Whole
    documents: Whole
    rewards: Values
    positions: Whole
    propensities: Values | None
    given: Propensities
    names: pl.Series
    hashes: NDArray[np.uint64]
    bounds: tuple[float, float]
    clicks: bool
    sessions: Sessions
    users: Whole | None = None
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        """The number of sessions."""
        return len(self.context)

    @property
    def places(self) -> int:
        """The number of places of a session."""
        return int(self.documents.shape[1])

    @property
    def single(self) -> bool:
        """Whether each session is one decision about its own position."""
        return not self.contexts.get_column("position").has_nulls()

    @property
    def path(self) -> str:
        """The file, or an empty text."""
        return self.sessions.path

    @cached_property
    def counts(self) -> Values:
        """The number of sessions of each context."""
        import numpy as np

        return np.bincount(self.context, minlength=self.contexts.height).astype(np.float64)

    @cached_property
    def totals(self) -> Values:
        """The reward of each session."""
        found: Values = self.rewards.sum(axis=1)
        return found

    @property
    def queries(self) -> int:
        """The number of queries."""
        return int(self.contexts.get_column("query").n_unique())

    def within(self, covered: NDArray[np.bool_]) -> Feedback:
        """Returns the sessions of some contexts.

        Args:
            covered: Whether each context is wanted.
        """
        import numpy as np
        import polars as pl

        rows = covered[self.context]
        given = None if self.propensities is None else self.propensities[rows]
        return replace(
            self,
            contexts=self.contexts.filter(pl.Series(covered)),
            context=(np.cumsum(covered) - 1)[self.context[rows]],
            documents=self.documents[rows],
            rewards=self.rewards[rows],
            positions=self.positions[covered],
            propensities=given,
            hashes=self.hashes[rows],
            users=None
            if self.users is None
            else np.unique(self.users[rows], return_inverse=True)[1],
        )


def read_feedback(
    log: object,
    *,
    depth: int = 10,
    propensities: Propensities = "auto",
    reward: Reward = "auto",
) -> Feedback:
    """Reads a log of decisions into memory, which grows with its rows.

    Args:
        log: What `relyon.read_sessions` takes; of single decisions only the document has to be
            there: without a session, every row is one, without a query there is one, without a
            position all are at 1.
        depth: Ignore positions after this one.
        propensities: What the column `propensity` is of: the `list`, the document at its
            `position`, or the document given those above it (`conditional`); `none` leaves it out;
            `auto` takes the first that can be meant.
        reward: The column of what a result earned; `auto` takes the clicks where there are any.

    Raises:
        InputError: If the log has no reward, contains no sessions, has two results of a
            session at one position, or a propensity is missing, or not above 0 and at most 1.
        ParameterError: If the log has propensities of lists, and `propensities` does not choose.
    """
    import numpy as np
    import polars as pl

    check_whole("depth", depth)
    check_choice("propensities", propensities, get_args(Propensities))
    check_choice("reward", reward, get_args(Reward))
    sessions = read_log(log, kind="decisions")
    path = sessions.path
    earned = _earned(sessions, reward, path)
    if propensities not in ("auto", "none") and "propensity" not in sessions.columns:
        raise InputError(
            message("labels.log-has-no-propensities"),
            path=path,
            hint=message("labels.name-column"),
        )
    frame = _frame(sessions, earned, propensities != "none")
    _check_values(frame, path)
    kept = frame.drop_nulls(["session", "query", "doc", "position"])
    if "shown" in kept.columns:
        kept = kept.filter(pl.col("shown"))
    low = kept.filter(pl.col("position") < 1)
    if low.height:
        raise InputError(
            message(
                "core.session-has-result",
                session=low.item(0, "session"),
                position=low.item(0, "position"),
            ),
            path=path,
            hint=message("core.relyon-logs-doctor-log"),
        )
    notes = list(sessions.notes)
    if kept.height < frame.height:
        notes.append(Note("clicks-rows-left-out", frame.height - kept.height, "warning"))
    top = kept.filter(pl.col("position") <= depth)
    if top.height < kept.height:
        count = kept.height - top.height
        notes.append(Note("clicks-deep", count, values={"depth": depth}))
    if top.is_empty():
        raise InputError(
            message("labels.no-session-in-log", depth=depth),
            path=path,
        )
    shared = top.filter(pl.struct("session", "query", "position").is_duplicated())
    if shared.height:
        raise InputError(
            message(
                "labels.session-has-two-results",
                session=shared.item(0, "session"),
                position=shared.item(0, "position"),
            ),
            path=path,
            hint=message("labels.relyon-logs-doctor-says"),
        )
    top = top.with_columns(unit=pl.struct("session", "query").rank("dense").cast(pl.Int64) - 1)
    single = top.get_column("unit").n_unique() == top.height
    given = _given(propensities, "propensity" in top.columns, single, path)
    # Sessions keep the order of the log, which an always-valid interval follows.
    if single:
        units = top
    else:
        columns = [name for name in ("session", "query", "user") if name in top.columns]
        units = top.group_by("unit", maintain_order=True).agg(pl.col(columns).first())
    where = ["query", "position"] if single else ["query"]
    contexts = units.select(where).unique().sort(where)
    if not single:
        contexts = contexts.with_columns(position=pl.lit(None, pl.Int64))
    numbered = contexts.select(where).with_row_index("context")
    context = units.join(numbered, on=where, how="left", maintain_order="left")["context"]
    names = top.get_column("doc").unique().sort()
    top = top.join(
        pl.DataFrame({"doc": names}).with_row_index("code"), on="doc", maintain_order="left"
    )
    count = units.height
    places = 1 if single else int(top.get_column("position").max())  # type: ignore[arg-type]
    if single:
        row, place = np.arange(count), np.zeros(count, np.int64)
        positions = contexts["position"].to_numpy().reshape(-1, 1).astype(np.int64)
    else:
        order = np.empty(count, np.int64)
        order[units["unit"].to_numpy()] = np.arange(count)
        row, place = order[top["unit"].to_numpy()], top["position"].to_numpy() - 1
        positions = np.tile(np.arange(1, places + 1), (contexts.height, 1))
    documents = np.full((count, places), NOTHING, np.int64)
    documents[row, place] = top["code"].to_numpy()
    rewards = np.zeros((count, places))
    rewards[row, place] = top["earned"].cast(pl.Float64).to_numpy()
    likely = None
    if given != "none":
        likely = np.full((count, places), np.nan)
        likely[row, place] = top["propensity"].to_numpy()
        if given == "list":
            _check_lists(likely, units, path)
    users = _users(units, notes)
    clicks = earned == "clicked"
    return Feedback(
        contexts=contexts,
        context=context.to_numpy().astype(np.int64),
        documents=documents,
        rewards=rewards,
        positions=positions,
        propensities=likely,
        given=given,
        names=names,
        hashes=_native.hash_ids(units.get_column("session")),
        bounds=(
            (0.0, 1.0)
            if clicks
            else (min(0.0, float(rewards.min())), float(rewards.max(initial=0)))
        ),
        clicks=clicks,
        sessions=_complete(sessions, top),
        users=users,
        notes=tuple(notes),
    )


def _earned(sessions: Sessions, reward: Reward, path: str) -> str:
    """Returns the column of what a result earned."""
    wanted = ("clicked", "reward") if reward == "auto" else (reward,)
    found = next((name for name in wanted if name in sessions.columns), "")
    if not found:
        raise InputError(
            message("labels.log-has-neither-clicks"),
            path=path,
            hint=message("labels.name-column-columns-clicked"),
        )
    return found


def _frame(sessions: Sessions, earned: str, propensities: bool) -> pl.DataFrame:
    """Reads what is wanted, in the order of the log, and fills what single decisions lack."""
    import polars as pl

    there = sessions.columns
    wanted = ["session", "query", "doc", "position", "shown", "timestamp", "user", earned]
    if propensities:
        wanted.append("propensity")
    chosen = [name for name in wanted if name in there]
    frame = gather(sessions.frame.select(chosen)).with_row_index("row")
    frame = frame.rename({earned: "earned"})
    if "session" not in there:
        frame = frame.with_columns(session=pl.col("row").cast(pl.String))
    if "query" not in there:
        frame = frame.with_columns(query=pl.lit("*"))
    if "position" not in there:
        frame = frame.with_columns(position=pl.lit(1, pl.Int64))
    if "timestamp" in there:
        frame = frame.sort("timestamp", maintain_order=True)
    return frame


def _check_values(frame: pl.DataFrame, path: str) -> None:
    """Refuses a propensity or a reward that cannot be one, and names its line."""
    import polars as pl

    shown = frame.filter(pl.col("doc").is_not_null())
    if "propensity" in frame.columns:
        number = pl.col("propensity")
        good = (number.is_finite() & (number > 0) & (number <= 1)).fill_null(False)
        bad = shown.filter(~good).sort("row")
        if bad.height:
            value = bad.item(0, "propensity")
            raise _at_line(
                message(
                    "labels.propensity-is-not-above",
                    value="" if value is None else value,
                ),
                path,
                bad.item(0, "row"),
                message("labels.log-probability-of-showing"),
            )
    earned = pl.col("earned").cast(pl.Float64)
    bad = shown.filter(~earned.is_finite().fill_null(False)).sort("row")
    if bad.height:
        value = bad.item(0, "earned")
        raise _at_line(
            message("labels.reward-is-not-number", value="" if value is None else value),
            path,
            bad.item(0, "row"),
            message("labels.result-without-reward"),
        )


def _users(units: pl.DataFrame, notes: list[Note]) -> Whole | None:
    """Returns the user of each session; one without a user is a user of its own."""
    import polars as pl

    if "user" not in units.columns:
        return None
    nobody = units.get_column("user").null_count()
    if nobody:
        notes.append(Note("mixed-anonymous", nobody, "warning"))
    # No user has such an id.
    own = pl.format("\0{}", pl.int_range(pl.len()))
    named = units.select(pl.col("user").cast(pl.String).fill_null(own)).to_series()
    return named.rank("dense").to_numpy().astype("int64") - 1


def _at_line(text: str, path: str, row: int, hint: str) -> InputError:
    line = line_of(path, row) if path else 0
    if line:
        return InputError(text, path=f"{path}:{line}", hint=hint)
    return InputError(message("labels.row-text", row=row + 1, text=text), path=path, hint=hint)


def _given(wanted: Propensities, there: bool, single: bool, path: str) -> Propensities:
    """Returns what the propensities refer to."""
    if not there:
        return "none"
    if single:
        return "position"
    if wanted == "auto":
        raise ParameterError(
            message("labels.log-has-propensities"),
            hint=message("labels.propensities-list"),
        )
    return wanted


def _check_lists(likely: Values, units: pl.DataFrame, path: str) -> None:
    """Refuses lists whose results have different propensities."""
    import numpy as np

    with np.errstate(invalid="ignore"):
        differ = np.nanmax(likely, axis=1) > np.nanmin(likely, axis=1) * (1 + 1e-9)
    if differ.any():
        first = int(np.argmax(differ))
        raise InputError(
            message(
                "labels.session-has-two-propensities",
                session=units.item(first, "session"),
            ),
            path=path,
            hint=message("labels.if-they-are-per"),
        )


def _complete(sessions: Sessions, top: pl.DataFrame) -> Sessions:
    """Returns the log with the columns that single decisions may lack."""
    if {"session", "query", "position"} <= set(sessions.columns):
        return sessions
    named = top.select("session", "query", "position", "doc", clicked="earned")
    return Sessions.from_frame(named, source=sessions.source)
