"""A judging database as teams have them: long texts, many grades, disagreements, two languages."""

from __future__ import annotations

import time
from itertools import combinations
from pathlib import Path

from tests.databases import create_file
from tests.web.server import PASSWORD

from relyon.data.scale import Level, Scale
from relyon.judging.access import create_token, start_sign_in
from relyon.judging.actions import Action
from relyon.judging.events import EventKind, record_event
from relyon.judging.jobs import start_job
from relyon.judging.llm.answers import Answer
from relyon.judging.llm.calibration import accept_judge
from relyon.judging.llm.endpoint import Completion
from relyon.judging.llm.models import draft_configuration
from relyon.judging.records import Comparison, Item, Project, Rating
from relyon.judging.schema import jobs, projects, sa
from relyon.judging.store import Store, open_store

TITLE = (
    "Lightweight waterproof trail running shoes for women, wide fit, with reflective details and a"
    " recycled upper – free returns within 100 days"
)
CHINESE_TITLE = (
    "女款轻量防水越野跑鞋宽楦反光设计再生材料鞋面一百天无忧退换货全国联保官方旗舰店正品秋冬新款"
)
SNIPPET = (
    "Made for wet autumn trails: a 6 mm drop, a rock plate and 5 mm lugs. Reviewers praise the grip"
    " and find the sizing small; order half a size up. Available in red, slate and moss."
)
CHINESE_SNIPPET = (
    "专为湿滑山路设计：6 毫米落差，内置防刺板，5 毫米大底齿纹。用户普遍称赞抓地力，认为尺码偏小，"
    "建议选大半码。红色、石板灰、苔藓绿三色可选，支持到店试穿，部分地区次日送达。"
)
LONG_URL = (
    "https://shop.example/women/shoes/running/trail/waterproof/"
    + "lightweight-waterproof-trail-running-shoe-" * 3
    + "?utm_source=search&session=0f8b2c"
)
GUIDELINE = """# What to look at

**High**: exactly what the searcher wants.

- Compare the *product*, not the shop.
- Out of stock counts as available.

| grade | example |
|---|---|
| High | red trail shoes |
| None | a shoe rack |
"""
CHINESE_GUIDELINE = """# 判断要点

**高**：正是用户要找的商品。

- 只看商品本身，不看店铺。
- 缺货视为有货。
"""
NINE = Scale(
    "nine",
    levels=tuple(
        Level(float(n), f"level {n} of nine", f"第 {n} 级", n / 8) for n in range(8, -1, -1)
    ),
)


def fill_with_content(database: Path) -> None:
    """Makes projects of each kind, accounts of each role, grades that agree and that do not."""
    with open_store(create_file(database)) as store:
        for name in ("ana", "bo", "王小明"):
            store.accounts.create(name, password=PASSWORD)
        store.accounts.create("lead", role="admin", password=PASSWORD)
        store.accounts.create("former", role="lead", password=PASSWORD)
        store.accounts.change("former", active=False)
        store.accounts.create("new", password=PASSWORD, chosen_by="other")
        _fill_access(store)
        project = store.projects.create(
            "Product search, June",
            overlap=3,
            gold_share=0.1,
            guideline={"en": GUIDELINE, "zh": CHINESE_GUIDELINE},
        )
        store.items.add(project.id, [_item(n) for n in range(40)])
        store.grades.add(
            project.id,
            [
                (
                    _item(n),
                    [
                        Rating(
                            "ana", n % 4, note="The colour is wrong." if n == 5 else "", seconds=3.2
                        ),
                        Rating("bo", (n + (n % 5 == 0)) % 4, seconds=2.1),
                        Rating("王小明", None, "unclear_query", CHINESE_SNIPPET)
                        if n == 5
                        else Rating("王小明", n % 4, seconds=4.4),
                    ],
                )
                for n in range(20)
            ],
        )
        store.gold.add(project.id, [(_item(n), n % 4) for n in range(3)])
        pairs = store.projects.create("Ranker B against A", kind="side_by_side")
        store.items.add_comparisons(
            pairs.id,
            [
                Comparison(
                    f"query {n}",
                    "ranker-alpha",
                    "ranker-beta",
                    tuple(_item(n + place) for place in range(3)),
                    tuple(_item(n + 3 - place) for place in range(3)),
                )
                for n in range(6)
            ],
        )
        for name, scale in (("九级评分", NINE), ("Any number", "integers")):
            more = store.projects.create(name, scale=scale)
            store.items.add(more.id, [_item(n) for n in range(12)])
        _compare_three(store)
        _add_model(store, project)
        _change_keys(store)
        _close_one(store)


