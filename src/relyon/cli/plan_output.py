"""Plans on the command line, printed in every form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from relyon.cli.messages import Progress, messages
from relyon.cli.output import terminal_columns
from relyon.core.document.exportable import Exportable
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.core.language import Language
    from relyon.data.sessions import Sessions
    from relyon.online.monitoring import SamplePlan

__all__ = ["planned", "written"]


def written(
    plan: Exportable, form: str, output: str | None, language: Language | None = None
) -> str:
    """Returns a plan as table, markdown, json or csv.

    Raises:
        ParameterError: If another form is requested.
    """
    if form == "json":
        return plan.to_json()
    if form == "csv":
        return plan.to_csv()
    if form == "markdown":
        return plan.to_markdown(language or messages.language)
    if form != "table":
        raise ParameterError(
            message("cli.plan-cannot-be-written", form=form),
            hint=message("cli.choose-table"),
        )
    columns = terminal_columns() if output is None else None
    return plan.to_text(language or messages.language, columns=columns)


def planned(
    log: Sessions,
    drops: Sequence[str],
    history: str | None,
    spread: float | None,
    within: float | None,
    **options: Any,
) -> SamplePlan:
    """Returns the plan of a month's sample.

    Raises:
        ParameterError: If a drop is not a fraction, or the spread is both assumed and taken from
            rounds.
        InputError: If the folder contains no rounds.
    """
    from relyon.online.monitoring import plan_sample, read_rounds

    if history is not None and spread is not None:
        raise ParameterError(
            message("cli.spread-and-history-exclude"), hint=message("cli.leave-one-of-them")
        )
    assumed = {"spread": spread, "within": within}
    options |= {name: value for name, value in assumed.items() if value is not None}
    if drops:
        options["drops"] = [_share(one) for one in drops]
    if history is not None:
        options["month"] = read_rounds(history)[-1]
    with Progress("cli.planning", after=1) as progress:
        progress(0, 1, "drawing months")
        return plan_sample(log, **options)


def _share(text: str) -> float:
    """Returns a percentage as a fraction; 5 and 5% are the same, 0.05 is a fraction."""
    try:
        number = float(text.strip().removesuffix("%"))
    except ValueError:
        number = 0.0
    share = number if 0 < number < 1 and "%" not in text else number / 100
    if not 0 < share < 1:
        raise ParameterError(
            message("cli.drop-is-not-percentage", text=text),
            hint=message("cli.write-drop-5"),
        )
    return share
