"""The server: tools of the Model Context Protocol on stdio; a process does their work."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import anyio
from anyio.streams.buffered import BufferedByteReceiveStream
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from relyon._native import __version__
from relyon.compat.mcp.fields import Tool
from relyon.compat.mcp.said import error_values
from relyon.compat.mcp.settings import Settings
from relyon.compat.mcp.shorten import shortened
from relyon.compat.mcp.toolbox import tools
from relyon.compat.mcp.worker import SCRATCH
from relyon.core.errors import InputError, ParameterError, RelyonError, UnknownNameError
from relyon.core.registry import suggestion
from relyon.core.texts import message

if TYPE_CHECKING:
    from anyio.abc import Process

__all__ = ["Describe", "Worker", "make_server", "serve"]

#: Returns the description of a measure by name, or of all.
Describe = Callable[[str | None], dict[str, object]]
#: The longest line that the process may answer.
LONGEST_LINE = 64 << 20
#: Seconds for the process to import what it needs and read the sealed set.
STARTING = 300.0

INSTRUCTIONS = """relyon measures search relevance over the files of one folder. Start with `files`.
Use `evaluate` for one run, `compare` to decide between runs, `diagnose` and `explain` to understand
a difference, `measures` to choose a measure. Report intervals and the number of queries, not only
means. A difference whose verdict is `undecided` is not an improvement."""
SEALED_INSTRUCTIONS = """
Some queries are held out and sealed: every tool but `check` sees the others only. Improve on these;
ask `check` about a finished candidate. It answers “better”, “not distinguishable” or “out of looks”
and each new run costs one of a few looks. Never try to find out more about the held-out queries."""


class Worker:
    """The process that does the work; it starts when it is needed and ends if it takes too long.

    Args:
        settings: What the server was started with.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock = anyio.Lock()
        self._process: Process | None = None
        self._answers: BufferedByteReceiveStream | None = None
        self._scratch = ""

    async def start(self) -> dict[str, Any]:
        """Starts the process, and returns the description of the sealed set.

        Raises:
            RelyonError: If the folder or the sealed set cannot be used.
        """
        # -P: the folder of the agent may be the current one, and no module is imported from there.
        command = [sys.executable, "-P", "-m", "relyon.compat.mcp.worker"]
        # Its files of a call are below a folder that is removed with it, also if it is killed.
        self._scratch = tempfile.mkdtemp(prefix=SCRATCH)
        places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._scratch)
        environment = {**os.environ, **places}
        self._process = await anyio.open_process(command, stderr=None, env=environment)
        stdout = self._process.stdout
        if stdout is None:
            raise InputError(message("compat.mcp-worker-ended"))
        self._answers = BufferedByteReceiveStream(stdout)
        ready = await self._asked(self.settings.to_dict(), STARTING)
        if "error" in ready:
            await self.end()
            kinds: dict[str, type[RelyonError]] = {
                "InputError": InputError,
                "ParameterError": ParameterError,
                "UnknownNameError": UnknownNameError,
            }
            kind = kinds.get(str(ready.get("kind")), InputError)
            raise kind(str(ready["error"]), hint=str(ready.get("hint", "")))
        return ready

    async def call(self, tool: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Returns what a tool says.

        Raises:
            InputError: If it takes too long, or the process ended.
        """
        async with self._lock:
            if self._process is None or self._process.returncode is not None:
                await self.end()
                await self.start()
            request = {"tool": tool, "arguments": dict(arguments)}
            return await self._asked(request, self.settings.seconds)

    async def _asked(self, request: Mapping[str, object], seconds: float) -> dict[str, Any]:
        """Sends a line and returns the one that answers it."""
        process, answers = self._process, self._answers
        if process is None or process.stdin is None or answers is None:
            raise InputError(message("compat.mcp-worker-ended"))
        answered = False
        try:
            with anyio.move_on_after(seconds):
                await process.stdin.send((json.dumps(request) + "\n").encode())
                line = await answers.receive_until(b"\n", LONGEST_LINE)
                answered = True
                found: dict[str, Any] = json.loads(line)
                return found
        except (
            anyio.EndOfStream,
            anyio.IncompleteRead,
            anyio.BrokenResourceError,
            OSError,
            anyio.DelimiterNotFound,
        ):
            raise InputError(message("compat.mcp-worker-ended")) from None
        finally:
            if not answered:  # also if the client withdrew its request: its answer must not come
                await self.end()
        raise InputError(
            message("compat.mcp-took-too-long", seconds=seconds),
            hint=message("compat.mcp-ask-less"),
        )

    async def end(self) -> None:
        """Ends the process."""
        process, self._process, self._answers = self._process, None, None
        scratch, self._scratch = self._scratch, ""
        with anyio.CancelScope(shield=True):
            if process is not None:
                if process.returncode is None:
                    process.kill()
                await process.aclose()
            if scratch:
                shutil.rmtree(scratch, ignore_errors=True)


def make_server(settings: Settings, worker: Worker, describe: Describe) -> Server[Any]:
    """Returns the server with its tools.

    Args:
        settings: What it was started with.
        worker: The process that does the work.
        describe: Describes measures.
    """
    known = {one.name: one for one in tools(settings)}

    async def list_tools(context: object, parameters: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_declared(one) for one in known.values()])

    async def call_tool(
        context: object, parameters: types.CallToolRequestParams
    ) -> types.CallToolResult:
        try:
            tool = known.get(parameters.name)
            if tool is None:
                raise UnknownNameError(
                    message("compat.mcp-unknown-tool", name=parameters.name[:80]),
                    hint=suggestion(parameters.name[:80], list(known)),
                )
            arguments = tool.check(parameters.arguments or {})
            if tool.name == "measures":
                name = arguments.get("name")
                return _result(shortened(describe(None if name is None else str(name))))
            return _result(await worker.call(tool.name, arguments))
        except RelyonError as error:
            return _result(dict(error_values(error)))

    return Server(
        "relyon",
        version=__version__,
        title="relyon",
        instructions=INSTRUCTIONS + (SEALED_INSTRUCTIONS if settings.sealing else ""),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _declared(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.schema(),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.writes and tool.name != "check",
            destructive_hint=False,
            idempotent_hint=not tool.writes,
            open_world_hint=tool.open_world,
        ),
    )


def _result(values: dict[str, Any]) -> types.CallToolResult:
    """Returns values as a result: the sentence, or the error and its hint, before the JSON.

    Half characters (lone surrogates, such as in ids) become `?`: UTF-8 has none, and the client
    would lose the connection.
    """
    body = json.dumps(values, ensure_ascii=False).encode("utf-8", "replace").decode()
    values = json.loads(body)
    if "error" in values:
        text = "\n\n".join(str(one) for one in (values["error"], values.get("hint")) if one)
        return _told(text, values, failed=True)
    text = f"{values.get('sentence', '')}\n\n{body}".strip()
    return _told(text, values)


def _told(text: str, values: dict[str, Any], *, failed: bool = False) -> types.CallToolResult:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=values,
        is_error=failed,
    )


async def serve(
    settings: Settings, describe: Describe, started: Callable[[Mapping[str, Any]], None]
) -> None:
    """Serves on stdin and stdout until stdin ends.

    Args:
        settings: What the server is started with.
        describe: Describes measures.
        started: Called with what is known of the sealed set, once all is ready.

    Raises:
        RelyonError: If the folder or the sealed set cannot be used.
    """
    worker = Worker(settings)
    try:
        started(await worker.start())
        server = make_server(settings, worker, describe)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())
    finally:
        await worker.end()
