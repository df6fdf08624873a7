"""Texts for people: the same in every language, none unread, values put in alike."""

from __future__ import annotations

import ast
import copy
import math
import pickle
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module, resources
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import relyon
from relyon.core.texts import LANGUAGES, PAGE, Text, catalogue, kinds, message, translate
from relyon.core.texts.languages import Language, languages
from relyon.core.texts.sentences import sentences as sentences_of

SOURCES = Path(relyon.__file__).parent
#: Errors are by room; the keys of the others are the English texts.
SENTENCES = ("errors", "help", "words", "language")
TEXTS = resources.files("relyon.core.texts")
AREAS = sorted(
    one.name.removesuffix(".toml")
    for one in TEXTS.joinpath("en").iterdir()
    if one.name.removesuffix(".toml") not in SENTENCES
)
#: Areas whose keys begin with what a thing is called: a kind of note, a rule, a check.
BY_KIND = ("checks", "notes", "diagnosis", "logs", "experiments")


def own_texts(area: str, language: str) -> dict[str, str]:
    """Returns the texts that a language has itself; what it lacks is said in English."""

    def flat(tree: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
        for key, value in tree.items():
            if isinstance(value, dict):
                yield from flat(value, f"{prefix}{key}.")
            else:
                yield f"{prefix}{key}", value

    return dict(flat(tomllib.loads(TEXTS.joinpath(language, f"{area}.toml").read_text("utf-8"))))


def fields(sentence: str) -> set[str]:
    return {
        re.split(r"[.\[]", name)[0]
        for _, name, _, _ in Formatter().parse(sentence)
        if name and name.isascii()
    }


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_languages_hold_the_same_keys_and_values(area: str, language: Language) -> None:
    english, other = catalogue(area, "en"), own_texts(area, language)
    assert english.keys() == other.keys()
    for key, sentence in other.items():
        # A language may need no noun in its number, or name a thing once.
        assert fields(sentence) <= fields(english[key]), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_file(language: str) -> None:
    found = {one.name.removesuffix(".toml") for one in TEXTS.joinpath(language).iterdir()}
    assert found - {*SENTENCES} == set(AREAS)


def native_texts(code: str) -> Iterator[str]:
    """Yields the texts of C++ code; those that follow each other are one."""
    for parts in re.findall(r'"(?:[^"\\\n]|\\.)*"(?:\s+"(?:[^"\\\n]|\\.)*")*', code):
        yield re.sub(r'"\s+"', "", parts)[1:-1].replace('\\"', '"')


@cache
def written() -> tuple[frozenset[str], tuple[re.Pattern[str], ...]]:
    """Returns every text that stands in the code, and the patterns of those made of parts."""
    texts: set[str] = set()
    patterns: set[str] = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [
                    re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".+"
                    for part in node.values
                ]
                said = "".join(part for part in parts if part != ".+")
                if "." in said and re.search("[a-z]{2}", said):
                    patterns.add("".join(parts))
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "name":
                named = [str(one.value) for one in node.args if isinstance(one, ast.Constant)]
                patterns.update(rf"{one}\..+" for one in named)
    for path in SOURCES.rglob("*"):
        if path.suffix in {".html", ".js"}:
            code = path.read_text("utf-8")
            for quoted in (r'"([^"\n]+)"', r"'([^'\n]+)'"):
                texts.update(re.findall(quoted, code))
            patterns.update(
                re.sub(r"\\\$\\\{.*?\\\}", ".+", re.escape(one))
                for one in re.findall(r"`([^`\n]*\$\{[^`\n]*)`", code)
            )
            patterns.update(
                f"{re.escape(one)}.+" for one in re.findall(r"""["']([a-z_.]+[._])["'] ?~""", code)
            )
    for path in (Path(__file__).parents[2] / "native").glob("*.?pp"):
        texts.update(native_texts(path.read_text("utf-8")))
    for area in AREAS:
        for sentence in catalogue(area).values():
            patterns.update(rf"{name}\..+" for name in re.findall(r":name (\w+)\}", sentence))
    return frozenset(texts), tuple(map(re.compile, patterns))


def unread(area: str) -> Iterator[str]:
    texts, patterns = written()
    for key in catalogue(area):
        stem = re.sub(r"\.(one|many)$", "", key)
        names = {key, stem, f"{area}.{key}", f"{area}.{stem}"}
        if area == "app":  # scripts are given the texts of a page without its name
            names.add(key.partition(".")[2])
        if area in BY_KIND:
            names.add(key.partition(".")[0])
        if not names & texts and not any(one.fullmatch(name) for one in patterns for name in names):
            yield key


@pytest.mark.long
@pytest.mark.parametrize("area", AREAS)
def test_every_text_is_said(area: str) -> None:
    assert list(unread(area)) == []


@pytest.mark.parametrize(
    ("sentence", "values", "expected"),
    [
        ("{n:count row/rows}", {"n": 1}, "1 row"),
        ("{n:count row/rows}", {"n": 1200}, "1,200 rows"),
        ("{n:noun it is/they are}", {"n": 2}, "they are"),
        ("{x:value} {x:delta 2} {x:share} {x:share 1}", {"x": 0.25}, "0.2500 +0.25 25% 25.0%"),
        ("{x:percent} {y:delta-percent}", {"x": 0.054, "y": -0.25}, "5.4% -25%"),
        ("{x:part}", {"x": 1e-6}, "<0.1%"),
        ("{p:p} {p:p-value 2}", {"p": 1e-9}, "p < 0.0001 <0.01"),
        ("{b:interval 1} {b:delta-interval 1}", {"b": (-1.0, 1.0)}, "[-1.0, 1.0] [-1.0, +1.0]"),
        ("{a} or {a:and}", {"a": ["x", "y", "z"]}, "x, y, z or x, y and z"),
        ("{t:name tier} {o:name tier}", {"t": "all", "o": "mine"}, "all tiers mine"),
        ("{x:.1f} {x!r} {k}", {"x": 0.25, "k": 10}, "0.2 0.25 10"),
        ("{t}", {"t": Text("common.list.colon")}, ": "),
        ("{x:value}", {"x": math.nan}, "-"),
    ],
)
def test_values_are_put_in(sentence: str, values: dict[str, object], expected: str) -> None:
    assert catalogue("common").write(sentence, values) == expected


def test_values_are_put_in_as_the_language_and_the_page_write_them() -> None:
    values = {"x": -0.25, "a": ["x", "y"], "t": "tail"}
    sentence = "{x:share}, {x:delta 1}, {a}, {t:name tier}"
    assert catalogue("common", "zh").write(sentence, values) == "-25%, -0.2, x、y, 低频"
    assert catalogue("common", "zh", PAGE).write(sentence, values) == "−25%, −0.2, x、y, 低频"


def test_a_message_is_its_sentence_and_can_be_said_again() -> None:
    inner = message("cli.interrupted")
    made = message("core.path-message", path="a.run", message=inner)
    assert made == "a.run: interrupted"
    for one in (made, pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert one == "a.run: interrupted"
        assert one.kind == "core.path-message"
        assert one.values == {"path": "a.run", "message": inner}
        assert translate(one, "en") == "a.run: interrupted"
        assert translate(one, "zh") == "a.run：已中断"


def test_a_sentence_of_ones_own_is_said_as_it_is() -> None:
    own = message("my {what}", what="text")
    assert (own, own.kind) == ("my text", "my {what}")
    assert str(relyon.RelyonError("a.text")) == "a.text"
    assert translate(own, "zh") == "my text"


def test_errors_travel_with_their_sentences() -> None:
    interrupted = message("cli.interrupted")
    for error in (
        relyon.InputError(interrupted, path="a.run", hint="mend it"),
        relyon.ParseError(interrupted, path="a.run", line=7, hint="mend it"),
    ):
        for one in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
            assert str(one) == str(error)
            assert vars(one) == vars(error)
            assert translate(one.message, "zh").endswith("：已中断")


ROOMS = sorted(one.name.removesuffix(".toml") for one in TEXTS.joinpath("en", "errors").iterdir())


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_are_the_same_kinds_in_every_language(room: str, language: Language) -> None:
    path = TEXTS.joinpath(language, "errors", f"{room}.toml")
    read = dict(sentences_of(room, language))
    assert read == tomllib.loads(path.read_text("utf-8"))
    english = sentences_of(room, "en")
    assert read.keys() == english.keys()
    for name, sentence in read.items():
        assert fields(sentence) <= fields(english[name]) | {"columns"}, name


def test_kinds_are_short_and_speak() -> None:
    found = kinds()
    assert len(found) > 1700
    name = r"[a-z]+\.[a-z0-9]+(-[a-z0-9]+)*(\.cli(-scored)?|\.app)?"
    assert [kind for kind in found if not re.fullmatch(name, kind)] == []
    assert [kind for kind in found if len(kind.partition(".")[2].split("-")) > 8] == []


def literal_kinds() -> Iterator[tuple[str, str]]:
    """Yields every literal of the code that is named like a kind of a room, with its place."""
    kind = re.compile(rf"(?:{'|'.join(ROOMS)})\.[a-z0-9]+(?:-[a-z0-9]+)+")
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value, f"{path.relative_to(SOURCES)}:{node.lineno}"
    for path in (Path(__file__).parents[2] / "native").glob("*.?pp"):
        for text in native_texts(path.read_text("utf-8")):
            if kind.fullmatch(text):
                yield text, path.name


@pytest.mark.long
def test_every_kind_is_said_and_every_one_that_is_said_exists() -> None:
    literals = dict(literal_kinds())
    known = {kind for kind in kinds() if ".cli" not in kind and not kind.endswith(".app")}
    assert sorted(known - literals.keys()) == []
    native = {one: place for one, place in literals.items() if place.endswith("pp")}
    assert {one: place for one, place in native.items() if one not in known} == {}


#: What is given to `message` without being a kind: what was made elsewhere, or a table's kind.
def spoken() -> Iterator[tuple[str, ast.expr]]:
    """Yields what `message` is given in the code, with its place."""
    for path in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        names = {
            one.asname or one.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and f"{node.module}".startswith("relyon.core.texts")
            for one in node.names
            if one.name == "message"
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            if getattr(node.func, "id", "") in names:
                yield f"{path.relative_to(SOURCES)}:{node.lineno}", node.args[0]


@pytest.mark.long
def test_every_message_has_a_kind() -> None:
    known = {*kinds(), *(one.removeprefix("word.") for one in catalogue("words", "zh"))}
    unknown = [
        f"{place}: {text.value}"
        for place, given in spoken()
        for text in ast.walk(given)
        if isinstance(text, ast.Constant) and isinstance(text.value, str)
        if isinstance(given, ast.Constant | ast.IfExp) and text.value not in known
    ]
    assert unknown == []


#: Where a sentence that no catalogue holds is right: other programs' words, and a log for machines.
OTHERS = (
    *("compat", "app/application.py", "app/health.py", "app/long_work.py", "app/protection.py"),
    *("judging/events.py", "judging/removal.py"),
)
#: The errors that users read, and what else writes a sentence to the terminal.
SAID = re.compile(
    r"(Input|Parse|Parameter|UnknownName|Check|Strict|Dependency|Endpoint|Refused|NotReady)Error"
    r"|BadParameter|Progress|message|say|refuse|note|warning|plain|dim|error"
)


def literals(node: ast.expr, texts: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yields the sentences that an argument may be, by line; an f-string is given by its code."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.lineno, node.value
    elif isinstance(node, ast.Name) and node.id in texts:
        yield node.lineno, texts[node.id]
    elif isinstance(node, ast.JoinedStr):
        said = "".join(str(one.value) for one in node.values if isinstance(one, ast.Constant))
        if re.search("[a-z]{2,} [a-z]{2,}", said):
            yield node.lineno, ast.unparse(node)
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body, texts)
        yield from literals(node.orelse, texts)


def sentences() -> Iterator[tuple[str, str]]:
    """Yields every sentence for people that is written in the code, with its place."""
    for path in sorted(SOURCES.rglob("*.py")):
        place = path.relative_to(SOURCES).as_posix()
        if place.startswith(OTHERS):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        texts = {
            target.id: one.value.value
            for one in tree.body
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
            for target in one.targets
            if isinstance(target, ast.Name) and isinstance(one.value.value, str)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or ast.unparse(node.func).startswith("log."):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = node.args[:1] if SAID.fullmatch(name) else []
            given += [one.value for one in node.keywords if one.arg in {"hint", "purpose"}]
            for one in given:
                for line, sentence in literals(one, texts):
                    # What has no space is a key of a catalogue, or a name.
                    if " " in sentence.strip() and not sentence.startswith("relyon "):
                        yield f"{place}:{line}", sentence


@pytest.mark.long
def test_no_sentence_for_people_is_english_alone() -> None:
    known = catalogue("words", "zh")
    wanted = {
        f"{place}: {one}" for place, one in sentences() if not {one, f"word.{one}"} & known.keys()
    }
    assert sorted(wanted) == []


@pytest.mark.long
@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != "en"])
def test_every_word_is_still_said(language: Language) -> None:
    texts, _ = written()
    found = catalogue("words", language)
    assert [one for one in found if one.removeprefix("word.") not in texts] == []


def test_native_code_writes_no_sentence() -> None:
    raised = re.compile(
        r"(?:InputError|NoClosedForm|TextError|Sentence)[({]((?:[^;]|;(?!\n))*?);\n"
    )
    words = catalogue("words", "zh")
    found = {
        one
        for path in (Path(__file__).parents[2] / "native").glob("*.?pp")
        for statement in raised.findall(path.read_text("utf-8"))
        for one in native_texts(statement)
        if " " in one.strip() and not re.fullmatch(r"(`\w+`)?, .*", one)
    }
    assert {one for one in found if one not in words and f"word.{one}" not in words} == set()


def test_what_a_language_lacks_is_said_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("relyon.core.texts.catalogue")
    own = {("report", "xx"): {"section.summary": "XX"}, ("common", "xx"): {}}
    read = module._read
    monkeypatch.setattr(
        module, "_read", lambda area, language: own.get((area, language)) or read(area, language)
    )
    texts = module.Catalogue("report", "xx")
    assert texts["section.summary"] == "XX"
    assert texts["section.comparison"] == catalogue("report")["section.comparison"]
    assert texts.word("list.and") == " and "
    assert translate(message("cli.interrupted"), "xx") == "interrupted"


def test_a_language_is_a_folder_of_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some sentences of a report in Japanese: the rest of it is in English."""
    own = {
        "language": 'name = "日本語"\ntag = "ja"\n',
        "common": 'list.comma = "、"\nlist.and = "と"\n',
        "report": 'section.summary = "概要"\nsection.comparison = "比較"\n',
        "notes": 'regrouped = "行をクエリごとに並べ直しました"\n',
        "errors/cli": 'interrupted = "中断しました"\n',
        "errors/core": 'path-message = "{path}：{message}"\n',
    }
    for name, text in own.items():
        path = tmp_path / "ja" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "en").symlink_to(str(TEXTS.joinpath("en")))
    assert languages(str(tmp_path)) == ("en", "ja")

    files, read = (
        import_module("relyon.core.texts.sentences"),
        import_module("relyon.core.texts.catalogue"),
    )
    monkeypatch.setattr(files, "FOLDER", str(tmp_path))
    caches = (files.sentences, read._read, read.catalogue)
    for one in caches:
        one.cache_clear()
    try:
        report = catalogue("report", "ja")
        assert report["section.summary"] == "概要"
        assert report["section.queries"] == catalogue("report")["section.queries"]
        assert report.write("{names:and}", {"names": ["a", "b", "c"]}) == "a、bとc"
        assert catalogue("notes", "ja").say("regrouped") == "行をクエリごとに並べ直しました"
        made = message("core.path-message", path="a.run", message=message("cli.interrupted"))
        assert translate(made, "ja") == "a.run：中断しました"
        assert translate(message("cli.out-of-memory"), "ja") == "out of memory"
    finally:
        for one in caches:
            one.cache_clear()


@pytest.mark.parametrize("language", LANGUAGES)
def test_doubled_braces_are_single_in_what_is_shown(language: Language) -> None:
    shown = translate(message("engines.status-401"), language)
    assert "${SEARCH_KEY}" in shown
    assert translate(message("my own {{sentence}}"), language) == "my own {{sentence}}"


def test_lists_end_as_a_language_does() -> None:
    names = ["a（x）", "“b”", "c"]
    assert catalogue("words", "en").join(names) == "a（x）, “b” and c"
    assert catalogue("words", "zh").join(names[::2]) == "a（x）和 c"
    assert catalogue("words", "en").write("{n:and 2}", {"n": ["a", "b", "c"]}) == "a and …"
    assert catalogue("words", "zh").write("{n:and 3}", {"n": ["a", "b", "c", "d"]}) == "a、b 等"
