"""Every problem type, in one table: the API answers from it, lists it and documents it."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

from msgspec import Struct

from engine.refusal import Reason
from service.http.problems import Code


class ProblemType(Struct, frozen=True):
    """A kind of problem; `title` never varies and `description` tells what a client can do."""

    code: str
    status: int
    title: str
    description: str


_REQUEST: Final[tuple[tuple[Code, int, str, str], ...]] = (
    (
        Code.MALFORMED_REQUEST,
        400,
        "The request is not valid HTTP",
        "The request line, a header or the framing of the body cannot be read. The connection is closed.",
    ),
    (
        Code.HOST_INVALID,
        400,
        "The Host header is missing or invalid",
        "A request has one `Host`, a name or an address with or without a port; only HTTP/1.0 may omit it.",
    ),
    (
        Code.MALFORMED_JSON,
        400,
        "The body is not JSON",
        (
            "The body must be one JSON text in UTF-8, nested no deeper than its schema, with no name twice "
            "in one object."
        ),
    ),
    (
        Code.BODY_INVALID,
        400,
        "The body does not fit its schema",
        (
            "`errors` names all that is wrong, the first 20 at most, each by a JSON pointer to its place: a "
            "wrong type, an unknown or missing field, an unknown knob or card, a value out of range."
        ),
    ),
    (
        Code.PARAMETER_INVALID,
        400,
        "A query parameter is not understood",
        (
            "`errors` names each query parameter that is unknown, repeated, missing or out of range, the "
            "first 20 at most. Numbers are plain decimal digits."
        ),
    ),
    (
        Code.UNAUTHENTICATED,
        401,
        "A valid token is needed",
        "The request has no token, or one that was not given out here or has been replaced.",
    ),
    (Code.FORBIDDEN, 403, "This token does not allow that", "The token is good, but for another seat."),
    (
        Code.NOT_FOUND,
        404,
        "There is no such thing",
        (
            "Nothing is here, or nothing that the caller may know of. An index that is not written in plain "
            "decimal digits, or is out of range, names nothing."
        ),
    ),
    (
        Code.METHOD_NOT_ALLOWED,
        405,
        "This address does not take that method",
        "`Allow` lists the methods that it takes.",
    ),
    (
        Code.NOT_ACCEPTABLE,
        406,
        "No answer in a wanted format",
        "`Accept` must allow the format that the operation documents, as `application/json` for most.",
    ),
    (Code.BODY_TOO_LARGE, 413, "The body is too large", "A body may have at most `limit` bytes."),
    (
        Code.TOO_MUCH_WORK,
        413,
        "The request is too much work",
        (
            "Ask for less at once: it takes more than `limit` solved hands, or steps of a match that is "
            "reviewed, or of one of bots only."
        ),
    ),
    (
        Code.UNSUPPORTED_MEDIA_TYPE,
        415,
        "The body must be application/json",
        "Send `Content-Type: application/json`, in UTF-8 and without a content coding.",
    ),
    (
        Code.HEAD_TOO_LARGE,
        431,
        "The request line and headers are too large",
        "Together, or as trailers, they may have at most `limit` bytes. The connection is closed.",
    ),
)

_STATE: Final[tuple[tuple[StrEnum, int, str, str], ...]] = (
    (Reason.NOT_YOUR_TURN, 409, "It is not your turn", "Another seat acts first."),
    (
        Reason.WRONG_PHASE,
        409,
        "This action does not belong to the phase",
        "The view lists the actions that are possible now.",
    ),
    (
        Reason.MUST_DRAW_STOCK,
        409,
        "The stock must be drawn",
        "After every seat has passed the upcard, the first one draws from the stock (R2.4).",
    ),
    (
        Reason.MUST_KNOCK,
        409,
        "This turn must end in a knock",
        "Who takes the last discard for a knock must knock, or declare gin or big gin (R4.5).",
    ),
    (
        Reason.NO_KNOCK_POSSIBLE,
        409,
        "No knock would be possible",
        "Under this rule set the last discard is taken for a knock only; all that is left is to pass (R4.5).",
    ),
    (
        Reason.FIRST_TURN_KNOCK,
        409,
        "It is too early to knock",
        "The rule set allows no knock, gin or big gin in this first turn of the seat (R4.1).",
    ),
    (Reason.CARD_NOT_IN_HAND, 409, "That card is not in the hand", "`card` is not among the cards held."),
    (
        Reason.CARD_JUST_TAKEN,
        409,
        "That card was just taken",
        "A card taken from the discard pile may not be thrown in the same turn (R3.2).",
    ),
    (
        Reason.DEADWOOD_ABOVE_LIMIT,
        409,
        "Too much deadwood to knock",
        "The cards left unmelded count `deadwood`, more than the deal's `knock_limit` (R4.1).",
    ),
    (Reason.NOT_GIN, 409, "Not every card is melded", "Big gin takes eleven melded cards (R4.2)."),
    (Reason.BIG_GIN_NOT_PLAYED, 409, "Big gin is not played", "The rule set has no big gin (R4.2)."),
    (
        Reason.MELDS_NOT_DECLARED,
        409,
        "Melds are not declared here",
        "Under this rule set the service arranges the hands; leave `melds` out (R5.1).",
    ),
    (Reason.MELD_INVALID, 409, "That is no meld", "Meld number `meld` is neither a set nor a run (R1.3)."),
    (Reason.MELD_OVERLAP, 409, "A card is used twice", "A card sits in one place only (R1.3)."),
    (
        Reason.LAYOFF_DOES_NOT_FIT,
        409,
        "That card does not fit there",
        "`card` is no fourth card and no next card of the knocker's meld number `meld` (R5.4).",
    ),
    (Reason.MATCH_NOT_STARTED, 409, "The match has not started", "A seat is still open."),
    (
        Reason.MATCH_STARTED,
        409,
        "The match has started",
        "Once the cards are dealt a match is not aborted; a seat may resign (R3.4).",
    ),
    (Reason.MATCH_FINISHED, 409, "The match is over", "A finished match takes no action."),
    (Reason.MATCH_FULL, 409, "Every seat is taken", "The last open seat was filled."),
    (
        Code.VERSION_CONFLICT,
        409,
        "The match has moved on",
        "The action was chosen for another version than `current_version`. Read the view and choose again.",
    ),
    (
        Code.INTENT_STALE,
        409,
        "The intent is for an older version",
        "The match is at `current_version`. Read the view and make a new intent.",
    ),
    (
        Code.INTENT_INVALID,
        409,
        "This intent is not valid here",
        "An intent is good for the match, the seat and the token for which it was made, unchanged.",
    ),
    (
        Code.TURN_TIMED_OUT,
        409,
        "The time for this move was up",
        "It arrived after the deadline: the house has acted, and the match is at `current_version`.",
    ),
    (
        Code.DEADLINE_NOT_REACHED,
        409,
        "No time is up",
        "The seat in turn has until `deadline`; without that member nobody is waited for.",
    ),
    (
        Code.HINTS_NOT_ALLOWED,
        409,
        "This match is played without hints",
        (
            "It was created with `hints: false`: the service gives no hints in its views and no advice for "
            "its seats. It can be reviewed when it is over."
        ),
    ),
    (
        Code.MATCH_NOT_FINISHED,
        409,
        "The match is not over",
        "A review tells what everybody held: it waits for the end.",
    ),
    (Code.INTENT_EXPIRED, 410, "The intent has expired", "Make a new one: intents last for minutes."),
)

_MEANING: Final[tuple[tuple[Code, int, str, str], ...]] = (
    (
        Code.RULESET_UNKNOWN,
        422,
        "There is no such rule set",
        "`/v1/rulesets` lists them; `classic` is the latest version of `classic@1`.",
    ),
    (
        Code.RULESET_REFUSED,
        422,
        "These rules do not go together",
        "`knob` is at odds with the other rules or with the number of seats (R9).",
    ),
    (
        Code.SEATS_UNSUITABLE,
        422,
        "The number of seats does not suit",
        "The rule set is for another number of seats, or the request mixes several.",
    ),
    (Code.DUPLICATE_CARDS, 422, "A card appears twice", "`card` is given twice where a deck has one."),
    (
        Code.HAND_SIZE_WRONG,
        422,
        "A hand has the wrong number of cards",
        (
            "A seat holds the hand size of the rule set; one more after it has taken a card, and as the "
            "knocker with big gin."
        ),
    ),
    (
        Code.CARDS_MISCOUNTED,
        422,
        "The cards do not add up to 52",
        "The hands, the discard pile and `stock_count` make another number of cards than a deck has.",
    ),
    (
        Code.KNOWN_CARDS_IMPOSSIBLE,
        422,
        "So many cards cannot be known",
        "A seat's `known_cards` are more than the cards it holds.",
    ),
    (
        Code.UPCARD_REQUIRED,
        422,
        "The upcard is needed",
        "Give `upcard`: by `knob` the knock limit or the points of a deal depend on it (R4.3, R6.2).",
    ),
    (
        Code.UPCARD_IMPOSSIBLE,
        422,
        "That cannot be the upcard",
        "It lies in the discard pile or in a hand where it is known; where eleven are dealt there is none.",
    ),
    (
        Code.TAKEN_IMPOSSIBLE,
        422,
        "That card cannot have been taken",
        "Before a throw, and only then, `taken` names a card of `hand`, which the deal so far lets it take.",
    ),
    (
        Code.PHASE_IMPOSSIBLE,
        422,
        "The deal cannot be in that phase",
        "The rules, the stock's count, the discard pile or the spread are at odds with `phase`.",
    ),
    (
        Code.SPREAD_INVALID,
        422,
        "The melds cannot be laid",
        "A meld is no set or run, shares a card with another, or has a card that its owner does not hold.",
    ),
    (
        Code.SPREAD_ABOVE_LIMIT,
        422,
        "This spread may not knock",
        "Its `deadwood` exceeds `knock_limit`, or big gin leaves a card unmelded or is not played.",
    ),
    (
        Code.LAYOFFS_IMPOSSIBLE,
        422,
        "The layoffs cannot be made",
        "Applied in order, one does not fit, or is of a card not at hand; or nobody lays off here (R5.6).",
    ),
    (
        Code.DEALS_IMPOSSIBLE,
        422,
        "These deals make no match",
        "Deal number `deal` is of the wrong kind, or comes after the match was over.",
    ),
    (
        Code.TALLIES_IMPOSSIBLE,
        422,
        "The tallies do not add up",
        (
            "The seats ended more deals than were finished, or count different numbers of deals; or the "
            "deadwood of their knocks is impossible: a knock leaves at least 1 and at most the knock limit."
        ),
    ),
    (
        Code.WINNER_IMPOSSIBLE,
        422,
        "That seat is no winner",
        "`winner` must be one of the seats, and no other seat may have fewer penalties (R7.3, R7.5).",
    ),
    (
        Code.CARDS_KNOWN_NOT_PUBLIC,
        422,
        "Known cards are not for public tables",
        "A match on a given seed or given decks cannot be public.",
    ),
    (
        Code.CLOCK_REQUIRED,
        422,
        "A public table needs a clock",
        "Give `clock`, or another `visibility`; only a match of bots alone waits for nobody.",
    ),
    (
        Code.METADATA_UNREADABLE,
        422,
        "Nobody could read the metadata",
        "Metadata is shown to the seats of the match's creator, and this creator takes none: leave it out.",
    ),
    (
        Code.METADATA_TOO_LARGE,
        422,
        "The metadata are too large",
        "Written as JSON they may have at most `limit` bytes.",
    ),
    (Code.INTERNAL_ERROR, 500, "The service failed", "Nothing is known but `instance`; tell the operator."),
    (Code.BUSY, 503, "Too many requests at once", "Try again after the seconds of `Retry-After`."),
    (Code.DRAINING, 503, "The service is stopping", "Try again after the seconds of `Retry-After`."),
    (
        Code.DATABASE_UNAVAILABLE,
        503,
        "The database cannot be reached",
        "Try again after the seconds of `Retry-After`; a move may be confirmed twice without harm.",
    ),
    (
        Code.REPLICA_OUTDATED,
        503,
        "This process is older than the match",
        "A newer version of the service has written the match. Try again: a newer process answers.",
    ),
)


def _table(*parts: Iterable[tuple[StrEnum, int, str, str]]) -> dict[str, ProblemType]:
    return {str(row[0]): ProblemType(str(row[0]), *row[1:]) for part in parts for row in part}


PROBLEM_TYPES: Final[dict[str, ProblemType]] = _table(_REQUEST, _STATE, _MEANING)
"""Each problem type by its code, in the order of their statuses."""
