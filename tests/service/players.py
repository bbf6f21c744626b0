"""Players who know no more than the views that they are sent."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from engine import replay
from engine.cards import CardSet, parse, set_of
from engine.deadwood import solver_for
from engine.rules import Scoring
from engine.state import DealRow, Match, PlayerKind
from service.db.codec import decode_event
from tests.engine.recount import tallies_of
from tests.playbook import CLASSIC, rows_of
from tests.service.games import Game
from tests.service.table_talk import Answer, House, Party, ok

SOLVER = solver_for(CLASSIC)


def choose(view: dict[str, Any], dice: random.Random, care: float = 0.9) -> dict[str, Any]:
    """Return one of the actions that a view offers, most often a good one."""
    offers = {offer["type"]: offer for offer in view["actions"]}
    if "lay_off" in offers or "big_gin" in offers:
        return {"type": "lay_off" if "lay_off" in offers else "big_gin"}
    if "knock" in offers and ("discard" not in offers or dice.random() < care):
        return {"type": "knock", "card": dice.choice(offers["knock"]["gin"] or offers["knock"]["cards"])}
    if "discard" in offers:
        cards = offers["discard"]["cards"]
        if dice.random() < care:
            return {"type": "discard", "card": min(cards, key=after_throwing(view["hand"]).__getitem__)}
        return {"type": "discard", "card": dice.choice(cards)}
    face_up = next((name for name in ("take_upcard", "draw_discard") if name in offers), None)
    if face_up is not None and (lowers(view) if dice.random() < care else dice.random() < 0.5):
        return {"type": face_up}
    return {"type": "pass" if "pass" in offers else "draw_stock"}


def after_throwing(hand: list[str]) -> dict[str, int]:
    held = held_in(hand)
    return {card: SOLVER.deadwood(held & ~(1 << parse(card))) for card in hand}


def lowers(view: dict[str, Any]) -> bool:
    """Whether the top of the discard pile leaves less deadwood than the hand has."""
    hand, card = view["hand"], view["discard_pile"][-1]
    left = after_throwing([*hand, card])
    return min(left[other] for other in hand) < SOLVER.deadwood(held_in(hand))


def held_in(hand: list[str]) -> CardSet:
    return set_of(map(parse, hand))


def never(view: dict[str, Any]) -> bool:  # noqa: ARG001  it stops at no view
    return False


async def play_out(
    party: Party,
    dice: random.Random,
    *,
    by_intent: float = 0.5,
    care: float = 0.9,
    until: Callable[[dict[str, Any]], bool] = never,
) -> list[Answer]:
    """Play a match to its end, by intents and by direct actions, and return the answers to the moves.

    It stops before the end at a view of the seat in turn that `until` says.
    """
    answers: list[Answer] = []
    views = {seat: await person.seen() for seat, person in party.people.items()}
    while True:
        seat = next((seat for seat, view in views.items() if view["turn"] == seat), None)
        if seat is None or until(views[seat]):
            return answers
        view, person = views[seat], party[seat]
        action = choose(view, dice, care)
        if dice.random() < by_intent:
            intent = await person.intent(action, view["version"])
            answer = await person.confirm(intent)
        else:
            answer = await person.act(action, view["version"])
        told = ok(answer, 201)
        answers.append(answer)
        views[seat] = told["view"]
        for other in party.people.keys() - {seat}:
            views[other] = await party[other].seen()


async def audit(house: House, match_id: str) -> Match:
    """Hold what is stored of a match against itself and against its rules; return the match."""
    table = await house.table(match_id)
    events = await house.log_of(match_id)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    versions = [event.version for event in events]
    assert versions == sorted(versions)
    assert set(versions) == set(range(1, table.row.version + 1))
    firsts = [event for at, event in enumerate(events) if not at or versions[at - 1] < versions[at]]
    players = [seat for seat, player in enumerate(table.match.seats) if player.kind is PlayerKind.PLAYER]
    assert all((event.action is not None) == (event.seat in players) for event in firsts)
    assert replay(decode_event(event.body) for event in events) == table.match
    assert table.snapshot.seq == len(events)
    assert (table.row.version, table.row.status) == (table.match.version, table.match.status.value)
    rows = rows_of(decode_event(event.body) for event in events)
    assert table.match.scores == tuple(map(sum, zip(*scores_of(table.match, rows), strict=True)))
    assert list(table.match.tallies) == tallies_of(rows, len(table.match.seats))
    return table.match


def scores_of(match: Match, rows: Iterable[DealRow]) -> Iterator[list[int]]:
    """What each deal adds to the scores (R6.3, R7.1)."""
    nothing = [0] * len(match.seats)
    runs = match.rules.boxes_in_running_score and match.rules.columns == 1
    box = match.rules.box_bonus if runs else 0
    yield nothing
    for row in rows:
        if row.penalties is not None:
            yield list(row.penalties)
        elif row.winner is not None:
            yield [row.points + box if seat == row.winner else 0 for seat in range(len(nothing))]


def assert_ended(game: Game, shown: dict[str, Any], deals: Sequence[dict[str, Any]]) -> None:
    """The match came to the end that its rules set, and its result can be computed by anybody."""
    rules, result = game.rules, shown["result"]
    scored = [row for row in deals if row["result"] != "void"]
    if rules.columns > 1:
        assert all(max(column["points"]) >= (rules.target or 0) for column in shown["columns"])
        assert result["reason"] == "target"
    elif rules.target is not None:
        assert max(shown["scores"]) >= rules.target
        assert result["reason"] == "target"
    elif rules.deals is not None:
        assert (len(scored), result["reason"]) == (rules.deals, "deals")
    else:
        assert max(shown["scores"]) >= (rules.penalty_limit or 0)
        assert result["reason"] == "penalty_limit"
    if rules.scoring is Scoring.PENALTY:
        assert result["totals"] == shown["scores"]
        assert shown["scores"][result["winner"]] == min(shown["scores"])
