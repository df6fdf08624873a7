"""Which lesson of the course explains a note, a finding, an alarm or the hint of an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from relyon.core.texts import Language, catalogue

__all__ = ["LESSONS", "lesson_line", "lesson_of", "with_lesson", "with_lessons"]

#: By area and lesson: the kinds that it explains; of errors, the hint in English. The areas are
#: those of the texts. The course is not read for this: every command that prints a note would pay.
LESSONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "diagnosis": {
        "05-auc": ("auc-up-dcg-down",),
        "07-recall-map-mrr": ("recall-like-hit",),
        "08-offline-online": (
            "ndcg-high-dcg-low",
            "ndcg-up-online-flat",
            "recall-up-ndcg-flat",
            "unjudged",
        ),
        "09-significance": ("micro-macro",),
        "13-conventions": ("coverage", "ties"),
    },
    "notes": {
        "04-labels": (
            "clicks-short",
            "combined-grades",
            "evidence-unused",
            "labels-certain",
            "labels-graded",
            "labels-without-weight",
        ),
        "06-pnr": ("infinite-values", "one-label"),
        "08-offline-online": ("coverage-fell", "low-coverage"),
        "09-significance": ("few-queries", "pooled-measures"),
        "10-month": (
            "empty-tier",
            "grades-differ",
            "no-variance",
            "queries-moved",
            "small-tier",
            "thin-tier",
            "tiers-differ",
            "unjudged-sessions",
        ),
        "11-position-bias": (
            "clicks-not-comparable",
            "clicks-unknown-examination",
            "offpolicy-counted",
            "offpolicy-mean",
            "weighted-pairs",
        ),
        "13-conventions": (
            "missing-queries",
            "negative-grades",
            "no-recall",
            "other-measure",
            "rules-differ",
            "threshold",
            "tie-decided",
            "tie-sensitive",
            "undefined-queries",
            "unstable-ties",
            "worst-order",
        ),
    },
    "checks": {
        "02-dcg": ("gain-differs",),
        "12-optimise-ndcg": ("objective-differs",),
        "13-conventions": ("row-order",),
    },
    "logs": {"04-labels": ("clicks-only",)},
    "experiments": {"08-offline-online": ("overridden",)},
    "monitoring": {
        "08-offline-online": ("recall",),
        "10-month": ("beyond-limit", "fell"),
    },
    "errors": {
        "02-dcg": (
            "add it: gain={gain},{grade:g}:…}}, or write other:grade for grades that are their own"
            " gain",
            'say scale="search", or give the map itself: gain={3:1,2:0.7,1:0.3,0:0}',
            "write grades as levels such as 0 to 4, or choose gain=linear",
        ),
        "10-month": (
            "plan with the tiers that the month was drawn with",
            "round the scores to grades, or use tau or spearman for scores",
        ),
        "11-position-bias": (
            "it is only a baseline: use dbn, pbm or ubm for labels",
            "leave out positions (position=False, --position none) and weight rows by the inverse"
            " probability of being seen, or use trees of LightGBM or XGBoost",
            'loss="lambdarank" with measure="ndcg@10"; or leave positions out (position=False,'
            " --position none) and weigh rows by the inverse of how likely they were seen",
            "raise it: err(max={grade:g})",
            'write one with `relyon labels bias LOG -o bias.json`, or {"1": 1, "2": 0.6}',
        ),
        "13-conventions": (
            "choose another tie rule for this measure, such as ties=doc-desc",
            "choose another tie rule, such as ties=doc-desc",
            "choose another tie rule, such as ties=input",
            "choose one order, such as that of the rows: ties=input; `against` takes ties=expected",
            "evaluate both with the same convention",
            "set negative=nonrelevant or negative=unjudged",
            "set missing=zero to count them as 0, or missing=skip to leave them out",
            "the convention says undefined=error; undefined=skip leaves them out, `zero` and `one`"
            " count them, and --set {measure}.undefined=one does so for one measure",
        ),
    },
}


def lesson_of(area: str, kind: str) -> str:
    """Returns the lesson that explains something, an empty string if none does.

    Args:
        area: What it is, by the area of its texts: `notes`, `diagnosis`, `errors`, …
        kind: Its kind; of an error, the English template of its hint.

    Examples:
        >>> lesson_of("notes", "tie-decided"), lesson_of("notes", "regrouped")
        ('13-conventions', '')
    """
    return _by_kind(area).get(kind, "")


def lesson_line(lesson: str, language: Language) -> str:
    """Returns the line that says where to read more; it is empty without a lesson.

    Examples:
        >>> lesson_line("13-conventions", "en"), lesson_line("13-conventions", "zh")
        ('Lesson: relyon learn 13', '课程：relyon learn 13 --lang zh')
    """
    return _said("lesson.line", lesson, language) if lesson else ""


def with_lesson(text: str, lesson: str, language: Language) -> str:
    """Returns a sentence, and where to read more if there is a lesson.

    Examples:
        >>> with_lesson("ties matter", "13-conventions", "en")
        'ties matter — lesson: relyon learn 13'
    """
    return text + _said("lesson.end", lesson, language) if lesson else text


def with_lessons(texts: Iterable[tuple[str, str]], language: Language) -> list[str]:
    """Returns sentences, the first one about each lesson with it.

    Args:
        texts: Each sentence and its lesson.
        language: The language of the sentences.

    Examples:
        >>> with_lessons([("a", "01-order"), ("b", "01-order"), ("c", "")], "en")
        ['a — lesson: relyon learn 1', 'b', 'c']
    """
    seen: set[str] = set()
    found = []
    for text, lesson in texts:
        found.append(with_lesson(text, "" if lesson in seen else lesson, language))
        seen.add(lesson)
    return found


@cache
def _by_kind(area: str) -> Mapping[str, str]:
    return {kind: lesson for lesson, kinds in LESSONS.get(area, {}).items() for kind in kinds}


def _said(key: str, lesson: str, language: Language) -> str:
    number = int(lesson.partition("-")[0])
    return catalogue("common", language).say(key, number=number)
