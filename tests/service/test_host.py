"""HTTP/1.1 wants one valid Host (RFC 9112, section 3.2)."""

import io
from typing import Final

import msgspec
import pytest

from service.http.log import configure
from tests.service.segments import converse, posted, request, told

pytestmark = pytest.mark.usefixtures("quiet")

GOOD: Final = (
    "cards.example",
    "cards.example:8000",
    "cards.example:",
    "CARDS-1.example.",
    "_x~!$&'()*+,;=%C3%A9",
    "127.0.0.1:80",
    "[::1]",
    "[2001:db8::1.2.3.4]:443",
    "[v1.a:b]",
    "",
    ":80",
)
BAD: Final = (
    "two words",
    "http://cards.example",
    "cards.example/path",
    "user@cards.example",
    "cards.example:eighty",
    "cards.example:80:80",
    "cards.example?x",
    "cards.example#x",
    "a%zz",
    "a%2",
    "::1",
    "[::1",
    "[]",
    "[::1]x",
    "[x]",
    "h\xf6st",
    "a\tb",
    '"a"',
    "a\\b",
    "a, b",
)


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_one_valid_host_is_taken(version: str) -> None:
    for host in GOOD:
        assert told(converse(request(host=host, version=version))) == ["plain"], host


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_an_invalid_host_and_a_second_one_are_refused_and_the_next_request_is_answered(version: str) -> None:
    keep = () if version == "1.1" else ("Connection: keep-alive",)
    for host in BAD:
        answers = converse(request("GET", "/plain", *keep, host=host, version=version), request())
        assert told(answers)[0] == "host-invalid", host
        assert told(answers)[1:] == (["plain"] if version == "1.1" else []), host
    for second in ("Host: x", "host: y", "HOST:"):
        refused = converse(request("GET", "/plain", second, version=version))
        assert told(refused) == ["host-invalid"]


def test_a_host_may_be_missing_from_http_1_0_alone() -> None:
    assert told(converse(request(host=None, version="1.0"))) == ["plain"]
    for target in ("/plain", "http://cards.example/plain"):
        assert told(converse(request(target=target, host=None) + posted(3))) == ["host-invalid", 3]
        assert told(converse(request(target=target, host="other.example"))) == ["plain"]
    assert told(converse(request(host="http://cards.example"), posted(3))) == ["host-invalid", 3]


def test_the_body_of_a_request_without_host_is_not_taken_for_a_request() -> None:
    inner = request()
    fields = ("Content-Type: application/json", f"Content-Length: {len(inner)}")
    data = request("POST", "/length", *fields, host=None, body=inner)
    assert told(converse(data + request())) == ["host-invalid", "plain"]


def test_the_refusal_has_the_usual_headers_and_a_line_in_the_log() -> None:
    stream = io.BytesIO()
    configure(stream)
    answers = converse(
        request("GET", "/plain", "X-Request-Id: mine", host=None), request("HEAD", "/plain", host=None)
    )
    get, head = answers[0], answers[1]
    assert get.status == head.status == 400
    for answer in answers:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert get.headers["x-request-id"] == "mine"
    assert msgspec.json.decode(get.body)["instance"] == "urn:request:mine"
    assert head.body == b""
    lines = [msgspec.json.decode(line) for line in stream.getvalue().splitlines()]
    assert [(line["method"], line["status"]) for line in lines] == [("GET", 400), ("HEAD", 400)]
