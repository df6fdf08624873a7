"""Judgments drawn from the distribution of each label."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from relyon import _native
from relyon.core.notes import Note
from relyon.data.judgments import Judgments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LabelDraws"]


class LabelDraws:
    """Labels between 0 and 1 as Beta distributions with their mean and effective impressions.

    A label of 0 or 1, or without a weight, is constant.

    Attributes:
        judgments: The labels.
        notes: Why there is nothing to draw, or how many labels count as certain.
    """

    def __init__(self, judgments: Judgments) -> None:
        import numpy as np

        self.judgments = judgments
        self.notes: list[Note] = []
        self._shape: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        evidence = judgments.evidence
        if evidence is None:
            return
        if evidence.weight is None:
            self.notes.append(Note("labels-without-weight"))
            return
        if judgments.has_subtopics:
            self.notes.append(Note("labels-of-subtopics"))
            return
        if evidence.about.get("graded"):
            self.notes.append(Note("labels-graded"))
            return
        self._frame = judgments.to_frame()
        mean = self._frame.get_column("grade").to_numpy()
        if len(mean) and not (mean.min() >= 0 and mean.max() <= 1):
            self.notes.append(Note("labels-graded"))
            return
        weight = np.nan_to_num(evidence.weight, nan=0.0)
        self._kept = ~((mean > 0) & (mean < 1) & (weight > 0))
        self._mean = mean
        self._shape = (
            np.where(self._kept, 1.0, mean * weight),
            np.where(self._kept, 1.0, (1 - mean) * weight),
        )
        certain = int(self._kept.sum())
        if certain:
            self.notes.append(Note("labels-certain", certain, values={"total": len(mean)}))

    @property
    def possible(self) -> bool:
        """Whether there is something to draw."""
        return self._shape is not None

    def draw(self, count: int, seed: int) -> Iterator[_native.JudgmentTable]:
        """Yields judgments with independently drawn labels; reproducible by seed."""
        import numpy as np
        import polars as pl

        if self._shape is None:
            return
        generator = np.random.default_rng(seed)
        query, document = (self._frame.get_column(one) for one in ("query", "document"))
        for _ in range(count):
            drawn = generator.beta(*self._shape)
            grades = np.where(self._kept, self._mean, drawn)
            yield _native.JudgmentTable.from_arrow(query, document, pl.Series(grades))
