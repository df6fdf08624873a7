"""A browser without a window, driven by its own debugging protocol."""

from __future__ import annotations

import itertools
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60.0


class Tab:
    """One page in the browser: what it asked for, what it complained about, what it shows.

    Attributes:
        requests: Addresses that the page asked for, itself left out.
        complaints: Errors and warnings of the console, and exceptions.
    """

    def __init__(self, address: str) -> None:
        import websocket

        self._socket = websocket.create_connection(
            address, timeout=PATIENCE, suppress_origin=True, enable_multithread=False
        )
        self._numbers = itertools.count(1)
        self._events: list[dict[str, Any]] = []
        self.requests: list[str] = []
        self.complaints: list[str] = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        # All files share one storage: what a reader chose on one page holds on the next.
        forget = "try { localStorage.clear(); } catch (error) { void error; }"
        found = self.send("Page.addScriptToEvaluateOnNewDocument", source=forget)
        self._forgetting: str = found["identifier"]

    def remember(self) -> None:
        """Keeps what pages store, from one page to the next."""
        self.send("Page.removeScriptToEvaluateOnNewDocument", identifier=self._forgetting)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Calls a method of the protocol and returns its result."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return dict(message["result"])
            self._note(message)

    def _note(self, message: dict[str, Any]) -> None:
        self._events.append(message)
        method, values = message.get("method", ""), message.get("params", {})
        if method == "Network.requestWillBeSent":
            if values["type"] != "Document" and not values["request"]["url"].startswith("data:"):
                self.requests.append(values["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(str(values["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and values["type"] in {"error", "warning"}:
            self.complaints.append(str(values["args"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(values["entry"]["text"])

    def open(
        self, page: Path | str, *, width: int = 1200, height: int = 900, scheme: str = "light"
    ) -> None:
        """Opens a file or an address and waits until it has loaded."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.emulate(scheme=scheme)
        self._events.clear()
        self.send("Page.navigate", url=page.as_uri() if isinstance(page, Path) else page)
        self.await_load()

    def await_load(self) -> None:
        """Waits until a page has loaded."""
        end = time.monotonic() + PATIENCE
        while not any(one.get("method") == "Page.loadEventFired" for one in self._events):
            if time.monotonic() > end:
                raise TimeoutError("the page does not load")
            self._note(json.loads(self._socket.recv()))

    def emulate(self, *, media: str = "", scheme: str = "light") -> None:
        """Makes the page believe that it is printed, or that the reader likes the dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    def run(self, script: str) -> Any:
        """Returns the value of an expression in the page."""
        found = self.send(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(str(found["exceptionDetails"]))
        return found["result"].get("value")

    def await_true(self, script: str, patience: float = 20.0) -> None:
        """Waits until an expression in the page is true."""
        end = time.monotonic() + patience
        while not self.run(script):
            if time.monotonic() > end:
                shown = self.run("document.body.innerText")
                raise TimeoutError(f"never true: {script}\n{shown}")
            time.sleep(0.05)

    def press(self, key: str) -> None:
        """Presses a key."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        codes = {"Enter": 13, "Tab": 9, "Escape": 27}
        for kind in ("keyDown", "keyUp"):
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=codes.get(key) or ord(key.upper()),
                **extra,
            )

    def close(self) -> None:
        """Closes the connection."""
        self._socket.close()


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port at which a browser waits for orders."""
    pytest.importorskip("websocket", reason="websocket-client is not installed")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no browser is installed: {', '.join(NAMES)}")
    profile = tmp_path_factory.mktemp("profile")
    command = [
        program,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--remote-debugging-port=0",
        f"--user-data-dir={profile}",
        "about:blank",
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield _port(profile / "DevToolsActivePort", process)
        finally:
            process.terminate()


def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        lines = file.read_text("ascii").splitlines() if file.is_file() else []
        if len(lines) == 2:
            return int(lines[0])
        if process.poll() is not None:
            pytest.skip(f"the browser ended with code {process.returncode}")
        time.sleep(0.05)
    raise TimeoutError("the browser does not start")


@contextmanager
def open_tab(port: int) -> Iterator[Tab]:
    """Opens a page beside those that are open, and closes it at the end."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?about:blank", method="PUT")
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        target = json.load(answer)
    page = Tab(target["webSocketDebuggerUrl"])
    yield page
    page.close()
    with urllib.request.urlopen(
        f"http://127.0.0.1:{port}/json/close/{target['id']}", timeout=PATIENCE
    ):
        pass


@pytest.fixture
def tab(port: int) -> Iterator[Tab]:
    """A page of its own."""
    with open_tab(port) as page:
        yield page


@pytest.fixture
def other_tab(port: int) -> Iterator[Tab]:
    """A second page of the same person: with the same cookies, and the same storage."""
    with open_tab(port) as page:
        page.remember()
        yield page
