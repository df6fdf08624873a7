"""The settings of an operator."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Literal

from relyon.app.alarms.settings import AlarmSettings
from relyon.app.engines.allowed import AllowedEngines
from relyon.app.models.settings import ModelEndpoint
from relyon.app.people.provider_settings import ProviderSettings

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """The configuration of the app.

    Attributes:
        secure_cookies: Send cookies over HTTPS only; set it if the app is served over HTTPS.
        largest_body: Maximum size in bytes of a file that a lead sends; other requests have less.
        largest_unpacked: Approximate maximum memory in bytes for unpacking and reading an uploaded
            file, which can be a thousand times its size.
        largest_sheet: Approximate maximum memory in bytes for an uploaded list of results and
            grades: about a million results.
        allowed_hosts: The host names under which browsers may reach it, `*.example.org` for all
            subdomains; None allows any. IP addresses are always allowed.
        proxies: Addresses or networks of proxies that are trusted about clients and HTTPS
            (`X-Forwarded-For`, `X-Forwarded-Proto`).
        sign_in_attempts: Wrong passwords for one name from one address, or in one browser, before
            it has to wait. For strangers: five times as many for all names from one address, and
            four times as many per hour for one name from anywhere.
        sign_in_window: Window in seconds in which they are counted.
        sign_in_threads: Number of passwords checked at once; each check takes 64 MiB.
        sign_in_days: Days until a sign-in expires.
        idle_days: Days until an unused sign-in expires.
        event_days: Days to keep the log of sign-ins and changes.
        rounds: The folder of monthly rounds that the monitor shows; None shows instructions.
        log_folder: A folder with logs from which leads may choose one for a month; None for none.
        alarms: What alarms may reach.
        models: The language models that leads may let grade.
        engines: The search engines that leads may ask.
        provider: The identity provider with which people can sign in; None for none.
        passwords: Who signs in with a password: `all`, or `admins` only.
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
    log_folder: str | os.PathLike[str] | None = None
    alarms: AlarmSettings = field(default_factory=AlarmSettings)
    models: tuple[ModelEndpoint, ...] = ()
    engines: AllowedEngines = field(default_factory=AllowedEngines)
    provider: ProviderSettings | None = None
    passwords: Literal["all", "admins"] = "all"
