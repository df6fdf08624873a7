"""The report on a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from relyon.analysis.comparison.decision import JUDGED
from relyon.analysis.diagnosis import Findings, diagnose
from relyon.analysis.diagnosis.application import rule_measures
from relyon.core.language import Language
from relyon.core.notes import warn
from relyon.core.parameters import check_type
from relyon.io.descriptions import Descriptions
from relyon.report.abstention import no_answer_section
from relyon.report.breakdowns import breakdown_section, lead_losses
from relyon.report.catalogue import catalogue
from relyon.report.classification import curve_section
from relyon.report.decisions import decision_parts
from relyon.report.diagnoses import diagnosis_section
from relyon.report.document import Format, Report, TitleOptions
from relyon.report.drilldown import Drilldown, has_lists
from relyon.report.fewer_grades import fewer_grades_section
from relyon.report.latencies import latency_section
from relyon.report.losses import loss_measures, loss_section
from relyon.report.overview import comparison_section, lead, subtitle, summary_section
from relyon.report.page import Page, Section
from relyon.report.provenance import convention_section, input_section, note_section
from relyon.report.queries import query_section
from relyon.report.ranks import band_measures, rank_section
from relyon.report.slices import lead_slices, slice_section
from relyon.report.task_drilldown import TaskDrilldown
from relyon.report.task_words import task_catalogue
from relyon.report.tasks import call_section, sent_texts

if TYPE_CHECKING:
    from relyon.analysis.abstention import Abstention
    from relyon.analysis.comparison import Comparison
    from relyon.analysis.diagnosis import Finding
    from relyon.analysis.funnel import Funnel
    from relyon.analysis.prediction_powered import FewerGrades
    from relyon.analysis.slices import Slices
    from relyon.core.notes import Note
    from relyon.engines import QualityAgainstLatency

Progress = Callable[[int, int, str], None]

__all__ = ["PageOptions", "build_page", "page_measures", "render_report", "write_report"]


#: The sections that narrow screens do not fold: what changed, and what to do next.
OPEN = ("summary", "diagnoses")


class PageOptions(TitleOptions, total=False):
    """Keyword options of `build_page`."""

    measure: str | None
    queries: int
    funnel: Funnel | None
    findings: Sequence[Finding] | None
    progress: Progress | None
    query_texts: object
    document_titles: object
    latency: QualityAgainstLatency | None
    abstention: Abstention | None
    fewer_grades: FewerGrades | None
    slices: Slices | None


def build_page(
    comparison: Comparison,
    *,
    language: Language = "en",
    title: str | None = None,
    measure: str | None = None,
    queries: int = 10,
    funnel: Funnel | None = None,
    findings: Sequence[Finding] | None = None,
    progress: Progress | None = None,
    query_texts: object = None,
    document_titles: object = None,
    latency: QualityAgainstLatency | None = None,
    abstention: Abstention | None = None,
    fewer_grades: FewerGrades | None = None,
    slices: Slices | None = None,
) -> Page:
    """Returns the contents of a report, before it becomes HTML or Markdown.

    Args:
        comparison: The result of `relyon.compare`.
        language: `en` or `zh`.
        title: The title of the page; by default it names the runs.
        measure: The measure for per-query analysis; by default the first that is tested.
        queries: How many losing and how many gaining queries to derive.
        funnel: The result of `relyon.funnel` for the retrieval stages.
        findings: The result of `relyon.diagnose`; computed by default.
        progress: Called with the number of sections done, their total, and the next section.
        query_texts: Query texts: a mapping from the queries' ids to texts, a frame or a file;
            by default the comparison's own.
        document_titles: Document titles, in the same forms.
        latency: The result of `relyon.engines.quality_against_latency`.
        abstention: The result of `relyon.abstention`.
        fewer_grades: The result of `relyon.prediction_powered`.
        slices: The result of `relyon.find_slices`.

    Raises:
        InputError: If a table of texts cannot be read, or has no column of ids or texts.
        ParameterError: If the language is unknown.
        UnknownNameError: If the measure was not compared.
    """
    from relyon.analysis.comparison import Comparison

    check_type("comparison", comparison, Comparison, "what relyon.compare returned")
    tasks = comparison.of_tasks
    texts = task_catalogue(language) if tasks else catalogue(language)
    focus = comparison.contrast(comparison.candidates[0], measure or comparison.focus).measure
    heading = title or texts.say(
        "page.title",
        baseline=comparison.baseline,
        candidates=texts.join(list(comparison.candidates)),
    )
    lists = has_lists(comparison)
    given = comparison.query_texts if query_texts is None else query_texts
    if given is None and not tasks:
        given = sent_texts(comparison)
    asked = None if given is None else Descriptions.of(given, "query")
    known = {} if asked is None else asked.find(comparison.queries)
    titles = None if document_titles is None else Descriptions.of(document_titles, "document")

    def measure_all() -> None:
        wanted = page_measures(focus, findings is None)
        for name in comparison.runs:  # one pass for the measures of all sections
            comparison.measured(name, wanted)

    def ranks() -> Section:
        measure_all()
        return rank_section(comparison, texts)

    def diagnoses() -> Section:
        if findings is not None:
            found = Findings(findings)
        else:
            measure_all()
            found = diagnose(comparison)
        return diagnosis_section(found.described(asked, titles), texts)

    drilldown: type[Drilldown] = TaskDrilldown if tasks else Drilldown
    parts: dict[str, Callable[[], Section]] = {
        "summary": lambda: summary_section(comparison, texts),
        **({"diagnoses": diagnoses} if lists or findings is not None else {}),
        "comparison": lambda: comparison_section(comparison, texts),
        **(
            {"breakdowns": lambda: breakdown_section(comparison, texts)}
            if comparison.breakdowns
            else {}
        ),
        **({} if slices is None else {"slices": lambda: slice_section(slices, texts)}),
        **(
            {}
            if abstention is None
            else {"no_answer": lambda: no_answer_section(abstention, texts)}
        ),
        **(
            {}
            if fewer_grades is None
            else {"fewer_grades": lambda: fewer_grades_section(fewer_grades, texts)}
        ),
        **({} if latency is None else {"latency": lambda: latency_section(latency, texts)}),
        **({"calls": lambda: call_section(comparison, focus, texts)} if tasks else {}),
        "queries": lambda: query_section(
            comparison,
            focus,
            texts,
            shown=queries,
            query_texts=known,
            titles=titles,
            drilldown=drilldown,
        ),
    }
    if lists:
        parts["ranks"] = ranks
    if lists and not tasks:  # these need one list per query
        parts |= {
            "curves": lambda: curve_section(comparison, texts),
            "funnel": lambda: loss_section(comparison, focus, texts, funnel),
        }
    parts |= {
        "convention": lambda: convention_section(comparison, texts),
        "inputs": lambda: input_section(comparison, texts),
        "notes": lambda: note_section(
            (
                *comparison.notes,
                *_notes_of(abstention),
                *_notes_of(fewer_grades),
                *_notes_of(slices),
            ),
            texts,
        ),
    }
    sections = []
    for place, (name, make) in enumerate(parts.items()):
        if progress is not None:
            progress(place, len(parts), texts[f"section.{name}"])
        sections.append(make())
    for one, source in ((asked, query_texts), (titles, document_titles)):
        if one is not None and one is not source and source is not None:
            warn(one.notes())
    return Page(
        language=language,
        title=heading,
        subtitle=subtitle(comparison, texts),
        lead=(
            *lead_slices(slices, texts),
            *lead_losses(comparison, texts),
            *lead(comparison, texts),
        ),
        sections=tuple(sections),
        decisions=decision_parts(comparison, texts),
        folded=tuple(one.name for one in sections if one.name not in OPEN),
    )


def _notes_of(found: Abstention | FewerGrades | Slices | None) -> tuple[Note, ...]:
    """Returns the notes of a section, if there is one."""
    return () if found is None else found.notes


def page_measures(focus: str, rules: bool = True) -> list[str]:
    """Returns the measures that a page needs of each run, besides those compared.

    Args:
        focus: The measure for per-query analysis.
        rules: Whether rules look for diagnoses.
    """
    ours = rule_measures() if rules else ()
    return list(dict.fromkeys([*band_measures(), *map(str, loss_measures(focus)), JUDGED, *ours]))


def render_report(
    comparison: Comparison, *, format: Format = "html", **options: Unpack[PageOptions]
) -> str:
    """Returns a report as text; see `relyon.write_report`."""
    return Report(build_page).render(format, comparison, **options)


def write_report(
    comparison: Comparison,
    path: str | PathLike[str],
    **options: Unpack[PageOptions],
) -> None:
    """Writes a report on a comparison: one file, HTML or Markdown by its ending.

    The HTML opens offline: style, script and charts are inside.

    Args:
        comparison: The result of `relyon.compare`.
        path: Where to write; `.html` or `.md`.
        **options: `language`: `en` or `zh`. `title`, the heading of the page; by default it names
            the runs. `measure`, for per-query analysis; by default the comparison's first.
            `queries` (10): how many losing and how many gaining queries to derive.
            `funnel`, the result of `relyon.funnel` for the stages of the search; the losses of each
            run are computed anyway. `findings`, the result of `relyon.diagnose`; computed by
            default. `progress`, called with the number of sections done, their total, and the next.
            `query_texts`, query texts, shown next to the ids: a mapping, a frame or a
            file; by default the comparison's own. `document_titles`, document titles, in the
            same forms. `latency`, the result of `relyon.engines.quality_against_latency`: the
            times of the runs' answers beside their quality. `abstention`, the result of
            `relyon.abstention`: false answers and coverage on questions without an answer.
            `fewer_grades`, the result of `relyon.prediction_powered`: few human grades and a
            model's for all.
            `slices`, the result of `relyon.find_slices`: where a candidate loses.

    Raises:
        ParameterError: If the ending or the language is unknown.
        UnknownNameError: If the measure was not compared.
        DependencyError: If a package of the extra `report` is not installed.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"good": 1, "bad": 0} for n in range(20)}
        >>> old = {q: {"good": 1.0, "bad": 2.0} for q in judgments}
        >>> new = {q: {"good": 2.0, "bad": 1.0} for q in judgments} | {"q0": old["q0"]}
        >>> comparison = relyon.compare(judgments, old, new, "rr", names=["old", "new"])
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "report.md")
        ...     relyon.write_report(comparison, path)
        ...     path.read_text("utf-8").splitlines()[0]
        '# new against old'
    """
    Report(build_page).write(path, comparison, **options)
