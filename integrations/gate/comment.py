"""Puts a text on a pull request of GitHub or a merge request of GitLab, as one comment.

    python comment.py BODY.md [--title TITLE] [--link URL]

The comment begins with a hidden line that names its title. A later run finds it and replaces its
text, so that there is one comment per title. Only a comment of the same author is replaced.

On GitHub Actions the token comes from GITHUB_TOKEN, on GitLab CI from RELYON_GITLAB_TOKEN, with
which notes can be written; all else comes from the variables of the job. A token that may not
write, such as that of a fork, is no failure: the exit code is 0 unless the arguments are wrong.
It needs nothing but Python's standard library.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Protocol

#: The longest comments, in UTF-16 units, of which a character has one or two.
LONGEST = {"GitHub": 65_536, "GitLab": 1_000_000}
TRIES = 4
#: The longest wait that a server may ask for, in seconds.
PATIENCE = 60.0
#: A repository that was renamed sends to its new name.
REDIRECTS = 5
TEXTS = {
    "en": {
        "cut": "*The rest is left out: the comment would be too long.*",
        "report": "Report",
        "no-request": "this is no pull request: there is no comment, only the summary of the job",
        "created": "the comment was created: {url}",
        "updated": "the comment was updated: {url}",
        "refused": "the token may not write comments ({reason}): read the summary of the job. "
        "Pull requests from forks have such tokens; for others add `permissions: "
        "pull-requests: write`",
        "failed": "the comment could not be written ({reason}): read the summary of the job",
        "no-token": "there is no token for comments: read the summary of the job",
    },
    "zh": {
        "cut": "*其余略去：评论放不下。*",
        "report": "报告",
        "no-request": "这不是合并请求：没有评论，只有任务的摘要",
        "created": "已写评论：{url}",
        "updated": "已更新评论：{url}",
        "refused": "令牌无权写评论（{reason}）：请看任务的摘要。派生仓库的合并请求只有这样的令牌；"
        "其他情况请加上 `permissions: pull-requests: write`",
        "failed": "评论没有写成（{reason}）：请看任务的摘要",
        "no-token": "没有写评论的令牌：请看任务的摘要",
    },
}


class RefusedError(Exception):
    """The token may not do this."""


class FailedError(Exception):
    """The server did not do it; another try may help, after `wait` seconds if it says so."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class GoneError(FailedError):
    """There is no such comment."""


@dataclass(frozen=True)
class Answer:
    """The JSON of an answer, and the address of the next page; empty on the last."""

    value: object
    following: str


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


