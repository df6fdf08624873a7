"""What the operator allows alarms to reach."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from relyon.core.errors import ParameterError
from relyon.core.texts import message

__all__ = ["AlarmSettings", "MailServer", "tidy_origin"]

#: A host name, or the origin of an http(s) URL.
ORIGIN = re.compile(
    r"(?:(?P<scheme>https?)://)?"
    r"(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?/?"
)

Encryption = Literal["starttls", "tls", "none"]


@dataclass(frozen=True)
class MailServer:
    """The server that sends e-mail.

    Attributes:
        host: Its name.
        port: Its port.
        sender: The address that messages come from.
        encryption: `starttls` or `tls` from the start, with a verified certificate; or `none`.
        user: The account there; empty to send without one.
        password: Its password; never shown.
    """

    host: str
    port: int
    sender: str
    encryption: Encryption = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)


@dataclass(frozen=True)
class AlarmSettings:
    """The operator's settings of alarms.

    Attributes:
        webhook_hosts: Hosts of webhooks: a name such as `hooks.slack.com`, which is reached over
            HTTPS at public addresses only, or an origin such as `http://chat.intranet:8065`, which
            is reached as it is.
        mail: The server for e-mail; None sends none.
        public_url: The address of the app for links; empty leaves them out.
    """

    webhook_hosts: tuple[str, ...] = ()
    mail: MailServer | None = None
    public_url: str = ""


def tidy_origin(text: str) -> str:
    """Returns an entry of `webhook_hosts` in its normal form.

    Raises:
        ParameterError: If it is neither a host name nor the origin of an http(s) URL.

    Examples:
        >>> tidy_origin("Hooks.Slack.com"), tidy_origin("http://chat.intranet:8065/")
        ('hooks.slack.com', 'http://chat.intranet:8065')
    """
    found = text.strip().lower()
    parts = ORIGIN.fullmatch(found)
    if parts is None or (parts["scheme"] is None and parts["port"] is not None):
        raise ParameterError(
            message("app.is-not-webhook-host", text=text[:100]),
            hint=message("app.give-host-or-origin"),
        )
    return found.rstrip("/")
