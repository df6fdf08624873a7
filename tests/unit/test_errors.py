"""The exception tree, and that every public message leads somewhere."""

from __future__ import annotations

import pytest

import relyon
from relyon.core import errors


def test_the_tree_in_the_docstring_is_true() -> None:
    for name in errors.__all__:
        assert name in (errors.__doc__ or "")
        assert issubclass(getattr(errors, name), relyon.RelyonError)


def test_parse_errors_name_file_and_line() -> None:
    error = relyon.ParseError("no number: `x`", path="a.run", line=7, hint="mend it")
    assert str(error) == "a.run:7: no number: `x`\n\nhint: mend it"
    assert (error.path, error.line) == ("a.run", 7)


@pytest.mark.parametrize("name", ["ndgc", "recal@5", "NDCG10x", "p(rell=2)"])
def test_unknown_names_suggest(name: str) -> None:
    with pytest.raises(relyon.UnknownNameError) as caught:
        relyon.measure(name)
    assert caught.value.hint


def test_errors_are_builtin_kinds_too() -> None:
    assert issubclass(relyon.InputError, ValueError)
    assert issubclass(relyon.UnknownNameError, LookupError)
    assert issubclass(relyon.DependencyError, ImportError)
