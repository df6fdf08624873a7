"""Errors of Spark's Java as errors of relyon, with the file and a hint."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from relyon.core.errors import DependencyError, InputError, ParameterError, RelyonError
from relyon.core.texts import message

__all__ = ["COLUMNS_FAULT", "plain_errors"]

#: Marks errors that `relyon.spark.cluster_files` raises within Spark about a line of text.
COLUMNS_FAULT = "relyon-columns"

#: The class and message of an exception of Java; a trace has one line for each cause.
CAUSE = re.compile(r"^(?:Caused by: |: )?((?:[a-z]\w*\.)+[\w$]+): (.*)$", re.MULTILINE)
#: Spark's name of a kind of error, and its state in SQL.
CONDITION = re.compile(r"^\[[A-Z_.]+\] | ?SQLSTATE: \w+$")
#: Causes that say only that there is a cause.
WRAPPERS = re.compile(
    r"^(Job aborted|An exception was thrown|An error occurred|Task \d|Exception thrown in)"
)

Fault = Callable[[re.Match[str], str, str], RelyonError]


@contextmanager
def plain_errors(path: str = "") -> Iterator[None]:
    """Turns errors of Spark into errors of relyon, in one sentence.

    Args:
        path: The file that is read, for messages, if Spark does not name it.

    Raises:
        RelyonError: In place of Spark's error.
    """
    try:
        yield
    except RelyonError:
        raise
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark.", "py4j.")):
            raise
        text = _text(error)
        for pattern, fault in FAULTS:
            if found := pattern.search(text):
                raise fault(found, text, path) from None
        raise RelyonError(
            message("spark.spark-reason", reason=_reason(text)),
            hint=message("spark.relyon-traceback-1-shows-whole"),
        ) from error


def _text(error: Exception) -> str:
    """Returns the error with the trace of Java, if any."""
    trace = getattr(error, "_stackTrace", "")
    return f"{error}\n{trace}"


def _reason(text: str) -> str:
    """Returns the message of the innermost cause."""
    said = [found[2] for found in CAUSE.finditer(text) if found[2]]
    told = [one for one in said if not WRAPPERS.match(one)]
    reason = (told or said or [text.strip().splitlines()[0]])[-1]
    return CONDITION.sub("", CONDITION.sub("", reason)).strip().rstrip(".")[:300]


def _shown(path: str) -> str:
    """Returns a path as a user would write it."""
    return re.sub(r"^file:/+", "/", path)


def _absent(found: re.Match[str], text: str, path: str) -> RelyonError:
    return InputError(message("spark.there-is-no"), path=path or _shown(found[1]))


def _present(found: re.Match[str], text: str, path: str) -> RelyonError:
    return InputError(
        message("core.already-exists"),
        path=path or _shown(found[1]),
        hint=message("core.name-another-folder"),
    )


def _empty(found: re.Match[str], text: str, path: str) -> RelyonError:
    return InputError(message("spark.contains-no-files"), path=path)


def _unreadable(found: re.Match[str], text: str, path: str) -> RelyonError:
    after = text[text.index(found[0]) + len(found[0]) :]
    causes = [one[2] for one in CAUSE.finditer(after)]
    known = next((one for one in causes if "Malformed" in one or "malformed" in one), "")
    reason = _reason(f"x.y.Z: {known or (causes or [''])[-1]}")
    if "ERROR_READING_FOOTER" in text or "Could not read footer" in found[0] + after[:200]:
        reason = reason or "damaged"
    if not reason:
        return InputError(message("core.is-unreadable"), path=_shown(found[1]))
    return InputError(message("core.cannot-be-read-reason", reason=reason), path=_shown(found[1]))


def _columns(found: re.Match[str], text: str, path: str) -> RelyonError:
    told = json.loads(found[1])
    return InputError(
        message(
            "spark.expected-columns",
            wanted=len(told["names"].split(", ")),
            names=told["names"],
            count=told["count"],
            line=told["line"][:60],
        ),
        path=_shown(told["path"]) or path,
    )


def _value(found: re.Match[str], text: str, path: str) -> RelyonError:
    return InputError(
        message("spark.value-is-not-number", value=found[1]),
        path=path,
    )


def _scheme(found: re.Match[str], text: str, path: str) -> RelyonError:
    return InputError(
        message("spark.spark-knows-no-file", scheme=found[1]),
        path=path,
        hint=message("spark.for-s3"),
    )


def _host(found: re.Match[str], text: str, path: str) -> RelyonError:
    return InputError(message("spark.there-is-no-host", host=found[1]), path=path)


def _module(found: re.Match[str], text: str, path: str) -> RelyonError:
    return DependencyError(
        message("spark.executors-of-spark-have-no", package=found[1]),
        hint=message("spark.install-relyon-spark", python=sys.executable),
    )


def _python(found: re.Match[str], text: str, path: str) -> RelyonError:
    return DependencyError(
        message("spark.executors-of-spark"),
        hint=message("spark.set-pyspark-python-to-same", python=sys.executable),
    )


def _memory(found: re.Match[str], text: str, path: str) -> RelyonError:
    return RelyonError(
        message("spark.executor-of-spark-ran"),
        hint=message("spark.give-more-on-command"),
    )


def _setting(found: re.Match[str], text: str, path: str) -> RelyonError:
    return ParameterError(message("spark.spark-reason", reason=_reason(text)))


#: The first match applies.
FAULTS: tuple[tuple[re.Pattern[str], Fault], ...] = (
    (re.compile(rf"{COLUMNS_FAULT} (\{{.*\}})"), _columns),
    (re.compile(r"No module named '(\w+)"), _module),
    (re.compile(r"\[PYTHON_VERSION_MISMATCH\]"), _python),
    (re.compile(r"\[PATH_NOT_FOUND\] Path does not exist: (\S+?)\.? "), _absent),
    (re.compile(r"\[PATH_ALREADY_EXISTS\] Path (\S+) already exists"), _present),
    (re.compile(r"\[UNABLE_TO_INFER_SCHEMA\]"), _empty),
    (re.compile(r"\[FAILED_READ_FILE\.FILE_NOT_EXIST\].*?file (\S+?)\.? "), _absent),
    (re.compile(r"Encountered error while reading file (\S+?)\. "), _unreadable),
    (re.compile(r"No FileSystem for scheme \"(\w+)\""), _scheme),
    (re.compile(r"ClassNotFoundException: Class org\.apache\.hadoop\.fs\.(s3a)\."), _scheme),
    (re.compile(r"UnknownHostException: (\S+)"), _host),
    (re.compile(r"\[CAST_INVALID_INPUT\] The value '(.*?)' of the type"), _value),
    (
        re.compile(r"OutOfMemoryError|ExecutorLostFailure|Python worker exited unexpectedly"),
        _memory,
    ),
    (re.compile(r"\[(CONFIG|INVALID_CONF)\w*[\w.]*\]"), _setting),
)
