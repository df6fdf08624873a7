"""The template environment: text is escaped, and a missing name is an error."""

from __future__ import annotations

import jinja2

__all__ = ["environment"]


def environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """Returns an environment for templates of HTML.

    Args:
        loader: Where the templates come from.
    """
    return jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
