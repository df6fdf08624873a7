"""A project that a language model is asked about, and people who grade it."""

from __future__ import annotations

from typing import Any

from tests.unit.completions import Received

from relyon.engines.pace import Pace
from relyon.judging.actions import Action
from relyon.judging.llm.endpoint import Endpoint
from relyon.judging.llm.judge import Outcome, ask_model, build_plan, choose_items
from relyon.judging.llm.models import Configuration, draft_configuration
from relyon.judging.llm.prompt import build_prompt
from relyon.judging.records import Item, Project
from relyon.judging.store import Store


def project_to_ask(store: Store) -> Project:
    """Twelve items of three queries."""
    found = store.projects.create("June", overlap=2, guideline={"en": "Grade it."})
    store.items.add(found.id, [Item(f"q{n // 4}", f"d{n}", title=f"Title {n}") for n in range(12)])
    return found


def configure(store: Store, project: Project, url: str, **changes: Any) -> Configuration:
    settings: dict[str, Any] = {
        "endpoint": url,
        "model": "small",
        "samples": 3,
        "parameters": {"temperature": 0.7},
        "language": "en",
        "prompt": build_prompt(project).text,
        **changes,
    }
    judge = settings.pop("judge", "llm:small")
    return store.models.add(draft_configuration(project.id, judge, **settings))


def run(
    store: Store, project: Project, url: str, *, items: list[Item] | None = None,
    attempts: int = 3, concurrency: int = 4, **changes: Any,
) -> Outcome:  # fmt: skip
    """Does what `relyon judge llm` does, without waiting between attempts."""
    configuration = configure(store, project, url, **changes)
    prompt = build_prompt(project)
    chosen = choose_items(store, project.id) if items is None else items
    plan = build_plan(store, configuration, prompt, chosen, attempts=attempts)
    endpoint = Endpoint(url, pace=Pace(wait=lambda _: None), retries=2)
    return ask_model(store, configuration, prompt, plan, endpoint, concurrency=concurrency)


def title_number(request: Received) -> int:
    return int(str(request.data["title"]).removeprefix("Title "))


def people(store: Store, project: Project, names: tuple[str, ...] = ("Ann", "Bo")) -> None:
    """Two people grade every item as `number % 4`."""
    for name in names:
        user = store.accounts.create(name)
        for task in store.grading.take(user, project.id, count=100):
            grade = int(task.item.document[1:]) % 4
            key = f"{name} {task.item.id}"
            store.grading.record(user, Action("grade", key=key, item_id=task.item.id, grade=grade))
