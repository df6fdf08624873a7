"""`relyon judge llm`: a language model as a judge alongside people."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import click

from relyon.cli.messages import Progress, messages
from relyon.cli.model_server import ModelServer
from relyon.cli.options import (
    no_color_option,
    project_option,
    seed_option,
)
from relyon.cli.output import write
from relyon.cli.request import argument, flag, group, option, request, takes
from relyon.core.errors import ParameterError
from relyon.core.texts import LANGUAGES, message

if TYPE_CHECKING:
    from relyon.core.language import Language
    from relyon.judging.llm.endpoint import Endpoint
    from relyon.judging.llm.judge import Outcome, Plan
    from relyon.judging.llm.models import Configuration
    from relyon.judging.llm.prompt import Prompt
    from relyon.judging.records import Project
    from relyon.judging.store import Store

__all__ = ["llm", "summarize_answers", "watch_answers"]

LLM = """Let a language model grade, as a judge alongside people.

\b
Examples:
  relyon judge llm judging.db --project June --model qwen3 \\
      --endpoint http://localhost:8000/v1 --items graded --dry-run
  relyon judge llm judging.db --project June --model gpt-5-mini \\
      --endpoint https://api.openai.com/v1 --items graded
  relyon judge calibrate judging.db --project June
  relyon judge accept judging.db --project June --by Lee

The endpoint must be compatible with OpenAI's chat completions. The model sees
the project's guideline and scale, and each item's query, title, snippet, URL
and further fields. Every answer is stored on arrival; running the command again
resumes where it stopped and asks nothing twice. The model's grades never count
as a person's, and not at all until a lead accepts them.

