"""`relkit judge llm`, `calibrate` and `accept`: a language model as a judge beside people."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from relkit.cli.judge_import import text_of
from relkit.cli.messages import Progress, messages
from relkit.cli.options import (
    format_option,
    language_option,
    no_color_option,
    output_option,
    project_option,
)
from relkit.cli.output import emit, protect_inputs
from relkit.errors import ParameterError

if TYPE_CHECKING:
    from relkit.judging.llm.calibration import Calibration
    from relkit.judging.llm.differences import Difference
    from relkit.judging.llm.judge import Outcome, Plan
    from relkit.judging.llm.prompt import Prompt
    from relkit.judging.llm.storage import Configuration
    from relkit.judging.llm.systems import SystemOrder
    from relkit.judging.records import Project
    from relkit.judging.store import Store

__all__ = ["accept", "calibrate", "llm"]

KEY = "RELKIT_LLM_KEY"

LLM = """Let a language model grade, as a judge of its own beside the people.

\b
Examples:
  relkit judge llm judging.db --project June --model qwen3 \\
      --endpoint http://localhost:8000/v1 --items graded --dry-run
  relkit judge llm judging.db --project June --model gpt-5-mini \\
      --endpoint https://api.openai.com/v1 --items graded
  relkit judge calibrate judging.db --project June
  relkit judge accept judging.db --project June --by Lee

The endpoint is one that is compatible with OpenAI's chat completions. The model
sees the project's guideline and scale, and of each item the query, the title,
the snippet, the URL and the further fields. Every answer is stored as soon as
it is there; running the command again goes on where it stopped and asks nothing
twice. What the model says never counts as a person's grade, and not at all
until a lead accepts it.

The key comes from the environment variable RELKIT_LLM_KEY or the one that
--api-key-env names; it is stored and printed nowhere.
"""

CALIBRATE = """Hold a language model's grades against people's.

\b
Examples:
  relkit judge calibrate judging.db --project June
  relkit judge calibrate judging.db --project June --judge llm:gpt-5-mini \\
      --format markdown -o calibration.md

Prints the confusion matrix, Cohen's and weighted kappa, Krippendorff's alpha,
the mean difference and the agreement on what is relevant, each with an interval
from resampled queries, overall and by tier; the same between people; and how
far the model agrees with itself. With --run given twice or more it also says
whether the model's grades put these systems in the same order as people's.
"""

ACCEPT = """Let a language model's grades count where nobody gave one.

\b
Examples:
  relkit judge accept judging.db --project June --by Lee
  relkit judge accept judging.db --project June --by Lee --withdraw

