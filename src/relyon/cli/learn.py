"""`relyon learn`: the course."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from pathlib import Path

import click

from relyon.cli.groups import Listen, listen_options
from relyon.cli.messages import messages
from relyon.cli.options import language_option, no_color_option
from relyon.cli.output import terminal_columns
from relyon.cli.request import argument, flag, option, request, takes
from relyon.core.document.signs import wrap
from relyon.core.errors import CheckError, ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import Language, message

__all__ = ["command", "need_packages", "serve"]

#: Columns of text that reads well.
WIDTH = 78

HELP = """Learn to measure relevance: lessons, cards and a game.

\b
Examples:
  relyon learn --browser
  relyon learn ndcg --lang zh
  relyon learn 3 --terminal
  relyon learn -o course
  relyon learn --exam exam
  relyon learn --exercise my-exercise
  relyon learn --check-exercise my-exercise/dcg.py
  relyon learn --check-only

Serves the lessons on this machine until Ctrl-C; every number in them is computed
by relyon. LESSON is where to begin: its number, its name, or a measure. Answers,
cards and scores stay in the browser. With -o, the pages are written into a
folder that any web server can show.

--exam writes the files of lesson 14: judgments, two runs and a log with
five faults, to be found with relyon's commands.

--exercise writes dcg.py: DCG and NDCG in a few lines of Python, with three gaps to
fill. --check-exercise runs your file, on this machine and as your own program, for
ten seconds at most.

--lessons shows lessons of your own, `en/01-name.md` and `zh/01-name.md`; --check-only
says what is wrong with lessons, and shows none.

Needs pip install 'relyon[learn]'.
"""


@request
class Request:
    """The request of `relyon learn`."""

    lesson: str | None = argument(metavar="[LESSON]", required=False)
    listen: Listen = listen_options(8090)
    output: str | None = option(
        "-o",
        "--output",
        type=click.Path(file_okay=False),
        metavar="FOLDER",
        help="Write the pages into a folder instead of serving them.",
    )
    lessons: Path | None = option(
        "--lessons",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        metavar="FOLDER",
        help="A folder of lessons [default: those of relyon].",
    )
    terminal: bool = flag(
        "--terminal",
        help="Cards and questions here in the terminal: those that are due, then those not"
        " answered.",
    )
    progress: Path | None = option(
        "--progress",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Where --terminal keeps answers and cards, in the form that the pages save and load"
        " [default: learn.json in the user's folder of settings].",
    )
    exam: Path | None = option(
        "--exam",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="FOLDER",
        help="Write the files of the final exam into a folder.",
    )
    exercise: Path | None = option(
        "--exercise",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="FOLDER",
        help="Write dcg.py, the exercise of lesson 16 with its three gaps, into a folder.",
    )
    solution: Path | None = option(
        "--check-exercise",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Run your dcg.py on many lists and compare it with relyon; exit code 1 if it differs.",
    )
    check: bool = flag("--check-only", help="Check the lessons; exit code 1 if one has a fault.")
    language: Language = language_option("Language of the first page.")


@click.command(
    "learn", help=HELP, short_help="Learn to measure relevance: lessons, cards and a game."
)
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon learn`."""
    if request.exam is not None:
        _write_exam(request.exam)
        return
    if request.exercise is not None:
        _write_exercise(request.exercise, request.language)
        return
    if request.solution is not None:
        _check_exercise(request.solution, request.language)
        return
    if request.check:
        _check(request.lessons, request.language)
        return
    if request.terminal:
        _study(request.lesson, request.lessons, request.progress, request.language)
        return
    if request.progress is not None:
        raise ParameterError(
            message("cli.progress-needs-terminal"), hint=message("cli.pages-keep-progress")
        )
    need_packages()
    from relyon.learn.course import course, find_lesson, read_course
    from relyon.learn.pages.site import pages, steps_ahead, write_site

    if request.output is not None:
        written = write_site(Path(request.output), request.lessons)
        text = message(
            "cli.wrote-files",
            count=len(written),
            path=f"{request.output}/index.html",
        )
        messages.say(messages.translate(text))
        return
    first = f"{request.language}/index.html"
    if request.lesson is not None:
        known = (
            course(request.language)
            if request.lessons is None
            else read_course(request.lessons, request.language)
        )
        first = f"{request.language}/{find_lesson(request.lesson, known).name}.html"
    # A fault in lessons of one's own is an error before a page is opened.
    files, ahead = (
        (pages(), steps_ahead()) if request.lessons is None else (dict(pages(request.lessons)), ())
    )
    serve(
        files,
        first,
        host=request.listen.host,
        port=request.listen.port,
        browser=request.listen.browser,
        ahead=ahead,
    )


