"""How large the tests are: ``TEST_SIZE`` is ``quick`` (CI) or ``soak`` (what is promised)."""

import os
from typing import Final

SOAK: Final[bool] = {"quick": False, "soak": True}[os.environ.get("TEST_SIZE", "quick")]


def size(quick: int, soak: int) -> int:
    return soak if SOAK else quick
