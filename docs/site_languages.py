"""A hook of MkDocs: a page's surroundings speak its language.

The theme has one language for a whole site. Here each page gets its own: the words of the theme,
the navigation (pages of its language alone), and a switch that leads to the same page in the other
language. Lines of Chinese are joined without the space that a line end would become.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

#: The folder of the pages in Chinese, and the name of their part of the navigation.
FOLDER, CHINESE = "zh/", "中文"
#: What the button says that changes between light and dark.
TOGGLES = {"en": ("Dark", "Light"), "zh": ("深色", "浅色")}
#: The line end between two Chinese characters.
BREAK = re.compile("(?<=[\u4e00-\u9fff，。；：、！？）”]) *\n *(?=[\u4e00-\u9fff（“])")


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Joins the lines of Chinese paragraphs.

    Args:
        markdown: The page as it is written.
        page: The page.
    """
    return joined(markdown) if page.file.src_uri.startswith(FOLDER) else markdown


def joined(markdown: str) -> str:
    """Returns Markdown whose Chinese paragraphs have no line ends between Chinese characters.

    Examples:
        >>> joined("先说结论，\\n再说原因。")
        '先说结论，再说原因。'
    """
    blocks = re.split(r"(\n\s*\n|^ *```.*?^ *```$)", markdown, flags=re.M | re.S)
    return "".join(
        one if one.lstrip().startswith(("```", "#", "|")) else BREAK.sub("", one) for one in blocks
    )


def on_page_context(
    context: dict[str, Any], *, page: Page, config: MkDocsConfig, nav: Navigation
) -> dict[str, Any]:
    """Sets the language of what stands around a page, before it is rendered.

    Args:
        context: What the template is given.
        page: The page.
        config: The site's settings, which the theme reads while it renders.
        nav: All pages.
    """
    language = "zh" if page.file.src_uri.startswith(FOLDER) else "en"
    config.theme["language"] = language
    for one, name in zip(config.theme["palette"], TOGGLES[language], strict=True):
        one["toggle"]["name"] = name
    own = page.file.src_uri.removeprefix(FOLDER)
    known = {one.file.src_uri: one.file.url for one in nav.pages}
    for one in config.extra["alternate"]:
        start = FOLDER if one["lang"] == "zh" else ""
        one["link"] = known.get(f"{start}{own}", known[f"{start}index.md"])
    context["nav"] = _pages_of(nav, language)
    return context


def _pages_of(nav: Navigation, language: str) -> Navigation:
    chinese = next(one for one in nav.items if one.is_section and one.title == CHINESE)
    others = [one for one in nav.items if one is not chinese]
    found = type(nav)(others if language == "en" else list(chinese.children or ()), nav.pages)
    home = "index.md" if language == "en" else f"{FOLDER}index.md"
    found.homepage = next(one for one in nav.pages if one.file.src_uri == home)
    return found
