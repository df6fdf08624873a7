"""The people of a project: who sees it, in which role, how far they are, and who is invited."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, HTTPException, Request
from fastapi.responses import RedirectResponse, Response

from relyon.app.accounts import INVITATION_DAYS
from relyon.app.authentication import (
    CheckedForm,
    Leader,
    LeadingAccount,
    OpenStore,
    Visitor,
    note_event,
)
from relyon.app.people.invitations import InvitedForm, invite
from relyon.app.project.tabs import PATIENCE, render_tab
from relyon.app.rest import Id
from relyon.judging.invitations import list_invitations, withdraw_invitation
from relyon.judging.members import (
    MEMBER_ROLES,
    MemberRole,
    find_standing,
    list_members,
    open_to_everybody,
    remove_member,
    restrict_to_members,
    set_member,
)
from relyon.judging.recent import recent_work
from relyon.judging.records import User
from relyon.judging.store import Store

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
Name = Annotated[str, Form(max_length=200)]
#: Invitations on the page, the latest.
SHOWN = 50
Told = Literal["", "added", "removed", "role", "restricted", "opened", "withdrawn"]


@router.get("/projects/{project}/people")
def show_people(
    request: Request, store: OpenStore, visitor: Leader, project: Id, told: Told = ""
) -> Response:
    """The members of a project, or that everybody sees it; and its invitations."""
    return _people(request, store, visitor, project, told=told)


def _people(
    request: Request,
    store: Store,
    visitor: Visitor,
    project: int,
    *,
    told: Told = "",
    problem: str = "",
    link: str = "",
) -> Response:
    found = store.projects.get(project)
    members = list_members(store, project) if found.members_only else []
    known = {one.name for one in members}
    # Those who lead nothing outside of the project learn no names of other accounts.
    others = store.accounts.all() if found.members_only and visitor.account_leads else []
    work = recent_work(store, project, patience=PATIENCE)["judges"]
    answer = render_tab(
        request,
        store,
        visitor,
        found,
        "people",
        members=members,
        work={one["judge"]: one for one in work},
        others=[
            one.name for one in others if one.active and not one.machine and one.name not in known
        ],
        roles=MEMBER_ROLES,
        invitations=list_invitations(store, project_id=project)[:SHOWN],
        days=INVITATION_DAYS,
        told=told,
        problem=problem,
        link=link,
        may_open=visitor.account_leads,
    )
    if problem:
        answer.status_code = 400
    return answer


@router.post("/projects/{project}/people/restrict", dependencies=[CheckedForm])
def restrict(request: Request, store: OpenStore, visitor: Leader, project: Id) -> Response:
    """Hides the project from all but its members."""
    found = store.projects.get(project)
    restrict_to_members(store, found, by=visitor.account)
    note_event(request, visitor, "project_changed", f"{found.name}: members only")
    return _back(project, "restricted")


@router.post("/projects/{project}/people/open", dependencies=[CheckedForm])
def open_again(
    request: Request, store: OpenStore, visitor: LeadingAccount, project: Id
) -> Response:
    """Shows the project to every account."""
    found = store.projects.get(project)
    open_to_everybody(store, found)
    note_event(request, visitor, "project_changed", f"{found.name}: for everybody")
    return _back(project, "opened")


def _back(project: int, told: Told) -> Response:
    return RedirectResponse(f"/projects/{project}/people?told={told}", 303)


def _find_account(store: Store, name: str) -> User | None:
    """Returns the account that a name belongs to, unless it is that of a language model."""
    found = store.accounts.find(name)
    return None if found is None or found.machine or not found.active else found


@router.post("/projects/{project}/people", dependencies=[CheckedForm])
def add_member(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    name: Name = "",
    role: Annotated[MemberRole, Form()] = "judge",
) -> Response:
    """Makes an account a member of the project."""
    user = _find_account(store, name)
    if user is None:
        return _people(request, store, visitor, project, problem="people.unknown")
    found = store.projects.get(project)
    if any(one.name == user.name for one in list_members(store, project)):
        return _people(request, store, visitor, project, problem="people.member_already")
    set_member(store, found, user, role)
    note_event(request, visitor, "member_added", f"{found.name}: {user.name} ({role})")
    return _back(project, "added")


@router.post("/projects/{project}/people/change", dependencies=[CheckedForm])
def change_member(
    request: Request,
    store: OpenStore,
    visitor: Leader,
    project: Id,
    name: Name,
    action: Annotated[Literal["role", "remove"], Form()],
    role: Annotated[MemberRole, Form()] = "judge",
) -> Response:
    """Changes the role of a member, or removes one."""
    found = store.projects.get(project)
    if not any(one.name == name for one in list_members(store, project)):
        raise HTTPException(404)
    user = store.accounts.get(name)
    leaves = action == "remove" or role == "judge"
    own = find_standing(store, visitor.account, None).user
    if user.id == own.id and leaves and own.role != "admin":
        # They could not undo it.
        return _people(request, store, visitor, project, problem="people.yourself")
    if action == "remove":
        remove_member(store, found, user)
        note_event(request, visitor, "member_removed", f"{found.name}: {user.name}")
        return _back(project, "removed")
    set_member(store, found, user, role)
    note_event(request, visitor, "role_changed", f"{found.name}: {user.name} → {role}")
    return _back(project, "role")


@router.post("/projects/{project}/invitations", dependencies=[CheckedForm])
def invite_judge(
    request: Request, store: OpenStore, visitor: Leader, project: Id, form: InvitedForm
) -> Response:
    """Creates an invitation for a judge of the project, and shows its link once."""
    link = invite(request, store, visitor, form, project=store.projects.get(project))
    return _people(request, store, visitor, project, link=link)


@router.post("/projects/{project}/invitations/{invitation}/withdraw", dependencies=[CheckedForm])
def withdraw(
    request: Request, store: OpenStore, visitor: Leader, project: Id, invitation: Id
) -> Response:
    """Withdraws an invitation to the project."""
    found = withdraw_invitation(store, invitation, project_id=project)
    note_event(request, visitor, "invitation_withdrawn", found.note or found.name)
    return _back(project, "withdrawn")
