"""Hypothesis strategies: rule sets that matches play now."""

from hypothesis import strategies as st

from engine.rules import Ace, LayoffChain, Melds, RuleSet, UndercutTie, UpcardOffer


def played_rules() -> st.SearchStrategy[RuleSet]:
    """Rule sets with any knobs that matches play now, to a target or a number of deals."""
    length = st.one_of(
        st.builds(lambda target: (target, None), st.integers(1, 150)),
        st.builds(lambda deals: (None, deals), st.integers(1, 5)),
    )
    return st.builds(_rules, length=length, knobs=_KNOBS)


def _rules(length: tuple[int | None, int | None], knobs: dict[str, object]) -> RuleSet:
    target, deals = length
    return RuleSet(target=target, deals=deals, **knobs)  # type: ignore[arg-type]


_KNOBS = st.fixed_dictionaries(
    {},
    optional={
        "hand_size": st.integers(3, 10),
        "upcard_offer": st.sampled_from([UpcardOffer.STANDARD, UpcardOffer.NONE]),
        "ace": st.sampled_from(Ace),
        "ace_points": st.sampled_from([1, 11, 15]),
        "knock_limit": st.integers(0, 10),
        "big_gin": st.booleans(),
        "melds": st.sampled_from(Melds),
        "layoff": st.booleans(),
        "layoff_on_gin": st.booleans(),
        "layoff_chain": st.sampled_from(LayoffChain),
        "stock_floor": st.integers(0, 10),
        "max_turns": st.integers(20, 60),
        "gin_bonus": st.integers(0, 50),
        "undercut_bonus": st.integers(0, 50),
        "big_gin_bonus": st.integers(0, 50),
        "game_bonus": st.integers(0, 100),
        "box_bonus": st.integers(0, 30),
        "undercut_tie": st.sampled_from(UndercutTie),
        "spade_doubles": st.booleans(),
        "boxes_in_running_score": st.booleans(),
    },
)
