"""`relyon judge audit`: what moves a language model's grades although it should not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from relyon.cli.judge_calibrate import Machine, Systems, runs_option
from relyon.cli.judge_llm import summarize_answers, watch_answers
from relyon.cli.messages import messages
from relyon.cli.model_server import ModelServer
from relyon.cli.option_values import run_names
from relyon.cli.options import (
    confidence_option,
    format_option,
    no_color_option,
    output_option,
    project_option,
    seed_option,
)
from relyon.cli.output import Output, emit, protect_inputs, write
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.shares import SHARE_BETWEEN
from relyon.core.errors import InputError, ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.judging.llm.audit.audit import FamilyColumn
    from relyon.judging.llm.audit.plan import AuditPlan
    from relyon.judging.store import Store

__all__ = ["audit"]

AUDIT = """Audit a language model that grades: what moves its grades.

\b
Examples:
  relyon judge audit judging.db --project June --dry-run
  relyon judge audit judging.db --project June --items 100
  relyon judge audit judging.db --project June --offline --format json
  relyon judge audit judging.db --project June --offline \\
      --run bm25.run --run new.run

Asks the model about copies of items with one change each: an order to give the
highest grade (in English and in Chinese) or the query's words in the text of
results that are not relevant, added padding, a source's name, half of the text
cut, the scale listed in reverse, and the query translated (--translations). Each
is compared with the same item asked again, over queries, and corrected for the
number of probes. The answers never count as grades. Running the command again
resumes and asks nothing twice; --offline asks nothing.

