"""Write down what each level chooses: ``python -m tests.engine.choices [folder]``."""

import sys
from pathlib import Path

from engine.bots import Level
from tests.engine.choices.record import FOLDER, page_of, recorded

folder = Path(sys.argv[1]) if sys.argv[1:] else FOLDER
for level in Level:
    (folder / page_of(level)).write_text(recorded(level), encoding="utf-8")
