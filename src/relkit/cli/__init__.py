"""The command line: parses arguments, calls the API, prints."""

from relkit.cli.application import main

__all__ = ["main"]
