"""Plays a whole match against the house over HTTP, with nothing but httpx.

Start the service with `make serve`, and then, beside it:
`.venv/bin/python examples/play_match.py --seed "any text"`.
"""

import argparse
from typing import Any, TypeAlias

import httpx

Json: TypeAlias = dict[str, Any]


class Seat:
    """A seat at a table: what its token lets us ask."""

    def __init__(self, client: httpx.Client, match_id: str, seat: int, token: str) -> None:
        self._client = client
        self._match = f"/v1/matches/{match_id}"
        self._path = f"{self._match}/seats/{seat}"
        self._headers = {"Authorization": f"Bearer {token}"}

    def view(self) -> Json:
        """Return all that this seat may know, and what it may do."""
        return told(self._client.get(f"{self._path}/view", headers=self._headers))

    def deal(self, number: int) -> Json:
        """Return a finished deal, numbered from 1, with all hands."""
        return told(self._client.get(f"{self._match}/deals/{number}", headers=self._headers))

    def propose(self, action: Json, version: int) -> Json:
        """Return an intent, and a preview of what confirming it would do; nothing has happened yet."""
        body = {"action": action, "expected_version": version}
        return told(self._client.post(f"{self._path}/intents", headers=self._headers, json=body))

    def confirm(self, intent: str) -> Json:
        """Play an intent and return our move, the bot's replies and the new view.

        Whoever hears no answer may confirm again: the move is played once and told twice.
        """
        return told(self._client.post(f"{self._path}/moves", headers=self._headers, json={"intent": intent}))


def told(answer: httpx.Response) -> Json:
    """Return the body of an answer; a refusal is a problem document, and ends the program."""
    body: Json = answer.json()
    if answer.is_error:
        raise SystemExit(f"{body['title']}: {body['detail']}")
    return body


def sit_down(client: httpx.Client, seed: str | None) -> tuple[Seat, list[str]]:
    """Create a match against the bot; return our seat and the names at the table.

    With a seed the same match is dealt again; without one the server draws its own and commits to it.
    """
    body: Json = {"seats": [{"kind": "self", "name": "You"}, {"kind": "bot", "name": "House"}]}
    if seed is not None:
        body["shuffle"] = {"mode": "seed", "seed": seed}
    created = told(client.post("/v1/matches", json=body))
    own = created["seats"][0]
    seat = Seat(client, created["match"]["id"], own["seat"], own["token"])
    return seat, [player["name"] for player in created["match"]["seats"]]


def prepare(seat: Seat, view: Json) -> Json:
    """Propose the next action: take what melds, throw what costs least, knock as soon as we may."""
    offered = {action["type"]: action for action in view["actions"]}
    version = view["version"]
    if view["phase"] == "discard":
        verb = "knock" if "knock" in offered else "discard"
        left = view["hints"]["deadwood_after"]
        card = min(offered[verb]["cards"], key=lambda card: left[card])
        return seat.propose({"type": verb, "card": card}, version)
    for verb in ("take_upcard", "draw_discard"):
        if verb in offered:
            # A proposal binds nobody, so we may make one only to look at its preview.
            proposed = seat.propose({"type": verb}, version)
            if any(view["discard_pile"][-1] in meld for meld in proposed["preview"]["arrangement"]["melds"]):
                return proposed
    return seat.propose({"type": "pass" if "pass" in offered else "draw_stock"}, version)


def line(deal: Json, names: list[str]) -> str:
    """Return what became of a deal: its result, its points, and the melds that were shown."""
    hands = "; ".join(f"{names[hand['seat']]}: {laid_down(hand)}" for hand in deal["hands"])
    return (
        f"{deal['deal']:3}  {deal['result']:9} {deal['points']:3} to {named(names, deal['winner']):7} {hands}"
    )


def named(names: list[str], seat: int | None) -> str:
    """Return who won a deal or a match; both can end with no winner."""
    return "nobody" if seat is None else names[seat]


def laid_down(hand: Json) -> str:
    """Return the melds of a hand, the cards laid off on the knocker's, and the deadwood that is left."""
    melds = " | ".join(" ".join(meld) for meld in hand["melds"]) or "no meld"
    laid_off = "".join(f" +{layoff['card']}" for layoff in hand["layoffs"])
    return f"{melds}{laid_off} ({hand['deadwood']} left)"


def play(client: httpx.Client, seed: str | None) -> None:
    """Play a match, print each deal as it is finished, and then who won."""
    seat, names = sit_down(client, seed)
    view = seat.view()
    finished = 0
    while view["status"] == "playing":
        view = seat.confirm(prepare(seat, view)["intent"])["view"]
        while finished < view["deal_count"]:
            finished += 1
            print(line(seat.deal(finished), names))
    score = ", ".join(f"{name} {points}" for name, points in zip(names, view["scores"], strict=True))
    print(f"{named(names, view['result']['winner'])} won: {score}")


def main() -> None:
    """Find the service, and play a match there."""
    parser = argparse.ArgumentParser(description="Play a match of gin rummy against the house.")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="where the service listens")
    parser.add_argument("--seed", help="a text: the same one deals the same match")
    asked = parser.parse_args()
    try:
        with httpx.Client(base_url=asked.url) as client:
            play(client, asked.seed)
    except httpx.ConnectError:
        raise SystemExit(f"Nobody answers at {asked.url}: `make serve` starts the service.") from None


if __name__ == "__main__":
    main()
