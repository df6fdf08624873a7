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
    "04-labels",
    "05-auc",
    "06-pnr",
    "07-recall-map-mrr",
    "08-offline-online",
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
        block: A block in its section, by id.
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
    Topic(
        "where the cut is put",
        "04-labels",
        "cut-two",
        ("AUC", "AP", "relevant from", "winner"),
        ("AUC", "AP", "二值化", "输赢"),
        (
            *(f"auc:1,2,1,3,0,1,0;rel={cut}" for cut in (1, 2, 3)),
            *(f"ap:{grades};rel=2" for grades in ("3,0,1,2,0,0", "1,3,0,2,0,0")),
        ),
    ),
    Topic(
        "a ROC curve that steps",
        "05-auc",
        "curve",
        ("ROC", "up for a relevant", "right for an irrelevant"),
        ("ROC", "相关向上，不相关向右"),
    ),
    Topic(
        "grades are ordered",
        "05-auc",
        "ordered",
        ("F1", "accuracy", "grades are ordered", "high→none"),
        ("F1", "准确率", "档位是有序的", "高→无"),
        ("4/5", "ndcg:3,3=2,1,0;ties=expected", "ndcg:3,2,1,3=0;ties=expected"),
    ),
    Topic(
        "the usual range of AUC",
        "05-auc",
        "against",
        ("usual", "Criteo", "BARS", "without a source"),
        ("通常", "Criteo", "BARS", "没有出处"),
    ),
    Topic(
        "what AUC hides",
        "05-auc",
        "easy",
        ("head of the list", "easy", "GAUC"),
        ("列表的头部", "容易", "GAUC"),
        ("auc:0,1,0,1", f"auc:0,1,0,1{',0' * 16}"),
    ),
    Topic(
        "macro and micro",
        "05-auc",
        "macro",
        ("macro", "micro", "GAUC"),
        ("宏平均", "微平均", "GAUC"),
        ("(81/90+5/10)/2", "(81+5)/(90+10)"),
    ),
    Topic(
        "where the list of 13 : 2 is from",
        "06-pnr",
        "conventions",
        ("Wang Shusen's course", "13", "wangshusen/SearchEngine"),
        ("王树森的公开课", "13", "wangshusen/SearchEngine"),
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
        "what each of the instruments can find",
        "08-offline-online",
        "slow",
        ("offline test set", "A/B test", "graded traffic", "behave differently"),
        ("离线测试集", "A/B 实验", "线上抽样标注", "行为"),
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
    ("05-auc", "roc"),
    ("06-pnr", "compare"),
    ("06-pnr", "pairs"),
    ("07-recall-map-mrr", "compare"),
    ("07-recall-map-mrr", "pairs"),
    ("08-offline-online", "compare"),
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
@pytest.mark.parametrize("topic", TOPICS, ids=[one.name.replace(" ", "-") for one in TOPICS])
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
