"""The expert: every action has a value, the best is chosen, and some things are certain."""

from collections.abc import Iterator
from importlib.resources import files

import pytest

import engine
from engine.actions import (
    BigGin,
    Discard,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Pass,
    Resign,
    TakeUpcard,
)
from engine.bots import Level, choose, expert
from engine.bots.belief import held_by, unseen
from engine.bots.features import ONE, Outlook, completing, extending, partnered
from engine.bots.net import Perceptron, decode, nets
from engine.bots.style import is_hasty
from engine.cards import cards_of
from engine.deadwood import solver_for
from engine.rules import RuleSet, StockEnd
from engine.state import Match, Phase, Tally
from engine.view import View
from tests.engine.tables import TABLES
from tests.playbook import (
    CLASSIC,
    DECLARED,
    LOOSE,
    MELDED,
    STRAIGHT,
    card,
    deal,
    hand,
    in_turn,
    knock,
    last_deal,
    offered,
    play,
    running,
    throw,
    with_stock,
)
from tests.sizes import size


def seen(match: Match) -> View:
    return engine.view(match, in_turn(match))


def positions(name: str) -> Iterator[Match]:
    """Some of the states of a table in which a seat is in turn."""
    for number in range(size(1, 10)):
        steps = [step.before for step in TABLES[name].steps(number) if step.before.deal is not None]
        yield from steps[:: size(5, 1)]


@pytest.mark.parametrize("name", TABLES)
def test_every_action_on_offer_has_a_value_and_the_best_is_chosen(name: str) -> None:
    for match in positions(name):
        valued = expert.values(seen(match))
        wanted = {
            each
            for action, offer in offered(match).items()
            for each in (map(action, offer.cards) if offer.cards else (action(),))
        }
        assert {each.action for each in valued} == wanted
        assert [each.value for each in valued] == sorted((each.value for each in valued), reverse=True)
        assert expert.choose(seen(match), b"any seed") == valued[0].action


def test_gin_is_declared_and_big_gin_before_it() -> None:
    dealt = LOOSE.replace("JH", "JD")
    gin = play(deal(CLASSIC, f"{MELDED} 9C", dealt, "5H", "TH"), Pass(), Pass(), DrawStock())
    assert expert.choose(seen(gin), b"") == Knock(card("9C"))
    big = play(deal(STRAIGHT, f"{MELDED} TH", dealt, "5H", "JH"), Pass(), Pass(), DrawStock())
    assert expert.choose(seen(big), b"") == BigGin()
    assert expert.values(seen(gin))[0].value > CLASSIC.gin_bonus


SIX_MELDED = play(
    with_stock(
        play(
            deal(
                RuleSet(hand_size=5, big_gin=True, knock_limit=0, stock_end=StockEnd.LAST_DISCARD_KNOCK_ONLY),
                *("AS AH 7S 8S KD", "AD QC TH 5C 3C", "KC", "9S 2D"),
            ),
            *(Pass(), Pass(), DrawStock(), throw("KD")),
        ),
        3,
    ),
    *(DrawStock(), throw("AD")),
)
"""With the last discard two melds of three: no throw of it leaves gin, and it must be big gin."""


def test_the_last_discard_is_taken_for_big_gin_alone() -> None:
    taking, leaving = expert.values(seen(SIX_MELDED))
    assert (taking.action, leaving.action, leaving.value) == (DrawDiscard(), Pass(), 0.0)
    assert taking.value > running(SIX_MELDED).knock_limit + 31
    assert [each.action for each in expert.values(seen(play(SIX_MELDED, DrawDiscard())))] == [BigGin()]


@pytest.mark.parametrize("level", Level)
def test_every_level_ends_a_deal_that_only_big_gin_ends(level: Level) -> None:
    assert choose(seen(play(SIX_MELDED, DrawDiscard())), level, b"") == BigGin()


def test_a_card_that_makes_big_gin_is_worth_what_big_gin_is() -> None:
    match = deal(STRAIGHT, f"{MELDED} TH", LOOSE.replace("JH", "JD"), "JH")
    worth = {each.action: each.value for each in expert.values(seen(match))}
    after = {each.action: each.value for each in expert.values(seen(play(match, TakeUpcard())))}
    assert worth[TakeUpcard()] == after[BigGin()] > after[knock("AS")]


def test_a_draw_that_voids_the_deal_is_worth_nothing() -> None:
    rules = RuleSet(stock_end=StockEnd.DEAD_ON_DRAW)
    match = play(deal(rules, f"{MELDED} KC", LOOSE.replace("KC", "AD"), "5H", "JD QS"), Pass(), Pass())
    assert expert.values(seen(with_stock(match, 3)))[0].value == 0.0
    assert expert.values(seen(with_stock(match, 4)))[0].value > 0.0


