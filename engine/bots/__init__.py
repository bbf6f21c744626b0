"""Opponents: the same view as a player and nothing else."""

from engine.bots.choose import LEVELS, Level, choose
from engine.bots.reply import replies

__all__ = ["LEVELS", "Level", "choose", "replies"]
