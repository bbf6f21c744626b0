"""Play the recorded matches again and write them down: ``python -m tests.engine.playthroughs``."""

from tests.engine.playthroughs.record import page_of, recorded
from tests.playbook import COMPANIES

for preset, seats in COMPANIES:
    page_of(preset, seats).write_text(recorded(preset, seats), encoding="utf-8")
