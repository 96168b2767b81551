# Every target makes its own .venv; nothing but Python 3.11+ and make is needed beforehand.
PYTHON ?= python3
BIN := .venv/bin
export COTERIE_DATA ?= $(abspath ../shared/data)
# Kernels are compiled once for all tests; `make clean` deletes them too.
export NUMBA_CACHE_DIR ?= $(abspath .venv/kernels)

.PHONY: demo test test-slow fuzz check lint types layers bench wheel clean

demo: .venv/.core .venv/.warm
	$(BIN)/coterie demo

# One thread per process: there is a process per core, and threads that wait for each other cost a fifth.
test: export OPENBLAS_NUM_THREADS = 1
test: export OMP_NUM_THREADS = 1
test: .venv/.test .venv/.warm
	$(BIN)/python -m pytest --numprocesses auto

test-slow: .venv/.test
	$(BIN)/python -m pytest -m slow

# Random inputs for ten minutes: make fuzz SECONDS=3600 SEED=7 JOBS=2
fuzz: SECONDS ?= 600
fuzz: SEED ?= 0
fuzz: JOBS ?= 1
fuzz: .venv/.test
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS) --seed $(SEED) --jobs $(JOBS)

check: test lint types layers demo

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.test
	$(BIN)/mypy

layers: .venv/.test
	$(BIN)/lint-imports

bench: .venv/.bench
	for script in clusterers metrics records features structural_svm left_linking discriminative dirichlet boosting tables; do $(BIN)/python benchmarks/$$script.py || exit 1; done

# The wheel for this Python, with functions that were compiled just now for processors with AVX2.
wheel: .venv/.test
	env -u NUMBA_CACHE_DIR COTERIE_BUILD_KERNELS=1 $(BIN)/python -m hatchling build --target wheel --directory dist

.venv/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Coterie needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/.core: .venv/.made pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/.test: .venv/.made pyproject.toml papers/pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[test]' --editable ./papers
	@touch $@ .venv/.core

# Once: later, what changed is compiled when it is used.
.venv/.warm: | .venv/.core
	@echo "compiling functions for this computer, which takes about a minute"
	$(BIN)/coterie warm
	@touch $@

.venv/.bench: .venv/.test
	$(BIN)/python -m pip install --quiet --editable '.[test,bench]' --editable ./papers
	@touch $@

clean:
	find src papers -name '*.nb[ic]' -delete
	rm -rf dist .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
