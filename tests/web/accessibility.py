"""What a screen reader is told of a page, and what axe-core finds on it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from playwright.sync_api import Page
from tests.web.browser import call_browser


def violations(tab: Page) -> list[str]:
    """Returns what axe finds against WCAG 2.1 A and AA, with the elements."""
    axe = resources.files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
    call_browser(tab, "Runtime.evaluate", expression=axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
    found = json.loads(
        tab.evaluate(
            f"axe.run(document, {{runOnly: {tags}, resultTypes: ['violations']}})"
            ".then(all => JSON.stringify(all.violations.map(one => [one.id, one.help,"
            " one.nodes.map(node => node.html.slice(0, 160) + ' ' + node.failureSummary)])))"
        )
    )
    return [f"{name}: {text}\n" + "\n".join(nodes) for name, text, nodes in found]


@dataclass(frozen=True)
class Told:
    """An element as the browser tells it to a screen reader.

    Attributes:
        role: Its role, such as `button`.
        name: Its name.
        within: The names of the elements around it, from the outermost one.
        values: Its state: `value`, `valuetext`, `live`, `focused` …
    """

    role: str
    name: str
    within: tuple[str, ...]
    values: Mapping[str, Any]


def told(tab: Page, role: str = "") -> list[Told]:
    """Returns what a screen reader is told of a page, in its order of reading.

    Args:
        tab: The page.
        role: Only elements of this role; all by default.
    """
    call_browser(tab, "Accessibility.enable")
    nodes = call_browser(tab, "Accessibility.getFullAXTree")["nodes"]
    found = _told({node["nodeId"]: node for node in nodes}, nodes[0]["nodeId"], ())
    return [one for one in found if role in {"", one.role}]


def _told(nodes: Mapping[str, Any], name: str, within: tuple[str, ...]) -> Iterator[Told]:
    node = nodes[name]
    called = node.get("name", {}).get("value", "")
    if not node.get("ignored"):
        values = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
        values |= {"value": node.get("value", {}).get("value")}
        yield Told(node["role"]["value"], called, within, values)
        within = (*within, called) if called else within
    for child in node.get("childIds", []):
        if child in nodes:
            yield from _told(nodes, child, within)
