"""Matches as earlier versions of the service wrote them, row for row.

`stored/format_3.jsonl.gz` was written by the last version that kept snapshots in format 3: one match a line,
some deals into it, with the moves that its players made next and how that version ended it. Nothing writes
such a file again.
"""

import base64
import gzip
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from service.db.rows import StoredEvent, StoredMatch

FORMAT_3: Final = Path(__file__).parent / "stored" / "format_3.jsonl.gz"


class StoredMove(Struct):
    seat: int
    action: dict[str, Any]


class Ending(Struct):
    """How the version that wrote the match ended it; `rows` are all its finished deals."""

    scores: list[int]
    deals: int
    result: dict[str, Any]
    rows: list[dict[str, Any]]
    columns: list[dict[str, Any]] | None


class StoredGame(Struct):
    name: str
    row: StoredMatch
    events: tuple[StoredEvent, ...]
    moves: list[StoredMove]
    end: Ending


def games(path: Path = FORMAT_3) -> list[StoredGame]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [_game(msgspec.json.decode(line)) for line in lines]


def _game(read: dict[str, Any]) -> StoredGame:
    for event in read["events"]:
        event["body"] = base64.b64encode(event["body"].encode()).decode()
        event["action"] = event["action"] and base64.b64encode(event["action"].encode()).decode()
    return msgspec.convert(read, StoredGame)
