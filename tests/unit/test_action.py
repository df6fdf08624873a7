"""The action for GitHub: its steps run in order, for a repository without Python."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.unit.forge import TOKEN, Forge, serving
from tests.unit.scripts import script

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
RELYON = Path(sysconfig.get_path("scripts")) / "relyon"
EXPRESSION = re.compile(r"\$\{\{ *(.*?) *\}\}")
HOSTILE = '`touch hacked`$(touch hacked)"; touch hacked; # ${{ github.token }}'


@dataclass
class Runner:
    """A runner of GitHub Actions: a workspace, a folder of its own, and an event."""

    workspace: Path
    temp: Path
    forge: Forge
    event: dict[str, Any] = field(default_factory=lambda: {"pull_request": {"number": 7}})
    log: str = ""
    uploads: list[dict[str, str]] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    def use(self, **inputs: str) -> int:
        """Runs the action, and returns the exit code of the step that fails, or 0."""
        given = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
        given |= {name.replace("_", "-"): text for name, text in inputs.items()}
        assert given.keys() == ACTION["inputs"].keys()
        self.temp.mkdir(exist_ok=True)
        self._event()
        known = {f"inputs.{name}": text for name, text in given.items()}
        known |= {"github.token": TOKEN, "runner.temp": str(self.temp)}
        known["inputs.token"] = self._filled(known["inputs.token"], known)
        code = 0
        for number, step in enumerate(ACTION["runs"]["steps"]):
            if code or not self._holds(step.get("if"), known):
                continue
            found: dict[str, str] = {}
            if "uses" in step:
                found = self._uses(step, known)
            else:
                assert step["shell"] == "bash"
                code, found = self._run(step, known, number)
            known |= {f"steps.{step.get('id')}.outputs.{key}": one for key, one in found.items()}
            if step.get("id") == "source":
                self._installed(found)
        self.outputs = {
            name: self._filled(one["value"], known) for name, one in ACTION["outputs"].items()
        }
        return code

    def _event(self) -> None:
        (self.temp / "event.json").write_text(json.dumps(self.event), "utf-8")

    def _installed(self, found: dict[str, str]) -> None:
        """Makes what an earlier step of the job would have installed: tests have no network."""
        program = Path(found["command"])
        program.parent.mkdir(parents=True, exist_ok=True)
        if not program.exists():
            program.symlink_to(RELYON)
        (program.parent.parent / "key").write_text(found["key"], "utf-8")

    def _uses(self, step: dict[str, Any], known: dict[str, str]) -> dict[str, str]:
        given = {key: self._filled(str(one), known) for key, one in step["with"].items()}
        name = step["uses"].partition("@")[0]
        if name == "actions/setup-python":
            assert given["update-environment"] == "False"
            return {"python-path": sys.executable}
        if name == "actions/upload-artifact":
            assert not re.search(r'["*:<>|?/\\\r\n]', given["name"])
            assert Path(given["path"]).stat().st_size > 10_000
            self.uploads.append(given)
            return {"artifact-url": "https://example.org/artifacts/1"}
        assert name == "actions/cache"
        return {}

    def _run(
        self, step: dict[str, Any], known: dict[str, str], number: int
    ) -> tuple[int, dict[str, str]]:
        assert not EXPRESSION.search(step["run"]), "an expression in a script could be a command"
        output = self.temp / f"output-{number}"
        output.touch()
        values = {key: self._filled(one, known) for key, one in step.get("env", {}).items()}
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.temp),
            "LC_ALL": "C.UTF-8",
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_EVENT_PATH": str(self.temp / "event.json"),
            "GITHUB_REPOSITORY": "octo/search",
            "GITHUB_API_URL": self.forge.url,
            "GITHUB_STEP_SUMMARY": str(self.temp / "step-summary.md"),
            "GITHUB_OUTPUT": str(output),
            "RUNNER_TEMP": str(self.temp),
            **self.environment,
            **values,
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.workspace,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        self.log += done.stdout + done.stderr
        return done.returncode, dict(_outputs(output.read_text("utf-8")))

    def _holds(self, condition: str | None, known: dict[str, str]) -> bool:
        if condition is None:
            return True
        found = re.fullmatch(r"(\S+) ([!=]=) '(.*)'", condition)
        assert found is not None
        left, sign, right = found.groups()
        return (known.get(left, "") == right) == (sign == "==")

    def _filled(self, text: str, known: dict[str, str]) -> str:
        return EXPRESSION.sub(lambda found: known.get(found[1], ""), text)

    @property
    def summary(self) -> str:
        return (self.temp / "step-summary.md").read_text("utf-8")


def _outputs(text: str) -> Iterator[tuple[str, str]]:
    lines = iter(text.splitlines())
    for line in lines:
        if "<<" in line:
            name, end = line.split("<<", 1)
            inside = []
            for one in lines:
                if one == end:
                    break
                inside.append(one)
            yield name, "\n".join(inside)
        else:
            name, _, value = line.partition("=")
            yield name, value


def rows(order: str, count: int = 12) -> str:
    return "".join(
        f"q{number} Q0 {document} {rank} {-rank} x\n"
        for number in range(count)
        for rank, document in enumerate(order, 1)
    )


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    """A repository in TypeScript, without anything of Python."""
    folder = tmp_path / "work space"
    (folder / "eval").mkdir(parents=True)
    (folder / "package.json").write_text('{"name": "search", "type": "module"}', "utf-8")
    judged = "".join(f"q{n} 0 a 2\nq{n} 0 b 1\nq{n} 0 c 0\n" for n in range(12))
    (folder / "eval/judgments.qrels").write_text(judged, "utf-8")
    for name, order in {"base": "abc", "good": "abc", "bad": "cba"}.items():
        (folder / f"eval/{name}.run").write_text(rows(order), "utf-8")
    texts = "".join(f"q{n}\ttext {n} @octo/team ::error::x\n" for n in range(12))
    (folder / "eval/queries.tsv").write_text("query\ttext\n" + texts, "utf-8")
    with serving(Forge()) as forge:
        yield Runner(folder, tmp_path / "temp", forge)


GATE = {
    "judgments": "eval/judgments.qrels",
    "baseline": "eval/base.run",
    "measures": "ndcg@10\nrecall@2",
    "fail_if_worse": "ndcg@10",
    "queries": "eval/queries.tsv",
}


@pytest.mark.long
def test_a_passing_and_a_failing_pull_request(runner: Runner) -> None:
    assert runner.use(**GATE, candidates="eval/good.run") == 0, runner.log
    assert runner.outputs["passed"] == "true"
    assert runner.outputs["verdict"] == "undecided"
    head, verdict, *_ = runner.forge.texts[0].splitlines()
    assert (head, verdict[:8]) == ("<!-- relyon: -->", "### ✅ un")
    assert runner.uploads[0]["name"] == "relyon"
    assert runner.forge.texts[0].endswith("[Report](https://example.org/artifacts/1)")

    assert runner.use(**GATE, candidates="eval/bad.run") == 1, runner.log
    assert runner.outputs["passed"] == "false"
    assert runner.outputs["verdict"] == "worse"
    assert len(runner.forge.comments) == 1
    assert "### ❌ worse: ndcg@10 1.0000 → " in runner.forge.texts[0]
    assert "| q0 · text 0 @&#8288;octo/team ::error::x |" in runner.forge.texts[0]
    assert "### ❌ worse: ndcg@10" in runner.summary
    values = json.loads(Path(runner.outputs["comparison"]).read_text("utf-8"))
    assert values["contrasts"][0]["verdict"] == "worse"
    assert Path(runner.outputs["report"]).read_text("utf-8").startswith("<!DOCTYPE html>")
    assert TOKEN not in runner.log + runner.summary
    assert sorted(one.name for one in runner.workspace.iterdir()) == ["eval", "package.json"]


@pytest.mark.long
def test_what_relyon_says_is_no_command_to_github(runner: Runner) -> None:
    runner.use(**GATE, candidates="eval/bad.run", report="false")
    lines = runner.log.splitlines()
    stopped = False
    for line in lines:
        if line.startswith("::stop-commands::"):
            stopped = True
            end = f"::{line.removeprefix('::stop-commands::')}::"
        elif stopped and line == end:
            stopped = False
        elif not stopped:
            assert not line.startswith("::error::")
    assert not stopped


@pytest.mark.long
def test_two_gates_of_a_repository(runner: Runner) -> None:
    for title, name in (("Docs", "good"), ("Shop: a/b", "bad"), ("商店", "bad")):
        runner.use(**GATE, candidates=f"eval/{name}.run", title=title)
    assert len(runner.forge.comments) == 3
    assert "### ✅ Docs — unchanged" in runner.forge.texts[0]
    assert "### ❌ Shop: a/b — worse" in runner.forge.texts[1]
    assert len({one["name"] for one in runner.uploads}) == 3
    assert runner.uploads[0]["name"] == "relyon-Docs"


@pytest.mark.long
def test_no_input_is_a_command(runner: Runner) -> None:
    for name in ("candidates", "measures", "title", "fail_if_worse", "convention", "margin"):
        inputs = {**GATE, "candidates": "eval/good.run", name: HOSTILE, "report": "false"}
        runner.use(**inputs)
    runner.use(**{**GATE, "candidates": "--plugin=eval/x.py", "report": "false"})
    assert "eval/x.py" in runner.log
    assert not list(runner.workspace.rglob("hacked"))


@pytest.mark.long
def test_a_comparison_that_fails_replaces_the_comment(runner: Runner) -> None:
    runner.use(**GATE, candidates="eval/good.run", report="false")
    code = runner.use(**GATE, candidates="eval/none.run", report="false", lang="zh")
    assert code not in {0, 1}
    assert runner.outputs["verdict"] == "error"
    assert runner.outputs["passed"] == "false"
    assert len(runner.forge.comments) == 1
    assert "### ⛔ 比较没有完成" in runner.forge.texts[0]
    assert "eval/none.run" in runner.forge.texts[0]
    assert runner.use(judgments="eval/judgments.qrels") == 2
    assert "the input `baseline` is empty" in runner.forge.texts[0]
    wrong = {"args": "--test 'wilcoxon", "working_directory": "nowhere"}
    assert runner.use(**GATE, candidates="eval/good.run", **wrong) == 2
    assert "the input `working-directory` is no folder: nowhere" in runner.forge.texts[0]
    assert "`args` has a quotation mark that is not closed: --test 'wilc" in runner.forge.texts[0]
    assert "Traceback" not in runner.log


@pytest.mark.long
def test_a_fork_and_a_push_have_only_the_summary_of_the_job(runner: Runner) -> None:
    runner.forge.answers = lambda method, path: (
        (403, {}, {"message": "Resource not accessible by integration"})
        if method == "POST"
        else None
    )
    assert runner.use(**GATE, candidates="eval/bad.run", report="false") == 1
    assert "::notice::relyon: the token may not write comments" in runner.log
    assert "### ❌ worse" in runner.summary
    runner.event = {"ref": "refs/heads/main"}
    before = len(runner.forge.requests)
    assert runner.use(**GATE, candidates="eval/good.run", report="false") == 0
    assert len(runner.forge.requests) == before


@pytest.mark.long
def test_paths_start_from_the_working_directory(runner: Runner) -> None:
    inputs = {key: one.removeprefix("eval/") for key, one in GATE.items()}
    more = {"candidates": "good.run\nbad.run", "report": "false", "comment": "false"}
    assert runner.use(**inputs, **more, working_directory="eval") == 1
    assert runner.forge.requests == []
    assert "bad.run: worse: ndcg@10" in runner.summary


@pytest.mark.long
def test_margins_decide(runner: Runner) -> None:
    inputs = {key: one for key, one in GATE.items() if key != "fail_if_worse"}
    more = {"margin": "ndcg@10=0.05", "fail_unless_not_worse": "ndcg@10"}
    assert runner.use(**inputs, **more, candidates="eval/bad.run") == 1, runner.log
    assert "### ❌ worse: ndcg@10" in runner.forge.texts[0]
    assert runner.use(**inputs, **more, candidates="eval/good.run") == 0, runner.log
    assert runner.forge.texts[0].splitlines()[1].startswith("### ✅ unchanged: ndcg@10")
    assert runner.outputs["report"]


@pytest.mark.long
def test_the_demonstration_is_gated_as_in_ci(runner: Runner) -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    used = [one["with"] for one in workflow["jobs"]["gate"]["steps"] if one.get("uses") == "./"]
    runner.workspace = ROOT
    codes = [
        runner.use(**{key.replace("-", "_"): text for key, text in given.items()}) for given in used
    ]
    assert codes == [0, 1], runner.log
    assert runner.outputs["verdict"] == "worse"
    assert "### ❌ Docs search, first page：更差：ndcg@10" in runner.summary
    assert len(runner.forge.comments) == 1
    assert "### ✅ Docs search, recall — better: recall@100" in runner.forge.texts[0]


def test_every_input_reaches_a_step_and_no_other_is_read() -> None:
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text("utf-8")))
    assert used == set(ACTION["inputs"])
    code = (ROOT / "integrations/gate/gate.py").read_text("utf-8")
    step = next(one for one in ACTION["runs"]["steps"] if one.get("id") == "gate")
    for name in step["env"]:
        if name.startswith("INPUT_"):
            assert f'"{name.removeprefix("INPUT_").lower().replace("_", "-")}"' in code, name


def wheel(path: Path) -> Path:
    """Writes a wheel of another `relyon`, which needs no network to be installed."""
    name = "relyon-0.0.1.dist-info"
    files = {
        "relyon_small.py": "def run():\n    print('small')\n",
        f"{name}/METADATA": "Metadata-Version: 2.1\nName: relyon\nVersion: 0.0.1\n"
        "Provides-Extra: report\n",
        f"{name}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
        f"{name}/entry_points.txt": "[console_scripts]\nrelyon = relyon_small:run\n",
    }
    files[f"{name}/RECORD"] = "".join(f"{one},,\n" for one in [*files, f"{name}/RECORD"])
    path.mkdir(exist_ok=True)
    with zipfile.ZipFile(path / "relyon-0.0.1-py3-none-any.whl", "w") as archive:
        for one, text in files.items():
            archive.writestr(one, text)
    return path


@pytest.mark.long
@pytest.mark.parametrize(
    "asked",
    ["wheels/relyon-0.0.1-py3-none-any.whl", "wheels/relyon-*.whl", "{}/wheels/relyon-*.whl"],
)
def test_a_wheel_of_the_repository_is_installed(tmp_path: Path, asked: str) -> None:
    wheel(tmp_path / "wheels")
    # No module of Python, whatever its name.
    (tmp_path / "logging.py").write_text("raise SystemExit('imported')\n", "utf-8")
    output = tmp_path / "output"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "GITHUB_WORKSPACE": str(tmp_path),
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_OUTPUT": str(output),
        "INPUT_INSTALL": asked.format(tmp_path),
        "PIP_NO_INDEX": "1",
    }
    script = [sys.executable, str(ROOT / "integrations/gate/install.py")]
    for step in ("key", "install", "install"):
        if output.exists():
            environment["KEY"] = dict(_outputs(output.read_text("utf-8")))["key"]
        done = subprocess.run(
            [*script, step],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stderr
    command = dict(_outputs(output.read_text("utf-8")))["command"]
    assert subprocess.check_output([command], encoding="utf-8") == "small\n"


def test_what_is_installed_has_the_packages_of_a_report(tmp_path: Path) -> None:
    install = script("install")
    environment = {"GITHUB_WORKSPACE": str(tmp_path)}

    def wanted(asked: str) -> str:
        return str(install.wanted({**environment, "INPUT_INSTALL": asked}))

    assert wanted("relyon==1.2") == "relyon[report]==1.2"
    assert wanted("relyon[all]>=1") == "relyon[all]>=1"
    assert wanted("git+https://example.org/x.git") == "git+https://example.org/x.git"
    assert wanted("") == f"relyon[report] @ {ROOT.as_uri()}"
    for bad in ("--index-url=x", "wheels/*.whl"):
        with pytest.raises(SystemExit):
            wanted(bad)
    assert install.key(environment) == install.key(environment)
    keys = {install.key({**environment, "INPUT_INSTALL": one}) for one in ("", "relyon==1")}
    assert len(keys) == 2
