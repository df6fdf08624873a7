"""Simulated logs: users of a click model over runs and judgments, and the truth about them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.core.document.exportable import Exportable
from relyon.core.document.json import json_text, json_values
from relyon.core.errors import ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_whole
from relyon.core.texts import message
from relyon.data.sessions import Sessions
from relyon.io.atomic_files import replaced_file
from relyon.io.readers import read_judgments
from relyon.io.session_writers import write_sessions
from relyon.io.table_files import write_table
from relyon.labels.derivation import model_of
from relyon.labels.model import ClickModel, FittedModel
from relyon.labels.simulation.attraction import Grading, graded_pairs
from relyon.labels.simulation.crowd import Crowd
from relyon.labels.simulation.session_blocks import BLOCK, Block, Drawing
from relyon.labels.simulation.shown_lists import lists_of_runs, named_runs
from relyon.labels.simulation.simulated_log import SimulatedLog
from relyon.labels.user_behaviour import UserBehaviour

if TYPE_CHECKING:
    import polars as pl

    #: Called with the sessions that are drawn and all of them.
    Progress = Callable[[int, int], None]

__all__ = ["Simulation", "simulate"]


@dataclass(frozen=True)
class Simulation(Exportable):
    """Simulated users and their log.

    As a table it is the truth about pairs; the log itself is drawn when it is read.

    Attributes:
        drawing: Where sessions are drawn from.
        sessions: How many there are.
        pairs: `query`, `document`, `grade` (null where unjudged), `attraction`, `satisfaction` and
            `relevance`, which the click model makes of them: what its labels are to find.
    """

    drawing: Drawing
    sessions: int
    pairs: pl.DataFrame

    @property
    def truth(self) -> FittedModel:
        """The click model with its true parameters."""
        return self.drawing.fitted

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the parts that were left out."""
        left_out = self.drawing.shown_lists.left_out
        return (Note("simulated-without", left_out, "warning"),) if left_out else ()

    @cached_property
    def log(self) -> Sessions:
        """The log, drawn block by block each time it is read: the same rows every time."""
        return self._plan()

    def collect(self) -> pl.DataFrame:
        """Returns all rows of the log."""
        return self.log.collect()

    def write(
        self, path: str | os.PathLike[str], *, progress: Progress | None = None
    ) -> SimulatedLog:
        """Writes the log while it is drawn: memory does not grow with it.

        Args:
            path: Parquet, CSV or JSON Lines, the last two also compressed; a file that is there is
                replaced.
            progress: Called with the sessions that are drawn and all of them.

        Raises:
            ParameterError: If the name says no such format.
            InputError: If the file cannot be written.
        """
        log = SimulatedLog()

        def count(block: Block) -> None:
            nonlocal log
            log = log.plus(block)
            if progress is not None:
                progress(log.sessions, self.sessions)

        write_sessions(self._plan(count), path)
        return log

    def write_truth(self, path: str | os.PathLike[str]) -> None:
        """Writes what is true: of `.json` everything, in tables the pairs.

        Args:
            path: `.json`, `.parquet`, `.csv`, `.tsv` or `.jsonl`; a file that is there is replaced.

        Raises:
            ParameterError: If the name says no such format.
            InputError: If the file cannot be written.
        """
        target = os.fspath(path)
        if not target.lower().endswith(".json"):
            write_table(self.pairs, target)
            return
        with replaced_file(target) as partial, open(partial, "x", encoding="utf-8") as file:
            file.write(json_text(self.to_dict() | {"pairs": self.pairs.to_dicts()}) + "\n")

    def to_frame(self) -> pl.DataFrame:
        """Returns one row per pair: the truth."""
        return self.pairs

    def to_dict(self) -> dict[str, object]:
        """Returns a summary of the simulation, and the parameters that all pairs share."""
        import numpy as np

        shared = self.truth.parameters.shared
        return {
            "model": self.truth.model.name,
            "sessions": self.sessions,
            "seed": self.drawing.seed,
            "arms": list(self.drawing.shown_lists.arms),
            "queries": len(self.drawing.shown_lists.queries),
            "left_out": self.drawing.shown_lists.left_out,
            "shared": {
                name: json_values(np.atleast_1d(of).tolist()) for name, of in shared.items()
            },
            "pairs": self.pairs.height,
        }

    def _plan(self, each: Callable[[Block], None] | None = None) -> Sessions:
        """The log as a plan that Polars carries out; `each` is called with every block."""
        from polars.io.plugins import register_io_source

        drawing, sessions = self.drawing, self.sessions

        def source(
            columns: list[str] | None,
            predicate: pl.Expr | None,
            limit: int | None,
            batch: int | None,
        ) -> Iterator[pl.DataFrame]:
            left = limit
            for first in range(0, sessions, BLOCK):
                block = drawing.block(first // BLOCK)
                rows = drawing.rows(block)
                if sessions - first < BLOCK:
                    block = block.head(sessions - first)
                    rows = rows.head(int(block.lists.shown.sum()))
                if each is not None:
                    each(block)
                if predicate is not None:
                    rows = rows.filter(predicate)
                if left is not None:
                    rows = rows.head(left)
                    left -= rows.height
                yield rows if columns is None else rows.select(columns)
                if left == 0:
                    break

        schema = drawing.rows(drawing.block(0)).schema
        return Sessions.from_frame(register_io_source(source, schema=schema))


def simulate(
    runs: object,
    judgments: object = None,
    model: str | ClickModel | FittedModel = "pbm",
    *,
    sessions: int,
    seed: int = 0,
    behaviour: UserBehaviour | None = None,
    crowd: Crowd | None = None,
    attraction: Grading | None = None,
    satisfaction: Grading | None = None,
    epsilon: float = 0.1,
) -> Simulation:
    """Simulates users of a click model, over the lists of runs.

    With grade g of at most m a click on a document satisfies with R = (2^g − 1) / 2^m, and what is
    examined attracts with ε + (1 − ε)R; unjudged documents have the grade 0. Without judgments R is
    drawn from Beta(1, 3). Clicks are drawn by the model; dwell times are log-normal, longer where a
    click satisfied, which is drawn for them apart from what the model draws. Queries for which
    some run has no result are left out.

    The same seed gives the same log, and a longer log begins with a shorter one.

    Args:
        runs: What `relyon.read_run` takes, a list of those, or a mapping of names to them. With
            several, each user is in one arm, and `bucket` says in which.
        judgments: What `relyon.read_judgments` takes, or None.
        model: A click model or its name; or one that was fitted, or whose parameters are known
            (`ClickModel.known`): it then simulates what it has found.
        sessions: How many searches.
        seed: Random seed.
        behaviour: How users go through lists: examination, going on, and how deep.
        crowd: Who searches, what for, and what happens to lists, clicks and fields.
        attraction: The attraction of each grade, in place of that formula.
        satisfaction: The satisfaction of each grade, likewise.
        epsilon: ε, by which also what is of no use attracts.

    Raises:
        InputError: If a run or the judgments cannot be read, or no query has results.
        ParameterError: If a number is not a probability, or a grade has none.
        UnknownNameError: If no model has that name.

    Examples:
        >>> run = {"tv": {"good": 3.0, "fair": 2.0, "bad": 1.0}}
        >>> judgments = {"tv": {"good": 2, "fair": 1, "bad": 0}}
        >>> users = simulate(run, judgments, sessions=1000, behaviour=UserBehaviour(eta=1))
        >>> users.pairs.select("document", "attraction").rows()
        [('bad', 0.1), ('fair', 0.325), ('good', 0.775)]
        >>> users.truth.parameters.shared["examination"][:2].tolist()
        [1.0, 0.5]
        >>> users.log.columns[:6]
        ('session', 'query', 'timestamp', 'position', 'doc', 'clicked')

    References:
        Chapelle, Metzler, Zhang, Grinspan, Expected reciprocal rank for graded relevance (2009): R;
        Ai, Bi, Luo, Guo, Croft, Unbiased learning to rank with unbiased propensity estimation
        (2018): ε.
    """
    check_whole("sessions", sessions)
    check_whole("seed", seed, least=0)
    if not 0 <= epsilon <= 1:
        raise ParameterError(
            message(
                "labels.parameter-must-be-probability",
                name="epsilon",
                value=epsilon,
            )
        )
    fitted = model if isinstance(model, FittedModel) else None
    if fitted is not None and behaviour is not None:
        raise ParameterError(
            message("labels.fitted-model-has-own-behaviour"),
            hint=message("labels.leave-out-behaviour"),
        )
    behaviour = behaviour or UserBehaviour()
    shown_lists = lists_of_runs(named_runs(runs), fitted.depth if fitted else behaviour.depth)
    pairs = graded_pairs(
        shown_lists.names,
        None if judgments is None else read_judgments(judgments),
        attraction=attraction,
        satisfaction=satisfaction,
        epsilon=epsilon,
        seed=seed,
    )
    if fitted is None:
        fitted = model_of(model).known(pairs, behaviour)  # type: ignore[arg-type]
    fitted = fitted.on(shown_lists.names)
    known = fitted.parameters.pairs
    pairs = pairs.with_columns(**{name: known[name] for name in PER_PAIR if name in known})
    pairs = pairs.with_columns(relevance=fitted.model.relevance(fitted.parameters).value)
    crowd = crowd or Crowd()
    crowd.weights(shown_lists.queries, seed)
    crowd.places(shown_lists.queries)
    satisfies = pairs.get_column("satisfaction").to_numpy()
    simulation = Simulation(Drawing(shown_lists, fitted, satisfies, crowd, seed), sessions, pairs)
    warn(simulation.notes)
    return simulation


#: What a fitted model may know of a pair better than its grade says.
PER_PAIR = ("attraction", "satisfaction")
