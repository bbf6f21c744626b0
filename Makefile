PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
HOST ?= 127.0.0.1
PORT ?= 8000
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
ARGS ?=

.PHONY: serve test soak check lint types layers contract diagram playthroughs lock bench clean

## Run the service on an SQLite file in this folder.
serve: $(VENV)/.run
	$(BIN)/ginrummy serve --host $(HOST) --port $(PORT)

## Run every test at the size that keeps CI short.
test: $(VENV)/.dev
	$(BIN)/python -m pytest $(ARGS)

## The same tests at the sizes the project promises.
soak: $(VENV)/.dev
	TEST_SIZE=soak $(BIN)/python -m pytest $(ARGS)

## What a change must pass: style, types, layers, the committed contract, the tests.
check: lint types layers test

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports --no-cache

## Write openapi/openapi.json and openapi/operations.txt from the code.
contract: $(VENV)/.dev
	$(BIN)/python -m service.contract

## Write docs/flow.md from the engine's table of phases.
diagram: $(VENV)/.dev
	$(BIN)/python -m tests.engine.diagram

## Play the recorded matches again and write them down; and what each level of bots chooses.
playthroughs: $(VENV)/.dev
	$(BIN)/python -m tests.engine.playthroughs
	$(BIN)/python -m tests.engine.choices

## Hash the newest versions that pyproject.toml allows (needs uv).
lock:
	uv lock --upgrade
	uv export --no-emit-project --no-header --no-dev --group build --format requirements-txt --output-file requirements.txt --quiet
	uv export --no-emit-project --no-header --all-groups --format requirements-txt --output-file requirements-dev.txt --quiet

## Print the figures of speed and memory.
bench: $(VENV)/.dev
	$(BIN)/python benchmarks/solver.py
	$(BIN)/python benchmarks/moves.py
	$(BIN)/python benchmarks/streams.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/analysis.py
	$(BIN)/python benchmarks/load.py
	$(BIN)/python benchmarks/beside_bots.py
	$(BIN)/python benchmarks/bots.py --matches 500

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.txt pyproject.toml | $(BIN)/python
	$(PIP) --require-hashes --requirement requirements.txt
	$(PIP) --no-build-isolation --no-deps --editable .
	touch $@

$(VENV)/.dev: requirements-dev.txt pyproject.toml | $(BIN)/python
	$(PIP) --require-hashes --requirement requirements-dev.txt
	$(PIP) --no-build-isolation --no-deps --editable .
	touch $@ $(VENV)/.run
