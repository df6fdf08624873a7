"""Messages on months: one for each receiver and month, claimed before it is sent.

A message waits until a process claims it, by one update that only one process can win; then it is
sent. What a receiver took is `sent`; what it certainly did not take waits for another attempt, or
has `failed`. If that cannot be known – no answer came, or the process died – the message is
`unclear` and is not sent again unless somebody asks for it, so that it never arrives twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon.judging.receivers import Receiver, read_receiver
from relyon.judging.schema import TableRow, messages, receivers, sa

if TYPE_CHECKING:
    from relyon.judging.database_part import Base

__all__ = [
    "LOST",
    "Delivery",
    "Fate",
    "Message",
    "MessageState",
    "claim_message",
    "finish_message",
    "list_messages",
    "queue_messages",
    "send_again",
]

MessageState = Literal["waiting", "sending", "sent", "failed", "unclear"]
Fate = Literal["sent", "later", "failed", "unclear"]

#: Seconds after which a message that is being sent belongs to a process that died: none takes so
#: long.
LOST = 180.0
#: Seconds before each further attempt.
DELAYS = (60.0, 300.0, 1800.0, 7200.0, 21600.0)


@dataclass(frozen=True)
class Delivery:
    """What became of one attempt.

    Attributes:
        fate: `sent`; `later` if the receiver certainly did not take it and may do so later;
            `failed` if it never will; `unclear` if it may have taken it.
        problem: Its kind, such as `status`, and what belongs to it after a colon.
    """

    fate: Fate
    problem: str = ""


@dataclass(frozen=True)
class Message:
    """A message to one receiver on one month.

    Attributes:
        id: In the database.
        receiver: Who gets it.
        month: Such as `2026-03`.
        state: What became of it.
        attempts: How often it was tried.
        content: Its subject, and after a line break its text.
        problem: Why it has not arrived, as `Delivery.problem`.
        due_at: When it is sent next, or when it began to be sent.
        sent_at: When the receiver took it; None before.
    """

    id: int
    receiver: Receiver
    month: str
    state: MessageState
    attempts: int
    content: str
    problem: str
    due_at: float
    sent_at: float | None

    @property
    def subject(self) -> str:
        """The first line."""
        return self.content.partition("\n")[0]

    @property
    def text(self) -> str:
        """What follows the first line."""
        return self.content.partition("\n")[2]


def _read(row: TableRow, receiver: Receiver, now: float) -> Message:
    state = row.state
    if state == "sending" and row.due_at < now - LOST:
        state = "unclear"
    return Message(
        row.id,
        receiver,
        row.month,
        state,
        row.attempts,
        row.content,
        row.problem,
        row.due_at,
        row.sent_at,
    )


def queue_messages(
    store: Base, month: str, to: Sequence[Receiver], write: Callable[[Receiver], str]
) -> int:
    """Queues the messages on a month that are not known yet, and returns how many.

    Args:
        store: The database.
        month: The month.
        to: Who is to be notified.
        write: Returns the content for a receiver.
    """
    with store.database.read() as connection:
        known = set(
            connection.execute(
                sa.select(messages.c.receiver_id).where(messages.c.month == month)
            ).scalars()
        )
    contents = {one.id: write(one) for one in to if one.id not in known}
    return sum(_queue(store, month, number, text) for number, text in contents.items())


def _queue(store: Base, month: str, receiver: int, content: str) -> bool:
    now = store.clock()
    values: Mapping[str, object] = {
        "receiver_id": receiver,
        "month": month,
        "state": "waiting",
        "content": content,
        "created_at": now,
        "due_at": now,
    }
    try:
        with store.database.write() as connection:
            connection.execute(sa.insert(messages).values(**values))
    except sa.exc.IntegrityError:
        return False  # another process queued it, or the receiver was removed
    return True


def claim_message(store: Base) -> Message | None:
    """Takes the next message that is due, so that no other process sends it; None if none is."""
    now = store.clock()
    due = sa.and_(
        messages.c.state == "waiting",
        messages.c.due_at <= now,
        messages.c.receiver_id.in_(sa.select(receivers.c.id).where(receivers.c.active)),
    )
    query = sa.select(messages.c.id).where(due).order_by(messages.c.due_at, messages.c.id)
    with store.database.read() as connection:
        waiting = list(connection.execute(query.limit(20)).scalars())
    for number in waiting:
        mine = messages.c.id == number
        with store.database.write() as connection:
            taken = connection.execute(
                sa.update(messages)
                .where(mine, due)
                .values(state="sending", attempts=messages.c.attempts + 1, problem="", due_at=now)
            )
            if not taken.rowcount:
                continue
            row = connection.execute(sa.select(messages).where(mine)).one()
            owner = sa.select(receivers).where(receivers.c.id == row.receiver_id)
            return _read(row, read_receiver(connection.execute(owner).one()), now)
    return None


def finish_message(
    store: Base, claimed: Message, outcome: Delivery, *, delays: Sequence[float] = DELAYS
) -> None:
    """Stores what became of a claimed message.

    Args:
        store: The database.
        claimed: As `claim_message` returned it.
        outcome: What became of it.
        delays: Seconds before each further attempt; after the last one it has failed.
    """
    now = store.clock()
    fate = outcome.fate
    state: MessageState = "waiting" if fate == "later" else fate
    due = now
    if fate == "later":
        if claimed.attempts > len(delays):
            state = "failed"
        else:
            due = now + delays[claimed.attempts - 1]
    # Nothing if it was sent again meanwhile.
    same = sa.and_(
        messages.c.id == claimed.id,
        messages.c.state == "sending",
        messages.c.due_at == claimed.due_at,
    )
    with store.database.write() as connection:
        connection.execute(
            sa.update(messages)
            .where(same)
            .values(
                state=state,
                problem=outcome.problem[:500],
                due_at=due,
                sent_at=now if state == "sent" else None,
            )
        )


def send_again(store: Base, number: int) -> bool:
    """Queues a message once more that failed or may not have arrived.

    Returns:
        Whether it was: False if it is waiting, was sent, or is being sent.
    """
    now = store.clock()
    ended = messages.c.state.in_(("failed", "unclear"))
    lost = sa.and_(messages.c.state == "sending", messages.c.due_at < now - LOST)
    with store.database.write() as connection:
        done = connection.execute(
            sa.update(messages)
            .where(messages.c.id == number, sa.or_(ended, lost))
            .values(state="waiting", attempts=0, due_at=now, problem="")
        )
        return bool(done.rowcount)


def list_messages(store: Base, *, most: int = 100) -> list[Message]:
    """Returns the messages, latest first."""
    query = sa.select(messages).order_by(messages.c.id.desc()).limit(most)
    with store.database.read() as connection:
        known = {row.id: read_receiver(row) for row in connection.execute(sa.select(receivers))}
        now = store.clock()
        return [
            _read(row, known[row.receiver_id], now)
            for row in connection.execute(query)
            if row.receiver_id in known
        ]
