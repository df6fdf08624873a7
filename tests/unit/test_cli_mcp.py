"""`relyon mcp`: options, and what starting costs. tests/unit/test_mcp_server.py has the server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.conftest import Command
from tests.unit.sealed_data import Place, place

from relyon.compat.mcp.settings import Sealing, Settings, state_folder
from relyon.compat.mcp.shorten import MOST_ANSWER, shortened


@pytest.fixture
def files(tmp_path: Path) -> Place:
    """The files of an agent."""
    return place(tmp_path)


def sealed(files: Place) -> list[str]:
    """Returns the options of a sealed set."""
    baseline = str(files.folder / "runs" / "old.run")
    return ["--judgments", str(files.judgments), "--baseline", baseline, "--sealed", "0.5"]


def test_the_configuration_starts_the_same_server(
    files: Place, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files.root)
    given = ["experiments", "--judgments", "judged.qrels", "--baseline", "experiments/runs/old.run"]
    more = ["--sealed", "0.5", "--state", "state", "--looks", "7", "--print-config"]
    outcome = command("mcp", *given, *more)
    assert outcome.code == 0, outcome.err
    entry = json.loads(outcome.out)["mcpServers"]["relyon"]
    assert entry["args"][:2] == ["mcp", str(files.folder.resolve())]
    again = command(*entry["args"], "--print-config")
    assert json.loads(again.out)["mcpServers"]["relyon"] == entry
    assert str(files.root / "state") in entry["args"]
    assert "7" in entry["args"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sealed", "0.5"], "needs --judgments and --baseline"),
        (["--judgments", "x"], "--judgments belongs to a sealed set"),
        (["--state", "x", "--baseline", "y"], "--baseline and --state belong to a sealed set"),
        (["--allow-write"], "needs --engine"),
        (["--sealed", "0.5", "--held-out", "x"], "choose one of"),
        (["--sealed", "1.5"], "1.5"),
        (["--looks", "0"], "0"),
    ],
    ids=lambda one: one[0].strip("-") if isinstance(one, list) else "",
)
def test_options_that_exclude_each_other(
    files: Place, command: Command, options: list[str], said: str
) -> None:
    outcome = command("mcp", str(files.folder), *options)
    assert outcome.code == 2
    assert said in outcome.err


def test_a_folder_that_is_none(files: Place, command: Command) -> None:
    outcome = command("mcp", str(files.judgments))
    assert outcome.code == 3
    assert "is not a folder" in outcome.err


def test_the_state_is_never_in_the_folder(files: Place, command: Command) -> None:
    for state in (files.folder, files.folder / "state", files.folder / ".." / files.folder.name):
        outcome = command("mcp", str(files.folder), *sealed(files), "--state", str(state))
        assert outcome.code == 2
        assert "is in the folder that the agent may use" in outcome.err


def test_without_the_package_the_extra_is_named(
    files: Place, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    outcome = command("mcp", str(files.folder))
    assert outcome.code == 4
    assert "pip install 'relyon[mcp]'" in outcome.err
    monkeypatch.setitem(sys.modules, "anyio", None)
    assert command("mcp", str(files.folder)).code == 4


@pytest.mark.parametrize("name", ["--help", "evaluate"])
def test_nothing_else_imports_the_package(files: Place, name: str) -> None:
    runs = [str(files.judgments), str(files.folder / "runs" / "old.run")]
    given = [name] if name == "--help" else [name, *runs]
    script = (
        "import sys, atexit, os\nfrom relyon.cli.application import main\n"
        f"try: main({given!r}, prog_name='relyon')\nexcept SystemExit: pass\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert loaded & {"mcp", "mcp_types", "anyio", "pydantic", "relyon.compat.mcp"} == set()


def test_settings_travel_as_json(files: Place) -> None:
    found = Settings(str(files.folder), files.sealing(), engines=("a.toml",), writes=True)
    again = Settings.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again == found
    assert isinstance(again.sealing, Sealing)
    assert Settings.from_dict(Settings("x").to_dict()) == Settings("x")


def test_the_state_is_in_the_users_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_STATE_HOME", "/somewhere")
    assert state_folder() == "/somewhere/relyon/sealed"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert state_folder() == "/home/me/.local/state/relyon/sealed"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert state_folder() == "/home/me/Library/Application Support/relyon/sealed"


def test_long_answers_are_cut_and_say_so() -> None:
    rows = [{"query": f"q{n}", "text": "x" * 50} for n in range(5000)]
    found = shortened(
        {"sentence": "s", "rows": rows, "more": {"names": ["n"] * 3}, "t": "y" * 9000}
    )
    assert len(json.dumps(found)) <= MOST_ANSWER
    assert found["cut"] == [
        {"at": "rows", "shown": 200, "of": 5000},
        {"at": "t", "shown": 2000, "of": 9000},
    ]
    assert shortened({"rows": rows[:3]}) == {"rows": rows[:3]}


def test_tables_are_cut_and_say_so() -> None:
    rows = {f"q{n}": {"new.run": {"ndcg@10": 0.123456789}} for n in range(5000)}
    contrasts = [{"candidate": f"c{n}", "p": 0.5} for n in range(15)]
    found = shortened({"sentence": "s", "contrasts": contrasts, "per_query": rows})
    assert len(json.dumps(found)) <= MOST_ANSWER
    assert found["contrasts"] == contrasts
    assert found["cut"] == [{"at": "per_query", "shown": 200, "of": 5000}]
    long = {f"q{n}": "x" * 1900 for n in range(5000)}
    found = shortened({"sentence": "s", "per_query": long})
    assert len(json.dumps(found)) <= MOST_ANSWER
    assert found["cut"] == [{"at": "per_query", "shown": 10, "of": 5000}]


def test_the_configuration_keeps_the_language(tmp_path: Path, command: Command) -> None:
    written = command("mcp", str(tmp_path), "--print-config", "--lang", "zh")
    (entry,) = json.loads(written.out)["mcpServers"].values()
    assert entry["env"] == {"RELYON_LANG": "zh"}
    (entry,) = json.loads(command("mcp", str(tmp_path), "--print-config").out)[
        "mcpServers"
    ].values()
    assert "env" not in entry
