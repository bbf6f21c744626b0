"""The command line, where no wait for a page runs out: whoever waits is answered, or missed, or waits on."""

from collections.abc import Coroutine
from typing import Any

from service.cli import main
from service.events import follow

PROGRAM = "tests.service.endless"
"""This module, for `serving`."""

_news = follow._Waiter.news


def news(waiter: follow._Waiter, _seconds: int | None) -> Coroutine[Any, Any, None]:
    """Wait for ever."""
    return _news(waiter, None)


if __name__ == "__main__":
    follow._Waiter.news = news  # type: ignore[assignment]
    main()
