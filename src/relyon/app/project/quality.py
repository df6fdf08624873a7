"""How far the grades of a project can be trusted: agreement and gold."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response

from relyon.app.authentication import Leader, OpenStore
from relyon.app.project.judges import view_judges
from relyon.app.project.tabs import PATIENCE, render_tab
from relyon.app.rest import Id
from relyon.judging.agreement import CoefficientValues
from relyon.judging.recent import recent_agreement

__all__ = ["judge_agreement", "router"]

router = APIRouter(include_in_schema=False)
#: Number of results from which an agreement is meaningful.
FEW = 30


@router.get("/projects/{project}/agreement")
def show_agreement(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Agreement between judges, overall, by tier, pair and judge."""
    found = recent_agreement(store, project, patience=PATIENCE)
    agreement = found["agreement"]
    project_found = store.projects.get(project)
    return render_tab(
        request,
        store,
        visitor,
        project_found,
        "quality",
        found=found,
        verdict=judge_agreement(None if agreement is None else agreement["overall"]),
        judges=view_judges(store, project_found, "quality", visitor.language),
        machines=[one["judge"] for one in found["machines"]],
    )


def judge_agreement(found: CoefficientValues | None) -> str:
    """Returns a verdict on the judges' agreement, as the suffix of a text's key.

    Ordinal alpha of 0.8 allows firm conclusions, and one of 0.667 tentative ones (Krippendorff
    2004, Content Analysis, p. 241). With fewer than thirty results there is no verdict.

    Args:
        found: The agreement over all units; None if there are no grades.

    Examples:
        >>> from relyon.judging import measure_agreement
        >>> found = measure_agreement({"a": {"Ann": 3, "Bo": 3}, "b": {"Ann": 0, "Bo": 0}})
        >>> judge_agreement(found.overall.to_dict())
        'few'
    """
    alpha = None if found is None else found["alpha_ordinal"]
    if found is None or alpha is None:
        return "undefined"
    if found["units"] < FEW:
        return "few"
    return "firm" if alpha >= 0.8 else "tentative" if alpha >= 0.667 else "low"
