"""Play the recorded matches again and write them down: ``python -m tests.engine.playthroughs``."""

from tests.engine.playthroughs.record import page_of, recorded
from tests.playbook import PLAYED

for preset in PLAYED:
    page_of(preset).write_text(recorded(preset), encoding="utf-8")
