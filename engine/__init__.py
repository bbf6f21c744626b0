"""Gin rummy: the public verbs. Pure, synchronous and deterministic; no clock, no dice, no I/O."""

from engine.decide import decide, permit
from engine.evolve import evolve
from engine.known import known
from engine.legal import legal_actions
from engine.play import Transition, apply, replay, start_match
from engine.preview import complete, preview
from engine.redact import redact
from engine.refusal import Reason, Refusal
from engine.view import view

__all__ = [
    "Reason",
    "Refusal",
    "Transition",
    "apply",
    "complete",
    "decide",
    "evolve",
    "known",
    "legal_actions",
    "permit",
    "preview",
    "redact",
    "replay",
    "start_match",
    "view",
]
