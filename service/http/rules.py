"""Rule sets as clients write and read them: a preset's name and the knobs of R8."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from engine import presets
from engine.presets import Preset
from engine.rules import RuleSet
from service.http.problems import Code, Problem

RulesetName: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[a-z]{1,20}(@[1-9][0-9]{0,3})?\\Z",
        max_length=25,
        description="A rule set: `classic` for its latest version, `classic@1` for that one.",
    ),
]

SeatCount: TypeAlias = Annotated[int, Meta(ge=2, le=4, description="How many seats play.")]
HandSize: TypeAlias = Annotated[int, Meta(ge=3, le=10)]
NextDealer: TypeAlias = Literal["alternate", "winner", "loser"]
UpcardOffer: TypeAlias = Literal["standard", "none", "eleven"]
Ace: TypeAlias = Literal["low", "high", "both", "corner"]
AcePoints: TypeAlias = Literal[1, 11, 15]
UpToTen: TypeAlias = Annotated[int, Meta(ge=0, le=10)]
KnockLimitSource: TypeAlias = Literal["fixed", "upcard"]
OklahomaAce: TypeAlias = Literal["one", "gin_only"]
FirstTurnKnock: TypeAlias = Literal["allowed", "not_with_upcard", "forbidden"]
Melds: TypeAlias = Literal["auto", "declared"]
LayoffChain: TypeAlias = Literal["any", "original_only"]
StockEnd: TypeAlias = Literal[
    "dead_after_discard", "last_discard_knock_only", "last_discard_playable", "dead_on_draw", "reshuffle"
]
MaxTurns: TypeAlias = Annotated[int, Meta(ge=20, le=500)]
Scoring: TypeAlias = Literal["points", "penalty"]
Bonus: TypeAlias = Annotated[int, Meta(ge=0, le=1000)]
UndercutTie: TypeAlias = Literal["defender", "knocker_zero"]
Target: TypeAlias = Annotated[int, Meta(ge=1, le=1000)]
DealCount: TypeAlias = Annotated[int, Meta(ge=1, le=100)]
Shutout: TypeAlias = Literal[
    "none", "double_game_bonus", "flat_100", "double_hand_points", "double_points_and_bonus", "double_all"
]
MatchWinner: TypeAlias = Literal["first_to_target", "highest_total"]
Columns: TypeAlias = Literal[1, 3]


class Overrides(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Knobs to set on top of a rule set; one of `target`, `deals`, `penalty_limit` clears the others."""

    hand_size: HandSize | UnsetType | None = UNSET
    next_dealer: NextDealer | UnsetType = UNSET
    upcard_offer: UpcardOffer | UnsetType = UNSET
    allow_discard_taken: bool | UnsetType = UNSET
    ace: Ace | UnsetType = UNSET
    ace_points: AcePoints | UnsetType = UNSET
    knock_limit: UpToTen | UnsetType = UNSET
    knock_limit_source: KnockLimitSource | UnsetType = UNSET
    oklahoma_ace: OklahomaAce | UnsetType = UNSET
    first_turn_knock: FirstTurnKnock | UnsetType = UNSET
    big_gin: bool | UnsetType = UNSET
    melds: Melds | UnsetType = UNSET
    layoff: bool | UnsetType = UNSET
    layoff_on_gin: bool | UnsetType = UNSET
    layoff_chain: LayoffChain | UnsetType = UNSET
    stock_floor: UpToTen | UnsetType = UNSET
    stock_end: StockEnd | UnsetType = UNSET
    max_turns: MaxTurns | UnsetType = UNSET
    scoring: Scoring | UnsetType = UNSET
    gin_bonus: Bonus | UnsetType = UNSET
    undercut_bonus: Bonus | UnsetType = UNSET
    big_gin_bonus: Bonus | UnsetType = UNSET
    game_bonus: Bonus | UnsetType = UNSET
    box_bonus: Bonus | UnsetType = UNSET
    undercut_tie: UndercutTie | UnsetType = UNSET
    spade_doubles: bool | UnsetType = UNSET
    boxes_in_running_score: bool | UnsetType = UNSET
    target: Target | UnsetType = UNSET
    deals: DealCount | UnsetType = UNSET
    penalty_limit: Target | UnsetType = UNSET
    shutout: Shutout | UnsetType = UNSET
    match_winner: MatchWinner | UnsetType = UNSET
    columns: Columns | UnsetType = UNSET


class Knobs(Struct, frozen=True, kw_only=True):
    """Every knob of a rule set; exactly one of `target`, `deals` and `penalty_limit` is not null."""

    hand_size: HandSize | None
    next_dealer: NextDealer
    upcard_offer: UpcardOffer
    allow_discard_taken: bool
    ace: Ace
    ace_points: AcePoints
    knock_limit: UpToTen
    knock_limit_source: KnockLimitSource
    oklahoma_ace: OklahomaAce
    first_turn_knock: FirstTurnKnock
    big_gin: bool
    melds: Melds
    layoff: bool
    layoff_on_gin: bool
    layoff_chain: LayoffChain
    stock_floor: UpToTen
    stock_end: StockEnd
    max_turns: MaxTurns
    scoring: Scoring
    gin_bonus: Bonus
    undercut_bonus: Bonus
    big_gin_bonus: Bonus
    game_bonus: Bonus
    box_bonus: Bonus
    undercut_tie: UndercutTie
    spade_doubles: bool
    boxes_in_running_score: bool
    target: Target | None
    deals: DealCount | None
    penalty_limit: Target | None
    shutout: Shutout
    match_winner: MatchWinner
    columns: Columns


def knobs_of(rules: RuleSet) -> Knobs:
    """Return every knob of a rule set for a client."""
    return msgspec.convert(msgspec.structs.asdict(rules), Knobs, strict=False)


def preset_of(name: str) -> Preset:
    """Return the preset of a name; raise `Problem` where there is none."""
    preset = presets.find(name)
    if preset is None:
        raise Problem(Code.RULESET_UNKNOWN)
    return preset


def rules_of(name: str, overrides: Overrides | UnsetType, seats: int) -> RuleSet:
    """Return the rules that a client asks for; raise `Problem` where R9 refuses them for so many seats."""
    preset = preset_of(name)
    given = {} if overrides is UNSET else msgspec.to_builtins(overrides)
    knobs = msgspec.convert(given, RuleSet)
    chosen = {knob: getattr(knobs, knob) for knob in given}
    rules = presets.resolve(preset, chosen)
    refused = presets.refused_knob(rules, seats, given)
    if refused is not None:
        raise Problem(Code.RULESET_REFUSED, f"`{refused.knob}` is refused: {refused.why}.", knob=refused.knob)
    return rules


def rules_for_seats(name: str, overrides: Overrides | UnsetType, seats: int) -> RuleSet:
    """Return the rules that a client asks for; raise `Problem` where so many may not play by them."""
    rules = rules_of(name, overrides, seats)
    if not preset_of(name).suits(seats):
        raise Problem(Code.SEATS_UNSUITABLE)
    return rules
