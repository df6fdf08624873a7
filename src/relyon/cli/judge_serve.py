"""`relyon judge serve`: the web app in which people grade."""

from __future__ import annotations

import ipaddress
import os
import re
import shlex

import click

from relyon.cli.groups import Listen, listen_options
from relyon.cli.messages import Progress, messages
from relyon.cli.options import no_color_option
from relyon.cli.request import argument, flag, group, option, request, takes
from relyon.cli.serve_reach import Reach
from relyon.cli.serve_sign_in import SignIn
from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import message
from relyon.judging.files import readable_by_others

__all__ = ["serve"]

HELP = """Open the web app in which people grade.

\b
Examples:
  relyon judge serve
  relyon judge serve judging.db --log-folder logs
  relyon judge serve judging.db --host 0.0.0.0 --port 8080
  relyon judge serve --demo

DATABASE is an SQLite file [default: judging.db], or the URL of a PostgreSQL
database; it is created if missing. If there is no lead account, one is created
and its password printed once.

Leads see the monitor at /monitor. With --demo, the app shows three simulated
months and simulated judges; whatever is missing in DIRECTORY [default:
relyon-demo] is built, which needs pip install 'relyon[demo,judge]'.

If others can reach it, serve it over HTTPS: behind a proxy (--proxy) or with
--ssl-certificate. It answers to localhost, to IP addresses, and to the names in
--host and --allowed-host. Ctrl-C and SIGTERM shut it down cleanly: the database
file is then complete. While it runs, copy it with `relyon judge backup`.
"""

PLAIN = "cli.others-can-reach-this"


def _check_names(
    context: click.Context, parameter: click.Parameter, names: tuple[str, ...]
) -> tuple[str, ...]:
    for name in names:
        if not re.fullmatch(r"\*|(\*\.)?[\w-]+(\.[\w-]+)*\.?|[0-9a-fA-F:]+", name):
            raise click.BadParameter(message("cli.is-not-host-name", name=name))
    # Browsers write non-ASCII letters as the domain name system does.
    return tuple(name if name.isascii() else name.encode("idna").decode() for name in names)


def _check_proxies(
    context: click.Context, parameter: click.Parameter, proxies: tuple[str, ...]
) -> tuple[str, ...]:
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise click.BadParameter(
                message(
                    "cli.is-not-address",
                    proxy=proxy,
                )
            ) from None
    return proxies


@request
class Serve:
    """The request of `relyon judge serve`."""

    database: str | None = argument(required=False)
    listen: Listen = listen_options(8080)
    allowed_hosts: tuple[str, ...] = option(
        "--allowed-host",
        multiple=True,
        metavar="NAME",
        callback=_check_names,
        help="A host name under which browsers reach it, such as judging.example.org;"
        " `*.example.org` for all subdomains, `*` for any. Can be repeated.",
    )
    proxies: tuple[str, ...] = option(
        "--proxy",
        multiple=True,
        metavar="ADDRESS",
        callback=_check_proxies,
        help="The address or network of a proxy in front, whose X-Forwarded-For and"
        " X-Forwarded-Proto are trusted. Can be repeated.",
    )
    ssl_certificate: str | None = option(
        "--ssl-certificate", metavar="FILE", help="Serve HTTPS with this certificate (PEM)."
    )
    ssl_key: str | None = option(
        "--ssl-key", metavar="FILE", help="The certificate's key, if in another file."
    )
    rounds: str | None = option(
        "--rounds",
        type=click.Path(file_okay=False),
        metavar="FOLDER",
        help="Stored months, also from `relyon monitor add`.  [default: the folder rounds beside an"
        " SQLite database]",
    )
    log_folder: str | None = option(
        "--log-folder",
        type=click.Path(exists=True, file_okay=False),
        metavar="FOLDER",
        help="Search logs from which leads may choose one for a month, besides uploading one.",
    )
    demo: str | None = option(
        "--demo",
        is_flag=False,
        flag_value="relyon-demo",
        metavar="[DIRECTORY]",
        help="Serve demo data instead of a database.",
    )
    secure_cookies: bool = flag("--secure-cookies", help="Send cookies over HTTPS only.")
    sign_in_days: float = option(
        "--sign-in-days",
        type=click.FloatRange(0, 365, min_open=True),
        default=14,
        show_default=True,
        help="Days until a sign-in expires.",
    )
    idle_days: float = option(
        "--idle-days",
        type=click.FloatRange(0, 365, min_open=True),
        default=3,
        show_default=True,
        help="Days until an idle sign-in expires; 0.02 is half an hour.",
    )
    event_days: float = option(
        "--event-days",
        type=click.FloatRange(0, min_open=True),
        default=365,
        show_default=True,
        help="Days to keep the log of sign-ins and changes.",
    )
    reach: Reach = group(Reach)
    sign_in: SignIn = group(SignIn)


