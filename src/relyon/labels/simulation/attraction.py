"""From grades to users: how likely a document of a grade attracts, and satisfies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.labels.user_behaviour import probabilities

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.judgments import Judgments
    from relyon.labels.user_behaviour import Values

__all__ = ["Grading", "graded_pairs"]

#: Grades by probability, as a user gives them.
Grading = Mapping[float, float]

#: Distribution of relevance without judgments: most documents are of little use.
BETA = (1.0, 3.0)
#: Where the relevance of pairs is drawn from, apart from what sessions are drawn from.
STREAM = 2**32 - 1


def graded_pairs(
    names: pl.DataFrame,
    judgments: Judgments | None,
    *,
    attraction: Grading | None,
    satisfaction: Grading | None,
    epsilon: float,
    seed: int,
) -> pl.DataFrame:
    """Returns pairs with their `grade`, `attraction` and `satisfaction`.

    With grade g of at most m, the satisfaction is R = (2^g − 1) / 2^m and the attraction
    ε + (1 − ε)R; grades below 0, and of unjudged documents, count as 0. Without judgments R is
    drawn from Beta(1, 3).

    Args:
        names: Pairs of `query` and `document`.
        judgments: The grades.
        attraction: The attraction by grade, in place of that formula.
        satisfaction: The satisfaction by grade, likewise.
        epsilon: ε.
        seed: Of what is drawn.

    Raises:
        ParameterError: If a grade has no probability, or a probability is invalid.

    References:
        Chapelle, Metzler, Zhang, Grinspan (2009), CIKM: R; Ai et al. (2018), SIGIR: ε.
    """
    import numpy as np
    import polars as pl

    grade = np.zeros(names.height)
    if judgments is None:
        if attraction is not None or satisfaction is not None:
            raise ParameterError(message("labels.probabilities-by-grade-need"))
        column = pl.Series("grade", [None] * names.height, dtype=pl.Float64)
        gain = np.random.default_rng([seed, STREAM]).beta(*BETA, names.height)
    else:
        rows = judgments.to_frame().group_by("query", "document").agg(pl.col("grade").max())
        column = names.join(
            rows, on=["query", "document"], how="left", maintain_order="left"
        ).get_column("grade")
        grade = column.fill_null(0.0).to_numpy()
        given = judgments.scale.highest if judgments.scale is not None else None
        highest = max(rows.get_column("grade").to_list()) if given is None else given
        gain = (2.0 ** np.maximum(grade, 0) - 1) / 2.0 ** max(highest, 0)
    return names.with_columns(
        column,
        attraction=_of_grade("attraction", attraction, grade, epsilon + (1 - epsilon) * gain),
        satisfaction=_of_grade("satisfaction", satisfaction, grade, gain),
    )


def _of_grade(name: str, given: Grading | None, grade: Values, usual: Values) -> pl.Series:
    """The probability of each grade."""
    import numpy as np
    import polars as pl

    if given is None:
        return pl.Series(name, usual)
    known = {float(one): chance for one, chance in given.items()}
    found, places = np.unique(grade, return_inverse=True)
    lacking = [f"{one:g}" for one in found if one not in known]
    if lacking:
        raise ParameterError(
            message("labels.lacks-these-grades", name=name, grades=lacking),
            hint=message("labels.unjudged-documents-have-grade"),
        )
    return pl.Series(
        name, probabilities(name, [known[one] for one in found.tolist()], len(found))[places]
    )
