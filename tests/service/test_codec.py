import msgspec
import pytest

from engine import start_match
from engine.bots import replies
from engine.events import AnyEvent
from engine.rules import RuleSet
from engine.shuffle import Shuffle, ShuffleMode, seed_of_text
from engine.state import Match, Player, PlayerKind
from service.db.codec import (
    FORMAT,
    Snapshot,
    decode_beside,
    decode_event,
    decode_generations,
    decode_snapshot,
    encode_event,
    encode_generations,
    encode_snapshot,
    refuse_newer,
)
from service.db.errors import NewerFormatError, OldFormatError

SEEDS = (b"seed of seat 0", b"seed of seat 1")


def played() -> tuple[list[Match], list[AnyEvent]]:
    """A match of two bots: every state and every event of it."""
    bot = Player(PlayerKind.BOT, level="club")
    started = start_match(RuleSet(target=50), (bot, bot), Shuffle(ShuffleMode.SEED, seed_of_text("codec")))
    states, events = [started.match], list(started.events)
    for _, transition in replies(started.match, SEEDS):
        states.append(transition.match)
        events += transition.events
    return states, events


def snapshot_of(match: Match) -> Snapshot:
    return Snapshot(
        match=match, seq=7, hints=True, metadata={"table": "7"}, creator_seats=(0,), bot_seeds=SEEDS
    )


def test_every_state_and_every_event_of_a_match_comes_back() -> None:
    states, events = played()
    for match in states:
        assert decode_snapshot(encode_snapshot(snapshot_of(match))) == snapshot_of(match)
    for event in events:
        assert decode_event(encode_event(event)) == event


BESIDE = {"hints": False, "metadata": {"a": "b"}, "creator_seats": [1], "bot_seeds": [b"x", b""]}
OTHER_SHAPES = pytest.mark.parametrize("match", ["another shape", None, {"version": 3}])


@OTHER_SHAPES
def test_a_snapshot_of_an_older_format_is_to_be_rebuilt(match: object) -> None:
    raw = msgspec.msgpack.encode({**BESIDE, "format": FORMAT - 1, "match": match})
    with pytest.raises(OldFormatError):
        decode_snapshot(raw)
    refuse_newer(raw)
    kept = decode_beside(raw)
    assert (kept.hints, kept.metadata) == (False, {"a": "b"})
    assert (kept.creator_seats, kept.bot_seeds) == ((1,), (b"x", b""))


@OTHER_SHAPES
@pytest.mark.parametrize("number", [FORMAT + 1, FORMAT + 7])
def test_a_snapshot_of_a_newer_format_is_refused(match: object, number: int) -> None:
    for beside in (BESIDE, {}, {"hints": "of another kind"}):
        raw = msgspec.msgpack.encode({**beside, "format": number, "match": match})
        for read in (decode_snapshot, refuse_newer):
            with pytest.raises(NewerFormatError):
                read(raw)


@pytest.mark.parametrize(("number", "error"), [(FORMAT + 1, NewerFormatError), (FORMAT - 1, OldFormatError)])
def test_a_format_that_happens_to_fit_is_still_another(number: int, error: type[Exception]) -> None:
    snapshot = msgspec.structs.replace(snapshot_of(played()[0][0]), format=number)
    with pytest.raises(error):
        decode_snapshot(encode_snapshot(snapshot))


def test_what_is_no_snapshot_is_not_a_newer_one() -> None:
    for raw in (b"", b"at 1", msgspec.msgpack.encode({"format": "new"})):
        refuse_newer(raw)


def test_an_event_of_an_unknown_type_is_a_newer_versions() -> None:
    with pytest.raises(NewerFormatError):
        decode_event(b'{"type":"card_turned","seat":0}')
    for broken in (b'{"type":"stock_drawn","seat":"Ana"}', b'{"seat":0}', b"[]", b"{"):
        with pytest.raises(msgspec.DecodeError):
            decode_event(broken)


def test_a_snapshot_of_this_format_that_does_not_fit_is_a_fault() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode_snapshot(msgspec.msgpack.encode({"format": FORMAT, "match": None}))


def test_a_snapshot_shows_nothing() -> None:
    snapshot = snapshot_of(played()[0][3])
    shown = repr(snapshot) + repr(decode_beside(encode_snapshot(snapshot)))
    assert "seed" not in shown
    assert "table" not in shown


@pytest.mark.parametrize(("generations", "raw"), [((0, 0), "0,0"), ((12, 0, 3), "12,0,3"), ((7,), "7")])
def test_generations_are_numbers_and_commas(generations: tuple[int, ...], raw: str) -> None:
    assert encode_generations(generations) == raw
    assert decode_generations(raw) == generations
