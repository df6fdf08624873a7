"""The pages of the documentation: their examples run, and none of them is stale."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from importlib import util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXAMPLES = Path(__file__).with_name("examples.py")
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
BLOCK = re.compile(r"^```(?:console|python)\n.*?^```$", re.S | re.M)
WITH_EXAMPLES = [name for name in PAGES if BLOCK.search((DOCS / name).read_text(encoding="utf-8"))]
TRANSLATED = sorted(path.name for path in (DOCS / "zh").glob("*.md"))


def shows_the_same(name: str) -> bool:
    """Whether a translation shows what the page in English shows: running that one is enough."""
    folder, _, page = name.rpartition("/")
    if folder != "zh":
        return False
    ours, theirs = (BLOCK.findall(path.read_text("utf-8")) for path in (DOCS / page, DOCS / name))
    return bool(ours == theirs)


#: Translations whose examples take long: what they show in numbers is compared in any case.
LONG = {f"zh/{name}.md" for name in ("export", "planning", "train", "tutorial-ltr")}
TO_RUN = [
    pytest.param(name, marks=[pytest.mark.slow] if name in LONG else [])
    for name in WITH_EXAMPLES
    if not shows_the_same(name)
]


def load(path: Path) -> ModuleType:
    """Imports a script that is in no package."""
    spec = util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        pytest.fail(f"{path} cannot be imported")
    module = util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def run_examples(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES, *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.docs
@pytest.mark.parametrize("name", TO_RUN)
def test_examples_print_what_is_shown(name: str) -> None:
    done = run_examples(DOCS / name)
    assert done.returncode == 0, done.stdout + done.stderr


def inputs(block: str) -> list[str]:
    """Returns the commands or statements of a block, whatever language they ask for."""
    lines = block.replace(', language="zh"', "").splitlines()
    shell = lines[0] == "```console"
    marks = ("$ ", "> ") if shell else (">>> ", "... ")
    code = not shell and ">>>" not in block
    return [line for line in lines[1:] if code or line.startswith(marks) or line in {">", "..."}]


@pytest.mark.parametrize("name", TRANSLATED)
def test_translations_hold_the_same_examples(name: str) -> None:
    ours, theirs = (
        BLOCK.findall((DOCS / folder / name).read_text(encoding="utf-8")) for folder in ("", "zh")
    )
    assert [inputs(block) for block in ours] == [inputs(block) for block in theirs]


@pytest.mark.parametrize("name", TRANSLATED)
def test_blocks_of_code_do_not_begin_in_a_sentence(name: str) -> None:
    for folder in ("", "zh"):
        text = (DOCS / folder / name).read_text(encoding="utf-8")
        assert re.findall(r".*\w```[a-z]+\n", text) == []


@pytest.mark.parametrize("name", TRANSLATED)
def test_translations_show_the_same_numbers(name: str) -> None:
    """Values with decimals, which a sentence cannot spell out."""
    for ours, theirs in zip(
        *(
            BLOCK.findall((DOCS / folder / name).read_text(encoding="utf-8"))
            for folder in ("", "zh")
        ),
        strict=True,
    ):
        numbers = [Counter(re.findall(r"\d+\.\d{3,}", block)) for block in (ours, theirs)]
        assert numbers[0] == numbers[1]


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(r"^\s+- .+: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
    assert sorted(listed) == PAGES


def test_measures_page_index_and_stub_are_not_stale() -> None:
    make = load(DOCS / "make_measures.py")
    files = {make.PAGE: make.page(), make.INDEX: make.index(), make.STUB: make.stub()}
    stale = [path for path, text in files.items() if path.read_text(encoding="utf-8") != text]
    assert not stale, "run: python docs/make_measures.py"


def test_every_measure_is_on_the_measures_page() -> None:
    from relyon.measures import registry

    text = (DOCS / "measures.md").read_text(encoding="utf-8")
    shipped = [
        name for name in registry if registry.get(name).__module__.startswith("relyon.measures.")
    ]
    assert len(shipped) > 20
    assert [name for name in shipped if f"### `{name}` " not in text] == []


def test_convention_pages_show_every_field() -> None:
    from relyon import Convention

    for page in ("convention.md", "zh/convention.md"):
        text = (DOCS / page).read_text(encoding="utf-8")
        headings = " ".join(line for line in text.splitlines() if line.startswith("## "))
        fields = [name for name in Convention().to_dict() if name != "name"]
        assert [name for name in fields if f"`{name}`" not in headings] == []


@pytest.mark.parametrize(
    ("page", "wrong"),
    [
        ("```console\n$ echo one\ntwo\n```\n", "one"),
        ("```python\n>>> 1 + 1\n3\n```\n", "2"),
        ("```python\nprint('loud')\n```\n", "loud"),
        ("```console\n$ echo once\n```\n", "once"),
    ],
)
def test_the_runner_sees_what_differs(page: str, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text(page, encoding="utf-8")
    done = run_examples(path)
    assert done.returncode == 1
    assert f"+{wrong}" in done.stdout.splitlines()


def test_the_runner_writes_what_is_printed(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = "# Page\n\n```console\n$ cat <<END\n> two\n> END\n$ false\n$ echo $?\n```\n"
    text += "\n```python\n>>> for number in (1, 2):\n...     print(number)\n>>> {}[1]\n```\n"
    path.write_text(text, encoding="utf-8")
    assert run_examples("--write", path).returncode == 0
    written = path.read_text(encoding="utf-8")
    assert "> END\ntwo\n$ false\n$ echo $?\n1\n```" in written
    assert "...     print(number)\n1\n2\n>>> {}[1]\nTraceback" in written
    assert "KeyError: 1" in written
    assert run_examples(path).returncode == 0
