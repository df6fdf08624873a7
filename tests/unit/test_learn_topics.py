"""The topics that the course promises: each is a section of its lesson, with its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from relyon.core.texts import LANGUAGES, Language
from relyon.learn import course
from relyon.learn.lesson import Lesson, Prose, numbers, plain_text

HEADING = re.compile(r"^## ", re.MULTILINE)
#: Most blocks between two recaps, cards not counted.
STEPS = 8
#: Lessons in steps, with recaps: all but the exam.
PACED = {
    "01-order",
    "02-dcg",
    "03-ndcg",
    "06-pnr",
    "07-recall-map-mrr",
    "09-significance",
    "10-month",
    "11-position-bias",
    "12-optimise-ndcg",
    "13-conventions",
    "15-interview",
    "16-python",
}


@dataclass(frozen=True)
class Topic:
    """What a section of a lesson is about.

    Attributes:
        name: The topic.
        lesson: Its lesson.
        block: A block in its section, by id; empty while the section is not written.
        en: What the English section says, as patterns: all of them.
        zh: What the Chinese section says.
        numbers: Expressions of numbers that the section shows.
    """

    name: str
    lesson: str
    block: str
    en: tuple[str, ...]
    zh: tuple[str, ...]
    numbers: tuple[str, ...] = ()


FIRST = "1,0.7,0.3,1,0.7,0.7,0.3,0,0.7,0"
BETTER = "1,0.7,0.7,1,0.3,0.7,0.3,0,0.7,0"
BEST = "1,1,0.7,0.7,0.3,0.7,0.3,0,0.7,0"

TOPICS = (
    # E: lessons 1, 2, 3, 7, 16
    Topic("three kinds of measures", "01-order", "kinds", ("count", "order"), ("数个数", "顺序")),
    Topic("the discount drawn", "02-dcg", "shrink", ("candy|candies", "half"), ("糖", "一半")),
    Topic(
        "CG is blind to a swap",
        "02-dcg",
        "unseen",
        ("blind|cannot see|does not see", "swap"),
        ("看不", "对调|互换"),
        (f"cg@4:{FIRST}", f"cg@4:{BEST}", f"dcg@4:{FIRST}", f"dcg@4:{BETTER}", f"dcg@4:{BEST}"),
    ),
    Topic(
        "NDCG with documents that were not returned",
        "03-ndcg",
        "six",
        ("not returned",),
        ("没有返回",),
        ("dcg@6:3,2,3,0,1,2", "idcg@6:3,2,3,0,1,2/3,0", "ndcg@6:3,2,3,0,1,2/3,0"),
    ),
    Topic(
        "one list, five measures",
        "07-recall-map-mrr",
        "five",
        ("NDCG", "MAP", "MRR", "AUC", "PNR"),
        ("NDCG", "MAP", "MRR", "AUC", "PNR"),
    ),
    Topic(
        "measures by point, pair and list",
        "07-recall-map-mrr",
        "bottom",
        ("pointwise", "pairwise", "listwise"),
        ("单点|pointwise", "成对|pairwise", "列表|listwise"),
    ),
    Topic(
        "the other AP", "07-recall-map-mrr", "other-ap", ("mean of P@", "AP"), ("P@", "平均", "AP")
    ),
    Topic(
        "other uses",
        "07-recall-map-mrr",
        "hidden",
        ("recommend", "question", "shop"),
        ("推荐", "问答", "电商"),
    ),
    Topic("fifteen lines of Python", "16-python", "lines", ("def ndcg",), ("def ndcg",)),
    Topic(
        "the exercise that runs",
        "16-python",
        "first-test",
        ("relyon learn --exercise", "--check-exercise"),
        ("relyon learn --exercise", "--check-exercise"),
    ),
    # F: lessons 4, 5, 6, 8
    Topic("where the cut is put", "04-labels", "", ("AUC", "relevant from"), ("AUC", "二值化")),
    Topic("a ROC curve that steps", "05-auc", "", ("ROC", "step|up"), ("ROC",)),
    Topic(
        "grades are ordered", "05-auc", "", ("F1", "accuracy", "order"), ("F1", "准确率", "顺序")
    ),
    Topic("the usual range of AUC", "05-auc", "", ("usual|typical",), ("通常|常见|一般",)),
    Topic("what AUC hides", "05-auc", "", ("top|head", "GAUC"), ("头部|前几|最前", "GAUC")),
    Topic("macro and micro", "05-auc", "", ("macro", "micro"), ("宏平均", "微平均")),
    Topic(
        "where the list of 13 : 2 is from", "06-pnr", "conventions", ("course", "13"), ("课", "13")
    ),
    Topic(
        "13 : 2 twice, with another DCG",
        "06-pnr",
        "beside",
        ("13 ?: ?2", "DCG"),
        ("13 ?: ?2", "DCG"),
    ),
    Topic("AUC against PNR", "06-pnr", "from-auc", ("AUC", "PNR", "1 ?[−-] ?AUC"), ("AUC", "PNR")),
    Topic(
        "what each of the two can find",
        "08-offline-online",
        "",
        ("offline", "online"),
        ("离线", "在线"),
    ),
    # H: lessons 9 to 15
    Topic(
        "K by tier", "10-month", "k-tier", ("K", "40", "20", "tail"), ("K", "40", "20", "低频|长尾")
    ),
    Topic("the interval narrows", "10-month", "narrow", ("interval",), ("区间",)),
    Topic("lambdas as arrows", "12-optimise-ndcg", "arrows", ("arrow", "λ"), ("箭头", "λ")),
    Topic(
        "ListNet",
        "12-optimise-ndcg",
        "listnet",
        ("ListNet", "softmax|probabilit"),
        ("ListNet", "softmax|概率"),
    ),
    Topic(
        "the reporting template",
        "15-interview",
        "report",
        ("interval", "unjudged|not judged"),
        ("区间", "未标注"),
    ),
    Topic(
        "questions with model answers",
        "15-interview",
        "q-auc",
        ("follow-up|listens",),
        ("追问|想听",),
    ),
)
#: Where each drawing is; a lesson may have others.
DRAWINGS = (
    ("01-order", "candies"),
    ("01-order", "compare"),
    ("02-dcg", "candies"),
    ("02-dcg", "compare"),
    ("03-ndcg", "compare"),
    ("06-pnr", "compare"),
    ("06-pnr", "pairs"),
    ("07-recall-map-mrr", "compare"),
    ("07-recall-map-mrr", "pairs"),
    ("10-month", "interval"),
    ("12-optimise-ndcg", "lambdas"),
)


def sections(lesson: Lesson) -> Iterator[tuple[set[str], str, list[str]]]:
    """Yields each section: the ids of its blocks, its text, and its numbers' expressions."""
    ids: set[str] = set()
    texts: list[str] = []

    def section() -> tuple[set[str], str, list[str]]:
        whole = "\n".join(texts)
        return ids, plain_text(whole), [number.expression for number in numbers(whole)]

    for part in lesson.parts:
        if not isinstance(part, Prose):
            ids.add(part[0].id)
            texts += part[0].texts()
            continue
        first, *others = HEADING.split(part.text)
        texts.append(first)
        for text in others:
            yield section()
            ids, texts = set(), [text]
    yield section()


