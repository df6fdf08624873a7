"""What the runs of a leaderboard cost: a table, or the tapes beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from relyon.cli.request import option, request

__all__ = ["Costed"]


@request
class Costed:
    """Where costs come from."""

    costs: str | None = option(
        "--costs",
        metavar="FILE",
        help="A table with a column name and one column of numbers per cost, such as p50 (ms),"
        " size or price: quality against each of them. Lower is better.  [default: p50 and p95 of"
        " the tapes beside the runs, if all have one]",
    )

    @property
    def paths(self) -> list[str]:
        """The file, which may not be written to."""
        return [] if self.costs is None else [self.costs]

    def found(self, names: Sequence[str], runs: Mapping[str, str]) -> object:
        """Returns costs by run: those of the table, else the latencies on tapes; None without.

        Args:
            names: The names of the runs.
            runs: The files of the runs by name, as far as there are any.
        """
        if self.costs is not None:
            from relyon.analysis.leaderboard import read_costs

            by_cost = read_costs(self.costs, names)
            return {
                name: {cost: column[name] for cost, column in by_cost.items() if name in column}
                for name in names
            }
        from relyon.io.tapes import has_tape

        if not runs or not all(map(has_tape, runs.values())):
            return None
        from relyon.cli.tapes import recorded_beside
        from relyon.engines.latency import Latency

        found = {}
        for name, path in runs.items():
            recorded = recorded_beside(path)
            if recorded is None:
                return None
            one = Latency.of(recorded.entries.values())
            times = {"p50": one.p50, "p95": one.p95}
            found[name] = {cost: time for cost, time in times.items() if time is not None}
        return found if all(found.values()) else None
