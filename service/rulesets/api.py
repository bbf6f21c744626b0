"""Reading the published rule sets."""

from typing import Any, Final

from litestar import Request, Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from engine.presets import PRESETS, find
from service.http.etag import DAY, conditional, etag_of_struct
from service.http.operation import Example, operation
from service.http.problems import Code, Problem
from service.http.rules import RulesetName
from service.rulesets.wire import RulesetOut, RulesetsOut, ruleset_to_wire


@get(
    "/v1/rulesets",
    operation_id="listRulesets",
    tags=["rulesets"],
    opt=operation(example=Example(), conditional=True),
)
async def list_rulesets(request: Request[Any, Any, Any]) -> Response[RulesetsOut]:
    """List every published version of every rule set."""
    listed = RulesetsOut(items=[ruleset_to_wire(preset) for preset in PRESETS])
    return conditional(request, listed, etag_of_struct(listed), DAY)


@get(
    "/v1/rulesets/{ruleset:str}",
    operation_id="getRuleset",
    tags=["rulesets"],
    opt=operation(example=Example(path={"ruleset": "straight@1"}), conditional=True),
)
async def get_ruleset(
    ruleset: FromPath[RulesetName], request: Request[Any, Any, Any]
) -> Response[RulesetOut]:
    """Read one rule set; the knobs of a published version never change."""
    preset = find(ruleset)
    if preset is None:
        raise Problem(Code.NOT_FOUND)
    shown = ruleset_to_wire(preset)
    return conditional(request, shown, etag_of_struct(shown), DAY)


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (list_rulesets, get_ruleset)
