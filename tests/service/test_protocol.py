"""Requests in every way that segments may cut them; what cannot be read is refused in its turn."""

import asyncio
from collections import deque
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.http.protocol import HEAD_LIMIT, BoundedProtocol
from tests.service.listening import PATIENCE
from tests.service.segments import Conversation, converse, cut, posted, read_answers, request, told
from tests.sizes import size

pytestmark = pytest.mark.usefixtures("quiet")

PLAIN: Final = request()
LETTERS: Final = 100_000
LARGE: Final = posted(LETTERS)


def head_of(octets: int) -> bytes:
    """A request whose head has so many bytes, and which has no body."""
    empty = request("GET", "/plain", "X-Long: ")
    return request("GET", "/plain", f"X-Long: {'y' * (octets - len(empty))}")


def test_the_head_behind_a_large_body_in_one_segment_is_counted_alone() -> None:
    assert told(converse(LARGE + PLAIN)) == [LETTERS, "plain"]
    assert told(converse(LARGE + PLAIN[:20], PLAIN[20:])) == [LETTERS, "plain"]
    assert told(converse(LARGE + LARGE + PLAIN + LARGE)) == [LETTERS, LETTERS, "plain", LETTERS]


@pytest.mark.parametrize("before", [b"", LARGE, posted(LETTERS, chunk=30_000), b"\r\n\r\n"])
@pytest.mark.parametrize("step", [None, 1_000])
def test_a_head_has_its_limit_to_the_byte(before: bytes, step: int | None) -> None:
    begun = told(converse(before)) if before.strip() else []
    blank = 0 if before.strip() else len(before)  # empty lines before a request belong to its head
    for octets, expected in ((HEAD_LIMIT, "plain"), (HEAD_LIMIT + 1, "head-too-large")):
        data = before + head_of(octets - blank)
        segments = cut(data, range(0, len(data), step)) if step else [data]
        assert told(converse(*segments)) == [*begun, expected]


def test_a_head_without_end_is_refused_after_the_answers_before_it_and_read_no_further() -> None:
    answers = converse(PLAIN + LARGE + b"GET / HTTP/1.1\r\nX: " + b"y" * 200_000, b"y" * 200_000, PLAIN)
    assert told(answers) == ["plain", LETTERS, "head-too-large"]
    refused = answers[-1]
    assert refused.status == 431
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.headers["connection"] == "close"
    assert refused.headers["x-request-id"] == "request"
    assert refused.headers["x-content-type-options"] == "nosniff"
    assert b'"limit":65536' in refused.body


@pytest.mark.parametrize("late", [b"1" + b";x" * 100_000, b"0\r\n" + b"X-Late: yyyyyyyy\r\n" * 10_000])
def test_what_surrounds_the_chunks_of_a_body_has_the_same_limit(late: bytes) -> None:
    begun = request("POST", "/length", "Content-Type: application/json", "Transfer-Encoding: chunked")
    answers = converse(PLAIN + begun, *cut(late, range(0, len(late), 10_000)))
    assert told(answers) == ["plain", "head-too-large"]


def test_trailers_are_no_headers() -> None:
    chunks = posted(10, chunk=5)
    late = chunks.replace(b"X-Late: 1", b"Host: second\r\nAccept: text/html\r\nX-Request-Id: late")
    assert told(converse(late + PLAIN)) == [10, "plain"]


@pytest.mark.parametrize(
    "broken",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GARBAGE\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/1.1\nHost: x\n\n",
        request("GET", "/\xff"),
        request("GET", "/plain", "Content-Length: 1", "Content-Length: 2"),
        request("GET", "/plain", "Content-Length: 1", "Transfer-Encoding: chunked"),
        request("GET", "/plain", "Transfer-Encoding: chunked, gzip"),
        request("CONNECT", "cards.example:443"),
        request("CONNECT", "/plain"),
        request("GET", "/plain", "No colon"),
    ],
)
def test_what_is_not_http_is_refused_with_a_problem_after_the_answers_before_it(broken: bytes) -> None:
    for segments in (
        [PLAIN + LARGE + broken + PLAIN],
        [PLAIN, LARGE, *(bytes([one]) for one in broken), PLAIN],
    ):
        answers = converse(*segments)
        assert told(answers) == ["plain", LETTERS, "malformed-request"]
        assert answers[-1].status == 400
        assert answers[-1].headers["connection"] == "close"


