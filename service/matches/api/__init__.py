"""Matches over HTTP."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from service.matches.api.deals import HANDLERS as DEALS
from service.matches.api.endings import HANDLERS as ENDINGS
from service.matches.api.matches import HANDLERS as MATCHES
from service.matches.api.seats import HANDLERS as SEATS

HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (*MATCHES, *DEALS, *SEATS, *ENDINGS)
