"""Who may see a match and act for a seat of it."""

from uuid import UUID

from msgspec import Struct

from service.db.codec import decode_generations, refuse_newer
from service.db.rows import StoredMatch
from service.http.keys import Keyring
from service.http.problems import Code, Problem
from service.matches.store import Store
from service.matches.tokens import Claim, read

PRIVATE = "private"


class Access(Struct, frozen=True):
    """A caller's proof for a seat; `row` is the match as it was read to check it, if it had to be."""

    claim: Claim
    row: StoredMatch | None = None


class Gate:
    """Checks tokens: first their MAC, then what the match says of them."""

    def __init__(self, store: Store, keyring: Keyring) -> None:
        self._store = store
        self._keyring = keyring

    def claim(self, token: str | None) -> Claim:
        """Return what a token claims; raise `Problem` 401 where there is none or it was not issued here."""
        claim = None if token is None else read(self._keyring, token)
        if claim is None:
            raise Problem(Code.UNAUTHENTICATED)
        return claim

    async def seat(self, token: str | None, match_id: UUID, seat: int) -> Access:
        """Return the proof that this token is current and for this seat.

        Raise `Problem`: 401 for a bad or replaced token; 403 for another seat of a match that the
        caller may know of; 404 for a match that he may not. Raise `NewerFormatError`.
        """
        claim = self.claim(token)
        own = await self._current(claim)
        if claim.match_id == match_id:
            if claim.seat != seat:
                raise Problem(Code.FORBIDDEN)
            refuse_newer(own.snapshot)
            return Access(claim, own)
        other = await self._store.load(match_id)
        if other is None or other.visibility == PRIVATE:
            raise Problem(Code.NOT_FOUND)
        raise Problem(Code.FORBIDDEN)

    async def seat_unread(self, token: str | None, match_id: UUID, seat: int) -> Access:
        """Return the proof without reading the match, for whoever checks the generation later.

        A token for another seat or match is refused as `seat` refuses it.
        """
        claim = self.claim(token)
        if (claim.match_id, claim.seat) == (match_id, seat):
            return Access(claim)
        return await self.seat(token, match_id, seat)

    async def public(self, token: str | None, match_id: UUID) -> StoredMatch:
        """Return a match whose public part the caller may read.

        Raise `Problem`: 401 for a token that is bad or replaced; 404 where the match is private and the
        token, if any, is not for one of its seats. Raise `NewerFormatError`.
        """
        claim = None if token is None else self.claim(token)
        row = None if claim is None else await self._current(claim)
        if row is None or row.id != match_id:
            row = await self._store.load(match_id)
            if row is None or row.visibility == PRIVATE:
                raise Problem(Code.NOT_FOUND)
        refuse_newer(row.snapshot)
        return row

    async def _current(self, claim: Claim) -> StoredMatch:
        row = await self._store.load(claim.match_id)
        if row is None:
            raise Problem(Code.UNAUTHENTICATED)
        require_current(row, claim)
        return row


def require_current(row: StoredMatch, claim: Claim) -> None:
    """Raise `Problem` 401 unless the claim has the seat's current generation."""
    generations = decode_generations(row.generations)
    if claim.seat >= len(generations) or generations[claim.seat] != claim.generation:
        raise Problem(Code.UNAUTHENTICATED)