def lesson_named(name: str, language: Language) -> Lesson:
    return next(one for one in course(language) if one.name == name)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "topic",
    [
        pytest.param(
            topic,
            id=topic.name.replace(" ", "-"),
            marks=() if topic.block else pytest.mark.xfail(strict=True, reason="to be written"),
        )
        for topic in TOPICS
    ],
)
def test_every_topic_has_its_section(topic: Topic, language: Language) -> None:
    found = [one for one in sections(lesson_named(topic.lesson, language)) if topic.block in one[0]]
    assert len(found) == 1, f"{topic.lesson} has no block `{topic.block}`"
    _, text, expressions = found[0]
    for pattern in topic.en if language == "en" else topic.zh:
        assert re.search(pattern, text, re.IGNORECASE), (topic.name, pattern)
    assert set(topic.numbers) <= set(expressions)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sorted(PACED))
def test_recaps_are_not_far_apart(name: str, language: Language) -> None:
    since, most, recaps = 0, 0, 0
    for block in lesson_named(name, language).blocks:
        if block.kind == "recap":
            assert block.id.startswith("recap-")
            since, recaps = 0, recaps + 1
        elif block.kind != "card":
            since += 1
            most = max(most, since)
    assert recaps >= 2
    assert most <= STEPS


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "drawing"), DRAWINGS)
def test_lessons_are_drawn(name: str, drawing: str, language: Language) -> None:
    blocks = lesson_named(name, language).blocks
    assert drawing in [getattr(block, "drawing", "") for block in blocks]
