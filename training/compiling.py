"""How functions are compiled: numba's decorators, which have no types that keep a function's own."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from numba import njit

P = ParamSpec("P")
T = TypeVar("T")


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function compiled when it is first called."""
    translated: Any = njit(function)
    return translated


def summing(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function compiled so that sums of floats go in any order: for whole numbers only."""
    translated: Any = njit(fastmath=True)(function)
    return translated


def recursive(signature: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator for a function that calls itself, which must be told its types."""
    translated: Any = njit(signature)
    return translated
