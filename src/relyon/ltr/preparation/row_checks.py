"""Checks of rows and settings before a ranker is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.core.parameters import check_choice
from relyon.data.convention import load_convention
from relyon.data.labelled import LabelledRows
from relyon.ltr.losses import loss as parse_loss
from relyon.ltr.preparation.findings import Finding, RowCheck
from relyon.ltr.preparation.objective_rules import (
    OBJECTIVE_RULES,
    objective_findings,
    target_of,
)
from relyon.ltr.preparation.row_rules import ROW_RULES, row_findings
from relyon.ltr.preparation.side_rules import SIDE_RULES, side_findings
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.data.convention import Convention
    from relyon.data.scale import Scale
    from relyon.ltr.losses.definition import Loss
    from relyon.measures.definition import Measure

__all__ = ["check"]

ENGINES = ("", "lightgbm", "xgboost", "catboost")


def check(
    rows: object,
    *,
    measure: str | Measure = "ndcg@10",
    loss: str | Loss | None = None,
    engine: str = "lightgbm",
    parameters: Mapping[str, object] | None = None,
    convention: Convention | str | Mapping[str, object] | None = None,
    scale: Scale | str | None = None,
    sides: Mapping[str, LabelledRows] | None = None,
) -> RowCheck:
    """Checks rows and settings before a ranker is trained on them.

    Rows: queries whose labels are all equal, and the number of other pairs; labels that are
    fractions or below 0; queries whose rows were not adjacent; an order of rows that reveals
    labels; a feature that orders documents as the labels do; constant features; missing values.
    Settings: an objective, gain or truncation that is not the measure's; several depths for early
    stopping; labels that LightGBM refuses. Sides: a query, or a row with the same features, on two
    of them.

    The order of rows reveals labels if more than 55% of pairs agree with it, and more than by
    chance in one of a thousand data sets. A feature is compared with labels on about 50,000 rows of
    whole queries, and is reported if it orders at least 99.5% of pairs; of 1,000 pairs or more, at
    least 92.5%.

    Args:
        rows: The training rows: labelled rows, or any source of `read_features`.
        measure: The reported measure.
        loss: The loss of a ranker of relyon.
        engine: "lightgbm", "xgboost", "catboost", or "" for none of them.
        parameters: The engine's own parameters, if you train with the engine directly.
        convention: The measure's rules.
        scale: The grade scale, for ``gain=scale``.
        sides: Other rows by name, such as {"test": …}.

    Examples:
        >>> import polars as pl
        >>> import relyon.ltr
        >>> frame = pl.DataFrame(
        ...     {"q": [1, 1, 2, 2], "label": [2, 1, 0, 0], "f": [0.4, 0.1, 0.2, 0.3]}
        ... )
        >>> found = relyon.ltr.check(
        ...     relyon.read_features(frame, query="q"),
        ...     measure="ndcg@10",
        ...     parameters={"objective": "lambdarank", "eval_at": [1, 10]},
        ... )
        >>> [one.kind for one in found.warnings]
        ['constant-labels', 'gain-differs', 'several-eval-at']
        >>> found["gain-differs"].evidence["reported"]
        0.5
    """
    import numpy as np

    from relyon.data.scale import load_scale
    from relyon.io.readers import read_features

    check_choice("engine", engine, ENGINES)
    known = rows if isinstance(rows, LabelledRows) else read_features(rows)
    labels = np.asarray(known.labels, dtype=np.float64)
    highest = float(labels.max(initial=0.0))
    rules = load_convention(convention)
    wanted = parse_measure(measure).resolve(rules, load_scale(scale), highest)
    given = dict(parameters or {})
    chosen = parse_loss(loss) if isinstance(loss, str) else loss
    target = target_of(chosen, given, engine, rules, highest)
    found: list[Finding] = list(row_findings(known))
    if chosen is not None:
        # relyon's own losses take fractions: only engines' own objectives refuse them.
        found = [
            replace(one, level="info") if one.kind == "fractional-labels" else one for one in found
        ]
    found += objective_findings(target, wanted, given, engine if chosen is None else "", labels)
    made: tuple[str, ...] = (*ROW_RULES, *OBJECTIVE_RULES)
    if sides:
        found += side_findings(known, sides)
        made += SIDE_RULES
    found.sort(key=lambda one: one.level != "warning")
    return RowCheck(tuple(found), len(known), len(known.queries), made)
