"""schemathesis against the real server: every check, every phase, nothing excluded."""

from pathlib import Path
from uuid import UUID

import pytest

from service.contract import example_service
from service.matches.access import Access, Gate
from service.matches.tokens import Claim
from tests.contract.fuzzing import fuzz, listening
from tests.sizes import SOAK, size

pytestmark = pytest.mark.usefixtures("quiet")

SEEDS = [1, 2, 3] if SOAK else [1]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_document_is_not_contradicted(seed: int, tmp_path: Path) -> None:
    with example_service() as service, listening(service) as address:
        done = fuzz(address, tmp_path, seed=seed, examples=size(20, 200))
    assert done.returncode == 0, done.stdout[-8000:]
    assert "No issues found" in done.stdout
    assert "Warnings" not in done.stdout


def test_a_seat_that_anybody_sees_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The two callers really are compared: a gate that takes any token for any seat does not pass."""

    async def any_token(gate: Gate, token: str | None, match_id: UUID, seat: int) -> Access:
        gate.claim(token)
        return Access(Claim(match_id, seat, generation=0), await gate._store.load(match_id))

    monkeypatch.setattr(Gate, "seat", any_token)
    with example_service() as service, listening(service) as address:
        done = fuzz(address, tmp_path, seed=1, examples=20, only=("createMatch", "getView"))
    assert "Object-level authorization bypass" in done.stdout, done.stdout[-4000:]
