"""The exception tree, and that every public message leads somewhere."""

from __future__ import annotations

import pytest

import relkit
from relkit.core import errors


def test_the_tree_in_the_docstring_is_true() -> None:
    for name in errors.__all__:
        assert name in (errors.__doc__ or "")
        assert issubclass(getattr(errors, name), relkit.RelkitError)


def test_parse_errors_name_file_and_line() -> None:
    error = relkit.ParseError("no number: `x`", path="a.run", line=7, hint="mend it")
    assert str(error) == "a.run:7: no number: `x`\n\nhint: mend it"
    assert (error.path, error.line) == ("a.run", 7)


@pytest.mark.parametrize("name", ["ndgc", "recal@5", "NDCG10x", "p(rell=2)"])
def test_unknown_names_suggest(name: str) -> None:
    with pytest.raises(relkit.UnknownNameError) as caught:
        relkit.measure(name)
    assert caught.value.hint


def test_errors_are_builtin_kinds_too() -> None:
    assert issubclass(relkit.InputError, ValueError)
    assert issubclass(relkit.UnknownNameError, LookupError)
    assert issubclass(relkit.DependencyError, ImportError)
