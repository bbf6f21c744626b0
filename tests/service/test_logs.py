"""What the service writes about itself holds nothing that a player may not know, nor a key to it."""

import random
from typing import Any

import httpx
import msgspec
import pytest

from tests.service.knowledge import CARD, forms
from tests.service.players import choose, play_out
from tests.service.serving import SECRETS, serving
from tests.service.table_talk import BOT, OTHER_SECRET, SECRET, SELVES, Answer, House, Party, house, ok

TEXT = "the seed of this evening"
FIELDS = {"event", "request_id", "method", "route", "status", "ms", "at", "errors", "frames", "level", "jobs"}


@pytest.mark.anyio
@pytest.mark.parametrize("shuffle", [{"mode": "server"}, {"mode": "seed", "seed": TEXT}])
async def test_the_log_of_a_played_match_holds_no_secret(
    database_url: str, shuffle: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    async with house(database_url) as table:
        party = await table.create(
            SELVES[0],
            {"kind": "open"},
            shuffle=shuffle,
            overrides={"target": 25},
            metadata={"note": "corner"},
        )
        await party.join("Eva")
        answers = [*await refused(table, party), *await play_out(party, random.Random(1))]
        written = [table.log.getvalue(), *(out.encode() for out in capfd.readouterr())]
        stored = await table.table(party.id)
        secrets = [
            stored.match.shuffle.server_seed,
            TEXT.encode(),
            SECRET.value,
            OTHER_SECRET.value,
            party.code.encode(),
            *(str(person.token).encode() for person in party.people.values()),
            *(event.nonce for event in await table.log_of(party.id) if event.nonce),
            *(str(answer.request.url.query).encode() for answer in answers if answer.request.url.query),
        ]
        for text in written:
            assert not CARD.search(text.decode())
            assert b"gst_" not in text
            assert b"gin_" not in text
            assert b"Eva" not in text
            assert b"corner" not in text
            for secret in secrets:
                assert not any(form in text for form in forms(secret))
        lines = [msgspec.json.decode(line) for line in written[0].splitlines()]
        assert len(lines) > len(answers)
        assert all(line.keys() <= FIELDS for line in lines)


async def refused(table: House, party: Party) -> list[Answer]:
    """Requests that carry secrets where they do not belong, and others that are refused."""
    token = party[0].token
    deck = ["AS"] * 52
    given: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("GET", f"/matches/{party.id}/seats/0/view", {"params": {"token": token}}),
        ("GET", f"/matches/{token}", {}),
        ("GET", f"/{party.code}/QH", {}),
        ("POST", "/joins", {"json": {"code": party.code, "seed": TEXT}}),
        ("POST", "/matches", {"json": {"seats": SELVES, "shuffle": {"mode": "decks", "decks": [deck]}}}),
        ("POST", "/matches", {"json": {"seats": SELVES, "shuffle": {"mode": "seed", "seed": 7}}}),
        ("POST", f"/matches/{party.id}/seats/0/moves", {"content": f'{{"card": "QH {token}'.encode()}),
    )
    answers = [await table.call(method, path, token=token, **parts) for method, path, parts in given]
    assert all(400 <= answer.status_code < 500 for answer in answers)
    for answer in answers:
        assert str(token) not in answer.text
        assert TEXT not in answer.text
    return answers


def test_a_server_says_nothing_of_what_is_played(
    database_url: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(database_url) as server, httpx.Client(base_url=f"{server.base}/v1") as client:
        body = {"seats": [SELVES[0], BOT], "ruleset": "simple", "visibility": "link"}
        created = ok(client.post("/matches", json=body), 201)
        token = created["seats"][0]["token"]
        seat = f"/matches/{created['match']['id']}/seats/0"
        client.headers["Authorization"] = f"Bearer {token}"
        dice = random.Random(2)
        for _ in range(30):
            view = ok(client.get(f"{seat}/view", params=None))
            move = {"action": choose(view, dice), "expected_version": view["version"]}
            intent = ok(client.post(f"{seat}/intents", json=move), 201)["intent"]
            ok(client.post(f"{seat}/moves", json={"intent": intent}), 201)
        assert client.get(f"{seat}/view", params={"token": token}).status_code == 400
        assert client.post(f"{seat}/moves", content=b"[" * 100_000).status_code == 415
        server.process.terminate()
        said = server.rest.result()
    captured = capfd.readouterr()
    for text in (said, captured.out, captured.err):
        assert not CARD.search(text)
        assert "gst_" not in text
        assert "gin_" not in text
        assert SECRETS.partition(":")[2] not in text
    assert said.count('"status":201') == 61
