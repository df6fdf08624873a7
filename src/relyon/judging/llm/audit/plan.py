"""An audit's requests: which items are drawn, how they are changed, and what is still open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.language import Language
from relyon.core.parameters import check_whole
from relyon.core.texts import LANGUAGES, message
from relyon.data.aggregation import aggregate
from relyon.judging.llm.audit.probes import REPEAT, Probe, ProbeSettings, choose_probes
from relyon.judging.llm.audit.records import Drawn, ProbeRow
from relyon.judging.llm.judge import Outcome, Plan, ask_model, find_open, hash_request
from relyon.judging.llm.prompt import Prompt, can_be_shown, list_levels, restore_prompt
from relyon.judging.places import draw_number
from relyon.judging.records import Item

if TYPE_CHECKING:
    from relyon.judging.llm.endpoint import Endpoint
    from relyon.judging.llm.models import Configuration
    from relyon.judging.store import Store

__all__ = ["AuditPlan", "ProbePrompt", "ask_audit", "draw_items", "plan_audit"]


@dataclass(frozen=True)
class ProbePrompt(Prompt):
    """A prompt that lists the scale in the opposite order for some copies.

    Attributes:
        turned_task: The task with the scale in the opposite order.
        turned: The ids of these copies.
    """

    turned_task: str = ""
    turned: frozenset[int] = frozenset()

    def messages(self, item: Item) -> list[dict[str, str]]:
        """Returns the messages that request the grade of one copy."""
        task = self.turned_task if item.id in self.turned else self.task
        return Prompt(self.language, task, self.scale).messages(item)


@dataclass(frozen=True)
class AuditPlan:
    """What an audit asks.

    Attributes:
        configuration: The model and its settings.
        prompt: Its prompt, for all copies.
        plan: The requests; the ids of its items are those of copies, not of the database.
        rows: The copies, in the order of `plan.items`.
        not_applicable: Items drawn to which a probe does not apply, by probe.
        items: Items drawn, each asked once more without a change.
        irrelevant: Of them, those that are not relevant, for attacks.
        known: Whether it is known which items are not relevant; otherwise attacks are made on items
            drawn at random.
    """

    configuration: Configuration
    prompt: ProbePrompt
    plan: Plan
    rows: tuple[ProbeRow, ...]
    not_applicable: Mapping[str, int]
    items: int
    irrelevant: int
    known: bool


def draw_items(items: Sequence[Item], count: int, seed: int) -> list[Item]:
    """Draws items at random, from as many queries as possible: queries are the sample.

    Every query gives one item before one gives a second.

    Args:
        items: The items.
        count: How many are drawn at most.
        seed: Of the order.
    """
    by_query: dict[str, list[Item]] = {}
    for one in items:
        by_query.setdefault(one.query, []).append(one)
    order: list[tuple[int, int, str, Item]] = []
    for query, own in by_query.items():
        own.sort(key=lambda one: (draw_number(seed, "probe", query, one.document), one.document))
        turn = draw_number(seed, "probes", query)
        order += [(place, turn, query, one) for place, one in enumerate(own)]
    order.sort(key=lambda entry: entry[:3])
    return [one for _, _, _, one in order[:count]]


def plan_audit(
    store: Store,
    configuration: Configuration,
    *,
    probes: Sequence[str] | None = None,
    items: int = 50,
    seed: int = 0,
    name: str = "",
    translations: Mapping[str, str] | None = None,
    most: int | None = None,
    attempts: int = 3,
) -> AuditPlan:
    """Draws the items of an audit and builds its requests; nothing is sent or stored.

    Probes of the kind `attack` are made on items that are not relevant: by people's grades, else by
    the model's own; if neither is known of any item, on items drawn at random. All other probes are
    made on items drawn at random, regardless of their grade. Every item is also asked once more as
    it is, with new samples, and probes are compared with those: an item that was drawn because its
    earlier grade was low by chance would seem to rise otherwise.

    Args:
        store: The database.
        configuration: The model and its settings.
        probes: The names of probes; all by default. `language` needs `translations`.
        items: How many items are drawn for attacks, and how many at random.
        seed: Of the draw.
        name: The source or brand that the probe `name` puts in front of titles.
        translations: Queries in another language, by the query's id or text.
        most: Maximum number of requests now; the same call later asks for the others.
        attempts: Maximum attempts per sample to get a valid answer.

    Raises:
        InputError: If the project has no item to show, or the prompt cannot be repeated.
        ParameterError: If a probe is unknown, or a number is below 1.
    """
    check_whole("items", items)
    check_whole("attempts", attempts)
    if most is not None:
        check_whole("most", most)
    chosen = choose_probes(probes)
    project = store.projects.get(configuration.project_id)
    language: Language = next(
        (one for one in LANGUAGES if one == configuration.language), LANGUAGES[0]
    )
    prompt = restore_prompt(configuration.prompt, language=language, scale=project.scale)
    shown = [one for one in store.items.all(project.id) if can_be_shown(one)]
    if not shown:
        raise InputError(
            message("judging.nothing-to-probe"),
            hint=message("judging.relyon-judge-import-documents"),
        )
    irrelevant, known = _irrelevant(store, configuration, shown, project.scale.relevant_from)
    at_random = draw_items(shown, items, seed)
    attacked = draw_items(irrelevant if known else shown, items, seed)
    drawn: dict[int, tuple[Item, Drawn]] = {one.id: (one, "irrelevant") for one in attacked}
    drawn |= {one.id: (one, "random") for one in at_random}
    settings = ProbeSettings(max(project.scale.gains), name, dict(translations or {}))
    levels = list_levels(project.scale, language)
    turned_task = prompt.task.replace(levels, "\n".join(reversed(levels.split("\n"))))
    copies: list[tuple[Item, str, Drawn, int]] = [
        (one, REPEAT, why, one.id) for one, why in drawn.values()
    ]
    missing: dict[str, int] = {}
    turned: set[int] = set()
    for probe in chosen:
        if probe.name == "language" and not settings.translations:
            continue
        own = attacked if probe.kind == "attack" else at_random
        for one in own:
            changed = _change(probe, one, settings, turned_task != prompt.task)
            if changed is None:
                missing[probe.name] = missing.get(probe.name, 0) + 1
                continue
            if probe.turns_scale:
                turned.add(len(copies))
            copies.append((changed, probe.name, drawn[one.id][1], one.id))
    asking = ProbePrompt(language, prompt.task, prompt.scale, turned_task, frozenset(turned))
    numbered = [replace(one, id=number) for number, (one, _, _, _) in enumerate(copies)]
    requests = {one.id: hash_request(configuration, asking, one) for one in numbered}
    rows = tuple(
        ProbeRow(item, probe, why, requests[number], one.query)
        for number, (one, probe, why, item) in enumerate(copies)
    )
    plan = _plan(store, configuration, numbered, rows, requests, attempts)
    if most is not None:
        plan = replace(plan, open=plan.open[:most])
    return AuditPlan(
        configuration, asking, plan, rows, missing, len(drawn), len(attacked) if known else 0, known
    )


def _irrelevant(
    store: Store, configuration: Configuration, shown: Sequence[Item], relevant_from: float
) -> tuple[list[Item], bool]:
    """Returns the items that are not relevant, and whether any item's grade is known."""
    own = store.replies.samples(configuration)
    grades = {item: aggregate(given).value for item, given in own.items()}
    grades |= {
        one.item.id: one.value for one in store.decisions.people_grades(configuration.project_id)
    }
    found = [one for one in shown if grades.get(one.id, relevant_from) < relevant_from]
    return found, bool(found)


