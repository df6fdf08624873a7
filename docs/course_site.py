"""A hook of MkDocs: the course's pages in the documentation's site, under `learn/`."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from relyon.learn.pages.site import pages

FOLDER = "learn"


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds every page, script and style of the course."""
    for name, content in pages().items():
        files.append(File.generated(config, f"{FOLDER}/{name}", content=content))
    return files
