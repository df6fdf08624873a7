"""Audits of language models on their tab: what they found, and starting one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypedDict

from fastapi import Depends, Form

from relyon.analysis.statistics import Resampling
from relyon.app.models.settings import ModelEndpoint
from relyon.app.models.wishes import LARGEST_PROJECT, endpoint_of
from relyon.core.errors import InputError
from relyon.core.language import Language
from relyon.core.texts import message
from relyon.judging.llm.audit.audit import audit_judge
from relyon.judging.llm.audit.document import audit_sentences, audit_table
from relyon.judging.llm.audit.plan import AuditPlan, plan_audit
from relyon.judging.llm.estimate import estimate_tokens

if TYPE_CHECKING:
    from relyon.judging.llm.models import Configuration
    from relyon.judging.store import Store

__all__ = [
    "AuditForm",
    "AuditWish",
    "AuditWishForm",
    "MachineAudit",
    "PlannedAudit",
    "describe_audits",
    "estimate_audit",
    "plan_wished_audit",
]

#: Results of an audit: a page plans them while somebody waits.
MOST_ITEMS = 1000
#: Enough sign patterns for a p-value of two digits.
DRAWS = Resampling(2000)


@dataclass(frozen=True)
class AuditWish:
    """A filled-in form.

    Attributes:
        configuration: The audited settings.
        items: How many results are drawn.
    """

    configuration: int = 0
    items: int = 50


def _wish(
    configuration: Annotated[int, Form(ge=1)],
    items: Annotated[int, Form(ge=1, le=MOST_ITEMS)] = 50,
) -> AuditWish:
    return AuditWish(configuration, items)


#: A form of a route.
AuditWishForm = Annotated[AuditWish, Depends(_wish)]


class MachineAudit(TypedDict):
    """What the audit of a model's settings shows, for the page."""

    judge: str
    version: int
    dangers: int
    sentences: list[str]
    headings: list[str]
    rows: list[list[str]]


def describe_audits(
    store: Store, known: Sequence[Configuration], language: Language
) -> list[MachineAudit]:
    """Returns the audits of a project, newest first.

    Of each judge the newest version with answered probes is shown, and the accepted one, so that
    the page does not grow with every version; `relyon judge audit --version` shows the others.
    """
    found: list[MachineAudit] = []
    shown: set[str] = set()
    accepted = store.models.accepted(known[0].project_id) if known else None
    for one in reversed(known):
        counts = accepted is not None and accepted.configuration.id == one.id
        if (one.judge in shown and not counts) or not store.probes.all(one):
            continue
        audit = audit_judge(store, one, resampling=DRAWS)
        if not audit.probes:
            continue
        shown.add(one.judge)
        table = audit_table(audit, language)
        found.append(
            {
                "judge": one.judge,
                "version": one.version,
                "dangers": len(audit.dangers),
                "sentences": audit_sentences(audit, language),
                "headings": list(table.headings),
                "rows": [[str(cell) for cell in row] for row in table.rows],
            }
        )
    return found


@dataclass(frozen=True)
class PlannedAudit:
    """What a wish leads to.

    Attributes:
        endpoint: The operator's model.
        audit: The requests.
    """

    endpoint: ModelEndpoint
    audit: AuditPlan


@dataclass(frozen=True)
class AuditForm:
    """A form of an audit that was filled in.

    Attributes:
        wish: The form.
        planned: What it leads to, to be confirmed; None before.
    """

    wish: AuditWish
    planned: PlannedAudit | None = None


def plan_wished_audit(
    store: Store,
    wish: AuditWish,
    known: Sequence[Configuration],
    endpoints: Sequence[ModelEndpoint],
) -> PlannedAudit:
    """Returns the requests of an audit; nothing is sent or stored.

    Raises:
        InputError: If the settings are not those of a model that is offered, nothing is left to
            ask, or there is no result to show.
    """
    for one in known:
        if one.id == wish.configuration:
            endpoint = endpoint_of(endpoints, one)
            if store.items.count(one.project_id) > LARGEST_PROJECT:
                raise InputError(message("app.project-too-large-for-model", most=LARGEST_PROJECT))
            audit = plan_audit(store, one, items=wish.items)
            if not audit.plan.open:
                raise InputError(
                    message("judging.nothing-to-audit"), hint=message("judging.choose-others")
                )
            return PlannedAudit(endpoint, audit)
    raise InputError(
        message("app.model-is-not-offered", name=wish.configuration),
        hint=message("app.choose-a-model"),
    )


def estimate_audit(store: Store, planned: PlannedAudit) -> dict[str, object]:
    """Returns what an audit would take, for the page; `cost` is None without a price."""
    audit = planned.audit
    tally = store.replies.tally(audit.configuration)
    found = estimate_tokens(audit.configuration, audit.prompt, audit.plan, tally)
    price = planned.endpoint.price
    return {
        "requests": found.requests,
        "items": audit.items,
        "samples": audit.configuration.samples,
        "prompt": round(found.prompt_tokens),
        "answer": round(found.answer_tokens),
        "cost": None if price is None else price.cost(found.prompt_tokens, found.answer_tokens),
        "currency": "" if price is None else price.currency,
        "known": audit.known,
        "first": audit.prompt.messages(audit.plan.open[0][0]),
    }
