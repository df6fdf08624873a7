"""Browsers and addresses in which an account signed in before: others' guesses do not block them.

A browser keeps a secret that does not grant access. Attempts with it are counted separately from
strangers', so that a stranger who guesses cannot lock the owner out.
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Literal

from relyon.judging.access import hash_secret, new_secret
from relyon.judging.records import User
from relyon.judging.schema import browsers, sa

if TYPE_CHECKING:
    from relyon.judging.store import Store

__all__ = ["Acquaintance", "network", "recognise", "remember_browser"]

Acquaintance = Literal["browser", "address", "none"]
"""How a client is known to belong to an account."""

#: Seconds after which a browser, and an address, is forgotten.
BROWSER_MEMORY = 180 * 86400.0
ADDRESS_MEMORY = 30 * 86400.0
#: Browsers remembered per account.
MOST_BROWSERS = 50


def network(address: str) -> str:
    """Returns the network under which an address is counted: for IPv6 the /64 of one customer.

    Examples:
        >>> network("10.0.0.7"), network("2001:db8::7"), network("::ffff:10.0.0.7"), network("")
        ('10.0.0.7', '2001:db8::/64', '10.0.0.7', '')
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


def recognise(store: Store, user: User, secret: str, address: str) -> Acquaintance:
    """Returns whether an account signed in before in this browser, or from this address.

    Args:
        store: The database.
        user: The account.
        secret: The browser's secret; empty if it has none.
        address: The client's address.
    """
    now = store.clock()
    query = sa.select(browsers.c.secret_hash == hash_secret(secret)).where(
        browsers.c.user_id == user.id,
        sa.or_(
            sa.and_(
                browsers.c.secret_hash == hash_secret(secret),
                browsers.c.seen_at > now - BROWSER_MEMORY,
            ),
            sa.and_(
                browsers.c.address_hash == hash_secret(network(address)),
                browsers.c.seen_at > now - ADDRESS_MEMORY,
            ),
        ),
    )
    with store.database.read() as connection:
        found = connection.execute(query).scalars().all()
    if not found:
        return "none"
    return "browser" if secret and any(found) else "address"


def remember_browser(store: Store, user: User, secret: str, address: str) -> str:
    """Remembers a sign-in's browser, and returns the browser's new secret.

    The secret is new each time: a planted or stolen one becomes useless. Other accounts that signed
    in in the same browser stay known there.
    """
    made = new_secret()
    now = store.clock()
    with store.database.write() as connection:
        old = sa.and_(browsers.c.user_id == user.id, browsers.c.secret_hash == hash_secret(secret))
        connection.execute(sa.delete(browsers).where(old))
        connection.execute(
            sa.update(browsers)
            .where(browsers.c.secret_hash == hash_secret(secret))
            .values(secret_hash=hash_secret(made))
        )
        connection.execute(
            sa.insert(browsers).values(
                user_id=user.id,
                secret_hash=hash_secret(made),
                address_hash=hash_secret(network(address)),
                seen_at=now,
            )
        )
        kept = (
            sa.select(browsers.c.id)
            .where(browsers.c.user_id == user.id, browsers.c.seen_at > now - BROWSER_MEMORY)
            .order_by(browsers.c.seen_at.desc())
            .limit(MOST_BROWSERS)
        )
        ids = connection.execute(kept).scalars().all()
        connection.execute(
            sa.delete(browsers).where(browsers.c.user_id == user.id, browsers.c.id.not_in(ids))
        )
    return made
