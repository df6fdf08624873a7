"""One message by e-mail, through the operator's server."""

from __future__ import annotations

import smtplib
import ssl
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid

from relyon.app.alarms.settings import MailServer
from relyon.app.alarms.webhooks import clean
from relyon.judging.alarm_messages import Delivery

__all__ = ["send_mail"]

#: Seconds for each answer of the server.
PATIENCE = 10.0


def send_mail(
    server: MailServer,
    receiver: str,
    subject: str,
    text: str,
    *,
    patience: float = PATIENCE,
    context: ssl.SSLContext | None = None,
) -> Delivery:
    """Sends one e-mail, and returns what became of it.

    Args:
        server: The operator's server.
        receiver: The address.
        subject: The subject.
        text: The text.
        patience: Seconds for each answer of the server.
        context: Whom to believe; None takes the system's certificates.
    """
    mail = EmailMessage()
    mail["Subject"] = " ".join(subject.split())
    mail["From"] = server.sender
    mail["To"] = receiver
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid("relyon", domain=server.sender.rpartition("@")[2])
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(text)
    trusted = context or ssl.create_default_context()
    try:
        client = _open(server, patience, trusted)
    except smtplib.SMTPResponseException as error:
        return _refused(error.smtp_code, error.smtp_error)
    except ssl.SSLCertVerificationError as error:
        return Delivery("failed", f"certificate:{clean(error.verify_message)}")
    except smtplib.SMTPNotSupportedError as error:
        return Delivery("failed", f"mail:{clean(str(error))}")
    except (OSError, smtplib.SMTPException) as error:
        return _unreached(error)
    try:
        return _hand_over(client, server.sender, receiver, mail.as_bytes(policy=SMTP))
    finally:
        with suppress(OSError, smtplib.SMTPException):
            client.close()


def _open(server: MailServer, patience: float, context: ssl.SSLContext) -> smtplib.SMTP:
    """Returns a connection on which a message can be sent."""
    if server.encryption == "tls":
        client: smtplib.SMTP = smtplib.SMTP_SSL(
            server.host, server.port, timeout=patience, context=context
        )
    else:
        client = smtplib.SMTP(server.host, server.port, timeout=patience)
    try:
        if server.encryption == "starttls":
            client.starttls(context=context)
        client.ehlo_or_helo_if_needed()
        if server.user:
            client.login(server.user, server.password)
    except BaseException:
        client.close()
        raise
    return client


def _hand_over(client: smtplib.SMTP, sender: str, receiver: str, mail: bytes) -> Delivery:
    """Hands a message over; until its text was sent it certainly has not arrived."""
    sending = False
    try:
        for code, told in (client.mail(sender), client.rcpt(receiver)):
            if code >= 300:
                return _refused(code, told)
        sending = True
        code, told = client.data(mail)
    except smtplib.SMTPDataError as error:  # it did not want the text
        return _refused(error.smtp_code, error.smtp_error)
    except (OSError, smtplib.SMTPException) as error:
        if sending:
            return Delivery("unclear", "no_answer")
        return _unreached(error)
    if code >= 300:
        return _refused(code, told)
    with suppress(OSError, smtplib.SMTPException):
        client.quit()
    return Delivery("sent")


def _unreached(error: Exception) -> Delivery:
    return Delivery("later", f"connection:{clean(getattr(error, 'strerror', '') or str(error))}")


def _refused(code: int, told: bytes | str) -> Delivery:
    """Returns what an error of the server means: 4xx passes, 5xx stays."""
    text = told.decode("utf-8", "replace") if isinstance(told, bytes) else told
    return Delivery("later" if 400 <= code < 500 else "failed", f"mail:{code} {clean(text)}")