The key comes from the environment variable RELYON_LLM_KEY or the one named by
--api-key-env; it is never stored or printed.
"""


@request
class Llm:
    """The request of `relyon judge llm`."""

    database: str = argument()
    project: str = project_option()
    endpoint: str = option(
        "--endpoint", required=True, metavar="URL", help="Base URL, without /chat/completions."
    )
    model: str = option(
        "--model", required=True, metavar="NAME", help="The model's name at the endpoint."
    )
    judge: str | None = option(
        "--judge", metavar="NAME", help="The name of the judge.  [default: llm:MODEL]"
    )
    samples: int = option(
        "--samples",
        type=click.IntRange(1, 100),
        default=5,
        show_default=True,
        help="Number of answers per item; their median is the grade.",
    )
    temperature: float = option(
        "--temperature",
        type=click.FloatRange(min=0),
        default=0.7,
        show_default=True,
        help="Sampling temperature.",
    )
    parameters: tuple[str, ...] = option(
        "-p",
        "--parameter",
        metavar="NAME=VALUE",
        multiple=True,
        help="A further request parameter, such as max_tokens=300; temperature=null omits one.",
    )
    which: Literal["all", "graded", "ungraded"] = option(
        "--items",
        type=click.Choice(["all", "graded", "ungraded"]),
        default="all",
        show_default=True,
        help="Items that people graded, for calibration, or ungraded ones.",
    )
    queries: int | None = option(
        "--query-sample",
        type=click.IntRange(min=1),
        metavar="N",
        help="Only this many queries, drawn at random, with all their items.",
    )
    limit: int | None = option(
        "--item-sample",
        type=click.IntRange(min=1),
        metavar="N",
        help="Only this many items, drawn at random.",
    )
    seed: int = seed_option("")
    server: ModelServer = group(ModelServer)
    language: Language = option(
        "--prompt-lang",
        type=click.Choice(LANGUAGES),
        default="en",
        show_default=True,
        help="Language of the prompt.",
    )
    prompt_file: str | None = option(
        "--prompt",
        metavar="FILE",
        help="The task in your own words; {guideline} and {scale} are replaced by the project's.",
    )
    dry_run: bool = flag(
        "--dry-run",
        help="Print the prompt for the first item and the number of requests, and send nothing.",
    )


@click.command("llm", help=LLM, short_help="Let a language model grade alongside people.")
@takes(Llm)
@no_color_option
def llm(request: Llm) -> None:
    """Runs `relyon judge llm`."""
    from relyon.io.plain_text import read_file
    from relyon.judging.llm.endpoint import tidy_url
    from relyon.judging.llm.judge import build_plan, choose_items
    from relyon.judging.llm.models import draft_configuration
    from relyon.judging.llm.prompt import build_prompt
    from relyon.judging.store import open_store

    url = tidy_url(request.endpoint)
    task = None if request.prompt_file is None else read_file(request.prompt_file)
    with open_store(request.database) as store:
        found = store.projects.get(request.project)
        prompt = build_prompt(found, language=request.language, task=task)
        draft = draft_configuration(
            found.id,
            request.judge or f"llm:{request.model.strip()}",
            endpoint=url,
            model=request.model,
            samples=request.samples,
            parameters={"temperature": request.temperature, **_parameters(request.parameters)},
            language=request.language,
            prompt=prompt.text,
        )
        items = choose_items(
            store,
            found.id,
            which=request.which,
            queries=request.queries,
            limit=request.limit,
            seed=request.seed,
        )
        plan = build_plan(store, draft, prompt, items, attempts=request.server.attempts)
        _remark(found, draft, plan, len(items))
        if request.dry_run:
            _show(draft, prompt, plan)
            return
        chosen = store.models.add(draft)
        server = request.server.endpoint(url)
        _ask(store, chosen, prompt, plan, server, request.server.concurrency)


def _parameters(texts: Sequence[str]) -> dict[str, object]:
    import json

    found: dict[str, object] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise ParameterError(
                message("cli.is-not-name-value", text=text),
                hint=message("cli.write-for-example-parameter"),
            )
        try:
            found[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            found[name.strip()] = value
    return found


def _remark(project: Project, draft: Configuration, plan: Plan, chosen: int) -> None:
    """Warns about options that may be unintended."""
    if not project.guideline_in(draft.language):
        messages.warning(
            message(
                "cli.has-no-guideline",
                project_name=project.name,
            )
        )
    if draft.samples > 1 and draft.parameters.get("temperature") == 0:
        messages.note(message("cli.at-temperature-0-samples"))
    if plan.hidden:
        messages.warning(
            message(
                "cli.items-skipped",
                hidden=plan.hidden,
                chosen=chosen,
            )
        )
    if not chosen:
        messages.warning(message("cli.no-items-were-selected"))


def _show(draft: Configuration, prompt: Prompt, plan: Plan) -> None:
    if plan.items:
        parts = [f"[{one['role']}]\n{one['content']}" for one in prompt.messages(plan.items[0])]
        write("\n\n".join(parts))
    messages.note(
        message(
            "cli.requests-for-items",
            count=len(plan.open),
            count_2=len(plan.items),
            samples=draft.samples,
        )
    )


def _ask(
    store: Store,
    chosen: Configuration,
    prompt: Prompt,
    plan: Plan,
    server: Endpoint,
    concurrency: int,
) -> None:
    from relyon.judging.llm.judge import Outcome, ask_model

    outcome = Outcome()
    try:
        with watch_answers() as progress:
            ask_model(
                store,
                chosen,
                prompt,
                plan,
                server,
                concurrency=concurrency,
                outcome=outcome,
                progress=progress,
                on_interrupt=lambda: messages.note(message("cli.waiting-for-pending-requests")),
            )
    finally:
        _summarize(store, chosen, plan, outcome)


@contextmanager
def watch_answers() -> Iterator[Callable[[int, int], None]]:
    """Shows how many requests are answered, and about how long the others take."""
    start = time.monotonic()
    with Progress("cli.asking") as show:

        def progress(done: int, total: int) -> None:
            left = (time.monotonic() - start) / done * (total - done)
            show(done, total, message("cli.about-left", time=_duration(left)))

        yield progress


def _summarize(store: Store, chosen: Configuration, plan: Plan, outcome: Outcome) -> None:
    summarize_answers(chosen, plan, outcome)
    graded = store.replies.samples(chosen)
    share = sum(item.id in graded for item in plan.items)
    messages.note(
        message(
            "cli.graded-of-items",
            share=share,
            count=len(plan.items),
        )
    )


def summarize_answers(chosen: Configuration, plan: Plan, outcome: Outcome) -> None:
    """Notes how many requests were answered, what they took, and what was wrong with answers."""
    from relyon.judging.llm.answers import PROBLEMS

    again = message("cli.sent-again-after-error", count=outcome.retried) if outcome.retried else ""
    messages.note(
        message(
            "cli.requests-answered-tokens",
            chosen_title=chosen.title,
            asked=outcome.asked,
            again=again,
            prompt_tokens=outcome.prompt_tokens,
            completion_tokens=outcome.completion_tokens,
        )
    )
    for problem, times in sorted(outcome.problems.items()):
        messages.warning(
            message("cli.times-problems", times=times, problems=message(PROBLEMS[problem]))
        )
    given_up = plan.unreadable + outcome.given_up
    if given_up:
        messages.warning(
            message(
                "cli.samples-have-no-grade",
                given_up=given_up,
                attempts=plan.attempts,
            )
        )


def _duration(seconds: float) -> str:
    """Returns a human-readable duration.

    Examples:
        >>> _duration(8), _duration(160), _duration(7300)
        ('8 s', '3 min', '2.0 h')
    """
    if seconds < 90:
        return message("cli.seconds", seconds=seconds)
    if seconds < 5400:
        return message("cli.minutes", minutes=seconds / 60)
    return message("cli.hours", hours=seconds / 3600)
