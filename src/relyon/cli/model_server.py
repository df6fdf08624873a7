"""Options of commands that send requests to a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from relyon.cli.messages import messages
from relyon.cli.request import option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.judging.llm.endpoint import Endpoint

__all__ = ["ModelServer"]

KEY = "RELYON_LLM_KEY"


@request
class ModelServer:
    """The key of a model's server, and how fast and how often it is asked."""

    per_minute: float | None = option(
        "--requests-per-minute",
        type=click.FloatRange(min=0, min_open=True),
        metavar="N",
        help="Maximum number of requests per minute.",
    )
    concurrency: int = option(
        "--concurrency",
        type=click.IntRange(1, 64),
        default=4,
        show_default=True,
        help="Number of concurrent requests.",
    )
    attempts: int = option(
        "--attempts",
        type=click.IntRange(min=1),
        default=3,
        show_default=True,
        help="Number of attempts to get a valid answer.",
    )
    timeout: float = option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=120.0,
        show_default=True,
        help="Timeout of a request, in seconds.",
    )
    retries: int = option(
        "--retries",
        type=click.IntRange(min=0),
        default=6,
        show_default=True,
        help="Number of retries after a temporary error.",
    )
    key_variable: str | None = option(
        "--api-key-env",
        metavar="NAME",
        help=f"The environment variable with the key.  [default: {KEY}]",
    )

    def endpoint(self, url: str) -> Endpoint:
        """Returns the server at an address, and warns if its key would be sent unencrypted.

        Args:
            url: The base URL, tidied.

        Raises:
            ParameterError: If the named variable is empty.
        """
        from relyon.engines.pace import Pace
        from relyon.judging.llm.endpoint import Endpoint

        return Endpoint(
            url,
            key=self._key(url),
            timeout=self.timeout,
            retries=self.retries,
            pace=Pace(self.per_minute),
        )

    def _key(self, url: str) -> str:
        from urllib.parse import urlsplit

        from relyon.judging.llm.endpoint import read_key

        key = read_key(self.key_variable or KEY)
        if self.key_variable is not None and not key:
            raise ParameterError(
                message("cli.environment-variable-is-empty", variable=self.key_variable)
            )
        local = urlsplit(url).hostname in {"localhost", "127.0.0.1", "::1"}
        if key and url.startswith("http:") and not local:
            messages.warning(message("cli.key-is-sent"))
        return key
