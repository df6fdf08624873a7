"""What the app may reach: chats and mail servers for alarms, language models, search engines."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

import click

from relyon.cli.request import option, request
from relyon.core.errors import ParameterError
from relyon.core.texts import message

if TYPE_CHECKING:
    from relyon.app.alarms.settings import AlarmSettings, MailServer
    from relyon.app.engines.allowed import AllowedEngines
    from relyon.app.models.settings import ModelEndpoint, Price

__all__ = ["Reach"]

MAIL_PASSWORD = "RELYON_SMTP_PASSWORD"
KEY = "RELYON_LLM_KEY"
#: Names of models, which environment variables can contain.
NAME = re.compile(r"[\w.-]{1,60}", re.ASCII)
LOCAL = {"localhost", "127.0.0.1", "::1"}


@request
class Reach:
    """Where the app may send something."""

    public_url: str | None = option(
        "--public-url",
        metavar="URL",
        help="The address of the app in messages, such as https://judging.example.org.",
    )
    webhook_hosts: tuple[str, ...] = option(
        "--webhook-host",
        multiple=True,
        metavar="HOST",
        help="A host of webhooks for alarms, such as hooks.slack.com: HTTPS, public addresses"
        " only; or an origin such as http://chat.intranet:8065. Can be repeated.",
    )
    smtp_host: str | None = option(
        "--smtp-host", metavar="NAME", help="The mail server for alarms."
    )
    smtp_port: int = option(
        "--smtp-port",
        type=click.IntRange(1, 65535),
        default=587,
        show_default=True,
        help="Its port.",
    )
    smtp_from: str | None = option(
        "--smtp-from", metavar="ADDRESS", help="The address that messages come from."
    )
    smtp_user: str | None = option(
        "--smtp-user",
        metavar="NAME",
        help=f"The account at the mail server; its password is in {MAIL_PASSWORD}.",
    )
    smtp_encryption: Literal["starttls", "tls", "none"] = option(
        "--smtp-encryption",
        type=click.Choice(["starttls", "tls", "none"]),
        default="starttls",
        show_default=True,
        help="How the connection is encrypted; certificates are verified.",
    )
    models: tuple[str, ...] = option(
        "--model-endpoint",
        multiple=True,
        metavar="NAME=URL#MODEL",
        help=f"A language model that leads may let grade; its key is in {KEY}_NAME, or {KEY} if"
        " there is one model. Can be repeated.",
    )
    prices: tuple[str, ...] = option(
        "--model-price",
        multiple=True,
        metavar="NAME=IN,OUT[,CURRENCY]",
        help="What a million tokens of a model's requests and answers cost. Can be repeated.",
    )
    engines: str | None = option(
        "--engines",
        type=click.Path(exists=True, file_okay=False),
        metavar="FOLDER",
        help="Files of search engines (*.toml) that leads may try queries against; their secrets"
        " come from the environment.",
    )

    def alarms(self) -> AlarmSettings:
        """Returns where alarms may go.

        Raises:
            ParameterError: If an address is invalid, or an option lacks another.
        """
        from relyon.app.alarms.settings import AlarmSettings, tidy_origin

        link = "" if self.public_url is None else tidy_origin(self.public_url)
        if link and "://" not in link:
            raise ParameterError(message("cli.public-url-needs-scheme", url=link))
        hosts = tuple(tidy_origin(one) for one in self.webhook_hosts)
        return AlarmSettings(hosts, self._mail(), link)

    def _mail(self) -> MailServer | None:
        from relyon.app.alarms.settings import MailServer
        from relyon.judging.receivers import check_mailbox

        if self.smtp_host is None:
            if self.smtp_from is not None or self.smtp_user is not None:
                raise ParameterError(message("cli.smtp-needs-host"))
            return None
        if self.smtp_from is None:
            raise ParameterError(message("cli.smtp-needs-sender"))
        password = os.environ.get(MAIL_PASSWORD, "")
        if self.smtp_user is not None and not password:
            raise ParameterError(
                message("cli.environment-variable-is-empty", variable=MAIL_PASSWORD)
            )
        if (
            self.smtp_user is not None
            and self.smtp_encryption == "none"
            and self.smtp_host not in LOCAL
        ):
            raise ParameterError(message("cli.smtp-password-needs-encryption"))
        return MailServer(
            self.smtp_host,
            self.smtp_port,
            check_mailbox(self.smtp_from),
            self.smtp_encryption,
            self.smtp_user or "",
            password if self.smtp_user is not None else "",
        )

    def endpoints(self) -> tuple[ModelEndpoint, ...]:
        """Returns the language models that leads may choose.

        Raises:
            ParameterError: If an option is invalid, or a price is of no model.
        """
        from relyon.app.models.settings import ModelEndpoint
        from relyon.judging.llm.endpoint import read_key, tidy_url

        prices = dict(map(_price, self.prices))
        found: dict[str, ModelEndpoint] = {}
        for text in self.models:
            name, sign, rest = text.partition("=")
            url, mark, model = rest.rpartition("#")
            if not (sign and mark and model.strip() and NAME.fullmatch(name)) or name in found:
                raise ParameterError(
                    message("cli.is-not-model-endpoint", text=text),
                    hint=message("cli.write-model-endpoint"),
                )
            own = f"{KEY}_{re.sub('[^A-Z0-9]', '_', name.upper())}"
            key = read_key(own) or (read_key(KEY) if len(self.models) == 1 else "")
            found[name] = ModelEndpoint(
                name, tidy_url(url), model.strip(), key, prices.pop(name, None)
            )
        for name in prices:
            raise ParameterError(message("cli.price-of-unknown-model", name=name))
        return tuple(found.values())

    def allowed_engines(self) -> AllowedEngines:
        """Returns the search engines that leads may ask.

        Raises:
            InputError: If a file cannot be read.
            ParameterError: If a file cannot be used.
        """
        from relyon.app.engines.allowed import AllowedEngines

        return AllowedEngines() if self.engines is None else AllowedEngines.read(self.engines)

    def exposed_keys(self) -> list[str]:
        """Returns the models whose key is sent unencrypted to another machine."""
        return [
            one.name
            for one in self.endpoints()
            if one.key and one.url.startswith("http:") and urlsplit(one.url).hostname not in LOCAL
        ]


def _price(text: str) -> tuple[str, Price]:
    from relyon.app.models.settings import Price

    name, _, rest = text.partition("=")
    parts = [one.strip() for one in rest.split(",")]
    try:
        prompt, answer = (float(one) for one in parts[:2])
        good = 0 <= prompt < 1e9 and 0 <= answer < 1e9 and len(parts) <= 3
    except ValueError:
        good = False
    if not good or not NAME.fullmatch(name) or len("".join(parts[2:])) > 10:
        raise ParameterError(
            message("cli.is-not-model-price", text=text), hint=message("cli.write-model-price")
        )
    return name, Price(prompt, answer, "".join(parts[2:]))