class Client:
    """Requests to one server with a token, which goes to no other and is in no message."""

    def __init__(
        self,
        root: str,
        headers: Mapping[str, str],
        secret: str,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        self.root = root.rstrip("/")
        self._headers = dict(headers)
        self._secret = secret
        self._pause = pause
        self._open = urllib.request.build_opener(_NoRedirects).open

    def request(self, method: str, path: str, payload: object = None, tries: int = TRIES) -> Answer:
        """Returns an answer; a request that failed for a moment is tried again.

        Raises:
            RefusedError: If the token may not do it.
            FailedError: If the server fails.
        """
        for number in range(tries):
            try:
                return self._once(method, self._address(path), payload)
            except GoneError:
                raise
            except FailedError as error:
                self.rest(error, number, tries)
        raise FailedError(path)

    def rest(self, error: FailedError, number: int, tries: int = TRIES) -> None:
        """Waits before another try, or raises the error again if that makes no sense."""
        wait = 2.0**number if error.wait is None else error.wait
        if number + 1 == tries or wait > PATIENCE:
            raise error
        self._pause(wait)

    def _address(self, path: str) -> str:
        """Returns an address of this server; the token goes to no other."""
        url = path if "://" in path else self.root + path
        if _origin(url) != _origin(self.root):
            raise FailedError(f"{_origin(url)} is another server")
        return url

    def _once(self, method: str, url: str, payload: object) -> Answer:
        data = None if payload is None else json.dumps(payload).encode()
        for _ in range(REDIRECTS):
            request = urllib.request.Request(url, data, self._headers, method=method)
            try:
                with self._open(request, timeout=30) as found:
                    text = found.read().decode("utf-8", "replace")
                    links = found.headers.get("Link") or ""
            except urllib.error.HTTPError as error:
                with error:
                    target = error.headers.get("Location") if 300 <= error.code < 400 else None
                    if target is None:
                        raise self._fault(error) from None
                url = self._address(urllib.parse.urljoin(url, target))
                continue
            except (OSError, ValueError) as error:
                raise FailedError(self._hidden(str(getattr(error, "reason", error)))) from None
            try:
                return Answer(json.loads(text) if text.strip() else None, _following(links))
            except ValueError:
                raise FailedError("the answer is not JSON") from None
        raise FailedError("too many redirects")

    def _fault(self, error: urllib.error.HTTPError) -> Exception:
        """Returns what an error of the server means: wait, give up, or the token is too weak."""
        try:
            said = json.loads(error.read().decode("utf-8", "replace"))
            text = str(said.get("message") or said.get("error") or "")
        except (ValueError, AttributeError, OSError):
            text = ""
        reason = self._hidden(f"{error.code} {text}".strip())
        wait = _wait(error.headers)
        if error.code == 429 or (error.code == 403 and wait is not None):
            return FailedError(reason, wait)
        if error.code in {404, 410}:
            return GoneError(reason)
        return FailedError(reason) if error.code >= 500 else RefusedError(reason)

    def _hidden(self, text: str) -> str:
        text = " ".join(text.split())[:300]
        return text.replace(self._secret, "***") if self._secret else text


def _origin(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def _wait(headers: Message) -> float | None:
    """Returns the seconds until a limit of requests ends, None without one."""
    asked, left = headers.get("Retry-After"), headers.get("X-RateLimit-Remaining")
    if asked and asked.isdigit():
        return float(asked)
    reset = headers.get("X-RateLimit-Reset") or ""
    if left == "0":
        return max(0.0, float(reset) - time.time()) if reset.isdigit() else PATIENCE + 1
    return None


def _following(links: str) -> str:
    found = re.search(r'<([^<>]+)>[^<]*?;\s*rel="?next"?', links)
    return found[1] if found else ""


@dataclass(frozen=True)
class Comment:
    """A comment that exists: its number, text and author, and whether that is a program."""

    key: int
    text: str
    author: str
    robot: bool


class Host(Protocol):
    """Comments of one request on one server."""

    name: str
    client: Client

    def author(self) -> str: ...  # whose token it is; empty if the server does not say

    def comments(self) -> Iterator[Comment]: ...  # the oldest first

    def create(self, text: str) -> str: ...  # its address

    def update(self, comment: Comment, text: str) -> str: ...  # its address


class _Comments:
    def __init__(self, client: Client, path: str, one: str, method: str) -> None:
        self.client = client
        self._path = path
        self._one = one
        self._method = method

    def _pages(self) -> Iterator[dict[str, object]]:
        path = f"{self._path}?per_page=100"
        for _ in range(1000):
            answer = self.client.request("GET", path)
            yield from (one for one in _list(answer.value) if isinstance(one, dict))
            if not answer.following:
                return
            path = answer.following

    def _user(self, key: str) -> str:
        try:
            return str(_field(self.client.request("GET", "/user").value, key))
        except (RefusedError, GoneError):
            return ""

    def create(self, text: str) -> str:
        # A second POST could write a second comment: the caller looks first.
        return _url(self.client.request("POST", self._path, {"body": text}, tries=1))

    def update(self, comment: Comment, text: str) -> str:
        path = f"{self._one}/{comment.key}"
        return _url(self.client.request(self._method, path, {"body": text}))


class GitHub(_Comments):
    """A pull request on GitHub or a server of GitHub Enterprise."""

    name = "GitHub"

    def __init__(self, client: Client, repository: str, number: int) -> None:
        root = f"/repos/{urllib.parse.quote(repository)}/issues"
        super().__init__(client, f"{root}/{number}/comments", f"{root}/comments", "PATCH")

    def author(self) -> str:
        return self._user("login")

    def comments(self) -> Iterator[Comment]:
        for one in self._pages():
            user = one.get("user")
            name, kind = _field(user, "login"), _field(user, "type")
            yield Comment(int(str(one["id"])), str(one.get("body") or ""), name, kind == "Bot")


class GitLab(_Comments):
    """A merge request on GitLab."""

    name = "GitLab"

    def __init__(self, client: Client, project: str, number: int) -> None:
        path = f"/projects/{urllib.parse.quote(project, safe='')}/merge_requests/{number}/notes"
        super().__init__(client, path, path, "PUT")

    def author(self) -> str:
        return self._user("username")

    def comments(self) -> Iterator[Comment]:
        for one in self._pages():
            name = _field(one.get("author"), "username")
            robot = name.startswith(("project_", "group_")) and "_bot" in name
            yield Comment(int(str(one["id"])), str(one.get("body") or ""), name, robot)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _field(value: object, key: str) -> str:
    return str(value.get(key) or "") if isinstance(value, dict) else ""


def _url(answer: Answer) -> str:
    return _field(answer.value, "html_url") or f"#{_field(answer.value, 'id')}"


def marker(title: str) -> str:
    """Returns the hidden first line of the comment with a title."""
    return f"<!-- relyon:{urllib.parse.quote(title, safe=' /@').replace('--', '%2D%2D')} -->"


def fitting(text: str, longest: int, cut: str) -> str:
    """Returns a text of at most so many UTF-16 units, which ends between two paragraphs."""
    if _units(text) <= longest:
        return text
    kept, whole, opened, fenced = "", "", 0, False
    for part in text.split("\n\n"):
        longer = f"{kept}\n\n{part}" if kept else part
        if _units(longer) + _units(cut) + 2 > longest:
            break
        kept = longer
        opened += part.count("<details>") - part.count("</details>")
        fenced ^= len(re.findall(r"^`{3,}", part, re.M)) % 2 == 1
        if not opened and not fenced:
            whole = kept
    return f"{whole}\n\n{cut}"


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "replace")) // 2


