"""The command line: parses arguments, calls the API, prints."""

from __future__ import annotations

import gc
import os
import sys

from relyon.cli.start import INTERRUPTED, catch_interrupts, open_standard_streams

TYPE_CHECKING = False  # `typing` takes as long to import as all of this
if TYPE_CHECKING:
    from typing import NoReturn

    from relyon.cli.application import main

__all__ = ["main", "run"]


def __getattr__(name: str) -> object:
    if name != "main":
        raise AttributeError(f"module 'relyon.cli' has no attribute {name!r}")
    from relyon.cli.application import main

    return main


def _remove_scratch() -> None:
    """Removes unpacked files: the interpreter is not shut down, so nothing else does."""
    import signal

    from relyon.io.scratch import remove_scratch

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not leave the rest
    remove_scratch()


def run() -> NoReturn:
    """Runs the command line as its own process: the entry point of the script `relyon`.

    A small evaluation takes less time than garbage collection during imports and interpreter
    shutdown: the first is postponed, the second skipped.
    """
    catch_interrupts()
    open_standard_streams()
    gc.set_threshold(50_000)
    from contextlib import suppress

    from relyon.cli.application import main

    code: object = 0
    try:
        main(prog_name="relyon")
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:  # a second one, while the first was reported
        code = INTERRUPTED
    if "relyon.io.scratch" in sys.modules:
        _remove_scratch()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the reader has gone
            stream.flush()
    os._exit(code if isinstance(code, int) else 1)
