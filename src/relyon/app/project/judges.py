"""What the judges of a project did, in charts, and who needs help, in sentences."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias
from weakref import WeakKeyDictionary

from relyon.app.project.tabs import PATIENCE
from relyon.core.language import Language
from relyon.core.texts import PAGE, catalogue
from relyon.judging.figures import is_large
from relyon.judging.given_grades import GivenGrades, read_given
from relyon.judging.judge_checks import FEWEST, JudgeFinding, check_judges
from relyon.judging.records import Project
from relyon.judging.schema import actions, corrected, corrections, sa
from relyon.judging.store import Store

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["JudgesView", "view_judges"]

Side = Literal["progress", "quality"]
Stamp: TypeAlias = tuple[int, int]
#: Views that are kept: drawing takes some tenths of a second.
KEPT = 64


@dataclass(frozen=True)
class JudgesView:
    """What a page shows of the judges.

    Attributes:
        charts: The charts, as sections of a page.
        findings: On `progress`: who needs help, if any judge does.
        verdict: On `progress`: a sentence in place of findings; empty if there are any.
    """

    charts: Markup
    findings: tuple[JudgeFinding, ...] = ()
    verdict: str = ""


class _Views:
    """Views of one database, kept until somebody grades."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, tuple[Stamp, JudgesView]] = OrderedDict()

    def get(self, store: Store, project: Project, side: Side, language: Language) -> JudgesView:
        key, stamp = (project.id, side, language), _stamp(store, project)
        with self._lock:
            known = self._kept.get(key)
        if known is not None and known[0] == stamp:
            return known[1]
        view = _view(store, project, side, language)
        with self._lock:
            self._kept[key] = stamp, view
            self._kept.move_to_end(key)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return view


_views: WeakKeyDictionary[Store, _Views] = WeakKeyDictionary()


def view_judges(store: Store, project: Project, side: Side, language: Language) -> JudgesView:
    """Returns the charts of a project's judges, and who needs help.

    Args:
        store: The database.
        project: The project.
        side: The tab: `progress` or `quality`.
        language: `en` or `zh`.

    Raises:
        NotReadyError: If the figures of a large project are being counted for the first time.
    """
    if is_large(store, project.id):
        key = ("judges", project.id, side, language)
        return store.figures.get(
            key, lambda: _view(store, project, side, language), patience=PATIENCE
        )
    return _views.setdefault(store, _Views()).get(store, project, side, language)


def _stamp(store: Store, project: Project) -> Stamp:
    """Returns what changes with what judges do, what is imported, and what leads correct."""
    last = sa.select(sa.func.max(actions.c.id)).where(actions.c.project_id == project.id)
    applied = (
        sa.select(sa.func.count())
        .select_from(corrected.join(corrections))
        .where(corrections.c.project_id == project.id, corrected.c.applied)
    )
    with store.database.read() as connection:
        return (
            int(connection.execute(last).scalar() or 0),
            int(connection.execute(applied).scalar_one()),
        )


def _view(store: Store, project: Project, side: Side, language: Language) -> JudgesView:
    from relyon.report.html import render_parts
    from relyon.report.judges import build_agreement_page, build_progress_page

    given = read_given(store, project.id)
    if side == "quality":
        _, charts = render_parts(build_agreement_page(given, language=language))
        return JudgesView(charts)
    _, charts = render_parts(build_progress_page(given, project.scale, language=language))
    findings = tuple(check_judges(given, store.gold.quality(project.id)))
    return JudgesView(charts, findings, "" if findings else _verdict(given, language))


def _verdict(given: GivenGrades, language: Language) -> str:
    texts = catalogue("judging", language, PAGE)
    shared = given.shared()
    counts = shared["judge"].value_counts()["count"].to_list() if not shared.is_empty() else []
    if max(counts, default=0) < FEWEST:
        return texts["help.too_few"]
    return texts.say("help.nobody", count=len(given.judges))
