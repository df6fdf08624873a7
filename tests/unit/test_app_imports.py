"""Imports in the app: seen before they are stored, for their lead alone, and once."""

from __future__ import annotations

import html
import io
import re
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from tests.unit.test_app_lead import Somebody

from relyon.app.imports import checks, waiting
from relyon.app.imports.waiting import WaitingFiles
from relyon.core.texts import Language
from relyon.judging.needs import needs_of
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store

PICTURE = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
PRODUCTS = f"""Search term,Product ID,商品名称,picture,搜索需求,CTR,人工标注2
手机壳,p1,防水硬壳,"{PICTURE}",摔不坏的壳,0.5,3
手机壳,p2,软壳,https://example.org/2.png,摔不坏的壳,0.1,0
"""


@pytest.fixture
def store(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    for name in ("lea", "leo"):
        store.accounts.create(name, role="lead")
    store.accounts.create("ana")
    store.projects.create("June", overlap=2)
    return store


def send(
    who: Somebody,
    content: bytes | str,
    name: str = "june.csv",
    *,
    kind: str = "results",
    project: int = 1,
    **more: str,
) -> str:
    """Uploads a file, and returns the address of its page."""
    data = content.encode() if isinstance(content, str) else content
    files = {"file": (name, data)}
    answer = who.post(f"/projects/{project}/import", {"kind": kind, **more}, files=files)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def see(who: Somebody, page: str) -> str:
    answer = who.get(page)
    assert answer.status_code == 200
    return html.unescape(answer.text)


def count(page: str, words: str) -> int:
    """Returns the number after some words of the page."""
    (found,) = re.findall(rf"<li>{re.escape(words)}: <strong>([\d,]+)</strong>", page)
    return int(found.replace(",", ""))


def chosen(page: str) -> dict[str, str]:
    """Returns what each column is taken for."""
    heads = re.findall(
        r"<label>([^<]*)<select name=\"column-\d+-\d+\"[^>]*>(.*?)</select>", page, re.DOTALL
    )
    return {name: re.findall(r'value="(\w*)" selected', options)[0] for name, options in heads}


def test_a_table_with_other_names_is_understood_and_nothing_is_stored_before(store: Store) -> None:
    lea = Somebody(store, "lea")
    page = send(lea, PRODUCTS)
    text = see(lea, page)
    assert store.items.all(1) == []
    assert chosen(text) == {
        "Search term": "query", "Product ID": "document", "商品名称": "title", "picture": "image",
        "搜索需求": "need", "CTR": "", "人工标注2": "",
    }  # fmt: skip
    assert count(text, "New results") == 2
    assert count(text, "Queries with a new information need") == 1
    assert f'<img src="{PICTURE}"' in text
    assert 'src="https://example.org/2.png"' in text
    assert "What users did" in text
    assert "Looks like grades" in text
    answer = lea.post(page, {"action": "import"})
    assert answer.status_code == 200
    assert "New results: 2." in answer.text
    first = store.items.all(1)[0]
    assert (first.query, first.document, first.title, first.fields) == (
        "手机壳",
        "p1",
        "防水硬壳",
        {},
    )
    assert first.image == PICTURE
    assert needs_of(store, 1, ["手机壳"]) == {"手机壳": "摔不坏的壳"}


def test_what_is_missing_is_chosen_on_the_page(store: Store) -> None:
    lea = Somebody(store, "lea")
    page = send(lea, "words,sku,name\nshoes,7,Red\n")
    text = see(lea, page)
    assert "No column is chosen as Query" in text
    assert "python" not in text.lower()
    assert "--" not in re.sub(r"<!--.*?-->", "", text)
    assert lea.post(page, {"action": "import"}).status_code == 303
    assert store.items.all(1) == []
    assert lea.post(page, {"column-0-0": "query"}).headers["location"] == page
    text = see(lea, page)
    assert chosen(text) == {"words": "query", "sku": "document", "name": "title"}
    assert count(text, "New results") == 1


def test_two_columns_of_one_role_and_columns_that_are_not_there(store: Store) -> None:
    lea = Somebody(store, "lea")
    page = send(lea, "query,sku,ean\nshoes,7,8\n")
    lea.post(page, {"column-0-2": "document"})
    assert "`sku` and `ean` are both chosen as Document" in see(lea, page)
    assert lea.post(page, {"action": "import"}).status_code == 303
    assert lea.post(page, {"column-0-3": "title"}).status_code == 400
    assert lea.post(page, {"column-1-0": "title"}).status_code == 400
    assert lea.post(page, {"column-0-2": "users.password"}).status_code == 303
    assert "cannot be `users.password`" in see(lea, page)
    lea.post(page, {"column-0-2": "field"})
    assert count(see(lea, page), "New results") == 1
    assert store.items.all(1) == []


def test_what_changed_since_it_was_seen_is_seen_first(store: Store) -> None:
    lea = Somebody(store, "lea")
    page = send(lea, "query,doc,title\nq,d,A\n")
    see(lea, page)
    answer = lea.post(page, {"action": "import", "column-0-2": "snippet"})
    assert answer.headers["location"] == f"{page}?changed=yes"
    assert store.items.all(1) == []
    assert "You changed something" in see(lea, answer.headers["location"])
    same = {"action": "import", "column-0-2": "snippet"}
    assert lea.post(page, same).status_code == 200
    assert store.items.all(1)[0].snippet == "A"


def test_rows_that_cannot_be_imported_are_listed_and_left_out(store: Store) -> None:
    store.grades.add(1, [(Item("q", "d1"), [Rating("ana", 3)])])
    lea = Somebody(store, "lea")
    rows = [
        "query,doc,judge,grade,title",
        "q,d1,ana,2,x",  # stored already, with another grade
        "q,d2,ana,3,=1+1",
        "q,,ana,3,no document",
        "q,d3,ana,12,no such grade",
        "q,d4,ana,3",  # too short
        "q,d5,ana,2,y",
        "q,d5,ana,1,twice",
        "q,d6,ana,1,z",
        "q,d6,bo,1,z",
        "q,d6,cy,1,one too many",
    ]
    page = send(lea, "\n".join(rows))
    text = see(lea, page)
    assert count(text, "Rows that cannot be imported") == 6
    told = dict(re.findall(r"<tr><td>(\d+)</td><td class=\"text\">(.*?)</td></tr>", text))
    assert list(told) == ["2", "4", "5", "6", "8", "11"]
    assert "another grade of `ana`" in told["2"]
    assert "expected 5 columns, got 4" in told["6"]
    assert count(text, "New results") == 3
    assert count(text, "Results that are already here") == 0
    assert count(text, "New grades") == 4
    listed = lea.get(f"{page}/refused").content.decode("utf-8-sig").splitlines()
    assert listed[0] == "Line,Reason,query,doc,judge,grade,title"
    assert [line.partition(",")[0] for line in listed[1:]] == list(told)
    assert listed[2].endswith(",q,,ana,3,no document")
    # They are left out only if somebody says so.
    assert lea.post(page, {"action": "import"}).status_code == 303
    assert len(store.items.all(1)) == 1
    answer = lea.post(page, {"action": "without"})
    assert "New results: 3. New grades: 4." in answer.text
    assert {one.document for one in store.items.all(1)} == {"d1", "d2", "d5", "d6"}
    assert given_grades(store) == {
        "d1": {"ana": 3}, "d2": {"ana": 3}, "d5": {"ana": 2}, "d6": {"ana": 1, "bo": 1},
    }  # fmt: skip


def given_grades(store: Store) -> dict[str, Mapping[str, float]]:
    items = {one.id: one.document for one in store.items.all(1)}
    return {items[item]: grades for item, grades in store.grades.by_judge(1).items()}


def test_an_upload_is_imported_once(store: Store) -> None:
    lea = Somebody(store, "lea")
    page = send(lea, "query,doc\nq,d\n")
    see(lea, page)
    assert lea.post(page, {"action": "import"}).status_code == 200
    for answer in (lea.post(page, {"action": "import"}), lea.get(page)):
        assert answer.status_code == 404
        assert "There is nothing left of this upload" in answer.text
    assert len(store.items.all(1)) == 1


def test_an_upload_is_for_its_lead_and_project_alone(store: Store) -> None:
    store.projects.create("July")
    lea, leo = Somebody(store, "lea"), Somebody(store, "leo")
    page = send(lea, "query,doc\nq,d\n")
    for address in (page, f"{page}/refused", f"{page}/state", page.replace("/1/", "/2/")):
        who = lea if "/2/" in address else leo
        assert who.get(address).status_code == 404
    assert leo.post(page, {"action": "import"}).status_code == 404
    assert leo.post(page, {"action": "cancel"}).status_code == 404
    for token in ("../x", "a" * 32, "A" * 32, "a" * 31):
        assert lea.get(f"/projects/1/import/{token}").status_code == 404
    ana = Somebody(store, "ana")
    assert ana.get(page).status_code == 403
    assert ana.post("/projects/1/import", {}, files={"file": ("a.csv", b"q")}).status_code == 403
    assert lea.client.post(page, data={"action": "import"}).status_code == 403  # without the token
    assert store.items.all(1) == []
    assert lea.post(page, {"action": "cancel"}).status_code == 303
    assert lea.get(page).status_code == 404


def test_few_uploads_wait_and_not_for_long(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    lea = Somebody(store, "lea")
    other = send(Somebody(store, "leo"), "query,doc\nq,d\n")
    pages = []
    for n in range(waiting.MOST + 2):
        pages.append(send(lea, f"query,doc\nq,{n}\n"))
        time.sleep(0.02)
    codes = [lea.get(page).status_code for page in pages]
    assert codes == [404, 404, *[200] * waiting.MOST]
    assert Somebody(store, "leo").get(other).status_code == 200
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + waiting.FORGOTTEN + 5)
    send(lea, "query,doc\nq,d\n")
    folder = WaitingFiles.of(store.database.address).folder
    assert len(list(folder.iterdir())) == 1
    assert folder.stat().st_mode & 0o077 == 0


def test_a_folder_that_others_can_read_is_not_used(store: Store) -> None:
    folder = WaitingFiles.of(store.database.address).folder
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    lea = Somebody(store, "lea")
    answer = lea.post("/projects/1/import", {}, files={"file": ("a.csv", b"query,doc\nq,d\n")})
    assert answer.status_code == 400
    assert "not private" in answer.text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_headings_and_cells_are_text(store: Store, language: Language) -> None:
    lea = Somebody(store, "lea")
    bad = "<script>alert(1)</script>"
    page = send(lea, f'query,doc,"{bad}",url,image\n"{bad}",d,"{bad}",javascript:x,javascript:y\n')
    text = lea.get(f"{page}?lang={language}").text
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text
    assert 'src="javascript' not in text
    assert 'href="javascript' not in text


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.csv", "query,doc," + ",".join(f"c{n}" for n in range(10_000)), "more than 200 columns"),
        ("a.csv", "query,doc,x,x\nq,d,1,2\n", "have the same heading, `x`"),
        ("a.csv", "", "is empty"),
        ("a.xlsx", b"PK\x03\x04" + b"xl/" * 9, "is not a whole Excel workbook"),
        ("a.csv", b"query,doc\n\xc0\xfe,d\n", "is not UTF-8 text"),
        ("a.jsonl", '{"query": ' + "[" * 500 + "]" * 500 + "}", "nested more than 100 levels"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_on_its_page(
    store: Store, name: str, content: bytes | str, told: str
) -> None:
    lea = Somebody(store, "lea")
    page = send(lea, content, name)
    text = see(lea, page)
    assert told in text
    assert "Something went wrong" not in text
    assert "iconv" not in text
    assert lea.post(page, {"action": "import"}).status_code == 303
    assert len(text) < 60_000


def test_no_format_reads_something_else_than_the_upload(store: Store) -> None:
    lea = Somebody(store, "lea")
    secret = store.projects.create("Secret")
    store.items.add(secret.id, [Item("hidden query", "hidden document")])
    page = send(lea, "query,doc\nq,d\n", f"{store.database.address}#Secret")
    lea.post(page, {"format-0": "judging-database"})
    text = see(lea, page)
    assert "cannot be read as `judging-database`" in text
    assert "hidden query" not in text


def test_the_encoding_is_recognised_or_chosen(store: Store) -> None:
    lea = Somebody(store, "lea")
    table = "搜索词,商品编号,商品名称\n" + "".join(f"手机壳,p{n},防水的硬壳子\n" for n in range(30))
    text = see(lea, send(lea, table.encode("gb18030")))
    assert "GBK (recognised)" in text
    assert "防水的硬壳子" in text
    page = send(lea, "搜索词,商品编号\n手机壳,p1\n".encode("gbk"))
    text = see(lea, page)
    assert "it looks like GBK" in text
    assert "Choose its encoding below" in text
    assert '<option value="GBK" selected>' in text
    lea.post(page, {"encoding-0": "GBK"})
    assert chosen(see(lea, page)) == {"搜索词": "query", "商品编号": "document"}
    lea.post(page, {"action": "import"})
    assert store.items.all(1)[0].query == "手机壳"


@pytest.mark.parametrize("form", ["xlsx", "parquet", "jsonl", "tsv"])
def test_tables_of_every_format_are_mapped(store: Store, form: str) -> None:
    import polars as pl

    frame = pl.DataFrame(
        {"搜索词": ["手机壳"], "商品编号": ["p1"], "名称": ["硬壳"], "价格": ["30"]}
    )
    stream = io.BytesIO()
    if form == "xlsx":
        pytest.importorskip("python_calamine")
        from relyon.io.workbook_writer import frame_table, workbook_bytes

        stream.write(workbook_bytes([frame_table(frame)]))
    elif form == "parquet":
        frame.write_parquet(stream)
    elif form == "jsonl":
        frame.write_ndjson(stream)
    else:
        frame.write_csv(stream, separator="\t")
    lea = Somebody(store, "lea")
    page = send(lea, stream.getvalue(), f"june.{form}")
    text = see(lea, page)
    assert chosen(text) == {
        "搜索词": "query",
        "商品编号": "document",
        "名称": "title",
        "价格": "field",
    }
    lea.post(page, {"action": "preview", "column-0-3": ""})
    assert count(see(lea, page), "New results") == 1
    assert lea.post(page, {"action": "import", "column-0-3": ""}).status_code == 200
    (item,) = store.items.all(1)
    assert (item.query, item.title, item.fields) == ("手机壳", "硬壳", {})


def test_a_large_upload_is_checked_while_its_lead_looks(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "SMALL", 1000)
    monkeypatch.setattr("relyon.app.imports.pages.SMALL", 1000)
    lea = Somebody(store, "lea")
    rows = "".join(f"q{n % 7},d{n},t{n}\n" for n in range(3000)) + "q,,x\n"
    page = send(lea, f"query,doc,title\n{rows}", "many.csv")
    see(lea, page)
    end = time.monotonic() + 60
    while not lea.get(f"{page}/state").json()["ready"]:
        assert time.monotonic() < end
        time.sleep(0.02)
    text = see(lea, page)
    assert count(text, "New results") == 3000
    assert count(text, "Rows that cannot be imported") == 1
    answer = lea.post(page, {"action": "without"})
    assert answer.headers["location"].startswith("/jobs/")
    while len(store.items.all(1)) < 3000:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert lea.get(page).status_code == 404


def test_an_import_that_fails_waits_again(store: Store) -> None:
    lea = Somebody(store, "lea")
    page = send(lea, "query,doc\nq,d\n")
    see(lea, page)
    store.projects.close(1)
    answer = lea.post(page, {"action": "import"})
    assert answer.status_code == 400
    store.projects.reopen(1)
    assert lea.post(page, {"action": "import"}).status_code == 200
    assert len(store.items.all(1)) == 1


def test_what_is_not_wanted_any_more_is_not_checked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "SMALL", 10)
    started: list[str] = []
    monkeypatch.setattr(checks, "check_upload", lambda *_: started.append("check"))
    monkeypatch.setattr(checks, "_values", lambda _: {"problem": {}})
    lea = Somebody(store, "lea")
    with checks._one:  # another lead's file is being checked
        page = send(lea, "query,doc,x\nq,d,1\n")
        for role in ("title", "snippet", "url"):
            lea.post(page, {"column-0-2": role})
            see(lea, page)
    end = time.monotonic() + 30
    while checks._running:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert started == ["check"]
