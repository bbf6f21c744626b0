import sys
from collections import Counter

import pytest

from tests.oracles.tally import SEEN, Tally, lines

pytest.register_assert_rewrite("tests.oracles.side_by_side", "tests.oracles.spiel")

collect_ignore = ["test_open_spiel.py", "test_quirks.py"] if sys.version_info >= (3, 12) else []
"""open_spiel is published for Python 3.11 only."""


@pytest.fixture
def tally(request: pytest.FixtureRequest) -> Tally:
    """An empty tally, which is told at the end of the run under the name of the test."""
    return request.config.stash.setdefault(SEEN, {}).setdefault(request.node.name, Counter())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Tell what the oracles saw."""
    told = lines(config.stash.get(SEEN, {}))
    if told:
        terminalreporter.section("what the oracles saw")
        for line in told:
            terminalreporter.line(line)