def test_a_throw_that_voids_the_deal_is_worth_nothing() -> None:
    match = play(deal(CLASSIC, f"{MELDED} KC", LOOSE.replace("KC", "AD"), "5H", "JD QS"), Pass(), Pass())
    last = play(with_stock(match, 3), DrawStock())
    thrown = running(last).taken
    assert thrown is not None
    worth = {each.action: each.value for each in expert.values(seen(last))}
    assert worth[Discard(thrown.card)] == worth[throw("KC")] == 0.0


@pytest.mark.parametrize("name", TABLES)
def test_its_own_throw_is_taken_back_for_gin_alone(name: str) -> None:
    for match in positions(name):
        table = running(match)
        if table.phase is Phase.DRAW and table.discard_pile[-1] in table.seen[table.turn].thrown:
            best = solver_for(match.rules).best_throw(table.hands[table.turn] | 1 << table.discard_pile[-1])
            assert best == 0 or expert.choose(seen(match), b"") == DrawStock()


def test_it_defends_with_its_best_and_knows_what_that_is_worth() -> None:
    match = play(deal(DECLARED, f"{MELDED} 4H", LOOSE, "5C", "8D"), Pass(), Pass(), DrawStock(), knock("8D"))
    (only,) = expert.values(seen(match))
    assert only.action == LayOff()
    settled = last_deal(engine.apply(match, in_turn(match), LayOff()).match)
    assert only.value == (settled.points if settled.winner == in_turn(match) else -settled.points)


def test_nobody_is_asked_who_is_not_in_turn() -> None:
    match = deal(CLASSIC, LOOSE, f"{MELDED} TH", "5H")
    with pytest.raises(ValueError, match="nobody is in turn"):
        expert.values(engine.view(engine.apply(match, 0, Resign()).match, 0))


def test_beliefs_add_up_to_the_hidden_cards() -> None:
    match = play(deal(CLASSIC, LOOSE, f"{MELDED} TH", "5H"), TakeUpcard(), throw("KC"))
    view = seen(match)
    chances = held_by(view, 0)
    assert chances[card("5H")] == 1.0  # it was taken face up
    assert chances[card("KC")] == 0.0  # it lies on the pile
    assert sum(chances[each] for each in cards_of(unseen(view))) == pytest.approx(9)
    assert chances[card("5D")] > chances[card("9S")]  # fives go with the one it took
    assert chances[card("KS")] < chances[card("JD")]  # it threw a king


def test_what_the_nets_are_told_of_a_hand() -> None:
    match = deal(CLASSIC, "4S 5S 6S 9H 9D 9C KS KH 2D AC", LOOSE.replace("2H", "AH"), "QC")
    view = seen(match)
    assert view.table is not None
    told = Outlook(view, view.table).tell(view.hand, 23, None)
    assert told[0] == round(23 / 30 * ONE)
    assert told[1] == round(4 / 5 * ONE)  # KS KH 2D AC are in no meld
    assert told[4] == 0  # no draw gins
    assert told[6] == ONE  # all of the stock is there
    assert told[12] == 0  # 23 is no knock
    assert told[15] == ONE  # a king is the dearest
    assert told[18] == round(2 / 5 * ONE)  # the kings have each other
    assert len(told) == len(nets("expert").awaiting.hidden[0]) - 1


def test_shapes_of_a_hand() -> None:
    assert completing(hand("4S 5S 9H 9D KC")) == hand("3S 6S 9S 9C")
    assert completing(hand("AS KS QS")) == hand("JS")  # R1.4: the ace is low
    assert extending(hand("4S 5S 6S 9H 9D 9C")) == hand("3S 7S 9S")
    assert partnered(hand("KS 2D 7C"), hand("KS KH 2D 4D 7C")) == hand("KS 2D")


def test_a_net_counts_in_whole_numbers() -> None:
    unit, half = 1 << 16, 1 << 15
    net = Perceptron(hidden=((0, unit, 0), (1 << 26, -unit, half)), value=(5, 3, 2))
    assert net.worth((100, 50)) == 5 + 3 * 100 + 2 * ((1 << 10) - 100 + 25)
    assert net.worth((-7, 0)) == 5 + 2 * ((1 << 10) + 7)


@pytest.mark.parametrize("name", ["expert", "hasty", "straight"])
def test_the_weights_are_a_small_file_of_whole_numbers(name: str) -> None:
    text = files("engine.bots").joinpath(f"{name}.json").read_text(encoding="utf-8")
    brain = decode(text)
    assert len(text) < 40_000
    for net in (brain.awaiting, brain.stock, brain.knock):
        assert {len(row) for row in net.hidden} == {len(net.hidden[0])}
        assert len(net.value) == len(net.hidden) + 1


def test_who_knocks_and_never_has_gin_is_hasty() -> None:
    assert not is_hasty(0, Tally())
    assert is_hasty(2, Tally(knocks=2))
    assert not is_hasty(1, Tally(knocks=1))
    assert not is_hasty(2, Tally())
    assert not is_hasty(2, Tally(knocks=1, gins=1))
    assert not is_hasty(3, Tally(knocks=1))
