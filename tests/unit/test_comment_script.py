"""The script that comments on pull requests, against a stand-in of the servers' interfaces."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.unit.forge import ROBOT, TOKEN, Forge, Reply, serving
from tests.unit.scripts import script

comment = script("comment")


@pytest.fixture
def forge() -> Iterator[Forge]:
    with serving(Forge()) as found:
        yield found


class Job:
    """A job of one of the servers, whose pauses take no time."""

    def __init__(self, forge: Forge, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.forge = forge
        self.folder = folder
        self.capsys = capsys
        self.pauses: list[float] = []
        event = folder / "event.json"
        event.write_text(json.dumps({"pull_request": {"number": 7}}), "utf-8")
        self.environment = {
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": "octo/search",
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_API_URL": forge.url,
        }

    def __call__(self, body: str, title: str = "", *more: str, **changes: str) -> str:
        (self.folder / "body.md").write_text(body, "utf-8")
        words = [str(self.folder / "body.md"), f"--title={title}", *more]
        code = comment.main(words, {**self.environment, **changes}, self.pauses.append)
        assert code == 0
        said = self.capsys.readouterr()
        assert TOKEN not in said.out + said.err
        return str(said.out)


@pytest.fixture
def job(forge: Forge, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Job:
    return Job(forge, tmp_path, capsys)


def test_a_comment_is_created_once_and_then_updated(job: Job, forge: Forge) -> None:
    assert "was created" in job("### ✅ first")
    assert "was updated" in job("### ❌ second", "", "--link=https://a.example/report")
    assert len(forge.comments) == 1
    assert forge.texts[0].startswith("<!-- relyon: -->\n### ❌ second")
    assert forge.texts[0].endswith("\n\n[Report](https://a.example/report)")
    assert "POST /api/v3/repos/octo/search/issues/7/comments" in forge.requests
    assert "PATCH /api/v3/repos/octo/search/issues/comments/1000" in forge.requests


def test_its_comment_is_found_on_the_third_page(job: Job, forge: Forge) -> None:
    for number in range(75):
        forge.add(f"comment {number}", "somebody")
    forge.add(f"{comment.marker('')}\nold")
    for number in range(9):
        forge.add(f"later {number}", "somebody")
    assert "was updated" in job("new")
    assert forge.texts[75] == "<!-- relyon: -->\nnew"
    assert len(forge.comments) == 85


def test_gates_do_not_overwrite_each_other(job: Job, forge: Forge) -> None:
    titles = ["", "docs", "docs search", "docs-search", "x --> <b>", "x --> <b> ", "文档"]
    for title in titles:
        job(f"text of {title}", title)
    assert len(forge.comments) == len(titles)
    for title in titles:
        job(f"again {title}", title)
    assert len(forge.comments) == len(titles)
    for text, title in zip(forge.texts, titles, strict=True):
        head, _, body = text.partition("\n")
        assert body == f"again {title}".strip()
        assert head.startswith("<!-- relyon:")
        assert head.endswith(" -->")
        assert head.count("--") == 2


@pytest.mark.parametrize("login", ["", "our-robot"])
def test_the_comment_of_a_stranger_is_not_touched(job: Job, forge: Forge, login: str) -> None:
    forge.login = login
    theirs = f"{comment.marker('')}\nI copied this"
    forge.add(theirs, "stranger")
    forge.add(f"look:\n{comment.marker('')}", login or ROBOT)
    assert "was created" in job("mine")
    assert forge.texts[0] == theirs
    assert forge.texts[2].endswith("mine")
    assert "was updated" in job("mine again")
    assert len(forge.comments) == 3


def test_another_robot_is_a_stranger_if_the_token_has_a_name(job: Job, forge: Forge) -> None:
    forge.login = "our-robot"
    forge.add(f"{comment.marker('')}\ntheirs", "another[bot]")
    job("mine")
    assert forge.texts[0].endswith("theirs")
    assert len(forge.comments) == 2


def on(method: str, *replies: Reply | None) -> Callable[[str, str], Reply | None]:
    """Returns answers to the first requests with a method."""
    left = list(replies)

    def answer(asked: str, path: str) -> Reply | None:
        return left.pop(0) if asked == method and not path.endswith("/user") and left else None

    return answer


FORK: Reply = (403, {}, {"message": "Resource not accessible by integration"})
BROKEN: Reply = (502, {}, {"message": "Bad gateway"})


def test_a_fork_is_no_failure(job: Job, forge: Forge) -> None:
    forge.answers = on("POST", FORK)
    said = job("text")
    assert said.startswith("::notice::relyon: the token may not write comments (403 Resource")
    assert "pull-requests: write" in said
    assert forge.count("POST") == 1
    forge.answers = on("POST", FORK)
    assert "令牌无权写评论" in job("text", RELYON_LANG="zh")


def test_a_wrong_token_is_no_failure(job: Job, forge: Forge) -> None:
    said = job("text", GITHUB_TOKEN="ghs_wrong")
    assert said.startswith("::notice::")
    assert "ghs_wrong" not in said


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
def test_failures_of_the_server_are_tried_again(job: Job, forge: Forge, method: str) -> None:
    if method == "PATCH":
        forge.add(f"{comment.marker('')}\nold")
    forge.answers = on(method, BROKEN, BROKEN)
    assert "was" in job("text")
    assert len(forge.comments) == 1
    assert job.pauses == [1.0, 2.0]


def test_a_comment_that_was_created_though_the_server_failed_is_not_doubled(
    job: Job, forge: Forge
) -> None:
    def answer(method: str, path: str) -> Reply | None:
        if method == "POST" and not forge.comments:
            forge.add(f"{comment.marker('')}\ntext")
            return BROKEN
        return None

    forge.answers = answer
    assert "was updated" in job("text")
    assert len(forge.comments) == 1


@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
def test_a_server_that_stays_broken_is_a_warning(job: Job, forge: Forge, method: str) -> None:
    if method == "PATCH":
        forge.add(f"{comment.marker('')}\nold")
    forge.answers = lambda asked, path: BROKEN if asked == method else None
    assert job("text").startswith("::warning::relyon: the comment could not be written (502 Bad")
    assert sum(job.pauses) < 60
    assert len(forge.requests) < 20


def test_a_comment_deleted_meanwhile_is_created_again(job: Job, forge: Forge) -> None:
    forge.add(f"{comment.marker('')}\nold")

    def answer(method: str, path: str) -> Reply | None:
        if method == "PATCH":
            forge.comments.clear()
        return None

    forge.answers = answer
    assert "was created" in job("text")
    assert forge.texts == ["<!-- relyon: -->\ntext"]


@pytest.mark.parametrize(
    "limit",
    [
        (429, {"Retry-After": "7"}, {"message": "slow down"}),
        (403, {"Retry-After": "7"}, {"message": "secondary rate limit"}),
    ],
)
def test_a_limit_of_requests_is_waited_for(job: Job, forge: Forge, limit: Reply) -> None:
    forge.answers = on("GET", limit)
    assert "was created" in job("text")
    assert job.pauses == [7.0]


def test_a_long_limit_is_not_waited_for(job: Job, forge: Forge) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}
    forge.answers = lambda method, path: (403, headers, {"message": "API rate limit exceeded"})
    assert job("text").startswith("::")
    assert job.pauses == []


def test_a_body_that_is_too_long_is_cut_between_paragraphs(job: Job, forge: Forge) -> None:
    folded = "<details><summary>more</summary>\n\n" + "x | y\n\n" * 9000 + "</details>"
    job("### ❌ worse\n\n" + "🔍 paragraph\n\n" * 2000 + folded)
    text = forge.texts[0]
    assert len(text) <= 65_536
    assert "### ❌ worse" in text
    assert "<details>" not in text
    assert text.endswith("*The rest is left out: the comment would be too long.*")


def test_a_refused_body_is_no_failure(job: Job, forge: Forge) -> None:
    forge.longest = 10
    assert "422 Body is too long" in job("text " * 10)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_renamed_repository_is_followed(job: Job, forge: Forge, status: int) -> None:
    def answer(method: str, path: str) -> Reply | None:
        if "/octo/search/" in path:
            target = path.replace("/octo/search/", "/octo/renamed/")
            return status, {"Location": target}, {}
        return None

    forge.answers = answer
    assert "was created" in job("text")
    assert "was updated" in job("text again")
    assert forge.texts == ["<!-- relyon: -->\ntext again"]


def test_no_other_server_is_given_the_token(job: Job, forge: Forge) -> None:
    with serving(Forge()) as other:
        forge.answers = lambda method, path: (302, {"Location": f"{other.url}/x"}, {})
        assert "is another server" in job("text")
        links = {"Link": f'<{other.url}/x>; rel="next"'}
        forge.answers = on("GET", (200, links, {}))
        assert "is another server" in job("text")
        assert other.requests == []


def test_redirects_end(job: Job, forge: Forge) -> None:
    forge.answers = lambda method, path: (302, {"Location": path}, {})
    assert "too many redirects" in job("text")


def test_no_server_is_a_warning(job: Job) -> None:
    said = job("text", GITHUB_API_URL="http://127.0.0.1:9/api")
    assert said.startswith("::warning::")


def test_an_event_without_a_pull_request_has_no_comment(
    job: Job, forge: Forge, tmp_path: Path
) -> None:
    (tmp_path / "push.json").write_text('{"ref": "refs/heads/main"}', "utf-8")
    assert "no pull request" in job("text", GITHUB_EVENT_PATH=str(tmp_path / "push.json"))
    assert "no pull request" in job("text", GITHUB_EVENT_PATH=str(tmp_path / "none.json"))
    assert "no token" in job("text", GITHUB_TOKEN="")
    assert forge.requests == []


def test_messages_are_one_line(job: Job, forge: Forge) -> None:
    forge.answers = on("POST", (400, {}, {"message": f"a\n::error::b {TOKEN}"}))
    said = job("text")
    assert said.count("\n") == 1
    assert "***" in said


def test_a_merge_request_has_one_note(job: Job, forge: Forge) -> None:
    forge.login = "project_12_bot_ab"
    values = {
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_IID": "5",
        "CI_PROJECT_ID": "12",
        "CI_API_V4_URL": forge.url,
        "RELYON_GITLAB_TOKEN": TOKEN,
    }
    assert "was created" in job("first", "docs", **values)
    assert "was updated" in job("second", "docs", **values)
    assert forge.texts == ["<!-- relyon:docs -->\nsecond"]
    assert "PUT /api/v3/projects/12/merge_requests/5/notes/1000" in forge.requests
    assert not job("x", **{**values, "CI_MERGE_REQUEST_IID": ""}).startswith("::")
    job("of a fork", "docs", **values, CI_MERGE_REQUEST_PROJECT_ID="34")
    assert forge.requests[-1].startswith("PUT /api/v3/projects/34/merge_requests/5/notes")
