"""Seats as everybody reads them."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from engine.bots import Level
from engine.state import PerSeat, Player
from service.matches.wire.numbers import SeatNumber

PlayerName: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=32, description="1–32 characters, without control or direction marks.")
]
BotLevel: TypeAlias = Literal["beginner", "casual", "club", "strong", "expert"]


class SeatOut(Struct, frozen=True):
    """Who has a seat: nobody yet, a player, or a bot of a level."""

    seat: SeatNumber
    kind: Literal["open", "player", "bot"]
    name: PlayerName | None
    level: BotLevel | None


def seats_to_wire(seats: PerSeat[Player]) -> list[SeatOut]:
    """Return the seats in their order."""
    return [
        SeatOut(number, player.kind.value, player.name, _level(player)) for number, player in enumerate(seats)
    ]


def _level(player: Player) -> BotLevel | None:
    return None if player.level is None else Level(player.level).value