def put(host: Host, title: str, body: str, cut: str) -> tuple[str, str]:
    """Creates or updates the comment with a title, and returns which, and its address."""
    mark = marker(title)
    text = fitting(f"{mark}\n{body}", LONGEST[host.name], cut)
    mine = host.author()
    for number in range(TRIES):
        try:
            known = list(host.comments())
        except GoneError as error:
            raise RefusedError(str(error)) from None
        found = next((one for one in known if _is_ours(one, mark, mine)), None)
        try:
            if found is None:
                return "created", host.create(text)
            return "updated", host.update(found, text)
        except FailedError as error:
            if found is not None and not isinstance(error, GoneError):
                raise
            # It is gone, or it is unknown whether it was created: look again.
            host.client.rest(error, number)
    raise FailedError(title)


def _is_ours(one: Comment, mark: str, author: str) -> bool:
    """Returns whether a comment has the title, and the author; a job's own token has no name."""
    if one.text.split("\n", 1)[0].strip() != mark:
        return False
    return one.author == author if author else one.robot


def host_of(environment: Mapping[str, str], pause: Callable[[float], object]) -> Host | str:
    """Returns where to write from the variables of a job, or why there is nothing to write to."""
    if environment.get("GITLAB_CI"):
        number, token = environment.get("CI_MERGE_REQUEST_IID"), "RELYON_GITLAB_TOKEN"
    else:
        number, token = _pull_request(environment), "GITHUB_TOKEN"
    if not number:
        return "no-request"
    secret = environment.get(token, "").strip()
    if not secret:
        return "no-token"
    shared = {"User-Agent": "relyon", "Content-Type": "application/json"}
    if environment.get("GITLAB_CI"):
        headers = {**shared, "PRIVATE-TOKEN": secret}
        client = Client(environment["CI_API_V4_URL"], headers, secret, pause)
        # The merge request of a fork belongs to the project that it goes to.
        project = environment.get("CI_MERGE_REQUEST_PROJECT_ID") or environment["CI_PROJECT_ID"]
        return GitLab(client, project, int(number))
    headers = {
        **shared,
        "Accept": "application/vnd.github+json",
        "Authorization": f"Bearer {secret}",
    }
    root = environment.get("GITHUB_API_URL") or "https://api.github.com"
    client = Client(root, headers, secret, pause)
    return GitHub(client, environment["GITHUB_REPOSITORY"], int(number))


def _pull_request(environment: Mapping[str, str]) -> str:
    """Returns the number of the pull request that the event of a job is about."""
    try:
        event = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    except (KeyError, OSError, ValueError):
        return ""
    found = event.get("pull_request") if isinstance(event, dict) else None
    number = _field(found, "number")
    return number if number.isdigit() else ""


def main(
    arguments: list[str],
    environment: Mapping[str, str],
    pause: Callable[[float], object] = time.sleep,
) -> int:
    """Writes the comment, and returns the exit code."""
    parser = argparse.ArgumentParser(prog="comment.py", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("body", type=Path)
    parser.add_argument("--title", default="")
    parser.add_argument("--link", default="")
    asked = parser.parse_args(arguments)
    language = environment.get("RELYON_LANG", "en")
    texts = TEXTS.get(language, TEXTS["en"])
    body = asked.body.read_text("utf-8").strip()
    if asked.link:
        body += f"\n\n[{texts['report']}]({asked.link})"
    host = host_of(environment, pause)
    if isinstance(host, str):
        _tell("notice", texts[host], environment)
        return 0
    try:
        done, url = put(host, asked.title, body, texts["cut"])
    except RefusedError as error:
        _tell("notice", texts["refused"].format(reason=error), environment)
    except FailedError as error:
        _tell("warning", texts["failed"].format(reason=error), environment)
    else:
        print(texts[done].format(url=url))
    return 0


def _tell(level: str, text: str, environment: Mapping[str, str]) -> None:
    """Prints a line; GitHub shows it on the page of the job."""
    if environment.get("GITLAB_CI"):
        print(text)
        return
    for sign, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(sign, code)
    print(f"::{level}::relyon: {text}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