def _change_keys(store: Store) -> None:
    """Somebody who graded while keys stood for places."""
    cy = store.accounts.create("cy", password=PASSWORD)
    project = store.projects.create("九级评分，以前", scale=NINE)
    store.items.add(project.id, [_item(n) for n in range(12)])
    (task,) = store.grading.take(cy, project.id, count=1)
    store.grading.record(cy, Action("grade", key="before", item_id=task.item.id, grade=3))
    changed = sa.update(projects).where(projects.c.id == project.id)
    with store.database.write() as connection:
        connection.execute(changed.values(keys_changed_at=store.clock() + 1))


def _close_one(store: Store) -> None:
    """Makes a project that is closed, with an import that goes on and one that failed."""
    project = store.projects.create("Closed", overlap=2)
    store.grades.add(project.id, [(_item(n), [Rating("ana", n % 4)]) for n in range(3)])
    with store.database.write() as connection:
        for state in ("running", "failed"):
            work = start_job(store, connection, "import", project.id, source="catalogue.csv")
            connection.execute(
                sa.update(jobs)
                .where(jobs.c.id == work.job_id)
                .values(
                    state=state, total=9000, done=4000, message="no disk is left",
                    worker="elsewhere:1:x", seen_at=time.time() + 86_400,
                )
            )  # fmt: skip
            work.leave()
    store.projects.close(project.id)


def _add_model(store: Store, project: Project) -> None:
    """A language model that graded what people did, and more, and was accepted."""
    draft = draft_configuration(
        project.id, "llm:a-model-with-a-long-name", endpoint="https://models.example/v1",
        model="a-model-with-a-long-name", samples=3, parameters={"temperature": 0.7},
        language="en", prompt="Grade it.",
    )  # fmt: skip
    chosen = store.models.add(draft)
    items = store.items.all(project.id)
    store.replies.add_requests(chosen, {item.id: f"request {item.id}" for item in items})
    for place, item in enumerate(items):
        for sample in (1, 2, 3):
            grade = float(min(place % 4 + (sample == 3 or place % 7 == 0), 3))
            asked, completion = f"request {item.id}", Completion("", 300, 20)
            store.replies.add(asked, sample, 1, Answer(grade, "Fits."), completion)
    accept_judge(store, chosen, store.accounts.get("lead"), least=10)


def _compare_three(store: Store) -> None:
    """A side-by-side project of three systems that one judge has finished."""
    systems = ("bm25", "a-system-with-a-long-name", "稠密向量")
    project = store.projects.create("Three systems", kind="side_by_side")
    store.items.add_comparisons(
        project.id,
        [
            Comparison(f"query {n}", one, other, (_item(n),), (_item(n + 1),), tier=tier)
            for one, other in combinations(systems, 2)
            for n, tier in enumerate(("head", "middle", "tail") * 3)
        ],
    )
    judge = store.accounts.get("ana")
    for task in store.grading.take(judge, project.id, count=100):
        store.grading.record(
            judge,
            Action(
                "grade",
                key=f"three {task.item.id}",
                item_id=task.item.id,
                grade=task.item.id % 5 - 2,
            ),
        )


def _fill_access(store: Store) -> None:
    """What the pages of accounts show: tokens that end and that do not, sign-ins, events."""
    lead = store.accounts.get("lead")
    create_token(store, lead, "nightly export of every project to the warehouse", scope="read")
    create_token(store, store.accounts.get("王小明"), "标注插件", scope="grade", days=None)
    start_sign_in(store, lead, agent="Safari, iPhone", address="2001:db8:1:2::/64")
    events: list[tuple[EventKind, str, str, str]] = [
        ("account_made", "", "command line", "lead (admin)"),
        ("signed_in", "王小明", "10.0.0.7", "Firefox, Linux"),
        ("sign_in_failed", "lead", "2001:db8:1:2::7", ""),
        ("sign_in_blocked", "", "203.0.113.9", ""),
        ("role_changed", "lead", "10.0.0.7", "王小明: judge → lead"),
        ("exported", "lead", "10.0.0.7", "Product search, June: elasticsearch"),
    ]
    for kind, actor, address, detail in events:
        record_event(store, kind, actor=actor, address=address, detail=detail)


def _item(n: int) -> Item:
    chinese = n % 2 == 1
    return Item(
        f"q{n // 4}",
        f"sku-{n:05}",
        "防水越野跑鞋 女 宽楦 轻量" if chinese else "waterproof trail running shoes women wide",
        n % 10 + 1,
        f"{CHINESE_TITLE if chinese else TITLE} {n}",
        CHINESE_SNIPPET if chinese else SNIPPET,
        LONG_URL if n % 3 == 0 else f"https://shop.example/{n}",
        "https://pictures.invalid/none.jpg" if n % 4 == 0 else "",
        {"价格" if chinese else "price": "¥ 899" if chinese else 129.9, "brand": "Northridge"},
        ("head", "middle", "tail")[n % 3],
    )
