"""Users who do not follow a click model are noticed; its own users hardly ever are."""

from __future__ import annotations

import pytest
from tests.honest.rows import row

from relyon.labels import Crowd, check_fit, models, read_clicks, simulate
from relyon.labels.log import ClickLog

CLAIM = "label-model-fit"
#: Sessions, queries and repetitions.
SIZES = {2_000: (20, 40), 20_000: (20, 20)}
OWN = "at most 5% warned"
OTHERS = "a warning"


def drawn(users: str, sessions: int, queries: int, seed: int) -> ClickLog:
    run = {f"q{one}": {f"d{doc}": 10.0 - doc for doc in range(10)} for one in range(queries)}
    return read_clicks(
        simulate(run, None, users, sessions=sessions, seed=seed, crowd=Crowd(swap=0.3)).log
    )


def share_warned(users: str, labels: str, sessions: int) -> tuple[float, int]:
    queries, repeats = SIZES[sessions]
    if users == labels == "ubm":
        repeats = 50  # its checks are the most liberal: enough to tell 5% from more
    warned = 0
    for seed in range(repeats):
        log = drawn(users, sessions, queries, seed)
        warned += bool(check_fit(models.get(labels)().fit(log), log).notes)
    return warned / repeats, repeats


@pytest.mark.parametrize("sessions", SIZES)
@pytest.mark.parametrize("users", ["pbm", "ubm", "dbn", "ccm"])
def test_own_users(users: str, sessions: int) -> None:
    found, repeats = share_warned(users, users, sessions)
    case = f"{users.upper()} users and labels, {sessions:,} sessions"
    # One more than one in twenty is no surprise.
    row(CLAIM, case, found, repeats, promise=OWN, most=0.05 if repeats > 20 else 0.1)


@pytest.mark.parametrize("sessions", SIZES)
@pytest.mark.parametrize(
    ("users", "labels"), [("dbn", "pbm"), ("pbm", "dbn"), ("ubm", "pbm"), ("ubm", "dbn")]
)
def test_other_users(users: str, labels: str, sessions: int) -> None:
    found, repeats = share_warned(users, labels, sessions)
    case = f"{users.upper()} users, {labels.upper()} labels, {sessions:,} sessions"
    says = "users do not follow the model"
    row(CLAIM, case, found, repeats, promise=OTHERS, least=0.95, assumption=False, says=says)
