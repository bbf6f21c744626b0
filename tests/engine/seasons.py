"""Some matches of one table, as the properties look at them."""

from itertools import chain
from typing import Final

from msgspec import Struct

from engine.state import Deal, Match
from tests.engine.tables import Table
from tests.playbook import Step
from tests.sizes import size

MATCHES: Final = size(2, 60)


class Season(Struct, frozen=True):
    """Some matches of one table, from the number `first` on, step by step."""

    table: Table
    matches: tuple[tuple[Step, ...], ...]
    first: int = 0

    @property
    def opened(self) -> list[Match]:
        """The matches, just dealt."""
        return [self.table.opened(self.first + number) for number in range(len(self.matches))]

    @property
    def steps(self) -> list[Step]:
        return list(chain.from_iterable(self.matches))

    @property
    def running(self) -> list[tuple[Match, Deal]]:
        """Every state in which a deal is played."""
        states = [*self.opened, *(step.match for step in self.steps)]
        return [(match, match.deal) for match in states if match.deal is not None]
