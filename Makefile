# Each target makes the environment it needs: only Python 3.11+, git and make are needed.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_FLAGS ?=
# Processes that tests run in. Tests of one xdist_group share a process; more than four only contend for the disk.
WORKERS ?= auto
OLDEST := $(VENV)-oldest

.PHONY: demo test fast coverage test-scale browser test-oldest test-harnesses test-model lint docs bench tables clean

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

test: $(VENV)/.installed-test browser
	$(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 4 --dist loadgroup --cov --cov-report= $(PYTEST_FLAGS)
	$(MAKE) --no-print-directory coverage

# The inner loop, under 90 seconds: no data from outside, no processes, servers, browsers or long searches; no coverage.
fast: $(VENV)/.installed-test
	$(BIN)/python -m pytest -q -n $(WORKERS) --maxprocesses 4 --dist loadgroup -m "not slow" $(PYTEST_FLAGS)

# What the last make test measured: the total with branches, and the modules under 85 %.
coverage:
	$(BIN)/python scripts/list_coverage.py

# The tests of pages want a real browser; without one they are skipped by name.
browser:
	@command -v chromium > /dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null \
	       && { apt-get update && apt-get install -y --no-install-recommends chromium; } > /dev/null 2>&1; } \
	  || echo "chromium is missing, so browser tests are skipped; install it as in: apt-get install chromium"

# The oldest versions we support of what we stand on, and the tests of what touches them.
$(OLDEST)/.installed: pyproject.toml tests/oldest-versions.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint tests/oldest-versions.txt --editable . pytest hypothesis pyyaml
	@touch $@

test-oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/python -m pytest $(PYTEST_FLAGS) tests/test_builder.py tests/test_hooks.py

# Every harness of tests/harnesses/versions.txt in an environment of its own, or those that HARNESSES names.
HARNESSES ?=
test-harnesses: $(VENV)/.made
	$(BIN)/python scripts/test_harnesses.py $(HARNESSES)

# A real language model on loopback (llama.cpp, SmolLM2-135M), asked by draw evaluate-model, inspect-ai and lm-eval.
test-model: $(VENV)/.made
	$(BIN)/python scripts/test_harnesses.py model

# Runs in many processes, killed ten times over, on Ray, Spark and Slurm (if Debian's packages are there), and from and to
# an object store, which the other tests leave out.
test-scale: $(VENV)/.installed-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'ray[data]>=2.40' 'pyspark>=4' s3fs 'moto[server]'
	DRAW_KILLS=10 $(BIN)/python -m pytest $(PYTEST_FLAGS) tests/pipelines tests/scoring/test_tallies.py

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(MAKE) docs

# The site, in docs/_build/html. A warning is an error.
docs: $(VENV)/.installed-dev
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --builder html docs docs/_build/html

bench: $(VENV)/.installed-dev
	$(BIN)/python scripts/benchmark.py

# The tables of the paper with the release at hand. It can be interrupted: the same command resumes it.
SEEDS ?= 5
PROCESSES ?= 2
tables: $(VENV)/.installed-test
	$(BIN)/python scripts/reproduce_tables.py --seeds $(SEEDS) --jobs $(PROCESSES) --adopt docs/results/jobs.jsonl --out docs/results --update-page

clean:
	rm -rf $(VENV) $(OLDEST) .venv-harnesses build dist docs/_build docs/reference/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
