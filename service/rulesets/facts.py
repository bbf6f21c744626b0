"""What is true of a rule set, fact by fact: which messages tell it, and with which numbers.

What a rule set does not play is no fact of it: a bonus of nothing, the chain of layoffs where none are made.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from msgspec import Struct

from engine.ending import DEAL_LIMIT
from engine.rules import (
    FirstTurnKnock,
    KnockLimitSource,
    NextDealer,
    RuleSet,
    Scoring,
    Shutout,
    UndercutTie,
    UpcardOffer,
)

_TWO: Final = 2
_SHUTOUT_FLAT: Final = 100


class Seats(Struct, frozen=True):
    """How many seats the sheet is for."""

    least: int
    most: int


class Fact(Struct, frozen=True):
    """A message of `service/rulesets/texts`, and the numbers in it."""

    message: str
    numbers: Mapping[str, int] = {}


Facts: TypeAlias = Iterator[Fact]


def _match(rules: RuleSet, seats: Seats) -> Facts:
    if seats.least == seats.most:
        yield Fact("players")
    else:
        yield Fact("players-range", {"least": seats.least})
    if rules.columns > 1:
        yield _fact("length-columns", rules.target)
        yield Fact("columns-entries")
        yield Fact("columns-winner")
    elif rules.target is not None:
        yield _fact(f"length-{rules.match_winner}", rules.target)
    elif rules.deals is not None:
        yield _fact("length-deals", rules.deals)
    else:
        yield _fact("length-penalty_limit", rules.penalty_limit)
    if rules.scoring is Scoring.PENALTY:
        yield Fact("winner-penalties")
    elif rules.deals is not None:
        yield Fact("winner-deals")
    yield _fact("deal-limit", DEAL_LIMIT)
    yield Fact("resign")


def _cards(rules: RuleSet, _seats: Seats) -> Facts:
    yield Fact("pack")
    yield Fact("melds")
    yield Fact(f"ace-{rules.ace}")
    yield Fact("deadwood")
    yield _fact("values", rules.ace_points)


def _deal(rules: RuleSet, seats: Seats) -> Facts:
    fewer, more = rules.hand_size_for(seats.least), rules.hand_size_for(seats.most)
    if fewer == more:
        yield _fact("hand-size", more)
    else:
        yield Fact("hand-size-by-seats", {"two": fewer, "more": more})
    if rules.upcard_offer is not UpcardOffer.ELEVEN:
        yield Fact("upcard")
    yield Fact(f"offer-{rules.upcard_offer}")
    if _has_next_dealer(rules):
        yield Fact(f"next-dealer-{rules.next_dealer}")
    yield Fact("void-dealer")


def _turn(rules: RuleSet, _seats: Seats) -> Facts:
    yield Fact("turn")
    yield Fact("taken-may-go" if rules.allow_discard_taken else "taken-must-stay")


def _ending(rules: RuleSet, _seats: Seats) -> Facts:
    if not _has_knocks(rules):
        yield Fact("gin-only")
    else:
        yield _fact(f"knock-{rules.knock_limit_source}", rules.knock_limit)
        yield Fact("gin")
        if rules.knock_limit_source is KnockLimitSource.UPCARD:
            yield Fact(f"oklahoma-ace-{rules.oklahoma_ace}")
    if rules.big_gin:
        yield Fact("big-gin")
    if rules.first_turn_knock is FirstTurnKnock.FORBIDDEN or (
        rules.first_turn_knock is FirstTurnKnock.NOT_WITH_UPCARD
        and rules.upcard_offer is not UpcardOffer.ELEVEN
    ):
        yield Fact(f"first-turn-{rules.first_turn_knock}")


def _stock(rules: RuleSet, _seats: Seats) -> Facts:
    yield _fact(f"stock-end-{rules.stock_end}", rules.stock_floor)
    yield _fact("max-turns", rules.max_turns)
    yield Fact("void")


def _laying_out(rules: RuleSet, _seats: Seats) -> Facts:
    yield Fact(f"melds-{rules.melds}")
    if not _has_layoffs(rules):
        yield Fact("own-melds-only")
        return
    if not _has_knocks(rules):
        yield Fact("layoffs-on-gin")
    else:
        yield Fact("layoffs-on-both" if rules.layoff_on_gin else "layoffs-on-knock")
    yield Fact("layoff")
    yield Fact(f"layoff-chain-{rules.layoff_chain}")


def _points(rules: RuleSet, _seats: Seats) -> Facts:
    if rules.scoring is Scoring.PENALTY:
        yield from _penalties(rules)
        return
    if _has_knocks(rules):
        yield Fact("points-knock")
    yield _fact("points-gin", rules.gin_bonus)
    if rules.big_gin:
        yield _fact("points-big-gin", rules.big_gin_bonus)
    if _has_knocks(rules):
        yield _fact("undercut", rules.undercut_bonus)
        yield Fact(f"tie-{rules.undercut_tie}")
        if (
            rules.undercut_tie is UndercutTie.KNOCKER_ZERO
            and rules.next_dealer is not NextDealer.ALTERNATE
            and _has_next_dealer(rules)
        ):
            yield Fact("tie-next-dealer")
    if rules.spade_doubles:
        yield Fact("spade-doubles")


def _penalties(rules: RuleSet) -> Facts:
    if _has_knocks(rules):
        yield Fact("penalty-knock")
    yield _fact("penalty-gin", rules.gin_bonus)
    if rules.big_gin:
        yield _fact("penalty-big-gin", rules.big_gin_bonus)
    if _has_knocks(rules):
        yield _fact("penalty-undercut", rules.undercut_bonus)


def _totals(rules: RuleSet, _seats: Seats) -> Facts:
    if rules.scoring is Scoring.PENALTY:
        return
    if rules.box_bonus:
        yield _fact(f"boxes-{_boxes(rules)}", rules.box_bonus)
    if rules.game_bonus:
        yield _fact(f"game-bonus-{_ahead(rules)}", rules.game_bonus)
    if rules.shutout is Shutout.FLAT_100:
        yield _fact("shutout-flat", _SHUTOUT_FLAT)
    elif doubled := "-and-".join(_doubled(rules)):
        yield Fact(f"shutout-{doubled}")


SECTIONS: Final[tuple[tuple[str, Callable[[RuleSet, Seats], Facts]], ...]] = (
    ("match", _match),
    ("cards", _cards),
    ("deal", _deal),
    ("turn", _turn),
    ("ending", _ending),
    ("stock", _stock),
    ("laying-out", _laying_out),
    ("points", _points),
    ("totals", _totals),
)
"""The sections of a sheet in their order, and the facts that each tells."""


def _fact(message: str, number: int | None) -> Fact:
    """Return a fact with one number, which its knob has set."""
    assert number is not None  # noqa: S101  the caller has asked which of the lengths is set
    return Fact(message, {"n": number})


def _has_knocks(rules: RuleSet) -> bool:
    """Whether a deal can end in anything but gin (R4.3)."""
    return rules.knock_limit > 0


def _has_layoffs(rules: RuleSet) -> bool:
    return rules.layoff and (_has_knocks(rules) or rules.layoff_on_gin)


def _has_next_dealer(rules: RuleSet) -> bool:
    """Whether a scored deal is followed by another."""
    return rules.deals != 1


def _boxes(rules: RuleSet) -> str:
    if rules.columns > 1:
        return "columns"  # R6.6: columns close by the points alone
    return "running" if rules.boxes_in_running_score else "final"


def _ahead(rules: RuleSet) -> str:
    """Return who has the game bonus (R6.4): who closed the column, reached the target, or has more points."""
    if rules.columns > 1:
        return "columns"
    return "target" if rules.target is not None else "deals"


def _doubled(rules: RuleSet) -> Iterator[str]:
    """Return what a shutout doubles, of what there is (R6.4)."""
    points = {Shutout.DOUBLE_HAND_POINTS, Shutout.DOUBLE_POINTS_AND_BONUS, Shutout.DOUBLE_ALL}
    bonus = {Shutout.DOUBLE_GAME_BONUS, Shutout.DOUBLE_POINTS_AND_BONUS, Shutout.DOUBLE_ALL}
    if rules.shutout in points:
        yield "points"
    if rules.shutout in bonus and rules.game_bonus:
        yield "bonus"
    if rules.shutout is Shutout.DOUBLE_ALL and rules.box_bonus:
        yield "boxes"
