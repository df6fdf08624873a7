"""What an operator can choose."""

from __future__ import annotations

import os
from dataclasses import dataclass

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """How the app runs.

    Attributes:
        secure_cookies: Cookies are sent over HTTPS only; set it where HTTPS leads to the app.
        largest_body: Bytes of the largest request, such as a file to import.
        largest_unpacked: Bytes that an uploaded file may take in memory when it is unpacked and
            read, about: it can be a thousand times what is sent.
        largest_sheet: Bytes that an uploaded list of results and grades may take in memory, about:
            those of a million results.
        allowed_hosts: The names under which browsers may reach it, `*.example.org` standing for all
            below one; None allows any. Addresses in numbers are allowed always.
        proxies: Addresses or networks of proxies, whose word about who asks, and whether by HTTPS,
            is believed (`X-Forwarded-For`, `X-Forwarded-Proto`).
        sign_in_attempts: Wrong passwords for one name from one address, or in one browser, before
            it has to wait. Of strangers: five times as many for all names from one address, and
            four times as many in an hour for one name from anywhere.
        sign_in_window: Seconds in which they are counted.
        sign_in_threads: Passwords that are checked at once; each takes 64 MiB while it is.
        sign_in_days: Days after which a sign-in ends.
        idle_days: Days after which a sign-in ends that nobody uses.
        event_days: Days to keep the record of sign-ins and changes.
        rounds: The folder of monthly rounds that the monitor shows; None shows what to do.
    """

    secure_cookies: bool = False
    largest_body: int = 32 * 2**20
    largest_unpacked: int = 256 * 2**20
    largest_sheet: int = 512 * 2**20
    sign_in_attempts: int = 5
    sign_in_window: float = 300.0
    allowed_hosts: tuple[str, ...] | None = None
    proxies: tuple[str, ...] = ()
    sign_in_threads: int = 2
    sign_in_days: float = 14.0
    idle_days: float = 3.0
    event_days: float = 365.0
    rounds: str | os.PathLike[str] | None = None
