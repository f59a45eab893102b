# Each target makes the environment it needs: only Python 3.11+, git and make are needed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_FLAGS ?=
OLDEST := $(VENV)-oldest

.PHONY: demo test test-oldest lint bench clean

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

# The oldest versions we support of what we stand on, and the tests of what touches them.
$(OLDEST)/.installed: pyproject.toml tests/oldest-versions.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint tests/oldest-versions.txt --editable '.[test]'
	@touch $@

test-oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/python -m pytest $(PYTEST_FLAGS) tests/test_builder.py tests/test_hooks.py

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-dev
	$(BIN)/python scripts/benchmark.py

clean:
	rm -rf $(VENV) $(OLDEST) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
