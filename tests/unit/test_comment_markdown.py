"""Comments of pull requests: foreign text stays text for a Markdown parser, whatever it says."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from relyon.core.document.github import LONGEST, Command, Folded, Quoted, inert, render_comment
from relyon.core.document.model import Block, Cell, Document, Lines, Points, Section, Table

GFM = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
HOSTILE = (
    "@user please",
    "ping @org/team",
    "<b>bold</b> <img src=x onerror=alert(1)> <script>x</script>",
    "a | b || c \\| d",
    "line\nanother\r\n\n# heading",
    "`code` ``` fence ```\n```",
    "<!-- hidden",
    "--> <!-- relyon:other -->",
    "</details></summary><details open>",
    "*a* **b** _c_ ~~d~~ [x](http://a.b) ![i](http://a.b/c.png) <http://a.b>",
    "#12 GH-12 org/name#3 !4 %5 $6 &7 ~bug",
    "http://evil.example www.evil.example a@b.com",
    "[^1] [ ] [x] [ref]: http://a.b",
    "---",
    "===",
    "+ item",
    "1. item",
    "/approve",
    "&lt;b&gt; &#64;user &amp; &commat;user",
    "\\*a\\* \\",
    "$x^2$ $`a`$",
    "{% raw %} {{ x }} ${{ github.token }}",
    "\u202egnp\u0007\x1b[2J",
    "",
    "    indented",
)


class Read(HTMLParser):
    """The tags of a page, the text of each kind, and its comments."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.comments: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append(tag)
        self.texts.append("")

    def handle_data(self, data) -> None:
        if self.texts:
            self.texts[-1] += data

    def handle_comment(self, data) -> None:
        self.comments.append(data)


def seen(text: str) -> str:
    """Returns a text as it is seen: white space is one space, control characters are visible."""
    from relyon.core.document.terminal import printable

    return printable(" ".join(text.split()))


def same(read: str, text: str) -> bool:
    return " ".join(read.replace("\u2060", "").split()) == " ".join(
        seen(text).replace("\u2060", "").split()
    )


def check(text: str) -> None:
    document = Document(
        [
            Lines([text]),
            Quoted([text]),
            Points([text]),
            Table(["query", "b"], [[Cell(text, title=text), "1"], ["x", Cell(text, strong=True)]]),
            Folded(text, [Section("", text, [Lines(["inside"])])]),
            Command(text),
            Lines(["the end"]),
        ],
        title=text,
    )
    page = Read(GFM.render(render_comment(document)))
    empty = not seen(text)
    allowed = {"h3", "p", "blockquote", "ul", "li", "details", "summary", "h4", "pre", "code"}
    allowed |= {"table", "thead", "tbody", "tr", "th", "td", "strong", "hr"}
    assert set(page.tags) <= allowed
    assert not page.comments
    assert page.tags.count("details") == page.tags.count("summary") == 1
    assert page.tags.count("td") == 4
    assert page.texts[-1].strip() == "the end"
    if not empty:
        told = dict(zip(reversed(page.tags), reversed(page.texts), strict=True))
        assert same(told["h3"], text)
        assert same(told["summary"], text)
        assert same(told["strong"], text)
        assert same(told["code"], text)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_foreign_text_stays_text(number: int) -> None:
    check(HOSTILE[number])


SIGNS = "@#|`*_~[]()<>!&;:/\\-+=.{}$%'\" \n\tabcw1239G界é\u200b"


@pytest.mark.long
@given(st.text(st.sampled_from(SIGNS), max_size=40))
def test_any_text_stays_text(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "text", ["@user", "see @org/team", "(@a)", "#1", "org/name#12", "!3", "%4", "GH-5"]
)
def test_nothing_is_a_reference(text: str) -> None:
    """GitHub and GitLab look for these in the text that a browser shows."""
    shown = GFM.renderInline(inert(text))
    assert not re.search(r"[@#!%](?=\w)|GH-\d", shown.replace("&#", ""))


def test_no_address_becomes_a_link() -> None:
    shown = GFM.renderInline(inert("http://a.b https://c.d www.e.f me@g.hi"))
    assert not re.search(r"://|www\.|@g", shown)


def test_names_of_measures_and_intervals_are_not_changed() -> None:
    text = "ndcg@10, recall@100: +0.0033 [−0.0042, +0.0108], p < 0.01 (q1, q2)"
    assert inert(text) == text.replace("<", "&#60;")


def test_a_long_comment_ends_politely() -> None:
    rows = [[f"query {number}", "0.1234"] for number in range(9000)]
    blocks: list[Block] = [
        Table(["query", "value"], rows),
        Folded("more", [Lines(["x" * 9000])]),
        Lines(["z"]),
    ]
    text = render_comment(Document(blocks, "❌ worse"), cut="The rest is left out.")
    assert LONGEST - 100 < len(text) <= LONGEST
    assert text.startswith("### ❌ worse\n")
    assert text.endswith("|\n\n*The rest is left out.*")
    assert "<details>" not in text


@pytest.mark.parametrize("longest", range(60, 160, 7))
def test_no_cut_opens_what_is_not_closed(longest: int) -> None:
    blocks: list[Block] = [
        Lines(["one " * 5]),
        Folded("two", [Lines(["x | y " * 4])]),
        Command("a `b` c"),
    ]
    text = render_comment(Document(blocks, "t"), cut="cut", longest=longest)
    assert len(text) <= longest
    assert text.count("<details>") == text.count("</details>")
    assert text.count("```") % 2 == 0
    assert not re.search(r"&#?\w*$", text.removesuffix("\n\n*cut*"))
