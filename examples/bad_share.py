"""A measure of one's own, for `relkit evaluate … --plugin examples/bad_share.py`."""

from collections.abc import Iterator
from dataclasses import dataclass

import relkit


@relkit.register
@dataclass(frozen=True)
class BadShare(relkit.Measure):
    """Share of the first k documents that are graded 0."""

    name = "bad_share"
    better = "lower"
    k: int | None = None

    def steps(self, ranking: relkit.Ranking) -> Iterator[relkit.Step]:
        shown, bad = ranking.top(self.k), 0
        for entry in shown:
            is_bad = entry.grade == 0
            bad += is_bad
            share, total = is_bad / len(shown), bad / len(shown)
            yield relkit.Step(
                entry.rank, entry.document, entry.grade, float(is_bad), 1.0, share, total
            )
