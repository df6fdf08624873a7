"""Rate limits for passwords: how often they may be tried, and how many at once.

The rules, in the order in which they apply to a sign-in attempt:

- In a browser in which the account signed in before, only that browser's own mistakes count.
- From an address from which it signed in before, only mistakes for this name from that address
  count.
- Others also share the limit of strangers for the name, from any address, and that of strangers at
  the address, for any name. Uses of an invitation, and answers of an identity provider, count
  under the latter.

So a guessing stranger locks out strangers, but no returning user. Guesses at an address are
answered alike for every name: once strangers must wait there, so must a wrong password for a name
that signed in there, after the same time.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from relyon.app.settings import Settings
from relyon.judging.access import end_sign_in, start_sign_in
from relyon.judging.account_names import name_key
from relyon.judging.attempts import Attempts, Limit
from relyon.judging.browsers import Acquaintance, network, recognise, remember_browser
from relyon.judging.events import forget_events, record_event
from relyon.judging.records import Role, User
from relyon.judging.store import Store

__all__ = ["BusyError", "Claim", "Entry", "SignInGuard", "WaitError"]

T = TypeVar("T")

#: Window, in seconds, for counting mistakes of strangers for one name from any address.
HOUR = 3600.0
DAY = 86400.0
#: Mistakes that one process records per window.
MOST_WRITTEN = 300
#: Maximum queued claims of strangers, and of returning users.
WAITING = {"none": 8, "address": 8, "browser": 8}


class BusyError(Exception):
    """The maximum number of passwords is being checked already."""

    seconds = 2


class WaitError(Exception):
    """There were too many wrong passwords.

    Attributes:
        seconds: Seconds until the next attempt is allowed.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = int(seconds) + 1


@dataclass(frozen=True)
class Claim:
    """A sign-in attempt.

    Attributes:
        name: The name as typed.
        user: The account of that name, if there is one.
        known: How the client is known to belong to it.
        address: The client's address.
        browser: The browser's token from an earlier sign-in; empty if there is none.
        agent: The browser and its system.
    """

    name: str
    user: User | None
    known: Acquaintance
    address: str
    browser: str
    agent: str


@dataclass(frozen=True)
class Entry:
    """A successful sign-in.

    Attributes:
        user: The account.
        secret: The new value of the cookie.
        browser: The token that the browser keeps after the sign-in.
    """

    user: User
    secret: str
    browser: str


