"""The version of this release: of the package and of the contract alike."""

from typing import Final

VERSION: Final = "0.1.0"
"""The last number for words, the middle one for additions. `pyproject.toml` reads it here."""
