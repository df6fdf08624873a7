"""A measure of one's own, for `relyon evaluate … --plugin examples/bad_share.py`."""

from collections.abc import Iterator
from dataclasses import dataclass

import relyon


@relyon.register
@dataclass(frozen=True)
class BadShare(relyon.Measure):
    """Share of the first k documents that are graded 0."""

    name = "bad_share"
    better = "lower"
    k: int | None = None

    def steps(self, ranking: relyon.Ranking) -> Iterator[relyon.Step]:
        shown, bad = ranking.top(self.k), 0
        for entry in shown:
            is_bad = entry.grade == 0
            bad += is_bad
            share, total = is_bad / len(shown), bad / len(shown)
            yield relyon.Step(
                entry.rank, entry.document, entry.grade, float(is_bad), 1.0, share, total
            )