Prints the calibration and records it with the name and the time. It needs 50
items graded by people too, or as many as --least-items says. From then on final
grades of items that nobody said anything of are the model's, and every export
says so. Other settings or another guideline have to be accepted anew.
"""


def _judge_options(command: Any) -> Any:
    for decorate in (
        click.option("--version", type=click.IntRange(min=1), metavar="N",
                     help="Of its settings.  [default: the newest]"),
        click.option("--judge", metavar="NAME",
                     help="The language model, such as llm:gpt-5-mini.  [default: the only one]"),
    ):  # fmt: skip
        command = decorate(command)
    return command


@click.command("llm", help=LLM, short_help="Let a language model grade beside the people.")
@click.argument("database")
@project_option()
@click.option(
    "--endpoint", required=True, metavar="URL", help="Without the /chat/completions at its end."
)
@click.option("--model", required=True, metavar="NAME", help="The model's name there.")
@click.option("--judge", metavar="NAME", help="Its name as a judge.  [default: llm:MODEL]")
@click.option(
    "--samples",
    type=click.IntRange(1, 100),
    default=5,
    show_default=True,
    help="How often it is asked about each item; the median of the answers is its grade.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(min=0),
    default=0.7,
    show_default=True,
    help="How much its answers vary.",
)
@click.option(
    "--parameter",
    "parameters",
    metavar="NAME=VALUE",
    multiple=True,
    help="A further parameter of the requests, such as max_tokens=300; temperature=null leaves one"
    " out.",
)
@click.option(
    "--items",
    "which",
    type=click.Choice(["all", "graded", "ungraded"]),
    default="all",
    show_default=True,
    help="Items that people graded, for a calibration, or those that nobody did.",
)
@click.option(
    "--query-sample",
    "queries",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only so many queries, drawn by chance, with all their items.",
)
@click.option(
    "--limit", type=click.IntRange(min=1), metavar="N", help="Only so many items, drawn by chance."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, help="Of what is drawn.  [default: 0]"
)
@click.option(
    "--requests-per-minute",
    "per_minute",
    type=click.FloatRange(min=0, min_open=True),
    metavar="N",
    help="Send no more than that.",
)
@click.option(
    "--concurrency",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="Requests on their way at once.",
)
@click.option(
    "--attempts",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="How often an answer that cannot be read is asked for.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=120.0,
    show_default=True,
    help="Seconds until a request counts as lost.",
)
@click.option(
    "--retries",
    type=click.IntRange(min=0),
    default=6,
    show_default=True,
    help="How often a request is sent again after an error that may pass.",
)
@language_option("Language of the prompt: English or Chinese.")
@click.option(
    "--prompt",
    "prompt_file",
    metavar="FILE",
    help="The task in your own words; {guideline} and {scale} stand for the project's.",
)
@click.option(
    "--api-key-env",
    "key_variable",
    metavar="NAME",
    help=f"The environment variable that holds the key.  [default: {KEY}]",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Print what would be asked about the first item and how many requests there would be.",
)
@no_color_option
def llm(
    database: str,
    project: str,
    endpoint: str,
    model: str,
    judge: str | None,
    samples: int,
    temperature: float,
    parameters: Sequence[str],
    which: Any,
    queries: int | None,
    limit: int | None,
    seed: int,
    per_minute: float | None,
    concurrency: int,
    attempts: int,
    timeout: float,
    retries: int,
    language: Any,
    prompt_file: str | None,
    key_variable: str | None,
    dry_run: bool,
) -> None:
    """Runs `relkit judge llm`."""
    from relkit.judging.llm.endpoint import Endpoint, tidy_url
    from relkit.judging.llm.judge import choose_items, make_plan
    from relkit.judging.llm.pace import Pace
    from relkit.judging.llm.prompt import make_prompt
    from relkit.judging.llm.storage import draft_configuration
    from relkit.judging.store import open_store

    url = tidy_url(endpoint)
    task = None if prompt_file is None else text_of(prompt_file)
    with open_store(database) as store:
        found = store.project(project)
        prompt = make_prompt(found, language=language, task=task)
        draft = draft_configuration(
            found.id,
            judge or f"llm:{model.strip()}",
            endpoint=url,
            model=model,
            samples=samples,
            parameters={"temperature": temperature, **_parameters(parameters)},
            language=language,
            prompt=prompt.text,
        )
        items = choose_items(store, found.id, which=which, queries=queries, limit=limit, seed=seed)
        plan = make_plan(store, draft, prompt, items, attempts=attempts)
        _remark(found, draft, plan, len(items))
        if dry_run:
            _show(draft, prompt, plan)
            return
        chosen = store.add_configuration(draft)
        server = Endpoint(
            url, key=_key(key_variable, url), timeout=timeout, retries=retries,
            pace=Pace(per_minute),
        )  # fmt: skip
        _ask(store, chosen, prompt, plan, server, attempts, concurrency)


def _parameters(texts: Sequence[str]) -> dict[str, Any]:
    import json

    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise ParameterError(
                f"`{text}` is not NAME=VALUE", hint="write for example --parameter max_tokens=300"
            )
        try:
            found[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            found[name.strip()] = value
    return found


def _key(variable: str | None, url: str) -> str:
    from urllib.parse import urlsplit

    from relkit.judging.llm.endpoint import read_key

    key = read_key(variable or KEY)
    if variable is not None and not key:
        raise ParameterError(f"the environment variable {variable} is empty or not set")
    local = urlsplit(url).hostname in {"localhost", "127.0.0.1", "::1"}
    if key and url.startswith("http:") and not local:
        messages.warning("the key goes to an http endpoint: whoever is on the way can read it")
    return key


def _remark(project: Project, draft: Configuration, plan: Plan, chosen: int) -> None:
    """Says what the user may not have meant."""
    if not (project.guideline_en.strip() or project.guideline_zh.strip()):
        messages.warning(
            f"`{project.name}` has no guideline: the model sees the names of the grades alone"
        )
    if draft.samples > 1 and draft.parameters.get("temperature") == 0:
        messages.note("at temperature 0 the samples of an item are nearly the same answer")
    if plan.hidden:
        messages.warning(
            f"{plan.hidden:,} of {chosen:,} items have nothing but an id and are not asked about"
        )
    if not chosen:
        messages.warning("no item was chosen")


def _show(draft: Configuration, prompt: Prompt, plan: Plan) -> None:
    if plan.items:
        parts = [f"[{one['role']}]\n{one['content']}" for one in prompt.messages(plan.items[0])]
        emit("\n\n".join(parts))
    samples = "1 sample" if draft.samples == 1 else f"{draft.samples} samples"
    messages.note(
        f"{len(plan.open):,} requests for {len(plan.items):,} items and {samples} each, without"
        " those that are answered already; nothing was sent or stored"
    )


def _ask(
    store: Store,
    chosen: Configuration,
    prompt: Prompt,
    plan: Plan,
    server: Any,
    attempts: int,
    concurrency: int,
) -> None:
    from relkit.judging.llm.judge import Outcome, ask_model

    outcome = Outcome()
    start = time.monotonic()
    try:
        with Progress("asking") as show:

            def progress(done: int, total: int) -> None:
                left = (time.monotonic() - start) / done * (total - done)
                show(done, total, f"about {_duration(left)} left")

            ask_model(
                store,
                chosen,
                prompt,
                plan,
                server,
                attempts=attempts,
                concurrency=concurrency,
                outcome=outcome,
                progress=progress,
                on_interrupt=lambda: messages.note(
                    "waiting for the requests on their way; Ctrl-C again leaves at once"
                ),
            )
    finally:
        _summarize(store, chosen, plan, outcome, attempts)


def _summarize(
    store: Store, chosen: Configuration, plan: Plan, outcome: Outcome, attempts: int
) -> None:
    from relkit.judging.llm.answers import PROBLEMS

    again = f", {outcome.retried:,} sent again after an error" if outcome.retried else ""
    messages.note(
        f"{chosen.title}: {outcome.asked:,} requests answered{again};"
        f" {outcome.prompt_tokens:,} + {outcome.completion_tokens:,} tokens"
    )
    for problem, times in sorted(outcome.problems.items()):
        messages.warning(f"{times:,} times {PROBLEMS[problem]}")
    given_up = plan.unreadable + outcome.given_up
    if given_up:
        messages.warning(
            f"{given_up:,} samples have no grade: refused, or {attempts} attempts could not be read"
            " (--attempts)"
        )
    graded = store.samples(chosen)
    share = sum(item.id in graded for item in plan.items)
    messages.note(
        f"{share:,} of {len(plan.items):,} items have a grade by it; `relkit judge calibrate` holds"
        " them against people's"
    )


def _duration(seconds: float) -> str:
    """Returns a time as people say it.

    Examples:
        >>> _duration(8), _duration(150), _duration(7300)
        ('8 s', '3 min', '2.0 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@click.command(
    "calibrate", help=CALIBRATE, short_help="Hold a language model's grades against people's."
)
@click.argument("database")
@project_option()
@_judge_options
@click.option(
    "--rule",
    type=click.Choice(["majority", "median"]),
    default="median",
    show_default=True,
    help="How several people's grades become one, where no lead decided.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=100),
    default=2000,
    show_default=True,
    help="How often queries are drawn.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, help="Of what is drawn.  [default: 0]"
)
@click.option(
    "--run",
    "runs",
    metavar="FILE",
    multiple=True,
    help="What a system returns: two or more are put in order by either one's grades.",
)
@click.option(
    "-m", "--measure", default="ndcg@10", show_default=True, help="By which they are in order."
)
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="How many of the widest differences to list, with the model's reason.",
)
@format_option("table", "json", "markdown")
@output_option
@no_color_option
def calibrate(
    database: str,
    project: str,
    judge: str | None,
    version: int | None,
    rule: Any,
    resamples: int,
    seed: int,
    runs: Sequence[str],
    measure: str,
    examples: int,
    form: str,
    output: str | None,
) -> None:
    """Runs `relkit judge calibrate`."""
    from relkit.judging.llm.calibration import calibrate as hold
    from relkit.judging.llm.differences import find_differences
    from relkit.judging.llm.systems import compare_systems
    from relkit.judging.store import open_store
    from relkit.statistics import Resampling

    protect_inputs(output, [database, *runs])
    order = None
    with open_store(database) as store:
        found = store.project(project)
        chosen = store.configuration(found.id, judge, version)
        measured = hold(store, chosen, rule=rule, resampling=Resampling(resamples, seed))
        if runs:
            order = compare_systems(store, chosen, {run: run for run in runs}, measure=measure)
        apart = find_differences(store, chosen, count=examples, rule=rule)
    emit(_rendered(measured, chosen, found, form, order, apart), output)


