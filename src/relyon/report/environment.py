"""The template environment: text is escaped, and a missing name is an error."""

from __future__ import annotations

import re

import jinja2
from markupsafe import Markup, escape

__all__ = ["coded", "environment"]

#: Code in a text, as Markdown marks it.
CODE = re.compile(r"`([^`\n]+)`")


def environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """Returns an environment for templates of HTML.

    Args:
        loader: Where the templates come from.
    """
    found = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    found.filters["coded"] = coded
    return found


def coded(text: str) -> Markup:
    """Returns a text as HTML, in which code between backticks is an element.

    Examples:
        >>> coded("`relyon explain` says why 1 < 2")
        Markup('<code>relyon explain</code> says why 1 &lt; 2')
    """
    return Markup(CODE.sub(r"<code>\1</code>", str(escape(text))))
