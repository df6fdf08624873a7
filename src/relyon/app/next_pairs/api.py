"""Pairs to grade next, for programs of leads."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from relyon.analysis.next_pairs import BUDGET
from relyon.app.authentication import LeadingCaller, OpenStore, note_event
from relyon.app.bodies import takes_text
from relyon.app.next_pairs.pages import MOST
from relyon.app.rest import ERRORS, LARGEST_ID, Id
from relyon.app.snapshots.versus import chosen_pair
from relyon.core.document.json import json_values
from relyon.judging.next_pairs import NextOfSnapshots

__all__ = ["router"]

router = APIRouter(prefix="/api", responses=ERRORS, tags=["snapshots"])
Number = Annotated[int, Query(ge=1, le=LARGEST_ID)]


class NextBatch(BaseModel):
    """The results to draw."""

    model_config = ConfigDict(extra="forbid")

    first: int = Field(ge=1, le=LARGEST_ID, description="The baseline.")
    second: int = Field(ge=1, le=LARGEST_ID, description="The snapshot compared with it.")
    budget: int = Field(BUDGET, ge=1, le=MOST, description="How many results.")
    after: int | None = Field(
        None,
        ge=0,
        le=LARGEST_ID,
        description="How many batches there are: with another number nothing is drawn, so that a"
        " request that is sent twice draws once.",
    )


@router.get("/projects/{project}/snapshots/next")
def show_next(
    store: OpenStore, user: LeadingCaller, project: Id, first: Number, second: Number
) -> list[dict[str, object]]:
    """For leads: the batches drawn for two snapshots, with the estimate after each."""
    found = store.projects.get(project)
    chosen = NextOfSnapshots(store, found, *chosen_pair(store, project, first, second))
    return [
        {
            "batch": step.batch.batch,
            "drawn_at": step.batch.created_at,
            "by": step.batch.by,
            "pairs": len(step.batch.drawn),
            "waiting": step.waiting,
            "estimate": json_values(step.estimate.to_dict()),
        }
        for step in chosen.steps()
    ]


@router.post("/projects/{project}/snapshots/next")
@takes_text
def draw_next(
    request: Request, store: OpenStore, user: LeadingCaller, project: Id, wanted: NextBatch
) -> dict[str, object]:
    """For leads: draws the next results to grade, which go into the queue."""
    found = store.projects.get(project)
    pair = chosen_pair(store, project, wanted.first, wanted.second)
    queued = NextOfSnapshots(store, found, *pair).draw(wanted.budget, by=user, after=wanted.after)
    names = " → ".join(one.name for one in pair)
    note_event(request, user, "imported", f"{found.name}: {names}")
    return {"drawn": len(queued.pairs), "added": queued.added, "left": queued.pairs.left}
