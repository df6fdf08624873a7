"""How a test signs in to the app."""

from __future__ import annotations

import re
from typing import Any

PASSWORD = "a long sentence"


def token_of(page: str) -> str:
    """Returns the CSRF token of a page's forms."""
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
    assert found is not None
    return found[1]


def sign_in(client: Any, name: str = "ana", password: str = PASSWORD, **more: str) -> Any:
    """Fills in the form, and returns the answer."""
    csrf = token_of(client.get("/sign-in").text)
    return client.post("/sign-in", data={"csrf": csrf, "name": name, "password": password, **more})
