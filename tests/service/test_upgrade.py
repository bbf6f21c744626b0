"""An offer to upgrade is ignored: the request is answered as the HTTP/1.1 request that it is."""

import re
import socket
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.service.segments import converse, cut, posted, read_answers, request, told
from tests.service.serving import serving
from tests.sizes import size

pytestmark = pytest.mark.usefixtures("quiet")

H2C: Final = (
    "Connection: Upgrade, HTTP2-Settings",
    "Upgrade: h2c",
    "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
)
WEBSOCKET: Final = (
    "Connection: keep-alive, Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)
OFFERS: Final = {"h2c": H2C, "websocket": WEBSOCKET, "both": (*H2C, *WEBSOCKET)}


@pytest.mark.parametrize("offer", OFFERS)
@pytest.mark.parametrize("step", [None, 1, 60])
@pytest.mark.parametrize("chunk", [None, 4])
def test_a_body_behind_an_offer_is_read_and_the_next_request_too(
    offer: str, step: int | None, chunk: int | None
) -> None:
    offering = posted(30, *OFFERS[offer], chunk=chunk)
    data = offering + posted(5) + offering + request("GET", "/plain", *OFFERS[offer]) + posted(6, chunk=2)
    segments = cut(data, range(0, len(data), step)) if step else [data]
    assert told(converse(*segments)) == [30, 5, 30, "plain", 6]


@pytest.mark.parametrize("offer", OFFERS)
def test_who_offers_may_wait_to_be_told_to_go_on(offer: str) -> None:
    head, end, body = posted(7, *OFFERS[offer], "Expect: 100-continue").partition(b"\r\n\r\n")
    answers = converse(head + end, body + request())
    assert [answer.status for answer in answers] == [100, 200, 200]
    assert told(answers) == [7, "plain"]


def test_who_offers_may_ask_for_the_end_of_the_connection() -> None:
    offer = ("Connection: close, Upgrade", "Upgrade: h2c")
    for version in ("1.0", "1.1"):
        answers = converse(request("GET", "/plain", *offer, version=version))
        assert told(answers) == ["plain"]
        assert answers[0].headers["connection"] == "close"


@settings(max_examples=size(40, 2_000), deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["none", *OFFERS]), st.sampled_from([None, 1, 9])), min_size=1, max_size=5
    ),
    st.lists(st.integers(0, 1 << 20), max_size=20),
)
def test_offers_are_ignored_however_they_are_cut(
    kinds: list[tuple[str, int | None]], places: list[int]
) -> None:
    sent = b"".join(posted(12, *OFFERS.get(offer, ()), chunk=chunk) for offer, chunk in kinds)
    assert told(converse(*cut(sent, places))) == [12] * len(kinds)


def test_the_server_answers_who_offers(sqlite_url: str) -> None:
    body = b'{"cards":["AS","2S","3S"],"melds":[["AS","2S","3S"]]}'
    fields = ("Content-Type: application/json", f"Content-Length: {len(body)}")
    with serving(sqlite_url) as server:
        host, port = re.findall(r"//(.+):(\d+)", server.base)[0]
        for offer in OFFERS.values():
            asked = [
                request("POST", "/v1/melds/check", *fields, *offer, body=body),
                request("GET", "/healthz", *offer),
                request("GET", "/healthz", "Connection: close"),
            ]
            with socket.create_connection((host, int(port))) as line:
                line.sendall(b"".join(asked))
                written = b"".join(iter(lambda line=line: line.recv(65_536), b""))  # type: ignore[misc]
            answers = read_answers(written)
            assert [answer.status for answer in answers] == [200, 200, 200]
            assert b'"deadwood":0' in answers[0].body
