"""A first engine's file of a kind, with comments in a language."""

from __future__ import annotations

from importlib import resources

from relyon.core.language import Language
from relyon.engines.engine import KINDS, engines

__all__ = ["starting_file"]

#: The folder of the files, one per name of a kind and language.
FOLDER = "starters"


def starting_file(kind: str, language: Language = "en") -> str:
    """Returns an engine's file of a kind: complete, with comments, to be changed.

    Args:
        kind: A name of the kind, such as `postgresql`.
        language: The language of the comments.

    Raises:
        UnknownNameError: If there is no such kind.

    Examples:
        >>> starting_file("sqlite").splitlines()[2]
        'kind = "sqlite"'
    """
    chosen = engines.get(kind)
    folder = resources.files("relyon.engines.files").joinpath(FOLDER, language)
    text = folder.joinpath(f"{chosen.name}.toml").read_text("utf-8")
    named = any(kind in names.split() for names in KINDS.values()) and kind != chosen.name
    return text.replace(f'kind = "{chosen.name}"', f'kind = "{kind}"') if named else text
