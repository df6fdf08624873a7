"""Options of `relyon monitor` for documents that changed since they were judged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relyon.cli.messages import messages
from relyon.cli.option_values import chosen_columns
from relyon.cli.request import option, request
from relyon.cli.shares import SHARE_ABOVE_0
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    import os

    from relyon.data.judgments import Judgments
    from relyon.online.monitoring import Monitor

__all__ = ["KeptContents", "StaleMonth"]

COLUMNS = "Columns of --documents, such as document=sku,title=name,snippet=text."


def _columns(given: tuple[str, ...]) -> dict[str, str] | None:
    known = ("document", "title", "snippet")
    return chosen_columns(given, known, "document=sku,title=name")


@request
class KeptContents:
    """The collection whose fingerprints a round keeps."""

    documents: str | None = option(
        "--documents",
        metavar="FILE",
        help="The collection as it is judged: the round keeps fingerprints of the judged documents,"
        " so that `monitor show --documents` can tell which changed.",
    )
    document_columns: tuple[str, ...] = option(
        "--document-columns", metavar="NAME=COLUMN,…", multiple=True, help=COLUMNS
    )

    def keep(self, folder: str | os.PathLike[str], judgments: Judgments) -> None:
        """Keeps the fingerprints in a round's folder, if there is a collection."""
        if self.documents is None:
            return
        from relyon.online.monitoring.stale_evidence import keep_contents

        count = keep_contents(folder, judgments, self.documents, _columns(self.document_columns))
        messages.note(message("cli.round-keeps-fingerprints", count=count))


@request
class StaleMonth:
    """The collection with which the last round is compared."""

    documents: str | None = option(
        "--documents",
        metavar="FILE",
        help="The collection of today: shows how much of the last month's DCG rests on grades of"
        " documents that changed or are gone, for rounds stored with `monitor add --documents`.",
    )
    document_columns: tuple[str, ...] = option(
        "--document-columns", metavar="NAME=COLUMN,…", multiple=True, help=COLUMNS
    )
    max_stale: float = option(
        "--max-stale",
        metavar="SHARE",
        type=SHARE_ABOVE_0,
        default=0.2,
        help="With --documents: warn from this share of the judged ranks on, discounted as in DCG."
        "  [default: 0.2]",
    )

    def refuse(self, option: str) -> None:
        """Rejects a collection beside an option that shows nothing of it.

        Raises:
            ParameterError: If there is one.
        """
        if self.documents is not None:
            raise ParameterError(
                message("cli.shows-nothing-stale", option=option),
                hint=message("cli.ask-for-stale-alone", option=option),
            )

    def beside(self, found: Monitor, rounds: str) -> Monitor | WithEvidence:
        """Returns the monitor with what its last month rests on, if there is a collection."""
        if self.documents is None:
            return found
        from relyon.online.monitoring.stale_evidence import stale_evidence

        columns = _columns(self.document_columns)
        evidence = stale_evidence(rounds, self.documents, columns=columns)
        messages.notes(evidence.notes(self.max_stale))
        return WithEvidence(found, evidence.to_dict())


class WithEvidence:
    """A monitor whose JSON has what its last month rests on, too; other forms have notes.

    Args:
        found: The monitor.
        evidence: What its last month rests on.
    """

    def __init__(self, found: Monitor, evidence: dict[str, object]) -> None:
        self._found = found
        self._evidence = evidence

    def __getattr__(self, name: str) -> Any:
        return getattr(self._found, name)

    def to_json(self, **options: Any) -> str:
        """Returns the monitor with the evidence as `stale_evidence`."""
        from relyon.core.document.json import json_text

        return json_text({**self._found.to_dict(**options), "stale_evidence": self._evidence})
