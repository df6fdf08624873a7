"""What axe-core finds on a page against WCAG 2.1, level AA, and good practice."""

from __future__ import annotations

import json
from importlib import resources

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
