"""Tells receivers of the newest month, in the background.

A thread looks for a month whose alarms were not sent yet, whoever stored it, and sends what is due.
Several processes may do so over one database: the first to claim a message sends it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from relyon.app.alarms.mail import send_mail
from relyon.app.alarms.settings import AlarmSettings
from relyon.app.alarms.webhooks import post, write_body
from relyon.app.months.staging import read_added
from relyon.core.errors import RelyonError
from relyon.judging.alarm_messages import (
    DELAYS,
    Delivery,
    claim_message,
    finish_message,
    queue_messages,
)
from relyon.judging.receivers import Receiver, list_receivers
from relyon.online.monitoring.alarm_message import alarm_message

if TYPE_CHECKING:
    from relyon.app.months.rounds import RoundsFolder
    from relyon.judging.store import Store

__all__ = ["Notifier", "deliver"]

log = logging.getLogger("relyon.judging")

#: Seconds between two looks at the folder of rounds.
EVERY = 30.0
#: Seconds that the end of the program waits for a message that is being sent.
ENDING = 8.0


def deliver(settings: AlarmSettings, receiver: Receiver, subject: str, text: str) -> Delivery:
    """Sends one message once, and returns what became of it."""
    if receiver.kind == "email":
        if settings.mail is None:
            return Delivery("failed", "no_mail_server")
        return send_mail(settings.mail, receiver.address, f"relyon: {subject}", text)
    body = write_body(receiver.kind, f"relyon: {subject}\n\n{text}")
    return post(receiver.address, body, settings.webhook_hosts)


class Notifier:
    """Tells receivers of alarms.

    Args:
        store: The database.
        rounds: The folder of rounds; None without one.
        settings: The operator's settings.
        delays: Seconds before each further attempt.
        every: Seconds between two looks.
    """

    def __init__(
        self,
        store: Store,
        rounds: RoundsFolder | None,
        settings: AlarmSettings,
        *,
        delays: Sequence[float] = DELAYS,
        every: float = EVERY,
    ) -> None:
        self.store = store
        self.rounds = rounds
        self.settings = settings
        self.delays = delays
        self.every = every
        self._awake = threading.Event()
        self._ended = threading.Event()

    @contextmanager
    def running(self) -> Iterator[None]:
        """A context in which the thread runs; its end waits for a message that is being sent."""
        thread = threading.Thread(target=self._run, name="alarms", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            self._awake.set()
            thread.join(ENDING)

    def wake(self) -> None:
        """Makes the thread look at once, such as after a month was stored."""
        self._awake.set()

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self.step()
            except Exception as error:
                log.warning("alarms: %s", error)
            self._awake.wait(self.every)
            self._awake.clear()

    def step(self) -> None:
        """Queues what is new, and sends what is due."""
        self.queue_news()
        while not self._ended.is_set():
            claimed = claim_message(self.store)
            if claimed is None:
                return
            outcome = deliver(self.settings, claimed.receiver, claimed.subject, claimed.text)
            finish_message(self.store, claimed, outcome, delays=self.delays)
            if outcome.fate != "sent":
                log.warning(
                    "alarm of %s to %s: %s (%s)",
                    claimed.month,
                    claimed.receiver.shown,
                    outcome.fate,
                    outcome.problem,
                )

    def queue_news(self) -> int:
        """Queues the messages on the newest month, and returns how many are new."""
        told = list_receivers(self.store, which="active")
        if self.rounds is None or not told or self.rounds.is_empty():
            return 0
        try:
            found = self.rounds.monitor()
        except RelyonError:
            return 0  # the monitor's page says why
        month = found.months[-1]
        added = read_added(self.rounds.folder / month)
        raised = bool(found.alarms())
        due = [
            one
            for one in told
            if added is not None and added.at > one.created_at and (raised or one.every_month)
        ]
        if not due:
            return 0
        link = f"{self.settings.public_url}/monitor" if self.settings.public_url else ""

        def write(receiver: Receiver) -> str:
            return "\n".join(alarm_message(found, language=receiver.language, link=link))

        return queue_messages(self.store, month, due, write)
