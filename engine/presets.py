"""The published rule sets (R8), what a caller may make of them, and what does not go together (R9)."""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

import msgspec
from msgspec import Struct

from engine.rules import (
    KnockLimitSource,
    LayoffChain,
    MatchWinner,
    Melds,
    NextDealer,
    OklahomaAce,
    RuleSet,
    Scoring,
    Shutout,
    StockEnd,
    UndercutTie,
    UpcardOffer,
)

LENGTHS: Final = ("target", "deals", "penalty_limit")
"""The knobs that say how long a match lasts; exactly one is set."""


class Preset(Struct, frozen=True, kw_only=True):
    """A rule set with a name; once published, a version is never edited."""

    name: str
    version: int = 1
    origin: str
    """Where these rules are played."""
    least_seats: int = 2
    most_seats: int = 2
    rules: RuleSet

    @property
    def id(self) -> str:
        """Return the name of this very version, such as ``classic@1``."""
        return f"{self.name}@{self.version}"

    def suits(self, seats: int) -> bool:
        """Return whether this many seats may play by it."""
        return self.least_seats <= seats <= self.most_seats

    def differs(self) -> dict[str, object]:
        """Return the knobs that are not as in ``classic``, by name."""
        knobs: dict[str, object] = msgspec.to_builtins(self.rules)
        usual: dict[str, object] = msgspec.to_builtins(RuleSet())
        return {knob: value for knob, value in knobs.items() if value != usual[knob] and value is not None}


PRESETS: Final[tuple[Preset, ...]] = (
    Preset(name="classic", origin="a live site with rated play", rules=RuleSet()),
    Preset(name="declared", origin="a browser game", rules=RuleSet(melds=Melds.DECLARED)),
    Preset(
        name="simple",
        origin="a site with a bot",
        rules=RuleSet(upcard_offer=UpcardOffer.NONE, stock_floor=0),
    ),
    Preset(
        name="straight",
        origin="a site for the Straight game",
        rules=RuleSet(knock_limit=0, big_gin=True, box_bonus=25),
    ),
    Preset(
        name="penalty",
        origin="a site for two to four seats",
        most_seats=4,
        rules=RuleSet(
            scoring=Scoring.PENALTY,
            upcard_offer=UpcardOffer.NONE,
            layoff_chain=LayoffChain.ORIGINAL_ONLY,
            stock_end=StockEnd.RESHUFFLE,
            target=None,
            deals=1,
        ),
    ),
    Preset(
        name="oklahoma",
        origin="a variant on a site with a bot",
        rules=RuleSet(knock_limit_source=KnockLimitSource.UPCARD, oklahoma_ace=OklahomaAce.ONE),
    ),
    Preset(
        name="hollywood",
        origin="the books",
        rules=RuleSet(
            columns=3,
            big_gin=True,
            game_bonus=100,
            box_bonus=25,
            shutout=Shutout.DOUBLE_HAND_POINTS,
            match_winner=MatchWinner.HIGHEST_TOTAL,
        ),
    ),
    Preset(
        name="traditional",
        origin="the books",
        rules=RuleSet(
            melds=Melds.DECLARED,
            gin_bonus=20,
            undercut_bonus=10,
            game_bonus=100,
            box_bonus=20,
            shutout=Shutout.DOUBLE_GAME_BONUS,
            next_dealer=NextDealer.LOSER,
            match_winner=MatchWinner.HIGHEST_TOTAL,
        ),
    ),
    Preset(
        name="openspiel",
        origin="research",
        rules=RuleSet(
            melds=Melds.DECLARED,
            undercut_tie=UndercutTie.KNOCKER_ZERO,
            stock_end=StockEnd.LAST_DISCARD_KNOCK_ONLY,
            allow_discard_taken=True,
            target=None,
            deals=1,
        ),
    ),
    Preset(name="eaai", origin="research", rules=RuleSet(melds=Melds.DECLARED)),
)
"""Every published version, older before newer."""

_BY_ID: Final[dict[str, Preset]] = {name: preset for preset in PRESETS for name in (preset.name, preset.id)}


class RefusedKnob(Struct, frozen=True):
    """A knob that is at odds with the others, and why."""

    knob: str
    why: str


def find(name: str) -> Preset | None:
    """Return the preset of an id such as ``classic@1``, or the latest version of ``classic``."""
    return _BY_ID.get(name)


def resolve(preset: Preset, overrides: Mapping[str, object]) -> RuleSet:
    """Return the preset's rules with some knobs overridden; a length clears the other lengths."""
    lengths = dict.fromkeys(LENGTHS) if any(knob in overrides for knob in LENGTHS) else {}
    return msgspec.structs.replace(preset.rules, **(lengths | dict(overrides)))


def refused_knob(rules: RuleSet, seats: int, given: Collection[str] = ()) -> RefusedKnob | None:
    """Return the first knob that R9 refuses in this company and with this many seats.

    `given` are the knobs that the caller set, whatever their values.
    """
    return next(_refusals(rules, seats, given), None)


def _refusals(rules: RuleSet, seats: int, given: Collection[str]) -> Iterator[RefusedKnob]:
    # R9 also keeps seats × hand_size + 1 + stock_floor below 52: the ranges of the knobs see to that.
    if rules.scoring is Scoring.PENALTY:
        yield from _refused_by_penalty(rules, given)
    else:
        if seats > 2:  # noqa: PLR2004  the rule's own number
            yield RefusedKnob("scoring", "points are for two seats")
        if rules.penalty_limit is not None:
            yield RefusedKnob("penalty_limit", "points are played to a target or a number of deals")
    if rules.upcard_offer is UpcardOffer.ELEVEN:
        if rules.knock_limit_source is KnockLimitSource.UPCARD:
            yield RefusedKnob("knock_limit_source", "there is no upcard to set it")
        if rules.spade_doubles:
            yield RefusedKnob("spade_doubles", "there is no upcard to double by")
    if rules.columns > 1 and rules.target is None:
        yield RefusedKnob("columns", "columns close at a target")
    lengths = [knob for knob in LENGTHS if getattr(rules, knob) is not None]
    if len(lengths) > 1:
        yield RefusedKnob(lengths[1], "a match has one length")


def _refused_by_penalty(rules: RuleSet, given: Collection[str]) -> Iterator[RefusedKnob]:
    if rules.box_bonus > 0:
        yield RefusedKnob("box_bonus", "penalties have no boxes")
    if rules.boxes_in_running_score:
        yield RefusedKnob("boxes_in_running_score", "penalties have no boxes")
    if rules.columns > 1:
        yield RefusedKnob("columns", "penalties are not kept in columns")
    if rules.spade_doubles:
        yield RefusedKnob("spade_doubles", "penalties are not doubled")
    if rules.target is not None:
        yield RefusedKnob("target", "penalties end by deals or by a limit")
    if "match_winner" in given or rules.match_winner is not MatchWinner.FIRST_TO_TARGET:
        yield RefusedKnob("match_winner", "the fewest penalties win")
