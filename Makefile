# Synapse. `make run` starts everything, `make test` runs all tests; see `make help`.

PYTHON ?= python3
VENV ?= .venv
# What `make test` and `make bench` pass on, e.g. ARGS="tests/api -k submit".
ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
# Touched after an install: a lock that did not change is not installed again.
READY := $(VENV)/ready
READY_DEV := $(VENV)/ready-dev

.DEFAULT_GOAL := help
.PHONY: help run test check format lock bench clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

run: $(READY) ## Start web, worker, courier and beat (PORT, SYNAPSE_DATA_DIR)
	@$(BIN)/python -m synapse_site.launch

test: $(READY_DEV) ## Run all tests (ARGS for pytest, STACK=embedded or production)
	@$(BIN)/python -m tests.run $(ARGS)

# The plugins of mypy load the settings, which insist on a key.
check: $(READY_DEV) ## Check format, lint, types and the import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	SECRET_KEY=not-a-secret $(BIN)/mypy .
	$(BIN)/lint-imports

format: $(READY_DEV) ## Format the code and fix what can be fixed
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lock: $(READY_DEV) ## Write requirements*.txt anew (ARGS=--upgrade for newer versions)
	for name in requirements requirements-dev; do \
	  UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet $(ARGS) \
	    --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    $$name.in --output-file $$name.txt || exit 1; \
	done

bench: $(READY_DEV) ## Measure speed against baselines of the same run
	@$(BIN)/python -m bench $(ARGS)

clean: ## Remove the virtualenv and caches; data stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis \
	  .import_linter_cache .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else \
	  "Synapse needs Python 3.11 or newer; $(PYTHON) is %d.%d. " \
	  "Name another one: make PYTHON=python3.13" % sys.version_info[:2])'
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "Installing what requirements.txt locks (the first time this takes a while) ..."
	@$(PIP) -r requirements.txt
	@touch $@

$(READY_DEV): requirements-dev.txt $(READY)
	@echo "Installing what requirements-dev.txt locks ..."
	@$(PIP) -r requirements-dev.txt
	@touch $@
