"""The app's texts: one for each key in use, none unread, and words for what is stored."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import get_args

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient

from relyon.app import create_app
from relyon.app.catalogue import name_reason, texts
from relyon.core.texts import LANGUAGES, Language
from relyon.data.aggregation import Rule
from relyon.io.sheets import write_sheet
from relyon.judging.access import start_sign_in
from relyon.judging.exchange import export_sheet
from relyon.judging.records import REASONS, Item, Rating
from relyon.judging.store import open_store

KEY = re.compile(r"""["'`]((?:[a-z_]+)\.(?:[a-z_0-9]*[a-z0-9]))["'`]""")
#: The beginning of keys whose end is a value, such as a role.
CHOSEN = re.compile(r"""["'`]((?:[a-z]+)\.(?:[a-z_]*_)?)(?:["'`]|\{)""")
RULES = {f"lead.{rule}" for rule in get_args(Rule)}


def sources() -> str:
    """Returns the modules and templates of the app, with those of its parts."""
    folder = Path(str(resources.files("relyon.app")))
    files = [one for end in ("py", "html") for one in sorted(folder.rglob(f"*.{end}"))]
    return "\n".join(one.read_text("utf-8") for one in files)


def scripts() -> str:
    folder = resources.files("relyon.app").joinpath("static")
    return "\n".join(one.read_text("utf-8") for one in folder.iterdir() if one.name.endswith(".js"))


def test_every_text_is_used_and_every_key_has_one() -> None:
    known = texts("en")
    sections = {key.partition(".")[0] for key in known}
    used = {key for key in KEY.findall(sources()) if key.partition(".")[0] in sections}
    assert {key for key in used if not key.endswith((".css", ".html", ".js"))} <= set(known)
    # Most texts of these two are asked for by their whole keys.
    chosen = {*CHOSEN.findall(sources()), *RULES} - {"judge.", "lead."}
    script = scripts()
    asked = {f"judge.{key}" for key in re.findall(r"""say\(\s*["'`](\w+)["'`]""", script)}
    assert asked <= set(known)
    named = {name for text in known.values() for name in re.findall(r":name (\w+)\}", text)}
    for key in known:
        section, _, name = key.partition(".")
        if section in named:
            continue
        told = section == "judge" and re.search(rf"\b{name}\b|{name.partition('_')[0]}_\$", script)
        side = section == "judge" and f'"{name}"' in sources()
        assert key in used or told or side or key.startswith(tuple(chosen)), f"nobody reads {key}"


def test_no_text_stands_in_a_template() -> None:
    folder = resources.files("relyon.app").joinpath("templates")
    for one in folder.iterdir():
        text = one.read_text("utf-8")
        text = re.sub(r"\{% block body_class %\}.*?\{% endblock %\}", "", text)
        text = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", text, flags=re.DOTALL)
        text = re.sub(r"""[\w-]+="[^"]*\"""", "", text)
        text = re.sub(r"<kbd>.*?</kbd>|<code>.*?</code>|<[^>]*>", "", text, flags=re.DOTALL)
        words = set(re.findall(r"[^\W\d_]{2,}", text))
        # Names are the same in every language: of the app, of coefficients, of languages.
        assert words <= {"relyon", "English", "中文", "Markdown", "Fleiss", "Cohen"}, one.name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_words(language: Language) -> None:
    names = [name_reason(language, reason) for reason in REASONS]
    assert len(set(names)) == len(REASONS)
    assert not set(names) & set(REASONS)
    assert name_reason(language, "does not load") == name_reason(language, "not_loading")
    assert name_reason(language, "behind a paywall") == "behind a paywall"


def test_a_reason_is_told_in_the_language_of_the_reader_and_exported_as_its_code(
    tmp_path: Path,
) -> None:
    with open_store(tmp_path / "judging.db", create=True) as store:
        store.accounts.create("lea", role="lead")
        project = store.projects.create("June", overlap=4)
        reasons = ["unclear_query", "lack of knowledge", "behind a paywall"]
        ratings = [Rating(f"judge {n}", None, reason) for n, reason in enumerate(reasons)]
        store.grades.add(project.id, [(Item("red shoes", "d1"), ratings)])
        client = TestClient(create_app(store))
        client.cookies.set("relyon_session", start_sign_in(store, store.accounts.get("lea")))
        english = client.get("/projects/1/queue?lang=en").text
        chinese = client.get("/projects/1/queue?lang=zh").text
        text, _ = write_sheet(export_sheet(store, project.id), format="csv")
    assert "Can’t judge – Unclear query" in english
    assert "无法判断 – 查询意图不明" in chinese
    assert "无法判断 – 缺少相关知识" in chinese
    for page in (english, chinese):
        assert "– behind a paywall" in page
    assert "unclear_query" in text