class SignInGuard:
    """Checks passwords: a few at once, in its own threads, so that pages never wait for them.

    Args:
        store: The database.
        settings: How many mistakes are allowed, and how many passwords are checked at once.
    """

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store = store
        self.settings = settings
        self.attempts = Attempts(store, max(HOUR, settings.sign_in_window))
        self.written: deque[float] = deque()
        self.writing = threading.Lock()
        self.tidied = 0.0
        #: Seconds that a check usually takes.
        self.usual = 0.0
        self.threads = ThreadPoolExecutor(settings.sign_in_threads, "relyon-passwords")
        self.turns = {
            known: threading.BoundedSemaphore(settings.sign_in_threads + waiting)
            for known, waiting in WAITING.items()
        }

    def recognise(self, name: str, address: str, browser: str, agent: str) -> Claim:
        """Returns a sign-in attempt with all that is known before its password is checked."""
        user = self.store.accounts.find(name)
        known: Acquaintance = (
            "none" if user is None else recognise(self.store, user, browser, address)
        )
        return Claim(name, user, known, address, browser, agent)

    def limits(self, claim: Claim) -> Sequence[Limit]:
        """Returns the limits that apply to a claim."""
        most, window = self.settings.sign_in_attempts, self.settings.sign_in_window
        who = str(claim.user.id) if claim.user else f"nobody {name_key(claim.name)}"
        if claim.known == "browser":
            return [Limit(f"browser {claim.browser} {who}", most, window)]
        own = Limit(f"name {who} address {network(claim.address)}", most, window)
        if claim.known == "address":
            return [own]
        return [own, Limit(f"name {who}", 4 * most, HOUR), self._of_strangers(claim)]

    def _of_strangers(self, claim: Claim) -> Limit:
        """Returns the limit that strangers at an address share."""
        most, window = self.settings.sign_in_attempts, self.settings.sign_in_window
        return Limit(f"address {network(claim.address)}", 5 * most, window)

    async def sign_in(self, claim: Claim, password: str, before: str) -> Entry | None:
        """Signs in with a password; None if it is wrong.

        Args:
            claim: The attempt.
            password: The password as typed.
            before: The cookie's current secret, which is revoked: somebody else may have planted
                it.

        Raises:
            WaitError: If there were too many wrong ones.
            BusyError: If too many are being checked.
        """
        started = time.perf_counter()
        try:
            found = await self._take_turn(
                claim.known, lambda: self._sign_in(claim, password, before)
            )
        except WaitError:
            # As late as if the password had been checked, which names that signed in here are.
            await asyncio.sleep(max(0.0, self.usual - (time.perf_counter() - started)))
            raise
        self.usual += (time.perf_counter() - started - self.usual) / 8
        return found

    def _sign_in(self, claim: Claim, password: str, before: str) -> Entry | None:
        user = self._check(claim, self.limits(claim), password)
        if user is None:
            self._answer_as_strangers(claim)
            return None
        return self._let_in(user, claim, before)

    async def admit(self, claim: Claim, find: Callable[[], User], before: str) -> Entry:
        """Signs in an account without its password: that of an invitation, or of a provider.

        Attempts count under the limit that strangers at an address share.

        Args:
            claim: The attempt; its name does not matter.
            find: Finds or creates the account, and raises an error if there is none.
            before: The cookie's current secret, which is revoked.

        Raises:
            WaitError: If there were too many attempts.
            BusyError: If too many are being checked.
        """

        return await self._take_turn("none", lambda: self.enter(claim, find, before))

    def enter(self, claim: Claim, find: Callable[[], User], before: str) -> Entry:
        """Signs in as `admit`, in the caller's thread: for what hashes nothing, but may wait.

        Raises:
            WaitError: If there were too many attempts.
        """
        reserved = self.attempts.reserve([self._of_strangers(claim)])
        if reserved.wait > 0:
            raise WaitError(reserved.wait)
        user = find()
        self.attempts.release(reserved)
        return self._let_in(user, claim, before)

    def _let_in(self, user: User, claim: Claim, before: str) -> Entry:
        browser = remember_browser(self.store, user, claim.browser, claim.address)
        end_sign_in(self.store, before)
        secret = start_sign_in(
            self.store,
            user,
            lifetime=self.settings.sign_in_days * DAY,
            agent=claim.agent,
            address=network(claim.address),
        )
        record_event(self.store, "signed_in", actor=user, address=claim.address, detail=claim.agent)
        if self.store.clock() - self.tidied > DAY:
            self.tidied = self.store.clock()
            forget_events(self.store, days=self.settings.event_days)
        return Entry(user, secret, browser)

    def _answer_as_strangers(self, claim: Claim) -> None:
        """Asks to wait where strangers have to, or an answer shows that the name is known here."""
        if claim.known != "address":
            return
        wait = self.attempts.wait([self._of_strangers(claim)])
        if wait > 0:
            raise WaitError(wait)

    async def change_password(
        self, claim: Claim, old: str, change: Callable[[User], T]
    ) -> T | None:
        """Changes an account after checking its password; None if it is wrong.

        Args:
            claim: The signed-in user, whose own wrong passwords count for the limit.
            old: The current password.
            change: The change to make, which hashes the new one.

        Raises:
            WaitError: If there were too many wrong ones.
            BusyError: If too many are being checked.
        """
        who = claim.user.id if claim.user else 0
        limit = Limit(f"change {who}", self.settings.sign_in_attempts, self.settings.sign_in_window)

        def check() -> T | None:
            user = self._check(claim, [limit], old)
            return None if user is None else change(user)

        return await self._take_turn("browser", check)

    def _check(self, claim: Claim, limits: Sequence[Limit], password: str) -> User | None:
        reserved = self.attempts.reserve(limits)
        actor = claim.user or ""
        if reserved.wait > 0:
            # Logged once, not at every attempt.
            told = Limit(f"told {limits[0].key}", 1, self.settings.sign_in_window)
            if not self.attempts.reserve([told]).wait:
                record_event(self.store, "sign_in_blocked", actor=actor, address=claim.address)
            raise WaitError(reserved.wait)
        user = (
            None if "\0" in claim.name else self.store.accounts.check_password(claim.name, password)
        )
        if user is not None and not self.takes_password(user.role):
            user = None
        if user is None:
            if self._may_write():
                # The name is not logged if there is no such account: people type passwords into the
                # wrong field.
                record_event(self.store, "sign_in_failed", actor=actor, address=claim.address)
            return None
        self.attempts.release(reserved, forget=[limits[0].key])
        return user

    def takes_password(self, role: Role) -> bool:
        """Returns whether accounts of a role sign in with a password."""
        return self.settings.passwords == "all" or role == "admin"

    def _may_write(self) -> bool:
        """Returns whether to record a mistake: a flood of them must not fill the disk."""
        now = self.store.clock()
        with self.writing:
            while self.written and self.written[0] <= now - self.settings.sign_in_window:
                self.written.popleft()
            if len(self.written) >= MOST_WRITTEN:
                return False
            self.written.append(now)
            return True

    async def _take_turn(self, known: Acquaintance, work: Callable[[], T]) -> T:
        turns = self.turns[known]
        if not turns.acquire(blocking=False):
            raise BusyError
        try:
            future: Future[T] = self.threads.submit(work)
        except BaseException:
            turns.release()
            raise
        # When the work ends, even if the request was cancelled.
        future.add_done_callback(lambda _: turns.release())
        return await asyncio.wrap_future(future)
