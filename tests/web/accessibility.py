"""What axe-core finds on a page against WCAG 2.1, level AA, and good practice."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def violations(tab: Any) -> list[str]:
    """Returns what axe finds against WCAG 2.1 A and AA, with the elements."""
    axe = resources.files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
    tab.send("Runtime.evaluate", expression=axe)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
    found = json.loads(
        tab.run(
            f"axe.run(document, {{runOnly: {tags}, resultTypes: ['violations']}})"
            ".then(all => JSON.stringify(all.violations.map(one => [one.id, one.help,"
            " one.nodes.map(node => node.html.slice(0, 160) + ' ' + node.failureSummary)])))"
        )
    )
    return [f"{name}: {text}\n" + "\n".join(nodes) for name, text, nodes in found]
