"""The phrases that relyon does not use, and the script that finds them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
TERMS = """
[[english]]
not = '\\bis no (?!longer)'
say = "is not a"
wrong = "x is no number"
right = "x is no longer a number"
allow = ["docs/two.md:no friend"]

[[english]]
not = '\\bholds two words'
say = "contains"
wrong = "it holds two words"
right = "it contains two words"
only = "code"

[[chinese]]
not = '组长'
say = "负责人"
wrong = "由组长决定"
right = "由负责人决定"
"""


@pytest.fixture(scope="module")
def terms() -> ModuleType:
    path = ROOT / "docs" / "check_terms.py"
    spec = importlib.util.spec_from_file_location("check_terms", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def check(terms: ModuleType, tmp_path: Path):
    """Writes files and returns what the check says of them."""

    def write(files: dict[str, str], listed: str = TERMS) -> list[str]:
        listed_without = listed.replace('allow = ["docs/two.md:no friend"]', "")
        known = listed if "docs/two.md" in files else listed_without
        for name, text in {
            "README.md": "",
            "CHANGELOG.md": "",
            "terms.toml": known,
            **files,
        }.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, "utf-8")
        found: list[str] = terms.check(tmp_path)
        return found

    return write


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("src/a.py", 'error = "one"\nerror = (\n    "`{x}` "\n    "is no number"\n)\n', 3),
        ("src/a.py", 'def f():\n    """Says what\n    is no number.\n    """\n', 3),
        ("src/a.py", 'error = f"{1} is no number"\n', 1),
        ("src/a.py", "# is no number\nx = 1\n", 1),
        ("src/a.py", "x = 1  # it\n# is a fault\n\n# which is\n# no number\n", 4),
        ("src/a.py", 'def _f():\n    """Is hidden: is no number."""\n', 2),
        (
            "src/a.py",
            'def f():\n    """Head.\n\n    Args:\n        x: is\n            no number.\n    """\n',
            5,
        ),
        ("src/a.pyi", 'class A:\n    def f(self) -> int:\n        """It is no number."""\n', 3),
        ("src/relyon/core/texts/en/errors/io.toml", 'key = "It is no number."\n', 1),
        ("src/relyon/core/texts/en/notes.toml", '# is no\nkey = "It is no number."\n', 2),
        ("docs/one.md", "# One\n\nA page\nis no code.\n", 4),
        ("README.md", "It is no code.\n", 1),
        ("CHANGELOG.md", "- It is no code.\n", 1),
    ],
)
def test_each_place_where_people_read_is_read(check, name: str, text: str, line: int) -> None:
    assert check({name: text}) == [f"{name}:{line}: “is no ”: say is not a"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/a.py", 'def f():\n    """Head.\n\n    >>> f()\n    is no number\n    """\n'),
        ("src/a.py", 'def f():\n    """Returns `is no number`."""\n'),
        ("src/a.py", 'error = "it holds two words"\n'),
        ("docs/one.md", "It holds two words.\n"),
        ("docs/one.md", "```text\nx is no number\n```\n"),
        ("docs/one.md", "Prints `x is no number` and [more](is-no here.md).\n"),
        ("docs/zh/one.md", "is no number\n"),
        ("docs/one.md", "由组长决定\n"),
        ("src/relyon/core/texts/zh/errors.toml", '"is no number" = "不是数"\n"组长" = "x"\n'),
    ],
)
def test_code_and_the_other_language_are_not_read(check, name: str, text: str) -> None:
    assert check({name: text}) == []


def test_chinese_pages_and_texts_have_their_own_terms(check) -> None:
    pages = {
        "docs/zh/one.md": "由组长决定\n",
        "README.zh-CN.md": "组长\n",
        "src/relyon/core/texts/zh/app.toml": 'lead = "组长"\n',
    }
    assert [found.split(":")[0] for found in check(pages)] == sorted(
        pages, key=lambda name: (not name.startswith("src"), name)
    )


def test_some_phrases_are_avoided_in_code_alone(check) -> None:
    source = '"""It holds\ntwo words."""\n\n# It holds two words.\n'
    assert check({"src/a.py": source}) == [
        "src/a.py:1: “holds two words”: say contains",
        "src/a.py:4: “holds two words”: say contains",
    ]


def test_an_exception_counts_where_it_is_named_and_must_be_needed(check) -> None:
    assert check({"docs/two.md": "This is no friend.\n"}) == []
    assert check({"docs/two.md": "This is no foe.\n"}) == [
        "docs/two.md:1: “is no ”: say is not a",
        "terms.toml: nothing needs the exception “docs/two.md:no friend”: take it out",
    ]


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ("[[english]]\nnot = 'x'\n", "an entry lacks right, say, wrong"),
        (TERMS.replace("x is no number", "x"), "does not tell wrong from right"),
        (TERMS.replace("no longer a", "no"), "does not tell wrong from right"),
    ],
)
def test_an_entry_is_complete_and_finds_its_own_example(check, listed: str, message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        check({}, listed)
