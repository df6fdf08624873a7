"""What surrounds a page of the documentation: the theme's words, the navigation, the switch."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "site_languages.py"


@pytest.fixture(scope="module")
def hook() -> Any:
    specification = importlib.util.spec_from_file_location("site_languages", SCRIPT)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


class Navigation:
    """What MkDocs gives as one."""

    def __init__(self, items: list[Any], pages: list[Any]) -> None:
        self.items = items
        self.pages = pages
        self.homepage: Any = None


def page(path: str) -> Any:
    file = SimpleNamespace(src_uri=path, url=path.replace(".md", ".html"))
    return SimpleNamespace(file=file, title=path, is_section=False)


@pytest.mark.parametrize(
    ("shown", "language", "toggle", "items", "links"),
    [
        ("train.md", "en", "Dark", ["index.md", "train.md"], ["train.html", "zh/train.html"]),
        (
            "zh/train.md",
            "zh",
            "深色",
            ["zh/index.md", "zh/train.md"],
            ["train.html", "zh/train.html"],
        ),
        ("only.md", "en", "Dark", ["index.md", "train.md"], ["only.html", "zh/index.html"]),
    ],
)
def test_a_page_is_surrounded_by_its_language(
    hook: Any, shown: str, language: str, toggle: str, items: list[str], links: list[str]
) -> None:
    paths = ("index.md", "train.md", "only.md", "zh/index.md", "zh/train.md")
    pages = {path: page(path) for path in paths}
    chinese = SimpleNamespace(
        is_section=True, title="中文", children=[pages["zh/index.md"], pages["zh/train.md"]]
    )
    nav = Navigation([pages["index.md"], pages["train.md"], chinese], list(pages.values()))
    config = SimpleNamespace(
        theme={"palette": [{"toggle": {}}, {"toggle": {}}]},
        extra={"alternate": [{"lang": "en"}, {"lang": "zh"}]},
    )
    context = hook.on_page_context({}, page=pages[shown], config=config, nav=nav)
    assert config.theme["language"] == language
    assert config.theme["palette"][0]["toggle"]["name"] == toggle
    assert [one.title for one in context["nav"].items] == items
    assert context["nav"].homepage.file.src_uri == items[0]
    assert [one["link"] for one in config.extra["alternate"]] == links


def test_lines_of_chinese_are_joined_and_nothing_else(hook: Any) -> None:
    kept = "\n\n- 丙\n\n| 表 |\n| 格 |\n\n```\n代\n码\n```\n"
    text = f"# 标题\n\n一行，\n另一行 and\nEnglish\n\n- 甲\n  乙{kept}"
    wanted = f"# 标题\n\n一行，另一行 and\nEnglish\n\n- 甲乙{kept}"
    assert hook.joined(text) == wanted
    assert hook.on_page_markdown("甲\n乙", page=page("index.md")) == "甲\n乙"
