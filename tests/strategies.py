"""Hypothesis strategies: rule sets with any knobs that go together, and the seats that play by them."""

from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from engine.presets import refused_knob
from engine.rules import (
    Ace,
    FirstTurnKnock,
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

LENGTHS = {
    Scoring.POINTS: {"target": st.integers(1, 150), "deals": st.integers(1, 5)},
    Scoring.PENALTY: {"penalty_limit": st.integers(1, 150), "deals": st.integers(1, 5)},
}
"""The lengths that a match may have, by its scoring (R6, R7.3)."""

KNOBS: dict[str, st.SearchStrategy[object]] = {
    "hand_size": st.integers(3, 10),
    "next_dealer": st.sampled_from(NextDealer),
    "upcard_offer": st.sampled_from(UpcardOffer),
    "allow_discard_taken": st.booleans(),
    "ace": st.sampled_from(Ace),
    "ace_points": st.sampled_from([1, 11, 15]),
    "knock_limit": st.integers(0, 10),
    "knock_limit_source": st.sampled_from(KnockLimitSource),
    "oklahoma_ace": st.sampled_from(OklahomaAce),
    "first_turn_knock": st.sampled_from(FirstTurnKnock),
    "big_gin": st.booleans(),
    "melds": st.sampled_from(Melds),
    "layoff": st.booleans(),
    "layoff_on_gin": st.booleans(),
    "layoff_chain": st.sampled_from(LayoffChain),
    "stock_floor": st.integers(0, 10),
    "stock_end": st.sampled_from(StockEnd),
    "max_turns": st.integers(20, 60),
    "gin_bonus": st.integers(0, 50),
    "undercut_bonus": st.integers(0, 50),
    "big_gin_bonus": st.integers(0, 50),
    "game_bonus": st.integers(0, 100),
    "box_bonus": st.integers(0, 30),
    "undercut_tie": st.sampled_from(UndercutTie),
    "spade_doubles": st.booleans(),
    "boxes_in_running_score": st.booleans(),
    "shutout": st.sampled_from(Shutout),
    "match_winner": st.sampled_from(MatchWinner),
    "columns": st.sampled_from([1, 3]),
}
"""The values of every knob but the scoring and the lengths."""


class Game(Struct, frozen=True):
    """A rule set, how many seats play by it, and the number of a match."""

    rules: RuleSet
    seats: int
    number: int


@st.composite
def games(draw: st.DrawFn) -> Game:
    """Rule sets that R9 accepts with two to four seats; a knob that it names goes back to its default."""
    seats = draw(st.integers(2, 4))
    scoring = Scoring.PENALTY if seats > 2 else draw(st.sampled_from(Scoring))
    length = draw(st.sampled_from(sorted(LENGTHS[scoring])))
    lengths = {"target": None, length: draw(LENGTHS[scoring][length])}
    knobs = draw(st.fixed_dictionaries({}, optional=KNOBS))
    rules = RuleSet(scoring=scoring, **lengths, **knobs)  # type: ignore[arg-type]
    while (refused := refused_knob(rules, seats)) is not None:
        default = getattr(RuleSet(), refused.knob)
        assert getattr(rules, refused.knob) != default
        rules = replace(rules, **{refused.knob: default})
    return Game(rules, seats, draw(st.integers(0, 999)))
