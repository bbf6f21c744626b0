"""The published rule sets, and the rules in words."""

from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody

from engine.presets import PRESETS, find
from service.http.etag import DAY, conditional, etag_of_struct
from service.http.operation import Example, operation
from service.http.problems import Code, Problem
from service.http.rules import RulesetName
from service.http.texts import in_language, language_for
from service.rulesets.facts import Seats
from service.rulesets.wire import (
    RulesetsOut,
    RulesetWithSheetOut,
    RuleSheetIn,
    RuleSheetOut,
    ruleset_to_wire,
    ruleset_with_sheet_to_wire,
    sheet_to_wire,
)


@get(
    "/v1/rulesets",
    operation_id="listRulesets",
    tags=["rulesets"],
    opt=operation(example=Example(), conditional=True),
)
async def list_rulesets(request: Request[Any, Any, Any]) -> Response[RulesetsOut]:
    """List every published version of every rule set.

    The rules in words stand with each rule set: see `getRuleset`.
    """
    listed = RulesetsOut(items=[ruleset_to_wire(preset) for preset in PRESETS])
    return conditional(request, listed, etag_of_struct(listed), DAY)


@get(
    "/v1/rulesets/{ruleset:str}",
    operation_id="getRuleset",
    tags=["rulesets"],
    opt=operation(example=Example(path={"ruleset": "straight@1"}), conditional=True, localized=True),
)
async def get_ruleset(
    ruleset: FromPath[RulesetName], request: Request[Any, Any, Any]
) -> Response[RulesetWithSheetOut]:
    """Read one rule set, and its rules in words in English, Russian or Bulgarian.

    The knobs of a published version never change; the words may become better ones.
    """
    preset = find(ruleset)
    if preset is None:
        raise Problem(Code.NOT_FOUND)
    language = language_for(request)
    shown = ruleset_with_sheet_to_wire(preset, language)
    return in_language(language, conditional(request, shown, etag_of_struct(shown), DAY))


@post(
    "/v1/rule-sheets",
    operation_id="writeRuleSheet",
    tags=["rulesets"],
    status_code=200,
    opt=operation(
        problems=(Code.RULESET_UNKNOWN, Code.RULESET_REFUSED, Code.SEATS_UNSUITABLE),
        example=Example(
            body={
                "ruleset": "classic",
                "overrides": {"knock_limit_source": "upcard", "target": 250},
                "seats": 2,
            }
        ),
        localized=True,
    ),
)
async def write_rule_sheet(
    data: JSONBody[RuleSheetIn], request: Request[Any, Any, Any]
) -> Response[RuleSheetOut]:
    """Tell any rule set in words, in English, Russian or Bulgarian."""
    language = language_for(request)
    sheet = sheet_to_wire(data.rules(), Seats(data.seats, data.seats), language)
    return in_language(language, Response(sheet))


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (list_rulesets, get_ruleset, write_rule_sheet)
