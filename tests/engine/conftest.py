import pytest

from tests.engine.seasons import MATCHES, Season
from tests.engine.tables import TABLES


@pytest.fixture(scope="module", params=TABLES)
def season(request: pytest.FixtureRequest) -> Season:
    table = TABLES[request.param]
    return Season(table, tuple(table.steps(number) for number in range(MATCHES)))
