"""A project, and what judges take and do in it."""

from __future__ import annotations

from relyon.judging.actions import Action, Receipt
from relyon.judging.records import Item, Project, User
from relyon.judging.store import Store


def project_of(store: Store, count: int, **options: object) -> Project:
    project = store.projects.create("June", **options)  # type: ignore[arg-type]
    store.items.add(project.id, [Item(f"q{n % 3}", f"d{n}") for n in range(count)])
    return project


def documents(store: Store, user: User, project: Project, count: int = 100) -> list[str]:
    return [task.item.document for task in store.grading.take(user, project.id, count=count)]


def one(store: Store, user: User, project: Project) -> int:
    return store.grading.take(user, project.id, count=1)[0].item.id


def act(store: Store, user: User, kind: str, item: int, key: str, **more: object) -> Receipt:
    return store.grading.record(user, Action(kind, item_id=item, key=key, **more))  # type: ignore[arg-type]