def _write_exam(folder: Path) -> None:
    """Writes the files of the exam, and prints the path of its questions."""
    from relyon.learn.exam import write_exam

    written = write_exam(folder)
    text = message(
        "cli.wrote-count-files",
        count=len(written),
        folder=str(folder),
    )
    messages.say(messages.translate(text))


def _write_exercise(folder: Path, language: Language) -> None:
    """Writes the exercise, and prints its path."""
    from relyon.learn.exercise import write_exercise

    click.echo(write_exercise(folder, language))


def _check_exercise(path: Path, language: Language) -> None:
    """Prints what was found in a solution of the exercise.

    Raises:
        CheckError: If it is not.
    """
    from relyon.core.texts import catalogue
    from relyon.learn.exercise import check_exercise

    messages.say(catalogue("learn", language).say("exercise.runs_here", path=str(path)))
    verdict = check_exercise(path, language)
    for line in verdict.lines:
        click.echo(line)
    if not verdict.right:
        raise CheckError(message("learn.exercise-differs"))


def _study(
    name: str | None, folder: Path | None, progress: Path | None, language: Language
) -> None:
    """Asks cards and questions of one lesson, or of all."""
    from relyon.learn.course import course, find_lesson, read_course

    need_packages("markdown_it")
    from relyon.learn.progress import read_progress
    from relyon.learn.terminal import Study

    optional_package("fsrs", purpose=message("core.card-box"), install="relyon[learn]")
    known = course(language) if folder is None else read_course(folder, language)
    chosen = known if name is None else (find_lesson(name, known),)
    kept = read_progress(progress or Path(click.get_app_dir("relyon")) / "learn.json")
    columns = min(terminal_columns() or WIDTH, WIDTH)

    def ask(question: str) -> str:
        click.echo(question, nl=False)
        line = "" if sys.stdin is None else sys.stdin.readline()
        if not line:
            raise EOFError
        return line

    def say(text: str) -> None:
        click.echo("\n".join(wrap(text, columns)) if text else "")

    Study(chosen, kept, language, ask, say).run()


def need_packages(*names: str) -> None:
    """Checks that packages of the course are installed.

    Args:
        *names: Their names; without any, all that serve its pages.

    Raises:
        DependencyError: If one is not.
    """
    for package in names or ("markdown_it", "jinja2", "uvicorn", "starlette"):
        optional_package(package, purpose=message("cli.course"), install="relyon[learn]")


def serve(
    files: Mapping[str, bytes],
    first: str,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = False,
    ahead: Iterable[Callable[[], object]] = (),
) -> None:
    """Serves pages until a signal ends it.

    Args:
        files: Every file by its path.
        first: The path of the page to begin with.
        host: The address to listen at.
        port: The port; 0 picks a free one.
        browser: Whether to open the first page in a browser here.
        ahead: Work to do between pages, so that later ones are faster.
    """
    from relyon.app.process import Ending, listen, own_names, serve_app
    from relyon.learn.pages.server import Ahead, course_app

    ending = Ending()
    with ending.entered(), listen(host, port) as listening, closing(Ahead(ahead)) as between:
        app = course_app(files, first, names=own_names(host, listening), ahead=between)
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{listening.getsockname()[1]}/{first}"
        text = message("cli.course-ctrl-c-ends", address=address)
        messages.say(messages.translate(text))
        if browser:
            click.launch(address)
        serve_app(app, listening, ending)


def _check(folder: Path | None, language: Language) -> None:
    """Prints the faults of lessons.

    Raises:
        CheckError: If there are faults.
    """
    from relyon.core.texts import LANGUAGES

    need_packages("markdown_it")
    from relyon.learn.course import LESSONS, read_course
    from relyon.learn.lesson_checks import check_languages, check_lesson, check_minutes

    root = folder or LESSONS
    courses = [read_course(root, one) for one in LANGUAGES if (root / one).is_dir()]
    faults = [fault for course in courses for lesson in course for fault in check_lesson(lesson)]
    for other in courses[1:]:
        faults += check_languages(courses[0], other)
    faults += check_minutes(courses)
    for fault in faults:
        click.echo(fault.said(language))
    if faults:
        raise CheckError(message("cli.in-lessons", faults=len(faults)))
    count = sum(len(course) for course in courses)
    text = message("cli.without-fault", count=count)
    messages.say(messages.translate(text))