@click.command("serve", help=HELP, short_help="Open the web app in which people grade.")
@takes(Serve)
@no_color_option
def serve(request: Serve) -> None:
    """Runs `relyon judge serve`."""
    optional_package("uvicorn", purpose=message("core.judging-app"), install="relyon[judge]")

    from relyon.app import Settings, create_app
    from relyon.app.long_work import in_background
    from relyon.app.process import Ending, is_local, listen, own_names, private_files, serve_app
    from relyon.judging.access import create_first_account
    from relyon.judging.removal import prepare_store
    from relyon.judging.store import open_store

    if request.demo is not None and (request.database or request.rounds):
        raise ParameterError(
            message("cli.demo-brings-own-database"),
            hint=message("cli.relyon-judge-serve-demo"),
        )
    if request.ssl_key and not request.ssl_certificate:
        raise ParameterError(message("cli.ssl-key-needs-ssl-certificate"))
    alarms, models = request.reach.alarms(), request.reach.endpoints()
    engines = request.reach.allowed_engines()
    provider, passwords = request.sign_in.provider(), request.sign_in.passwords()
    for name in request.reach.exposed_keys():
        messages.warning(message("cli.key-of-model-is-sent", name=name))
    ending = Ending()
    with (
        ending.entered(),
        private_files(),
        listen(request.listen.host, request.listen.port) as listening,
    ):
        database, rounds = request.database, request.rounds
        if request.demo is not None:
            database, rounds = _build_demo(request.demo)
        with open_store(database or "judging.db", create=True) as store:
            made = create_first_account(
                store, chosen_by="other" if request.demo is None else "owner"
            )
            if made is not None:
                user, password = made
                messages.note(
                    message(
                        "cli.created-account",
                        user_name=user.name,
                        role=user.role,
                    )
                )
                click.echo(password)
            elif request.demo is not None:
                messages.note(message("cli.password-was-printed-when", database=database))
            settings = Settings(
                secure_cookies=request.secure_cookies,
                allowed_hosts=(*own_names(request.listen.host, listening), *request.allowed_hosts),
                proxies=request.proxies,
                sign_in_days=request.sign_in_days,
                idle_days=request.idle_days,
                event_days=request.event_days,
                rounds=rounds or _rounds_beside(store.database.file),
                log_folder=request.log_folder,
                alarms=alarms,
                models=models,
                engines=engines,
                provider=provider,
                passwords=passwords,
            )
            if not (is_local(listening) or request.ssl_certificate or request.proxies):
                messages.warning(message(PLAIN))
            _name_shared_files(store.database.file)
            in_background(lambda: prepare_store(store), "tidying up")
            shown = (
                f"[{request.listen.host}]" if ":" in request.listen.host else request.listen.host
            )
            address = f"{'https' if request.ssl_certificate else 'http'}://{shown}"
            address += f":{listening.getsockname()[1]}/" + (
                "monitor" if request.demo is not None else ""
            )
            messages.say(
                message(
                    "cli.ctrl-c-ends",
                    address=store.database.address,
                    address_2=address,
                )
            )
            if request.listen.browser:
                click.launch(address)
            try:
                serve_app(
                    create_app(store, settings),
                    listening,
                    ending,
                    certificate=request.ssl_certificate,
                    key=request.ssl_key,
                )
            finally:
                if not store.database.checkpoint():
                    messages.warning(
                        message(
                            "cli.another-program-has-open",
                            file=store.database.file,
                        )
                    )


def _name_shared_files(file: str) -> None:
    shared = readable_by_others(file) if file else []
    if shared:
        messages.warning(
            message(
                "cli.other-users-of-this",
                shared=list(shared),
                shared_2=" ".join(map(shlex.quote, shared)),
            )
        )


def _rounds_beside(file: str) -> str | None:
    """Returns the folder of rounds of an SQLite database; None for PostgreSQL."""
    return os.path.join(os.path.dirname(file), "rounds") if file else None


def _build_demo(directory: str) -> tuple[str, str]:
    """Creates the database and rounds of a directory if missing, and returns them."""
    from relyon.app.demo_data import build_demo_data
    from relyon.cli.demo import building

    with Progress("cli.building-demonstration") as progress, building(directory):
        story = build_demo_data(directory, progress=progress)
    return str(story.database), str(story.rounds)
