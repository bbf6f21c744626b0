"""A process that steps matches until it is killed or done, and says what was confirmed.

Arguments: the database's address, the steps of each match, the ids. Each line it prints is a match's
id and the version that has been committed.
"""

import asyncio
import sys
from uuid import UUID

from service.db.rows import Change
from service.db.urls import session_on
from service.matches.store import Store
from tests.service.steps import step


async def play(store: Store, match_id: UUID, steps: int) -> None:
    for _ in range(steps):
        version = await store.submit(Change(match_id, step))
        sys.stdout.write(f"{match_id} {version}\n")
        sys.stdout.flush()


async def main(url: str, steps: str, *ids: str) -> None:
    store = Store(session_on(url))
    async with store.opened():
        await asyncio.gather(*(play(store, UUID(match_id), int(steps)) for match_id in ids))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
