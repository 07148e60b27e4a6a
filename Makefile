# Everything runs from one virtual environment that these targets make themselves.
VENV ?= .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
JOBS ?= 2

.PHONY: run test check lint types contracts bench snap clean

run: $(STAMP)            ## start the app (without a key it shows a recording)
	@$(PY) -m dsh_tui $(ARGS)

test: $(STAMP)           ## all tests, two at a time
	$(PY) -m pytest -n $(JOBS) --dist loadgroup

check: lint types contracts test   ## what CI runs

lint: $(STAMP)
	$(VENV)/bin/ruff check dsh_tui tests docs
	$(VENV)/bin/ruff format --check dsh_tui tests docs

types: $(STAMP)
	$(VENV)/bin/mypy

contracts: $(STAMP)
	$(VENV)/bin/lint-imports

bench: $(STAMP)          ## measure, each figure beside its reference
	$(PY) -m tests.bench.run $(ARGS)

snap: $(STAMP)           ## accept new screen snapshots; look at them first
	$(PY) -m pytest tests/snapshots --snapshot-update

$(STAMP): pyproject.toml
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
