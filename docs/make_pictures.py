"""Takes the pictures of the report, the judging page and the monitor, in English and Chinese.

python docs/make_pictures.py    writes docs/assets/*.png; needs Chromium or Chrome and Chinese fonts

The monitor shows the demonstration, which is built in build/pictures if it is missing.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.web.server import PASSWORD, Server  # noqa: E402

from relyon.judging.records import Item, Rating  # noqa: E402
from relyon.judging.store import open_store  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ASSETS = Path(__file__).with_name("assets")
DEMO = ROOT / "build" / "pictures"
SEARCH = ROOT / "examples" / "docs-search"
MEASURES = ("ndcg@10", "recall@100", "rr@10", "pnr")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
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

| 等级 | 例子 |
|---|---|
| 高 | 红色越野跑鞋 |
| 无 | 鞋架 |
"""
#: What the judging page shows, by language: project, query, title, address, snippet and fields.
SHOE = {
    "en": (
        "Product search, June",
        "waterproof trail running shoes women wide",
        "Northridge Summit GTX – women's trail running shoe, wide fit",
        "https://shop.example/women/trail/northridge-summit-gtx",
        "Made for wet autumn trails: a 6 mm drop, a rock plate and 5 mm lugs. Reviewers praise the"
        " grip and find the sizing small; order half a size up. Available in red, slate and moss.",
        {"price": "€129.90", "brand": "Northridge", "in stock": "yes"},
    ),
    "zh": (
        "商品搜索，六月",
        "女款防水越野跑鞋 宽楦",
        "北岭 Summit GTX 女款越野跑鞋，宽楦",
        "https://shop.example/women/trail/northridge-summit-gtx",
        "专为湿滑山路设计：6 毫米落差，内置防刺板，5 毫米大底齿纹。用户称赞抓地力，认为尺码偏小，"
        "建议选大半码。红色、石板灰、苔藓绿三色可选。",
        {"价格": "￥899", "品牌": "北岭", "有货": "是"},
    ),
}


def main() -> None:
    """Takes all pictures."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        sys.exit(f"no browser is installed: {', '.join(BROWSERS)}")
    if not (DEMO / "rounds").is_dir():
        relyon("demo", str(DEMO))
    with (
        TemporaryDirectory() as folder,
        sync_playwright() as driver,
        driver.chromium.launch(executable_path=program, args=["--disable-gpu"]) as browser,
    ):
        for language, ending in (("en", ".png"), ("zh", ".zh.png")):
            report(Path(folder), browser, language, ASSETS / f"report{ending}")
            judging(Path(folder), browser, language, ASSETS / f"judging{ending}")
            monitor(Path(folder), browser, language, ASSETS / f"monitor{ending}")


def relyon(*arguments: str) -> None:
    """Runs a command."""
    subprocess.run([sys.executable, "-m", "relyon", *arguments], check=True)


def report(folder: Path, browser: Browser, language: str, target: Path) -> None:
    """Takes the first screens of the report that compares TF-IDF with BM25."""
    page = folder / f"report.{language}.html"
    files = [str(SEARCH / name) for name in ("judgments.qrels", "bm25.run", "tfidf.run")]
    measures = [word for name in MEASURES for word in ("-m", name)]
    relyon("report", *files, *measures, "--scale", "search", "-o", str(page), "--lang", language)
    with opened(browser, language, 1080, 1620, scale=1.3) as tab:
        tab.goto(page.as_uri())
        save(tab, target)


def judging(folder: Path, browser: Browser, language: str, target: Path) -> None:
    """Takes the page on which a judge grades, with 24 of 80 grades given."""
    database = folder / f"judging.{language}.db"
    name, query, title, url, snippet, fields = SHOE[language]
    with open_store(database, create=True) as store:
        store.accounts.create("ana", password=PASSWORD)
        project = store.projects.create(
            name, guideline={"en": GUIDELINE, "zh": CHINESE_GUIDELINE}, overlap=1
        )
        items = [
            Item(query, f"shoe-{n}", title=title, url=url, snippet=snippet, fields=fields)
            for n in range(80)
        ]
        store.items.add(project.id, items)
        store.grades.add(project.id, [(one, [Rating("ana", 2)]) for one in items[:24]])
    with (
        Server(database) as server,
        opened(browser, language, 1160, 600) as tab,
    ):
        sign_in(tab, server, "ana", language, f"/projects/{project.id}/judge")
        tab.wait_for_selector("text=Northridge" if language == "en" else "text=北岭 Summit")
        save(tab, target)


def monitor(folder: Path, browser: Browser, language: str, target: Path) -> None:
    """Takes the monitor of the demonstration's three months."""
    database = folder / f"monitor.{language}.db"
    with open_store(database, create=True) as store:
        store.accounts.create("li.na", role="lead", password=PASSWORD)
    with (
        Server(database, "--rounds", str(DEMO / "rounds")) as server,
        opened(browser, language, 936, 1400, scale=1.5) as tab,
    ):
        sign_in(tab, server, "li.na", language, "/monitor")
        save(tab, target)


@contextmanager
def opened(
    browser: Browser, language: str, width: int, height: int, scale: float = 1
) -> Iterator[Page]:
    """Opens a tab of a size in CSS pixels."""
    context = browser.new_context(
        viewport={"width": width, "height": height}, device_scale_factor=scale, locale=language
    )
    yield context.new_page()
    context.close()


def sign_in(tab: Page, server: Server, name: str, language: str, target: str) -> None:
    """Signs in and waits for a page of the app."""
    tab.goto(f"{server.address}/sign-in?next={target}&lang={language}")
    tab.fill("[name=name]", name)
    tab.fill("[name=password]", PASSWORD)
    tab.evaluate("document.querySelector('.form').requestSubmit()")
    tab.wait_for_url(f"**{target}")
    tab.wait_for_load_state("networkidle")


def save(tab: Page, target: Path) -> None:
    """Stores what is visible with a palette, which makes it a third as large."""
    tab.screenshot(path=target)
    with Image.open(target) as picture:
        picture.convert("RGB").quantize(192).save(target, optimize=True)


if __name__ == "__main__":
    main()