With two or more --run, shows by how much the model's grades bias the difference
of these systems from the first, and the corrected difference. --family and
--family-column show whether the model favours its own family; --against-version
how it differs from another version of its settings.
"""


@request
class Probing:
    """What is asked, and how."""

    probes: tuple[str, ...] = option(
        "--probe",
        metavar="NAME",
        multiple=True,
        help="Only these probes: order-en, order-zh, words, padding, name, levels, truncated,"
        " language.  [default: all]",
    )
    items: int = option(
        "--items",
        type=click.IntRange(min=1),
        default=50,
        show_default=True,
        help="How many items to draw at random, and how many that are not relevant.",
    )
    seed: int = seed_option("")
    name: str = option(
        "--source-name",
        default="",
        metavar="NAME",
        help="The source or brand that the probe `name` puts in front of titles.  [default:"
        " Wikipedia]",
    )
    translations: str | None = option(
        "--translations",
        metavar="FILE",
        help="Queries in another language, a table with columns query and translation.",
    )
    most: int | None = option(
        "--most-requests",
        type=click.IntRange(min=1),
        metavar="N",
        help="Ask at most so many requests now; run the command again for the others.",
    )
    server: ModelServer = group(ModelServer)
    dry_run: bool = flag(
        "--dry-run", help="Print one changed copy per probe and the cost, and send nothing."
    )
    offline: bool = flag("--offline", help="Ask nothing: use the answers that are stored.")


@request
class Families:
    """Which items or systems come from which model family."""

    own: str | None = option(
        "--own-family", metavar="NAME", help="The model family of the judge, such as gpt."
    )
    column: str | None = option(
        "--family-column",
        metavar="NAME",
        help="The further field of items that names the model family of their text.",
    )
    systems: tuple[str, ...] = option(
        "--family",
        metavar="RUN=NAME",
        multiple=True,
        help="The model family of a system, such as new.run=gpt, for the file of a --run.",
    )


@request
class Audited:
    """The request of `relyon judge audit`."""

    database: str = argument()
    project: str = project_option()
    machine: Machine = group(Machine)
    probing: Probing = group(Probing)
    families: Families = group(Families)
    against: int | None = option(
        "--against-version",
        type=click.IntRange(min=1),
        metavar="N",
        help="Another version of the settings, whose grades are compared with those of this one.",
    )
    systems: Systems = group(
        Systems, runs=runs_option("two or more show the bias of their difference.")
    )
    margin: float = option(
        "--margin",
        type=SHARE_BETWEEN,
        default=0.1,
        show_default=True,
        help="Shifts up to this share of the scale's range do not matter.",
    )
    confidence: float = confidence_option()
    output: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown", "csv")),
        asked=format_option("table", "json", "markdown", "csv", default=None),
        path=output_option(),
    )


@click.command(
    "audit", help=AUDIT, short_help="Audit a language model: what moves its grades although it"
    " should not.",
)  # fmt: skip
@takes(Audited)
@no_color_option
def audit(request: Audited) -> None:
    """Runs `relyon judge audit`."""
    from relyon.judging.llm.audit.audit import audit_judge
    from relyon.judging.llm.audit.plan import plan_audit
    from relyon.judging.store import open_store

    probing = request.probing
    files = [request.database, *request.systems.runs]
    files += [probing.translations] if probing.translations else []
    protect_inputs(request.output.path, files)
    if len(request.systems.runs) == 1:
        raise ParameterError(message("judging.ranking-systems-needs-two"))
    families = _families(request)
    with open_store(request.database) as store:
        found = store.projects.get(request.project)
        chosen = store.models.get(found.id, request.machine.judge, request.machine.version)
        against = None
        if request.against is not None:
            against = store.models.get(found.id, chosen.judge, request.against)
        if not probing.offline:
            plan = plan_audit(
                store,
                chosen,
                probes=probing.probes or None,
                items=probing.items,
                seed=probing.seed,
                name=probing.name,
                translations=_translations(probing.translations),
                most=probing.most,
                attempts=probing.server.attempts,
            )
            _remark(store, plan)
            if probing.dry_run:
                _show(plan)
                return
            _ask(store, plan, probing)
        measured = audit_judge(
            store,
            chosen,
            family=families,
            against=against,
            runs=request.systems.named,
            measure=request.systems.measure,
            margin=request.margin,
            confidence=request.confidence,
        )
    emit(measured, request.output)


def _families(request: Audited) -> FamilyColumn | None:
    from relyon.judging.llm.audit.audit import FamilyColumn

    given = request.families
    if not (given.column or given.systems):
        if given.own:
            raise ParameterError(
                message("cli.own-family-alone"), hint=message("judging.name-family-of-items")
            )
        return None
    if given.own is None:
        raise ParameterError(message("cli.own-family-missing"))
    names = dict(zip(request.systems.runs, run_names(request.systems.runs), strict=True))
    runs = {}
    for text in given.systems:
        name, sign, family = text.rpartition("=")
        if not sign or not name or not family:
            raise ParameterError(message("cli.family-is-not-run-name", text=text))
        runs[names.get(name, name)] = family
    if given.column and runs:
        raise ParameterError(message("cli.family-column-or-runs"))
    return FamilyColumn(given.own, given.column or "", runs or None)


def _translations(path: str | None) -> dict[str, str]:
    from relyon.io.table_files import read_table

    if path is None:
        return {}
    table = read_table(path)
    for name in ("query", "translation"):
        if name not in table.columns:
            raise InputError(message("cli.translations-lack-column", name=name), path=path)
    return {
        str(query): str(text)
        for query, text in zip(table["query"], table["translation"], strict=True)
        if str(query or "").strip() and str(text or "").strip()
    }


def _remark(store: Store, audit: AuditPlan) -> None:
    """Notes what is asked, what it costs, and what the audit lacks."""
    from relyon.judging.llm.estimate import estimate_tokens

    known = store.replies.tally(audit.configuration)
    cost = estimate_tokens(audit.configuration, audit.prompt, audit.plan, known)
    messages.note(
        message(
            "cli.audit-asks",
            count=cost.requests,
            items=audit.items,
            samples=audit.configuration.samples,
            prompt=cost.prompt_tokens,
            answer=cost.answer_tokens,
        )
    )
    if not audit.known:
        messages.warning(message("cli.audit-without-grades"))
    for probe, count in audit.not_applicable.items():
        messages.note(message("cli.probe-does-not-apply", probe=probe, count=count))


def _show(audit: AuditPlan) -> None:
    shown: set[str] = set()
    parts = []
    for copy, row in zip(audit.plan.items, audit.rows, strict=True):
        if row.probe not in shown:
            shown.add(row.probe)
            said = audit.prompt.messages(copy)
            text = said[0 if copy.id in audit.prompt.turned else 1]["content"]
            parts.append(f"[{row.probe}]\n{text}")
    write("\n\n".join(parts))


def _ask(store: Store, audit: AuditPlan, probing: Probing) -> None:
    from relyon.judging.llm.audit.plan import ask_audit
    from relyon.judging.llm.judge import Outcome

    if not audit.plan.open:
        store.probes.add(audit.configuration, audit.rows)
        return
    server = probing.server.endpoint(audit.configuration.endpoint)
    outcome = Outcome()
    try:
        with watch_answers() as progress:
            ask_audit(
                store,
                audit,
                server,
                concurrency=probing.server.concurrency,
                outcome=outcome,
                progress=progress,
                on_interrupt=lambda: messages.note(message("cli.waiting-for-pending-requests")),
            )
    finally:
        summarize_answers(audit.configuration, audit.plan, outcome)
