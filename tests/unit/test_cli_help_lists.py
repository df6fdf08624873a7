"""Lists of names in help texts come from the registries, in every language."""

from __future__ import annotations

import pytest
from tests.unit.conftest import Command

from relyon.cli.help_lists import LISTS, with_lists
from relyon.io.format import formats
from relyon.labels.model import models
from relyon.ltr.fusion.method import methods

LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


def words(text: str) -> set[str]:
    """The names in a help page, where a hyphen at a line's end does not divide them."""
    whole = text.replace("-\n  ", "-").replace("\n", " ")
    for sign in "，、；：。,;:().（）":
        whole = whole.replace(sign, " ")
    return set(whole.split())


@LANGUAGES
def test_fuse_names_every_method(language: str, command: Command) -> None:
    assert set(methods) <= words(command("fuse", "--help", "--lang", language).out)


@LANGUAGES
def test_convert_names_every_format(language: str, command: Command) -> None:
    assert set(formats) <= words(command("convert", "--help", "--lang", language).out)


@LANGUAGES
def test_labels_name_every_model(language: str, command: Command) -> None:
    graded = {name for name in models if models.get(name).ranks}
    assert graded <= words(command("labels", "make", "--help", "--lang", language).out)


def test_every_list_is_filled() -> None:
    for name in LISTS:
        assert with_lists(f"one of {{{name}}}.").count(",") >= 3


def test_no_list_of_that_name() -> None:
    with pytest.raises(KeyError, match="no-such-list"):
        with_lists("{no-such-list}")