def _rendered(
    measured: Calibration,
    chosen: Configuration,
    project: Project,
    form: str,
    order: SystemOrder | None = None,
    differences: Sequence[Difference] = (),
) -> str:
    from relkit.judging.llm.wording import configuration_dict, render_calibration

    if form == "json":
        import json

        content = {
            "project": project.name,
            "configuration": configuration_dict(chosen),
            **measured.to_dict(),
            "systems": None if order is None else order.to_dict(),
            "examples": [one.to_dict() for one in differences],
        }
        return json.dumps(content, ensure_ascii=False, indent=2)
    return render_calibration(
        measured,
        chosen,
        project.scale,
        order=order,
        differences=differences,
        markdown=form == "markdown",
    )


@click.command(
    "accept", help=ACCEPT, short_help="Let a language model's grades count where nobody gave one."
)
@click.argument("database")
@project_option()
@_judge_options
@click.option("--by", required=True, metavar="NAME", help="The account of the lead who accepts it.")
@click.option(
    "--least-items",
    "least",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="How many items must be graded by people too.",
)
@click.option("--note", default="", metavar="TEXT", help="Why.")
@click.option("--withdraw", is_flag=True, help="Its grades shall count no longer.")
@no_color_option
def accept(
    database: str,
    project: str,
    judge: str | None,
    version: int | None,
    by: str,
    least: int,
    note: str,
    withdraw: bool,
) -> None:
    """Runs `relkit judge accept`."""
    from relkit.judging.llm.calibration import accept_judge
    from relkit.judging.llm.wording import describe_sources
    from relkit.judging.store import open_store

    with open_store(database) as store:
        found = store.project(project)
        lead = store.user(by)
        if withdraw:
            accepted = store.acceptance(found.id)
            if accepted is None:
                raise ParameterError(f"no language model is accepted in `{found.name}`")
            if judge not in (None, accepted.configuration.judge):
                raise ParameterError(
                    f"`{judge}` is not accepted in `{found.name}`",
                    hint=f"{accepted.configuration.title} is",
                )
            store.record_acceptance(accepted.configuration, lead, accepted=False, note=note)
            messages.note(f"{accepted.configuration.title} counts no longer in {found.name}")
            return
        chosen = store.configuration(found.id, judge, version)
        measured = accept_judge(store, chosen, lead, least=least, note=note)
        emit(_rendered(measured, chosen, found, "table"))
        if measured.outlook is not None and not measured.outlook.within:
            messages.warning(
                f"{chosen.title} agrees with people less than any of them does with the others"
            )
        messages.note(f"{chosen.title} is accepted by {lead.name} in {found.name}")
        messages.note(
            describe_sources(store, found.id) or "people graded every item that it graded"
        )
