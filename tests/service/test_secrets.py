import pytest

from service.http.keys import Keyring
from tests.service.table_talk import (
    BOT,
    KEYRING,
    OTHER_SECRET,
    SECRET,
    SELVES,
    code_of,
    house,
    ok,
)

pytestmark = pytest.mark.anyio

BOTH = Keyring((OTHER_SECRET, SECRET))
NEW = Keyring((OTHER_SECRET,))


async def test_secrets_roll_over_by_kid_while_matches_live(database_url: str) -> None:
    async with (
        house(database_url, keyring=KEYRING) as old,
        house(database_url, keyring=BOTH) as both,
        house(database_url, keyring=NEW) as new,
    ):
        party = await old.create(ruleset="simple", first_dealer=1)
        waiting = await old.create(SELVES[0], {"kind": "open"})
        person = party[0]
        intent = await person.intent({"type": "draw_stock"}, 1)
        assert ok(await person.at(both).view())["version"] == 1
        assert code_of(await person.at(new).view()) == (401, "unauthenticated")

        ok(await person.at(both).confirm(intent), 201)
        renewed = person.at(both)
        renewed.token = ok(await renewed.rotate())["token"]
        assert ok(await renewed.at(new).view())["version"] == 2
        assert code_of(await renewed.at(old).view()) == (401, "unauthenticated")
        assert code_of(await renewed.at(both).confirm(intent)) == (409, "intent-invalid")

        dead = await new.call("POST", "/joins", json={"code": waiting.code})
        assert code_of(dead) == (404, "not-found")
        ok(await both.call("POST", "/joins", json={"code": waiting.code}), 201)


async def test_an_intent_signed_by_a_removed_secret_is_invalid(database_url: str) -> None:
    async with (
        house(database_url, keyring=KEYRING) as old,
        house(database_url, keyring=BOTH) as both,
        house(database_url, keyring=NEW) as new,
    ):
        party = await both.create(ruleset="simple", first_dealer=1)
        person = party[0].at(new)
        assert ok(await person.view())["version"] == 1
        intent = await both.create(ruleset="simple", first_dealer=1)
        signed_by_old = await intent[0].at(both).intent({"type": "draw_stock"}, 1)
        assert code_of(await person.confirm(signed_by_old)) == (409, "intent-invalid")
        assert code_of(await party[0].at(old).view()) == (401, "unauthenticated")


async def test_a_bot_keeps_its_seed_when_the_signing_secret_changes(database_url: str) -> None:
    async with house(database_url, keyring=KEYRING) as old, house(database_url, keyring=BOTH) as both:
        party = await old.create(SELVES[0], BOT)
        seeds = (await old.table(party.id)).snapshot.bot_seeds
        view = await party[0].at(both).seen()
        ok(await party[0].at(both).act(view["actions"][0] | {}, view["version"]), 201)
        assert (await both.table(party.id)).snapshot.bot_seeds == seeds
        assert seeds[0] == b""
        assert len(seeds[1]) == 32
