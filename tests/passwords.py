"""Passwords that are hashed at once: the costs of real hashes would be most of many a test."""

from __future__ import annotations

import pytest


def cheapen_passwords(patch: pytest.MonkeyPatch) -> None:
    """Makes the hashes of this process cheap, as long as the patch lasts."""
    import argon2

    from relyon.judging import passwords

    hasher = argon2.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    patch.setattr(passwords, "_hasher", lambda: hasher)
    passwords._nobody.cache_clear()
