"""Runs mixed into the lists that users will see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import TYPE_CHECKING

from relyon.core.errors import InputError, ParameterError
from relyon.core.notes import Note, warn
from relyon.core.parameters import check_items, check_whole
from relyon.core.texts import message
from relyon.data.run import Run
from relyon.io import read_run
from relyon.online.experiments.interleaving.method import Interleaving
from relyon.online.experiments.interleaving.mixed_lists import CREDIT, MixedLists, method_of

if TYPE_CHECKING:
    pass

__all__ = ["mix_runs"]

DEEPEST = 100


def mix_runs(
    runs: Iterable[object] | Mapping[str, object],
    method: str | Interleaving = "team-draft",
    *,
    depth: int = 10,
    draws: int = 1,
    seed: int = 0,
) -> MixedLists:
    """Mixes runs into lists for users, in which each result belongs to one of the runs.

    Documents are ordered by their scores, equal ones by descending id. Queries that a run lacks are
    left out. A list depends on the seed, the query, the number of the draw and the runs, and on
    nothing else; its id is the query, `#` and that number from 1. Give each session a draw of its
    own, or one of many: with few draws the luck of who was first stays in the result.

    Args:
        runs: Two runs or more: what `relyon.read_run` takes, or a mapping from names to that. The
            first one is the baseline.
        method: `team-draft`, `balanced`, `probabilistic`, `optimised`, or a method with parameters
            of its own; the second and fourth take two runs.
        depth: Positions of a mixed list, at most 100.
        draws: Lists per query.
        seed: The same seed gives the same lists.

    Raises:
        InputError: If a run cannot be read, or no query is in all of them.
        ParameterError: If there are fewer than two runs, too many for the method, or two of one
            name, or another parameter cannot be.
        UnknownNameError: If the method is unknown.

    Examples:
        >>> old, new = {"tv": {"a": 3, "b": 2, "c": 1}}, {"tv": {"c": 3, "a": 2, "b": 1}}
        >>> mixed = mix_runs({"old": old, "new": new}, depth=3, seed=1)
        >>> mixed.lists.select("position", "document", "owner").rows()
        [(1, 'c', 'new'), (2, 'a', 'old'), (3, 'b', 'old')]
    """
    import polars as pl

    chosen = method_of(method)
    for name, value, least in (("depth", depth, 1), ("draws", draws, 1), ("seed", seed, 0)):
        check_whole(name, value, least=least)
    if depth > DEEPEST:
        raise ParameterError(
            message(
                "core.parameter-must-be-or-less",
                name="depth",
                most=DEEPEST,
                value=depth,
            )
        )
    found = _read(runs, chosen)
    names = [run.name for run in found]
    columns = ["mixture", "query", "position", "document", "owner", "method"]
    credits = [f"{CREDIT}{name}" for name in names]
    rankings = [_ranked(run) for run in found]
    queries = [query for query in found[0].queries if all(query in run for run in rankings)]
    if not queries:
        raise InputError(
            message("online.no-query-is-in-all"),
            hint=message("online.do-query-ids-agree"),
        )
    rows = []
    for query in queries:
        draw = chosen.plan([run[query] for run in rankings], depth)
        for number in range(1, draws + 1):
            mixture = f"{query}#{number}"
            for position, one in enumerate(draw(Random(f"{seed}/{mixture}")), 1):
                owner = None if one.owner is None else names[one.owner]
                rows.append(
                    (mixture, query, position, one.document, owner, chosen.name, *one.credits)
                )
    schema = {
        **dict.fromkeys(columns, pl.String),
        "position": pl.Int64,
        **dict.fromkeys(credits, pl.Float64),
    }
    lists = pl.DataFrame(rows, schema=schema, orient="row")
    lists = lists.with_columns(pl.col(credits).fill_nan(None))
    every = {query for run in rankings for query in run}
    notes = [note.about(run.name) for run in found for note in run.notes]
    if len(every) > len(queries):
        kept = set(queries)
        some = tuple([query for query in sorted(every) if query not in kept][:3])
        notes.append(Note("mix-queries", len(every) - len(queries), "warning", some))
    warn(notes)
    return MixedLists(lists, chosen.name, tuple(names), notes=tuple(notes))


def _read(runs: Iterable[object] | Mapping[str, object], method: Interleaving) -> list[Run]:
    named = runs if isinstance(runs, Mapping) else None
    values = check_items("runs", runs if named is None else named.values(), "a list of runs")
    most = method.most or len(values)
    if not 2 <= len(values) <= most:
        raise ParameterError(
            message(
                "online.mixes-runs",
                method=method.name,
                count=message("two") if method.most else message("two or more"),
                given=len(values),
            ),
            hint=message("online.team-draft-and-probabilistic-mix") if len(values) > 2 else "",
        )
    found = [value if isinstance(value, Run) else read_run(value) for value in values]
    if named is not None:
        found = [
            Run(run.table, name=str(name), source=run.source, notes=run.notes)
            for name, run in zip(named, found, strict=True)
        ]
    names = [run.name for run in found]
    if len(set(names)) < len(names):
        raise ParameterError(
            message("online.two-runs-have-one-name", names=[f"`{name}`" for name in names]),
            hint=message("online.give-mapping-from-names"),
        )
    return found


def _ranked(run: Run) -> dict[str, list[str]]:
    """Returns the documents of each query, best first."""
    import polars as pl

    frame = run.to_frame().sort(["score", "document"], descending=True)
    lists = frame.group_by("query", maintain_order=True).agg(pl.col("document"))
    return dict(lists.rows())