def _change(probe: Probe, item: Item, settings: ProbeSettings, can_turn: bool) -> Item | None:
    if probe.turns_scale and not can_turn:
        return None
    changed = probe.change(item, settings)
    return None if changed is None or (changed == item and not probe.turns_scale) else changed


def sample_numbers(configuration: Configuration, probe: str) -> range:
    """Returns the numbers of a copy's samples: of an unchanged one, those after its grade's."""
    first = 1 + (configuration.samples if probe == REPEAT else 0)
    return range(first, first + configuration.samples)


def _plan(
    store: Store,
    configuration: Configuration,
    copies: Sequence[Item],
    rows: Sequence[ProbeRow],
    requests: Mapping[int, str],
    attempts: int,
) -> Plan:
    answers = store.replies.find(requests.values())
    left: list[tuple[Item, int, int]] = []
    unreadable = 0
    asked: set[tuple[str, bool]] = set()
    for one, row in zip(copies, rows, strict=True):
        key = (row.request_hash, row.probe == REPEAT)
        if key in asked:
            continue
        asked.add(key)
        numbers = sample_numbers(configuration, row.probe)
        found, abandoned = find_open(answers.get(row.request_hash, []), numbers, attempts)
        left += [(one, sample, before) for sample, before in found]
        unreadable += abandoned
    # All copies of an item together: an audit that is cut short has whole pairs, and a model that
    # changes meanwhile changes both.
    turn = {row.item_id: n for n, row in reversed(list(enumerate(rows)))}
    left.sort(key=lambda entry: turn[rows[entry[0].id].item_id])
    return Plan(tuple(copies), requests, tuple(left), unreadable, 0, attempts, "probes")


def ask_audit(
    store: Store,
    audit: AuditPlan,
    endpoint: Endpoint,
    *,
    concurrency: int = 4,
    outcome: Outcome | None = None,
    progress: Callable[[int, int], None] | None = None,
    on_interrupt: Callable[[], None] | None = None,
) -> Outcome:
    """Sends an audit's open requests and stores every answer on arrival, apart from all grades.

    Args:
        store: The database.
        audit: The requests.
        endpoint: The endpoint.
        concurrency: Number of concurrent requests.
        outcome: Updated during the run.
        progress: Called with the number of samples done and their total.
        on_interrupt: Called before waiting for pending requests.

    Raises:
        EndpointError: If the endpoint cannot be used.
        ParameterError: If `concurrency` is below 1.
    """
    store.probes.add(audit.configuration, audit.rows)
    return ask_model(
        store,
        audit.configuration,
        audit.prompt,
        audit.plan,
        endpoint,
        concurrency=concurrency,
        outcome=outcome,
        progress=progress,
        on_interrupt=on_interrupt,
    )