@pytest.mark.parametrize("step", [None, 1])
def test_a_body_that_breaks_off_in_nonsense_is_refused_and_never_taken_for_a_whole_one(
    step: int | None,
) -> None:
    begun = request("POST", "/length", "Content-Type: application/json", "Transfer-Encoding: chunked")
    data = PLAIN + begun + b'c\r\n{"text":"a"}\r\nzz\r\n' + PLAIN
    segments = cut(data, range(0, len(data), step)) if step else [data]
    answers = converse(*segments)
    assert told(answers) == ["plain", "malformed-request"]
    assert answers[-1].headers["connection"] == "close"


def test_an_answer_that_needs_no_body_is_given_though_the_body_is_nonsense() -> None:
    answers = converse(request("GET", "/plain", "Transfer-Encoding: chunked", body=b"zz\r\n\r\n") + PLAIN)
    assert told(answers) == ["plain"]


PARTS: Final[dict[str, tuple[bytes, str | int]]] = {
    "plain": (PLAIN, "plain"),
    "body": (posted(3), 3),
    "chunks of a byte": (posted(0, chunk=1), 0),
    "chunks": (posted(40, chunk=7), 40),
    "expected": (posted(3, "Expect: 100-continue"), 3),
    "absolute": (request("GET", "http://other.example/plain"), "plain"),
    "empty line": (b"\r\n" + PLAIN, "plain"),
}
ENDS: Final[dict[str, tuple[bytes, list[str]]]] = {
    "nothing": (b"", []),
    "too long": (head_of(HEAD_LIMIT + 5)[:-4], ["head-too-large"]),
    "no target": (b"GET /\x00 HTTP/1.1\r\n\r\n", ["malformed-request"]),
}


@settings(max_examples=size(60, 3_000), deadline=None)
@given(
    st.lists(st.sampled_from(sorted(PARTS)), min_size=1, max_size=6),
    st.sampled_from(sorted(ENDS)),
    st.lists(st.integers(0, 1 << 20), max_size=30),
    st.sampled_from([0, 1, 2, 50]),
)
def test_answers_do_not_depend_on_how_requests_are_cut(
    parts: list[str], end: str, places: list[int], step: int
) -> None:
    sent = b"".join(PARTS[part][0] for part in parts)
    broken, refused = ENDS[end]
    regular = range(0, len(sent), step) if step else ()
    answers = converse(*cut(sent + broken, [*places, *regular]))
    assert told(answers) == [*(PARTS[part][1] for part in parts), *refused]


@pytest.mark.anyio
async def test_after_a_refusal_the_connection_is_read_until_the_client_has_heard_it() -> None:
    async with asyncio.timeout(PATIENCE):
        one = Conversation()
        await one.send(b"GARBAGE\r\n\r\n")
        assert told(await one.answers()) == ["malformed-request"]
        assert one.line.ended
        assert not one.line.closed
        await one.send(*[b"y" * 65_536] * 20)
        assert len(read_answers(bytes(one.line.written))) == 1
        one.end()


class Asked:
    """A request that waits for its answer, and how often all of them were looked at."""

    looks = 0

    @property
    def response_complete(self) -> bool:
        Asked.looks += 1
        return False


def test_a_request_costs_the_same_however_many_wait_before_it() -> None:
    line = object.__new__(BoundedProtocol)
    line._unanswered = deque()
    for _ in range(1000):
        line.cycle = Asked()  # type: ignore[assignment]  # it is asked for nothing else
        line._remember()
    assert len(line._unanswered) == 1000
    assert Asked.looks <= 1000


def test_blanks_behind_a_value_are_no_part_of_it() -> None:
    for blanks in (b" ", b"\t", b" \t "):
        asked = b"GET /plain HTTP/1.1\r\nHost: x" + blanks + b"\r\nX-Request-Id: abc" + blanks + b"\r\n\r\n"
        [answer] = converse(asked)
        assert (told([answer]), answer.headers["x-request-id"]) == (["plain"], "abc")
