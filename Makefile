# demo, test, lint and bench each make their own environment: only Python 3.11+, git and make are needed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_FLAGS ?=

.PHONY: demo test lint bench clean

$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed, but $(PYTHON) is " + sys.version.split()[0] + "; set PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

# One stamp a set of extras; a change of pyproject.toml installs anew.
$(VENV)/.installed-%: $(VENV)/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.$(if $(filter base,$*),,[$*])'
	@touch $@

demo: $(VENV)/.installed-base
	$(BIN)/draw demo

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest $(PYTEST_FLAGS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-dev
	$(BIN)/python scripts/benchmark.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
