"""`relyon explain`: the derivation of one query's value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, TypedDict

import click

from relyon.cli.described import Described, described_options
from relyon.cli.inputs import Given, input_options
from relyon.cli.messages import messages
from relyon.cli.options import (
    format_option,
    names_option,
    no_color_option,
    output_option,
    plugin_option,
)
from relyon.cli.output import Output, emit, protect_inputs
from relyon.cli.request import argument, fixed, flag, group, option, request, takes
from relyon.cli.tapes import Explained, Tapes
from relyon.core.errors import ParameterError, UnknownNameError
from relyon.core.texts import Message, message

if TYPE_CHECKING:
    from relyon.analysis.explanation import Explanation
    from relyon.data.convention import Convention
    from relyon.data.judgments import Judgments
    from relyon.data.run import Run
    from relyon.data.scale import Scale
    from relyon.data.traces import Traces
    from relyon.io import Source
    from relyon.io.descriptions import Descriptions
    from relyon.learn.lesson import Lesson
    from relyon.measures import Measure

    class Settings(TypedDict):
        """The options of both explanations."""

        convention: Convention
        scale: Scale | None
        limit: int
        query_texts: Descriptions | None
        document_titles: Descriptions | None


__all__ = ["command"]

HELP = """Explain one query's value, rank by rank.

\b
Examples:
  relyon explain judgments.qrels bm25.run --query-id en01 -m ndcg@5
  relyon explain judgments.qrels bm25.run --query-id en01 --against sklearn
  relyon explain judgments.qrels bm25.run new.run --query-id en01 -m ndcg@5

Each row is a rank: the document, its score and grade, its gain, the discount,
its contribution, and the value so far. The ideal list or the missed relevant
documents follow, and the formula with its numbers. With a second run OTHER:
which documents moved from RUN to OTHER, and what each move gained or cost.
If RUN is a trace, --query-id names a task: call by call, it shows what was
returned, what of it is new, what was read, and the value after the call.
Without --query-id, lists the queries worth a look: those with the lowest
values, or those that gained and lost the most. With --learn, the derivation
opens in the lesson on the measure (relyon learn).
"""


@request
class Request:
    """The request of `relyon explain`."""

    files: tuple[str, ...] = argument(metavar="JUDGMENTS RUN [OTHER]", nargs=-1)
    names: tuple[str, ...] = names_option()
    query: str | None = option("--query-id", metavar="ID", help="The query's id.")
    measure: str = option(
        "-m",
        "--measure",
        metavar="MEASURE",
        default="ndcg@10",
        show_default=True,
        help="The measure.",
    )
    against: str | None = option(
        "--against",
        metavar="PRESET|FILE",
        help="Show which rules make another program's value differ, and how much each contributes:"
        " sklearn, trec_eval, lightgbm, … or a file.",
    )
    limit: int = option(
        "--limit",
        metavar="N",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        help="Maximum rows per table except the derivation; json contains all.",
    )
    learn: bool = flag(
        "--learn", help="Open the derivation in the lesson that explains the measure, until Ctrl-C."
    )
    described: Described = described_options()
    output: Output = group(
        Output,
        forms=fixed(("table", "json", "markdown")),
        wide=fixed(True),
        asked=format_option("table", "json", "markdown", default=None),
        path=output_option(),
    )
    given: Given = input_options("label", "document")


@click.command("explain", help=HELP, short_help="Explain one query's value, rank by rank.")
@takes(Request)
@plugin_option
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon explain`."""
    from relyon.analysis.explanation import Change, Explanation, explain, explain_change
    from relyon.data.run import Run
    from relyon.io.traces import read_lists
    from relyon.measures import measure as parse_measure

    one = parse_measure(request.measure)
    protect_inputs(
        request.output.path, [*request.given.paths(request.files), *request.described.paths]
    )
    _check_files(request.files, request.given)
    lists = request.given.lists(request.files, request.names, reference=one.needs == "reference")
    if not 0 < len(lists.runs) < 3:
        raise ParameterError(
            message("cli.explain-takes-one-or-two"),
            hint=message("cli.name-them")
            if request.given.scored
            else message("cli.name-one-or-two"),
        )
    rules, levels = lists.convention, request.given.scale
    with request.given.naming(request.files):
        runs = [
            read_lists(one, name=name) for one, name in zip(lists.runs, lists.names, strict=True)
        ]
    if request.learn and len(runs) != 1:
        raise ParameterError(message("cli.learn-explains-one-run"))
    lesson = _lesson(one) if request.learn else None
    if request.query is None:
        raise ParameterError(
            message("cli.query-id-is-missing"),
            hint=_worth_a_look(
                lists.judgments, runs, one, rules, levels, request.described.queries
            ),
        )
    files = () if request.given.scored else request.files[1:]
    read = {name: one for name, one in zip(lists.names, runs, strict=True) if isinstance(one, Run)}
    tapes = Tapes(dict(zip(read, files, strict=False)), read.__getitem__)
    titles = tapes.titles(request.described.documents)
    settings: Settings = {
        "convention": rules,
        "scale": levels,
        "limit": request.limit,
        "query_texts": tapes.queries(request.described.queries),
        "document_titles": titles,
    }
    found: Explanation | Change
    if len(runs) == 1:
        found = explain(
            lists.judgments, runs[0], request.query, one, against=request.against, **settings
        )
    elif request.against is not None:
        raise ParameterError(message("cli.against-explains-one-run"))
    else:
        found = explain_change(lists.judgments, runs[0], runs[1], request.query, one, **settings)
    explained = tapes.explanations(request.query, titles)
    emit(Explained(found, explained, request.limit) if explained else found, request.output)
    request.described.notes()
    messages.notes(tapes.notes)
    if lesson is not None and isinstance(found, Explanation):
        _open_lesson(lesson, found)


