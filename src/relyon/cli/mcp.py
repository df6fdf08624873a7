"""`relyon mcp`: a server of the Model Context Protocol, for agents."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from relyon.cli.messages import messages
from relyon.cli.options import no_color_option, scale_option
from relyon.cli.request import argument, flag, option, request, takes
from relyon.cli.shares import SHARE_BETWEEN
from relyon.core.errors import ParameterError
from relyon.core.packages import optional_package
from relyon.core.texts import catalogue, message

if TYPE_CHECKING:
    from relyon.compat.mcp.settings import Settings

__all__ = ["command"]

HELP = """Serve an agent tools to measure search relevance.

\b
Examples:
  relyon mcp experiments
  relyon mcp experiments --judgments judged.qrels --baseline bm25.run \\
      --sealed 0.5 --looks 20
  relyon mcp experiments --engine products.toml
  relyon mcp experiments --print-config

An agent's program starts it and talks to it on stdin and stdout, by the Model
Context Protocol. The tools evaluate, compare, explain, diagnose, measures and
files read the files of FOLDER and nothing else. With --engine there is search,
too. Nothing is written but the state of a sealed set, and with --allow-write
new runs of search.

With --sealed or --held-out, some judged queries are held out: all tools see the
others only. The tool check compares a run with the best one so far on the
held-out queries and answers "better", "not distinguishable" or "out of looks".
Over all looks, the probability of ever answering "better" wrongly is --alpha at
most, whatever the agent tries. Looks are counted in a state outside of FOLDER,
by the content of judgments and runs: renaming files or restarting the server
buys none. The server cannot protect judgments that the agent can read by other
means: keep them outside of what it can read.
"""


@request
class Request:
    """The request of `relyon mcp`."""

    folder: str = argument(metavar="FOLDER")
    judgments: str = option(
        "--judgments",
        metavar="FILE",
        default="",
        help="The judgments of which queries are held out. They may be outside of FOLDER.",
    )
    baseline: str = option(
        "--baseline",
        metavar="RUN",
        default="",
        help="The run that a first candidate is compared with on held-out queries.",
    )
    sealed: float | None = option(
        "--sealed",
        metavar="SHARE",
        type=SHARE_BETWEEN,
        help="Hold out this share of the judged queries, chosen by a secret hash of their ids.",
    )
    held_out: str = option(
        "--held-out",
        metavar="FILE",
        default="",
        help="Hold out the queries whose ids this file lists, one per line.",
    )
    looks: int = option(
        "--looks",
        type=click.IntRange(1, 1000),
        default=20,
        show_default=True,
        help="How many runs may ever be compared on the held-out queries.",
    )
    alpha: float = option(
        "--alpha",
        type=SHARE_BETWEEN,
        default=0.05,
        show_default=True,
        help="Significance level of all looks together: the highest probability of ever answering"
        ' "better" wrongly.',
    )
    measure: str = option(
        "-m",
        "--measure",
        metavar="MEASURE",
        default="ndcg@10",
        show_default=True,
        help="The measure of looks: a mean over queries of values between 0 and 1.",
    )
    state: str = option(
        "--state",
        metavar="FOLDER",
        default="",
        help="Where looks are counted, outside of FOLDER.  [default: relyon/sealed in the user's"
        " folder for the state of programs, such as ~/.local/state]",
    )
    convention: str = option(
        "--convention",
        metavar="PRESET|FILE",
        default="",
        help="Rules of all tools: a preset listed by `relyon conventions`, or a TOML, JSON or YAML"
        " file.",
    )
    scale: str | None = scale_option()
    engines: tuple[str, ...] = option(
        "--engine",
        metavar="FILE",
        multiple=True,
        help="The file of an engine that the tool search may ask, under the file's name; repeat it"
        " for several. Without it there is no such tool.",
    )
    writes: bool = flag(
        "--allow-write", help="Let search write new runs into FOLDER; existing files are kept."
    )
    seconds: float = option(
        "--time-limit",
        metavar="SECONDS",
        type=click.FloatRange(1, 3600),
        default=120.0,
        show_default=True,
        help="End a call that takes longer.",
    )
    print_config: bool = flag(
        "--print-config", help="Print what to add to the configuration of an agent's program."
    )


@click.command("mcp", help=HELP, short_help="Serve an agent tools to measure search relevance.")
@takes(Request)
@no_color_option
def command(request: Request) -> None:
    """Runs `relyon mcp`."""
    settings = _settings(request)
    if request.print_config:
        click.echo(_configuration(settings))
        return
    anyio = optional_package("anyio", purpose=PURPOSE, package="mcp", install="relyon[mcp]")
    optional_package("mcp", purpose=PURPOSE, package="mcp", install="relyon[mcp]")
    from relyon.compat.mcp.folder import Folder
    from relyon.compat.mcp.server import serve

    def started(ready: Mapping[str, object]) -> None:
        words = catalogue("mcp", messages.language)
        messages.say(words.say("started", folder=settings.folder))
        about = ready.get("about")
        sealing = settings.sealing
        if not isinstance(about, dict) or sealing is None:
            return
        if Folder(settings.folder).contains(sealing.judgments):
            messages.say(words.say("judgments-inside", path=sealing.judgments))
        messages.say(
            words.say(
                "sealed-started",
                held=about["held_out_queries"],
                open=about["development_queries"],
                left=about["looks_left"],
                looks=about["looks"],
                measure=about["measure"],
                state=sealing.state,
            )
        )
        if about["detectable"] is not None:
            messages.say(words.say("price", difference=about["detectable"], spread=about["spread"]))

    os.environ["RELYON_LANG"] = messages.language  # of the process that does the work, too
    anyio.run(serve, settings, _described, started)


#: What needs the package, for the error about it.
PURPOSE = message("compat.mcp-the-server")


def _settings(request: Request) -> Settings:
    """Returns what the server is started with: paths are absolute.

    Raises:
        ParameterError: If options exclude each other, or one is missing.
        InputError: If the folder is missing, or is a file.
    """
    from relyon.compat.mcp.folder import Folder
    from relyon.compat.mcp.settings import Sealing, Settings, state_folder

    folder = Folder.of(request.folder)
    sealing = None
    if request.sealed is not None and request.held_out:
        raise ParameterError(message("compat.mcp-sealed-or-listed"))
    if request.sealed is not None or request.held_out:
        if not request.judgments or not request.baseline:
            raise ParameterError(message("compat.mcp-needs-baseline"))
        state = os.path.abspath(request.state or state_folder())
        if folder.contains(state):
            raise ParameterError(
                message("compat.mcp-state-in-folder", state=state),
                hint=message("compat.mcp-state-elsewhere"),
            )
        sealing = Sealing(
            judgments=os.path.abspath(request.judgments),
            baseline=os.path.abspath(request.baseline),
            share=request.sealed,
            held_out=os.path.abspath(request.held_out) if request.held_out else "",
            measure=request.measure,
            looks=request.looks,
            alpha=request.alpha,
            state=state,
        )
    else:
        _refuse_alone(request)
    if request.writes and not request.engines:
        raise ParameterError(message("compat.mcp-write-needs-engine"))
    return Settings(
        folder=folder.root,
        sealing=sealing,
        convention=_named_or_file(request.convention),
        scale=_named_or_file(request.scale or ""),
        engines=tuple(map(os.path.abspath, request.engines)),
        writes=request.writes,
        seconds=request.seconds,
    )


def _refuse_alone(request: Request) -> None:
    """Refuses options of a sealed set without one."""
    given = {
        "--judgments": request.judgments,
        "--baseline": request.baseline,
        "--state": request.state,
    }
    alone = [name for name, value in given.items() if value]
    if alone:
        raise ParameterError(
            message("compat.mcp-sealing-without-set", options=alone, count=len(alone)),
            hint=message("compat.mcp-add-sealed"),
        )


def _named_or_file(value: str) -> str:
    return os.path.abspath(value) if value and os.path.exists(value) else value


def _described(name: str | None) -> dict[str, object]:
    """Returns what `relyon measures --format json` prints."""
    from relyon.cli.measures import to_dict
    from relyon.measures import measure, registry

    if name is None:
        found = [registry.get(key) for key in registry]
        listed = [{"name": one["name"], "summary": one["summary"]} for one in map(to_dict, found)]
        return {"measures": listed}
    kind = registry.get(name) if name in registry else type(measure(name))
    described = to_dict(kind)
    return {"sentence": str(described["summary"]), **described}


def _configuration(settings: Settings) -> str:
    """Returns the entry for this server in the configuration of an agent's program."""
    import shutil

    arguments = ["mcp", settings.folder]
    sealing = settings.sealing
    if sealing is not None:
        arguments += ["--judgments", sealing.judgments, "--baseline", sealing.baseline]
        if sealing.share is None:
            arguments += ["--held-out", sealing.held_out]
        else:
            arguments += ["--sealed", str(sealing.share)]
        arguments += ["--looks", str(sealing.looks), "--alpha", str(sealing.alpha)]
        arguments += ["--measure", sealing.measure, "--state", sealing.state]
    for name, value in (("--convention", settings.convention), ("--scale", settings.scale)):
        arguments += [name, value] if value else []
    for engine in settings.engines:
        arguments += ["--engine", engine]
    arguments += ["--allow-write"] if settings.writes else []
    arguments += ["--time-limit", f"{settings.seconds:g}"]
    entry: dict[str, object] = {"command": shutil.which("relyon") or "relyon", "args": arguments}
    if messages.language != "en":
        # The agent's program does not start it from this shell.
        entry["env"] = {"RELYON_LANG": messages.language}
    return json.dumps({"mcpServers": {"relyon": entry}}, ensure_ascii=False, indent=2)
