"""Where open_spiel plays by other rules than ours: each difference is masked here, and nowhere else.

A quirk of its choices is a function of both sides' choices that makes them alike where, and only where,
the quirk explains the difference. docs/oracles.md has an example of each.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from engine.actions import Layoff, Meld
from engine.cards import CardSet, cards_of, set_of
from engine.layoffs import first_misfit, legal_layoffs
from engine.rules import RuleSet, StockEnd, UndercutTie
from engine.state import Deal, DealResult, DealRow, Phase, Source
from tests.oracles import spiel
from tests.oracles.spiel import Choices

Sides: TypeAlias = tuple[Choices, Choices]
"""Our choices, and theirs."""

Mask: TypeAlias = Callable[[RuleSet, Deal, Choices, Choices], Sides]

LONGEST_RUN: Final = 5
MOST_AT_ONE_END: Final = 2


def taken_card_may_be_thrown(rules: RuleSet, deal: Deal, ours: Choices, theirs: Choices) -> Sides:
    """They let the card just taken from the pile go back at once, and knock with it."""
    taken = _taken_face_up(deal)
    if rules.allow_discard_taken or not taken:
        return ours, theirs
    knocks = theirs.knocks & ~taken
    return ours, replace(
        theirs, throws=theirs.throws & ~taken, knocks=knocks, may_knock=theirs.may_knock and bool(knocks)
    )


def eleven_cards_minimum_too_high(rules: RuleSet, deal: Deal, ours: Choices, theirs: Choices) -> Sides:
    """They ask of the best layout of eleven cards, less its dearest loose card, whether to offer a knock.

    R4.4: some other layout may leave less once a card is thrown, and then they offer no knock.
    """
    if theirs.may_knock or spiel.min_deadwood(_held(deal), _hand_size(rules)) <= deal.knock_limit:
        return ours, theirs
    return replace(ours, knocks=0, may_knock=False), theirs


def all_in_melds_of_three_may_knock(rules: RuleSet, deal: Deal, ours: Choices, theirs: Choices) -> Sides:
    """Six or nine cards, all in melds of three, cost them nothing, although a throw must break a meld.

    They offer a knock, and then may have no throw to knock with.
    """
    all_melded = _held(deal).bit_count() == _hand_size(rules) + 1 and not spiel.min_deadwood(
        _held(deal), _hand_size(rules)
    )
    if theirs.may_knock and not theirs.knocks and all_melded:
        return ours, replace(theirs, may_knock=False)
    return ours, theirs


CHOICES: Final[tuple[Mask, ...]] = (
    taken_card_may_be_thrown,
    all_in_melds_of_three_may_knock,
    eleven_cards_minimum_too_high,
)
"""The quirks of what is offered before a knock, in the order in which they are masked."""


def last_discard_may_always_be_knocked_with(rules: RuleSet, row: DealRow) -> bool:
    """They always offer the last discard to a knock: where our deal died with the throw, it is passed."""
    return row.result is DealResult.VOID and rules.stock_end is StockEnd.DEAD_AFTER_DISCARD


def void_when_two_throw_back(given_back: int) -> bool:
    """Two turns in a row that threw back the card they took end their deal without a score."""
    return given_back == 2


def void_after_fifty_takes(takes: int) -> bool:
    """The fiftieth card taken from the pile, the offered upcard aside, ends their deal without a score."""
    return takes == spiel.MOST_TAKES


def runs_of_five_at_most(meld: Meld) -> tuple[Meld, ...]:
    """They have no longer run: it is laid as several that touch."""
    cards = cards_of(meld)
    if len(cards) <= LONGEST_RUN:
        return (meld,)
    return (set_of(cards[:3]), *runs_of_five_at_most(set_of(cards[3:])))


def laid_by_hand(melds: Sequence[Meld]) -> tuple[Meld, ...]:
    """They arrange nothing: a player lays each meld and each layoff himself, and may lay less than his best.

    Returns what to lay there for what our table shows.
    """
    return tuple(piece for meld in melds for piece in runs_of_five_at_most(meld))


def no_third_layoff_at_one_end(spread: Sequence[Meld], layoff: Layoff) -> bool:
    """They look two cards past the end of a run as it was spread, and no further."""
    meld = cards_of(spread[layoff.meld])
    return max(meld[0] - layoff.card, layoff.card - meld[-1]) > MOST_AT_ONE_END and not _is_set(meld)


def laid_card_counts_for_every_meld(
    rules: RuleSet, spread: Sequence[Meld], laid: Sequence[Layoff], hand: CardSet
) -> CardSet:
    """They do not ask which meld a card is laid on: one laid on a set prolongs a run that it fits, too.

    Returns the cards that may be laid on a run where those laid on a set had gone there.
    """
    moved: list[Layoff] = []
    for layoff in laid:
        runs = [meld for meld, cards in enumerate(spread) if not _is_set(cards_of(cards))]
        places = [Layoff(layoff.card, meld) for meld in runs]
        fits = [place for place in places if first_misfit(rules, spread, moved, [place]) is None]
        moved.append(fits[0] if fits else layoff)
    fitting = legal_layoffs(rules, spread, moved, hand)
    return set_of(it.card for it in fitting if not no_third_layoff_at_one_end(spread, it))


def ties_pay_nothing(rules: RuleSet, row: DealRow) -> bool:
    """A defender who equals the knocker gets nothing from them; by `undercut_tie` he may undercut."""
    hands = {hand.deadwood for hand in row.hands}
    return (
        rules.undercut_tie is UndercutTie.DEFENDER and row.result is DealResult.UNDERCUT and len(hands) == 1
    )


def _is_set(meld: Sequence[int]) -> bool:
    return meld[0] % 13 == meld[-1] % 13


def _hand_size(rules: RuleSet) -> int:
    return rules.hand_size_for(2)


def _taken_face_up(deal: Deal) -> CardSet:
    if deal.phase is Phase.LAST_DISCARD:
        return 1 << deal.discard_pile[-1]
    taken = deal.taken
    return 1 << taken.card if taken is not None and taken.source is Source.DISCARD_PILE else 0


def _held(deal: Deal) -> CardSet:
    """Return the hand in turn, at the last discard with that card."""
    top = 1 << deal.discard_pile[-1] if deal.phase is Phase.LAST_DISCARD else 0
    return deal.hands[deal.turn] | top
