"""How a knock is settled, compiled: the spread that leaves the defender most, and his best answer (R5)."""

from training.compiling import compiled, recursive
from training.hands import deadwood, first_card
from training.tables import MELD_STARTS, MELDS, VALUE, Ints

_RANK = 1 | 1 << 13 | 1 << 26 | 1 << 39


@compiled
def _fitting(meld: int) -> int:
    """Return the cards that would make a meld one card longer."""
    first = first_card(meld)
    same = _RANK << (first % 13)
    if not meld & ~same:
        return same & ~meld
    suit = 0x1FFF << (first // 13 * 13)
    return (meld << 1 | meld >> 1) & suit & ~meld


@recursive("int64(int64, int64[:], int64, int64)")
def answered(hand: int, melds: Ints, count: int, least: int) -> int:
    """Return the least deadwood of a defender over own melds and layoffs jointly (R5.3)."""
    least = min(least, deadwood(hand))
    for place in range(count):
        meld = melds[place]
        fits = _fitting(meld) & hand
        while fits:
            bit = fits & -fits
            fits ^= bit
            melds[place] = meld | bit
            least = answered(hand ^ bit, melds, count, least)
            melds[place] = meld
    return least


@recursive("int64(int64, int64, int64[:], int64, int64)")
def spread(left: int, points: int, melds: Ints, count: int, defender: int) -> int:
    """Return the most that a spread leaves the defender, among those that leave `points` unmatched (R5.1).

    `left` are the knocker's cards not yet laid out, and `melds` holds `count` melds laid before.
    """
    if not left:
        return answered(defender, melds, count, 1000) if points == 0 else -1
    first = first_card(left)
    most = -1
    if points >= VALUE[first]:
        most = spread(left & (left - 1), points - VALUE[first], melds, count, defender)
    for place in range(MELD_STARTS[first], MELD_STARTS[first + 1]):
        meld = MELDS[place]
        if meld & ~left == 0 and count < len(melds):
            melds[count] = meld
            most = max(most, spread(left & ~meld, points, melds, count + 1, defender))
    return most
