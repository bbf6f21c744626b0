import pytest

from benchmarks.load import COLUMNS, head_of_table, measure
from benchmarks.users import Asked
from tests.replicas.layout import Layout
from tests.sizes import size

pytestmark = pytest.mark.anyio


async def test_the_benchmark_prints_a_row_for_each_number_of_matches(
    layout: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = Asked(seconds=size(4, 50) / 10, streams=12, users=4, rate=40, memory=100_000)
    head_of_table()
    await measure(layout, layout.database.pid, [4, 8], asked)
    printed = capsys.readouterr().out.splitlines()
    head, *rows = printed
    assert len(head) == sum(width for _, width in COLUMNS)
    names = [name for name, _ in COLUMNS]
    for row, matches, streams in zip(rows, (4, 8), (8, 12), strict=True):
        cells = dict(zip(names, row.split(), strict=True))
        assert (cells["replicas"], cells["matches"], cells["streams"]) == ("2", str(matches), str(streams))
        assert int(cells["moves/s"]) > 0
        assert float(cells["across p50"]) > 0
