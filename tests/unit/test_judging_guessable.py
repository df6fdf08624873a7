"""Passwords that are tried first are refused, and others are not."""

from __future__ import annotations

import pytest

pytest.importorskip("sqlalchemy")

from relyon.core.errors import ParameterError
from relyon.judging.guessable import check_not_guessable
from relyon.judging.passwords import check_password_strength, generate_password


@pytest.mark.parametrize(
    "password",
    [
        "password1234", "passwordpassword", "P@ssw0rd2024!", "Welcome2024!!", "iloveyou1234",
        "administrator", "letmein123456", "qwerty123456", "qwertyuiop12", "1qaz2wsx3edc",
        "zaq12wsxcde3", "asdfghjkl123", "123456789012", "987654321098", "abcdefghijkl",
        "aaaaaaaaaaaa", "abababababab", "111111222222", "            ", "!@#$%^&*()12",
        "woaini1314520", "football12345", "summer2026!!", "密码密码密码密码密码密码",
    ],
)  # fmt: skip
def test_what_is_guessed_first_is_refused(password: str) -> None:
    with pytest.raises(ParameterError, match="easily guessed"):
        check_not_guessable(password, "bo")


@pytest.mark.parametrize(
    ("password", "name"),
    [
        ("relyon rocks today", "bo"),
        ("my R3ly0n instance", "bo"),
        ("johanna was here", "johanna"),
        ("J0hanna was here", "Johanna"),
        ("王小明喜欢喝茶和看书呀", "王小明"),
    ],
)
def test_the_name_of_the_account_or_the_program_is_refused(password: str, name: str) -> None:
    with pytest.raises(ParameterError, match="must not contain the name"):
        check_not_guessable(password, name)


@pytest.mark.parametrize(
    "password",
    [
        "a long sentence", "another sentence", "correct horse battery staple",
        "ein Tram, zwei Otter", "今天天气很好我们去公园玩吧", "vX9_k2LmQp-7aZ1c",
        "🦊 🚲 🌧 quiet tram", "my mother likes tea", "green tea at dawn",
    ],
)  # fmt: skip
def test_any_character_counts(password: str) -> None:
    check_password_strength(password, "ann")


def test_passwords_that_are_made_are_not_refused() -> None:
    for _ in range(200):
        check_password_strength(generate_password(), "ann")


def test_a_hostile_password_costs_no_time() -> None:
    for password in ("a" * 128, "ab" * 64, "qwertyuiop" * 12, "".join(map(chr, range(33, 161)))):
        try:
            check_password_strength(password, "ann")
        except ParameterError:
            continue
