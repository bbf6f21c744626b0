"""What every endpoint shares: methods, headers, formats, ids and the log."""

import base64
import hashlib
import io
from collections.abc import Iterator

import msgspec
import pytest

from service.contract import example_service
from service.http import application
from service.http.decoding import decode
from service.http.etag import matches
from service.http.log import configure
from service.http.negotiation import acceptable
from service.http.problems import Code, Problem
from service.http.rules import Overrides
from tests.calling import JSON, Caller, calling


@pytest.mark.parametrize(
    ("path", "allow"),
    [
        ("/v1/melds", "GET, HEAD, OPTIONS, POST"),
        ("/v1/scores", "OPTIONS, POST"),
        ("/healthz", "GET, HEAD, OPTIONS"),
        ("/problems/busy", "GET, HEAD, OPTIONS"),
        ("/docs", "GET, HEAD, OPTIONS"),
    ],
)
def test_options_and_405_list_every_method(path: str, allow: str, call: Caller) -> None:
    options = call("OPTIONS", path)
    assert (options.status_code, options.content) == (204, b"")
    assert options.headers["allow"] == allow
    refused = call("DELETE", path)
    assert (refused.status_code, refused.headers["allow"]) == (405, allow)
    assert refused.json()["code"] == "method-not-allowed"


@pytest.mark.parametrize(
    "path", ["/healthz", "/v1/rulesets", "/v1/melds?cards=AS", "/openapi.json", "/docs", "/no/such/thing"]
)
def test_head_is_get_without_its_body(path: str, call: Caller) -> None:
    get, head = call("GET", path), call("HEAD", path)
    assert head.content == b""
    for name in ("content-type", "content-length", "etag", "cache-control"):
        if get.is_success or name == "content-type":
            assert head.headers.get(name) == get.headers.get(name)
    assert head.status_code == get.status_code


@pytest.mark.parametrize(
    "path", ["/docs/", "//v1/rulesets", "/v1//rulesets", "/v1/rulesets/", "/v1%2frulesets"]
)
def test_an_address_has_one_form(path: str, call: Caller) -> None:
    refused = call("GET", path)
    assert (refused.status_code, refused.json()["code"]) == (404, "not-found")


def test_head_of_what_can_only_be_posted(call: Caller) -> None:
    assert call("HEAD", "/v1/scores").status_code == 405


@pytest.mark.parametrize(
    ("given", "kept"),
    [("abc-123", True), ("x" * 64, True), ("x" * 65, False), ("a b", False), ("", False)],
)
def test_a_request_id_is_kept_if_it_is_plain(given: str, kept: bool, call: Caller) -> None:  # noqa: FBT001
    answer = call("GET", "/healthz", headers={"X-Request-Id": given})
    assert (answer.headers["x-request-id"] == given) is kept


def test_every_answer_protects_itself(call: Caller) -> None:
    for method, path in (
        ("GET", "/healthz"),
        ("GET", "/nothing"),
        ("PUT", "/healthz"),
        ("POST", "/v1/melds"),
    ):
        headers = call(method, path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert headers["cache-control"] == "no-store"


def test_the_page_of_the_documentation_needs_no_other_host(call: Caller) -> None:
    page = call("GET", "/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "http" not in page.text
    policy = page.headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "http" not in policy
    assert "unsafe" not in policy
    style = page.text.split("<style>")[1].split("</style>")[0]
    assert base64.b64encode(hashlib.sha256(style.encode()).digest()).decode() in policy
    script = call("GET", "/docs/redoc.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert "//cdn." not in script.text
    assert call("GET", "/docs/redoc.js", headers={"If-None-Match": script.headers["etag"]}).status_code == 304


def test_the_contract_is_served_as_it_was_given(call: Caller) -> None:
    answer = call("GET", "/openapi.json")
    assert (answer.headers["content-type"], answer.content) == ("application/json", b"{}")


@pytest.mark.parametrize(
    ("accept", "media_type", "allowed"),
    [
        (None, "application/json", True),
        ("*/*", "application/json", True),
        ("application/*", "application/json", True),
        ("text/html, application/json;q=0.1", "application/json", True),
        ("application/json; q=0.000", "application/json", False),
        ("application/json;q=0, */*", "application/json", False),
        ("application/*;q=0, application/json", "application/json", True),
        ("text/html", "application/json", False),
        ("TEXT/HTML", "text/html", True),
        ("application/problem+json", "application/json", False),
    ],
)
def test_the_closest_media_range_decides(accept: str | None, media_type: str, allowed: bool) -> None:  # noqa: FBT001
    assert acceptable(accept, media_type) is allowed


@pytest.mark.parametrize(
    ("if_none_match", "known"),
    [
        (None, False),
        ('"a"', True),
        ('W/"a"', True),
        ('"b", W/"a"', True),
        ("*", True),
        ('"b"', False),
        ("a", False),
        ('"a', False),
        ('"a,b"', False),
    ],
)
def test_entity_tags_are_compared_weakly(if_none_match: str | None, known: bool) -> None:  # noqa: FBT001
    assert matches(if_none_match, '"a"') is known
    assert matches(if_none_match, 'W/"a"') is known


def test_a_whole_number_may_be_written_with_a_point() -> None:
    assert decode(b'{"target": 50.0}', Overrides).target == 50
    with pytest.raises(Problem) as refused:
        decode(b'{"target": 50.5}', Overrides)
    assert refused.value.code is Code.BODY_INVALID


@pytest.mark.parametrize("body", [b'{"a":1,"a":1}', b'{"target":5,"target":5}'])
def test_a_name_given_twice_is_refused(body: bytes) -> None:
    with pytest.raises(Problem):
        decode(body, Overrides)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Caller, io.BytesIO]]:
    stream = io.BytesIO()
    configure(stream)

    def fail(*_: object) -> None:
        raise RuntimeError("7H") from ValueError("gst_secret")

    with example_service() as service, calling(service) as caller:
        monkeypatch.setattr(application, "acceptable", fail)
        yield caller, stream


def test_the_log_has_one_line_a_request_and_nothing_it_held(log: tuple[Caller, io.BytesIO]) -> None:
    call, stream = log
    answer = call(
        "POST", "/v1/melds?cards=AS", headers={**JSON, "Authorization": "Bearer gst_x"}, content=b'["7H"]'
    )
    assert answer.status_code == 500
    assert set(answer.json()) == {"type", "title", "status", "code", "detail", "instance"}
    failed, line = (msgspec.json.decode(text) for text in stream.getvalue().splitlines())
    assert line | {"ms": 0, "at": ""} == {
        "event": "request",
        "request_id": answer.headers["x-request-id"],
        "method": "POST",
        "route": "/v1/melds",
        "status": 500,
        "ms": 0,
        "at": "",
    }
    assert failed["errors"] == ["RuntimeError", "ValueError"]
    assert failed["frames"][0].startswith("service/http/application.py:")
    for held in (b"7H", b"gst_", b"cards=", b"secret"):
        assert held not in stream.getvalue()
        assert held not in answer.content
