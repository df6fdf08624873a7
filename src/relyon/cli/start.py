"""Process setup before anything else is imported: Ctrl-C and closed streams."""

from __future__ import annotations

import os
import sys

# What `signal` wraps: that module imports several others, and a Ctrl-C meanwhile would be Python's.
from _signal import (  # type: ignore[import-not-found]
    SIGINT,
    default_int_handler,
    getsignal,
    signal,
)

__all__ = ["INTERRUPTED", "catch_interrupts", "let_interrupts_through", "open_standard_streams"]

#: The exit code of a process that was interrupted.
INTERRUPTED = 130


def _stop(number: int, frame: object) -> None:
    try:
        os.write(2, b"\nerror: interrupted\n")
    finally:
        os._exit(INTERRUPTED)


def catch_interrupts() -> None:
    """Ends the process at Ctrl-C while modules are imported: there is nothing to clean up yet."""
    if getsignal(SIGINT) is default_int_handler:
        signal(SIGINT, _stop)


def let_interrupts_through() -> None:
    """Makes Ctrl-C raise `KeyboardInterrupt` again, now that it is handled."""
    if getsignal(SIGINT) is _stop:
        signal(SIGINT, default_int_handler)


def open_standard_streams() -> None:
    """Opens stdin, stdout and stderr if the parent process closed them.

    Otherwise Python has no such stream, and the next file that is opened takes its number. Reading
    a closed stdin or writing to a closed stdout fails with the system's own error; output to a
    closed stderr is lost, as requested.
    """
    for number, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)  # the lowest free number: this one
            os.set_inheritable(opened, True)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