def _lesson(measure: Measure) -> Lesson:
    """Returns the lesson on a measure.

    Raises:
        DependencyError: If a package that serves the course is not installed.
        UnknownNameError: If the measure has no lesson.
    """
    from relyon.cli.learn import need_packages
    from relyon.learn.course import course, lesson_on

    need_packages()
    found = lesson_on(measure.name, course(messages.language))
    if found is None:
        raise UnknownNameError(
            message("core.no-lesson-is-about", name=measure.name),
            hint=message("cli.leave-out-learn"),
        )
    return found


def _open_lesson(lesson: Lesson, found: Explanation) -> None:
    """Serves the course, with the derivation in the lesson on its measure."""
    from relyon.cli.learn import serve
    from relyon.learn.course import course
    from relyon.learn.pages.site import lesson_page, pages, steps_ahead
    from relyon.learn.tracks import course_tracks

    first = f"{lesson.language}/{lesson.name}.html"
    lessons = course(lesson.language)
    own = lesson_page(lesson, lessons, found, partial(course_tracks, lessons))
    serve(pages().replaced(first, own), first, browser=True, ahead=steps_ahead())


def _check_files(files: Sequence[str], given: Given) -> None:
    if given.scored or len(files) in (2, 3):
        return
    raise ParameterError(
        message("cli.judgments-and-run")
        if len(files) < 2
        else message("cli.there-are-more-than-two"),
        hint="relyon explain judgments.qrels bm25.run",
    )


def _worth_a_look(
    reference: Judgments | Run | Traces | Source,
    runs: Sequence[Run | Traces],
    measure: Measure,
    convention: Convention,
    scale: Scale | None,
    texts: Descriptions | None,
    shown: int = 3,
) -> Message:
    """Names the queries most worth a closer look."""
    from relyon.analysis.comparison.contrast import gain_sign
    from relyon.evaluation import Evaluator

    sign = gain_sign(str(measure))
    evaluator = Evaluator(reference, convention=convention, scale=scale)
    values = [evaluator.evaluate(run, measure).values_by_query(measure) for run in runs]
    if len(values) == 1:
        known = sorted(
            ((value, query) for query, value in values[0].items() if not math.isnan(value)),
            key=lambda one: (sign * one[0], one[1]),
        )
        if not known:
            return message("cli.name-one-of-runs")
        return message(
            "cli.name-query-of-these" if sign > 0 else "cli.name-query-of-these-have-highest",
            measure=measure,
            count=len(known),
            queries=[
                f"{one} ({value:.4f})"
                for one, (value, _) in zip(_named(known[:shown], texts), known, strict=False)
            ],
        )
    before, after = values
    changes = [(after[query] - before[query], query) for query in before if query in after]
    finite = sorted(
        (change for change in changes if math.isfinite(change[0])),
        key=lambda one: (sign * one[0], one[1]),
    )
    gained = [change for change in reversed(finite[-shown:]) if sign * change[0] > 0]
    lost = [change for change in finite[:shown] if sign * change[0] < 0]
    if not gained and not lost:
        return message("cli.name-one-of-queries", measure=measure)
    parts = []
    if lost:
        worst = "cli.lost-most" if sign > 0 else "cli.worsened-most"
        parts.append(message(worst, queries=_changed(lost, texts)))
    if gained:
        best = "cli.gained-most" if sign > 0 else "cli.improved-most"
        parts.append(message(best, queries=_changed(gained, texts)))
    return message(
        "cli.name-query",
        count=len(finite),
        measure=measure,
        parts=parts,
    )


def _changed(changes: Sequence[tuple[float, str]], texts: Descriptions | None) -> list[str]:
    named = _named(changes, texts)
    return [f"{one} ({change:+.4f})" for one, (change, _) in zip(named, changes, strict=True)]


def _named(values: Sequence[tuple[float, str]], texts: Descriptions | None) -> list[str]:
    """Returns queries for a hint, with their texts if known."""
    from relyon.core.document.quoted_ids import quoted

    queries = [query for _, query in values]
    known = {} if texts is None else texts.find(queries)
    shown = {query: f"`{query}`" for query in queries}
    texts_of = {shown[query]: text for query, text in known.items() if text != query}
    return [quoted(one, texts_of) for one in shown.values()]
