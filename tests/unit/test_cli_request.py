"""Requests: frozen values whose fields declare the arguments and options of a command."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import FrozenInstanceError, replace

import click
import pytest
from click.testing import CliRunner

from relyon.cli.request import argument, fixed, flag, group, option, request, takes


@request
class Limits:
    """A group."""

    least: int = option("--least", type=int, default=1)
    most: int = option("--most", "upper", type=int, default=9)
    unit: str = "rows"


@request
class Wanted:
    """A request."""

    files: tuple[str, ...] = argument(metavar="FILE…", nargs=-1)
    name: str = option("--name", required=True)
    quiet: bool = flag("--quiet", help="Say nothing.")
    limits: Limits = group(Limits)


class Opened(AbstractContextManager["Opened"]):
    """Counts how often it is open."""

    depth = 0

    def __enter__(self) -> Opened:
        type(self).depth += 1
        return self

    def __exit__(self, *reason: object) -> None:
        type(self).depth -= 1


@request
class Server(Opened):
    """A part that is open while the command runs."""

    port: int = option("--port", type=int, default=80)


def received(kind: type, *arguments: str) -> list[object]:
    """Returns what a command with this request is called with."""
    found: list[object] = []
    command = click.command()(takes(kind)(found.append))
    outcome = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert outcome.exit_code == 0, outcome.output
    return found


def test_values_are_packed_into_the_request_and_its_groups() -> None:
    (found,) = received(Wanted, "a", "b", "--name", "x", "--most", "5", "--quiet")
    assert isinstance(found, Wanted)
    assert (found.files, found.name, found.quiet) == (("a", "b"), "x", True)
    assert (found.limits.least, found.limits.most, found.limits.unit) == (1, 5, "rows")


def test_a_request_cannot_be_changed_but_replaced() -> None:
    one = Limits()
    with pytest.raises(FrozenInstanceError):
        one.least = 2  # type: ignore[misc]
    assert (one.least, replace(one, least=2).least) == (1, 2)


def test_required_fields_and_unknown_names_are_errors() -> None:
    with pytest.raises(TypeError, match="needs name"):
        Wanted(limits=Limits())  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="has no wrong"):
        Limits(wrong=1)  # type: ignore[call-arg]


def test_a_command_chooses_fields_of_a_group_and_their_order() -> None:
    @request
    class Some:
        limits: Limits = group(
            Limits,
            "most",
            "least",
            "unit",
            least=option("--least", type=int, default=3),
            unit=fixed("pages"),
        )

    command = click.command()(takes(Some)(lambda _: None))
    assert [one.opts for one in command.params] == [["--most"], ["--least"]]
    (found,) = received(Some)
    assert isinstance(found, Some)
    assert (found.limits.least, found.limits.most, found.limits.unit) == (3, 9, "pages")

    @request
    class One:
        limits: Limits = group(Limits, "least")

    command = click.command()(takes(One)(lambda _: None))
    assert [one.opts for one in command.params] == [["--least"]]
    (found,) = received(One)
    assert isinstance(found, One)
    assert found.limits.most == 9


def test_a_part_that_is_a_context_is_open_while_the_command_runs() -> None:
    depths: list[int] = []

    @request
    class Served:
        server: Server = group(Server)

    def run(request: Served) -> None:
        depths.append(Server.depth)

    CliRunner().invoke(click.command()(takes(Served)(run)), [], catch_exceptions=False)
    assert (depths, Server.depth) == ([1], 0)
