"""Pages of those who lead: who may see them, files in and out, decisions, accounts."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from io import BytesIO
from zipfile import ZipFile

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from fastapi.testclient import TestClient

from relyon.app import Settings, create_app
from relyon.app.catalogue import texts
from relyon.app.pages import render_markdown
from relyon.app.protection import csrf_token
from relyon.core.language import Language
from relyon.io.sheets import PARTS, sheet_format, sheet_formats, write_sheet
from relyon.judging.access import find_signed_in, start_sign_in
from relyon.judging.exchange import export_sheet
from relyon.judging.records import Item, Rating
from relyon.judging.store import Store

HOSTILE = "<script>broken()</script>{{7*7}}"


@pytest.fixture
def store(store: Store) -> Store:
    store.accounts.create("lea", role="lead")
    store.accounts.create("adam", role="admin")
    project = store.projects.create("June", overlap=2)
    store.grades.add(
        project.id,
        [
            (Item("=1+1", "d1", title=HOSTILE), [Rating("ana", 3), Rating("bo", 3)]),
            (
                Item(HOSTILE, "d2", title="=cmd()", snippet=HOSTILE),
                [Rating("ana", 3, note=HOSTILE), Rating("bo", 0)],
            ),
        ],
    )
    return store


class Somebody:
    """Somebody signed in, who fills in forms."""

    def __init__(self, store: Store, name: str, settings: Settings | None = None) -> None:
        self.client = TestClient(create_app(store, settings), follow_redirects=False)
        self.secret = start_sign_in(store, store.accounts.get(name))
        self.client.cookies.set("relyon_session", self.secret)

    def get(self, path: str, **more):
        return self.client.get(path, **more)

    def post(self, path: str, values: dict[str, str] | None = None, **more):
        data = {"csrf": csrf_token(self.secret), **(values or {})}
        return self.client.post(path, data=data, **more)


def bring(
    who: Somebody,
    files: Mapping[str, object],
    values: dict[str, str] | None = None,
    project: int = 1,
):
    """Uploads a file, and imports it as it is understood; returns the last answer."""
    sent = who.post(f"/projects/{project}/import", {"kind": "results"}, files=files)
    if sent.status_code != 303:
        return sent
    page = sent.headers["location"]
    if values:
        who.post(page, {"action": "preview", **values})
    answer = who.get(page)
    done = who.post(page, {"action": "import", **(values or {})})
    return answer if done.headers.get("location") == page else done


PAGES = [
    "/projects/1",
    "/projects/1/data",
    "/projects/1/settings",
    "/projects/1/queue",
    "/projects/1/agreement",
    "/projects/1/export",
]


@pytest.mark.parametrize("path", PAGES)
def test_a_judge_sees_nothing_of_others(store: Store, path: str) -> None:
    assert Somebody(store, "ana").get(path).status_code == 403
    assert TestClient(create_app(store)).get(path, follow_redirects=False).status_code == 303
    for language in ("en", "zh"):
        answer = Somebody(store, "lea").get(f"{path}?lang={language}")
        assert answer.status_code == 200
    assert Somebody(store, "lea").get(path.replace("1", "9")).status_code == 404


@pytest.mark.parametrize(
    "path", ["/projects/1/queue", "/projects/1/settings", "/", "/projects/1/judge"]
)
def test_what_strangers_wrote_is_text(store: Store, path: str) -> None:
    store.projects.set_guideline(1, {"en": f"{HOSTILE} [a](javascript:broken())"})
    page = Somebody(store, "lea").get(path).text
    assert "<script>broken" not in page
    assert 'href="javascript' not in page
    assert (HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in page) == (path != "/")


@pytest.mark.parametrize(
    "path",
    ["/projects", "/projects/1/import", "/projects/1/guideline", "/projects/1/queue", "/accounts",
     "/accounts/change"],
)  # fmt: skip
def test_a_judge_changes_nothing_and_neither_does_a_form_from_elsewhere(
    store: Store, path: str
) -> None:
    values = {"name": "ana", "item": "2", "grade": "1", "key": "k", "action": "close", "en": "x"}
    files = {"file": ("a.csv", b"query,document\nq,d9\n")}
    assert Somebody(store, "ana").post(path, values, files=files).status_code == 403
    forged = Somebody(store, "adam").client.post(
        path, data={**values, "csrf": "0" * 64}, files=files
    )
    assert forged.status_code == 403
    assert len(store.projects.all()) == 1
    assert len(store.items.all(1)) == 2
    assert store.decisions.all(1) == {}
    assert store.projects.get(1).guideline == {}
    assert store.accounts.get("ana").active


def test_a_disagreement_is_decided_once(store: Store) -> None:
    lea = Somebody(store, "lea")
    page = lea.get("/projects/1/queue").text
    (item,) = re.findall(r'name="item" value="(\d+)"', page)
    (key,) = re.findall(r'name="key" value="([\w-]+)"', page)
    assert "bo" in page
    for _ in range(2):
        values = {"item": item, "key": key, "grade": "2.0", "note": "near"}
        assert lea.post("/projects/1/queue", values).status_code == 303
    assert store.decisions.all(1) == {int(item): 2.0}
    assert "Nothing to adjudicate" in lea.get("/projects/1/queue").text


def test_a_decision_is_told_and_can_be_changed(store: Store) -> None:
    lea = Somebody(store, "lea")
    page = lea.get("/projects/1/queue").text
    (item,) = re.findall(r'name="item" value="(\d+)"', page)
    values = {"item": item, "key": "first", "grade": "2.0", "following": "0"}
    target = lea.post("/projects/1/queue", values).headers["location"]
    told = lea.get(target).text
    assert "“=cmd()” is Middle" in told
    assert f'href="/projects/1/queue?again={item}"' in told
    page = lea.get(f"/projects/1/queue?again={item}").text
    assert f'name="item" value="{item}"' in page
    lea.post("/projects/1/queue", {**values, "key": "second", "grade": "1.0"})
    assert store.decisions.all(1) == {int(item): 1.0}


def test_what_is_to_decide_is_shown_whole(store: Store) -> None:
    item = Item(
        "red shoes",
        "d9",
        title="Shoe",
        snippet="Light and red.",
        url="https://shop.example/9",
        image="javascript:broken()",
        fields={"price": 12, "brand": HOSTILE, "size": None},
    )
    store.grades.add(1, [(item, [Rating("ana", 2, note="too wide"), Rating("bo", 0)])])
    store.projects.set_guideline(1, {"en": "Look at the **price**."})
    page = Somebody(store, "lea").get("/projects/1/queue").text
    for text in (
        "red shoes",
        "Light and red.",
        "<dd>12</dd>",
        "too wide",
        "<strong>price</strong>",
    ):
        assert text in page
    assert 'href="https://shop.example/9"' in page
    assert "<img" not in page
    assert HOSTILE not in page


def test_no_item_of_another_project_is_decided(store: Store) -> None:
    lea = Somebody(store, "lea")
    other = store.projects.create("July")
    store.items.add(other.id, [Item("q", "d")])
    (item,) = store.items.all(other.id)
    values = {"item": str(item.id), "key": "k", "grade": "2"}
    answer = lea.post("/projects/1/queue", values)
    assert answer.status_code == 400
    assert f"no item {item.id} in this project" in answer.text
    assert store.decisions.all(other.id) == {}
    assert lea.post(f"/projects/{other.id}/queue", values).status_code == 303
    assert store.decisions.all(other.id) == {item.id: 2.0}


def test_the_agreement_is_that_of_the_library(store: Store) -> None:
    from relyon.judging.coefficients import fleiss_kappa

    page = Somebody(store, "lea").get("/projects/1/agreement").text
    expected = fleiss_kappa([[3, 3], [3, 0]])
    assert f"<td>−{-expected:.2f}</td>" in page
    assert "ana – bo" in page


def test_what_is_exported_is_no_formula_and_comes_back(store: Store) -> None:
    lea = Somebody(store, "lea")
    answer = lea.get("/projects/1/export?form=csv")
    assert answer.headers["content-disposition"] == 'attachment; filename="project-1.csv"'
    cells = [cell.strip('"') for line in answer.text.splitlines() for cell in line.split(",")]
    assert any("=1+1" in cell for cell in cells)
    assert not [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell]
    assert lea.post("/projects", {"name": "July", "overlap": "2"}).status_code == 303
    files = {"file": ("june.csv", answer.content)}
    assert bring(lea, files, project=2).status_code == 200
    assert [(one.query, one.title) for one in store.items.all(2)] == [
        (one.query, one.title) for one in store.items.all(1)
    ]
    assert sorted(store.grades.by_judge(1).values(), key=str) == sorted(
        store.grades.by_judge(2).values(), key=str
    )


@pytest.mark.parametrize(("form", "ending"), [("trec", "qrels"), ("letor", "letor")])
def test_queries_of_several_words_are_packed_with_a_table(
    store: Store, form: str, ending: str
) -> None:
    rating = [Rating("ana", 3)]
    store.grades.add(
        store.projects.create("Shop").id,
        [
            (Item("red running shoes", "a document"), rating),
            (Item("red\tshoes", "d1"), rating),
            (Item("boots", "d1"), rating),
        ],
    )
    lea = Somebody(store, "lea")
    answer = lea.get(f"/projects/2/export?form={form}")
    assert answer.headers["content-disposition"] == 'attachment; filename="project-2.zip"'
    assert answer.content == lea.get(f"/projects/2/export?form={form}").content
    with ZipFile(BytesIO(answer.content)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert [*files] == [f"project-2.{ending}", "queries.tsv", "documents.tsv"]
    queries = {
        "trec": "id\ttext\toriginal\nq1\tred running shoes\tred running shoes\n"
        'q2\t"red\tshoes"\t"red\tshoes"\nboots\tboots\t\n',
        "letor": "id\ttext\toriginal\n1\tred running shoes\tred running shoes\n"
        '2\t"red\tshoes"\t"red\tshoes"\nboots\tboots\t\n',
    }
    assert files["queries.tsv"] == queries[form]
    assert files["documents.tsv"] == "id\toriginal\nd2\ta document\nd1\t\n"
    lines = {
        "trec": "q1 0 d2 3\nq2 0 d1 3\nboots 0 d1 3\n",
        "letor": "3 qid:1 # d2 red running shoes\n3 qid:2 # d1\n3 qid:boots # d1\n",
    }
    assert files[f"project-2.{ending}"] == lines[form]
    page = lea.get("/projects/2/data?lang=en").text
    assert page.count("Queries or documents that it cannot represent become IDs") == 2


def test_an_export_is_sent_in_parts(store: Store) -> None:
    project = store.projects.create("Large").id
    store.items.add(project, [Item("q", f"d{n}", snippet="x" * 200) for n in range(2000)])
    lea = Somebody(store, "lea")
    for form in ("csv", "jsonl"):
        with lea.client.stream("GET", f"/projects/{project}/export?form={form}") as answer:
            assert "content-length" not in answer.headers
            text = "".join(answer.iter_text())
        sheet = export_sheet(store, project)
        assert text.removeprefix("\ufeff") == write_sheet(sheet, format=form)[0]


def test_an_export_that_fails_says_so(store: Store) -> None:
    store.grades.add(1, [(Item("q", "d3"), [Rating("query", 3)])])
    answer = Somebody(store, "lea").get("/projects/1/export?form=quepid-book-csv")
    assert answer.status_code == 400
    assert "cannot contain a judge named" in answer.text


@pytest.mark.parametrize("escape", ["\\ud800", "\\u0000"])
def test_half_a_character_is_refused_with_file_and_line(store: Store, escape: str) -> None:
    lines = [f'{{"query": "q{more}", "document": "d"}}' for more in ("", escape)]
    files = {"file": ("june.jsonl", "\n".join(lines))}
    answer = bring(Somebody(store, "lea"), files)
    assert len(store.items.all(1)) == 2
    assert '<tr><td>2</td><td class="text">a text contains a character that cannot' in answer.text


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.jsonl", b'{"query": "q"}\n' * 2_000_000, "is too large to be read at once"),
        ("a.json", b"[" + b"[]," * 8_000_000, "is too large to be read at once"),
        ("a.csv", b"query,doc\n" + b"q,d\n" * 5_000_000, "is too large to be read at once"),
        ("a.csv", b",".join(b"c%d" % n for n in range(20_000)), "more than 200 columns"),
        (
            "a.jsonl",
            b'{"query": "q", "document": ' + b"[" * 900 + b"]" * 900 + b"}",
            "nested more than 100 levels",
        ),
    ],
)
def test_an_import_takes_no_more_than_its_share(
    store: Store, name: str, content: bytes, told: str
) -> None:
    lea = Somebody(store, "lea")
    form = {"format-0": "opensearch"} if name == "a.json" else {}
    answer = bring(lea, {"file": (name, content)}, form)
    assert told in html.unescape(answer.text)
    assert len(answer.text) < 30_000
    assert len(store.items.all(1)) == 2


def test_a_csv_file_for_excel_is_known_to_be_utf_8(store: Store) -> None:
    lea = Somebody(store, "lea")
    assert lea.get("/projects/1/export?form=csv").content.startswith("\ufeffquery,".encode())
    for form in ("quepid-case", "quepid-book-csv", "jsonl", "trec"):
        assert not lea.get(f"/projects/1/export?form={form}").text.startswith("\ufeff")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_form_says_what_each_format_cannot_hold(store: Store, language: Language) -> None:
    page = html.unescape(Somebody(store, "lea").get(f"/projects/1/data?lang={language}").text)
    for name in sheet_formats():
        form = sheet_format(name)
        (told,) = re.findall(rf'value="{name}"[^>]*><span><strong>.*?</strong> (.*?)</span>', page)
        parts = {part: texts(language)[f"part.{part}"] for part in PARTS}
        named = {part for part, text in parts.items() if text in told}
        expected = form.keeps if len(form.keeps) < len(form.lacks) else set(form.lacks)
        if expected == {"name"}:  # what else it lacks, only the archive has
            assert told == texts(language)["lead.holds_all"]
            continue
        assert expected <= named
        assert len(told) < 250


def test_what_a_file_leaves_out_is_counted_in_a_header(store: Store) -> None:
    lea = Somebody(store, "lea")
    found = lea.get("/projects/1/export?form=trec").headers["relyon-left-out"]
    assert found == "title=2, snippet=1, ratings=2, note=1, at=2, name=1"
    assert lea.get("/projects/1/export?form=csv").headers["relyon-left-out"] == "name=1"


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"", b"nothing,here\n1,2\n", b'{"a":' * 9999])
@pytest.mark.parametrize("form", ["csv", "jsonl", "opensearch", "nothing"])
def test_a_file_that_cannot_be_used_is_refused_in_words(
    store: Store, content: bytes, form: str
) -> None:
    files = {"file": ("bad.bin", content)}
    answer = bring(Somebody(store, "lea"), files, {"format-0": form})
    assert answer.status_code == 200
    assert 'role="alert"' in answer.text
    assert len(store.items.all(1)) == 2


def test_an_upload_that_is_too_large_is_refused(store: Store) -> None:
    lea = Somebody(store, "lea", Settings(largest_body=50_000))
    files = {"file": ("big.csv", b"query,document\n" + b"q,d\n" * 50_000)}
    assert lea.post("/projects/1/import", {"form": "csv"}, files=files).status_code == 413


@pytest.mark.long
def test_an_admin_makes_and_closes_accounts(store: Store) -> None:
    assert Somebody(store, "lea").get("/accounts").status_code == 403
    assert Somebody(store, "lea").post("/accounts", {"name": "eve"}).status_code == 403
    adam = Somebody(store, "adam")
    page = adam.post("/accounts", {"name": "eve", "role": "judge"}).text
    (password,) = re.findall(r"<code>([\w-]+)</code>", page)
    eve = store.accounts.check_password("eve", password)
    assert eve is not None
    secret = start_sign_in(store, eve)
    assert adam.post("/accounts/change", {"name": "eve", "action": "close"}).status_code == 200
    assert find_signed_in(store, secret) is None
    assert store.accounts.check_password("eve", password) is None
    assert adam.post("/accounts/change", {"name": "adam", "action": "close"}).status_code == 403


@pytest.mark.parametrize("name", ["'; DROP TABLE users; --", "{{7*7}}", "a\0b", " ", "x" * 201])
def test_hostile_names_do_no_harm(store: Store, name: str) -> None:
    adam = Somebody(store, "adam")
    for path in ("/accounts", "/projects"):
        answer = adam.post(path, {"name": name})
        assert answer.status_code in {200, 303, 400}
    assert {"ana", "bo", "lea", "adam"} <= {user.name for user in store.accounts.all()}
    assert ">49<" not in adam.get("/accounts").text
    assert adam.get("/").status_code == 200


def test_a_name_that_is_taken_is_told_in_the_readers_language(store: Store) -> None:
    adam = Somebody(store, "adam")
    adam.client.cookies.set("relyon_language", "zh")
    for path, name, said in (
        ("/projects", "June", "已有同名项目"),
        ("/accounts", " ana ", "已有同名账号"),
    ):
        answer = adam.post(path, {"name": name})
        assert answer.status_code == 400
        assert said in answer.text
    assert len(store.projects.all()) == 1


def test_an_error_leads_back_to_where_it_happened(store: Store) -> None:
    lea = Somebody(store, "lea")
    files = {"file": ("bad.csv", b"\xff\xfe\x00")}
    page = lea.post("/projects/1/import", {"kind": "sides"}, files=files).text
    assert '<a href="/projects/1">Back to the project</a>' in page
    assert "Sign out" in page
    page = lea.get("/projects/9").text
    assert '<a href="/">Back to projects</a>' in page
    assert "This page doesn’t exist." in page
    page = Somebody(store, "ana").post("/projects/1/import", {}).text
    assert "Back to the project<" not in page


@pytest.mark.parametrize("query", ["at=-1", "decided=99999999999", "again=x"])
def test_a_queue_for_a_number_that_is_none_is_refused(store: Store, query: str) -> None:
    assert Somebody(store, "lea").get(f"/projects/1/queue?{query}").status_code == 422


def test_pictures_of_a_guideline_do_not_show_other_hosts_who_reads_it() -> None:
    here = "data:image/png;base64,iVBORw0KGgo="
    page = str(
        render_markdown(
            f"![a *chart*](https://evil.example/p.png) ![](//evil.example/q.png)"
            f" ![own](/static/style.css) ![inside]({here})"
        )
    )
    assert page.count("<img") == 2
    assert 'src="https://evil' not in page
    assert 'src="//evil' not in page
    assert '<a href="https://evil.example/p.png" target="_blank" rel="noopener noreferrer">' in page
    assert ">a chart</a>" in page
    assert f'src="{here}"' in page
