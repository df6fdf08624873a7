"""Passwords: argon2id hashes, and generated ones."""

from __future__ import annotations

import secrets
from functools import cache
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.judging.guessable import check_not_guessable

if TYPE_CHECKING:
    from argon2 import PasswordHasher

__all__ = [
    "LEAST_LENGTH",
    "MOST_LENGTH",
    "check_password_strength",
    "generate_password",
    "hash_password",
    "is_password",
    "is_stale",
]

#: Minimum password length.
LEAST_LENGTH = 12
#: Maximum password length: hashing must not become a way to overload the machine.
MOST_LENGTH = 128
#: The earlier minimum, still accepted for sign-ins.
MOST_CHECKED = 200


@cache
def _hasher() -> PasswordHasher:
    argon2 = optional_package(
        "argon2",
        purpose=message("judging.a-password"),
        package="argon2-cffi",
        install="relyon[judge]",
    )
    hasher: PasswordHasher = argon2.PasswordHasher()
    return hasher


@cache
def _nobody() -> str:
    return _hasher().hash(secrets.token_urlsafe(16))


def generate_password() -> str:
    """Returns a password of 96 random bits, to be shown once."""
    return secrets.token_urlsafe(12)


def check_password_strength(password: str, name: str) -> None:
    """Rejects a short or easily guessed password.

    Args:
        password: The password chosen by the owner.
        name: The account's name.

    Raises:
        ParameterError: If it is shorter than 12 or longer than 128 characters, or easily guessed.
    """
    _check_length(password)
    check_not_guessable(password, name)


def hash_password(password: str) -> str:
    """Returns the argon2id hash of a password, with its salt and costs.

    Raises:
        ParameterError: If it is shorter than 12 or longer than 128 characters.
        DependencyError: If argon2-cffi is not installed.
    """
    _check_length(password)
    return _hasher().hash(password)


def _check_length(password: str) -> None:
    if not LEAST_LENGTH <= len(password) <= MOST_LENGTH:
        raise ParameterError(
            message(
                "judging.password-has-to-characters",
                least_length=LEAST_LENGTH,
                most_length=MOST_LENGTH,
                count=len(password),
            ),
            hint=message("judging.take-sentence"),
        )


def is_password(hashed: str | None, password: str) -> bool:
    """Returns whether a password matches a hash.

    Without a hash (an unknown user, or one who may not sign in) it takes as long and returns False:
    timing must not reveal which names exist.
    """
    from argon2.exceptions import InvalidHashError, VerificationError

    if len(password) > MOST_CHECKED:
        return False
    try:
        return _hasher().verify(hashed or _nobody(), password) and hashed is not None
    except (VerificationError, InvalidHashError):
        return False


def is_stale(hashed: str) -> bool:
    """Returns whether a hash has lower costs than today's, and should be renewed."""
    return _hasher().check_needs_rehash(hashed)
