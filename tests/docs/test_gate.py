"""The files that the page on gates shows: valid for their hosts, and their commands run."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from tests.unit.forge import TOKEN, Forge, serving

pytestmark = pytest.mark.docs
ROOT = Path(__file__).resolve().parents[2]
PAGES = ("gate.md", "zh/gate.md")
SCHEMAS = {
    ".github/workflows/search.yml": "vendor.github-workflows",
    ".gitlab-ci.yml": "vendor.gitlab-ci",
}
SCRIPTS = Path(sysconfig.get_path("scripts"))


def shown(page: str = "gate.md") -> dict[str, str]:
    """Returns the blocks with a file's name, and the one of TypeScript."""
    text = (ROOT / "docs" / page).read_text("utf-8")
    found = re.findall(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', text, re.S | re.M)
    return {title or language: block for language, title, block in found if language != "console"}


def test_translations_show_the_same_files() -> None:
    assert shown("gate.md") == shown("zh/gate.md")
    assert shown().keys() == {"typescript", *SCHEMAS, "Jenkinsfile"}


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_files_are_valid_for_their_hosts(name: str, tmp_path: Path) -> None:
    program = SCRIPTS / "check-jsonschema"
    if not program.exists():
        pytest.skip("check-jsonschema is not installed")
    path = tmp_path / "file.yml"
    path.write_text(shown()[name], "utf-8")
    subprocess.run([program, "--builtin-schema", SCHEMAS[name], path], check=True)
    path.write_text(shown()[name].replace("script:", "scripts:").replace("runs-on:", "runs:"))
    done = subprocess.run([program, "--builtin-schema", SCHEMAS[name], path], check=False)
    assert done.returncode != 0


def test_the_workflow_gives_inputs_that_the_action_has() -> None:
    yaml = pytest.importorskip("yaml")
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    workflow = yaml.safe_load(shown()[".github/workflows/search.yml"])
    step = workflow["jobs"]["gate"]["steps"][-1]
    assert step["uses"] == "OWNER/relyon@main"
    assert step["with"].keys() <= action["inputs"].keys()
    text = (ROOT / "docs/gate.md").read_text("utf-8")
    for name in re.findall(r"outputs? ([^.]+) are for later", text)[0].split(","):
        assert re.search(r"`(\w+)`", name)[1] in action["outputs"]  # type: ignore[index]


def repository(folder: Path, order: str) -> None:
    """Writes a repository with a search function and its judgments."""
    (folder / "eval").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    search = f'export async function search(text, limit) {{ return [..."{order}"]; }}\n'
    (folder / "src/search.js").write_text(search, "utf-8")
    queries = "".join(f"q{number}\tquestion {number}\ttail\n" for number in range(60))
    (folder / "eval/queries.tsv").write_text("query\ttext\ttier\n" + queries, "utf-8")
    grades = "".join(f"q{n} 0 a {1 + n % 2}\nq{n} 0 b 1\nq{n} 0 c 0\n" for n in range(60))
    (folder / "eval/judgments.qrels").write_text(grades, "utf-8")
    # Node runs TypeScript only without types.
    code = shown()["typescript"].replace(": string[]", "")
    (folder / "eval/run.mjs").write_text(re.sub(r"(\w)!", r"\1", code), "utf-8")


def measured(folder: Path) -> str:
    """Returns the run that the code of the page writes."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    words = [node, "eval/run.mjs", "eval/queries.tsv", "out.run"]
    subprocess.run(words, cwd=folder, check=True)
    return (folder / "out.run").read_text("utf-8")


def programs(folder: Path) -> dict[str, str]:
    """Returns an environment in which `pip` installs nothing, and `relyon` is this one."""
    bin_ = folder / "bin"
    bin_.mkdir()
    for name, text in (("pip", "#!/bin/sh\nexit 0\n"), ("python3", VENV), ("python", PYTHON)):
        (bin_ / name).write_text(text, "utf-8")
        (bin_ / name).chmod(stat.S_IRWXU)
    (bin_ / "relyon").symlink_to(SCRIPTS / "relyon")
    return {"PATH": f"{bin_}:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8"}


PYTHON = f'#!/bin/sh\nexec {sys.executable} "$@"\n'
#: Makes an environment that has this relyon.
VENV = f"""#!/bin/sh
mkdir -p .relyon/bin
printf '#!/bin/sh\\nexit 0\\n' > .relyon/bin/pip
chmod +x .relyon/bin/pip
ln -sf {SCRIPTS / "relyon"} .relyon/bin/relyon
"""


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A repository whose change returns results in the reverse order."""
    for name, order in (("base", "abc"), ("change", "cba")):
        repository(tmp_path / name, order)
    folder = tmp_path / "change"
    (folder / "baseline.run").write_text(measured(tmp_path / "base"), "utf-8")
    (folder / "candidate.run").write_text(measured(folder), "utf-8")
    return folder


def test_the_code_of_the_page_writes_a_run(work: Path) -> None:
    lines = (work / "candidate.run").read_text("utf-8").splitlines()
    assert lines[:3] == ["q0 Q0 c 1 0 search", "q0 Q0 b 2 -1 search", "q0 Q0 a 3 -2 search"]
    assert len(lines) == 180


def test_the_job_of_gitlab_fails_with_a_note_and_passes(work: Path, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    job = yaml.safe_load(shown()[".gitlab-ci.yml"])["search"]
    script = "set -eo pipefail\n" + "\n".join(job["script"])
    shutil.copy(ROOT / "integrations/gate/comment.py", work / "eval")
    environment = programs(tmp_path)
    with serving(Forge(login="project_1_bot")) as forge:
        values = {
            "GITLAB_CI": "true",
            "CI_MERGE_REQUEST_IID": "5",
            "CI_PROJECT_ID": "12",
            "CI_API_V4_URL": forge.url,
            "RELYON_GITLAB_TOKEN": TOKEN,
        }
        for expected in (1, 0):
            done = subprocess.run(
                ["bash", "-c", script],
                cwd=work,
                env={**environment, **values},
                capture_output=True,
                encoding="utf-8",
                check=False,
            )
            assert done.returncode == expected, done.stderr
            assert TOKEN not in done.stdout + done.stderr
            shutil.copy(work / "baseline.run", work / "candidate.run")
            head = "### ❌ worse" if expected else "### ✅ unchanged"
            assert forge.texts[0].splitlines()[1].startswith(head)
        assert len(forge.comments) == 1
    for path in job["artifacts"]["paths"]:
        assert (work / path).exists()


def test_the_stage_of_jenkins_fails_and_passes(work: Path, tmp_path: Path) -> None:
    code = shown()["Jenkinsfile"]
    script = re.findall(r"sh '''\n(.*?)'''", code, re.S)[0].replace("\\\\\n", "\\\n")
    environment = programs(tmp_path)
    for expected in (1, 0):
        done = subprocess.run(
            # Jenkins runs scripts so.
            ["sh", "-xe", "-c", script],
            cwd=work,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == expected, done.stderr
        shutil.copy(work / "baseline.run", work / "candidate.run")
    for path in re.findall(r"artifacts: '([^']+)'", code)[0].split(", "):
        assert (work / path).exists()
