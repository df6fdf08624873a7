"""What a process puts in order before anything else is imported: Ctrl-C, and closed streams."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

__all__ = ["INTERRUPTED", "catch_interrupts", "let_interrupts_through", "open_standard_streams"]

#: The exit code of a process that was interrupted.
INTERRUPTED = 130


def _stop(number: int, frame: object) -> None:
    with suppress(OSError):
        os.write(2, b"\nerror: interrupted\n")
    os._exit(INTERRUPTED)


def catch_interrupts() -> None:
    """Ends the process at Ctrl-C while modules are imported: there is nothing yet to put right."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _stop)


def let_interrupts_through() -> None:
    """Lets Ctrl-C raise `KeyboardInterrupt` again, now that somebody waits for it."""
    if signal.getsignal(signal.SIGINT) is _stop:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def open_standard_streams() -> None:
    """Gives stdin, stdout and stderr a file where whoever started the process closed them.

    Otherwise Python has no such stream, and the next file that is opened is taken for one. What
    needs a closed stdin or stdout fails by the system's own error, because what it is given cannot
    be read or written; what is said on a closed stderr is lost, as was asked for.
    """
    for number, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)  # the lowest number that is free: this one
            os.set_inheritable(opened, True)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
