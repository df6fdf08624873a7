"""`relkit judge serve`: the web app in which people grade."""

from __future__ import annotations

import socket

import click

from relkit.cli.messages import Progress, messages
from relkit.cli.options import no_color_option
from relkit.errors import InputError, ParameterError
from relkit.packages import optional_package

__all__ = ["serve"]

HELP = """Open the web app in which people grade.

\b
Examples:
  relkit judge serve
  relkit judge serve judging.db --rounds rounds
  relkit judge serve judging.db --host 0.0.0.0 --port 8080
  relkit judge serve --demo

DATABASE is a file of SQLite [default: judging.db], or the URL of a PostgreSQL
database; it is made where there is none. Where nobody can lead yet, the first
account is made, and its password printed once.

With --rounds, the page /monitor shows those who lead what `relkit monitor`
says. With --demo, three simulated months and simulated judges are there to look
at; what DIRECTORY [default: relkit-demo] lacks of them is built, which needs
pip install 'relkit[demo,judge]'.

Serve it over HTTPS, by a proxy on the same machine, wherever others reach it;
--secure-cookies then keeps cookies to HTTPS. Ctrl-C ends it; no grade is lost.
"""


@click.command("serve", help=HELP, short_help="Open the web app in which people grade.")
@click.argument("database", required=False)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="The port; 0 takes a free one.",
)
@click.option(
    "--rounds",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="The rounds of `relkit monitor add`: the app shows them month by month.",
)
@click.option(
    "--demo",
    is_flag=False,
    flag_value="relkit-demo",
    metavar="[DIRECTORY]",
    help="Show the demonstration's story in place of a database.",
)
@click.option("--secure-cookies", is_flag=True, help="Cookies are sent over HTTPS only.")
@click.option("--browser", is_flag=True, help="Open the page in a browser here.")
@no_color_option
def serve(
    database: str | None,
    host: str,
    port: int,
    rounds: str | None,
    demo: str | None,
    secure_cookies: bool,
    browser: bool,
) -> None:
    """Runs `relkit judge serve`."""
    uvicorn = optional_package("uvicorn", purpose="the judging app", install="relkit[judge]")

    from relkit.app import Settings, create_app
    from relkit.app.long_work import in_background
    from relkit.judging.access import create_first_account
    from relkit.judging.removal import prepare_store
    from relkit.judging.store import open_store

    if demo is not None and (database or rounds):
        raise ParameterError(
            "`--demo` has a database and rounds of its own",
            hint="relkit judge serve --demo DIRECTORY",
        )
    with _listen(host, port) as listening:
        if demo is not None:
            database, rounds = _build_story(demo)
        with open_store(database or "judging.db", create=True) as store:
            made = create_first_account(store, chosen_by="other" if demo is None else "owner")
            if made is not None:
                user, password = made
                messages.note(f"made the account {user.name} ({user.role}); this is its password:")
                click.echo(password)
            elif demo is not None:
                messages.note(f"the password was printed when {database} was made")
            in_background(lambda: prepare_store(store), "tidying up")
            shown = f"[{host}]" if ":" in host else host
            address = f"http://{shown}:{listening.getsockname()[1]}/"
            address += "monitor" if demo is not None else ""
            messages.say(f"{store.database.address}: {address} (Ctrl-C ends it)")
            if browser:
                click.launch(address)
            config = uvicorn.Config(
                create_app(store, Settings(secure_cookies=secure_cookies, rounds=rounds)),
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=10,
            )
            uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise InputError(
            f"cannot listen at {host}:{port}: {error.strerror or error}",
            hint="take another --port or --host",
        ) from None


def _build_story(directory: str) -> tuple[str, str]:
    """Makes what a directory lacks, and returns its database and its rounds."""
    from relkit.app.story import build_story
    from relkit.cli.demo import building

    with Progress("building the demonstration") as progress, building(directory):
        story = build_story(directory, progress=progress)
    return str(story.database), str(story.rounds)
